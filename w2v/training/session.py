"""One training from start to end: matrices, threads, losses, and where it stands."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import queue
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.corpus import EncodedCorpus
from w2v.errors import TrainingError
from w2v.kernels.alias import build_alias
from w2v.kernels.random import NOISE, START, TOKENS, chunk_state, initialise_rows, stream_key
from w2v.kernels.sgns_blocked import scratch_arrays, train_blocked
from w2v.kernels.sgns_pairwise import train_pairwise
from w2v.kernels.tiles import aligned_rows, padded
from w2v.kernels.windows import lay_windows, window_arrays
from w2v.settings import ContextSettings, TrainingSettings
from w2v.training.plan import TrainingPlan, effective_block_size

__all__ = ["Progress", "Training"]

_REPORT_SECONDS = 0.2
_ROWS_CHECKED_AT_ONCE = 16_384


@dataclasses.dataclass(frozen=True)
class Progress:
    """Where a training stands.

    Attributes
    ----------
    epoch, epochs : int
        The epoch under way (1-based) and how many there are.
    words, total_words : int
        Tokens trained so far, over all epochs, and in the end.
    words_per_second : float
        Since the start (or the resumption) of this training, by the clock.
    alpha : float
        Current learning rate.
    loss : float
        Mean loss per positive pair in nats so far in this epoch; NaN before the first pair.
    pairs : int
        Positive pairs trained so far in this epoch.
    seconds, seconds_left : float
        Time spent, and expected still to come.
    epoch_done : bool
        Whether this is the report at the end of an epoch.
    """

    epoch: int
    epochs: int
    words: int
    total_words: int
    words_per_second: float
    alpha: float
    loss: float
    pairs: int
    seconds: float
    seconds_left: float
    epoch_done: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values (a loss that is not known yet is None)."""
        values = dataclasses.asdict(self)
        if math.isnan(self.loss):
            values["loss"] = None
        return values


class Training:
    """A skip-gram training over an encoded corpus.

    Parameters
    ----------
    corpus : EncodedCorpus
        What to train on.
    context : ContextSettings
        Windows and subsampling.
    training : TrainingSettings
        Everything else.
    plan : TrainingPlan, optional
        Chunks and learning rates; by default those of the settings.

    Attributes
    ----------
    W, C : (V, d) float32
        Views of the matrices; they change while `run` is at work.
    losses : list of float
        Mean loss per positive pair in nats, one for each finished epoch.
    epoch, chunk : int
        The next chunk to be trained (0-based).
    """

    def __init__(
        self,
        corpus: EncodedCorpus,
        context: ContextSettings,
        training: TrainingSettings,
        *,
        plan: TrainingPlan | None = None,
    ) -> None:
        self.corpus, self.context, self.training = corpus, context, training
        self.plan = plan if plan is not None else TrainingPlan.of(len(corpus), training)
        vocabulary = corpus.vocabulary
        keep = vocabulary.keep_probabilities(context.sample)
        self._keep_thresholds = np.minimum(2.0**32, np.rint(keep * 2.0**32)).astype(np.uint64)
        noise = vocabulary.noise_distribution(training.ns_exponent)
        self._sampler = (np.empty(len(vocabulary), np.uint64), np.empty(len(vocabulary), np.int32))
        build_alias(noise, *self._sampler)
        self._block_size = effective_block_size(vocabulary.counts, keep, context, training)
        d = training.vector_size
        self._W: NDArray[np.float32] = aligned_rows(len(vocabulary), padded(d))
        self._C: NDArray[np.float32] = aligned_rows(len(vocabulary), padded(d))
        initialise_rows(self._W, d, stream_key(training.seed, 0, START), 0)
        self.losses: list[float] = []
        self.epoch = 0
        self.chunk = 0
        self._chunk_losses: NDArray[np.float64] = np.zeros(self.plan.chunks)
        self._chunk_pairs: NDArray[np.int64] = np.zeros(self.plan.chunks, np.int64)
        self._stop = threading.Event()
        self._words_at_start = 0
        self._started = time.perf_counter()

    @property
    def W(self) -> NDArray[np.float32]:
        """The word matrix (V, d)."""
        return self._W[:, : self.training.vector_size]

    @property
    def C(self) -> NDArray[np.float32]:
        """The context matrix (V, d)."""
        return self._C[:, : self.training.vector_size]

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""
        return self.epoch >= self.plan.epochs

    def stop(self) -> None:
        """Ask `run` to return once the chunks under way are done; may be called from any thread."""
        self._stop.set()

    def compile(self) -> None:
        """Compile the kernels, or load them from the cache, by training nothing."""
        _Worker(self).train_range(0, 0, 0)

    def run(self, report: Callable[[Progress], object] | None = None) -> bool:
        """Train until the end, or until `stop` is called or an exception (such as KeyboardInterrupt) arrives.

        Whenever it returns or raises, no thread is at work and `epoch` and `chunk` say what comes next.

        Parameters
        ----------
        report : callable, optional
            Called with a `Progress` a few times a second and at the end of each epoch, in the calling thread.

        Returns
        -------
        bool
            Whether the training is finished.

        Raises
        ------
        TrainingError
            If a matrix holds a value that is not finite after an epoch.
        """
        self._stop.clear()
        self._started, self._words_at_start = time.perf_counter(), self._words_done()
        workers = [_Worker(self) for _ in range(min(self.training.workers, self.plan.chunks))]
        reported = self._started
        while not self.finished:
            # closing: whatever arrives here, the threads have come to rest before it goes on
            with contextlib.closing(self._train_epoch(workers)) as chunks_done:
                for _ in chunks_done:
                    now = time.perf_counter()
                    if report is not None and now - reported >= _REPORT_SECONDS:
                        reported = now
                        report(self.progress())
            if self.chunk < self.plan.chunks:
                return False  # asked to stop
            self._check_finite()
            pairs = int(self._chunk_pairs.sum())
            self.losses.append(math.fsum(self._chunk_losses) / pairs if pairs else math.nan)
            if report is not None:
                report(dataclasses.replace(self.progress(), epoch_done=True))
            self.epoch, self.chunk = self.epoch + 1, 0
            self._chunk_losses[:] = 0.0
            self._chunk_pairs[:] = 0
        return True

    def progress(self) -> Progress:
        """Return where the training stands now."""
        words, total = self._words_done(), self.plan.tokens * self.plan.epochs
        seconds = time.perf_counter() - self._started
        speed = (words - self._words_at_start) / seconds if seconds > 0 else 0.0
        pairs = int(self._chunk_pairs.sum())
        return Progress(
            epoch=min(self.epoch + 1, self.plan.epochs),
            epochs=self.plan.epochs,
            words=words,
            total_words=total,
            words_per_second=speed,
            alpha=self.plan.learning_rate(0, words),
            loss=math.fsum(self._chunk_losses) / pairs if pairs else math.nan,
            pairs=pairs,
            seconds=seconds,
            seconds_left=(total - words) / speed if speed > 0 else math.inf,
        )

    def _words_done(self) -> int:
        return self.epoch * self.plan.tokens + min(self.chunk * self.plan.chunk_tokens, self.plan.tokens)

    def _train_epoch(self, workers: list[_Worker]) -> Generator[None, None, None]:
        """Train the rest of the epoch, yielding after each chunk; stops early, at a barrier, when asked to."""
        if len(workers) == 1:
            while self.chunk < self.plan.chunks and not self._stop.is_set():
                workers[0].train_chunk(self.epoch, self.chunk)
                self.chunk += 1
                yield
        else:
            yield from self._train_epoch_in_threads(workers)

    def _train_epoch_in_threads(self, workers: list[_Worker]) -> Generator[None, None, None]:
        done: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        lock = threading.Lock()
        leave = threading.Event()
        first = self.chunk
        taken = first

        def work(worker: _Worker) -> None:
            nonlocal taken
            try:
                while not (leave.is_set() or self._stop.is_set()):
                    with lock:
                        if taken >= self.plan.chunks:
                            return
                        chunk = taken
                        taken += 1
                    worker.train_chunk(self.epoch, chunk)
                    done.put(None)
            except BaseException as error:  # handed to the calling thread
                done.put(error)

        threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in workers]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads) or not done.empty():
                try:
                    error = done.get(timeout=0.05)
                except queue.Empty:
                    continue
                if error is not None:
                    raise error
                self.chunk += 1
                yield
        finally:
            leave.set()
            for thread in threads:
                thread.join()
            self.chunk = taken  # all chunks taken are done: the barrier

    def _check_finite(self) -> None:
        for name, matrix in (("W", self._W), ("C", self._C)):
            for first in range(0, len(matrix), _ROWS_CHECKED_AT_ONCE):
                rows = matrix[first : first + _ROWS_CHECKED_AT_ONCE]
                finite = np.isfinite(rows).all(axis=1)
                if not finite.all():
                    row = first + int(np.argmin(finite))
                    word = self.corpus.vocabulary.words[row]
                    raise TrainingError(
                        f"after epoch {self.epoch + 1} the row of {word!r} in {name} is not finite: the training "
                        f"diverged with alpha={self.training.alpha}; use a smaller alpha"
                    )


