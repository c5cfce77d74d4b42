"""w2v beside other trainers: speed, memory and quality of skip-gram, the programs taking turns in one run.

    python benchmarks/peers.py corpus.txt --seeds 1 2 3 --python-peers peers/bin/python --word2vec peers/bin/word2vec \
        --similarity wordsim353.txt --similarity men.txt --results benchmarks/RESULTS.md --json figures.json \
        --command 'pWord2Vec=./pword2vec -train {corpus} -output {output} -size {dim} -window {window} ...'

w2v is the package that this interpreter imports: install it, or set PYTHONPATH to the checkout. gensim and a fastText
belong to the interpreter --python-peers, word2vec.c is a program (the package `word2vec` compiles one), and any other
is a command line. Each training is a process of its own that keeps to one core (two for the row with two workers), and
each round runs all programs in turn with the next seed. Words are raw words of the corpus times the epochs really
trained; seconds are CPU seconds of the whole process: of training alone, and apart from it of reading and counting.
What w2v compiles is compiled before, on a few words. All embeddings are judged by one evaluator, that of w2v; the loss
is summed over all cells, for programs that give their context vectors. RssAnon is the most seen during training, peak
the most resident memory of the process.
"""

import argparse
import contextlib
import json
import shlex
import statistics
import sys
from pathlib import Path

from judging import LOSS, ExactLoss, Judge
from measuring import machine
from parts import shuffled
from results import replace_section, table
from running import prime
from trainers import WORD2VEC_SCAN, WORD2VEC_TRAIN, CommandTrainer, PythonTrainer

from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings, usable_cpus

OURS, PAIRWISE, OURS_TWO = "w2v", "w2v pairwise", "w2v, 2 workers"
GENSIM, FASTTEXT, WORD2VEC = "gensim", "fastText", "word2vec.c"
PROGRAMS = [OURS, GENSIM, FASTTEXT, WORD2VEC, PAIRWISE, OURS_TWO]
MEGABYTE = 1 << 20


def main(arguments=None, *, programs=PROGRAMS, exact_loss=True):
    options = parsed(arguments, programs, exact_loss)
    about = {"corpus": options.corpus.name, "bytes": options.corpus.stat().st_size, **machine()}
    print("  ".join(f"{name}: {value}" for name, value in about.items()))
    print(f"settings: {job(options, 1)}\n")
    chosen = trainers(options)
    prime(job(options, options.seeds[0]))
    loss = ExactLoss(job(options, 1), usable_cpus()) if options.exact_loss else None
    judge = Judge(options.similarity, options.restrict_vocab, loss)
    rounds = {name: [] for name in chosen}
    widths = print_header(["seed", "program", *COLUMNS, *judge.columns])
    for seed in options.seeds:
        with shuffled(options.corpus, seed) if options.shuffle else contextlib.nullcontext(options.corpus) as corpus:
            for name, trainer in chosen.items():
                rounds[name].append(one_round(trainer, job(options, seed, corpus), judge))
                print_row(widths, [str(seed), name, *cells(rounds[name][-1], judge)])
    summary = {name: summary_of(runs, judge) for name, runs in rounds.items()}
    print()
    for name, figures in summary.items():
        print_row(widths, ["all", name, *cells(figures, judge)])
    compared = {name: ratios(summary[OURS], figures, judge) for name, figures in summary.items() if name != OURS}
    report = section(options, about, summary, rounds, compared, judge)
    print(f"\n{report}")
    if options.results:
        title = options.title or f"Peers, d = {options.vector_size}"
        replace_section(options.results, title, report)
    if options.json:
        result = {"machine": about, "settings": job(options, 1), "rounds": rounds, "summary": summary}
        result |= {"ratios": compared, "optimum": loss and loss.best}
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def parsed(arguments, programs, exact_loss):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", 1)[0], epilog="See the first lines of this file for what is measured."
    )
    parser.add_argument("corpus", type=Path, help="text file, a sentence a line, tokens separated by blanks")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="one round of all programs each")
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=programs, help="which of the known ones")
    parser.add_argument("--python-peers", "--python-gensim", default=sys.executable, help="has gensim and fastText")
    parser.add_argument("--word2vec", default="word2vec", help="the program compiled from word2vec.c")
    named = "NAME=COMMAND with {corpus}, {output}, ...; repeatable"
    parser.add_argument("--command", action="append", default=[], metavar="NAME=...", help=f"a trainer as {named}")
    parser.add_argument("--scan-command", action="append", default=[], metavar="NAME=...", help="its reading alone")
    parser.add_argument("--similarity", type=Path, action="append", default=[], help="set of scored pairs; repeatable")
    parser.add_argument("--restrict-vocab", type=int, default=30_000, help="for the Google analogies")
    parser.add_argument("--shared-negatives", type=int, help="noise words that a block of w2v shares; its default")
    parser.add_argument(
        "--shuffle", action="store_true", help="the lines in another order for each seed, so that all programs vary"
    )
    parser.add_argument("--no-two-workers", action="store_true", help="leave the row with two workers out")
    parser.add_argument(
        "--exact-loss", action=argparse.BooleanOptionalAction, default=exact_loss, help="sum the loss over all cells"
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--results", type=Path, help="replace the section of this Markdown file")
    parser.add_argument("--title", help="of that section")
    kinds = {"vector_size": int, "window": int, "negative": int, "epochs": int, "sample": float, "min_count": int}
    for name, kind in kinds.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=default(name))
    options = parser.parse_args(arguments)
    missing = [str(path) for path in (options.corpus, *options.similarity) if not path.is_file()]
    if missing:
        parser.error(f"no such file: {', '.join(missing)}")
    if OURS not in options.programs:
        parser.error(f"--programs must hold {OURS}, which the others are compared with")
    if options.no_two_workers:
        options.programs = [name for name in options.programs if name != OURS_TWO]
    for name in ("command", "scan_command"):
        pairs = [text.partition("=") for text in getattr(options, name)]
        if any(not (key and command) for key, _, command in pairs):
            parser.error(f"--{name.replace('_', '-')} is NAME=COMMAND")
        setattr(options, name, {key: command for key, _, command in pairs})
    if unknown := set(options.scan_command) - set(options.command):
        parser.error(f"--scan-command without --command: {', '.join(sorted(unknown))}")
    return options


