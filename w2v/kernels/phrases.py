"""Pairs of neighbouring words: counted in a table of bounded size, and joined where they are phrases.

A stream is what the text scanner writes: numbers of words, SENTENCE_END after each sentence. ``roles`` says what each
number is: BREAK (nothing is joined to it or across it), WORD, or, from CONNECTOR on, a connector: a word such as *of*
that begins and ends no phrase, but may stand within one. At most LONGEST_CHAIN connectors in a row are bridged.

A table is a flat uint64 array of two columns a slot, open addressing, less than half full:

    key      the first word + 1 in the upper, the second word in the lower 32 bits; 0 marks a free slot
    value    the roles of the connectors between them, 8 bits each, in the upper 24 bits; in the lower 40 a count, or
             the number of the phrase
"""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device, kernel

__all__ = [
    "BREAK",
    "CONNECTOR",
    "FIRST",
    "LONGEST_CHAIN",
    "MOST_CONNECTORS",
    "STATE_SIZE",
    "USED",
    "WORD",
    "WRITTEN",
    "count_pairs",
    "enter_phrases",
    "harvest",
    "join_pairs",
    "move_pairs",
    "spell",
]

BREAK, WORD, CONNECTOR = 0, 1, 2
LONGEST_CHAIN = 3
MOST_CONNECTORS = 256 - CONNECTOR

# what is remembered between two pieces of a stream, an int64 array
FIRST, CHAIN, LENGTH, USED, WRITTEN = range(5)
PENDING = 5  # the connectors after the first word
STATE_SIZE = PENDING + LONGEST_CHAIN

_U0, _U1, _U8, _U32, _U40 = (np.uint64(n) for n in (0, 1, 8, 32, 40))
_VALUE = np.uint64(2**40 - 1)
_M1 = np.uint64(0x9E3779B97F4A7C15)
_M2 = np.uint64(0xBF58476D1CE4E5B9)


@device
def _key(first, second):
    return (np.uint64(first + 1) << _U32) | np.uint64(second)


@device
def _hash(key, chain):
    h = (key ^ (chain * _M2)) * _M1
    h ^= h >> _U32
    h *= _M2
    return h ^ (h >> _U32)


@device
def _find(slots, key, chain, h):
    """Return the base index of the slot of a pair, or of the free slot where it belongs."""
    mask = np.uint64((len(slots) >> 1) - 1)
    slot = (h >> _U8) & mask
    while True:
        base = slot << _U1
        found = slots[base]
        if found == _U0 or (found == key and slots[base + _U1] >> _U40 == chain):
            return base
        slot = (slot + _U1) & mask


@kernel
def count_pairs(stream, roles, slots, parts, part, most, state):
    """Count the pairs of one part of a stream, and return how many of its items were read.

    Parameters
    ----------
    stream : int32
    roles : uint8
    slots : uint64 (2 * 2^n,)
        The table, changed in place.
    parts, part : int
        Of the pairs, whose hashes are divided by `parts` (a power of two), those with the rest `part` are counted.
    most : int
        Pairs that may be in the table. If a pair too many is met, the kernel comes back before it.
    state : int64 (STATE_SIZE,)
        FIRST (-1 at the start), CHAIN, LENGTH, and USED, the pairs in the table; updated.
    """
    first, chain, length, used = state[FIRST], np.uint64(state[CHAIN]), state[LENGTH], state[USED]
    rest = np.uint64(parts - 1)
    wanted = np.uint64(part)
    read = len(stream)
    for i in range(len(stream)):
        number = np.int64(stream[i])
        role = roles[number] if number >= 0 else np.uint8(BREAK)
        if role == WORD:
            if first >= 0:
                key = _key(first, number)
                h = _hash(key, chain)
                if h & rest == wanted:
                    base = _find(slots, key, chain, h)
                    if slots[base] == _U0:
                        if used >= most:
                            read = i
                            break
                        slots[base] = key
                        slots[base + _U1] = chain << _U40
                        used += 1
                    slots[base + _U1] += _U1
            first = number
            chain = _U0
            length = 0
        elif role == BREAK or length == LONGEST_CHAIN:
            first = -1
        else:
            chain = (chain << _U8) | np.uint64(role)
            length += 1
        if first < 0:
            chain = _U0
            length = 0
    state[FIRST] = first
    state[CHAIN] = np.int64(chain)
    state[LENGTH] = length
    state[USED] = used
    return read


