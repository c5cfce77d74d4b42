"""The steps of `train_blocked` for processors with tile registers: factors of matrix products are bfloat16.

What the registers multiply has to lie in memory as they read it. A row of X, Y or Z (the block's rows of W, its
neighbours' and the noise words' rows of C) is written twice when it is read: as a row of bfloat16, two in a word of 32
bits, and side by side with the row beside it, in words of (row 2i, row 2i + 1). Scores are [Y Z] X', with X' from rows
turned round in squares; changes are E [Y Z], E' Y and E' X from pairs of rows, with E the errors. Sums are float32.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernels._jit import device, kernel
from w2v.kernels.amx import tile_load, tile_multiply, tile_store, tile_zero, tiles_begin, tiles_end
from w2v.kernels.blocks import (
    CERTAIN,
    block_length,
    draw_noise,
    lay_block,
    negative_errors,
    note_columns,
    positive_errors,
)
from w2v.kernels.simd import add, load, narrow, pack, store, transpose, where_between, zeros
from w2v.kernels.tiles import aligned_rows, touch_rows

__all__ = ["TileScratch", "tile_scratch", "train_tiles"]

_SIDE = 16  # rows of a tile, and the words or sums in one of its rows
_DEEP = 32  # factors that a tile multiplies in one go
_WIDE = 64  # columns of sums that four tiles hold
_NOWHERE = np.int32(2**30)


class TileScratch(NamedTuple):
    """The scratch arrays of `train_tiles`, one set for each thread; words are pairs of bfloat16 in 32 bits.

    Attributes
    ----------
    x_rows, y_rows, z_rows : (rows, words)
        Rows of the block, of its neighbours and of its noise words.
    x_pairs, y_pairs, z_pairs : (rows / 2, columns)
        The same, two rows side by side.
    x_squares : (groups, words / 16, 256)
        The rows of the block turned round: for each 16 rows and 16 words a square of (word, row).
    scores, errors : (neighbours, rows)
        Of the positive pairs; errors are zero wherever there is no pair.
    band : (neighbours, width)
        Scores, then errors, of each neighbour with the rows around it.
    shared, weights : (M, rows)
        Scores, then errors, of all noise words with all rows; their weights.
    tiles : (n, 256)
        Errors as factors.
    sums : (16, 64)
        Changes of 16 rows.
    noise : (2, M) int32
        Noise words of this step and of the next.
    noise_shares : (M,)
    counts : (rows,)
        Number of pairs of each row.
    bounds : (5, n) int32
        First and last neighbour of each row; first and last row of each neighbour; number of pairs of each row.
    times : (V,) uint8
        How often each word has occurred in the block so far.
    """

    x_rows: NDArray[np.float32]
    y_rows: NDArray[np.float32]
    z_rows: NDArray[np.float32]
    x_pairs: NDArray[np.float32]
    y_pairs: NDArray[np.float32]
    z_pairs: NDArray[np.float32]
    x_squares: NDArray[np.float32]
    scores: NDArray[np.float32]
    errors: NDArray[np.float32]
    band: NDArray[np.float32]
    shared: NDArray[np.float32]
    weights: NDArray[np.float32]
    tiles: NDArray[np.float32]
    sums: NDArray[np.float32]
    noise: NDArray[np.int32]
    noise_shares: NDArray[np.float32]
    counts: NDArray[np.float32]
    bounds: NDArray[np.int32]
    times: NDArray[np.uint8]


def _up(n: int, multiple: int) -> int:
    return -(-n // multiple) * multiple


def tile_scratch(V: int, block_size: int, window: int, shared_negatives: int, stride: int) -> TileScratch:
    """Return scratch arrays for rows of `stride` floats, a multiple of 16."""
    rows, width = _up(block_size, _SIDE), _up(2 * window + 1, _SIDE)
    words, columns = _up(stride, _DEEP) // 2, max(stride, _WIDE)
    around = rows + max(width, _DEEP)  # what a row of the band and a tile of errors reach to
    places, noise = _up(block_size + 2 * window, _SIDE) + _DEEP, _up(shared_negatives, _DEEP)
    return TileScratch(
        aligned_rows(rows, words),
        aligned_rows(places, words),
        aligned_rows(noise, words),
        aligned_rows(around // 2, columns),
        aligned_rows(places // 2, columns),
        aligned_rows(noise // 2, columns),
        aligned_rows(rows, words),
        aligned_rows(places, around),
        aligned_rows(places, around),
        aligned_rows(places, width),
        aligned_rows(noise + 2, rows),
        aligned_rows(noise, rows),
        aligned_rows(max(around, places, noise) // _DEEP + noise // _DEEP + 1, _SIDE * _SIDE),
        aligned_rows(_SIDE, _WIDE),
        np.zeros((2, shared_negatives), np.int32),
        np.zeros(shared_negatives, np.float32),
        np.zeros(rows, np.float32),
        np.zeros((5, max(around, places)), np.int32),
        np.zeros(V, np.uint8),
    )


@device
def _take_two(source, p, q, rows, i, pairs):
    """Write the rows that begin at flat p and q of `source` to rows i and i + 1 and, side by side, to pair i / 2."""
    d, words = source.shape[1], rows.shape[1]
    a, b, c = i * words, (i + 1) * words, i // 2 * pairs.shape[1]
    for k in range(0, d - _SIDE, _DEEP):
        u, v = load(source, p + k, 16), load(source, p + k + 16, 16)
        x, y = load(source, q + k, 16), load(source, q + k + 16, 16)
        store(rows, a + k // 2, narrow(u, v))
        store(rows, b + k // 2, narrow(x, y))
        store(pairs, c + k, pack(u, x))
        store(pairs, c + k + 16, pack(v, y))
    if d % _DEEP:
        k = d - _SIDE
        u, x = load(source, p + k, 16), load(source, q + k, 16)
        store(rows, a + k // 2, narrow(u, zeros(16)))
        store(rows, b + k // 2, narrow(x, zeros(16)))
        store(pairs, c + k, pack(u, x))


@device
def _take_rows(source, chosen, n, rows, pairs):
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
    a, b, c = at * words, (at + _SIDE) * words, square
    tile_zero(0)
    tile_zero(1)
    for k in range(0, words, _SIDE):
        tile_load(4, squares, c, _SIDE)
        tile_load(5, rows, a + k, words)
        tile_load(6, rows, b + k, words)
        tile_multiply(0, 5, 4)
        tile_multiply(1, 6, 4)
        c += _SIDE * _SIDE
    tile_store(0, out, p, step)
    tile_store(1, out, p + _SIDE * step, step)


@device
def _four_tiles_of_scores(rows, at, others, other, squares, square, out, p, step, also, q, also_step):
    """Do the same for 32 of `rows` and for 32 of `others` at once."""
    words = rows.shape[1]
    a, b, c = at * words, (at + _SIDE) * words, square
    e, f = other * words, (other + _SIDE) * words
    tile_zero(0)
    tile_zero(1)
    tile_zero(2)
    tile_zero(3)
    for k in range(0, words, _SIDE):
        tile_load(4, squares, c, _SIDE)
        tile_load(5, rows, a + k, words)
        tile_load(6, rows, b + k, words)
        tile_multiply(0, 5, 4)
        tile_load(7, others, e + k, words)
        tile_multiply(1, 6, 4)
        tile_load(5, others, f + k, words)
        tile_multiply(2, 7, 4)
        tile_multiply(3, 5, 4)
        c += _SIDE * _SIDE
    tile_store(0, out, p, step)
    tile_store(1, out, p + _SIDE * step, step)
    tile_store(2, also, q, also_step)
    tile_store(3, also, q + _SIDE * also_step, also_step)


@device
def _scores(n, y_n, m, row_low, row_high, s):
    """Fill `scores` where pairs are, and all of `shared`."""
    words = s.x_rows.shape[1]
    step, across = s.scores.shape[1], s.shared.shape[1]
    for r in range(0, n, _SIDE):
        for k in range(0, words, _SIDE):
            transpose(s.x_squares, r * words + k * _SIDE, s.x_rows, r * words + k, words)
        low, high = _reach(row_low, row_high, r, min(r + _SIDE, n))
        square, y, z = r * words, low, 0
        while y <= high and z < m:
            _four_tiles_of_scores(
                s.y_rows, y, s.z_rows, z, s.x_squares, square, s.scores, y * step + r, step, s.shared, z * across + r,
                across,
            )  # fmt: skip
            y += _DEEP
            z += _DEEP
        while y <= high:
            _two_tiles_of_scores(s.y_rows, y, s.x_squares, square, s.scores, y * step + r, step)
            y += _DEEP
        while z < m:
            _two_tiles_of_scores(s.z_rows, z, s.x_squares, square, s.shared, z * across + r, across)
            z += _DEEP


@device
def _reach(low, high, first, last):
    """Return the smallest and the largest place of the ranges first to last - 1."""
    a, b = np.int64(low[first]), np.int64(high[first])
    for i in range(first + 1, last):
        a, b = min(a, np.int64(low[i])), max(b, np.int64(high[i]))
    return a, b


@device
def _band_of_scores(n, y_n, shift, bounds, scores, band):
    """Copy to each row of `band` a neighbour's scores with the rows around it; no pair has the score CERTAIN."""
    width, step = band.shape[1], scores.shape[1]
    row_low, row_high, column_low = bounds[0], bounds[1], bounds[2]
    row_low[n : n + width] = _NOWHERE
    for c in range(y_n):
        first = np.int64(column_low[c])
        own = c - shift - first
        for j in range(0, width, _SIDE):
            found = load(scores, c * step + first + j, 16)
            store(band, c * width + j, where_between(found, row_low, row_high, first + j, c, own - j, CERTAIN))


