"""The loss of given matrices on a text: a pass of the training kernels with learning rate 0."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.corpus import EncodedCorpus
from w2v.errors import NotAvailableError, SettingsError
from w2v.kernels.tiles import aligned_rows, padded
from w2v.settings import ContextSettings, TrainingSettings
from w2v.training.chunks import ChunkTrainer, Job
from w2v.training.crew import Crew
from w2v.training.plan import TrainingPlan

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["MeanLoss", "loss_of_job", "mean_loss"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class MeanLoss:
    """The mean loss per positive pair of given matrices on a text.

    Attributes
    ----------
    loss : float
        Nats per pair: -log s(w.c) of the pair and -log s(-w.c) of its k noise words.
    standard_error : float or None
        Of what subsampling, windows and noise words leave to chance, from the differences between passes; None after
        a single pass.
    pairs : int
        Positive pairs of all passes.
    passes : int
    """

    loss: float
    standard_error: float | None
    pairs: int
    passes: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


def loss_of_job(job: Job, epoch: int) -> tuple[int, float]:
    """Return positive pairs of a pass over the corpus of a job, and the sum of their losses; changes nothing."""
    plan = TrainingPlan.of(len(job.corpus), job.training)
    pairs, losses = np.zeros(plan.chunks, np.int64), np.zeros(plan.chunks)

    def hand(trainer: ChunkTrainer) -> Callable[[int], None]:
        def measure(chunk: int) -> None:
            pairs[chunk], losses[chunk] = trainer.train(epoch, *plan.bounds(chunk), (0.0, 0.0))

        return measure

    longest = min(plan.chunk_tokens, plan.tokens)
    workers = min(job.training.workers, plan.chunks)
    hands = [hand(ChunkTrainer(job, longest, thread, exact=True)) for thread in range(workers)]
    with contextlib.closing(Crew().work(hands, 0, plan.chunks, threading.Event())) as work:
        for _ in work:
            pass
    return int(pairs.sum()), math.fsum(losses)


def mean_loss(
    embedding: Embedding,
    corpus: EncodedCorpus,
    context: ContextSettings | None = None,
    training: TrainingSettings | None = None,
    *,
    passes: int = 1,
) -> MeanLoss:
    """Measure the loss of an embedding on a text, under the law that it was (or might have been) trained with.

    Its expectation is -L/|D|: the objective that `w2v.equivalence` computes exactly, by pair. It samples as the
    training does, so that it costs a pass over the text and not all pairs of words.

    Parameters
    ----------
    embedding : Embedding
        With context vectors.
    corpus : EncodedCorpus
        On the vocabulary of the embedding.
    context, training : ContextSettings, TrainingSettings, optional
        Windows, subsampling, noise words, seed, workers; by default those that the embedding records.
    passes : int
        More than one to learn the standard error; each draws anew.

    Returns
    -------
    MeanLoss

    Raises
    ------
    NotAvailableError
        If the embedding has no context vectors, or settings are needed and not recorded.
    SettingsError
        If corpus and embedding have different words.
    """
    if embedding.C is None:
        raise NotAvailableError("this embedding holds no context vectors (C), without which there is no loss")
    if passes < 1:
        raise SettingsError(f"passes must be at least 1; got {passes!r}")
    if len(embedding) != len(corpus.vocabulary) or embedding.words != corpus.vocabulary.words:
        raise SettingsError(
            f"the embedding ({len(embedding)} words) and the corpus ({len(corpus.vocabulary)} words) are not on the "
            "same vocabulary: encode the corpus with vocabulary=embedding.vocabulary"
        )
    context = context or ContextSettings.from_dict(_recorded(embedding, "context"))
    training = training or TrainingSettings.from_dict(_recorded(embedding, "training"))
    job = Job.of(corpus, context, training, _in_rows(embedding.W), _in_rows(embedding.C))
    found = [loss_of_job(job, epoch) for epoch in range(passes)]
    pairs = np.array([one[0] for one in found], np.float64)
    losses = np.array([one[1] for one in found])
    total = float(pairs.sum())
    mean = float(losses.sum()) / total if total else math.nan
    error = None
    if passes > 1 and total:
        error = float(np.sqrt(((losses - mean * pairs) ** 2).sum() * passes / (passes - 1))) / total
    return MeanLoss(loss=mean, standard_error=error, pairs=int(total), passes=passes)


def _recorded(embedding: Embedding, group: str) -> dict[str, Any]:
    settings = embedding.settings.get(group)
    if not isinstance(settings, dict):
        raise NotAvailableError(f"this embedding records no {group} settings: give {group}=")
    return settings


def _in_rows(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a copy with the row length that the kernels read."""
    rows: NDArray[np.float32] = aligned_rows(len(matrix), padded(matrix.shape[1]))
    rows[:, : matrix.shape[1]] = matrix
    return rows
