"""numpy's files: read without ever opening a pickle, sizes believed only as far as there are bytes."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from w2v.embedding import Embedding, load, numpy_files, recognise
from w2v.embedding.writing import write
from w2v.errors import FormatError, SettingsError
from w2v.vocabulary import Vocabulary

WORDS = ["the", "new york", "月"]
W = np.array([[0.5, -1.25], [1e30, -0.0], [0.1, 3e-7]], dtype=np.float32)


def words_file(tmp_path, words=WORDS):
    path = tmp_path / "words.txt"
    path.write_text("".join(f"{w}\n" for w in words), encoding="utf-8")
    return path


def npy(array, **options):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), **options)
    return buffer.getvalue()


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f2", "<f8", ">f8", "<i4", "i1", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_with_a_list_of_words(tmp_path, dtype, order, version):
    array = np.asarray([[1, 2, 3], [4, 5, 6], [7, 8, 100]]).astype(dtype, order=order)
    data = npy(array, version=version)
    (tmp_path / "v").write_bytes(data)
    assert recognise(tmp_path / "v") == "npy"
    model = load(tmp_path / "v", tokens=words_file(tmp_path))
    assert model.words == WORDS and model.W.dtype == np.float32
    assert model["月"].tolist() == [7, 8, 100]
    (tmp_path / "v.gz").write_bytes(gzip.compress(data))
    assert np.array_equal(load(tmp_path / "v.gz", tokens=words_file(tmp_path)).W, model.W)


def test_float32_is_mapped(tmp_path):
    np.save(tmp_path / "v.npy", W)
    model = load(tmp_path / "v.npy", tokens=words_file(tmp_path))
    assert not model.W.flags.owndata and model.W.tobytes() == W.tobytes()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (npy(np.array([[1, "a"]], dtype=object)), "holds Python objects, that is a pickle, which is never opened"),
        (npy(np.ones(3)), r"holds an array float64 \[3\]; a matrix"),
        (npy(np.ones((3, 0))), "a matrix .* was expected"),
        (npy(np.ones((3, 2), complex)), "header of a plain array expected"),
        (npy(np.ones(3, [("a", "f4")])), "header of a plain array expected"),
        (npy(W)[:-1], r"needs 24 bytes of data, the file holds 23"),
        (npy(W) + b"x", r"needs 24 bytes of data, the file holds 25"),
        (npy(W).replace(b"(3, 2)", b"(3,99)"), "needs 1188 bytes of data, the file holds 24"),
        (npy(W).replace(b"(3, 2), }" + b" " * 20, b"(" + b"9" * 19 + b", 9), }"), "needs 359999999999999999964 bytes"),
        (npy(W).replace(b"(3, 2), }" + b" " * 20, b"(" + b"9" * 19 + b", 0), }"), "impossible array"),
        (npy(W).replace(b"(3, 2)", b"(3,-2)"), "header of a plain array expected"),
        (npy(W).replace(b"<f4", b"<f7"), "unknown element type"),
        (npy(W).replace(b"<f4", b"|O8"), "holds Python objects"),
        (npy(W)[:9], "header of a plain array expected"),
        (b"\x93NUMPY\x09\0v\0", "not a numpy array of a known version"),
        (b"\x93NUMPY\x02\0\xff\xff\xff\x7f", "a numpy header of 2147483647 bytes; 65536 are allowed"),
        (npy(np.ones((2, 2))), r"lists 3 tokens up to row 2, but the matrix in .* has 2 rows of 2"),
        (npy(np.ones((4, 2))), r"lists 3 tokens, but the matrix in .* has 4 rows of 2 numbers"),
    ],
)
def test_npy_that_cannot_be_read_is_told(tmp_path, data, message):
    for name, content in (("plain", data), ("packed", gzip.compress(data))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FormatError, match=message):
            load(tmp_path / name, tokens=words_file(tmp_path))


def test_npy_needs_words_and_nothing_else(tmp_path):
    np.save(tmp_path / "v.npy", W)
    with pytest.raises(FormatError, match="a numpy array without words; give the file of its words"):
        load(tmp_path / "v.npy")
    with pytest.raises(SettingsError, match="holds one matrix only"):
        load(tmp_path / "v.npy", tokens=words_file(tmp_path), tensor="x")


# ---------------------------------------------------------------- npz


def test_npz_with_its_words_inside_or_beside(tmp_path):
    np.savez(tmp_path / "a.npz", vectors=W, words=np.array(WORDS))
    model = load(tmp_path / "a.npz")
    assert recognise(tmp_path / "a.npz") == "npz"
    assert model.words == WORDS and model.W.tobytes() == W.tobytes()
    np.savez_compressed(tmp_path / "b.npz", x=W, y=2 * W, note=np.array("made by hand"))
    model = load(tmp_path / "b.npz", tokens=words_file(tmp_path), tensor="y")
    assert model.words == WORDS and model.W.tobytes() == (2 * W).tobytes()
    with pytest.raises(FormatError, match=r"holds 2 matrices; choose one with --tensor NAME: x .*\[3, 2\], y"):
        load(tmp_path / "b.npz", tokens=words_file(tmp_path))
    with pytest.raises(FormatError, match="has no matrix 'z' of real numbers; it holds x"):
        load(tmp_path / "b.npz", tokens=words_file(tmp_path), tensor="z")
    with pytest.raises(FormatError, match="0 arrays of as many words; give a list of tokens"):
        load(tmp_path / "b.npz", tensor="x")
    np.savez(tmp_path / "c.npz", w=np.array([b"a", b"caf\xe9", b"c"]), v=W)
    with pytest.warns(UserWarning, match="not valid UTF-8"):
        assert load(tmp_path / "c.npz").words == ["a", "caf\ufffd", "c"]
    np.savez(tmp_path / "d.npz", w=np.array(WORDS), n=np.ones(3))
    with pytest.raises(FormatError, match=r"has no matrix \(V, d\) of real numbers"):
        load(tmp_path / "d.npz")


def test_npz_with_counts(tmp_path):
    np.savez(tmp_path / "a.npz", vectors=W, words=np.array(WORDS), counts=np.array([9, 5, 2]))
    model = load(tmp_path / "a.npz")
    assert model.counts.tolist() == [9, 5, 2] and "counts" not in model.provenance
    np.savez(tmp_path / "b.npz", vectors=W, words=np.array(WORDS), counts=np.array([9, -5, 2]))
    with pytest.raises(FormatError, match="counts are negative"):
        load(tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", vectors=W, words=np.array(WORDS), counts=np.array([9.5, 5, 2]))
    assert "counts" in load(tmp_path / "c.npz").provenance


def test_a_damaged_npz_is_told(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", vectors=W, words=np.array(WORDS))
    good = (tmp_path / "a.npz").read_bytes()
    for at in range(40, len(good) - 60, 7):
        raw = bytearray(good)
        raw[at] ^= 0xFF
        (tmp_path / "b.npz").write_bytes(raw)
        try:
            load(tmp_path / "b.npz")
        except FormatError as error:
            assert "b.npz" in str(error)
    with zipfile.ZipFile(tmp_path / "c.npz", "w") as archive:
        archive.writestr("v.npy", npy(W).replace(b"(3, 2)", b"(9, 2)"))
        archive.writestr("w.npy", npy(np.array(["x"] * 9)))
    with pytest.raises(FormatError, match="needs 72 bytes of data, the archive holds 24"):
        load(tmp_path / "c.npz")
    np.savez(tmp_path / "d.npz", v=np.ones((1, 1)), w=np.array(["a"], dtype="<U1"))
    raw = (tmp_path / "d.npz").read_bytes().replace("a".encode("utf-32-le"), b"\xff\xff\xff\x7f")
    (tmp_path / "e.npz").write_bytes(raw)
    with pytest.raises(FormatError, match="damaged"):
        load(tmp_path / "e.npz")
    np.savez(tmp_path / "f.npz", v=np.array([[{}]], dtype=object))
    with pytest.raises(FormatError, match="Python objects"):
        load(tmp_path / "f.npz")


letters = st.characters(exclude_categories=["Cs"])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.text(letters, max_size=8), min_size=1, max_size=8, unique=True), counted=st.booleans())
def test_npz_comes_back_exactly_or_the_word_is_named(tmp_path, words, counted):
    rows = np.random.default_rng(len(words)).standard_normal((len(words), 3)).astype(np.float32)
    model = Embedding(
        Vocabulary(words, list(range(len(words), 0, -1))), rows, provenance={} if counted else {"counts": "stand in"}
    )
    bad = [word for word in words if word.endswith("\0")]
    if bad:
        with pytest.raises(FormatError) as error:
            write(model, tmp_path / "m.npz", force=True)
        assert repr(bad[0]) in str(error.value)
        return
    write(model, tmp_path / "m.npz", force=True)
    back = load(tmp_path / "m.npz")
    assert back.words == words and back.W.tobytes() == rows.tobytes()
    assert ("counts" in back.provenance) != counted and back.counts.tolist() == model.counts.tolist()
    with np.load(tmp_path / "m.npz", allow_pickle=False) as archive:  # numpy's own reader
        assert archive["words"].tolist() == words and archive["vectors"].dtype == np.float32


def test_the_same_vectors_give_the_same_npz(tmp_path):
    model = Embedding(Vocabulary(WORDS, [3, 2, 1]), W)
    for name in ("a.npz", "b.npz"):
        numpy_files.write_npz(model, tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert load(tmp_path / "a.npz").counts.tolist() == [3, 2, 1]
