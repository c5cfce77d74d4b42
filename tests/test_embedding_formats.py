"""Vector files of other tools: read tolerantly, written faithfully, recognised by their content."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
import random
import struct
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from w2v.embedding import (
    Embedding,
    VectorFileWarning,
    load,
    read_word2vec_binary,
    read_word2vec_text,
    recognise,
    word2vec_binary,
    word2vec_text,
    write_word2vec_binary,
    write_word2vec_text,
)
from w2v.errors import FileAccessError, FormatError, SettingsError, W2VError
from w2v.vocabulary import Vocabulary

THREE = ["the", "new", "月"]
ROWS = np.array([[0.5, -1.25, 3e-7], [1e30, 0, -0.0], [0.1, 0.2, 0.3]], dtype=np.float32)


def embedding(words: list, W: object) -> Embedding:
    return Embedding(Vocabulary(words, [1] * len(words)), np.asarray(W, dtype=np.float32))


def binary(words: list[bytes], W: np.ndarray, *, end: bytes = b"\n", header: bytes | None = None) -> bytes:
    head = b"%d %d\n" % W.shape if header is None else header
    rows = (w + b" " + r.astype("<f4").tobytes() + end for w, r in zip(words, W, strict=True))
    return head + b"".join(rows)


def file(tmp_path, content: bytes | str, name: str = "vectors"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# ---------------------------------------------------------------- binary


def test_binary_rows_with_and_without_a_newline_give_the_same_words(tmp_path):
    """A field report: one habit made every word but the first start with a newline, or lose a letter."""
    raw = [w.encode() for w in THREE]
    one = load(file(tmp_path, binary(raw, ROWS), "one"))
    two = load(file(tmp_path, binary(raw, ROWS, end=b""), "two"))
    three = load(file(tmp_path, binary(raw, ROWS).removesuffix(b"\n"), "three"))
    for model in (one, two, three):
        assert model.words == THREE
        assert model.W.tobytes() == ROWS.tobytes()
        assert model.C is None


def test_vector_bytes_that_look_like_separators(tmp_path):
    odd = np.frombuffer(b"\n\n\n\n    \n \n ", dtype="<f4").reshape(1, 3).repeat(50, axis=0)
    words = [f"w{i}".encode() for i in range(50)]
    for end in (b"\n", b""):
        model = read_word2vec_binary(file(tmp_path, binary(words, odd, end=end)))
        assert model.words == [w.decode() for w in words]
        assert model.W.tobytes() == odd.tobytes()


@pytest.mark.parametrize("chunk", [1, 7, 64, 1 << 22])
def test_binary_is_read_alike_in_pieces_of_any_size(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(word2vec_binary, "CHUNK_BYTES", chunk)
    W = np.random.default_rng(0).standard_normal((37, 5)).astype(np.float32)
    words = [("x" * (i * 7 % 40) + str(i)) for i in range(37)]
    for end in (b"\n", b""):
        path = file(tmp_path, binary([w.encode() for w in words], W, end=end))
        model = read_word2vec_binary(path)
        assert model.words == words
        assert np.array_equal(model.W, W)
    write_word2vec_binary(model, tmp_path / "written")
    assert (tmp_path / "written").read_bytes() == binary([w.encode() for w in words], W)


@pytest.mark.parametrize(
    ("promised", "message"),
    [(5, "promises 5 rows of 3 numbers, the file holds 4"), (3, "promises 3 rows of 3 numbers, the file holds 4")],
)
def test_a_binary_header_that_lies_is_refused_with_both_numbers(tmp_path, promised, message):
    content = binary([b"a", b"b", b"c", b"d"], np.ones((4, 3)), header=b"%d 3\n" % promised)
    with pytest.raises(FormatError, match=message):
        load(file(tmp_path, content))


def test_a_binary_file_cut_short_is_refused(tmp_path):
    whole = binary([b"alpha", b"beta"], np.full((2, 3), 0.3))
    for cut in range(len(whole) - 2, 5, -1):
        with pytest.raises(FormatError, match="promises 2 rows"):
            read_word2vec_binary(file(tmp_path, whole[:cut]))
    with pytest.raises(FormatError, match="ends inside row 1"):
        read_word2vec_binary(file(tmp_path, whole[:-4]))
    with pytest.raises(FormatError, match="holds 2 and 1 more bytes"):
        read_word2vec_binary(file(tmp_path, whole + b"x"))
    with pytest.raises(FormatError, match="promises 999999999999 rows of 99999999999 numbers"):
        read_word2vec_binary(file(tmp_path, whole.replace(b"2 3", b"999999999999 99999999999")))
    with pytest.raises(FormatError, match="at least 1 dimension"):
        read_word2vec_binary(file(tmp_path, b"2 0\na \nb \n"))
    with pytest.raises(FormatError, match="starts with its numbers of rows"):
        read_word2vec_binary(file(tmp_path, b"9" * 200))


# ---------------------------------------------------------------- text


def test_text_with_header(tmp_path):
    model = load(file(tmp_path, "2 3\nthe 0.5 -1 2e-3\n月 nan inf 7\n"))
    assert model.words == ["the", "月"]
    assert model["the"].tolist() == [0.5, -1, np.float32(2e-3)]
    assert np.isnan(model["月"][0])
    assert model.counts.tolist() == [2, 1]
    assert model.provenance["algorithm"] == "imported from word2vec text"
    assert model.provenance["counts"] == "not in the file; V - rank stands in"


@pytest.mark.parametrize(
    "content",
    [
        "2 2\nthe 1 2\nking 3 4\n",
        "2 2\nthe 1 2\nking 3 4",
        "2 2\nthe 1 2 \nking 3 4 \n",  # word2vec.c and fastText leave a blank
        "2 2\r\nthe 1 2\r\nking 3 4\r\n",
        "\ufeff2 2\nthe 1 2\nking 3 4\n\n\n",
        "2 2 \nthe 1 2\nking 3 4\n",
        "the 1 2\nking 3 4\n",
        "\ufeffthe 1 2\r\nking 3 4\r\n",
    ],
)
def test_habits_of_other_writers(tmp_path, content):
    model = load(file(tmp_path, content))
    assert model.words == ["the", "king"]
    assert model.W.tolist() == [[1, 2], [3, 4]]


def test_the_last_fields_are_the_numbers_and_the_rest_is_the_word(tmp_path):
    """A field report: a word with a no-break space, or with a blank, and the file could not be read."""
    words = ["10\u00a0km", "new york", " ", "", "a  b", "route 66", "\u2009", "\u3000x", "a\tb", "1", "1 2 3"]
    content = f"{len(words)} 2\n" + "".join(f"{w} {i} 0.5\n" for i, w in enumerate(words))
    model = load(file(tmp_path, content))
    assert model.words == words
    assert model.W[:, 0].tolist() == list(range(len(words)))


@pytest.mark.parametrize(("promised", "message"), [(5, "promises 5 rows, the file holds 4"), (3, "promises 3 .* 4")])
def test_a_text_header_that_lies_is_refused_with_both_numbers(tmp_path, promised, message):
    path = file(tmp_path, f"{promised} 3\n" + "".join(f"{w} 1 2 3\n" for w in "abcd"))
    with pytest.raises(FormatError, match=message):
        load(path)


def test_glove_without_header(tmp_path):
    model = load(file(tmp_path, "the 0.1 0.2\n, 0.3 0.4\n"))
    assert model.words == ["the", ","]
    assert model.W.dtype == np.float32
    assert model.W.tolist() == np.float32([[0.1, 0.2], [0.3, 0.4]]).tolist()
    assert recognise(tmp_path / "vectors") == "text without header"
    model = load(file(tmp_path, "route 66 0.1 0.2\nthe 0.3 0.4\n"))  # the first line alone would give three numbers
    assert model.words == ["route 66", "the"]


def test_a_short_row_without_header_is_not_taken_for_the_dimensions(tmp_path):
    """A file that was cut off in its last row, or damaged in another, has no words that end in numbers."""
    path = file(tmp_path, "the 0.1 0.2 0.3\na 0.4 0.5 0.6\nroute 66 0.7 0.8 0.9\nof 1 2")
    with pytest.raises(FormatError, match=r":4: a word and 2 numbers, but most lines have 3: 'of 1 2'; the file is"):
        load(path)
    with pytest.raises(FormatError, match=r":2: a word and 1 number, but most lines have 2: 'b 2'; the file is"):
        load(file(tmp_path, "a 1 2\nb 2\nc 1 1\n"))


def test_a_first_word_that_is_a_number(tmp_path):
    """Two whole numbers are a header; anything else is a row; ``header`` settles what the file cannot tell."""
    model = load(file(tmp_path, "7 0.5\n8 0.25\n"))
    assert model.words == ["7", "8"]
    assert model.W.tolist() == [[0.5], [0.25]]
    assert load(file(tmp_path, "7 0.5 0.5\n8 0.25 1\n")).words == ["7", "8"]
    path = file(tmp_path, "7 5\n8 3\n")
    with pytest.raises(FormatError, match="a word and 5 numbers expected"):
        load(path)
    assert read_word2vec_text(path, header=False).words == ["7", "8"]
    path = file(tmp_path, "1 1\n8 3\n")
    assert load(path).words == ["8"]
    assert read_word2vec_text(path, header=False).W.tolist() == [[1], [3]]
    with pytest.raises(FormatError, match=":1: not a header"):
        read_word2vec_text(file(tmp_path, "the 0.1 0.2\n"), header=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("2 2\nthe 1 2\nking 3\n", r":3: a word and 2 numbers expected, got 'king 3'"),
        ("2 2\nthe 1 x\nking 3 4\n", r":2: 'x' is not a number; .*: 'the 1 x'"),
        ("2 2\nthe 1 2\nking  4\n", r":3: '' is not a number"),
        ("2 2\nthe 1 2\nking 3 1_000\n", r":3: '1_000' is not a number"),
        ("2 2\nthe 1 2\n\nking 3 4\n", r":3: an empty line between the rows"),
        ("2 0\nthe\nking\n", "at least 1 dimension"),
        ("9 999999999999999\nthe 1 2\n", ":2: a word and 999999999999999 numbers expected"),
        ("the 1 2\n\nking 3 4\n", r":2: an empty line"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        read_word2vec_text(file(tmp_path, content))


def test_lines_are_counted_over_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(word2vec_text, "CHUNK_BYTES", 16)
    lines = [f"w{i} {i} {i / 8}\n" for i in range(101)]
    model = load(file(tmp_path, "101 2\n" + "".join(lines)))
    assert model.W[100].tolist() == [100, 12.5]
    model = load(file(tmp_path, "".join(lines)))
    assert len(model) == 101
    lines[77] = "w77 77 bad\n"
    with pytest.raises(FormatError, match=r":79: 'bad' is not"):
        load(file(tmp_path, "101 2\n" + "".join(lines)))


# ---------------------------------------------------------------- doubtful words


@pytest.mark.parametrize("layout", ["text", "binary"])
def test_words_that_are_not_utf8_are_replaced_with_one_warning(tmp_path, layout):
    """A field report: a character cut at 99 bytes, and the load died at word 1,234,567."""
    words = ["я".encode() * 49 + b"\xd1", b"fine", b"caf\xe9"]
    W = np.eye(3)
    if layout == "binary":
        content = binary(words, W)
    else:
        rows = zip(words, W.astype(int).tolist(), strict=True)
        content = b"3 3\n" + b"".join(b"%b %d %d %d\n" % (w, *r) for w, r in rows)
    path = file(tmp_path, content)
    with pytest.warns(VectorFileWarning, match="2 of 3 words are not valid UTF-8, the first in row 0") as caught:
        model = load(path)
    assert len(caught) == 1
    assert model.words == ["я" * 49 + "\ufffd", "fine", "caf\ufffd"]
    assert np.array_equal(model.W, W)
    reader = read_word2vec_binary if layout == "binary" else read_word2vec_text
    with pytest.raises(FormatError, match="the word of row 0 is not valid UTF-8"):
        reader(path, errors="strict")
    with pytest.raises(SettingsError, match="errors must be"):
        reader(path, errors="ignore")
    with pytest.raises(SettingsError, match="duplicates must be"):
        reader(path, duplicates="last")


def test_of_a_repeated_word_the_first_vector_is_kept_with_one_warning(tmp_path):
    path = file(tmp_path, "5 1\na 1\nb 2\na 3\nc 4\nb 5\n")
    with pytest.warns(VectorFileWarning, match=r"2 rows repeat a word, the first is row 2 \('a'\)") as caught:
        model = load(path)
    assert len(caught) == 1
    assert model.words == ["a", "b", "c"]
    assert model.W.tolist() == [[1], [2], [4]]
    assert model.counts.tolist() == [3, 2, 1]
    with pytest.raises(FormatError, match=r"the word 'a' occurs again in row 2 \(2 such rows\)"):
        read_word2vec_text(path, duplicates="error")


# ---------------------------------------------------------------- compression


@pytest.mark.parametrize(("module", "suffix"), [(gzip, "gz"), (bz2, "bz2"), (lzma, "xz")])
def test_compressed_files_are_read_and_written(tmp_path, module, suffix):
    for plain in (b"2 2\nthe 1 2\nking 3 4\n", b"the 1 2\nking 3 4\n", binary([b"the", b"king"], ROWS[:2])):
        path = file(tmp_path, module.compress(plain), "name-without-a-hint")
        assert load(path).words == ["the", "king"]
        path = file(tmp_path, module.compress(plain)[:-9])
        with pytest.raises(FormatError, match="damaged or cut short"):
            load(path)
    model = embedding(THREE, ROWS)
    write_word2vec_text(model, tmp_path / f"v.txt.{suffix}")
    write_word2vec_binary(model, tmp_path / f"v.bin.{suffix}")
    with module.open(tmp_path / f"v.txt.{suffix}") as opened:
        assert opened.readline() == b"3 3\n"
    for name in ("txt", "bin"):
        back = load(tmp_path / f"v.{name}.{suffix}")
        assert back.words == THREE
        assert back.W.tobytes() == ROWS.tobytes()


# ---------------------------------------------------------------- writers

letters = st.characters(exclude_categories=["Cs"])


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.text(letters, max_size=8), max_size=8, unique=True),
    seed=st.integers(0, 1000),
    d=st.integers(1, 4),
    header=st.booleans(),
)
def test_text_comes_back_exactly_or_the_word_is_named(tmp_path, words, seed, d, header):
    bits = np.random.default_rng(seed).integers(0, 0x7F800000, (len(words), d), dtype=np.uint32)
    model = embedding(words, bits.view(np.float32))  # all finite positive float32, subnormal ones too
    bad = [w for w in words if not w or "\n" in w or "\r" in w or w[0] in " \t" or w[-1] in " \t"]
    if bad:
        with pytest.raises(FormatError) as error:
            write_word2vec_text(model, tmp_path / "v", header=header, force=True)
        assert repr(bad[0]) in str(error.value)
        return
    write_word2vec_text(model, tmp_path / "v", header=header, force=True)
    if not header and (not words or words[0].startswith("\ufeff") or d < 2 or any(" " in w for w in words)):
        return  # what a file without header cannot tell
    back = read_word2vec_text(tmp_path / "v", header=header)
    assert back.words == words
    assert back.W.tobytes() == model.W.tobytes()


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.text(letters, max_size=8), max_size=8, unique=True),
    seed=st.integers(0, 1000),
    d=st.integers(1, 4),
)
def test_binary_comes_back_exactly_or_the_word_is_named(tmp_path, words, seed, d):
    W = np.random.default_rng(seed).standard_normal((len(words), d)).astype(np.float32)
    model = embedding(words, W)
    bad = [w for w in words if not w or "\n" in w or " " in w or w[0] == "\t" or w[-1] == "\t"]
    if bad:
        with pytest.raises(FormatError) as error:
            write_word2vec_binary(model, tmp_path / "v", force=True)
        assert repr(bad[0]) in str(error.value)
        return
    write_word2vec_binary(model, tmp_path / "v", force=True)
    back = read_word2vec_binary(tmp_path / "v")
    assert back.words == words
    assert back.W.tobytes() == W.tobytes()


def test_writers_do_not_replace_a_file_unasked(tmp_path):
    model = embedding(THREE, ROWS)
    for write in (write_word2vec_text, write_word2vec_binary):
        path = file(tmp_path, "precious")
        with pytest.raises(FileAccessError, match="exists already; --force"):
            write(model, path)
        assert path.read_text() == "precious"
        write(model, path, force=True)
        assert load(path).words == THREE


def test_integer_keys_are_written_as_numbers_and_come_back_as_strings(tmp_path):
    model = Embedding(Vocabulary([10, -3], [2, 1]), [[1.0, 2.0], [3.0, 4.0]])
    write_word2vec_text(model, tmp_path / "t")
    write_word2vec_binary(model, tmp_path / "b")
    assert load(tmp_path / "t").words == load(tmp_path / "b").words == ["10", "-3"]


def test_an_import_becomes_a_model_file(tmp_path):
    load(file(tmp_path, "2 2\nthe 1 2\nnew york 3 4\n")).save(tmp_path / "m.safetensors")
    back = load(tmp_path / "m.safetensors")
    assert back.words == ["the", "new york"]
    assert back.provenance["algorithm"] == "imported from word2vec text"


# ---------------------------------------------------------------- what a file looks like


def test_formats_are_recognised_by_content(tmp_path):
    model = embedding(THREE, ROWS)
    model.save(tmp_path / "a.txt")
    write_word2vec_binary(model, tmp_path / "b.safetensors")
    write_word2vec_text(model, tmp_path / "c.bin")
    write_word2vec_text(model, tmp_path / "d.gz.bin", header=False)
    found = [recognise(tmp_path / name) for name in ("a.txt", "b.safetensors", "c.bin", "d.gz.bin")]
    assert found == ["model", "word2vec binary", "word2vec text", "text without header"]


def test_binary_floats_made_of_letters_are_still_binary(tmp_path):
    letters_only = np.frombuffer(b"abcdwxyz", dtype="<f4").reshape(2, 1)
    for end in (b"\n", b""):
        path = file(tmp_path, binary([b"one", b"two"], letters_only, end=end))
        assert recognise(path) == "word2vec binary"
        assert np.array_equal(load(path).W, letters_only)
    assert recognise(file(tmp_path, "2 3\nthe 0.1\n")) == "word2vec text"
    assert recognise(file(tmp_path, "0 3\n")) == "word2vec text"


def test_rows_longer_than_the_sample_are_recognised(tmp_path):
    model = embedding(["a", "b"], np.random.default_rng(0).standard_normal((2, 60_000)))
    write_word2vec_text(model, tmp_path / "t")
    write_word2vec_binary(model, tmp_path / "b")
    assert (tmp_path / "t").stat().st_size > 1 << 20
    for name in ("t", "b"):
        assert np.array_equal(load(tmp_path / name).W, model.W)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (pickle.dumps({"a": 1}, protocol=4), r"looks like a Python pickle.*save_word2vec_format"),
        (b"\x93NUMPY\x01\x00v\x00{'descr'", r"numpy array without words; give the file of its words"),
        (b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", r"the fastText model is cut short"),
        (b"\xba\x16\x4f\x2f\x0d\x00\x00\x00", r"fastText format version 13; 11 and 12 are read"),
        (pickle.dumps({"a": 1}, protocol=0), r"looks like a Python pickle"),
        (b"ccopy_reg\n_reconstructor\np0\n", r"looks like a Python pickle"),
        ("the 1 2\n".encode("utf-16"), r"looks like text in UTF-16"),
        (b'{"metadata": {"total_size": 1}, "weight_map": {}}', r"index of a safetensors model in several files"),
        (b"GGUF\x03\x00\x00\x00", r"a GGUF language model"),
        (b"<!DOCTYPE html>\n<html>404 Not Found", "a web page"),
        (b"\n <html lang=en>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"),
        (b'{"model": 1}', "looks like JSON"),
        (b"\x28\xb5\x2f\xfd\x00\x00\x00", "zstd data is damaged or cut short"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "starts with"),
        (b"Once upon a time\nthere was a king\n", "looks like plain text .*w2v train"),
        ("春眠不觉晓\n处处闻啼鸟\n".encode(), "looks like plain text"),
        (b"\x1f\x8b\x08broken", "gzip data is damaged"),
        (b"\xfd7zXZ\x00broken", "lzma data is damaged"),
        (b"BZh9broken", "bz2 data is damaged"),
    ],
)
def test_a_wrong_kind_of_file_is_told_what_it_looks_like(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        load(file(tmp_path, content))


def test_a_zip_archive_is_told(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.npz", "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(FormatError, match="looks like a zip archive"):
        load(tmp_path / "v.npz")


def test_a_compressed_model_is_told(tmp_path):
    embedding(["a"], [[1]]).save(tmp_path / "m")
    with pytest.raises(FormatError, match="a compressed model; decompress it first"):
        load(file(tmp_path, gzip.compress((tmp_path / "m").read_bytes())))


def test_what_is_no_file_is_told(tmp_path):
    with pytest.raises(FileAccessError, match=r"there is no file .*nowhere"):
        load(tmp_path / "nowhere")
    with pytest.raises(FileAccessError, match="is a folder"):
        load(tmp_path)
    embedding(["a"], [[1]]).save(tmp_path / "model.safetensors")
    with pytest.raises(FileAccessError, match=r"is a folder.*it holds model\.safetensors"):
        load(tmp_path)
    with pytest.raises(FileAccessError, match="a device or a pipe"):
        load("/dev/null")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(FileAccessError, match=r"cannot read .*loop"):
        load(tmp_path / "loop")
    with pytest.raises(FileAccessError, match="null"):
        load("a\0b")


# ---------------------------------------------------------------- mutated files


def test_mutated_vector_files_end_in_our_errors_only(tmp_path):
    rng = random.Random(7)
    W = np.random.default_rng(1).standard_normal((6, 4)).astype(np.float32)
    words = ["the", "of", "new", "月亮", "x1", "y"]
    text = "6 4\n" + "".join(f"{w} {' '.join(map(str, r))}\n" for w, r in zip(words, W.tolist(), strict=True))
    glove = text.split("\n", 1)[1]
    plain = [text.encode(), glove.encode(), binary([w.encode() for w in words], W)]
    goods = [*plain, gzip.compress(plain[0]), bz2.compress(plain[1]), lzma.compress(plain[2])]
    path = tmp_path / "v"
    outcomes: set[str] = set()
    for _ in range(3000):
        raw = bytearray(rng.choice(goods))
        for _ in range(rng.choice((1, 1, 2, 6))):
            at = rng.randrange(len(raw))
            kind = rng.randrange(5)
            if kind == 0:
                raw[at] = rng.randrange(256)
            elif kind == 1:
                raw[at] = rng.choice(b"0123456789 .-e\n\r\t")
            elif kind == 2:
                del raw[at : at + rng.choice((1, 4, 40))]
            elif kind == 3:
                raw[at:at] = bytes(raw[at : at + rng.choice((1, 4, 40))])
            else:
                raw[at : at + 4] = struct.pack("<I", rng.choice((0x7FC00000, 0xFF800000, 0, 0x20202020)))
            raw = raw or bytearray(b"1")
        path.write_bytes(raw)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", VectorFileWarning)
                model = load(path)
            outcomes.add("loaded")
            if len(model):
                model.most_similar(model.word(0))
        except W2VError as error:
            outcomes.add(type(error).__name__)
    assert outcomes == {"loaded", "FormatError", "TruncatedFileError"}
