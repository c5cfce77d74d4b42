"""Analogy questions against slow oracles, and the cases that users of other tools have reported."""

import json
import subprocess
import sys

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from w2v.embedding import Embedding
from w2v.errors import FormatError, SettingsError
from w2v.evaluation import AnalogyQuestions, Question, Section, evaluate_analogies, scoring, shared_cosines
from w2v.vocabulary import Vocabulary


def embedding(words, W):
    return Embedding(Vocabulary(list(words), np.arange(len(words), 0, -1)), np.asarray(W, dtype=np.float32))


def questions(*fours, name="family", kind="semantic"):
    return AnalogyQuestions("made", (Section(name, tuple(Question(*four.split()) for four in fours), kind),))


def random_case(seed, V=37, d=6, asked=50):
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((V, d)).astype(np.float32)
    ids = np.array([rng.choice(V, 4, replace=False) for _ in range(asked)])
    words = [f"w{i}" for i in range(V)]
    return W, ids, words, questions(*(" ".join(words[i] for i in row) for row in ids))


# --------------------------------------------------------------------------------------------------- the oracles


def pair_direction(W, fours, restrict):
    """For each (a, b, c, d) the candidate x with the greatest cos(x - c, b - a), by the plainest way."""
    u = reference.unit_rows(W)
    size = restrict or len(W)
    answers = []
    for a, b, c, d in fours:
        scored = [(-reference.cosine(u[x] - u[c], u[b] - u[a]), x) for x in range(size) if x not in (a, b, c)]
        answers.append(min(scored)[1] if max(a, b, c, d) < size else None)
    return answers


ORACLES = {
    "3cosadd": reference.three_cos_add,
    "3cosmul": reference.three_cos_mul,
    "pairdirection": pair_direction,
}


@pytest.mark.parametrize("method", ORACLES)
@pytest.mark.parametrize("restrict", [None, 29])
@pytest.mark.parametrize("cells", [1, 37 * 7, 4_000_000])
def test_methods_equal_their_oracles_whatever_the_blocks(monkeypatch, method, restrict, cells):
    for name in ("FEW_CELLS", "MANY_CELLS"):
        monkeypatch.setattr(scoring, name, cells)
    monkeypatch.setattr(shared_cosines, "_HELD", 3 * cells)
    W, ids, words, asked = random_case(1)
    report = evaluate_analogies(embedding(words, W), asked, method=method, restrict_vocab=restrict)
    expected = [x for x in ORACLES[method](W, ids.tolist(), restrict) if x is not None]
    assert [words.index(answer.predicted) for answer in report.answers] == expected
    correct, answerable, total = reference.analogy_accuracy(ORACLES[method](W, ids.tolist(), restrict), ids.tolist())
    assert (report.total.correct, report.total.answerable, report.total.total) == (correct, answerable, total)
    assert answerable < total or restrict is None


@pytest.mark.parametrize("role", ["b", "c"])
def test_baselines_equal_the_nearest_word_to_one(role):
    W, ids, words, asked = random_case(2, V=12, asked=200)
    report = evaluate_analogies(embedding(words, W), asked)
    answers = reference.nearest_to_one(W, ids.tolist(), role=role)
    expected = reference.analogy_accuracy(answers, ids.tolist())[0]
    assert expected > 0
    assert getattr(report.total, f"only_{role}") == expected
    assert report.total.baselines[f"only_{role}"] == expected / 200
    assert report.total.baselines["random"] == pytest.approx(1 / 9)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_the_rank_of_the_right_answer(seed):
    W, ids, words, asked = random_case(seed, V=11, d=3, asked=5)
    W[7] = W[3]  # equal scores: the lower id first
    W[9] = 2 * W[3]  # equal direction
    report = evaluate_analogies(embedding(words, W), asked, resamples=0, baselines=False)
    u = reference.unit_rows(W)
    u[7] = u[9] = u[3]
    for answer, (a, b, c, d) in zip(report.answers, ids.tolist(), strict=True):
        query = u[b] - u[a] + u[c]
        scores = {x: float(sum(u[x] * query)) for x in range(11) if x not in (a, b, c)}
        ordered = sorted(scores, key=lambda x: (-round(scores[x], 9), x))
        assert answer.rank == ordered.index(d) + 1
        assert answer.predicted == words[ordered[0]]
        assert answer.correct == (answer.rank == 1)


