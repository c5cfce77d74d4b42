"""One training from start to end: matrices, epochs, and where it stands."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import threading
import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.closing import Closing
from w2v.corpus import EncodedCorpus
from w2v.corpus.heldout import HeldOut, hold_out
from w2v.errors import TrainingError
from w2v.kernels.random import START, initialize_rows, stream_key
from w2v.kernels.tiles import aligned_rows, padded
from w2v.settings import ContextSettings, TrainingSettings
from w2v.training.chunks import ChunkTrainer, Job
from w2v.training.crew import Crew
from w2v.training.ledger import Ledger
from w2v.training.measuring import loss_of_job
from w2v.training.pairs import no_pair_was_trained, refuse_without_pairs
from w2v.training.plan import TrainingPlan
from w2v.training.progress import STOP, Progress

if TYPE_CHECKING:
    from w2v.training.checkpoint import Checkpoints

__all__ = ["Training"]

_REPORT_SECONDS = 0.2
_LOOK_SECONDS = 0.02  # the least time between two looks at where a single worker stands
_ROWS_CHECKED_AT_ONCE = 16_384
_ABSURD = 20.0  # times the loss of vectors that know nothing: no training that works comes near it


class Training(Closing):
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
    may_learn_nothing : bool
        Whether a training in which no pair of word and context is left is none the less one.

    Raises
    ------
    CorpusError
        The corpus leaves no pair of word and context.

    Attributes
    ----------
    W, C : (V, d) float32
        Views of the matrices; they change while `run` is at work.
    frozen : (V,) bool, or None
        Words whose rows of W stay as they are.
    trained, heldout : EncodedCorpus, EncodedCorpus or None
        The sentences that are trained, and those that are held out.
    plan : TrainingPlan
        Of the sentences that are trained.
    ledger : Ledger
        How far it has come, and all losses.
    story : dict
        Plain values that go into the provenance of the model beside the usual ones.

    Notes
    -----
    A context manager; `close` removes the temporary copies of a corpus of which sentences are held out.
    """

    def __init__(
        self,
        corpus: EncodedCorpus,
        context: ContextSettings,
        training: TrainingSettings,
        *,
        plan: TrainingPlan | None = None,
        may_learn_nothing: bool = False,
    ) -> None:
        self.corpus, self.context, self.training = corpus, context, training
        self._held_out: HeldOut | None = None
        if training.heldout > 0:
            self._held_out = hold_out(corpus, training.heldout, training.seed)
        self.plan = plan if plan is not None else TrainingPlan.of(len(self.trained), training)
        self._may_learn_nothing = may_learn_nothing
        if not may_learn_nothing:
            refuse_without_pairs(self.trained, context)
        d = training.vector_size
        self._W: NDArray[np.float32] = aligned_rows(len(corpus.vocabulary), padded(d))
        self._C: NDArray[np.float32] = aligned_rows(len(corpus.vocabulary), padded(d))
        initialize_rows(self._W, d, stream_key(training.seed, 0, START), 0)
        self._job = Job.of(self.trained, context, training, self._W, self._C)
        self.ledger = Ledger.start(self.plan)
        self.story: dict[str, Any] = {}
        self._crew = Crew()
        self._stop = threading.Event()
        self._words_at_start = 0
        self._started = time.perf_counter()

    @property
    def trained(self) -> EncodedCorpus:
        """The sentences that are trained."""
        return self.corpus if self._held_out is None else self._held_out.trained

    @property
    def heldout(self) -> EncodedCorpus | None:
        """The sentences that are held out, if there are any."""
        return None if self._held_out is None else self._held_out.heldout

    @property
    def W(self) -> NDArray[np.float32]:
        """The word matrix (V, d)."""
        return self._W[: len(self._C), : self.training.vector_size]

    @property
    def C(self) -> NDArray[np.float32]:
        """The context matrix (V, d)."""
        return self._C[:, : self.training.vector_size]

    @property
    def epoch(self) -> int:
        """The epoch under way (0-based)."""
        return self.ledger.epoch

    @property
    def chunk(self) -> int:
        """The next chunk of this epoch to be trained."""
        return self.ledger.chunk

    @property
    def losses(self) -> tuple[float, ...]:
        """Mean loss per positive pair in nats, one for each finished epoch."""
        return self.ledger.losses

    @property
    def heldout_losses(self) -> tuple[float, ...]:
        """Mean loss per pair of the sentences held out, one for each finished epoch."""
        return self.ledger.heldout_losses

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""
        return self.epoch >= self.plan.epochs

    @property
    def sound(self) -> bool:
        """Whether the matrices hold exactly what `epoch` and `chunk` say: no thread is at work and none has failed."""
        return self._crew.sound

    def close(self) -> None:
        """Remove temporary files; may be called twice."""
        if self._held_out is not None:
            self._held_out.close()

    def stop(self) -> None:
        """Ask `run` to return once the chunks under way are done; may be called from any thread."""
        self._stop.set()

    def compile(self) -> None:
        """Compile the kernels, or load them from the cache, by training nothing."""
        for exact in {False, self._held_out is not None}:  # sentences held out are measured by the exact one
            ChunkTrainer(self._job, 1, exact=exact).train(0, 0, 0, (0.0, 0.0))

    def set_rows(self, rows: slice | NDArray[np.intp], W: NDArray[np.float32], C: NDArray[np.float32]) -> None:
        """Put other numbers into some rows of both matrices, as of an earlier training."""
        self.W[rows] = W
        self.C[rows] = C

    @property
    def frozen(self) -> NDArray[np.bool_] | None:
        """Which words are frozen, None if none is."""
        return self._job.frozen

    def freeze(self, frozen: NDArray[np.bool_]) -> None:
        """Let the rows of W of some words stay exactly as they are; to be called before the training begins.

        They take part in every pair as others do: context vectors, and through them all other words, learn from them.
        The matrix W is another one afterwards, with the same numbers.

        Parameters
        ----------
        frozen : (V,) bool
        """
        V, stride = self._C.shape
        if not frozen.any():
            return
        # what would change a frozen row goes to a spare row instead, one for each thread
        self._W = aligned_rows(V + self.training.workers, stride)
        self._W[:V] = self._job.W[:V]
        self._job = dataclasses.replace(self._job, W=self._W, frozen=np.array(frozen, dtype=np.bool_))

    def touch(self) -> int:
        """Write to all pages of the matrices, as training does sooner or later; returns their size in bytes."""
        for matrix in (self._W, self._C):
            matrix += np.float32(0.0)
        return self._W.nbytes + self._C.nbytes

    def run(
        self,
        report: Callable[[Progress], object] | None = None,
        *,
        on_epoch: Callable[[Progress], object] | None = None,
        checkpoints: Checkpoints | None = None,
        report_seconds: float | None = None,
    ) -> bool:
        """Train until the end, or until `stop` is called or an exception (such as KeyboardInterrupt) arrives.

        Whenever it returns or raises, no thread is at work and `epoch` and `chunk` say what comes next.

        Parameters
        ----------
        report : callable, optional
            Called with a `Progress` a few times a second and at the end of each epoch, in the calling thread. When it
            returns `STOP` the training ends as if `stop` had been called.
        on_epoch : callable, optional
            Called with a `Progress` at the end of each epoch, when all threads rest; may return `STOP` too.
        checkpoints : Checkpoints, optional
            Written when they are due, with all threads at rest.
        report_seconds : float, optional
            The least time between two reports; by default 0.2.

        Returns
        -------
        bool
            Whether the training is finished.

        Raises
        ------
        TrainingError
            If a matrix holds a value that is not finite after an epoch or at a checkpoint, if the loss shows that the
            training diverged, or if no epoch had a pair to be trained.
        """
        self._stop.clear()
        self._started, self._words_at_start = time.perf_counter(), self.words_done
        if checkpoints is not None:
            checkpoints.begin(self._words_at_start)
        hands = self._hands()
        reported, pause = self._started, _REPORT_SECONDS if report_seconds is None else report_seconds
        while not self.finished:
            due = False
            # closing: whatever arrives here, the threads have come to rest before it goes on
            with contextlib.closing(self._train_epoch(hands, min(_LOOK_SECONDS, pause))) as chunks_done:
                for _ in chunks_done:
                    now = time.perf_counter()
                    if report is not None and now - reported >= pause:
                        reported = now
                        self._heed(report(self.progress()))
                    if checkpoints is not None and checkpoints.due(self.words_done):
                        due = True
                        break
            if due and checkpoints is not None:
                checkpoints.save(self)
            if self.chunk < self.plan.chunks:
                if self._stop.is_set():
                    return False
                continue
            self._end_epoch(report, on_epoch)
        return True

    def _heed(self, answer: object) -> None:
        if answer is STOP:
            self._stop.set()

    def _end_epoch(
        self, report: Callable[[Progress], object] | None, on_epoch: Callable[[Progress], object] | None
    ) -> None:
        self.check_finite()
        self._check_loss()
        heldout_loss = self._loss_held_out()
        progress = dataclasses.replace(
            self.progress(), epoch_done=True, heldout_loss=math.nan if heldout_loss is None else heldout_loss
        )
        self.ledger = self.ledger.next_epoch(heldout_loss)
        if self.finished and not self._may_learn_nothing and all(map(math.isnan, self.losses)):
            raise no_pair_was_trained(self.trained, self.context)
        for callback in (report, on_epoch):
            if callback is not None:
                self._heed(callback(progress))

    def _loss_held_out(self) -> float | None:
        """Return the mean loss per pair of the sentences held out: every epoch the same pairs and noise words."""
        if self.heldout is None:
            return None
        pairs, loss = loss_of_job(dataclasses.replace(self._job, corpus=self.heldout), epoch=0)
        return loss / pairs if pairs else math.nan

    def progress(self) -> Progress:
        """Return where the training stands now."""
        words, total = self.words_done, self.plan.tokens * self.plan.epochs
        seconds = time.perf_counter() - self._started
        speed = (words - self._words_at_start) / seconds if seconds > 0 else 0.0
        return Progress(
            epoch=min(self.epoch + 1, self.plan.epochs),
            epochs=self.plan.epochs,
            words=words,
            total_words=total,
            words_per_second=speed,
            alpha=self.plan.learning_rate(0, words),
            loss=self.ledger.loss,
            pairs=self.ledger.pairs,
            seconds=seconds,
            seconds_left=(total - words) / speed if speed > 0 else math.inf,
        )

    @property
    def words_done(self) -> int:
        """Tokens trained so far, over all epochs."""
        return self.epoch * self.plan.tokens + min(self.chunk * self.plan.chunk_tokens, self.plan.tokens)

    def _hands(self) -> list[Callable[[int], None]]:
        """Return a function for each thread that trains a chunk and enters it in the ledger."""

        def hand(trainer: ChunkTrainer) -> Callable[[int], None]:
            def train(chunk: int) -> None:
                ledger, plan = self.ledger, self.plan
                first, last = plan.bounds(chunk)
                alphas = plan.learning_rate(ledger.epoch, first), plan.learning_rate(ledger.epoch, last)
                ledger.chunk_pairs[chunk], ledger.chunk_losses[chunk] = trainer.train(ledger.epoch, first, last, alphas)

            return train

        longest = min(self.plan.chunk_tokens, self.plan.tokens)
        workers = min(self.training.workers, self.plan.chunks)
        return [hand(ChunkTrainer(self._job, longest, thread)) for thread in range(workers)]

    def _train_epoch(self, hands: list[Callable[[int], None]], pause: float) -> Generator[None, None, None]:
        """Train the rest of the epoch, yielding after each chunk; stops early, with all threads at rest, when asked."""
        ledger, first = self.ledger, self.chunk
        work = self._crew.work(hands, first, self.plan.chunks, self._stop, pause)
        try:
            with contextlib.closing(work):
                for done in work:
                    ledger.chunk = first + done
                    yield
        finally:
            if self._crew.sound:
                ledger.chunk = self._crew.reached

    def check_finite(self) -> None:
        """Raise `TrainingError` if a matrix holds a value that is not finite."""
        for name, matrix in (("W", self._W), ("C", self._C)):
            for first in range(0, len(self._C), _ROWS_CHECKED_AT_ONCE):
                rows = matrix[first : min(first + _ROWS_CHECKED_AT_ONCE, len(self._C))]
                finite = np.isfinite(rows).all(axis=1)
                if not finite.all():
                    row = first + int(np.argmin(finite))
                    word = self.corpus.vocabulary.words[row]
                    raise self._diverged(f"the row of {word!r} in {name} is not finite")

    def _check_loss(self) -> None:
        """Raise `TrainingError` if the loss of the epoch is far above that of vectors that know nothing."""
        ignorance = (1 + self.training.negative) * math.log(2.0)
        if self.ledger.loss > _ABSURD * ignorance:
            raise self._diverged(
                f"the mean loss is {self.ledger.loss:.4g}, though that of vectors that know nothing is {ignorance:.4g}"
            )

    def _diverged(self, sign: str) -> TrainingError:
        way_out = "use a smaller alpha"
        if self.training.algorithm == "blocked":
            way_out += ", or algorithm pairwise, which takes smaller steps"
        return TrainingError(
            f"in epoch {self.epoch + 1} {sign}: the training diverged with alpha={self.training.alpha}; {way_out}"
        )
