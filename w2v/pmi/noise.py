"""The law of negative draws: how many noise words there are for each cell in expectation."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from w2v.pmi.counts import PairCounts
from w2v.settings import TrainingSettings
from w2v.vocabulary import Vocabulary

__all__ = ["NoiseLaw", "negative_counts"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class NoiseLaw:
    """k noise words per positive pair from P_n(c) = n(c)^q / sum n^q; accidental hits kept or dropped.

    Attributes
    ----------
    negative : float
        k.
    ns_exponent : float
        q, applied to *raw* counts, as the sampler does.
    accidental_hits : {"keep", "drop"}
        Whether a noise word that equals the positive counts.
    """

    negative: float = 5.0
    ns_exponent: float = 0.75
    accidental_hits: str = "keep"

    @classmethod
    def from_settings(cls, settings: TrainingSettings | Mapping[str, Any]) -> Self:
        """Return the law of a training, from its settings or their dict form."""
        if not isinstance(settings, TrainingSettings):
            settings = TrainingSettings.from_dict(settings)
        return cls(
            negative=float(settings.negative),
            ns_exponent=settings.ns_exponent,
            accidental_hits=settings.accidental_hits,
        )

    @property
    def drops_hits(self) -> bool:
        """Whether accidental hits are thrown away."""
        return self.accidental_hits == "drop"

    def probabilities(self, vocabulary: Vocabulary) -> NDArray[np.float64]:
        """Return P_n (V,)."""
        return vocabulary.noise_distribution(self.ns_exponent)

    def to_dict(self) -> dict[str, Any]:
        """Return the law as plain JSON values."""
        return dataclasses.asdict(self)


def negative_counts(counts: PairCounts, law: NoiseLaw) -> NDArray[np.float64]:
    """Return b_wc, the expected negative draws of each observed cell (cells,) float64.

    b = k a_w P_n(c) with accidental hits kept, k P_n(c) (a_w - a_wc) with hits dropped. Cells without a pair have
    k a_w P_n(c) under both.
    """
    spread = np.diff(counts.indptr)
    drawn = np.repeat(counts.word_counts[: counts.size], spread)
    if law.drops_hits:
        drawn -= counts.data
        np.maximum(drawn, 0.0, out=drawn)  # a word with a single context: rounding must not go below
    drawn *= law.probabilities(counts.vocabulary)[counts.indices]
    drawn *= law.negative
    return drawn
