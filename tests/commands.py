"""Running commands and programs of their own, with rights or limits taken away; the small corpus they are run on."""

import ctypes
import importlib.util
import json
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 24, 1, 2


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self):
        """The one JSON object on the one line of standard output."""
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)


def _interruptible():
    """Let Ctrl-C reach the program even where the tests themselves run in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*arguments, **more):
    """Start a command as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "w2v", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=_interruptible,
        **more,
    )


def finish(process, timeout=120):
    """Wait for a process of `start`."""
    out, err = process.communicate(timeout=timeout)
    return Outcome(process.returncode, out, err)


def wait_for(run, ready, seconds=120):
    """Wait until something is so, while a process of `start` goes on."""
    end = time.monotonic() + seconds
    while not ready():
        assert run.poll() is None and time.monotonic() < end, run.communicate()
        time.sleep(0.005)


def obey_rights():
    """Give up, before another program starts, what lets root read and write everything."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            if libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "prctl")


def limited(which, size):
    """Return a function that limits what a program may take."""
    return lambda: resource.setrlimit(which, (size, size))


def run(*command, env=None, without=(), **more):
    """Run a program and return what it left behind."""
    environment = {name: value for name, value in {**os.environ, **(env or {})}.items() if name not in without}
    answer = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        env=environment,
        timeout=120,
        **more,
    )
    assert "Traceback" not in answer.stderr, answer.stderr
    return Outcome(answer.returncode, answer.stdout, answer.stderr)


def only_files(folder):
    """Return the names of all that lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def planted():
    """Return the module of the seeded corpus with planted relations, which lies outside the package."""
    spec = importlib.util.spec_from_file_location("planted", ROOT / "corpora" / "planted.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def planted_text(words, seed=1):
    """Return a text of about so many words in which queen is king - man + woman."""
    return "".join(" ".join(sentence) + "\n" for sentence in planted().planted_sentences(words, seed))
