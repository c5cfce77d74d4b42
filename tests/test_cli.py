"""The command line: queries, model files, help, errors, streams."""

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import w2v
from w2v.cli.app import COMMANDS, LazyGroup, app
from w2v.cli.terminal import display_width, duration, json_line, shown, table
from w2v.cli.wording import as_typed
from w2v.errors import CorpusError, FileAccessError, SettingsError, UnknownWordError


@pytest.fixture
def here(model, monkeypatch):
    """Let commands find the model without being told."""
    monkeypatch.setenv("W2V_MODEL", str(model))


# ------------------------------------------------------------------------------------------------ what is typed


def test_the_words_typed_mean_first_minus_second_plus_third(cli, here, model):
    """``king man woman`` is king - man + woman, not the relation king : man :: woman."""
    answer = cli("analogy", "king", "man", "woman")
    lines = answer.out.splitlines()
    assert answer.status == 0 and answer.err == ""
    assert lines[0] == "king - man + woman   (left out: king, man, woman)"
    assert lines[1].split()[0] == "queen"
    words = [line.split()[0] for line in lines[1:]]
    assert not {"king", "man", "woman"} & set(words) and len(words) == 10
    embedding = w2v.load(model)
    unit = {word: embedding[word] / np.linalg.norm(embedding[word]) for word in embedding.words}
    query = unit["king"] - unit["man"] + unit["woman"]
    scores = {word: float(unit[word] @ query / np.linalg.norm(query)) for word in words}
    assert [float(line.split()[1]) for line in lines[1:]] == pytest.approx([scores[w] for w in words], abs=6e-5)


def test_analogy_as_json_is_one_object_on_one_line(cli, here):
    answer = cli("analogy", "king", "man", "woman", "--topn", 2, "--json").json
    assert set(answer) == {"query", "results"}
    assert answer["query"] == {"positive": ["king", "woman"], "negative": ["man"], "topn": 2, "restrict_vocab": None}
    assert [set(result) for result in answer["results"]] == [{"word", "similarity"}] * 2
    assert answer["results"][0]["word"] == "queen"


def test_restrict_vocab_bounds_the_answers(cli, here, model):
    words = w2v.load(model).words
    answer = cli("similar", "king", "--restrict-vocab", 5, "--json").json
    assert {result["word"] for result in answer["results"]} <= set(words[:5])


def test_similar_takes_several_words_together(cli, here, model):
    answer = cli("similar", "king", "queen", "--topn", 3)
    assert answer.out.splitlines()[0] == "king + queen   (left out: king, queen)"
    found = w2v.load(model).most_similar(["king", "queen"], topn=3)
    assert [line.split()[0] for line in answer.out.splitlines()[1:]] == [n.word for n in found]


def test_similarity_of_two_words(cli, here, model):
    expected = w2v.load(model).similarity("king", "queen")
    assert cli("similarity", "king", "queen").out == f"king  queen  {expected:.4f}\n"
    answer = cli("similarity", "king", "queen", "--json").json
    assert answer == {"query": {"word": "king"}, "results": [{"word": "queen", "similarity": pytest.approx(expected)}]}


def test_an_unknown_word_names_close_ones(cli, here):
    answer = cli("analogy", "kingg", "man", "womann")
    assert answer.status == 1 and answer.out == ""
    assert "'kingg' is not in the vocabulary (did you mean king?)" in answer.err
    assert "'womann' is not in the vocabulary (did you mean woman" in answer.err
    assert answer.err.startswith("Error: ") and answer.err.count("\n") == 1


def test_without_a_model_the_message_says_what_to_type(cli, tmp_path):
    answer = cli("analogy", "king", "man", "woman")
    assert answer.status == 1
    assert "there is no model at model.safetensors" in answer.err
    assert "w2v train corpus.txt" in answer.err and "--model" in answer.err
    (tmp_path / "other.ckpt").write_bytes(b"")
    assert "--model other.ckpt" in cli("info", "--model", "other").err


def test_a_file_that_was_cut_off_is_an_error_and_no_interrupt(cli, tmp_path):
    (tmp_path / "cut.vec").write_text("3 2\nking 1 0\n")
    answer = cli("info", "--model", "cut.vec")
    assert answer.status == 1 and "the header promises 3 rows, the file holds 1" in answer.err
    assert answer.err.startswith("Error: cut.vec") and answer.err.count("\n") == 1


