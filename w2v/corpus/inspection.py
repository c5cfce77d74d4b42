"""What a text is like: its bytes counted in one pass, in memory that does not grow with it."""

from __future__ import annotations

import dataclasses
import functools
import unicodedata
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from w2v.corpus.characters import ASKED, IDEOGRAPHS, LETTERS
from w2v.kernels import inspection as k
from w2v.kernels.sampling import resample

__all__ = ["Inspector", "Place", "Sample", "character_classes"]

_BUFFER = 1 << 20
_FIRST_SLOTS, _MOST_SLOTS = 1 << 14, 1 << 21
_LONGEST_COUNTED = 1 << 16  # tokens of a line that are told apart
_LINE_BITS = 40
_SHOWN = 60  # characters of an example
_JOINERS = "\u200c\u200d"  # which Persian and Hindi words need


class _Readable(Protocol):
    def readinto(self, target: memoryview) -> int: ...


@dataclasses.dataclass(frozen=True)
class Place:
    """Where something was met first.

    Attributes
    ----------
    file : str
    line : int
        From 1.
    byte : int or None
        In the decompressed file, from 0.
    text : str or None
        What stands there.
    """

    file: str
    line: int
    byte: int | None = None
    text: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@functools.cache
def character_classes() -> NDArray[np.uint16]:
    """Return the bits of each code point (0x110000,) that `w2v.kernels.inspection` looks at."""
    classes = np.zeros(0x110000, dtype=np.uint16)
    of_category = {"L": k.LETTER, "M": k.LETTER, "N": k.DIGIT, "P": k.PUNCTUATION, "S": k.PUNCTUATION}
    special = {"Lu": k.LETTER | k.UPPER, "Lt": k.LETTER | k.UPPER, "Cf": k.INVISIBLE, "Cc": k.CONTROL}
    for block in LETTERS:
        classes[block.start : block.stop] = k.LETTER
    for block in ASKED:
        for code in block:
            character = chr(code)
            category = unicodedata.category(character)
            classes[code] = special.get(category) or of_category.get(category[0], 0)
            if character.isspace() and code > 0x7F:
                classes[code] = k.UNICODE_SPACE
    for first, last in IDEOGRAPHS:
        classes[first : last + 1] |= np.where(classes[first : last + 1] & k.LETTER, k.HAN, 0).astype(np.uint16)
    classes[[ord(character) for character in " \t\n\r"]] = k.GAP
    classes[[ord(character) for character in _JOINERS]] = k.LETTER
    classes[0xFFFD] = k.REPLACEMENT
    return classes


class Sample:
    """Hashes of distinct things with their counts: all of them, or a random part when there are too many.

    Parameters
    ----------
    most : int
        Slots at most, a power of two; half as many things are held.

    Attributes
    ----------
    level : int
        What is held is 1 in 2^level of the distinct things.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.level = 0
        self.table: NDArray[np.uint64] = np.zeros(3 * min(_FIRST_SLOTS, most), dtype=np.uint64)

    def make_room(self) -> int:
        """Grow, or let half of it go; returns how many things it holds now."""
        slots = len(self.table) // 3
        larger = min(2 * slots, self._most)
        while True:
            self.level += larger == slots
            table = np.zeros(3 * larger, dtype=np.uint64)
            used = int(resample(self.table, self.level, table))
            self.table = table
            if 2 * used < larger:
                return used

    def found(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return occurrences (n,) and first places (n,) of the things held."""
        rows = self.table.reshape(-1, 3)
        rows = rows[rows[:, 0] != 0]
        return rows[:, 1].astype(np.int64), rows[:, 2].astype(np.int64)


