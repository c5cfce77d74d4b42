"""``w2v pmi-compare``: which corpus is used, which is refused, and what is printed."""

import json

import numpy as np
import pytest

import w2v


@pytest.fixture
def trained(cli, planted_corpus, tmp_path):
    """A model in this folder, and its corpus beside it."""
    corpus = tmp_path / "corpus.txt"
    corpus.write_bytes(planted_corpus.read_bytes())
    assert cli("train", corpus, "--vector-size", 16, "--epochs", 3, "--sample", 0, "--quiet").status == 0
    return corpus


def test_no_argument_is_needed(cli, trained):
    answer = cli("pmi-compare")
    assert answer.status == 0
    assert str(trained) in answer.out and "x* = log(a_wc" in answer.out
    for name in ("w.c of the model", "shuffled pairs", "r_w + s_c fitted to L", "r_w + s_c by least squares"):
        assert answer.out.count(f"  {name} ") >= 3
    assert "Where the objective has weight" in answer.out
    assert answer.out.index("Where the objective has weight") < answer.out.index("Observed pairs, x against x*")
    assert max(map(len, answer.out.splitlines())) <= 120 and len(answer.out.splitlines()) < 100


def test_quiet_tells_no_steps(cli, trained):
    where = ("--no-second-seed", "--no-factorize")
    loud, answer = cli("pmi-compare", *where), cli("pmi-compare", *where, "--quiet")
    assert "Counting the pairs of" in loud.err
    assert (answer.status, answer.err, answer.out) == (0, "", loud.out)


def test_json_holds_the_same(cli, trained):
    answer = cli("pmi-compare", "--json").json
    assert answer["query"]["corpus"] == [str(trained)] and answer["setup"]["window"] == 5
    headline = answer["agreement"]["by_curvature"]["pearson"]
    assert f"{headline:.3f}" in cli("pmi-compare").out and headline > 0.5
    assert len(answer["baselines"]) >= 3


def test_the_second_seed_and_the_factorisations_stand_beside(cli, trained):
    whole = cli("pmi-compare", "--json").json
    names = [overlap["name"] for overlap in whole["neighbors"]]
    assert names[-1] == "SGNS, second seed" and "SVD(PPMI)" in names
    assert {"SPPMI", "SVD(SPPMI)"} <= {row["name"] for row in whole["objectives"]}
    bare = cli("pmi-compare", "--no-second-seed", "--no-factorize", "--json").json
    assert bare["neighbors"] == [] and not any("SVD" in row["name"] for row in bare["objectives"])
    assert bare["agreement"] == whole["agreement"]


def test_sets_of_ones_own_are_scored(cli, trained, tmp_path):
    (tmp_path / "mine.txt").write_text(": all\nman king woman queen\nking man queen woman\n", encoding="utf-8")
    sets = ["--analogies", "mine.txt", "--analogies", "questions-words"]
    tasks = cli("pmi-compare", *sets, "--no-second-seed", "--json").json["tasks"]
    assert {task["name"] for task in tasks} == {"mine", "questions-words"} and {"SGNS", "SVD(PPMI)"} <= {
        task["model"] for task in tasks
    }


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_figure_is_drawn(cli, trained, tmp_path, kind):
    answer = cli("pmi-compare", "--no-second-seed", "--no-factorize", "--figure", f"figure.{kind}")
    assert answer.status == 0 and f"figure.{kind}" in answer.err
    head = (tmp_path / f"figure.{kind}").read_bytes()[:8]
    assert head.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind])


def test_a_figure_that_cannot_be_is_refused_before_the_work(cli, trained, tmp_path):
    (tmp_path / "there.png").write_bytes(b"")
    for name, reason in (("figure.bmp", "png, svg, pdf"), ("there.png", "--force"), ("nowhere/figure.png", "nowhere")):
        answer = cli("pmi-compare", "--figure", name)
        assert answer.status == 1 and reason in answer.err and "Reading" not in answer.err