@device
def _noise_weights(n, near, y_n, shift, bounds, counts, noise, shares, drop, weights):
    """Fill the weights of noise word j and row r: m_r shares of the word, one less for each context equal to it."""
    M, across = len(noise), len(counts)
    contexts, row_low, row_high, column_low, column_high = bounds[4], bounds[0], bounds[1], bounds[2], bounds[3]
    for r in range(n):
        counts[r] = np.float32(contexts[r])
    for r in range(n, across):
        counts[r] = np.float32(0.0)
    for j in range(M):
        row, share, word = weights[j], shares[j], noise[j]
        for r in range(across):
            row[r] = counts[r] * share
        if drop:
            equal = 0
            for c in range(y_n):
                equal |= near[c] == word
            if equal:
                for c in range(y_n):
                    if near[c] == word:
                        for r in range(column_low[c], column_high[c] + 1):
                            if r != c - shift and row_low[r] <= c <= row_high[r]:
                                row[r] -= share


@device
def _put(target, rows, first, last, k, skipped, sums):
    """Add sums[i, skipped:] to target[rows[first + i], k + skipped :], up to 64 columns, for rows before `last`."""
    d = target.shape[1]
    wide = min(_WIDE, d - k)
    for i in range(first, last):
        p, q = rows[i] * d + k, (i - first) * _WIDE
        for j in range(skipped, wide, _SIDE):
            store(target, p + j, add(load(target, p + j, 16), load(sums, q + j, 16)))


