"""The oracles themselves, of matrices, fits, evaluation and files: worked by hand."""

import math

import numpy as np
import pytest
import reference as ref
from scipy import optimize, stats
from tiny import small_corpus, xyz

# matrices and factorisations


def test_mstar_is_the_karkada_ratio_for_one_plain_negative():
    a, noise = xyz()
    joint, single = a / a.sum(), a.sum(axis=1) / a.sum()
    np.testing.assert_allclose(noise, single)
    product = np.outer(single, single)
    expected = (joint - product) / ((joint + product) / 2)
    M = ref.mstar(a, ref.noise_counts(a, noise, 1))
    np.testing.assert_allclose(M, expected, rtol=1e-14)
    np.testing.assert_array_equal(np.diag(M), -2)


def test_mstar_is_the_maximum_of_the_second_order_expansion():
    a, b = np.array([[3.0]]), np.array([[2.0]])
    zero = np.zeros((1, 1))
    newton = -ref.objective_slope(zero, a, b) / ref.curvature(zero, a, b)
    np.testing.assert_allclose(ref.mstar(a, b), newton)


def test_pmi_by_hand():
    a = np.array([[4.0, 1.0], [1.0, 0.0]])
    x = ref.pmi(a)
    np.testing.assert_allclose(x[0], [math.log(4 * 6 / 25), math.log(6 / 5)])
    assert x[1, 1] == -math.inf
    np.testing.assert_allclose(ref.ppmi(a), [[0, math.log(1.2)], [math.log(1.2), 0]])
    np.testing.assert_allclose(ref.sppmi(a, 1.1), [[0, math.log(1.2 / 1.1)], [math.log(1.2 / 1.1), 0]])
    smooth = ref.pmi(a, 0.5)
    assert smooth[0, 0] == pytest.approx(math.log(4 / 5 * (math.sqrt(5) + 1) / math.sqrt(5)))
    assert ref.filled(x, 7)[1, 1] == 7
    b = ref.noise_counts(a, a.sum(axis=0) / a.sum(), 3)
    np.testing.assert_allclose(ref.positive_target(a, b), ref.sppmi(a, 3))


def test_factorisation_is_the_best_of_its_rank():
    M = np.random.default_rng(12).normal(size=(6, 5))
    S = np.linalg.svd(M)[1]
    for p in (0, 0.5, 1):
        W, C, values = ref.factorize(M, 2, p)
        np.testing.assert_allclose(values, S[:2])
        assert np.linalg.norm(M - W @ C.T) == pytest.approx(math.sqrt((S[2:] ** 2).sum()))
        np.testing.assert_allclose(np.linalg.norm(W, axis=0), S[:2] ** p)
        np.testing.assert_allclose(np.linalg.norm(C, axis=0), S[:2] ** (1 - p))
    W, C, _ = ref.factorize(M, 5)
    np.testing.assert_allclose(W @ C.T, M, atol=1e-13)


# rank-2 models and ranks


def test_objective_fit_of_plain_noise_is_minus_log_k():
    a, noise = xyz()
    r, s = ref.fit_objective_two_way(a, ref.noise_counts(a, noise, 5))
    np.testing.assert_allclose(r[:, None] + s[None], -math.log(5), atol=1e-10)


def test_objective_fit_agrees_with_a_general_minimiser():
    ids, offsets = small_corpus(5, [80], seed=13)
    a = ref.expected_pair_counts(ids, offsets, [1] * 5, 3)
    b = ref.noise_counts(a, ref.noise_distribution(np.bincount(ids), 0.5), 4, "drop")
    r, s = ref.fit_objective_two_way(a, b)
    slope = ref.objective_slope(r[:, None] + s[None], a, b)
    assert np.abs(slope.sum(axis=0)).max() < 1e-9
    assert np.abs(slope.sum(axis=1)).max() < 1e-9
    assert abs(s.mean()) < 1e-12
    found = optimize.minimize(lambda z: -ref.objective(z[:5, None] + z[None, 5:], a, b), np.zeros(10), method="BFGS")
    assert -found.fun == pytest.approx(ref.objective(r[:, None] + s[None], a, b), rel=1e-9)


def test_objective_fit_leaves_unseen_columns_at_minus_infinity():
    a = np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    r, s = ref.fit_objective_two_way(a, ref.noise_counts(a, np.array([0.5, 0.25, 0.25]), 2))
    assert s[2] == -math.inf
    assert r[2] == 0
    assert np.isfinite([*r, *s[:2]]).all()


def test_least_squares_two_way_fit():
    rows, columns = [0, 0, 1, 1, 2], [0, 1, 0, 2, 2]
    exact = [r + s for r, s in zip((1, 1, 5, 5, -2), (0.5, 2, 0.5, 3, 3), strict=True)]
    np.testing.assert_allclose(ref.two_way_residuals(rows, columns, exact), 0, atol=1e-12)
    # a full 2 x 2 table leaves only its interaction, a quarter of y00 - y01 - y10 + y11 in each cell
    residuals = ref.two_way_residuals([0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 4, 9])
    np.testing.assert_allclose(residuals, [1, -1, -1, 1], atol=1e-12)
    rng = np.random.default_rng(14)
    rows, columns, values = rng.integers(0, 4, 30), rng.integers(0, 5, 30), rng.normal(size=30)
    weights = rng.random(30)
    left = ref.two_way_residuals(rows, columns, values, weights) * weights
    for group in (rows, columns):
        np.testing.assert_allclose(np.bincount(group, left), 0, atol=1e-12)


