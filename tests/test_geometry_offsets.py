"""Why analogies work: planted parallelograms, ranks and gaps by hand, csPMI of counted pairs."""

import json

import numpy as np
import pytest
import reference

import w2v
from w2v.errors import SettingsError, UnknownWordError
from w2v.geometry import explain_analogy, offset_statistics
from w2v.pmi import count_pairs, cs_pmi
from w2v.settings import ContextSettings, CorpusSettings

WORDS = ["man", "woman", "king", "queen", *(f"w{i}" for i in range(40))]


@pytest.fixture
def planted():
    """A space in which queen is king - man + woman exactly, among other words; all of unit length."""
    rng = np.random.default_rng(2)
    male, female = np.array([0.5, 0.1, 0]), np.array([0.5, -0.1, 0])
    royal = np.array([0, 0, 0.4])
    four = [np.concatenate([v, np.zeros(9)]) for v in (male, female, male + royal, female + royal)]
    W = np.zeros((44, 14))
    W[:4, :12] = four
    for row in W[:4]:  # two dimensions more take each to length 1, both alike for each pair
        row[12] = np.sqrt(1 - row @ row)
    W[:4] /= np.linalg.norm(W[:4], axis=1, keepdims=True)
    W[4:] = rng.standard_normal((40, 14))
    return w2v.Embedding(w2v.Vocabulary(WORDS, np.arange(44, 0, -1)), W)


def ranking(embedding, query, left_out=()):
    unit = reference.unit_rows(embedding.W.astype(np.float64))
    order = np.argsort(-(unit @ query), kind="stable")
    return [embedding.words[i] for i in order if embedding.words[i] not in left_out]


def test_a_planted_analogy_is_explained(planted):
    found = explain_analogy(planted, a="man", b="king", c="woman")
    assert found.answer == "queen" and found.rank == 1 and found.right is None
    assert found.gap < 0.02 and found.cosine_of_offsets > 0.99 and found.cosine_of_crossed_offsets > 0.99
    assert found.cosine_to_target > 0.999
    assert json.dumps(found.to_dict())


def test_every_number_is_the_one_by_hand():
    rng = np.random.default_rng(5)
    W = (rng.standard_normal((60, 7)) + 0.5).astype(np.float32)
    e = w2v.Embedding(w2v.Vocabulary([f"w{i}" for i in range(60)], np.arange(60, 0, -1)), W)
    found = explain_analogy(e, a="w3", b="w10", c="w20", right="w41", topn=4)
    unit = reference.unit_rows(W.astype(np.float64))
    a, b, c, d = unit[[3, 10, 20, 41]]
    target, inputs = b - a + c, ("w3", "w10", "w20")
    assert found.rank == ranking(e, target, inputs).index("w41") + 1
    assert found.rank_near_b == ranking(e, b, inputs).index("w41") + 1
    assert found.rank_near_c == ranking(e, c, inputs).index("w41") + 1
    assert found.nearest_to_b.word == ranking(e, b, inputs)[0] and found.nearest_to_c.word == ranking(e, c, inputs)[0]
    assert found.nearest_to_target.word == ranking(e, target)[0]
    assert [n.word for n in found.answers] == ranking(e, target, inputs)[:4]
    assert found.gap == pytest.approx(np.linalg.norm(target - d), rel=1e-5)
    assert found.gap_to_b == pytest.approx(np.linalg.norm(c - a), rel=1e-5)
    assert found.cosine_to_target == pytest.approx(reference.cosine(target, d), abs=1e-6)
    assert found.cosine_of_offsets == pytest.approx(reference.cosine(b - a, d - c), abs=1e-6)
    assert found.cosine_of_crossed_offsets == pytest.approx(reference.cosine(c - a, d - b), abs=1e-6)
    assert found.cosines["a-d"] == pytest.approx(a @ d, abs=1e-6)
    few = explain_analogy(e, a="w3", b="w10", c="w20", right="w41", restrict_vocab=30)
    among = [w for w in ranking(e, target, inputs) if int(w[1:]) < 30 or w == "w41"]
    assert few.rank == among.index("w41") + 1


