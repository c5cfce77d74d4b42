"""How far a training has come, and what its losses were."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

from w2v.training.plan import TrainingPlan

__all__ = ["Ledger"]


@dataclasses.dataclass(eq=False)
class Ledger:
    """The account of one epoch; when it is over a new one takes its place, in one step that nothing can cut in two.

    Attributes
    ----------
    epoch : int
        The epoch under way (0-based).
    chunk : int
        All chunks before this one are trained.
    losses, heldout_losses : tuple of float
        Mean loss per pair of each finished epoch, on the text trained and on the sentences held out.
    chunk_losses, chunk_pairs : (chunks,) float64, int64
        Sum of the losses, and pairs, of each chunk of this epoch; zero for those to come. With the losses by chunk the
        mean of an epoch is the same to the bit whether or not the training was interrupted.
    """

    epoch: int
    chunk: int
    losses: tuple[float, ...]
    heldout_losses: tuple[float, ...]
    chunk_losses: NDArray[np.float64]
    chunk_pairs: NDArray[np.int64]

    @classmethod
    def start(cls, plan: TrainingPlan) -> Ledger:
        """Return the account of a training that has yet to begin."""
        return cls(0, 0, (), (), np.zeros(plan.chunks), np.zeros(plan.chunks, np.int64))

    @property
    def pairs(self) -> int:
        """Positive pairs trained so far in this epoch."""
        return int(self.chunk_pairs.sum())

    @property
    def loss(self) -> float:
        """Mean loss per pair so far in this epoch; NaN before the first pair."""
        pairs = self.pairs
        return math.fsum(self.chunk_losses) / pairs if pairs else math.nan

    def next_epoch(self, heldout_loss: float | None) -> Ledger:
        """Return the account of the epoch that follows this one."""
        heldout = () if heldout_loss is None else (heldout_loss,)
        return Ledger(
            self.epoch + 1,
            0,
            (*self.losses, self.loss),
            self.heldout_losses + heldout,
            np.zeros_like(self.chunk_losses),
            np.zeros_like(self.chunk_pairs),
        )
