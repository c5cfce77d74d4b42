"""The text scanner: bytes in, numbers of words out, in one pass.

A token is a run of bytes other than space, tab, newline and carriage return; a newline ends a sentence. Every
distinct token (a *type*) gets a provisional number in order of first appearance from an open-addressing table.

The table is a flat uint64 array of four columns a slot, so that a look-up touches one cache line:

    key, key1   the token itself, 8 + 7 bytes, if it is shorter than 16 bytes and holds no byte below 0x20;
                else its hash (lowest bit set) and its length * 256, and the bytes are compared in the arena
    number      provisional number
    count       occurrences

key = 0 marks a free slot: no short token starts with a zero byte. A short token has a zero low byte in key1 only
where all of key1 is zero, so the two forms cannot meet. The bytes of all types lie one after the other in the
arena, ``starts[i]:starts[i + 1]`` for type i.

Eight bytes are read at a time through an overlapping view (`eight_byte_view`); the machine is little-endian, as
everywhere numba runs. Where a buffer is called *padded*, PADDING readable bytes follow its last valid one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from w2v.kernels._jit import device, kernel
from w2v.kernels.utf8 import character_at

__all__ = [
    "COMPLETE",
    "GROW",
    "INVALID",
    "PADDING",
    "SENTENCE_END",
    "STATE_SIZE",
    "eight_byte_view",
    "grow_table",
    "scan",
]

PADDING = 32
SENTENCE_END = -1  # in a stream of provisional numbers
COMPLETE, GROW, INVALID = 0, 1, 2  # why the scanner came back

# the scanner's memory between calls, an int64 array
STATUS, POSITION, WRITTEN, TYPES, ARENA_USED, LINES, TOKENS, LINE_TOKENS, LONGEST_LINE = range(9)
STATE_SIZE = 16

_ONES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)
_CONTROLS = np.uint64(0x2121212121212121)
_M1 = np.uint64(0x9E3779B97F4A7C15)
_M2 = np.uint64(0xBF58476D1CE4E5B9)
_U0, _U1, _U2, _U3, _U7, _U8 = (np.uint64(n) for n in (0, 1, 2, 3, 7, 8))
_S29, _S32, _S56 = np.uint64(29), np.uint64(32), np.uint64(56)


def eight_byte_view(padded: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return an overlapping uint64 view of a uint8 buffer: item i holds bytes i to i + 7, the first the lowest.

    numpy marks such a view as unaligned, and numba then emits unaligned loads.
    """
    return np.ndarray(shape=(len(padded) - 7,), dtype=np.uint64, buffer=padded, strides=(1,))


@device
def _first_below_space(eight):
    """Return marks of bytes up to 0x20; the lowest mark (bit 7 of its byte) is exact, those above may be wrong."""
    return (eight - _CONTROLS) & ~eight & _HIGHS


@device
def _bytes_before(marks):
    """Return a mask of the bytes before the lowest mark: all eight if there is none."""
    return ((marks & (~marks + _U1)) >> _U7) - _U1


@device
def _mask_length(mask):
    return ((mask & _ONES) * _ONES) >> _S56


@device
def _home(key, key1):
    """Return the hash from which a slot is chosen."""
    h = (key ^ (key1 * _M2)) * _M1
    return h ^ (h >> _S32)


@device
def _is_space(byte):
    return byte == 32 or byte == 10 or byte == 13 or byte == 9


@device
def _long_token(text, text8, start):
    """Return the end of the token at start (a separator must follow) and the hash of its bytes."""
    h = _M2
    p = start
    while True:
        eight = text8[p]
        marks = _first_below_space(eight)
        mask = _bytes_before(marks)
        h = ((h ^ (eight & mask)) * _M1) ^ (h >> _S29)
        h ^= h >> _S32
        p += _mask_length(mask)
        if marks != _U0:
            byte = text[p]
            if _is_space(byte):
                return p, h
            h = (h ^ np.uint64(byte)) * _M2  # a control character within the token
            p += _U1


@device
def _same_bytes(a, i, b, j, length):
    different = np.uint8(0)
    for k in range(length):
        different |= a[i + k] ^ b[j + k]
    return different == 0


@device
def _invalid_utf8(text, start, stop):
    """Return the index of the first byte that begins no valid UTF-8 sequence, or -1."""
    i = start
    while i < stop:
        if text[i] < 0x80:
            i += 1
            continue
        code, size = character_at(text, i, stop)
        if code < 0:
            return i
        i += size
    return -1


@device
def _find(key, key1, is_long, text, start, length, slots, arena, starts):
    """Return the base index of the slot that holds the token, or of the free slot where it belongs."""
    mask = np.uint64((len(slots) >> 2) - 1)
    slot = _home(key, key1) & mask
    while True:
        base = slot << _U2
        found = slots[base]
        if found == key and slots[base + _U1] == key1:
            if not is_long:
                return base
            if _same_bytes(arena, starts[np.int64(slots[base + _U2])], text, start, length):
                return base
        if found == _U0:
            return base
        slot = (slot + _U1) & mask


