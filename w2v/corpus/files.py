"""Text files to an encoded corpus: one pass over the text, one over the numbers."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from w2v.corpus.compression import STDIN, ByteStream
from w2v.corpus.decoding import Utf8Reader, invalid_bytes, new_decoder
from w2v.corpus.encoded import CorpusSource, EncodedCorpus
from w2v.corpus.scanning import InvalidTextError, TextScanner
from w2v.corpus.selection import check_tokens, final_numbers, select, tokenization_hint
from w2v.corpus.sources import find_files
from w2v.corpus.tokenizers import Rewriter, needs_rewriting
from w2v.corpus.workspace import Workspace
from w2v.errors import CorpusError, CorpusTypeError
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary

__all__ = ["encode_files"]

Progress = Callable[[int, int | None], None]
Hint = Callable[[str], None]


def encode_files(
    paths: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    settings: CorpusSettings | None = None,
    *,
    vocabulary: Vocabulary | None = None,
    progress: Progress | None = None,
    directory: str | os.PathLike[str] | None = None,
    hint: Hint | None = None,
) -> EncodedCorpus:
    r"""Read text files once, count their words, and write the corpus as word ids.

    A line (up to ``\n``) is a sentence; the end of a file ends one too. Words are split at ASCII space, tab, newline
    and carriage return unless `settings` says otherwise. Memory holds the distinct words and buffers of a few MiB.

    Parameters
    ----------
    paths : sequence of str or path
        Files, folders (all files below, sorted, without hidden ones), globs, ``"-"`` for standard input. Plain text
        or compressed with gzip, bzip2, xz or zstd (extra ``zstd``).
    settings : CorpusSettings, optional
        How text becomes tokens and which tokens make the vocabulary.
    vocabulary : Vocabulary, optional
        Use this one: its ids stand for its words, all other words are dropped, `min_count` and `max_vocab` are not
        looked at.
    progress : callable, optional
        Called with the bytes of the files read so far (compressed as they are) and their total, None if standard
        input is among them.
    directory : str or path, optional
        Where the temporary folder is made.
    hint : callable, optional
        Called with one line of advice when the text looks as if it had not been tokenised.

    Returns
    -------
    EncodedCorpus
        Close it, or use it in a ``with`` block, to remove its temporary folder.

    Raises
    ------
    FileAccessError
        A file cannot be read, or the temporary folder not be written.
    FormatError
        Compressed data are damaged or cut off.
    CorpusError
        The text is not in the encoding named, or nothing can be learnt from it.
    MissingExtraError
        zstandard or jieba is needed and not installed.
    """
    settings = settings or CorpusSettings()
    if vocabulary is not None and vocabulary.key_type == "int":
        raise CorpusTypeError("text cannot be read with a vocabulary of integer keys; pass lists of integers")
    new_decoder(settings)  # refuses an unknown encoding before anything is read
    names = find_files([paths] if isinstance(paths, (str, os.PathLike)) else paths)
    workspace = Workspace(directory)
    try:
        reading = _Reading(names, settings, workspace, progress)
        return reading.finish(vocabulary, hint)
    except BaseException:
        workspace.close()
        raise


class _Reading:
    """One corpus on its way from files to numbers."""

    def __init__(
        self, names: list[str], settings: CorpusSettings, workspace: Workspace, progress: Progress | None
    ) -> None:
        self._names = names
        self._settings = settings
        self._workspace = workspace
        self._report = progress or (lambda done, total: None)
        self._total = None if STDIN in names else sum(Path(name).stat().st_size for name in names)
        self._done = 0
        self._bytes = 0
        self._digest = hashlib.sha256()
        rewriting = needs_rewriting(settings)
        self._scanner = TextScanner(workspace.write, check=not rewriting and new_decoder(settings) is None)
        self._rewriter = Rewriter(settings, self._scanner) if rewriting else None

    def finish(self, vocabulary: Vocabulary | None, hint: Hint | None) -> EncodedCorpus:
        """Read everything, choose the words, renumber."""
        known = self._scanner.learn(vocabulary) if vocabulary is not None else None
        for name in self._names:
            with ByteStream(name) as stream:
                self._read(stream)
        scanner, table = self._scanner, self._scanner.table
        shown = self._shown_name()
        check_tokens(shown, lines=scanner.lines, tokens=scanner.tokens, longest=scanner.longest)
        counts = table.counts()
        seen = len(counts)
        if hint and (line := tokenization_hint(self._settings.tokenizer, scanner.tokens, *table.survey(counts))):
            hint(line)
        if vocabulary is None or known is None:
            chosen = select(counts, self._settings, table.in_order)
            vocabulary = table.vocabulary(chosen, counts)
            numbers = final_numbers(chosen, len(counts))
        else:
            numbers = np.full(len(counts), -1, dtype=np.int32)
            numbers[: len(known)] = known
            seen = int(np.count_nonzero(counts))
            if not counts[: len(known)].any():
                raise CorpusError(f"none of the {seen} types of {shown} is among the {len(vocabulary)} words given")
        source = CorpusSource(
            kind="stdin" if STDIN in self._names else "files",
            paths=tuple(self._names),
            bytes=self._bytes,
            sha256=self._digest.hexdigest(),
            tokens=scanner.tokens,
            types=seen,
            lines=scanner.lines,
        )
        ids, offsets = self._workspace.finish(numbers)
        return EncodedCorpus(vocabulary, ids, offsets, source, self._settings, self._workspace)

    def _read(self, stream: ByteStream) -> None:
        reader = Utf8Reader(stream, self._settings, self._digest)
        self._scanner.begin_file(reader.skipped)
        try:
            (self._rewriter or self._scanner).read(
                reader, lambda: self._report(self._done + stream.position(), self._total)
            )
            self._scanner.end_file()  # here the last word is seen, if no line end follows it
        except InvalidTextError as error:
            raise invalid_bytes(stream.name, self._settings.encoding, error.line, error.position, error.found) from None
        self._done += stream.position()
        self._bytes += reader.bytes_read

    def _shown_name(self) -> str:
        first = "standard input" if self._names[0] == STDIN else self._names[0]
        return first if len(self._names) == 1 else f"{first} and {len(self._names) - 1} more"
