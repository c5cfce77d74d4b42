"""What is nearest to what: the highest scores of each row of a matrix, and the nearest rows of each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from w2v.errors import SettingsError
from w2v.geometry.blocks import score_slices
from w2v.plurals import counted

__all__ = ["best_columns", "largest_values", "nearest_rows"]

_GROUP = 64

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]


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


def best_columns(scores: Floats, n: int) -> Ids:
    """Return the columns (rows, n) of the highest scores of each row, the best first, the lower one of equals first.

    Fewer columns than n are returned where there are not more.
    """
    n = min(n, scores.shape[1])
    if n == 1:
        first: Ids = scores.argmax(axis=1)[:, None].astype(np.int64)
        return first
    limit = largest_values(scores, n).min(axis=1)
    which, columns = np.nonzero(scores >= limit[:, None])
    order = np.lexsort((columns, -scores[which, columns], which))
    starts = np.searchsorted(which, np.arange(len(scores)))
    picked = order[starts[:, None] + np.arange(n)]
    best: Ids = columns[picked].astype(np.int64)
    return best


def nearest_rows(X: Floats, k: int, *, euclidean: bool = False) -> Ids:
    """Return the k nearest other rows (n, k) of each row of X (n, d), the nearest first, the lower one of equals first.

    By scalar product, which is the cosine for unit vectors, or by Euclidean distance. Blocks of rows bound the memory.

    Raises
    ------
    SettingsError
        When there are not k other rows.
    """
    n = len(X)
    if not 0 < k < n:
        raise SettingsError(f"neighbors must be between 1 and {n - 1}, as {counted(n, 'word')} are compared; got {k}")
    half = np.zeros(n, dtype=np.float32)
    if euclidean:
        X = X - X.mean(axis=0)  # distances stay, and float32 keeps more of their digits
        half = (np.einsum("ij,ij->i", X, X) / 2).astype(np.float32)
    found = np.empty((n, k), dtype=np.int64)
    for part in score_slices(n, n):
        scores = X[part] @ X.T
        scores -= half  # x.y - |y|^2/2 falls as the distance of x and y rises
        scores[np.arange(len(scores)), np.arange(part.start, part.stop)] = -np.inf
        found[part] = best_columns(scores, k)
    return found
