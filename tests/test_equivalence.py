"""The comparison as a whole: its statistics against plain oracles, and corpora whose answer is known."""

import json

import numpy as np
import pytest
import reference
from test_pmi_association import oracle
from test_pmi_counting import CORPUS, encoded, zipfian

from w2v.embedding import Embedding
from w2v.equivalence import compare
from w2v.errors import NotAvailableError, SettingsError
from w2v.pmi import NoiseLaw, count_pairs
from w2v.settings import ContextSettings, TrainingSettings
from w2v.vocabulary import Vocabulary

CONTEXT = ContextSettings(window=3, sample=0.02)


def embedding_of(W, C, vocabulary, **training):
    return Embedding(vocabulary, W, C, settings={"training": TrainingSettings(**training).to_dict()})


def grained(values):
    """Round to multiples of 1/8 below 1024: ranks then know the same ties as the oracle."""
    return (np.round(np.clip(values, -100, 100) * 8) / 8).astype(np.float32)


@pytest.fixture(scope="module")
def small():
    """Return counts of a small corpus, an embedding with whole-numbered products, and both as dense matrices."""
    counts = count_pairs(CORPUS, CONTEXT)
    rng = np.random.default_rng(0)
    W, C = rng.integers(-3, 4, size=(2, counts.size, 5)).astype(np.float32) / 2
    return counts, embedding_of(W, C, CORPUS.vocabulary, negative=2), W.astype(float) @ C.T.astype(float)


def test_statistics_equal_plain_oracles(small):
    counts, embedding, x = small
    a, b = oracle(counts, NoiseLaw(negative=2))
    target = reference.target(a, b)
    comparison = compare(embedding, counts, workers=2)
    curvature = -reference.curvature(target, a, b)
    weightings = {
        "plain": (a >= 0.01, np.ones_like(a)),
        "by_count": (a > 0, a),
        "by_curvature": (a > 0, np.nan_to_num(curvature)),
    }
    for name, (cells, weights) in weightings.items():
        found = getattr(comparison.agreement, name)
        u, v, w = x[cells], target[cells], weights[cells]
        assert found.pearson == pytest.approx(reference.weighted_pearson(u, v, w), abs=1e-5)
        assert found.spearman == pytest.approx(reference.spearman(u, v, w), abs=1e-4)
        assert found.mean_absolute_error == pytest.approx(np.average(np.abs(u - v), weights=w), rel=1e-5)
        slope, intercept = np.polyfit(v, u, 1, w=np.sqrt(w))
        assert (found.slope, found.intercept) == (pytest.approx(slope, abs=1e-5), pytest.approx(intercept, abs=1e-4))
        spread = np.average((v - np.average(v, weights=w)) ** 2, weights=w)
        assert found.r_squared == pytest.approx(1 - np.average((u - v) ** 2, weights=w) / spread, abs=1e-4)
        assert found.share_large == pytest.approx(np.average(np.abs(v) > 6, weights=w), abs=1e-6)
        assert found.cells == cells.sum()
        rows, columns = np.nonzero(cells)
        partial = reference.partial_correlation(rows, columns, u, v, w)
        assert found.partial == pytest.approx(partial, abs=2e-3)


def test_objective_table(small):
    counts, embedding, x = small
    a, b = oracle(counts, NoiseLaw(negative=2))
    comparison = compare(embedding, counts)
    best = reference.optimum(a, b)
    rows = {row.name: row for row in comparison.objectives}
    assert comparison.optimum.total == pytest.approx(best, rel=1e-6)
    assert rows["SGNS"].objective.total == pytest.approx(reference.objective(x, a, b), rel=1e-5)
    assert rows["SGNS"].deviation == pytest.approx(reference.objective(x, a, b) / best - 1, rel=1e-4)
    assert rows["r_w + s_c fitted to L"].gap_closed == 0
    fitted = rows["r_w + s_c fitted to L"].objective.total
    assert fitted > max(rows["x = 0"].objective.total, rows["x = -log k"].objective.total)
    assert not compare(embedding, counts, objective=False).objectives


def known_pmi_corpus(seed=0):
    """Return a corpus of two-word sentences drawn from a joint distribution of known PMI, and that matrix."""
    rng = np.random.default_rng(seed)
    V, d = 12, 12
    G = rng.normal(size=(V, d)) * 0.5
    joint = np.exp(G @ G.T)
    joint /= joint.sum()
    pairs = rng.multinomial(400_000, joint.ravel()).reshape(V, V)
    sentences = [[w, c] for w in range(V) for c in range(V) for _ in range(pairs[w, c])]
    corpus = encoded(sentences, V)
    marginal = joint.sum(axis=1)
    return corpus, np.log(joint / np.outer(marginal, marginal))