@kernel
def move_pairs(slots, target, parts, part):
    """Copy the pairs of one part (see `count_pairs`) into an empty table, and return how many they are."""
    used = 0
    rest = np.uint64(parts - 1)
    wanted = np.uint64(part)
    for slot in range(len(slots) >> 1):
        key, value = slots[2 * slot], slots[2 * slot + 1]
        if key != _U0:
            chain = value >> _U40
            h = _hash(key, chain)
            if h & rest == wanted:
                base = _find(target, key, chain, h)
                target[base] = key
                target[base + _U1] = value
                used += 1
    return used


@kernel
def harvest(slots, least, keys, values):
    """Write the pairs counted at least so often to `keys` and `values`, as far as these reach; return how many."""
    found = 0
    bound = np.uint64(least)
    for slot in range(len(slots) >> 1):
        if slots[2 * slot] != _U0 and slots[2 * slot + 1] & _VALUE >= bound:
            if found < len(keys):
                keys[found] = slots[2 * slot]
                values[found] = slots[2 * slot + 1]
            found += 1
    return found


@kernel
def enter_phrases(slots, keys, chains, numbers):
    """Fill an empty table with phrases: keys as in the table, chains of connectors, and the numbers to write."""
    for i in range(len(keys)):
        base = _find(slots, keys[i], chains[i], _hash(keys[i], chains[i]))
        slots[base] = keys[i]
        slots[base + _U1] = (chains[i] << _U40) | np.uint64(numbers[i])


@device
def _release(state, out, o):
    """Write the word that waits for a partner, and the connectors after it."""
    if state[FIRST] >= 0:
        out[o] = state[FIRST]
        o += 1
        for k in range(state[LENGTH]):
            out[o] = state[PENDING + k]
            o += 1
    state[FIRST] = -1
    state[CHAIN] = 0
    state[LENGTH] = 0
    return o


@kernel
def join_pairs(stream, roles, slots, out, state):
    """Write a stream with the phrases of a table joined, from left to right; return how many items were written.

    Parameters
    ----------
    stream : int32
    roles : uint8
    slots : uint64 (2 * 2^n,)
        The phrases.
    out : int32, room for LONGEST_CHAIN + 1 more items than the stream has
    state : int64 (STATE_SIZE,)
        FIRST (-1 at the start), CHAIN, LENGTH and the connectors that wait; updated. Nothing waits after a sentence.
    """
    o = 0
    for i in range(len(stream)):
        number = np.int64(stream[i])
        role = roles[number] if number >= 0 else np.uint8(BREAK)
        if role == WORD:
            if state[FIRST] >= 0:
                key, chain = _key(state[FIRST], number), np.uint64(state[CHAIN])
                base = _find(slots, key, chain, _hash(key, chain))
                if slots[base] != _U0:
                    out[o] = np.int32(slots[base + _U1] & _VALUE)
                    o += 1
                    state[FIRST] = -1
                    state[CHAIN] = 0
                    state[LENGTH] = 0
                    continue
            o = _release(state, out, o)
            state[FIRST] = number
        elif role != BREAK and state[FIRST] >= 0 and state[LENGTH] < LONGEST_CHAIN:
            state[PENDING + state[LENGTH]] = number
            state[CHAIN] = (state[CHAIN] << 8) | np.int64(role)
            state[LENGTH] += 1
        else:
            o = _release(state, out, o)
            out[o] = number
            o += 1
    return o


@kernel
def spell(stream, arena, starts, out, state):
    """Write the words of a stream as text: blanks between words, a newline after each sentence.

    Parameters
    ----------
    stream : int32
    arena, starts : uint8, int64
        The bytes of word i are ``arena[starts[i]:starts[i + 1]]``.
    out : uint8
        Filled from its start.
    state : int64 (STATE_SIZE,)
        FIRST is -1 at the start of a line; updated. WRITTEN is set to the bytes written.

    Returns
    -------
    int
        How many items were read: fewer than there are if `out` is full.
    """
    o = np.uint64(0)
    room = np.uint64(len(out))
    inside = state[FIRST] >= 0
    read = len(stream)
    for i in range(len(stream)):
        number = stream[i]
        if number < 0:
            if o + _U1 > room:
                read = i
                break
            out[o] = 10
            o += _U1
            inside = False
        else:
            start, stop = np.uint64(starts[number]), np.uint64(starts[number + 1])
            if o + (stop - start) + _U1 > room:
                read = i
                break
            if inside:
                out[o] = 32
                o += _U1
            while start < stop:
                out[o] = arena[start]
                o += _U1
                start += _U1
            inside = True
    state[FIRST] = 0 if inside else -1
    state[WRITTEN] = np.int64(o)
    return read
