"""Reading and writing vector files plain or compressed, with errors that name the file."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from w2v.atomic import replacing
from w2v.errors import FileAccessError, FormatError, W2VError

__all__ = ["compression_of", "open_vectors", "read_bounded", "suffix_of", "write_vectors"]

PIECE = 1 << 20

MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma", b"\x28\xb5\x2f\xfd": "zstd"}
SUFFIXES = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstd"}


def compression_of(start: bytes) -> str | None:
    """Return the compression that the first bytes of a file show, or None."""
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)


@contextlib.contextmanager
def open_vectors(path: str | os.PathLike[str]) -> Iterator[tuple[BinaryIO, int | None]]:
    """Open a file for reading; yield its decompressed bytes, and their number where it is known beforehand.

    Compression (gzip, bz2, xz, zstd) is recognised by content.

    Raises
    ------
    FileAccessError
        When the file is missing, is a folder or anything but a regular file, or cannot be read.
    FormatError
        When the compressed data is damaged.
    MissingExtraError
        When it is zstd data and zstandard is not installed.
    """
    name = os.fspath(path)
    try:
        with _open(path, name) as file:
            kind = compression_of(file.peek(8)[:8])
            if kind is None:
                yield file, os.fstat(file.fileno()).st_size
            else:
                with _decompressed(kind, file, name) as stream:
                    yield stream, None
    except W2VError:
        raise
    except OSError as error:
        raise FileAccessError(f"cannot read {name}: {error.strerror or error}") from error


def _open(path: str | os.PathLike[str], name: str) -> io.BufferedReader:
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError as error:
        raise FileAccessError(f"there is no file {name}") from error
    except ValueError as error:  # a NUL in the name
        raise FileAccessError(f"cannot read {name!r}: {error}") from error
    if stat.S_ISDIR(mode):
        models = sorted(p.name for p in Path(path).glob("*.safetensors"))
        hint = f"; it holds {', '.join(models[:3])}" if models else ""
        raise FileAccessError(f"{name} is a folder, not a file of vectors{hint}")
    if not stat.S_ISREG(mode):
        raise FileAccessError(f"{name} is a device or a pipe; vectors are read from a regular file")
    return Path(path).open("rb")


@contextlib.contextmanager
def _decompressed(kind: str, file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    damage: tuple[type[Exception], ...] = (EOFError, OSError, importlib.import_module("zlib").error)
    opened: Any
    # imported here, so that a plain file costs none of these
    module: Any = importlib.import_module("gzip" if kind == "gzip" else "w2v.frames")
    if kind == "gzip":
        opened = module.GzipFile(fileobj=file)
    elif kind == "bz2":
        opened = module.Bz2Reader(file)
    elif kind == "lzma":
        opened = module.XzReader(file)
        damage += (importlib.import_module("lzma").LZMAError,)
    else:
        opened = module.ZstdReader(file)
    try:
        with opened, io.BufferedReader(opened, PIECE) as stream:
            yield cast(BinaryIO, stream)
    except W2VError:
        raise
    except damage as error:
        raise FormatError(f"{name}: the {kind} data is damaged or cut short ({error})") from error


def read_bounded(stream: BinaryIO, size: int) -> bytearray:
    """Read up to `size` bytes in pieces: a size that lies takes no more memory than there are bytes."""
    data = bytearray()
    while len(data) < size and (piece := stream.read(min(PIECE, size - len(data)))):
        data += piece
    return data


def suffix_of(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a name in lower case, that of its compression apart: ``.bin`` of ``v.bin.gz``."""
    name = Path(path)
    return (Path(name.stem) if name.suffix.lower() in SUFFIXES else name).suffix.lower()


@contextlib.contextmanager
def write_vectors(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing like `replacing`, compressed when its name ends in .gz, .bz2, .xz or .zst."""
    kind = SUFFIXES.get(Path(path).suffix.lower())
    with replacing(path, force=force) as file:
        if kind is None:
            yield file
            return
        if kind == "zstd":
            from w2v.frames import zstd_writer

            with zstd_writer(file) as stream:
                yield stream
            return
        module: Any = importlib.import_module(kind)
        if kind == "gzip":  # no name and no time inside: the same vectors give the same bytes
            opened = module.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0)
        else:
            opened = getattr(module, f"{kind.upper()}File")(file, "wb")
        with opened:
            yield opened
