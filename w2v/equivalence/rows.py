"""Run a kernel over ranges of rows of a sparse matrix in several threads."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["each_chunk", "each_range", "row_ranges"]


def row_ranges(indptr: NDArray[np.int64], parts: int) -> list[tuple[int, int]]:
    """Split the rows into at most `parts` ranges that hold about the same number of cells."""
    n = len(indptr) - 1
    cuts = np.searchsorted(indptr, np.linspace(0, indptr[-1], parts + 1)[1:-1])
    edges = np.unique(np.concatenate(([0, n], np.minimum(cuts, n))))
    return list(itertools.pairwise(edges.tolist()))


def each_range(indptr: NDArray[np.int64], workers: int, task: Callable[[int, int], Any]) -> list[Any]:
    """Return ``task(first, last)`` of ranges of rows, one per worker, in their order."""
    return _each(row_ranges(indptr, workers), task)


def each_chunk(size: int, workers: int, task: Callable[[int, int], Any]) -> list[Any]:
    """Return ``task(begin, end)`` of chunks of a flat array, one per worker, in their order."""
    edges = np.unique(np.linspace(0, size, workers + 1).astype(np.int64))
    return _each(list(itertools.pairwise(edges.tolist())), task)


def _each(ranges: list[tuple[int, int]], task: Callable[[int, int], Any]) -> list[Any]:
    if len(ranges) == 1:
        return [task(*ranges[0])]
    with ThreadPoolExecutor(max(1, len(ranges))) as pool:
        return list(pool.map(lambda bounds: task(*bounds), ranges))
