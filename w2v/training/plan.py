"""The plan of a training: chunks of the corpus, and the learning rate at each of their ends."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from w2v.settings import ContextSettings, TrainingSettings

__all__ = ["TrainingPlan", "effective_block_size"]

_LARGEST_CHUNK = 100_000
_SMALLEST_CHUNK = 2_000
_CHUNKS_WANTED = 64


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


def effective_block_size(
    counts: NDArray[np.int64], keep: NDArray[np.float64], context: ContextSettings, training: TrainingSettings
) -> int:
    """Return the block size, made smaller where one word would move too far within a block.

    All gradients of a block are taken at the values before it. Each step is at most alpha / 4 times a squared norm,
    and the block is shrunk until they add up to little more than a half: for the most frequent word, which takes
    m (R + 1) (1 + k) steps at once where it occurs m times in B tokens; and for a noise word, which takes
    B (R + 1) k / M of them each time it is drawn. With ordinary vocabularies, windows and rates they do anyway.
    """
    kept = counts * keep
    largest_share = float(kept.max() / kept.sum())
    pairs = context.window + 1 if context.shrink_windows else 2 * context.window
    for_words = 2.0 / (training.alpha * pairs * (1 + training.negative) * largest_share)
    for_noise = 2.5 * training.shared_noise_words / (training.alpha * pairs * training.negative)
    return max(1, min(training.block_size, int(for_words), int(for_noise)))
