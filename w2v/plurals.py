"""A number with its noun, as messages have it: 1 word, 2,000 words."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1.

    Parameters
    ----------
    number : int
    noun : str
        In the singular; its plural ends in s, or it is several words of which the last one does.
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
