"""Each factorisation against dense numpy on a small vocabulary, and as an embedding like any other."""

import numpy as np
import pytest
import reference
from test_pmi_association import oracle
from test_pmi_counting import CORPUS, dense, zipfian

from w2v.embedding import load
from w2v.errors import SettingsError
from w2v.pmi import NoiseLaw, count_pairs, factorize, factorize_karkada
from w2v.settings import ContextSettings, FactorizationSettings

COUNTS = count_pairs(CORPUS, ContextSettings(window=3, sample=0))
WIDER = count_pairs(zipfian(20_000, 450, 300, seed=8), ContextSettings(window=3, sample=0))  # large enough for ARPACK
LAW = NoiseLaw(negative=3)


def dense_matrix(counts, settings, law):
    """Return the whole matrix of the oracle."""
    a, b = oracle(counts, law or NoiseLaw(negative=settings.shift, ns_exponent=settings.context_smoothing))
    match settings.matrix:
        case "pmi":
            return reference.filled(reference.pmi(a, settings.context_smoothing) - np.log(settings.shift))
        case "ppmi":
            return reference.ppmi(a, settings.context_smoothing)
        case "sppmi" if law is None:
            return reference.sppmi(a, settings.shift, settings.context_smoothing)
        case "sppmi":
            return reference.positive_target(a, b)
        case "target":
            return reference.filled(reference.target(a, b))
        case "mstar":
            return reference.mstar(a, b)


@pytest.mark.parametrize("counts", [COUNTS, WIDER], ids=["dense", "arpack"])
@pytest.mark.parametrize("law", [None, LAW], ids=["own", "law"])
@pytest.mark.parametrize("matrix", ["pmi", "ppmi", "sppmi", "target", "mstar"])
def test_equals_the_dense_decomposition(counts, law, matrix):
    shift = 1.0 if matrix == "ppmi" else 2.0
    settings = FactorizationSettings(matrix=matrix, vector_size=6, shift=shift, eig=0.3, context_smoothing=0.75)
    found = factorize(counts, settings, law=law)
    M = dense_matrix(counts, settings, law)
    rank = 6 + (matrix == "mstar")
    S = np.linalg.svd(M, compute_uv=False)
    np.testing.assert_allclose(found.values, S[:rank], rtol=2e-4)
    U, s, Vt = np.linalg.svd(M)
    W, C = found.factors()
    np.testing.assert_allclose(W @ C.T, (U[:, :rank] * s[:rank]) @ Vt[:rank], atol=2e-3 * s[0] / 10)
    assert found.residual < 1e-3
    np.testing.assert_allclose(np.linalg.norm(W, axis=0), s[:rank] ** 0.3, rtol=1e-3)


@pytest.mark.parametrize("matrix", ["pmi", "ppmi", "sppmi"])
def test_symmetric_matrices_take_the_shorter_way(matrix):
    settings = FactorizationSettings(matrix=matrix, vector_size=5)
    found = factorize(WIDER, settings)
    S = np.linalg.svd(dense_matrix(WIDER, settings, None), compute_uv=False)
    np.testing.assert_allclose(found.values, S[:5], rtol=2e-4)
    assert found.residual < 1e-3


def test_plane_of_mstar_is_set_apart():
    found = factorize(WIDER, FactorizationSettings(matrix="mstar", vector_size=4), law=LAW)
    assert found.values[0] > 10 * found.values[1]
    assert found.factors()[0].shape == (WIDER.size, 5)
    assert found.factors(plane=False)[0].shape == (WIDER.size, 4)
    assert found.embedding().vector_size == 4


def test_repeats_and_saves(tmp_path):
    settings = FactorizationSettings(matrix="ppmi", vector_size=7)
    one, two = factorize(WIDER, settings), factorize(WIDER, settings)
    assert np.array_equal(one.U, two.U)
    one.embedding(corpus={"kind": "sentences"}).save(tmp_path / "ppmi.safetensors")
    back = load(tmp_path / "ppmi.safetensors")
    assert back.settings["factorization"] == settings.to_dict()
    assert back.settings["context"] == WIDER.context.to_dict()
    assert back.provenance["residual"] < 1e-3
    np.testing.assert_array_equal(back.W, one.factors()[0])


def test_karkada_takes_the_largest_positive_eigenvalues():
    for counts in (COUNTS, WIDER):
        a = dense(counts)
        P = a / a.sum()
        single = P.sum(axis=1)
        product = np.outer(single, single)
        M = (P - product) / ((P + product) / 2)
        values, vectors = np.linalg.eigh(M)
        keep = np.argsort(-values)[:4]
        W = factorize_karkada(counts, 4)
        expected = (vectors[:, keep] * values[keep]) @ vectors[:, keep].T
        np.testing.assert_allclose(W @ W.T, expected, atol=5e-3)


def test_bounded_matrix_gives_a_bounded_vocabulary():
    found = factorize(COUNTS.head(31), FactorizationSettings(vector_size=3))
    assert len(found.embedding()) == 31
    assert found.embedding().words == COUNTS.vocabulary.words[:31]


def test_what_cannot_be_factorised_is_refused():
    with pytest.raises(SettingsError, match="vector_size = 60"):
        factorize(COUNTS, FactorizationSettings(matrix="mstar", vector_size=60))
    with pytest.raises(SettingsError, match="sppmi"):
        factorize(COUNTS, FactorizationSettings(matrix="ppmi", shift=5, vector_size=3))
    with pytest.raises(SettingsError, match="vector_size"):
        factorize_karkada(COUNTS, 60)
