"""The exact objective L over all cells, without ever holding the V x V matrix."""

from __future__ import annotations

import dataclasses
import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.equivalence.additive import AdditiveModel
from w2v.equivalence.observed import ObservedCells
from w2v.equivalence.rows import each_range
from w2v.kernels.objective import observed_terms, optimum_terms, softplus_rows

__all__ = [
    "EXACT_UP_TO",
    "Objective",
    "covered_by_rows",
    "objective_of_additive",
    "objective_of_factors",
    "objective_of_values",
    "observed_sums",
    "optimum",
]

EXACT_UP_TO = 60_000
"""Words up to which L is summed over all cells."""

_ROWS, _COLUMNS = 1024, 4096
_SAMPLED_ROWS = 8192


@dataclasses.dataclass(frozen=True, kw_only=True)
class Objective:
    """L = sum a log s(x) + b log s(-x) in nats per epoch, by parts.

    Attributes
    ----------
    positive : float
        sum a log s(x).
    negative_observed, negative_unobserved : float
        sum b log s(-x) over cells with and without a pair.
    standard_error : float or None
        Of `negative_unobserved`, where it was sampled; None where it is exact.
    """

    positive: float
    negative_observed: float
    negative_unobserved: float
    standard_error: float | None = None

    @property
    def observed(self) -> float:
        """The part of L that lies on observed cells."""
        return self.positive + self.negative_observed

    @property
    def total(self) -> float:
        """L."""
        return self.positive + self.negative_observed + self.negative_unobserved

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**dataclasses.asdict(self), "observed": self.observed, "total": self.total}


def optimum(cells: ObservedCells) -> Objective:
    """Return L_opt, the greatest L that any x reaches: that of x*; unobserved cells add 0 to it."""
    counts = cells.counts

    def task(first: int, last: int) -> NDArray[np.float64]:
        out = np.zeros(2)
        matrix = counts.indptr, counts.indices, counts.data
        optimum_terms(*matrix, first, last, cells.mass, cells.noise, cells.dropped, out)
        return out

    positive, negative = sum(each_range(counts.indptr, cells.workers, task), np.zeros(2))
    return Objective(positive=float(positive), negative_observed=float(negative), negative_unobserved=0.0)


def objective_of_factors(
    cells: ObservedCells,
    W: NDArray[np.float32],
    C: NDArray[np.float32],
    x: NDArray[np.float32] | None = None,
    *,
    exact_up_to: int = EXACT_UP_TO,
    seed: int = 1,
) -> Objective:
    """Return L of x = W C^T over all cells of the matrix.

    Parameters
    ----------
    cells : ObservedCells
    W, C : (n, d) float32
    x : (cells,) float32, optional
        The products on observed cells, if they are known already.
    exact_up_to : int
        For more words than this the negatives of whole rows are summed for a sample of rows only, drawn by k a_w, and
        the result carries a standard error; observed cells are always summed exactly.
    seed : int
        Of that sample.
    """
    observed = observed_sums(cells, cells.products(W, C) if x is None else x)
    n = cells.counts.size
    if n <= exact_up_to:
        return _objective(observed, float(cells.mass @ covered_by_rows(cells, W, C)))
    total = float(cells.mass.sum())
    rows = np.random.default_rng(seed).choice(n, _SAMPLED_ROWS, p=cells.mass / total)
    sums = covered_by_rows(cells, W[rows], C)
    error = total * float(sums.std(ddof=1)) / math.sqrt(len(rows))
    return dataclasses.replace(_objective(observed, total * float(sums.mean())), standard_error=error)


def objective_of_additive(
    cells: ObservedCells, model: AdditiveModel, x: NDArray[np.float32] | None = None
) -> Objective:
    """Return the exact L of x = r_w + s_c; `x` are its values on observed cells, if they are known already."""
    return _objective(observed_sums(cells, model.values(cells) if x is None else x), model.covered(cells))


def objective_of_values(cells: ObservedCells, x: NDArray[np.float32], elsewhere: float) -> Objective:
    """Return the exact L of an x given on observed cells (cells,) and constant on all others."""
    observed = observed_sums(cells, x)
    unobserved = float(cells.mass.sum()) * float(cells.noise.sum()) - float(observed[2])
    return Objective(
        positive=float(observed[0]),
        negative_observed=float(observed[1]),
        negative_unobserved=-unobserved * float(np.logaddexp(0.0, elsewhere)),
    )


def covered_by_rows(cells: ObservedCells, W: NDArray[np.float32], C: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return sum_c P_n(c) log(1 + exp(W[i] . C[c])) over *all* contexts for each row of W, block by block."""
    rows, n, workers = len(W), len(C), cells.workers
    weights = cells.noise.astype(np.float32)
    sums = np.zeros(rows)
    space = np.empty(min(_ROWS, rows) * min(_COLUMNS, n), np.float32)
    with ThreadPoolExecutor(workers) as pool:
        for top in range(0, rows, _ROWS):
            height = min(_ROWS, rows - top)
            edges = np.unique(np.linspace(0, height, workers + 1).astype(int)).tolist()
            for left in range(0, n, _COLUMNS):
                width = min(_COLUMNS, n - left)
                x = space[: height * width].reshape(height, width)
                np.matmul(W[top : top + height], C[left : left + width].T, out=x)
                share, target = weights[left : left + width], sums[top : top + height]
                parts = [pool.submit(softplus_rows, x, share, a, b, target) for a, b in itertools.pairwise(edges)]
                for part in parts:
                    part.result()
    return sums


def observed_sums(cells: ObservedCells, x: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the four sums of `w2v.kernels.objective.observed_terms`."""
    counts = cells.counts

    def task(first: int, last: int) -> NDArray[np.float64]:
        out = np.zeros(4)
        observed_terms(
            counts.indptr, counts.indices, counts.data, first, last, x, cells.mass, cells.noise, cells.dropped, out
        )
        return out

    total: NDArray[np.float64] = sum(each_range(counts.indptr, cells.workers, task), np.zeros(4))
    return total


def _objective(observed: NDArray[np.float64], covered: float) -> Objective:
    positive, negative, _, covered_here = (float(v) for v in observed)
    return Objective(
        positive=positive, negative_observed=negative, negative_unobserved=min(0.0, covered_here - covered)
    )
