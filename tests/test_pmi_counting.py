"""Pair counts: the window laws in expectation against plain loops and against simulation, and invariants."""

import dataclasses
import itertools

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from w2v.errors import CorpusError, SettingsError
from w2v.pmi import PairCounts, count_pairs
from w2v.settings import ContextSettings
from w2v.vocabulary import Vocabulary


@dataclasses.dataclass(frozen=True)
class Encoded:
    """What counting needs of a corpus."""

    ids: np.ndarray
    offsets: np.ndarray
    vocabulary: Vocabulary


def encoded(sentences, V=None):
    """Return a corpus of sentences of word ids."""
    ids = np.array([w for s in sentences for w in s], dtype=np.int32)
    offsets = np.cumsum([0] + [len(s) for s in sentences]).astype(np.int64)
    V = V or (int(ids.max()) + 1 if len(ids) else 1)
    counts = np.bincount(ids, minlength=V)
    return Encoded(ids, offsets, Vocabulary([f"w{i}" for i in range(V)], counts))


def zipfian(tokens, V, sentences, seed=0):
    """Return a corpus of Zipf-like words, ids by falling count, with sentences of random length."""
    rng = np.random.default_rng(seed)
    ids = np.minimum(rng.zipf(1.4, size=tokens) - 1, V - 1)
    ids[:V] = np.arange(V)
    order = np.argsort(-np.bincount(ids, minlength=V), kind="stable")
    ids = np.argsort(order)[ids]
    cuts = np.sort(rng.choice(np.arange(1, tokens), sentences - 1, replace=False))
    return encoded([part.tolist() for part in np.split(ids, cuts)], V)


def dense(counts):
    return counts.matrix().toarray()


CORPUS = zipfian(1201, 60, 37)
LAWS = [
    (shrink, sample, law)
    for shrink, (sample, law) in itertools.product(
        (True, False), ((0.0, "dirty"), (0.02, "clean"), (0.02, "dirty"), (1e-4, "dirty"))
    )
]


