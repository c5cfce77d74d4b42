"""Compressed streams and frames of bzip2, xz and zstd: what is cut off or follows is noticed, memory is bounded."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from typing import Any, BinaryIO

from w2v.extras import import_extra

__all__ = ["Bz2Reader", "XzReader", "ZstdReader", "zstd_writer"]

PIECE = 16 << 10  # frames may expand enormously; small pieces bound what one call can return
MOST_XZ_BYTES = 256 << 20
"""Memory that reading xz data may take: its header asks for up to 4 GB, xz -9 for 65 MB."""
_NO_STREAM = "other data follow the last stream"


class _StreamsReader(io.RawIOBase):
    """Compressed streams one after the other, as a decompressor of the standard library reads one of them."""

    _MAGIC = b""
    _PADDING = b""  # what may stand between two streams and after the last one

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._stream: Any = None

    def _decompressor(self) -> Any:
        raise NotImplementedError

    def _no_stream(self) -> Exception:
        raise NotImplementedError

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill target with decompressed bytes and return how many; 0 at the end."""
        view = memoryview(target).cast("B")
        while len(view):
            if self._stream is None or self._stream.eof:
                piece = self._start()
                if not piece:
                    return 0
                self._stream = self._decompressor()
            elif self._stream.needs_input:
                piece = self._file.read(PIECE)
                if not piece:
                    raise EOFError("the data ends inside a stream")
            else:
                piece = b""
            data = self._stream.decompress(piece, len(view))
            if data:
                view[: len(data)] = data
                return len(data)
        return 0

    def _start(self) -> bytes:
        """Return the first bytes of the next stream, b"" at the end of the file."""
        if self._stream is None:
            return self._file.read(PIECE)
        piece = self._stream.unused_data.lstrip(self._PADDING)
        while not piece and (more := self._file.read(PIECE)):
            piece = more.lstrip(self._PADDING)
        head = piece[: len(self._MAGIC)]
        if head != self._MAGIC[: len(head)]:
            raise self._no_stream()
        return bytes(piece)


class Bz2Reader(_StreamsReader):
    """bzip2 streams one after the other; unlike the standard library it notices what follows the last and is none.

    Reading raises EOFError at a stream that is cut off and OSError for damage.
    """

    _MAGIC = b"BZh"

    def _decompressor(self) -> Any:
        return bz2.BZ2Decompressor()

    def _no_stream(self) -> Exception:
        return OSError(_NO_STREAM)


class XzReader(_StreamsReader):
    """xz streams one after the other, with the padding allowed between them.

    Reading raises EOFError at a stream that is cut off and lzma.LZMAError for damage, for what follows the last
    stream and is none, and for a header that asks for more than `MOST_XZ_BYTES` of memory.
    """

    _MAGIC = b"\xfd7zXZ\0"
    _PADDING = b"\0"

    def _decompressor(self) -> Any:
        return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MOST_XZ_BYTES)

    def _no_stream(self) -> Exception:
        return lzma.LZMAError(_NO_STREAM)


class ZstdReader(io.RawIOBase):
    """zstd frames one after the other; unlike zstandard's own reader it notices a frame that is cut off.

    Reading raises EOFError at a frame that is cut off and zlib.error for damage, as the readers of the standard
    library do.

    Raises
    ------
    MissingExtraError
        When zstandard is not installed.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._module = import_extra("zstandard", "zstd", "reading .zst files")
        self._file = file
        self._frame: Any = None
        self._held = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill target with decompressed bytes and return how many; 0 at the end."""
        view = memoryview(target).cast("B")
        while not self._held:
            piece = self._frame.unused_data if self._frame is not None and self._frame.eof else b""
            piece = piece or self._file.read(PIECE)
            if not piece:
                if self._frame is not None and not self._frame.eof:
                    raise EOFError("the data ends inside a frame")
                return 0
            if self._frame is None or self._frame.eof:
                self._frame = self._module.ZstdDecompressor().decompressobj()
            try:
                self._held = memoryview(self._frame.decompress(piece))
            except self._module.ZstdError as error:
                raise zlib.error(str(error)) from error
        count = min(len(self._held), len(view))
        view[:count] = self._held[:count]
        self._held = self._held[count:]
        return count


def zstd_writer(file: BinaryIO) -> Any:
    """Return a stream that writes a zstd frame to a file; closing it ends the frame and leaves the file open."""
    module = import_extra("zstandard", "zstd", "writing .zst files")
    return module.ZstdCompressor(level=10, write_checksum=True).stream_writer(file, closefd=False)
