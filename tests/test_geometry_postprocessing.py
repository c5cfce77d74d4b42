"""Postprocessing: what each step does, its provenance, and what is refused."""

import numpy as np
import pytest
import reference

import w2v
from w2v.errors import FormatError, SettingsError
from w2v.geometry import STEPS, Step, parse_step, parse_steps, postprocess
from w2v.geometry.blocks import BLOCK_ROWS


@pytest.fixture
def lopsided():
    rng = np.random.default_rng(3)
    W = (rng.standard_normal((400, 8)) * [5, 2, 1, 1, 1, 0.5, 0.5, 0.1] @ rng.standard_normal((8, 8)) + 2).astype(
        np.float32
    )
    vocabulary = w2v.Vocabulary([f"w{i}" for i in range(400)], np.arange(400, 0, -1))
    return w2v.Embedding(
        vocabulary, W, W, settings={"context": {"window": 5}}, provenance={"algorithm": "SGNS"}, losses=[2.5]
    )


def covariance(W):
    return np.cov(W.astype(np.float64).T, bias=True)


def test_center_and_unit(lopsided):
    W = postprocess(lopsided, "center").W
    np.testing.assert_allclose(W, lopsided.W - lopsided.W.mean(axis=0, dtype=np.float64), atol=1e-5)
    assert np.linalg.norm(postprocess(lopsided, "unit").W, axis=1) == pytest.approx(1, abs=1e-6)
    with_zero = w2v.Embedding(w2v.Vocabulary(["a", "b"], [2, 1]), [[0, 0], [3, 4]])
    np.testing.assert_allclose(postprocess(with_zero, "unit").W, [[0, 0], [0.6, 0.8]], rtol=1e-6)


def test_no_words_at_all():
    with pytest.raises(FormatError, match="no words to postprocess"):
        postprocess(w2v.Embedding(w2v.Vocabulary([], []), np.zeros((0, 2))), "center")


@pytest.mark.parametrize("D", [1, 3, 7])
def test_all_but_the_top(lopsided, D):
    np.testing.assert_allclose(postprocess(lopsided, f"abtt={D}").W, reference.remove_top(lopsided.W, D), atol=2e-4)


def test_all_but_the_top_takes_a_hundredth_unless_told():
    W = np.random.default_rng(1).standard_normal((600, 250)).astype(np.float32)
    e = w2v.Embedding(w2v.Vocabulary(list(range(600)), np.ones(600)), W)
    np.testing.assert_array_equal(postprocess(e, "abtt").W, postprocess(e, "abtt=2").W)


def test_whitening_makes_the_covariance_the_unit_matrix(lopsided):
    pca, zca = (postprocess(lopsided, f"whiten={kind}").W for kind in ("pca", "zca"))
    for W in (pca, zca):
        np.testing.assert_allclose(covariance(W), np.eye(8), atol=1e-4)
        np.testing.assert_allclose(W.mean(axis=0, dtype=np.float64), 0, atol=1e-5)
    np.testing.assert_allclose(pca @ pca.T, zca @ zca.T, atol=1e-3)  # the same up to a rotation
    centered = lopsided.W - lopsided.W.mean(axis=0)
    assert ((zca - centered) ** 2).sum() < ((pca - centered) ** 2).sum(), "zca is the nearest whitening"
    np.testing.assert_array_equal(postprocess(lopsided, "whiten").W, zca)
    np.testing.assert_allclose(postprocess(lopsided, ["whiten=zca", "whiten=zca"]).W, zca, atol=1e-4)


def test_a_dimension_without_variance_is_not_blown_up(lopsided):
    flat = np.column_stack([lopsided.W, lopsided.W[:, 0] * 2, np.ones(400)])
    e = w2v.Embedding(lopsided.vocabulary, flat)
    pca, zca = postprocess(e, "whiten=pca"), postprocess(e, "whiten=zca")
    assert pca.vector_size == 8 and zca.vector_size == 10
    assert np.linalg.matrix_rank(zca.W, tol=1e-2) == 8 and np.abs(zca.W).max() < 10
    with pytest.raises(SettingsError, match="no variance"):
        postprocess(w2v.Embedding(lopsided.vocabulary, np.ones((400, 3))), "whiten")


