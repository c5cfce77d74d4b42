"""Statistics over the cells of a sparse matrix: ranks, weighted moments, additive fits.

Values of cells come as flat arrays in the order of the matrix (row by row, contexts ascending).
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numba.extending import intrinsic

from w2v.kernels._jit import device, kernel

__all__ = ["MOMENTS", "RANK_BINS", "add_moments", "fit_additive", "newton_additive", "rank_values", "sum_additive"]

_ZERO = np.float32(0.0)
_SIGN = np.int32(-(2**31))

MOMENTS = 10
"""Sums kept by `add_moments`: w, wx, wy, wxx, wyy, wxy, w|x-y|, w(x-y)^2, w[|y| > bound], cells with w > 0."""

RANK_BINS = 1 << 22
"""Bins of `rank_values`."""


@intrinsic
def _bits_of_float32(typing_context, x):
    """Reinterpret a float32 as an int32."""
    if x != types.float32:
        return None

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.int32))

    return types.int32(types.float32), generate


@kernel
def add_moments(x, y, weights, groups, bound, out):
    """Add weighted sums of x, y and their differences, by group.

    Parameters
    ----------
    x, y : (m,) float32
    weights : (m,) float32 or float64
        Cells of weight 0 are left out altogether.
    groups : (m,) uint8, or (0,) for one group
    bound : float
    out : (G, 10) float64
        See `MOMENTS`.
    """
    one_group = len(groups) == 0
    for p in range(len(x)):
        w = np.float64(weights[p])
        if w > 0.0:
            u, v = np.float64(x[p]), np.float64(y[p])
            row = out[0] if one_group else out[groups[p]]
            row[0] += w
            row[1] += w * u
            row[2] += w * v
            row[3] += w * u * u
            row[4] += w * v * v
            row[5] += w * u * v
            row[6] += w * abs(u - v)
            row[7] += w * (u - v) * (u - v)
            if abs(v) > bound:
                row[8] += w
            row[9] += 1.0


@device
def _bin_of(x):
    """Return the bin of a float32: its sign, exponent and first 13 bits of mantissa, in the order of the values."""
    bits = _bits_of_float32(x)
    if x == _ZERO:  # -0.0 as well
        bits = np.int32(0)
    if bits < 0:
        bits = ~bits ^ _SIGN
    return np.int64(bits >> np.int32(10)) + np.int64(RANK_BINS // 2)


@kernel
def rank_values(values, weights, bins, ranks):
    """Set ranks[p] to the average rank of values[p] among the cells of positive weight, scaled into (0, 1).

    Values that agree in sign, exponent and 13 bits of mantissa (a relative 1.2e-4) count as tied: no sort is needed,
    and rank correlations move by less than 1e-7.

    Parameters
    ----------
    values : (m,) float32
    weights : (m,) float32
        Only whether a weight is positive counts; the ranks of other cells mean nothing.
    bins : (RANK_BINS,) float64
        Scratch.
    ranks : (m,) float32
    """
    bins[:] = 0.0
    for p in range(len(values)):
        if weights[p] > _ZERO:
            bins[_bin_of(values[p])] += 1.0
    before = 0.0
    for i in range(len(bins)):
        here = bins[i]
        bins[i] = before + 0.5 * here
        before += here
    scale = 1.0 / max(before, 1.0)
    for p in range(len(values)):
        ranks[p] = bins[_bin_of(values[p])] * scale


@kernel
def fit_additive(indptr, indices, y, weights, first, last, r, s, numerators, denominators):
    """One sweep of the least-squares fit of y_wc by r_w + s_c over rows [first, last).

    Each r_w becomes the weighted mean of y_wc - s_c; then what the columns need is added up.

    Parameters
    ----------
    indptr, indices : (n + 1,) int64, (cells,) int32
    y, weights : (cells,) float32
    first, last : int
    r, s : (n,) float64
        r is set for these rows, s is read.
    numerators, denominators : (n,) float64
        Added to: sum_w weight (y - r_w) and sum_w weight of each column.
    """
    for w in range(first, last):
        top = bottom = 0.0
        for p in range(indptr[w], indptr[w + 1]):
            weight = np.float64(weights[p])
            top += weight * (np.float64(y[p]) - s[indices[p]])
            bottom += weight
        level = top / bottom if bottom > 0.0 else 0.0
        r[w] = level
        for p in range(indptr[w], indptr[w + 1]):
            weight = np.float64(weights[p])
            numerators[indices[p]] += weight * (np.float64(y[p]) - level)
            denominators[indices[p]] += weight


@kernel
def sum_additive(indptr, indices, first, last, r, s, out):
    """Set out[p] = r_w + s_c for all cells p = (w, c) of rows [first, last); out is float32."""
    for w in range(first, last):
        for p in range(indptr[w], indptr[w + 1]):
            out[p] = r[w] + s[indices[p]]


@kernel
def newton_additive(
    indptr, indices, data, first, last, noise, dropped, slopes, bends, r, s, column_slopes, column_bends
):
    """One Newton step of r_w in x_wc = r_w + s_c towards the maximum of L, for rows [first, last).

    Parameters
    ----------
    indptr, indices, data
        Counts a_wc.
    first, last : int
    noise : (n,) float64
        P_n(c).
    dropped : float
        k if accidental hits are dropped, else 0.
    slopes, bends : (n,) float64
        sum_c k a_w P_n(c) s(x) and sum_c k a_w P_n(c) s(x) s(-x) over *all* contexts at the present r and s.
    r, s : (n,) float64
        r is changed in place.
    column_slopes, column_bends : (n,) float64
        Added to: the parts of the columns' slope and curvature that lie on observed cells, at the new r.
    """
    for w in range(first, last):
        slope, bend = -slopes[w], bends[w]
        for p in range(indptr[w], indptr[w + 1]):
            c = indices[p]
            a = data[p]
            t = 1.0 / (1.0 + math.exp(-(r[w] + s[c])))
            hits = dropped * noise[c] * a
            slope += a * (1.0 - t) + hits * t
            bend += (a - hits) * t * (1.0 - t)
        if bend > 0.0:
            r[w] += min(max(slope / bend, -2.0), 2.0)
        for p in range(indptr[w], indptr[w + 1]):
            c = indices[p]
            a = data[p]
            t = 1.0 / (1.0 + math.exp(-(r[w] + s[c])))
            hits = dropped * noise[c] * a
            column_slopes[c] += a * (1.0 - t) + hits * t
            column_bends[c] += (a - hits) * t * (1.0 - t)
