"""From provisional numbers to word ids: counts, sorting keys and bytes of the types, and the final renumbering.

The table of types (slots, arena, starts) is described in w2v.kernels.text.
"""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device, kernel

__all__ = ["count_numbers", "gather_words", "read_counts", "renumber", "survey", "word_prefixes"]

_U0, _U8 = np.uint64(0), np.uint64(8)


@kernel
def read_counts(slots, counts):
    """Write the occurrences of every type to counts (types,) int64."""
    for slot in range(len(slots) >> 2):
        if slots[4 * slot] != _U0:
            counts[np.int64(slots[4 * slot + 2])] = np.int64(slots[4 * slot + 3])


@kernel
def count_numbers(stream, counts):
    """Add the occurrences of each number in an int32 stream to counts; SENTENCE_END is passed over."""
    for i in range(len(stream)):
        if stream[i] >= 0:
            counts[stream[i]] += 1


@kernel
def word_prefixes(arena, starts, numbers, prefixes):
    """Write the first eight bytes of each chosen type as a big-endian number: they sort as the words do."""
    for i in range(len(numbers)):
        start, stop = starts[numbers[i]], starts[numbers[i] + 1]
        prefix = _U0
        for k in range(8):
            prefix = (prefix << _U8) | (np.uint64(arena[start + k]) if start + k < stop else _U0)
        prefixes[i] = prefix


@kernel
def gather_words(arena, starts, numbers, packed, offsets):
    """Copy the bytes of the chosen types one after the other to packed; ``offsets[i]`` is where type i begins."""
    for i in range(len(numbers)):
        start = starts[numbers[i]]
        target = offsets[i]
        for k in range(offsets[i + 1] - target):
            packed[target + k] = arena[start + k]


@kernel
def renumber(stream, numbers, bounds, totals):
    """Replace provisional numbers by ids in place, drop those without one, close sentences.

    Parameters
    ----------
    stream : int32 (n,)
        Provisional numbers and SENTENCE_END marks; its first items become the ids.
    numbers : int32 (types,)
        Id of each type, negative for those dropped.
    bounds : int64, at least as many as there are marks in stream
        Filled with the corpus length at the end of each sentence that is not empty.
    totals : int64 (2,)
        Ids written so far in all calls, and the same at the end of the latest sentence; updated.

    Returns
    -------
    tuple
        The ids now in stream, and the bounds written.
    """
    written = np.uint64(0)
    ended = 0
    before, latest = totals[0], totals[1]
    for i in range(len(stream)):
        number = stream[i]
        if number >= 0:
            id = numbers[number]
            stream[written] = id
            written += np.uint64(id >= 0)
        else:
            total = before + np.int64(written)
            bounds[ended] = total
            ended += total > latest
            latest = total
    totals[0] = before + np.int64(written)
    totals[1] = latest
    return np.int64(written), np.int64(ended)


@device
def _is_punctuation(byte):
    """Whether a byte is a mark that ends clauses or quotations: ! " ' ) , . : ; ?"""
    return (
        byte == 33
        or byte == 34
        or byte == 39
        or byte == 41
        or byte == 44
        or byte == 46
        or byte == 58
        or byte == 59
        or byte == 63
    )


@kernel
def survey(arena, starts, counts):
    """Look at all types for signs of text that is not tokenised.

    Returns
    -------
    tuple of int
        Tokens that end in punctuation after at least one other byte; tokens that begin with a Han character; bytes
        of these.
    """
    punctuated = 0
    han = 0
    han_bytes = 0
    for i in range(len(counts)):
        start, stop = starts[i], starts[i + 1]
        if stop - start < 2:
            continue
        if _is_punctuation(arena[stop - 1]) and not _is_punctuation(arena[stop - 2]):
            punctuated += counts[i]
        if 0xE4 <= arena[start] <= 0xE9:
            han += counts[i]
            han_bytes += counts[i] * (stop - start)
    return punctuated, han, han_bytes
