"""Isotropy by the partition function Z(u) = sum_w exp(u . W[w]), which is flat where no direction is preferred."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from w2v.geometry.blocks import float64_blocks

__all__ = ["Partition", "log_partition", "measure_partition"]

_RANDOM_DIRECTIONS = 1000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Partition:
    """How flat the partition function is.

    Attributes
    ----------
    isotropy : float
        min Z / max Z over the unit eigenvectors of W^T W in both signs, 1 being isotropic (Mu & Viswanath 2018,
        "All-but-the-top", equation 5).
    spread : float
        Standard deviation of Z_c over its mean, for 1,000 random c of length 4 / mean length, the lengths at which
        Arora et al. 2016 ("A latent variable model approach to PMI-based word embeddings") show that Z_c hardly
        varies.
    """

    isotropy: float
    spread: float


def log_partition(W: NDArray[np.float32], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log Z (m,) for directions (d, m), over rows (n, d); no exponential can overflow."""
    highest = np.full(directions.shape[1], -np.inf)
    total = np.zeros(directions.shape[1])
    for block in float64_blocks(W):
        products = block @ directions
        top = np.maximum(highest, products.max(axis=0))
        products -= top
        total = total * np.exp(highest - top) + np.exp(products, out=products).sum(axis=0)
        highest = top
    logs: NDArray[np.float64] = highest + np.log(total)
    return logs


def measure_partition(W: NDArray[np.float32], norms: NDArray[np.float64], rng: np.random.Generator) -> Partition:
    """Measure rows (n, d) whose lengths are `norms`."""
    gram = np.zeros((W.shape[1], W.shape[1]))
    for block in float64_blocks(W):
        gram += block.T @ block
    vectors = np.linalg.eigh(gram)[1]
    logs = log_partition(W, np.hstack([vectors, -vectors]))
    random = rng.standard_normal((W.shape[1], _RANDOM_DIRECTIONS))
    random *= 4 / norms.mean() / np.sqrt((random * random).sum(axis=0))
    drawn = log_partition(W, random)
    z = np.exp(drawn - drawn.max())
    return Partition(isotropy=float(np.exp(logs.min() - logs.max())), spread=float(z.std() / z.mean()))
