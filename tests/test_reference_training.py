"""The oracles themselves, of the objective and its trainers: by hand, finite differences, and simulation."""

import math

import numpy as np
import pytest
import reference as ref
from scipy import optimize
from tiny import everything, only, small_corpus, xyz

# the objective


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
    w0, w1, c0, c1, c2 = 0.5, -0.25, 0.2, 0.3, -0.4

    def s(x):
        return 1 / (1 + math.exp(-x))

    def pair(w, c, n, alpha):
        """One positive output c, then twice the noise word n; the row w moves in the end."""
        loss, g = -math.log(s(w * c)), alpha * (1 - s(w * c))
        change, c = g * c, c + g * w
        for _ in range(2):
            loss -= math.log(s(-w * n))
            g = -alpha * s(w * n)
            change, n = change + g * n, n + g * w
        return w + change, c, n, loss

    w1, c0, c2, first = pair(w1, c0, c2, 0.1)  # centre 0, context 1: row w1, outputs c0, c2, c2
    w0, c1, c2, second = pair(w0, c1, c2, 0.075)  # centre 1, context 0, half of the way from .1 to .05
    expected = first + second
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
    for hits, weights in (("keep", (1.5, 3.0)), ("drop", (1.5, 0.0))):  # a noise word counts 3/2
        new_W, new_C, loss, pairs = ref.epoch_blocked(
            W, C, [0, 1, 0], [0, 3], everything(2), bounds,
            token_key=1, noise_key=2, R=1, shrink=False, shares=[1.5, 7.0], hits=hits, block_size=4, M=2,
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
    shares = [0.5, 0.6, 0.7, 0.8]
    common = {"token_key": 1, "R": 2, "shrink": False, "shares": shares, "M": 3}
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
        for c, weight, label in [(j, 1.0, 1) for j in near] + [(n, len(near) * shares[n], 0) for n in noise[3:]]:
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
        assert ref.epoch_blocked(*arguments, block_size=3, M=4, shares=[1.25] * 5, **settings)[3] == expected
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
    noise = np.array([6, 5, 1]) / 12
    drawn = (3, 7, 12) if algorithm == "blocked" else (6, 11, 12)  # blocks draw from another distribution, with weights
    bounds = [strata * 2**40 * part // 12 for part in drawn]
    shares = (noise / np.diff([0, *drawn]) * 12 * 3 / 4).tolist()
    pairs = ref.pairs_of_epoch(ids, offsets, everything(3), 1, 2, False, "dirty")
    a = ref.count_pairs(ids, pairs, 3).astype(float)
    b = ref.noise_counts(a, noise, 3, hits)
    np.testing.assert_array_equal(a, a.T)
    alpha, runs, steps = 1e-6, 600, []
    for run in range(runs):
        settings = {
            "token_key": 1, "noise_key": ref.stream_key(1, run, ref.NOISE), "R": 2, "shrink": False,
            "hits": hits, "chunk_tokens": 6, "chunk_alphas": [(alpha, alpha)],
        }  # fmt: skip
        arguments = (W, C, ids, offsets, everything(3), bounds)
        if algorithm == "blocked":
            new_W, new_C, loss, _ = ref.epoch_blocked(*arguments, block_size=6, M=4, shares=shares, **settings)
        else:
            new_W, new_C, loss, _ = ref.epoch_pairwise(*arguments, k=3, **settings)
        steps.append(np.concatenate([(new_W - W).ravel() / alpha, (new_C - C).ravel() / alpha, [-loss]]))
    mean, error = np.mean(steps, axis=0), np.std(steps, axis=0) / math.sqrt(runs)
    dW, dC = ref.objective_gradient(W, C, a, b)
    expected = np.concatenate([dW.ravel(), dC.ravel(), [ref.objective(W @ C.T, a, b)]])
    assert (np.abs(mean - expected) < 4.5 * error + 1e-4).all()