@device
def _multiply_wide(tiles, at, pairs, row, k):
    """Add to tiles 0 to 3 the product of a tile of factors with 16 pairs of rows, in the 64 columns from k on."""
    columns = pairs.shape[1]
    q = row * columns + k
    tile_load(4, tiles, at * _SIDE * _SIDE, _SIDE)
    tile_load(5, pairs, q, columns)
    tile_load(6, pairs, q + _SIDE, columns)
    tile_multiply(0, 4, 5)
    tile_load(7, pairs, q + 2 * _SIDE, columns)
    tile_multiply(1, 4, 6)
    tile_load(5, pairs, q + 3 * _SIDE, columns)
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
        k = max(0, min(done, d - _WIDE))
        tile_zero(0)
        tile_zero(1)
        tile_zero(2)
        tile_zero(3)
        for t in range(deep):
            _multiply_wide(tiles, t, pairs, row + t * _SIDE, k)
        for t in range(more):
            _multiply_wide(tiles, deep + t, others, t * _SIDE, k)
        tile_store(0, sums, 0, _WIDE)
        tile_store(1, sums, _SIDE, _WIDE)
        tile_store(2, sums, 2 * _SIDE, _WIDE)
        tile_store(3, sums, 3 * _SIDE, _WIDE)
        _put(target, rows, first, last, k, done - k, sums)
        done = k + _WIDE


