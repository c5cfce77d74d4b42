"""The character rewriter: UTF-8 text in, the same text as space-separated lower-case words or characters out.

What happens to a code point is looked up in a table (w2v.corpus.characters builds it), so that one loop serves all
tokenisers that look at characters.
"""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device, kernel

__all__ = [
    "APOSTROPHE",
    "CASED",
    "CASE_IGNORABLE",
    "DOTTED_I",
    "DROP",
    "IDEOGRAPH",
    "JOINER",
    "LINE_END",
    "MARK",
    "SPACE",
    "WORD",
    "rewrite",
]

# What to do with a code point: the low bits of its entry in the table
SPACE, LINE_END, WORD, IDEOGRAPH, MARK, APOSTROPHE, JOINER, DROP = range(8)
_WHAT = 0x0F
# Properties that decide about the lower case of a capital sigma (Unicode, section 3.13, Final_Sigma)
CASED, CASE_IGNORABLE = 0x10, 0x20

DOTTED_I = 0x130  # the only code point whose lower case is two: i and a dot above
_CAPITAL_SIGMA, _SIGMA, _FINAL_SIGMA = 0x3A3, 0x3C3, 0x3C2
_NOTHING = _LINE_START = -1


@device
def _decode(text, i, stop):
    """Return the code point at text[i] and its length in bytes, or (-1, 0) for invalid UTF-8."""
    lead = np.int64(text[i])
    if lead < 0x80:
        return lead, 1
    if lead < 0xC2 or lead > 0xF4:
        return _NOTHING, 0
    more = 1 + (lead >= 0xE0) + (lead >= 0xF0)
    if i + more >= stop:
        return _NOTHING, 0
    code = lead & (0x3F >> more)
    for k in range(1, more + 1):
        byte = np.int64(text[i + k])
        if byte & 0xC0 != 0x80:
            return _NOTHING, 0
        code = (code << 6) | (byte & 0x3F)
    if more == 2 and (code < 0x800 or 0xD800 <= code <= 0xDFFF):
        return _NOTHING, 0
    if more == 3 and not 0x10000 <= code <= 0x10FFFF:
        return _NOTHING, 0
    return code, more + 1


@device
def _encode(code, out, o):
    """Write a code point at out[o] and return the index after it."""
    if code < 0x80:
        out[o] = code
        return o + 1
    if code < 0x800:
        out[o] = 0xC0 | (code >> 6)
        out[o + 1] = 0x80 | (code & 0x3F)
        return o + 2
    if code < 0x10000:
        out[o] = 0xE0 | (code >> 12)
        out[o + 1] = 0x80 | ((code >> 6) & 0x3F)
        out[o + 2] = 0x80 | (code & 0x3F)
        return o + 3
    out[o] = 0xF0 | (code >> 18)
    out[o + 1] = 0x80 | ((code >> 12) & 0x3F)
    out[o + 2] = 0x80 | ((code >> 6) & 0x3F)
    out[o + 3] = 0x80 | (code & 0x3F)
    return o + 4


@device
def _sigma(text, i, start, stop, table):
    """Return the lower case of the capital sigma at text[i]: final after a cased letter if none follows."""
    before = False
    j = i
    while j > start:
        j -= 1
        while j > start and text[j] & 0xC0 == 0x80:
            j -= 1
        code, _ = _decode(text, j, stop)
        if table[code] & CASE_IGNORABLE == 0:
            before = table[code] & CASED != 0
            break
    if not before:
        return _SIGMA
    j = i + 2
    while j < stop:
        code, size = _decode(text, j, stop)
        if code < 0:
            break
        if table[code] & CASE_IGNORABLE == 0:
            if table[code] & CASED != 0:
                return _SIGMA
            break
        j += size
    return _FINAL_SIGMA


@device
def _continues_word(text, i, stop, table):
    if i >= stop:
        return False
    code, _ = _decode(text, i, stop)
    what = table[max(code, 0)] & _WHAT
    return what == WORD or what == MARK


@kernel
def rewrite(text, start, stop, out, table, lower):
    """Rewrite ``text[start:stop]``, which begins and ends at white space or at the ends of a file.

    Parameters
    ----------
    text, out : uint8
        Source and target; the target needs twice the bytes of the source.
    table : uint8 (0x110000,)
        What to do with each code point, and its CASED and CASE_IGNORABLE bits.
    lower : int32 (0x110000,)
        The code point to write for each code point; that of the capital sigma is decided by its neighbours.

    Returns
    -------
    tuple of int
        Bytes written, and the index of the first byte that is not valid UTF-8 or -1. Nothing after it is written.
    """
    i = start
    o = 0
    previous = _LINE_START
    lowering = lower[_CAPITAL_SIGMA] == _SIGMA
    while i < stop:
        code, size = _decode(text, i, stop)
        if code < 0:
            return o, i
        what = table[code] & _WHAT
        if what == APOSTROPHE:
            what = WORD if previous == WORD and _continues_word(text, i + size, stop, table) else SPACE
        elif what == JOINER:
            what = MARK if previous == WORD and _continues_word(text, i + size, stop, table) else DROP
        if what == WORD or what == MARK or what == IDEOGRAPH:
            if what != MARK:
                # a mark belongs to whatever it follows; everything else parts from an ideograph
                if previous == IDEOGRAPH or (what == IDEOGRAPH and previous == WORD):
                    out[o] = 32
                    o += 1
                previous = what
            elif previous != IDEOGRAPH:
                previous = WORD
            target = np.int64(lower[code])
            if target == code:
                for k in range(size):
                    out[o + k] = text[i + k]
                o += size
            elif code == DOTTED_I:
                out[o] = 0x69
                out[o + 1] = 0xCC
                out[o + 2] = 0x87
                o += 3
            else:
                if code == _CAPITAL_SIGMA and lowering:
                    target = _sigma(text, i, start, stop, table)
                o = _encode(target, out, o)
        elif what == SPACE:
            out[o] = 32
            o += previous != SPACE
            previous = SPACE
        elif what == LINE_END:
            out[o] = 10
            o += 1
            previous = _LINE_START  # a line of gaps alone becomes a space, not nothing
        i += size
    return o, -1
