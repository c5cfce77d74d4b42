"""Two spaces side by side: linear CKA, neighbours, moved words, on spaces where the answer is known."""

import numpy as np
import pytest
import reference
from spaces import gaussian, rotation

from w2v.embedding import Embedding
from w2v.errors import AlignmentError, SettingsError
from w2v.geometry import blocks, compare_spaces
from w2v.geometry.comparison import linear_cka
from w2v.vocabulary import Vocabulary


def space(W, *, words=None, counts=None):
    words = [f"w{i}" for i in range(len(W))] if words is None else words
    return Embedding(Vocabulary(words, np.arange(len(W), 0, -1) + 100 if counts is None else counts), W)


@pytest.mark.parametrize(("d1", "d2"), [(4, 4), (3, 7)])
def test_linear_cka_is_that_of_the_gram_matrices(d1, d2):
    X, Y = gaussian(40, d1) + 1, gaussian(40, d2, seed=1)
    Y[:, :3] += 2 * X[:, :3]
    assert linear_cka(X, Y) == pytest.approx(reference.linear_cka_by_grams(X, Y))
    assert linear_cka(Y, X) == pytest.approx(linear_cka(X, Y))


def test_linear_cka_by_chunks(monkeypatch):
    X, Y = gaussian(41, 4), gaussian(41, 6, seed=1)
    whole = linear_cka(X, Y)
    monkeypatch.setattr(blocks.float64_blocks, "__defaults__", (8,))
    assert linear_cka(X, Y) == pytest.approx(whole)


def test_linear_cka_ignores_rotation_scale_and_shift_but_not_stretching():
    X = gaussian(60, 5)
    assert linear_cka(X, 3 * X @ rotation(5) - 7) == pytest.approx(1)
    assert linear_cka(X, X * [1, 1, 1, 1, 9]) < 0.7
    assert linear_cka(X, np.ones((60, 2))) == 0.0


def test_a_rotated_copy_is_the_same_space():
    X = gaussian(200, 8)
    found = compare_spaces(space(X), space(5 * X @ rotation(8)), neighbors=5, topn=3)
    assert (found.words, found.shared, found.neighbors) == (200, 200, 5)
    for value in (found.spaces.cka, found.spaces.overlap, found.spaces.nearest_kept, found.spaces.aligned_cosine):
        assert value == pytest.approx(1, abs=1e-5)
    assert found.chance.overlap == pytest.approx(5 / 199, abs=0.02) and found.chance.cka < 0.2
    assert found.chance.aligned_cosine < 0.4 and found.ceiling is None
    assert len(found.moved) == 3 and [band.first for band in found.bands] == [1, 51, 101, 151]


def test_words_that_are_asked_about_are_told_or_the_reason_why_not():
    X = gaussian(60, 5)
    a, b = space(X), space(X[:59], counts=[*[100] * 58, 7])
    chosen = compare_spaces(a, b, min_count=50, topn=2, words=["w30", "w3"]).asked
    whole = {moved.word: moved for moved in compare_spaces(a, b, min_count=50, topn=60).moved}
    assert chosen == (whole["w30"], whole["w3"])
    for word, options, reason in (
        ("w59", {}, "B does not know it"),
        ("w58", {}, "it is there 7 times in B; lower min_count=50"),
        ("w57", {"restrict_vocab": 40}, "not among the 40 words that are most frequent .*; raise restrict_vocab"),
    ):
        with pytest.raises(AlignmentError, match=f"'{word}' is not compared: .*{reason}"):
            compare_spaces(a, b, min_count=50, words=[word], **options)


@pytest.mark.parametrize("cells", [1 << 23, 500])
def test_neighbours_are_those_of_the_oracle(cells, monkeypatch):
    monkeypatch.setattr(blocks.score_slices, "__defaults__", (cells,))
    X, Y = gaussian(60, 5), gaussian(60, 5, seed=1)
    found = compare_spaces(space(X), space(X + Y), neighbors=4, topn=60)
    unit = [_prepared(M) for M in (X, X + Y)]
    near = [reference.neighbors(U, 4) for U in unit]
    kept = [len(set(a) & set(b)) / 4 for a, b in zip(*near, strict=True)]
    assert found.spaces.overlap == pytest.approx(np.mean(kept))
    assert found.spaces.nearest_kept == pytest.approx(np.mean([a[0] == b[0] for a, b in zip(*near, strict=True)]))
    assert found.spaces.cka == pytest.approx(reference.linear_cka_by_grams(*unit), abs=1e-6)
    turned = unit[0] @ reference.best_rotation(*unit)
    cosine = [reference.cosine_table([a], [b])[0, 0] for a, b in zip(turned, unit[1], strict=True)]
    assert found.spaces.aligned_cosine == pytest.approx(np.mean(cosine), abs=1e-6)
    assert [moved.word for moved in found.moved] == [f"w{i}" for i in np.argsort(cosine)]
    for moved in found.moved:
        i = int(moved.word[1:])
        assert moved.cosine == pytest.approx(cosine[i], abs=1e-6) and moved.overlap == kept[i]
        assert moved.neighbors_a == tuple(f"w{j}" for j in near[0][i])
        assert moved.neighbors_b == tuple(f"w{j}" for j in near[1][i])
    means = [np.mean(kept[k : k + 15]) for k in range(0, 60, 15)]
    assert [band.overlap for band in found.bands] == pytest.approx(means)