@device
def _factors(source, p, step, tiles, t):
    """Set tile t of factors to 16 rows of 32 numbers from flat p of `source` on, `step` apart."""
    at = t * _SIDE * _SIDE
    for i in range(_SIDE):
        store(tiles, at + i * _SIDE, narrow(load(source, p, 16), load(source, p + 16, 16)))
        p += step


@device
def _factors_turned(source, p, step, tiles, t):
    """Set tile t of factors to the transpose of 32 rows of 16 numbers from flat p of `source` on, `step` apart."""
    spare = (tiles.shape[0] - 1) * _SIDE * _SIDE
    for i in range(_SIDE):
        store(tiles, spare + i * _SIDE, pack(load(source, p, 16), load(source, p + step, 16)))
        p += 2 * step
    transpose(tiles, t * _SIDE * _SIDE, tiles, spare, _SIDE)


@device
def _change_noise_words(C, noise, M, n, s):
    """Add E' X to the rows of C of the noise words."""
    across = s.shared.shape[1]
    deep = (n + _DEEP - 1) // _DEEP
    for j in range(0, M, _SIDE):
        for t in range(deep):
            _factors(s.shared, j * across + t * _DEEP, across, s.tiles, t)
        _change(C, noise, j, min(j + _SIDE, M), s.tiles, deep, s.x_pairs, 0, 0, s.x_pairs, s.sums)


