"""Matrices taken a block of rows at a time, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLOCK_ROWS", "SCORE_CELLS", "float64_blocks", "row_slices", "score_slices"]

BLOCK_ROWS = 4096
"""Rows of a block of vectors."""
SCORE_CELLS = 1 << 23
"""Cells of a block of scores (float32: 32 MiB)."""


def row_slices(n: int, rows: int = BLOCK_ROWS) -> Iterator[slice]:
    """Yield slices that cover n rows in order, `rows` of them each and what is left in the last."""
    for start in range(0, n, rows):
        yield slice(start, min(n, start + rows))


def score_slices(n: int, columns: int, cells: int = SCORE_CELLS) -> Iterator[slice]:
    """Yield slices that cover n rows, such that a block of scores against `columns` columns has about `cells` cells."""
    return row_slices(n, max(1, cells // max(1, columns)))


def float64_blocks(matrix: NDArray[np.float32], rows: int = BLOCK_ROWS) -> Iterator[NDArray[np.float64]]:
    """Yield copies of the rows in float64, a block at a time."""
    for part in row_slices(len(matrix), rows):
        yield matrix[part].astype(np.float64)
