"""The projector's two TSV files: as many lines as words in both, whatever the words are."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from w2v.embedding import Embedding, load, projector, read_projector, recognise, write_projector
from w2v.errors import FileAccessError, FormatError
from w2v.vocabulary import Vocabulary

ODD = [
    "\n",
    "a\tb",
    '"',
    "",
    " ",
    "\\",
    "\\n",
    "\r",
    "\u3000x",
    "x\u00a0",
    "\ufeff",
    "new york",
    "月",
    "\\e",
    "\\u0020",
]


def embedding(words, d=2, counted=False, seed=0):
    W = np.random.default_rng(seed).standard_normal((len(words), d)).astype(np.float32)
    provenance = {} if counted else {"counts": "stand in"}
    return Embedding(Vocabulary(words, list(range(len(words), 0, -1))), W, provenance=provenance)


@pytest.mark.parametrize("counted", [True, False])
def test_each_word_is_one_line_in_both_files(tmp_path, counted):
    """A field report: a token of a newline, of a tab, of a quote, and the rows of both files no longer matched."""
    model = embedding(ODD, counted=counted)
    write_projector(model, tmp_path / "v.tsv")
    vectors = (tmp_path / "v.tsv").read_text().split("\n")
    metadata = (tmp_path / "v.metadata.tsv").read_text(encoding="utf-8").split("\n")
    assert vectors.pop() == metadata.pop() == ""
    if counted:
        assert metadata.pop(0) == "word\tcount"
        assert all(line.count("\t") == 1 for line in metadata)
    else:
        assert "\t" not in "".join(metadata)  # one column: the projector takes the first line for a word
    assert len(vectors) == len(metadata) == len(ODD)
    assert all(line.strip() for line in metadata), "blank lines would be skipped"
    assert all(len(line.split("\t")) == 2 for line in vectors)
    back = load(tmp_path / "v.tsv")
    assert recognise(tmp_path / "v.tsv") == "projector TSV"
    assert back.words == ODD and back.W.tobytes() == model.W.tobytes()
    assert ("counts" in back.provenance) != counted
    assert back.counts.tolist() == model.counts.tolist()


letters = st.characters(exclude_categories=["Cs"]) | st.sampled_from('\\\t\n\r e\ufeffu0["{')


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.text(letters, max_size=6), min_size=1, max_size=8, unique=True),
    counted=st.booleans(),
)
def test_any_words_come_back(tmp_path, words, counted):
    write_projector(embedding(words, 3, counted), tmp_path / "v.tsv", force=True)
    lines = (tmp_path / "v.metadata.tsv").read_bytes().decode().removesuffix("\n").split("\n")
    assert len(lines) == len(words) + counted and all(line.strip("\ufeff \t") for line in lines)
    assert read_projector(tmp_path / "v.tsv").words == words


def test_one_dimension_and_names_of_ones_own(tmp_path):
    model = embedding(["a", "b"], d=1)
    write_projector(model, tmp_path / "v", tmp_path / "w")
    back = read_projector(tmp_path / "v", tmp_path / "w")
    assert back.words == ["a", "b"] and back.W.tobytes() == model.W.tobytes()
    write_projector(model, tmp_path / "v.tsv.gz")
    assert gzip.decompress((tmp_path / "v.tsv.gz").read_bytes()).count(b"\n") == 2
    assert (tmp_path / "v.metadata.tsv").read_text() == "a\nb\n"
    with pytest.raises(FileAccessError, match="exists already"):
        write_projector(model, tmp_path / "other.tsv", tmp_path / "w")
    assert not (tmp_path / "other.tsv").exists()


def test_integer_keys_and_no_words(tmp_path):
    write_projector(Embedding(Vocabulary([10, -3], [2, 1]), [[1.0, 2], [3, 4]]), tmp_path / "v.tsv")
    assert load(tmp_path / "v.tsv").words == ["10", "-3"]
    write_projector(Embedding(Vocabulary([], []), np.empty((0, 2))), tmp_path / "e.tsv")
    with pytest.raises(FormatError, match="half of a character"):
        write_projector(embedding(["a\ud800"]), tmp_path / "h.tsv")


def test_tables_of_others(tmp_path):
    (tmp_path / "v.tsv").write_bytes(b"\xef\xbb\xbf1\t2\r\n3\t4\r\n")
    (tmp_path / "m.tsv").write_text("id\tlabel\n7\tking\n8\tqueen\n")
    assert load(tmp_path / "v.tsv", tokens=tmp_path / "m.tsv").words == ["king", "queen"]
    (tmp_path / "m.tsv").write_text("king\nqueen\n")
    assert load(tmp_path / "v.tsv", tokens=tmp_path / "m.tsv")["queen"].tolist() == [3, 4]
    with pytest.raises(FormatError, match=r"holds vectors without words; .*v\.metadata\.tsv would have been found"):
        load(tmp_path / "v.tsv")


@pytest.mark.parametrize(
    ("vectors", "metadata", "message"),
    [
        ("1\t2\n3\n", "a\nb\n", r"v\.tsv:2: 2 tab-separated numbers expected, got"),
        ("1\t2\nx\t3\n", "a\nb\n", r"v\.tsv:2: 2 tab-separated"),
        ("1\t2\n\n3\t4\n", "a\nb\n", r"v\.tsv:2: 2 tab-separated"),
        ("1\t2\n", "a\nb\n", "lists 2 tokens up to row 1, but the matrix .* has 1 rows"),
        ("1\t2\n3\t4\n", "a\n", "lists 1 tokens, but the matrix .* has 2 rows"),
        ("1\t2\n", "word\tcount\na\n", r"m\.tsv:2: 2 columns expected, got 1"),
        ("", "a\n", "is empty"),
    ],
)
def test_what_does_not_fit_is_told(tmp_path, vectors, metadata, message):
    (tmp_path / "v.tsv").write_text(vectors)
    (tmp_path / "m.tsv").write_text(metadata)
    with pytest.raises(FormatError, match=message):
        read_projector(tmp_path / "v.tsv", tmp_path / "m.tsv")


def test_lines_are_counted_over_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(projector, "CHUNK_BYTES", 16)
    monkeypatch.setattr(projector, "CHUNK_ROWS", 7)
    model = embedding([f"w{i}" for i in range(151)])
    write_projector(model, tmp_path / "v.tsv")
    text = (tmp_path / "v.tsv").read_text().replace("\t", "\tx", 128).replace("\tx", "\t", 127)
    (tmp_path / "v.tsv").write_text(text)
    with pytest.raises(FormatError, match=r":128: 2 tab-separated"):
        load(tmp_path / "v.tsv")


def test_a_file_that_does_not_read_back_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(projector, "unescaped", lambda text: text + "!")
    with pytest.raises(FormatError, match="do not read back as they were written"):
        write_projector(embedding(["a"]), tmp_path / "v.tsv")
