"""Lengths of the rows of a matrix, exact for any float32 values, and the check that all of them are finite."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from w2v.errors import FormatError

__all__ = ["RowScales", "unit_rows"]

CHUNK_ROWS = 1024  # a float64 copy of this many rows stays in the caches

SAFE_LOW, SAFE_HIGH = 1e-15, 1e15
"""Rows whose length lies between these can be scaled in float32 without overflow or loss of digits."""


class RowScales:
    """The lengths of all rows, and what cosines against many rows need from them.

    Parameters
    ----------
    W : (V, d) float32
    describe : callable
        Names a row, by its number, in the message.

    Attributes
    ----------
    norms : (V,) float64
        Euclidean lengths, read-only.
    inverse : (V,) float32
        1 / length where that can be used in float32, else 0.
    zero : (n,) int64
        Rows that are all zero.
    odd : (n,) int64
        Rows whose length leaves the range that float32 handles well; they are few and taken in float64.

    Raises
    ------
    FormatError
        When a row holds NaN or infinity.
    """

    def __init__(self, W: NDArray[np.float32], describe: Callable[[int], str]) -> None:
        squares = np.empty(len(W))
        for start in range(0, len(W), CHUNK_ROWS):
            with np.errstate(invalid="ignore"):  # a damaged file may hold signalling NaN
                rows = W[start : start + CHUNK_ROWS].astype(np.float64)
            squares[start : start + CHUNK_ROWS] = np.einsum("ij,ij->i", rows, rows)
        # float64 holds the square of any float32, so only NaN and infinity themselves end up here
        bad = np.flatnonzero(~np.isfinite(squares))
        if len(bad):
            row = int(bad[0])
            values = W[row]
            column = int(np.flatnonzero(~np.isfinite(values))[0])
            more = f", and {len(bad) - 1} more rows like it" if len(bad) > 1 else ""
            raise FormatError(
                f"{describe(row)} holds {values[column]} in column {column}{more}; the vectors are damaged"
            )
        self.norms: NDArray[np.float64] = np.sqrt(squares)
        self.norms.flags.writeable = False
        self.zero = np.flatnonzero(self.norms == 0)
        safe = (self.norms >= SAFE_LOW) & (self.norms <= SAFE_HIGH)
        self.odd = np.flatnonzero(~safe & (self.norms > 0))
        self.inverse = np.divide(1.0, self.norms, out=np.zeros(len(W)), where=safe).astype(np.float32)


def unit_rows(W: NDArray[np.float32], norms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows taken to length 1, in float64; a row of zeros stays zero."""
    scale = np.divide(1.0, norms, out=np.zeros(len(norms)), where=norms > 0)
    return np.asarray(W.astype(np.float64) * scale[:, None])
