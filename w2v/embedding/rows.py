"""The rows of an embedding: words, their vectors, their lengths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from w2v.embedding.norms import CHUNK_ROWS, RowScales, unit_rows
from w2v.errors import NotAvailableError
from w2v.vocabulary import Vocabulary

__all__ = ["Rows"]


class Rows:
    """Word vectors W and context vectors C (both (V, d) float32) of a vocabulary; see `Embedding`."""

    def __init__(self, vocabulary: Vocabulary, W: ArrayLike, C: ArrayLike | None = None) -> None:
        self.vocabulary = vocabulary
        self.W = _matrix("W", W)
        self.C = None if C is None else _matrix("C", C)
        if len(self.W) != len(vocabulary):
            raise ValueError(f"{len(vocabulary)} words but W of shape {self.W.shape}")
        if self.C is not None and self.C.shape != self.W.shape:
            raise ValueError(f"C of shape {self.C.shape} does not fit W of shape {self.W.shape}")
        self._scales: RowScales | None = None
        self._context_scales: RowScales | None = None
        self._unit_vectors: NDArray[np.float32] | None = None

    @property
    def words(self) -> list[str] | list[int]:
        """All words in the order of the rows."""
        return self.vocabulary.words

    @property
    def counts(self) -> NDArray[np.int64]:
        """Occurrences (V,) of each word in the corpus."""
        return self.vocabulary.counts

    @property
    def vector_size(self) -> int:
        """Dimensions d of the vectors."""
        return int(self.W.shape[1])

    @property
    def scales(self) -> RowScales:
        """Lengths of the rows and what follows from them, computed at first use.

        Raises
        ------
        FormatError
            When a row of W holds NaN or infinity.
        """
        if self._scales is None:
            self._scales = RowScales(self.W, lambda row: f"the vector of {self.word(row)!r} (row {row} of W)")
        return self._scales

    @property
    def contexts(self) -> NDArray[np.float32]:
        """The context vectors (V, d); raises `NotAvailableError` where there are none."""
        if self.C is None:
            raise NotAvailableError("this embedding has no context vectors C: w.c needs a model of `w2v train`")
        return self.C

    @property
    def context_scales(self) -> RowScales:
        """As `scales`, of the context vectors."""
        if self._context_scales is None:
            self._context_scales = RowScales(
                self.contexts, lambda row: f"the context vector of {self.word(row)!r} (row {row} of C)"
            )
        return self._context_scales

    @property
    def norms(self) -> NDArray[np.float64]:
        """Euclidean lengths (V,) of the word vectors."""
        return self.scales.norms

    @property
    def unit_vectors(self) -> NDArray[np.float32]:
        """Word vectors (V, d) of length 1, computed once and kept (as much memory as W); a zero row stays zero."""
        if self._unit_vectors is None:
            units = np.empty(self.W.shape, dtype=np.float32)
            for start in range(0, len(units), CHUNK_ROWS):
                rows = slice(start, start + CHUNK_ROWS)
                units[rows] = unit_rows(self.W[rows], self.norms[rows])
            units.flags.writeable = False
            self._unit_vectors = units
        return self._unit_vectors

    def __len__(self) -> int:
        return len(self.W)

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the words in the order of the rows."""
        return iter(self.words)

    def __getitem__(self, word: Any) -> NDArray[np.float32]:
        """Return the vector (d,) of a word, or the vectors (n, d) of a list of words, as a new array.

        Words only, never positions: of integer keys ``embedding[10]`` is the vector of the key 10. Rows by position
        are ``embedding.W[i]``.

        Raises
        ------
        UnknownWordError
            (a KeyError) naming all unknown words, with close matches.
        """
        if isinstance(word, (list, tuple, np.ndarray)):
            vectors: NDArray[np.float32] = self.W[self.vocabulary.ids(word)]
            return vectors
        row: NDArray[np.float32] = self.W[self.vocabulary.id(word)]
        return row.copy()

    def word(self, row: int) -> str | int:
        """Return the word of a row."""
        if self.vocabulary.key_type == "int":
            return int(self.vocabulary.keys[row])
        return self.vocabulary.words[row]


def _matrix(name: str, values: ArrayLike) -> NDArray[np.float32]:
    """Return a read-only view of a (V, d) float32 matrix, converted if it is of another real type."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" or array.ndim != 2 or array.shape[1] < 1:
        raise ValueError(f"{name} must be a (V, d) matrix of real numbers; got {array.dtype} of shape {array.shape}")
    with np.errstate(over="ignore"):  # what overflows is found and named when the norms are taken
        view: NDArray[np.float32] = array.astype(np.float32, copy=False).view()
    view.flags.writeable = False
    return view
