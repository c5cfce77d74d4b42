"""One training by fastText without subwords in a process of its own; takes and prints what train_ours.py does.

Any package that brings the module ``fasttext_pybind`` will do (fasttext, fasttext-wheel, fasttext-numpy2-wheel). The
module is called itself because the Python layer above it knows no seed.

fastText reads the vocabulary and trains in one call, so the scan is measured as a training of no epochs. Versions from
0.9.2 on start a tenth of the rows for each thread, up to ten: with one thread nine tenths stay whatever memory held. So
the rows are started here, uniformly in +-1/d as fastText does, and handed over as pretrained vectors (which counts
each word once more); what handing them over costs is measured by a third call and taken off the training.
"""

import json
import os
import sys
from importlib.metadata import packages_distributions, version
from pathlib import Path

import fasttext_pybind as fasttext
import numpy as np
from measuring import Stretch, keep_to_cores, peak_rss


def main(job):
    keep_to_cores(job["cores"])
    epochs, out = job["training"]["epochs"], Path(job["out"])
    with Stretch() as scan:
        model = trained(job, 0)
    start = out / "start.vec"
    write_start(start, model.getVocab("strict")[0], job["training"])
    del model
    with Stretch() as before:
        trained(job, 0, start)
    with Stretch() as train:
        model = trained(job, epochs, start)
    words, counts = model.getVocab("strict")
    # the views own what they show and would free it a second time: main ends without letting go of them
    views = model.getInputMatrix(), model.getOutputMatrix()
    W, C = (np.array(view, dtype=np.float32) for view in views)
    np.save(out / "W.npy", W[: len(words)])
    np.save(out / "C.npy", C[: len(words)])
    vocabulary = {"words": list(words), "counts": [int(count) for count in counts]}
    (out / "vocabulary.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    with Path(job["corpus"]).open("rb") as corpus:
        tokens = sum(len(line.split()) for line in corpus)
    measured = train.to_dict()
    for name in ("cpu_seconds", "wall_seconds"):
        measured[name] = max(1e-9, measured[name] - before.to_dict()[name])
    print(
        json.dumps(
            {
                "program": f"{distribution()}, numpy {version('numpy')}",
                "tokens": tokens,
                "words_trained": tokens * epochs,
                "vocabulary": len(words),
                "matrix_bytes": W.nbytes + C.nbytes,
                "scan": scan.to_dict(),
                "train": measured,
                "peak_rss": peak_rss(),
            }
        ),
        flush=True,
    )
    os._exit(0)


def write_start(path, words, training):
    """Write start vectors for all words in word2vec's text format."""
    d = training["vector_size"]
    rows = np.random.default_rng(training["seed"]).uniform(-1 / d, 1 / d, (len(words), d))
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.write(f"{len(words)} {d}\n")
        for word, row in zip(words, rows, strict=True):
            out.write(f"{word} {' '.join(f'{x:.7f}' for x in row)}\n")


def trained(job, epochs, start=None):
    """Return a model trained for so many epochs."""
    training, context = job["training"], job["context"]
    arguments = fasttext.args()
    values = {
        "input": job["corpus"],
        "output": "",
        "model": fasttext.model_name.skipgram,
        "loss": fasttext.loss_name.ns,
        "dim": training["vector_size"],
        "neg": training["negative"],
        "lr": training["alpha"],
        "thread": training["workers"],
        "seed": training["seed"],
        "epoch": epochs,
        "ws": context["window"],
        "t": context["sample"],
        "minCount": job["corpus_settings"]["min_count"],
        "minn": 0,
        "maxn": 0,
        "wordNgrams": 1,
        "bucket": 0,
        "verbose": 0,
        "pretrainedVectors": str(start or ""),
    }
    for name, value in values.items():
        setattr(arguments, name, value)
    model = fasttext.fasttext()
    fasttext.train(model, arguments)
    return model


def distribution():
    """Return name and version of the package that brought the module."""
    found = packages_distributions().get("fasttext_pybind", [])
    return f"{found[0]} {version(found[0])}" if found else "fastText"


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