@device
def _insert(base, key, key1, text, start, length, slots, arena, starts, state):
    """Put a new type into a free slot; the caller has checked that there is room."""
    number = state[TYPES]
    used = state[ARENA_USED]
    slots[base] = key
    slots[base + _U1] = key1
    slots[base + _U2] = np.uint64(number)
    for k in range(length):
        arena[used + k] = text[start + k]
    state[TYPES] = number + 1
    state[ARENA_USED] = used + length
    starts[number + 1] = used + length


@device
def _room(length, slots, arena, starts, state):
    types = state[TYPES]
    return 2 * types < (len(slots) >> 2) and types + 1 < len(starts) and state[ARENA_USED] + length <= len(arena)


@kernel
def scan(text, text8, start, stop, out, slots, arena, starts, state, check):
    """Number the tokens of ``text[start:stop]`` and write the numbers, SENTENCE_END after each sentence, to out.

    Parameters
    ----------
    text : uint8, padded
        ``text[stop]`` must be a space. A token that reaches stop is incomplete and left for the next call.
    text8 : uint64
        `eight_byte_view` of text.
    out : int32, at least stop - start items
    slots, arena, starts : uint64 (4 * 2^n,), uint8, int64
        The table, changed in place.
    state : int64 (STATE_SIZE,)
        On return STATUS says why: COMPLETE; GROW (the next token is a new type and there is no room: call
        `grow_table` and come again); INVALID (not UTF-8). POSITION is the first byte that is not consumed, or the
        invalid one; WRITTEN the number of items of out. Empty sentences count as LINES and leave no mark.
    check : bool
        Whether new types must be valid UTF-8. An invalid token is new when it first comes, so this finds the
        first invalid byte at no cost for each token.
    """
    i = np.uint64(start)
    end_of_text = np.uint64(stop)
    o = np.uint64(0)
    mask = np.uint64((len(slots) >> 2) - 1)
    tokens = 0
    line_tokens = state[LINE_TOKENS]
    status = COMPLETE
    while i < end_of_text:
        eight = text8[i]
        marks = _first_below_space(eight)
        before = _bytes_before(marks)
        key = eight & before
        key1 = _U0
        end = i + _mask_length(before)
        is_long = False
        if marks == _U0:
            eight = text8[end]
            marks = _first_below_space(eight)
            before = _bytes_before(marks)
            key1 = eight & before
            end += _mask_length(before)
            is_long = marks == _U0
        separator = text[end]
        if is_long or not _is_space(separator):
            end, h = _long_token(text, text8, i)
            separator = text[end]
            key = h | _U1
            key1 = (end - i) << _U8
            is_long = True
        if end >= end_of_text:
            break
        if end != i:
            slot = _home(key, key1) & mask
            base = slot << _U2
            if is_long or slots[base] != key or slots[base + _U1] != key1:
                length = np.int64(end - i)
                base = _find(key, key1, is_long, text, np.int64(i), length, slots, arena, starts)
                if slots[base] == _U0:
                    if check:
                        bad = _invalid_utf8(text, np.int64(i), np.int64(end))
                        if bad >= 0:
                            i = np.uint64(bad)
                            status = INVALID
                            break
                    if not _room(length, slots, arena, starts, state):
                        status = GROW
                        break
                    _insert(base, key, key1, text, np.int64(i), length, slots, arena, starts, state)
            out[o] = np.int32(slots[base + _U2])
            o += _U1
            slots[base + _U3] += _U1
            line_tokens += 1
        i = end + _U1
        if separator == 10:
            state[LINES] += 1
            if line_tokens > 0:
                out[o] = SENTENCE_END
                o += _U1
                tokens += line_tokens
                state[LONGEST_LINE] = max(state[LONGEST_LINE], line_tokens)
                line_tokens = 0
    state[STATUS] = status
    state[POSITION] = np.int64(i)
    state[WRITTEN] = np.int64(o)
    state[TOKENS] += tokens
    state[LINE_TOKENS] = line_tokens


@kernel
def grow_table(slots, larger):
    """Copy all types of a table into an empty one of more slots."""
    mask = np.uint64((len(larger) >> 2) - 1)
    for slot in range(len(slots) >> 2):
        base = 4 * slot
        key = slots[base]
        if key != _U0:
            key1 = slots[base + 1]
            target = _home(key, key1) & mask
            while larger[target << _U2] != _U0:
                target = (target + _U1) & mask
            for column in range(4):
                larger[(target << _U2) + np.uint64(column)] = slots[base + column]
