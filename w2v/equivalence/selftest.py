"""The self-test: at full rank the equivalence must hold, not correlate.

With d >= V and every pair observed nothing keeps x = W C^T from x*. Maximising L in full batch must reach x* to 1e-3,
and the stochastic kernels themselves must come near it, nearer by far than to the target of the other law of
accidental hits.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from w2v.pmi import NoiseLaw, count_pairs, target
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings

__all__ = [
    "EPOCHS",
    "FULL_BATCH_ERROR",
    "FULL_BATCH_RATIO",
    "MAXIMUM_ERROR",
    "MEAN_ERROR",
    "OTHER_LAW",
    "FullBatchTest",
    "SelfTest",
    "StochasticTest",
    "self_test",
]

FULL_BATCH_ERROR = 1e-3
FULL_BATCH_RATIO = 1e-6
MEAN_ERROR = 0.015
MAXIMUM_ERROR = 0.1
OTHER_LAW = 0.05
EPOCHS = 500

_WORDS, _DIMENSIONS, _NEGATIVE = 12, 16, 2
_CONTEXT = ContextSettings(window=2, sample=0.0)
_ALPHA, _LAST_ALPHA = 0.05, 1e-5
_HITS = ("keep", "drop")

Matrix = NDArray[np.float64]
Trainer = Callable[[Any, ContextSettings, TrainingSettings, float], tuple[NDArray[Any], NDArray[Any]]]


class _Result(Protocol):
    @property
    def passed(self) -> bool: ...


@dataclasses.dataclass(frozen=True, kw_only=True)
class FullBatchTest:
    """L maximised over W and C by L-BFGS on the expected a and b.

    Attributes
    ----------
    accidental_hits : str
    maximum_error : float
        max |x - x*|; must be below 1e-3.
    ratio : float
        L / L_opt; must be 1 to 1e-6.
    seconds : float
        CPU time.
    """

    accidental_hits: str
    maximum_error: float
    ratio: float
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether both tolerances are kept."""
        return self.maximum_error < FULL_BATCH_ERROR and abs(self.ratio - 1) < FULL_BATCH_RATIO


