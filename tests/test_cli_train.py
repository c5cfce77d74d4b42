"""``w2v train``: settings as options, what is refused early, progress, logs."""

import dataclasses
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from commands import finish, start

import w2v
from w2v.cli.options import SettingOption
from w2v.cli.train import train
from w2v.errors import FileAccessError
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings

QUICK = ("--vector-size", "8", "--epochs", "1", "--workers", "1")


@pytest.fixture
def corpus(planted_corpus, tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(planted_corpus.read_bytes())
    return path


# ------------------------------------------------------------------------------------------------------- options


def test_every_setting_is_an_option_with_the_same_name_and_default():
    options = {option.name: option for option in train.params if isinstance(option, SettingOption)}
    fields = [f for home in (CorpusSettings, ContextSettings, TrainingSettings) for f in dataclasses.fields(home)]
    assert list(options) == [field.name for field in fields]
    for field in fields:
        option = options[field.name]
        name = "--" + field.name.replace("_", "-")
        assert option.opts == [name]
        assert option.secondary_opts == ([name.replace("--", "--no-", 1)] if "bool" in str(field.type) else [])
        assert option.help == field.metadata["help"]
        if field.default is dataclasses.MISSING or field.default is None:
            assert option.default is None
        else:
            assert option.default == field.default


def test_the_help_shows_every_default(cli):
    text = " ".join(cli("train", "--help").out.split())
    for shown in (
        "[default: 100]",
        "[default: 0.025]",
        "[default: (usable CPUs)]",
        "[default: (chosen by the other settings)]",
    ):
        assert shown in text
    for heading in ("Text and vocabulary:", "Pairs of word and context:", "Training:"):
        assert heading in text


def test_options_reach_the_model(cli, corpus):
    given = ["--min-count", 2, "--no-shrink-windows", "--window", 2, "--algorithm", "pairwise", "--lowercase"]
    assert cli("train", corpus, *QUICK, *given).status == 0
    settings = w2v.load("model.safetensors").settings
    assert settings["corpus"]["min_count"] == 2 and settings["corpus"]["lowercase"] is True
    assert settings["context"]["window"] == 2 and settings["context"]["shrink_windows"] is False
    assert settings["training"]["algorithm"] == "pairwise" and settings["training"]["vector_size"] == 8


def test_the_command_and_the_library_train_the_same_vectors(cli, corpus):
    assert cli("train", corpus, *QUICK, "--seed", 7).status == 0
    expected = w2v.train(corpus, vector_size=8, epochs=1, workers=1, seed=7)
    loaded = w2v.load("model.safetensors")
    assert loaded.words == expected.words
    np.testing.assert_array_equal(loaded.W, expected.W)
    assert loaded.losses == expected.losses


# ------------------------------------------------------------------------------------------ refused before reading


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--alpha", "0.01", "--min-alpha", "0.02"], "--min-alpha must not exceed alpha"),
        (["--window", "0"], "--window must be"),
        (["--epochs", "0"], "--epochs must be"),
        (["--sample", "-1"], "--sample must be"),
        (["--sample", "nan"], "--sample must be"),
        (["-o", "nowhere/model.safetensors"], "nowhere"),
        (["-o", "."], "folder"),
        (["-o", "-"], "standard output"),
        (["-o", "/proc/model.safetensors"], "cannot write /proc/model.safetensors"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_read(cli, options, told, tmp_path):
    os.mkfifo(tmp_path / "corpus.txt")  # whoever opened it would wait for ever
    answer = cli("train", "corpus.txt", *options)
    assert answer.status == 1 and answer.out == ""
    assert answer.err.startswith("Error: ") and told in answer.err and answer.err.count("\n") == 1


def test_an_existing_output_needs_force(cli, corpus, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"precious")
    answer = cli("train", corpus, *QUICK)
    assert answer.status == 1 and "--force" in answer.err and "Reading" not in answer.err
    assert (tmp_path / "model.safetensors").read_bytes() == b"precious"
    assert cli("train", corpus, *QUICK, "--force").status == 0
    assert len(w2v.load("model.safetensors")) > 0


@pytest.mark.parametrize("way", ["file", "link", "folder", "glob", "checkpoint"])
def test_an_input_is_never_overwritten(cli, corpus, tmp_path, way):
    before = corpus.read_bytes()
    given, output = corpus, "corpus.txt"
    if way == "link":
        (tmp_path / "link").symlink_to(corpus)
        output = "link"
    elif way == "folder":
        given = tmp_path
    elif way == "glob":
        given = "corp*.txt"
    elif way == "checkpoint":
        given = corpus.rename(tmp_path / "corpus.ckpt")
        output = "corpus"
    answer = cli("train", given, *QUICK, "-o", output, "--force")
    assert answer.status == 1 and "input" in answer.err
    assert next(tmp_path.glob("corpus*")).read_bytes() == before


def test_a_missing_corpus_is_told(cli, tmp_path):
    answer = cli("train", "no-such.txt")
    assert answer.status == 1 and "no-such.txt" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_from_which_nothing_can_be_learnt_leaves_no_file(cli, tmp_path):
    (tmp_path / "few.txt").write_text("a b c\n")
    answer = cli("train", "few.txt")
    assert answer.status == 1 and "none reaches --min-count 5" in answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["few.txt"]


def test_a_model_that_cannot_be_saved_in_its_place_is_not_lost(cli, corpus, tmp_path, monkeypatch):
    """A disk that fills up during a training of hours."""
    save, refuges = w2v.Embedding.save, tmp_path / "refuges"
    refuges.mkdir()

    def full(self, path, *, force=False):
        if str(path) == "model.safetensors":
            raise FileAccessError("cannot write model.safetensors: No space left on device")
        save(self, path, force=force)

    monkeypatch.setattr(w2v.Embedding, "save", full)
    monkeypatch.setattr("tempfile.tempdir", str(refuges))
    answer = cli("train", corpus, *QUICK, "--quiet")
    (refuge,) = refuges.glob("w2v-saved-*/model.safetensors")
    assert answer.status == 1 and "No space left" in answer.err and str(refuge) in answer.err
    assert len(w2v.load(refuge)) > 0
    assert not (tmp_path / "model.safetensors").exists()


# ------------------------------------------------------------------------------------------------------- progress


def test_what_a_person_sees(process, corpus):
    answer = process("train", corpus, *QUICK[:2], "--epochs", 2)
    assert answer.status == 0
    assert answer.out.startswith("Saved model.safetensors: ")
    lines = answer.err.splitlines()
    assert lines[0] == f"Reading {corpus}"
    assert any(" words, " in line and " tokens, " in line and " sentences" in line for line in lines)
    assert [line.split(":")[0] for line in lines if "done" in line] == ["Epoch 1/2 done", "Epoch 2/2 done"]
    assert "words/s" in answer.err and "alpha" in answer.err and "loss" in answer.err
    assert lines[-1] == "Next: w2v analogy king man woman"


def test_the_next_command_works_with_words_that_exist(process, cli, tmp_path):
    (tmp_path / "c.txt").write_text("moon night river\nriver night wine\n" * 50)
    answer = process("train", "c.txt", *QUICK, "-o", "other.safetensors")
    last = answer.err.splitlines()[-1]
    assert last.startswith("Next: w2v similar ") and last.endswith("--model other.safetensors")
    assert cli(*last.removeprefix("Next: w2v ").split()).status == 0


def test_quiet_writes_nothing_to_standard_error(process, corpus):
    answer = process("train", corpus, *QUICK, "--quiet")
    assert answer.status == 0 and answer.err == ""


def test_hints_go_to_standard_error(process, tmp_path):
    (tmp_path / "raw.txt").write_text("The cat, sat. Then, the dog, slept. So, did the cat.\n" * 40)
    answer = process("train", "raw.txt", *QUICK, "--quiet", "--json")
    assert answer.status == 0 and answer.err.startswith("Hint: ") and answer.out.startswith("{")


def test_the_summary_as_json(cli, corpus):
    answer = cli("train", corpus, *QUICK, "--json").json
    embedding = w2v.load(answer["model"])
    assert answer["finished"] is True and answer["words"] == len(embedding)
    assert answer["losses"] == list(embedding.losses) and answer["tokens"] == int(embedding.counts.sum())


def test_the_log_is_one_object_a_line(cli, corpus, tmp_path):
    assert cli("train", corpus, "--vector-size", 8, "--epochs", 3, "--log-json", "log.jsonl").status == 0
    records = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    stages = [record["stage"] for record in records]
    assert stages[0] == "start" and stages[-1] == "summary" and stages.count("epoch") == 3
    start_record, summary = records[0], records[-1]
    assert start_record["settings"]["vector_size"] == 8 and start_record["files"] == [str(corpus)]
    corpus_record = records[stages.index("corpus")]
    embedding = w2v.load("model.safetensors")
    assert corpus_record["words"] == len(embedding) and corpus_record["source"]["sha256"]
    epochs = [record for record in records if record["stage"] == "epoch"]
    assert {"epoch", "words", "words_per_second", "alpha", "loss", "seconds"} <= set(epochs[0])
    assert [record["loss"] for record in epochs] == list(embedding.losses) == summary["losses"]


def test_a_log_is_no_accident(cli, corpus, tmp_path):
    before = corpus.read_bytes()
    assert "overwritten" in cli("train", corpus, *QUICK, "--log-json", corpus, "--force").err
    assert corpus.read_bytes() == before
    (tmp_path / "log").write_text("old")
    assert "--force" in cli("train", corpus, *QUICK, "--log-json", "log").err
    assert "log.jsonl" in cli("train", corpus, *QUICK, "--log-json", "nowhere/log.jsonl").err
    assert not (tmp_path / "model.safetensors").exists()


def test_a_log_is_none_of_the_other_files(cli, corpus, tmp_path):
    """A field report: a log of the name of the model was written, and the model over it."""
    for name in ("m", "./m", "m.ckpt"):
        answer = cli("train", corpus, *QUICK, "-o", "m", "--log-json", name, "--force")
        assert answer.status == 1 and f"--log-json {name} is m" in answer.err and "overwritten" in answer.err
    assert "would mix with the results" in cli("train", corpus, *QUICK, "--log-json", "-").err
    assert "lies in ." in cli("train", ".", *QUICK, "--log-json", "new.jsonl").err
    assert list(tmp_path.iterdir()) == [corpus]


def test_a_log_that_cannot_be_written_does_not_end_the_training(process, corpus, tmp_path):
    answer = process("train", corpus, *QUICK, "--log-json", "/dev/full")
    assert answer.status == 0 and (tmp_path / "model.safetensors").exists()
    assert answer.err.count("--log-json /dev/full cannot be written any more: No space left") == 1


@pytest.mark.parametrize("target", [">/dev/full", ">&-"])
def test_a_result_that_cannot_be_written_says_that_the_model_is_saved(corpus, tmp_path, target):
    program = f"{sys.executable} -m w2v train {corpus} --quiet {' '.join(QUICK)} {target}"
    run = subprocess.run(["bash", "-c", program], capture_output=True, text=True)
    assert run.returncode == 1 and "standard output" in run.stderr
    assert run.stderr.endswith("it was saved as model.safetensors\n")
    assert w2v.load("model.safetensors").vector_size == 8


@pytest.mark.parametrize("options", [["--sample", "1e-30"], ["--max-vocab", "1"]])
def test_a_training_that_would_learn_nothing_saves_nothing(cli, corpus, tmp_path, options):
    answer = cli("train", corpus, *QUICK, *options)
    assert answer.status == 1 and answer.out == "" and list(tmp_path.iterdir()) == [corpus]
    assert "--sample 1e-30 keeps about" in answer.err or "the vocabulary holds 1 word" in answer.err


def test_compiling_is_said_where_it_happens_and_only_there(monkeypatch, capsys):

    import numba

    from w2v.cli import train_view
    from w2v.kernels import _jit, compilations

    monkeypatch.setattr(train_view, "_SECONDS_UNTIL_NOTICE", 0.01)
    monkeypatch.setattr(_jit, "_kernels", [])
    monkeypatch.setattr(_jit, "_compiled", numba.njit)
    fresh = _jit.kernel(lambda x: x + 1)
    view = train_view.TrainView()
    with view.compiling():
        time.sleep(0.2)  # slow, as on a loaded machine, but not compiling
    assert capsys.readouterr().err == "" and compilations() == 0
    for _ in range(2):
        with view.compiling():
            fresh(1)
            time.sleep(0.2)
    assert compilations() == 1 and capsys.readouterr().err.count("Compiling the kernels") == 1


def test_an_error_is_the_last_line_of_the_log(cli, tmp_path):
    (tmp_path / "few.txt").write_text("a b c\n")
    assert cli("train", "few.txt", "--log-json", "log.jsonl").status == 1
    last = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert last["stage"] == "error" and "min_count" in last["message"]


def test_standard_input_is_a_corpus(corpus, cli):
    assert cli("train", corpus, *QUICK, "-o", "file.safetensors").status == 0
    with corpus.open("rb") as stream:
        assert finish(start("train", "-", *QUICK, "-o", "stdin.safetensors", stdin=stream)).status == 0
    from_file, from_stdin = w2v.load("file.safetensors"), w2v.load("stdin.safetensors")
    np.testing.assert_array_equal(from_file.W, from_stdin.W)
    assert from_stdin.provenance["corpus"]["kind"] == "stdin"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_a_terminal_gets_a_bar(corpus):
    import pty

    leader, follower = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "w2v", "train", str(corpus), "--vector-size", "64", "--epochs", "60", "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=follower,
    )
    os.close(follower)
    seen = b""
    try:
        while chunk := os.read(leader, 65536):
            seen += chunk
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    assert run.wait(60) == 0
    run.stdout.close()
    text = seen.decode()
    assert "\r" in text and "Epoch 1/60" in text and "words/s" in text and "Next: w2v analogy king man woman" in text
