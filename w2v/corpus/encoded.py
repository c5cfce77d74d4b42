"""A corpus as the rest of the package knows it: vocabulary, word ids, sentence offsets, and where it came from."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from w2v.closing import Closing
from w2v.corpus.workspace import Workspace
from w2v.errors import NotAvailableError
from w2v.plurals import counted
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary

__all__ = ["CorpusSource", "EncodedCorpus"]


@dataclasses.dataclass(frozen=True)
class CorpusSource:
    """Where a corpus came from, enough to find it again and to know it again.

    Attributes
    ----------
    kind : str
        ``"files"``, ``"stdin"`` (standard input took part) or ``"sentences"`` (a Python object).
    paths : tuple of str
        Absolute paths in reading order, folders and globs resolved; ``"-"`` for standard input.
    bytes : int or None
        Size of the text, decompressed.
    sha256 : str or None
        Of the decompressed bytes in reading order; None for a Python object.
    tokens, types, lines : int
        Tokens, distinct tokens and sentences read, before the vocabulary was cut; empty sentences count.
    """

    kind: str
    paths: tuple[str, ...]
    bytes: int | None
    sha256: str | None
    tokens: int
    types: int
    lines: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**dataclasses.asdict(self), "paths": list(self.paths)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from `to_dict` output; unknown names are ignored."""
        names = {field.name for field in dataclasses.fields(cls)}
        known = {name: value for name, value in values.items() if name in names}
        return cls(**{**known, "paths": tuple(known.get("paths", ()))})


class EncodedCorpus(Closing):
    """A corpus as numbers: ids of the words that are in the vocabulary, cut into sentences.

    Parameters
    ----------
    vocabulary : Vocabulary
        Sorted by count, the most frequent word first; ties by the word itself.
    ids : (N,) int32
        Read-only, memory-mapped where it comes from `encode`.
    offsets : (S + 1,) int64
        Sentence s is ``ids[offsets[s]:offsets[s + 1]]``. No sentence is empty.
    source : CorpusSource
        Where the text came from.
    settings : CorpusSettings
        How it was tokenised and which words were kept.
    workspace : Workspace, optional
        The temporary folder behind the arrays, removed by `close`.

    Notes
    -----
    A context manager. Arrays taken from it stay readable after `close` where the system allows removing a mapped
    file (Linux and macOS do).
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        source: CorpusSource,
        settings: CorpusSettings,
        workspace: Workspace | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.source = source
        self.settings = settings
        self._arrays: tuple[NDArray[np.int32], NDArray[np.int64]] | None = (ids, offsets)
        self._size, self._sentences = len(ids), len(offsets) - 1
        self._workspace = workspace

    @property
    def ids(self) -> NDArray[np.int32]:
        """Word ids (N,) of the whole corpus in reading order; raises `NotAvailableError` after `close`."""
        return self._open_arrays()[0]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Bounds (S + 1,) of the sentences in `ids`; raises `NotAvailableError` after `close`."""
        return self._open_arrays()[1]

    def _open_arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        if self._arrays is None:
            raise NotAvailableError("this corpus is closed: encode it again, or leave its `with` block later")
        return self._arrays

    @property
    def sentences(self) -> int:
        """Number of sentences with at least one word of the vocabulary."""
        return self._sentences

    @property
    def folder(self) -> Path | None:
        """The temporary folder behind the arrays, if there is one; what is put into it goes with the corpus."""
        return None if self._workspace is None else self._workspace.folder

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        size = f"{counted(self._size, 'token')} in {counted(self._sentences, 'sentence')}"
        return f"<EncodedCorpus of {size}, {counted(len(self.vocabulary), 'word')}>"

    def close(self) -> None:
        """Let go of the arrays and remove the temporary folder; may be called twice."""
        self._arrays = None
        if self._workspace is not None:
            self._workspace.close()
