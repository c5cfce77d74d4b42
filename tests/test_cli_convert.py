"""``w2v convert`` and ``w2v export`` as they are typed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

import w2v


@pytest.fixture
def vectors(tmp_path):
    """A text file of vectors with odd words."""
    path = tmp_path / "vectors.txt"
    path.write_text("4 2\nthe 1 2\nnew york 3 4\nking 5 6\n月 7 8.5\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["m.safetensors", "v.vec.zst", "v.tsv", "v.npz", "v.parquet", "v.arrow"])
def test_there_and_back(cli, vectors, name):
    answer = cli("convert", vectors, "-o", name, "--verify")
    assert answer.status == 0, answer.err
    assert answer.out.startswith(f"Wrote 4 words, 2 dimensions to {name} (")
    assert answer.out.endswith("; read back and compared\n")
    assert cli("convert", name, "-o", "again.txt").status == 0
    assert (vectors.parent / "again.txt").read_text(encoding="utf-8") == vectors.read_text(encoding="utf-8")
    assert "exists already; --force" in cli("convert", vectors, "-o", name).err


def test_json_says_what_was_read_and_written(cli, vectors):
    found = cli("convert", vectors, "-o", "v.bin", "--words", words(vectors, "king", "the"), "--json").json
    assert found["query"]["recognised"] == "word2vec text" and found["query"]["format"] == "word2vec-binary"
    assert (found["words"], found["vector_size"], found["verified"]) == (2, 2, False)
    assert w2v.load("v.bin").words == ["the", "king"]


def words(beside, *listed):
    path = beside.parent / "list.txt"
    path.write_text("".join(f"{word}\n" for word in listed), encoding="utf-8")
    return path


def test_some_of_the_words(cli, vectors):
    assert cli("convert", vectors, "-o", "a.txt", "--top", "2").status == 0
    assert w2v.load("a.txt").words == ["the", "new york"]
    answer = cli("convert", vectors, "-o", "b.txt", "--words", words(vectors, "月", "new york", "queen"))
    assert answer.status == 0 and "1 of the words of" in answer.err and "are not there: queen" in answer.err
    assert w2v.load("b.txt").words == ["new york", "月"]
    answer = cli("convert", vectors, "-o", "c.txt", "--words", words(vectors, "queen"))
    assert answer.status == 1 and "of 1 word asked for, none is" in answer.err


def test_a_list_of_words_is_not_overwritten_and_two_outputs_are_two_files(cli, vectors):
    listed = words(vectors, "king")
    answer = cli("convert", vectors, "--words", listed, "-o", listed, "--force")
    assert answer.status == 1 and f"is the input {listed}: it would be overwritten" in answer.err
    assert listed.read_text() == "king\n"
    answer = cli("convert", vectors, "-o", "v.tsv", "--metadata", "./v.tsv")
    assert answer.status == 1 and answer.err == "Error: --metadata and --output both name v.tsv\n"
    assert not (vectors.parent / "v.tsv").exists()


def test_a_matrix_without_words_is_not_written(cli, vectors):
    answer = cli("convert", vectors, "-o", "new.npy")
    assert answer.status == 1 and answer.err == "Error: a .npy file holds no words; give new.npy a name in .npz\n"
    assert not (vectors.parent / "new.npy").exists()


def test_a_word_that_a_format_cannot_hold_is_named(cli, vectors):
    answer = cli("convert", vectors, "-o", "v.bin")
    assert answer.status == 1 and "the word 'new york' (row 1) holds ' '" in answer.err
    vectors.write_text("2 2\nthe 1 nan\nking 3 4\n")
    answer = cli("convert", vectors, "-o", "v.safetensors")
    assert answer.status == 1 and "the vector of 'the' (row 0 of W) holds nan" in answer.err


def test_the_table_of_a_language_model(cli, tmp_path):
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    save_file({"embed": table, "head": -table}, tmp_path / "lm.safetensors")
    (tmp_path / "tok").mkdir()
    (tmp_path / "tok" / "tokenizer.json").write_text(json.dumps({"model": {"vocab": {"a": 0, "b": 1, "c": 2, "d": 3}}}))
    tokens = ("--tokens", "tok/tokenizer.json")
    assert "choose one with --tensor NAME" in cli("convert", "lm.safetensors", "-o", "m.safetensors", *tokens).err
    answer = cli("convert", "lm.safetensors", "-o", "m.safetensors", *tokens, "--tensor", "head", "--dtype", "float16")
    assert answer.status == 0 and "(model, float16)" in answer.out
    assert w2v.load("m.safetensors")["b"].tolist() == [-3, -4, -5]
    assert cli("similar", "b", "--model", "m.safetensors", "-n", "1").out.splitlines()[1].startswith("c ")


def test_sums_of_word_and_context_vectors(cli, model, tmp_path):
    original = w2v.load(model)
    for which, expected in [
        ("w+c", original.W + original.C),
        ("w,c", np.concatenate([original.W, original.C], axis=1)),
        ("c", original.C),
    ]:
        answer = cli("export", "--model", model, "-o", "v.npz", "--vectors", which, "--force", "--json")
        assert answer.json["vector_size"] == expected.shape[1] and answer.json["query"]["vectors"] == which
        np.testing.assert_array_equal(w2v.load("v.npz").W, expected)
    assert cli("export", "--model", model, "-o", "m.safetensors", "--top", "5").status == 0
    assert w2v.load("m.safetensors").C.shape == (5, original.vector_size)
    assert cli("export", "--model", model, "-o", "w.safetensors", "--vectors", "w").status == 0
    assert w2v.load("w.safetensors").C is None
    assert "no context vectors" in cli("export", "-m", "w.safetensors", "-o", "x", "--vectors", "c").err


def test_projector_files_are_compared_without_being_asked(cli, vectors, tmp_path):
    answer = cli("convert", vectors, "-o", "v.tsv", "--metadata", "words.tsv")
    assert answer.status == 0 and "read back and compared" in answer.out
    assert (tmp_path / "words.tsv").read_text(encoding="utf-8") == "the\nnew york\nking\n月\n"
    assert w2v.load("v.tsv", tokens="words.tsv").words[1] == "new york"


def test_what_cannot_be_is_told_in_one_line(cli, vectors, tmp_path):
    for arguments, message in [
        (["-o", vectors, "--force"], "is the file that is read"),
        (["-o", "x.bin", "--dtype", "int8"], "int8 is for models"),
        (["-o", "x.txt", "--metadata", "y"], "goes with the format projector only"),
        (["-o", "x.txt", "--tokens", vectors], "holds its words itself"),
        (["-o", "x.txt", "--tensor", "t"], "holds one matrix only"),
        (["-o", "nowhere/x.txt"], "there is no folder"),
        (["-o", "x.txt", "--words", "missing.txt"], "there is no file missing.txt"),
    ]:
        answer = cli("convert", vectors, *arguments)
        assert answer.status == 1 and message in answer.err and answer.err.count("\n") == 1


def test_doubtful_words_are_read_with_a_warning_or_stop(process, tmp_path):
    (tmp_path / "double.txt").write_bytes(b"a 1\na 2\ncaf\xe9 3\n")
    answer = process("convert", "double.txt", "-o", "x.txt")
    assert answer.status == 0 and answer.err.count("Warning: ") == 2
    assert "occurs again" in process("convert", "double.txt", "-o", "y.txt", "--duplicates", "error").err
    assert "not valid UTF-8" in process("convert", "double.txt", "-o", "y.txt", "--errors", "strict").err
