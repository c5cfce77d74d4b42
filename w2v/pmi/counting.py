"""Count the word-context pairs of a corpus in expectation, under the window law that training samples from."""

from __future__ import annotations

import itertools
import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import CorpusError, SettingsError
from w2v.kernels.cooccurrence import merge_rows
from w2v.pmi.cells import CellStore
from w2v.pmi.counts import PairCounts
from w2v.pmi.sorted_text import EncodedTokens, Scratch, SortedText
from w2v.settings import ContextSettings

__all__ = ["count_pairs"]

_TOKEN_BYTES = 8  # a buffer of ids and an order of places, int32 each
_CELL_BYTES = 12
_TASK_TOKENS = 1 << 15


def count_pairs(
    corpus: EncodedTokens,
    context: ContextSettings,
    *,
    workers: int = 1,
    memory_bytes: int = 1 << 30,
    restrict_vocab: int | None = None,
    directory: str | Path | None = None,
) -> PairCounts:
    """Return the expected number of times that one epoch trains each (word, context) pair.

    A pair of tokens at distance e weighs (R - e + 1)/R with dynamic windows, 1 with fixed ones; with clean
    subsampling times both keep probabilities; with dirty subsampling p_w p_c sum_m P(m) (R - m)/R over m < R, where m
    is the number of survivors among the e - 1 tokens between, Poisson-binomial. That is followed exactly until the sum
    falls below `w2v.pmi.sorted_text.WEIGHT_CUT` (1e-6). No pair crosses a sentence. Without subsampling the sums are
    whole numbers, divided by R last.

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
    restrict_vocab : int, optional
        Bound the matrix to the most frequent words; marginals still cover everything.
    directory : path, optional
        Folder of the temporary files.

    Raises
    ------
    CorpusError
        If the corpus is empty or an id is not in the vocabulary.
    SettingsError
        If `workers`, `memory_bytes` or `restrict_vocab` is not positive.
    """
    _check(corpus, workers, memory_bytes, restrict_vocab)
    V = len(corpus.vocabulary)
    counter = SortedText(corpus, context, V if restrict_vocab is None else min(V, restrict_vocab))
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


def _check(corpus: EncodedTokens, workers: int, memory_bytes: int, restrict_vocab: int | None) -> None:
    for name, value in (("workers", workers), ("memory_bytes", memory_bytes), ("restrict_vocab", restrict_vocab)):
        if value is not None and value < 1:
            raise SettingsError(f"{name} must be at least 1; got {value!r}")
    V, ids = len(corpus.vocabulary), corpus.ids
    if len(ids) == 0:
        raise CorpusError("the corpus holds no token of the vocabulary: there is no pair to count")
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= V:
        raise CorpusError(f"word id {low if low < 0 else high} is not in a vocabulary of {V} words")


_Part = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]


class _Crew:
    """Threads with their scratch arrays, taking ranges of rows."""

    def __init__(self, pool: ThreadPoolExecutor, workers: int, counter: SortedText, memory_bytes: int) -> None:
        self.pool, self.workers, self.counter = pool, workers, counter
        spare = memory_bytes // 8 // (2 * workers + 1) // _CELL_BYTES
        self.capacity = max(counter.size, min(spare, counter.size + (1 << 18)))
        self.scratch: queue.SimpleQueue[Scratch] = queue.SimpleQueue()
        for _ in range(2 * workers + 1):  # one for each task in work or waiting in `_in_order`
            self.scratch.put(Scratch.of(counter.V, counter.window, self.capacity))

    def count(self, first: int, last: int, store: CellStore, divisor: float) -> _Part:
        """Count one chunk of the corpus."""
        counter = self.counter
        counter.sort(first, last)
        indptr = np.zeros(counter.size + 1, np.int64)

        def task(bounds: tuple[int, int]) -> tuple[Scratch, list[tuple[Any, ...]]]:
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
