"""Lists of tokens from Python to an encoded corpus, in one pass."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.corpus.encoded import CorpusSource, EncodedCorpus
from w2v.corpus.selection import check_tokens, final_numbers, select
from w2v.corpus.sources import names_a_file
from w2v.corpus.workspace import Workspace
from w2v.errors import CorpusError, CorpusTypeError
from w2v.kernels.numbering import count_numbers
from w2v.kernels.text import SENTENCE_END
from w2v.plurals import counted
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary

__all__ = ["AS_PATHS", "Numbers", "SentenceReading", "encode_sentences", "short_repr"]

_BATCH = 1 << 18  # numbers gathered before they are written
_INT64 = range(-(2**63), 2**63)
AS_PATHS = "to read files, pass a pathlib.Path, or a list of nothing but pathlib.Path objects"


def encode_sentences(
    sentences: Iterable[Sequence[str] | Sequence[int]],
    settings: CorpusSettings | None = None,
    *,
    vocabulary: Vocabulary | None = None,
    directory: str | os.PathLike[str] | None = None,
) -> EncodedCorpus:
    """Read lists of tokens once, count them, and write the corpus as word ids.

    Parameters
    ----------
    sentences : iterable of sequences of str, or of int
        May be a generator. Tokens are taken as they are: they may be empty or contain spaces and line ends. All
        are strings or all are integers (of 64 bits).
    settings : CorpusSettings, optional
        `min_count`, `max_vocab`, and `lowercase` for strings; the tokeniser is not used.
    vocabulary : Vocabulary, optional
        Use this one: other tokens are dropped, `min_count` and `max_vocab` are not looked at.
    directory : str or path, optional
        Where the temporary folder is made.

    Returns
    -------
    EncodedCorpus
        Close it, or use it in a ``with`` block, to remove its temporary folder.

    Raises
    ------
    CorpusTypeError
        A sentence is a string, or a token is neither a string nor an integer or differs in kind from the others.
    CorpusError
        Nothing can be learnt: no sentences, no tokens, single tokens only, or none reaches `min_count`.
    """
    settings = settings or CorpusSettings()
    workspace = Workspace(directory)
    try:
        reading = SentenceReading(settings, workspace.write)
        reading.read(sentences)
        return _encoded(reading, settings, workspace, vocabulary)
    except BaseException:
        workspace.close()
        raise


class Numbers(dict[Any, int]):
    """Numbers tokens in order of first appearance."""

    def __missing__(self, token: Hashable) -> int:
        self[token] = number = len(self)
        return number


class _LowerCaseNumbers(dict[Any, int]):
    """Numbers tokens by their lower case."""

    def __init__(self, numbers: Numbers) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, token: str) -> int:
        self[token] = number = self._numbers[token.lower()]
        return number


class SentenceReading:
    """One corpus on its way from lists to numbers.

    Parameters
    ----------
    settings : CorpusSettings
        `lowercase` is read.
    write : callable
        Takes the provisional numbers, with a mark after each sentence, as they come.

    Attributes
    ----------
    kind : type or None
        str or int.
    lines, tokens, longest : int
        Sentences and tokens read, and tokens in the longest sentence.
    """

    def __init__(self, settings: CorpusSettings, write: Callable[[NDArray[np.int32]], None]) -> None:
        self._settings = settings
        self._write = write
        self._numbers = Numbers()
        self._counts: NDArray[np.int64] = np.zeros(1024, dtype=np.int64)
        self.kind: type | None = None
        self.lines = self.tokens = self.longest = 0

    def read(self, sentences: Iterable[Any]) -> None:
        """Number all tokens."""
        try:
            items = iter(sentences)
        except TypeError:
            raise CorpusTypeError(
                f"a corpus is an iterable of token lists or the path of a file, not {type(sentences).__name__}"
            ) from None
        numbers: dict[Any, int] = self._numbers
        batch = array("i")
        for item, sentence in enumerate(items):
            tokens = self._checked(item, sentence)
            if item == 0 or len(self._numbers) == 0:
                lower = self._settings.lowercase and self.kind is str
                numbers = _LowerCaseNumbers(self._numbers) if lower else self._numbers
            self.lines += 1
            if tokens:
                batch.extend(map(numbers.__getitem__, tokens))
                batch.append(SENTENCE_END)
                self.tokens += len(tokens)
                self.longest = max(self.longest, len(tokens))
            if len(batch) >= _BATCH:
                self._flush(batch)
                batch = array("i")
        self._flush(batch)

    def _flush(self, batch: array[int]) -> None:
        self._make_room()
        stream = np.array(batch, dtype=np.int32)
        count_numbers(stream, self._counts)
        self._write(stream)

    def _make_room(self) -> None:
        types = len(self._numbers)
        if types > len(self._counts):
            self._counts = np.concatenate([self._counts, np.zeros(types, dtype=np.int64)])

    def _checked(self, item: int, sentence: Any) -> Sequence[Any]:
        """Return the tokens of a sentence, all of the kind of this corpus."""
        if isinstance(sentence, (str, bytes)):
            raise CorpusTypeError(
                f"item {item} of the corpus is a string, {short_repr(sentence)}, not a list of tokens: "
                + (AS_PATHS if names_a_file(sentence) else f"pass {short_repr(sentence)}.split()")
            )
        try:
            tokens = sentence if type(sentence) in (list, tuple) else _listed(sentence)
        except TypeError:
            raise CorpusTypeError(
                f"item {item} of the corpus is {short_repr(sentence)} ({type(sentence).__name__}), not a list of tokens"
                + (f": {AS_PATHS}" if isinstance(sentence, os.PathLike) else "")
            ) from None
        kinds = set(map(type, tokens))
        if not kinds or kinds == {self.kind}:
            return tokens
        return [self._checked_token(item, position, token) for position, token in enumerate(tokens)]

    def _checked_token(self, item: int, position: int, token: Any) -> str | int:
        where = f"token {position} of sentence {item} is {short_repr(token)}"
        kind: type
        value: str | int
        if isinstance(token, str):
            kind, value = str, str(token)
        elif isinstance(token, (int, np.integer)) and not isinstance(token, bool):
            kind, value = int, int(token)
            if value not in _INT64:
                raise CorpusTypeError(f"{where}, which does not fit into 64 bits")
        else:
            raise CorpusTypeError(f"{where} ({type(token).__name__}); tokens must be strings or integers")
        if self.kind is None:
            self.kind = kind
        elif kind is not self.kind:
            raise CorpusTypeError(
                f"{where}, but the tokens before are of type {self.kind.__name__}; all must be of one kind"
            )
        return value

    def number_words(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the numbers (n,) of words, known or new; nothing is counted."""
        numbers = np.array([self._numbers[word] for word in words], dtype=np.int32)
        self._make_room()
        return numbers

    @property
    def types(self) -> list[Any]:
        """All distinct tokens in the order of their numbers."""
        return list(self._numbers)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Occurrences (types,) of each."""
        return self._counts[: len(self._numbers)]


def _encoded(
    reading: SentenceReading, settings: CorpusSettings, workspace: Workspace, vocabulary: Vocabulary | None
) -> EncodedCorpus:
    """Choose the words and renumber."""
    types, counts = reading.types, reading.counts
    check_tokens("the corpus", lines=reading.lines, tokens=reading.tokens, longest=reading.longest)

    def in_order(chosen: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        order = sorted(chosen.tolist(), key=lambda number: (-counts[number], types[number]))
        return np.array(order, dtype=np.int64)

    if vocabulary is None:
        chosen = select(counts, settings, in_order)
        vocabulary = Vocabulary([types[number] for number in chosen], counts[chosen])
        numbers = final_numbers(chosen, len(types))
    else:
        numbers = _numbers_in(vocabulary, types, reading.kind)
    source = CorpusSource(
        kind="sentences",
        paths=(),
        bytes=None,
        sha256=None,
        tokens=reading.tokens,
        types=len(types),
        lines=reading.lines,
    )
    ids, offsets = workspace.finish(numbers)
    return EncodedCorpus(vocabulary, ids, offsets, source, settings, workspace)


def _numbers_in(vocabulary: Vocabulary, types: list[Any], kind: type | None) -> NDArray[np.int32]:
    name = "int" if kind is int else "str"
    if name != vocabulary.key_type:
        raise CorpusTypeError(f"the tokens are of type {name}, the words of the vocabulary {vocabulary.key_type}")
    index = vocabulary.index
    numbers = np.array([index.get(word, -1) for word in types], dtype=np.int32)
    if (numbers < 0).all():
        words = counted(len(vocabulary), "word")
        raise CorpusError(f"none of the {counted(len(types), 'type')} of the corpus is among the {words} given")
    return numbers


def _listed(sentence: Any) -> list[Any]:
    listed: list[Any] = sentence.tolist() if isinstance(sentence, np.ndarray) else list(sentence)
    return listed


def short_repr(value: Any) -> str:
    """Return the repr of a value for a message, the middle of a long one left out."""
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:36]}...{shown[-1]}"
