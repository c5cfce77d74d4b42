"""Count the word-context pairs of a corpus in expectation, under the window law that training samples from."""

from __future__ import annotations

import dataclasses
import itertools
import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from w2v.errors import CorpusError, SettingsError
from w2v.kernels.cooccurrence import (
    count_rows,
    count_rows_dirty,
    merge_rows,
    order_by_word,
    reach_dirty,
    separate_sentences,
)
from w2v.pmi.cells import CellStore
from w2v.pmi.counts import PairCounts
from w2v.settings import ContextSettings
from w2v.vocabulary import Vocabulary

__all__ = ["WEIGHT_CUT", "EncodedTokens", "count_pairs"]

WEIGHT_CUT = 1e-6
"""Dirty windows are followed until a pair weighs less than this, relative to neighbours."""

_TOKEN_BYTES = 8  # a buffer of ids and an order of places, int32 each
_CELL_BYTES = 12
_LARGEST_CHUNK = 1 << 30  # places are int32
_TASK_TOKENS = 1 << 15


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


def count_pairs(
    corpus: EncodedTokens,
    context: ContextSettings,
    *,
    workers: int = 1,
    memory_bytes: int = 1 << 30,
    max_vocab: int | None = None,
    directory: str | Path | None = None,
) -> PairCounts:
    """Return the expected number of times that one epoch trains each (word, context) pair.

    A pair of tokens at distance e weighs (R - e + 1)/R with dynamic windows, 1 with fixed ones; with clean
    subsampling times both keep probabilities; with dirty subsampling p_w p_c sum_m P(m) (R - m)/R over m < R, where m
    is the number of survivors among the e - 1 tokens between, Poisson-binomial, followed exactly until that sum falls
    below `WEIGHT_CUT`. No pair crosses a sentence. Without subsampling the sums are whole numbers divided by R last.

    Parameters
    ----------
    corpus : EncodedCorpus
        Anything with ``vocabulary``, ``ids`` (N,) int32 and ``offsets`` (S + 1,) int64.
    context : ContextSettings
        The law; the same object that training reads.
    workers : int
        Threads. The result does not depend on their number.
    memory_bytes : int
        Bound of anonymous memory, about: chunks of the corpus are counted apart, spilled and merged, and the result
        is mapped from a temporary file, when it would be exceeded. It cannot go below some 40 bytes per word and
        worker. With subsampling the last bits of a sum depend on the chunks.
    max_vocab : int, optional
        Bound the matrix to the most frequent words; marginals still cover everything.
    directory : path, optional
        Folder of the temporary files.

    Raises
    ------
    CorpusError
        If the corpus is empty or an id is not in the vocabulary.
    SettingsError
        If `workers`, `memory_bytes` or `max_vocab` is not positive.
    """
    _check(corpus, workers, memory_bytes, max_vocab)
    V = len(corpus.vocabulary)
    counter = _Counter(corpus, context, V if max_vocab is None else min(V, max_vocab))
    with ThreadPoolExecutor(workers) as pool:
        crew = _Crew(pool, workers, counter, memory_bytes)
        bounds = counter.chunk_bounds(memory_bytes // 4 // _TOKEN_BYTES)
        parts = []
        in_memory = memory_bytes // 2
        for first, last in bounds:
            store = CellStore(in_memory if len(bounds) == 1 else 0, counter.size**2, directory)
            parts.append(crew.count(first, last, store, counter.divisor if len(bounds) == 1 else 1.0))
        if len(parts) > 1:
            parts = [crew.merge(parts, CellStore(in_memory, counter.size**2, directory))]
        indptr, indices, data = parts[0]
    totals = counter.totals / counter.divisor
    return PairCounts(
        indptr=indptr,
        indices=indices,
        data=data,
        word_counts=totals,
        context_counts=totals,
        total=float(counter.totals.sum()) / counter.divisor,
        vocabulary=corpus.vocabulary,
        context=context,
        tokens=len(corpus.ids),
        sentences=len(corpus.offsets) - 1,
    )


def _check(corpus: EncodedTokens, workers: int, memory_bytes: int, max_vocab: int | None) -> None:
    for name, value in (("workers", workers), ("memory_bytes", memory_bytes), ("max_vocab", max_vocab)):
        if value is not None and value < 1:
            raise SettingsError(f"{name} must be at least 1; got {value!r}")
    V, ids = len(corpus.vocabulary), corpus.ids
    if len(ids) == 0:
        raise CorpusError("the corpus holds no token of the vocabulary: there is no pair to count")
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= V:
        raise CorpusError(f"word id {low if low < 0 else high} is not in a vocabulary of {V} words")


_Part = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]


