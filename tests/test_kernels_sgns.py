"""The training kernels against the oracles: random streams, windows, noise, activations, all three updates."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from llvmlite.binding import get_host_cpu_features

from w2v.kernels.activations import sigmoid, softplus
from w2v.kernels.amx import has_amx
from w2v.kernels.noise import draw_word, noise_proposal, noise_table
from w2v.kernels.random import NOISE, START, TOKENS, chunk_state, initialize_rows, stream_key
from w2v.kernels.sgns_amx import amx_scratch, train_amx
from w2v.kernels.sgns_blocked import scratch_arrays, train_blocked
from w2v.kernels.sgns_pairwise import train_pairwise
from w2v.kernels.tiles import aligned_rows, padded
from w2v.kernels.windows import lay_windows, window_arrays

WITH_AMX = pytest.param("amx", marks=pytest.mark.skipif(not has_amx(), reason="needs tile registers"))
KERNELS = ["blocked", "pairwise", WITH_AMX]
# what sums in another order come to: with tiles now and then a factor that is rounded to the other side, from where on
# other factors are, so that it learns in smaller steps; a pair left out would be several times as much
TOLERANCES = {"blocked": 2e-5, "pairwise": 2e-5, "amx": 2e-5}
LOSS_TOLERANCES = {"blocked": 2e-6, "pairwise": 2e-6, "amx": 1e-5}
ALPHAS = {"blocked": 0.05, "pairwise": 0.05, "amx": 0.001}


def small_corpus(seed=0, V=17, sentences=40, longest=30):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest, sentences)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    ids = np.minimum(rng.zipf(1.4, offsets[-1]) - 1, V - 1).astype(np.int32)
    return ids, offsets, np.maximum(np.bincount(ids, minlength=V), 1)


def thresholds_of(keep):
    return np.minimum(2.0**32, np.rint(np.asarray(keep) * 2.0**32)).astype(np.uint64)


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
@pytest.mark.parametrize("epoch", [0, 7])
def test_streams(seed, epoch):
    for purpose in (TOKENS, NOISE, START):
        key = stream_key(seed, epoch, purpose)
        assert int(key) == reference.stream_key(seed, epoch, purpose)
    state = int(chunk_state(stream_key(seed, epoch, NOISE), 12_345))
    first = next(reference.noise_stream(reference.stream_key(seed, epoch, NOISE), 12_345))
    assert reference.mix(state + reference.GOLDEN) == first


def test_start_matrix_leaves_the_padding_at_zero():
    rows = np.zeros((7, padded(11)), np.float32)
    initialize_rows(rows, 11, stream_key(5, 0, START), 0)
    np.testing.assert_array_equal(rows[:, :11], reference.start_matrix(7, 11, 5))
    assert not rows[:, 11:].any()
    assert np.abs(rows).max() <= 0.5 / 11


@numba.njit
def drawn_words(draws, strata, table):
    words = np.empty(len(draws), np.int64)
    for i in range(len(draws)):
        words[i] = draw_word(draws[i], i % strata, table)
    return words


@given(
    weights=st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e6)), min_size=1, max_size=60).filter(any),
    strata=st.sampled_from([1, 2, 7, 24, 4096]),
)
@settings(max_examples=60, deadline=None)
def test_noise_table_draws_the_distribution(weights, strata):
    p = np.array(weights) / np.sum(weights)
    table = noise_table(p, strata)
    np.testing.assert_allclose(reference.strata_distribution(table[0], strata), p, rtol=0, atol=1e-12)
    edges = [2**64 - 1, 0, 1, *((int(bound) + step) % 2**40 << 24 for bound in table[0] for step in (0, -1))]
    draws = np.array(edges + edges[::-1], np.uint64)
    words = drawn_words(draws, strata, table)
    expected = [reference.stratum_word(u, i % strata, table[0]) for i, u in enumerate(draws)]
    assert words.tolist() == expected
    assert p[words].all()


@given(
    rows=st.lists(st.tuples(st.floats(1e-9, 1e6), st.floats(0.0, 1e6)), min_size=1, max_size=60).filter(
        lambda rows: any(b for _, b in rows)
    ),
    k=st.integers(1, 30),
)
@settings(max_examples=60, deadline=None)
def test_noise_proposal_is_that_of_the_oracle_and_no_weight_is_large(rows, k):
    noise, contexts = np.array(rows).T
    noise /= noise.sum()
    g = noise_proposal(noise, contexts, k)
    np.testing.assert_allclose(g, reference.noise_proposal(noise, contexts, np.ones(len(g)), k), rtol=1e-9)
    assert g.sum() == pytest.approx(1)
    assert (noise / g).max() < 2 + 1e-9


def test_noise_proposal_where_words_have_no_probability():
    """Far powers leave words without any: they are never drawn, and nothing is divided by zero."""
    g = noise_proposal(np.array([1.0, 0.0, 0.0]), np.array([5.0, 3.0, 0.0]), 5)
    assert g.tolist() == [1.0, 0.0, 0.0]


def test_weighted_draws_spread_less_than_plain_ones():
    """The sum over noise words of s(x*) c, for words that are contexts by chance alone: same mean, less variance."""
    rng = np.random.default_rng(1)
    counts = 1e5 / np.arange(1, 2001) ** 1.1
    noise, seen = counts**0.75 / (counts**0.75).sum(), counts / counts.sum()
    values = (seen / (seen + 5 * noise))[:, None] * rng.normal(size=(2000, 8))
    estimates = []
    for g in (noise, noise_proposal(noise, counts, 5)):
        words = drawn_words(rng.integers(0, 2**64, 24 * 4000, np.uint64, endpoint=False), 24, noise_table(g, 24))
        terms = (noise / g)[words, None] * values[words] / 24
        estimates.append(terms.reshape(4000, 24, 8).sum(axis=1))
    plain, weighted = estimates
    exact = noise @ values
    for found in estimates:
        assert (np.abs(found.mean(axis=0) - exact) < 4.5 * found.std(axis=0) / 4000**0.5).all()
    assert weighted.var(axis=0).sum() < 0.9 * plain.var(axis=0).sum()


def test_one_word_of_each_stratum_spreads_less_than_free_draws():
    """Words that own whole strata are drawn exactly as often as they should."""
    p = np.array([0.5, 0.25, 0.125, 0.125])
    rng = np.random.default_rng(1)
    draws = rng.integers(0, 2**64, 8, np.uint64, endpoint=False)
    assert np.bincount(drawn_words(draws, 8, noise_table(p, 8))).tolist() == [4, 2, 1, 1]


def test_activations_and_their_stated_errors():
    @numba.njit
    def both(x, s, l):  # noqa: E741
        for i in range(len(x)):
            s[i] = sigmoid(x[i])
            l[i] = softplus(x[i])

    x = np.concatenate([np.linspace(-40, 40, 100_001), [0.0, -1000.0, 1000.0]]).astype(np.float32)
    s, l = np.empty_like(x), np.empty_like(x)  # noqa: E741
    both(x, s, l)
    exact = x.astype(np.float64)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(s, 1 / (1 + np.exp(-exact)), atol=1.5e-7)
    softplus_exact = np.logaddexp(0, exact)
    assert np.max(np.abs(l - softplus_exact) / np.maximum(1, softplus_exact)) < 3e-7
    nan = np.array([np.nan], np.float32)
    both(nan, s, l)
    assert np.isnan(s[0])
    assert np.isnan(l[0])


@pytest.mark.parametrize("subsampling", ["dirty", "clean"])
@pytest.mark.parametrize("shrink", [True, False])
@pytest.mark.parametrize(("window", "chunk_tokens"), [(1, 7), (5, 64), (5, 10_000), (12, 33)])
def test_windows_lose_and_double_nothing_at_seams(subsampling, shrink, window, chunk_tokens):
    ids, offsets, counts = small_corpus()
    keep = thresholds_of(reference.keep_probabilities(counts, 0.03))
    key = stream_key(3, 1, TOKENS)
    pairs = []
    for first in range(0, len(ids), chunk_tokens):
        last = min(len(ids), first + chunk_tokens)
        tokens, positions, low, high = window_arrays(chunk_tokens, window)
        begin, end = lay_windows(
            ids, offsets, first, last, keep, key, window, shrink, subsampling == "clean", tokens, positions, low, high
        )
        for i in range(begin, end):
            assert first <= positions[i] < last
            assert tokens[i] == ids[positions[i]]
            pairs += [(positions[i], positions[j]) for j in range(low[i], high[i] + 1) if j != i]
    expected = reference.pairs_of_epoch(ids, offsets, keep, int(key), window, shrink, subsampling)
    assert pairs == expected


@pytest.mark.parametrize("subsampling", ["dirty", "clean"])
def test_trained_pairs_agree_with_their_expectation(subsampling):
    """Mean pair counts over many epochs lie within four standard errors of the exact expectation."""
    ids, offsets, counts = small_corpus(V=6, sentences=6, longest=12)
    keep = reference.keep_probabilities(counts, 0.1)
    expected = reference.expected_pair_counts(ids, offsets, keep, 3, True, subsampling)
    epochs, sums, squares = 4000, np.zeros((6, 6)), np.zeros((6, 6))
    tokens, positions, low, high = window_arrays(len(ids), 3)
    for epoch in range(epochs):
        begin, end = lay_windows(
            ids,
            offsets,
            0,
            len(ids),
            thresholds_of(keep),
            stream_key(1, epoch, TOKENS),
            3,
            True,
            subsampling == "clean",
            tokens,
            positions,
            low,
            high,
        )
        once = np.zeros((6, 6))
        for i in range(begin, end):
            for j in range(low[i], high[i] + 1):
                once[tokens[i], tokens[j]] += i != j
        sums += once
        squares += once**2
    mean = sums / epochs
    error = np.sqrt(np.maximum(squares / epochs - mean**2, 1e-12) / epochs)
    assert np.all(np.abs(mean - expected) <= 4 * error + 1e-3)


def test_one_sentence_trains_the_shares_of_a_dynamic_window():
    """A field report: a b c d, window 3: (a,b) 1, (a,c) 2/3, (a,d) 1/3 per epoch; 1 each with fixed windows."""
    ids, offsets = np.arange(4, dtype=np.int32), np.array([0, 4])
    everything = thresholds_of(np.ones(4))
    for shrink, shares in ((True, [1, 2 / 3, 1 / 3]), (False, [1, 1, 1])):
        counts = np.zeros((4, 4))
        for epoch in range(6000):
            tokens, positions, low, high = window_arrays(4, 3)
            key = stream_key(1, epoch, TOKENS)
            begin, end = lay_windows(
                ids, offsets, 0, 4, everything, key, 3, shrink, False, tokens, positions, low, high
            )
            for i in range(begin, end):
                for j in range(low[i], high[i] + 1):
                    counts[i, j] += i != j
        np.testing.assert_allclose(counts[0, 1:] / 6000, shares, atol=0.025)


def run_kernel(
    kernel,
    W,
    C,
    ids,
    offsets,
    counts,
    *,
    drop,
    chunk_tokens,
    alphas,
    block_size=5,
    M=6,
    parts=1,
    repeats=255,
    k=3,
    R=4,
    frozen=(),
):
    keep, key = thresholds_of(reference.keep_probabilities(counts, 0.05)), stream_key(9, 2, TOKENS)
    noise = noise_table(np.array(reference.noise_distribution(counts, 0.75)), 1 if kernel == "pairwise" else M)
    shares = (np.linspace(0.5, 1.5, len(counts)) * k / M).astype(np.float32)
    noise_key = stream_key(9, 2, NOISE)
    stride = padded(W.shape[1])
    mine = [aligned_rows(len(W) + spare, stride) for spare in (1, 0)]
    mine[0][:-1, : W.shape[1]], mine[1][:, : W.shape[1]] = W, C
    rows = np.array([len(W) if w in frozen else w for w in range(len(W))], np.int32)
    pairs, loss = 0, 0.0
    sizes = (len(W), block_size, R, M, stride)
    scratch = {"blocked": scratch_arrays, "amx": amx_scratch}[kernel](*sizes) if kernel != "pairwise" else ()
    for chunk, first in enumerate(range(0, len(ids), chunk_tokens)):
        last = min(len(ids), first + chunk_tokens)
        tokens, positions, low, high = window_arrays(chunk_tokens, R)
        begin, end = lay_windows(ids, offsets, first, last, keep, key, R, True, False, tokens, positions, low, high)
        shared = (*mine, (tokens, low, high, rows[tokens]), begin, end, noise, chunk_state(noise_key, first))
        if kernel == "pairwise":
            p, q = train_pairwise(*shared, k, drop, *alphas[chunk], np.zeros(stride, np.float32))
        else:
            train = train_blocked if kernel == "blocked" else train_amx
            p, q = train(*shared, shares, (block_size, parts, repeats, M), drop, *alphas[chunk], scratch)
        pairs, loss = pairs + p, loss + q
    assert not mine[0][:, W.shape[1] :].any()
    assert not mine[1][:, W.shape[1] :].any()
    options = {
        "token_key": int(key),
        "noise_key": int(noise_key),
        "R": R,
        "hits": "drop" if drop else "keep",
        "chunk_tokens": chunk_tokens,
        "chunk_alphas": alphas,
        "frozen": frozen,
    }
    if kernel == "pairwise":
        oracle = reference.epoch_pairwise
        options["k"] = k
    else:
        oracle = reference.epoch_blocked
        options |= {"block_size": block_size, "M": M, "parts": parts, "repeats": repeats, "shares": shares.tolist()}
        if kernel == "amx":
            options["factor"] = reference.bfloat16
    theirs = oracle(W, C, ids, offsets, keep, noise[0], **options)
    return [m[: len(W), : W.shape[1]] for m in mine], pairs, loss, theirs


def compare(kernel, mine, pairs, loss, theirs):
    assert pairs == theirs[3]
    np.testing.assert_allclose(loss, theirs[2], rtol=LOSS_TOLERANCES[kernel])
    for ours, oracle in zip(mine, theirs[:2], strict=True):
        np.testing.assert_allclose(ours, oracle, atol=TOLERANCES[kernel])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize(
    ("d", "block_size", "M", "parts", "repeats", "chunk_tokens"),
    [
        (5, 5, 6, 1, 255, 100),
        (8, 8, 8, 2, 4, 93),
        (19, 32, 16, 3, 3, 10_000),
        (3, 1, 1, 1, 1, 50),
        (3, 7, 9, 9, 1, 71),
        (40, 6, 5, 1, 255, 400),  # every width of a tile of updates
        (100, 11, 8, 2, 9, 333),
        (150, 9, 8, 1, 9, 333),
        (17, 16, 33, 1, 4, 200),
        (33, 17, 70, 2, 255, 301),
        (47, 50, 3, 1, 2, 10_000),
        (300, 48, 20, 1, 4, 140),
    ],
)
def test_an_epoch_in_order(kernel, drop, d, block_size, M, parts, repeats, chunk_tokens):
    ids, offsets, counts = small_corpus(seed=d)
    rng = np.random.default_rng(d)
    W, C = (rng.normal(0, 0.3, (len(counts), d)).astype(np.float32) for _ in range(2))
    chunks = -(-len(ids) // chunk_tokens)
    alphas = [tuple(ALPHAS[kernel] * (1 - 0.2 * at / chunks) for at in (i, i + 1)) for i in range(chunks)]
    mine, pairs, loss, theirs = run_kernel(
        kernel,
        W,
        C,
        ids,
        offsets,
        counts,
        drop=drop,
        chunk_tokens=chunk_tokens,
        alphas=alphas,
        block_size=block_size,
        M=M,
        parts=parts,
        repeats=repeats,
    )
    compare(kernel, mine, pairs, loss, theirs)
    assert np.abs(mine[0] - W).max() > 0.2 * ALPHAS[kernel]  # something was learnt


@pytest.mark.parametrize("kernel", KERNELS)
def test_frozen_words_teach_and_do_not_learn(kernel):
    ids, offsets, counts = small_corpus(seed=3)
    rng = np.random.default_rng(3)
    W, C = (rng.normal(0, 0.3, (len(counts), 9)).astype(np.float32) for _ in range(2))
    W[5] = -0.0  # adding nothing to it would change its bits
    frozen, chunks = {0, 3, 5, 16}, -(-len(ids) // 100)
    mine, pairs, loss, theirs = run_kernel(
        kernel,
        W,
        C,
        ids,
        offsets,
        counts,
        drop=False,
        chunk_tokens=100,
        alphas=[(ALPHAS[kernel],) * 2] * chunks,
        frozen=frozen,
    )
    compare(kernel, mine, pairs, loss, theirs)
    for w in range(len(W)):
        assert (mine[0][w].tobytes() == W[w].tobytes()) == (w in frozen)
    assert (np.abs(mine[1] - C).max(axis=1) > 2e-3 * ALPHAS[kernel]).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_dropped_hits_weigh_by_how_often_they_are_contexts(kernel):
    """A centre with two contexts, one of them drawn as noise: its weight is one share, not none and not two."""
    ids, offsets = np.array([0, 1, 2], np.int32), np.array([0, 3])
    counts = np.array([1, 1, 1])
    W, C = (np.full((3, 4), v, np.float32) for v in (0.3, -0.2))
    mine, pairs, loss, theirs = run_kernel(
        kernel, W, C, ids, offsets, counts, drop=True, chunk_tokens=10, alphas=[(0.1, 0.1)], block_size=4, M=4, R=1
    )
    assert pairs == theirs[3]
    np.testing.assert_allclose(loss, theirs[2], rtol=1e-6)
    np.testing.assert_allclose(mine[0], theirs[0], atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_alpha_zero_changes_nothing_and_still_reports_the_loss(kernel):
    ids, offsets, counts = small_corpus()
    rng = np.random.default_rng(1)
    W, C = (rng.normal(0, 0.3, (len(counts), 6)).astype(np.float32) for _ in range(2))
    mine, _, loss, theirs = run_kernel(
        kernel, W, C, ids, offsets, counts, drop=False, chunk_tokens=10_000, alphas=[(0.0, 0.0)]
    )
    np.testing.assert_array_equal(mine[0], W)
    np.testing.assert_array_equal(mine[1], C)
    np.testing.assert_allclose(loss, theirs[2], rtol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize(("R", "block_size", "parts"), [(1, 20, 1), (2, 15, 2), (10, 48, 3), (40, 17, 1), (40, 2, 7)])
def test_windows_of_any_width(kernel, drop, R, block_size, parts):
    ids, offsets, counts = small_corpus(seed=R, sentences=20, longest=90)
    rng = np.random.default_rng(R)
    W, C = (rng.normal(0, 0.3, (len(counts), 12)).astype(np.float32) for _ in range(2))
    alphas = [(0.1 * ALPHAS[kernel],) * 2] * -(-len(ids) // 250)
    mine, pairs, loss, theirs = run_kernel(
        kernel,
        W,
        C,
        ids,
        offsets,
        counts,
        drop=drop,
        chunk_tokens=250,
        alphas=alphas,
        R=R,
        block_size=block_size,
        parts=parts,
    )
    compare(kernel, mine, pairs, loss, theirs)


@pytest.mark.skipif(not get_host_cpu_features().get("avx2"), reason="needs AVX2")
def test_processors_with_narrower_registers_pass_too(tmp_path):
    """Tiles and padding follow the registers: code for AVX2 is held to the same oracle, whatever this machine has."""
    narrow = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma", "NUMBA_CACHE_DIR": str(tmp_path)}
    tests = [f"{__file__}::{name}" for name in ("test_an_epoch_in_order", "test_frozen_words_teach_and_do_not_learn")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    run = subprocess.run(command, env=os.environ | narrow, cwd=tmp_path, capture_output=True, text=True, timeout=400)
    assert run.returncode == 0, run.stdout[-2000:]