def test_a_file_in_the_place_of_an_option_is_told_the_option(cli, here):
    answer = cli("info", "model.safetensors")
    assert answer.status == 2
    assert "unexpected extra argument (model.safetensors); a file is given with --model" in answer.err
    assert "with --dictionary or --test" in cli("align", "a.safetensors", "b.safetensors", "en-de.tsv").err


def test_the_model_is_the_option_then_the_variable_then_the_file_here(cli, model, tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(model.read_bytes())
    assert cli("info", "--json").json["model"] == "model.safetensors"
    monkeypatch.setenv("W2V_MODEL", str(model))
    assert cli("info", "--json").json["model"] == str(model)
    assert cli("info", "--json", "--model", "model.safetensors").json["model"] == "model.safetensors"


def test_integer_keys_are_typed_as_digits(cli, tmp_path):
    vocabulary = w2v.Vocabulary([10, 11, 12], [3, 2, 1])
    w2v.Embedding(vocabulary, np.eye(3, 4) + 0.1).save("walks.safetensors")
    answer = cli("similar", "10", "--model", "walks.safetensors", "--json").json
    assert [result["word"] for result in answer["results"]] == [11, 12]
    for word in ("0", "ten", "1-0", "--5", "9" * 5000):
        assert "not in the vocabulary" in cli("similar", "--model", "walks.safetensors", "--", word).err


# ------------------------------------------------------------------------------------------------- model files


def test_info_shows_words_settings_corpus_and_losses(cli, here, planted_corpus):
    text = cli("info").out
    assert str(planted_corpus) in text and "sha256" in text and "window 4" in text and "loss by epoch" in text
    answer = cli("info", "--json").json
    assert answer["vector_size"] == 24 and answer["settings"]["context"]["window"] == 4
    assert len(answer["losses"]) == 8 and answer["provenance"]["corpus"]["paths"] == [str(planted_corpus)]


@pytest.mark.parametrize(("name", "options"), [("v.txt", []), ("v.bin", []), ("v", ["--format", "word2vec-binary"])])
def test_what_is_exported_is_read_again(cli, here, model, name, options):
    answer = cli("export", "-o", name, *options)
    assert answer.status == 0 and name in answer.out
    read = w2v.load(name)
    original = w2v.load(model)
    assert read.words == original.words
    np.testing.assert_array_equal(read.W, original.W)
    again = cli("export", "-o", name, *options)
    assert again.status == 1 and "--force" in again.err
    assert cli("export", "-o", name, "--force", *options).status == 0
    described = cli("info", "--model", name)
    assert described.status == 0 and "imported from" in described.out and "in the vocabulary" not in described.out


def test_a_model_is_not_exported_over_itself(cli, model, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(model.read_bytes())
    answer = cli("export", "-o", "model.safetensors", "--force")
    assert answer.status == 1 and "is the file that is read" in answer.err
    assert (tmp_path / "model.safetensors").read_bytes() == model.read_bytes()


# -------------------------------------------------------------------------------------------------- evaluation


def test_evaluate_answers_questions_and_ranks_pairs(cli, here, tmp_path):
    (tmp_path / "q.txt").write_text(": people\nman king woman queen\nprince princess uncle aunt\nman king no such\n")
    (tmp_path / "s.txt").write_text("king\tqueen\t9\nking\tman\t7\nking\tparis\t1\nno\tsuch\t3\n")
    text = cli("evaluate", "--analogies", "q.txt", "--similarity", "s.txt")
    assert text.status == 0 and "people" in text.out and "100.0%" in text.out and "Spearman" in text.out
    answer = cli("evaluate", "--analogies", "q.txt", "--similarity", "s.txt", "--json").json
    assert answer["analogies"][0]["total"]["correct"] == 2
    assert answer["analogies"][0]["total"]["answerable"] == 2
    assert answer["similarity"][0]["covered"] == 3


def test_evaluate_without_files_uses_what_ships(cli, here):
    answer = cli("evaluate")
    assert answer.status == 0 and "questions-words" in answer.out
    assert "CA8" not in answer.out and "CA8" in answer.err, "sets whose words the model does not know are left out"
    names = [report["name"] for report in cli("evaluate", "--json").json["analogies"]]
    assert names == ["questions-words"]


# ------------------------------------------------------------------------------------------------ help and usage


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_json(cli, command):
    answer = cli(command, "--help")
    assert answer.status == 0
    assert re.search(rf"^  Examples?:\n    (.*\| )?w2v {command}\b", answer.out, re.MULTILINE), "lines of their own"
    assert "--json" in answer.out


def test_the_list_of_commands_is_in_order(cli):
    out = cli("--help").out
    listed = out.partition("Commands:")[2].splitlines()[1 : 1 + len(COMMANDS)]
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    assert isinstance(app, LazyGroup)


def test_version(cli):
    assert cli("--version").out == f"w2v {w2v.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-command"],
        ["analogy", "king", "man"],
        ["similar", "king", "--topn", "many"],
        ["similar", "king", "--no-such-option"],
        ["train", "x.txt", "--algorithm", "magic"],
        ["train"],
    ],
)
def test_wrong_usage_exits_2_and_writes_nothing(cli, arguments, tmp_path):
    answer = cli(*arguments)
    assert answer.status == 2 and answer.out == "" and "Error: " in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_mistyped_command_is_suggested(cli):
    assert "did you mean analogy?" in cli("anolagy").err


