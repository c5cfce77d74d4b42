"""Count word-context pairs in expectation: one sorted row of the matrix after the other, no pair ever stored.

The positions of a chunk of text are sorted by word. For each word the windows of its positions are walked and their
weights added into one accumulator over the vocabulary; the cells touched are marked in a bitset, so that emptying the
accumulator in order yields a sorted row. Rows are independent: threads take ranges of words.

The laws are those of :mod:`w2v.kernels.windows`, in expectation. Nothing random is drawn.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from w2v.kernels._jit import device, kernel
from w2v.kernels.simd import prefetch

__all__ = [
    "count_rows",
    "count_rows_dirty",
    "merge_rows",
    "order_by_word",
    "reach_dirty",
    "separate_sentences",
]

_END = -1  # stands between sentences in a buffer
_AHEAD = 16  # windows between asking for a part of the text and reading it
_ONE, _ZERO = np.uint64(1), np.uint64(0)


@intrinsic
def _trailing_zeros(typing_context, bits):
    """Count the trailing zeros of a uint64 that is not zero."""
    if bits != types.uint64:
        return None

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, 1))

    return types.uint64(types.uint64), generate


@kernel
def separate_sentences(ids, offsets, sentence, begin, end, first, last, buffer):
    """Copy tokens [begin, end) with a mark before, between and after their sentences.

    Parameters
    ----------
    ids : (N,) int32
    offsets : (S + 1,) int64
    sentence : int
        The sentence that holds the token `begin`.
    begin, end, first, last : int
        Tokens [first, last) are to be centres; those before and after are only seen by their windows.
    buffer : (>= end - begin + sentences + 2,) int32
        Filled with word ids and -1 between sentences.

    Returns
    -------
    n, low, high : int
        The used length of the buffer, and the part [low, high) of it that holds the centres.
    """
    buffer[0] = _END
    n, low, high = 1, -1, -1
    for p in range(begin, end):
        if p >= offsets[sentence + 1]:
            buffer[n] = _END
            n += 1
            while p >= offsets[sentence + 1]:
                sentence += 1
        if p == first:
            low = n
        if p == last:
            high = n
        buffer[n] = ids[p]
        n += 1
    buffer[n] = _END
    n += 1
    if low < 0:
        low = n
    return n, low, n if high < 0 else high


@kernel
def order_by_word(buffer, low, high, starts, order):
    """Sort the places [low, high) of a buffer by their word, ascending within a word (counting sort).

    Parameters
    ----------
    buffer : (n,) int32
    starts : (V + 1,) int64
        Must be zero; filled so that the places of word w are ``order[starts[w]:starts[w + 1]]``.
    order : (>= number of tokens,) int32
    """
    V = len(starts) - 1
    for p in range(low, high):
        w = buffer[p]
        if w >= 0:
            starts[w] += 1
    before = 0
    for w in range(V):
        count = starts[w]
        starts[w] = before
        before += count
    for p in range(low, high):
        w = buffer[p]
        if w >= 0:
            order[starts[w]] = p
            starts[w] += 1
    for w in range(V, 0, -1):  # each start has moved to the next word's
        starts[w] = starts[w - 1]
    starts[0] = 0


@device
def _announce(buffer, order, q, window):
    """Ask for the text around a place that is walked some turns later: places of a rare word lie far apart."""
    place = np.int64(order[min(q + _AHEAD, len(order) - 1)])
    prefetch(buffer, max(place - window, 0))
    prefetch(buffer, min(place + window, len(buffer) - 1))


@device
def _add(sums, touched, summary, c, weight):
    """Add a positive weight to cell c and mark it.

    To mark again costs less than to ask whether it was: the answer could not be foreseen. Whether its group of 64 was
    marked mostly can.
    """
    sums[c] += weight
    group = c >> np.uint32(6)
    marks = touched[group]
    touched[group] = marks | (_ONE << np.uint64(c & np.uint32(63)))
    if marks == _ZERO:
        summary[c >> np.uint32(12)] |= _ONE << np.uint64(group & np.uint32(63))


@device
def _drain(sums, touched, summary, keep, w, columns, indices, values, n):
    """Empty the accumulator into a sorted row behind place n; return the new n and the sum over all contexts."""
    total = 0.0
    for s in range(len(summary)):
        groups = summary[s]
        summary[s] = _ZERO
        while groups != _ZERO:
            g = np.uint64(s) * np.uint64(64) + _trailing_zeros(groups)
            groups &= groups - _ONE
            cells = touched[g]
            touched[g] = _ZERO
            while cells != _ZERO:
                c = np.int64(g * np.uint64(64) + _trailing_zeros(cells))
                cells &= cells - _ONE
                value = sums[c] * (keep[w] * keep[c])  # in this order the clean law stays symmetric to the last bit
                sums[c] = 0
                total += value
                if c < columns:
                    indices[n] = c
                    values[n] = value
                    n += 1
    return n, total


@kernel
def count_rows(
    buffer, order, starts, first, last, window, shrink, keep, columns, sums, touched, summary, indices, values, ends,
    totals,
):  # fmt: skip
    """Count rows of words [first, last) with windows measured in places (no subsampling, or the clean law).

    A pair at distance e weighs R - e + 1 (dynamic windows: R times its probability) or 1 (fixed windows), times both
    keep probabilities. Without subsampling all sums are whole numbers, hence exact; the caller divides by R last.

    Parameters
    ----------
    buffer, order, starts
        From `separate_sentences` and `order_by_word`.
    first, last : int
    window, shrink
        Reach R; dynamic or fixed windows.
    keep : (V,) float64
        Keep probability of each word (ones without subsampling).
    columns : int
        Only contexts below this id are stored.
    sums, touched, summary : (V,) int32 or float64, (ceil(V / 64),) uint64, (ceil(V / 4096),) uint64
        Scratch, zero before and after. Half the size is faster: int32 where no sum can overflow.
    indices, values : (capacity,) int32, float64
        Rows are appended while at least `columns` places are left.
    ends : (last - first,) int64
        Where each finished row ends in `indices`.
    totals : (last - first,) float64
        Sum of each finished row over all contexts, stored or not.

    Returns
    -------
    int
        The first word whose row was not counted (`last` when all were).
    """
    n = 0
    top, step = (np.int32(window), np.int32(1)) if shrink else (np.int32(1), np.int32(0))
    for w in range(first, last):
        if len(indices) - n < columns:
            return w
        for q in range(starts[w], starts[w + 1]):
            place = np.int64(order[q])
            _announce(buffer, order, q, window)
            weight = top
            for e in range(1, window + 1):
                c = buffer[place - e]
                if c < 0:
                    break
                _add(sums, touched, summary, np.uint32(c), weight)
                weight -= step
            weight = top
            for e in range(1, window + 1):
                c = buffer[place + e]
                if c < 0:
                    break
                _add(sums, touched, summary, np.uint32(c), weight)
                weight -= step
        n, total = _drain(sums, touched, summary, keep, w, columns, indices, values, n)
        ends[w - first] = n
        totals[w - first] = total
    return last


@device
def _start_reach(reach, window, shrink):
    """Set reach[r] to the weight of a pair when r of the R steps of a window have been used up."""
    for r in range(window):
        reach[r] = float(window - r) if shrink else 1.0


@device
def _pass_token(reach, used, window, p):
    """Let a window pass a token that survives with probability p < 1.

    With h_r the expected weight of a pair when r steps are used, a token in between uses one more with probability p:
    h_r <- (1 - p) h_r + p h_(r+1), h_R = 0. Started from the window law this is the Poisson-binomial sum
    sum_m P(m) (R - m) over the number m of survivors between, without ever forming P. A sure survivor only shifts:
    the caller counts one more of the steps `used`, below which nothing is needed any more.
    """
    for r in range(used, window - 1):
        reach[r] += p * (reach[r + 1] - reach[r])
    reach[window - 1] *= 1.0 - p


@kernel
def count_rows_dirty(
    buffer, order, starts, first, last, window, shrink, keep, sure, cut, columns, sums, touched, summary, reach,
    indices, values, ends, totals,
):  # fmt: skip
    """Count rows of words [first, last) where tokens are removed before windows are laid (the dirty law), exactly.

    Both directions are walked with the same recurrence, so a_wc and a_cw agree up to rounding. The walk ends where
    the weight of a pair, given that both its tokens survive, falls below ``cut``.

    Parameters and result are those of `count_rows`, and

    sure : int
        Words from this id on are always kept.
    cut : float
        On the scale of the weights (R for dynamic windows, 1 for fixed ones).
    reach : (window,) float64
        Scratch.
    """
    n = 0
    for w in range(first, last):
        if len(indices) - n < columns:
            return w
        for q in range(starts[w], starts[w + 1]):
            _announce(buffer, order, q, window)
            for direction in (-1, 1):
                place = np.int64(order[q])
                _start_reach(reach, window, shrink)
                used = 0
                while True:
                    place += direction
                    c = buffer[place]
                    if c < 0:
                        break
                    _add(sums, touched, summary, np.uint32(c), reach[used])
                    if c >= sure:
                        used += 1
                    else:
                        _pass_token(reach, used, window, keep[c])
                    if used == window or reach[used] < cut:
                        break
        n, total = _drain(sums, touched, summary, keep, w, columns, indices, values, n)
        ends[w - first] = n
        totals[w - first] = total
    return last


@kernel
def reach_dirty(ids, position, bound, window, shrink, keep, sure, cut, reach):
    """Return how many tokens a dirty window can see from `position` towards `bound` (exclusive), as counted above.

    A window laid further back sees no further: it has passed all the same tokens and more.
    """
    direction = 1 if bound > position else -1
    _start_reach(reach, window, shrink)
    used, seen = 0, 0
    while True:
        position += direction
        if position == bound:
            break
        seen += 1
        c = ids[position]
        if c >= sure:
            used += 1
        else:
            _pass_token(reach, used, window, keep[c])
        if used == window or reach[used] < cut:
            break
    return seen


@kernel
def merge_rows(part_indices, part_values, bounds, columns, sums, touched, summary, ones, indices, values, ends):
    """Add up the same rows of several parts.

    Parameters
    ----------
    part_indices, part_values : (m,) int32, float64
        The rows of all parts, one part behind the other.
    bounds : (parts, rows + 1) int64
        Row i of part k is ``part_indices[bounds[k, i]:bounds[k, i + 1]]``.
    columns, sums, touched, summary, indices, values, ends
        As in `count_rows`; `indices` must hold all rows.
    ones : (V,) float64
    """
    n = 0
    for i in range(bounds.shape[1] - 1):
        for k in range(bounds.shape[0]):
            for p in range(bounds[k, i], bounds[k, i + 1]):
                _add(sums, touched, summary, np.uint32(part_indices[p]), part_values[p])
        n, _ = _drain(sums, touched, summary, ones, 0, columns, indices, values, n)
        ends[i] = n
    return n
