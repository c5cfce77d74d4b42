"""Tables of Apache Arrow: Parquet and Arrow IPC (Feather) files with a column of words and one of vectors."""

from __future__ import annotations

import os
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from w2v.atomic import replacing
from w2v.embedding.container import Embedding
from w2v.embedding.foreign import checked_counts, counted, imported
from w2v.embedding.streams import open_vectors
from w2v.errors import FormatError
from w2v.extras import import_extra

__all__ = ["read_arrow", "write_arrow"]

PURPOSE = "reading and writing Parquet and Arrow files"
CHUNK_ROWS = 1 << 16


def read_arrow(path: str | os.PathLike[str], *, errors: str = "replace", duplicates: str = "first") -> Embedding:
    """Read a table of words and vectors from a Parquet, Arrow IPC or Feather file.

    Words are the first column of strings; vectors are the first column of lists of numbers, all of one length, or
    else all columns of floating-point numbers together. A column of whole numbers called ``count`` gives the counts.

    Parameters
    ----------
    path : str or path-like
    errors, duplicates
        See `read_word2vec_text`.

    Raises
    ------
    MissingExtraError
        When pyarrow is not installed: it comes with ``w2v[arrow]``.
    FormatError
    FileAccessError
    """
    pyarrow = import_extra("pyarrow", "arrow", PURPOSE)
    name = os.fspath(path)
    with open_vectors(path) as (stream, _):
        try:
            table = _table(stream)
            table.validate(full=True)
        except (pyarrow.ArrowException, ValueError, OSError) as error:
            raise FormatError(f"{name}: pyarrow cannot read this table: {error}") from error
    types = pyarrow.types
    columns = {field.name: table.column(i).combine_chunks() for i, field in enumerate(table.schema)}
    listed = ", ".join(f"{field.name} {field.type}" for field in list(table.schema)[:12]) or "none"
    texts = [key for key, c in columns.items() if types.is_string(c.type) or types.is_large_string(c.type)]
    if not texts:
        raise FormatError(f"{name} has no column of strings, which would be the words; its columns: {listed}")
    words = columns[texts[0]]
    if words.null_count:
        raise FormatError(f"{name}: {words.null_count} words of the column {texts[0]!r} are missing")
    W = _vectors(columns, types, name, listed)
    encoded = [word.encode("utf-8", "surrogatepass") for word in words.to_pylist()]
    counts = None
    if "count" in columns and types.is_integer(columns["count"].type) and not columns["count"].null_count:
        counts = checked_counts(columns["count"].to_numpy(zero_copy_only=False).astype(np.int64), name)
    return imported(name, "Arrow table", encoded, W, errors=errors, duplicates=duplicates, counts=counts)


def _table(stream: BinaryIO) -> Any:
    start = stream.read(6)
    stream.seek(0)
    if start == b"ARROW1":
        return import_extra("pyarrow.ipc", "arrow", PURPOSE).open_file(stream).read_all()
    return import_extra("pyarrow.parquet", "arrow", PURPOSE).ParquetFile(stream).read()


def _vectors(columns: dict[str, Any], types: Any, name: str, listed: str) -> NDArray[Any]:
    for key, column in columns.items():
        is_list = types.is_list(column.type) or types.is_large_list(column.type)
        if (is_list or types.is_fixed_size_list(column.type)) and _is_real(column.type.value_type, types):
            rows = len(column)
            values = column.flatten()  # of the rows that are there
            lengths = np.diff(column.offsets.to_numpy()) if is_list else np.full(rows, column.type.list_size)
            if column.null_count or values.null_count or not rows or lengths[0] < 1 or np.any(lengths != lengths[0]):
                raise FormatError(f"{name}: the vectors of the column {key!r} have missing numbers or several lengths")
            flat: NDArray[Any] = values.to_numpy(zero_copy_only=False)
            return flat.reshape(rows, int(lengths[0]))
    numbers = {key: c for key, c in columns.items() if types.is_floating(c.type)}
    if not numbers:
        raise FormatError(f"{name} has neither a column of lists of numbers nor columns of numbers; it has: {listed}")
    gaps = [key for key, column in numbers.items() if column.null_count]
    if gaps:
        raise FormatError(f"{name}: numbers of the column {gaps[0]!r} are missing")
    return np.column_stack([c.to_numpy(zero_copy_only=False).astype(np.float32) for c in numbers.values()])


def _is_real(kind: Any, types: Any) -> bool:
    return bool(types.is_floating(kind) or types.is_integer(kind))


def write_arrow(embedding: Embedding, path: str | os.PathLike[str], *, parquet: bool, force: bool = False) -> None:
    """Write a table of ``word`` (string), ``vector`` (fixed-size list of float32) and, if counted, ``count`` (int64).

    Parameters
    ----------
    embedding : Embedding
    path : str or path-like
    parquet : bool
        Parquet (compressed with zstd), or else an Arrow IPC file, which is also Feather version 2.
    force : bool

    Raises
    ------
    MissingExtraError
    FormatError
        For a word with half of a character.
    FileAccessError
    """
    pyarrow = import_extra("pyarrow", "arrow", PURPOSE)
    words = [str(word) for word in embedding.words]
    try:
        column = pyarrow.array(words, pyarrow.string())
    except UnicodeEncodeError as error:
        raise FormatError(f"the word {error.object!r} holds half of a character and has no UTF-8 form") from None
    fields = [("word", pyarrow.string()), ("vector", pyarrow.list_(pyarrow.float32(), embedding.vector_size))]
    fields += [("count", pyarrow.int64())] if counted(embedding) else []
    schema = pyarrow.schema(fields)
    with replacing(path, force=force) as file:
        if parquet:
            module = import_extra("pyarrow.parquet", "arrow", PURPOSE)
            writer = module.ParquetWriter(file, schema, compression="zstd")
        else:
            writer = import_extra("pyarrow.ipc", "arrow", PURPOSE).new_file(file, schema)
        with writer:
            for start in range(0, len(words), CHUNK_ROWS):
                rows = slice(start, start + CHUNK_ROWS)
                flat = pyarrow.array(np.ascontiguousarray(embedding.W[rows]).reshape(-1))
                vectors = pyarrow.FixedSizeListArray.from_arrays(flat, embedding.vector_size)
                arrays = [column[rows], vectors, pyarrow.array(embedding.counts[rows])]
                writer.write(pyarrow.Table.from_arrays(arrays[: len(fields)], schema=schema))
