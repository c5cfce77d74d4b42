"""Matrices in numpy's files, .npy with a list of tokens and .npz with or without; nothing pickled is ever opened."""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from w2v.atomic import replacing
from w2v.embedding.container import Embedding
from w2v.embedding.foreign import checked_counts, counted, imported
from w2v.embedding.streams import open_vectors, read_bounded
from w2v.embedding.tokens import Tokens, named_rows
from w2v.errors import FormatError

__all__ = ["read_npy", "read_npz", "write_npz"]

MAGIC = b"\x93NUMPY"
LONGEST_HEADER = 1 << 16
FIELDS = (
    re.compile(r"'descr'\s*:\s*'([<>|=]?[fiuUS]\d{1,9})'"),
    re.compile(r"'fortran_order'\s*:\s*(True|False)"),
    re.compile(r"'shape'\s*:\s*\(([\d\s,L]*)\)"),
)
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, KeyError, struct.error)
"""What zipfile raises for damaged archives; NotImplementedError (an unknown compression) is a RuntimeError."""


class Array(NamedTuple):
    """The header of a .npy file."""

    dtype: np.dtype[Any]
    fortran: bool
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Bytes of the data."""
        return self.dtype.itemsize * math.prod(self.shape)

    @property
    def is_matrix(self) -> bool:
        """Whether it could be vectors."""
        return self.dtype.kind in "fiu" and len(self.shape) == 2 and self.shape[1] > 0

    @property
    def is_words(self) -> bool:
        """Whether it could be words."""
        return self.dtype.kind in "US" and len(self.shape) == 1

    def __str__(self) -> str:
        return f"{self.dtype} {list(self.shape)}"

    def filled(self, data: Any) -> NDArray[Any]:
        """Return the array over its bytes."""
        if self.size == 0:
            return np.empty(self.shape, self.dtype)
        array = np.frombuffer(data, self.dtype, math.prod(self.shape))
        return array.reshape(self.shape, order="F" if self.fortran else "C")


def read_npy(path: str | os.PathLike[str], tokens: Tokens, **policies: str) -> Embedding:
    """Read a matrix (V, d) of a .npy file, plain (then it is mapped, not read) or compressed, and name its rows.

    Parameters
    ----------
    path : str or path-like
    tokens : Tokens
        See `w2v.embedding.tokens.read_tokens`.
    **policies
        ``errors`` and ``duplicates`` as in `read_word2vec_text`.

    Raises
    ------
    FormatError
        Also for arrays of Python objects, which are pickles.
    FileAccessError
    """
    name = os.fspath(path)
    with open_vectors(path) as (stream, size):
        header = _read_header(stream, name)
        if not header.is_matrix:
            raise FormatError(f"{name} holds an array {header}; a matrix (V, d) of real numbers was expected")
        if size is None:
            data: Any = read_bounded(stream, header.size + 1)
            start, given = 0, len(data)
        else:
            start, given = stream.tell(), size - stream.tell()
            data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    if given != header.size:
        raise FormatError(f"{name}: an array {header} needs {header.size} bytes of data, the file holds {given}")
    return named_rows(name, "numpy .npy", header.filled(memoryview(data)[start:]), tokens, **policies)


def read_npz(
    path: str | os.PathLike[str], tokens: Tokens | None = None, *, tensor: str | None = None, **policies: str
) -> Embedding:
    """Read a matrix (V, d) of a .npz archive; its words are a list of tokens or else an array of strings beside it.

    Parameters
    ----------
    path : str or path-like
    tokens : Tokens, optional
    tensor : str, optional
        The name of the matrix, where the archive holds several.
    **policies
        ``errors`` and ``duplicates`` as in `read_word2vec_text`.

    Raises
    ------
    FormatError
    FileAccessError
    """
    name = os.fspath(path)
    with open_vectors(path) as (stream, _), _archive(stream, name) as archive:
        headers = {}
        for member in archive.namelist():
            with archive.open(member) as file:
                headers[member.removesuffix(".npy")] = _read_header(cast(BinaryIO, file), f"{name}[{member}]")
        key = chosen({k: str(h) for k, h in headers.items() if h.is_matrix}, tensor, name, _listed(headers))
        lists = [k for k, h in headers.items() if h.is_words and h.shape[0] == headers[key].shape[0]]
        if tokens is None and len(lists) != 1:
            raise FormatError(
                f"{name}: {headers[key].shape[0]} rows, and {len(lists)} arrays of as many words; give a list of "
                f"tokens (--tokens FILE). It holds {_listed(headers)}"
            )
        W = _read_member(archive, key, name)
        raw_words = None if tokens is not None else _read_member(archive, lists[0], name)
        counts = _read_member(archive, "counts", name) if "counts" in headers else None
    if tokens is not None:
        return named_rows(name, "numpy .npz", W, tokens, **policies)
    assert raw_words is not None
    words = _utf8(raw_words, name)
    if counts is not None:
        fits = counts.dtype.kind in "iu" and counts.shape == (len(words),)
        counts = checked_counts(counts.astype(np.int64), name) if fits else None
    return imported(name, "numpy .npz", words, W, counts=counts, **policies)


@contextlib.contextmanager
def _archive(stream: BinaryIO, name: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(stream) as archive:
            yield archive
    except FormatError:
        raise
    except BROKEN_ZIP as error:
        raise FormatError(f"{name}: the archive is damaged or cut short ({error})") from error


def _read_header(stream: BinaryIO, name: str) -> Array:
    start = stream.read(8)
    if start[:6] != MAGIC or start[6:7] not in (b"\x01", b"\x02", b"\x03"):
        raise FormatError(f"{name} is not a numpy array of a known version; it starts with {start!r}")
    length = int.from_bytes(stream.read(2 if start[6] == 1 else 4), "little")
    if length > LONGEST_HEADER:
        raise FormatError(f"{name}: a numpy header of {length} bytes; {LONGEST_HEADER} are allowed")
    text = stream.read(length).decode("latin-1")
    if "|O" in text or "'O'" in text:
        raise FormatError(f"{name} holds Python objects, that is a pickle, which is never opened here")
    found = [field.search(text) for field in FIELDS]
    if None in found:
        raise FormatError(f"{name}: a numpy header of a plain array expected, got {text[:120].strip()!r}")
    descr, order, shape = (match[1] for match in found if match is not None)
    sizes = [part.strip().removesuffix("L") for part in shape.split(",") if part.strip()]
    if not all(size.isdecimal() and len(size) < 20 for size in sizes) or len(sizes) > 16:
        raise FormatError(f"{name}: an impossible shape ({shape.strip()[:80]})")
    try:
        dtype = np.dtype(descr)
    except TypeError:
        raise FormatError(f"{name}: an unknown element type {descr!r}") from None
    array = Array(dtype, order == "True", tuple(map(int, sizes)))
    if array.size == 0 and (dtype.itemsize == 0 or max(array.shape, default=0) > 1 << 40):
        raise FormatError(f"{name}: an impossible array {array}")
    return array


def _read_member(archive: zipfile.ZipFile, key: str, name: str) -> NDArray[Any]:
    member = key if key in archive.namelist() else f"{key}.npy"
    where = f"{name}[{member}]"
    with archive.open(member) as file:
        header = _read_header(cast(BinaryIO, file), where)
        data = read_bounded(cast(BinaryIO, file), header.size + 1)
    if len(data) != header.size:
        more = "more" if len(data) > header.size else str(len(data))
        raise FormatError(f"{where}: an array {header} needs {header.size} bytes of data, the archive holds {more}")
    return header.filled(data)


def _utf8(words: NDArray[Any], name: str) -> list[bytes]:
    if words.dtype.kind == "S":
        return [bytes(word) for word in words.tolist()]
    try:
        return [str(word).encode("utf-8", "surrogatepass") for word in words.tolist()]
    except (ValueError, OverflowError):  # code points that Unicode does not have
        raise FormatError(f"{name}: the words are damaged; they hold impossible characters") from None


def _listed(headers: dict[str, Array]) -> str:
    return ", ".join(f"{key} {header}" for key, header in list(headers.items())[:12]) or "nothing"


def chosen(matrices: dict[str, str], asked: str | None, name: str, listed: str) -> str:
    """Return the one matrix that is meant, or refuse and list what there is.

    Raises
    ------
    FormatError
    """
    if asked is not None:
        if asked in matrices:
            return asked
        raise FormatError(f"{name} has no matrix {asked!r} of real numbers; it holds {listed}")
    if len(matrices) == 1:
        return next(iter(matrices))
    if not matrices:
        raise FormatError(f"{name} has no matrix (V, d) of real numbers; it holds {listed}")
    several = ", ".join(f"{key} {shape}" for key, shape in list(matrices.items())[:12])
    raise FormatError(f"{name} holds {len(matrices)} matrices; choose one with --tensor NAME: {several}")


def write_npz(embedding: Embedding, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a .npz archive of ``vectors`` (V, d) float32, ``words`` (V,) and, if counted, ``counts`` (V,).

    Integer keys are written as decimal numbers; they come back as strings.

    Raises
    ------
    FormatError
        For a word that ends in NUL, which an array of strings does not keep.
    FileAccessError
    """
    words = [str(word) for word in embedding.words]
    for row, word in enumerate(words):
        if word.endswith("\0"):
            raise FormatError(f"the word {word!r} (row {row}) ends in NUL, which .npz cannot hold; save it as a model")
    arrays = {"vectors": embedding.W, "words": np.array(words, dtype=np.str_)}
    if counted(embedding):
        arrays["counts"] = embedding.counts
    with replacing(path, force=force) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for key, array in arrays.items():
            # a date that does not change: the same vectors give the same bytes
            with archive.open(zipfile.ZipInfo(f"{key}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(cast(Any, member), np.asarray(array), allow_pickle=False)


def is_npz(path: str | os.PathLike[str]) -> bool:
    """Tell whether a zip archive consists of numpy arrays."""
    try:
        with zipfile.ZipFile(Path(path)) as archive:
            names = archive.namelist()
            return bool(names) and all(member.endswith(".npy") for member in names)
    except BROKEN_ZIP:
        return False
