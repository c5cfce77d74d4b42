"""Texts whose phrases are learnt, and texts in which they are joined: files, and lists of tokens."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.closing import Closing
from w2v.corpus.files import Hint, Progress, TextReading
from w2v.corpus.phrases.joining import Joiner, PhraseTable, Speller
from w2v.corpus.phrases.learning import PhraseLearner, ThresholdRow, WordNumbers, threshold_table
from w2v.corpus.phrases.stream import NumberStream
from w2v.corpus.scanning import TextScanner
from w2v.corpus.selection import check_tokens
from w2v.corpus.sentences import Numbers, SentenceReading
from w2v.corpus.type_table import TypeTable
from w2v.errors import CorpusError, CorpusTypeError
from w2v.settings import CorpusSettings, PhraseSettings

__all__ = ["Joined", "LearnedText", "checked_text", "join_text", "joined_sentences"]

_BATCH = 1 << 17  # tokens of token lists joined at a time
_STRANGERS = 1 << 20  # words outside all phrases that are remembered between batches


class Joined(NamedTuple):
    """What was written: sentences, and words before and after joining."""

    sentences: int
    words: int
    joined_words: int


class _ScannedWords:
    """The words of a text scanner."""

    def __init__(self, scanner: TextScanner) -> None:
        self._scanner = scanner

    @property
    def table(self) -> TypeTable:
        return self._scanner.table

    def __len__(self) -> int:
        return len(self.table)

    def intern(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the numbers of words, known or new."""
        return self._scanner.number_words([word.encode() for word in words])

    def word(self, number: int) -> str:
        """Return the word of a number."""
        starts = self.table.starts
        return self.table.arena[starts[number] : starts[number + 1]].tobytes().decode()


