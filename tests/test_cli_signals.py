"""Ctrl-C, SIGTERM and SIGHUP: any command ends in order, a training keeps what it has."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from commands import Outcome, finish, only_files, planted_text, start, wait_for

import w2v
from w2v.cli.signals import Stopped, StopSignals
from w2v.training import read_checkpoint

OPTIONS = ["--workers", "1", "--vector-size", "8", "--epochs", "2", "--min-count", "1", "--sample", "0", "--quiet"]


@pytest.fixture
def corpus(planted_corpus, tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(planted_corpus.read_bytes())
    return path


# ------------------------------------------------------------------------------------------------------- receiving


def test_the_first_signal_asks_and_the_second_one_ends(monkeypatch):
    clock = iter([0.0, 10.0, 11.0])
    monkeypatch.setattr("w2v.cli.signals.monotonic", lambda: next(clock))
    asked = []
    with StopSignals() as signals:
        with pytest.raises(Stopped):
            signal.raise_signal(signal.SIGTERM)
        assert signals.status == 143
    with StopSignals() as signals:
        signals.asking(lambda: asked.append(1))
        signal.raise_signal(signal.SIGINT)
        assert asked == [1] and signals.received == signal.SIGINT
        with pytest.raises(Stopped):
            signal.raise_signal(signal.SIGINT)
    with StopSignals() as signals:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_whose_exception_python_drops_is_raised_once_more():
    """In a callback from C, as while numba loads machine code, an exception is told on standard error and dropped."""

    @ctypes.CFUNCTYPE(None)
    def callback():
        signal.raise_signal(signal.SIGTERM)

    with pytest.raises(Stopped), StopSignals():
        callback()
        time.sleep(60)
    with StopSignals():
        callback()
    time.sleep(0.05)  # the one sent again would end the tests


def test_a_signal_that_comes_twice_at_once_is_one(monkeypatch):
    clock = iter([10.0, 10.001, 10.499, 10.5])
    monkeypatch.setattr("w2v.cli.signals.monotonic", lambda: next(clock))
    asked = []
    with StopSignals() as signals:
        signals.asking(lambda: asked.append(1))
        for _ in range(3):
            signal.raise_signal(signal.SIGTERM)
        assert asked == [1]
        with pytest.raises(Stopped):
            signal.raise_signal(signal.SIGTERM)


# ---------------------------------------------------------------------------------------------------- any command


@pytest.mark.parametrize(("signum", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_kernels_are_compiled_leaves_nothing(cli, corpus, tmp_path, monkeypatch, signum, status):
    monkeypatch.setattr("w2v.training.session.Training.compile", lambda session: signal.raise_signal(signum))
    answer = cli("train", corpus, *OPTIONS)
    assert (answer.status, answer.out) == (status, "")
    assert answer.err == "Interrupted: nothing was written.\n"
    assert only_files(tmp_path) == ["corpus.txt"]


@pytest.mark.parametrize(("signum", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_to_any_command_leaves_no_half_file(cli, corpus, tmp_path, monkeypatch, signum, status):
    cli("train", corpus, *OPTIONS)
    monkeypatch.setattr("os.fsync", lambda descriptor: signal.raise_signal(signum))
    answer = cli("convert", "model.safetensors", "-o", "vectors.txt")
    assert answer == Outcome(status, "", "Interrupted.\n")
    assert only_files(tmp_path) == ["corpus.txt", "model.safetensors"]


def test_ctrl_c_while_the_command_line_is_imported(cli, monkeypatch):
    class Interrupting:
        def find_spec(self, name, path=None, target=None):
            if name == "w2v.cli.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "w2v.cli.app")
    monkeypatch.delattr("w2v.cli.app")
    monkeypatch.setattr("sys.meta_path", [Interrupting(), *sys.meta_path])
    assert cli("--help") == Outcome(130, "", "Interrupted.\n")


def test_a_signal_while_a_class_is_made(cli, corpus, monkeypatch):
    """Python 3.11 wraps what a descriptor raises there."""

    class Field:
        def __set_name__(self, owner, name):
            signal.raise_signal(signal.SIGTERM)

    def imports(*arguments, **more):
        type("Settings", (), {"field": Field()})

    monkeypatch.setattr("w2v.cli.queries.load_model", imports)
    assert cli("similar", "king") == Outcome(143, "", "Interrupted.\n")


@pytest.mark.parametrize(("signum", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_the_model_is_saved_waits_until_it_is_saved(cli, corpus, tmp_path, monkeypatch, signum, status):
    save = w2v.Embedding.save

    def interrupted(embedding, *arguments, **more):
        signal.raise_signal(signum)
        save(embedding, *arguments, **more)

    monkeypatch.setattr(w2v.Embedding, "save", interrupted)
    answer = cli("train", corpus, *OPTIONS)
    assert answer.status == status and answer.out.startswith("Saved model.safetensors")
    assert w2v.load("model.safetensors").provenance["finished"]
    assert only_files(tmp_path) == ["corpus.txt", "model.safetensors"]


def test_a_second_signal_while_the_model_is_saved_leaves_no_half_file(cli, corpus, tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(b"an older model")
    fsync = os.fsync
    monkeypatch.setattr("w2v.cli.signals._ECHO", 0.0)

    def interrupted(descriptor):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        fsync(descriptor)

    monkeypatch.setattr("os.fsync", interrupted)
    answer = cli("train", corpus, *OPTIONS, "--force")
    assert answer.status == 130 and answer.err == (
        "Interrupted: nothing was written; the older model.safetensors was not touched.\n"
    )
    assert (tmp_path / "model.safetensors").read_bytes() == b"an older model"
    assert only_files(tmp_path) == ["corpus.txt", "model.safetensors"]


def test_a_training_in_python_that_is_interrupted_keeps_its_state(corpus, tmp_path):
    def interrupt(progress, model):
        raise KeyboardInterrupt

    settings = {"min_count": 1, "sample": 0, "workers": 1, "vector_size": 4, "epochs": 3}
    with pytest.raises(KeyboardInterrupt):
        w2v.train(corpus, checkpoint="m.ckpt", on_epoch=interrupt, **settings)
    assert read_checkpoint("m.ckpt").ledger.epoch == 1
    resumed, whole = w2v.resume("m.ckpt"), w2v.train(corpus, **settings)
    np.testing.assert_array_equal(resumed.W, whole.W)
    assert only_files(tmp_path) == ["corpus.txt"]


# ------------------------------------------------------------------------------------------------ a long training


def start_long_training(corpus, tmp_path, *options):
    """Start a training that would take minutes, and wait until it trains."""
    log = tmp_path / "log.jsonl"
    run = start("train", corpus, "--workers", "1", "--epochs", "100000", "--log-json", log, "--force", *options)
    wait_for(run, lambda: log.exists() and '"stage": "epoch"' in log.read_text())
    return run, log


@pytest.mark.parametrize(("signum", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_training_keeps_what_is_there(corpus, tmp_path, signum, status):
    (tmp_path / "model.safetensors").write_bytes(b"an older model")
    run, log = start_long_training(corpus, tmp_path)
    run.send_signal(signum)
    answer = finish(run)
    assert answer.status == status
    assert "model.safetensors.ckpt" in answer.err and "older model.safetensors was not touched" in answer.err
    assert "Traceback" not in answer.err and answer.out == ""
    assert (tmp_path / "model.safetensors").read_bytes() == b"an older model"
    kept = w2v.load("model.safetensors.ckpt")
    assert kept.provenance["finished"] is False and np.isfinite(kept.W).all() and np.abs(kept.C).max() > 0
    last = json.loads(log.read_text().splitlines()[-1])
    assert last["stage"] == "interrupted" and last["model"] == "model.safetensors.ckpt"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_an_interruption_while_reading_leaves_nothing(tmp_path, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    run = start(
        "train",
        "-",
        "-o",
        "m",
        stdin=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
        start_new_session=True,
    )
    run.stdin.write(planted_text(2_000))
    run.stdin.flush()
    wait_for(run, lambda: any(temporary.iterdir()))
    time.sleep(0.2)
    run.send_signal(signal.SIGINT)
    answer = finish(run)
    assert answer.status == 130 and "nothing was written" in answer.err and "Traceback" not in answer.err
    assert list(tmp_path.iterdir()) == [temporary] and list(temporary.iterdir()) == []
