"""A sample of observed pairs to be drawn: x and x*, pairs taken in proportion to their weight in the objective."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from w2v.equivalence.observed import ObservedCells

__all__ = ["Cloud", "sample_cloud"]

_BLOCK = 1 << 20


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Cloud:
    """Sampled pairs.

    Attributes
    ----------
    x, target : (n,) float32
    """

    x: NDArray[np.float32]
    target: NDArray[np.float32]


def sample_cloud(cells: ObservedCells, x: NDArray[np.float32], *, size: int = 50_000, seed: int = 1) -> Cloud:
    """Draw about `size` observed pairs, each with a chance in proportion to the curvature of L at its x*."""
    rng = np.random.default_rng(seed)
    total = sum(float(cells.by_curvature[i : i + _BLOCK].sum(dtype=np.float64)) for i in range(0, len(x), _BLOCK))
    chosen = []
    for i in range(0, len(x), _BLOCK):
        weights = cells.by_curvature[i : i + _BLOCK]
        chosen.append(i + np.flatnonzero(rng.random(len(weights)) * total < size * weights.astype(np.float64)))
    rows = np.concatenate(chosen) if chosen else np.empty(0, np.int64)
    return Cloud(x=x[rows], target=cells.target[rows])
