"""The survey of a text before a training: one pass over its bytes that counts what a careful reader would notice.

A token is what the text scanner takes for one: a run of characters other than space, tab, newline and carriage
return. Nothing is kept of the text but counts, where each thing was met first, and two samples of bounded size: the
hashes of tokens and of lines. A text may come in pieces of any size; what is open at the end of one, be it a token or
a line, goes on in the next.
"""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device, kernel
from w2v.kernels.sampling import add, mix_to_key
from w2v.kernels.utf8 import character_at

__all__ = ["inspect"]

COMPLETE, GROW = 0, 1

# what a character is: bits
GAP, LETTER, DIGIT, PUNCTUATION, UPPER, HAN, UNICODE_SPACE, INVISIBLE, CONTROL, REPLACEMENT = (
    1 << n for n in range(10)
)

# what is counted; each has a place where it was met first
(
    INVALID,  # sequences of bytes that are not UTF-8
    CONTROLS,  # characters
    REPLACED,
    UNICODE_SPACES,
    INVISIBLES,
    MISREAD,  # two characters that were one before somebody read UTF-8 as Latin-1
    CARRIAGE_RETURNS,  # without a line feed after them
    TABS,
    COMMAS,  # between two letters
    SEMICOLONS,
    BARS,
    TAGS,
    ENTITIES,
    ADDRESSES,
    WIKI_BRACKETS,
    PUNCTUATED,  # tokens: with a letter or digit, and with punctuation at an end
    WITH_DIGITS,
    CAPITALISED,  # with an upper-case letter
    OF_HAN,  # that begin with a Han character or kana
    HAN_CHARACTERS,  # characters of these tokens
    LONG_TOKENS,  # of more than LONG bytes
    CRLF,  # lines
    EMPTY,
    OF_ONE,
    REPEATED,  # that were met before, as far as the sample tells
) = range(25)
KINDS = 25
LONG = 100

(
    STATUS,
    POSITION,
    PLACE,  # file and line as one number, the line in the lower 40 bits
    LINES,
    TOKENS,
    CHARACTERS,
    LINE_TOKENS,
    LONGEST_LINE,
    LONGEST_LINE_PLACE,
    LONGEST_TOKEN,
    LONGEST_TOKEN_PLACE,
    TOKEN_START,  # index in the buffer; may lie before it
    TOKEN_BYTES,
    TOKEN_CHARACTERS,
    TOKEN_CLASSES,
    TOKEN_FIRST,
    PREVIOUS,
    PREVIOUS_CLASS,
    BEFORE_CLASS,
    TAG_START,
    TAG_LENGTH,
    ENTITY_LENGTH,
    TYPES_USED,
    TYPES_LEVEL,
    LINES_USED,
    LINES_LEVEL,
) = range(26)
STATE_SIZE = 26
TOKEN_HASH, LINE_HASH = range(2)  # in hashes, uint64
HISTORY = 512  # bytes that lie before `start`, if only those of the call before

_PRIME = np.uint64(0x00000100000001B3)
_M1 = np.uint64(0x9E3779B97F4A7C15)
_U0 = np.uint64(0)
_MOST_TAG, _MOST_ENTITY = 200, 10
_NO_CODE = 0x110000  # all that is not valid is one and the same character
_MARK_AS_MISREAD = 0x20AC


@device
def _met(kind, at, state, counts, first_at, first_place):
    if counts[kind] == 0:
        first_at[kind] = at
        first_place[kind] = state[PLACE]
    counts[kind] += 1


@device
def _end_token(i, state, hashes, counts, first_at, first_place, types):
    start, classes = state[TOKEN_START], state[TOKEN_CLASSES]
    state[TOKENS] += 1
    state[LINE_TOKENS] += 1
    ends = state[TOKEN_FIRST] | state[PREVIOUS_CLASS]
    if ends & PUNCTUATION and classes & (LETTER | DIGIT):
        _met(PUNCTUATED, start, state, counts, first_at, first_place)
    if classes & DIGIT:
        _met(WITH_DIGITS, start, state, counts, first_at, first_place)
    if classes & UPPER:
        _met(CAPITALISED, start, state, counts, first_at, first_place)
    if state[TOKEN_FIRST] & HAN:
        _met(OF_HAN, start, state, counts, first_at, first_place)
        counts[HAN_CHARACTERS] += state[TOKEN_CHARACTERS]
    if state[TOKEN_BYTES] > LONG:
        _met(LONG_TOKENS, start, state, counts, first_at, first_place)
    if state[TOKEN_BYTES] > state[LONGEST_TOKEN]:
        state[LONGEST_TOKEN] = state[TOKEN_BYTES]
        state[LONGEST_TOKEN_PLACE] = state[PLACE]
    h = mix_to_key(hashes[TOKEN_HASH])
    hashes[LINE_HASH] = (hashes[LINE_HASH] ^ h) * _M1
    if add(types, h, state[TYPES_LEVEL], state[PLACE]) == 1:
        state[TYPES_USED] += 1
    state[TOKEN_BYTES] = 0


