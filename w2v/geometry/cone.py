"""The cone: cosines of pairs of words, and of words to the mean vector.

Mean and spread of the cosine over *all* pairs need no sampling: with the unit vectors as rows of U, the sum of all
cosines is the squared length of the sum of the rows, and the sum of their squares is that of the entries of U^T U.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from w2v.geometry.blocks import float64_blocks
from w2v.geometry.rows import frequency_bands

__all__ = ["Cone", "ConeBand", "cosines_to", "measure_cone", "sampled_cosines"]


@dataclasses.dataclass(frozen=True)
class ConeBand:
    """Mean cosine to the mean vector, of the words of ranks ``first`` to ``last``."""

    first: int
    last: int
    cosine_to_mean: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cone:
    """How far the vectors point in the same direction.

    Attributes
    ----------
    mean_cosine, sd_cosine : float
        Over all pairs of different words, exactly. Random directions have 0 and 1/sqrt(d).
    random_sd : float
        1/sqrt(d).
    cosine_to_mean : float
        Mean cosine of the words to the mean vector (Mimno & Thompson 2017, "The strange geometry of skip-gram with
        negative sampling"); 0 where the mean vector is zero.
    mean_length : float
        Length of the mean vector, as a share of the mean length.
    by_band : tuple of ConeBand
    """

    mean_cosine: float
    sd_cosine: float
    random_sd: float
    cosine_to_mean: float
    mean_length: float
    by_band: tuple[ConeBand, ...]


def measure_cone(W: NDArray[np.float32], unit: NDArray[np.float32], norms: NDArray[np.float64]) -> Cone:
    """Measure the cone of n > 1 vectors (n, d), given with their unit vectors and lengths, in order of frequency."""
    n, d = W.shape
    total, gram = np.zeros(d), np.zeros((d, d))
    for block in float64_blocks(unit):
        total += block.sum(axis=0)
        gram += block.T @ block
    pairs = n * (n - 1.0)
    mean = (float(total @ total) - n) / pairs
    square = max(0.0, (float((gram * gram).sum()) - n) / pairs)
    center = W.mean(axis=0, dtype=np.float64)
    cosines = cosines_to(unit, center)
    return Cone(
        mean_cosine=mean,
        sd_cosine=float(np.sqrt(max(0.0, square - mean * mean))),
        random_sd=float(1 / np.sqrt(d)),
        cosine_to_mean=float(cosines.mean()),
        mean_length=float(np.sqrt(center @ center) / norms.mean()),
        by_band=tuple(ConeBand(b.first, b.last, float(cosines[b.rows].mean())) for b in frequency_bands(n)),
    )


def cosines_to(unit: NDArray[np.float32], direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosine (n,) of unit vectors (n, d) to a direction (d,); 0 to a zero vector."""
    length = float(np.sqrt(direction @ direction))
    if length == 0:
        return np.zeros(len(unit))
    return np.concatenate([block @ (direction / length) for block in float64_blocks(unit)])


def sampled_cosines(unit: NDArray[np.float32], pairs: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the cosines (pairs,) of random pairs of different rows."""
    n = len(unit)
    first = rng.integers(n, size=pairs)
    second = (first + rng.integers(1, n, size=pairs)) % n
    return np.asarray(np.einsum("ij,ij->i", unit[first], unit[second], dtype=np.float64))
