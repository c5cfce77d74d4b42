"""The programs that are compared: each takes a job and returns (measurements, Embedding), whatever it is written in."""

import functools
import re
import shlex
import sys
import tempfile
from pathlib import Path

from running import run_command, run_training

import w2v

WORD2VEC_SCAN = "-train {corpus} -save-vocab {vocab} -min-count {min_count}"
WORD2VEC_TRAIN = (
    "-train {corpus} -read-vocab {vocab} -output {output} -binary 1 -cbow 0 -hs 0 -size {dim} -window {window} "
    "-negative {negative} -sample {sample} -iter {epochs} -threads {threads} -min-count {min_count} -alpha {alpha}"
)


class PythonTrainer:
    """A program of this folder under some interpreter; `changes` are settings in which it differs from the job."""

    def __init__(self, program, python=sys.executable, **changes):
        self.program, self.python, self.changes = program, python, changes

    def run(self, job):
        """Train in a process of its own."""
        training = {**job["training"], **self.changes}
        return run_training(
            self.program, {**job, "training": training, "cores": training["workers"]}, python=self.python
        )


class CommandTrainer:
    """A trainer given as a command line that writes vectors in word2vec's text or binary format.

    Parameters
    ----------
    train, scan : str
        Commands with {corpus}, {output}, {vocab}, {dim}, {window}, {negative}, {sample}, {epochs}, {min_count},
        {alpha}, {seed} and {threads}. `scan` reads the text and counts its words; its time is taken off that of `train`
        where `train` does not read what it wrote ({vocab}); where nothing is left, that of the training is None: too
        short to be told from the reading. Without `scan`, training is the whole run.
    """

    def __init__(self, train, scan=None, name=None):
        self.train, self.scan, self.name = shlex.split(train), shlex.split(scan or ""), name

    def run(self, job):
        """Run the commands, each a process of its own."""
        with tempfile.TemporaryDirectory(prefix="w2v-benchmark-") as folder:
            values = self._values(job, Path(folder))
            scan = run_command(filled(self.scan, values), job["cores"]) if self.scan else None
            train = run_command(filled(self.train, values), job["cores"])
            embedding = w2v.load(written(Path(values["output"])))
        if scan and not any("{vocab}" in part for part in self.train):
            for name in ("cpu_seconds", "wall_seconds"):
                train[name] = train[name] - scan[name] if train[name] > scan[name] else None
        output = train.pop("output")
        tokens = words_in(job["corpus"])
        peaks = [part["peak_rss"] for part in (scan, train) if part]
        return {
            "program": self.name or Path(self.train[0]).name,
            "tokens": tokens,
            "words_trained": tokens * epochs_trained(output, job["training"]["epochs"]),
            "vocabulary": len(embedding),
            "matrix_bytes": 2 * embedding.W.nbytes,
            "scan": scan,
            "train": train,
            "peak_rss": max(peaks),
        }, embedding

    @staticmethod
    def _values(job, folder):
        training, context = job["training"], job["context"]
        return {
            "corpus": job["corpus"],
            "output": str(folder / "vectors"),
            "vocab": str(folder / "vocab"),
            "dim": training["vector_size"],
            "window": context["window"],
            "negative": training["negative"],
            "sample": context["sample"],
            "epochs": training["epochs"],
            "min_count": job["corpus_settings"]["min_count"],
            "alpha": training["alpha"],
            "seed": training["seed"],
            "threads": training["workers"],
        }


def filled(arguments, values):
    """Return a command with the values in their places."""
    return [argument.format(**values) for argument in arguments]


def written(path):
    """Return the file that a trainer made of the name it was given."""
    for end in ("", ".vec", ".bin", ".txt"):
        if (file := path.with_name(path.name + end)).is_file():
            return file
    raise SystemExit(f"the command wrote no {path.name}, nor {path.name}.vec, .bin or .txt")


def epochs_trained(output, asked):
    """Return how many epochs were really trained, by the progress that word2vec.c and its children print.

    Published heads never reset the end-of-file flag: they train one epoch whatever they are asked for.
    """
    seen = [float(share) for share in re.findall(r"Progress:\s*([\d.]+)\s*%", output)]
    return min(asked, max(1, round(max(seen) / 100 * asked))) if seen else asked


@functools.cache
def words_in(path):
    """Return the number of words in a text."""
    with Path(path).open("rb") as lines:
        return sum(len(line.split()) for line in lines)
