"""Bootstrap intervals (percentile method) of accuracies and correlations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import SettingsError

__all__ = ["Interval", "checked_resamples", "correlation_interval", "share_interval"]

Interval = tuple[float, float]
_BATCH = 200_000  # numbers drawn at a time, which bounds the memory


def share_interval(
    right: NDArray[np.bool_], clusters: NDArray[np.int64], *, resamples: int, seed: int, level: float = 0.95
) -> Interval | None:
    """Return the interval of a share of right answers when whole clusters are drawn again.

    Questions that reuse a pair of words stand or fall together; drawing single questions would claim a certainty
    that they do not give.

    Parameters
    ----------
    right : (Q,) bool
    clusters : (Q,) int64
        Which questions belong together.

    Returns
    -------
    (low, high), or None with fewer than two clusters or no resamples.
    """
    _, labels = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(labels)
    if len(sizes) < 2 or resamples == 0:
        return None
    hits = np.bincount(labels, weights=right)
    rng = np.random.default_rng(seed)
    shares = [hits[drawn].sum(axis=1) / sizes[drawn].sum(axis=1) for drawn in _draws(rng, len(sizes), resamples)]
    return _percentiles(np.concatenate(shares), level)


def correlation_interval(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    transform: Callable[[NDArray[np.float64]], NDArray[Any]] | None = None,
    resamples: int,
    seed: int,
    level: float = 0.95,
) -> Interval | None:
    """Return the interval of Pearson's r of x and y (n,) when pairs are drawn again.

    `transform` maps resampled rows (m, n) to what is correlated, such as their ranks. Resamples without spread have
    no correlation and are left out; fewer than three pairs give None.
    """
    if len(x) < 3 or resamples == 0:
        return None
    rng = np.random.default_rng(seed)
    values = []
    for drawn in _draws(rng, len(x), resamples):
        u, v = x[drawn], y[drawn]
        if transform is not None:
            u, v = transform(u), transform(v)
        u = u - u.mean(axis=1, keepdims=True)
        v = v - v.mean(axis=1, keepdims=True)
        spread = np.sqrt((u * u).sum(axis=1) * (v * v).sum(axis=1))
        some = spread > 0
        values.append((u * v).sum(axis=1)[some] / spread[some])
    correlations = np.concatenate(values)
    return _percentiles(correlations, level) if correlations.size else None


def checked_resamples(resamples: int) -> int:
    """Return `resamples`, or raise `SettingsError` when it is no whole number of at least 0."""
    if isinstance(resamples, bool) or not isinstance(resamples, (int, np.integer)) or resamples < 0:
        raise SettingsError(f"resamples must be a whole number of at least 0 (0: no interval); got {resamples!r}")
    return int(resamples)


def _draws(rng: np.random.Generator, size: int, resamples: int) -> Any:
    batch = max(1, _BATCH // size)
    for start in range(0, resamples, batch):
        yield rng.integers(size, size=(min(batch, resamples - start), size))


def _percentiles(values: NDArray[np.float64], level: float) -> Interval:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
