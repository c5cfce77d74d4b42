"""Models without any interaction, x_wc = r_w + s_c: the baselines that keep the comparison honest."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from w2v.equivalence.observed import ObservedCells
from w2v.equivalence.rows import each_range
from w2v.kernels.cells import fit_additive, newton_additive, sum_additive

__all__ = ["AdditiveModel", "fit_least_squares", "fit_objective", "smooth_sums"]


@dataclasses.dataclass(frozen=True, eq=False)
class AdditiveModel:
    """x_wc = r_w + s_c, a matrix of rank 2.

    Attributes
    ----------
    r, s : (n,) float64
        -infinity for a word or context that has only negatives.
    sweeps : int
        Iterations of the fit.
    """

    r: NDArray[np.float64]
    s: NDArray[np.float64]
    sweeps: int

    def values(self, cells: ObservedCells) -> NDArray[np.float32]:
        """Return x of the observed cells (cells,)."""
        counts = cells.counts
        out = np.empty(counts.cells, np.float32)
        each_range(
            counts.indptr,
            cells.workers,
            lambda first, last: sum_additive(counts.indptr, counts.indices, first, last, self.r, self.s, out),
        )
        return out

    def covered(self, cells: ObservedCells) -> float:
        """Return sum over *all* cells of k a_w P_n(c) log(1 + exp(x)), which L takes away for the negatives."""
        rows, columns = np.isfinite(self.r), np.isfinite(self.s)
        softplus, _, _ = smooth_sums(self.r[rows], self.s[columns], cells.noise[columns])
        return float(cells.mass[rows] @ softplus)


def fit_least_squares(
    cells: ObservedCells,
    y: NDArray[np.float32],
    weights: NDArray[np.float32],
    *,
    tolerance: float = 1e-4,
    sweeps: int = 100,
) -> AdditiveModel:
    """Fit y_wc by r_w + s_c over the observed cells, by alternating weighted means.

    Stops when a sweep moves s by less than `tolerance` times the root mean square of y.
    """
    counts = cells.counts
    n = counts.size
    r, s = np.zeros(n), np.zeros(n)
    scale = math.sqrt(float(np.mean(np.square(y, dtype=np.float64)))) if len(y) else 0.0

    def task(first: int, last: int) -> NDArray[np.float64]:
        part = np.zeros((2, n))
        fit_additive(counts.indptr, counts.indices, y, weights, first, last, r, s, part[0], part[1])
        return part

    sweep = 0
    for sweep in range(1, sweeps + 1):  # noqa: B007
        numerators, denominators = sum(each_range(counts.indptr, cells.workers, task), np.zeros((2, n)))
        new = np.divide(numerators, denominators, out=np.zeros(n), where=denominators > 0)
        moved = float(denominators @ np.square(new - s))
        s[:] = new
        if moved <= (tolerance * scale) ** 2 * float(denominators.sum()):
            break
    return AdditiveModel(r, s, sweep)


def fit_objective(cells: ObservedCells, *, tolerance: float = 1e-5, sweeps: int = 60) -> AdditiveModel:
    """Fit x_wc = r_w + s_c to the objective L itself, over all cells, by alternating Newton steps.

    At noise exponent 1 without subsampling the solution is x = -log k everywhere. The sums over unobserved cells cost
    next to nothing: they are smooth functions of one number (`smooth_sums`).
    """
    counts, noise, mass = cells.counts, cells.noise, cells.mass
    n = counts.size
    rows = np.add.reduceat(np.append(counts.data, 0.0), counts.indptr[:-1]) if n else np.zeros(0)
    rows[np.diff(counts.indptr) == 0] = 0.0
    columns = np.bincount(counts.indices, weights=counts.data, minlength=n)[:n]
    with np.errstate(divide="ignore"):
        r = np.where(rows > 0, 0.0, -np.inf)
        s = np.log(columns / (float(mass.sum()) * noise))
    live_rows, live_columns = rows > 0, columns > 0
    slopes, bends = np.zeros(n), np.zeros(n)

    def task(first: int, last: int) -> NDArray[np.float64]:
        part = np.zeros((2, n))
        newton_additive(
            counts.indptr, counts.indices, counts.data, first, last, noise, cells.dropped, slopes, bends, r, s,
            part[0], part[1],
        )  # fmt: skip
        return part

    sweep = 0
    for sweep in range(1, sweeps + 1):  # noqa: B007
        _, down, bend = smooth_sums(r[live_rows], s[live_columns], noise[live_columns])
        slopes[live_rows], bends[live_rows] = mass[live_rows] * down, mass[live_rows] * bend
        column_slopes, column_bends = sum(each_range(counts.indptr, cells.workers, task), np.zeros((2, n)))
        _, down, bend = smooth_sums(s[live_columns], r[live_rows], mass[live_rows])
        column_slopes[live_columns] -= noise[live_columns] * down
        column_bends[live_columns] += noise[live_columns] * bend
        step = np.divide(column_slopes, column_bends, out=np.zeros(n), where=live_columns & (column_bends > 0))
        np.clip(step, -2.0, 2.0, out=step)
        s[live_columns] += step[live_columns]
        if float(columns @ np.square(step)) <= tolerance**2 * float(columns.sum()):
            break
    return AdditiveModel(r, s, sweep)


def smooth_sums(
    points: NDArray[np.float64], shifts: NDArray[np.float64], masses: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return sum_j masses[j] f(points + shifts[j]) for f = softplus, sigmoid and its derivative.

    The sums are smooth functions of one number, without singularities nearer than pi to the real line. So they are
    computed at Chebyshev nodes only and interpolated, to about ten digits.
    """
    if len(points) == 0 or len(shifts) == 0:
        zero = np.zeros(len(points))
        return zero, zero, zero
    low, high = float(points.min()), float(points.max())
    middle, half = (low + high) / 2, max((high - low) / 2, 1e-3)
    pole = math.pi / half
    degree = 8 + math.ceil(24 / math.log(pole + math.hypot(1.0, pole)))
    nodes = middle + half * chebyshev.chebpts1(degree + 1)
    sums = np.zeros((degree + 1, 3))
    step = max(1, (1 << 20) // (degree + 1))
    for begin in range(0, len(shifts), step):
        x = nodes[:, None] + shifts[begin : begin + step]
        below = np.exp(-np.abs(x))
        t = np.where(x >= 0, 1.0, below) / (1.0 + below)
        some = masses[begin : begin + step]
        sums[:, 0] += (np.maximum(x, 0.0) + np.log1p(below)) @ some
        sums[:, 1] += t @ some
        sums[:, 2] += (t * (1.0 - t)) @ some
    # interpolation at the nodes of the first kind: T_i(x_j) are orthogonal over them
    basis = chebyshev.chebvander(chebyshev.chebpts1(degree + 1), degree)
    coefficients = basis.T @ sums * (2.0 / (degree + 1))
    coefficients[0] /= 2.0
    found = chebyshev.chebval((points - middle) / half, coefficients)
    return found[0], found[1], found[2]
