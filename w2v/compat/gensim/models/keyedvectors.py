"""The place of ``gensim.models.keyedvectors``."""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import float32 as REAL  # noqa: N812
from numpy.typing import NDArray

from w2v.compat.gensim.vectors import KeyedVectors

__all__ = [
    "REAL",
    "EuclideanKeyedVectors",
    "KeyedVectors",
    "Word2VecKeyedVectors",
    "_load_word2vec_format",
    "load_word2vec_format",
    "pseudorandom_weak_vector",
]

EuclideanKeyedVectors = Word2VecKeyedVectors = KeyedVectors
load_word2vec_format = KeyedVectors.load_word2vec_format


def _load_word2vec_format(cls: Any, fname: Any, *args: Any, binary_chunk_size: int = 0, **kwargs: Any) -> KeyedVectors:
    """Call `KeyedVectors.load_word2vec_format` of a class; a name of gensim that programs use for its chunk size."""
    found: KeyedVectors = cls.load_word2vec_format(fname, *args, **kwargs)
    return found


def pseudorandom_weak_vector(
    size: int, seed_string: str | None = None, hashfxn: Callable[[str], int] | None = None
) -> NDArray[np.float32]:
    """Return a short random vector (size,), uniform in [-0.5, 0.5)/size, the same each time for a string."""
    seed = None
    if seed_string is not None:
        seed = hashfxn(seed_string) & 0xFFFFFFFF if hashfxn is not None else zlib.crc32(seed_string.encode("utf-8"))
    return ((np.random.default_rng(seed).random(size) - 0.5) / size).astype(np.float32)
