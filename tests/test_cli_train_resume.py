"""``w2v train`` interrupted, killed and resumed, continued on new text, with sentences held out, and tried out only."""

import json
import os
import signal
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from commands import finish, planted_text, start, wait_for

import w2v
from w2v.kernels.tiles import padded
from w2v.training import read_checkpoint

QUICK = ("--vector-size", "8", "--workers", "1")
EPOCHS = 40  # of a training that has to be under way still when the signal comes


@pytest.fixture
def corpus(planted_corpus, tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(planted_corpus.read_bytes())
    return path


def long_training(corpus, *options):
    """Start a training of some seconds that writes a checkpoint after each chunk, and wait for the first one."""
    run = start("train", corpus, *QUICK, "--epochs", str(EPOCHS), "--checkpoint-every", "1", "--quiet", *options)
    wait_for(run, Path("model.safetensors.ckpt").exists)
    return run


_known = {}


def uninterrupted(corpus, **more):
    """Train to the end, once for each settings: the text of all tests is the same."""
    key = tuple(sorted(more.items()))
    if key not in _known:
        _known[key] = w2v.train(corpus, vector_size=8, workers=1, **{"epochs": EPOCHS, **more})
    return _known[key]


def assert_same_bits(path, expected):
    model = w2v.load(path)
    assert model.words == expected.words and model.counts.tolist() == expected.counts.tolist()
    np.testing.assert_array_equal(model.W, expected.W)
    np.testing.assert_array_equal(model.C, expected.C)
    assert model.losses == expected.losses and model.settings == expected.settings


# ---------------------------------------------------------------------------------------------- stopped and resumed


@pytest.mark.parametrize(
    ("algorithm", "signum"),
    [
        ("blocked", signal.SIGKILL),
        ("pairwise", signal.SIGKILL),
        ("blocked", signal.SIGTERM),
        ("pairwise", signal.SIGINT),
    ],
)
def test_whatever_ends_it_the_training_is_resumed_to_the_same_bits(corpus, cli, tmp_path, algorithm, signum):
    run = long_training(corpus, "--algorithm", algorithm)
    time.sleep(0.05)
    run.send_signal(signum)
    answer = finish(run)
    assert answer.status == {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}[signum]
    if signum != signal.SIGKILL:
        assert "w2v train --resume model.safetensors.ckpt" in answer.err
    assert not Path("model.safetensors").exists()
    stood = read_checkpoint("model.safetensors.ckpt").ledger
    assert (0, 0) < (stood.epoch, stood.chunk) < (EPOCHS, 0)
    answer = cli("train", "--resume", "model.safetensors.ckpt")
    assert answer.status == 0 and answer.out.startswith("Saved model.safetensors: ")
    assert f"Going on in epoch {stood.epoch + 1} of {EPOCHS}, after " in answer.err
    assert_same_bits("model.safetensors", uninterrupted(corpus, algorithm=algorithm))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.txt", "model.safetensors"]


@pytest.fixture
def checkpoint(corpus, cli, monkeypatch):
    """A checkpoint in the middle of a training of 3 epochs."""
    monkeypatch.setattr("w2v.training.session._REPORT_SECONDS", 0.0)
    w2v.train(
        corpus,
        vector_size=8,
        workers=1,
        epochs=3,
        checkpoint="model.safetensors.ckpt",
        report=lambda progress: w2v.STOP if progress.words > 80_000 else None,
    )
    return Path("model.safetensors.ckpt")


def test_an_interrupted_training_is_not_overwritten_by_accident(corpus, cli, checkpoint):
    before = checkpoint.read_bytes()
    answer = cli("train", corpus, *QUICK, "--epochs", 1)
    assert answer.status == 1 and "--resume model.safetensors.ckpt" in answer.err and "--force" in answer.err
    assert checkpoint.read_bytes() == before
    assert cli("train", corpus, *QUICK, "--epochs", 1, "--force").status == 0
    assert not checkpoint.exists()


def test_settings_cannot_change_on_the_way_except_the_workers(corpus, cli, checkpoint):
    answer = cli("train", "--resume", checkpoint, "--window", 3, "--epochs", 9, "--workers", 2)
    assert answer.status == 1 and "--window, --epochs cannot be changed" in answer.err
    assert cli("train", "--resume", checkpoint, "--workers", 2).status == 0
    assert w2v.load("model.safetensors").settings["training"]["workers"] == 2


def test_the_model_goes_beside_its_checkpoint_or_where_it_is_told(corpus, cli, checkpoint, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"an older model")
    assert "--force" in cli("train", "--resume", checkpoint).err
    moved = checkpoint.rename("state")
    assert "name it with -o" in cli("train", "--resume", moved).err
    answer = cli("train", "--resume", moved, "-o", "new.safetensors", "--json")
    assert answer.status == 0 and answer.json["model"] == "new.safetensors"
    assert_same_bits("new.safetensors", uninterrupted(corpus, epochs=3))
    assert moved.exists() and (tmp_path / "model.safetensors").read_bytes() == b"an older model"


def test_another_text_is_refused(corpus, cli, checkpoint, tmp_path):
    before = checkpoint.read_bytes()
    elsewhere = corpus.rename(tmp_path / "moved.txt")
    assert "is not there any more" in cli("train", "--resume", checkpoint).err
    corpus.write_text(planted_text(500))
    answer = cli("train", "--resume", checkpoint)
    assert answer.status == 1 and "sha256" in answer.err and checkpoint.read_bytes() == before
    assert cli("train", "--resume", checkpoint, elsewhere).status == 0
    assert not checkpoint.exists()


def test_standard_input_is_resumed_when_it_is_given_again(corpus, cli, process):
    with corpus.open("rb") as stream:
        run = start("train", "-", *QUICK, "--epochs", str(EPOCHS), "--checkpoint-every", "1", "--quiet", stdin=stream)
        wait_for(run, Path("model.safetensors.ckpt").exists)
        run.kill()
        finish(run)
    assert "standard input: give the same corpus once more" in cli("train", "--resume", "model.safetensors.ckpt").err
    with corpus.open("rb") as stream:
        assert process("train", "--resume", "model.safetensors.ckpt", "-", stdin=stream).status == 0
    assert_same_bits("model.safetensors", uninterrupted(corpus))


def test_a_checkpoint_that_is_gone_because_its_training_is_complete(cli, corpus):
    assert cli("train", corpus, "--epochs", 1, "--quiet").status == 0
    answer = cli("train", "--resume", "model.safetensors.ckpt")
    assert (
        answer.status == 1
        and "there is no file model.safetensors.ckpt: it was removed when its training was complete" in answer.err
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--resume", "none.ckpt"], "there is no file none.ckpt"),
        (["--resume", "corpus.txt", "-o", "m"], "plain text"),
        (["corpus.txt", "--resume", "a", "--continue-from", "b"], "exclude each other"),
        ([], "Missing argument 'FILE...'"),
        (["--continue-from", "model.safetensors"], "Missing argument 'FILE...'"),
        (["corpus.txt", "--continue-from", "none"], "there is no model at none"),
        (["corpus.txt", "--checkpoint-every", "10 parsecs"], "Error: --checkpoint-every must be a time (30s, 10min"),
        (["corpus.txt", "--heldout", "lots"], "1% or 0.01"),
        (["corpus.txt", "--heldout", "60%"], "heldout must be between 0.0 and 0.5"),
    ],
)
def test_what_cannot_work_is_told(corpus, cli, arguments, told):
    answer = cli("train", *arguments)
    assert answer.status in (1, 2) and told in answer.err and answer.out == ""
    assert [path.name for path in Path.cwd().iterdir()] == ["corpus.txt"]


