"""Kill trainings with SIGKILL at random moments: what is left must be whole, and resuming must end with the same bits.

    python benchmarks/kill.py --kills 100 --seconds 600

A training of one worker is run to its end once for each algorithm. Then, again and again, it is started and killed at a
moment drawn at random, resumed from its checkpoint and perhaps killed again, until it is complete. After every kill

* a model, if there is one, loads and has the bits of the training that was never interrupted;
* a checkpoint, if there is one, can be read;
* nothing else lies there but temporary files of a save that was cut off, which the next save removes.

At the end of each training W, C, words, counts, settings and losses have the same bits, and the checkpoint is gone.
Each training is a child of this program made by fork, so that a start takes milliseconds and not seconds.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no threads here: this process forks

import numpy as np

import w2v
from w2v.cli import main as w2v_command
from w2v.training import read_checkpoint

MODEL, CHECKPOINT = "model.safetensors", "model.safetensors.ckpt"
KILLED = -signal.SIGKILL


def write_corpus(path, tokens, seed):
    """Write a text of so many tokens whose words have a Zipfian distribution."""
    rng = np.random.default_rng(seed)
    ids = np.minimum(rng.zipf(1.2, tokens), 3_000)
    path.write_text("".join(" ".join(f"w{i}" for i in ids[a : a + 20]) + "\n" for a in range(0, tokens, 20)))


def run(arguments, kill_after=None):
    """Run a command in a child process, killing it after so many seconds; returns its status and its time."""
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            with Path("output.txt").open("a") as output:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
            w2v_command(arguments)
        except SystemExit as end:
            os._exit(end.code or 0)
        finally:
            os._exit(70)
    if kill_after is not None:
        while time.monotonic() - started < kill_after:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status), time.monotonic() - started
            time.sleep(min(0.001, kill_after / 20))
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), time.monotonic() - started


def bits(embedding):
    """Return everything of a model that must not depend on interruptions."""
    return (
        embedding.words,
        embedding.counts.tobytes(),
        np.ascontiguousarray(embedding.W).tobytes(),
        np.ascontiguousarray(embedding.C).tobytes(),
        json.dumps(embedding.settings),
        embedding.losses,
        embedding.provenance.get("heldout"),
        embedding.provenance["finished"],
    )


class Inspector:
    """Looks at what a kill left, and counts."""

    def __init__(self):
        self.counts = dict.fromkeys(
            ("trainings", "kills", "kills_with_checkpoint", "kills_while_writing", "kills_after_completion"), 0
        )

    def after_kill(self, expected):
        """Check the files of the current folder."""
        self.counts["kills"] += 1
        names = {path.name for path in Path.cwd().iterdir()} - {"output.txt"}
        temporary = {name for name in names if name.startswith(f".{MODEL}") and name.endswith(".tmp")}
        self.counts["kills_while_writing"] += bool(temporary)
        if names - temporary - {MODEL, CHECKPOINT}:
            raise SystemExit(f"unexpected files: {sorted(names)}")
        if MODEL in names:
            self.counts["kills_after_completion"] += 1
            self.is_complete(expected)
        if CHECKPOINT in names:
            self.counts["kills_with_checkpoint"] += 1
            read_checkpoint(CHECKPOINT)
            w2v.load(CHECKPOINT).norms  # noqa: B018 (reads every row)

    def is_complete(self, expected):
        """Check the model of the current folder."""
        if bits(w2v.load(MODEL)) != expected:
            raise SystemExit(f"a model with other bits, in {Path.cwd()}")


def train_with_kills(command, expected, usual_seconds, chance, inspector):
    """Train to the end in the current folder, with kills on the way."""
    arguments = command
    while True:
        moment = chance.uniform(0, 1.6 * usual_seconds) if chance.random() < 0.85 else None
        status, _ = run(arguments, moment)
        if status == KILLED:
            inspector.after_kill(expected)
            if Path(MODEL).exists():  # killed between the model and the end
                return
            arguments = ["train", "--resume", CHECKPOINT, "--checkpoint-every", "1", "--quiet"]
            if not Path(CHECKPOINT).exists():
                arguments = command
        elif status == 0:
            inspector.is_complete(expected)
            left = sorted(path.name for path in Path.cwd().iterdir())
            if left != [MODEL, "output.txt"]:
                raise SystemExit(f"a complete training left {left}")
            return
        else:
            raise SystemExit(f"status {status} of {arguments}: {Path('output.txt').read_text()[-2000:]}")


def main():
    """Run and print the counts as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100, help="stop after so many (default 100)")
    parser.add_argument("--seconds", type=float, default=600, help="or after so many seconds (default 600)")
    parser.add_argument("--tokens", type=int, default=120_000, help="size of the corpus (default 120000)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default 1)")
    options = parser.parse_args()
    chance, inspector, started = random.Random(options.seed), Inspector(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="w2v-kill-") as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = str(Path(folder) / "tmp")
        Path(tempfile.tempdir).mkdir()
        corpus = Path(folder) / "corpus.txt"
        write_corpus(corpus, options.tokens, options.seed)
        common = ["train", str(corpus), "--workers", "1", "--epochs", "3", "--vector-size", "40", "--quiet"]
        common += ["--heldout", "2%", "--checkpoint-every"]
        w2v.train(str(corpus), vector_size=40, epochs=1, workers=1)  # compiled before the first fork
        w2v.train(str(corpus), vector_size=40, epochs=1, workers=1, algorithm="pairwise")
        whole = {}
        for algorithm in ("blocked", "pairwise"):
            os.chdir(_new_folder(folder, algorithm))
            status, seconds = run([*common, "never", "--algorithm", algorithm])
            if status:
                raise SystemExit(Path("output.txt").read_text())
            whole[algorithm] = bits(w2v.load(MODEL)), seconds
        while inspector.counts["kills"] < options.kills and time.monotonic() - started < options.seconds:
            algorithm = chance.choice(("blocked", "pairwise"))
            expected, seconds = whole[algorithm]
            os.chdir(_new_folder(folder, f"training-{inspector.counts['trainings']}"))
            train_with_kills([*common, "1", "--algorithm", algorithm], expected, seconds, chance, inspector)
            inspector.counts["trainings"] += 1
        os.chdir(folder)
    inspector.counts["seconds"] = round(time.monotonic() - started, 1)
    sys.stdout.write(json.dumps(inspector.counts) + "\n")


def _new_folder(folder, name):
    path = Path(folder) / name
    path.mkdir()
    return path


if __name__ == "__main__":
    main()
