"""Association measures and the target against dense oracles and hand values."""

import numpy as np
import pytest
import reference
from test_pmi_counting import CORPUS, dense, encoded

from w2v.pmi import NoiseLaw, count_pairs, mstar, negative_counts, pmi, ppmi, sppmi, target
from w2v.settings import ContextSettings, TrainingSettings

CONTEXTS = [
    ContextSettings(window=2, sample=0),
    ContextSettings(window=3, sample=0.02, subsampling="clean"),
    ContextSettings(window=3, sample=0.02, shrink_windows=False),
]
LAWS = [
    NoiseLaw(negative=1, ns_exponent=1.0),
    NoiseLaw(negative=5, ns_exponent=0.75),
    NoiseLaw(negative=15, ns_exponent=0.75, accidental_hits="drop"),
]


def oracle(counts, law):
    """Return a and b (V, V) of the oracle."""
    a = dense(counts)
    noise = reference.noise_distribution(counts.vocabulary.counts, law.ns_exponent)
    return a, reference.noise_counts(a, noise, law.negative, law.accidental_hits)


@pytest.mark.parametrize(("hits", "expected"), [("keep", 0.5754), ("drop", 1.6740)])
def test_target_by_hand(hits, expected):
    # sentences x y, x y, x z, y z; window 1, k = 1, q = 1
    counts = count_pairs(encoded([[0, 1], [0, 1], [0, 2], [1, 2]]), ContextSettings(window=1, sample=0))
    values = target(counts, NoiseLaw(negative=1, ns_exponent=1.0, accidental_hits=hits))
    assert counts.matrix(values).toarray()[0, 1] == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("law", LAWS)
def test_target_and_mstar_equal_dense_oracles(context, law):
    counts = count_pairs(CORPUS, context)
    a, b = oracle(counts, law)
    seen = a > 0
    np.testing.assert_allclose(negative_counts(counts, law), b[seen], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(target(counts, law), reference.target(a, b)[seen], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(mstar(counts, law), reference.mstar(a, b)[seen], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("smoothing", [1.0, 0.75, 0.0])
def test_pmi_equals_dense_oracles(smoothing):
    counts = count_pairs(CORPUS, CONTEXTS[1])
    a = dense(counts)
    seen = a > 0
    np.testing.assert_allclose(pmi(counts, smoothing), reference.pmi(a, smoothing)[seen], atol=1e-9)
    np.testing.assert_allclose(ppmi(counts, smoothing), reference.ppmi(a, smoothing)[seen], atol=1e-9)
    np.testing.assert_allclose(sppmi(counts, 5, smoothing), reference.sppmi(a, 5, smoothing)[seen], atol=1e-9)


def test_target_is_shifted_pmi_where_the_noise_is_the_context_distribution():
    # sentences as circles: every word is a context exactly as often as it occurs, times a constant
    counts = count_pairs(encoded([[w, (w + s) % 5] for w in range(5) for s in (1, 2)]), ContextSettings(sample=0))
    law = NoiseLaw(negative=7, ns_exponent=1.0)
    np.testing.assert_allclose(target(counts, law), pmi(counts) - np.log(7), atol=1e-12)


def test_single_context_with_hits_dropped_has_no_finite_target():
    counts = count_pairs(encoded([[0, 1], [0, 1]]), ContextSettings(window=1, sample=0))
    assert np.isposinf(target(counts, NoiseLaw(accidental_hits="drop"))).all()
    assert np.isfinite(target(counts, NoiseLaw())).all()


def test_law_comes_from_training_settings():
    settings = TrainingSettings(negative=3, ns_exponent=0.5, accidental_hits="drop")
    law = NoiseLaw(negative=3, ns_exponent=0.5, accidental_hits="drop")
    assert NoiseLaw.from_settings(settings) == law
    assert NoiseLaw.from_settings(settings.to_dict()) == law