def test_a_full_disk_ends_no_training(corpus, cli, monkeypatch):
    """Checkpoints that cannot be written are told, and the training goes on."""
    from w2v.errors import FileAccessError

    def full(path, *rest, **more):
        raise FileAccessError(f"cannot write {path}: No space left on device")

    monkeypatch.setattr("w2v.training.checkpoint.write_model", full)
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as outside of the tests
        answer = cli("train", corpus, *QUICK, "--epochs", 1, "--checkpoint-every", "30k")
    assert answer.status == 0 and "Warning: no checkpoint could be written" in answer.err
    assert_same_bits("model.safetensors", uninterrupted(corpus, epochs=1))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_signal_while_the_text_is_read_again_leaves_the_checkpoint(corpus, checkpoint):
    before = checkpoint.read_bytes()
    os.mkfifo("slow.txt")
    run = start("train", "--resume", checkpoint, "slow.txt")
    with Path("slow.txt").open("wb"):
        time.sleep(0.3)
        run.send_signal(signal.SIGTERM)
        answer = finish(run)
    assert answer.status == 143 and "the last checkpoint is model.safetensors.ckpt" in answer.err
    assert checkpoint.read_bytes() == before


# --------------------------------------------------------------------------------------------------------- held out


def test_sentences_are_held_out_by_a_share(corpus, cli):
    answer = cli("train", corpus, *QUICK, "--epochs", 2, "--heldout", "2%", "--log-json", "log.jsonl")
    assert answer.status == 0 and "Held out: " in answer.err and "(held out " in answer.err
    embedding = w2v.load("model.safetensors")
    assert embedding.settings["training"]["heldout"] == 0.02
    records = [json.loads(line) for line in Path("log.jsonl").read_text().splitlines()]
    assert [r["heldout_loss"] for r in records if r["stage"] == "epoch"] == list(embedding.heldout_losses)
    assert records[-1]["heldout_losses"] == list(embedding.heldout_losses)
    answer = cli("pmi-compare", "--no-factorize", "--json")
    assert answer.status == 0 and "Counting the pairs of " in answer.err
    assert (
        f"Counting the pairs of {int(embedding.counts.sum()) - embedding.provenance['heldout']['tokens']:,} tokens"
        in answer.err
    )


