"""Time the alignment of two planted spaces: supervised with evaluation by CSLS, and unsupervised.

    python benchmarks/alignment.py --words 200000 --dimensions 300 [--unsupervised]

The target is a rotated copy of the source with noise, so the right translations are known. Prints one JSON line.
"""

import argparse
import json
import resource
import time

import numpy as np

from w2v.embedding import Embedding
from w2v.geometry import BilingualDictionary, Translator, align, evaluate_translation
from w2v.vocabulary import Vocabulary


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
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--noise", type=float, default=1.0)
    parser.add_argument("--unsupervised", action="store_true")
    options = parser.parse_args()
    X, Y = planted(options.words, options.dimensions, options.noise)
    counts = (1e7 / np.arange(1, options.words + 1) + 1).astype(np.int64)
    source, target = (
        Embedding(Vocabulary([f"{name}{i}" for i in range(options.words)], counts), W)
        for name, W in (("s", X), ("t", Y))
    )
    pairs = [(f"s{i}", f"t{i}") for i in range(6500)]
    seed_pairs = None if options.unsupervised else BilingualDictionary("seed", tuple(pairs[:5000]))
    start, cpu = time.perf_counter(), time.process_time()
    alignment = align(source, target, seed_pairs)
    aligned = time.perf_counter()
    report = evaluate_translation(
        Translator(alignment.source, alignment.target), BilingualDictionary("test", tuple(pairs[5000:]))
    )
    done = time.perf_counter()
    result = {
        **vars(options),
        "align_seconds": round(aligned - start, 1),
        "evaluate_seconds": round(done - aligned, 1),
        "seconds": round(done - start, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "rounds": alignment.rounds,
        "agreement": alignment.agreement,
        "csls": report.all.precision["csls"],
        "cosine": report.all.precision["cosine"],
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