# ------------------------------------------------------------------------------------------- reports from the field

ROYAL = {
    "man": [1, 0, 0, 0],
    "king": [1, 1, 0, 0],
    "woman": [0, 0, 1, 0],
    "queen": [0, 1, 1, 0],
    "apple": [0, 0, 0, 1],
}


def test_an_exact_space_scores_one_and_a_permuted_one_zero():
    asked = questions("man king woman queen", "king man queen woman")
    for method in ORACLES:
        report = evaluate_analogies(embedding(ROYAL, list(ROYAL.values())), asked, method=method)
        assert report.accuracy == 1.0
        assert report.misses == ()
    permuted = {**ROYAL, "apple": ROYAL["queen"], "queen": ROYAL["apple"]}
    report = evaluate_analogies(embedding(permuted, list(permuted.values())), questions("man king woman queen"))
    assert report.accuracy == 0.0
    (miss,) = report.misses
    assert (miss.predicted, miss.rank) == ("apple", 2)
    assert miss.to_dict() == {
        "section": "family",
        "line": 0,
        "a": "man",
        "b": "king",
        "c": "woman",
        "right": "queen",
        "predicted": "apple",
        "rank": 2,
    }


def test_inputs_are_excluded_in_all_their_spellings():
    # a field report: "king" is excluded and "King" wins; scores then depend on the case mode alone
    words = ["king", "King", "KING", "man", "woman", "Queen"]
    W = [ROYAL["king"]] * 3 + [ROYAL["man"], ROYAL["woman"], ROYAL["queen"]]
    asked = questions("man king woman queen")
    for case in ("lower", "casefold"):
        report = evaluate_analogies(embedding(words, W), asked, case=case)
        assert (report.answers[0].predicted, report.accuracy) == ("Queen", 1.0)
        assert report.total.random == 1.0  # nothing but Queen is left
    report = evaluate_analogies(embedding(words, W), asked, case="none")
    assert (report.total.answerable, report.accuracy) == (0, None)


def test_the_case_policy_changes_nothing_where_case_does_not_matter():
    W, _, words, asked = random_case(3)
    reports = [evaluate_analogies(embedding(words, W), asked, case=case) for case in ("none", "lower", "casefold")]
    assert reports[0].answers == reports[1].answers == reports[2].answers


def test_the_most_frequent_spelling_lends_its_vector_and_any_spelling_of_the_answer_is_right():
    words = ["Man", "man", "king", "woman", "apple", "QUEEN", "Queen"]
    W = [ROYAL["man"], [9, -9, 9, 9], ROYAL["king"], ROYAL["woman"], ROYAL["apple"], [1, -1, 0, 0], ROYAL["queen"]]
    (answer,) = evaluate_analogies(embedding(words, W), questions("man king woman queen")).answers
    assert (answer.predicted, answer.correct, answer.rank) == ("Queen", True, 1)


def test_case_folding_knows_no_locale():
    words, W = ["STRASSE", "Iİ", "a", "b", "c"], np.eye(5)
    asked = questions("a b c straße")
    assert evaluate_analogies(embedding(words, W), asked, case="casefold").total.answerable == 1
    assert evaluate_analogies(embedding(words, W), asked, case="lower").total.answerable == 0


