"""A matrix of a safetensors file with its list of tokens: a language model's table is just another embedding."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from safetensors.numpy import save_file

from w2v.embedding import Embedding, VectorFileWarning, load, read_tokens, recognise
from w2v.errors import FormatError, SettingsError
from w2v.vocabulary import Vocabulary

TOKENS = ["[PAD]", "the", "##s", "月", "Ġking"]
TABLE = (np.arange(15, dtype=np.float32).reshape(5, 3) - 7) / 8


def lines(tmp_path, tokens=TOKENS, name="vocab.txt", end="\n"):
    (tmp_path / name).write_bytes("".join(f"{t}{end}" for t in tokens).encode())
    return tmp_path / name


def language_model(tmp_path, **more):
    tensors = {"embed.weight": TABLE, "position": np.ones((9, 3), np.float32), "bias": np.ones(5, np.float32), **more}
    save_file(tensors, tmp_path / "lm.safetensors")
    return tmp_path / "lm.safetensors"


def test_the_table_is_found_by_its_number_of_rows_and_the_tokens_beside_it(tmp_path):
    path = language_model(tmp_path)
    assert recognise(path) == "safetensors"
    with pytest.raises(FormatError, match=r"not a w2v model; its tensors: .*To read a matrix of it, give the list"):
        load(path)
    lines(tmp_path)
    model = load(path)
    assert model.words == TOKENS and np.array_equal(model.W, TABLE)
    assert not model.W.flags.owndata  # mapped
    assert model.provenance["algorithm"] == "imported from safetensors tensor embed.weight"
    assert model.provenance["tokens"].endswith("vocab.txt")
    nine = lines(tmp_path, [str(i) for i in range(9)], "nine.txt")
    assert load(path, tokens=nine, tensor="position").words == [str(i) for i in range(9)]
    assert np.array_equal(load(path, tokens=nine).W, np.ones((9, 3)))


def test_the_matrix_is_asked_for_where_several_fit(tmp_path):
    path = language_model(tmp_path, head=2 * TABLE)
    tokens = lines(tmp_path)
    with pytest.raises(FormatError, match=r"2 of 3 matrices fit the 5 tokens; choose one with --tensor NAME: embed"):
        load(path)
    assert np.array_equal(load(path, tensor="head").W, 2 * TABLE)
    with pytest.raises(FormatError, match=r"has no matrix 'tail' of F64, F32"):
        load(path, tokens=tokens, tensor="tail")
    with pytest.raises(FormatError, match="has no matrix 'bias'"):
        load(path, tokens=tokens, tensor="bias")
    with pytest.raises(FormatError, match=r"lists 9 tokens up to row 8, but the matrix .* has 5 rows of 3"):
        load(path, tokens=lines(tmp_path, range(9), "nine"), tensor="head")
    with pytest.raises(FormatError, match="none of 3 matrices has as many rows as the 2 tokens"):
        load(path, tokens=lines(tmp_path, range(2), "two"))
    save_file({"ids": np.ones((5, 3), np.int64)}, tmp_path / "ids")
    with pytest.raises(FormatError, match=r"has no matrix \(V, d\) of .*; its tensors: ids I64"):
        load(tmp_path / "ids", tokens=tokens)


def test_small_floats_are_widened_exactly(tmp_path):
    tokens = lines(tmp_path)
    for dtype in (np.float16, np.float64, np.int8):
        table = np.round(TABLE * 8).astype(dtype)
        save_file({"t": table}, tmp_path / "m")
        model = load(tmp_path / "m", tokens=tokens)
        assert model.W.dtype == np.float32 and np.array_equal(model.W, table)
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**16, (5, 3), dtype=np.uint16)
    header = json.dumps({"t": {"dtype": "BF16", "shape": [5, 3], "data_offsets": [0, 30]}}).encode()
    (tmp_path / "m").write_bytes(struct.pack("<Q", len(header)) + header + bits.tobytes())
    expected = [struct.unpack("<f", b"\0\0" + struct.pack("<H", bit))[0] for bit in bits.ravel().tolist()]
    np.testing.assert_array_equal(load(tmp_path / "m", tokens=tokens).W.ravel(), np.array(expected, np.float32))


def test_our_own_models_take_no_tokens(tmp_path):
    Embedding(Vocabulary(["a"], [1]), [[1.0]]).save(tmp_path / "m")
    with pytest.raises(SettingsError, match="holds its words itself"):
        load(tmp_path / "m", tokens=lines(tmp_path))
    with pytest.raises(SettingsError, match="holds one matrix only"):
        load(tmp_path / "m", tensor="C")


# ---------------------------------------------------------------- lists of tokens


def tokens_of(tmp_path, content):
    path = tmp_path / "tokens"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    found = read_tokens(path)
    return [word.decode("utf-8", "replace") for word in found.words], found.rows.tolist()


def test_one_token_a_line(tmp_path):
    for content in (b"a\nb c\n\n", b"a\r\nb c\r\n\r\n", b"\xef\xbb\xbfa\nb c\n\n"):
        assert tokens_of(tmp_path, content) == (["a", "b c", ""], [0, 1, 2])
    assert tokens_of(tmp_path, b"[PAD]\n[unused0]\n{\n") == (["[PAD]", "[unused0]", "{"], [0, 1, 2])
    assert tokens_of(tmp_path, b"a\ncaf\xe9") == (["a", "caf\ufffd"], [0, 1])


def test_json_vocabularies(tmp_path):
    assert tokens_of(tmp_path, ["a", "b"]) == (["a", "b"], [0, 1])
    assert tokens_of(tmp_path, {"b": 1, "a": 0}) == (["a", "b"], [0, 1])
    wordpiece = {"model": {"type": "WordPiece", "vocab": {"b": 1, "a": 0}}, "added_tokens": [{"id": 0, "content": "a"}]}
    assert tokens_of(tmp_path, wordpiece) == (["a", "b"], [0, 1])
    bpe = {"model": {"vocab": {"a": 0}, "merges": []}, "added_tokens": [{"id": 5, "content": "<eos>"}]}
    assert tokens_of(tmp_path, bpe) == (["a", "<eos>"], [0, 5])
    assert tokens_of(tmp_path, {"model": {"type": "Unigram", "vocab": [["a", -1.5], ["b", -2]]}}) == (
        ["a", "b"],
        [0, 1],
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b'{"a": 0', "is not valid JSON"),
        (b'["\xff"]', "is not valid JSON"),
        (b'["a", ' + b"[" * 100_000, "is not valid JSON"),
        ({"a": "x"}, "a token and its row expected, got 'a' and 'x'"),
        ({"a": -1}, "a token and its row expected"),
        ({"a": True}, "a token and its row expected"),
        ({"a": 10**30}, "a token and its row expected"),
        ({"a": 1, "b": 1}, "'a' and 'b' have the same row 1"),
        (["a", 3], "a token and its row expected, got 3"),
        ([["a", 3]], "a token and its row expected"),
        ({}, "holds no tokens"),
        ({"model": {"vocab": 3}}, "has no vocab that is an object or a list"),
        ({"model": {"vocab": {"a": 0}}, "added_tokens": [3]}, "added_tokens must be a list of objects"),
        ({"model": {"vocab": {"a": 0}}, "added_tokens": [{}]}, "a token and its row expected"),
        (b"PK\x03\x04\0\0\0\0", "is no list of tokens"),
    ],
)
def test_a_list_that_cannot_be_read_is_told(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        tokens_of(tmp_path, content)


def test_rows_without_a_token_are_left_out_with_a_warning(tmp_path):
    """Language models pad their tables to a round number of rows."""
    save_file({"t": np.arange(16, dtype=np.float32).reshape(8, 2)}, tmp_path / "m")
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0, "b": 1, "z": 6}))
    with pytest.warns(VectorFileWarning, match=r"5 of 8 rows have no token in .*vocab\.json; they were left out"):
        model = load(tmp_path / "m")
    assert model.words == ["a", "b", "z"] and model["z"].tolist() == [12, 13]
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0, "b": 1}))
    with pytest.warns(VectorFileWarning, match="6 of 8 rows"):
        assert load(tmp_path / "m").words == ["a", "b"]


def test_half_characters_in_json_are_replaced(tmp_path):
    save_file({"t": np.ones((2, 2), np.float32)}, tmp_path / "m")
    (tmp_path / "vocab.json").write_text('["a", "\\ud800b"]')
    with pytest.warns(VectorFileWarning, match="not valid UTF-8"):
        model = load(tmp_path / "m")
    assert model.words[1].endswith("b") and "\ufffd" in model.words[1]
    model.save(tmp_path / "again")