@dataclasses.dataclass
class _Scratch:
    """What one thread writes into."""

    sums: NDArray[np.float64]
    touched: NDArray[np.uint64]
    summary: NDArray[np.uint64]
    reach: NDArray[np.float64]
    indices: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, V: int, window: int, capacity: int) -> _Scratch:
        groups = -(-V // 64)
        return cls(
            np.zeros(V),
            np.zeros(groups, np.uint64),
            np.zeros(-(-groups // 64), np.uint64),
            np.zeros(window),
            np.empty(capacity, np.int32),
            np.empty(capacity, np.float64),
        )


class _Counter:
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

    def rows(self, scratch: _Scratch, first: int, last: int) -> Iterator[tuple[int, int, Any, Any]]:
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
                out = s.sums, s.touched, s.summary, s.indices, s.values, ends, totals
                end = count_rows(*text, first, last, *law, columns, *out)
            yield first, end, ends[: end - first], totals[: end - first]
            first = end


class _Crew:
    """Threads with their scratch arrays, taking ranges of rows."""

    def __init__(self, pool: ThreadPoolExecutor, workers: int, counter: _Counter, memory_bytes: int) -> None:
        self.pool, self.workers, self.counter = pool, workers, counter
        spare = memory_bytes // 8 // (2 * workers + 1) // _CELL_BYTES
        self.capacity = max(counter.size, min(spare, counter.size + (1 << 18)))
        self.scratch: queue.SimpleQueue[_Scratch] = queue.SimpleQueue()
        for _ in range(2 * workers + 1):  # one for each task in work or waiting in `_in_order`
            self.scratch.put(_Scratch.of(counter.V, counter.window, self.capacity))

    def count(self, first: int, last: int, store: CellStore, divisor: float) -> _Part:
        """Count one chunk of the corpus."""
        counter = self.counter
        counter.sort(first, last)
        indptr = np.zeros(counter.size + 1, np.int64)

        def task(bounds: tuple[int, int]) -> tuple[_Scratch, list[tuple[Any, ...]]]:
            scratch = self.scratch.get()
            pieces: list[tuple[Any, ...]] = []
            for a, b, ends, totals in counter.rows(scratch, *bounds):
                cells = slice(0, int(ends[-1]))
                piece = (a, b, ends, totals, scratch.indices[cells], scratch.values[cells])
                if b < bounds[1]:  # the scratch arrays are full and will be written over
                    piece = (*piece[:4], piece[4].copy(), piece[5].copy())
                pieces.append(piece)
            return scratch, pieces

        for scratch, pieces in _in_order(self.pool, task, self._ranges(), 2 * self.workers):
            for a, b, ends, totals, indices, values in pieces:
                counter.totals[a:b] += totals
                if a < counter.size:
                    indptr[a + 1 : b + 1] = store.cells + ends
                    store.append(indices, values, divisor)
            self.scratch.put(scratch)
        return (indptr, *store.finish())

    def _ranges(self) -> list[tuple[int, int]]:
        """Split the rows into ranges of about equal work; no range crosses the bound of the matrix."""
        starts = self.counter.starts
        work = starts[1:] + np.arange(1, self.counter.V + 1)  # a token, or an empty row, is a unit of work
        tasks = 16 * self.workers + int(starts[-1]) // _TASK_TOKENS
        cuts = np.searchsorted(work, np.linspace(0, work[-1], tasks + 1)[1:-1])
        edges = np.unique(np.concatenate(([0, self.counter.size, self.counter.V], cuts)))
        return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))

    def merge(self, parts: list[_Part], store: CellStore) -> _Part:
        """Add up the parts, row by row, and divide by the window."""
        counter = self.counter
        bounds = np.stack([indptr for indptr, _, _ in parts])
        indptr = np.zeros(counter.size + 1, np.int64)
        ones = np.ones(counter.V)

        def task(rows: tuple[int, int]) -> tuple[int, int, Any, Any, Any]:
            a, b = rows
            pieces = [slice(int(lo), int(hi)) for lo, hi in zip(bounds[:, a], bounds[:, b], strict=True)]
            indices = np.concatenate([part[1][piece] for part, piece in zip(parts, pieces, strict=True)])
            values = np.concatenate([part[2][piece] for part, piece in zip(parts, pieces, strict=True)])
            begins = np.concatenate(([0], np.cumsum([p.stop - p.start for p in pieces])[:-1]))
            local = bounds[:, a : b + 1] - bounds[:, a : a + 1] + begins[:, None]
            merged, sums, ends = np.empty(len(indices), np.int32), np.empty(len(indices)), np.empty(b - a, np.int64)
            scratch = self.scratch.get()
            work = scratch.sums, scratch.touched, scratch.summary
            n = merge_rows(indices, values, local, counter.size, *work, ones, merged, sums, ends)
            self.scratch.put(scratch)
            return a, b, ends, merged[:n], sums[:n]

        loads = np.maximum(np.diff(bounds.sum(axis=0)), 1)
        tasks = _split(loads, max(1, self.capacity // 4))
        for a, b, ends, indices, values in _in_order(self.pool, task, tasks, self.workers):
            indptr[a + 1 : b + 1] = store.cells + ends
            store.append(indices, values, counter.divisor)
        return (indptr, *store.finish())


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a plain view: a kernel is compiled once, whether a corpus is mapped or lies in memory."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def _split(loads: NDArray[np.int64], limit: int) -> list[tuple[int, int]]:
    """Split rows into ranges whose loads sum to `limit` at most (a single row may exceed it)."""
    edges, total = [0], 0
    for row, load in enumerate(loads.tolist()):
        if total and total + load > limit:
            edges.append(row)
            total = 0
        total += load
    edges.append(len(loads))
    return list(itertools.pairwise(edges))


def _in_order(
    pool: ThreadPoolExecutor, task: Callable[[Any], Any], arguments: Iterable[Any], ahead: int
) -> Iterator[Any]:
    """Yield the results of a task in the order of its arguments, at most `ahead` of them waiting."""
    waiting: deque[Future[Any]] = deque()
    for argument in arguments:
        waiting.append(pool.submit(task, argument))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