@pytest.mark.parametrize(("shrink", "sample", "law"), LAWS)
@pytest.mark.parametrize("window", [1, 2, 5])
def test_counts_equal_plain_loops(window, shrink, sample, law):
    context = ContextSettings(window=window, shrink_windows=shrink, sample=sample, subsampling=law)
    counts = count_pairs(CORPUS, context)
    keep = reference.keep_probabilities(CORPUS.vocabulary.counts, sample)
    expected = reference.expected_pair_counts(CORPUS.ids, CORPUS.offsets, keep, window, shrink, law)
    # dirty windows are followed to one millionth of a neighbour's weight
    np.testing.assert_allclose(dense(counts), expected, rtol=1e-9, atol=2e-3 if law == "dirty" and sample else 1e-12)
    np.testing.assert_allclose(counts.word_counts, dense(counts).sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(counts.context_counts, dense(counts).sum(axis=0), rtol=1e-9)
    assert counts.total == pytest.approx(dense(counts).sum(), rel=1e-12)


@pytest.mark.parametrize("shrink", [True, False])
@pytest.mark.parametrize("window", [1, 3, 7])
def test_whole_numbers_are_exact_to_the_last_bit(window, shrink):
    counts = count_pairs(CORPUS, ContextSettings(window=window, shrink_windows=shrink, sample=0))
    numerators, divisor = reference.pair_numerators(CORPUS.ids, CORPUS.offsets, 60, window, shrink)
    assert np.array_equal(dense(counts), numerators / divisor)
    assert np.array_equal(dense(counts), dense(counts).T)


def test_dynamic_window_weights_by_hand():
    counts = count_pairs(encoded([[0, 1, 2, 3]]), ContextSettings(window=3, sample=0))
    assert dense(counts)[0].tolist() == [0, 1, 2 / 3, 1 / 3]
    fixed = count_pairs(encoded([[0, 1, 2, 3]]), ContextSettings(window=3, sample=0, shrink_windows=False))
    assert dense(fixed)[0].tolist() == [0, 1, 1, 1]


def test_no_pair_crosses_a_sentence():
    counts = count_pairs(encoded([[0, 1], [2, 3]]), ContextSettings(window=5, sample=0))
    assert [tuple(cell) for cell in np.argwhere(dense(counts))] == [(0, 1), (1, 0), (2, 3), (3, 2)]
    joined = count_pairs(encoded([[0], [1]]), ContextSettings(window=5, sample=0))
    assert joined.cells == 0
    assert joined.total == 0


@pytest.mark.parametrize("law", ["clean", "dirty"])
def test_expectation_equals_simulation(law):
    corpus = zipfian(90, 6, 4, seed=3)
    context = ContextSettings(window=3, sample=0.05, subsampling=law)
    keep = corpus.vocabulary.keep_probabilities(0.05)
    rng = np.random.default_rng(5)
    mean, error = reference.simulate_pair_counts(corpus.ids, corpus.offsets, keep, 3, True, law, 1500, rng)
    difference = np.abs(dense(count_pairs(corpus, context)) - mean)
    cells = error > 0
    assert (difference[cells] < 3 * error[cells]).mean() > 0.96  # 99.7% are expected within three standard errors
    assert (difference[cells] < 5 * error[cells]).all()
    assert (difference[~cells] < 1e-2).all()


@pytest.mark.parametrize(("shrink", "sample", "law"), LAWS)
def test_chunks_and_workers_change_nothing(shrink, sample, law, tmp_path):
    corpus = zipfian(5003, 90, 11, seed=2)
    context = ContextSettings(window=4, shrink_windows=shrink, sample=sample, subsampling=law)
    whole = count_pairs(corpus, context)
    for keywords in ({"workers": 3}, {"memory_bytes": 20_000}, {"memory_bytes": 1, "workers": 2}):
        other = count_pairs(corpus, context, directory=tmp_path, **keywords)
        assert np.array_equal(whole.indptr, other.indptr)
        assert np.array_equal(whole.indices, other.indices)
        np.testing.assert_allclose(other.data, whole.data, rtol=0 if sample == 0 else 1e-11)
        np.testing.assert_allclose(other.word_counts, whole.word_counts, rtol=0 if sample == 0 else 1e-11)
        assert isinstance(other.data, np.memmap) or type(other.data) is np.ndarray
    assert list(tmp_path.iterdir()) == []  # the temporary files have no name


def test_one_long_sentence_is_whole_across_chunks():
    corpus = zipfian(4999, 40, 1, seed=4)
    context = ContextSettings(window=5, sample=1e-3)
    whole, parts = count_pairs(corpus, context), count_pairs(corpus, context, memory_bytes=1)
    np.testing.assert_allclose(dense(parts), dense(whole), rtol=1e-11)


def test_many_words_with_short_rows():
    V = 20_011  # several words of the summary bitset
    rng = np.random.default_rng(1)
    corpus = encoded([rng.integers(0, V, 50).tolist() for _ in range(200)], V)
    counts = count_pairs(corpus, ContextSettings(window=2, sample=0), workers=2)
    for w in rng.choice(V, 50):
        row = slice(counts.indptr[w], counts.indptr[w + 1])
        assert (np.diff(counts.indices[row]) > 0).all()
    assert counts.total == 200 * (49 * 2 + 48)  # each adjacent pair twice, each pair at distance 2 twice a half


def test_bounded_matrix_is_the_corner_of_the_whole():
    context = ContextSettings(window=3, sample=0.02)
    whole = count_pairs(CORPUS, context)
    bounded = count_pairs(CORPUS, context, restrict_vocab=17)
    assert bounded.size == 17
    np.testing.assert_array_equal(dense(bounded), dense(whole)[:17, :17])
    np.testing.assert_allclose(bounded.word_counts, whole.word_counts, rtol=1e-12)
    assert bounded.total == pytest.approx(whole.total)
    head = whole.head(17)
    np.testing.assert_array_equal(dense(head), dense(bounded))
    assert whole.head(1000) is whole


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=8), min_size=1, max_size=6),
    st.integers(1, 4),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_invariants(sentences, window, shrink, random):
    context = ContextSettings(window=window, shrink_windows=shrink, sample=0)
    counts = count_pairs(encoded(sentences, 7), context)
    assert np.array_equal(dense(counts), dense(counts).T)
    assert (counts.data > 0).all()
    shuffled = list(sentences)
    random.shuffle(shuffled)
    assert np.array_equal(dense(count_pairs(encoded(shuffled, 7), context)), dense(counts))
    mirrored = [s[::-1] for s in sentences]
    assert np.array_equal(dense(count_pairs(encoded(mirrored, 7), context)), dense(counts))


def test_dirty_windows_are_symmetric_up_to_rounding():
    a = dense(count_pairs(CORPUS, ContextSettings(window=5, sample=1e-3)))
    np.testing.assert_allclose(a, a.T, rtol=1e-9, atol=1e-3)


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(CorpusError, match="no token"):
        count_pairs(encoded([]), ContextSettings())
    broken = dataclasses.replace(CORPUS, ids=CORPUS.ids + 40)
    with pytest.raises(CorpusError, match="not in a vocabulary of 60 words"):
        count_pairs(broken, ContextSettings())
    with pytest.raises(SettingsError, match="workers"):
        count_pairs(CORPUS, ContextSettings(), workers=0)


def test_counts_are_read_only_and_describe_themselves():
    counts = count_pairs(CORPUS, ContextSettings(window=2))
    assert isinstance(counts, PairCounts)
    with pytest.raises(ValueError, match="read-only"):
        counts.data[0] = 1
    described = counts.to_dict()
    assert described["distinct_pairs"] == counts.cells
    assert described["context"]["window"] == 2
    assert np.array_equal(counts.rows(), np.repeat(np.arange(60), np.diff(counts.indptr)))
