"""One training by w2v in a process of its own: ``train_ours.py JOB.json`` prints its measurements as JSON.

The job: {"corpus": path, "corpus_settings": {...}, "context": {...}, "training": {...}, "cores": n, "out": folder}.
"""

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
from measuring import Stretch, keep_to_cores, peak_rss

from w2v.corpus import encode_files
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
from w2v.training import train_encoded


def main(job):
    keep_to_cores(job["cores"])
    context = ContextSettings(**job["context"])
    training = TrainingSettings(**job["training"])
    compile_kernels(context, training)
    with Stretch() as scan:
        corpus = encode_files([job["corpus"]], CorpusSettings(**job["corpus_settings"]))
    with corpus:
        with Stretch() as train:
            embedding = train_encoded(corpus, context, training)
        tokens = corpus.source.tokens
    out = Path(job["out"])
    np.save(out / "W.npy", embedding.W)
    np.save(out / "C.npy", embedding.C)
    vocabulary = {"words": list(embedding.words), "counts": embedding.counts.tolist()}
    (out / "vocabulary.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    return {
        "program": f"w2v with numba {version('numba')}, numpy {version('numpy')}",
        "tokens": tokens,
        "words_trained": tokens * training.epochs,
        "vocabulary": len(embedding),
        "matrix_bytes": 2 * embedding.W.nbytes,
        "scan": scan.to_dict(),
        "train": train.to_dict(),
        "peak_rss": peak_rss(),
    }


def compile_kernels(context, training):
    """Encode and train a few words, so that no compilation is measured."""
    values = {**training.to_dict(), "epochs": 1}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "few.txt"
        path.write_text("a few words that are said again and again\n" * 500, encoding="utf-8")
        with encode_files([path], CorpusSettings(min_count=1)) as corpus:
            train_encoded(corpus, context, TrainingSettings.from_dict(values))


if __name__ == "__main__":
    print(json.dumps(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
