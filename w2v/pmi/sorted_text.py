"""One chunk of a corpus sorted by word, and the rows of pair counts that threads read off it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from w2v.kernels.cooccurrence import (
    count_rows,
    count_rows_dirty,
    order_by_word,
    reach_dirty,
    separate_sentences,
)
from w2v.settings import ContextSettings
from w2v.vocabulary import Vocabulary

__all__ = ["WEIGHT_CUT", "EncodedTokens", "Scratch", "SortedText"]

WEIGHT_CUT = 1e-6
"""Dirty windows are followed until a pair weighs less than this, relative to neighbours."""

_LARGEST_CHUNK = 1 << 30  # places are int32


class EncodedTokens(Protocol):
    """What counting needs of a corpus; `w2v.corpus.EncodedCorpus` has it."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Words and raw counts."""

    @property
    def ids(self) -> NDArray[np.int32]:
        """Word ids (N,) of all tokens."""

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Sentence bounds (S + 1,)."""


@dataclasses.dataclass
class Scratch:
    """The arrays that one thread writes into."""

    sums: NDArray[np.float64]
    whole_sums: NDArray[np.int32]
    touched: NDArray[np.uint64]
    summary: NDArray[np.uint64]
    reach: NDArray[np.float64]
    indices: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, V: int, window: int, capacity: int) -> Scratch:
        """Allocate for a vocabulary, a window, and so many cells at a time."""
        groups = -(-V // 64)
        return cls(
            np.zeros(V),
            np.zeros(V, np.int32),
            np.zeros(groups, np.uint64),
            np.zeros(-(-groups // 64), np.uint64),
            np.zeros(window),
            np.empty(capacity, np.int32),
            np.empty(capacity, np.float64),
        )


class SortedText:
    """The corpus and the law as plain arrays and numbers, and one chunk of the corpus sorted by word."""

    def __init__(self, corpus: EncodedTokens, context: ContextSettings, size: int) -> None:
        self.ids, self.offsets = _read_only(corpus.ids), _read_only(corpus.offsets)
        self.V, self.size = len(corpus.vocabulary), size
        self.window, self.shrink = context.window, context.shrink_windows
        self.keep = corpus.vocabulary.keep_probabilities(context.sample)
        self.sure = int(np.flatnonzero(self.keep < 1).max(initial=-1)) + 1
        self.dirty = context.subsampling == "dirty" and self.sure > 0
        self.divisor = float(self.window) if self.shrink else 1.0
        self.cut = WEIGHT_CUT * self.divisor
        self.totals = np.zeros(self.V)

    def chunk_bounds(self, tokens: int) -> list[tuple[int, int]]:
        """Split the corpus into ranges of so many tokens."""
        step = min(max(tokens, 1000), _LARGEST_CHUNK)
        N = len(self.ids)
        return [(first, min(first + step, N)) for first in range(0, N, step)]

    def sort(self, first: int, last: int) -> None:
        """Sort the tokens [first, last) by word, with as much text around them as their windows can see."""
        here = int(np.searchsorted(self.offsets, first, side="right")) - 1
        there = int(np.searchsorted(self.offsets, last - 1, side="right")) - 1
        begin = first - self._sight(first, int(self.offsets[here]) - 1)
        end = last + self._sight(last - 1, int(self.offsets[there + 1]))
        self.buffer = np.empty(end - begin + there - here + 3, np.int32)
        n, low, high = separate_sentences(self.ids, self.offsets, here, begin, end, first, last, self.buffer)
        self.buffer = self.buffer[:n]
        self.starts = np.zeros(self.V + 1, np.int64)
        self.order = np.empty(last - first, np.int32)
        order_by_word(self.buffer, low, high, self.starts, self.order)

    def _sight(self, position: int, bound: int) -> int:
        if not self.dirty:
            return min(self.window, abs(bound - position) - 1)
        reach = np.empty(self.window)
        return int(
            reach_dirty(self.ids, position, bound, self.window, self.shrink, self.keep, self.sure, self.cut, reach),
        )

    def rows(self, scratch: Scratch, first: int, last: int) -> Iterator[tuple[int, int, Any, Any]]:
        """Yield (first, end, row ends, row totals) of some rows at a time; their cells lie in the scratch arrays."""
        columns = self.size if first < self.size else 0
        text = self.buffer, self.order, self.starts
        s = scratch
        while first < last:
            ends, totals = np.empty(last - first, np.int64), np.empty(last - first)
            law = self.window, self.shrink, self.keep
            if self.dirty:
                work = s.sums, s.touched, s.summary, s.reach, s.indices, s.values, ends, totals
                end = count_rows_dirty(*text, first, last, *law, self.sure, self.cut, columns, *work)
            else:
                sums = s.whole_sums if self._sums_stay_small() else s.sums
                out = sums, s.touched, s.summary, s.indices, s.values, ends, totals
                end = count_rows(*text, first, last, *law, columns, *out)
            yield first, end, ends[: end - first], totals[: end - first]
            first = end

    def _sums_stay_small(self) -> bool:
        """Return whether no sum of whole weights in this chunk can leave the range of int32."""
        most = self.window * (self.window + 1) if self.shrink else 2 * self.window
        return int(np.diff(self.starts).max(initial=0)) * most < 2**31


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a plain view: a kernel is compiled once, whether a corpus is mapped or lies in memory."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view
