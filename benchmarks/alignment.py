"""Time the alignment of two planted spaces: supervised with evaluation by CSLS, and unsupervised.

    python benchmarks/alignment.py --words 200000 --dimensions 300 --results benchmarks/RESULTS.md

The target is a rotated copy of the source with noise, so the right translations are known. Each way of learning runs in
a process of its own, with as many threads as numpy takes; it prints one JSON line. Supervised: 5,000 pairs are given,
and CSLS seeks its neighbours among the 50,000 most frequent words of each side. Unsupervised: nothing is given, and the
10,000 most frequent words are learnt from. Both are tested with 1,500 other pairs.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from measuring import machine, peak_rss
from results import replace_section, table

from w2v.embedding import Embedding
from w2v.geometry import BilingualDictionary, Translator, align, evaluate_translation
from w2v.settings import usable_cpus
from w2v.vocabulary import Vocabulary

PAIRS, LEARNT = 6500, 5000
WAYS = "supervised", "unsupervised"
TITLE = "Alignment of two large spaces"


def planted(words, dimensions, noise, seed=1):
    """Return a space with topics and a spectrum that falls, as word vectors have, and its noisy rotated copy."""
    rng = np.random.default_rng(seed)
    topics = rng.standard_normal((200, dimensions), dtype=np.float32)
    X = topics[rng.integers(len(topics), size=words)] + rng.standard_normal((words, dimensions), dtype=np.float32)
    X *= (1 + np.arange(dimensions, dtype=np.float32)) ** -0.3
    Q = np.linalg.qr(rng.standard_normal((dimensions, dimensions)))[0].astype(np.float32)
    Y = X + noise * X.std() * rng.standard_normal(X.shape, dtype=np.float32)
    return X, Y @ Q


def main():
    """Measure each way, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--noise", type=float, default=0.3)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--results", type=Path, help="replace the section of this Markdown file")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # in this process: the first way alone
    options = parser.parse_args()
    if options.words < PAIRS:
        parser.error(f"--words {options.words}: there are {PAIRS} pairs to learn from and to test")
    if options.here:
        print(json.dumps(measured(options.words, options.dimensions, options.noise, options.ways[0])))
        return
    about = machine()
    found = [in_own_process(options, way) for way in options.ways]
    if options.results:
        replace_section(options.results, TITLE, section(options, about, found))


def in_own_process(options, way):
    """Return the figures of one way, measured in a fresh process."""
    sizes = ["--words", str(options.words), "--dimensions", str(options.dimensions), "--noise", str(options.noise)]
    done = subprocess.run(
        [sys.executable, __file__, "--here", "--ways", way, *sizes], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"the {way} alignment failed, see above")
    print(done.stdout, end="", flush=True)
    return json.loads(done.stdout)


def measured(words, dimensions, noise, way):
    """Align one way and test."""
    X, Y = planted(words, dimensions, noise)
    counts = (1e7 / np.arange(1, words + 1) + 1).astype(np.int64)
    source, target = (
        Embedding(Vocabulary([f"{name}{i}" for i in range(words)], counts), W) for name, W in (("s", X), ("t", Y))
    )
    pairs = [(f"s{i}", f"t{i}") for i in range(PAIRS)]
    seed_pairs = BilingualDictionary("seed", tuple(pairs[:LEARNT])) if way == "supervised" else None
    start, cpu = time.perf_counter(), time.process_time()
    alignment = align(source, target, seed_pairs)
    aligned = time.perf_counter()
    report = evaluate_translation(
        Translator(alignment.source, alignment.target), BilingualDictionary("test", tuple(pairs[LEARNT:]))
    )
    done = time.perf_counter()
    return {
        "way": way,
        "words": words,
        "dimensions": dimensions,
        "noise": noise,
        "align_seconds": round(aligned - start, 1),
        "evaluate_seconds": round(done - aligned, 1),
        "seconds": round(done - start, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "peak_mb": peak_rss() // (1 << 20),
        "rounds": alignment.rounds,
        "agreement": alignment.agreement,
        "csls": report.all.precision["csls"],
        "cosine": report.all.precision["cosine"],
    }


def agreed(share):
    return "-" if share is None else f"{share:.1%}"


def first(figures):
    return [f"{figures[retrieval][0]:.1%}" for retrieval in ("csls", "cosine")]


def section(options, about, found):
    """Return the section of RESULTS.md."""
    lines = [
        f"Two spaces of {options.words:,} words and {options.dimensions} dimensions, the one a rotated copy of the "
        f"other with noise of {options.noise:g} of its own spread; {PAIRS - LEARNT:,} pairs tested with CSLS; on "
        f"{usable_cpus()} cores.",
        "",
        ", ".join(f"{name} {value}" for name, value in about.items()),
        "",
    ]
    heads = ["", "align s", "evaluate s", "wall s", "CPU s", "peak MB", "rounds", "agreement", "CSLS P@1", "NN P@1"]
    costs = "align_seconds", "evaluate_seconds", "seconds", "cpu_seconds", "peak_mb", "rounds"
    rows = [[f["way"], *(f[cost] for cost in costs), agreed(f["agreement"]), *first(f)] for f in found]
    return "\n".join([*lines, *table(heads, rows)])


if __name__ == "__main__":
    main()
