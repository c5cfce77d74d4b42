"""The plan of a training: chunks of the corpus, and the learning rate at each of their ends."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

from w2v.settings import ContextSettings, TrainingSettings

__all__ = ["TrainingPlan", "block_steps"]

_LARGEST_CHUNK = 100_000
_SMALLEST_CHUNK = 2_000
_CHUNKS_WANTED = 64
_MOST_IN_A_STEP = 1.2  # alpha times gradients of one token


@dataclasses.dataclass(frozen=True)
class TrainingPlan:
    """Which tokens are trained when, and with which learning rate: a function of corpus size and settings only.

    Attributes
    ----------
    tokens : int
        Tokens in the encoded corpus.
    epochs : int
        Passes.
    alpha, min_alpha : float
        Learning rate, linear over all epochs.
    chunk_tokens : int
        Tokens in a chunk; the same for every number of workers, since the noise stream starts anew with each chunk.
    """

    tokens: int
    epochs: int
    alpha: float
    min_alpha: float
    chunk_tokens: int

    @classmethod
    def of(cls, tokens: int, training: TrainingSettings) -> TrainingPlan:
        """Build the plan: chunks of 100,000 tokens, smaller where the corpus has few of them."""
        chunk_tokens = min(_LARGEST_CHUNK, max(_SMALLEST_CHUNK, tokens // _CHUNKS_WANTED))
        return cls(tokens, training.epochs, training.alpha, training.min_alpha, chunk_tokens)

    @property
    def chunks(self) -> int:
        """Chunks in an epoch."""
        return -(-self.tokens // self.chunk_tokens)

    def bounds(self, chunk: int) -> tuple[int, int]:
        """Return the positions [first, last) of a chunk."""
        first = chunk * self.chunk_tokens
        return first, min(self.tokens, first + self.chunk_tokens)

    def learning_rate(self, epoch: int, position: int) -> float:
        """Return the learning rate at a position (0..tokens) of an epoch (0-based)."""
        done = (epoch * self.tokens + position) / (self.epochs * self.tokens)
        return self.alpha + (self.min_alpha - self.alpha) * done


def block_steps(
    counts: NDArray[np.int64], keep: NDArray[np.float64], context: ContextSettings, training: TrainingSettings
) -> tuple[int, int]:
    """Return the block size and the steps that a block takes, so that no word moves too far in one of them.

    All gradients of a step are taken at the values before it, each at most alpha / 4 times a squared norm, and they add
    up for a word. A token with many pairs, m of them on average, has m (1 + k) gradients: its window is cut into parts,
    a step each. The block is shrunk for the most frequent word, which has them as often as it occurs in the block; and
    for a noise word, which takes B m k / M of them each time it is drawn. With the default window, noise words and
    learning rate nothing is cut, and with ordinary vocabularies nothing shrunk.
    """
    kept = counts * keep
    largest_share = float(kept.max() / kept.sum())
    pairs = context.window + 1 if context.shrink_windows else 2 * context.window
    alpha, k, M = training.alpha, training.negative, training.shared_noise_words
    parts = min(context.window * 2 + 1, math.ceil(alpha * pairs * (1 + k) / _MOST_IN_A_STEP))
    for_words = 2.0 * parts / (alpha * pairs * (1 + k) * largest_share)
    for_noise = 2.5 * parts * M / (alpha * pairs * k)
    return max(1, min(training.block_size, int(for_words), int(for_noise))), parts