def test_the_self_test_reports_each_part_and_fails_as_a_whole(cli, monkeypatch):
    """The command with few epochs: the full batch passes, the kernels have not arrived yet, and this is said."""
    import w2v.equivalence

    whole = w2v.equivalence.self_test
    monkeypatch.setattr(
        w2v.equivalence,
        "self_test",
        lambda report: whole(algorithms=("blocked",), seeds=(1,), epochs=20, report=report),
    )
    answer = cli("pmi-compare", "--exact")
    assert answer.status == 1 and "FAIL: see above" in answer.out
    lines = [line for line in answer.out.splitlines() if line.strip().startswith(("keep ", "drop "))]
    assert len(lines) == 2 and all(line.endswith("pass") for line in lines)
    assert cli("pmi-compare", "--exact", "--json").json["passed"] is False


def test_restrict_vocab_bounds_the_matrix(cli, trained):
    assert cli("pmi-compare", "--restrict-vocab", 50, "--json").json["setup"]["matrix_size"] == 50


def test_a_corpus_that_moved_is_named(cli, trained, tmp_path):
    moved = trained.rename(tmp_path / "moved.txt")
    answer = cli("pmi-compare")
    assert answer.status == 1 and str(trained) in answer.err and "--corpus" in answer.err and answer.out == ""
    assert cli("pmi-compare", "--corpus", moved).status == 0


def test_another_text_is_refused_with_both_hashes(cli, trained):
    recorded = cli("info", "--json").json["provenance"]["corpus"]["sha256"]
    trained.write_text(trained.read_text(encoding="utf-8") + "king queen\n", encoding="utf-8")
    for options in ([], ["--corpus", trained]):
        answer = cli("pmi-compare", *options)
        assert answer.status == 1 and answer.out == ""
        assert recorded in answer.err and len([w for w in answer.err.split() if len(w.strip(",;")) == 64]) == 2


def test_a_model_of_a_python_object_needs_a_corpus(cli, planted_corpus, tmp_path):
    sentences = [line.split() for line in planted_corpus.read_text(encoding="utf-8").splitlines()]
    w2v.train(sentences, vector_size=8, epochs=1, workers=1).save("model.safetensors")
    answer = cli("pmi-compare")
    assert answer.status == 1 and "a Python object" in answer.err and "--corpus FILE" in answer.err
    answer = cli("pmi-compare", "--corpus", planted_corpus, "--json")
    assert answer.status == 0 and "no checksum" in answer.err and json.loads(answer.out)["setup"]


def test_vectors_without_settings_or_contexts_have_no_target(cli, trained):
    assert cli("export", "-o", "vectors.txt").status == 0
    assert "how it was trained" in cli("pmi-compare", "--model", "vectors.txt").err
    model = w2v.load("model.safetensors")
    without = w2v.Embedding(model.vocabulary, np.array(model.W), settings=model.settings, provenance=model.provenance)
    without.save("w.safetensors")
    assert "no context vectors" in cli("pmi-compare", "--model", "w.safetensors").err


def test_a_model_behind_the_baseline_is_not_said_to_close_the_gap():
    from w2v.cli.pmi_report import _closed

    assert [_closed(gap) for gap in (None, 0.425, -105.43)] == ["", "42.5%", "none: further away"]


def test_a_selection_of_the_words_has_another_target_and_is_refused(cli, trained):
    assert cli("convert", "model.safetensors", "-o", "few.safetensors", "--top", 20).status == 0
    answer = cli("pmi-compare", "--model", "few.safetensors")
    assert answer.status == 1 and "a selection of the words" in answer.err and "--restrict-vocab" in answer.err


def test_a_continued_model_is_compared_with_the_text_trained_last(cli, trained):
    where = ("--continue-from", "model.safetensors", "-o", "more.safetensors")
    assert cli("train", trained, *where, "--epochs", 1, "--quiet").status == 0
    answer = cli("pmi-compare", "--model", "more.safetensors", "--no-second-seed", "--no-factorize")
    assert answer.status == 0 and "its target is that of the text trained last" in answer.err