def test_help_is_quick_and_loads_no_numpy():
    """Best of three: help is asked for often, and a slow start is felt in every completion."""
    seconds = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        program = "import sys; sys.argv[0] = 'w2v'\nfrom w2v.cli import main\nmain(['--help'])"
        subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(seconds) < 0.25
    program = (
        "import sys\nfrom w2v.cli import main\n"
        "try: main(['train', '--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'numba', 'scipy', 'tqdm'} & set(sys.modules)), file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stderr.strip() == "[]"


# ------------------------------------------------------------------------------------------------------ streams


def test_an_answer_has_no_traceback_when_the_reader_leaves(here):
    program = f"{sys.executable} -m w2v similar king | true; exit ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", program], capture_output=True, text=True)
    assert run.returncode in (0, 141) and run.stderr == ""


def test_a_full_disk_is_told(here):
    with Path("/dev/full").open("w") as full:
        run = subprocess.run([sys.executable, "-m", "w2v", "similar", "king"], stdout=full, stderr=subprocess.PIPE)
    assert run.returncode == 1
    assert run.stderr.decode().count("\n") == 1 and b"No space left" in run.stderr


def test_a_closed_standard_output_is_told(here):
    run = subprocess.run(["bash", "-c", f"{sys.executable} -m w2v similar king >&-"], capture_output=True, text=True)
    assert run.returncode == 1 and "standard output is closed" in run.stderr


@pytest.mark.parametrize(
    "env", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_words_that_the_terminal_cannot_show(process, tmp_path, env):
    vocabulary = w2v.Vocabulary(["a", "月", "\U0001f600"], [3, 2, 1])
    w2v.Embedding(vocabulary, np.eye(3, 4) + 0.1).save("m.safetensors")
    text = process("similar", "a", "--model", "m.safetensors", env=env)
    assert text.status == 0 and text.err == ""
    answer = process("similar", "a", "--model", "m.safetensors", "--json", env=env)
    assert [result["word"] for result in json.loads(answer.out)["results"]] == ["月", "\U0001f600"]


def test_control_characters_of_words_do_not_reach_the_terminal(cli, tmp_path):
    w2v.Embedding(w2v.Vocabulary(["a", "\x1b[31mred", ""], [3, 2, 1]), np.eye(3, 4) + 0.1).save("m.safetensors")
    out = cli("similar", "a", "--model", "m.safetensors").out
    assert "\x1b" not in out and "\\x1b[31mred" in out


def test_a_damaged_model_is_told_in_one_line(cli, model, tmp_path):
    (tmp_path / "m.safetensors").write_bytes(model.read_bytes()[:-100])
    (tmp_path / "notes.txt").write_text("these are my notes\nand no vectors\n")
    (tmp_path / "folder").mkdir()
    for name in ("m.safetensors", "notes.txt", "folder"):
        answer = cli("similar", "king", "--model", name)
        assert answer.status == 1 and answer.out == ""
        assert answer.err.startswith("Error: ") and name in answer.err and answer.err.count("\n") == 1


def test_queries_never_load_numba(here, process):
    """Compiling is for training: a query on a model of any size starts at once."""
    for command in (["analogy", "king", "man", "woman"], ["similar", "king"], ["info"], ["evaluate"]):
        program = (
            "import sys\nfrom w2v.cli import main\n"
            f"try: main({command!r})\nexcept SystemExit: pass\n"
            "print(sorted({'numba', 'llvmlite', 'w2v.corpus', 'w2v.kernels'} & set(sys.modules)), file=sys.stderr)"
        )
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ)
        assert run.stdout != "" and run.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("stdout", ["full", "closed"])
