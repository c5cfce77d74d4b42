"""The command line: align, translate, compare."""

import numpy as np
import pytest
from spaces import gaussian, rotation

import w2v


def save(path, words, W):
    w2v.Embedding(w2v.Vocabulary(words, np.arange(len(words), 0, -1) + 99), W).save(path)


@pytest.fixture
def planted(tmp_path):
    """Two models of one space: en.safetensors, de.safetensors, and en-de.tsv; a few words are spelt alike."""
    n, d = 300, 10
    X = gaussian(n, d) * (1 + gaussian(d, seed=1) ** 2)
    order = np.random.default_rng(2).permutation(n)
    english = [f"name{i}" if i % 5 == 0 else f"e{i}" for i in range(n)]
    german = [f"name{i}" if i % 5 == 0 else f"d{i}" for i in order]
    save("en.safetensors", english, X)
    save("de.safetensors", german, X[order] @ rotation(d))
    lines = [f"{word}\t{word.replace('e', 'd', 1) if word[0] == 'e' else word}\n" for word in english]
    (tmp_path / "en-de.tsv").write_text("".join(lines))
    (tmp_path / "de-en.tsv").write_text("".join("\t".join(reversed(line.split())) + "\n" for line in lines))
    return lines


MODELS = ("en.safetensors", "de.safetensors")


def test_align_by_a_dictionary_then_translate(cli, planted):
    answer = cli("align", *MODELS, "--dictionary", "en-de.tsv")
    assert answer.status == 0 and answer.err == ""
    lines = answer.out.splitlines()
    assert lines[0] == "en.safetensors aligned with de.safetensors"
    assert "240 known of 240 in en-de.tsv (rest)" in answer.out
    assert "en-de.tsv (held out): 60 of 60 words asked (100.0%), 300 possible answers" in lines
    assert [line.split() for line in lines if line.startswith("  all")] == [["all", "60", *["100.0%"] * 6]]
    assert lines[-1] == "Wrote aligned.safetensors and aligned.target.safetensors"
    text = cli("translate", "e1", "name5", "-n", "2").out
    first, second = text.split("\n\n")
    assert first.splitlines()[0] == "e1   (cosine, CSLS)" and first.splitlines()[1].split()[:2] == ["d1", "1.0000"]
    assert second.splitlines()[1].split()[0] == "name5" and len(second.splitlines()) == 3
    back = cli("translate", "d1", "--back", "--retrieval", "cosine", "--json").json
    assert back["query"]["words"] == ["d1"] and back["query"]["back"] is True
    best = back["results"][0]["translations"][0]
    assert best["word"] == "e1" and best["similarity"] == pytest.approx(1) == best["score"]
    assert cli("translate", "d1", "--back", "--retrieval", "cosine").out.startswith("d1   (cosine)\ne1")


def test_aligned_models_are_models_and_are_not_overwritten(cli, planted, tmp_path):
    assert cli("align", *MODELS, "-d", "en-de.tsv", "-o", "x.st", "--quiet").status == 0
    information = cli("info", "--model", "x.st")
    assert information.status == 0 and "alignment" in information.out
    assert cli("similar", "d1", "--model", "x.target.st").status == 0
    again = cli("align", *MODELS, "-d", "en-de.tsv", "-o", "x.st")
    assert again.status == 1 and "x.st exists; add --force" in again.err
    (tmp_path / "x.st").unlink()
    assert "x.target.st exists" in cli("align", *MODELS, "-d", "en-de.tsv", "-o", "x.st").err
    assert cli("align", *MODELS, "-d", "en-de.tsv", "-o", "x.st", "--force").status == 0


def test_an_input_is_not_overwritten_even_where_nobody_named_it(cli, planted, tmp_path):
    (tmp_path / MODELS[1]).rename(tmp_path / "x.target.st")
    models = [MODELS[0], "x.target.st"]
    for output, lost in ((MODELS[0], MODELS[0]), ("x.st", "x.target.st"), ("en-de.tsv", "en-de.tsv")):
        before = (tmp_path / lost).read_bytes()
        answer = cli("align", *models, "-d", "en-de.tsv", "-o", output, "--force")
        assert answer.status == 1 and f"{lost} is the input {lost}: it would be overwritten" in answer.err
        assert (tmp_path / lost).read_bytes() == before


def test_a_test_file_is_never_learnt_from(cli, planted, tmp_path):
    (tmp_path / "test.tsv").write_text("".join(planted[:50]))
    answer = cli("align", *MODELS, "-d", "en-de.tsv", "--test", "test.tsv", "--json").json
    assert answer["dictionary_pairs"] == 250 and answer["test"]["covered"] == 50
    assert answer["test"]["all"]["precision"] == {"csls": [1, 1, 1], "cosine": [1, 1, 1]}
    assert answer["output"] == ["aligned.safetensors", "aligned.target.safetensors"] and answer["trusted"] is True


def test_the_other_ways_and_options(cli, planted):
    base = ["align", *MODELS, "--force", "--json", "--test", "en-de.tsv"]
    alone = cli(*base, "--unsupervised", "--induce-among", 300).json
    assert alone["given_pairs"] == 0 and alone["agreement"] == 1 and alone["test"]["all"]["precision"]["csls"][0] == 1
    options = ["--steps", "none", "--mapping", "orthogonal", "--refine", "0", "--restrict-vocab", "200"]
    swapped = cli("align", *MODELS, "--force", "--json", "-d", "de-en.tsv", "--swap", *options).json
    assert swapped["test"]["candidates"] == 200 and swapped["mapping"] == "orthogonal" and swapped["rounds"] == 0
    assert swapped["test"]["all"]["precision"]["cosine"][0] == 1
    names = cli("align", *MODELS, "--force", "--identical").out
    assert "48 known of 48 in words spelt alike (rest)" in names and "12 of 12 words asked" in names
    without = cli("align", *MODELS, "--force", "-d", "en-de.tsv", "--holdout", "0")
    assert without.status == 0 and "asked" not in without.out
    assert cli("align", *MODELS, "--force", "-d", "en-de.tsv", "--holdout", "0", "--json").json["test"] is None


