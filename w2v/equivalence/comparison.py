"""The result of setting an embedding beside the target x*: small frozen objects that turn into JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

from w2v.equivalence.agreement import Agreements
from w2v.equivalence.cloud import Cloud
from w2v.equivalence.deciles import Deciles
from w2v.equivalence.neighbors import Overlap
from w2v.equivalence.objective import Objective
from w2v.equivalence.rivals import Rival
from w2v.equivalence.tasks import Task
from w2v.equivalence.unobserved import Unobserved

__all__ = ["Baseline", "Comparison", "ObjectiveRow", "Setup"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Setup:
    """What was compared.

    Attributes
    ----------
    tokens, vocabulary, matrix_size : int
        Tokens counted; words of the vocabulary; words in the matrix (fewer where it was bounded).
    pairs : float
        |D|, expected pairs per epoch.
    distinct_pairs, compared_pairs : int
        Cells of the matrix with a pair; those that enter unweighted statistics.
    infinite_targets : int
        Cells without a finite target (hits dropped, word with a single context), left out of statistics.
    fill : float
    negative, ns_exponent, accidental_hits
        k, q and the law of hits.
    window, shrink_windows, sample, subsampling
        The window law.
    vector_size : int
    formula : str
        The target in words.
    """

    tokens: int
    vocabulary: int
    matrix_size: int
    pairs: float
    distinct_pairs: int
    compared_pairs: int
    infinite_targets: int
    fill: float
    negative: float
    ns_exponent: float
    accidental_hits: str
    window: int
    shrink_windows: bool
    sample: float
    subsampling: str
    vector_size: int
    formula: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class Baseline:
    """A model that knows nothing of single pairs, with the same statistics."""

    name: str
    agreement: Agreements

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"name": self.name, "agreement": self.agreement.to_dict()}


@dataclasses.dataclass(frozen=True, kw_only=True)
class ObjectiveRow:
    """L of one model.

    Attributes
    ----------
    name : str
    objective : Objective
    deviation : float
        (L - L_opt)/L_opt; 0 is perfect, 0.3 means 30% more loss than the optimum.
    gap_closed : float or None
        Share of the gap between the L-fitted additive model and L_opt that this model closes.
    """

    name: str
    objective: Objective
    deviation: float
    gap_closed: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "name": self.name,
            "deviation": self.deviation,
            "gap_closed": self.gap_closed,
            "objective": self.objective.to_dict(),
        }


@dataclasses.dataclass(frozen=True, kw_only=True)
class Comparison:
    """How near x = W.C comes to x* = log(a/b), beside baselines that keep the answer honest.

    Attributes
    ----------
    setup : Setup
    agreement : Agreements
        Of the embedding.
    baselines : tuple of Baseline
        Shuffled pairs; x = r_w + s_c fitted to L; the same fitted to x* by least squares.
    optimum : Objective
        L_opt.
    objectives : tuple of ObjectiveRow
        Empty when the objective was not asked for.
    deciles : tuple of Deciles
        By pair count, word frequency and context frequency.
    unobserved : Unobserved or None
    rivals : tuple of Rival
        Factorisations of the same counts; empty when they were not asked for.
    neighbors : tuple of Overlap
        With each rival, and with a second model where one was given: the ceiling.
    tasks : tuple of Task
    cloud : Cloud or None
        Sampled pairs to be drawn; not part of `to_dict`.
    """

    setup: Setup
    agreement: Agreements
    baselines: tuple[Baseline, ...]
    optimum: Objective
    objectives: tuple[ObjectiveRow, ...] = ()
    deciles: tuple[Deciles, ...] = ()
    unobserved: Unobserved | None = None
    rivals: tuple[Rival, ...] = ()
    neighbors: tuple[Overlap, ...] = ()
    tasks: tuple[Task, ...] = ()
    cloud: Cloud | None = None

    @property
    def headline(self) -> float | None:
        """Curvature-weighted Pearson correlation of x and x*."""
        return self.agreement.by_curvature.pearson

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "setup": dataclasses.asdict(self.setup),
            "agreement": self.agreement.to_dict(),
            "baselines": [baseline.to_dict() for baseline in self.baselines],
            "optimum": self.optimum.to_dict(),
            "objectives": [row.to_dict() for row in self.objectives],
            "deciles": [table.to_dict() for table in self.deciles],
            "unobserved": None if self.unobserved is None else self.unobserved.to_dict(),
            "factorizations": [rival.to_dict() for rival in self.rivals],
            "neighbors": [overlap.to_dict() for overlap in self.neighbors],
            "tasks": [task.to_dict() for task in self.tasks],
        }
