"""Tokenisers that look at characters: each turns blocks of text into space-separated words for the scanner."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from types import ModuleType

import numpy as np

from w2v.corpus.characters import character_table
from w2v.corpus.decoding import Utf8Reader
from w2v.corpus.scanning import InvalidTextError, TextScanner
from w2v.errors import MissingExtraError
from w2v.kernels.rewriting import SPACE, rewrite
from w2v.settings import CorpusSettings

__all__ = ["Rewriter", "needs_rewriting"]

BLOCK = 1 << 19
_JIEBA_BLOCK = 1 << 17  # it is slow: smaller blocks keep the progress moving
_TAIL = 4096


def needs_rewriting(settings: CorpusSettings) -> bool:
    """Return whether text must be rewritten before it is split at ASCII white space."""
    return settings.tokenizer != "whitespace" or settings.lowercase or settings.unicode_spaces


class Rewriter:
    """Passes text to a scanner as the words of a tokeniser.

    Parameters
    ----------
    settings : CorpusSettings
        `tokenizer`, `lowercase` and `unicode_spaces` are read.
    scanner : TextScanner
        Takes the rewritten text.
    block : int, optional
        Bytes rewritten at a time. Blocks end at line ends where possible, else at white space, else at another gap
        between words; a longer stretch without any makes the block grow.

    Raises
    ------
    MissingExtraError
        jieba is asked for and not installed.
    """

    def __init__(self, settings: CorpusSettings, scanner: TextScanner, block: int | None = None) -> None:
        self._table, self._lower = character_table(settings.tokenizer, settings.lowercase, settings.unicode_spaces)
        self._scanner = scanner
        self._cut = _jieba_cutter() if settings.tokenizer == "jieba" else None
        self._block = block or (_JIEBA_BLOCK if self._cut else BLOCK)
        self._held = bytearray(self._block)

    def read(self, source: Utf8Reader, progress: Callable[[], None] = lambda: None) -> None:
        """Rewrite and scan all that a source gives; raises `InvalidTextError`."""
        size, offset = 0, source.skipped
        while True:
            if size == len(self._held):
                self._held = self._held + bytearray(size)
            with memoryview(self._held) as view:
                count = source.readinto(view[size:])
            size += count
            if count and size < len(self._held):
                continue
            stop = self._last_gap(size) if count else size
            if stop:
                self._pass_on(stop, offset)
                self._held[: size - stop] = self._held[stop:size]
                size, offset = size - stop, offset + stop
                progress()
            if not count:
                break
        self._held = self._held[: self._block]

    def _last_gap(self, size: int) -> int:
        """Return the index after the last byte at which the text may be cut, 0 if there is none."""
        for gap in (b"\n", b" "):
            found = self._held.rfind(gap, 0, size)
            if found >= size // 2 or (gap == b" " and found >= 0):
                return found + 1
        tail = bytes(self._held[max(0, size - _TAIL) : size]).decode("utf-8", "ignore")
        for character in reversed(tail):
            if self._table[ord(character)] & 0x0F == SPACE and not character.isascii():
                data = character.encode()
                return self._held.rfind(data, 0, size) + len(data)
        return self._held.rfind(b"\n", 0, size) + 1

    def _pass_on(self, size: int, offset: int) -> None:
        if self._cut is None:
            text, stop = np.frombuffer(self._held, dtype=np.uint8), size
        else:
            data = self._cut(self._decoded(size, offset)).encode()
            text, stop = np.frombuffer(bytearray(data), dtype=np.uint8), len(data)
        target, start = self._scanner.room(2 * stop + 16)
        written, bad = rewrite(text, 0, stop, target[start:], self._table, self._lower)
        if bad >= 0:
            self._decoded(size, offset)
        self._scanner.take(written)

    def _decoded(self, size: int, offset: int) -> str:
        data = bytes(self._held[:size])
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self._scanner.file_lines + data.count(b"\n", 0, error.start) + 1
            raise InvalidTextError(offset + error.start, line, data[error.start : error.end]) from None


def _jieba_cutter() -> Callable[[str], str]:
    """Return a function that puts spaces between the Chinese words of each line."""
    jieba = _jieba()

    def cut(text: str) -> str:
        return "\n".join([" ".join(jieba.cut(line)) for line in text.split("\n")])

    return cut


def _jieba() -> ModuleType:
    try:
        with warnings.catch_warnings():  # jieba 0.42.1: old escapes in its sources, pkg_resources
            warnings.simplefilter("ignore")
            import jieba
    except ImportError as error:
        raise MissingExtraError(
            "the tokenizer jieba needs the package jieba: pip install 'w2v[zh]'", name="jieba"
        ) from error
    jieba.setLogLevel(logging.CRITICAL)
    module: ModuleType = jieba
    return module
