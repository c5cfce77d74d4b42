"""Byte streams of corpus files: opened, decompressed by what they contain, with errors that name the file."""

from __future__ import annotations

import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from w2v.closing import Closing
from w2v.errors import FileAccessError, FormatError
from w2v.frames import Bz2Reader, XzReader, ZstdReader

__all__ = ["STDIN", "ByteStream"]

STDIN = "-"
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


class ByteStream(Closing):
    """The decompressed bytes of one file or of standard input.

    The first bytes decide whether and how a file is compressed, its name does not; but a name that promises
    compression is held to its word.

    Parameters
    ----------
    name : str
        A path, or ``"-"`` for standard input.

    Raises
    ------
    FileAccessError
        The file cannot be opened.
    FormatError
        Its name ends in .gz, .bz2, .xz or .zst and its content is something else.
    MissingExtraError
        It is zstd-compressed and zstandard is not installed.
    """

    def __init__(self, name: str) -> None:
        self.name = "standard input" if name == STDIN else name
        if name == STDIN and sys.stdin is None:
            raise FileAccessError("standard input is closed: there is nothing to be read from -")
        try:
            self._file: Any = _buffered(sys.stdin.buffer) if name == STDIN else Path(name).open("rb")  # noqa: SIM115
            self._owned = name != STDIN
        except OSError as error:
            raise FileAccessError(f"cannot read {self.name}: {error.strerror or error}") from error
        try:
            self._readinto = self._recognised(Path(name).suffix.lower())
        except BaseException:
            self.close()
            raise

    def _recognised(self, suffix: str) -> Callable[[memoryview], int]:
        """Return what reads the decompressed bytes, by the first of them."""
        try:
            head: bytes = self._file.peek(16)
        except OSError as error:
            raise FileAccessError(f"cannot read {self.name}: {error.strerror or error}") from error
        self.compression = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
        promised = _SUFFIXES.get(suffix)
        if promised and self.compression is None:
            seen = f"begins with {head[:8]!r}" if head else "is empty"
            raise FormatError(
                f"{self.name} is named as {promised}-compressed but {seen}; rename it if it is plain text"
            )
        if self.compression == "gzip":
            return gzip.GzipFile(fileobj=self._file, mode="rb").readinto
        if self.compression == "bzip2":
            return Bz2Reader(self._file).readinto
        if self.compression == "xz":
            return XzReader(self._file).readinto
        if self.compression == "zstd":
            return ZstdReader(self._file).readinto
        readinto: Callable[[memoryview], int] = self._file.readinto
        return readinto

    def readinto(self, target: memoryview) -> int:
        """Fill target with decompressed bytes and return how many; 0 at the end."""
        try:
            return self._readinto(target)
        except EOFError as error:
            raise FormatError(f"{self.name} is cut off: its {self.compression} data ends too early") from error
        except (zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise self._corrupt(error) from error
        except OSError as error:
            if error.errno is None:  # how bzip2 data are reported bad
                raise self._corrupt(error) from error
            raise FileAccessError(f"cannot read {self.name}: {error.strerror or error}") from error

    def _corrupt(self, error: Exception) -> FormatError:
        return FormatError(f"{self.name} holds damaged {self.compression} data: {error}")

    def position(self) -> int:
        """Return how many bytes of the file itself have been read, compressed as they are."""
        return int(self._file.tell()) if self._owned else 0

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._owned:
            self._file.close()


def _buffered(stream: Any) -> Any:
    return stream if hasattr(stream, "peek") else io.BufferedReader(stream)
