"""What a training tells while it runs, and how whoever listens can end it."""

from __future__ import annotations

import dataclasses
import enum
import math
from typing import Any

__all__ = ["STOP", "Progress", "Stop"]


class Stop(enum.Enum):
    """The type of `STOP`."""

    STOP = "stop"


STOP = Stop.STOP
"""What a callback returns to end the training in order; any other value is without effect."""


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
    heldout_loss : float
        At the end of an epoch, the mean loss per pair of the sentences held out; NaN elsewhere, or if there are none.
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
    heldout_loss: float = math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values (a loss that is not known is None)."""
        values = dataclasses.asdict(self)
        for name in ("loss", "heldout_loss"):
            if math.isnan(values[name]):
                values[name] = None
        return values
