"""Matrices stored in fewer bytes: float16, or int8 with one scale a row; arithmetic is always in float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import FormatError, SettingsError

__all__ = ["STORAGE_TYPES", "HalfRows", "QuantisedRows", "check_storage_type", "widened"]

STORAGE_TYPES = ("float32", "float16", "int8")
CHUNK_ROWS = 4096
STEPS = np.float32(127)

DescribeRow = Callable[[int], str]


def check_storage_type(dtype: str) -> None:
    """Raise `SettingsError` for a type that vectors are not stored in."""
    if dtype not in STORAGE_TYPES:
        raise SettingsError(f"vectors are stored as {', '.join(STORAGE_TYPES)}; got {dtype!r}")


class HalfRows:
    """The rows of a matrix rounded to float16 as they are taken, without a copy of the whole.

    A vector keeps about three decimal digits; numbers below 6e-8 become 0.

    Raises
    ------
    FormatError
        When rows are taken that hold a finite number beyond 65504, which float16 does not have.
    """

    dtype = np.dtype("<f2")

    def __init__(self, matrix: NDArray[np.float32], describe: DescribeRow) -> None:
        self._matrix, self._describe = matrix, describe
        self.shape = matrix.shape

    def __len__(self) -> int:
        return len(self._matrix)

    def __getitem__(self, rows: slice) -> NDArray[np.float16]:
        exact = self._matrix[rows]
        with np.errstate(over="ignore", invalid="ignore"):
            rounded = exact.astype(self.dtype)
        lost = np.isinf(rounded) & np.isfinite(exact)
        if lost.any():
            row, column = (int(index[0]) for index in np.nonzero(lost))
            raise FormatError(
                f"{self._describe((rows.start or 0) + row)} holds {exact[row, column]}, which float16 cannot; "
                "store float32"
            )
        return rounded


_LARGEST = np.finfo(np.float32).max


class QuantisedRows:
    """The rows of a matrix as int8, each divided by a scale of its own: the largest number of a row becomes 127.

    Attributes
    ----------
    scales : (V,) float32
        What the whole numbers of each row are multiplied by; 0 for a row of zeros.

    Raises
    ------
    FormatError
        When a row holds NaN or infinity.
    """

    dtype = np.dtype("i1")

    def __init__(self, matrix: NDArray[np.float32], describe: DescribeRow) -> None:
        self._matrix = matrix
        self.shape = matrix.shape
        self.scales = np.empty(len(matrix), dtype=np.float32)
        for start in range(0, len(matrix), CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            with np.errstate(invalid="ignore"):
                np.divide(np.abs(matrix[rows]).max(axis=1), STEPS, out=self.scales[rows])
        bad = np.flatnonzero(~np.isfinite(self.scales))
        if len(bad):
            raise FormatError(f"{describe(int(bad[0]))} holds NaN or infinity, which int8 cannot")

    def __len__(self) -> int:
        return len(self._matrix)

    def __getitem__(self, rows: slice) -> NDArray[np.int8]:
        scales = self.scales[rows][:, None].astype(np.float64)
        exact = np.divide(self._matrix[rows], scales, out=np.zeros(self._matrix[rows].shape), where=scales > 0)
        return np.clip(np.rint(exact), -STEPS, STEPS).astype(np.int8)


def widened(stored: NDArray[Any], scales: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """Return stored float16 or int8 rows (V, d) as float32, int8 times their scales (V,)."""
    matrix = np.empty(stored.shape, dtype=np.float32)
    for start in range(0, len(stored), CHUNK_ROWS):
        rows = slice(start, start + CHUNK_ROWS)
        matrix[rows] = stored[rows]
        if scales is not None:
            with np.errstate(over="ignore"):  # a scale rounded up at the end of float32's range
                matrix[rows] *= scales[rows][:, None]
            np.clip(matrix[rows], -_LARGEST, _LARGEST, out=matrix[rows])
    return matrix
