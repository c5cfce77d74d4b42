"""Which words of a text are phrases: counted, scored and joined, pass after pass."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from w2v.corpus.phrases.counting import Pairs, count_pairs
from w2v.corpus.phrases.joining import Joiner, Phrase, PhraseTable, roles_of
from w2v.corpus.phrases.scores import phrase_scores
from w2v.corpus.phrases.stream import NumberStream
from w2v.kernels.numbering import count_numbers
from w2v.kernels.phrases import CONNECTOR
from w2v.settings import PhraseSettings

__all__ = ["PassOutcome", "PhraseLearner", "ThresholdRow", "WordNumbers", "threshold_table"]

_LADDERS = {
    "original": (10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0),
    "npmi": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
}
_EXAMPLES = 3


class WordNumbers(Protocol):
    """Words and their numbers, both ways."""

    def __len__(self) -> int: ...

    def intern(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the numbers of words, known or new."""

    def word(self, number: int) -> str:
        """Return the word of a number."""


@dataclass(frozen=True)
class PassOutcome:
    """What a pass found.

    Attributes
    ----------
    tokens : int
        Tokens of the text as it was before this pass.
    pairs : Pairs
        All pairs that scored above the lowest score looked at.
    scores : (n,) float64
        Their scores.
    phrases : tuple of Phrase
        Those that scored above the threshold, the highest score first.
    """

    tokens: int
    pairs: Pairs
    scores: NDArray[np.float64]
    phrases: tuple[Phrase, ...]


class PhraseLearner:
    """Finds the phrases of a stream of numbers.

    Parameters
    ----------
    words : WordNumbers
    settings : PhraseSettings
    connector_words : sequence of str
    memory_bytes : int
        Bound of the table of pairs.
    every_threshold : bool
        Whether pairs are kept for `threshold_table`.
    """

    def __init__(
        self,
        words: WordNumbers,
        settings: PhraseSettings,
        connector_words: Sequence[str],
        *,
        memory_bytes: int,
        every_threshold: bool = False,
    ) -> None:
        self._words = words
        self._settings = settings
        self._connector_words = tuple(connector_words)
        self._memory_bytes = memory_bytes
        self._floor = settings.bound
        if every_threshold:
            self._floor = min(self._floor, _LADDERS[settings.scoring][0])
        self.outcomes: list[PassOutcome] = []
        self.tables: list[PhraseTable] = []

    def learn(self, stream: NumberStream, counts: NDArray[np.int64]) -> NumberStream:
        """Learn all passes, and return the stream as the last one found it; the others are closed.

        Parameters
        ----------
        stream : NumberStream
            The numbers of the text.
        counts : (types,) int64
            How often each number occurs in it.
        """
        for number in range(self._settings.passes):
            if number:
                stream = self._joined(stream)
                counts = np.zeros(len(self._words), dtype=np.int64)
                for piece in stream.pieces():
                    count_numbers(piece, counts)
            outcome = self._pass(stream, counts)
            self.outcomes.append(outcome)
            self.tables.append(PhraseTable(outcome.phrases, self._connector_words, self._words.intern))
            if not outcome.phrases:
                break
        return stream

    def _joined(self, stream: NumberStream) -> NumberStream:
        joiner = Joiner(self.tables[-1:])
        joined = NumberStream(stream.directory)
        try:
            with stream:
                for piece in stream.pieces():
                    joined.append(joiner.join(piece))
        except BaseException:
            joined.close()
            raise
        return joined

    def _pass(self, stream: NumberStream, counts: NDArray[np.int64]) -> PassOutcome:
        tokens = int(counts.sum())
        connectors = self._words.intern(self._connector_words)
        roles = roles_of(len(self._words), np.flatnonzero(counts >= self._settings.min_count), connectors)

        def scores(pairs: Pairs) -> NDArray[np.float64]:
            return phrase_scores(pairs.counts, counts[pairs.first], counts[pairs.second], tokens, self._settings)

        pairs = count_pairs(
            stream,
            roles,
            self._settings.min_count,
            keep=lambda pairs: scores(pairs) > self._floor,
            memory_bytes=self._memory_bytes,
        )
        found = scores(pairs)
        above = found > self._settings.bound
        return PassOutcome(tokens, pairs, found, tuple(self.phrases(pairs.take(above), found[above])))

    def phrases(self, pairs: Pairs, scores: NDArray[np.float64]) -> list[Phrase]:
        """Return pairs as phrases, the highest score first, equal ones by count and then by their text."""
        phrases = []
        columns = (pairs.first, pairs.second, pairs.chains, pairs.counts, scores)
        for first, second, chain, count, score in zip(*(column.tolist() for column in columns), strict=True):
            words = (self._words.word(first), *self._between(chain), self._words.word(second))
            phrases.append(Phrase(self._settings.delimiter.join(words), words, count, score))
        return sorted(phrases, key=lambda phrase: (-phrase.score, -phrase.count, phrase.text))

    def _between(self, chain: int) -> list[str]:
        words = []
        while chain:
            words.append(self._connector_words[(chain & 0xFF) - CONNECTOR])
            chain >>= 8
        return words[::-1]


class ThresholdRow(NamedTuple):
    """What a threshold would join.

    Attributes
    ----------
    threshold : float
    phrases, occurrences : int
        Pairs that score higher, and how often they occur (where they overlap, not all are joined).
    weakest : tuple of Phrase
        Those that score lowest among them: what one gets for going as low as this.
    """

    threshold: float
    phrases: int
    occurrences: int
    weakest: tuple[Phrase, ...]


def threshold_table(
    outcome: PassOutcome, settings: PhraseSettings, spell: Callable[[Pairs, NDArray[np.float64]], list[Phrase]]
) -> list[ThresholdRow]:
    """Return what other thresholds would have joined in a pass, the lowest first.

    Parameters
    ----------
    outcome : PassOutcome
        Of a learner with `every_threshold`.
    settings : PhraseSettings
    spell : callable
        `PhraseLearner.phrases` of that learner.
    """
    order = np.argsort(outcome.scores, kind="stable")
    scores = outcome.scores[order]
    rows = []
    for threshold in sorted({settings.bound, *_LADDERS[settings.scoring]}):
        start = int(np.searchsorted(scores, threshold, side="right"))
        weakest = order[start : start + _EXAMPLES]
        rows.append(
            ThresholdRow(
                threshold,
                len(scores) - start,
                int(outcome.pairs.counts[order[start:]].sum()),
                tuple(reversed(spell(outcome.pairs.take(weakest), outcome.scores[weakest]))),
            )
        )
    return [row for row in rows if row.phrases or math.isclose(row.threshold, settings.bound)]
