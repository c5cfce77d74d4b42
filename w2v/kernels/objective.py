"""Products at observed cells, and sums of log-sigmoids over cells and over whole blocks."""

from __future__ import annotations

import math

import numpy as np

from w2v.kernels._jit import kernel
from w2v.kernels.activations import softplus

__all__ = ["observed_products", "observed_targets", "observed_terms", "optimum_terms", "softplus_rows"]

_GROUP = 256  # cells summed in float32 before they join a float64 sum


@kernel
def observed_products(indptr, indices, first, last, W, C, out):
    """Set out[p] = W[w] . C[c] for all cells p = (w, c) of rows [first, last).

    Parameters
    ----------
    indptr, indices : (n + 1,) int64, (cells,) int32
    first, last : int
    W, C : (n, d) float32
        Rows of unit step.
    out : (cells,) float32
    """
    d = W.shape[1]
    for w in range(first, last):
        x = W[w]
        p, end = indptr[w], indptr[w + 1]
        while p + 4 <= end:
            c0 = C[indices[p]]
            c1 = C[indices[p + 1]]
            c2 = C[indices[p + 2]]
            c3 = C[indices[p + 3]]
            s0 = s1 = s2 = s3 = np.float32(0.0)
            for k in range(d):
                a = x[k]
                s0 += a * c0[k]
                s1 += a * c1[k]
                s2 += a * c2[k]
                s3 += a * c3[k]
            out[p] = s0
            out[p + 1] = s1
            out[p + 2] = s2
            out[p + 3] = s3
            p += 4
        while p < end:
            c0 = C[indices[p]]
            s0 = np.float32(0.0)
            for k in range(d):
                s0 += x[k] * c0[k]
            out[p] = s0
            p += 1


@kernel
def softplus_rows(X, weights, first, last, sums):
    """Add sum_j weights[j] log(1 + exp(X[i, j])) to sums[i] for rows i in [first, last).

    Parameters
    ----------
    X : (m, n) float32
    weights : (n,) float32
    first, last : int
    sums : (m,) float64
        Sums over 256 cells are float32, sums of these float64: equal to float64 throughout to about 2e-7 of a row.
    """
    n = X.shape[1]
    for i in range(first, last):
        x = X[i]
        total = 0.0
        for start in range(0, n, _GROUP):
            part = np.float32(0.0)
            for j in range(start, min(start + _GROUP, n)):
                part += weights[j] * softplus(x[j])
            total += np.float64(part)
        sums[i] += total


@kernel
def observed_terms(indptr, indices, data, first, last, x, mass, noise, dropped, out):
    """Add the four sums of the objective over the observed cells of rows [first, last) to `out`.

    Parameters
    ----------
    indptr, indices, data : (n + 1,) int64, (cells,) int32, (cells,) float64
        Counts a_wc.
    first, last : int
    x : (cells,) float32
    mass : (n,) float64
        k a_w, the noise words drawn for each word.
    noise : (n,) float64
        P_n(c).
    dropped : float
        k if a noise word that equals the positive is thrown away, else 0.
    out : (4,) float64
        sum a log s(x); sum b log s(-x); and the parts on observed cells of two sums over *all* cells:
        sum k a_w P_n(c) and sum k a_w P_n(c) log(1 + exp(x)).
    """
    for w in range(first, last):
        positive = negative = everything = covered = 0.0
        for p in range(indptr[w], indptr[w + 1]):
            a = data[p]
            c = indices[p]
            above = np.float64(softplus(x[p]))  # -log s(-x)
            below = above - np.float64(x[p])  # -log s(x)
            whole = mass[w] * noise[c]
            b = max(whole - dropped * noise[c] * a, 0.0)
            positive -= a * below
            negative -= b * above
            everything += whole
            covered += whole * above
        out[0] += positive
        out[1] += negative
        out[2] += everything
        out[3] += covered


@kernel
def observed_targets(
    indptr, indices, data, first, last, mass, noise, dropped, least, target, plain, by_count, by_curvature
):
    """Set target x* = log(a/b) and the three weights of all cells of rows [first, last).

    Parameters
    ----------
    indptr, indices, data, first, last, mass, noise, dropped
        As in `observed_terms`.
    least : float
        Cells with fewer expected pairs have weight 0 in plain statistics.
    target, plain, by_count, by_curvature : (cells,) float32
        Filled with x*, 1 or 0, a, and ab/(a + b). All are 0 where b = 0 and the target infinite.

    Returns
    -------
    int
        Cells with an infinite target.
    """
    infinite = 0
    for w in range(first, last):
        for p in range(indptr[w], indptr[w + 1]):
            a = data[p]
            share = noise[indices[p]]
            b = mass[w] * share - dropped * share * a
            if b > 1e-12 * mass[w] * share:
                target[p] = math.log(a / b)
                plain[p] = 1.0 if a >= least else 0.0
                by_count[p] = a
                by_curvature[p] = a * (b / (a + b))
            else:
                target[p] = plain[p] = by_count[p] = by_curvature[p] = 0.0
                infinite += 1
    return infinite


@kernel
def optimum_terms(indptr, indices, data, first, last, mass, noise, dropped, out):
    """Add sum a log(a/(a + b)) and sum b log(b/(a + b)) over the cells of rows [first, last) to `out` (2,)."""
    for w in range(first, last):
        positive = negative = 0.0
        for p in range(indptr[w], indptr[w + 1]):
            a = data[p]
            share = noise[indices[p]]
            b = mass[w] * share - dropped * share * a
            if b > 1e-12 * mass[w] * share:
                positive += a * math.log(a / (a + b))
                negative += b * math.log(b / (a + b))
        out[0] += positive
        out[1] += negative