def _prepared(W):
    for step in range(3):
        W = W - W.mean(axis=0) if step == 1 else W / np.linalg.norm(W, axis=1, keepdims=True)
    return W


def test_words_that_were_moved_are_found():
    X = gaussian(400, 10)
    Y = X @ rotation(10)
    moved = [7, 100, 250]
    Y[moved] = gaussian(3, 10, seed=4)
    words = [f"w{i}" for i in range(400)]
    order = np.random.default_rng(2).permutation(400)  # the other model has its words in another order
    other = space(Y[order], words=[words[i] for i in order], counts=(500 - order).tolist())
    found = compare_spaces(space(X), other, topn=3)
    assert {word.word for word in found.moved} == {"w7", "w100", "w250"}
    assert all(word.cosine < 0.7 and word.counts == (500 - int(word.word[1:]),) * 2 for word in found.moved)
    assert found.spaces.aligned_cosine > 0.97


def test_the_ceiling_tells_unrest_from_change():
    """A word that any new seed puts elsewhere has not changed its meaning; with a ceiling it is not listed first."""
    X = gaussian(300, 10)
    Y, twin = X @ rotation(10), X @ rotation(10, 5)
    Y[[7, 8]] = gaussian(2, 10, seed=4)
    twin[[8]] = gaussian(1, 10, seed=6)
    found = compare_spaces(space(X), space(Y), ceiling=space(twin), topn=2)
    assert found.moved[0].word == "w7" and found.moved[0].ceiling > 0.9
    assert found.ceiling.aligned_cosine > found.spaces.aligned_cosine > found.chance.aligned_cosine
    assert all(band.ceiling_cosine > 0.9 and band.ceiling_overlap > 0.9 for band in found.bands)
    plain = compare_spaces(space(X), space(Y), topn=2)
    assert {word.word for word in plain.moved} == {"w7", "w8"} and plain.moved[0].ceiling is None


def test_only_words_that_all_models_know_well_are_compared():
    a = space(gaussian(30, 4), counts=[100] * 20 + [5] * 10)
    b = space(gaussian(25, 4, seed=1), words=[f"w{i}" for i in range(5, 30)], counts=[60] * 25)
    found = compare_spaces(a, b, neighbors=3, min_count=50)
    assert (found.words, found.shared, found.words_a, found.words_b) == (15, 15, 30, 25)
    few = compare_spaces(a, b, neighbors=3, min_count=50, restrict_vocab=6, topn=99)
    assert few.words == 6 and few.shared == 15 and len(few.moved) == 6
    with pytest.raises(AlignmentError, match="15 words with a count of 50 or more in each of the 2 models: too few"):
        compare_spaces(a, b, neighbors=14)
    with pytest.raises(AlignmentError, match="0 words"):
        compare_spaces(a, space(gaussian(9, 4), words=[f"x{i}" for i in range(9)]))


def test_models_of_different_dimensions_and_integer_keys():
    X = gaussian(100, 5)
    keys = list(range(1000, 1100))
    found = compare_spaces(space(X, words=keys), space(X @ gaussian(5, 9), words=keys), neighbors=5, topn=1)
    assert found.words == 100 and isinstance(found.moved[0].word, int)
    assert found.to_dict()["moved"][0]["word"] == found.moved[0].word


@pytest.mark.parametrize(
    "options", [{"restrict_vocab": 0}, {"min_count": -1}, {"neighbors": 0}, {"topn": -1}, {"topn": True}]
)
def test_settings_that_cannot_work(options):
    with pytest.raises(SettingsError, match=f"{next(iter(options))} must be a whole number"):
        compare_spaces(space(gaussian(20, 3)), space(gaussian(20, 3)), **options)