@device
def _change_words(W, own, n, m, row_low, row_high, s):
    """Add E [Y Z] to the rows of W of the block."""
    step, across = s.errors.shape[1], s.shared.shape[1]
    more = m // _DEEP
    for r in range(0, n, _SIDE):
        low, high = _reach(row_low, row_high, r, min(r + _SIDE, n))
        low &= ~1
        deep = max(0, (high - low + _DEEP) // _DEEP)
        for t in range(deep):
            _factors_turned(s.errors, (low + t * _DEEP) * step + r, step, s.tiles, t)
        for t in range(more):
            _factors_turned(s.shared, t * _DEEP * across + r, across, s.tiles, deep + t)
        _change(W, own, r, min(r + _SIDE, n), s.tiles, deep, s.y_pairs, low // 2, more, s.z_pairs, s.sums)


@device
def _change_neighbours(C, near, y_n, column_low, column_high, s):
    """Add E' X to the rows of C of the neighbours."""
    step = s.errors.shape[1]
    for c in range(0, y_n, _SIDE):
        low, high = _reach(column_low, column_high, c, min(c + _SIDE, y_n))
        low &= ~1
        deep = max(0, (high - low + _DEEP) // _DEEP)
        for t in range(deep):
            _factors(s.errors, c * step + low + t * _DEEP, step, s.tiles, t)
        _change(C, near, c, min(c + _SIDE, y_n), s.tiles, deep, s.x_pairs, low // 2, 0, s.x_pairs, s.sums)


@device
def _place_errors(y_n, column_low, band, errors):
    """Copy the band to where it belongs among the errors."""
    width, step = band.shape[1], errors.shape[1]
    for c in range(y_n):
        for j in range(0, width, _SIDE):
            store(errors, c * step + column_low[c] + j, load(band, c * width + j, 16))


@device
def _clear_errors(y_n, column_low, width, errors):
    """Set to zero what `_place_errors` wrote."""
    step = errors.shape[1]
    for c in range(y_n):
        for j in range(0, width, _SIDE):
            store(errors, c * step + column_low[c] + j, zeros(16))


@kernel
def train_tiles(W, C, windows, begin, end, noise_table, state, shares, steps, drop, alpha_start, alpha_end, scratch):
    """Train the centres [begin, end) of a chunk in place, block by block, as `train_blocked` does.

    Parameters
    ----------
    W, C : (V, stride) float32
        Changed in place; the stride is a multiple of 16.
    scratch : TileScratch
        See `tile_scratch`. All else is as for `train_blocked`.

    Returns
    -------
    pairs, loss
        As for `train_blocked`.

    Notes
    -----
    Departure from `train_blocked`: rows and errors are rounded to bfloat16 where they are factors of a product, to
    nearest, halves away from zero: with a relative error of at most 2**-8, which for sums of d products comes to
    about 2**-8 of |w| |c| / sqrt(d). The matrices themselves, sums and losses are float32.
    """
    tokens, low, high, changed = windows
    block_size, parts, repeats, M = steps
    s = scratch
    bounds, both_noise, noise_shares, times = s.bounds, s.noise, s.noise_shares, s.times
    row_low, row_high, column_low, column_high, contexts = bounds[0], bounds[1], bounds[2], bounds[3], bounds[4]
    m, even = s.z_rows.shape[0], M + (M & 1)
    across, width = s.shared.shape[1], s.band.shape[1]
    band, shared, weights = s.band.reshape(-1), s.shared.reshape(-1), s.weights.reshape(-1)
    pairs, loss = 0, 0.0
    noise, coming = both_noise[0], both_noise[1]
    state = draw_noise(state, noise_table, M, coming)
    tiles_begin()
    first, n, part = begin, 0, parts
    while first < end:
        if part == parts:
            first, part = first + n, 0
            n = block_length(tokens, first, min(block_size, end - first), repeats, times)
            continue
        noise, coming = coming, noise
        state = draw_noise(state, noise_table, M, coming)
        y_low, y_n, step_pairs = lay_block(low, high, first, n, part, parts, bounds, contexts)
        part += 1
        if step_pairs == 0:
            continue
        pairs += step_pairs
        alpha = np.float32(alpha_start + (alpha_end - alpha_start) * ((first - begin) / (end - begin)))
        own, own_changed, near, shift = tokens[first:], changed[first:], tokens[y_low:], first - y_low

        _take_rows(W, own, n, s.x_rows, s.x_pairs)
        _take_rows(C, near, y_n, s.y_rows, s.y_pairs)
        _take_rows(C, noise, M, s.z_rows, s.z_pairs)
        for j in range(M):
            noise_shares[j] = shares[noise[j]]
        _scores(n, y_n, m, row_low, row_high, s)
        note_columns(n, y_n, row_low, row_high, column_low, column_high)

        touch_rows(W, tokens, first + n, first + n + block_size)
        _band_of_scores(n, y_n, shift, bounds, s.scores, s.band)
        loss += positive_errors(band, y_n * width, alpha)
        _place_errors(y_n, column_low, s.band, s.errors)
        _noise_weights(n, near, y_n, shift, bounds, s.counts, noise, noise_shares, drop, s.weights)
        loss += negative_errors(shared, weights, even * across, -alpha)

        _change_noise_words(C, noise, M, n, s)
        touch_rows(C, tokens, y_low + y_n, y_low + y_n + block_size)
        _change_words(W, own_changed, n, m, row_low, row_high, s)
        touch_rows(C, coming, 0, M)
        _change_neighbours(C, near, y_n, column_low, column_high, s)
        _clear_errors(y_n, column_low, width, s.errors)
    tiles_end()
    return pairs, loss
