"""The safetensors layout: a checked table of named arrays in one file, without their content."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

from w2v.errors import FormatError

__all__ = ["MAX_HEADER", "Header", "Tensor", "build_header", "listed_tensors", "read_header"]

MAX_HEADER = 100_000_000
"""Longest header in bytes that the reference reader of the format accepts."""

ITEM_SIZES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 1),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 2),
    **dict.fromkeys(("U32", "I32", "F32"), 4),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 8),
}


MOST_LISTED = 8


class Tensor(NamedTuple):
    """An array in the file: element type in the format's spelling, shape, position from the start of the file."""

    dtype: str
    shape: tuple[int, ...]
    position: int
    size: int


class Header(NamedTuple):
    """All arrays of a file, and its string-to-string metadata."""

    tensors: dict[str, Tensor]
    metadata: dict[str, str]


def read_header(file: BinaryIO, file_size: int, name: str) -> Header:
    """Read and check the header: sizes, JSON, types, shapes, and that the arrays tile the data without gap or overlap.

    Takes no more memory than a small multiple of the header, and no header longer than the file is believed.

    Parameters
    ----------
    file : binary file
        At its start.
    file_size : int
        Size of the whole file in bytes.
    name : str
        How to call the file in messages.

    Raises
    ------
    FormatError
        Naming the first thing that is wrong.
    """
    start = file.read(8)
    if len(start) < 8:
        raise FormatError(f"{name}: {file_size} bytes are too short for a safetensors file")
    (length,) = struct.unpack("<Q", start)
    if length > file_size - 8:
        raise FormatError(
            f"{name}: the header claims {length} bytes but only {file_size - 8} follow; cut short or not safetensors"
        )
    if length > MAX_HEADER:
        raise FormatError(f"{name}: a header of {length} bytes is more than the {MAX_HEADER} that are allowed")
    raw = file.read(length)
    if len(raw) < length:
        raise FormatError(f"{name}: the file ends inside its header")
    table = _parsed(raw, name)
    metadata = table.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise FormatError(f"{name}: __metadata__ must map names to strings")
    data_start = 8 + length
    tensors = {key: _tensor(key, entry, data_start, name) for key, entry in table.items()}
    _check_tiling(tensors, data_start, file_size, name)
    return Header(tensors, metadata)


def listed_tensors(tensors: Mapping[str, Tensor]) -> str:
    """Return the first few tensors for a message."""
    found = ", ".join(f"{key} {t.dtype} {list(t.shape)}" for key, t in list(tensors.items())[:MOST_LISTED])
    more = f" and {len(tensors) - MOST_LISTED} more" if len(tensors) > MOST_LISTED else ""
    return f"{found or 'none'}{more}"


def _parsed(raw: bytes, name: str) -> dict[str, Any]:
    if raw[:1] != b"{":
        raise FormatError(f"{name}: the header does not start with '{{' but with {raw[:1]!r}; not a safetensors file")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) != len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise ValueError(f"the name {twice!r} occurs twice")
        return table

    try:
        table = json.loads(raw.decode("utf-8"), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:  # undecodable bytes and broken JSON are both ValueErrors
        raise FormatError(f"{name}: the header is not valid JSON: {error}") from None
    if not isinstance(table, dict):
        raise FormatError(f"{name}: the header is not a JSON object")
    return table


def _tensor(key: str, entry: Any, data_start: int, name: str) -> Tensor:
    where = f"{name}: tensor {key!r}"
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= entry.keys():
        raise FormatError(f"{where} must have dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in ITEM_SIZES:
        raise FormatError(f"{where} has the unknown dtype {dtype!r}")
    if not _sizes(shape) or not _sizes(offsets) or len(offsets) != 2:
        raise FormatError(f"{where} has an impossible shape {shape!r} or data_offsets {offsets!r}")
    size = ITEM_SIZES[dtype] * math.prod(shape)
    if offsets[1] - offsets[0] != size:
        raise FormatError(f"{where} of {dtype} {shape} needs {size} bytes but has {offsets[1] - offsets[0]}")
    return Tensor(dtype, tuple(shape), data_start + offsets[0], size)


def _sizes(values: Any) -> bool:
    """Tell whether these are a few whole numbers that could be sizes; the bound keeps their product small."""
    return (
        isinstance(values, list)
        and len(values) <= 16
        and all(type(value) is int and 0 <= value < 2**63 for value in values)
    )


def _check_tiling(tensors: Mapping[str, Tensor], data_start: int, file_size: int, name: str) -> None:
    end = data_start
    for key, tensor in sorted(tensors.items(), key=lambda item: (item[1].position, item[1].size)):
        if tensor.position != end:
            what = "overlaps the one before it" if tensor.position < end else "leaves a gap before it"
            raise FormatError(f"{name}: tensor {key!r} {what}")
        end += tensor.size
    if end != file_size:
        what = "is cut short" if end > file_size else "has bytes that belong to no tensor"
        raise FormatError(f"{name}: the tensors end at byte {end} but the file at {file_size}; it {what}")


def build_header(
    tensors: Mapping[str, tuple[str, tuple[int, ...]]],
    metadata: Mapping[str, str],
    *,
    aligned: str,
    alignment: int = 64,
) -> bytes:
    """Return the bytes before the data: length, JSON, and blanks that align one tensor.

    Parameters
    ----------
    tensors : mapping
        Name to (dtype, shape), in the order of the file; the layout allows no gap between them, so the wide types
        come first where all are to be aligned.
    metadata : mapping of str to str
    aligned : str
        The tensor that is to start at a multiple of `alignment`; what comes before it must be a multiple of 8 bytes.
    """
    table: dict[str, Any] = {"__metadata__": dict(metadata)}
    end, lead = 0, 0
    for name, (dtype, shape) in tensors.items():
        lead = end if name == aligned else lead
        begin, end = end, end + ITEM_SIZES[dtype] * math.prod(shape)
        table[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}
    text = json.dumps(table, separators=(",", ":")).encode("ascii")
    text += b" " * (-(8 + len(text) + lead) % alignment)
    if len(text) > MAX_HEADER:
        raise FormatError(f"settings and provenance of {len(text)} bytes do not fit a header of {MAX_HEADER}")
    return struct.pack("<Q", len(text)) + text
