"""The steps of `train_blocked` for processors with tile registers: factors of matrix products are bfloat16."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.kernels._jit import device, kernel
from w2v.kernels.amx import DEEP, SIDE, tiles_begin, tiles_end
from w2v.kernels.amx_products import (
    WIDE,
    change_neighbours,
    change_noise_words,
    change_words,
    fill_scores,
    take_rows,
)
from w2v.kernels.blocks import CERTAIN, first_place, negative_errors, next_step, note_columns, positive_errors
from w2v.kernels.simd import load, store, where_between, zeros
from w2v.kernels.tiles import aligned_rows, touch_rows

__all__ = ["AmxScratch", "amx_scratch", "train_amx"]

_NOWHERE = np.int32(2**30)


class AmxScratch(NamedTuple):
    """The scratch arrays of `train_amx`, one set for each thread; words are pairs of bfloat16 in 32 bits.

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


def amx_scratch(V: int, block_size: int, window: int, shared_negatives: int, stride: int) -> AmxScratch:
    """Return scratch arrays for rows of `stride` floats, a multiple of 16."""
    rows, width = _up(block_size, SIDE), _up(min(block_size, 2 * window + 1), SIDE)
    words, columns = _up(stride, DEEP) // 2, max(stride, WIDE)
    around = rows + max(width, DEEP)  # what a row of the band and a tile of errors reach to
    places, noise = _up(block_size + 2 * window, SIDE) + DEEP, _up(shared_negatives, DEEP)
    return AmxScratch(
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
        aligned_rows(max(around, places, noise) // DEEP + noise // DEEP + 1, SIDE * SIDE),
        aligned_rows(SIDE, WIDE),
        np.zeros((2, shared_negatives), np.int32),
        np.zeros(shared_negatives, np.float32),
        np.zeros(rows, np.float32),
        np.zeros((5, max(around, places)), np.int32),
        np.zeros(V, np.uint8),
    )


@device
def _band_of_scores(n, y_n, shift, bounds, scores, band):
    """Copy to each row of `band` a neighbour's scores with the rows around it; no pair has the score CERTAIN."""
    width, step = band.shape[1], scores.shape[1]
    row_low, row_high, column_low = bounds[0], bounds[1], bounds[2]
    row_low[n : n + width] = _NOWHERE
    for c in range(y_n):
        first = np.int64(column_low[c])
        own = c - shift - first
        for j in range(0, width, SIDE):
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
def _place_errors(y_n, column_low, band, errors):
    """Copy the band to where it belongs among the errors."""
    width, step = band.shape[1], errors.shape[1]
    for c in range(y_n):
        for j in range(0, width, SIDE):
            store(errors, c * step + column_low[c] + j, load(band, c * width + j, 16))


@device
def _clear_errors(y_n, column_low, width, errors):
    """Set to zero what `_place_errors` wrote."""
    step = errors.shape[1]
    for c in range(y_n):
        for j in range(0, width, SIDE):
            store(errors, c * step + column_low[c] + j, zeros(16))


@kernel
def train_amx(W, C, windows, begin, end, noise_table, state, shares, steps, drop, alpha_start, alpha_end, scratch):
    """Train the centres [begin, end) of a chunk in place, block by block, as `train_blocked` does.

    Parameters
    ----------
    W, C : (V, stride) float32
        Changed in place; the stride is a multiple of 16.
    scratch : AmxScratch
        See `amx_scratch`. All else is as for `train_blocked`.

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
    tokens, changed = windows[0], windows[3]
    block_size, M = steps[0], steps[3]
    s = scratch
    bounds, both_noise, noise_shares, times = s.bounds, s.noise, s.noise_shares, s.times
    row_low, row_high, column_low, column_high, contexts = bounds[0], bounds[1], bounds[2], bounds[3], bounds[4]
    m, even = s.z_rows.shape[0], M + (M & 1)
    across, width = s.shared.shape[1], s.band.shape[1]
    band, shared, weights = s.band.reshape(-1), s.shared.reshape(-1), s.weights.reshape(-1)
    pairs, loss = 0, 0.0
    tiles_begin()
    place = first_place(begin, steps, noise_table, state, both_noise)
    while True:
        place, y_low, y_n, step_pairs = next_step(
            place, windows, end, steps, noise_table, both_noise, times, bounds, contexts
        )
        if step_pairs == 0:
            break
        first, n, _, _, turn = place
        noise, coming = both_noise[turn], both_noise[1 - turn]
        pairs += step_pairs
        alpha = np.float32(alpha_start + (alpha_end - alpha_start) * ((first - begin) / (end - begin)))
        own, own_changed, near, shift = tokens[first:], changed[first:], tokens[y_low:], first - y_low

        take_rows(W, own, n, s.x_rows, s.x_pairs)
        take_rows(C, near, y_n, s.y_rows, s.y_pairs)
        take_rows(C, noise, M, s.z_rows, s.z_pairs)
        for j in range(M):
            noise_shares[j] = shares[noise[j]]
        fill_scores(n, m, row_low, row_high, s)
        note_columns(n, y_n, row_low, row_high, column_low, column_high)

        touch_rows(W, tokens, first + n, first + n + block_size)
        _band_of_scores(n, y_n, shift, bounds, s.scores, s.band)
        loss += positive_errors(band, y_n * width, alpha)
        _place_errors(y_n, column_low, s.band, s.errors)
        _noise_weights(n, near, y_n, shift, bounds, s.counts, noise, noise_shares, drop, s.weights)
        loss += negative_errors(shared, weights, even * across, -alpha)

        change_noise_words(C, noise, M, n, s)
        touch_rows(C, tokens, y_low + y_n, y_low + y_n + block_size)
        change_words(W, own_changed, n, m, row_low, row_high, s)
        touch_rows(C, coming, 0, M)
        change_neighbours(C, near, y_n, column_low, column_high, s)
        _clear_errors(y_n, column_low, width, s.errors)
    tiles_end()
    return pairs, loss
