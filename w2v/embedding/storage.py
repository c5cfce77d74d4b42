"""The model file, format versions 1 and 2: vocabulary, W, C and their story in one file of safetensors layout."""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.atomic import replacing
from w2v.embedding.compact import HalfRows, QuantisedRows, check_storage_type, widened
from w2v.embedding.layout import Header, Tensor, build_header, listed_tensors, read_header
from w2v.errors import FileAccessError, FormatError
from w2v.vocabulary import Vocabulary

__all__ = ["FORMAT_VERSION", "StoredModel", "read_model", "write_model"]

FORMAT_VERSION = 2
"""The newest version that is read. Float32 models are written as version 1, smaller types as version 2."""
CHUNK_BYTES = 1 << 22
"""Rows are written in pieces of about this size, so that a strided matrix is never copied whole."""

DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "F16": np.dtype("<f2"),
    "I8": np.dtype("i1"),
    "I64": np.dtype("<i8"),
    "U8": np.dtype("u1"),
}
CODES = {(dtype.kind, dtype.itemsize): code for code, dtype in DTYPES.items()}
OWN = frozenset(("counts", "word_offsets", "keys", "W_scales", "C_scales", "W", "C", "words"))
"""The tensors of a model; whatever else lies in the file belongs to somebody else, as a checkpoint's state does."""


class StoredModel(NamedTuple):
    """What a model file holds; the arrays are read-only views of the mapped file."""

    vocabulary: Vocabulary
    W: NDArray[np.float32]
    C: NDArray[np.float32] | None
    settings: dict[str, Any]
    provenance: dict[str, Any]
    losses: tuple[float, ...]
    metadata: dict[str, str]
    others: dict[str, NDArray[Any]]


def write_model(
    path: str | os.PathLike[str],
    vocabulary: Vocabulary,
    W: NDArray[np.float32],
    C: NDArray[np.float32] | None,
    *,
    settings: Mapping[str, Any],
    provenance: Mapping[str, Any],
    losses: Sequence[float],
    dtype: str = "float32",
    metadata: Mapping[str, str] | None = None,
    others: Mapping[str, NDArray[Any]] | None = None,
    force: bool = False,
) -> None:
    """Write a model file, whole or not at all; the same content gives the same bytes.

    Tensors, in this order (int64 first keeps all of them aligned): counts (V,) int64; word_offsets (V+1,) int64 or
    keys (V,) int64; W (V, d) float32; C (V, d) float32, if there; words (bytes,) uint8, the UTF-8 of all words, unless
    there are keys. Metadata: format "w2v", format_version, key_type "str" or "int", and settings, provenance and
    losses as JSON. `metadata` and `others` (1-dimensional, float64 or int64) are stored beside them.

    With `dtype` "float16" or "int8" the format version is 2, and W and C are of that type; int8 has a scale for each
    row, W_scales and C_scales (V,) float32, which come before W (see `w2v.embedding.compact`).

    Raises
    ------
    FormatError
        For a word that occurs twice or that is not valid Unicode (a lone surrogate); for a number that the type to
        store cannot hold.
    SettingsError
        For another `dtype`.
    FileAccessError
        See `w2v.atomic.replacing`.
    """
    arrays = _vocabulary_arrays(vocabulary)
    words = arrays.pop("words", None)
    arrays.update(others or {})
    arrays |= _matrix_arrays({"W": W} if C is None else {"W": W, "C": C}, dtype, vocabulary)
    if words is not None:
        arrays["words"] = words
    story = {
        **(metadata or {}),
        "format": "w2v",
        "format_version": "1" if dtype == "float32" else "2",
        "key_type": vocabulary.key_type,
        "settings": _to_json(settings),
        "provenance": _to_json(provenance),
        "losses": _to_json([loss if math.isfinite(loss) else None for loss in map(float, losses)]),
    }
    table = {name: (CODES[array.dtype.kind, array.dtype.itemsize], array.shape) for name, array in arrays.items()}
    # scales may take an odd number of four bytes: then what must be aligned, the int64, is what comes first
    header = build_header(table, story, aligned="counts" if dtype == "int8" else "W")
    with replacing(path, force=force) as file:
        file.write(header)
        for name, array in arrays.items():
            _write_rows(file, array, DTYPES[table[name][0]])


