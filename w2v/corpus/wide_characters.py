"""Text of two or four bytes a character that does not say so, recognised by the characters that its bytes spell."""

from __future__ import annotations

from collections import Counter

__all__ = ["wide_encoding"]

_UNITS = {"utf-32-le": 4, "utf-32-be": 4, "utf-16-le": 2, "utf-16-be": 2}
_SPELLED = 0.9  # share of characters that text may be made of; programs and numbers stay below, zeros have none
_ZEROS = 0.2  # share of the bytes from which on zeros are those of Latin letters
_UPPER = 0.8  # share of the zeros that are upper bytes; the others belong to characters such as U+4E00
_ALPHABETS = 0.9  # share of the two most frequent blocks of 256 characters, such as Cyrillic letters and blanks


def wide_encoding(head: bytes) -> str | None:
    """Return the encoding of bytes that are text in UTF-16 or UTF-32 without a byte order mark, else None.

    Text has blanks or line ends, so that some of its bytes are zero. Nine in ten characters must be printable or
    blanks. In UTF-16 the zeros must be upper bytes; where they are few, as in Russian, two blocks of characters have
    to do, since any bytes make Chinese characters when they are taken in pairs, but none of one script. Of several
    encodings that fit, the one with the most characters below U+0100 is returned.

    Parameters
    ----------
    head : bytes
        The first bytes of a file.
    """
    zeros = head.count(0)
    if zeros < 2:
        return None
    fitting: dict[str, int] = {}
    for encoding, unit in _UNITS.items():
        text = head[: len(head) // unit * unit].decode(encoding, "replace")
        spelled = sum((c.isprintable() and c != "\ufffd") or c.isspace() for c in text)
        if text and spelled >= _SPELLED * len(text):
            blocks = Counter(ord(c) >> 8 for c in text)
            few = sum(count for _, count in blocks.most_common(2)) >= _ALPHABETS * len(text)
            upper = blocks[0] >= _UPPER * zeros
            if unit == 4 or (upper and (few or zeros >= _ZEROS * len(head))):
                fitting[encoding] = blocks[0]
    return max(fitting, key=lambda encoding: fitting[encoding], default=None)