def test_what_cannot_be_explained_is_refused(planted):
    with pytest.raises(UnknownWordError, match=r"'quen'.*queen"):
        explain_analogy(planted, a="man", b="king", c="woman", right="quen")
    with pytest.raises(SettingsError, match="'king' is one of the three"):
        explain_analogy(planted, a="man", b="king", c="woman", right="king")
    three = w2v.Embedding(w2v.Vocabulary(["a", "b", "c"], [3, 2, 1]), np.eye(3))
    with pytest.raises(SettingsError, match="no word is left"):
        explain_analogy(three, a="a", b="b", c="c")
    same = explain_analogy(planted, a="man", b="man", c="woman")
    assert same.cosine_of_offsets is None, "no offset, no angle"


def test_offset_statistics_are_the_means_by_hand():
    rng = np.random.default_rng(8)
    unit = reference.unit_rows(rng.standard_normal((30, 6)))
    quads = rng.permutation(30)[:20].reshape(5, 4)
    found = offset_statistics(unit.astype(np.float32), quads, cells=60)
    a, b, c, d = (unit[column] for column in quads.T)
    rows = range(5)
    assert found.questions == 5
    assert found.gap == pytest.approx(np.mean([np.linalg.norm(b[i] - a[i] + c[i] - d[i]) for i in rows]), rel=1e-5)
    cosines = [reference.cosine(b[i] - a[i], d[i] - c[i]) for i in rows]
    assert found.cosine_of_offsets == pytest.approx(np.mean(cosines), abs=1e-6)
    mixed = [reference.cosine(b[i] - a[i], d[j] - c[i]) for i in rows for j in rows if i != j]
    assert found.cosine_of_shuffled_offsets == pytest.approx(np.mean(mixed), abs=1e-6)
    assert found.cosine_b_d == pytest.approx(np.mean((b * d).sum(axis=1)), abs=1e-6)
    kept = [np.argmax(unit @ (b[i] - a[i] + c[i])) == quads[i, 3] for i in rows]
    assert found.inputs_kept == np.mean(kept)
    nothing = offset_statistics(unit.astype(np.float32), quads[:0])
    assert nothing.questions == 0 and nothing.gap is None
    assert offset_statistics(unit.astype(np.float32), quads[:1]).cosine_of_shuffled_offsets is None


def test_parallel_offsets_are_told_from_words_of_a_kind():
    rng = np.random.default_rng(3)
    base = rng.standard_normal((10, 50))
    kind = rng.standard_normal(50) * 2
    own = rng.standard_normal((10, 50))
    pairs = np.array([(i, j) for i in range(10) for j in range(10) if i != j])
    quads = np.column_stack([pairs[:, 0], pairs[:, 0] + 10, pairs[:, 1], pairs[:, 1] + 10])
    parallel = reference.unit_rows(np.concatenate([base, base + kind])).astype(np.float32)
    found = offset_statistics(parallel, quads)
    assert found.cosine_of_offsets - found.cosine_of_shuffled_offsets > 0.1
    unrelated = reference.unit_rows(np.concatenate([base, own + kind])).astype(np.float32)
    found = offset_statistics(unrelated, quads)
    assert abs(found.cosine_of_offsets - found.cosine_of_shuffled_offsets) < 0.05


def test_cspmi_is_that_of_the_counts():
    from w2v.corpus import encode_sentences

    rng = np.random.default_rng(1)
    sentences = [[f"w{i}" for i in rng.zipf(1.5, 12) if i < 9] for _ in range(60)]
    settings = ContextSettings(window=2, sample=0)
    with encode_sentences(sentences, CorpusSettings(min_count=1)) as corpus:
        counts = count_pairs(corpus, settings)
    a = counts.matrix().toarray()
    p, alone = a / a.sum(), a.sum(axis=1) / a.sum()
    pairs = [(0, 1), (1, 0), (2, 2), (0, counts.size - 1), (counts.size - 1, counts.size - 1)]
    expected = [np.log(p[x, y] ** 2 / (alone[x] * alone[y])) if p[x, y] else np.nan for x, y in pairs]
    np.testing.assert_allclose(cs_pmi(counts, pairs), expected, rtol=1e-9)
    assert np.isnan(expected).any() and np.isfinite(expected).any()
