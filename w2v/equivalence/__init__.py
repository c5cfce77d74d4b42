"""The Levy-Goldberg comparison: what SGNS reaches, beside what it implicitly factorises."""

from w2v.equivalence.agreement import Agreement, Agreements
from w2v.equivalence.comparing import compare
from w2v.equivalence.comparison import Baseline, Comparison, ObjectiveRow, Setup
from w2v.equivalence.deciles import Decile, Deciles
from w2v.equivalence.neighbors import Overlap
from w2v.equivalence.objective import Objective
from w2v.equivalence.rivals import Rival
from w2v.equivalence.selftest import FullBatchTest, SelfTest, StochasticTest, self_test
from w2v.equivalence.tasks import Task
from w2v.equivalence.unobserved import Unobserved

__all__ = [
    "Agreement",
    "Agreements",
    "Baseline",
    "Comparison",
    "Decile",
    "Deciles",
    "FullBatchTest",
    "Objective",
    "ObjectiveRow",
    "Overlap",
    "Rival",
    "SelfTest",
    "Setup",
    "StochasticTest",
    "Task",
    "Unobserved",
    "compare",
    "self_test",
]