@pytest.mark.parametrize("arguments", [["--help"], ["similar", "--help"], ["--version"]])
def test_help_that_cannot_be_written_is_an_error(arguments, stdout):
    target = {"full": ">/dev/full", "closed": ">&-"}[stdout]
    program = f"{sys.executable} -m w2v {' '.join(arguments)} {target}"
    run = subprocess.run(["bash", "-c", program], capture_output=True, text=True)
    assert run.returncode == 1 and run.stderr.count("\n") == 1 and "standard output" in run.stderr


def test_words_and_file_names_are_utf8_in_a_c_locale(process, tmp_path):
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    env["PYTHONIOENCODING"] = "ascii"
    vocabulary = w2v.Vocabulary(["a", "月", "酒"], [3, 2, 1])
    w2v.Embedding(vocabulary, np.eye(3, 4) + 0.1).save("月.safetensors")
    answer = process("similar", "月", "--model", "月.safetensors", "--json", env=env)
    assert answer.status == 0 and answer.json["query"]["positive"] == ["月"]
    assert [found["word"] for found in answer.json["results"]] == ["a", "酒"]
    assert process("info", "--model", "月.safetensors", "--json", env=env).json["model"] == "月.safetensors"
    assert process("similar", "月", "--model", "酒.safetensors", env=env).err.startswith(
        "Error: there is no model at \\u9152."
    )
    assert process("rank", "月", "酒", "--model", "月.safetensors", env=env).status == 0
    assert "no command '月'" in process("月", env=env).err


# -------------------------------------------------------------------------------------------------- small parts


def test_a_word_of_any_length_leaves_the_table_readable(cli):
    long = "x" * 300
    w2v.Embedding(w2v.Vocabulary(["a", long, "月" * 60], [3, 2, 1]), np.eye(3, 4) + 0.1).save("m.safetensors")
    lines = cli("similar", "a", "--model", "m.safetensors").out.splitlines()
    assert {display_width(line) for line in lines[1:]} == {48 + 2 + 6}
    assert "x" * 47 + "…" in lines[1] and "月" * 23 + "…" in lines[2]
    answer = cli("similar", "a", "--model", "m.safetensors", "--json").json
    assert {found["word"] for found in answer["results"]} == {long, "月" * 60}


def test_messages_name_the_options_as_they_are_typed():
    for error, typed in (
        (SettingsError("vector_size must be at least 1; got 0"), "--vector-size must be at least 1; got 0"),
        (SettingsError("alpha must be finite; got nan"), "--alpha must be finite; got nan"),
        (SettingsError("min_alpha must not exceed alpha: so"), "--min-alpha must not exceed alpha: so"),
        (SettingsError("vector_size = 9 is more than"), "--vector-size 9 is more than"),
        (CorpusError("2 types, none reaches min_count=50"), "2 types, none reaches --min-count 50"),
        (CorpusError("errors in /x/min_count/y and 'max_vocab'"), "errors in /x/min_count/y and 'max_vocab'"),
        (
            FileAccessError("m exists already; --force (force=True) replaces it"),
            "m exists already; --force replaces it",
        ),
        (UnknownWordError(["a"], {"a": ["min_count"]}), "'a' is not in the vocabulary (did you mean min_count?)"),
    ):
        assert as_typed(error) == typed, error


