"""LRCos: an answer is a word near to c that looks like the right answers to the other questions of its section."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from w2v.evaluation.scoring import MANY_CELLS

__all__ = ["FORMULA", "NAME", "ClassScorer"]

NAME = "lrcos"
FORMULA = "P(x is such a d) * cos(x, c)"
_PENALTY = 1.0  # of the squared weights, the usual default
_STEPS = 50
_FINISHED = 1e-8

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]


class ClassScorer:
    """Scores by LRCos (Drozd, Gladkova & Matsuoka 2016, "Word embeddings, analogies, and machine learning: beyond
    king - man + woman = queen").

    For each pair (c, d) of a section a logistic regression is fitted that tells the second words of all other pairs
    of the section (a, b and c, d alike) from their first words and from as many random candidates; the pair asked
    about takes no part. The score is the probability of the class times the cosine with c.

    Parameters
    ----------
    unit : (N, d) float32
    section : (Q,) int64
    pairs : (Q, 4) int64
        Rows of `unit` for a, b, c, d.
    usable : (M,) int64
        The candidates from which random words are drawn.
    seed : int
        Of the random words, the only random thing here.

    Notes
    -----
    Where a section has no other pair there is no class to learn: its questions are scored by the cosine with c alone.
    """

    cells = MANY_CELLS

    def __init__(self, unit: Floats, section: Ids, pairs: Ids, usable: Ids, seed: int) -> None:
        self._unit = unit
        self._c = pairs[:, 2]
        keys = np.column_stack([section, pairs[:, 2:]])
        distinct, which = np.unique(keys, axis=0, return_inverse=True)
        self._model: Ids = which.reshape(-1)
        size = unit.shape[1]
        self._weights: NDArray[np.float64] = np.zeros((len(distinct), size + 1))
        for number in np.unique(section):
            rows = pairs[section == number]
            known = np.unique(np.concatenate([rows[:, :2], rows[:, 2:]]), axis=0)
            rng = np.random.default_rng([seed, int(number)])
            random = rng.choice(usable, size=len(known))
            for model in np.flatnonzero(distinct[:, 0] == number):
                self._weights[model] = self._fit(known, random, distinct[model, 1:])

    def _fit(self, known: Ids, random: Ids, asked: Ids) -> NDArray[np.float64]:
        """Return d weights and a bias, zeros where there is nothing to learn from."""
        others = known[~(known == asked).all(axis=1)]
        right = np.unique(others[:, 1])
        right = right[right != asked[1]]
        if len(right) == 0:
            return np.zeros(self._unit.shape[1] + 1)
        wrong = np.concatenate([others[:, 0], random[: len(right)]])
        wrong = wrong[(wrong != asked[1]) & ~np.isin(wrong, right)]
        rows = np.concatenate([right, wrong])
        labels = np.concatenate([np.ones(len(right)), np.zeros(len(wrong))])
        return _logistic_regression(self._unit[rows].astype(np.float64), labels)

    def scores(self, questions: slice) -> Floats:
        """Return the scores (n, N) of all candidates for a block of questions."""
        models, which = np.unique(self._model[questions], return_inverse=True)
        weights = self._weights[models]
        logits = weights[:, :-1] @ self._unit.T  # in float64: weights are large, and ties have to stay ties
        logits += weights[:, -1:]
        logits *= 0.5  # the logistic function without overflow
        np.tanh(logits, out=logits)
        logits += 1
        scores: Floats = logits.astype(np.float32)[which.reshape(-1)]
        scores *= self._unit[self._c[questions]] @ self._unit.T
        return scores

    def exact(self, questions: Ids, candidates: Ids) -> NDArray[np.float64]:
        """Return the scores (m,) of single candidates in float64."""
        weights, x = self._weights[self._model[questions]], self._unit[candidates].astype(np.float64)
        logits = (weights[:, :-1] * x).sum(axis=1) + weights[:, -1]
        found: NDArray[np.float64] = (1 + np.tanh(logits / 2)) * (self._unit[self._c[questions]] * x).sum(axis=1)
        return found


def _logistic_regression(x: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights and bias that minimise the log loss + |weights|^2 / 2, by Newton's method."""
    x = np.column_stack([x, np.ones(len(x))])
    penalty = np.full(x.shape[1], _PENALTY)
    penalty[-1] = 1e-6  # the bias is free, but for a trace that keeps it finite where all labels are equal
    weights = np.zeros(x.shape[1])
    loss = _loss(x, labels, penalty, weights)
    for _ in range(_STEPS):
        p = (1 + np.tanh(x @ weights / 2)) / 2
        gradient = x.T @ (p - labels) + penalty * weights
        hessian = (x.T * (p * (1 - p))) @ x + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        scale = 1.0
        while (new := _loss(x, labels, penalty, weights - scale * step)) > loss and scale > 1e-4:
            scale /= 2
        weights = weights - scale * step
        if loss - new < _FINISHED:
            break
        loss = new
    return weights


def _loss(
    x: NDArray[np.float64], labels: NDArray[np.float64], penalty: NDArray[np.float64], weights: NDArray[np.float64]
) -> float:
    logits = x @ weights
    return float((np.logaddexp(0, logits) - labels * logits).sum() + (penalty * weights**2).sum() / 2)
