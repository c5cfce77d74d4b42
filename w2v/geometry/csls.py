"""Cosines corrected for hubs (CSLS), computed block by block so that memory stays bounded.

Some words of a space are near to everything: as answers they crowd out the right ones. Cross-domain similarity local
scaling (Conneau et al. 2018, "Word Translation Without Parallel Data", equation 3) takes the mean cosine of each
word to its k nearest words of the other side off twice the cosine:
``csls(x, y) = 2 cos(x, y) - r_T(x) - r_S(y)``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_columns", "blocks", "largest_values", "neighbourhood_means"]

BLOCK_CELLS = 1 << 23
"""Cells of a block of scores (float32: 32 MiB)."""
_GROUP = 64

Floats = NDArray[np.float32]


def blocks(rows: int, columns: int, cells: int = BLOCK_CELLS) -> Iterator[slice]:
    """Yield slices of rows such that a block of scores against `columns` columns has about `cells` cells."""
    step = max(1, cells // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def largest_values(scores: Floats, k: int) -> Floats:
    """Return the k largest values (n, k) of each row of scores (n, m), in no order; k <= m.

    The columns are dealt into groups. The k largest values of a row lie in the k groups with the largest maxima, so
    one quick pass for the maxima leaves little to be sorted: six times faster than a partition of whole rows.
    """
    n, m = scores.shape
    width = m // _GROUP  # groups: column j is in group j modulo width
    if width < 2 * k:
        return np.partition(scores, m - k, axis=1)[:, m - k :]
    dealt = scores[:, : _GROUP * width].reshape(n, _GROUP, width)
    groups = np.argpartition(dealt.max(axis=1), width - k, axis=1)[:, width - k :]
    kept = dealt[np.arange(n)[:, None], :, groups].reshape(n, k * _GROUP)
    kept = np.concatenate([kept, scores[:, _GROUP * width :]], axis=1)
    kept.partition(kept.shape[1] - k, axis=1)
    return kept[:, kept.shape[1] - k :]


def neighbourhood_means(X: Floats, Y: Floats, k: int) -> Floats:
    """Return the mean cosine (n,) of each row of X to its k nearest rows of Y.

    Parameters
    ----------
    X : (n, d) float32, rows of length 1 (or 0)
    Y : (m, d) float32, likewise
    k : int
        All rows of Y where there are fewer.
    """
    k = min(k, len(Y))
    means = np.empty(len(X), dtype=np.float32)
    for rows in blocks(len(X), len(Y)):
        means[rows] = largest_values(X[rows] @ Y.T, k).mean(axis=1)
    return means


def best_columns(scores: Floats, n: int) -> NDArray[np.int64]:
    """Return the columns (rows, n) of the highest scores of each row, the best first, the lower one of equals first.

    Fewer columns than n are returned where there are not more.
    """
    n = min(n, scores.shape[1])
    if n == 1:
        first: NDArray[np.int64] = scores.argmax(axis=1)[:, None].astype(np.int64)
        return first
    limit = largest_values(scores, n).min(axis=1)
    which, columns = np.nonzero(scores >= limit[:, None])
    order = np.lexsort((columns, -scores[which, columns], which))
    starts = np.searchsorted(which, np.arange(len(scores)))
    picked = order[starts[:, None] + np.arange(n)]
    best: NDArray[np.int64] = columns[picked].astype(np.int64)
    return best
