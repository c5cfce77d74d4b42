"""Training that starts from given vectors: words of the corpus that have one take its row, frozen or not."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from w2v.embedding import Embedding, load
from w2v.errors import CorpusTypeError, FormatError, SettingsError
from w2v.plurals import counted
from w2v.training.session import Training

__all__ = ["Start", "loaded", "settings_for", "sha256_of", "start_from"]

_SHOWN = 3


@dataclasses.dataclass(frozen=True, kw_only=True)
class Start:
    """What a training took from given vectors.

    Attributes
    ----------
    given : int
        Words that have a vector.
    taken : int
        Words of the corpus among them, which start from it.
    fresh : int
        Words of the corpus that are not among them, which start from small random numbers.
    context_vectors : bool
        Whether there were context vectors, which are taken too.
    frozen : bool
        Whether the word vectors that were taken stay as they are.
    """

    given: int
    taken: int
    fresh: int
    context_vectors: bool
    frozen: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


def loaded(source: Embedding | str | os.PathLike[str]) -> tuple[Embedding, str | None]:
    """Return vectors and the path that they were read from, None if they were in memory."""
    return (source, None) if isinstance(source, Embedding) else (load(source), os.fspath(source))


def settings_for(vectors: Embedding, given: Mapping[str, Any], *, path: str | None = None) -> dict[str, Any]:
    """Return settings by name with the dimensions of given vectors.

    Raises
    ------
    SettingsError
        If `vector_size` is given and is another number.
    """
    size = given.get("vector_size", vectors.vector_size)
    if size != vectors.vector_size:
        raise SettingsError(
            f"vector_size={size}, but {_name(path)} has {counted(vectors.vector_size, 'dimension')}: leave vector_size "
            "out"
        )
    return {**given, "vector_size": vectors.vector_size}


def start_from(session: Training, vectors: Embedding, *, path: str | None = None, freeze: bool = False) -> Start:
    """Put given vectors in the place of the random start of those words of the corpus that have one.

    Parameters
    ----------
    session : Training
        That has yet to begin.
    vectors : Embedding
        Of the same dimensions. Context vectors are taken where there are any; else they start at zero, as always.
    path : str, optional
        Where the vectors were read from.
    freeze : bool
        Whether the rows of W that were taken stay exactly as they are, while their context vectors and all other words
        are trained.

    Returns
    -------
    Start
        What was taken, which ``session.story["init"]`` records too.

    Raises
    ------
    SettingsError
        If no word of the corpus has a vector, or the dimensions differ.
    CorpusTypeError
        If one has strings and the other integer keys.
    FormatError
        If a vector that would be taken is not finite.
    """
    settings_for(vectors, {"vector_size": session.training.vector_size}, path=path)
    name, here, there = _name(path), session.corpus.vocabulary, vectors.vocabulary
    if here.key_type != there.key_type:
        raise CorpusTypeError(f"the words of {name} are of type {there.key_type}, those of the corpus {here.key_type}")
    index = there.index
    sources = np.array([index.get(word, -1) for word in here.words], dtype=np.int64)
    rows = np.flatnonzero(sources >= 0)
    if len(rows) == 0:
        examples = [", ".join(map(repr, words[:_SHOWN])) for words in (here.words, there.words)]
        raise SettingsError(
            f"none of the {counted(len(here), 'word')} of the corpus ({examples[0]}, ...) has a vector in {name} "
            f"({examples[1]}, ...): is it another language, or are the words written in another way?"
        )
    for matrix, given in ((session.W, vectors.W), (session.C, vectors.C)):
        if given is None:
            continue
        taken = np.asarray(given[sources[rows]], dtype=np.float32)
        finite = np.isfinite(taken).all(axis=1)
        if not finite.all():
            word = here.words[rows[int(np.argmin(finite))]]
            raise FormatError(f"{name}: the vector of {word!r} holds a number that is not finite")
        matrix[rows] = taken
    if freeze:
        session.freeze(sources >= 0)
    start = Start(
        given=len(vectors),
        taken=len(rows),
        fresh=len(here) - len(rows),
        context_vectors=vectors.C is not None,
        frozen=freeze,
    )
    session.story["init"] = {
        "vectors": None if path is None else os.path.realpath(path),
        "sha256": None if path is None else sha256_of(path),
        **start.to_dict(),
    }
    return start


def _name(path: str | None) -> str:
    return "the embedding to start from" if path is None else path


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the sha256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
