"""UTF-8, as Unicode defines it (table 3-7): one character of a text, valid or not."""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device

__all__ = ["character_at"]


@device
def character_at(text, i, stop):
    """Return the code point at i, or -1, and its bytes; invalid bytes as many as Python's decoder takes together.

    A sequence that is cut off by the end has size 0.
    """
    lead = np.int64(text[i])
    if lead < 0x80:
        return lead, 1
    low, high = 0x80, 0xBF
    if 0xC2 <= lead <= 0xDF:
        more, code = 1, lead & 0x1F
    elif 0xE0 <= lead <= 0xEF:
        more, code = 2, lead & 0x0F
        if lead == 0xE0:
            low = 0xA0
        elif lead == 0xED:
            high = 0x9F
    elif 0xF0 <= lead <= 0xF4:
        more, code = 3, lead & 0x07
        if lead == 0xF0:
            low = 0x90
        elif lead == 0xF4:
            high = 0x8F
    else:
        return -1, 1
    for k in range(1, more + 1):
        if i + k >= stop:
            return -1, 0
        byte = np.int64(text[i + k])
        if not low <= byte <= high:
            return -1, k
        code = (code << 6) | (byte & 0x3F)
        low, high = 0x80, 0xBF
    return code, more + 1
