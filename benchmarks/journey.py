"""The rest of the journey: start-up, reading, saving, loading, asking; beside the bare work, and beside gensim.

    python benchmarks/journey.py corpus.txt --python-peers peers/bin/python --results benchmarks/RESULTS.md

Start-up times are those of whole processes, the least of several: what is measured is what the program needs, not what
its neighbours took. All others are medians of turns. The large model is random: 1 M words of 300 dimensions by default.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measuring import machine
from results import replace_section, table
from running import run_json

import w2v
from w2v.corpus import encode_files
from w2v.embedding.word2vec_binary import write_word2vec_binary
from w2v.evaluation import bundled_set, evaluate_analogies
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary

ROOT = Path(w2v.__file__).resolve().parents[1]
FIRST_UPDATE = """
import sys, w2v
class Done(Exception): pass
def stop(progress): raise Done
try: w2v.train(sys.argv[1], epochs=1000000, min_count=1, vector_size=16, workers=1, report=stop)
except Done: pass
"""
GENSIM_SCAN = """
import json, sys, time
from gensim.models import Word2Vec
model = Word2Vec(vector_size=1, workers=1, min_count=5)
begin = time.process_time()
model.build_vocab(corpus_file=sys.argv[1])
print(json.dumps({"cpu_seconds": time.process_time() - begin, "tokens": model.corpus_total_words}))
"""
GENSIM_QUESTIONS = """
import json, sys, time
from gensim.models import KeyedVectors
vectors = KeyedVectors.load_word2vec_format(sys.argv[1], binary=True)
begin, cpu = time.perf_counter(), time.process_time()
vectors.evaluate_word_analogies(sys.argv[2], restrict_vocab=int(sys.argv[3]))
print(json.dumps({"wall_seconds": time.perf_counter() - begin, "cpu_seconds": time.process_time() - cpu}))
"""


def main():
    options = arguments()
    about = machine()
    print("  ".join(f"{name}: {value}" for name, value in about.items()), flush=True)
    with tempfile.TemporaryDirectory(prefix="w2v-benchmark-") as name:
        folder = Path(name)
        steps = [start_up, scanning, large_model, questions]
        rows = [row for step in steps for row in tell(step(options, folder))]
    lines = [", ".join(f"{name} {value}" for name, value in about.items()), ""]
    lines += table(["what", "measured", "beside"], rows)
    if options.results:
        replace_section(options.results, "The rest of the journey", "\n".join(lines))
    if options.json:
        figures = [dict(zip(("what", "measured", "beside"), row, strict=True)) for row in rows]
        options.json.write_text(json.dumps({"machine": about, "rows": figures}, indent=1) + "\n", encoding="utf-8")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "corpus", type=Path, help="text file, a sentence a line: scanned, and the words of the questions"
    )
    parser.add_argument("--python-peers", help="interpreter that has gensim; left out, there is no comparison with it")
    parser.add_argument("--words", type=int, default=1_000_000, help="of the large model")
    parser.add_argument("--vector-size", type=int, default=300, help="of the large model")
    parser.add_argument("--restrict-vocab", type=int, default=30_000, help="candidates for the questions")
    parser.add_argument("--questions", type=int, help="use only so many of the 19,544")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--results", type=Path, help="replace the section of this Markdown file")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    return parser.parse_args()


def tell(rows):
    """Print rows as they come."""
    for row in rows:
        print("  ".join(row), flush=True)
        yield row


# ------------------------------------------------------------------------------------------------------------ start-up


def start_up(options, folder):
    """Imports, help, and the first update with and without compilation."""
    numpy, ours = alternately([["-c", "import numpy"], ["-c", "import numpy, w2v"]], options.rounds)
    yield "import w2v, beyond numpy", seconds(ours - numpy), f"import numpy {seconds(numpy)}"
    (help_time,) = alternately([["-m", "w2v", "--help"]], options.rounds)
    (bare,) = alternately([["-c", "pass"]], options.rounds)
    yield "w2v --help", seconds(help_time), f"a Python that does nothing {seconds(bare)}"
    few = folder / "few.txt"
    few.write_text("a few words that are said again and again\n" * 2000, encoding="utf-8")
    cache = {"NUMBA_CACHE_DIR": str(folder / "numba")}
    program = ["-c", FIRST_UPDATE, str(few)]
    cold = spent(program, cache)
    warm = min(spent(program, cache) for _ in range(options.rounds))
    yield "process start to first updates, fresh cache", seconds(cold), "all that training compiles"
    yield (
        "process start to first updates, cached",
        seconds(warm),
        f"import numba {seconds(spent(['-c', 'import numba']))}",
    )


def alternately(programs, rounds):
    """Return the least time of each program, taking turns."""
    times = [[spent(program) for program in programs] for _ in range(rounds)]
    return [min(column) for column in zip(*times, strict=True)]


def spent(arguments, environment=None):
    """Return the wall seconds of a Python with these arguments."""
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": paths, **(environment or {})},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - start


# ------------------------------------------------------------------------------------------------------------- reading


def scanning(options, folder):
    """Scan and encode beside gensim's scan of the vocabulary, words per CPU second."""
    few = folder / "few.txt"
    with encode_files([few], CorpusSettings(min_count=1)):  # compiles
        pass
    ours, theirs = [], []
    for _ in range(options.rounds):
        begin = time.process_time()
        with encode_files([options.corpus], CorpusSettings()) as corpus:
            ours.append(corpus.source.tokens / (time.process_time() - begin))
        if options.python_peers:
            found = run_json([options.python_peers, "-c", GENSIM_SCAN, str(options.corpus)])
            theirs.append(found["tokens"] / found["cpu_seconds"])
    mine = statistics.median(ours)
    beside = "not measured"
    if theirs:
        their = statistics.median(theirs)
        beside = f"gensim's scan {their:,.0f}, ratio {mine / their:.2f}"
    yield "scan and encode, words per CPU second", f"{mine:,.0f}", beside


