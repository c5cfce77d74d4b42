"""Files of vectors among texts, such as the model of an earlier training: recognised by their first bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from w2v.plurals import counted

__all__ = ["holds_vectors", "kind_of_vectors", "left_out"]

_HEAD = 4096
_NAMED = 5
_OURS = b'"format":"w2v"'
_FASTTEXT = (793712314).to_bytes(4, "little")
_ROWS_AND_SIZE = re.compile(rb"\d{1,18} \d{1,9}\n")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def kind_of_vectors(head: bytes) -> str | None:
    """Return what a file of vectors is by its first bytes, None for anything that may be text.

    Known are the binary formats that this package reads or writes: models and other safetensors files, .npy and .npz,
    fastText's and word2vec's. Vectors written out as text are not told from text.

    Parameters
    ----------
    head : bytes
        The first 4096 bytes of the file, decompressed.
    """
    if head[5:9] == b"\0\0\0{" and any(head[:5]):  # the length of the header, below 2^40, and its beginning
        return "a model of w2v" if _OURS in head else "a safetensors file"
    if head.startswith(b"\x93NUMPY"):
        return "a numpy array (.npy)"
    first_member = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    if head.startswith(b"PK\x03\x04") and first_member.endswith(b".npy"):
        return "numpy arrays (.npz)"
    if head.startswith(_FASTTEXT):
        return "a fastText model"
    header = _ROWS_AND_SIZE.match(head)
    if header and _CONTROL.search(head, header.end()) and not _is_utf8(head):
        return "word2vec vectors (binary)"
    return None


def _is_utf8(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 3  # cut inside a character
    return True


def holds_vectors(path: Path) -> bool:
    """Return whether a file holds vectors; one that cannot be opened does not: reading it says why."""
    try:
        with path.open("rb") as file:
            return kind_of_vectors(file.read(_HEAD)) is not None
    except OSError:
        return False


def left_out(paths: Sequence[str]) -> str:
    """Return what is said about files of vectors that a folder holds, the first of them by name."""
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return f"not text and left out: {counted(len(paths), 'vector file')}, {', '.join(paths[:_NAMED])}{more}"