@dataclasses.dataclass(frozen=True, kw_only=True)
class StochasticTest:
    """A training kernel on a small corpus in which every pair is seen often.

    Attributes
    ----------
    algorithm, accidental_hits : str
    seed : int
    mean_error, maximum_error : float
        Of x against x*; must be below 0.015 and 0.1.
    other_law : float
        Mean distance of x to the target of the other law of hits; must exceed 0.05.
    seconds : float
        CPU time.
    """

    algorithm: str
    accidental_hits: str
    seed: int
    mean_error: float
    maximum_error: float
    other_law: float
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether all three tolerances are kept."""
        return self.mean_error < MEAN_ERROR and self.maximum_error < MAXIMUM_ERROR and self.other_law > OTHER_LAW


@dataclasses.dataclass(frozen=True, kw_only=True)
class SelfTest:
    """All parts of the self-test.

    Attributes
    ----------
    full_batch : tuple of FullBatchTest
    stochastic : tuple of StochasticTest
    """

    full_batch: tuple[FullBatchTest, ...]
    stochastic: tuple[StochasticTest, ...]

    @property
    def passed(self) -> bool:
        """Whether every part passed."""
        parts: tuple[_Result, ...] = self.full_batch + self.stochastic
        return all(part.passed for part in parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        parts: dict[str, Any] = {"passed": self.passed}
        for name in ("full_batch", "stochastic"):
            parts[name] = [{**dataclasses.asdict(part), "passed": part.passed} for part in getattr(self, name)]
        return parts


def self_test(
    *,
    algorithms: tuple[str, ...] = ("blocked", "pairwise"),
    seeds: tuple[int, ...] = (1, 2, 3),
    epochs: int = EPOCHS,
    full_batch: bool = True,
    trainer: Trainer | None = None,
    report: Callable[[FullBatchTest | StochasticTest], object] | None = None,
) -> SelfTest:
    """Run the self-test for both laws of accidental hits.

    Parameters
    ----------
    algorithms : tuple of str
        Training kernels to run; none leaves the full batch alone.
    seeds : tuple of int
        Seeds of each kernel.
    epochs : int
        Of each training, about a hundredth of a CPU second each; the more, the nearer.
    full_batch : bool
        Whether to maximise L in full batch as well.
    trainer : callable, optional
        ``trainer(corpus, context, training, last_alpha) -> (W, C)``: trains with a learning rate that decays
        exponentially from ``training.alpha`` to ``last_alpha``. The kernels of this package by default.
    report : callable, optional
        Called with each part as it is done.
    """
    from w2v.corpus import encode_sentences

    trainer = trainer or _train
    full, stochastic = [], []
    with encode_sentences(_sentences(), CorpusSettings(min_count=1)) as corpus:
        counts = count_pairs(corpus, _CONTEXT)
        laws = {hits: NoiseLaw(negative=_NEGATIVE, accidental_hits=hits) for hits in _HITS}
        shape = counts.size, counts.size
        targets = {hits: target(counts, law).reshape(shape) for hits, law in laws.items()}
        a = counts.data.reshape(shape)
        for hits in _HITS if full_batch else ():
            full.append(_full_batch(a, targets[hits], hits))
            if report is not None:
                report(full[-1])
        for algorithm in algorithms:
            for hits in _HITS:
                for seed in seeds:
                    training = TrainingSettings(
                        vector_size=_DIMENSIONS, negative=_NEGATIVE, epochs=epochs, alpha=_ALPHA, min_alpha=0.0,
                        seed=seed, workers=1, algorithm=algorithm, accidental_hits=hits,
                    )  # fmt: skip
                    started = time.process_time()
                    W, C = trainer(corpus, _CONTEXT, training, _LAST_ALPHA)
                    seconds = time.process_time() - started
                    x = W.astype(np.float64) @ C.T.astype(np.float64)
                    error = np.abs(x - targets[hits])
                    other = targets["drop" if hits == "keep" else "keep"]
                    part = StochasticTest(
                        algorithm=algorithm, accidental_hits=hits, seed=seed, mean_error=float(error.mean()),
                        maximum_error=float(error.max()), other_law=float(np.abs(x - other).mean()), seconds=seconds,
                    )  # fmt: skip
                    stochastic.append(part)
                    if report is not None:
                        report(part)
    return SelfTest(full_batch=tuple(full), stochastic=tuple(stochastic))


def _sentences() -> list[list[str]]:
    """Return sentences over twelve words, fixed by a seed, in which every pair occurs, some far more than others."""
    rng = np.random.default_rng(20_140)
    place = rng.normal(size=(_WORDS, 3))
    weights = np.exp(0.55 * place @ place.T - 0.05 * np.arange(_WORDS))
    chances = weights / weights.sum(axis=1, keepdims=True)
    sentences = []
    for _ in range(3000):
        words = [int(rng.integers(_WORDS))]
        while len(words) < 10:
            words.append(int(rng.choice(_WORDS, p=chances[words[-1]])))
        sentences.append([f"w{w:02}" for w in words])
    return sentences


def _full_batch(a: Matrix, x_star: Matrix, hits: str, seed: int = 0) -> FullBatchTest:
    """Maximise L over W and C; its value and gradient are exact, its unknowns scaled by nothing."""
    from scipy.optimize import minimize

    started = time.process_time()
    V = len(a)
    b = a * np.exp(-x_star)
    total = float((a + b).sum())

    def loss(z: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        W, C = z.reshape(2, V, V)
        x = W @ C.T
        above, below = np.logaddexp(0.0, x), np.logaddexp(0.0, -x)
        slope = b * np.exp(-below) - a * np.exp(-above)
        return float((a * below + b * above).sum()) / total, np.stack([slope @ C, slope.T @ W]).ravel() / total

    start = np.random.default_rng(seed).normal(size=2 * V * V) * 0.5
    maximise: Any = minimize  # of its many overloads none is meant for a function with gradient and a dict
    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 0.0, "gtol": 1e-9, "maxcor": 50}
    found = maximise(loss, start, jac=True, method="L-BFGS-B", options=options)
    W, C = found.x.reshape(2, V, V)
    s = a / (a + b)
    best = float((a * np.log(s) + b * np.log1p(-s)).sum())
    return FullBatchTest(
        accidental_hits=hits,
        maximum_error=float(np.abs(W @ C.T - x_star).max()),
        ratio=-found.fun * total / best,
        seconds=time.process_time() - started,
    )


def _train(
    corpus: Any, context: ContextSettings, training: TrainingSettings, last_alpha: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Train with the kernels of this package, the learning rate decaying exponentially."""
    from w2v.training import Training, TrainingPlan

    class Exponential(TrainingPlan):
        def learning_rate(self, epoch: int, position: int) -> float:
            done = (epoch * self.tokens + position) / (self.epochs * self.tokens)
            return self.alpha * math.exp(math.log(last_alpha / self.alpha) * done)

    plan = Exponential(**dataclasses.asdict(TrainingPlan.of(len(corpus), training)))
    session = Training(corpus, context, training, plan=plan)
    session.compile()
    session.run()
    return session.W, session.C
