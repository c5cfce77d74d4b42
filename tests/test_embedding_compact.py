"""Models in float16 and int8: how much is lost, what is refused, and that arithmetic is in float32."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from w2v.embedding import Embedding, compact, load, storage
from w2v.embedding.writing import verify
from w2v.errors import FormatError, SettingsError
from w2v.vocabulary import Vocabulary


def embedding(V=7, d=5, context=True, seed=0):
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((V, d)).astype(np.float32)
    return Embedding(Vocabulary([f"w{i}" for i in range(V)], list(range(V, 0, -1))), W, -2 * W if context else None)


@pytest.mark.parametrize("dtype", ["float16", "int8"])
@pytest.mark.parametrize("V", [1, 7, 8])
@pytest.mark.parametrize("context", [True, False])
def test_rows_come_back_within_their_rounding(tmp_path, monkeypatch, dtype, V, context):
    monkeypatch.setattr(compact, "CHUNK_ROWS", 3)
    monkeypatch.setattr(storage, "CHUNK_BYTES", 11)
    model = embedding(V, context=context)
    model.save(tmp_path / "m", dtype=dtype)
    back = load(tmp_path / "m")
    assert back.words == model.words and back.counts.tolist() == model.counts.tolist()
    assert (back.C is None) != context
    for exact, found in [(model.W, back.W)] + [(model.C, back.C)] * context:
        assert found.dtype == np.float32
        if dtype == "float16":
            assert np.array_equal(found, exact.astype(np.float16).astype(np.float32))
        else:
            steps = np.abs(exact).max(axis=1, keepdims=True) / 127
            assert np.all(np.abs(found - exact) <= steps * 0.5001)
            assert np.allclose(np.abs(found).max(axis=1), np.abs(exact).max(axis=1))
    assert back.similarity("w0", "w0") == pytest.approx(1.0, abs=1e-12)
    verify(model, tmp_path / "m", dtype=dtype)
    tensors = load_file(tmp_path / "m")  # the reference reader
    assert tensors["W"].dtype == dtype and tensors["counts"].tolist() == model.counts.tolist()
    if dtype == "int8":
        assert tensors["W_scales"].shape == (V,)


def test_the_files_are_smaller_and_float32_is_version_1_as_ever(tmp_path):
    model = embedding(500, 40)
    sizes = []
    for dtype in ("float32", "float16", "int8"):
        model.save(tmp_path / dtype, dtype=dtype)
        sizes.append((tmp_path / dtype).stat().st_size)
        version = b'"format_version":"1"' if dtype == "float32" else b'"format_version":"2"'
        assert version in (tmp_path / dtype).read_bytes()[:2000]
    assert sizes[1] < 0.6 * sizes[0] and sizes[2] < 0.35 * sizes[0]
    with pytest.raises(SettingsError, match="stored as float32, float16, int8; got 'float8'"):
        model.save(tmp_path / "x", dtype="float8")
    assert not (tmp_path / "x").exists()


def test_numbers_that_do_not_fit_are_refused_with_their_word(tmp_path):
    for value, dtype, message in [
        (1e5, "float16", r"the vector of 'w4' \(row 4 of W\) holds 100000.0, which float16 cannot"),
        (np.nan, "int8", r"the vector of 'w4' \(row 4 of W\) holds NaN or infinity, which int8 cannot"),
        (np.inf, "int8", "holds NaN or infinity"),
    ]:
        W = embedding().W.copy()
        W[4, 2] = value
        model = Embedding(Vocabulary([f"w{i}" for i in range(7)], [1] * 7), W)
        with pytest.raises(FormatError, match=message):
            model.save(tmp_path / "m", dtype=dtype)
        assert not list(tmp_path.iterdir())
    zero = Embedding(Vocabulary(["a", "b"], [1, 1]), [[0.0, 0.0], [1e-30, -1e-30]])
    zero.save(tmp_path / "z", dtype="int8")
    np.testing.assert_allclose(load(tmp_path / "z").W, zero.W, rtol=1e-6)


numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=5))
def test_any_finite_rows_survive_int8(tmp_path, rows):
    W = np.array(rows, dtype=np.float32)
    model = Embedding(Vocabulary(list(range(len(W))), [1] * len(W)), W)
    model.save(tmp_path / "m", dtype="int8", force=True)
    found = load(tmp_path / "m").W.astype(np.float64)
    # half a step, and what float32 itself rounds at the lower end of its range
    allowed = np.abs(W.astype(np.float64)).max(axis=1, keepdims=True) / 127 * 0.51 + 127 * 2.0**-149
    assert np.all(np.abs(found - W) <= allowed)


def test_a_scale_that_is_missing_or_too_short_is_told(tmp_path):
    embedding(3, context=False).save(tmp_path / "m", dtype="int8")
    tensors = load_file(tmp_path / "m")
    metadata = safe_open(tmp_path / "m", "numpy").metadata()
    short = {**tensors, "W_scales": tensors["W_scales"][:2]}
    save_file(short, tmp_path / "n", metadata)
    with pytest.raises(FormatError, match="2 scales but 3 rows of W"):
        load(tmp_path / "n")
    del short["W_scales"]
    save_file(short, tmp_path / "o", metadata)
    with pytest.raises(FormatError, match="the tensor 'W_scales' is missing"):
        load(tmp_path / "o")