def default(name):
    for home in (CorpusSettings, ContextSettings, TrainingSettings):
        if name in home.names():
            return getattr(home(), name)
    raise KeyError(name)


def job(options, seed, corpus=None):
    """Return what all programs are asked for, with the lines of the corpus in its own order or in that of a copy."""
    training = TrainingSettings(
        vector_size=options.vector_size,
        negative=options.negative,
        epochs=options.epochs,
        shared_negatives=options.shared_negatives,
        seed=seed,
        workers=1,
    )
    return {
        "corpus": str((corpus or options.corpus).resolve()),
        "corpus_settings": CorpusSettings(min_count=options.min_count).to_dict(),
        "context": ContextSettings(window=options.window, sample=options.sample).to_dict(),
        "training": training.to_dict(),
        "cores": 1,
    }


def trainers(options):
    """Return {name: trainer} of all that was asked for, in the order of their turns."""
    python, word2vec = options.python_peers, shlex.quote(options.word2vec)
    known = {
        OURS: PythonTrainer("train_ours.py"),
        GENSIM: PythonTrainer("train_gensim.py", python),
        FASTTEXT: PythonTrainer("train_fasttext.py", python),
        WORD2VEC: CommandTrainer(f"{word2vec} {WORD2VEC_TRAIN}", f"{word2vec} {WORD2VEC_SCAN}", WORD2VEC),
        PAIRWISE: PythonTrainer("train_ours.py", algorithm="pairwise"),
        OURS_TWO: PythonTrainer("train_ours.py", workers=2),
    }
    chosen = {name: known[name] for name in PROGRAMS if name in options.programs}
    for name, command in options.command.items():
        chosen[name] = CommandTrainer(command, options.scan_command.get(name), name)
    return chosen


def one_round(trainer, job, judge):
    """Train once with one program and return all figures of it."""
    measured, embedding = trainer.run(job)
    train, scan = measured["train"], measured["scan"]
    return {
        "seed": job["training"]["seed"],
        "program": measured["program"],
        "tokens": measured["tokens"],
        "epochs_trained": measured["words_trained"] / measured["tokens"],
        "vocabulary": measured["vocabulary"],
        "words_per_cpu_second": rate(measured["words_trained"], train["cpu_seconds"]),
        "words_per_wall_second": rate(measured["words_trained"], train["wall_seconds"]),
        "scanned_per_cpu_second": rate(measured["tokens"], scan["cpu_seconds"]) if scan else None,
        "wall_seconds": (train["wall_seconds"] or 0.0) + (scan["wall_seconds"] if scan else 0.0),
        "anonymous_bytes": train["anonymous_bytes"],
        "peak_rss": measured["peak_rss"],
        **judge.quality(embedding),
    }


def rate(words, seconds):
    """Return words per second, None where the time could not be told."""
    return words / seconds if seconds else None


