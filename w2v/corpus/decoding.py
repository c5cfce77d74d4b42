"""From the bytes of a file to UTF-8: other encodings, byte order marks, bytes that are no text at all."""

from __future__ import annotations

import codecs
from typing import Protocol

from w2v.corpus.compression import ByteStream
from w2v.corpus.vector_files import kind_of_vectors
from w2v.corpus.wide_characters import wide_encoding
from w2v.errors import CorpusError, SettingsError
from w2v.settings import CorpusSettings

__all__ = ["Utf8Reader", "invalid_bytes", "is_utf8", "new_decoder"]

_HEAD = 4096  # bytes looked at before a file is believed to be text
_PIECE = 256 << 10
_BOM = codecs.BOM_UTF8
_TRY = "try utf-8, latin-1, gb18030, utf-16"
_FOR_DOMAIN_NAMES = ("idna", "punycode")
_MARKS = {  # the longer ones first: a UTF-32 mark begins like a UTF-16 one
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_DOCUMENTS = {
    b"PK\x03\x04": "a zip archive (as .docx, .odt and .epub are)",
    b"%PDF-": "a PDF",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "a document of an office program",
}


class _Digest(Protocol):
    def update(self, data: memoryview | bytes, /) -> None: ...


def is_utf8(encoding: str) -> bool:
    """Return whether an encoding is UTF-8 under any of its names."""
    return _codec(encoding).name in ("utf-8", "utf-8-sig")


def new_decoder(settings: CorpusSettings) -> codecs.IncrementalDecoder | None:
    """Return a decoder for text that has to be decoded, None for UTF-8 that is read as it stands.

    Raises
    ------
    SettingsError
        No such encoding.
    """
    codec = _codec(settings.encoding)
    if is_utf8(settings.encoding) and settings.errors == "strict":
        return None
    if codec.incrementaldecoder is None:
        raise SettingsError(f"encoding {settings.encoding!r} cannot be read piece by piece; convert the text to UTF-8")
    return codec.incrementaldecoder(settings.errors)


def _codec(encoding: str) -> codecs.CodecInfo:
    try:
        codec = codecs.lookup(encoding)
        "a".encode(encoding)
    except (LookupError, ValueError) as error:
        raise SettingsError(f"encoding {encoding!r} is not known; {_TRY}") from error
    if codec.name in _FOR_DOMAIN_NAMES:
        raise SettingsError(f"encoding {encoding!r} is for domain names, not for text; {_TRY}")
    return codec


def invalid_bytes(name: str, encoding: str, line: int, position: int, found: bytes) -> CorpusError:
    """Return the error for bytes that the encoding does not allow: line from 1, position from 0."""
    shown = " ".join(f"0x{byte:02x}" for byte in found)
    return CorpusError(
        f"{name}, line {line}, byte {position}: {shown} is not valid {encoding}. Name the encoding of the file "
        "(--encoding latin-1, for example), or let such bytes pass with --errors replace or --errors ignore"
    )


class Utf8Reader:
    """The text of one file as UTF-8 bytes without a byte order mark.

    Parameters
    ----------
    stream : ByteStream
        The decompressed bytes.
    settings : CorpusSettings
        `encoding` and `errors` are read.
    digest : hash object
        Updated with all bytes as they stand in the stream.

    Attributes
    ----------
    bytes_read : int
        Decompressed bytes so far.
    skipped : int
        Bytes at the start that are not handed on (a byte order mark).
    advice : str or None
        One line about a beginning that looks odd: old Mac line ends, zero bytes.
    """

    def __init__(self, stream: ByteStream, settings: CorpusSettings, digest: _Digest) -> None:
        self.name = stream.name
        self.bytes_read = 0
        self.skipped = 0
        self._stream = stream
        self._digest = digest
        self._encoding = settings.encoding
        self._decoder = new_decoder(settings)
        self._newlines = 0
        self._ended = False
        self._held = memoryview(b"") if self._decoder else memoryview(self._head())
        if self._decoder:
            self._piece = memoryview(bytearray(_PIECE))
            self._held = memoryview(self._decode(self._head(), False))
        self.advice = self._judged(bytes(self._held[:_HEAD]))

    def readinto(self, target: memoryview) -> int:
        """Fill target with UTF-8 bytes and return how many; 0 at the end."""
        while self._decoder and not self._held and not self._ended:
            count = self._read(self._piece)
            self._ended = count == 0
            self._held = memoryview(self._decode(self._piece[:count], self._ended))
        if self._held:
            count = min(len(self._held), len(target))
            target[:count] = self._held[:count]
            self._held = self._held[count:]
            return count
        return 0 if self._decoder else self._read(target)

    def _read(self, target: memoryview) -> int:
        count = self._stream.readinto(target)
        self._digest.update(target[:count])
        self.bytes_read += count
        return count

    def _head(self) -> bytes:
        """Read and judge the first bytes; a pipe may give them in small pieces."""
        head = bytearray(_HEAD)
        view = memoryview(head)
        size = 0
        while size < _HEAD and (count := self._read(view[size:])):
            size += count
        start = bytes(head[:size])
        if "a".encode(self._encoding) == b"a":
            self._refuse_if_not_text(start)
        if is_utf8(self._encoding) and start.startswith(_BOM):
            self.skipped = len(_BOM)
        return start[self.skipped :]

    def _refuse_if_not_text(self, head: bytes) -> None:
        if kind := kind_of_vectors(head):
            raise CorpusError(f"{self.name} is {kind}, not text; name the files that hold the text")
        if kind := next((kind for magic, kind in _DOCUMENTS.items() if head.startswith(magic)), None):
            raise CorpusError(f"{self.name} is {kind}, not text; take the text out of it first")
        looks = next((kind for mark, kind in _MARKS.items() if head.startswith(mark)), None) or wide_encoding(head)
        zeros = head.count(0)
        if looks is None and zeros >= 2 and zeros * 5 >= len(head):
            raise CorpusError(
                f"{self.name} is not text: {zeros} of its first {len(head)} bytes are zero. If it is text all the "
                "same, name its encoding with --encoding"
            )
        if looks:
            raise CorpusError(f"{self.name} looks like {looks.upper()} text: read it with --encoding {looks}")

    def _judged(self, start: bytes) -> str | None:
        if zeros := start.count(0):
            return f"{self.name} looks binary: {zeros} of its first {len(start)} bytes are zero"
        if start.count(b"\r") > 1 and b"\n" not in start:
            return (
                f"{self.name} has carriage returns and no line feeds (old Mac line ends?), so that all of it is one "
                "sentence: convert it with tr '\\r' '\\n'"
            )
        return None

    def _decode(self, piece: bytes | memoryview, final: bool) -> bytes:
        assert self._decoder is not None
        try:
            text = self._decoder.decode(piece, final)
        except UnicodeDecodeError as error:
            before = self.bytes_read - len(error.object)
            decoded = error.object[: error.start].decode(self._encoding, "replace")
            line = self._newlines + decoded.count("\n") + 1
            found = error.object[error.start : error.end]
            raise invalid_bytes(self.name, self._encoding, line, before + error.start, found) from None
        except UnicodeError as error:  # from codecs that judge the text as a whole: no byte order mark, for example
            raise CorpusError(
                f"{self.name} is not {self._encoding} text ({error}). Name the encoding of the file (--encoding utf-8, "
                "for example)"
            ) from None
        self._newlines += text.count("\n")
        return text.encode("utf-8", "replace")
