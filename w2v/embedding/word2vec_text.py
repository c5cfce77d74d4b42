"""Vectors as text, a word and its numbers a line: word2vec's, fastText's .vec, and GloVe's without a header."""

from __future__ import annotations

import itertools
import os
import statistics
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.container import Embedding
from w2v.embedding.foreign import BOM, HEADER, RowBuffer, check_choices, checked_words, imported
from w2v.embedding.streams import open_vectors, write_vectors
from w2v.errors import FormatError, TruncatedFileError
from w2v.plurals import counted

__all__ = ["is_number", "read_word2vec_text", "trailing_numbers", "write_word2vec_text"]

CHUNK_BYTES = 1 << 22
CHUNK_ROWS = 1024
LOOK_AHEAD = 100
"""Lines by which the number of dimensions of a file without header is judged."""


def read_word2vec_text(
    path: str | os.PathLike[str],
    *,
    header: bool | None = None,
    errors: str = "replace",
    duplicates: str = "first",
    encoding: str = "utf-8",
) -> Embedding:
    """Read vectors from text, plain or compressed (gzip, bz2, xz, zstd).

    The last d fields of a line, separated by single ASCII spaces, are the numbers; all before them is the word, so
    that words may hold spaces, no-break spaces and anything else but a newline. Blanks and a carriage return at the
    end of a line are dropped, a byte order mark at the start of the file too.

    Parameters
    ----------
    path : str or path-like
    header : bool, optional
        Whether the first line gives the numbers of rows and dimensions. By default it does when it consists of two
        whole numbers without sign or point, and else the file is taken for GloVe's layout. A file of one dimension
        without header whose first line is, say, ``7 5`` needs ``header=False``. Without header d is the smallest
        number of fields after the word that are numbers, over the first 100 lines, and must be the commonest one.
    errors : {"replace", "strict"}
        What to do with words that are not valid in the encoding: put U+FFFD for the bad bytes and warn once, or raise.
    duplicates : {"first", "error"}
        What to do when a word occurs again: keep its first vector and warn once, or raise.
    encoding : str
        Of the words; one in which ASCII stands for itself.

    Returns
    -------
    Embedding
        Without C; counts are V - rank.

    Raises
    ------
    FormatError
        Naming the line that cannot be read, or both numbers when the header gives another number of rows than there
        are. (A last row ``<unk>`` need not be in that number: GloVe does not count it.)
    FileAccessError
    """
    check_choices(errors, duplicates)
    name = os.fspath(path)
    with open_vectors(path) as (stream, size):
        first = stream.readline().removeprefix(BOM)
        given = HEADER.fullmatch(first)
        if header is None:
            header = given is not None
        if header:
            if given is None:
                raise FormatError(f"{name}:1: not a header of two whole numbers: {_shown(first)}")
            promised, d = int(given[1]), int(given[2])
            lines: Iterator[list[bytes]] = _chunks(stream)
            room = min(promised, (size or 0) // (2 * d + 1)) if d else 0
        else:
            ahead = [first, *itertools.islice(stream, LOOK_AHEAD - 1)]
            promised, d = -1, _dimensions(ahead, name)
            lines = itertools.chain([ahead], _chunks(stream))
            room = 0
        if d < 1:
            raise FormatError(f"{name}:1: vectors must have at least 1 dimension; the header says {d}")
        words, W = _read_rows(lines, d, room, name, 2 if header else 1)
    # GloVe's header (-write-header 1) leaves out the row of unknown words that it ends with
    uncounted = len(words) == promised + 1 and words[-1] == b"<unk>"
    if header and len(words) != promised and not uncounted:
        kind_of_error = TruncatedFileError if len(words) < promised else FormatError
        raise kind_of_error(
            f"{name}: the header promises {promised} rows, the file holds {len(words)}; "
            "the file is cut short or its header is wrong (a file without header is read with header=False)"
        )
    kind = "word2vec text" if header else "text without header"
    return imported(name, kind, words, W, errors=errors, duplicates=duplicates, encoding=encoding)


def _chunks(stream: BinaryIO) -> Iterator[list[bytes]]:
    while lines := stream.readlines(CHUNK_BYTES):
        yield lines


def _read_rows(
    chunks: Iterator[list[bytes]], d: int, room: int, name: str, line_number: int
) -> tuple[list[bytes], NDArray[np.float32]]:
    words: list[bytes] = []
    rows = RowBuffer(d, room)
    blank: int | None = None
    for lines in chunks:
        fields: list[bytes] = []
        count = 0
        for i, line in enumerate(lines):
            parts = line.rstrip(b"\r\n \t").rsplit(b" ", d)
            if len(parts) == d + 1 and blank is None:
                words.append(parts[0])
                fields += parts[1:]
                count += 1
            elif not line.strip():
                blank = line_number + i if blank is None else blank  # fine at the end, an error before more rows
            elif blank is not None:
                raise FormatError(f"{name}:{blank}: an empty line between the rows")
            else:
                raise FormatError(f"{name}:{line_number + i}: a word and {d} numbers expected, got {_shown(line)}")
        if count:
            rows.add(_numbers(fields, lines, d, name, line_number))
        line_number += len(lines)
    return words, rows.finish()


def _numbers(fields: list[bytes], lines: Sequence[bytes], d: int, name: str, line_number: int) -> NDArray[np.float32]:
    try:
        if b"_" in b" ".join(fields):  # Python's own spelling of numbers, 1_000
            raise ValueError
        with np.errstate(over="ignore"):
            return np.array(fields, dtype=np.float32).reshape(-1, d)
    except ValueError:
        for i, field in enumerate(fields):
            if not is_number(field):
                where = f"{name}:{line_number + i // d}"
                raise FormatError(
                    f"{where}: {_shown(field)} is not a number; the last {d} fields, separated by single spaces, "
                    f"must be numbers: {_shown(lines[i // d])}"
                ) from None
        raise


def is_number(field: bytes) -> bool:
    """Tell whether a field is a number as text files of vectors write them (nan and inf included)."""
    try:
        float(field)
    except ValueError:
        return False
    return not field[:1].isspace() and not field[-1:].isspace() and b"_" not in field


def trailing_numbers(line: bytes) -> int:
    """Return how many fields at the end of a line are numbers, the first field, which is the word, apart."""
    fields = line.rstrip(b"\r\n \t").split(b" ")[1:]
    return next((n for n, field in enumerate(reversed(fields)) if not is_number(field)), len(fields))


def _dimensions(lines: Sequence[bytes], name: str) -> int:
    found = {row: trailing_numbers(line) for row, line in enumerate(lines) if line.strip()}
    if not found:
        raise FormatError(f"{name} is empty")
    row = min(found, key=found.__getitem__)
    if found[row] < 1:
        raise FormatError(f"{name}:{row + 1}: a word and its numbers expected, got {_shown(lines[row])}")
    usual = statistics.mode(sorted(found.values()))
    if usual != found[row]:  # some words may end in numbers, most do not
        raise FormatError(
            f"{name}:{row + 1}: a word and {counted(found[row], 'number')}, but most lines have {usual}: "
            f"{_shown(lines[row])}; the file is cut short or damaged (if its words end in numbers, it needs a header)"
        )
    return found[row]


def _shown(text: bytes) -> str:
    shown = repr(text.strip()[:60].decode("utf-8", "replace"))
    return f"{shown}..." if len(text) > 60 else shown


def write_word2vec_text(
    embedding: Embedding, path: str | os.PathLike[str], *, header: bool = True, force: bool = False
) -> None:
    """Write W as word2vec text (or, with ``header=False``, in GloVe's layout); exact for float32.

    Compressed when the name ends in .gz, .bz2, .xz or .zst. Counts, C and settings are not in this format.

    Raises
    ------
    FormatError
        For a word that the format cannot hold: empty, with a line break, or with a blank at its start or end.
        Spaces inside a word are written; `read_word2vec_text` restores them, other readers may not.
    FileAccessError
    """
    words = checked_words(embedding.words, "\n\r", "word2vec text", "save in the model format instead")
    row_format = "".join([" %.9g"] * embedding.vector_size) + "\n"  # nine digits tell any two float32 apart
    with write_vectors(path, force=force) as file:
        if header:
            file.write(b"%d %d\n" % (len(embedding), embedding.vector_size))
        for start in range(0, len(words), CHUNK_ROWS):
            rows = embedding.W[start : start + CHUNK_ROWS].tolist()
            part = zip(words[start : start + CHUNK_ROWS], rows, strict=True)
            file.write(b"".join([word + (row_format % tuple(row)).encode("ascii") for word, row in part]))
