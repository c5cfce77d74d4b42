"""The kernel calls for one chunk of tokens, with the buffers of one thread."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from w2v.corpus import EncodedCorpus
from w2v.kernels.amx import has_amx
from w2v.kernels.noise import NoiseTable, noise_proposal, noise_table
from w2v.kernels.random import NOISE, TOKENS, chunk_state, stream_key
from w2v.kernels.sgns_amx import amx_scratch, train_amx
from w2v.kernels.sgns_blocked import scratch_arrays, train_blocked
from w2v.kernels.sgns_pairwise import train_pairwise
from w2v.kernels.windows import lay_windows, window_arrays
from w2v.settings import ContextSettings, TrainingSettings
from w2v.training.plan import BlockSteps

__all__ = ["ChunkTrainer", "Job"]


@dataclasses.dataclass(frozen=True, eq=False)
class Job:
    """What all kernel calls of a training read, whichever chunk they are for.

    Attributes
    ----------
    corpus : EncodedCorpus
    context : ContextSettings
    training : TrainingSettings
    W, C : (V, padded d) float32
        The matrices, changed in place.
    keep_thresholds : (V,) uint64
        A token is kept where the high half of its hash is below this.
    noise_table : NoiseTable
        What noise words are drawn from, in as many strata as are drawn together: P_n, for blocks g (`noise_proposal`).
    noise_shares : (V,) float32
        What a noise word that is drawn counts for, for each positive pair: k P_n / (M g); read for blocks only.
    steps : BlockSteps
        Tokens in a block, steps that it takes, and the noise words of a step.
    frozen : (V,) bool, optional
        Words whose rows of W stay as they are, while their context vectors and all other words learn from them. W then
        has a spare row for each thread, behind those of the words, which takes the changes that are meant for these.
    """

    corpus: EncodedCorpus
    context: ContextSettings
    training: TrainingSettings
    W: NDArray[np.float32]
    C: NDArray[np.float32]
    keep_thresholds: NDArray[np.uint64]
    noise_table: NoiseTable
    noise_shares: NDArray[np.float32]
    steps: BlockSteps
    frozen: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        corpus: EncodedCorpus,
        context: ContextSettings,
        training: TrainingSettings,
        W: NDArray[np.float32],
        C: NDArray[np.float32],
    ) -> Job:
        """Compute from the counts what is kept and which noise words are drawn."""
        vocabulary = corpus.vocabulary
        keep = vocabulary.keep_probabilities(context.sample)
        noise = vocabulary.noise_distribution(training.ns_exponent)
        steps = BlockSteps.of(context, training, float(noise.max()))
        strata, drawn = 1, noise
        if training.algorithm == "blocked":
            strata, drawn = steps.noise_words, noise_proposal(noise, vocabulary.counts * keep, training.negative)
        shares = training.negative / strata * np.divide(noise, drawn, out=np.zeros_like(noise), where=drawn > 0.0)
        return cls(
            corpus,
            context,
            training,
            W,
            C,
            np.minimum(2.0**32, np.rint(keep * 2.0**32)).astype(np.uint64),
            noise_table(drawn, strata),
            shares.astype(np.float32),
            steps,
        )


class ChunkTrainer:
    """Trains chunks of up to so many tokens, one after the other.

    Parameters
    ----------
    job : Job
    chunk_tokens : int
        Tokens in the longest chunk.
    thread : int
        Number of the thread, which no other that is at work at the same time has.
    exact : bool
        Whether blocks are computed in float32 throughout, also where the processor has tile registers for bfloat16.
    """

    def __init__(self, job: Job, chunk_tokens: int, thread: int = 0, *, exact: bool = False) -> None:
        self._job = job
        self._rows: NDArray[np.int32] | None = None
        if job.frozen is not None:
            V = len(job.frozen)
            self._rows = np.where(job.frozen, V + thread, np.arange(V)).astype(np.int32)
        self._windows = window_arrays(chunk_tokens, job.context.window)
        stride = job.W.shape[1]
        self._change = np.zeros(stride, np.float32)
        self._blocked = job.training.algorithm == "blocked"
        if self._blocked:
            tiles = has_amx() and not exact
            self._train, scratch = (train_amx, amx_scratch) if tiles else (train_blocked, scratch_arrays)
            self._scratch = scratch(len(job.W), job.steps.block_size, job.context.window, job.steps.noise_words, stride)

    def train(self, epoch: int, first: int, last: int, alphas: tuple[float, float]) -> tuple[int, float]:
        """Train the tokens [first, last) in an epoch; returns positive pairs and the sum of their losses.

        With learning rates of zero the matrices stay as they are, and the loss is that of these matrices.
        """
        job, context, training = self._job, self._job.context, self._job.training
        tokens, positions, low, high = self._windows
        begin, end = lay_windows(
            job.corpus.ids,
            job.corpus.offsets,
            first,
            last,
            job.keep_thresholds,
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
        changed = tokens if self._rows is None else self._rows[tokens]
        shared = (job.W, job.C, (tokens, low, high, changed), begin, end, job.noise_table, state)
        if self._blocked:
            pairs, loss = self._train(*shared, job.noise_shares, tuple(job.steps), drop, *alphas, self._scratch)
        else:
            pairs, loss = train_pairwise(*shared, training.negative, drop, *alphas, self._change)
        return int(pairs), float(loss)
