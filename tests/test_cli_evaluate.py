"""``w2v evaluate``: methods, case policy, wrong answers in a file, categories, odd one out."""

import numpy as np
import pytest

import w2v
from w2v import evaluation
from w2v.cli import evaluate

ROWS = {
    "man": [1, 0, 0, 0],
    "king": [1, 1, 0, 0],
    "woman": [0, 0, 1, 0],
    "Queen": [0, 1, 1, 0],
    "apple": [0, 0, 0.1, 1],
    "pear": [0, 0, 0, 1],
}


@pytest.fixture
def files(tmp_path):
    vocabulary = w2v.Vocabulary(list(ROWS), range(len(ROWS), 0, -1))
    w2v.Embedding(vocabulary, np.array(list(ROWS.values()))).save(tmp_path / "model.safetensors")
    (tmp_path / "q.txt").write_text(": people\nman king woman queen\nman king woman pear/apple\n: none\na b c d\n")
    (tmp_path / "s.txt").write_text("word1;word2;score\nking;queen;8,5\nking;man;9\nking;pear;1\nno;such;3\n")
    (tmp_path / "c.txt").write_text("man person\nking person\nwoman person\napple fruit\npear fruit\nx fruit\n")
    (tmp_path / "o.txt").write_text("man king pear\n")
    return tmp_path


def test_the_choices_are_those_of_the_library():
    assert evaluate.METHODS == evaluation.METHODS
    assert evaluate.CASES == evaluation.CASES and evaluate.OOV_POLICIES == evaluation.OOV_POLICIES


@pytest.mark.parametrize("method", evaluation.METHODS)
def test_methods(cli, files, method):
    answer = cli("evaluate", "--analogies", "q.txt", "--method", method, "--json").json
    (report,) = answer["analogies"]
    assert report["method"] == method == answer["query"]["method"]
    assert report["total"]["answerable"] == 2
    expected = evaluation.evaluate_analogies(w2v.load("model.safetensors"), "q.txt", method=method)
    assert report["total"]["correct"] == expected.total.correct


def test_a_section_without_answers_and_the_case_policy(cli, files):
    lines = cli("evaluate", "--analogies", "q.txt").out.splitlines()
    assert lines[0].endswith("words, case lower")
    row = next(line for line in lines if line.split()[:1] == ["none"])
    assert row.split() == ["none", "n/a", "0", "0", "1"]
    answer = cli("evaluate", "--analogies", "q.txt", "--case", "none", "--json").json
    assert answer["analogies"][0]["total"]["answerable"] == 1


@pytest.mark.parametrize("name", ["model.safetensors", "q.txt", "s.txt", "c.txt", "o.txt"])
def test_wrong_answers_are_not_written_over_what_is_read(cli, files, name):
    before = (files / name).read_bytes()
    sets = ["--analogies", "q.txt", "--similarity", "s.txt", "--categories", "c.txt", "--odd-one-out", "o.txt"]
    answer = cli("evaluate", *sets, "--errors", f"./{name}", "--force")
    assert answer.status == 1 and f"--errors ./{name} is the input {name}: it would be overwritten" in answer.err
    assert (files / name).read_bytes() == before and answer.out == ""


def test_a_bundled_set_is_had_by_name_unless_a_file_has_it(cli, files):
    answer = cli("evaluate", "--analogies", "questions-words", "--similarity", "wordsim-240", "--json").json
    assert answer["analogies"][0]["total"]["total"] == 19_544
    assert answer["similarity"][0]["name"] == "wordsim-240"
    (files / "questions-words").write_text("man king woman queen\n")
    answer = cli("evaluate", "--analogies", "questions-words", "--json").json
    assert answer["analogies"][0]["total"]["total"] == 1
    missing = cli("evaluate", "--analogies", "wordsim-240")  # no analogies
    assert missing.status == 1 and "wordsim-240" in missing.err


def test_the_help_names_the_bundled_sets(cli):
    out = "".join(cli("evaluate", "--help").out.split())  # names may be broken at a hyphen
    assert all(s.name in out for s in evaluation.bundled())


def test_wrong_answers_go_to_a_file(cli, files):
    assert cli("evaluate", "--analogies", "q.txt", "--errors", "misses.tsv").status == 0
    assert (files / "misses.tsv").read_text() == (
        "set\tsection\tline\ta\tb\tc\tright\tpredicted\trank\nq\tpeople\t3\tman\tking\twoman\tpear/apple\tQueen\t2\n"
    )
    answer = cli("evaluate", "--analogies", "q.txt", "--errors", "misses.tsv")
    assert answer.status == 1 and answer.out == "" and "--force" in answer.err
    assert cli("evaluate", "--analogies", "q.txt", "--errors", "misses.tsv", "--force").status == 0


def test_similarity_categories_and_odd_one_out(cli, files):
    given = ["--similarity", "s.txt", "--categories", "c.txt", "--odd-one-out", "o.txt"]
    text = cli("evaluate", *given, "--resamples", 50)
    assert "unknown words left out" in text.out and "purity" in text.out and "Odd one out" in text.out
    answer = cli("evaluate", *given, "--json", "--oov", "zero").json
    assert (answer["similarity"][0]["covered"], answer["similarity"][0]["oov"]) == (3, "zero")
    assert answer["categories"][0]["covered"] == 5 and answer["categories"][0]["purity"] >= 0.6
    assert answer["odd_one_out"][0]["accuracy"] == 1.0 and answer["analogies"] == []


def test_a_model_of_another_language_is_told_what_to_do(cli, tmp_path):
    w2v.Embedding(w2v.Vocabulary(["ja", "nein"], [2, 1]), np.eye(2)).save(tmp_path / "model.safetensors")
    answer = cli("evaluate")
    assert answer.status == 0 and answer.out.startswith("No bundled set applies")
    assert "give files, --analogies" in answer.err


def test_scores_of_another_column(cli, files):
    (files / "simlex.txt").write_text("word1\tword2\tPOS\tSimLex999\tconc\nking\tman\tN\t9\t1\nking\tpear\tN\t1\t1\n")
    answer = cli("evaluate", "--similarity", "simlex.txt", "--score-column", 3, "--json").json
    assert answer["similarity"][0]["spearman"] == pytest.approx(1.0)
