"""The matrix products of a block in tile registers: bfloat16 factors, float32 sums.

What the registers multiply has to lie in memory as they read it. A row of X, Y or Z (the block's rows of W, its
neighbours' and the noise words' rows of C) is written twice when it is taken: as a row of bfloat16, two in a word of 32
bits, and side by side with the row beside it, in words of (row 2i, row 2i + 1). Scores are [Y Z] X', with X' from rows
turned round in squares; changes are E [Y Z], E' Y and E' X from pairs of rows, with E the errors.

A product takes only the neighbours that 16 rows of the block reach, and only the rows that 16 neighbours reach. `s` is
the scratch of `train_amx`.
"""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device
from w2v.kernels.amx import DEEP, SIDE, tile_load, tile_multiply, tile_store, tile_zero
from w2v.kernels.simd import add, load, narrow, pack, store, transpose, zeros

__all__ = ["WIDE", "change_neighbours", "change_noise_words", "change_words", "fill_scores", "take_rows"]

WIDE = 4 * SIDE
"""Columns of sums that four tiles hold."""


@device
def _take_two(source, p, q, rows, i, pairs):
    """Write the rows that begin at flat p and q of `source` to rows i and i + 1 and, side by side, to pair i / 2."""
    d, words = source.shape[1], rows.shape[1]
    a, b, c = i * words, (i + 1) * words, i // 2 * pairs.shape[1]
    for k in range(0, d - SIDE, DEEP):
        u, v = load(source, p + k, 16), load(source, p + k + 16, 16)
        x, y = load(source, q + k, 16), load(source, q + k + 16, 16)
        store(rows, a + k // 2, narrow(u, v))
        store(rows, b + k // 2, narrow(x, y))
        store(pairs, c + k, pack(u, x))
        store(pairs, c + k + 16, pack(v, y))
    if d % DEEP:
        k = d - SIDE
        u, x = load(source, p + k, 16), load(source, q + k, 16)
        store(rows, a + k // 2, narrow(u, zeros(16)))
        store(rows, b + k // 2, narrow(x, zeros(16)))
        store(pairs, c + k, pack(u, x))


@device
def take_rows(source, chosen, n, rows, pairs):
    """Take the rows chosen[:n] of `source`; where n is odd, the last one twice."""
    d = source.shape[1]
    for i in range(0, n - 1, 2):
        _take_two(source, chosen[i] * d, chosen[i + 1] * d, rows, i, pairs)
    if n & 1:
        p = chosen[n - 1] * d
        _take_two(source, p, p, rows, n - 1, pairs)


@device
def _two_tiles_of_scores(rows, at, squares, square, out, p, step):
    """Set `out`, 32 rows of 16 from flat p on, to rows[at : at + 32] X', X' being the squares from `square` on."""
    words = rows.shape[1]
    a, b, c = at * words, (at + SIDE) * words, square
    tile_zero(0)
    tile_zero(1)
    for k in range(0, words, SIDE):
        tile_load(4, squares, c, SIDE)
        tile_load(5, rows, a + k, words)
        tile_load(6, rows, b + k, words)
        tile_multiply(0, 5, 4)
        tile_multiply(1, 6, 4)
        c += SIDE * SIDE
    tile_store(0, out, p, step)
    tile_store(1, out, p + SIDE * step, step)


@device
def _four_tiles_of_scores(rows, at, others, other, squares, square, out, p, step, also, q, also_step):
    """Do the same for 32 of `rows` and for 32 of `others` at once: a twentieth less time for a training at d = 300."""
    words = rows.shape[1]
    a, b, c = at * words, (at + SIDE) * words, square
    e, f = other * words, (other + SIDE) * words
    tile_zero(0)
    tile_zero(1)
    tile_zero(2)
    tile_zero(3)
    for k in range(0, words, SIDE):
        tile_load(4, squares, c, SIDE)
        tile_load(5, rows, a + k, words)
        tile_load(6, rows, b + k, words)
        tile_multiply(0, 5, 4)
        tile_load(7, others, e + k, words)
        tile_multiply(1, 6, 4)
        tile_load(5, others, f + k, words)
        tile_multiply(2, 7, 4)
        tile_multiply(3, 5, 4)
        c += SIDE * SIDE
    tile_store(0, out, p, step)
    tile_store(1, out, p + SIDE * step, step)
    tile_store(2, also, q, also_step)
    tile_store(3, also, q + SIDE * also_step, also_step)


@device
def fill_scores(n, m, row_low, row_high, s):
    """Fill `scores` where pairs are, and all of `shared`."""
    words = s.x_rows.shape[1]
    step, across = s.scores.shape[1], s.shared.shape[1]
    for r in range(0, n, SIDE):
        for k in range(0, words, SIDE):
            transpose(s.x_squares, r * words + k * SIDE, s.x_rows, r * words + k, words)
        low, high = _reach(row_low, row_high, r, min(r + SIDE, n))
        square, y, z = r * words, low, 0
        while y <= high and z < m:
            _four_tiles_of_scores(
                s.y_rows, y, s.z_rows, z, s.x_squares, square, s.scores, y * step + r, step, s.shared, z * across + r,
                across,
            )  # fmt: skip
            y += DEEP
            z += DEEP
        while y <= high:
            _two_tiles_of_scores(s.y_rows, y, s.x_squares, square, s.scores, y * step + r, step)
            y += DEEP
        while z < m:
            _two_tiles_of_scores(s.z_rows, z, s.x_squares, square, s.shared, z * across + r, across)
            z += DEEP


@device
def _reach(low, high, first, last):
    """Return the smallest and the largest place of the ranges first to last - 1."""
    a, b = np.int64(low[first]), np.int64(high[first])
    for i in range(first + 1, last):
        a, b = min(a, np.int64(low[i])), max(b, np.int64(high[i]))
    return a, b


@device
def _put(target, rows, first, last, k, skipped, sums):
    """Add sums[i, skipped:] to target[rows[first + i], k + skipped :], up to 64 columns, for rows before `last`."""
    d = target.shape[1]
    wide = min(WIDE, d - k)
    for i in range(first, last):
        p, q = rows[i] * d + k, (i - first) * WIDE
        for j in range(skipped, wide, SIDE):
            store(target, p + j, add(load(target, p + j, 16), load(sums, q + j, 16)))


@device
def _multiply_wide(tiles, at, pairs, row, k):
    """Add to tiles 0 to 3 the product of a tile of factors with 16 pairs of rows, in the 64 columns from k on."""
    columns = pairs.shape[1]
    q = row * columns + k
    tile_load(4, tiles, at * SIDE * SIDE, SIDE)
    tile_load(5, pairs, q, columns)
    tile_load(6, pairs, q + SIDE, columns)
    tile_multiply(0, 4, 5)
    tile_load(7, pairs, q + 2 * SIDE, columns)
    tile_multiply(1, 4, 6)
    tile_load(5, pairs, q + 3 * SIDE, columns)
    tile_multiply(2, 4, 7)
    tile_multiply(3, 4, 5)


@device
def _change(target, rows, first, last, tiles, deep, pairs, row, more, others, sums):
    """Add to target[rows[first:last]], 16 rows at most, tiles[:deep] times pairs of rows, and `more` times `others`.

    The pairs begin at `row`, the others at 0.
    """
    d = target.shape[1]
    done = 0
    while done < d:
        k = max(0, min(done, d - WIDE))
        tile_zero(0)
        tile_zero(1)
        tile_zero(2)
        tile_zero(3)
        for t in range(deep):
            _multiply_wide(tiles, t, pairs, row + t * SIDE, k)
        for t in range(more):
            _multiply_wide(tiles, deep + t, others, t * SIDE, k)
        tile_store(0, sums, 0, WIDE)
        tile_store(1, sums, SIDE, WIDE)
        tile_store(2, sums, 2 * SIDE, WIDE)
        tile_store(3, sums, 3 * SIDE, WIDE)
        _put(target, rows, first, last, k, done - k, sums)
        done = k + WIDE


@device
def _factors(source, p, step, tiles, t):
    """Set tile t of factors to 16 rows of 32 numbers from flat p of `source` on, `step` apart."""
    at = t * SIDE * SIDE
    for i in range(SIDE):
        store(tiles, at + i * SIDE, narrow(load(source, p, 16), load(source, p + 16, 16)))
        p += step


@device
def _factors_turned(source, p, step, tiles, t):
    """Set tile t of factors to the transpose of 32 rows of 16 numbers from flat p of `source` on, `step` apart."""
    spare = (tiles.shape[0] - 1) * SIDE * SIDE
    for i in range(SIDE):
        store(tiles, spare + i * SIDE, pack(load(source, p, 16), load(source, p + step, 16)))
        p += 2 * step
    transpose(tiles, t * SIDE * SIDE, tiles, spare, SIDE)


@device
def change_noise_words(C, noise, M, n, s):
    """Add E' X to the rows of C of the noise words."""
    across = s.shared.shape[1]
    deep = (n + DEEP - 1) // DEEP
    for j in range(0, M, SIDE):
        for t in range(deep):
            _factors(s.shared, j * across + t * DEEP, across, s.tiles, t)
        _change(C, noise, j, min(j + SIDE, M), s.tiles, deep, s.x_pairs, 0, 0, s.x_pairs, s.sums)


@device
def change_words(W, own, n, m, row_low, row_high, s):
    """Add E [Y Z] to the rows of W of the block."""
    step, across = s.errors.shape[1], s.shared.shape[1]
    more = m // DEEP
    for r in range(0, n, SIDE):
        low, high = _reach(row_low, row_high, r, min(r + SIDE, n))
        low &= ~1
        deep = max(0, (high - low + DEEP) // DEEP)
        for t in range(deep):
            _factors_turned(s.errors, (low + t * DEEP) * step + r, step, s.tiles, t)
        for t in range(more):
            _factors_turned(s.shared, t * DEEP * across + r, across, s.tiles, deep + t)
        _change(W, own, r, min(r + SIDE, n), s.tiles, deep, s.y_pairs, low // 2, more, s.z_pairs, s.sums)


@device
def change_neighbours(C, near, y_n, column_low, column_high, s):
    """Add E' X to the rows of C of the neighbours."""
    step = s.errors.shape[1]
    for c in range(0, y_n, SIDE):
        low, high = _reach(column_low, column_high, c, min(c + SIDE, y_n))
        low &= ~1
        deep = max(0, (high - low + DEEP) // DEEP)
        for t in range(deep):
            _factors(s.errors, c * step + low + t * DEEP, step, s.tiles, t)
        _change(C, near, c, min(c + SIDE, y_n), s.tiles, deep, s.x_pairs, low // 2, 0, s.x_pairs, s.sums)
