"""word2vec's binary vectors: a header line, then each word, a space and d little-endian float32."""

from __future__ import annotations

import os
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.container import Embedding
from w2v.embedding.foreign import HEADER, RowBuffer, check_choices, checked_words, imported
from w2v.embedding.streams import open_vectors, write_vectors
from w2v.errors import FormatError, TruncatedFileError

__all__ = ["read_word2vec_binary", "scan_rows", "write_word2vec_binary"]

CHUNK_BYTES = 1 << 22
LONGEST_HEADER = 128
FLOAT = np.dtype("<f4")


def read_word2vec_binary(
    path: str | os.PathLike[str], *, errors: str = "replace", duplicates: str = "first", encoding: str = "utf-8"
) -> Embedding:
    """Read word2vec's binary format, plain or compressed (gzip, bz2, xz, zstd).

    Rows with a newline at their end (word2vec.c) and without one (gensim) are both read; the bytes of the vectors are
    never searched.

    Parameters
    ----------
    path : str or path-like
    errors : {"replace", "strict"}
        What to do with words that are not valid in the encoding: put U+FFFD for the bad bytes and warn once, or raise.
    duplicates : {"first", "error"}
        What to do when a word occurs again: keep its first vector and warn once, or raise.
    encoding : str
        Of the words.

    Returns
    -------
    Embedding
        Without C; counts are V - rank.

    Raises
    ------
    FormatError
        When the header is none, when it promises another number of rows than there are (naming both), or when the
        file ends inside a row (a `TruncatedFileError`).
    FileAccessError
    """
    check_choices(errors, duplicates)
    name = os.fspath(path)
    with open_vectors(path) as (stream, size):
        first = stream.readline(LONGEST_HEADER)
        header = HEADER.fullmatch(first)
        if header is None or not first.endswith(b"\n"):
            raise FormatError(
                f"{name}: a word2vec file starts with its numbers of rows and dimensions, not {first[:40]!r}"
            )
        promised, d = int(header[1]), int(header[2])
        if d < 1:
            raise FormatError(f"{name}: vectors must have at least 1 dimension; the header says {d}")
        words, W = _read_rows(stream, promised, d, size, name)
    return imported(name, "word2vec binary", words, W, errors=errors, duplicates=duplicates, encoding=encoding)


def _read_rows(
    stream: BinaryIO, promised: int, d: int, size: int | None, name: str
) -> tuple[list[bytes], NDArray[np.float32]]:
    row_bytes = FLOAT.itemsize * d
    rows = RowBuffer(d, min(promised, (size or 0) // (row_bytes + 1)))
    words: list[bytes] = []
    found = 0
    rest = b""
    while True:
        # at least as much as is left over, so that a long row costs no more than its length
        block = stream.read(max(CHUNK_BYTES, len(rest)))
        data = rest + block
        part, starts, end = scan_rows(data, row_bytes)
        wanted = min(len(part), promised - len(words))
        if wanted > 0:
            view = memoryview(data)
            joined = b"".join([view[s : s + row_bytes] for s in starts[:wanted]])
            rows.add(np.frombuffer(joined, dtype=FLOAT).reshape(wanted, d))
            words += part[:wanted]
        found += len(part)
        rest = data[end:]
        if not block:
            break
    rest = rest.strip(b"\r\n")
    if rest and found < promised:
        raise TruncatedFileError(
            f"{name}: the header promises {promised} rows of {d} numbers, but the file ends inside row {found} "
            f"(counted from 0), of which it holds {len(rest)} bytes; it is cut short or its header is wrong"
        )
    if found != promised or rest:
        more = f" and {len(rest)} more bytes" if rest else ""
        kind = TruncatedFileError if found < promised else FormatError
        raise kind(
            f"{name}: the header promises {promised} rows of {d} numbers, the file holds {found}{more}; "
            "it is cut short or its header is wrong"
        )
    return words, rows.finish()


def scan_rows(data: bytes, row_bytes: int) -> tuple[list[bytes], list[int], int]:
    """Find the rows that lie whole in the data.

    Returns
    -------
    words : list of bytes
    starts : list of int
        Where the vector of each word begins.
    end : int
        Where the first row begins that is not whole.
    """
    words: list[bytes] = []
    starts: list[int] = []
    find, size, position = data.find, len(data), 0
    while True:
        # a newline before a word is the end of the row before it; no word starts with one
        begin = position
        while data[begin : begin + 1] == b"\n":
            begin += 1
        space = find(b" ", begin)
        end = space + 1 + row_bytes
        if space < 0 or end > size:
            return words, starts, position
        words.append(data[begin:space])
        starts.append(space + 1)
        position = end


def write_word2vec_binary(embedding: Embedding, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write W in word2vec's binary format, rows ending in a newline as word2vec.c writes them.

    Compressed when the name ends in .gz, .bz2, .xz or .zst. Counts, C and settings are not in this format.

    Raises
    ------
    FormatError
        For a word that the format cannot hold: empty, or with a space or a newline in it.
    FileAccessError
    """
    words = checked_words(
        embedding.words, " \n", "word2vec's binary format", "save in the model format, or as text, instead"
    )
    row_bytes = FLOAT.itemsize * embedding.vector_size
    step = max(1, CHUNK_BYTES // row_bytes)
    with write_vectors(path, force=force) as file:
        file.write(b"%d %d\n" % (len(embedding), embedding.vector_size))
        for start in range(0, len(words), step):
            raw = np.ascontiguousarray(embedding.W[start : start + step], dtype=FLOAT).tobytes()
            part = enumerate(words[start : start + step])
            file.write(b"".join([b"%b %b\n" % (word, raw[i * row_bytes : (i + 1) * row_bytes]) for i, word in part]))
