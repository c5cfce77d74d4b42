"""The plan of a training: chunks of the corpus, and the learning rate at each of their ends."""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple, Self

from w2v.settings import ContextSettings, TrainingSettings

__all__ = ["BlockSteps", "TrainingPlan"]

_LARGEST_CHUNK = 100_000
_SMALLEST_CHUNK = 2_000
_CHUNKS_WANTED = 64
# alpha times the gradients in one step, of one token, of one word, of a noise word
_MOST_IN_A_STEP, _MOST_OF_A_WORD, _MOST_OF_NOISE = 1.2, 3.7, 2.5
_FEWEST_NOISE_WORDS, _MOST_NOISE_WORDS = 16, 4096
_USUAL_NOISE_WORDS = 24  # for k = 5
_CROWDED, _THREADS_AT_ONE_ROW = 0.25, 4.0  # from which probability on a noise word is in the hands of all threads


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


class BlockSteps(NamedTuple):
    """How a training is cut into steps, so that no word moves too far in one of them.

    All gradients of a step are taken at the values before it, each at most alpha / 4 times a squared norm, and they add
    up for a word.

    Attributes
    ----------
    block_size : int
        Tokens in a block at most. Smaller than asked for where noise words would move too far: such a word takes
        B m k / M gradients each time it is drawn, with m pairs for a token; up to twice as many where it is drawn
        less often than P_n says, as words are that have small gradients (see `noise_proposal`).
    parts : int
        Steps of a block: a token has m (1 + k) gradients, and where these are many its window is cut into parts.
    repeats : int
        How often a word may occur in a block. Texts have runs of a word, however rare it is on the whole.
    noise_words : int
        Noise words that a step shares (M): as asked for, or chosen by those that a token has in a step.
    """

    block_size: int
    parts: int
    repeats: int
    noise_words: int

    @classmethod
    def of(cls, context: ContextSettings, training: TrainingSettings, commonest: float) -> Self:
        """Choose from the settings and the probability of the commonest noise word.

        With the default window, noise words and learning rate this is (48, 1, 4, 24) for ordinary texts. In a
        vocabulary of a few words all threads change the same rows in every step, so each has to take smaller ones;
        whether there are such threads makes no difference, or the loss would depend on their number.
        """
        pairs = context.window + 1 if context.shrink_windows else 2 * context.window
        alpha, k = training.alpha, training.negative
        gradients = alpha * pairs * (1 + k)
        parts = math.ceil(round(gradients / _MOST_IN_A_STEP, 9))  # 1.2 is no more than 1.2, whatever its last bit
        parts = max(1, min(2 * context.window + 1, parts))
        M = training.shared_negatives or _noise_words(k, parts)
        crowd = _THREADS_AT_ONE_ROW if commonest >= _CROWDED else 1.0
        noise_gradients = alpha * pairs * k * max(1.0 / M, commonest * crowd)
        block_size = int(min(training.block_size, _MOST_OF_NOISE * parts / noise_gradients))
        repeats = int(min(255, _MOST_OF_A_WORD * parts / gradients))
        return cls(max(1, block_size), parts, max(1, repeats), M)


def _noise_words(k: int, parts: int) -> int:
    """Return how many noise words a step shares: 24 for k = 5, in proportion to k by all parts of a block together.

    In each part there are 16 at least, and from k = 5 on as many as for k = 5. Fewer cost accuracy in analogies, more
    cost time.
    """
    most = _USUAL_NOISE_WORDS * k / 5
    wanted = 4 * math.ceil(max(most / parts, min(most, _USUAL_NOISE_WORDS)) / 4)
    return max(_FEWEST_NOISE_WORDS, min(_MOST_NOISE_WORDS, wanted))
