"""The two TSV files of TensorFlow's Embedding Projector: vectors without words, and words as metadata."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.container import Embedding
from w2v.embedding.foreign import BOM, RowBuffer, counted, imported
from w2v.embedding.streams import SUFFIXES, open_vectors, write_vectors
from w2v.embedding.tokens import Tokens, named_rows, read_lines, read_tokens
from w2v.embedding.word2vec_text import is_number
from w2v.errors import FormatError

__all__ = ["is_vector_table", "metadata_beside", "read_projector", "write_projector"]

CHUNK_BYTES = 1 << 22
CHUNK_ROWS = 1024

ESCAPED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
PLAIN = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r", "e": ""}
EMPTY = "\\e"
CONTROL = re.compile(r"[\\\x00-\x1f\x7f-\x9f]")
ESCAPE = re.compile(r"\\([\\tnre]|u(?!d[89a-f])[0-9a-f]{4})")  # halves of characters are no text


def metadata_beside(path: str | os.PathLike[str]) -> Path:
    """Return where the words of a file of vectors are: ``books.metadata.tsv`` of ``books.tsv``."""
    target = Path(path)
    if target.suffix.lower() in SUFFIXES:
        target = Path(target.with_suffix(""))
    return target.with_name(f"{target.stem}.metadata.tsv")


def escaped(word: str) -> str:
    r"""Return a word as one field of a line: tabs, line ends and backslashes as ``\t``, ``\n``, ``\r`` and ``\\``.

    The empty word is ``\e``, as a line of nothing would be skipped; so would a line of blanks, so that white space at
    both ends is written ``\uXXXX``. So are all other control characters.
    """
    text = CONTROL.sub(lambda m: ESCAPED.get(m[0], f"\\u{ord(m[0]):04x}"), word)
    inner = text.strip().strip("\ufeff")
    if inner == text:
        return text or EMPTY
    at = text.find(inner) if inner else len(text)
    outer = [f"\\u{ord(letter):04x}" for letter in text]
    return "".join(outer[:at]) + inner + "".join(outer[at + len(inner) :])


def unescaped(text: str) -> str:
    """Undo `escaped`; what is no escape stays as it is."""
    if "\\" not in text:
        return text
    return ESCAPE.sub(lambda m: chr(int(m[1][1:], 16)) if m[1][0] == "u" else PLAIN[m[1]], text)


def write_projector(
    embedding: Embedding,
    vectors: str | os.PathLike[str],
    metadata: str | os.PathLike[str] | None = None,
    *,
    force: bool = False,
) -> None:
    """Write W and the words as the projector loads them, one row a line in both files, and read both back.

    The vectors have no header. The metadata has the words alone and then, as the projector wants it, no header; with
    counts that were really counted it has two columns, ``word`` and ``count``, and a header. Words are escaped so that
    every one is exactly one line and comes back (see `read_projector`).

    Parameters
    ----------
    embedding : Embedding
    vectors, metadata : str or path-like
        Compressed when the name ends in .gz, .bz2, .xz or .zst. By default the words go beside the vectors, from
        ``books.tsv`` to ``books.metadata.tsv``.
    force : bool

    Raises
    ------
    FormatError
        For a word with half of a character; or when what was written does not read back as it should.
    FileAccessError
    """
    beside = metadata_beside(vectors) if metadata is None else metadata
    rows = [escaped(str(word)) for word in embedding.words]
    try:
        lines = [row.encode("utf-8") for row in rows]
    except UnicodeEncodeError as error:
        raise FormatError(f"the word {error.object!r} holds half of a character and has no UTF-8 form") from None
    row_format = "\t".join(["%.9g"] * embedding.vector_size) + "\n"
    with write_vectors(vectors, force=force) as first, write_vectors(beside, force=force) as second:
        for start in range(0, len(embedding), CHUNK_ROWS):
            part = embedding.W[start : start + CHUNK_ROWS].tolist()
            first.write("".join([row_format % tuple(row) for row in part]).encode("ascii"))
        if counted(embedding):
            second.write(b"word\tcount\n")
            lines = [b"%b\t%d" % pair for pair in zip(lines, embedding.counts.tolist(), strict=True)]
        second.write(b"".join([line + b"\n" for line in lines]))
    again = read_projector(vectors, beside) if len(embedding) else embedding
    if list(map(str, embedding.words)) != again.words or not np.array_equal(embedding.W, again.W, equal_nan=True):
        raise FormatError(f"{os.fspath(vectors)} and {os.fspath(beside)} do not read back as they were written")


def read_projector(
    vectors: str | os.PathLike[str],
    metadata: str | os.PathLike[str] | None = None,
    *,
    errors: str = "replace",
    duplicates: str = "first",
) -> Embedding:
    """Read vectors without words, tab-separated numbers, and their words from the metadata or any list of tokens.

    Parameters
    ----------
    vectors : str or path-like
        Plain or compressed.
    metadata : str or path-like, optional
        One word a line, or several columns with a header, of which the first (or the one called word, label or
        token) is taken; by default the file beside the vectors that `write_projector` makes.
    errors, duplicates
        See `read_word2vec_text`.

    Raises
    ------
    FormatError
        When there are no words, or when both files differ in their number of rows.
    FileAccessError
    """
    name = os.fspath(vectors)
    beside = metadata_beside(vectors) if metadata is None else metadata
    if metadata is None and not Path(beside).exists():
        raise FormatError(
            f"{name} holds vectors without words; give the file of its words (--tokens FILE, tokens=...); "
            f"{beside} would have been found"
        )
    W = _read_vectors(vectors, name)
    # words may look like JSON: only a name in .json makes it so
    words, counts = _metadata(read_tokens(beside) if Path(beside).suffix == ".json" else read_lines(beside))
    policies = {"errors": errors, "duplicates": duplicates}
    if counts is None or len(words.words) != len(W):
        return named_rows(name, "projector TSV", W, words, **policies)
    return imported(name, "projector TSV", words.words, W, counts=counts, **policies)


def _metadata(table: Tokens) -> tuple[Tokens, NDArray[np.int64] | None]:
    """Take the words out of a table with a header, and its counts; undo the escapes."""
    words, counts = list(table.words), None
    if words and b"\t" in words[0]:
        header = words[0].lower().split(b"\t")
        at = next((header.index(title) for title in (b"word", b"label", b"token") if title in header), 0)
        cells = [line.split(b"\t") for line in words[1:]]
        for number, row in enumerate(cells, start=2):
            if len(row) != len(header):
                raise FormatError(f"{table.source}:{number}: {len(header)} columns expected, got {len(row)}")
        words = [row[at] for row in cells]
        if b"count" in header:
            numbers = [row[header.index(b"count")] for row in cells]
            if all(number.isdigit() and len(number) < 19 for number in numbers):
                counts = np.array(list(map(int, numbers)), dtype=np.int64)
    plain = [unescaped(w.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape") for w in words]
    return Tokens(table.source, plain, np.arange(len(plain))), counts


def is_vector_table(lines: list[bytes]) -> bool:
    """Tell whether these lines are rows of tab-separated numbers and nothing else."""
    rows = [line.rstrip(b"\r\n").split(b"\t") for line in lines]
    return len(rows[0]) > 1 and all(len(row) == len(rows[0]) and all(map(is_number, row)) for row in rows)


def _read_vectors(path: str | os.PathLike[str], name: str) -> NDArray[np.float32]:
    buffer: RowBuffer | None = None
    d, number = 0, 0
    with open_vectors(path) as (stream, _):
        while lines := stream.readlines(CHUNK_BYTES):
            if buffer is None:
                lines[0] = lines[0].removeprefix(BOM)
                d = lines[0].count(b"\t") + 1
                buffer = RowBuffer(d, 0)
            rows = []
            for line in lines:
                number += 1
                fields = line.rstrip(b"\r\n").split(b"\t")
                if len(fields) != d or not all(map(is_number, fields)):
                    raise FormatError(f"{name}:{number}: {d} tab-separated numbers expected, got {line[:60]!r}")
                rows.append(fields)
            with np.errstate(over="ignore"):
                buffer.add(np.array(rows, dtype=np.float32))
    if buffer is None:
        raise FormatError(f"{name} is empty")
    return buffer.finish()