class _Worker:
    """The buffers of one thread, and the kernel calls for one chunk."""

    def __init__(self, owner: Training) -> None:
        self._owner = owner
        plan, context, training = owner.plan, owner.context, owner.training
        self._windows = window_arrays(min(plan.chunk_tokens, plan.tokens), context.window)
        stride = padded(training.vector_size)
        self._change = np.zeros(stride, np.float32)
        self._blocked = training.algorithm == "blocked"
        if self._blocked:
            self._scratch = scratch_arrays(owner._block_size, context.window, training.shared_noise_words, stride)

    def train_chunk(self, epoch: int, chunk: int) -> None:
        """Train one chunk and note its pairs and its loss."""
        first, last = self._owner.plan.bounds(chunk)
        pairs, loss = self.train_range(epoch, first, last)
        self._owner._chunk_pairs[chunk] = pairs
        self._owner._chunk_losses[chunk] = loss

    def train_range(self, epoch: int, first: int, last: int) -> tuple[int, float]:
        """Train the tokens [first, last) in an epoch; returns positive pairs and the sum of their losses."""
        owner, context, training = self._owner, self._owner.context, self._owner.training
        tokens, positions, low, high = self._windows
        begin, end = lay_windows(
            owner.corpus.ids,
            owner.corpus.offsets,
            first,
            last,
            owner._keep_thresholds,
            stream_key(training.seed, epoch, TOKENS),
            context.window,
            context.shrink_windows,
            context.subsampling == "clean",
            tokens,
            positions,
            low,
            high,
        )
        state = chunk_state(stream_key(training.seed, epoch, NOISE), first)
        drop = training.accidental_hits == "drop"
        alphas = owner.plan.learning_rate(epoch, first), owner.plan.learning_rate(epoch, last)
        shared = (owner._W, owner._C, (tokens, low, high), begin, end, owner._sampler, state, training.negative)
        if self._blocked:
            pairs, loss = train_blocked(
                *shared, training.shared_noise_words, owner._block_size, drop, *alphas, self._scratch
            )
        else:
            pairs, loss = train_pairwise(*shared, drop, *alphas, self._change)
        return int(pairs), float(loss)
