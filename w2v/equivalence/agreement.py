"""How well some x agrees with the target on observed cells: weighted correlation, line, error."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.equivalence.observed import ObservedCells
from w2v.equivalence.rows import each_chunk
from w2v.kernels.cells import MOMENTS, RANK_BINS, add_moments, rank_values

__all__ = ["LARGE", "Agreement", "Agreements", "agreement_of", "correlation", "moments", "ranks"]

LARGE = 6.0
"""|x*| beyond which the sigmoid is saturated: the share of such pairs is reported."""
_NO_GROUPS = np.empty(0, np.uint8)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Agreement:
    """Statistics of x against x* under one weighting; None where undefined (a constant x has no correlation).

    Attributes
    ----------
    pearson, spearman : float or None
        Spearman is the weighted Pearson correlation of unweighted average ranks.
    slope, intercept : float or None
        Of the least-squares line x = slope x* + intercept; ideally 1 and 0.
    r_squared : float or None
        About the identity line: 1 - sum (x* - x)^2 / sum (x* - mean x*)^2; negative for a poor fit.
    mean_absolute_error : float or None
    partial : float or None
        Correlation after word and context effects are removed from both by least squares.
    share_large : float or None
        Share of the weight with |x*| > 6.
    cells : int
        Pairs of positive weight.
    """

    pearson: float | None
    spearman: float | None
    slope: float | None
    intercept: float | None
    r_squared: float | None
    mean_absolute_error: float | None
    partial: float | None
    share_large: float | None
    cells: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Agreements:
    """The same statistics plain, weighted by a_wc, and weighted by the curvature of L at x* (the headline)."""

    plain: Agreement
    by_count: Agreement
    by_curvature: Agreement

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


def moments(
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    weights: NDArray[np.float32],
    workers: int,
    groups: NDArray[np.uint8] | None = None,
    number: int = 1,
) -> NDArray[np.float64]:
    """Return the weighted sums of `w2v.kernels.cells.add_moments` by group (number, MOMENTS)."""

    def task(begin: int, end: int) -> NDArray[np.float64]:
        part = np.zeros((number, MOMENTS))
        here = slice(begin, end)
        add_moments(x[here], y[here], weights[here], _NO_GROUPS if groups is None else groups[here], LARGE, part)
        return part

    parts = each_chunk(len(x), workers, task)
    total: NDArray[np.float64] = sum(parts, np.zeros((number, MOMENTS)))
    return total


def ranks(values: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return average ranks, scaled into (0, 1), among the cells of positive weight."""
    out = np.empty(len(values), np.float32)
    rank_values(values, weights, np.empty(RANK_BINS), out)
    return out


def correlation(sums: NDArray[np.float64]) -> float | None:
    """Return the Pearson correlation from one row of moments."""
    w, x, y, xx, yy, xy = (float(v) for v in sums[:6])
    if w <= 0:
        return None
    var_x, var_y = xx / w - (x / w) ** 2, yy / w - (y / w) ** 2
    # a constant leaves rounding errors, not variance
    if var_x <= 1e-12 * xx / w or var_y <= 1e-12 * yy / w:
        return None
    return (xy / w - x / w * y / w) / math.sqrt(var_x * var_y)


def agreement_of(
    sums: NDArray[np.float64], rank_sums: NDArray[np.float64] | None = None, partial: float | None = None
) -> Agreement:
    """Turn one row of moments of (x, x*), and of their ranks, into an Agreement."""
    w, x, y, _, yy, xy, distance, square, large, cells = (float(v) for v in sums)
    if w <= 0:
        return Agreement(
            pearson=None, spearman=None, slope=None, intercept=None, r_squared=None, mean_absolute_error=None,
            partial=None, share_large=None, cells=0,
        )  # fmt: skip
    mean_x, mean_y = x / w, y / w
    var_y = yy / w - mean_y**2
    varies = var_y > 1e-12 * yy / w
    slope = (xy / w - mean_x * mean_y) / var_y if varies else None
    return Agreement(
        pearson=correlation(sums),
        spearman=None if rank_sums is None else correlation(rank_sums),
        slope=slope,
        intercept=None if slope is None else mean_x - slope * mean_y,
        r_squared=1 - square / w / var_y if varies else None,
        mean_absolute_error=distance / w,
        partial=partial,
        share_large=large / w,
        cells=int(cells),
    )


class TargetRanks:
    """Ranks of the target, once, to set the ranks of each x beside."""

    def __init__(self, cells: ObservedCells) -> None:
        self.cells = cells
        self.same = bool(np.array_equal(cells.plain > 0, cells.by_count > 0))
        self.every, self.plain = self.of(cells.target)

    def of(self, values: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return ranks among all cells and among those of the plain statistics."""
        every = ranks(values, self.cells.by_count)
        return every, every if self.same else ranks(values, self.cells.plain)

    def agreements(
        self, x: NDArray[np.float32], partials: tuple[float | None, float | None, float | None]
    ) -> Agreements:
        """Return the statistics of x against the target under the three weightings."""
        cells = self.cells
        every, plain = self.of(x)
        found = []
        for weights, own, theirs, partial in zip(
            (cells.plain, cells.by_count, cells.by_curvature),
            (plain, every, every),
            (self.plain, self.every, self.every),
            partials,
            strict=True,
        ):
            sums = moments(x, cells.target, weights, cells.workers)[0]
            found.append(agreement_of(sums, moments(own, theirs, weights, cells.workers)[0], partial))
        return Agreements(plain=found[0], by_count=found[1], by_curvature=found[2])
