"""Drives the scanner kernel: feeds it a text in pieces, gives its table room, writes its numbers out."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from w2v.corpus.type_table import TypeTable
from w2v.errors import FormatError
from w2v.kernels import text as kernels
from w2v.vocabulary import Vocabulary

__all__ = ["CHUNK", "InvalidTextError", "TextScanner"]

CHUNK = 2 << 20  # bytes of text scanned by one call
_SPACE, _NEWLINE = 0x20, 0x0A
_SEPARATORS = frozenset(b" \t\n\r")


class InvalidTextError(Exception):
    """Bytes that are not UTF-8: their place in the file (byte from 0, line from 1) and what they are."""

    def __init__(self, position: int, line: int, found: bytes) -> None:
        super().__init__(position, line, found)
        self.position, self.line, self.found = position, line, found


class _Readable(Protocol):
    def readinto(self, target: memoryview) -> int: ...


class TextScanner:
    """Numbers the words of one text after the other.

    Parameters
    ----------
    write : callable
        Takes the provisional numbers, with a mark after each sentence, as they come.
    check : bool
        Whether the text has yet to be checked for valid UTF-8.
    chunk : int, optional
        Bytes scanned by one call; only a longer token needs a larger buffer.
    """

    def __init__(self, write: Callable[[NDArray[np.int32]], None], *, check: bool, chunk: int = CHUNK) -> None:
        self.table = TypeTable()
        self._write = write
        self._check = check
        self._cuts = kernels.cut_arrays()
        self._held = 0  # bytes in the buffer, the beginning of a token
        self._last = _NEWLINE  # the latest byte of the file
        self._offset = 0  # where in the file the buffer begins
        self._first_line = 0  # lines read before this file
        self._resize(chunk)

    @property
    def lines(self) -> int:
        """Sentences read so far, empty ones included."""
        return int(self.table.state[kernels.LINES])

    @property
    def tokens(self) -> int:
        """Tokens in all sentences that have ended."""
        return int(self.table.state[kernels.TOKENS])

    @property
    def longest(self) -> int:
        """Tokens in the longest sentence."""
        return int(self.table.state[kernels.LONGEST_LINE])

    @property
    def file_lines(self) -> int:
        """Lines read of the present file."""
        return self.lines - self._first_line

    def _resize(self, capacity: int) -> None:
        text = np.zeros(capacity + kernels.PADDING, dtype=np.uint8)
        if self._held:
            text[: self._held] = self._text[: self._held]
        self._text: NDArray[np.uint8] = text
        self._text8 = kernels.eight_byte_view(text)
        self._capacity = capacity
        self._out = np.empty(capacity + 1, dtype=np.int32)

    def begin_file(self, offset: int = 0) -> None:
        """Start another file, whose text begins at an offset (after a byte order mark)."""
        self._offset, self._first_line, self._last = offset, self.lines, _NEWLINE

    def read(self, source: _Readable, progress: Callable[[], None] = lambda: None) -> None:
        """Scan all that a source gives; raises `InvalidTextError`."""
        while True:
            view = self._text[self._held : self._capacity].data
            count = source.readinto(view)
            if count == 0:
                return
            self._scan(count)
            progress()

    def room(self, count: int) -> tuple[NDArray[np.uint8], int]:
        """Return the buffer and the index from which `count` bytes may be put into it before `take`."""
        if self._held + count > self._capacity:
            self._resize(self._held + count)
        return self._text, self._held

    def take(self, count: int) -> None:
        """Scan bytes that were put where `room` said."""
        if count:
            self._scan(count)

    def end_file(self) -> None:
        """End the last line of a file, if it was left open, and with it the last word."""
        if self._last != _NEWLINE:
            text, start = self.room(1)
            text[start] = _NEWLINE
            self._scan(1)

    def _scan(self, count: int) -> None:
        text, state, stop = self._text, self.table.state, self._held + count
        self._last = int(text[stop - 1])
        text[stop] = _SPACE  # the scanner stops here, and leaves a token that reaches it for the next call
        start = 0
        while True:
            table = self.table
            types = table.slots, table.arena, table.starts
            kernels.scan(text, self._text8, start, stop, self._out, *types, state, self._check, self._cuts)
            self._write(self._out[: state[kernels.WRITTEN]])
            start = int(state[kernels.POSITION])
            status = int(state[kernels.STATUS])
            if status == kernels.GROW:
                table.make_room()
            elif status == kernels.INVALID:
                found = _first_bytes(bytes(text[start : min(start + 4, stop)]))
                raise InvalidTextError(self._offset + start, self.file_lines + 1, found)
            else:
                break
        self._held = stop - start
        self._offset += start
        if start:
            text[: self._held] = text[start:stop].copy()
        if self._held == self._capacity:  # one token fills the buffer
            self._resize(2 * self._capacity)

    def learn(self, vocabulary: Vocabulary) -> NDArray[np.int32]:
        """Number the words of a vocabulary before anything is read.

        Returns
        -------
        (types,) int32
            The id of each type known so far. Words that no text can hold, such as the empty one, have no type.
        """
        words = [str(word).encode("utf-8", "surrogatepass") for word in vocabulary.words]
        ids = [id for id, word in enumerate(words) if word and not set(word) & _SEPARATORS]
        write, check = self._write, self._check
        self._write, self._check = (lambda numbers: None), False
        self.read(io.BytesIO(b"".join(words[id] + b"\n" for id in ids)))
        self._write, self._check = write, check
        if len(self.table) != len(ids):
            raise FormatError(f"the vocabulary holds {len(ids) - len(self.table)} words twice")
        self.reset_counts()
        return np.array(ids, dtype=np.int32)

    def reset_counts(self) -> None:
        """Forget what was counted, but not the words."""
        self.table.slots[3::4] = 0
        self.table.state[[kernels.LINES, kernels.TOKENS, kernels.LONGEST_LINE]] = 0

    def number_words(self, words: Sequence[bytes]) -> NDArray[np.int32]:
        """Return the numbers (n,) of words that hold no white space, between two files; unknown ones become types.

        Every word is counted as if it had been read.
        """
        found: list[NDArray[np.int32]] = []
        write, check = self._write, self._check
        self._write, self._check = (lambda numbers: found.append(numbers[numbers >= 0])), False
        self.read(io.BytesIO(b"".join(word + b"\n" for word in words)))
        self._write, self._check = write, check
        return np.concatenate(found) if found else np.empty(0, dtype=np.int32)


def _first_bytes(found: bytes) -> bytes:
    """Return the bytes that Python's own decoder complains about."""
    try:
        found.decode("utf-8")
    except UnicodeDecodeError as error:
        return found[error.start : error.end]
    return found[:1]
