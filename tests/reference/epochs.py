"""One epoch, as drawn: kept tokens, half-windows, and the pairs they make."""

import itertools

import numpy as np

from .streams import token_hash


def kept_tokens(ids, offsets, thresholds, key):
    """Return, for each sentence, the list of positions kept: ``(hash >> 32) < thresholds[word]``."""
    kept = []
    for start, end in itertools.pairwise(offsets):
        positions = range(int(start), int(end))
        kept.append([p for p in positions if (token_hash(key, p) >> 32) < int(thresholds[ids[p]])])
    return kept


def half_window(position, key, R, shrink):
    """Return ``1 + (((hash & (2^32 - 1)) R) >> 32)`` if `shrink`, else R."""
    return 1 + (((token_hash(key, position) & 0xFFFFFFFF) * int(R)) >> 32) if shrink else int(R)


def half_windows(positions, key, R, shrink):
    """Return the half-windows of several positions."""
    return [half_window(p, key, R, shrink) for p in positions]


def contexts(i, kept, b, subsampling):
    """Return the context positions, ascending, of the `i`-th of the `kept` positions of one sentence.

    "dirty": kept tokens at most `b` away, counted in kept tokens; "clean": at most `b` away in positions (never more
    than `b` kept tokens away, so the same range is searched).
    """
    near = [j for j in range(max(0, i - b), min(len(kept), i + b + 1)) if j != i]
    if subsampling == "clean":
        near = [j for j in near if abs(kept[j] - kept[i]) <= b]
    return [kept[j] for j in near]


def windows_of_epoch(ids, offsets, keep_thresholds, key, R, shrink, subsampling):
    """Return ``(centre position, [context positions])`` of every kept token in order, those without contexts too."""
    windows = []
    for kept in kept_tokens(ids, offsets, keep_thresholds, key):
        for i, position in enumerate(kept):
            b = half_window(position, key, R, shrink)
            windows.append((position, contexts(i, kept, b, subsampling)))
    return windows


def pairs_of_epoch(ids, offsets, keep_thresholds, key, R, shrink, subsampling):
    """Return every (centre position, context position) that the epoch of `key` trains, in order."""
    windows = windows_of_epoch(ids, offsets, keep_thresholds, key, R, shrink, subsampling)
    return [(center, context) for center, near in windows for context in near]


def count_pairs(ids, pairs, V):
    """Return the (V, V) int64 matrix of (centre word, context word) of a list of position pairs."""
    counts = np.zeros((V, V), dtype=np.int64)
    for center, context in pairs:
        counts[ids[center], ids[context]] += 1
    return counts
