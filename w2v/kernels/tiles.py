"""Small matrix products on rows of float32, with sums that stay in vector registers.

Rows of all matrices have the same padded length d, a multiple of LANES floats whose padding is zero. A tile is what is
summed at a time: 16 vectors of LANES sums where there are many registers, 8 where there are few, enough of them to keep
the multiply-add units busy, few enough to leave registers for the operands. Dot products are taken of 4 rows with 4 (2
with 4 where there are few registers), updates of 4 rows and up to 4 x LANES of their columns (2 x LANES).
"""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device
from w2v.kernels.simd import LANES, MANY_REGISTERS, add, load, multiply_add, prefetch, splat, store, store_sums, zeros

__all__ = ["add_products", "add_two_products", "aligned_rows", "copy_row", "dots", "padded", "pair_dots", "touch_rows"]

_LINE = 16  # floats in a cache line
_HEAD = 8 * _LINE  # floats of a row that are asked for early: the processor goes on by itself


def padded(d: int) -> int:
    """Return the floats that a row of d dimensions takes in memory: d, up to the next multiple of LANES."""
    return -(-d // LANES) * LANES


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
    for k in range(0, d, LANES):
        store(target, p + k, load(source, q + k, LANES))


@device
def touch_rows(matrix, rows, first, last):
    """Ask for the first cache lines of matrix[rows[first:last]], which will be needed soon: the matrices fit no cache.

    Not much sooner: another thread that writes to them takes them away again.
    """
    d = matrix.shape[1]
    for i in range(first, min(last, len(rows))):
        for k in range(0, min(d, _HEAD), _LINE):
            prefetch(matrix, rows[i] * d + k)


@device
def pair_dots(X, i, Y, first, count, out, at, step):
    """Set out[at + j] = X[i] . Y[first + j] and out[at + step + j] = X[i + 1] . Y[first + j] for j < count.

    `count` is a multiple of 4; Y has that many rows, whatever the last ones hold.
    """
    d = X.shape[1]
    p = i * d
    for j in range(0, count, 4):
        q = (first + j) * d
        a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = zeros(LANES)
        for k in range(0, d, LANES):
            x, y = load(X, p + k, LANES), load(X, p + d + k, LANES)
            z = load(Y, q + k, LANES)
            a0, b0 = multiply_add(x, z, a0), multiply_add(y, z, b0)
            z = load(Y, q + d + k, LANES)
            a1, b1 = multiply_add(x, z, a1), multiply_add(y, z, b1)
            z = load(Y, q + 2 * d + k, LANES)
            a2, b2 = multiply_add(x, z, a2), multiply_add(y, z, b2)
            z = load(Y, q + 3 * d + k, LANES)
            a3, b3 = multiply_add(x, z, a3), multiply_add(y, z, b3)
        r = at + j
        store_sums(out, r, a0, a1, a2, a3)
        store_sums(out, r + step, b0, b1, b2, b3)


@device
def dots(X, n, Z, m, out):
    """Set the flat `out`, n rows of m numbers, to X[i] . Z[j]; n and m multiples of 4."""
    for i in range(0, n, 4):
        for j in range(0, m, 4):
            if MANY_REGISTERS:
                _sixteen_dots(X, i, Z, j, out, i * m + j, m)
            else:
                pair_dots(X, i, Z, j, 4, out, i * m + j, m)
                pair_dots(X, i + 2, Z, j, 4, out, (i + 2) * m + j, m)


@device
def _sixteen_dots(X, i, Z, j, out, at, step):
    """Set out[at + r * step + c] = X[i + r] . Z[j + c] for r and c below 4."""
    d = X.shape[1]
    p0, q0 = i * d, j * d
    p1, p2, p3 = p0 + d, p0 + 2 * d, p0 + 3 * d
    q1, q2, q3 = q0 + d, q0 + 2 * d, q0 + 3 * d
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = zeros(LANES)
    c0 = c1 = c2 = c3 = e0 = e1 = e2 = e3 = zeros(LANES)
    for k in range(0, d, LANES):
        w, x = load(X, p0 + k, LANES), load(X, p1 + k, LANES)
        y, z = load(X, p2 + k, LANES), load(X, p3 + k, LANES)
        v = load(Z, q0 + k, LANES)
        a0, b0 = multiply_add(w, v, a0), multiply_add(x, v, b0)
        c0, e0 = multiply_add(y, v, c0), multiply_add(z, v, e0)
        v = load(Z, q1 + k, LANES)
        a1, b1 = multiply_add(w, v, a1), multiply_add(x, v, b1)
        c1, e1 = multiply_add(y, v, c1), multiply_add(z, v, e1)
        v = load(Z, q2 + k, LANES)
        a2, b2 = multiply_add(w, v, a2), multiply_add(x, v, b2)
        c2, e2 = multiply_add(y, v, c2), multiply_add(z, v, e2)
        v = load(Z, q3 + k, LANES)
        a3, b3 = multiply_add(w, v, a3), multiply_add(x, v, b3)
        c3, e3 = multiply_add(y, v, c3), multiply_add(z, v, e3)
    store_sums(out, at, a0, a1, a2, a3)
    store_sums(out, at + step, b0, b1, b2, b3)
    store_sums(out, at + 2 * step, c0, c1, c2, c3)
    store_sums(out, at + 3 * step, e0, e1, e2, e3)


def _tile_adder(left, right):
    """Compile what `add_two_products` does for four rows and `left` + `right` columns, each width a vector's lanes.

    The compiled ``add_tile(target, at, k, G, p, step_i, step_j, count, X, q, H, u, step_h, m, Z)`` adds to the columns
    from k on of row r < 4, which begins at target[at[r]], the sums of G[p + r * step_i + j * step_j] X[first + j] over
    j < count, row `first` of X beginning at X[q], and of H[u + r * step_h + j] Z[j] over j < m.

    A tile of eight vectors: a, b, c, e (d is the length of a row) hold the left columns of the four rows, f, g, h, i
    the right ones.
    """

    @device
    def sums(G, p, step_i, step_j, count, X, q, tile):
        a, b, c, e, f, g, h, i = tile
        d = X.shape[1]
        for _ in range(count):
            x, y = load(X, q, left), load(X, q + left, right)
            w = G[p]
            a, f = multiply_add(splat(w, left), x, a), multiply_add(splat(w, right), y, f)
            w = G[p + step_i]
            b, g = multiply_add(splat(w, left), x, b), multiply_add(splat(w, right), y, g)
            w = G[p + 2 * step_i]
            c, h = multiply_add(splat(w, left), x, c), multiply_add(splat(w, right), y, h)
            w = G[p + 3 * step_i]
            e, i = multiply_add(splat(w, left), x, e), multiply_add(splat(w, right), y, i)
            p += step_j
            q += d
        return a, b, c, e, f, g, h, i

    @device
    def nothing():
        a = zeros(left)
        b = zeros(right)
        return a, a, a, a, b, b, b, b

    @device
    def put(target, at, k, tile):
        a, b, c, e, f, g, h, i = tile
        for start, u, v in ((at[0], a, f), (at[1], b, g), (at[2], c, h), (at[3], e, i)):
            t = start + k
            store(target, t, add(load(target, t, left), u))
            store(target, t + left, add(load(target, t + left, right), v))

    @device
    def add_tile(target, at, k, G, p, step_i, step_j, count, X, q, H, u, step_h, m, Z):
        tile = sums(G, p, step_i, step_j, count, X, q + k, nothing())
        put(target, at, k, sums(H, u, step_h, 1, m, Z, k, tile))

    return add_tile


# For 4, 3, 2 and 1 times LANES columns. A vector of 2 * LANES is two registers. A tile always has a left and a right
# half, so LANES columns are two halves of a register.
_add_four = _tile_adder(2 * LANES, 2 * LANES)
_add_three = _tile_adder(2 * LANES, LANES)
_add_two = _tile_adder(LANES, LANES)
_add_one = _tile_adder(LANES // 2, LANES // 2)


@device
def _reach(i, low, high):
    """Return the first j of the ranges of rows i to i + 3, and how many there are from it to the last."""
    first = min(min(low[i], low[i + 1]), min(low[i + 2], low[i + 3]))
    return first, max(max(high[i], high[i + 1]), max(high[i + 2], high[i + 3])) + 1 - first


@device
def _starts(rows, i, d):
    """Return the flat indices at which the rows rows[i] to rows[i + 3] begin."""
    return rows[i] * d, rows[i + 1] * d, rows[i + 2] * d, rows[i + 3] * d


@device
def add_products(target, rows, n, G, step_i, step_j, low, high, X):
    """Add the sum over low[i] <= j <= high[i] of G(i, j) X[j] to target[rows[i]], for i < n.

    G is flat with G(i, j) at i * step_i + j * step_j. Rows are taken by fours over all their ranges together, so G must
    be zero where only another row's range reaches. A row with high[i] < low[i] has no range. Equal rows add up.
    """
    add_two_products(target, rows, n, G, step_i, step_j, low, high, X, G, 0, 0, X)


@device
def add_two_products(target, rows, n, G, step_i, step_j, low, high, X, H, m4, m, Z):
    """Add G X to the target rows as `add_products` does, and H Z as well, in one walk over the target.

    H is flat with H(i, j) at i * m4 + j; each of the n rows takes the first m rows of Z.
    """
    d = X.shape[1]
    for i in range(0, n - 3, 4):
        first, count = _reach(i, low, high)
        if count <= 0 and m == 0:
            continue
        at = _starts(rows, i, d)
        p, q, u = i * step_i + first * step_j, first * d, i * m4
        k = 0
        if MANY_REGISTERS:
            while k + 4 * LANES <= d:
                _add_four(target, at, k, G, p, step_i, step_j, count, X, q, H, u, m4, m, Z)
                k += 4 * LANES
            if k + 3 * LANES == d:
                _add_three(target, at, k, G, p, step_i, step_j, count, X, q, H, u, m4, m, Z)
                k = d
        while k + 2 * LANES <= d:
            _add_two(target, at, k, G, p, step_i, step_j, count, X, q, H, u, m4, m, Z)
            k += 2 * LANES
        if k < d:
            _add_one(target, at, k, G, p, step_i, step_j, count, X, q, H, u, m4, m, Z)
    for i in range(n // 4 * 4, n):
        _add_row(target, rows[i], G, i * step_i, step_j, low[i], high[i] + 1, X)
        _add_row(target, rows[i], H, i * m4, 1, 0, m, Z)


@device
def _add_row(target, row, G, at, step, first, last, X):
    """Add the sum over first <= j < last of G[at + j * step] X[j] to target[row]."""
    d = X.shape[1]
    for k in range(0, d, LANES):
        a = zeros(LANES)
        for j in range(first, last):
            a = multiply_add(splat(G[at + j * step], LANES), load(X, j * d + k, LANES), a)
        store(target, row * d + k, add(load(target, row * d + k, LANES), a))
