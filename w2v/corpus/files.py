"""Text files to an encoded corpus: one pass over the text, one over the numbers."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from w2v.corpus.compression import STDIN, ByteStream
from w2v.corpus.decoding import Utf8Reader, invalid_bytes, new_decoder
from w2v.corpus.encoded import CorpusSource, EncodedCorpus
from w2v.corpus.scanning import InvalidTextError, TextScanner
from w2v.corpus.selection import check_tokens, final_numbers, select, tokenization_hint
from w2v.corpus.sources import find_files, total_size
from w2v.corpus.tokenizers import Rewriter, needs_rewriting
from w2v.corpus.vector_files import left_out
from w2v.corpus.workspace import Workspace
from w2v.errors import CorpusError, CorpusTypeError
from w2v.plurals import counted
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary

__all__ = ["TextReading", "encode_files"]

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
        Files, folders (all files below, sorted, without hidden ones and files of vectors), globs, ``"-"`` for standard
        input. Plain text or compressed with gzip, bzip2, xz or zstd (extra ``zstd``).
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
        Called with one line of advice when the text looks as if it had not been tokenised, has old Mac line ends,
        begins like a binary file, or lies in a folder beside files of vectors, which are not read.

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
    workspace = Workspace(directory)
    try:
        reading = TextReading(paths, settings, workspace.write, progress)
        return _encoded(reading, settings, workspace, vocabulary, hint)
    except BaseException:
        workspace.close()
        raise


def _encoded(
    reading: TextReading,
    settings: CorpusSettings,
    workspace: Workspace,
    vocabulary: Vocabulary | None,
    hint: Hint | None,
) -> EncodedCorpus:
    """Read everything, choose the words, renumber."""
    table = reading.scanner.table
    known = reading.scanner.learn(vocabulary) if vocabulary is not None else None
    reading.read()
    counts = table.counts()
    seen = len(counts)
    if hint:
        reading.give_hint(counts, hint)
    if vocabulary is None or known is None:
        chosen = select(counts, settings, table.in_order)
        vocabulary = table.vocabulary(chosen, counts)
        numbers = final_numbers(chosen, len(counts))
    else:
        numbers = np.full(len(counts), -1, dtype=np.int32)
        numbers[: len(known)] = known
        seen = int(np.count_nonzero(counts))
        if not counts[: len(known)].any():
            types, words = counted(seen, "type"), counted(len(vocabulary), "word")
            raise CorpusError(f"none of the {types} of {reading.shown_name} is among the {words} given")
    ids, offsets = workspace.finish(numbers)
    return EncodedCorpus(vocabulary, ids, offsets, reading.source(seen), settings, workspace)


class TextReading:
    """One text on its way from files to numbers.

    Parameters
    ----------
    paths : as for `encode_files`
    settings : CorpusSettings
    write : callable
        Takes the provisional numbers, with a mark after each sentence, as they come.
    progress : callable, optional
        As for `encode_files`.

    Attributes
    ----------
    scanner : TextScanner
        What has been read, and the table of all types.
    """

    def __init__(
        self,
        paths: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
        settings: CorpusSettings,
        write: Callable[[NDArray[np.int32]], None],
        progress: Progress | None,
    ) -> None:
        new_decoder(settings)  # refuses an unknown encoding before anything is read
        skipped: list[str] = []
        names = find_files([paths] if isinstance(paths, (str, os.PathLike)) else paths, skipped=skipped.append)
        self._names = names
        self._settings = settings
        self._report = progress or (lambda done, total: None)
        self._total = total_size(names)
        self._done = 0
        self._bytes = 0
        self._digest = hashlib.sha256()
        self._advice = [left_out(skipped)] if skipped else []
        rewriting = needs_rewriting(settings)
        self.scanner = TextScanner(write, check=not rewriting and new_decoder(settings) is None)
        self._rewriter = Rewriter(settings, self.scanner) if rewriting else None

    def read(self) -> None:
        """Read all files; raises what `encode_files` does."""
        for name in self._names:
            with ByteStream(name) as stream:
                self._read(stream)
        scanner = self.scanner
        check_tokens(
            self.shown_name,
            lines=scanner.lines,
            tokens=scanner.tokens,
            longest=scanner.longest,
            tokenizer=self._settings.tokenizer,
        )

    def source(self, types: int) -> CorpusSource:
        """Return where the text came from."""
        return CorpusSource(
            kind="stdin" if STDIN in self._names else "files",
            paths=tuple(self._names),
            bytes=self._bytes,
            sha256=self._digest.hexdigest(),
            tokens=self.scanner.tokens,
            types=types,
            lines=self.scanner.lines,
        )

    def give_hint(self, counts: NDArray[np.int64], hint: Hint) -> None:
        """Call `hint` with each line of advice that there is."""
        for advice in self._advice:
            hint(advice)
        scanner = self.scanner
        if line := tokenization_hint(self._settings.tokenizer, scanner.tokens, *scanner.table.survey(counts)):
            hint(line)

    def _read(self, stream: ByteStream) -> None:
        reader = Utf8Reader(stream, self._settings, self._digest)
        if reader.advice:
            self._advice.append(reader.advice)
        self.scanner.begin_file(reader.skipped)
        try:
            (self._rewriter or self.scanner).read(
                reader, lambda: self._report(self._done + stream.position(), self._total)
            )
            self.scanner.end_file()  # here the last word is seen, if no line end follows it
        except InvalidTextError as error:
            raise invalid_bytes(stream.name, self._settings.encoding, error.line, error.position, error.found) from None
        self._done += stream.position()
        self._bytes += reader.bytes_read

    @property
    def shown_name(self) -> str:
        """What was read, for messages."""
        first = "standard input" if self._names[0] == STDIN else self._names[0]
        return first if len(self._names) == 1 else f"{first} and {len(self._names) - 1} more"
