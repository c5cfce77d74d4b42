"""Parts and sums of an embedding, as embeddings: some of its words, and W and C taken together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.container import Embedding
from w2v.errors import NotAvailableError, SettingsError
from w2v.plurals import counted
from w2v.vocabulary import Vocabulary

__all__ = ["MATRICES", "combined", "subset", "top"]

MATRICES = ("w", "c", "w+c", "w,c")


def top(embedding: Embedding, size: int) -> Embedding:
    """Return the first `size` words, the most frequent where the rows are in that order, with their vectors.

    Raises
    ------
    SettingsError
        For a size below 1.
    """
    if size < 1:
        raise SettingsError(f"at least 1 word must be left; got {size}")
    return _rows(embedding, slice(0, size), f"the first {counted(size, 'word')}")


def subset(embedding: Embedding, words: Iterable[Any]) -> tuple[Embedding, list[Any]]:
    """Return the embedding of some words, in the order of its rows, and those words that it does not have.

    Raises
    ------
    SettingsError
        When none of the words is there.
    """
    asked = list(dict.fromkeys(words))
    index = embedding.vocabulary.index
    found = sorted(index[word] for word in asked if word in embedding.vocabulary)
    missing = [word for word in asked if word not in embedding.vocabulary]
    if not found:
        raise SettingsError(f"of {counted(len(asked), 'word')} asked for, none is in the vocabulary")
    return _rows(embedding, np.array(found), f"{len(found)} of {counted(len(asked), 'word')} asked for"), missing


def _rows(embedding: Embedding, rows: slice | NDArray[np.int64], note: str) -> Embedding:
    vocabulary = embedding.vocabulary
    if vocabulary.key_type == "int":
        kept = Vocabulary(vocabulary.keys[rows], vocabulary.counts[rows])
    else:
        words = vocabulary.words
        listed = words[rows] if isinstance(rows, slice) else [words[row] for row in rows.tolist()]
        kept = Vocabulary([str(word) for word in listed], vocabulary.counts[rows])
    return Embedding(
        kept,
        embedding.W[rows],
        None if embedding.C is None else embedding.C[rows],
        settings=embedding.settings,
        provenance={**embedding.provenance, "selection": note},
        losses=embedding.losses,
    )


def combined(embedding: Embedding, which: str) -> Embedding:
    """Return an embedding whose W is made of the word vectors w and the context vectors c.

    Parameters
    ----------
    embedding : Embedding
    which : {"w", "c", "w+c", "w,c"}
        w alone; c alone; the sum (whose products hold w.w + c.c + w.c + c.w: first- and second-order similarity
        together; Levy, Goldberg and Dagan 2015, section 3.3); or one after the other, (V, 2d), whose products are
        w.w + c.c.

    Raises
    ------
    NotAvailableError
        When there is no C.
    SettingsError
        For another name.
    """
    if which not in MATRICES:
        raise SettingsError(f"the vectors are one of {', '.join(MATRICES)}; got {which!r}")
    W, C = embedding.W, embedding.C
    if which == "w":
        return embedding if C is None else _with(embedding, W, {})
    if C is None:
        raise NotAvailableError(f"there are no context vectors in this file, so {which} cannot be taken")
    made = C
    if which != "c":
        made = W + C if which == "w+c" else np.concatenate([W, C], axis=1)
    return _with(embedding, made, {"vectors": {"c": "c", "w+c": "w + c", "w,c": "[w; c]"}[which]})


def _with(embedding: Embedding, W: NDArray[np.float32], note: dict[str, str]) -> Embedding:
    return Embedding(
        embedding.vocabulary,
        W,
        settings=embedding.settings,
        provenance={**embedding.provenance, **note},
        losses=embedding.losses,
    )