def test_a_failed_unsupervised_alignment_is_told_and_not_written(cli, tmp_path):
    words = [f"w{i}" for i in range(400)]
    save("a.safetensors", words, gaussian(400, 12))
    save("b.safetensors", words, gaussian(400, 12, seed=1))
    answer = cli("align", "a.safetensors", "b.safetensors", "--unsupervised")
    assert answer.status == 1 and answer.out == "" and answer.err.startswith("Error: The unsupervised alignment failed")
    assert "Nothing was written" in answer.err and not (tmp_path / "aligned.safetensors").exists()
    accepted = cli("align", "a.safetensors", "b.safetensors", "--unsupervised", "--accept")
    assert accepted.status == 0 and "failed" in accepted.out and (tmp_path / "aligned.safetensors").exists()


def test_an_empty_seed_says_how_many_pairs_were_found(cli, planted, tmp_path):
    (tmp_path / "fr.tsv").write_text("e1\tchien\nchat\td2\n")
    answer = cli("align", *MODELS, "-d", "fr.tsv")
    assert answer.status == 1 and "0 of the 2 pairs of fr.tsv are known on both sides" in answer.err
    assert answer.err.count("\n") == 1 and not (tmp_path / "aligned.safetensors").exists()


@pytest.mark.parametrize("ways", [[], ["--identical", "--unsupervised"], ["-d", "x", "--identical"]])
def test_exactly_one_way_is_chosen(cli, planted, ways):
    answer = cli("align", *MODELS, *ways)
    assert answer.status == 2 and "choose one of --dictionary FILE, --identical and --unsupervised" in answer.err


def test_translate_without_aligned_models(cli, planted):
    assert "make one with: w2v align SOURCE TARGET" in cli("translate", "e1").err
    assert "no aligned target at en.target.safetensors" in cli("translate", "e1", "-m", "en.safetensors").err
    answer = cli("translate", "e1", "-m", "en.safetensors", "--target", "de.safetensors")
    assert answer.status == 1 and "en.safetensors was not aligned" in answer.err
    assert cli("align", *MODELS, "-d", "en-de.tsv").status == 0
    assert "'e9999' is not in the vocabulary" in cli("translate", "e9999").err


def test_compare_two_models(cli, tmp_path):
    words = [f"w{i}" for i in range(200)]
    X = gaussian(200, 8)
    Y = X @ rotation(8)
    Y[7] = gaussian(8, seed=3)
    save("a.safetensors", words, X)
    save("b.safetensors", words, Y)
    save("a2.safetensors", words, X @ rotation(8, 4))
    answer = cli("compare", "a.safetensors", "b.safetensors", "--topn", 3)
    assert answer.status == 0 and answer.err == ""
    assert answer.out.startswith("a.safetensors and b.safetensors over 200 words that both know\n")
    assert "chance" in answer.out and "ceiling" not in answer.out
    moved = answer.out.partition("The words that moved most")[2].splitlines()
    assert moved[2].split()[0] == "w7" and len(moved) == 5
    text = cli("compare", "a.safetensors", "b.safetensors", "--ceiling", "a2.safetensors").out
    assert "A and a2.safetensors: the ceiling" in text and "most cosine lost against the ceiling" in text
    found = cli("compare", "a.safetensors", "b.safetensors", "--restrict-vocab", 100, "--neighbors", 5, "--json").json
    assert found["words"] == 100 and found["neighbors"] == 5 and found["moved"][0]["word"] == "w7"
    assert found["query"]["ceiling"] is None and found["spaces"]["cka"] > 0.9
    none = cli("compare", "a.safetensors", "b.safetensors", "--topn", 0)
    assert none.status == 0 and "moved" not in none.out
    asked = cli("compare", "a.safetensors", "b.safetensors", "--word", "w9", "--word", "w7", "--topn", 0)
    lines = asked.out.partition("The words asked about\n")[2].splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["w9", "w7"] and "moved most" not in asked.out
    unknown = cli("compare", "a.safetensors", "b.safetensors", "--word", "w999")
    assert unknown.status == 1 and "'w999' is not compared: A does not know it (did you mean w9" in unknown.err
    few = cli("compare", "a.safetensors", "b.safetensors", "--min-count", 10_000)
    assert few.status == 1 and "0 words with a count of 10000 or more in each" in few.err


def test_these_commands_never_load_numba(planted, process):
    import subprocess
    import sys

    program = (
        "import sys\nfrom w2v.cli import main\n"
        "for command in (['align', 'en.safetensors', 'de.safetensors', '-d', 'en-de.tsv'], ['translate', 'e1'],\n"
        "                ['compare', 'en.safetensors', 'en.safetensors']):\n"
        "    try: main(command)\n    except SystemExit as stop: assert stop.code == 0, command\n"
        "print(sorted({'numba', 'llvmlite', 'w2v.corpus', 'w2v.kernels'} & set(sys.modules)), file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0 and run.stderr.splitlines()[-1] == "[]", run.stderr
