"""Small matrix products on rows of float32, with sums that stay in vector registers.

Rows of all matrices have the same padded length, a multiple of 8 floats whose padding is zero. Dot products are taken
in tiles of 2 x 4 rows, updates in tiles of 4 rows x 16 columns: enough independent sums to keep
the multiply-add units busy, few enough to leave registers for the operands.
"""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device
from w2v.kernels.simd import add, add_lanes, load, multiply_add, prefetch, splat, store, zeros

__all__ = ["add_products", "aligned_rows", "copy_row", "dots", "padded", "pair_dots", "touch_rows"]

_LINE = 16  # floats in a cache line


def padded(d: int) -> int:
    """Return the row length in memory for d dimensions: the next multiple of 8 floats."""
    return -(-d // 8) * 8


def aligned_rows(n: int, stride: int) -> np.ndarray:
    """Return zeros (n, stride) float32 that start at a cache line, so that no row touches more lines than it must."""
    memory = np.zeros(n * stride + _LINE, np.float32)
    start = -(memory.ctypes.data // memory.itemsize) % _LINE
    return memory[start : start + n * stride].reshape(n, stride)


@device
def copy_row(target, i, source, j):
    """Set target[i] = source[j]."""
    d = target.shape[1]
    p, q = i * d, j * d
    for k in range(0, d, 8):
        store(target, p + k, load(source, q + k))


@device
def touch_rows(matrix, rows, first, last):
    """Ask for the cache lines of matrix[rows[first:last]], which will be needed soon."""
    d = matrix.shape[1]
    for i in range(first, min(last, len(rows))):
        for k in range(0, d, 16):
            prefetch(matrix, rows[i] * d + k)


@device
def pair_dots(X, i, Y, first, count, out, at):
    """Set out[at + j] = X[i] . Y[first + j] and out[at + count + j] = X[i + 1] . Y[first + j] for j < count.

    `count` is a multiple of 4; Y has that many rows, whatever the last ones hold.
    """
    d = X.shape[1]
    p = i * d
    for j in range(0, count, 4):
        q = (first + j) * d
        a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = zeros()
        for k in range(0, d, 8):
            x, y = load(X, p + k), load(X, p + d + k)
            z = load(Y, q + k)
            a0, b0 = multiply_add(x, z, a0), multiply_add(y, z, b0)
            z = load(Y, q + d + k)
            a1, b1 = multiply_add(x, z, a1), multiply_add(y, z, b1)
            z = load(Y, q + 2 * d + k)
            a2, b2 = multiply_add(x, z, a2), multiply_add(y, z, b2)
            z = load(Y, q + 3 * d + k)
            a3, b3 = multiply_add(x, z, a3), multiply_add(y, z, b3)
        r = at + j
        out[r], out[r + 1], out[r + 2], out[r + 3] = add_lanes(a0), add_lanes(a1), add_lanes(a2), add_lanes(a3)
        r += count
        out[r], out[r + 1], out[r + 2], out[r + 3] = add_lanes(b0), add_lanes(b1), add_lanes(b2), add_lanes(b3)


@device
def dots(X, n, Z, m, out):
    """Set the flat `out`, n rows of m numbers, to X[i] . Z[j]; n even, m a multiple of 4."""
    for i in range(0, n, 2):
        pair_dots(X, i, Z, 0, m, out, i * m)


@device
def _add_to(target, at, value):
    store(target, at, add(load(target, at), value))


@device
def add_products(target, rows, n, G, step_i, step_j, low, high, X):
    """Add the sum over low[i] <= j <= high[i] of G(i, j) X[j] to target[rows[i]], for i < n.

    G is flat with G(i, j) at i * step_i + j * step_j. Rows are taken by fours over all their ranges together, so G must
    be zero where only another row's range reaches. A row with high[i] < low[i] has no range. Equal rows add up.
    """
    d = X.shape[1]
    whole = d // 16 * 16
    for i in range(0, n - 3, 4):
        first = min(min(low[i], low[i + 1]), min(low[i + 2], low[i + 3]))
        count = max(max(high[i], high[i + 1]), max(high[i + 2], high[i + 3])) + 1 - first
        if count <= 0:
            continue
        t0, t1, t2, t3 = rows[i] * d, rows[i + 1] * d, rows[i + 2] * d, rows[i + 3] * d
        start = i * step_i + first * step_j
        for k in range(0, whole, 16):
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = zeros()
            p, q = start, first * d + k
            for _ in range(count):
                x, y = load(X, q), load(X, q + 8)
                g = splat(G[p])
                a0, b0 = multiply_add(g, x, a0), multiply_add(g, y, b0)
                g = splat(G[p + step_i])
                a1, b1 = multiply_add(g, x, a1), multiply_add(g, y, b1)
                g = splat(G[p + 2 * step_i])
                a2, b2 = multiply_add(g, x, a2), multiply_add(g, y, b2)
                g = splat(G[p + 3 * step_i])
                a3, b3 = multiply_add(g, x, a3), multiply_add(g, y, b3)
                p += step_j
                q += d
            _add_to(target, t0 + k, a0)
            _add_to(target, t0 + k + 8, b0)
            _add_to(target, t1 + k, a1)
            _add_to(target, t1 + k + 8, b1)
            _add_to(target, t2 + k, a2)
            _add_to(target, t2 + k + 8, b2)
            _add_to(target, t3 + k, a3)
            _add_to(target, t3 + k + 8, b3)
        if whole < d:
            a0 = a1 = a2 = a3 = zeros()
            p, q = start, first * d + whole
            for _ in range(count):
                x = load(X, q)
                a0 = multiply_add(splat(G[p]), x, a0)
                a1 = multiply_add(splat(G[p + step_i]), x, a1)
                a2 = multiply_add(splat(G[p + 2 * step_i]), x, a2)
                a3 = multiply_add(splat(G[p + 3 * step_i]), x, a3)
                p += step_j
                q += d
            _add_to(target, t0 + whole, a0)
            _add_to(target, t1 + whole, a1)
            _add_to(target, t2 + whole, a2)
            _add_to(target, t3 + whole, a3)
    for i in range(n // 4 * 4, n):
        _add_row(target, rows[i], G, i * step_i, step_j, low[i], high[i] + 1, X)


@device
def _add_row(target, row, G, at, step, first, last, X):
    """Add the sum over first <= j < last of G[at + j * step] X[j] to target[row]."""
    d = X.shape[1]
    for k in range(0, d, 8):
        a = zeros()
        for j in range(first, last):
            a = multiply_add(splat(G[at + j * step]), load(X, j * d + k), a)
        _add_to(target, row * d + k, a)
