"""Categorisation and odd-one-out sets."""

import json

import numpy as np
import pytest

from w2v.embedding import Embedding
from w2v.errors import FileAccessError, FormatError
from w2v.evaluation import (
    OddOneOutSets,
    WordCategories,
    evaluate_categories,
    evaluate_odd_one_out,
    fitting,
)
from w2v.vocabulary import Vocabulary


def embedding(rows):
    return Embedding(Vocabulary(list(rows), range(len(rows), 0, -1)), list(rows.values()))


def clusters(seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    centers = {"fruit": [1, 0, 0], "beast": [0, 1, 0], "tool": [0, 0, 1]}
    rows, categories = {}, {}
    for category, center in centers.items():
        for i in range(12):
            rows[f"{category}{i}"] = np.array(center) + noise * rng.standard_normal(3)
            categories[f"{category}{i}"] = category
    return rows, WordCategories("made", tuple(categories), tuple(categories.values()))


def test_clear_clusters_are_pure_and_random_ones_are_like_chance():
    rows, categories = clusters()
    report = evaluate_categories(embedding(rows), categories)
    assert (report.purity, report.clusters, report.covered, report.total) == (1.0, 3, 36, 36)
    assert 0.36 < report.random < 0.55
    assert str(report) == "purity 1.000, 36 of 36 words covered"
    rng = np.random.default_rng(1)
    scattered = evaluate_categories(embedding({w: rng.standard_normal(3) for w in rows}), categories)
    assert abs(scattered.purity - scattered.random) < 0.2
    assert evaluate_categories(embedding(rows), categories, seed=9).purity == 1.0
    assert json.loads(json.dumps(report.to_dict()))["coverage"] == 1.0


def test_purity_by_hand():
    rows = {"a": [1, 0], "b": [1, 0.1], "c": [1, -0.1], "d": [0, 1], "e": [0.1, 1]}
    categories = WordCategories("made", ("a", "b", "c", "d", "e", "no"), ("x", "x", "y", "y", "y", "z"))
    report = evaluate_categories(embedding(rows), categories)
    assert report.purity == 4 / 5 and report.clusters == 2 and report.missing_words == ("no",)
    same = evaluate_categories(embedding({w: [1, 1] for w in rows}), categories)
    assert same.purity == 3 / 5


def test_without_two_known_categories_there_is_no_purity():
    report = evaluate_categories(embedding({"a": [1, 0]}), WordCategories("made", ("a", "b"), ("x", "y")))
    assert (report.purity, report.random, str(report)) == (None, None, "1 of 2 words covered, n/a")
    assert evaluate_categories(embedding({"q": [1, 0]}), WordCategories("made", ("a",), ("x",))).purity is None


@pytest.mark.parametrize(
    "text",
    ["a\tx\nb\tx\n# no\n\nc\ty\n", "a,x\nb, x\nc,y\n", "a x\nb x\nc y", ": x\na b\n: y\nc\n", "a;x\r\nb;x\r\nc;y"],
)
def test_layouts_of_categories(tmp_path, text):
    (tmp_path / "set.txt").write_text(text, newline="")
    read = WordCategories.read(tmp_path / "set.txt")
    assert (read.name, read.words, read.categories) == ("set", ("a", "b", "c"), ("x", "x", "y"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tx\nb\n", r"set\.txt:2: expected a word and its category; got \['b'\]"),
        ("a\tx\na\ty\n", r"set\.txt:2: the word 'a' has a category already, 'x'"),
        ("a\n: x\nb\n", r"set\.txt:1: words before the first ': category' line"),
        ("a x\n", "two categories are needed to tell them apart; found 1"),
    ],
)
def test_damaged_categories(tmp_path, text, message):
    (tmp_path / "set.txt").write_text(text)
    with pytest.raises(FormatError, match=message):
        WordCategories.read(tmp_path / "set.txt")
    with pytest.raises(FileAccessError):
        WordCategories.read(tmp_path / "missing.txt")


def test_the_odd_one_out(tmp_path):
    (tmp_path / "odd.txt").write_text(
        "fruit1 fruit2 fruit3 tool1\nbeast1 Beast2 tool1\nfruit1 tool1 tool2\nfruit1 x y\n"
    )
    rows, _ = clusters()
    report = evaluate_odd_one_out(embedding(rows), tmp_path / "odd.txt")
    assert (report.correct, report.answerable, report.total) == (2, 3, 4)
    assert report.random == pytest.approx(1 / 4 + 1 / 3 + 1 / 3) and report.missing_words == ("x", "y")
    assert report.accuracy == 2 / 3 and str(report) == "2 of 3 (66.7%), 4 asked"
    low, high = report.interval
    assert 0 <= low < high <= 1
    assert evaluate_odd_one_out(embedding(rows), tmp_path / "odd.txt", case="none").answerable == 2
    nothing = evaluate_odd_one_out(embedding({"q": [1]}), OddOneOutSets("made", (("a", "b", "c"),)))
    assert (nothing.accuracy, str(nothing), nothing.interval) == (None, "0 of 1 answerable, n/a", None)
    alike = embedding({"a": [1, 1], "b": [1, 1], "c": [2, 2]})
    assert evaluate_odd_one_out(alike, OddOneOutSets("made", (("a", "b", "c"),))).correct == 0
    for text, message in (
        ("a b\n", r"odd\.txt:1: expected three"),
        ("a b b\n", r"got \('a', 'b', 'b'\)"),
        ("#\n", "no list"),
    ):
        (tmp_path / "odd.txt").write_text(text)
        with pytest.raises(FormatError, match=message):
            OddOneOutSets.read(tmp_path / "odd.txt")


def test_the_bundled_sets_that_fit_a_vocabulary():
    def names(words):
        return [s.name for s in fitting(Vocabulary(words, [1] * len(words)))]

    english = ["Athens", "Greece", "boy", "girl", "king", "queen", "think", "thinking"]
    chinese = ["中国", "北京", "男人", "女人", "国王", "王后"]
    assert names(english) == ["questions-words"]
    assert "questions-words" not in names(chinese) and "wordsim-240" in names(chinese)
    assert "questions-words" not in names([*chinese, "yen"])
    assert names(["qq", "xx"]) == [] and names([1, 2]) == []
