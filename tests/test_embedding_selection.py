"""Some of the words, and W and C taken together."""

from __future__ import annotations

import numpy as np
import pytest

from w2v.embedding import Embedding, load
from w2v.embedding.selection import combined, subset, top
from w2v.embedding.writing import FORMATS, format_for, verify, write
from w2v.errors import FormatError, NotAvailableError, SettingsError
from w2v.vocabulary import Vocabulary

W = np.arange(8, dtype=np.float32).reshape(4, 2)
C = W[::-1] * 0.5


def embedding(words=("a", "b", "c", "d")):
    return Embedding(Vocabulary(list(words), [9, 7, 5, 3]), W, C, settings={"context": {"window": 2}}, losses=[1.5])


def test_the_first_words():
    part = top(embedding(), 2)
    assert part.words == ["a", "b"] and part.counts.tolist() == [9, 7]
    assert part.W.tolist() == W[:2].tolist() and part.C.tolist() == C[:2].tolist()
    assert part.settings == {"context": {"window": 2}} and part.losses == (1.5,)
    assert part.provenance["selection"] == "the first 2 words"
    assert top(embedding(), 10).words == ["a", "b", "c", "d"]
    with pytest.raises(SettingsError, match="at least 1 word"):
        top(embedding(), 0)


def test_words_of_a_list_in_the_order_of_the_rows():
    part, missing = subset(embedding(), ["d", "x", "b", "d"])
    assert part.words == ["b", "d"] and missing == ["x"]
    assert part.W.tolist() == W[[1, 3]].tolist() and part.C.tolist() == C[[1, 3]].tolist()
    assert part.counts.tolist() == [7, 3]
    part, missing = subset(embedding([10, -3, 5, 7]), [7, "10", 10])
    assert part.words == [10, 7] and missing == ["10"] and part.vocabulary.key_type == "int"
    with pytest.raises(SettingsError, match="of 2 words asked for, none"):
        subset(embedding(), ["x", "y"])


def test_sums_and_pairs():
    model = embedding()
    assert combined(model, "w").W.tolist() == W.tolist() and combined(model, "w").C is None
    assert combined(model, "c").W.tolist() == C.tolist()
    assert combined(model, "w+c").W.tolist() == (W + C).tolist()
    both = combined(model, "w,c")
    assert both.W.tolist() == [[*w, *c] for w, c in zip(W.tolist(), C.tolist(), strict=True)]
    assert both.provenance["vectors"] == "[w; c]" and both.C is None
    only_w = Embedding(model.vocabulary, W)
    assert combined(only_w, "w") is only_w
    for which in ("c", "w+c", "w,c"):
        with pytest.raises(NotAvailableError, match="no context vectors"):
            combined(only_w, which)
    with pytest.raises(SettingsError, match="one of w, c"):
        combined(model, "both")


def test_every_format_by_name_and_verified(tmp_path):
    model = embedding()
    names = {
        "m.safetensors": "model",
        "v.bin.gz": "word2vec-binary",
        "v.txt": "word2vec-text",
        "v.vec": "word2vec-text",
    }
    names |= {"v.TSV": "projector", "v.npz": "npz", "v.parquet": "parquet", "v.feather": "arrow", "v": "word2vec-text"}
    for name, kind in names.items():
        assert format_for(name) == kind
        write(model, tmp_path / name)
        verify(model, tmp_path / name)
        assert load(tmp_path / name).W.tolist() == W.tolist()
    for kind in FORMATS:
        write(model, tmp_path / kind, kind, force=True)
        verify(model, tmp_path / kind)
    with pytest.raises(SettingsError, match="the format must be one of"):
        write(model, tmp_path / "x", "hdf5")
    with pytest.raises(SettingsError, match="int8 is for models"):
        write(model, tmp_path / "x", "npz", dtype="int8")
    with pytest.raises(SettingsError, match="metadata goes with the format projector only"):
        write(model, tmp_path / "x", "npz", metadata=tmp_path / "y")


def test_verify_sees_what_is_lost(tmp_path):
    model = embedding()
    write(model, tmp_path / "v.txt")
    text = (tmp_path / "v.txt").read_text()
    for old, new, message in [
        ("c 4", "x 4", "holds 4 words for 4; they differ from row 2 on"),
        ("4 2\n", "3 2\n", "promises 3"),
        ("5\n", "5.5\n", r"the vector of 'c' \(row 2\) does not read back"),
    ]:
        (tmp_path / "w.txt").write_text(text.replace(old, new))
        with pytest.raises(FormatError, match=message):
            verify(model, tmp_path / "w.txt")
    with pytest.raises(FormatError, match=r"holds 4 words for 2; they differ from row 2 on"):
        verify(top(model, 2), tmp_path / "v.txt")
    with pytest.raises(FormatError, match=r"reads back as \(4, 2\), and \(4, 4\) was written"):
        verify(combined(model, "w,c"), tmp_path / "v.txt")
