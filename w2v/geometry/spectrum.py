"""The spectrum of the covariance: how many of the d dimensions are used, and how evenly."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from w2v.geometry.blocks import float64_blocks

__all__ = ["Spectrum", "covariance", "iso_score", "measure_spectrum", "participation_ratio"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Spectrum:
    """The variance along the principal components of the centred vectors.

    Attributes
    ----------
    variances : tuple of float
        Of all d components, the largest first.
    shares : dict
        Share of the variance in the first 1, 2, 3, 10 components.
    participation_ratio : float
        (sum of variances)^2 / (sum of their squares): the number of equal components that would be as uneven.
    entropy_dimension : float
        exp of the entropy of the shares: another count of components in use, kinder to small ones.
    components_90 : int
        Components that hold 90% of the variance.
    iso_score : float
        See `iso_score`.
    mean_share : float
        Share of the mean squared length that is due to the mean vector, and gone after centring.
    """

    variances: tuple[float, ...]
    shares: dict[str, float]
    participation_ratio: float
    entropy_dimension: float
    components_90: int
    iso_score: float
    mean_share: float


def covariance(W: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean (d,) and the covariance (d, d) of the rows, divided by n, in float64 and in blocks."""
    mean = W.mean(axis=0, dtype=np.float64)
    total = np.zeros((W.shape[1], W.shape[1]))
    for block in float64_blocks(W):
        block -= mean
        total += block.T @ block
    return mean, total / len(W)


def participation_ratio(variances: NDArray[np.float64]) -> float:
    """Return (sum v)^2 / sum v^2, between 1 and d; 0 when there is no variance."""
    squares = float(variances @ variances)
    return float(variances.sum()) ** 2 / squares if squares > 0 else 0.0


def iso_score(variances: NDArray[np.float64]) -> float:
    """Return IsoScore: 1 when all d variances are equal, 0 when one dimension holds all.

    Rudman, Gillman, Rayne & Eickhoff 2022, "IsoScore: measuring the uniformity of embedding space utilization",
    algorithm 1. Its seven steps come down to (r - 1)/(d - 1), r being the participation ratio.
    """
    d = len(variances)
    return (participation_ratio(variances) - 1) / (d - 1) if d > 1 else 1.0


def measure_spectrum(W: NDArray[np.float32]) -> Spectrum:
    """Measure the spectrum of the rows (n, d)."""
    mean, cov = covariance(W)
    variances = np.maximum(np.linalg.eigvalsh(cov)[::-1], 0.0)
    total = float(variances.sum())
    shares = variances / total if total > 0 else variances
    cumulated = np.cumsum(shares)
    positive = shares[shares > 0]
    energy = total + float(mean @ mean)
    return Spectrum(
        variances=tuple(variances.tolist()),
        shares={str(k): float(cumulated[k - 1]) for k in (1, 2, 3, 10) if k <= len(variances)},
        participation_ratio=participation_ratio(variances),
        entropy_dimension=float(np.exp(-(positive * np.log(positive)).sum())) if len(positive) else 0.0,
        components_90=int(np.searchsorted(cumulated, 0.9 - 1e-12) + 1) if total > 0 else 0,
        iso_score=iso_score(variances),
        mean_share=float(mean @ mean) / energy if energy > 0 else 0.0,
    )
