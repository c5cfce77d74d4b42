"""Writing an embedding in any format by its name, and reading it back to see that nothing was lost."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from w2v.embedding.container import Embedding
from w2v.embedding.recognise import load
from w2v.embedding.streams import suffix_of
from w2v.errors import FormatError, SettingsError
from w2v.plurals import counted

__all__ = ["FORMATS", "format_for", "verify", "write"]

FORMATS = (
    "model",
    "word2vec-text",
    "word2vec-binary",
    "glove",
    "projector",
    "npz",
    "parquet",
    "arrow",
)
SUFFIXES = {
    ".safetensors": "model",
    ".bin": "word2vec-binary",
    ".tsv": "projector",
    ".npz": "npz",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}


def format_for(path: str | os.PathLike[str]) -> str:
    """Return the format that the name of a file to write stands for; word2vec text where it says nothing else.

    Raises
    ------
    SettingsError
        For .npy, which holds no words.
    """
    if suffix_of(path) == ".npy":
        raise SettingsError(f"a .npy file holds no words; give {os.fspath(path)} a name in .npz")
    return SUFFIXES.get(suffix_of(path), "word2vec-text")


def write(
    embedding: Embedding,
    path: str | os.PathLike[str],
    kind: str | None = None,
    *,
    dtype: str = "float32",
    metadata: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> None:
    """Write an embedding in one of `FORMATS`, by default the one that its name stands for.

    Parameters
    ----------
    embedding : Embedding
    path : str or path-like
    kind : str, optional
    dtype : {"float32", "float16", "int8"}
        Smaller types for the format "model" only.
    metadata : str or path-like, optional
        The file of words for "projector".
    force : bool
        Whether an existing file may be replaced.

    Raises
    ------
    FormatError
        When the format cannot hold a word (which is named) or a number.
    SettingsError
        For an unknown format, or an option that the format does not have.
    FileAccessError
    """
    kind = kind or format_for(path)
    if kind not in FORMATS:
        raise SettingsError(f"the format must be one of {', '.join(FORMATS)}; got {kind!r}")
    if dtype != "float32" and kind != "model":
        raise SettingsError(f"{dtype} is for models (--to model, a name in .safetensors); {kind} is written in float32")
    if metadata is not None and kind != "projector":
        raise SettingsError(f"a file of metadata goes with the format projector only, not with {kind}")
    if kind == "model":
        embedding.save(path, dtype=dtype, force=force)
    elif kind == "projector":
        from w2v.embedding.projector import write_projector

        write_projector(embedding, path, metadata, force=force)
    else:
        _writer(kind)(embedding, path, force)


def _writer(kind: str) -> Callable[[Embedding, str | os.PathLike[str], bool], None]:
    from w2v.embedding.arrow import write_arrow
    from w2v.embedding.numpy_files import write_npz
    from w2v.embedding.word2vec_binary import write_word2vec_binary
    from w2v.embedding.word2vec_text import write_word2vec_text

    writers: dict[str, Callable[[Embedding, str | os.PathLike[str], bool], None]] = {
        "word2vec-text": lambda e, path, force: write_word2vec_text(e, path, force=force),
        "word2vec-binary": lambda e, path, force: write_word2vec_binary(e, path, force=force),
        "glove": lambda e, path, force: write_word2vec_text(e, path, header=False, force=force),
        "npz": lambda e, path, force: write_npz(e, path, force=force),
        "parquet": lambda e, path, force: write_arrow(e, path, parquet=True, force=force),
        "arrow": lambda e, path, force: write_arrow(e, path, parquet=False, force=force),
    }
    return writers[kind]


def verify(
    embedding: Embedding,
    path: str | os.PathLike[str],
    *,
    dtype: str = "float32",
    metadata: str | os.PathLike[str] | None = None,
) -> None:
    """Read a file that was just written and compare all words and vectors.

    Float32 must come back to the bit; float16 within half a unit of its last place, int8 within half of the scale of
    the row.

    Raises
    ------
    FormatError
        Naming the first difference.
    """
    name = os.fspath(path)
    again = load(path, tokens=metadata)
    words = embedding.words if again.vocabulary.key_type == "int" else [str(word) for word in embedding.words]
    if again.words != words:
        pairs = zip(words, again.words, strict=False)
        row = next((row for row, (one, other) in enumerate(pairs) if one != other), min(len(words), len(again)))
        raise FormatError(
            f"{name} holds {counted(len(again), 'word')} for {len(words):,}; they differ from row {row} on"
        )
    if again.W.shape != embedding.W.shape:
        raise FormatError(f"{name} reads back as {again.W.shape}, and {embedding.W.shape} was written")
    for row in range(len(words)):
        if not _close(embedding.W[row], again.W[row], dtype):
            raise FormatError(f"{name}: the vector of {words[row]!r} (row {row}) does not read back as it was written")


def _close(one: np.ndarray, other: np.ndarray, dtype: str) -> bool:
    if dtype == "float32":
        return np.array_equal(one, other)
    largest = float(np.abs(one).max())
    allowed = largest / 254 * 1.001 if dtype == "int8" else np.maximum(np.abs(one) / 2048, 3e-8) * 1.001
    return bool(np.all(np.abs(one - other) <= allowed))
