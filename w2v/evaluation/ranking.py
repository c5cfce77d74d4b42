"""The best candidate of each row of a score matrix and the rank of a wanted one, near ties settled exactly.

A matrix product may give two equal vectors scores that differ in the last bit, as their columns may fall into
different tiles. Whatever lies within rounding distance is therefore scored again in float64, one candidate at a time,
and what is equal then goes to the lower id: the answer does not depend on blocks, threads or libraries.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_candidates", "ranks_of", "rounding_distance"]

Exact = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


def rounding_distance(dimensions: int) -> float:
    """Return how far off a float32 score of unit vectors of this size may be: over ten times the usual error."""
    return float(2 * np.finfo(np.float32).eps * np.sqrt(dimensions))


def best_candidates(scores: NDArray[np.float32], exact: Exact, distance: float) -> NDArray[np.int64]:
    """Return the column (Q,) of the highest score of each row, the lowest column among equals.

    Parameters
    ----------
    scores : (Q, N) float32
        Excluded candidates are -inf; a row with nothing else has no best one and gets -1.
    exact : callable
        ``exact(rows, columns)``: float64 scores of single cells.
    distance : float
        Scores this near (relative to scores above 1) are compared by `exact`.
    """
    rows = np.arange(len(scores))
    best: NDArray[np.int64] = scores.argmax(axis=1).astype(np.int64)
    top = scores[rows, best]
    limit = top - _widened(top, distance)
    # the runner-up decides whether a row needs a second look: two passes over the matrix and no copy of it
    scores[rows, best] = -np.inf
    runner_up = scores.max(axis=1)
    scores[rows, best] = top
    best[np.isneginf(top)] = -1
    close = np.flatnonzero((runner_up >= limit) & (best >= 0))
    if close.size:
        which, columns = np.nonzero(scores[close] >= limit[close, None])
        values = exact(close[which], columns)
        order = np.lexsort((columns, -values, which))
        leaders = np.searchsorted(which[order], np.arange(close.size))
        best[close] = columns[order][leaders]
    return best


def ranks_of(
    scores: NDArray[np.float32], wanted: NDArray[np.int64], exact: Exact, distance: float
) -> NDArray[np.int64]:
    """Return the rank (Q,) of column ``wanted[q]`` in row q, 1 for the best; parameters as in `best_candidates`.

    Where the wanted cell is an excluded one, the rank is 0: none.
    """
    target = scores[np.arange(len(scores)), wanted]
    width = _widened(target, distance)
    above = _count(scores > (target + width)[:, None])
    not_below = _count(scores >= (target - width)[:, None])
    ranked = ~np.isneginf(target)
    close = np.flatnonzero((not_below - above > 1) & ranked)  # more than the wanted one itself
    if close.size:
        part, center, half = scores[close], target[close, None], width[close, None]
        which, columns = np.nonzero((part <= center + half) & (part >= center - half))
        values = exact(close[which], columns)
        reference = exact(close, wanted[close])[which]
        before = (values > reference) | ((values == reference) & (columns < wanted[close][which]))
        above[close] += np.bincount(which[before], minlength=close.size)
    return np.where(ranked, above + 1, 0)


def _widened(values: NDArray[np.float32], distance: float) -> NDArray[np.float32]:
    finite = np.where(np.isfinite(values), values, 0)
    return np.float32(distance) * np.maximum(np.abs(finite), np.float32(1))


def _count(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    # several times as fast row by row as along an axis
    return np.fromiter(map(np.count_nonzero, mask), dtype=np.int64, count=len(mask))
