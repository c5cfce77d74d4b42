"""Anonymous memory of training on a short and on a long corpus with the vocabulary capped alike.

    python benchmarks/memory.py corpus.txt --words 5000000 40000000 --max-vocab 30000

It should be the two matrices plus a constant, whatever the length of the corpus. A corpus that holds fewer words than
asked for is read again from its start.
"""

import argparse
import json
import tempfile
from pathlib import Path

from measuring import machine
from parts import write_words
from running import prime, run_training

from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings

MEGABYTE = 1 << 20


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("corpus", type=Path, help="text file, a sentence a line")
    parser.add_argument("--words", type=int, nargs="+", default=[5_000_000, 40_000_000], help="sizes to train on")
    parser.add_argument("--max-vocab", type=int, default=30_000)
    parser.add_argument("--vector-size", type=int, default=100)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args()
    print("  ".join(f"{name}: {value}" for name, value in machine().items()))
    names = ("words", "V", "matrices MB", "RssAnon, training MB", "beyond the matrices MB", "RssAnon, scan MB")
    print("  ".join(name.rjust(12) for name in names))
    prime(job(options, options.corpus))
    rows = [measured(options, words) for words in options.words]
    for row in rows:
        sizes = [row[n] for n in ("matrix_bytes", "training_bytes", "beyond_bytes", "scan_bytes")]
        cells = [f"{row['words']:,}", f"{row['vocabulary']:,}", *(f"{size / MEGABYTE:,.1f}" for size in sizes)]
        print("  ".join(cell.rjust(max(12, len(name))) for cell, name in zip(cells, names, strict=True)))
    ratio = rows[-1]["training_bytes"] / rows[0]["training_bytes"]
    print(f"\nRssAnon in training, {rows[-1]['words']:,} words / {rows[0]['words']:,} words: {ratio:.3f}")
    if options.json:
        options.json.write_text(json.dumps({"rows": rows, "ratio": ratio}, indent=1) + "\n", encoding="utf-8")


def job(options, corpus):
    return {
        "corpus": str(corpus.resolve()),
        "corpus_settings": CorpusSettings(max_vocab=options.max_vocab).to_dict(),
        "context": ContextSettings().to_dict(),
        "training": TrainingSettings(vector_size=options.vector_size, epochs=1, workers=options.workers).to_dict(),
        "cores": options.workers,
    }


def measured(options, words):
    """Train one epoch on about so many words in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="w2v-benchmark-") as folder:
        part = Path(folder) / "part.txt"
        write_words(options.corpus, words, part)
        figures, _ = run_training("train_ours.py", job(options, part))
    training = figures["train"]["anonymous_bytes"]
    if training is None:
        raise SystemExit("this system does not tell RssAnon; run the program on Linux")
    return {
        "words": figures["tokens"],
        "vocabulary": figures["vocabulary"],
        "matrix_bytes": figures["matrix_bytes"],
        "training_bytes": training,
        "beyond_bytes": training - figures["matrix_bytes"],
        "scan_bytes": figures["scan"]["anonymous_bytes"],
    }


if __name__ == "__main__":
    main()
