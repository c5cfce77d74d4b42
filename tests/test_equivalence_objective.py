"""The objective, its baselines and the additive fits against dense double loops."""

import numpy as np
import pytest
import reference
from test_pmi_association import LAWS, oracle
from test_pmi_counting import zipfian

from w2v.equivalence.additive import fit_least_squares, fit_objective, smooth_sums
from w2v.equivalence.objective import (
    objective_of_additive,
    objective_of_factors,
    objective_of_values,
    optimum,
)
from w2v.equivalence.observed import ObservedCells
from w2v.pmi import count_pairs
from w2v.settings import ContextSettings

COUNTS = count_pairs(zipfian(900, 26, 30, seed=5), ContextSettings(window=3, sample=0.02, subsampling="clean"))


def factors(V, d, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    W, C = rng.normal(size=(2, V, d)) * scale
    return W.astype(np.float32), C.astype(np.float32)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("d", [1, 7, 16])
def test_objective_of_factors(law, d):
    cells = ObservedCells.of(COUNTS, law, 2)
    a, b = oracle(COUNTS, law)
    W, C = factors(COUNTS.size, d)
    found = objective_of_factors(cells, W, C)
    x = W.astype(float) @ C.T.astype(float)
    assert found.total == pytest.approx(reference.objective(x, a, b), rel=1e-6)
    seen = a > 0
    assert found.observed == pytest.approx(reference.objective(x[seen][None], a[seen][None], b[seen][None]), rel=1e-6)
    assert found.negative_unobserved == pytest.approx(
        reference.objective(x[~seen][None], a[~seen][None], b[~seen][None]), rel=1e-5
    )


@pytest.mark.parametrize("law", LAWS)
def test_optimum_and_constant_models(law):
    cells = ObservedCells.of(COUNTS, law, 3)
    a, b = oracle(COUNTS, law)
    assert optimum(cells).total == pytest.approx(reference.optimum(a, b), rel=1e-9)
    for level in (0.0, -np.log(law.negative)):
        found = objective_of_values(cells, np.full(COUNTS.cells, level, np.float32), level)
        assert found.total == pytest.approx(reference.objective(np.full(a.shape, level), a, b), rel=1e-6)


@pytest.mark.parametrize("law", LAWS)
def test_additive_model_of_the_objective(law):
    cells = ObservedCells.of(COUNTS, law, 2)
    a, b = oracle(COUNTS, law)
    r, s = reference.fit_objective_two_way(a, b)
    best = reference.objective(r[:, None] + s[None, :], a, b)
    model = fit_objective(cells)
    found = objective_of_additive(cells, model)
    assert found.total == pytest.approx(best, rel=1e-6)
    assert found.total <= best + 1e-6 * abs(best)
    live = np.isfinite(r[:, None] + s[None, :])
    np.testing.assert_allclose((model.r[:, None] + model.s)[live], (r[:, None] + s)[live], atol=5e-3)


def test_additive_model_at_exponent_one_is_the_shift():
    # apart from the two ends of one long sentence, contexts are distributed as words are
    corpus = zipfian(3000, 30, 1, seed=1)
    counts = count_pairs(corpus, ContextSettings(window=1, sample=0))
    model = fit_objective(ObservedCells.of(counts, LAWS[0], 1))
    x = model.r[:, None] + model.s
    assert np.average(x, weights=np.outer(counts.word_counts, counts.word_counts)) == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("weighting", ["plain", "by_count", "by_curvature"])
def test_least_squares(weighting):
    cells = ObservedCells.of(COUNTS, LAWS[1], 2)
    weights = getattr(cells, weighting)
    model = fit_least_squares(cells, cells.target, weights, tolerance=1e-8, sweeps=5000)
    expected = cells.target - reference.two_way_residuals(COUNTS.rows(), COUNTS.indices, cells.target, weights)
    np.testing.assert_allclose(model.values(cells), expected, atol=2e-4)


@pytest.mark.parametrize("spread", [0.0, 0.3, 30.0])
def test_smooth_sums(spread):
    rng = np.random.default_rng(0)
    points, shifts, masses = rng.normal(size=41) * spread - 1, rng.normal(size=33) * 4, rng.random(33)
    x = points[:, None] + shifts
    sigmoid = 1 / (1 + np.exp(-x))
    found = smooth_sums(points, shifts, masses)
    for values, expected in zip(found, (np.logaddexp(0, x), sigmoid, sigmoid * (1 - sigmoid)), strict=True):
        np.testing.assert_allclose(values, expected @ masses, atol=1e-8)


def test_gradient_of_the_objective_by_finite_differences():
    law = LAWS[2]
    a, b = oracle(COUNTS, law)
    cells = ObservedCells.of(COUNTS, law, 1)
    W, C = factors(COUNTS.size, 4)
    slope = reference.objective_gradient(W.astype(float), C.astype(float), a, b)[0]
    step = np.float32(1 / 64)
    for w, j in ((0, 0), (3, 2), (21, 3)):
        above, below = W.copy(), W.copy()
        above[w, j] += step
        below[w, j] -= step
        change = objective_of_factors(cells, above, C).total - objective_of_factors(cells, below, C).total
        assert change / (2 * step) == pytest.approx(slope[w, j], rel=5e-3, abs=0.05)
