"""Queries by every measure against a slow twin, and reports from the field."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from w2v.embedding import Embedding, queries
from w2v.errors import FormatError, NotAvailableError, SettingsError, UnknownWordError
from w2v.vocabulary import Vocabulary

METHODS = ("3cosadd", "3cosmul", "pairdirection")


def embedding(rows, C=None, words=None, counts=None):
    words = words or [f"w{i}" for i in range(len(rows))]
    return Embedding(Vocabulary(words, range(len(rows), 0, -1) if counts is None else counts), rows, C)


def random_embedding(seed, V=60, d=7, repeat=2, zeros=True):
    """Rows of which some are equal, some zero, some of another length; C of its own."""
    rng = np.random.default_rng(seed)
    W = np.repeat(rng.standard_normal((V // repeat, d)), repeat, axis=0).astype(np.float32)
    C = np.repeat(rng.standard_normal((V // repeat, d)), repeat, axis=0).astype(np.float32)
    order = rng.permutation(len(W))
    W, C = W[order], C[order]
    if zeros:
        W[[3, 9]] = C[[4, 9]] = 0
    W[5] = 2 * W[6]
    return embedding(W, C)


def unit(v):
    length = np.sqrt((v * v).sum())
    return v / length if length > 0 else v


def slow(model, by, positive, negative=()):
    """Return the score of every row as the words of the documentation say, and whether it is a row of zeros."""
    W = model.W.astype(float)
    signed = [(w, 1) for w in positive] + [(w, -1) for w in negative]
    index = model.vocabulary.index
    if by == "cosine":
        query = unit(sum(s * unit(W[index[w]]) for w, s in signed))
        return [float(np.dot(unit(row), query)) for row in W], ~W.any(axis=1)
    query, weight = sum(s * W[index[w]] for w, s in signed), sum(s for _, s in signed)
    query = query / weight if weight > 0 else query
    if by == "euclid":
        return [-float(np.sqrt(((row - query) ** 2).sum())) for row in W], ~W.any(axis=1)
    return [float(np.dot(c, query)) for c in model.C.astype(float)], ~model.C.any(axis=1)


def assert_in_order(found, model, scores, zeros, ids):
    """Zeros last, else by score; equal rows by id. What is equal on paper only may stand either way."""
    rows = [model.vocabulary.index[n.word] for n in found]
    assert sorted(rows) == sorted(ids)
    assert [bool(zeros[i]) for i in rows] == sorted(bool(zeros[i]) for i in rows)
    for i, j in itertools.pairwise(rows):
        if not zeros[i] and not zeros[j]:
            assert scores[i] > scores[j] - 1e-9
        if (model.W[i] == model.W[j]).all() and (model.C[i] == model.C[j]).all():
            assert i < j


@pytest.mark.parametrize("by", ["cosine", "euclid", "context"])
@pytest.mark.parametrize("seed", range(4))
def test_neighbours_by_every_measure_equal_the_slow_way(by, seed, monkeypatch):
    monkeypatch.setattr(queries, "RESCORED_ROWS", 7)
    model = random_embedding(seed)
    for positive, negative in ((["w0"], []), (["w1", "w2"], []), (["w1", "w2"], ["w8"]), (["w1"], ["w2", "w8"])):
        scores, zeros = slow(model, by, positive, negative)
        ids = [i for i in range(len(model)) if f"w{i}" not in positive + negative]
        found = model.most_similar(positive, negative=negative, topn=99, by=by)
        assert_in_order(found, model, scores, zeros, ids)
        expected = [model.vocabulary.index[n.word] for n in found]
        assert [n.similarity for n in found] == pytest.approx([scores[i] for i in expected], abs=1e-6)
        np.testing.assert_allclose(model.most_similar(positive, negative=negative, topn=None, by=by), scores, atol=3e-6)
        for n in range(len(found)):
            assert model.most_similar(positive, negative=negative, topn=n, by=by) == found[:n]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["cosine", "euclid", "context"]), st.data())
def test_conditions_on_the_answers_pick_from_the_whole_list(seed, by, data):
    model = random_embedding(seed % 50)
    whole = model.most_similar("w0", topn=99, by=by)
    among = {
        "restrict_vocab": data.draw(st.none() | st.integers(1, 70)),
        "clip_start": data.draw(st.integers(0, 70)),
        "clip_end": data.draw(st.none() | st.integers(0, 70)),
        "min_count": data.draw(st.none() | st.integers(0, 70)),
        "candidates": data.draw(st.none() | st.lists(st.sampled_from(model.words), max_size=9)),
    }

    def fits(word):
        i = int(word[1:])
        return (
            i < (among["restrict_vocab"] or 99)
            and i >= among["clip_start"]
            and i < (99 if among["clip_end"] is None else among["clip_end"])
            and model.counts[i] >= (among["min_count"] or 0)
            and (among["candidates"] is None or word in among["candidates"])
        )

    expected = [n for n in whole if fits(n.word)]
    for n in (0, 1, 3, 99):
        assert model.most_similar("w0", topn=n, by=by, **among) == expected[:n]
    assert len(model.most_similar("w0", topn=None, by=by, **among)) == sum(map(fits, model.words))
    if by == "cosine":
        assert next(model.most_similar_many(["w0"], topn=99, **among)) == expected


def test_many_queries_at_once_are_answered_like_one(monkeypatch):
    model = random_embedding(3, V=200)
    asked = [*model.words[:130], ["w1", ("w2", 0.5)], np.ones(7), "w3"]
    expected = [model.most_similar(query, topn=5) for query in asked]
    assert list(model.most_similar_many(iter(asked), topn=5)) == expected
    assert list(model.most_similar_many([])) == []
    with pytest.raises(UnknownWordError):
        list(model.most_similar_many(["w1", "nothing"]))


def relation_scores(model, method, a, b, c, eps=0.001):
    u = [unit(row) for row in model.W.astype(float)]
    index = model.vocabulary.index
    ua, ub, uc = (u[index[w]] for w in (a, b, c))
    if method == "3cosmul":
        return [float((1 + x @ ub) / 2 * (1 + x @ uc) / 2 / ((1 + x @ ua) / 2 + eps)) for x in u]
    if method == "pairdirection":
        gone = [((x - uc) ** 2).sum() < 1e-6 for x in u]
        return [0.0 if g else float(unit(x - uc) @ unit(ub - ua)) for x, g in zip(u, gone, strict=True)]
    return [float(x @ unit(ub - ua + uc)) for x in u]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(5))
def test_analogies_by_every_method_equal_the_slow_way(method, seed):
    model = random_embedding(seed, V=80, d=5)
    for a, b, c in (("w0", "w1", "w2"), ("w5", "w6", "w7"), ("w1", "w1", "w2"), ("w3", "w1", "w2")):
        scores = relation_scores(model, method, a, b, c)
        zeros = ~model.W.any(axis=1)
        found = model.analogy(a=a, b=b, c=c, topn=99, method=method)
        assert_in_order(found, model, scores, zeros, [i for i in range(80) if f"w{i}" not in (a, b, c)])
        expected = [model.vocabulary.index[n.word] for n in found]
        shown = [0.0 if zeros[i] and method == "pairdirection" else scores[i] for i in expected]
        assert [n.similarity for n in found] == pytest.approx(shown, abs=1e-6)
        for n in range(0, len(found), 7):
            assert model.analogy(a=a, b=b, c=c, topn=n, method=method) == found[:n]
        for place in (0, 5, 40, len(found) - 1):
            word = found[place].word
            assert model.analogy_rank(a=a, b=b, c=c, right=word, method=method) == place + 1
        last = [found[9].word, found[4].word, a]
        assert model.analogy_rank(a=a, b=b, c=c, right=last, method=method) == 5
        assert model.analogy_rank(a=a, b=b, c=c, right=a, method=method) is None
        assert {a, b, c} <= {n.word for n in model.analogy(a=a, b=b, c=c, topn=99, method=method, include_query=True)}


def test_weights_of_an_analogy():
    model = random_embedding(1)
    weighted = model.analogy(a="w0", b="w1", c="w2", weights=(0.5, 1, 2))
    assert weighted == model.most_similar([("w1", 1), ("w2", 2)], negative=[("w0", 0.5)])
    for options, message in (
        ({"weights": (1, 2)}, "weights must be three numbers"),
        ({"weights": (1, 1, 2), "method": "3cosmul"}, "weights go with the method 3cosadd only"),
        ({"method": "add"}, "method must be one of 3cosadd, 3cosmul, pairdirection; got 'add'"),
    ):
        with pytest.raises(SettingsError, match=message):
            model.analogy(a="w0", b="w1", c="w2", **options)


@pytest.mark.parametrize("by", ["cosine", "euclid", "context"])
def test_rank_and_closer_than_agree_with_the_list(by):
    model = random_embedding(2)
    for word in ("w0", "w3"):
        whole = model.most_similar(word, topn=99, by=by)
        for place, neighbor in enumerate(whole):
            assert model.closer_than(word, neighbor.word, by=by) == whole[:place]
            assert model.rank(word, neighbor.word, by=by) == place + 1
    assert model.rank("w0", "w0") == 0 and model.closer_than("w0", "w0") == []
    few = model.most_similar("w0", topn=99, restrict_vocab=20)
    assert model.closer_than("w0", few[5].word, restrict_vocab=20) == few[:5]
    with pytest.raises(UnknownWordError, match=r"'x'.*'y'"):
        model.rank("x", "y")


def test_near_ties_of_distances_are_settled_exactly():
    """|x|^2 - 2xq + |q|^2 in float32 knows nothing of points that lie close together and far out."""
    rng = np.random.default_rng(0)
    rows = (1000 + rng.standard_normal((300, 10)) * 1e-3).astype(np.float32)
    model = embedding(rows)
    exact = np.sqrt(((rows.astype(float) - rows[0].astype(float)) ** 2).sum(axis=1))
    found = model.most_similar("w0", topn=299, by="euclid")
    assert [-n.similarity for n in found] == pytest.approx(sorted(exact[1:]), rel=1e-12)
    huge = embedding(np.array([[1e30, 0], [1e30, 1e29], [0, 1e-30], [5, 5]], dtype=np.float32))
    assert [n.word for n in huge.most_similar("w0", by="euclid")] == ["w1", "w2", "w3"]


def test_the_odd_one_out_and_the_mean():
    words = ["breakfast", "lunch", "dinner", "cereal", "nil"]
    model = embedding([[1, 0.1], [1, 0.2], [1, 0], [0, 2], [0, 0]], words=words)
    assert model.doesnt_match(["lunch", "cereal", "dinner", "breakfast"]) == "cereal"
    assert model.doesnt_match(["lunch", "nil", "dinner"]) == "nil"
    with pytest.raises(SettingsError, match="two different words or more; got 1"):
        model.doesnt_match("lunch")
    with pytest.raises(SettingsError, match="got 0"):
        model.doesnt_match([])
    with pytest.raises(UnknownWordError, match=r"'x'.*'y'"):
        model.doesnt_match(["x", "lunch", "y"])
    assert model.mean_vector("cereal", unit_length=False).tolist() == [0, 2]
    assert model.mean_vector(["cereal", "dinner"]).tolist() == [0.5, 0.5]
    assert model.mean_vector([("cereal", 3), ("dinner", -1)]).tolist() == [-0.25, 0.75]
    assert model.mean_vector(["cereal", np.array([4.0, 0.0])], unit_length=False).tolist() == [2, 1]
    assert model.mean_vector(["cereal", "x"], oov="skip").tolist() == [0, 1]
    assert model.mean_vector(["cereal", "x"], oov="zero").tolist() == [0, 0.5]
    with pytest.raises(UnknownWordError, match="'x' is not in the vocabulary"):
        model.mean_vector(["cereal", "x"])
    for words, oov, message in (
        ([], "error", "the mean of no word"),
        (["x"], "skip", "the mean of no known word"),
        ([("cereal", 0)], "error", "weights of a mean are all zero"),
        (["cereal"], "ignore", "oov must be one of"),
    ):
        with pytest.raises(SettingsError, match=message):
            model.mean_vector(words, oov=oov)


def test_added_words_are_found_at_once():
    """A field report: lengths were computed before words were added, and the next query failed."""
    model = random_embedding(1)
    model.most_similar("w0")
    model.most_similar("w0", by="context")
    more = model.with_vectors(["q", "r"], [model["w0"] * 3, -model["w0"]])
    assert more.most_similar("w0", topn=1)[0].word in {"q", *model.words}
    assert more.most_similar("w0", topn=1)[0].similarity == pytest.approx(1)
    assert more.rank("q", "w0") == 1 and len(model) == 60 and "q" not in model
    assert more.most_similar("w0", topn=99, by="context")[-1].word == "r"  # zeros, after all others
    with pytest.raises(FormatError, match="'w0' occurs more than once"):
        model.with_vectors(["w0"], [model["w0"]])
    with pytest.raises(ValueError, match="vectors of 3 dimensions do not fit those of 7"):
        model.with_vectors(["q"], [[1, 2, 3]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "dot"}, "by must be one of cosine, euclid, context; got 'dot'"),
        ({"clip_start": -1}, "clip_start must be a whole number of at least 0"),
        ({"clip_end": 0.5}, "clip_end must be a whole number"),
        ({"min_count": "5"}, "min_count must be a whole number; got '5'"),
        ({"restrict_vocab": 0}, "restrict_vocab must be a whole number of at least 1"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(SettingsError, match=message):
        random_embedding(1).most_similar("w1", **options)


def test_candidates_that_are_unknown_are_all_named_and_contexts_must_be_there():
    model = random_embedding(1)
    with pytest.raises(UnknownWordError, match=r"'x'.*'y'"):
        model.most_similar("w1", candidates=["x", "w2", "y"])
    assert [n.word for n in model.most_similar("w1", candidates="w2")] == ["w2"]
    assert model.most_similar("w1", candidates=[]) == []
    with pytest.raises(NotAvailableError, match="no context vectors C"):
        embedding(model.W).most_similar("w1", by="context")
    damaged = model.C.copy()
    damaged[8, 1] = np.nan
    with pytest.raises(FormatError, match="the context vector of 'w8'"):
        embedding(model.W, damaged).most_similar("w1", by="context")
