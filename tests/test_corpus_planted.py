"""The generator of corpora with planted relations, and the corpora that come with the project."""

import bz2
import hashlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

CORPORA = Path(__file__).resolve().parents[1] / "corpora"


@pytest.fixture(scope="module")
def planted():
    spec = importlib.util.spec_from_file_location("planted", CORPORA / "planted.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_same_seed_same_text(planted):
    text = list(planted.planted_sentences(2000, 1))
    assert text == list(planted.planted_sentences(2000, 1))
    assert text != list(planted.planted_sentences(2000, 2))
    assert 2000 <= sum(map(len, text)) < 2000 + 11
    digest = hashlib.sha256(" ".join(w for s in text for w in s).encode()).hexdigest()
    assert digest == "b853f1504fa3a5e9437c8a363464ab17d052251e415eb3d7845c4ac1a0b8ec3d"


def test_questions_ask_for_words_of_the_text(planted):
    questions = planted.planted_questions()
    words = {w for s in planted.planted_sentences(20_000) for w in s}
    assert ("man", "woman", "king", "queen") in questions["gender"]
    assert all(set(q) <= words for section in questions.values() for q in section)
    assert [len(section) for section in questions.values()] == [30, 30, 30]


def test_a_stem_and_a_role_share_their_contexts(planted):
    around = {}
    for sentence in planted.planted_sentences(50_000):
        [word] = [w for w in sentence if "." not in w]
        around.setdefault(word, set()).update(w.split(".")[0] for w in sentence if w not in (word,))
    assert around["queen"] == {"king-queen", "female", "filler"}
    assert around["king"] == {"king-queen", "male", "filler"}


def test_command():
    def run(*options):
        done = subprocess.run(
            [sys.executable, CORPORA / "planted.py", *options], capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    assert len(run("--words", "110", "--seed", "3")) == 10
    assert run("--questions")[:2] == [": gender", "man woman king queen"]


@pytest.mark.parametrize("name", ["english-books.txt.bz2", "chinese-poems.txt.bz2"])
def test_shipped_corpora_are_what_their_readme_says(name):
    readme = (CORPORA / "README.md").read_text(encoding="utf-8")
    column = 1 + ("chinese" in name)
    table = {
        row[0]: row[column] for line in readme.splitlines() if len(row := re.split(r" *\| *", line.strip("| "))) == 3
    }
    data = (CORPORA / name).read_bytes()
    assert table["sha256, compressed"].strip("`") == hashlib.sha256(data).hexdigest()
    assert int(table["bytes, compressed"].replace(",", "")) == len(data)
    if len(data) < 5_000_000:  # decompressing the other takes seconds
        text = bz2.decompress(data)
        assert table["sha256, decompressed"].strip("`") == hashlib.sha256(text).hexdigest()
        assert int(table["bytes, decompressed"].replace(",", "")) == len(text)
        assert table["lines"].startswith(f"{text.count(10):,} ")