def _matrix_arrays(matrices: Mapping[str, NDArray[np.float32]], dtype: str, vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the matrices as they are to be stored: something with a shape and a dtype that gives slices of rows."""
    check_storage_type(dtype)

    def describing(key: str) -> Callable[[int], str]:
        return lambda row: f"the vector of {vocabulary.words[row]!r} (row {row} of {key})"

    if dtype == "float32":
        return dict(matrices)
    if dtype == "float16":
        return {key: HalfRows(matrix, describing(key)) for key, matrix in matrices.items()}
    quantised = {key: QuantisedRows(matrix, describing(key)) for key, matrix in matrices.items()}
    return {f"{key}_scales": rows.scales for key, rows in quantised.items()} | quantised


def _vocabulary_arrays(vocabulary: Vocabulary) -> dict[str, Any]:
    len(vocabulary.index)  # refuses duplicates: a file that could not be read again is not written
    if vocabulary.key_type == "int":
        return {"counts": vocabulary.counts, "keys": vocabulary.keys}
    words, offsets = vocabulary.packed()
    try:
        words.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        for word in map(str, vocabulary.words):
            if not word.isascii() and any("\ud800" <= letter <= "\udfff" for letter in word):
                raise FormatError(f"the word {word!r} holds half of a character and has no UTF-8 form") from None
        raise
    return {"counts": vocabulary.counts, "word_offsets": offsets, "words": words}


def _to_json(value: Any) -> str:
    def plain(other: Any) -> Any:
        if isinstance(other, np.generic):
            return other.item()
        if isinstance(other, np.ndarray):
            return other.tolist()
        if isinstance(other, Path):
            return str(other)
        if isinstance(other, Mapping):
            return dict(other)
        raise TypeError(f"settings and provenance must be plain JSON values; got {other!r} ({type(other).__name__})")

    return json.dumps(value, separators=(",", ":"), default=plain)


def _write_rows(file: BinaryIO, array: Any, dtype: np.dtype[Any]) -> None:
    step = max(1, CHUNK_BYTES // max(1, dtype.itemsize * math.prod(array.shape[1:])))
    for start in range(0, len(array), step):
        rows = np.ascontiguousarray(array[start : start + step], dtype=dtype)
        file.write(rows.data.cast("B") if rows.size else b"")


def read_model(path: str | os.PathLike[str]) -> StoredModel:
    """Map a model file; everything about its form is checked at once, no page of W or C is touched.

    Words are decoded, and duplicates refused, at the first look-up. Tensors and metadata that are no part of a
    model are handed on as they are (`others`, `metadata`).

    Raises
    ------
    FormatError
        For a file that is not a model of a known version, naming what is wrong.
    FileAccessError
        For a file that cannot be opened or mapped.
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = read_header(file, size, name)
            _check_version(header, name)
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FormatError:
        raise
    except (OSError, ValueError) as error:  # ValueError: the file was emptied meanwhile
        raise FileAccessError(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from error
    counts = _array(mapped, header, "counts", "I64", 1, name)
    W = _matrix(mapped, header, "W", name)
    C = _matrix(mapped, header, "C", name) if "C" in header.tensors else None
    if len(W) != len(counts) or W.shape[1] < 1 or (C is not None and C.shape != W.shape):
        shapes = f"counts {counts.shape}, W {W.shape}" + (f", C {C.shape}" if C is not None else "")
        raise FormatError(f"{name}: the shapes do not fit together: {shapes}")
    if len(counts) and (int(counts.min()) < 0 or float(counts.sum(dtype=np.float64)) >= 2.0**63):
        raise FormatError(f"{name}: the counts are negative or too large")
    return StoredModel(
        vocabulary=_vocabulary(mapped, header, counts, name),
        W=W,
        C=C,
        settings=_from_json(header, "settings", dict, name),
        provenance=_from_json(header, "provenance", dict, name),
        losses=_losses(header, name),
        metadata=header.metadata,
        others={
            key: _array(mapped, header, key, tensor.dtype, 1, name)
            for key, tensor in header.tensors.items()
            if key not in OWN and tensor.dtype in DTYPES and len(tensor.shape) == 1
        },
    )


def _check_version(header: Header, name: str) -> None:
    if header.metadata.get("format") != "w2v":
        found = listed_tensors(header.tensors)
        raise FormatError(f"{name} is a safetensors file but not a w2v model; its tensors: {found}")
    version = header.metadata.get("format_version", "")
    if not (version.isascii() and version.isdecimal() and len(version) < 10) or int(version) < 1:
        raise FormatError(f"{name}: format_version must be a whole number; got {version!r}")
    if int(version) > FORMAT_VERSION:
        raise FormatError(
            f"{name} has format version {version}, and this w2v reads up to {FORMAT_VERSION}; install a newer w2v"
        )


def _matrix(mapped: mmap.mmap, header: Header, key: str, name: str) -> NDArray[np.float32]:
    """Return a matrix: a view of the file where it is float32, else a copy that is."""
    stored = header.tensors.get(key)
    if stored is None or stored.dtype not in ("F16", "I8"):
        return _array(mapped, header, key, "F32", 2, name)
    rows = _array(mapped, header, key, stored.dtype, 2, name)
    if stored.dtype == "F16":
        return widened(rows)
    scales = _array(mapped, header, f"{key}_scales", "F32", 1, name)
    if len(scales) != len(rows):
        raise FormatError(f"{name}: {len(scales)} scales but {len(rows)} rows of {key}")
    return widened(rows, scales)


def _array(mapped: mmap.mmap, header: Header, key: str, dtype: str, dimensions: int, name: str) -> NDArray[Any]:
    tensor: Tensor | None = header.tensors.get(key)
    if tensor is None:
        raise FormatError(f"{name}: the tensor {key!r} is missing; found {', '.join(header.tensors) or 'none'}")
    if tensor.dtype != dtype or len(tensor.shape) != dimensions:
        raise FormatError(
            f"{name}: {key} must be {dtype} with {dimensions} dimension(s); got {tensor.dtype} {list(tensor.shape)}"
        )
    if tensor.size == 0:
        if max(tensor.shape, default=0) > np.iinfo(np.intp).max // 8:
            raise FormatError(f"{name}: {key} has an impossible shape {list(tensor.shape)}")
        return np.empty(tensor.shape, DTYPES[dtype])
    count = tensor.size // DTYPES[dtype].itemsize
    array: NDArray[Any] = np.frombuffer(mapped, DTYPES[dtype], count, tensor.position)
    return array.reshape(tensor.shape)


def _vocabulary(mapped: mmap.mmap, header: Header, counts: NDArray[np.int64], name: str) -> Vocabulary:
    kind = header.metadata.get("key_type")
    if kind == "int":
        keys = _array(mapped, header, "keys", "I64", 1, name)
        if len(keys) != len(counts):
            raise FormatError(f"{name}: {len(keys)} keys but {len(counts)} counts")
        return Vocabulary(keys, counts)
    if kind != "str":
        raise FormatError(f"{name}: key_type must be 'str' or 'int'; got {kind!r}")
    words = _array(mapped, header, "words", "U8", 1, name)
    offsets = _array(mapped, header, "word_offsets", "I64", 1, name)
    if len(offsets) != len(counts) + 1:
        raise FormatError(
            f"{name}: {len(offsets)} word offsets but {len(counts)} counts; one more than counts is right"
        )
    if offsets[0] != 0 or offsets[-1] != len(words) or bool(np.any(offsets[1:] < offsets[:-1])):
        raise FormatError(f"{name}: the word offsets do not rise from 0 to {len(words)}, the length of the words")
    return Vocabulary.from_packed(words, offsets, counts)


def _from_json(header: Header, key: str, kind: type, name: str) -> Any:
    text = header.metadata.get(key)
    if text is None:
        return kind()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name}: {key} in the metadata is not valid JSON: {error}") from None
    if not isinstance(value, kind):
        raise FormatError(f"{name}: {key} in the metadata must be a JSON {'object' if kind is dict else 'array'}")
    return value


def _losses(header: Header, name: str) -> tuple[float, ...]:
    values = _from_json(header, "losses", list, name)
    try:
        if any(type(value) not in (int, float, type(None)) for value in values):
            raise TypeError
        return tuple(float("nan") if value is None else float(value) for value in values)
    except (TypeError, OverflowError):
        raise FormatError(f"{name}: losses in the metadata must be numbers") from None
