"""The lines of an evaluation file: decoded, numbered, without blank lines and comments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from w2v.errors import FileAccessError, FormatError

__all__ = ["numbered_lines"]

_BOM = b"\xef\xbb\xbf"


def numbered_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text) of a UTF-8 file.

    Lines end with LF or CRLF; blank lines and lines that start with ``#`` are left out, and a byte order mark is
    dropped.

    Raises
    ------
    FileAccessError
        When the file cannot be read.
    FormatError
        At bytes that are not UTF-8; the message names file and line.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FileAccessError(f"cannot read {path}: {error.strerror or error}") from error
    for number, raw in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        line = raw.strip(b"\r")
        if not line.strip() or line.startswith(b"#"):
            continue
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{path}:{number}: not UTF-8: byte {line[error.start]:#04x} at column {error.start + 1}; "
                "convert the file to UTF-8"
            ) from None
