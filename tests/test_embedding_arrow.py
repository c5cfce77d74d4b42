"""Parquet and Arrow tables, written and read through pyarrow and held against pyarrow's own view of them."""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest

from w2v.embedding import Embedding, arrow, load, recognise
from w2v.embedding.writing import write
from w2v.errors import FormatError, MissingExtraError
from w2v.vocabulary import Vocabulary

WORDS = ["the", "", "\n", "new york", "月", "\0"]
W = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather"])
@pytest.mark.parametrize("counted", [True, False])
def test_tables_come_back_exactly(tmp_path, monkeypatch, suffix, counted):
    monkeypatch.setattr(arrow, "CHUNK_ROWS", 4)
    counts = [9, 8, 7, 7, 2, 1] if counted else [6, 5, 4, 3, 2, 1]
    model = Embedding(Vocabulary(WORDS, counts), W, provenance={} if counted else {"counts": "stand in"})
    path = tmp_path / f"v.{suffix}"
    write(model, path)
    assert recognise(path) == "Arrow table"
    back = load(path)
    assert back.words == WORDS and back.W.tobytes() == W.tobytes() and back.counts.tolist() == counts
    assert ("counts" in back.provenance) != counted
    table = parquet.read_table(path) if suffix == "parquet" else feather.read_table(path)
    assert table.column_names == ["word", "vector"] + ["count"] * counted
    assert table["word"].to_pylist() == WORDS
    assert np.array_equal(np.array(table["vector"].to_pylist(), dtype=np.float32), W)


def test_tables_of_others(tmp_path):
    lists = {"id": [1, 2], "token": ["a", "b"], "embedding": [[1.0, 2.0], [3.0, 4.0]]}
    parquet.write_table(pa.table(lists), tmp_path / "lists")
    assert load(tmp_path / "lists")["b"].tolist() == [3, 4]
    columns = {"token": pa.array(["a", "b"], pa.large_string()), "x": [1.0, 3.0], "y": np.array([2, 4], np.float16)}
    feather.write_feather(pa.table(columns), tmp_path / "columns", compression="uncompressed")
    assert load(tmp_path / "columns")["b"].tolist() == [3, 4]
    sliced = pa.table(lists).slice(1)
    feather.write_feather(sliced, tmp_path / "sliced", compression="uncompressed")
    assert load(tmp_path / "sliced").words == ["b"] and load(tmp_path / "sliced").W.tolist() == [[3, 4]]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [1.0]}, "has no column of strings, .*; its columns: x double"),
        ({"w": ["a"]}, "has neither a column of lists of numbers nor columns of numbers; it has: w string"),
        ({"w": ["a", None], "v": [[1.0], [2.0]]}, "1 words of the column 'w' are missing"),
        ({"w": ["a", "b"], "v": [[1.0], [2.0, 3.0]]}, "the vectors of the column 'v' have missing numbers or several"),
        ({"w": ["a", "b"], "v": [[1.0], None]}, "the vectors of the column 'v' have missing"),
        ({"w": ["a", "b"], "v": [[1.0], [None]]}, "the vectors of the column 'v' have missing"),
        ({"w": ["a", "b"], "v": [1.0, None]}, "numbers of the column 'v' are missing"),
        ({"w": ["a"], "v": [[1.0]], "count": [-1]}, "counts are negative"),
    ],
)
def test_tables_that_are_no_vectors_are_told(tmp_path, columns, message):
    parquet.write_table(pa.table(columns), tmp_path / "t")
    with pytest.raises(FormatError, match=message):
        load(tmp_path / "t")


def test_damage_is_told(tmp_path):
    model = Embedding(Vocabulary(WORDS, [1] * 6), W)
    for suffix in ("parquet", "arrow"):
        write(model, tmp_path / f"v.{suffix}")
        good = (tmp_path / f"v.{suffix}").read_bytes()
        for cut in (12, len(good) // 2, len(good) - 1):
            (tmp_path / "cut").write_bytes(good[:cut])
            with pytest.raises(FormatError, match="pyarrow cannot read this table"):
                load(tmp_path / "cut")
    with pytest.raises(FormatError, match="half of a character"):
        write(Embedding(Vocabulary(["a\ud800"], [1]), W[:1]), tmp_path / "h.parquet")


def test_pyarrow_is_an_extra(tmp_path, monkeypatch):
    parquet.write_table(pa.table({"w": ["a"], "v": [[1.0]]}), tmp_path / "t")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'w2v\[arrow\]'"):
        load(tmp_path / "t")
