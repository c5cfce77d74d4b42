"""t-SNE, exactly and without other libraries: enough for the few hundred words that a picture can hold.

van der Maaten & Hinton 2008, "Visualizing data using t-SNE". All pairs are computed, so time and memory grow with the
square of the number of words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from w2v.errors import SettingsError

__all__ = ["affinities", "tsne"]

_LARGEST = 4000
_EXAGGERATION, _EXAGGERATED = 12.0, 250
_SMALLEST = 1e-12


def affinities(squared: NDArray[np.float64], perplexity: float) -> NDArray[np.float64]:
    """Return p (n, n), symmetric and summing to 1, from squared distances (n, n).

    Row i is a Gaussian around point i whose width is found by bisection so that its perplexity, exp of its entropy,
    is the one asked for; then p_ij = (p_j|i + p_i|j) / 2n.
    """
    n = len(squared)
    others = squared[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    others = others - others.min(axis=1, keepdims=True)
    scale = others.mean(axis=1, keepdims=True)
    others = np.divide(others, scale, out=np.zeros_like(others), where=scale > 0)
    wanted = np.log(perplexity)
    low, high = np.zeros((n, 1)), np.full((n, 1), np.inf)
    precision = np.ones((n, 1))
    for _ in range(100):
        weights = np.exp(-others * precision)
        total = weights.sum(axis=1, keepdims=True)
        entropy = np.log(total) + precision * (others * weights).sum(axis=1, keepdims=True) / total
        wide = entropy > wanted
        low, high = np.where(wide, precision, low), np.where(wide, high, precision)
        precision = np.where(np.isinf(high), np.minimum(low * 2, 1e12), (low + high) / 2)
    conditional = np.zeros((n, n))
    conditional[~np.eye(n, dtype=bool)] = (weights / total).ravel()
    joint: NDArray[np.float64] = (conditional + conditional.T) / (2 * n)
    return joint


def tsne(
    X: NDArray[np.float64],
    start: NDArray[np.float64],
    *,
    perplexity: float = 30.0,
    iterations: int = 1000,
) -> NDArray[np.float64]:
    """Return points (n, 2) whose neighbourhoods are those of X (n, d).

    Parameters
    ----------
    X : (n, d) float64
    start : (n, 2) float64
        Where the points begin, such as the first two principal components (Kobak & Berens 2019); nothing is random.
    perplexity : float
        How many neighbours a word has, roughly; at most (n - 1)/3.
    iterations : int
        Gradient steps; in the first 250 attraction is exaggerated twelvefold.

    Raises
    ------
    SettingsError
        For fewer than 4 points, or more than this exact computation can hold.
    """
    n = len(X)
    if not 4 <= n <= _LARGEST:
        raise SettingsError(f"t-SNE takes 4 to {_LARGEST:,} words here; got {n:,}: use PCA, or fewer words")
    if not perplexity > 1:
        raise SettingsError(f"perplexity must be above 1; got {perplexity!r}")
    p = affinities(_squared_distances(X), min(perplexity, max(1.5, (n - 1) / 3)))
    p = np.maximum(p, _SMALLEST)
    deviation = float(start.std(axis=0)[0])
    points = start / deviation * 1e-4 if deviation > 0 else start.copy()
    points = points + 1e-8 * np.stack([np.sin(np.arange(n)), np.cos(np.arange(n))], axis=1)  # equal points part
    rate = max(n / _EXAGGERATION / 4, 50.0)
    step, gains = np.zeros_like(points), np.ones_like(points)
    for iteration in range(iterations):
        early = iteration < _EXAGGERATED
        gradient = _gradient(p * _EXAGGERATION if early else p, points)
        same = (step > 0) == (gradient > 0)
        gains = np.maximum(np.where(same, gains * 0.8, gains + 0.2), 0.01)
        step = (0.5 if early else 0.8) * step - rate * gains * gradient
        points = points + step
        points -= points.mean(axis=0)
    return points


def _gradient(p: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    near = 1 / (1 + _squared_distances(points))
    np.fill_diagonal(near, 0.0)
    q = np.maximum(near / near.sum(), _SMALLEST)
    force = (p - q) * near
    gradient: NDArray[np.float64] = 4 * (force.sum(axis=1)[:, None] * points - force @ points)
    return gradient


def _squared_distances(X: NDArray[np.float64]) -> NDArray[np.float64]:
    squares = (X * X).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2 * (X @ X.T)
    np.fill_diagonal(distances, 0.0)
    return np.asarray(np.maximum(distances, 0.0))