class Inspector:
    """Counts what is in a text.

    Parameters
    ----------
    buffer, most_slots : int, optional
        Bytes looked at by one call, and the size of each of the two samples, 24 bytes a slot.

    Attributes
    ----------
    files : list of str
        The names of the files so far.
    counts : (KINDS,) int64
        Occurrences by the kinds of `w2v.kernels.inspection`.
    lengths : int64
        Lines by their number of tokens; the last item counts all that are longer.
    types, lines_seen : Sample
        Of the distinct tokens, and of the distinct lines that are not empty.
    """

    def __init__(self, *, buffer: int = _BUFFER, most_slots: int = _MOST_SLOTS) -> None:
        self.files: list[str] = []
        self.bytes = 0
        self.counts: NDArray[np.int64] = np.zeros(k.KINDS, dtype=np.int64)
        self.lengths: NDArray[np.int64] = np.zeros(_LONGEST_COUNTED + 1, dtype=np.int64)
        self.types, self.lines_seen = Sample(most_slots), Sample(most_slots)
        self._places: dict[int, Place] = {}
        self._first_at: NDArray[np.int64] = np.zeros(k.KINDS, dtype=np.int64)
        self._first_place: NDArray[np.int64] = np.zeros(k.KINDS, dtype=np.int64)
        self._state: NDArray[np.int64] = np.zeros(k.STATE_SIZE, dtype=np.int64)
        self._hashes: NDArray[np.uint64] = np.zeros(2, dtype=np.uint64)
        self._text: NDArray[np.uint8] = np.zeros(k.HISTORY + buffer, dtype=np.uint8)

    @property
    def sentences(self) -> int:
        """Lines read, empty ones included."""
        return int(self._state[k.LINES])

    @property
    def tokens(self) -> int:
        """Tokens read."""
        return int(self._state[k.TOKENS])

    @property
    def characters(self) -> int:
        """Characters read, those of which nothing is valid included."""
        return int(self._state[k.CHARACTERS])

    @property
    def longest_line(self) -> tuple[int, Place | None]:
        """Tokens of the longest line, and where it is."""
        return self._longest(k.LONGEST_LINE, k.LONGEST_LINE_PLACE)

    @property
    def longest_token(self) -> tuple[int, Place | None]:
        """Bytes of the longest token, and where it is."""
        return self._longest(k.LONGEST_TOKEN, k.LONGEST_TOKEN_PLACE)

    def _longest(self, size: int, place: int) -> tuple[int, Place | None]:
        return int(self._state[size]), self.place(int(self._state[place])) if self._state[size] else None

    def place(self, number: int) -> Place:
        """Return the place that a number of the kernel stands for."""
        return Place(self.files[number >> _LINE_BITS], number & ((1 << _LINE_BITS) - 1))

    def first(self, kind: int) -> Place | None:
        """Return where a kind was met first."""
        return self._places.get(kind)

    def read(self, name: str, source: _Readable, offset: int = 0, progress: Callable[[], None] = lambda: None) -> None:
        """Go through a file.

        Parameters
        ----------
        name : str
        source : has readinto
            Gives its bytes, UTF-8 as far as they are valid.
        offset : int, optional
            Where in the file they begin.
        progress : callable, optional
            Called after each piece.
        """
        self.files.append(name)
        state = self._state
        state[k.PLACE] = (len(self.files) - 1 << _LINE_BITS) + 1
        state[k.PREVIOUS] = ord("\n")
        self._text[: k.HISTORY] = 0
        state[[k.PREVIOUS_CLASS, k.BEFORE_CLASS, k.TAG_LENGTH, k.ENTITY_LENGTH]] = 0
        self._begin = offset - k.HISTORY  # where in the file the buffer begins
        stop = k.HISTORY
        try:
            while count := source.readinto(self._text[stop:].data):
                self.bytes += count
                stop = self._go_through(stop + count, final=False)
                progress()
        finally:
            stop = self._go_through(stop, final=True)
            if state[k.TOKEN_BYTES] or state[k.LINE_TOKENS] or state[k.PREVIOUS] != ord("\n"):
                self._text[stop] = ord("\n")  # the end of a file ends a line
                self._go_through(stop + 1, final=True)

    def _go_through(self, stop: int, *, final: bool) -> int:
        """Count up to an index of the buffer, and return where the next bytes go."""
        text, state, start = self._text, self._state, k.HISTORY
        classes = character_classes()
        while True:
            state[k.TYPES_LEVEL], state[k.LINES_LEVEL] = self.types.level, self.lines_seen.level
            k.inspect(
                text,
                start,
                stop,
                final,
                classes,
                state,
                self._hashes,
                self.counts,
                self._first_at,
                self._first_place,
                self.lengths,
                self.types.table,
                self.lines_seen.table,
            )
            start = int(state[k.POSITION])
            if state[k.STATUS] != k.GROW:
                break
            for sample, used in ((self.types, k.TYPES_USED), (self.lines_seen, k.LINES_USED)):
                if 6 * state[used] >= len(sample.table):
                    state[used] = sample.make_room()
        for kind in np.flatnonzero(self.counts):
            if int(kind) not in self._places:
                self._places[int(kind)] = self._place_of(int(kind), stop)
        rest = stop - start
        moved = start - k.HISTORY
        text[: k.HISTORY + rest] = text[moved:stop].copy()
        self._begin += moved
        state[[k.TOKEN_START, k.TAG_START]] -= moved
        return k.HISTORY + rest

    def _place_of(self, kind: int, stop: int) -> Place:
        at = int(self._first_at[kind])
        place = self.place(int(self._first_place[kind]))
        shown = bytes(self._text[max(0, at) : min(max(0, at) + 4 * _SHOWN, stop)])
        if kind == k.INVALID:
            text = f"0x{shown[0]:02x}"
        else:
            text = shown.decode("utf-8", "replace").split("\n", 1)[0].rstrip("\r")
            if kind not in (k.TAGS, k.WIKI_BRACKETS):
                text = text.split(" ", 1)[0]
            if len(text) > _SHOWN:
                text = text[:_SHOWN] + "…"
        return dataclasses.replace(place, byte=self._begin + at, text=text or None)
