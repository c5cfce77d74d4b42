"""What a block of tokens with shared noise words is: its tokens, their contexts, its noise words, errors and losses."""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device
from w2v.kernels.activations import exp_negative, sigmoid_and_log
from w2v.kernels.noise import draw_word
from w2v.kernels.random import mix, next_state

__all__ = ["CERTAIN", "first_place", "negative_errors", "next_step", "note_columns", "positive_errors"]

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
CERTAIN = np.float32(40.0)
"""The score of a cell that is no pair: sigmoid(-40) = 4e-18, so it adds no loss."""


@device
def positive_errors(x, n, alpha):
    """Turn scores x[:n] into alpha * (1 - s(x)), none from CERTAIN on, in place; return the sum of -log s(x)."""
    loss = _ZERO
    for j in range(n):
        v = x[j]
        e = exp_negative(-abs(v))
        r, log = sigmoid_and_log(e)
        loss += max(-v, _ZERO) + log
        x[j] = alpha * (r if v < _ZERO else e * r if v < CERTAIN else _ZERO)
    return loss


@device
def negative_errors(x, weights, n, scale):
    """Turn scores x[:n] into scale * weight * s(x) in place; return the weighted sum of -log s(-x)."""
    loss = _ZERO
    for j in range(n):
        v = x[j]
        e = exp_negative(-abs(v))
        r, log = sigmoid_and_log(e)
        loss += weights[j] * (max(v, _ZERO) + log)
        x[j] = scale * weights[j] * (r if v >= _ZERO else e * r)
    return loss


@device
def _draw_noise(state, noise_table, M, noise):
    """Fill noise[:M] from the stream, a word of each stratum; return its new state."""
    for j in range(M):
        state = next_state(state)
        noise[j] = draw_word(mix(state), j, noise_table)
    return state


@device
def _block_length(tokens, first, most, repeats, times):
    """Return how many tokens from `first` on make a block: up to `most`, none of its words more than `repeats` times.

    `times` (V,) uint8 is zero, and is left so.
    """
    n = 0
    while n < most and times[tokens[first + n]] < repeats:
        times[tokens[first + n]] += 1
        n += 1
    for i in range(first, first + n):
        times[tokens[i]] = 0
    return n


@device
def _lay_block(low, high, first, n, part, parts, bounds, contexts):
    """Note each row's contexts in one part of its window; return the first neighbour, their number, and the pairs.

    A window is cut into `parts` runs of places, as equal as can be; a part may be empty. Places are counted from the
    block's first neighbour.
    """
    row_low, row_high = bounds[0], bounds[1]
    y_low, y_high, pairs = high[first + n - 1], low[first], 0
    for r in range(n):
        i = first + r
        a, b = low[i], high[i]
        if parts > 1:
            places = b - a + 1
            a, b = a + places * part // parts, a + places * (part + 1) // parts - 1
        row_low[r], row_high[r] = a, b
        contexts[r] = b - a if a <= i <= b else b - a + 1
        pairs += contexts[r]
        if a <= b:
            y_low = min(y_low, a)
            y_high = max(y_high, b)
    for r in range(n):
        empty = row_high[r] < row_low[r]
        row_low[r] = min(max(row_low[r], y_low), y_high) - y_low
        row_high[r] = row_low[r] - 1 if empty else row_high[r] - y_low
    return y_low, y_high - y_low + 1, pairs


@device
def first_place(begin, steps, noise_table, state, both_noise):
    """Return the place before the first step of a chunk, and draw the noise words of that step."""
    state = _draw_noise(state, noise_table, steps[3], both_noise[0])
    return begin, 0, steps[1], state, 1


@device
def next_step(place, windows, end, steps, noise_table, both_noise, times, bounds, contexts):
    """Go on to the next step that has pairs; return its place, first neighbour, number of neighbours, and pairs.

    A place is (first centre of the block, centres, parts begun, state of the noise stream, turn): both_noise[turn] are
    the noise words of this step, the other row those of the next, which are known early so that their rows can be
    asked for. Where no step is left, the number of pairs is 0.
    """
    first, n, part, state, turn = place
    block_size, parts, repeats, M = steps
    tokens, low, high, _ = windows
    while True:
        if part == parts:
            first, part = first + n, 0
            if first >= end:
                return (first, 0, parts, state, turn), 0, 0, 0
            n = _block_length(tokens, first, min(block_size, end - first), repeats, times)
        turn = 1 - turn
        state = _draw_noise(state, noise_table, M, both_noise[1 - turn])
        y_low, y_n, pairs = _lay_block(low, high, first, n, part, parts, bounds, contexts)
        part += 1
        if pairs > 0:
            return (first, n, part, state, turn), y_low, y_n, pairs


@device
def note_columns(n, y_n, row_low, row_high, column_low, column_high):
    """Note for each neighbour the first and last row that may be paired with it, as if all windows were the widest."""
    before, after = y_n, -n
    for r in range(n):
        if row_low[r] <= row_high[r]:
            before = min(before, row_low[r] - r)
            after = max(after, row_high[r] - r)
    for c in range(y_n):
        column_low[c] = max(c - after, 0)
        column_high[c] = min(c - before, n - 1)