@device
def _end_line(i, state, hashes, counts, first_at, first_place, lengths, lines):
    tokens = state[LINE_TOKENS]
    state[LINES] += 1
    lengths[min(tokens, len(lengths) - 1)] += 1
    if state[PREVIOUS] == 13:
        _met(CRLF, i, state, counts, first_at, first_place)
    if tokens == 0:
        _met(EMPTY, i, state, counts, first_at, first_place)
    elif tokens == 1:
        _met(OF_ONE, state[TOKEN_START], state, counts, first_at, first_place)
    if tokens > state[LONGEST_LINE]:
        state[LONGEST_LINE] = tokens
        state[LONGEST_LINE_PLACE] = state[PLACE]
    if tokens > 0:
        found = add(lines, mix_to_key(hashes[LINE_HASH]), state[LINES_LEVEL], state[PLACE])
        if found == 1:
            state[LINES_USED] += 1
        elif found == 2:
            _met(REPEATED, i, state, counts, first_at, first_place)
    state[LINE_TOKENS] = 0
    state[PLACE] += 1
    hashes[LINE_HASH] = _U0


@device
def _address_begins(text, i):
    """Return whether the slash at i is the second one of ``http://`` or ``https://``."""
    if text[i - 1] != 47 or text[i - 2] != 58:
        return False
    p = i - 3
    if text[p] == 115:
        p -= 1
    return text[p] == 112 and text[p - 1] == 116 and text[p - 2] == 116 and text[p - 3] == 104


@device
def _markup(text, c, cls, i, state, counts, first_at, first_place):
    """Follow tags, entities, addresses and the brackets of wikis through their characters."""
    length = state[TAG_LENGTH]
    if c == 60:  # <
        state[TAG_START], state[TAG_LENGTH] = i, 1
    elif length > 0:
        if length == 1 and not (cls & LETTER or c == 47 or c == 33 or c == 63):  # / ! ?
            state[TAG_LENGTH] = 0
        elif c == 62:  # >
            _met(TAGS, state[TAG_START], state, counts, first_at, first_place)
            state[TAG_LENGTH] = 0
        else:
            state[TAG_LENGTH] = length + 1 if length < _MOST_TAG else 0
    length = state[ENTITY_LENGTH]
    if c == 38:  # &
        state[ENTITY_LENGTH] = 1
    elif length > 0:
        if c == 59 and length > 2:  # ;
            _met(ENTITIES, i - length, state, counts, first_at, first_place)
            state[ENTITY_LENGTH] = 0
        elif c < 128 and (cls & (LETTER | DIGIT) or (c == 35 and length == 1)) and length < _MOST_ENTITY:
            state[ENTITY_LENGTH] = length + 1
        else:
            state[ENTITY_LENGTH] = 0
    if c == 47 and _address_begins(text, i):
        _met(ADDRESSES, state[TOKEN_START], state, counts, first_at, first_place)
    if (c == 91 or c == 123) and state[PREVIOUS] == c:  # [[ {{
        _met(WIKI_BRACKETS, i - 1, state, counts, first_at, first_place)


@device
def _in_token(c, cls, i, state, counts, first_at, first_place):
    """Count what a character within a token says by itself, or with the one before it."""
    previous, start = state[PREVIOUS], state[TOKEN_START]
    if cls & (CONTROL | REPLACEMENT | UNICODE_SPACE | INVISIBLE):
        if cls & CONTROL:
            _met(CONTROLS, start, state, counts, first_at, first_place)
        elif cls & REPLACEMENT:
            _met(REPLACED, start, state, counts, first_at, first_place)
        elif cls & UNICODE_SPACE:
            _met(UNICODE_SPACES, start, state, counts, first_at, first_place)
        else:
            _met(INVISIBLES, start, state, counts, first_at, first_place)
    if ((previous == 0xC2 or previous == 0xC3) and 0x80 <= c <= 0xBF) or (previous == 0xE2 and c == _MARK_AS_MISREAD):
        _met(MISREAD, start, state, counts, first_at, first_place)
    if cls & LETTER and state[BEFORE_CLASS] & LETTER:
        if previous == 44:
            _met(COMMAS, start, state, counts, first_at, first_place)
        elif previous == 59:
            _met(SEMICOLONS, start, state, counts, first_at, first_place)
        elif previous == 124:
            _met(BARS, start, state, counts, first_at, first_place)