def test_a_section_without_an_answerable_question_has_no_accuracy():
    asked = AnalogyQuestions(
        "made",
        (
            Section("family", (Question("man", "king", "woman", "queen"),), "semantic"),
            Section("currency", (Question("japan", "yen", "korea", "won"), Question("a", "b", "c", "d")), "semantic"),
        ),
    )
    report = evaluate_analogies(embedding(ROYAL, list(ROYAL.values())), asked)
    currency = report.section("currency")
    assert (currency.accuracy, currency.coverage, str(currency)) == (None, 0.0, "0 of 2 answerable, n/a")
    assert currency.baselines == {"only_b": None, "only_c": None, "random": None}
    assert (report.accuracy, report.coverage, report.total.accuracy_over_all) == (1.0, 1 / 3, 1 / 3)
    assert str(report.total) == "1 of 1 (100.0%), 3 asked"
    assert report.missing_words == ("a", "b", "c", "d", "japan", "korea", "won", "yen")
    assert (report.syntactic.total, report.syntactic.accuracy, report.syntactic.coverage) == (0, None, None)
    assert json.loads(json.dumps(report.to_dict()))["sections"][1]["accuracy"] is None
    with pytest.raises(KeyError, match="no section 'x'; there are family, currency"):
        report.section("x")


def test_semantic_and_syntactic_totals():
    asked = AnalogyQuestions(
        "made",
        (
            Section("gram1", (Question("man", "king", "woman", "queen"),), "syntactic"),
            Section("family", (Question("man", "king", "woman", "apple"),), "semantic"),
            Section("other", (Question("king", "man", "queen", "woman"),), None),
        ),
    )
    report = evaluate_analogies(embedding(ROYAL, list(ROYAL.values())), asked)
    tallies = (report.syntactic, report.semantic, report.total)
    assert [(t.correct, t.answerable) for t in tallies] == [(1, 1), (0, 1), (2, 3)]


def test_an_answer_that_is_one_of_the_inputs_cannot_be_given():
    (answer,) = evaluate_analogies(embedding(ROYAL, list(ROYAL.values())), questions("man king woman King")).answers
    assert (answer.predicted, answer.correct, answer.rank) == ("queen", False, None)


def test_a_vocabulary_of_nothing_but_the_inputs_gives_no_answer():
    report = evaluate_analogies(embedding(["a", "b"], np.eye(2)), questions("a b a b"))
    assert report.answers[0].predicted is None
    assert (report.total.correct, report.total.answerable, report.total.random) == (0, 1, 0.0)


def test_equal_vectors_go_to_the_more_frequent_word_wherever_they_stand():
    rng = np.random.default_rng(5)
    W = rng.standard_normal((1003, 50)).astype(np.float32)
    twins = [500, 997, 1002]
    W[twins] = W[4] - W[3] + W[5]
    words = [f"w{i}" for i in range(1003)]
    asked = questions(*["w3 w4 w5 w1002", "w3 w4 w5 w500"] * 9)
    W[[3, 4, 5]] /= np.linalg.norm(W[[3, 4, 5]], axis=1, keepdims=True)
    W[twins] = W[4] - W[3] + W[5]
    for method in ("3cosadd", "pairdirection"):
        report = evaluate_analogies(embedding(words, W), asked, method=method)
        assert {answer.predicted for answer in report.answers} == {"w500"}
        assert [answer.rank for answer in report.answers] == [3, 1] * 9


def test_rows_of_zeros_are_neither_asked_about_nor_given():
    words = ["zero", "a", "b", "c", "d"]
    W = [[0, 0], [1, 1], [-1, 0], [0, -1], [-1, -1]]
    report = evaluate_analogies(embedding(words, W), questions("a b c d", "a b c zero", "a b zero d"))
    assert report.total.answerable == 1
    assert report.answers[0].predicted == "d"
    assert report.missing_words == ("zero",)


