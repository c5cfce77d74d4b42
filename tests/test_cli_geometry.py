"""``w2v geometry``, ``postprocess``, ``plot`` and ``analogy --explain``: what is printed, written and refused."""

import numpy as np
import pytest

import w2v


@pytest.fixture
def here(model, monkeypatch):
    """Let commands find the model without being told."""
    monkeypatch.setenv("W2V_MODEL", str(model))


# ------------------------------------------------------------------------------------------------------ geometry


def test_geometry_prints_a_table_that_says_what_it_means(cli, here):
    answer = cli("geometry")
    assert answer.status == 0 and answer.err == ""
    for text in ("mean cosine of pairs", "random", "one-hot", "IsoScore", "1.414", "degrees apart", "By frequency"):
        assert text in answer.out
    assert len(answer.out.splitlines()) < 45 and "  -0.000" not in answer.out
    found = cli("geometry", "--json").json
    assert f"{found['cone']['mean_cosine']:.3f}" in answer.out
    assert found["shape"]["iso_score"] == found["spectrum"]["iso_score"] and found["counted"]
    assert set(found["random"]) == set(found["one_hot"]) == set(found["shape"])


def test_geometry_says_which_rows_are_of_fewer_words(cli, here):
    assert "The last four rows" not in cli("geometry").out
    text = cli("geometry", "--neighborhood", 30).out
    lines = text.split("\n\n")[0].splitlines()
    assert lines[-1] == "  The last four rows are of the 30 most frequent words alone"
    assert [line.split()[0] for line in lines[-5:-1]] == ["skew", "neighbours:", "distance", "and"]


def test_geometry_of_a_table_without_counts_takes_those_of_another(cli, here, model):
    assert cli("export", "-o", "v.txt").status == 0
    bare = cli("geometry", "--model", "v.txt", "--whole", "22.7M")
    assert "gives no counts" in bare.out and "no context vectors" in bare.out and "of 22,700,000" in bare.out
    counted = cli("geometry", "--model", "v.txt", "--counts-from", model, "--json")
    words = len(w2v.load(model))
    assert f"{words:,} of the {words:,} words" in counted.err
    assert counted.json["lengths"] == cli("geometry", "--json").json["lengths"]
    assert cli("geometry", "--whole", "many").status == 2


def test_geometry_draws(cli, here, tmp_path):
    pytest.importorskip("matplotlib")
    answer = cli("geometry", "--restrict-vocab", 30, "--figure", "g.svg")
    assert answer.status == 0 and "Drawn: g.svg" in answer.err and (tmp_path / "g.svg").exists()
    again = cli("geometry", "--figure", "g.svg")
    assert again.status == 1 and "--force" in again.err and again.out == ""
    assert "png, svg, pdf" in cli("geometry", "--figure", "g.gif").err


# --------------------------------------------------------------------------------------------------- postprocess


def test_postprocess_saves_a_model_with_its_provenance(cli, here, model, tmp_path):
    answer = cli("postprocess", "abtt=2", "unit", "-o", "better.safetensors")
    assert answer.status == 0 and answer.out.startswith("Saved better.safetensors: ")
    made = w2v.load("better.safetensors")
    assert [s["step"] for s in made.provenance["postprocessing"]] == ["abtt=2", "unit"]
    assert np.linalg.norm(made.W, axis=1) == pytest.approx(1, abs=1e-5)
    assert "abtt=2" in cli("info", "--model", "better.safetensors").out
    assert cli("similar", "king", "--model", "better.safetensors").status == 0
    assert "--force" in cli("postprocess", "center", "-o", "better.safetensors").err
    over = cli("postprocess", "center", "-o", "better.safetensors", "--model", "better.safetensors", "--force")
    assert over.status == 1 and "is the model itself" in over.err


def test_postprocess_evaluates_before_and_after(cli, here, tmp_path):
    (tmp_path / "q.txt").write_text(": people\nman king woman queen\nking man queen woman\n")
    (tmp_path / "s.txt").write_text("king\tqueen\t9\nking\tman\t7\nking\tparis\t1\n")
    options = ["--analogies", "q.txt", "--similarity", "s.txt"]
    answer = cli("postprocess", "center", *options)
    assert answer.status == 0 and "before" in answer.out and "Spearman, 3 of 3 pairs" in answer.out
    assert "analogies right, of 2 of 2 questions" in answer.out
    found = {m["name"]: m for m in cli("postprocess", "center", *options, "--json").json["measures"]}
    assert abs(found["mean_cosine"]["after"]) < abs(found["mean_cosine"]["before"])
    assert {"q", "s", "isotropy", "iso_score"} <= set(found)
    bundled = cli("postprocess", "unit", "--evaluate")
    assert "questions-words" in bundled.out and "Left out" in bundled.err
    named = cli("postprocess", "unit", "--analogies", "questions-words", "--json").json["measures"]
    assert named[0]["name"] == "questions-words" and named[0]["before"] is not None