COLUMNS = {
    "train w/cpu-s": lambda f: number(f["words_per_cpu_second"], ",.0f"),
    "scan w/cpu-s": lambda f: number(f["scanned_per_cpu_second"], ",.0f"),
    "wall s": lambda f: f"{f['wall_seconds']:,.1f}",
    "epochs": lambda f: f"{f['epochs_trained']:g}",
    "RssAnon MB": lambda f: number(f["anonymous_bytes"], ",.0f", MEGABYTE),
    "peak MB": lambda f: number(f["peak_rss"], ",.0f", MEGABYTE),
    "V": lambda f: f"{f['vocabulary']:,.0f}",
}


def number(value, form, unit=1):
    return "n/a" if value is None else f"{value / unit:{form}}"


def cells(figures, judge):
    quality = [number(figures[name], ".4f" if name == LOSS else ".3f") for name in judge.columns]
    return [shown(figures) for shown in COLUMNS.values()] + quality


def print_header(names):
    widths = [max(len(name), 14 if name == "program" else 6) for name in names]
    print_row(widths, names)
    return widths


def print_row(widths, row):
    print("  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)), flush=True)


def summary_of(runs, judge):
    """Return the median of each figure over the rounds, of the scores the mean; None if a round has none.

    What is no number is that of the first round.
    """
    summary = {}
    for name, value in runs[0].items():
        values = [run[name] for run in runs]
        middle = statistics.mean if name in judge.columns else statistics.median
        if None in values:
            summary[name] = None
        else:
            summary[name] = middle(values) if isinstance(value, (int, float)) else value
    return summary


def ratios(ours, other, judge):
    """Return what the comparison of w2v with one program comes to: ratios of the costs, differences of the scores."""

    def ratio(name, turned=False):
        a, b = (other[name], ours[name]) if turned else (ours[name], other[name])
        return None if a is None or b is None else a / b

    differences = {
        name: None if None in (ours[name], other[name]) else ours[name] - other[name] for name in judge.columns
    }
    return {
        "train w/cpu-s": ratio("words_per_cpu_second"),
        "scan w/cpu-s": ratio("scanned_per_cpu_second"),
        "wall time, other / w2v": ratio("wall_seconds", turned=True),
        "RssAnon": ratio("anonymous_bytes"),
        "peak": ratio("peak_rss"),
        **{f"{name}, w2v - other": value for name, value in differences.items()},
    }


def section(options, about, summary, rounds, compared, judge):
    """Return the section of RESULTS.md."""
    facts = (
        f"d = {options.vector_size}, window {options.window}, negative {options.negative}, sample {options.sample:g}"
    )
    if options.shared_negatives:
        facts += f", {options.shared_negatives} noise words shared by a block of w2v"
    facts += f", {options.epochs} epochs, min_count {options.min_count}, seeds {' '.join(map(str, options.seeds))}"
    if options.shuffle:
        facts += ", for each of which the lines were put into another order"
    tokens = rounds[OURS][0]["tokens"]
    lines = [f"Corpus: {options.corpus.name}, {tokens:,} words; {facts}.", ""]
    lines += [", ".join(f"{name} {value}" for name, value in about.items() if name not in ("corpus", "bytes")), ""]
    lines += ["Costs are medians over the seeds, scores means ± standard deviation.", ""]
    rows = []
    for name, figures in summary.items():
        scores = [spread([run[column] for run in rounds[name]], column) for column in judge.columns]
        rows.append([name, *(shown(figures) for shown in COLUMNS.values()), *scores])
    lines += table(["", *COLUMNS, *judge.columns], rows)
    if judge.exact_loss:
        lines += ["", f"The least loss per pair that any vectors could reach: {judge.exact_loss.best:.4f}."]
    names = list(next(iter(compared.values()), {}))
    if names:
        lines += ["", "w2v against each: ratios (w2v / other where not said) and differences of the means.", ""]
        signs = {name: "+.4f" if LOSS in name else "+.3f" if " - " in name else ".2f" for name in names}
        rows = [[peer, *(number(row[name], signs[name]) for name in names)] for peer, row in compared.items()]
        lines += table(["", *names], rows)
    programs = {name: figures["program"] for name, figures in summary.items()}
    lines += ["", "; ".join(f"{name}: {program}" for name, program in programs.items())]
    short = [name for name, figures in summary.items() if figures["epochs_trained"] < options.epochs]
    if short:
        lines += ["", f"Trained fewer epochs than asked for, by their own progress: {', '.join(short)}."]
    return "\n".join(lines) + "\n"


def spread(values, column):
    digits = 4 if column == LOSS else 3
    if None in values:
        return "n/a"
    mean = f"{statistics.mean(values):.{digits}f}"
    return mean if len(values) < 2 else f"{mean} ± {statistics.stdev(values):.{digits}f}"


if __name__ == "__main__":
    main()
