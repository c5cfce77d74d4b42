"""Counting pairs: w2v beside GloVe's `cooccur`, taking turns in one run, one core each.

    python benchmarks/versus_glove.py corpus.txt --vocab-count GloVe/build/vocab_count --cooccur GloVe/build/cooccur

CPU seconds of whole processes, text encoding included on both sides: GloVe counts words in a program of its own and
reads the text again; w2v reads it once. Tokens are those of the vocabulary (min_count 5). Compilation comes before.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import keep_to_cores, machine
from results import replace_section, table

OURS = """
import sys, time
import w2v
from w2v.pmi import count_pairs
from w2v.settings import ContextSettings, CorpusSettings
context = ContextSettings(window=int(sys.argv[2]), sample=float(sys.argv[3]))
with w2v.encode_files([sys.argv[1]], CorpusSettings(min_count=5)) as corpus:
    encoded = time.process_time()
    counts = count_pairs(corpus, context)
    print(len(corpus), time.process_time() - encoded, counts.cells)
"""


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        first_lines = folder / "prime.txt"
        first_lines.write_text("a b c a b\n" * 100, encoding="utf-8")
        for sample in ("0", "1e-3"):
            ours(first_lines, 5, sample)
        rows = []
        for window in options.windows:
            seconds = {"GloVe cooccur": [], "w2v": [], "w2v, counting alone": [], "w2v, sample 1e-3": []}
            for _ in range(options.rounds):
                seconds["GloVe cooccur"].append(glove(options, window, folder))
                tokens, whole, alone = ours(options.corpus, window, "0")
                seconds["w2v"].append(whole)
                seconds["w2v, counting alone"].append(alone)
                seconds["w2v, sample 1e-3"].append(ours(options.corpus, window, "1e-3")[2])
            speeds = {name: tokens / statistics.median(values) / 1e6 for name, values in seconds.items()}
            for name, speed in speeds.items():
                rows.append([window, name, f"{speed:.2f}", f"{speed / speeds['GloVe cooccur']:.1f}"])
    about = ", ".join(f"{name} {value}" for name, value in machine().items())
    lines = [f"Corpus: {options.corpus.name}, {tokens:,} tokens; medians of {options.rounds} rounds; {about}.", ""]
    lines += table(["window", "program", "M tokens per CPU second", "times GloVe"], rows)
    lines += ["", "The row with sample 1e-3 is the exact expectation under dirty subsampling, counting alone."]
    print("\n".join(lines))
    if options.results:
        replace_section(options.results, "Counting pairs beside GloVe", "\n".join(lines))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--vocab-count", type=Path, required=True)
    parser.add_argument("--cooccur", type=Path, required=True)
    parser.add_argument("--windows", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path)
    return parser.parse_args()


def cpu_of(command, **streams):
    """Run a program on one core; returns its standard output and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, check=True, preexec_fn=lambda: keep_to_cores(1), stderr=subprocess.DEVNULL, **streams
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def glove(options, window, folder):
    """Return CPU seconds of counting words and pairs."""
    vocabulary, pairs = folder / "vocab.txt", folder / "pairs.bin"
    with options.corpus.open("rb") as text, vocabulary.open("wb") as out:
        _, words = cpu_of([options.vocab_count.resolve(), "-min-count", "5", "-verbose", "0"], stdin=text, stdout=out)
    with options.corpus.open("rb") as text, pairs.open("wb") as out:
        command = [options.cooccur.resolve(), "-symmetric", "1", "-window-size", str(window), "-memory", "4"]
        command += ["-vocab-file", vocabulary, "-verbose", "0", "-overflow-file", folder / "overflow"]
        _, counting = cpu_of(command, stdin=text, stdout=out)
    return words + counting


def ours(corpus, window, sample):
    """Return tokens, CPU seconds of the whole process, and those of counting alone."""
    command = [sys.executable, "-c", OURS, str(corpus), str(window), sample]
    out, whole = cpu_of(command, stdout=subprocess.PIPE)
    tokens, alone, _ = out.split()
    return int(tokens), whole, float(alone)


if __name__ == "__main__":
    main()
