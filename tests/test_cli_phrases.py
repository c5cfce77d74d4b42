"""``w2v phrases``: the joined text, the threshold table, pipes, and what is refused."""

import dataclasses
import os
import subprocess
import sys

import pytest

from w2v.corpus import Phrases
from w2v.settings import PhraseSettings


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text(
        "i like new york in may\nnew york is big\n\nthe bed and breakfast\n" * 9
        + "may i\nis in\nlike\nthe\nlike\nthe\nand\n" * 40
    )
    return path


def test_the_text_is_joined_line_by_line(cli, corpus, tmp_path):
    answer = cli("phrases", corpus, "-o", "joined.txt", "--threshold", 8)
    assert answer.status == 0
    lines = (tmp_path / "joined.txt").read_text().splitlines()
    assert lines[:4] == ["i like new_york in may", "new_york is big", "the bed and breakfast", "i like new_york in may"]
    assert answer.out == "Saved joined.txt: 1 phrase; 486 words became 468 (3.7% less) in 307 sentences\n"
    assert answer.err.startswith(f"Reading {corpus}")
    again = cli("phrases", corpus, "-o", "joined.txt")
    assert again.status == 1 and "--force" in again.err
    answer = cli("phrases", corpus, "-o", "joined.txt", "--force", "--threshold", 8, "--passes", 2, "--json", "--quiet")
    assert answer.err == "" and (answer.json["joined_words"], len(answer.json["passes"])) == (468, 1)


def test_connector_words_by_name_and_from_a_file(cli, corpus, tmp_path):
    (tmp_path / "words").write_text("and\n")
    for given in ("english", "words"):
        cli("phrases", corpus, "-o", "joined.txt", "--force", "--threshold", 8, "--connector-words", given)
        assert "bed_and_breakfast" in (tmp_path / "joined.txt").read_text()
    answer = cli("phrases", corpus, "-o", "./words", "--connector-words", "words", "--force")
    assert answer.status == 1 and "the output ./words is the input words: it would be overwritten" in answer.err
    answer = cli("phrases", corpus, "-o", "x", "--connector-words", "nothing")
    assert answer.status == 1 and "give a file of words, or english" in answer.err


def test_a_dry_run_shows_what_each_threshold_would_join(cli, corpus, tmp_path):
    answer = cli("phrases", corpus, "--dry-run", "--scoring", "npmi", "--threshold", 0.55)
    lines = answer.out.splitlines()
    assert answer.status == 0 and lines[0].startswith("Thresholds, npmi score, min-count 5, 486 words")
    assert any(line.split()[:2] == ["*", "0.55"] for line in lines)
    assert "The 4 best" in lines or "The" in answer.out
    assert {path.name for path in tmp_path.iterdir()} == {"corpus.txt"}
    tables = cli("phrases", corpus, "--dry-run", "--scoring", "npmi", "--json", "--passes", 2).json["thresholds"]
    for rows in tables:
        counts = [row["phrases"] for row in rows]
        assert counts == sorted(counts, reverse=True)


def test_phrases_are_saved_and_used_on_another_text(cli, corpus, tmp_path):
    assert cli("phrases", corpus, "--dry-run", "--save-phrases", "phrases.json", "--threshold", 8).status == 0
    assert "new_york" in Phrases.load("phrases.json")
    (tmp_path / "other.txt").write_text("old new york\n")
    answer = cli("phrases", "other.txt", "-o", "joined.txt", "--use-phrases", "phrases.json")
    assert answer.status == 0 and (tmp_path / "joined.txt").read_text() == "old new_york\n"
    answer = cli("phrases", "other.txt", "-o", "j", "--use-phrases", "phrases.json", "--min-count", 3)
    assert answer.status == 2 and "does not go with --min-count" in answer.err


def test_it_stands_in_a_pipe(corpus):
    program = [sys.executable, "-m", "w2v", "phrases", "-", "-o", "-", "--threshold", "8"]
    run = subprocess.run(program, input=corpus.read_bytes(), capture_output=True, env=os.environ, timeout=120)
    assert run.returncode == 0 and run.stdout.startswith(b"i like new_york in may\nnew_york is big\n")
    assert b"Standard output: 1 phrase" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["corpus.txt"], 2, "give either -o FILE (- is standard output) or --dry-run"),
        (["corpus.txt", "-o", "x", "--dry-run"], 2, "give either"),
        (["corpus.txt", "-o", "corpus.txt", "--force"], 1, "would be overwritten"),
        (["corpus.txt", "-o", "x", "--save-phrases", "x"], 1, "both name x"),
        (["corpus.txt", "-o", "x", "--save-phrases", "-"], 1, "give a file name"),
        (["missing.txt", "-o", "x"], 1, "no such file or folder"),
        (["corpus.txt", "-o", "x", "--threshold", "-1"], 1, "threshold must be at least 0"),
        (["corpus.txt", "-o", "x", "--use-phrases", "corpus.txt"], 1, "is not a file of phrases"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_written(cli, corpus, tmp_path, arguments, status, message):
    before = corpus.read_bytes()
    answer = cli("phrases", *arguments)
    assert answer.status == status and message in answer.err
    assert corpus.read_bytes() == before and {path.name for path in tmp_path.iterdir()} == {"corpus.txt"}


def test_the_options_are_the_settings(cli):
    shown = cli("phrases", "--help").out
    for field in dataclasses.fields(PhraseSettings):
        assert f"--{field.name.replace('_', '-')} " in shown
    assert "--tokenizer" in shown and "--max-vocab" not in shown