def test_corpus_with_a_known_pmi_matrix():
    corpus, pmi = known_pmi_corpus()
    counts = count_pairs(corpus, ContextSettings(window=1, sample=0))
    U, S, Vt = np.linalg.svd(pmi - np.log(3))
    embedding = embedding_of(U * np.sqrt(S), Vt.T * np.sqrt(S), corpus.vocabulary, negative=3, ns_exponent=1.0)
    comparison = compare(embedding, counts)
    for agreement in (comparison.agreement.plain, comparison.agreement.by_curvature):
        assert agreement.pearson == pytest.approx(1, abs=2e-3)
        assert agreement.slope == pytest.approx(1, abs=5e-3)
        assert agreement.intercept == pytest.approx(0, abs=0.02)
        assert agreement.partial == pytest.approx(1, abs=5e-3)
        assert agreement.mean_absolute_error < 0.02
    sgns = next(row for row in comparison.objectives if row.name == "SGNS")
    assert sgns.deviation == pytest.approx(0, abs=1e-4)
    assert sgns.gap_closed == pytest.approx(1, abs=1e-3)
    shuffled = comparison.baselines[0].agreement
    assert abs(shuffled.by_curvature.pearson) < 0.3


def test_result_is_json_and_says_what_was_compared(small):
    counts, embedding, _ = small
    comparison = compare(embedding, counts, restrict_vocab=31)
    described = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert described["setup"]["matrix_size"] == 31
    assert described["setup"]["vocabulary"] == 60
    assert described["setup"]["formula"] == "x* = log(a_wc / (k a_w P_n(c))), P_n(c) = n(c)^0.75 / sum, k = 2"
    assert comparison.headline == described["agreement"]["by_curvature"]["pearson"]


def test_workers_do_not_change_the_result(small):
    counts, embedding, _ = small
    one, three = compare(embedding, counts, workers=1), compare(embedding, counts, workers=3)
    assert one.headline == pytest.approx(three.headline, rel=1e-9)
    assert one.optimum.total == pytest.approx(three.optimum.total, rel=1e-12)


def test_infinite_targets_are_left_out():
    corpus = encoded([[0, 1]] * 5 + [[2, 3], [3, 4], [2, 4], [2, 3]])
    counts = count_pairs(corpus, ContextSettings(window=1, sample=0))
    rng = np.random.default_rng(0)
    W, C = rng.normal(size=(2, 5, 3))
    comparison = compare(embedding_of(W, C, corpus.vocabulary, accidental_hits="drop"), counts)
    assert comparison.setup.infinite_targets == 2
    assert comparison.agreement.plain.cells == counts.cells - 2
    assert np.isfinite(comparison.optimum.total)


def test_what_cannot_be_compared_is_refused(small):
    counts, embedding, _ = small
    without = Embedding(embedding.vocabulary, embedding.W, settings=embedding.settings)
    with pytest.raises(NotAvailableError, match="no context vectors"):
        compare(without, counts)
    with pytest.raises(NotAvailableError, match="no training settings"):
        compare(Embedding(embedding.vocabulary, embedding.W, embedding.C), counts)
    other = Vocabulary([f"v{i}" for i in range(60)], embedding.counts)
    with pytest.raises(SettingsError, match="same vocabulary"):
        compare(Embedding(other, embedding.W, embedding.C, settings=embedding.settings), counts)
    lonely = encoded([[0], [1]])
    empty = count_pairs(lonely, CONTEXT)
    with pytest.raises(SettingsError, match="no pair"):
        compare(embedding_of(np.ones((2, 2)), np.ones((2, 2)), lonely.vocabulary), empty)


def test_ranks_know_ties_and_order():
    from w2v.equivalence.agreement import ranks

    rng = np.random.default_rng(1)
    values = grained(rng.normal(size=1003) * 9)
    values[:7] = [0.0, -0.0, 100, -100, 0.125, -0.125, 3e38]
    weights = (rng.random(1003) < 0.7).astype(np.float32)
    used = weights > 0
    expected = (np.array(reference.average_ranks(values[used])) - 0.5) / used.sum()
    np.testing.assert_allclose(ranks(values, weights)[used], expected, rtol=1e-6, atol=1e-7)


def test_larger_corpus_than_one_block():
    corpus = zipfian(30_011, 4500, 700, seed=6)
    counts = count_pairs(corpus, ContextSettings(window=2, sample=0))
    rng = np.random.default_rng(2)
    W, C = rng.normal(size=(2, counts.size, 3)).astype(np.float32)
    embedding = embedding_of(W, C, corpus.vocabulary)
    found = compare(embedding, counts, workers=2).objectives[0].objective
    noise = corpus.vocabulary.noise_distribution(0.75)
    x = W.astype(float) @ C.T.astype(float)
    covered = (5 * counts.word_counts) @ np.logaddexp(0, x) @ noise
    positive = -np.sum(counts.data * np.logaddexp(0, -x[counts.rows(), counts.indices]))
    assert found.total == pytest.approx(positive - covered, rel=1e-6)
