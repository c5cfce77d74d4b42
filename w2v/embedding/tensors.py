"""Any matrix of a safetensors file, such as the token table of a language model, with its list of tokens."""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.container import Embedding
from w2v.embedding.layout import Header, Tensor, listed_tensors, read_header
from w2v.embedding.tokens import BESIDE, named_rows, read_tokens, tokens_beside
from w2v.errors import FileAccessError, FormatError

__all__ = ["header_of", "matrix_of", "read_safetensors"]

DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),
    "I8": np.dtype("i1"),
}
CHUNK_ROWS = 4096


def header_of(path: str | os.PathLike[str]) -> Header:
    """Return the checked header of a safetensors file.

    Raises
    ------
    FormatError
    FileAccessError
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            return read_header(file, os.fstat(file.fileno()).st_size, name)
    except (FormatError, FileAccessError):
        raise
    except OSError as error:
        raise FileAccessError(f"cannot read {name}: {error.strerror or error}") from error


def read_safetensors(
    path: str | os.PathLike[str],
    tokens: str | os.PathLike[str] | None = None,
    *,
    tensor: str | None = None,
    **policies: str,
) -> Embedding:
    """Read a matrix (V, d) of any safetensors file and name its rows.

    Float32 is mapped, not read; float16, bfloat16 and float64 are converted to float32.

    Parameters
    ----------
    path : str or path-like
    tokens : str or path-like, optional
        The list of tokens, see `w2v.embedding.tokens.read_tokens`; by default the tokenizer.json, vocab.txt or
        vocab.json in the folder of the file.
    tensor : str, optional
        The name of the matrix. By default the only matrix with as many rows as there are tokens.
    **policies
        ``errors`` and ``duplicates`` as in `read_word2vec_text`.

    Raises
    ------
    FormatError
        When the file is damaged; when it holds several matrices that fit, or none; when there are no tokens.
    FileAccessError
    """
    name = os.fspath(path)
    header = header_of(path)
    matrices = {key: t for key, t in header.tensors.items() if _is_matrix(t)}
    if tensor is not None and tensor not in matrices:
        raise FormatError(
            f"{name} has no matrix {tensor!r} of {', '.join(DTYPES)}; its tensors: {listed_tensors(header.tensors)}"
        )
    beside = tokens if tokens is not None else tokens_beside(path)
    if beside is None:
        raise FormatError(
            f"{name} is a safetensors file but not a w2v model; its tensors: {listed_tensors(header.tensors)}. "
            "To read a matrix of it, give the list of its tokens (--tokens FILE, tokens=...) and, where it holds "
            f"several, its name (--tensor NAME, tensor=...); {', '.join(BESIDE)} beside it would have been found"
        )
    listed = read_tokens(beside)
    if tensor is None:
        tensor = _chosen(matrices, len(listed.rows), int(listed.rows[-1]) + 1 if len(listed.rows) else 0, name, header)
    with Path(path).open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return named_rows(name, f"safetensors tensor {tensor}", matrix_of(mapped, matrices[tensor]), listed, **policies)


def _is_matrix(tensor: Tensor) -> bool:
    return tensor.dtype in DTYPES and len(tensor.shape) == 2 and min(tensor.shape) > 0


def _chosen(matrices: Mapping[str, Tensor], tokens: int, rows: int, name: str, header: Header) -> str:
    fitting = [key for key, t in matrices.items() if t.shape[0] in (tokens, rows)]
    fitting = fitting or (list(matrices) if len(matrices) == 1 else [])
    if len(fitting) == 1:
        return fitting[0]
    if not matrices:
        raise FormatError(
            f"{name} has no matrix (V, d) of {', '.join(DTYPES)}; its tensors: {listed_tensors(header.tensors)}"
        )
    several = {key: matrices[key] for key in fitting or matrices}
    raise FormatError(
        f"{name}: {len(fitting) or 'none'} of {len(matrices)} matrices "
        f"{'fit' if fitting else 'has as many rows as'} the {tokens} tokens; choose one with --tensor NAME: "
        f"{listed_tensors(several)}"
    )


def matrix_of(mapped: mmap.mmap, tensor: Tensor) -> NDArray[Any]:
    """Return a matrix of a mapped file: a view where numpy has the type, else float32."""
    dtype = DTYPES[tensor.dtype]
    flat: NDArray[Any] = np.frombuffer(mapped, dtype, tensor.size // dtype.itemsize, tensor.position)
    view = flat.reshape(tensor.shape)
    if tensor.dtype != "BF16":
        return view
    widened = np.empty(tensor.shape, dtype=np.float32)
    bits = widened.view(np.uint32)
    for start in range(0, len(view), CHUNK_ROWS):  # bfloat16 is the upper half of a float32
        rows = slice(start, start + CHUNK_ROWS)
        np.left_shift(view[rows].astype(np.uint32), 16, out=bits[rows])
    return widened
