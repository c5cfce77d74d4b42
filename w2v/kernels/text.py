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

The scanner works by batches: it cuts so many tokens, makes their keys and asks for their slots, and then looks them
up, so that the slots are on the way from memory while others are computed.

Eight bytes are read at a time through an overlapping view (`eight_byte_view`); the machine is little-endian, as
everywhere numba runs. Where a buffer is called *padded*, PADDING readable bytes follow its last valid one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from w2v.kernels._jit import device, kernel
from w2v.kernels.bytes import BLOCK, first_bit, marks_of
from w2v.kernels.simd import prefetch
from w2v.kernels.utf8 import character_at

__all__ = [
    "COMPLETE",
    "GROW",
    "INVALID",
    "PADDING",
    "SENTENCE_END",
    "STATE_SIZE",
    "cut_arrays",
    "eight_byte_view",
    "grow_table",
    "scan",
]

PADDING = BLOCK
SENTENCE_END = -1  # in a stream of provisional numbers
COMPLETE, GROW, INVALID = 0, 1, 2  # why the scanner came back

# the scanner's memory between calls, an int64 array
STATUS, POSITION, WRITTEN, TYPES, ARENA_USED, LINES, TOKENS, LINE_TOKENS, LONGEST_LINE = range(9)
STATE_SIZE = 16

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_M1 = np.uint64(0x9E3779B97F4A7C15)
_M2 = np.uint64(0xBF58476D1CE4E5B9)
_U0, _U1, _U2, _U3, _U8, _U16, _U255 = (np.uint64(n) for n in (0, 1, 2, 3, 8, 16, 255))
_S29, _S32 = np.uint64(29), np.uint64(32)


def cut_arrays(batch: int = 256) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the scratch arrays of `scan`, for a batch of at least BLOCK tokens: their ends; keys and home slots."""
    return np.zeros(batch, np.int64), np.zeros((batch, 3), np.uint64)


def eight_byte_view(padded: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return an overlapping uint64 view of a uint8 buffer: item i holds bytes i to i + 7, the first the lowest.

    numpy marks such a view as unaligned, and numba then emits unaligned loads.
    """
    return np.ndarray(shape=(len(padded) - 7,), dtype=np.uint64, buffer=padded, strides=(1,))


@device
def _home(key, key1):
    """Return the hash from which a slot is chosen."""
    h = (key ^ (key1 * _M2)) * _M1
    return h ^ (h >> _S32)


@device
def _short_key(text8, start, length):
    """Return the bytes of a token of up to 15 bytes as two numbers."""
    if length <= _U8:
        return text8[start] & (_ALL >> ((_U8 - length) << _U3)), _U0
    return text8[start], text8[start + _U8] & (_ALL >> ((_U16 - length) << _U3))


@device
def _hash(text8, start, length):
    """Return a hash of the bytes of a token that is not empty."""
    h = _M2
    while length > _U8:
        h = ((h ^ text8[start]) * _M1) ^ (h >> _S29)
        h ^= h >> _S32
        start += _U8
        length -= _U8
    h = ((h ^ (text8[start] & (_ALL >> ((_U8 - length) << _U3)))) * _M1) ^ (h >> _S29)
    return h ^ (h >> _S32)


@device
def _has_control(text, start, stop):
    for i in range(start, stop):
        if text[i] < 0x20:
            return True
    return False


@device
def _cut(text, start, stop, ends):
    """Write the places of the next separators in text[start:stop] to ends; return their number, and whether any byte
    passed is a control character.
    """
    n, at, seen = 0, start, _U0
    while at < stop and n + BLOCK <= len(ends):
        separators, controls = marks_of(text, at)
        if at + BLOCK > stop:
            inside = (_U1 << np.uint64(stop - at)) - _U1
            separators &= inside
            controls &= inside
        seen |= controls
        while separators != _U0:
            ends[n] = at + np.int64(first_bit(separators))
            separators &= separators - _U1
            n += 1
        at += BLOCK
    return n, seen != _U0


@device
def _make_keys(text, text8, first, ends, n, controls, slots, keys):
    """Write key, key1 and home slot of the n tokens from `first` on, and ask for the slots."""
    mask = np.uint64((len(slots) >> 2) - 1)
    for t in range(n):
        end = np.uint64(ends[t])
        length = end - first
        if length != _U0:
            if length >= _U16 or (controls and _has_control(text, np.int64(first), np.int64(end))):
                key, key1 = _hash(text8, first, length) | _U1, length << _U8
            else:
                key, key1 = _short_key(text8, first, length)
            base = (_home(key, key1) & mask) << _U2
            prefetch(slots, base)
            keys[t, 0] = key
            keys[t, 1] = key1
            keys[t, 2] = base
        first = end + _U1


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
def scan(text, text8, start, stop, out, slots, arena, starts, state, check, cuts):
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
    cuts : tuple of arrays
        See `cut_arrays`.
    """
    ends, keys = cuts
    first = np.uint64(start)
    o = np.uint64(0)
    tokens = 0
    line_tokens = state[LINE_TOKENS]
    status = COMPLETE
    while status == COMPLETE:
        n, controls = _cut(text, np.int64(first), stop, ends)
        if n == 0:
            break
        _make_keys(text, text8, first, ends, n, controls, slots, keys)
        for t in range(n):
            end = np.uint64(ends[t])
            if end != first:
                key, key1, base = keys[t, 0], keys[t, 1], keys[t, 2]
                is_long = key1 != _U0 and key1 & _U255 == _U0
                if is_long or slots[base] != key or slots[base + _U1] != key1:
                    length = np.int64(end - first)
                    base = _find(key, key1, is_long, text, np.int64(first), length, slots, arena, starts)
                    if slots[base] == _U0:
                        if check:
                            bad = _invalid_utf8(text, np.int64(first), np.int64(end))
                            if bad >= 0:
                                first = np.uint64(bad)
                                status = INVALID
                                break
                        if not _room(length, slots, arena, starts, state):
                            status = GROW
                            break
                        _insert(base, key, key1, text, np.int64(first), length, slots, arena, starts, state)
                out[o] = np.int32(slots[base + _U2])
                o += _U1
                slots[base + _U3] += _U1
                line_tokens += 1
            if text[end] == 10:
                state[LINES] += 1
                if line_tokens > 0:
                    out[o] = SENTENCE_END
                    o += _U1
                    tokens += line_tokens
                    state[LONGEST_LINE] = max(state[LONGEST_LINE], line_tokens)
                    line_tokens = 0
            first = end + _U1
    state[STATUS] = status
    state[POSITION] = np.int64(first)
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