class _ListedWords:
    """The words of token lists."""

    def __init__(self, reading: SentenceReading) -> None:
        self._reading = reading
        self._words: list[str] = []

    def __len__(self) -> int:
        return len(self._reading.counts)

    def intern(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the numbers of words, known or new."""
        return self._reading.number_words(words)

    def word(self, number: int) -> str:
        """Return the word of a number."""
        if number >= len(self._words):
            self._words = self._reading.types
        return self._words[number]


class LearnedText(Closing):
    """A text that was read, with its phrases; a context manager that removes its temporary file.

    Use `of_files` or `of_sentences`. Parameters are those of `Phrases.learn`.
    """

    def __init__(self, words: WordNumbers, learner: PhraseLearner, settings: PhraseSettings) -> None:
        self.learner = learner
        self._words = words
        self._settings = settings
        self._stream: NumberStream | None = None
        self._sentences = 0

    @classmethod
    def of_files(
        cls,
        paths: Sequence[str | os.PathLike[str]],
        settings: PhraseSettings,
        connector_words: Sequence[str],
        corpus_settings: CorpusSettings,
        *,
        memory_bytes: int,
        every_threshold: bool = False,
        progress: Progress | None = None,
        directory: str | os.PathLike[str] | None = None,
        hint: Hint | None = None,
    ) -> LearnedText:
        """Learn the phrases of files."""
        with contextlib.ExitStack() as on_error:
            stream = on_error.enter_context(NumberStream(directory))
            reading = TextReading(paths, corpus_settings, stream.append, progress)
            words = _ScannedWords(reading.scanner)
            learner = PhraseLearner(
                words, settings, connector_words, memory_bytes=memory_bytes, every_threshold=every_threshold
            )
            reading.read()
            counts = words.table.counts()
            if hint:
                reading.give_hint(counts, hint)
            text = cls(words, learner, settings)
            text._sentences = reading.scanner.lines
            words.intern(connector_words)
            text._learn(stream, _padded(counts, len(words)))
            on_error.pop_all()
        return text

    @classmethod
    def of_sentences(
        cls,
        sentences: Iterable[Sequence[str]],
        settings: PhraseSettings,
        connector_words: Sequence[str],
        corpus_settings: CorpusSettings,
        *,
        memory_bytes: int,
        directory: str | os.PathLike[str] | None = None,
    ) -> LearnedText:
        """Learn the phrases of token lists."""
        with contextlib.ExitStack() as on_error:
            stream = on_error.enter_context(NumberStream(directory))
            reading = SentenceReading(corpus_settings, stream.append)
            words = _ListedWords(reading)
            learner = PhraseLearner(words, settings, connector_words, memory_bytes=memory_bytes)
            reading.read(sentences)
            check_tokens("the corpus", lines=reading.lines, tokens=reading.tokens, longest=reading.longest)
            if reading.kind is not str:
                raise CorpusTypeError("phrases are made of words: the tokens are integers, not strings")
            text = cls(words, learner, settings)
            text._sentences = reading.lines
            words.intern(connector_words)
            text._learn(stream, reading.counts.copy())
            on_error.pop_all()
        return text

    def _learn(self, stream: NumberStream, counts: NDArray[np.int64]) -> None:
        self._stream = self.learner.learn(stream, counts)

    def thresholds(self) -> list[list[ThresholdRow]]:
        """Return a threshold table for each pass."""
        return [threshold_table(outcome, self._settings, self.learner.phrases) for outcome in self.learner.outcomes]

    def write(self, write: Callable[[memoryview], object]) -> Joined:
        """Write the text of files with its phrases joined, a sentence a line; sentences without words are left out."""
        assert isinstance(self._words, _ScannedWords) and self._stream is not None
        joiner, speller, sentences = Joiner(self.learner.tables[-1:]), Speller(write), 0
        for piece in self._stream.pieces():
            joined = joiner.join(piece)
            sentences += int(np.count_nonzero(joined < 0))
            table = self._words.table
            speller.spell(joined, table.arena, table.starts)
        return Joined(sentences, self.learner.outcomes[0].tokens, joiner.written)

    def close(self) -> None:
        """Remove the temporary file."""
        if self._stream is not None:
            self._stream.close()


def _padded(counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return np.concatenate([counts, np.zeros(size - len(counts), dtype=np.int64)])


def join_text(
    paths: Sequence[str | os.PathLike[str]],
    write: Callable[[memoryview], object],
    tables: Callable[[Callable[[Sequence[str]], NDArray[np.int32]]], list[PhraseTable]],
    corpus_settings: CorpusSettings,
    progress: Progress | None = None,
) -> Joined:
    """Write the text of files with known phrases joined, in one pass and without a temporary file.

    Parameters
    ----------
    paths, corpus_settings, progress
        As for `encode_files`.
    write : callable
        Takes the bytes.
    tables : callable
        Makes the tables of the passes, given what returns the numbers of words.
    """
    speller = Speller(write)
    sentences = 0

    def take(numbers: NDArray[np.int32]) -> None:
        nonlocal sentences
        joined = joiner.join(numbers)
        sentences += int(np.count_nonzero(joined < 0))
        speller.spell(joined, reading.scanner.table.arena, reading.scanner.table.starts)

    reading = TextReading(paths, corpus_settings, take, progress)
    joiner = Joiner(tables(_ScannedWords(reading.scanner).intern))
    reading.scanner.reset_counts()
    reading.read()
    return Joined(sentences, joiner.read, joiner.written)


def joined_sentences(
    sentences: Iterable[Sequence[str]], words: Sequence[str], tables: Sequence[PhraseTable], lowercase: bool
) -> Iterator[list[str]]:
    """Yield each sentence with the phrases joined, in order, empty ones too; some are read ahead.

    Parameters
    ----------
    sentences : iterable of sequences of str
    words : sequence of str
        The words of the phrases in the order of their numbers.
    tables : sequence of PhraseTable
    lowercase : bool
        Whether the words are lower-cased first.
    """
    known = {word: number for number, word in enumerate(words)}
    numbers, names = Numbers(known), list(words)
    batch: list[int] = []
    for item, sentence in enumerate(sentences):
        tokens = _checked(item, sentence)
        if lowercase:
            tokens = [token.lower() for token in tokens]
        batch.extend(map(numbers.__getitem__, tokens))
        batch.append(-1)
        if len(batch) >= _BATCH:
            names.extend(list(numbers)[len(names) :])
            yield from _joined_batch(batch, names, tables)
            batch = []
            if len(numbers) > len(known) + _STRANGERS:
                numbers, names = Numbers(known), list(words)
    if batch:
        names.extend(list(numbers)[len(names) :])
        yield from _joined_batch(batch, names, tables)


def _joined_batch(batch: list[int], names: list[str], tables: Sequence[PhraseTable]) -> Iterator[list[str]]:
    joined = Joiner(tables).join(np.array(batch, dtype=np.int32))
    names = names or [""]
    spelled = list(map(names.__getitem__, joined.tolist()))  # the last name stands at the marks
    start = 0
    for stop in np.flatnonzero(joined < 0).tolist():
        yield spelled[start:stop]
        start = stop + 1


def _checked(item: int, sentence: Any) -> Sequence[str]:
    if isinstance(sentence, str):
        raise CorpusTypeError(f"item {item} is a string, not a list of tokens: pass {sentence[:30]!r}.split()")
    tokens = sentence if type(sentence) in (list, tuple) else list(sentence)
    for kind in set(map(type, tokens)):
        if not issubclass(kind, str):
            raise CorpusTypeError(f"item {item} holds a token of type {kind.__name__}; tokens must be strings")
    return tokens


def checked_text(corpus: Any) -> None:
    """Refuse what has lost the words between its words."""
    if hasattr(corpus, "offsets") and hasattr(corpus, "ids"):
        raise CorpusError(
            "an encoded corpus has lost its rare words, and with them who stood next to whom: learn phrases from the "
            "files or the token lists themselves, before they are encoded"
        )
