"""The observed cells of the comparison: counts, target, and the three weightings of every statistic."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from w2v.equivalence.rows import each_range
from w2v.kernels.objective import observed_products, observed_targets
from w2v.pmi import NoiseLaw, PairCounts

__all__ = ["OBSERVED_FROM", "ObservedCells"]

OBSERVED_FROM = 0.01
"""Under dirty subsampling a pair enters unweighted statistics from this expected count on."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class ObservedCells:
    """Cells with a_wc > 0 as flat arrays in the order of the matrix.

    Attributes
    ----------
    counts : PairCounts
    law : NoiseLaw
    mass, noise : (n,) float64
        k a_w, and P_n(c).
    target : (cells,) float32
        x*; 0 where it is infinite, and all weights of such a cell are 0.
    plain, by_count, by_curvature : (cells,) float32
        Weights: 1 for each pair seen often enough; a_wc; ab/(a + b), the curvature of L at x*.
    infinite : int
        Cells whose target is infinite.
    workers : int
    """

    counts: PairCounts
    law: NoiseLaw
    mass: NDArray[np.float64]
    noise: NDArray[np.float64]
    target: NDArray[np.float32]
    plain: NDArray[np.float32]
    by_count: NDArray[np.float32]
    by_curvature: NDArray[np.float32]
    infinite: int
    workers: int

    @classmethod
    def of(cls, counts: PairCounts, law: NoiseLaw, workers: int) -> ObservedCells:
        """Compute target and weights."""
        n, context = counts.size, counts.context
        reaching = context.sample > 0 and context.subsampling == "dirty"
        least = OBSERVED_FROM if reaching else 0.0
        mass = law.negative * counts.word_counts[:n]
        noise = law.probabilities(counts.vocabulary)[:n]
        dropped = law.negative if law.drops_hits else 0.0
        out = [np.empty(counts.cells, np.float32) for _ in range(4)]

        def task(first: int, last: int) -> int:
            matrix = counts.indptr, counts.indices, counts.data
            return int(observed_targets(*matrix, first, last, mass, noise, dropped, least, *out))

        infinite = sum(each_range(counts.indptr, workers, task))
        return cls(
            counts=counts,
            law=law,
            mass=mass,
            noise=noise,
            target=out[0],
            plain=out[1],
            by_count=out[2],
            by_curvature=out[3],
            infinite=infinite,
            workers=workers,
        )

    @property
    def dropped(self) -> float:
        """Number of noise words k if accidental hits are dropped, else 0: what the kernels take."""
        return self.law.negative if self.law.drops_hits else 0.0

    def products(self, W: NDArray[np.float32], C: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return x_wc = W[w] . C[c] of all observed cells (cells,) float32."""
        counts = self.counts
        out = np.empty(counts.cells, np.float32)
        each_range(
            counts.indptr,
            self.workers,
            lambda first, last: observed_products(counts.indptr, counts.indices, first, last, W, C, out),
        )
        return out
