"""LRCos against a fit by another minimiser, and questions with several right answers."""

import numpy as np
import pytest
import reference
from scipy.optimize import minimize

from w2v.embedding import Embedding
from w2v.evaluation import AnalogyQuestions, Question, Section, analogies, evaluate_analogies, lrcos, scoring
from w2v.vocabulary import Vocabulary


def embedding(words, W):
    return Embedding(Vocabulary(words, range(len(words), 0, -1)), W)


def asked(*lines, name="all"):
    return AnalogyQuestions("made", (Section(name, tuple(Question(*line.split()) for line in lines)),))


def classes(pairs=6, d=8, seed=0):
    """A space with sources s0.., targets t0.. in a class of their own near the sources, and others."""
    rng = np.random.default_rng(seed)
    words, rows = [], []
    for i in range(pairs):
        topic = rng.standard_normal(d)
        topic[0] = 0
        mark = np.eye(d)[0] * 3
        words += [f"s{i}", f"t{i}", f"x{i}"]
        rows += [topic, topic + mark + 0.3 * rng.standard_normal(d), topic + 0.3 * rng.standard_normal(d)]
    lines = [f"s{i} t{i} s{j} t{j}" for i in range(pairs) for j in range(pairs) if i != j]
    return words, np.array(rows), lines


def test_words_of_the_class_are_found_and_the_pair_asked_about_takes_no_part():
    words, W, lines = classes()
    report = evaluate_analogies(embedding(words, W), asked(*lines), method="lrcos")
    assert report.method == "lrcos" and report.formula == "P(x is such a d) * cos(x, c)"
    assert report.accuracy > 0.8
    assert report.total.baselines["only_c"] < 0.5
    again = evaluate_analogies(embedding(words, W), asked(*lines), method="lrcos", case="none", baselines=False)
    assert again.answers == report.answers


def test_scores_equal_those_of_another_minimiser(monkeypatch):
    words, W, _ = classes(seed=3)
    unit = reference.unit_rows(W).astype(np.float32)
    index = {word: i for i, word in enumerate(words)}
    pairs = np.array([[index[w] for w in q.split()] for q in ("s0 t0 s1 t1", "s2 t2 s1 t1", "s1 t1 s2 t2")])
    usable = np.arange(len(words))
    scorer = lrcos.ClassScorer(unit, np.zeros(3, dtype=np.int64), pairs, usable, seed=5)
    scores = scorer.scores(slice(0, 3))
    random = np.random.default_rng([5, 0]).choice(usable, size=3)
    for row, (kept, c) in enumerate((((0, 2), 1), ((0, 2), 1), ((0, 1), 2))):
        right = sorted(index[f"t{i}"] for i in kept)
        wrong = [index[f"s{i}"] for i in kept] + random[:2].tolist()
        wrong = [x for x in wrong if x not in right and x != index[f"t{c}"]]
        x = np.column_stack([unit[right + wrong].astype(float), np.ones(len(right + wrong))])
        y = np.array([1.0] * len(right) + [-1.0] * len(wrong))

        def loss(w, x=x, y=y):
            return np.logaddexp(0, -y * (x @ w)).sum() + (w[:-1] @ w[:-1]) / 2

        w = minimize(loss, np.zeros(x.shape[1]), method="BFGS", options={"gtol": 1e-8}).x
        logits = unit.astype(float) @ w[:-1] + w[-1]
        expected = 2 / (1 + np.exp(-logits)) * (unit.astype(float) @ unit[index[f"s{c}"]].astype(float))
        np.testing.assert_allclose(scores[row], expected, atol=2e-3)
        np.testing.assert_allclose(scorer.exact(np.full(len(words), row), usable), scores[row], atol=1e-6)


def test_a_section_of_one_pair_is_answered_with_the_neighbour_of_c():
    words, W, _ = classes()
    report = evaluate_analogies(embedding(words, W), asked("s0 s0 s1 t1"), method="lrcos")
    plain = evaluate_analogies(embedding(words, W), asked("s0 s0 s1 t1"))
    assert report.answers[0].predicted is not None and plain.total.answerable == 1


@pytest.mark.parametrize("method", analogies.METHODS)
def test_the_blocks_do_not_change_the_answers(method, monkeypatch):
    words, W, lines = classes(seed=7)
    whole = evaluate_analogies(embedding(words, W), asked(*lines), method=method)
    for name in ("FEW_CELLS", "MANY_CELLS"):
        monkeypatch.setattr(scoring, name, 7 * len(words))
    monkeypatch.setattr(lrcos.ClassScorer, "cells", 7 * len(words))
    assert evaluate_analogies(embedding(words, W), asked(*lines), method=method).answers == whole.answers


# --------------------------------------------------------------------------------------------- several right answers

ROWS = {"man": [1, 0, 0, 0], "king": [1, 1, 0, 0], "woman": [0, 0, 1, 0], "queen": [0, 1, 1, 0], "apple": [0, 0, 0, 1]}


def test_any_of_several_right_answers_is_right(tmp_path):
    (tmp_path / "q.txt").write_text("man king woman empress/queen\nman king woman apple/king\nman king woman no/such\n")
    questions = AnalogyQuestions.read(tmp_path / "q.txt")
    assert questions.sections[0].questions[0].answers == ("empress/queen", "empress", "queen")
    report = evaluate_analogies(embedding(list(ROWS), list(ROWS.values())), questions)
    assert (report.total.correct, report.total.answerable, report.total.total) == (1, 2, 3)
    assert report.answers[0].correct and report.answers[0].rank == 1
    (miss,) = report.misses
    assert (miss.predicted, miss.rank, miss.question.d) == ("queen", 2, "apple/king")
    assert report.total.random == 1  # a half each: king is left out
    assert "empress" in report.missing_words


def test_a_word_with_a_slash_is_a_word():
    words = ["speed", "km/h", "time", "s", "other"]
    W = [[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
    report = evaluate_analogies(embedding(words, W), asked("time s speed km/h"))
    assert report.accuracy == 1.0
