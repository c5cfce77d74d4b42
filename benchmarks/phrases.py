"""w2v's phrases beside gensim's: words per CPU second, memory, and whether the phrases are the same.

    python benchmarks/phrases.py corpus.txt --python-gensim other-environment/bin/python --rounds 3

Both programs read the same text, learn one pass (min_count 5) and write the joined text, each a process of its own on
one core, taking turns. With the scoring npmi (threshold 0.5) both compute the same formula, and the sets of phrases
and the joined texts can be compared; the original scores differ by a factor (gensim multiplies by the size of its
table of words and pairs, w2v by the words of the text, as word2phrase.c does), each with its usual threshold.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from measuring import machine
from running import HERE, run_json


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("corpus", type=Path, help="text file, a sentence a line, tokens separated by blanks")
    parser.add_argument("--python-gensim", default=sys.executable, help="interpreter that has gensim")
    parser.add_argument("--scoring", choices=["npmi", "original"], default="npmi")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("  ".join(f"{name}: {value}" for name, value in machine().items()))
    print(f"corpus: {options.corpus.name}, {options.corpus.stat().st_size:,} bytes; scoring {options.scoring}\n")
    columns = ["round", "program", "words", "learn/s", "learn+join/s", "CPU s", "MB peak", "phrases"]
    print("{:<7}{:<16}{:>12}{:>12}{:>14}{:>9}{:>9}{:>9}".format(*columns))
    speeds = {"w2v": [], "gensim": []}
    with tempfile.TemporaryDirectory(prefix="w2v-benchmark-") as folder:
        for number in range(1, options.rounds + 1):
            found = {}
            for name, python in (("w2v", sys.executable), ("gensim", options.python_gensim)):
                out = Path(folder) / f"{name}.txt"
                found[name] = run(f"phrases_{'ours' if name == 'w2v' else name}.py", python, options, out)
                speeds[name].append(show(number, found[name]))
        same = list(compare(found, Path(folder), options.scoring))
    print(f"\nlearn + join, median: {statistics.median(speeds['w2v']) / statistics.median(speeds['gensim']):.1f} times")
    print("\n".join(same))
    best = sorted(found["w2v"]["phrases"].items(), key=lambda item: (-item[1], item[0]))[:20]
    print("the 20 best of w2v:", " ".join(text for text, _ in best))


def run(program, python, options, out):
    return run_json([python, str(HERE / program), str(options.corpus), str(out), options.scoring, "1"])


def show(number, figures):
    learn, join = figures["learn"]["cpu_seconds"], figures["join"]["cpu_seconds"]
    words = figures["words"]
    speed = words / (learn + join)
    row = (number, figures["program"], words, words / learn, speed, learn + join, figures["peak_rss"] / 1e6)
    print("{:<7}{:<16}{:>12,}{:>12,.0f}{:>14,.0f}{:>9.1f}{:>9,.0f}{:>9,}".format(*row, len(figures["phrases"])))
    return speed


def compare(found, folder, scoring):
    ours, theirs = (set(found[name]["phrases"]) for name in ("w2v", "gensim"))
    alone = f"of w2v alone: {len(ours - theirs):,}; of gensim alone: {len(theirs - ours):,}"
    yield f"phrases of both: {len(ours & theirs):,}; {alone}"
    if scoring == "npmi":
        gap = max((abs(found["w2v"]["phrases"][p] - found["gensim"]["phrases"][p]) for p in ours & theirs), default=0)
        yield f"scores of the phrases of both: at most {gap:.1e} apart"
        texts = [[line for line in (folder / f"{name}.txt").open(encoding="utf-8") if line.strip()] for name in found]
        yield f"joined lines that differ: {sum(a != b for a, b in zip(*texts, strict=True)):,} of {len(texts[0]):,}"


if __name__ == "__main__":
    main()
