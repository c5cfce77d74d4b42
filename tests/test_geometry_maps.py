"""Words on a plane: which words, the principal plane, t-SNE against its own definition, UMAP as an extra."""

import json
import sys
import types

import numpy as np
import pytest
import reference

import w2v
from w2v.errors import MissingExtraError, SettingsError, UnknownWordError
from w2v.geometry import map_words
from w2v.geometry.tsne import _gradient, affinities, tsne


@pytest.fixture
def space():
    """Three clouds of ten words around axes of their own."""
    rng = np.random.default_rng(4)
    W = np.repeat(np.eye(3, 12), 10, axis=0) + 0.1 * rng.standard_normal((30, 12))
    words = [f"{kind}{i}" for kind in ("red", "green", "blue") for i in range(10)]
    return w2v.Embedding(w2v.Vocabulary(words, rng.permutation(30) + 1), W)


def test_given_words_neighbours_frequent_words_and_analogies(space):
    found = map_words(
        space, ["red0", "blue0"], neighbors=3, frequent=2, analogies=[("red1", "green1", "red2", "green2")]
    )
    frequent = [space.words[i] for i in np.argsort(-space.counts)[:2]]
    expected = [*dict.fromkeys(["red0", "blue0", "red1", "green1", "red2", "green2", *frequent])]
    assert list(found.words[: found.given]) == expected
    near = {n.word for word in ("red0", "blue0") for n in space.most_similar(word, topn=3)}
    assert set(found.words) == set(expected) | near
    groups = dict(zip(found.words, found.group.tolist(), strict=True))
    assert all(groups[word] == 1 for word in near - set(expected) if word.startswith("blue"))
    assert [(found.words[i], found.words[j]) for i, j in found.arrows] == [("red1", "green1"), ("red2", "green2")]
    assert json.dumps(found.to_dict())
    few = map_words(space, ["red0"], neighbors=5, restrict_vocab=7)
    assert set(few.words[1:]) <= set(space.words[:7])


def test_the_plane_is_that_of_the_first_two_components(space):
    found = map_words(space, space.words)
    unit = reference.unit_rows(space.W.astype(np.float64))
    values, vectors = np.linalg.eigh(np.cov(unit.T, bias=True))
    plane = (unit - unit.mean(axis=0)) @ vectors[:, ::-1][:, :2]
    np.testing.assert_allclose(np.abs(found.points), np.abs(plane), atol=1e-6)
    assert found.explained == pytest.approx(values[::-1][:2] / values.sum())
    two = map_words(space, ["red0", "blue0"])
    assert two.explained == pytest.approx((1, 0)) and two.points[:, 1] == pytest.approx(0)


def test_affinities_have_the_perplexity_asked_for():
    X = np.random.default_rng(2).standard_normal((25, 4))
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    p = affinities(squared, 6.0)
    np.testing.assert_allclose(p, p.T)
    assert p.sum() == pytest.approx(1) and np.all(np.diag(p) == 0)
    # the symmetric matrix hides the rows; a single far point keeps its own: its row is (p_j|i + p_i|j)/2n
    for i in (0, 7):
        low, high = 0.0, 1e6
        others = np.delete(squared[i], i)
        for _ in range(200):
            beta = (low + high) / 2
            weights = np.exp(-(others - others.min()) * beta)
            q = weights / weights.sum()
            low, high = (beta, high) if np.exp(-(q * np.log(q + 1e-300)).sum()) > 6 else (low, beta)
        assert np.all(np.delete(p[i], i) >= q / 50 - 1e-9), "at least its own half of the sum"


def test_the_gradient_is_that_of_the_divergence():
    rng = np.random.default_rng(3)
    X, points = rng.standard_normal((9, 3)), rng.standard_normal((9, 2))
    p = affinities(((X[:, None] - X[None]) ** 2).sum(axis=2), 3.0)
    found, step = _gradient(p, points), 1e-6
    for i, axis in ((0, 0), (4, 1), (8, 0)):
        moved = [points.copy(), points.copy()]
        moved[0][i, axis] += step
        moved[1][i, axis] -= step
        slope = (reference.kl_of_plane(p, moved[0]) - reference.kl_of_plane(p, moved[1])) / (2 * step)
        assert found[i, axis] == pytest.approx(slope, rel=1e-4, abs=1e-7)


def test_tsne_keeps_clouds_together_and_lowers_the_divergence(space):
    found = map_words(space, space.words, method="tsne", perplexity=5)
    assert found.explained is None and np.isfinite(found.points).all()
    kinds = np.repeat([0, 1, 2], 10)
    distance = np.linalg.norm(found.points[:, None] - found.points[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    assert (kinds[distance.argmin(axis=1)] == kinds).all()
    unit = reference.unit_rows(space.W.astype(np.float64))
    p = affinities(((unit[:, None] - unit[None]) ** 2).sum(axis=2), 5.0)
    start = map_words(space, space.words).points
    assert reference.kl_of_plane(p, found.points) < 0.5 * reference.kl_of_plane(p, start)
    np.testing.assert_array_equal(found.points, map_words(space, space.words, method="tsne", perplexity=5).points)


def test_equal_vectors_do_no_harm():
    same = np.ones((6, 3))
    assert np.isfinite(tsne(same, np.zeros((6, 2)), iterations=50)).all()
    e = w2v.Embedding(w2v.Vocabulary(list("abcdef"), np.arange(6, 0, -1)), same)
    assert np.isfinite(map_words(e, "abcdef").points).all()


def test_what_cannot_be_drawn_is_refused(space):
    with pytest.raises(UnknownWordError, match="red77"):
        map_words(space, ["red77"])
    for words, more, message in (
        (["red0"], {}, "at least two words"),
        (["red0", "red1"], {"method": "mds"}, "one of pca, tsne, umap"),
        (["red0", "red1"], {"method": "tsne"}, "4 to 4,000 words"),
        (["red0", "red1", "red2", "red3"], {"method": "tsne", "perplexity": 1}, "above 1"),
        ([], {"analogies": [("red0", "red1")]}, "four words"),
    ):
        with pytest.raises(SettingsError, match=message):
            map_words(space, words, **more)


def test_umap_is_an_extra(space, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(MissingExtraError, match=r"w2v\[umap\]"):
        map_words(space, space.words, method="umap")
    asked = {}

    class Model:
        def __init__(self, **options):
            asked.update(options)

        def fit_transform(self, X):
            return X[:, :2]

    monkeypatch.setitem(sys.modules, "umap", types.SimpleNamespace(UMAP=Model))
    found = map_words(space, space.words, method="umap", seed=7)
    assert asked["random_state"] == 7 and found.points.shape == (30, 2)
    with pytest.raises(SettingsError, match="at least 4"):
        map_words(space, ["red0", "red1"], method="umap")
