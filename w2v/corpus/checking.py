"""A corpus looked through before a long training: what is in its files, and what is to be said about it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from w2v.corpus.compression import STDIN, ByteStream
from w2v.corpus.decoding import Utf8Reader, is_utf8, new_decoder
from w2v.corpus.findings import SEVERITIES, Finding, Words
from w2v.corpus.inspection import Inspector, Place
from w2v.corpus.judging import find
from w2v.corpus.sources import find_files
from w2v.corpus.vector_files import left_out
from w2v.errors import FileAccessError, W2VError
from w2v.settings import CorpusSettings

__all__ = ["CorpusReport", "check_corpus"]

Progress = Callable[[int, int | None], None]

_QUANTILES = {"median": 0.5, "p90": 0.9, "p99": 0.99}


@dataclasses.dataclass(frozen=True, kw_only=True)
class CorpusReport:
    """What a corpus is like.

    Attributes
    ----------
    files : tuple of str
        All that were read or could not be.
    bytes : int
        Of text, decompressed.
    lines, tokens, characters : int
        Tokens are what lies between blanks, whatever the tokeniser of the settings is.
    line_tokens : dict
        ``median``, ``p90``, ``p99`` and ``longest`` number of tokens of the lines that are not empty.
    longest_line : Place or None
    words : Words
        Distinct tokens and lines.
    findings : tuple of Finding
        The weightiest first.
    """

    files: tuple[str, ...]
    bytes: int
    lines: int
    tokens: int
    characters: int
    line_tokens: dict[str, int]
    longest_line: Place | None
    words: Words
    findings: tuple[Finding, ...]

    @property
    def serious(self) -> bool:
        """Whether a training would fail or learn something wrong."""
        return any(finding.severity == SEVERITIES[0] for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**dataclasses.asdict(self), "serious": self.serious}


def check_corpus(
    paths: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    settings: CorpusSettings | None = None,
    *,
    progress: Progress | None = None,
) -> CorpusReport:
    """Look through text files in one pass and say what a training would meet in them.

    Parameters
    ----------
    paths : sequence of str or path
        As for `encode_files`: files, folders, globs, ``"-"``; compressed ones too.
    settings : CorpusSettings, optional
        What the training would be given: what these settings take care of is not told.
    progress : callable, optional
        Called with the bytes of the files read so far (compressed as they are) and their total, None if standard
        input is among them.

    Returns
    -------
    CorpusReport
        A file that cannot be read or decoded is a finding; the others are looked through all the same.

    Raises
    ------
    FileAccessError
        If there is no file, or the only one cannot be read.
    SettingsError
        If there is no such encoding.

    Notes
    -----
    Memory does not grow with the text: beyond a million distinct tokens (or lines) their counts, and the share of
    duplicate lines, are those of a sample of 1 in 2, 4, 8, ... of the distinct ones, which ``words.types_seen`` and
    ``words.lines_seen`` tell. Lines are compared by 64-bit hashes of their tokens.
    """
    settings = settings or CorpusSettings()
    new_decoder(settings)  # refuses an unknown encoding before anything is read
    skipped: list[str] = []
    names = find_files([paths] if isinstance(paths, (str, os.PathLike)) else paths, skipped=skipped.append)
    total = None if STDIN in names else sum(_size(name) for name in names)
    inspector, unreadable, done = Inspector(), [], 0
    for name in names:
        try:
            with ByteStream(name) as stream:
                _read(inspector, stream, settings, partial(_report, progress, done, total))
        except W2VError as error:
            if isinstance(error, FileAccessError) and len(names) == 1:
                raise
            unreadable.append(_unreadable(name, error))
        done += _size(name)
    words = Words.of(inspector, settings.min_count)
    if len(unreadable) < len(names):
        unreadable.extend(find(inspector, words, settings))
    if skipped:
        unreadable.append(_left_out(skipped))
    longest, place = inspector.longest_line
    return CorpusReport(
        files=tuple(names),
        bytes=inspector.bytes,
        lines=inspector.sentences,
        tokens=inspector.tokens,
        characters=inspector.characters,
        line_tokens={**_quantiles(inspector), "longest": longest},
        longest_line=place,
        words=words,
        findings=tuple(unreadable),
    )


def _report(progress: Progress | None, before: int, total: int | None, at: int) -> None:
    if progress is not None:
        progress(before + at, total)


def _read(inspector: Inspector, stream: ByteStream, settings: CorpusSettings, progress: Callable[[int], None]) -> None:
    # UTF-8 is read as it stands, to count what is damaged in it
    raw = dataclasses.replace(settings, errors="strict") if is_utf8(settings.encoding) else settings
    reader = Utf8Reader(stream, raw, _NoDigest())
    inspector.read(stream.name, reader, reader.skipped, lambda: progress(stream.position()))


class _NoDigest:
    def update(self, data: Any, /) -> None:
        """Take no notice."""


def _size(name: str) -> int:
    try:
        return 0 if name == STDIN else Path(name).stat().st_size
    except OSError:  # it vanished; reading it says so
        return 0


def _unreadable(name: str, error: W2VError) -> Finding:
    return Finding(
        kind="unreadable",
        severity="serious",
        count=1,
        share=None,
        of=None,
        message=str(error),
        advice="A training would stop there.",
        place=Place(name, 1),
    )


def _left_out(skipped: Sequence[str]) -> Finding:
    return Finding(
        kind="vectors",
        severity="note",
        count=len(skipped),
        share=None,
        of=None,
        message=left_out(skipped),
        advice="Files of vectors that lie in a folder of texts do no harm.",
        place=None,
    )


def _quantiles(inspector: Inspector) -> dict[str, int]:
    """Return lengths that so many of the lines that are not empty do not exceed."""
    lengths = inspector.lengths.copy()
    lengths[0] = 0
    below = np.cumsum(lengths)
    if not below[-1]:
        return dict.fromkeys(_QUANTILES, 0)
    return {name: int(np.searchsorted(below, q * below[-1])) for name, q in _QUANTILES.items()}
