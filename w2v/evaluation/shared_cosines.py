"""Cosines of the words of questions with all candidates, each word multiplied out once for many questions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SharedCosines"]

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]
_HELD = 16_000_000  # cosines held at a time


class SharedCosines:
    """Rows of cosines by word, for blocks of questions that are asked in their order.

    Analogy questions share their words: 19,544 of them have 905. Adding up rows of cosines is much less work than
    multiplying out each question.

    Parameters
    ----------
    unit : (N, d) float32
        Candidates.
    words : (Q, 3) int64
        Rows of `unit`: a, b and c of each question.
    """

    def __init__(self, unit: Floats, words: Ids) -> None:
        self._unit, self._words = unit, words
        self._start = self._stop = 0
        self._distinct: Ids = np.zeros(0, dtype=np.int64)
        self._cosines: Floats = np.zeros((0, len(unit)), dtype=np.float32)

    def rows(self, questions: slice) -> tuple[Floats, Ids]:
        """Return cosines (D, N) and, for a block of questions, which rows of them belong to a, b and c (n, 3)."""
        if questions.start < self._start or questions.stop > self._stop:
            self._compute(questions)
        return self._cosines, np.searchsorted(self._distinct, self._words[questions])

    def _compute(self, questions: slice) -> None:
        """Take in as many of the questions that follow as there is room for their words, and these at the least."""
        most, start, stop = _HELD // max(1, len(self._unit)), questions.start, questions.stop
        distinct = np.unique(self._words[start:stop])
        while stop < len(self._words):
            farther = min(len(self._words), 2 * stop - start)
            more = np.unique(self._words[start:farther])
            if len(more) > most:
                break
            stop, distinct = farther, more
        self._start, self._stop, self._distinct = start, stop, distinct
        self._cosines = self._unit[distinct] @ self._unit.T
