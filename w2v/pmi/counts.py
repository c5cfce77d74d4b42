"""Pair counts: a sparse symmetric matrix of expected counts with its marginals."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.settings import ContextSettings
from w2v.vocabulary import Vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["PairCounts"]


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class PairCounts:
    """Expected numbers of (word, context) pairs in one epoch: a_wc of Levy & Goldberg (2014), #(w, c) there.

    The matrix covers the n first words of the vocabulary (all of them unless it was bounded); the marginals always
    cover all V words, contexts outside the matrix included. All arrays are read-only.

    Attributes
    ----------
    indptr : (n + 1,) int64
        Row w holds the cells ``indptr[w]:indptr[w + 1]``.
    indices : (cells,) int32
        Context of each cell, ascending within a row.
    data : (cells,) float64
        a_wc > 0.
    word_counts, context_counts : (V,) float64
        a_w = sum_c a_wc and a_c. Every window law is symmetric, so they are equal.
    total : float
        All pairs of an epoch, |D|.
    vocabulary : Vocabulary
    context : ContextSettings
        The law under which the pairs were counted.
    tokens, sentences : int
        Of the corpus counted (tokens in the vocabulary).
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]
    word_counts: NDArray[np.float64]
    context_counts: NDArray[np.float64]
    total: float
    vocabulary: Vocabulary
    context: ContextSettings
    tokens: int
    sentences: int

    def __post_init__(self) -> None:
        for name in ("indptr", "indices", "data", "word_counts", "context_counts"):
            plain = np.asarray(getattr(self, name)).view()  # a mapped file as well as an array in memory
            plain.flags.writeable = False
            object.__setattr__(self, name, plain)

    @property
    def size(self) -> int:
        """Words in the matrix (n)."""
        return len(self.indptr) - 1

    @property
    def cells(self) -> int:
        """Distinct pairs in the matrix."""
        return len(self.indices)

    @property
    def fill(self) -> float:
        """Share of the n x n cells that hold a pair."""
        return self.cells / max(1, self.size) ** 2

    def rows(self) -> NDArray[np.int32]:
        """Return the word of each cell (cells,) int32."""
        return np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.indptr))

    def matrix(self, data: NDArray[Any] | None = None) -> csr_array:
        """Return a scipy CSR array (n, n) of these cells, or of other values of the same cells.

        The index arrays are shared, not copied: change the result in place only after ``.copy()``.
        """
        from scipy.sparse import csr_array

        matrix = csr_array((self.size, self.size), dtype=np.float64)
        values = self.data if data is None else data
        matrix.data, matrix.indices, matrix.indptr = values, self.indices, _narrow(self.indptr)
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
        return matrix

    def head(self, size: int) -> PairCounts:
        """Return the counts with the matrix bounded to the first `size` words; the marginals stay whole."""
        if size >= self.size:
            return self
        size = max(0, size)
        end = int(self.indptr[size])
        inside = self.indices[:end] < size
        before = np.concatenate(([0], np.cumsum(inside, dtype=np.int64)))
        return dataclasses.replace(
            self,
            indptr=before[self.indptr[: size + 1]],
            indices=self.indices[:end][inside],
            data=self.data[:end][inside],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what can be said of the counts in a few numbers, as plain JSON values."""
        return {
            "tokens": self.tokens,
            "sentences": self.sentences,
            "vocabulary": len(self.vocabulary),
            "matrix_size": self.size,
            "pairs": self.total,
            "distinct_pairs": self.cells,
            "fill": self.fill,
            "context": self.context.to_dict(),
        }


def _narrow(indptr: NDArray[np.int64]) -> NDArray[Any]:
    """Return row bounds of the type of the indices where they fit: scipy copies the indices when the types differ."""
    return indptr.astype(np.int32) if int(indptr[-1]) <= np.iinfo(np.int32).max else indptr