def test_pca_keeps_the_largest_components(lopsided):
    reduced = postprocess(lopsided, "pca=3")
    assert reduced.vector_size == 3
    variances = np.linalg.eigvalsh(covariance(lopsided.W))[::-1]
    np.testing.assert_allclose(covariance(reduced.W), np.diag(variances[:3]), atol=1e-2)
    whole = postprocess(lopsided, "pca=8").W
    centered = lopsided.W - lopsided.W.mean(axis=0)
    np.testing.assert_allclose(whole @ whole.T, centered @ centered.T, atol=0.05)


def test_steps_are_applied_in_the_order_given(lopsided):
    first, second = postprocess(lopsided, "center unit"), postprocess(lopsided, ["unit", Step("center")])
    assert np.linalg.norm(first.W, axis=1) == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(second.W.mean(axis=0, dtype=np.float64), 0, atol=1e-6)
    assert np.linalg.norm(second.W, axis=1).std() > 0.01


def test_blocks_do_not_show_and_fitting_can_be_bounded():
    n = BLOCK_ROWS + 5
    W = np.random.default_rng(2).standard_normal((n, 4)).astype(np.float32)
    counts = np.arange(n) + 1  # the last rows are the most frequent
    e = w2v.Embedding(w2v.Vocabulary(list(range(n)), counts), W)
    np.testing.assert_allclose(postprocess(e, "center").W, W - W.mean(axis=0, dtype=np.float64), atol=1e-6)
    np.testing.assert_allclose(postprocess(e, "center", fit_words=10).W, W - W[-10:].mean(axis=0), atol=1e-5)


def test_the_provenance_tells_what_was_done(lopsided, tmp_path):
    made = postprocess(postprocess(lopsided, "center abtt=2"), "unit", fit_words=50)
    made.save(tmp_path / "made.safetensors")
    read = w2v.load(tmp_path / "made.safetensors")
    assert [s["step"] for s in read.provenance["postprocessing"]] == ["center", "abtt=2", "unit"]
    assert read.provenance["postprocessing"][2]["fit_words"] == 50
    assert read.provenance["algorithm"] == "SGNS" and read.settings == lopsided.settings
    assert read.C is None and read.words == lopsided.words and read.losses == (2.5,)
    assert "postprocessing" not in lopsided.provenance and lopsided.C is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [("centre", "steps are center"), ("unit=1", "no value"), ("abtt=0", "at least 1"), ("abtt=", "no step"),
     ("whiten=cholesky", "one of pca, zca"), ("pca", "pca=50"), ("pca=-3", "at least 1"), ("abtt=²", "at least 1")],
)  # fmt: skip
def test_a_step_that_cannot_be_read_is_refused(text, message):
    with pytest.raises(SettingsError, match=message):
        parse_step(text)


def test_a_step_that_cannot_be_applied_is_refused(lopsided):
    for steps, message in (("pca=9", "more than the 8"), ("abtt=8", "nothing of 8"), ("", "no step was given")):
        with pytest.raises(SettingsError, match=message):
            postprocess(lopsided, steps)
    with pytest.raises(SettingsError, match="fit_words"):
        postprocess(lopsided, "center", fit_words=1)
    broken = w2v.Embedding(w2v.Vocabulary(["a", "b"], [2, 1]), [[np.inf, 1], [0, 1]])
    with pytest.raises(FormatError, match="'a'"):
        postprocess(broken, "center")


def test_steps_are_written_as_they_are_read():
    texts = ("center", "unit", "abtt", "abtt=3", "whiten=pca", "pca=50")
    assert [str(step) for step in parse_steps(texts)] == list(texts)
    assert len(STEPS) == 5
