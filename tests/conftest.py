"""What all tests share: a place of their own to write in, the command line, and one small trained model."""

import os
import signal

import hypothesis
import pytest
from commands import ROOT, Outcome, finish, planted_text, start

# a run in the background ignores Ctrl-C, which some tests send to themselves
signal.signal(signal.SIGINT, signal.default_int_handler)

# the same examples in every run, on a fast machine and on a slow one
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.load_profile("same")

# programs started by tests find the checkout from wherever they run
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    """Run each test in its temporary folder, which is its home too: nothing outside is read or written by accident."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("W2V_MODEL", raising=False)


@pytest.fixture
def cli(capsys):
    """Run a command in this process: ``cli("similar", "king")``."""
    from w2v.cli import main

    def run(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return Outcome(stop.value.code, captured.out, captured.err)

    return run


@pytest.fixture
def process():
    """Run a command as a process of its own, with more environment: ``process("similar", "king", env={...})``."""

    def run(*arguments, env=None, **more):
        return finish(start(*arguments, env={**os.environ, **(env or {})}, **more))

    return run


@pytest.fixture(scope="session")
def planted_corpus(tmp_path_factory):
    """Path of a corpus of 60,000 words in which queen is king - man + woman; nobody may change it."""
    path = tmp_path_factory.mktemp("planted") / "planted.txt"
    path.write_text(planted_text(60_000), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def model(planted_corpus):
    """Path of a model trained on `planted_corpus` by the command line, once; nobody may change it."""
    path = planted_corpus.with_name("planted.safetensors")
    options = ["--vector-size", "24", "--window", "4", "--epochs", "8", "--alpha", "0.05", "--workers", "1"]
    trained = finish(start("train", planted_corpus, "-o", path, "--quiet", *options), timeout=300)
    assert trained.status == 0, trained.err
    path.chmod(0o444)
    return path
