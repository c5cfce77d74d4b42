"""Rank-2 models of a matrix, and correlations of ranks and weights."""

import bisect
import math
import operator

import numpy as np

from .objectives import curvature, objective, objective_slope


def fit_objective_two_way(a, b, steps=200):
    """Return r, s of the ``x_wc = r_w + s_c`` that maximises L, by Newton's method with halved steps.

    L is concave in (r, s) and flat along (r + t, s - t); the mean of s over its finite entries is put to 0. A row or
    column without positives but with negatives has -infinity there, one with neither has 0.
    """
    V, U = a.shape
    rows = [w for w in range(V) if a[w].sum() > 0]
    columns = [c for c in range(U) if a[:, c].sum() > 0]
    A, B = a[np.ix_(rows, columns)], b[np.ix_(rows, columns)]
    n, m = A.shape
    z = np.zeros(n + m)

    def matrix(z):
        return z[:n, None] + z[None, n:]

    value = objective(matrix(z), A, B)
    for _ in range(steps):
        slope, second = objective_slope(matrix(z), A, B), -curvature(matrix(z), A, B)
        gradient = np.concatenate([slope.sum(axis=1), slope.sum(axis=0)])
        hessian = np.zeros((n + m, n + m))
        hessian[:n, :n] = np.diag(second.sum(axis=1))
        hessian[n:, n:] = np.diag(second.sum(axis=0))
        hessian[:n, n:] = second
        hessian[n:, :n] = second.T
        step = np.linalg.lstsq(hessian, gradient, rcond=1e-12)[0]
        size = 1.0
        while size > 1e-6 and objective(matrix(z + size * step), A, B) < value - 1e-12 * abs(value):
            size /= 2
        z = z + size * step
        value = objective(matrix(z), A, B)
        if not len(z) or np.abs(step).max() < 1e-12:
            break
    shift = z[n:].mean() if m else 0.0
    r = np.array([-math.inf if b[w].sum() > 0 else 0.0 for w in range(V)])
    s = np.array([-math.inf if b[:, c].sum() > 0 else 0.0 for c in range(U)])
    r[rows], s[columns] = z[:n] + shift, z[n:] - shift
    return r, s


def fit_two_way(rows, columns, values, weights=None):
    """Return r and s (as dicts by row and column) minimising ``sum weight (value - r_row - s_column)^2``.

    `rows`, `columns`, `values` list the observed cells. Solved through the normal equations, smallest solution: what
    ``r + s`` is at a cell is unique where that row and column are connected through observed cells.
    """
    names = [("r", w) for w in sorted(set(rows))] + [("s", c) for c in sorted(set(columns))]
    index = {name: i for i, name in enumerate(names)}
    normal, right = np.zeros((len(names), len(names))), np.zeros(len(names))
    for cell, (w, c, value) in enumerate(zip(rows, columns, values, strict=True)):
        weight = 1.0 if weights is None else float(weights[cell])
        for p in (index["r", w], index["s", c]):
            right[p] += weight * value
            for q in (index["r", w], index["s", c]):
                normal[p, q] += weight
    solution = np.linalg.lstsq(normal, right, rcond=1e-12)[0]
    r = {name: solution[i] for (kind, name), i in index.items() if kind == "r"}
    s = {name: solution[i] for (kind, name), i in index.items() if kind == "s"}
    return r, s


def two_way_residuals(rows, columns, values, weights=None):
    """Return values less their additive least-squares fit (`fit_two_way`)."""
    r, s = fit_two_way(rows, columns, values, weights)
    return np.array([value - r[w] - s[c] for w, c, value in zip(rows, columns, values, strict=True)])


def weighted_pearson(x, y, weights=None):
    """Return the Pearson correlation with weights: ``cov_w(x, y) / sqrt(var_w(x) var_w(y))``; nan if one is constant.

    ``mean_w(x) = sum w x / sum w``, ``cov_w(x, y) = sum w (x - mean_w x) (y - mean_w y) / sum w``.
    """
    x, y = [float(p) for p in x], [float(q) for q in y]
    w = [1.0] * len(x) if weights is None else [float(weight) for weight in weights]
    total = math.fsum(w)
    mean_x = math.fsum(map(operator.mul, w, x)) / total
    mean_y = math.fsum(map(operator.mul, w, y)) / total
    dx, dy = [p - mean_x for p in x], [q - mean_y for q in y]
    xy = math.fsum(weight * p * q for weight, p, q in zip(w, dx, dy, strict=True))
    xx = math.fsum(weight * p * p for weight, p in zip(w, dx, strict=True))
    yy = math.fsum(weight * q * q for weight, q in zip(w, dy, strict=True))
    return xy / math.sqrt(xx) / math.sqrt(yy) if xx > 0 and yy > 0 else math.nan


def average_ranks(values):
    """Return ranks from 1; equal values share the mean of their ranks: ``#smaller + (#equal + 1) / 2``."""
    ordered = sorted(float(value) for value in values)
    ranks = []
    for value in values:
        smaller = bisect.bisect_left(ordered, float(value))
        equal = bisect.bisect_right(ordered, float(value)) - smaller
        ranks.append(smaller + (equal + 1) / 2)
    return ranks


def spearman(x, y, weights=None):
    """Return the Pearson correlation (with weights, if any) of the average ranks, which are always unweighted."""
    return weighted_pearson(average_ranks(x), average_ranks(y), weights)


def partial_correlation(rows, columns, x, y, weights=None):
    """Return the correlation of x and y over the observed cells, word and context effects removed from both.

    Each is replaced by its residual from the best ``r_row + s_column``; fit and correlation use the same weights.
    """
    return weighted_pearson(
        two_way_residuals(rows, columns, x, weights), two_way_residuals(rows, columns, y, weights), weights
    )