def test_correlations_against_scipy():
    rng = np.random.default_rng(15)
    x = rng.integers(0, 8, 50)
    y = x + rng.normal(size=50).round(0) * 2
    assert ref.weighted_pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, rel=1e-12)
    assert ref.spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, rel=1e-12)
    assert ref.average_ranks([3, 1, 3, 2]) == [3.5, 1, 3.5, 2]
    weights = rng.integers(1, 4, 50)
    repeated = stats.pearsonr(np.repeat(x, weights), np.repeat(y, weights)).statistic
    assert ref.weighted_pearson(x, y, weights) == pytest.approx(repeated, rel=1e-12)
    assert math.isnan(ref.weighted_pearson([1, 1], [1, 2]))


def test_partial_correlation_sees_through_word_and_context_effects():
    rng = np.random.default_rng(16)
    rows, columns = np.divmod(np.arange(60), 10)
    hidden = rng.normal(size=60)
    x = hidden + 5 * rng.normal(size=6)[rows]
    y = 3 * hidden + 5 * rng.normal(size=10)[columns]
    assert abs(ref.weighted_pearson(x, y)) < 0.9
    assert ref.partial_correlation(rows, columns, x, y) == pytest.approx(1)
    assert ref.partial_correlation(rows, columns, x, -y, rng.random(60) + 0.1) == pytest.approx(-1)


# evaluation


def test_analogies_on_an_exact_parallelogram():
    # man, woman, king, queen, and a far word
    W = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [0, -1, -1]]) * np.array([[2], [1], [3], [1], [1]])
    questions = [(0, 2, 1, 3), (0, 1, 2, 3), (4, 4, 4, 4), (0, 2, 1, 9), (-1, 0, 1, 2)]
    answers = ref.three_cos_add(W, questions)
    assert answers[:2] == [3, 3]
    assert answers[3:] == [None, None]
    assert ref.three_cos_mul(W, questions)[:2] == [3, 3]
    assert ref.analogy_accuracy(answers, questions) == (2, 3, 5)
    assert ref.three_cos_add(W, questions, restrict=3) == [None] * 5
    assert ref.nearest_to_one(W, questions[:1]) == [3]
    assert ref.analogy_accuracy(ref.three_cos_add(W, [(0, 2, 1, 4)]), [(0, 2, 1, 4)]) == (0, 1, 1)


def test_analogy_scores_by_hand():
    W = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.6, 0.8], [-0.6, 0.8], [0.6, 0.8]])
    # b - a + c = (-2, 1): 4 is nearest; of the equal rows 3 and 5 the smaller id would win
    assert ref.three_cos_add(W, [(0, 1, 2, 4)]) == [4]
    assert ref.three_cos_add(W, [(2, 1, 0, 3)]) == [3]
    assert ref.nearest(W, 1, 3) == [(3, pytest.approx(0.8)), (4, pytest.approx(0.8)), (5, pytest.approx(0.8))]
    assert ref.cosine([0, 0], [1, 0]) == 0
    np.testing.assert_array_equal(ref.unit_rows([[0, 0], [0, 2]]), [[0, 0], [0, 1]])


def test_three_cos_mul_by_hand():
    W = np.array([[1, 0], [0, 1], [0, 2], [0.6, 0.8], [-0.96, -0.28]])
    # g to a, b, c: .8 .9 .9 for word 3, .02 .36 .36 for word 4: .81 / (.8 + e) = .1296 / (.02 + e) at e = .1286
    for epsilon, best in ((0.001, 4), (0.128, 4), (0.129, 3)):
        assert ref.three_cos_mul(W, [(0, 1, 2, 3)], epsilon=epsilon) == [best]
    assert ref.three_cos_mul(W, [(0, 1, 2, 3)]) == [4]
    assert ref.three_cos_add(W, [(0, 1, 2, 3)]) == [3]


def test_word_similarity_skips_unknown_words():
    W = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    rows = [("a", "b", "10.0"), ("a", "c", "2.1"), ("b", "c", "9.5"), ("a", "q", "1")]
    assert ref.word_similarity(W, ["a", "b", "c"], rows) == (pytest.approx(1), 3, 4)


# word2vec's file formats


def test_text_format():
    W = np.array([[0.1, -2.5], [1e-30, 3.0]], dtype=np.float32)
    data = ref.write_text(["a", "new york"], W)
    assert data == b"2 2\na 0.1 -2.5\nnew york 1e-30 3.0\n"
    words, read = ref.read_text(data)
    assert words == ["a", "new york"]
    np.testing.assert_array_equal(read, W)
    words, read = ref.read_text(b"the 0.5 1 \r\n10\xc2\xa0km 2 3\n", header=False)
    assert (words, read.tolist()) == (["the", "10\u00a0km"], [[0.5, 1], [2, 3]])
    for promised in (b"1 2", b"3 2"):
        with pytest.raises(ValueError, match="2 found"):
            ref.read_text(promised + data[3:])


def test_binary_format():
    odd = np.frombuffer(b"\n \n \n\n\n\n", dtype="<f4")
    W = np.vstack([odd, [1, 2]]).astype(np.float32)
    expected = b"2 2\na \n \n \n\n\n\n\n\xc3\xa9 \x00\x00\x80?\x00\x00\x00@\n"
    assert ref.write_binary(["a", "\u00e9"], W) == expected
    for newline in (True, False):
        data = ref.write_binary(["a", "\u00e9"], W, newline)
        words, read = ref.read_binary(data)
        assert words == ["a", "\u00e9"]
        assert read.tobytes() == W.tobytes()
    with pytest.raises(ValueError, match="ends in row 2"):
        ref.read_binary(expected[:-4])