@pytest.mark.parametrize("command", COMMANDS)
def test_an_empty_file_name_is_refused_by_every_command(cli, command, tmp_path, monkeypatch):
    """A field report: the system takes it for the folder one is in."""
    (tmp_path / "text.txt").write_text("a b\n" * 9)
    checked = 0
    for parameter in app.get_command(None, command).params:
        if parameter.type.__class__.__name__ == "_FileName":
            checked += 1
            typed = [""] if parameter.param_type_name == "argument" else [parameter.opts[-1], ""]
            answer = cli(command, *typed)
            assert answer.status == 2 and "an empty name names no file" in answer.err
    assert checked or command == "bench"


def test_columns_line_up_for_wide_characters():
    lines = table([("月亮", "0.9"), ("moon", "0.85"), ("é", "1")], "lr")
    assert lines == ["月亮   0.9", "moon  0.85", "é        1"]
    assert {display_width(line) for line in lines} == {10}
    assert display_width("e\u0301") == 1 and display_width("ｗ") == 2


def test_texts_for_people():
    assert [duration(s) for s in (0.2, 59.4, 125, 3725, float("inf"))] == ["0 s", "59 s", "2:05", "1:02:05", "?"]
    assert shown("a\tb") == "a\\tb" and shown("") == "''" and shown("naïve") == "naïve" and shown(7) == "7"


def test_json_has_no_nan():
    line = json_line({"a": float("nan"), "b": [np.float32(0.5), np.int64(2)], "c": (None, True)})
    assert json.loads(line) == {"a": None, "b": [0.5, 2], "c": [None, True]}


def every_option():
    """Return (command, names, metavar) of every option."""
    import click

    from w2v.cli.app import COMMANDS, app

    for name in COMMANDS:
        command = app.get_command(click.Context(app), name)
        for option in command.params:
            if isinstance(option, click.Option):
                yield name, tuple(option.opts), option.metavar


def test_one_name_for_the_same_thing_in_all_commands():
    """A field report: --expect here and --right there, --words a number here and a file there, two spellings."""
    seen = {}
    for command, names, metavar in every_option():
        for name in names:
            seen.setdefault(name, {})[command] = (names, metavar)
    assert "--expect" not in seen and "--neighbours-of" not in seen
    for one, other in (("neighbors", "neighbours"), ("neighborhood", "neighbourhood")):
        assert set(seen[f"--{one}"]) == set(seen[f"--{other}"]), "both spellings are taken wherever one is"
    assert {metavar for _, metavar in seen["--words"].values()} == {"FILE", None}  # bench: the length of its text
    assert [command for command, (_, metavar) in seen["--words"].items() if metavar is None] == ["bench"]
    assert set(seen["--to"]) == set(seen["--format"]) == {"convert", "export"}
    for name in ("--restrict-vocab", "--neighbors", "--neighborhood", "--clip-start", "--clip-end"):
        assert {metavar for _, metavar in seen[name].values()} == {"N"}
    for short, long in (("-n", "--topn"), ("-m", "--model"), ("-o", "--output"), ("-d", None)):
        for names, _ in seen[short].values():
            assert long is None or long in names
    # every command that answers has --json, and every command that reads one model calls it --model
    silent = {name for name, _, _ in every_option()} - set(seen["--json"])
    assert silent == set()


def test_what_an_explanation_does_not_know_is_refused(cli, model):
    base = ["analogy", "king", "man", "woman", "--explain", "--no-corpus", "--model", model]
    right = cli(*base, "--right", "queen", "--json")
    assert right.status == 0 and right.json["right"] == right.json["answer"] == "queen"
    for more, said in (
        (["--method", "3cosmul"], "--method does not go with --explain"),
        (["--weights", "1,1,2"], "--weights does not go with --explain"),
        (["--clip-start", 3], "--clip-start does not go with --explain"),
        (["--include-query"], "--include-query does not go with --explain"),
        (["--right", "queen", "--right", "girl"], "explains one answer"),
    ):
        answer = cli(*base, *more)
        assert answer.status == 2 and said in answer.err
    beside = cli("analogy", "--questions", "x.txt", "--right", "queen", "--model", model)
    assert beside.status == 2 and "--right does not go with --questions" in beside.err
