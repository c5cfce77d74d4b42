"""Checks of the oracles themselves: values worked by hand, finite differences, and simulation."""

import ast
import math
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import reference as ref
from scipy import optimize, stats

ALL = 2**32


def everything(V):
    """Thresholds that keep every token."""
    return np.full(V, ALL, dtype=np.uint64)


def only(V, word):
    """The bounds of a distribution that draws nothing but `word`, for any number of strata up to 16."""
    return [0 if w < word else 2**44 for w in range(V)]


def small_corpus(V, lengths, seed):
    rng = np.random.default_rng(seed)
    ids = rng.choice(V, size=sum(lengths), p=np.arange(V, 0, -1) / (V * (V + 1) / 2))
    return [int(i) for i in ids], [0, *np.cumsum(lengths).tolist()]


def test_oracles_import_nothing_that_they_judge():
    for path in Path(ref.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            for name in names:
                assert name.partition(".")[0] in {*sys.stdlib_module_names, "numpy", "scipy"}, f"{path.name}: {name}"


# random streams


def test_mix_gives_the_published_outputs_of_splitmix64():
    outputs = [ref.mix(1234567 + ref.GOLDEN * (i + 1)) for i in range(5)]
    assert outputs == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert ref.mix(0) == 0


def test_streams_differ_by_seed_epoch_and_purpose_and_fit_64_bits():
    keys = {ref.stream_key(s, e, p) for s in (0, 1, 2**63 - 1) for e in range(3) for p in range(3)}
    assert len(keys) == 27
    assert all(0 <= key < 2**64 for key in keys)


def test_noise_stream_is_a_splitmix_sequence():
    key = ref.stream_key(1, 0, ref.NOISE)
    state = ref.mix((key + ref.GOLDEN * 8) % 2**64)
    expected = [ref.mix((state + ref.GOLDEN * (i + 1)) % 2**64) for i in range(4)]
    assert list(islice(ref.noise_stream(key, 7), 4)) == expected


def test_strata_distribution_by_hand_and_by_drawing():
    bounds = [3 * 2**38, 3 * 2**39, 2**41]  # of two strata: 3/4 of the first; its rest and half of the second; the rest
    p = ref.strata_distribution(bounds, 2)
    np.testing.assert_array_equal(p, [3 / 8, 3 / 8, 1 / 4])
    draws = list(islice(ref.noise_stream(5, 0), 20000))
    for stratum, inside in ((0, [3 / 4, 1 / 4, 0]), (1, [0, 1 / 2, 1 / 2])):
        observed = np.bincount([ref.stratum_word(u, stratum, bounds) for u in draws], minlength=3)
        expected = np.array(inside) * 20000
        assert not observed[expected == 0].any()
        assert stats.chisquare(observed[expected > 0], expected[expected > 0]).pvalue > 1e-3


def test_stratum_word_at_its_edges():
    bounds = [0, 5, 2**40, 2**41]  # the first word is never drawn
    assert ref.stratum_word((5 << 24) - 1, 0, bounds) == 1
    assert ref.stratum_word(5 << 24, 0, bounds) == 2
    assert ref.stratum_word(2**64 - 1, 0, bounds) == 2
    assert ref.stratum_word(0, 1, bounds) == 3


def test_start_matrix_lies_in_its_range_and_is_spread_evenly():
    W = ref.start_matrix(300, 7, seed=3)
    assert W.dtype == np.float32
    assert W.min() >= -0.5 / 7
    assert W.max() < 0.5 / 7
    assert stats.kstest(W.ravel() * 7 + 0.5, "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(ref.start_matrix(10, 7, seed=3), W[:10])
    quotient = np.float32(0.3) * np.float32(2.0**-3) / np.float32(7)
    assert quotient == np.float32(float(np.float32(0.3)) * 2.0**-3 / 7)


# text and words


def test_tokenise_knows_four_spaces_and_newlines_end_sentences():
    text = "a  b\tc\r\nd\re\n\nf\u00a0g\u2009h".encode()
    assert ref.tokenize(text) == [["a", "b", "c"], ["d", "e"], [], ["f\u00a0g\u2009h"]]
    assert ref.tokenize(text, unicode_spaces=True)[-1] == ["f", "g", "h"]
    assert ref.tokenize(b"A b", lowercase=True) == [["a", "b"]]
    assert ref.tokenize(b"") == []
    assert ref.tokenize(b"\n") == [[]]
    assert ref.tokenize(b"caf\xe9", errors="replace") == [["caf\ufffd"]]
    assert ref.tokenize(b"caf\xe9", encoding="latin-1") == [["caf\u00e9"]]
    with pytest.raises(UnicodeDecodeError):
        ref.tokenize(b"caf\xe9")


def test_vocabulary_and_encoding():
    sentences = [["b", "a", "x"], ["x"], [], ["a", "b", "c"], ["c", "c"]]
    assert ref.vocabulary(sentences) == (["c", "a", "b", "x"], [3, 2, 2, 2])
    assert ref.vocabulary([["za", "b", "az", "Z", "\u00e9"]])[0] == ["Z", "az", "b", "za", "\u00e9"]
    assert ref.vocabulary([[10, 9], [9]])[0] == [9, 10]
    words, counts = ref.vocabulary(sentences, min_count=2, max_vocab=3)
    assert (words, counts) == (["c", "a", "b"], [3, 2, 2])
    ids, offsets = ref.encode(sentences, words)
    assert (ids, offsets) == ([2, 1, 1, 2, 0, 0, 0], [0, 2, 5, 7])


def test_keep_probabilities_table():
    counts = [5000, 1000, 100, 27, 26] + [1] * 3847
    keep = ref.keep_probabilities(counts, 1e-3)
    np.testing.assert_allclose(keep[:5], [0.046721, 0.110000, 0.416228, 0.978951, 1.0], atol=5e-7)
    assert (keep[5:] == 1).all()
    assert (ref.keep_probabilities(counts, 0) == 1).all()
    assert ref.keep_thresholds([1.0, 0.5, 0.0]).tolist() == [ALL, ALL // 2, 0]


def test_noise_distribution():
    np.testing.assert_allclose(ref.noise_distribution([16, 1], 0.75), [8 / 9, 1 / 9])
    np.testing.assert_allclose(ref.noise_distribution([3, 1], 0), [0.5, 0.5])


# one epoch, as drawn


def test_contexts_dirty_and_clean_by_hand():
    kept = [10, 11, 14, 15, 19]
    assert ref.contexts(2, kept, 2, "dirty") == [10, 11, 15, 19]
    assert ref.contexts(2, kept, 2, "clean") == [15]
    assert ref.contexts(2, kept, 3, "clean") == [11, 15]
    assert ref.contexts(0, kept, 1, "dirty") == [11]


def test_kept_tokens_and_half_windows_follow_their_laws():
    key = ref.stream_key(1, 2, ref.TOKENS)
    ids, offsets = [0, 1] * 4000, [0, 3000, 8000]
    kept = ref.kept_tokens(ids, offsets, ref.keep_thresholds([0.25, 1.0]), key)
    assert all(p < 3000 for p in kept[0])
    assert all(p >= 3000 for p in kept[1])
    flat = [p for sentence in kept for p in sentence]
    assert sum(p % 2 for p in flat) == 4000
    assert abs(sum(p % 2 == 0 for p in flat) - 1000) < 4 * math.sqrt(4000 * 0.25 * 0.75)
    drawn = np.bincount(ref.half_windows(range(8000), key, 5, True), minlength=6)
    assert drawn[0] == 0
    assert stats.chisquare(drawn[1:]).pvalue > 1e-3
    assert ref.half_windows([1, 2], key, 5, False) == [5, 5]


def test_pairs_without_draws_stay_inside_sentences():
    ids, offsets = [0, 1, 2, 3], [0, 2, 4]
    pairs = ref.pairs_of_epoch(ids, offsets, everything(4), 1, 3, False, "dirty")
    assert pairs == [(0, 1), (1, 0), (2, 3), (3, 2)]


@pytest.mark.parametrize("subsampling", ["dirty", "clean"])
@pytest.mark.parametrize("shrink", [True, False])
def test_trained_pairs_average_to_the_expected_counts(shrink, subsampling):
    ids, offsets = small_corpus(4, [9, 1, 6], seed=1)
    keep = [0.3, 0.6, 0.8, 1.0]
    a = ref.expected_pair_counts(ids, offsets, keep, 3, shrink, subsampling)
    thresholds, epochs = ref.keep_thresholds(keep), 1500
    total, squares = np.zeros((4, 4)), np.zeros((4, 4))
    for epoch in range(epochs):
        key = ref.stream_key(1, epoch, ref.TOKENS)
        pairs = ref.pairs_of_epoch(ids, offsets, thresholds, key, 3, shrink, subsampling)
        counts = ref.count_pairs(ids, pairs, 4)
        total, squares = total + counts, squares + counts**2
    mean = total / epochs
    error = np.sqrt((squares / epochs - mean**2) / epochs)
    assert (np.abs(mean - a) < 4.5 * error + 1e-12).all()


# expected counts


def test_dynamic_window_weights_of_one_sentence():
    a = ref.expected_pair_counts([0, 1, 2, 3], [0, 4], [1] * 4, 3)
    expected = np.array([[0, 3, 2, 1], [3, 0, 3, 2], [2, 3, 0, 3], [1, 2, 3, 0]]) / 3
    np.testing.assert_allclose(a, expected, rtol=1e-15)
    fixed = ref.expected_pair_counts([0, 1, 2, 3], [0, 4], [1] * 4, 2, shrink=False)
    np.testing.assert_array_equal(fixed[0], [0, 1, 1, 0])


def test_dirty_weight_by_hand():
    p, q, r = 0.5, 0.25, 0.75
    a = ref.expected_pair_counts([0, 1, 2], [0, 3], [p, q, r], 2)
    assert a[0, 2] == pytest.approx(p * r * ((1 - q) + q / 2), rel=1e-15)
    clean = ref.expected_pair_counts([0, 1, 2], [0, 3], [p, q, r], 2, subsampling="clean")
    assert clean[0, 2] == pytest.approx(p * r / 2, rel=1e-15)
    fixed = ref.expected_pair_counts([0, 1, 2], [0, 3], [p, q, r], 1, shrink=False)
    assert fixed[0, 2] == pytest.approx(p * r * (1 - q), rel=1e-15)


@pytest.mark.parametrize("shrink", [True, False])
def test_without_subsampling_dirty_clean_and_integers_agree(shrink):
    ids, offsets = small_corpus(6, [20, 3, 1, 11], seed=2)
    numerators, divisor = ref.pair_numerators(ids, offsets, 6, 4, shrink)
    for subsampling in ("dirty", "clean"):
        a = ref.expected_pair_counts(ids, offsets, [1] * 6, 4, shrink, subsampling)
        np.testing.assert_allclose(a, numerators / divisor, rtol=1e-13)
    np.testing.assert_array_equal(numerators, numerators.T)


def test_cutting_the_recurrence_loses_no_more_than_promised():
    ids, offsets = small_corpus(4, [60], seed=3)
    keep = [0.2, 0.4, 0.6, 0.8]
    full = ref.expected_pair_counts(ids, offsets, keep, 2)
    short = ref.expected_pair_counts(ids, offsets, keep, 2, cut=1e-3)
    assert (short <= full).all()
    assert 0 < (full - short).max() <= 1e-3 * 60**2
    np.testing.assert_allclose(full, full.T, rtol=1e-12)


@pytest.mark.parametrize("subsampling", ["dirty", "clean"])
@pytest.mark.parametrize("shrink", [True, False])
def test_simulation_averages_to_the_expected_counts(shrink, subsampling):
    ids, offsets = small_corpus(3, [8, 5], seed=4)
    keep = [0.4, 0.7, 0.9]
    a = ref.expected_pair_counts(ids, offsets, keep, 2, shrink, subsampling)
    mean, error = ref.simulate_pair_counts(ids, offsets, keep, 2, shrink, subsampling, 1500, np.random.default_rng(5))
    assert (np.abs(mean - a) < 4.5 * error + 1e-12).all()


# the objective


def xyz():
    """Counts and noise of the sentences x y / x y / x z / y z with window 1."""
    words, counts = ref.vocabulary([["x", "y"], ["x", "y"], ["x", "z"], ["y", "z"]])
    assert (words, counts) == (["x", "y", "z"], [3, 3, 2])
    ids, offsets = ref.encode([["x", "y"], ["x", "y"], ["x", "z"], ["y", "z"]], words)
    return ref.expected_pair_counts(ids, offsets, [1, 1, 1], 1), ref.noise_distribution(counts, 1.0)


def test_target_of_the_worked_example():
    a, noise = xyz()
    keep, drop = (ref.target(a, ref.noise_counts(a, noise, 1, hits)) for hits in ("keep", "drop"))
    assert keep[0, 1] == pytest.approx(math.log(16 / 9)) == pytest.approx(0.5754, abs=5e-5)
    assert drop[0, 1] == pytest.approx(math.log(16 / 3)) == pytest.approx(1.6740, abs=5e-5)
    assert keep[0, 0] == -math.inf
    np.testing.assert_allclose(keep, ref.pmi(a), rtol=1e-14)


def test_infinite_targets():
    a = np.array([[0.0, 2.0]])
    b = np.array([[1.0, 0.0]])
    np.testing.assert_array_equal(ref.target(a, b), [[-math.inf, math.inf]])
    assert ref.optimum(a, b) == 0
    assert ref.objective(ref.target(a, b), a, b) == 0


def test_objective_is_greatest_at_the_target_and_its_derivatives_are_right():
    rng = np.random.default_rng(6)
    a, b = rng.random((3, 4)) + 0.1, rng.random((3, 4)) + 0.1
    a[1, 2] = 0
    x = ref.target(a, b)
    best = ref.objective(x, a, b)
    assert best == pytest.approx(ref.optimum(a, b), rel=1e-14)
    assert np.abs(ref.objective_slope(np.where(np.isinf(x), -800, x), a, b)).max() < 1e-15
    y, h = rng.normal(size=(3, 4)), 1e-5
    assert ref.objective(y, a, b) < best
    slope, second = ref.objective_slope(y, a, b), ref.curvature(y, a, b)
    for cell in np.ndindex(3, 4):
        step = np.zeros((3, 4))
        step[cell] = h
        up, middle, down = (ref.objective(y + s * step, a, b) for s in (1, 0, -1))
        assert slope[cell] == pytest.approx((up - down) / (2 * h), abs=1e-8)
        assert second[cell] == pytest.approx((up - 2 * middle + down) / h**2, abs=1e-4)


def test_objective_at_zero():
    a, noise = xyz()
    b = ref.noise_counts(a, noise, 5)
    assert ref.objective(np.zeros((3, 3)), a, b) == pytest.approx(-(a.sum() * 6) * math.log(2))


def differences(f, X, h=1e-6):
    G = np.zeros_like(X)
    for cell in np.ndindex(X.shape):
        step = np.zeros_like(X)
        step[cell] = h
        G[cell] = (f(X + step) - f(X - step)) / (2 * h)
    return G


def test_gradients_by_finite_differences():
    rng = np.random.default_rng(7)
    w, c = rng.normal(size=5), rng.normal(size=5)
    for label, sign in ((1, 1), (0, -1)):
        dw, dc = ref.pair_gradient(w, c, label)
        np.testing.assert_allclose(dw, differences(lambda v: ref.log_sigmoid(sign * float(v @ c)), w), atol=1e-9)  # noqa: B023
        np.testing.assert_allclose(dc, differences(lambda v: ref.log_sigmoid(sign * float(v @ w)), c), atol=1e-9)  # noqa: B023
    W, C, a, b = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.random((3, 3)), rng.random((3, 3))
    dW, dC = ref.objective_gradient(W, C, a, b)
    np.testing.assert_allclose(dW, differences(lambda X: ref.objective(X @ C.T, a, b), W), atol=1e-8)
    np.testing.assert_allclose(dC, differences(lambda X: ref.objective(W @ X.T, a, b), C), atol=1e-8)


def test_sigmoids_hold_at_the_extremes():
    assert ref.sigmoid(0) == 0.5
    assert ref.log_sigmoid(0) == pytest.approx(-math.log(2))
    assert (ref.sigmoid(1e4), ref.sigmoid(-1e4)) == (1.0, 0.0)
    assert (ref.log_sigmoid(1e4), ref.log_sigmoid(-1e4)) == (0.0, -1e4)
    for x in (-30.0, -1.0, 2.0, 30.0):
        assert ref.log_sigmoid(x) == pytest.approx(math.log(ref.sigmoid(x)), rel=1e-12)


def test_full_rank_maximum_is_the_target():
    ids, offsets = small_corpus(5, [400], seed=8)
    a = ref.expected_pair_counts(ids, offsets, [1] * 5, 2)
    b = ref.noise_counts(a, ref.noise_distribution(np.bincount(ids), 0.75), 2, "drop")
    assert (a > 0).all()

    def loss(z):
        W, C = z.reshape(2, 5, 5)
        dW, dC = ref.objective_gradient(W, C, a, b)
        return -ref.objective(W @ C.T, a, b), -np.concatenate([dW.ravel(), dC.ravel()])

    start = np.random.default_rng(9).normal(size=50)
    found = optimize.minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 5000, "gtol": 1e-9, "ftol": 1e-15}
    )
    W, C = found.x.reshape(2, 5, 5)
    assert np.abs(W @ C.T - ref.target(a, b)).max() < 1e-3
    assert -found.fun == pytest.approx(ref.optimum(a, b), rel=1e-6)


# training


def test_pairwise_step_by_hand():
    W, C = np.array([[0.5], [-0.25], [1.0]]), np.array([[0.2], [0.3], [-0.4]])
    bounds = only(3, 2)
    new_W, new_C, loss, pairs = ref.epoch_pairwise(
        W, C, [0, 1], [0, 2], everything(3), bounds,
        token_key=1, noise_key=2, R=1, k=2, chunk_tokens=10, chunk_alphas=[(0.1, 0.05)],
    )  # fmt: skip
    w0, w1, c0, c1, c2, expected = 0.5, -0.25, 0.2, 0.3, -0.4, 0.0

    def s(x):
        return 1 / (1 + math.exp(-x))

    # centre 0, context 1: row w1, outputs c0 (label 1), c2, c2
    expected += -math.log(s(w1 * c0))
    g = 0.1 * (1 - s(w1 * c0))
    neu, c0 = g * c0, c0 + g * w1
    for _ in range(2):
        expected += -math.log(s(-w1 * c2))
        g = -0.1 * s(w1 * c2)
        neu, c2 = neu + g * c2, c2 + g * w1
    w1 += neu
    # centre 1, context 0, half of the way from .1 to .05: row w0, outputs c1, c2, c2
    expected += -math.log(s(w0 * c1))
    g = 0.075 * (1 - s(w0 * c1))
    neu, c1 = g * c1, c1 + g * w0
    for _ in range(2):
        expected += -math.log(s(-w0 * c2))
        g = -0.075 * s(w0 * c2)
        neu, c2 = neu + g * c2, c2 + g * w0
    w0 += neu
    np.testing.assert_allclose(new_W[:, 0], [w0, w1, 1.0], rtol=1e-14)
    np.testing.assert_allclose(new_C[:, 0], [c0, c1, c2], rtol=1e-14)
    assert (loss, pairs) == (pytest.approx(expected, rel=1e-14), 2)
    np.testing.assert_array_equal(W[:, 0], [0.5, -0.25, 1.0])


def test_pairwise_drops_draws_that_equal_the_centre():
    W, C = np.array([[0.5], [-0.25]]), np.array([[0.2], [0.3]])
    bounds = only(2, 0)
    settings = {"token_key": 1, "noise_key": 2, "R": 1, "k": 3, "chunk_tokens": 1, "chunk_alphas": [(0.1, 0.1)] * 2}
    arguments = (W, C, [0, 1], [0, 2], everything(2), bounds)
    _, _, keep, pairs = ref.epoch_pairwise(*arguments, hits="keep", **settings)
    _, new_C, drop, _ = ref.epoch_pairwise(*arguments, hits="drop", **settings)
    assert pairs == 2
    assert keep > drop
    # centre 0 has no negatives left: its one output moved by the positive alone, before centre 1's negatives moved it
    c0 = 0.2 + 0.1 * (1 - 1 / (1 + math.exp(0.25 * 0.2))) * -0.25
    for _ in range(3):
        c0 += -0.1 / (1 + math.exp(-0.5 * c0)) * 0.5
    assert new_C[0, 0] == pytest.approx(c0, rel=1e-14)


def test_block_by_hand_with_both_laws_of_hits():
    W, C = np.array([[0.5], [-0.25]]), np.array([[0.2], [0.3]])
    bounds = only(2, 0)

    def s(x):
        return 1 / (1 + math.exp(-x))

    # sentence 0 1 0, window 1: centre 0 has [1]; centre 1 has [0, 0]; centre 0 has [1]; M = 2 noise words, both 0
    for hits, weights in (("keep", (1.5, 3.0)), ("drop", (1.5, 0.0))):
        new_W, new_C, loss, pairs = ref.epoch_blocked(
            W, C, [0, 1, 0], [0, 3], everything(2), bounds,
            token_key=1, noise_key=2, R=1, shrink=False, k=3, hits=hits, block_size=4, M=2,
            chunk_tokens=3, chunk_alphas=[(0.1, 0.0)],
        )  # fmt: skip
        for_01, for_10 = 0.1 * (1 - s(0.5 * 0.3)), 0.1 * (1 - s(-0.25 * 0.2))
        for_0, for_1 = (-0.1 * weight * s(x * 0.2) for weight, x in zip(weights, (0.5, -0.25), strict=True))
        w0 = 0.5 + 2 * for_01 * 0.3 + 4 * for_0 * 0.2
        w1 = -0.25 + 2 * for_10 * 0.2 + 2 * for_1 * 0.2
        c0 = 0.2 + 2 * for_10 * -0.25 + 4 * for_0 * 0.5 + 2 * for_1 * -0.25
        c1 = 0.3 + 2 * for_01 * 0.5
        np.testing.assert_allclose(new_W[:, 0], [w0, w1], rtol=1e-14)
        np.testing.assert_allclose(new_C[:, 0], [c0, c1], rtol=1e-14)
        expected = -2 * math.log(s(0.15)) - 2 * math.log(s(-0.05))
        expected += -4 * weights[0] * math.log(s(-0.1)) - 2 * weights[1] * math.log(s(0.05))
        assert (loss, pairs) == (pytest.approx(expected, rel=1e-14), 4)


def test_blocks_follow_each_other_and_alpha_is_that_of_their_first_centre():
    ids, offsets = [0, 1, 2, 3], [0, 4]
    W, C = ref.start_matrix(4, 3, 1), ref.start_matrix(4, 3, 2)
    bounds = [3 * 2**38 * (w + 1) for w in range(4)]  # uniform, in three strata
    common = {"token_key": 1, "R": 2, "shrink": False, "k": 2, "M": 3}
    arguments = (ids, offsets, everything(4), bounds)
    both = ref.epoch_blocked(
        W, C, *arguments, noise_key=2, block_size=2, chunk_tokens=4, chunk_alphas=[(0.4, 0.2)], **common
    )
    # the same from two chunks of one block each, the second fed with the draws that followed in the first stream
    draws = ref.noise_stream(2, 0)
    noise = [ref.stratum_word(next(draws), j % 3, bounds) for j in range(6)]
    first = ref.epoch_blocked(
        W, C, *arguments, noise_key=2, block_size=2, chunk_tokens=2, chunk_alphas=[(0.4, 0.4), (0.0, 0.0)], **common
    )
    W1, C1 = first[0], first[1]
    dW, dC = np.zeros_like(W1), np.zeros_like(C1)
    for position in (2, 3):
        near = [j for j in range(4) if j != position and abs(j - position) <= 2]
        for c, weight, label in [(j, 1.0, 1) for j in near] + [(n, len(near) * 2 / 3, 0) for n in noise[3:]]:
            gw, gc = ref.pair_gradient(W1[position], C1[c], label)
            dW[position] += 0.3 * weight * gw
            dC[c] += 0.3 * weight * gc
    np.testing.assert_allclose(both[0], W1 + dW, rtol=1e-12)
    np.testing.assert_allclose(both[1], C1 + dC, rtol=1e-12)
    assert both[3] == 10


def test_chunk_seams_lose_no_pairs():
    ids, offsets = small_corpus(5, [7, 1, 5], seed=10)
    W, C = ref.start_matrix(5, 2, 1), np.zeros((5, 2))
    bounds = only(5, 2)
    keep = ref.keep_thresholds([0.5, 0.9, 1, 1, 1])
    expected = len(ref.pairs_of_epoch(ids, offsets, keep, 3, 3, True, "dirty"))
    for chunk in (1, 2, 5, 13, 100):
        chunks = len(ref.chunk_bounds(13, chunk))
        settings = {
            "token_key": 3,
            "noise_key": 4,
            "R": 3,
            "chunk_tokens": chunk,
            "chunk_alphas": [(0.1, 0.1)] * chunks,
        }
        arguments = (W, C, ids, offsets, keep, bounds)
        assert ref.epoch_pairwise(*arguments, **settings)[3] == expected
        assert ref.epoch_blocked(*arguments, block_size=3, M=4, **settings)[3] == expected
    with pytest.raises(ValueError, match="zip"):
        ref.epoch_pairwise(
            W, C, ids, offsets, keep, bounds,
            token_key=3, noise_key=4, R=3, chunk_tokens=5, chunk_alphas=[(0.1, 0.1)],
        )  # fmt: skip


@pytest.mark.parametrize("hits", ["keep", "drop"])
@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
def test_mean_step_is_the_gradient_of_the_objective(algorithm, hits):
    ids, offsets = [0, 1, 2, 0, 2, 1], [0, 6]
    rng = np.random.default_rng(11)
    W, C = rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    strata = 4 if algorithm == "blocked" else 1
    bounds = [strata * 2**40 * part // 12 for part in (6, 11, 12)]
    pairs = ref.pairs_of_epoch(ids, offsets, everything(3), 1, 2, False, "dirty")
    a = ref.count_pairs(ids, pairs, 3).astype(float)
    b = ref.noise_counts(a, ref.strata_distribution(bounds, strata), 3, hits)
    np.testing.assert_array_equal(a, a.T)
    alpha, runs, steps = 1e-6, 600, []
    for run in range(runs):
        settings = {
            "token_key": 1, "noise_key": ref.stream_key(1, run, ref.NOISE), "R": 2, "shrink": False, "k": 3,
            "hits": hits, "chunk_tokens": 6, "chunk_alphas": [(alpha, alpha)],
        }  # fmt: skip
        arguments = (W, C, ids, offsets, everything(3), bounds)
        if algorithm == "blocked":
            new_W, new_C, loss, _ = ref.epoch_blocked(*arguments, block_size=6, M=4, **settings)
        else:
            new_W, new_C, loss, _ = ref.epoch_pairwise(*arguments, **settings)
        steps.append(np.concatenate([(new_W - W).ravel() / alpha, (new_C - C).ravel() / alpha, [-loss]]))
    mean, error = np.mean(steps, axis=0), np.std(steps, axis=0) / math.sqrt(runs)
    dW, dC = ref.objective_gradient(W, C, a, b)
    expected = np.concatenate([dW.ravel(), dC.ravel(), [ref.objective(W @ C.T, a, b)]])
    assert (np.abs(mean - expected) < 4.5 * error + 1e-4).all()


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
