"""Running programs in fresh processes, and reading what they print and leave."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from parts import write_bytes

from w2v.embedding import Embedding
from w2v.vocabulary import Vocabulary

HERE = Path(__file__).resolve().parent
MATRICES = "W.npy", "C.npy"
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def run_json(command, environment=None):
    """Run a program to its end and return the JSON that it prints; what it says of a failure ends this one too."""
    done = subprocess.run(
        command,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        errors="replace",
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout)


def run_training(program, job, *, python=sys.executable):
    """Run ``program`` (a file of this folder) on a job; return (measurements, Embedding with its words, W and C)."""
    with tempfile.TemporaryDirectory(prefix="w2v-benchmark-") as folder:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps({**job, "out": folder}), encoding="utf-8")
        figures = run_json([python, str(HERE / program), str(path)], {**_ONE_THREAD, "PYTHONHASHSEED": "0"})
        vocabulary = json.loads((Path(folder) / "vocabulary.json").read_text(encoding="utf-8"))
        W, C = (np.load(path) if path.exists() else None for path in (Path(folder) / name for name in MATRICES))
    return figures, Embedding(Vocabulary(vocabulary["words"], vocabulary["counts"]), W, C)


def run_command(arguments, cores):
    """Run any program to its end; return {cpu_seconds, wall_seconds, anonymous_bytes, peak_rss, output}."""
    return run_json([sys.executable, str(HERE / "run_measured.py"), str(cores), *arguments], _ONE_THREAD)


def prime(job, size=4_000_000):
    """Train w2v on the first bytes of the corpus and forget it: what it compiles is on disk for those that count."""
    with tempfile.TemporaryDirectory(prefix="w2v-benchmark-") as folder:
        part = Path(folder) / "part.txt"
        write_bytes(Path(job["corpus"]), size, part)
        run_training("train_ours.py", {**job, "corpus": str(part), "training": {**job["training"], "epochs": 1}})
