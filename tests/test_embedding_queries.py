"""The Embedding and its queries, against plain numpy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from w2v.embedding import Embedding, Neighbor, load, norms, queries
from w2v.errors import FormatError, NotAvailableError, SettingsError, UnknownWordError
from w2v.vocabulary import Vocabulary


def embedding(words: list, W: object, **more: object) -> Embedding:
    return Embedding(Vocabulary(words, list(range(len(words), 0, -1))), np.asarray(W, dtype=np.float32), **more)


def random_embedding(V: int, d: int, seed: int = 0) -> Embedding:
    rng = np.random.default_rng(seed)
    padded = rng.standard_normal((V, d + 5)).astype(np.float32)
    return embedding([f"w{i}" for i in range(V)], padded[:, :d])


def slow_most_similar(model: Embedding, positive: list, negative: list, topn: int, stop: int | None = None) -> list:
    """Sort all words by plain cosines; rows of zeros last."""
    W = model.W.astype(float)
    lengths = [sum(x * x for x in row) ** 0.5 for row in W.tolist()]
    units = [row / n if n else row for row, n in zip(W, lengths, strict=True)]
    query = sum(units[model.words.index(w)] for w in positive) - sum(units[model.words.index(w)] for w in negative)
    query = query / (query @ query) ** 0.5
    scored = [
        (lengths[i] == 0, -float(units[i] @ query), i)
        for i in range(len(W) if stop is None else stop)
        if model.words[i] not in positive + negative
    ]
    return [(model.words[i], -s) for _, s, i in sorted(scored)[:topn]]


# ---------------------------------------------------------------- the container


def test_vectors_by_word_and_by_several_words():
    model = embedding(["a", "b", "c"], [[1, 2], [3, 4], [5, 6]], losses=[2.0])
    assert model["b"].tolist() == [3, 4]
    assert model[["c", "a", "c"]].tolist() == [[5, 6], [1, 2], [5, 6]]
    assert model[[]].shape == (0, 2)
    assert (len(model), model.vector_size, model.words, model.counts.tolist()) == (3, 2, ["a", "b", "c"], [3, 2, 1])
    assert "b" in model
    assert "d" not in model
    assert 0 not in model
    assert model.epoch_losses == (2.0,)
    assert repr(model) == "<Embedding of 3 words in 2 dimensions, W>"


@pytest.mark.parametrize("words", [["b", "a", "0"], [7, 0, -3]])
def test_iteration_goes_over_the_words(words, tmp_path):
    model = embedding(words, np.eye(3))
    model.save(tmp_path / "m.safetensors")
    for found in (model, load(tmp_path / "m.safetensors")):
        assert list(found) == [*found] == found.words == words
        assert len(list(found)) == len(found)
        assert all(word in found for word in found)
        assert [found[word].tolist() for word in found] == np.eye(3).tolist()
        assert {type(word) for word in found} == {type(words[0])}


def test_a_vector_handed_out_is_the_callers_own():
    model = embedding(["a", "b"], [[1, 2], [3, 4]])
    vector = model["a"]
    vector += 1
    assert model["a"].tolist() == [1, 2]
    for array in (model.W, model.norms, model.unit_vectors):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_a_strided_matrix_is_not_copied():
    padded = np.zeros((4, 16), dtype=np.float32)
    model = embedding(list("abcd"), padded[:, :10])
    assert np.shares_memory(model.W, padded)
    assert padded.flags.writeable


def test_what_does_not_fit_together_is_refused():
    vocabulary = Vocabulary(["a", "b"], [2, 1])
    with pytest.raises(ValueError, match=r"2 words but W of shape \(3, 2\)"):
        Embedding(vocabulary, np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"C of shape \(2, 3\) does not fit W of shape \(2, 2\)"):
        Embedding(vocabulary, np.ones((2, 2)), np.ones((2, 3)))
    for odd in (np.ones(2), np.ones((2, 0)), np.ones((2, 2), dtype=complex), [["x", "y"], ["z", "w"]]):
        with pytest.raises(ValueError, match="real numbers"):
            Embedding(vocabulary, odd)


def test_a_loss_that_was_never_recorded_raises_and_is_not_zero():
    with pytest.raises(NotAvailableError, match="no loss"):
        _ = embedding(["a"], [[1.0]]).epoch_losses


def test_unknown_words_are_all_named_with_close_matches():
    model = embedding(["King", "queen", "royal"], np.eye(3))
    with pytest.raises(UnknownWordError, match=r"'king' is not in the vocabulary \(did you mean King\?\)"):
        model["king"]
    with pytest.raises(KeyError) as error:
        model.most_similar(positive=["queem", "royal"], negative=["xyz"])
    assert error.value.words == ("queem", "xyz")
    assert error.value.suggestions == {"queem": ("queen",), "xyz": ()}


def test_norms_are_exact_where_float32_squares_overflow_or_vanish(monkeypatch):
    monkeypatch.setattr(norms, "CHUNK_ROWS", 2)
    W = np.array([[3, 4], [3e30, 4e30], [3e-30, 4e-30], [0, 0], [1e-45, 0]], dtype=np.float32)
    model = embedding(list("abcde"), W)
    expected = np.sqrt((W.astype(float) ** 2).sum(1))
    assert np.allclose(model.norms, expected, rtol=1e-15, atol=0)
    assert np.allclose(model.unit_vectors[:3], [[0.6, 0.8]] * 3, rtol=1e-6)
    assert model.unit_vectors[3:].tolist() == [[0, 0], [1, 0]]
    assert [n.word for n in model.most_similar("b", topn=9)] == ["a", "c", "e", "d"]
    assert np.allclose([n.similarity for n in model.most_similar("b")], [1, 1, 0.6, 0], atol=1e-6)
    assert np.allclose(model.most_similar("b", topn=None), [1, 1, 1, 0, 0.6], atol=1e-6)


# ---------------------------------------------------------------- queries against plain numpy


@pytest.mark.parametrize(("V", "d"), [(5, 1), (50, 3), (333, 17)])
@pytest.mark.parametrize("topn", [1, 3, 10, 1000])
def test_most_similar_equals_a_plain_sort(V, d, topn):
    model = random_embedding(V, d)
    for positive, negative, stop in ((["w1"], [], None), (["w0", "w3"], ["w2"], None), (["w4"], ["w1", "w2"], 4)):
        found = model.most_similar(positive=positive, negative=negative, topn=topn, restrict_vocab=stop)
        expected = slow_most_similar(model, positive, negative, topn, stop)
        if d > 1:  # in one dimension all cosines are 1 and -1, and their order is that of rounding errors there
            assert [n.word for n in found] == [w for w, _ in expected]
        assert np.allclose([n.similarity for n in found], [s for _, s in expected], atol=1e-6)


def test_analogy_is_b_minus_a_plus_c():
    """The relation man : king :: woman : queen in a space where it is exact; the roles cannot be given by position."""
    model = embedding(
        ["man", "woman", "king", "queen", "apple"],
        [[1, 1, 0, 0.1], [1, 0, 1, 0.1], [2, 1, 0, 3], [2, 0, 1, 3], [-1, 2, 2, 0]],
    )
    found = model.analogy(a="man", b="king", c="woman", topn=2)
    assert found[0].word == "queen"
    expected = slow_most_similar(model, ["king", "woman"], ["man"], 2)
    assert np.allclose([n.similarity for n in found], [s for _, s in expected], atol=1e-6)
    assert {n.word for n in model.analogy(a="man", b="king", c="woman")} == {"queen", "apple"}
    with pytest.raises(TypeError):
        model.analogy("man", "king", "woman")


def test_similarity():
    model = embedding(["a", "b", "c", "zero"], [[1, 0], [1, 1], [-2, 0], [0, 0]])
    assert model.similarity("a", "b") == pytest.approx(0.5**0.5, abs=1e-12)
    assert model.similarity("a", "a") == 1.0
    assert model.similarity("a", "c") == -1.0
    assert model.similarity("a", "zero") == 0.0
    with pytest.raises(UnknownWordError, match=r"'x' is not .*'y' is not"):
        model.similarity("x", "y")


def test_a_string_is_one_word_and_ways_of_asking_agree():
    model = random_embedding(30, 4)
    expected = model.most_similar("w7")
    assert expected == model.most_similar(["w7"]) == model.most_similar(positive=("w7",))
    assert expected == model.most_similar([("w7", 2.5)]) == model.most_similar({"w7": 1})
    assert all(isinstance(n, Neighbor) for n in expected)
    word, similarity = expected[0]
    assert (word, similarity) == (expected[0].word, expected[0].similarity)
    with pytest.raises(AttributeError):
        expected[0].word = "other"


def test_weights_scale_unit_vectors():
    model = embedding(["a", "b", "c", "d"], [[10, 0], [0, 0.1], [1, 0.51], [0.49, 1]])
    assert model.most_similar([("a", 1.0), ("b", 0.1)])[0].word == "c"
    assert model.most_similar([("a", 0.1), ("b", 1.0)])[0].word == "d"
    assert model.most_similar([("a", -1.0)], topn=3) == model.most_similar(negative="a", topn=3)


def test_raw_vectors_count_as_words_do_but_exclude_nothing():
    model = random_embedding(30, 4)
    found = model.most_similar(model["w7"] * 100, topn=3)
    assert found[0].word == "w7"
    assert found[0].similarity == pytest.approx(1.0, abs=1e-6)
    assert [n.word for n in found[1:]] == [n.word for n in model.most_similar("w7", topn=2)]
    mixed = model.most_similar(["w1", model["w2"]], topn=30)
    assert {n.word for n in mixed} == {n.word for n in model.most_similar(["w1"], topn=30)}
    for odd in (np.zeros(3), np.full(4, np.nan)):
        with pytest.raises(SettingsError, match="a raw vector must hold 4 finite numbers"):
            model.most_similar(odd)


def test_topn_zero_and_none():
    model = random_embedding(30, 4)
    assert model.most_similar("w1", topn=0) == []
    everything = model.most_similar("w1", topn=None)
    assert everything.shape == (30,)
    assert everything[1] == pytest.approx(1.0, abs=1e-6)
    assert model.most_similar("w1", topn=None, restrict_vocab=7).shape == (7,)
    assert model.words[int(np.argsort(-everything)[1])] == model.most_similar("w1", topn=1)[0].word


def test_only_candidates_are_restricted_not_query_words():
    model = random_embedding(30, 4)
    found = model.most_similar("w20", topn=50, restrict_vocab=10)
    assert {n.word for n in found} == {f"w{i}" for i in range(10)}
    assert len(model.most_similar("w3", topn=50, restrict_vocab=10)) == 9
    assert model.most_similar("w0", restrict_vocab=1) == []
    assert len(model.most_similar("w0", topn=50, restrict_vocab=10**6)) == 29


def test_impossible_queries_are_refused():
    model = random_embedding(5, 2)
    for arguments in ({}, {"positive": []}, {"positive": [], "negative": []}):
        with pytest.raises(ValueError, match="at least one word"):
            model.most_similar(**arguments)
    for topn in (-1, 2.5, "3", True):
        with pytest.raises(SettingsError, match="topn must be a whole number"):
            model.most_similar("w1", topn=topn)
    for cut in (0, -1, 1.5):
        with pytest.raises(SettingsError, match="restrict_vocab must be a whole number of at least 1"):
            model.most_similar("w1", restrict_vocab=cut)
    for odd in ([("w1", "w2")], [("w1", np.nan)], [("w1", 1, 2)]):
        with pytest.raises(SettingsError, match="pair"):
            model.most_similar(odd)
    with pytest.raises(SettingsError, match="takes a word"):
        model.most_similar(2.5)
    with pytest.raises(TypeError):
        model.most_similar("w1", 5)


def test_integer_keys_in_queries():
    model = embedding([10, 11, 12, 0], [[1, 0], [1, 0.1], [1, 1], [-1, 0]])
    assert model.most_similar(10) == model.most_similar([10]) == model.most_similar(np.array([10]))
    assert [n.word for n in model.most_similar(10)] == [11, 12, 0]
    assert type(model.most_similar(10)[0].word) is int
    assert [n.word for n in model.most_similar([10, 11])] == [12, 0]
    assert model[np.int64(10)].tolist() == [1, 0]
    assert repr(model) == "<Embedding of 4 integer keys in 2 dimensions, W>"
    for unknown in ("10", 1, True):
        with pytest.raises(UnknownWordError):
            model.most_similar(unknown)


# ---------------------------------------------------------------- zero rows, damaged rows, ties


def test_a_row_of_zeros_never_outranks_others():
    """A field report: words without a vector came first, with nan, or before words of negative similarity."""
    model = embedding(["q", "zero", "behind", "aside"], [[1, 0], [0, 0], [-1, 0.1], [0, 1]])
    found = model.most_similar("q", topn=10)
    assert [n.word for n in found] == ["aside", "behind", "zero"]
    assert found[1].similarity < -0.9
    assert found[2].similarity == 0.0
    assert model.most_similar("q", topn=None)[1] == 0.0
    assert [n.similarity for n in model.most_similar("zero")] == [0.0, 0.0, 0.0]
    assert [n.similarity for n in model.most_similar("q", negative="q")] == [0.0, 0.0, 0.0]
    nothing = embedding(["a", "b"], np.zeros((2, 3)))
    assert nothing.most_similar("a") == [("b", 0.0)]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_damaged_row_is_named_when_lengths_are_first_needed(value):
    W = np.ones((3000, 4), dtype=np.float32)
    W[2999, 2] = value
    W[2500, 1] = value
    model = embedding([f"w{i}" for i in range(3000)], W)
    assert model["w1"].tolist() == [1, 1, 1, 1]
    with pytest.raises(FormatError, match=rf"'w2500' \(row 2500 of W\) holds {value} in column 1, and 1 more"):
        model.most_similar("w1")


def test_a_value_beyond_float32_is_found_like_infinity():
    with pytest.raises(FormatError, match=r"'b'.*inf"):
        _ = Embedding(Vocabulary(["a", "b"], [2, 1]), np.array([[1.0], [1e300]])).norms


def test_equal_rows_come_in_the_order_of_their_ids_wherever_they_stand(monkeypatch):
    monkeypatch.setattr(queries, "RESCORED_ROWS", 100)
    rng = np.random.default_rng(3)
    kinds = rng.standard_normal((4, 33)).astype(np.float32)
    kind = rng.integers(0, 4, 2001)
    model = embedding([f"w{i}" for i in range(2001)], kinds[kind])
    found = [int(str(n.word)[1:]) for n in model.most_similar("w0", topn=2000)]
    assert sorted(found) == list(range(1, 2001))
    similarities = [n.similarity for n in model.most_similar("w0", topn=2000)]
    for s in set(similarities):
        group = [i for i, t in zip(found, similarities, strict=True) if t == s]
        assert group == sorted(group)
    assert len(set(similarities)) == 4


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), copies=st.integers(1, 4), d=st.integers(1, 40))
def test_the_first_n_of_a_longer_list_are_the_list_of_n(seed, copies, d):
    rng = np.random.default_rng(seed)
    rows = np.repeat(rng.integers(-2, 3, (12, d)), copies, axis=0).astype(np.float32)
    rng.shuffle(rows)
    model = embedding([f"w{i}" for i in range(len(rows))], rows)
    whole = model.most_similar(["w0", "w1"], topn=len(rows))
    for n in range(len(rows)):
        assert model.most_similar(["w0", "w1"], topn=n) == whole[:n]
    cut = model.most_similar(["w0", "w1"], topn=99, restrict_vocab=7)
    assert cut == [n for n in whole if int(str(n.word)[1:]) < 7]


def test_a_mapped_model_answers_like_the_one_in_memory(tmp_path):
    model = random_embedding(500, 20)
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    assert back.most_similar("w3") == model.most_similar("w3")
    assert back.analogy(a="w1", b="w2", c="w3") == model.analogy(a="w1", b="w2", c="w3")
