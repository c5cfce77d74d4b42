"""Skip-gram with noise words shared by a block of tokens: the expected gradient of SGNS, in small matrix products."""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device, kernel
from w2v.kernels.blocks import CERTAIN, first_place, negative_errors, next_step, note_columns, positive_errors
from w2v.kernels.tiles import add_products, add_two_products, aligned_rows, copy_row, dots, pair_dots, touch_rows

__all__ = ["scratch_arrays", "train_blocked"]


def scratch_arrays(V: int, block_size: int, window: int, shared_negatives: int, stride: int) -> tuple[np.ndarray, ...]:
    """Return the scratch arrays of `train_blocked`, one set for each thread.

    Returns
    -------
    rows : float32
        Copies of the block's rows of W, then of its neighbours' and of the noise words' rows of C.
    band : float32
        Scores, then errors, of the positive pairs: for each row of the block those of the places around it.
    shared, weights : float32
        Scores, then errors, of all rows with all noise words; their weights.
    noise : (2, M) int32
        Noise words of this step and of the next.
    noise_shares : (M,) float32
        Shares of the noise words of this step.
    bounds : (7, n) int32
        First and last neighbour of each row; first and last row of each neighbour; first (0) and last row of each noise
        word; number of pairs of each row.
    times : (V,) uint8
        How often each word has occurred in the block so far.
    """
    B, M, Y = -(-block_size // 4) * 4, -(-shared_negatives // 4) * 4, block_size + 2 * window + 4
    return (
        aligned_rows(B + Y + M, stride),
        np.zeros((B + 2) * _band_width(window), np.float32),
        np.zeros(B * M, np.float32),
        np.zeros(B * M, np.float32),
        np.zeros((2, M), np.int32),
        np.zeros(M, np.float32),
        np.zeros((7, B + Y + M), np.int32),
        np.zeros(V, np.uint8),
    )


def _band_width(window: int) -> int:
    """Return the cells of a row of the band: its window, what tiles of 4 reach beyond, up to a multiple of 8."""
    return -(-(2 * window + 12) // 8) * 8


@device
def _noise_weights(near, n, shift, bounds, contexts, noise, M, shares, drop, weights):
    """Fill the weights of n rows of noise pairs: m_r shares of the word, one less for each context equal to it.

    `shares` (m4,) are those of the noise words, zero behind the last.
    """
    m4 = len(noise)
    for r in range(n):
        at = r * m4
        m = np.float32(contexts[r])
        for j in range(m4):
            weights[at + j] = m * shares[j]
        if drop:
            for c in range(bounds[0, r], bounds[1, r] + 1):
                if c != r + shift:
                    for j in range(M):
                        if noise[j] == near[c]:
                            weights[at + j] -= shares[j]


@device
def _pair_range(n, r, row_low, row_high):
    """Return the first neighbour of rows r and r + 1, and how many there are from it to their last, rounded up to 4."""
    s = min(r + 1, n - 1)
    first = min(row_low[r], row_low[s])
    return first, (max(row_high[r], row_high[s]) - first + 4) & ~3


@device
def _positive_scores(X, Y, n, shift, bounds, band, width, margin):
    """Fill `band`, n rows of `width` cells, with the scores of row r and neighbour c for all c near r.

    They are in cell margin + c - (r + shift), neighbour r + shift being the token of row r itself. Cells that are no
    pair (a token and itself, another row's window) hold a score so high that neither error nor loss remains.
    """
    step = width - 1
    row_low, row_high = bounds[0], bounds[1]
    for r in range(0, n, 2):
        first, count = _pair_range(n, r, row_low, row_high)
        pair_dots(X, r, Y, first, count, band, r * step + first + margin - shift, step)
    for r in range(n):
        row = band[r * width : (r + 1) * width]
        low, high = row_low[r] - r + margin - shift, row_high[r] - r + margin - shift
        for j in range(width):
            row[j] = row[j] if (j >= low) & (j <= high) & (j != margin) else CERTAIN


@kernel
def train_blocked(W, C, windows, begin, end, noise_table, state, shares, steps, drop, alpha_start, alpha_end, scratch):
    """Train the centres [begin, end) of a chunk in place, block by block.

    For a block of B consecutive kept tokens, M noise words are drawn once and used for all of them; the term of token
    r and noise word n is weighted by m_r shares[n], m_r being the number of r's positive pairs. With shares k P_n / (M
    g) and words drawn from g, the expected gradient is that of SGNS with k noise words of P_n per pair. Word rows (W)
    belong to centres, context rows (C) to their neighbours. Where windows have many pairs, a block takes a step for
    each of several parts of them, with noise words of its own. A block ends early before a word that it has too often.

    Parameters
    ----------
    W, C : (V, stride) float32
        Changed in place; padding columns are zero and stay so.
    windows : (tokens, low, high, rows)
        From `lay_windows`; and for each token the row of W that takes its change, `tokens` itself but for frozen words.
    noise_table : NoiseTable
        The distribution g that noise words are drawn from, in M strata.
    state : uint64
        State of the noise stream. Draws: M for each part of each block, in order, before anything else of it.
    shares : (V,) float32
        What a noise word that is drawn counts for, for each positive pair.
    steps : (block_size, parts, repeats, M)
        Largest B; steps of a block; how often a word may occur in one; noise words shared.
    drop : bool
        Whether a noise word that equals a context of r is left out of r's weight, once per equal context, as when
        accidental hits are thrown away: then x* is log(a_wc / (k P_n(c) (a_w - a_wc))) instead of log(a_wc / (k a_w
        P_n(c))).
    alpha_start, alpha_end : float
        Learning rate, linear in the index of the block's first centre.
    scratch : tuple of arrays
        See `scratch_arrays`.

    Returns
    -------
    pairs : int
        Positive pairs trained.
    loss : float64
        Sum over them of -log s(x) and over the weighted noise terms of -log s(-x), before the update of each step.

    Notes
    -----
    Departure from one-pair-at-a-time SGNS: all gradients of a step are taken at the values before it. Noise
    terms of one step share their words, one from each of M strata of g, which changes the variance and not the
    expectation, hence not x*.
    """
    tokens, changed = windows[0], windows[3]
    rows, band, shared, weights, both_noise, noise_shares, bounds, times = scratch
    block_size, M = steps[0], steps[3]
    m4, b4 = both_noise.shape[1], len(shared) // both_noise.shape[1]
    X, Y, Z = rows[:b4], rows[b4 : len(rows) - m4], rows[len(rows) - m4 :]
    width = len(band) // (b4 + 2)  # cells of a row of the band
    margin = width // 2 - 2  # of which so many before that of the token itself
    step = width - 1  # from a cell of the band to the same neighbour's in the next row
    row_low, row_high, column_low, column_high = bounds[0], bounds[1], bounds[2], bounds[3]
    first_row, last_row, contexts = bounds[4], bounds[5], bounds[6]
    pairs, loss = 0, 0.0
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

        last_row[:M] = n - 1
        for r in range(n):
            copy_row(X, r, W, own[r])
        for c in range(y_n):
            copy_row(Y, c, C, near[c])
        for j in range(M):
            copy_row(Z, j, C, noise[j])
            noise_shares[j] = shares[noise[j]]

        _positive_scores(X, Y, n, shift, bounds, band, width, margin)
        note_columns(n, y_n, row_low, row_high, column_low, column_high)
        loss += positive_errors(band, n * width, alpha)
        errors = band[margin - shift :]

        touch_rows(W, tokens, first + n, first + n + block_size)
        dots(X, (n + 3) & ~3, Z, m4, shared)
        _noise_weights(near, n, shift, bounds, contexts, noise, M, noise_shares, drop, weights)
        loss += negative_errors(shared, weights, n * m4, -alpha)

        add_products(C, noise, M, shared, 1, m4, first_row, last_row, X)
        touch_rows(C, tokens, y_low + y_n, y_low + y_n + block_size)
        add_two_products(W, own_changed, n, errors, step, 1, row_low, row_high, Y, shared, m4, M, Z)
        touch_rows(C, coming, 0, M)
        add_products(C, near, y_n, errors, 1, step, column_low, column_high, X)
    return pairs, loss
