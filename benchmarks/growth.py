"""How time and memory of w2v grow with tokens, vocabulary, d, window, negative and workers; exponents and a figure.

    python benchmarks/growth.py corpus.txt --tokens 1000000 4000000 16000000 56000000 --results benchmarks/RESULTS.md \
        --figure benchmarks/growth.png

One thing varies at a time, the others stay at --at-tokens, --at-vocab and the defaults. Each training is a process of
its own, of one epoch; all points take turns in each round and the median counts. The exponent is the slope of log cost
against log size: 1 is linear, 0 does not grow. A corpus shorter than asked for is read again from its start; a
vocabulary larger than the corpus has cannot be had from it, so those points train on a generated text with Zipf's law.
"""

import argparse
import json
import math
import statistics
import tempfile
from pathlib import Path

import numpy as np
from measuring import machine
from parts import write_words
from results import replace_section, table
from running import run_training

from w2v.reports.canvas import check_figure_target, new_figure, save_figure
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
from w2v.training.benchmark import write_zipf_text

MEGABYTE = 1 << 20
COSTS = {
    "training, CPU s": lambda f: f["train"]["cpu_seconds"],
    "training, wall s": lambda f: f["train"]["wall_seconds"],
    "reading, CPU s": lambda f: f["scan"]["cpu_seconds"],
    "RssAnon MB": lambda f: (f["train"]["anonymous_bytes"] or math.nan) / MEGABYTE,
    "beyond the matrices MB": lambda f: ((f["train"]["anonymous_bytes"] or math.nan) - f["matrix_bytes"]) / MEGABYTE,
}
DRAWN = ["training, CPU s", "training, wall s", "RssAnon MB"]


def main():
    options = arguments()
    about = machine()
    print("  ".join(f"{name}: {value}" for name, value in about.items()))
    with tempfile.TemporaryDirectory(prefix="w2v-benchmark-") as folder:
        points = points_of(options, Texts(options.corpus, Path(folder)))
        runs = [[] for _ in points]
        for turn in range(options.rounds):
            for point, found in zip(points, runs, strict=True):
                figures, _ = run_training("train_ours.py", point["job"])
                found.append({name: cost(figures) for name, cost in COSTS.items()})
                found[-1]["size"] = point["size"](figures)
                print(f"round {turn + 1}, {point['axis']} = {found[-1]['size']:,}: {shown(found[-1])}", flush=True)
    series = {}
    for point, found in zip(points, runs, strict=True):
        row = {name: statistics.median(run[name] for run in found) for name in found[0]}
        series.setdefault(point["axis"], []).append(row)
    report = section(options, about, series)
    print(f"\n{report}")
    if options.figure:
        draw(series, options.figure)
    if options.results:
        replace_section(options.results, "How cost grows", report)
    if options.json:
        result = {"machine": about, "series": series, "exponents": {axis: exponents(r) for axis, r in series.items()}}
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path, help="text file, a sentence a line")
    parser.add_argument("--tokens", type=int, nargs="*", default=[1_000_000, 4_000_000, 16_000_000, 56_000_000])
    parser.add_argument("--vocab", type=int, nargs="*", default=[10_000, 30_000, 100_000, 300_000, 1_000_000])
    parser.add_argument("--vector-size", type=int, nargs="*", default=[50, 100, 200, 300, 500, 1000])
    parser.add_argument("--window", type=int, nargs="*", default=[1, 2, 5, 10, 20])
    parser.add_argument("--negative", type=int, nargs="*", default=[1, 2, 5, 10, 20])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--at-tokens", type=int, default=2_000_000, help="tokens where something else varies")
    parser.add_argument("--at-vocab", type=int, default=30_000, help="words at most where something else varies")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--figure", type=Path, help="draw to this file (.png, .svg, .pdf)")
    parser.add_argument("--results", type=Path, help="replace the section of this Markdown file")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args()
    if options.figure:
        check_figure_target(options.figure, force=True)
    return options


