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
_MOST_STEPS = 2.0  # that a token takes at once, times alpha, in a block of the size below
_BLOCK_OF_STEPS = 32


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

    All gradients of a block are taken at the values before it, so a word that occurs m times in it takes about
    m (R + 1) (1 + k) steps at once, each of at most alpha / 4 times a squared norm. The block is shrunk until, for the
    most frequent word, these add up to about a half; with ordinary vocabularies and learning rates they do anyway.

    A noise word takes about as many steps as there are tokens in the block, each in the common direction of all words.
    Where a token's own steps, alpha (R + 1) (1 + k), come to more than 2 (the defaults have 0.9; window 10 with 15
    noise words, 4.4), the vectors overshoot and in the end diverge, unless blocks shrink with their square.
    """
    kept = counts * keep
    largest_share = float(kept.max() / kept.sum())
    pairs = context.window + 1 if context.shrink_windows else 2 * context.window
    steps = training.alpha * pairs * (1 + training.negative)
    bounds = (2.0 / steps / largest_share, _BLOCK_OF_STEPS * (_MOST_STEPS / steps) ** 2)
    return max(1, min(training.block_size, *map(int, bounds)))
