"""Corpora as gensim's users pass them: iterables over the lines of text files."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from w2v.corpus.compression import ByteStream
from w2v.errors import CorpusError, FileAccessError

__all__ = ["LineSentence", "PathLineSentences", "Text8Corpus"]

_SENTENCE = 10_000
_BLOCK = 1 << 16
_WORD = re.compile(r"[^ \t\r\n]+")  # the rule of every corpus of this package: other spaces are part of a word
_LAST_SPACE = re.compile(rb"[ \t\r\n](?=[^ \t\r\n]*\Z)")


class LineSentence:
    """A text file as sentences: a line each, words separated by ASCII blanks; empty lines are skipped.

    Parameters
    ----------
    source : str, path or binary file
        UTF-8 text, plain or compressed (gzip, bzip2, xz, zstd, told by the content). A file object is rewound before
        each pass where it can be, and is not decompressed.
    max_sentence_length : int
        Longer lines are given out in pieces. Training on a path does not cut them: it reads the file itself, unless
        this or `limit` is set.
    limit : int, optional
        Read only so many lines.
    """

    def __init__(self, source: Any, max_sentence_length: int = _SENTENCE, limit: int | None = None) -> None:
        self.source = source
        self.max_sentence_length = max_sentence_length
        self.limit = limit

    def paths(self) -> list[Path] | None:
        """Return the files that hold these sentences and nothing else, None where there are none."""
        if self.limit is not None or self.max_sentence_length != _SENTENCE:
            return None
        return [Path(self.source)] if isinstance(self.source, (str, os.PathLike)) else None

    def __iter__(self) -> Iterator[list[str]]:
        for number, line in enumerate(itertools.islice(_lines(self.source), self.limit), 1):
            words = _words(line, self.source, number)
            for start in range(0, len(words), self.max_sentence_length):
                yield words[start : start + self.max_sentence_length]


class PathLineSentences:
    """All files of a folder, in the order of their names, as sentences; see `LineSentence`.

    Parameters
    ----------
    source : str or path
        A folder (hidden files, and folders in it, are not read), or one file.
    max_sentence_length, limit
        As for `LineSentence`; the limit holds for each file.

    Raises
    ------
    FileAccessError
        There is nothing to read.
    """

    def __init__(self, source: Any, max_sentence_length: int = _SENTENCE, limit: int | None = None) -> None:
        self.source = source
        self.max_sentence_length = max_sentence_length
        self.limit = limit
        place = Path(source)
        if place.is_file():
            files = [place]
        elif place.is_dir():
            files = sorted(path for path in place.iterdir() if path.is_file() and not path.name.startswith("."))
        else:
            raise FileAccessError(f"no such file or folder: {source}")
        if not files:
            raise FileAccessError(f"there is no file in the folder {source} (hidden ones are not read)")
        self.input_files = [str(path) for path in files]

    def paths(self) -> list[Path] | None:
        """Return the files that hold these sentences and nothing else, None where only a part of them is meant."""
        if self.limit is not None or self.max_sentence_length != _SENTENCE:
            return None
        return [Path(name) for name in self.input_files]

    def __iter__(self) -> Iterator[list[str]]:
        for name in self.input_files:
            yield from LineSentence(name, self.max_sentence_length, self.limit)


class Text8Corpus:
    """A file without sentences, such as text8, in pieces of `max_sentence_length` words; line ends count as blanks.

    Training needs no such pieces: ``corpus_file`` takes a line of any length.
    """

    def __init__(self, fname: Any, max_sentence_length: int = _SENTENCE) -> None:
        self.fname = fname
        self.max_sentence_length = max_sentence_length

    def __iter__(self) -> Iterator[list[str]]:
        piece: list[str] = []
        rest = b""
        for block in itertools.chain(_blocks(self.fname), [b"\n"]):
            data = rest + block
            last = _LAST_SPACE.search(data)
            if last is None:
                rest = data
                continue
            piece += _words(data[: last.start()], self.fname, None)
            rest = data[last.end() :]
            while len(piece) >= self.max_sentence_length:
                yield piece[: self.max_sentence_length]
                piece = piece[self.max_sentence_length :]
        if piece:
            yield piece


def _words(text: bytes, source: Any, line: int | None) -> list[str]:
    try:
        return _WORD.findall(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        place = f"{source}:{line}" if line is not None else f"{source}"
        raise CorpusError(f"{place}: {text[error.start : error.end]!r} is not valid UTF-8") from None


def _lines(source: Any) -> Iterator[bytes]:
    rest: list[bytes] = []
    for block in _blocks(source):
        first, *more = block.split(b"\n")
        rest.append(first)
        if more:
            yield b"".join(rest)
            yield from more[:-1]
            rest = [more[-1]]
    if any(rest):
        yield b"".join(rest)


def _blocks(source: Any) -> Iterator[bytes]:
    if isinstance(source, (str, os.PathLike)):
        buffer = bytearray(_BLOCK)
        with ByteStream(os.fspath(source)) as stream, memoryview(buffer) as view:
            while count := stream.readinto(view):
                yield bytes(view[:count])
        return
    if hasattr(source, "seekable") and source.seekable():
        source.seek(0)
    while block := source.read(_BLOCK):
        yield block if isinstance(block, bytes) else block.encode("utf-8")
