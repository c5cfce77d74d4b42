"""The window law, once: which tokens survive subsampling and which of them see each other.

Training reads it here; pair counting computes the expectation of the same law.
"""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device, kernel
from w2v.kernels.random import LOW32, token_hash

__all__ = ["lay_windows", "window_arrays"]

_S32 = np.uint64(32)


def window_arrays(chunk_tokens: int, window: int) -> tuple[np.ndarray, ...]:
    """Return the arrays (tokens, positions, low, high) that `lay_windows` fills for a chunk."""
    n = chunk_tokens + 2 * window
    return np.zeros(n, np.int32), np.zeros(n, np.int64), np.zeros(n, np.int32), np.zeros(n, np.int32)


@device
def _is_kept(ids, keep_thresholds, key, position):
    return (token_hash(key, position) >> _S32) < keep_thresholds[ids[position]]


@device
def _sentence_of(offsets, position):
    """Return s with offsets[s] <= position < offsets[s + 1]."""
    low, high = 0, len(offsets) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if offsets[middle] <= position:
            low = middle
        else:
            high = middle
    return low


@device
def _reach_back(ids, keep_thresholds, key, first, start, window, clean):
    """Return the first position that a window of the token at `first` can reach, not before `start`."""
    position, kept = first, 0
    while position > start and kept < window:
        position -= 1
        if clean or _is_kept(ids, keep_thresholds, key, position):
            kept += 1
    return position


@device
def _close_sentence(positions, low, high, begin, end, clean):
    """Turn the half-windows in `high` of one sentence's kept tokens [begin, end) into bounds."""
    for i in range(begin, end):
        reach = high[i]
        if clean:
            a = i
            while a > begin and positions[i] - positions[a - 1] <= reach:
                a -= 1
            b = i
            while b < end - 1 and positions[b + 1] - positions[i] <= reach:
                b += 1
        else:
            a = max(begin, i - reach)
            b = min(end - 1, i + reach)
        low[i] = a
        high[i] = b


@kernel
def lay_windows(ids, offsets, first, last, keep_thresholds, key, window, shrink, clean, tokens, positions, low, high):
    """Subsample the tokens [first, last) of a corpus and lay their windows.

    Parameters
    ----------
    ids : (N,) int32
        The encoded corpus.
    offsets : (S + 1,) int64
        Sentence bounds; no window crosses one.
    first, last : int
        The chunk. Its tokens are centres; `window` kept neighbours on either side of it (same sentence) are laid as
        well, so that nothing is lost at the seam between two chunks.
    keep_thresholds : (V,) uint64
        A token is kept where the high half of its hash is below the threshold of its word.
    key : uint64
        Key of the token stream of this epoch. Each token draws once: high half for keeping, low half for its window.
    window, shrink, clean
        Reach R; half-windows uniform in 1..R or all R; counted in kept tokens (dirty) or in places (clean).
    tokens, positions, low, high : (>= last - first + 2 * window,) int32, int64, int32, int32
        Filled: word id and corpus position of each kept token, and the inclusive bounds of its contexts among the
        kept tokens (its own index lies between them and is no context).

    Returns
    -------
    begin, end : int
        The chunk's own kept tokens are tokens[begin:end]; the others are neighbours only.
    """
    sentence = _sentence_of(offsets, first)
    position = _reach_back(ids, keep_thresholds, key, first, offsets[sentence], window, clean)
    n, opened, begin, end = 0, 0, -1, -1
    after = 0
    while position < len(ids):
        if position >= offsets[sentence + 1]:
            _close_sentence(positions, low, high, opened, n, clean)
            opened = n
            if position >= last:
                break
            while position >= offsets[sentence + 1]:
                sentence += 1
        if position >= last:
            if end < 0:
                end = n
            if after >= window:
                break
        if position >= first and begin < 0:
            begin = n
        h = token_hash(key, position)
        kept = (h >> _S32) < keep_thresholds[ids[position]]
        if position >= last and (kept or clean):
            after += 1
        if kept:
            tokens[n] = ids[position]
            positions[n] = position
            high[n] = 1 + (((h & LOW32) * np.uint64(window)) >> _S32) if shrink else window
            n += 1
        position += 1
    _close_sentence(positions, low, high, opened, n, clean)
    if begin < 0:
        begin = n
    if end < 0:
        end = n
    return begin, end
