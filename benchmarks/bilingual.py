"""Two languages in one space: how many words of a dictionary are translated rightly, way by way, and what limits it.

    python benchmarks/bilingual.py english.txt.bz2 german.txt.bz2 --dictionary en-de.train.tsv --test en-de.test.tsv \
        --results benchmarks/RESULTS.md

The texts may be of different contents and sizes; both are split into lower-cased words and trained alike. A fifth of
the source words of the dictionary is held out, and none of the source words of both tests is learnt from. A model
(.safetensors) may stand in the place of a text.
"""

import argparse
import itertools
import time
from pathlib import Path

import numpy as np
from measuring import machine
from results import replace_section, table

import w2v
from w2v.geometry import BilingualDictionary, Translator, align, evaluate_translation, identical_words
from w2v.settings import usable_cpus

TITLE = "Two languages"
RARITY = (0, 20, 50, 100, 300, 1000, 1 << 62)


def main():
    options = arguments()
    about = machine()
    print("  ".join(f"{name}: {value}" for name, value in about.items()))
    source = model(options.source, options.source_epochs, options)
    target = model(options.target, options.target_epochs, options)
    test = BilingualDictionary.read(options.test)
    learnt, held = BilingualDictionary.read(options.dictionary).without(test.sources).split(0.2, seed=options.seed)
    seen = [*held.sources, *test.sources]
    spelt = identical_words(source.vocabulary, target.vocabulary).without(seen)
    ways = {
        "dictionary": (learnt, {}),
        "dictionary, no refinement": (learnt, {"refine": 0}),
        "dictionary, rotation": (learnt, {"mapping": "orthogonal"}),
        "dictionary, rotation, no refinement": (learnt, {"mapping": "orthogonal", "refine": 0}),
        "words spelt alike": (spelt, {}),
        "nothing (unsupervised)": (None, {}),
    }
    rows, limits = [], []
    for name, (pairs, settings) in ways.items():
        start = time.perf_counter()
        alignment = align(source, target, pairs, seed=options.seed, **settings)
        translator = Translator(alignment.source, alignment.target)
        reports = [evaluate_translation(translator, asked) for asked in (held, test)]
        seconds = time.perf_counter() - start
        for report in reports:
            rows.append(row(name, alignment, report, seconds))
            print("  ".join(rows[-1]), flush=True)
        limits = limits or list(rarity(translator, (held, test)))
    report = section(options, about, (source, target), rows, limits)
    print(f"\n{report}")
    if options.results:
        replace_section(options.results, TITLE, report)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", type=Path, help="text of the source language, or a .safetensors model")
    parser.add_argument("target", type=Path, help="text of the target language, or a .safetensors model")
    parser.add_argument("--dictionary", type=Path, required=True, help="pairs to learn from: source word, target word")
    parser.add_argument("--test", type=Path, required=True, help="pairs to test with")
    parser.add_argument("--vector-size", type=int, default=300)
    parser.add_argument("--source-epochs", type=int, default=4)
    parser.add_argument("--target-epochs", type=int, default=10)
    parser.add_argument("--workers", type=int, default=usable_cpus())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, help="replace the section of this Markdown file")
    return parser.parse_args()


def model(path, epochs, options):
    """Return the model, or one trained on the text."""
    if path.suffix == ".safetensors":
        return w2v.load(path)
    print(f"training on {path.name}", flush=True)
    settings = {"vector_size": options.vector_size, "workers": options.workers, "seed": options.seed}
    return w2v.train(path, tokenizer="words", epochs=epochs, **settings)


def row(way, alignment, report, seconds):
    """Return a row of the table: what was learnt from, what was asked, and the precision."""
    trust = "" if alignment.trusted else f"; failed (agreement {alignment.agreement:.0%})"
    cells = [way + trust, f"{alignment.given_pairs:,}", report.name, f"{report.covered:,} of {report.total:,}"]
    return [*cells, *(precision(report.all.precision[retrieval]) for retrieval in ("csls", "cosine")), f"{seconds:.0f}"]


def precision(shares):
    return " / ".join(f"{share:.1%}" for share in shares)


def rarity(translator, tests):
    """Yield rows of the second table: precision by how often the target's text has the right answer at most."""
    source, target = translator.source.vocabulary, translator.target.vocabulary
    every = BilingualDictionary("both", tuple(pair for test in tests for pair in test.pairs)).lookup(source, target)
    most = np.zeros(len(source), dtype=np.int64)
    np.maximum.at(most, every.source, target.counts[every.target])
    for low, high in itertools.pairwise(RARITY):
        here = (low <= most[every.source]) & (most[every.source] < high)
        if here.any():
            words = ([side.words[i] for i in rows[here]] for side, rows in zip((source, target), every, strict=True))
            report = evaluate_translation(translator, BilingualDictionary("band", tuple(zip(*words, strict=True))))
            shares = [precision(report.all.precision[retrieval]) for retrieval in ("csls", "cosine")]
            yield [f"{low:,} and more" if high == RARITY[-1] else f"{low:,} to {high - 1:,}", report.covered, *shares]


def section(options, about, models, rows, limits):
    """Return the section of RESULTS.md."""
    sides = []
    for name, side in zip((options.source, options.target), models, strict=True):
        epochs = side.settings.get("training", {}).get("epochs", "?")
        words = int(side.counts.sum())
        sides.append(f"{name.name}: {words:,} words, {len(side):,} different ones, {epochs} epochs")
    heads = ["learnt from", "pairs", "test", "asked", "CSLS P@1 / 5 / 10", "NN P@1 / 5 / 10", "s"]
    lines = [
        f"{'; '.join(sides)}; d = {models[0].vector_size}. Answers are among all words of the target. No source "
        "word of a test is learnt from.",
        "",
        ", ".join(f"{name} {value}" for name, value in about.items()),
        "",
        *table(heads, rows),
        "",
        "What limits it: both tests together, aligned by the dictionary, by the count of the right answer in the text "
        "of the target (of the most frequent one, where several are right).",
        "",
        *table(["count of the answer", "asked", "CSLS P@1 / 5 / 10", "NN P@1 / 5 / 10"], limits),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