# ----------------------------------------------------------------------------------------------- trained further


def test_a_model_is_continued_on_new_text(corpus, cli, tmp_path):
    assert cli("train", corpus, *QUICK, "--window", 3, "--epochs", 2).status == 0
    before = Path("model.safetensors").read_bytes()
    (tmp_path / "more.txt").write_text("the king drinks tea\nthe queen drinks coffee\n" * 40 + "once only\n")
    arguments = ["train", "more.txt", "--continue-from", "model.safetensors", "--alpha", 0.01]
    assert "--force" in cli(*arguments).err
    answer = cli(*arguments, "-o", "larger.safetensors", "--workers", 1)
    assert answer.status == 0, answer.err
    for line in (
        "Vocabulary: ",
        " new words, 2 words of the text dropped",
        "Learning rate: from alpha 0.01 ",
        "Drift of",
    ):
        assert line in answer.err
    larger, old = w2v.load("larger.safetensors"), w2v.load("model.safetensors")
    assert larger.settings["context"]["window"] == 3 and "tea" not in old and "tea" in larger
    assert larger.counts[larger.vocabulary.id("tea")] == 40
    assert larger.counts[larger.vocabulary.id("king")] == 40 + old.counts[old.vocabulary.id("king")]
    assert larger.provenance["continued_from"]["drift"]["occurring"]["words"] > 1
    assert Path("model.safetensors").read_bytes() == before
    expected = w2v.train(tmp_path / "more.txt", continue_from="model.safetensors", alpha=0.01, workers=1)
    np.testing.assert_array_equal(larger.W, expected.W)


def test_what_a_training_starts_from_is_not_overwritten_by_its_checkpoint(corpus, cli, checkpoint):
    before = checkpoint.read_bytes()
    for way in ("--continue-from", "--init"):
        answer = cli("train", corpus, way, checkpoint, "-o", "model.safetensors", "--force")
        assert answer.status == 1 and f"is the input {checkpoint}: it would be overwritten" in answer.err
        assert checkpoint.read_bytes() == before


def test_a_continued_training_that_was_killed_is_resumed(corpus, cli, tmp_path):
    assert cli("train", corpus, *QUICK, "--epochs", 1, "-o", "old.safetensors").status == 0
    run = long_training(corpus, "--continue-from", "old.safetensors")
    run.kill()
    finish(run)
    answer = cli("train", "--resume", "model.safetensors.ckpt", "--json")
    assert answer.status == 0 and answer.json["continued_from"]["drift"]["absent"] is None
    assert "Drift of the" in answer.err
    expected = w2v.train(corpus, continue_from="old.safetensors", epochs=EPOCHS, workers=1)
    assert_same_bits("model.safetensors", expected)


# ---------------------------------------------------------------------------------------------------------- dry run


def test_a_dry_run_says_what_it_would_cost_and_writes_nothing(corpus, cli, monkeypatch):
    monkeypatch.setattr("w2v.cli.train_estimate._TRIAL_SECONDS", 0.3)
    answer = cli("train", corpus, "--dry-run", *QUICK, "--epochs", 100, "--quiet")
    assert answer.status == 0 and answer.err == ""
    assert [line.split()[0] for line in answer.out.splitlines()[1:6]] == [
        "corpus",
        "speed",
        "training",
        "memory",
        "disk",
    ]
    told = cli("train", corpus, "--dry-run", *QUICK, "--epochs", 100, "--json").json
    assert told["dry_run"] is True and told["epochs"] == 100
    assert told["training_seconds"] == pytest.approx(100 * told["tokens"] / told["words_per_second"])
    assert [path.name for path in Path.cwd().iterdir()] == ["corpus.txt"]
    # sizes are exact, whatever the machine
    assert cli("train", corpus, *QUICK, "--epochs", 1).status == 0
    assert told["model_bytes"] == pytest.approx(Path("model.safetensors").stat().st_size, abs=3_000)
    assert told["matrix_bytes"] == 2 * 4 * padded(8) * told["words"]
    assert told["memory_bytes"] > told["matrix_bytes"]


def test_a_dry_run_of_a_resumed_training_counts_what_is_left(corpus, cli, checkpoint, monkeypatch):
    monkeypatch.setattr("w2v.cli.train_estimate._TRIAL_SECONDS", 0.3)
    before = checkpoint.read_bytes()
    told = cli("train", "--resume", checkpoint, "--dry-run", "--json").json
    stood = read_checkpoint(checkpoint)
    left = 3 * told["tokens"] - stood.ledger.epoch * told["tokens"] - stood.ledger.chunk * stood.plan.chunk_tokens
    assert told["training_seconds"] == pytest.approx(left / told["words_per_second"])
    assert checkpoint.read_bytes() == before