# --------------------------------------------------------------------------------------------------------- large model


def large_model(options, folder):
    """Save, load and ask a model of many words."""
    n, d = options.words, options.vector_size
    size = f"{n:,} x {d}"
    path = folder / "large.safetensors"
    W = np.random.default_rng(1).standard_normal((n, d), dtype=np.float32)
    embedding = w2v.Embedding(Vocabulary([f"word{i}" for i in range(n)], np.arange(n, 0, -1)), W)
    saving, writing, loading, first, asking, batch, product = ([] for _ in range(7))
    for _ in range(options.rounds):
        saving.append(timed(lambda: embedding.save(path, force=True)))
        writing.append(timed(lambda: write_bare(folder / "bare", W)))
    size_on_disk = path.stat().st_size / 1e9
    yield (
        f"save {size}",
        seconds(statistics.median(saving)),
        f"bare write and fsync {seconds(statistics.median(writing))}",
    )
    (folder / "bare").unlink()
    for turn in range(options.rounds):
        loading.append(timed(lambda: w2v.load(path)))
        model = w2v.load(path)
        first.append(timed(lambda model=model: model.most_similar("word10")))
        for i in range(3):
            word = f"word{100 + 10 * turn + i}"
            asking.append(timed(lambda model=model, word=word: model.most_similar(word)))
            row = W[100 + i]
            product.append(timed(lambda row=row: W @ row))
        batch.append(timed(lambda model=model: [model.most_similar(f"word{i}") for i in range(8)]) / 8)
    yield (
        f"load {size}, {size_on_disk:.2f} GB",
        seconds(statistics.median(loading)),
        "mapped, with all checks of a load",
    )
    yield "first query after a load", seconds(statistics.median(first)), "norms and words come with it"
    ask, bare = statistics.median(asking), statistics.median(product)
    yield "one query, most_similar", seconds(ask), f"bare product {seconds(bare)}, ratio {ask / bare:.2f}"
    yield "a query of eight in a row", seconds(statistics.median(batch)), f"ratio {statistics.median(batch) / bare:.2f}"


def write_bare(path, W):
    """Write the bytes of a matrix and wait until they are on the disk."""
    with path.open("wb") as out:
        W.tofile(out)
        out.flush()
        os.fsync(out.fileno())


def timed(action):
    """Return the wall seconds of a call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def seconds(value):
    """Return a time as text."""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


# ----------------------------------------------------------------------------------------------------------- questions


def questions(options, folder):
    """Answer Google's questions on random vectors for the words of the corpus: the time does not ask for sense."""
    bundled = bundled_set("questions-words")
    with encode_files([options.corpus], CorpusSettings()) as corpus:
        vocabulary = corpus.vocabulary
    W = np.random.default_rng(2).standard_normal((len(vocabulary), 100), dtype=np.float32)
    model = w2v.Embedding(vocabulary, W)
    path = folder / "questions.txt"
    lines = bundled.path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(lines[: options.questions]) + "\n", encoding="utf-8")
    vectors = folder / "vectors.bin"
    write_word2vec_binary(model, vectors, force=True)
    ours, theirs = [], []
    for _ in range(options.rounds):
        ours.append(timed(lambda: ask_all(model, path, options)))
        if options.python_peers:
            found = run_json(
                [options.python_peers, "-c", GENSIM_QUESTIONS, str(vectors), str(path), str(options.restrict_vocab)]
            )
            theirs.append(found["wall_seconds"])
    answered = ask_all(model, path, options).total.answerable
    mine = statistics.median(ours)
    beside = "not measured"
    if theirs:
        their = statistics.median(theirs)
        beside = f"gensim {seconds(their)}, ratio {their / mine:.1f}"
    yield f"{answered:,} answerable questions, {options.restrict_vocab:,} candidates", seconds(mine), beside


def ask_all(model, path, options):
    return evaluate_analogies(model, path, restrict_vocab=options.restrict_vocab, baselines=False, resamples=0)


if __name__ == "__main__":
    main()
