"""w2v beside gensim: speed, memory and quality of skip-gram training, the programs taking turns in one run.

    python benchmarks/versus_gensim.py corpus.txt --seeds 1 2 3 --similarity wordsim353.txt --similarity men.txt \
        --python-gensim other-environment/bin/python --json figures.json

w2v is the package that this interpreter imports: install it, or set PYTHONPATH to the checkout. Each training is a
process of its own that keeps to one core (two for the row with two workers). Words are raw words of the corpus times
epochs; seconds are CPU seconds of the whole process: of training alone, and apart from it of reading and counting (w2v
writes the encoded corpus in the same pass, gensim reads the text again in each epoch). Compilation comes before, on a
few words. Both embeddings are judged by one evaluator, that of w2v. RssAnon is the most seen during training, peak the
most resident memory of the process.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

from measuring import machine
from running import prime, run_training

from w2v.evaluation import bundled_set, evaluate_analogies, evaluate_similarity
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings

OURS, GENSIM, OURS_TWO = "w2v", "gensim", "w2v, 2 workers"
MEGABYTE = 1 << 20


def main():
    options = arguments()
    judge = Judge(options)
    about = {"corpus": options.corpus.name, "bytes": options.corpus.stat().st_size, **machine()}
    print("  ".join(f"{name}: {value}" for name, value in about.items()))
    print(f"settings: {job(options, 1, 1)}\n")
    rounds = {name: [] for name in (OURS, GENSIM, OURS_TWO)}
    widths = None
    prime(job(options, 1, 1))
    for seed in options.seeds:
        for name in rounds:
            if name == OURS_TWO and options.no_two_workers:
                continue
            figures = one_round(name, seed, options, judge)
            rounds[name].append(figures)
            if widths is None:
                widths = print_header(["seed", "program", *COLUMNS, *judge.columns])
            print_row(widths, [str(seed), name, *cells(figures, judge)])
    print()
    medians = {name: median_of(runs) for name, runs in rounds.items() if runs}
    for name, figures in medians.items():
        print_row(widths, ["median", name, *cells(figures, judge)])
    print()
    ratios = print_ratios(medians, judge)
    if options.json:
        result = {"machine": about, "settings": job(options, 1, 1), "rounds": rounds}
        result |= {"medians": medians, "ratios": ratios}
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", 1)[0], epilog="See the first lines of this file for what is measured."
    )
    parser.add_argument("corpus", type=Path, help="text file, a sentence a line, tokens separated by blanks")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="one round of all programs each")
    parser.add_argument("--python-gensim", default=sys.executable, help="interpreter that has gensim")
    parser.add_argument("--similarity", type=Path, action="append", default=[], help="set of scored pairs; repeatable")
    parser.add_argument("--restrict-vocab", type=int, default=30_000, help="for the Google analogies")
    parser.add_argument("--no-two-workers", action="store_true", help="leave the row with two workers out")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    named = {"vector_size": int, "window": int, "negative": int, "epochs": int, "sample": float, "min_count": int}
    for name, kind in named.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=default(name))
    options = parser.parse_args()
    missing = [str(path) for path in (options.corpus, *options.similarity) if not path.is_file()]
    if missing:
        parser.error(f"no such file: {', '.join(missing)}")
    return options


def default(name):
    for home in (CorpusSettings, ContextSettings, TrainingSettings):
        if name in home.names():
            return getattr(home(), name)
    raise KeyError(name)


def job(options, seed, workers):
    """Return what both programs are asked for."""
    training = TrainingSettings(
        vector_size=options.vector_size, negative=options.negative, epochs=options.epochs, seed=seed, workers=workers
    )
    return {
        "corpus": str(options.corpus.resolve()),
        "corpus_settings": CorpusSettings(min_count=options.min_count).to_dict(),
        "context": ContextSettings(window=options.window, sample=options.sample).to_dict(),
        "training": training.to_dict(),
        "cores": workers,
    }


def one_round(name, seed, options, judge):
    """Train once with one program and return all figures of it."""
    if name == GENSIM:
        measured, embedding = run_training("train_gensim.py", job(options, seed, 1), python=options.python_gensim)
    else:
        workers = 2 if name == OURS_TWO else 1
        measured, embedding = run_training("train_ours.py", job(options, seed, workers))
    train, scan = measured["train"], measured["scan"]
    return {
        "seed": seed,
        "program": measured["program"],
        "tokens": measured["tokens"],
        "vocabulary": measured["vocabulary"],
        "words_per_cpu_second": measured["words_trained"] / train["cpu_seconds"],
        "words_per_wall_second": measured["words_trained"] / train["wall_seconds"],
        "scanned_per_cpu_second": measured["tokens"] / scan["cpu_seconds"],
        "anonymous_bytes": train["anonymous_bytes"],
        "peak_rss": measured["peak_rss"],
        **judge.quality(embedding),
    }


class Judge:
    """The evaluation that all embeddings get alike."""

    def __init__(self, options):
        self.questions = bundled_set("questions-words").load()
        self.sets = options.similarity
        self.restrict_vocab = options.restrict_vocab
        self.columns = ["Google", *(path.stem for path in self.sets)]

    def quality(self, embedding):
        """Return the Google accuracy and the Spearman correlations of one embedding."""
        report = evaluate_analogies(
            embedding, self.questions, restrict_vocab=self.restrict_vocab, baselines=False, resamples=0
        )
        similar = {p.stem: evaluate_similarity(embedding, p, resamples=0).spearman for p in self.sets}
        return {"Google": report.accuracy, "Google answerable": report.total.answerable, **similar}


COLUMNS = {
    "train w/s": lambda f: f"{f['words_per_cpu_second']:,.0f}",
    "scan w/s": lambda f: f"{f['scanned_per_cpu_second']:,.0f}",
    "RssAnon MB": lambda f: "n/a" if f["anonymous_bytes"] is None else f"{f['anonymous_bytes'] / MEGABYTE:,.0f}",
    "peak MB": lambda f: f"{f['peak_rss'] / MEGABYTE:,.0f}",
    "V": lambda f: f"{f['vocabulary']:,.0f}",
}


def cells(figures, judge):
    quality = ["n/a" if figures[name] is None else f"{figures[name]:.3f}" for name in judge.columns]
    return [shown(figures) for shown in COLUMNS.values()] + quality


def print_header(names):
    widths = [max(len(name), 14 if name == "program" else 10) for name in names]
    print_row(widths, names)
    return widths


def print_row(widths, row):
    print("  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)), flush=True)


def median_of(runs):
    """Return the median of each figure over the rounds; what is no number is taken from the first."""
    return {
        name: statistics.median(run[name] for run in runs)
        if all(isinstance(run[name], (int, float)) for run in runs)
        else value
        for name, value in runs[0].items()
    }


def print_ratios(medians, judge):
    """Print and return what the comparison comes to."""
    ours, gensim, two = medians[OURS], medians[GENSIM], medians.get(OURS_TWO)
    ratios = {
        "training speed, w2v / gensim": ours["words_per_cpu_second"] / gensim["words_per_cpu_second"],
        "scanning speed, w2v / gensim": ours["scanned_per_cpu_second"] / gensim["scanned_per_cpu_second"],
    }
    if ours["anonymous_bytes"] and gensim["anonymous_bytes"]:
        ratios["RssAnon in training, w2v / gensim"] = ours["anonymous_bytes"] / gensim["anonymous_bytes"]
    if two:
        ratios["w2v per CPU second, 2 workers / 1"] = two["words_per_cpu_second"] / ours["words_per_cpu_second"]
        ratios["w2v per wall second, 2 workers / 1"] = two["words_per_wall_second"] / ours["words_per_wall_second"]
    for name in judge.columns:
        if ours[name] is not None and gensim[name] is not None:
            ratios[f"{name}, w2v - gensim"] = ours[name] - gensim[name]
    for name, value in ratios.items():
        print(f"{name:<40} {value:+.3f}" if " - " in name else f"{name:<40} {value:.2f}")
    return ratios


if __name__ == "__main__":
    main()