@pytest.mark.parametrize("restrict", [None, 3])
def test_vectors_that_are_not_finite_are_refused(restrict):
    W = np.ones((5, 4), dtype=np.float32)
    W[2, 1] = np.nan
    with pytest.raises(FormatError, match="'woman'"):
        evaluate_analogies(embedding(ROYAL, W), questions("man king woman queen"), restrict_vocab=restrict)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_the_length_of_the_vectors_does_not_matter(scale):
    W, _, words, asked = random_case(4)
    expected = evaluate_analogies(embedding(words, W), asked, restrict_vocab=30)
    report = evaluate_analogies(embedding(words, W * np.float32(scale)), asked, restrict_vocab=30)
    assert report.answers == expected.answers


def test_integer_keys_are_asked_about_by_their_digits():
    keys = np.array([10, 20, 30, 40, 50])
    integers = Embedding(Vocabulary(keys, np.ones(5)), np.array(list(ROYAL.values()), dtype=np.float32))
    assert evaluate_analogies(integers, questions("10 20 30 40")).accuracy == 1.0


def test_the_embedding_is_left_as_it_was(tmp_path):
    model = embedding(ROYAL, list(ROYAL.values()))
    before, words = model.W.copy(), list(model.words)
    evaluate_analogies(model, questions("man king woman queen"))
    broken = tmp_path / "broken.txt"
    broken.write_text("a b c d\na b\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"broken\.txt:2"):
        evaluate_analogies(model, broken)
    assert np.array_equal(model.W, before)
    assert model.words == words
    assert model.most_similar("king", topn=1)[0].word == "man"


# ----------------------------------------------------------------------------------------------------- intervals


def test_intervals_repeat_hold_the_accuracy_and_are_wider_for_fewer_pairs():
    W, _, words, asked = random_case(6, V=12, d=8, asked=400)
    reports = [evaluate_analogies(embedding(words, W), asked, seed=seed) for seed in (1, 1, 2)]
    assert reports[0].total.interval == reports[1].total.interval
    assert reports[0].total.interval != reports[2].total.interval
    low, high = reports[0].total.interval
    assert 0 <= low < reports[0].accuracy < high <= 1
    # whole first pairs are drawn: saying each question four times over makes nothing more certain
    again = AnalogyQuestions("again", (Section("x", asked.sections[0].questions * 4),))
    repeated = evaluate_analogies(embedding(words, W), again, seed=1).total.interval
    assert repeated == pytest.approx((low, high), abs=0.02)


def test_no_interval_from_one_pair_or_without_resamples():
    model = embedding(ROYAL, list(ROYAL.values()))
    assert evaluate_analogies(model, questions("man king woman queen")).total.interval is None
    asked = questions("man king woman queen", "king man queen woman")
    assert evaluate_analogies(model, asked, resamples=0).total.interval is None
    assert evaluate_analogies(model, asked).total.interval == (1.0, 1.0)


# ------------------------------------------------------------------------------------------------------ settings


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("method", "cosine", "method must be one of 3cosadd, 3cosmul, pairdirection.*'cosine'"),
        ("case", "upper", "case must be one of none, lower, casefold; got 'upper'"),
        ("restrict_vocab", 0, "restrict_vocab must be a whole number of at least 1; got 0"),
        ("restrict_vocab", 1.5, "got 1.5"),
        ("restrict_vocab", True, "got True"),
        ("resamples", -1, "resamples must be a whole number of at least 0"),
    ],
)
def test_settings_that_cannot_work_are_refused(option, value, message):
    with pytest.raises(SettingsError, match=message):
        evaluate_analogies(embedding(ROYAL, list(ROYAL.values())), "absent.txt", **{option: value})


def test_an_unsorted_restriction_beyond_the_vocabulary_is_all_of_it():
    report = evaluate_analogies(embedding(ROYAL, list(ROYAL.values())), questions("man king woman queen"))
    assert (report.restrict_vocab, report.candidates) == (30_000, 5)


def test_evaluation_loads_neither_numba_nor_corpus_nor_scipy_at_once():
    code = (
        "import sys, w2v.evaluation; "
        "print([m for m in ('numba', 'scipy', 'click', 'w2v.corpus', 'w2v.kernels') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