def test_postprocess_is_told_what_it_cannot_do(cli, here):
    assert cli("postprocess", "center").status == 2
    assert cli("postprocess", "-o", "x.safetensors").status == 2
    answer = cli("postprocess", "centre", "-o", "x.safetensors")
    assert answer.status == 1 and "the steps are center" in answer.err


# ---------------------------------------------------------------------------------------------------------- plot


def test_plot_draws_words_neighbours_and_arrows(cli, here, tmp_path):
    pytest.importorskip("matplotlib")
    answer = cli(
        "plot", "king", "--neighbours", 5, "--analogy", "man", "king", "woman", "queen", "-o", "m.pdf", "--json"
    )
    assert answer.status == 0 and (tmp_path / "m.pdf").read_bytes().startswith(b"%PDF")
    assert answer.json["arrows"] == [["man", "king"], ["woman", "queen"]] and answer.json["words"][0]["word"] == "king"
    answer = cli("plot")
    assert answer.status == 0 and answer.out.startswith("Drawn words.png: ")
    assert cli("plot", "--method", "tsne", "--force").status == 0
    assert "--force" in cli("plot").err
    assert "'kingg' is not in the vocabulary" in cli("plot", "kingg", "-o", "n.png").err
    assert not (tmp_path / "n.png").exists()


# ------------------------------------------------------------------------------------------------------- explain


def test_explain_shows_ranks_gap_and_cspmi(cli, here):
    answer = cli("analogy", "king", "man", "woman", "--explain")
    assert answer.status == 0 and "for csPMI" in answer.err
    lines = answer.out.splitlines()
    assert lines[0] == "king - man + woman   (left out: king, man, woman)" and lines[1].split()[0] == "queen"
    assert "Why queen, or why not: man : king :: woman : queen" in answer.out
    for text in ("rank of queen", "gap to the target", "nearest to king alone", "csPMI", "woman queen"):
        assert text in answer.out
    found = cli("analogy", "king", "man", "woman", "--explain", "--json").json
    assert (found["a"], found["b"], found["c"], found["answer"]) == ("man", "king", "woman", "queen")
    assert found["query"]["positive"] == ["king", "woman"] and set(found["cspmi"]) == {"a-b", "c-d", "a-c", "b-d"}


def test_explain_ranks_what_was_expected(cli, here):
    answer = cli("analogy", "king", "man", "woman", "--explain", "--right", "paris", "--no-corpus")
    assert answer.status == 0 and answer.err == "" and "csPMI" not in answer.out
    assert "rank of paris" in answer.out and "queen comes first" in answer.out
    assert cli("analogy", "king", "man", "woman", "--explain", "--right", "king").status == 1


def test_explain_without_the_corpus_says_so(cli, here, model, tmp_path):
    embedding = w2v.load(model)
    provenance = {**embedding.provenance, "corpus": {"paths": ["/gone/away.txt"]}}
    moved = w2v.Embedding(embedding.vocabulary, embedding.W, settings=embedding.settings, provenance=provenance)
    moved.save("moved.safetensors")
    answer = cli("analogy", "king", "man", "woman", "--explain", "--model", "moved.safetensors")
    assert answer.status == 0 and "/gone/away.txt is not there any more" in answer.err
    (tmp_path / "other.txt").write_text("king man woman queen\n" * 9)
    answer = cli("analogy", "king", "man", "woman", "--explain", "--corpus", "other.txt")
    assert answer.status == 0 and "is not the text" in answer.err and "csPMI" not in answer.out


def test_explain_a_file_by_section(cli, here, tmp_path):
    (tmp_path / "q.txt").write_text(
        ": people\nman king woman queen\nking man queen woman\n: none\nno such words here\n"
    )
    answer = cli("analogy", "--explain", "--questions", "q.txt")
    assert answer.status == 0 and "people" in answer.out and "csPMI" in answer.out and "n/a" in answer.out
    found = cli("analogy", "--questions", "q.txt", "--no-corpus", "--json").json
    people, none = found["sections"]
    assert people["accuracy"] == 1.0 and people["answerable"] == 2 and people["cspmi_gap"] is None
    assert none["accuracy"] is None and none["gap"] is None and found["all"]["asked"] == 3
    assert people["cosine_of_offsets"] == pytest.approx(found["all"]["cosine_of_offsets"])
    assert cli("analogy", "--questions", "no-such-file.txt").status == 1
    assert cli("analogy", "king", "man", "--explain").status == 2
    assert cli("analogy", "king", "man", "woman", "queen").status == 2
    assert cli("analogy", "king", "man", "woman", "--questions", "q.txt").status == 2
