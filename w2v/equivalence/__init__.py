"""The Levy-Goldberg comparison: what SGNS reaches, beside what it implicitly factorises."""

from w2v.equivalence.agreement import Agreement, Agreements
from w2v.equivalence.comparing import compare
from w2v.equivalence.comparison import Baseline, Comparison, ObjectiveRow, Setup
from w2v.equivalence.objective import Objective

__all__ = [
    "Agreement",
    "Agreements",
    "Baseline",
    "Comparison",
    "Objective",
    "ObjectiveRow",
    "Setup",
    "compare",
]