@kernel
def inspect(text, start, stop, final, classes, state, hashes, counts, first_at, first_place, lengths, types, lines):
    """Go through ``text[start:stop]`` and count.

    Parameters
    ----------
    text : uint8
        With HISTORY bytes before start, so that what came before can be looked at.
    final : bool
        Whether a character that is cut off at `stop` is damaged; otherwise it is left for the next call.
    classes : uint16 (0x110000,)
        The bits of each character.
    state, hashes : int64 (STATE_SIZE,), uint64 (2,)
        What is open. On return STATUS is COMPLETE, or GROW where one of the samples is half full (call `resample` and
        come again), and POSITION the first byte that was not consumed.
    counts, first_at, first_place : int64 (KINDS,)
        Occurrences of each kind, and the index in text and the PLACE of its first one.
    lengths : int64
        Lines by their tokens; the last item counts all that are longer.
    types, lines : uint64 (3 * 2^n,)
        The samples of tokens and of lines.
    """
    i = start
    status = COMPLETE
    characters = 0
    while i < stop:
        c, size = character_at(text, i, stop)
        if size == 0:
            if not final:
                break
            size = stop - i
        if c < 0:
            _met(INVALID, i, state, counts, first_at, first_place)
            c = _NO_CODE
            cls = np.int64(0)
        else:
            cls = np.int64(classes[c])
        if cls & GAP:
            ends = state[TOKEN_BYTES] > 0
            if ends or c == 10:
                if 6 * state[TYPES_USED] >= len(types) or 6 * state[LINES_USED] >= len(lines):
                    status = GROW
                    break
                if ends:
                    _end_token(i, state, hashes, counts, first_at, first_place, types)
                if c == 10:
                    _end_line(i, state, hashes, counts, first_at, first_place, lengths, lines)
            if c == 9:
                _met(TABS, i, state, counts, first_at, first_place)
            if state[PREVIOUS] == 13 and c != 10:
                _met(CARRIAGE_RETURNS, i - 1, state, counts, first_at, first_place)
            if c == 10:
                state[TAG_LENGTH] = 0
        else:
            if state[TOKEN_BYTES] == 0:
                if state[PREVIOUS] == 13:
                    _met(CARRIAGE_RETURNS, i - 1, state, counts, first_at, first_place)
                state[TOKEN_START] = i
                state[TOKEN_FIRST] = cls
                state[TOKEN_CLASSES] = 0
                state[TOKEN_CHARACTERS] = 0
                hashes[TOKEN_HASH] = _M1
            hashes[TOKEN_HASH] = (hashes[TOKEN_HASH] ^ np.uint64(c)) * _PRIME
            state[TOKEN_BYTES] += size
            state[TOKEN_CHARACTERS] += 1
            state[TOKEN_CLASSES] |= cls
            _in_token(c, cls, i, state, counts, first_at, first_place)
        if cls & (GAP | PUNCTUATION) or state[TAG_LENGTH] > 0 or state[ENTITY_LENGTH] > 0:
            _markup(text, c, cls, i, state, counts, first_at, first_place)
        characters += 1
        state[BEFORE_CLASS] = state[PREVIOUS_CLASS]
        state[PREVIOUS_CLASS] = cls
        state[PREVIOUS] = c
        i += size
        if cls & LETTER and c < 128 and state[TAG_LENGTH] == 0 and state[ENTITY_LENGTH] == 0:
            # the rest of a run of ASCII letters and digits, of which nothing is to be said: most of most texts
            run = i
            h = hashes[TOKEN_HASH]
            upper = np.int64(0)
            while i < stop and text[i] < 128:
                c = np.int64(text[i])
                cls = np.int64(classes[c])
                if not cls & (LETTER | DIGIT):
                    break
                upper |= cls
                h = (h ^ np.uint64(c)) * _PRIME
                i += 1
            if i > run:
                hashes[TOKEN_HASH] = h
                state[TOKEN_BYTES] += i - run
                state[TOKEN_CHARACTERS] += i - run
                state[TOKEN_CLASSES] |= upper
                state[PREVIOUS_CLASS] = np.int64(classes[text[i - 1]])
                state[PREVIOUS] = np.int64(text[i - 1])
                characters += i - run
    state[STATUS] = status
    state[POSITION] = i
    state[CHARACTERS] += characters
