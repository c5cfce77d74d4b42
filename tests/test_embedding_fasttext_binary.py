"""fastText's .bin: word vectors from rows and n-grams, against an oracle that takes one n-gram at a time."""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest
import reference

from w2v.embedding import fasttext_binary, load, read_fasttext_binary
from w2v.errors import FormatError

MAGIC, VERSION = 793712314, 12
WORDS = ["</s>", "the", "月亮", "я", "a", "new", "e\u0301te\u0301", "𝒳y", "x" * 50]


def model(
    words=WORDS, d=3, minn=2, maxn=4, bucket=7, *, new=True, quantised=False, seed=0, labels=(), pruned=None, **odd
):
    """Return the bytes of a fastText model, and its matrix."""
    rng = np.random.default_rng(seed)
    rows = len(words) + len(labels) + (bucket if pruned is None else len(pruned))
    matrix = rng.standard_normal((rows, d)).astype("<f4")
    fields = {"dim": d, "model": 2, "loss": 2, "version": VERSION, "rows": rows, **odd}
    data = struct.pack("<ii", MAGIC, fields["version"]) if new else b""
    data += struct.pack(
        "<12id", fields["dim"], 5, 5, 1, 5, 1, fields["loss"], fields["model"], bucket, minn, maxn, 100, 1e-4
    )
    data += struct.pack("<iiiq", len(words) + len(labels), len(words), len(labels), 1000)
    data += struct.pack("<q", -1 if pruned is None else len(pruned)) if new else b""
    for i, word in enumerate([*words, *labels]):
        data += (word.encode() if isinstance(word, str) else word) + b"\0"
        data += struct.pack("<qb", 100 - i, i >= len(words))
    for pair in (pruned or {}).items():
        data += struct.pack("<ii", *pair)
    data += (b"\1" if quantised else b"\0") if new else b""
    return data + struct.pack("<qq", fields["rows"], d) + matrix.tobytes() + b"\0the output matrix", matrix


def expected(words, matrix, minn, maxn, first, *, new=True):
    rows = [
        matrix[i] if new and word == "</s>" else reference.fasttext_vector(word, matrix[i], matrix[first:], minn, maxn)
        for i, word in enumerate(words)
    ]
    return np.array(rows)


@pytest.mark.parametrize("new", [True, False])
@pytest.mark.parametrize(
    ("minn", "maxn", "bucket"), [(2, 4, 7), (1, 3, 100), (3, 6, 2000), (1, 1, 5), (5, 3, 7), (0, 0, 0)]
)
def test_a_vector_is_the_mean_of_its_row_and_those_of_its_ngrams(tmp_path, minn, maxn, bucket, new):
    data, matrix = model(minn=minn, maxn=maxn, bucket=bucket, new=new)
    (tmp_path / "m.bin").write_bytes(data)
    found = load(tmp_path / "m.bin")
    assert found.words == WORDS
    assert found.counts.tolist() == [100 - i for i in range(len(WORDS))]
    np.testing.assert_allclose(found.W, expected(WORDS, matrix, minn, maxn, len(WORDS), new=new), atol=1e-6)
    (tmp_path / "m.gz").write_bytes(gzip.compress(data))
    np.testing.assert_array_equal(load(tmp_path / "m.gz").W, found.W)


def test_words_are_taken_in_steps_of_any_size(tmp_path, monkeypatch):
    words = [f"word{i * 7919 % 101}" for i in range(101)]
    data, matrix = model(words, d=2, bucket=50)
    (tmp_path / "m").write_bytes(data)
    monkeypatch.setattr(fasttext_binary, "ROWS_PER_STEP", 7)
    np.testing.assert_allclose(load(tmp_path / "m").W, expected(words, matrix, 2, 4, 101), atol=1e-6)


def test_labels_and_pruned_ngrams(tmp_path):
    data, matrix = model(["one", "two"], labels=["__label__x"])
    (tmp_path / "m").write_bytes(data)
    found = load(tmp_path / "m")
    assert found.words == ["one", "two"]
    np.testing.assert_allclose(found.W, expected(["one", "two"], matrix, 2, 4, 3), atol=1e-6)
    kept = {3: 0, 5: 1}
    data, matrix = model(["one", "two"], bucket=7, pruned=kept)
    (tmp_path / "m").write_bytes(data)
    found = load(tmp_path / "m")
    for i, word in enumerate(["one", "two"]):
        buckets = [reference.fasttext_hash(g) % 7 for g in reference.fasttext_ngrams(word, 2, 4)]
        rows = [matrix[i]] + [matrix[2 + kept[b]] for b in buckets if b in kept]
        np.testing.assert_allclose(found.W[i], np.mean(rows, axis=0), atol=1e-6)


def test_an_old_classifier_has_no_ngrams(tmp_path):
    data, matrix = model(version=11, model=3, loss=3)
    (tmp_path / "m").write_bytes(data)
    np.testing.assert_array_equal(load(tmp_path / "m").W, matrix[: len(WORDS)])


def test_doubtful_words(tmp_path):
    data, _ = model(["a", b"caf\xe9", "a"])
    (tmp_path / "m").write_bytes(data)
    with pytest.warns(UserWarning) as caught:
        found = load(tmp_path / "m")
    assert found.words == ["a", "caf\ufffd"] and found.counts.tolist() == [100, 99] and len(caught) == 2
    with pytest.raises(FormatError, match="not valid UTF-8"):
        read_fasttext_binary(tmp_path / "m", errors="strict")


def test_damage_is_told(tmp_path):
    good, _ = model()
    end = len(good) - len(b"\0the output matrix")
    path = tmp_path / "m"
    for cut in range(64, end, 5):
        path.write_bytes(good[:cut])
        with pytest.raises(FormatError, match=r"cut short|ends inside its matrix"):
            load(path)
    cases = [
        (model(quantised=True)[0], r"quantised fastText model \(\.ftz\)"),
        (model(version=13)[0], "format version 13; 11 and 12 are read"),
        (model(dim=-1)[0], "would not write these settings"),
        (model(rows=3)[0], "a matrix of 3 rows of 3 numbers; at least 16 of 3 expected"),
        (model(rows=2**62)[0], "ends inside its matrix"),
        (
            good.replace(struct.pack("<iii", 9, 9, 0), struct.pack("<iii", 2**31 - 1, 2**31 - 1, 0)),
            "cut short|should be a",
        ),
        (
            good.replace(struct.pack("<iii", 9, 9, 0), struct.pack("<iii", 9, 8, 0)),
            "9 entries, but 8 words and 0 labels",
        ),
        (good.replace(struct.pack("<iii", 9, 9, 0), struct.pack("<iii", 9, 8, 1)), "entry 8 .* should be a label"),
        (model(["a" * 70_000])[0], "a word of more than 65536 bytes"),
        (model(["one"], pruned={1: 5})[0], "points outside the matrix"),
    ]
    for raw, message in cases:
        path.write_bytes(raw)
        with pytest.raises(FormatError, match=message):
            load(path)
