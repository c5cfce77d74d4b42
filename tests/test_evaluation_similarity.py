"""Similarity sets against plain oracles, and the cases that users of other tools have reported."""

import json

import numpy as np
import pytest
import reference

from w2v.embedding import Embedding
from w2v.errors import FormatError, SettingsError
from w2v.evaluation import SimilarityPairs, WordPair, evaluate_similarity
from w2v.vocabulary import Vocabulary


def embedding(words, W):
    return Embedding(Vocabulary(list(words), np.arange(len(words), 0, -1)), np.asarray(W, dtype=np.float32))


def fan(*cosines):
    """An embedding in which word x and word y<i> have the cosine given at i."""
    W = [[1.0, 0.0]] + [[c, np.sqrt(1 - c * c)] for c in cosines]
    return embedding(["x", *(f"y{i}" for i in range(len(cosines)))], W)


def pairs(*rows):
    return SimilarityPairs("made", tuple(WordPair(*row) for row in rows))


def test_correlations_equal_the_oracles_with_ties():
    rng = np.random.default_rng(1)
    W = rng.standard_normal((60, 5))
    words = [f"w{i}" for i in range(60)]
    rows = [(f"w{i}", f"w{j}", float(rng.integers(0, 6))) for i, j in rng.integers(0, 70, (300, 2)) if i != j]
    report = evaluate_similarity(embedding(words, W), pairs(*rows))
    spearman, used, total = reference.word_similarity(W.astype(np.float32), words, rows)
    assert (report.covered, report.total) == (used, total)
    assert used < total
    assert report.spearman == pytest.approx(spearman, abs=1e-9)
    known = [(a, b, g) for a, b, g in rows if a in words and b in words]
    cosines = [reference.cosine(W[words.index(a)], W[words.index(b)]) for a, b, _ in known]
    golds = [g for _, _, g in known]
    assert report.pearson == pytest.approx(reference.weighted_pearson(golds, cosines), abs=1e-6)
    low, high = report.spearman_interval
    assert low < report.spearman < high
    assert report.spearman_interval == evaluate_similarity(embedding(words, W), pairs(*rows)).spearman_interval


def test_golds_are_numbers_and_not_strings(tmp_path):
    # a field report: '9.5', '2.1', '10.0' is their order as text
    path = tmp_path / "golds.tsv"
    path.write_text("x\ty0\t10.0\nx\ty1\t9.5\nx\ty2\t2.1\n", encoding="utf-8")
    report = evaluate_similarity(fan(0.9, 0.5, 0.1), path)
    assert report.spearman == pytest.approx(1.0)
    assert report.name == "golds"


def test_pairs_with_unknown_words_are_skipped_or_get_zero_as_stated():
    rows = [("x", "y0", 3.0), ("x", "y1", 2.0), ("x", "unknown", 2.5), ("other", "y1", 1.0)]
    skipped = evaluate_similarity(fan(0.9, 0.5), pairs(*rows))
    assert (skipped.covered, skipped.total, skipped.coverage, skipped.oov) == (2, 4, 0.5, "skip")
    assert skipped.missing_words == ("other", "unknown")
    assert skipped.spearman == pytest.approx(1.0)
    assert skipped.spearman_p is None
    zero = evaluate_similarity(fan(0.9, 0.5), pairs(*rows), oov="zero")
    expected = reference.spearman([3.0, 2.0, 2.5, 1.0], [0.9, 0.5, 0.0, 0.0])
    assert (zero.covered, zero.coverage) == (2, 0.5)
    assert zero.spearman == pytest.approx(expected)


def test_case_and_restriction():
    model = embedding(["Love", "love", "sex", "rare"], [[1, 0], [0, 1], [1, 0], [1, 1]])
    rows = [("LOVE", "Sex", 9.0), ("sex", "rare", 5.0), ("love", "rare", 1.0)]
    assert evaluate_similarity(model, pairs(*rows)).covered == 3
    assert evaluate_similarity(model, pairs(*rows), case="none").covered == 2
    assert evaluate_similarity(model, pairs(*rows), restrict_vocab=3).covered == 1


@pytest.mark.parametrize(
    "rows",
    [
        [("x", "unknown", 1.0)],
        [("x", "y0", 1.0)],
        [("x", "y0", 1.0), ("x", "y1", 1.0), ("x", "y2", 1.0)],
        [("x", "y0", 1.0), ("x", "y0", 2.0), ("x", "y0", 3.0)],
    ],
)
def test_what_cannot_be_correlated_is_none_and_never_nan(rows):
    report = evaluate_similarity(fan(0.9, 0.5, 0.1), pairs(*rows))
    assert (report.spearman, report.pearson, report.spearman_interval) == (None, None, None)
    assert str(report).endswith(" covered, n/a")


def test_rows_of_zeros_have_no_similarity():
    model = embedding(["zero", "a", "b"], [[0, 0], [1, 0], [0, 1]])
    report = evaluate_similarity(model, pairs(("a", "b", 1.0), ("a", "zero", 2.0), ("a", "a", 3.0)))
    assert report.covered == 2


def test_a_report_is_json():
    report = evaluate_similarity(fan(0.9, 0.5, 0.1), pairs(("x", "y0", 3.0), ("x", "y1", 2.0), ("x", "y2", 1.0)))
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["spearman"] == pytest.approx(1.0)
    assert plain["coverage"] == 1.0


def test_few_pairs_are_not_telling():
    """A field report: -1.000 of two pairs looked like a result."""
    for count in (2, 9, 10):
        model = fan(*(0.95 - 0.09 * i for i in range(count)))
        report = evaluate_similarity(model, pairs(*(("x", f"y{i}", float(-i)) for i in range(count))))
        assert report.spearman == pytest.approx(1.0)
        assert report.telling == (count == 10)
        expected = (
            "Spearman 1.000, 10 of 10 pairs covered" if report.telling else f"{count} of {count} pairs covered, n/a"
        )
        assert str(report) == expected


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("oov", "mean", "oov must be one of skip, zero; got 'mean'"),
        ("case", "upper", "case must be one of"),
        ("resamples", 2.5, "resamples must be"),
    ],
)
def test_settings_that_cannot_work_are_refused(option, value, message):
    with pytest.raises(SettingsError, match=message):
        evaluate_similarity(fan(0.5), "absent.tsv", **{option: value})


def test_vectors_that_are_not_finite_are_refused():
    with pytest.raises(FormatError, match="'x'"):
        evaluate_similarity(embedding("xy", [[np.inf, 0], [0, 1]]), pairs(("x", "y", 1.0)))


def test_a_carriage_return_inside_a_quoted_line_is_told(tmp_path):
    (tmp_path / "p.csv").write_bytes(b"a,b,1\nc\rd,e,2\nf,g,3\n")
    with pytest.raises(FormatError, match=r"p\.csv:2: the quotes or line ends are damaged"):
        SimilarityPairs.read(tmp_path / "p.csv")
