"""The factorisations of the same counts that stand beside SGNS, with their objectives."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.equivalence.objective import (
    Objective,
    covered_by_rows,
    objective_of_factors,
    objective_of_values,
    observed_sums,
)
from w2v.equivalence.observed import ObservedCells
from w2v.pmi import factorize
from w2v.settings import FactorizationSettings

__all__ = ["MATRICES", "Rival", "factorize_rivals", "fit_scale", "positive_target"]

MATRICES = {"SVD(PPMI)": "ppmi", "SVD(SPPMI)": "sppmi", "SVD(PMI)": "pmi", "SVD(target)": "target", "SVD(M*)": "mstar"}
"""Names in the report and in `FactorizationSettings`."""

_SCALE_ROWS = 1024


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Rival:
    """A factorisation of the counts of the compared model.

    Attributes
    ----------
    name : str
    W : (n, d) float32
        For neighbours and tasks: without the constant plane of M*.
    objective : Objective or None
        With that plane, and for M* with x rescaled by `scale`.
    scale : float
        1 but for M*, whose second-order expansion at x = 0 underestimates.
    residual : float
        Of the truncated SVD.
    """

    name: str
    W: NDArray[np.float32]
    objective: Objective | None
    scale: float
    residual: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; the objective is in the table of objectives."""
        return {"name": self.name, "scale": self.scale, "residual": self.residual}


def factorize_rivals(
    cells: ObservedCells,
    d: int,
    *,
    objective: bool = True,
    seed: int = 1,
    report: Callable[[str], object] | None = None,
) -> tuple[Rival, ...]:
    """Factorise PPMI, SPPMI, PMI, x* and M* in d dimensions, W = U S^(1/2), C = V S^(1/2).

    SPPMI, x* and M* are those of the model's own law of negatives. Unobserved cells are 0, in M* -2.
    """
    found = []
    for name, matrix in MATRICES.items():
        if report is not None:
            report(name)
        law = None if matrix in ("ppmi", "pmi") else cells.law
        settings = FactorizationSettings(matrix=matrix, vector_size=min(d, cells.counts.size - 1), seed=seed)
        result = factorize(cells.counts, settings, law=law)
        W, C = result.factors()
        scale = fit_scale(cells, W, C, seed=seed) if matrix == "mstar" else 1.0
        value = objective_of_factors(cells, W * np.float32(scale), C) if objective else None
        found.append(
            Rival(
                name=name,
                W=result.factors(plane=False)[0],
                objective=value,
                scale=scale,
                residual=result.residual,
            )
        )
    return tuple(found)


def positive_target(cells: ObservedCells) -> Objective:
    """Return L of the full SPPMI matrix: x = max(x*, 0) on observed cells and 0 on all others."""
    return objective_of_values(cells, np.maximum(cells.target, np.float32(0.0)), 0.0)


def fit_scale(cells: ObservedCells, W: NDArray[np.float32], C: NDArray[np.float32], *, seed: int = 1) -> float:
    """Return the factor t for which x = t W C^T has the greatest L; the sum over all cells is taken on sampled rows."""
    from scipy.optimize import minimize_scalar

    n = cells.counts.size
    chances = cells.mass / cells.mass.sum()
    rows = np.random.default_rng(seed).choice(n, min(n, _SCALE_ROWS), p=chances)
    total = float(cells.mass.sum())
    x = cells.products(W, C)

    def loss(log_scale: float) -> float:
        t = np.float32(math.exp(log_scale))
        positive, negative, _, covered_here = observed_sums(cells, x * t)
        covered = total * float(covered_by_rows(cells, W[rows] * t, C).mean())
        return float(covered - covered_here - positive - negative)

    found = minimize_scalar(loss, bounds=(math.log(0.1), math.log(10.0)), method="bounded", options={"xatol": 0.02})
    return math.exp(float(found.x))
