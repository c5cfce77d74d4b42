"""The oracles themselves, of text, windows and expected counts: worked by hand, and by simulation."""

import ast
import math
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import reference as ref
from scipy import stats
from tiny import ALL, everything, small_corpus


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
