"""The figures of w2v beside those of gensim on the same vectors, question by question, and their CPU seconds.

    python benchmarks/same_figures.py vectors.bin --python-peers peers/bin/python --similarity EN-WS-353-ALL.txt

The vectors are any word2vec file, binary or text. Each side reads it, answers Google's questions by 3CosAdd among the
same candidates with the same policy for case, and ranks the word pairs; 3CosMul, which gensim's evaluation does not
know, is set beside plain numpy. Both run in turn on the same cores. The program fails if a single answer differs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import w2v
from w2v.evaluation import bundled_set, evaluate_analogies, evaluate_similarity

GENSIM = """
import json, sys, time
from gensim.models import KeyedVectors
job = json.load(open(sys.argv[1]))
vectors = KeyedVectors.load_word2vec_format(job["vectors"], binary=job["binary"])
found = {"analogies": {}, "similarity": {}}
for insensitive in (True, False):
    start = time.process_time()
    accuracy, sections = vectors.evaluate_word_analogies(job["questions"], job["restrict_vocab"], insensitive)
    seconds = time.process_time() - start
    answers = [(s["section"], *q, right) for s in sections[:-1]
               for right, key in ((True, "correct"), (False, "incorrect")) for q in s[key]]
    found["analogies"][str(insensitive)] = {"accuracy": accuracy, "seconds": seconds, "answers": answers}
for path in job["similarity"]:
    pearson, spearman, unknown = vectors.evaluate_word_pairs(path)
    found["similarity"][path] = [float(pearson[0]), float(spearman[0]), float(unknown)]
json.dump(found, open(sys.argv[2], "w"))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--python-peers", required=True, help="the Python of an environment with gensim")
    parser.add_argument("--similarity", type=Path, action="append", default=[], help="scored word pairs, tab-separated")
    parser.add_argument("--restrict-vocab", type=int, default=30_000)
    options = parser.parse_args()
    kind = w2v.embedding.recognise(options.vectors)
    questions = bundled_set("questions-words")
    job = {
        "vectors": str(options.vectors),
        "binary": kind == "word2vec binary",
        "questions": str(questions.path),
        "similarity": [str(path) for path in options.similarity],
        "restrict_vocab": options.restrict_vocab,
    }
    theirs = ask_gensim(options.python_peers, job)
    embedding = w2v.load(options.vectors)
    different = 0
    for insensitive in (True, False):
        different += compare_analogies(
            embedding, questions, options, insensitive, theirs["analogies"][str(insensitive)]
        )
    for path in options.similarity:
        different += compare_pairs(embedding, path, theirs["similarity"][str(path)])
    different += check_3cosmul(embedding, questions, options.restrict_vocab)
    sys.exit(f"{different} figures differ" if different else 0)


def ask_gensim(python, job):
    with tempfile.TemporaryDirectory() as folder:
        asked, answered, program = (Path(folder, name) for name in ("job.json", "answers.json", "ask.py"))
        asked.write_text(json.dumps(job))
        program.write_text(GENSIM)
        subprocess.run([python, program, asked, answered], check=True)
        return json.loads(answered.read_text())


def compare_analogies(embedding, questions, options, insensitive, theirs):
    start = time.process_time()
    report = evaluate_analogies(
        embedding,
        questions.path,
        restrict_vocab=options.restrict_vocab,
        case="lower" if insensitive else "none",
        baselines=False,
        resamples=0,
    )
    seconds = time.process_time() - start
    fold = str.upper if insensitive else str
    ours = sorted((a.section, *map(fold, a.question.words), a.correct) for a in report.answers)
    other = sorted(tuple(answer) for answer in theirs["answers"])
    different = len(set(ours) ^ set(other)) + abs(len(ours) - len(other))
    print(
        f"case {'folded' if insensitive else 'as it stands'}: {len(ours):,} questions, w2v {report.accuracy:.6f}, "
        f"gensim {theirs['accuracy']:.6f}, {different} answered otherwise; CPU seconds w2v {seconds:.2f}, gensim "
        f"{theirs['seconds']:.2f}, ratio {theirs['seconds'] / seconds:.1f}"
    )
    return different


def compare_pairs(embedding, path, theirs):
    report = evaluate_similarity(embedding, path, restrict_vocab=300_000, case="lower", resamples=0)
    ours = [report.pearson, report.spearman, 100 * (report.total - report.covered) / report.total]
    off = max(abs(one - other) for one, other in zip(ours, theirs, strict=True))
    print(f"{path.stem}: Pearson {ours[0]:.6f}, Spearman {ours[1]:.6f}, unknown {ours[2]:.2f}%, off by {off:.1e}")
    return int(off > 1e-6)


def check_3cosmul(embedding, questions, restrict_vocab, every=20):
    """Answer every twentieth question by the formula of Levy & Goldberg 2014, in float64 and one by one."""
    report = evaluate_analogies(
        embedding, questions.path, method="3cosmul", restrict_vocab=restrict_vocab, baselines=False, resamples=0
    )
    units = embedding.W[:restrict_vocab].astype(np.float64)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    first = {}
    for row, word in enumerate(embedding.words[:restrict_vocab]):
        first.setdefault(word.lower(), row)
    asked = different = 0
    for answer in report.answers[::every]:
        a, b, c, _ = (first[word.lower()] for word in answer.question.words)
        shifted = (1 + units @ units[[a, b, c]].T) / 2
        scores = shifted[:, 1] * shifted[:, 2] / (shifted[:, 0] + 0.001)
        names = {embedding.words[row].lower() for row in (a, b, c)}
        best = next(row for row in np.argsort(-scores) if embedding.words[row].lower() not in names)
        asked += 1
        different += embedding.words[best].lower() != answer.predicted.lower()
    print(f"3CosMul: {asked:,} questions beside plain numpy, {different} answered otherwise")
    return different


if __name__ == "__main__":
    main()
