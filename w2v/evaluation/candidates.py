"""The words an evaluation may meet and answer with: the first N, their unit vectors, their spellings under a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from w2v.arguments import one_of, whole_number
from w2v.errors import FormatError
from w2v.vocabulary import Vocabulary

__all__ = ["CASES", "Candidates", "HasVectors"]

_FOLDS: dict[str, Callable[[str], str]] = {"none": str, "lower": str.lower, "casefold": str.casefold}
CASES = tuple(_FOLDS)
_ROWS = 4096  # taken to length one at a time, in float64


class HasVectors(Protocol):
    """What an evaluation needs of an embedding: its words and its matrix W."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Words in the order of their ids, the most frequent first."""

    @property
    def W(self) -> NDArray[Any]:
        """Word vectors (V, d)."""

    @property
    def unit_vectors(self) -> NDArray[Any]:
        """Word vectors of length one (V, d)."""


class Candidates:
    """The first `restrict_vocab` words of an embedding, with their unit vectors.

    Words that the case policy cannot tell apart form one spelling group; the first of them (the most frequent) lends
    its vector to questions, and an answer with any of them is an answer with all of them. Rows of zeros have no
    direction and are in no group: they are neither asked about nor given as answers.

    Parameters
    ----------
    embedding : HasVectors
        Only read.
    restrict_vocab : int or None
        How many words count, from the first one; None means all.
    case : {"none", "lower", "casefold"}
        How spellings are compared: as they stand, by `str.lower`, by `str.casefold`. No locale is asked.

    Raises
    ------
    FormatError
        When a vector is not finite.

    Attributes
    ----------
    unit : (N, d) float32
        Unit vectors, or zeros.
    group : (N,) int64
        Spelling group of each candidate, -1 for rows of zeros.
    first : (G,) int64
        The first candidate of each group.
    unusable : (U,) int64
        The rows of zeros.
    sizes : (G,) int64
        How many candidates each group has.
    """

    def __init__(self, embedding: HasVectors, *, restrict_vocab: int | None, case: str) -> None:
        self.case = one_of("case", case, CASES)
        vocabulary = embedding.vocabulary
        size = len(vocabulary)
        if restrict_vocab is not None:
            size = min(size, whole_number("restrict_vocab", restrict_vocab, 1))
        self.words = [str(word) for word in vocabulary.words[:size]]
        self.unit = _unit_rows(embedding, self.words)
        usable: NDArray[np.bool_] = np.asarray(self.unit.any(axis=1))
        fold = _FOLDS[case]
        self._groups: dict[str, int] = {}
        groups = self._groups
        labels = [
            groups.setdefault(fold(word), len(groups)) if good else -1
            for word, good in zip(self.words, usable.tolist(), strict=True)
        ]
        self.group: NDArray[np.int64] = np.array(labels, dtype=np.int64)
        self.unusable: NDArray[np.int64] = np.flatnonzero(~usable)
        self._order: NDArray[np.int64] = np.argsort(self.group, kind="stable")[len(self.unusable) :]
        self.sizes: NDArray[np.int64] = np.bincount(self.group[usable], minlength=len(groups))
        self._starts: NDArray[np.int64] = np.cumsum(self.sizes) - self.sizes
        self.first: NDArray[np.int64] = self._order[self._starts] if len(groups) else np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self.words)

    def lookup(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the group of each word under the case policy, -1 where there is none."""
        fold, groups = _FOLDS[self.case], self._groups
        return np.array([groups.get(fold(word), -1) for word in words], dtype=np.int64)

    def members(self, groups: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all candidates of the given groups: (positions in `groups`, candidate ids), in order of both."""
        sizes = self.sizes[groups]
        positions = np.repeat(np.arange(len(groups)), sizes)
        within = np.arange(len(positions)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return positions, self._order[self._starts[groups][positions] + within]


def _unit_rows(embedding: HasVectors, words: list[str]) -> NDArray[np.float32]:
    """Return the unit vectors of the first words; a row of zeros stays zero, and one that is not finite is refused."""
    if len(words) == len(embedding.vocabulary):
        unit = np.ascontiguousarray(embedding.unit_vectors, dtype=np.float32)
    else:  # a restricted evaluation of a large model does not pay for all the other rows
        unit = np.empty((len(words), embedding.W.shape[1]), dtype=np.float32)
        for start in range(0, len(words), _ROWS):
            rows = embedding.W[start : min(start + _ROWS, len(words))].astype(np.float64)
            norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
            unit[start : start + len(rows)] = np.divide(rows, norms, out=rows, where=norms > 0)
    damaged = np.flatnonzero(~np.isfinite(unit.sum(axis=1)))
    if damaged.size:
        row = int(damaged[0])
        raise FormatError(f"the vector of {words[row]!r} (row {row}) is not finite; the vectors are damaged")
    return unit