class Texts:
    """Texts of a given size in a folder, each written once."""

    def __init__(self, corpus, folder):
        self.corpus, self.folder = corpus, folder

    def real(self, tokens):
        """Return a text of about so many words of the corpus."""
        return self._once(f"real-{tokens}.txt", lambda path: write_words(self.corpus, tokens, path))

    def generated(self, tokens, types):
        """Return a text with Zipf's law."""
        return self._once(f"zipf-{tokens}-{types}.txt", lambda path: write_zipf_text(path, tokens, types))

    def _once(self, name, write):
        path = self.folder / name
        if not path.exists():
            write(path)
        return path


def points_of(options, texts):
    """Return all points: {"axis", "size": function of the figures, "job"}."""

    def point(axis, size, path, *, max_vocab=options.at_vocab, min_count=5, window=None, **training):
        context = ContextSettings() if window is None else ContextSettings(window=window)
        settings = TrainingSettings(**{"epochs": 1, "workers": 1, **training})
        job = {
            "corpus": str(path),
            "corpus_settings": CorpusSettings(max_vocab=max_vocab, min_count=min_count).to_dict(),
            "context": context.to_dict(),
            "training": settings.to_dict(),
            "cores": settings.workers,
        }
        return {"axis": axis, "size": size, "job": job}

    points = [point("tokens", lambda f: f["tokens"], texts.real(tokens)) for tokens in options.tokens]
    if options.vocab:
        tokens = max(options.at_tokens, 3 * max(options.vocab))  # so that even the largest is seen whole, nearly
        zipf = texts.generated(tokens, 2 * max(options.vocab))
        points += [point("V", lambda f: f["vocabulary"], zipf, max_vocab=size, min_count=1) for size in options.vocab]
    for axis, name, sizes in (
        ("d", "vector_size", options.vector_size),
        ("window", "window", options.window),
        ("negative", "negative", options.negative),
        ("workers", "workers", options.workers),
    ):
        text = texts.real(options.at_tokens)
        points += [point(axis, lambda f, size=size: size, text, **{name: size}) for size in sizes]
    return points


def exponents(rows):
    """Return the slope of log cost against log size for each cost; None where there is none."""
    sizes = np.log([row["size"] for row in rows])
    return {name: slope(sizes, [row[name] for row in rows]) for name in COSTS}


def slope(sizes, values):
    values = np.array(values, dtype=float)
    usable = np.isfinite(values) & (values > 0)
    if len(np.unique(sizes[usable])) < 2:
        return None
    return float(np.polyfit(sizes[usable], np.log(values[usable]), 1)[0])


def shown(figures):
    return ", ".join(f"{name} {figures[name]:.2f}" for name in COSTS)


def section(options, about, series):
    """Return the section of RESULTS.md."""
    lines = [", ".join(f"{name} {value}" for name, value in about.items()), ""]
    lines += [f"Corpus: {options.corpus.name}; one epoch, medians of {options.rounds}; where something else varies, "]
    lines[-1] += f"{options.at_tokens:,} tokens, V at most {options.at_vocab:,}. V varies on a generated text."
    if options.figure:
        lines += ["", f"![How cost grows]({options.figure.name})"]
    for axis, rows in series.items():
        lines += ["", f"### {axis}", ""]
        found = [[f"{row['size']:,}", *(f"{row[name]:.2f}" for name in COSTS)] for row in rows]
        fitted = ["n/a" if value is None else f"{value:+.2f}" for value in exponents(rows).values()]
        lines += table([axis, *COSTS], [*found, ["exponent", *fitted]])
    return "\n".join(lines) + "\n"


def draw(series, path):
    """Draw time and memory against each size, both axes logarithmic."""
    columns = 3
    rows = -(-len(series) // columns)
    figure, axes = new_figure(4 * columns, 3 * rows, rows, columns)
    axes = np.atleast_1d(axes).ravel()
    for axis, (name, points) in zip(axes, series.items(), strict=False):
        sizes = [point["size"] for point in points]
        slopes = exponents(points)
        for cost in DRAWN:
            grown = "" if slopes[cost] is None else f" ({slopes[cost]:+.2f})"
            axis.loglog(sizes, [point[cost] for point in points], marker="o", label=cost + grown)
        axis.set_xlabel(name)
        axis.legend(fontsize="x-small")
    for axis in axes[len(series) :]:
        axis.set_visible(False)
    save_figure(figure, path, force=True)


if __name__ == "__main__":
    main()
