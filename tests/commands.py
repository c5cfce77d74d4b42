"""Running commands as programs of their own, and the small corpus they are run on."""

import importlib.util
import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


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


def planted():
    """Return the module of the seeded corpus with planted relations, which lies outside the package."""
    spec = importlib.util.spec_from_file_location("planted", ROOT / "corpora" / "planted.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def planted_text(words, seed=1):
    """Return a text of about so many words in which queen is king - man + woman."""
    return "".join(" ".join(sentence) + "\n" for sentence in planted().planted_sentences(words, seed))
