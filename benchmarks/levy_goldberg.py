"""Tables 1 and 2 of Levy & Goldberg (2014) once more, with exact sums, on a corpus of one's own.

    python benchmarks/levy_goldberg.py corpus.txt --words 10000000 --max-vocab 30000 --cache cells.jsonl \
        --similarity wordsim353.txt --similarity men.txt --results benchmarks/RESULTS.md

The setting of the paper: fixed window 2, no subsampling, noise by plain unigram counts (ns_exponent 1), accidental hits
kept. Every cell of the tables is one line in the cache, so that a run can be broken off and taken up again; SGNS is
trained for each seed. The objective is summed over all V x V cells. The paper's syntactic set is not available;
Google's syntactic sections stand in its place. The last table is the row of Karkada et al. (2025): word2vec and three
factorisations on the analogies, V = 10,000, window 10, k = 1.
"""

import argparse
import itertools
import json
import statistics
import time
from pathlib import Path

import numpy as np
from measuring import machine
from parts import write_words
from results import replace_section, table

import w2v
from w2v.equivalence.objective import objective_of_factors, objective_of_values, optimum
from w2v.equivalence.observed import ObservedCells
from w2v.equivalence.rivals import fit_scale, positive_target
from w2v.evaluation import bundled_set, evaluate_analogies, evaluate_similarity
from w2v.pmi import NoiseLaw, count_pairs, factorize, factorize_karkada
from w2v.settings import ContextSettings, CorpusSettings, FactorizationSettings, TrainingSettings
from w2v.training import train_encoded

PUBLISHED_TABLE_1 = {
    1: ("0.00009%", "26.1 / 25.2 / 24.2%", "31.4 / 29.4 / 7.40%"),
    5: ("0.00004%", "95.8 / 95.1 / 94.9%", "39.3 / 36.0 / 7.13%"),
    15: ("0.00002%", "266 / 266 / 265%", "7.80 / 6.37 / 5.97%"),
}
PUBLISHED_KARKADA = {"word2vec": 68.0, "svd(M*)": 66.3, "svd(PPMI)": 50.6, "svd(PMI)": 8.4}


class Cache:
    """Cells that are done, one JSON object a line: {"cell": name, ...figures}."""

    def __init__(self, path):
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.cells = {record.pop("cell"): record for record in map(json.loads, lines)}

    def get(self, name, compute):
        """Return a cell, computed now if it is not in the file yet."""
        if name not in self.cells:
            started = time.process_time()
            record = compute()
            record["cpu_seconds"] = round(time.process_time() - started, 1)
            with self.path.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"cell": name, **record}) + "\n")
            self.cells[name] = record
            print(name, record, flush=True)
        return self.cells[name]


class Tasks:
    """Similarity sets and analogy questions on a matrix W."""

    def __init__(self, vocabulary, paths):
        self.vocabulary, self.paths = vocabulary, paths
        self.questions = bundled_set("questions-words").load()

    def of(self, W):
        """Return {set: score}; analogies by 3CosMul as in the paper."""
        embedding = w2v.Embedding(self.vocabulary.head(len(W)), np.ascontiguousarray(W))
        report = evaluate_analogies(embedding, self.questions, method="3cosmul", baselines=False, resamples=0)
        scores = {"analogies": report.total.accuracy, "syntactic": report.syntactic.accuracy}
        for path in self.paths:
            scores[path.stem] = evaluate_similarity(embedding, path, resamples=0).spearman
        return scores


def main():
    options = arguments()
    cache = Cache(options.cache)
    text = options.cache.with_suffix(".txt")
    if not text.exists():
        write_words(options.corpus, options.words, text)
    settings = CorpusSettings(min_count=5, max_vocab=options.max_vocab)
    with w2v.encode_files([text], settings) as corpus:
        paper = paper_cells(corpus, options, cache)
    with w2v.encode_files([text], CorpusSettings(min_count=5, max_vocab=10_000)) as corpus:
        karkada_cells(corpus, options, cache)
    report = write_tables(options, cache, paper)
    print(report)
    if options.results:
        replace_section(options.results, "Levy and Goldberg with exact sums", report)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--words", type=int, default=10_000_000)
    parser.add_argument("--max-vocab", type=int, default=30_000)
    parser.add_argument("--ks", type=int, nargs="+", default=[1, 5, 15])
    parser.add_argument("--dims", type=int, nargs="+", default=[100, 300, 500])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--more-epochs", type=int, nargs="*", default=[1, 15], help="for k = 5 and the smallest d")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--similarity", type=Path, action="append", default=[])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--results", type=Path)
    return parser.parse_args()


def paper_cells(corpus, options, cache):
    """Fill the cells of tables 1 and 2; returns what the tables say of the corpus."""
    context = ContextSettings(window=2, shrink_windows=False, sample=0)
    counts = count_pairs(corpus, context, workers=options.workers)
    tasks = Tasks(corpus.vocabulary, options.similarity)
    for k in options.ks:
        law = NoiseLaw(negative=k, ns_exponent=1.0)
        cells = ObservedCells.of(counts, law, options.workers)
        best = optimum(cells).total
        objective_cells(cells, k, best, cache)
        factorized_cells(cells, law, k, options, best, tasks, cache)
        for d, seed in itertools.product(options.dims, options.seeds):
            sgns_cell(corpus, context, cells, k, d, seed, options.epochs, options, best, tasks, cache)
        if k == 5:
            for epochs in options.more_epochs:
                sgns_cell(
                    corpus, context, cells, k, options.dims[0], options.seeds[0], epochs, options, best, tasks, cache
                )
    return {"tokens": len(corpus), "V": len(corpus.vocabulary), "pairs": counts.total, "cells": counts.cells}


def deviation(objective, best):
    """Return (L - L_opt) / L_opt in per cent."""
    return 100 * (objective.total - best) / best


def parts(objective, best):
    """Return the deviation, in all and of the observed cells alone."""
    return {"deviation": deviation(objective, best), "observed": 100 * (objective.observed - best) / best}


def objective_cells(cells, k, best, cache):
    zero = np.zeros(len(cells.target), np.float32)
    cache.get(f"x=0 k={k}", lambda: parts(objective_of_values(cells, zero, 0.0), best))
    shift = np.float32(-np.log(k))
    cache.get(f"x=-log k k={k}", lambda: parts(objective_of_values(cells, zero + shift, float(shift)), best))
    cache.get(f"SPPMI k={k}", lambda: parts(positive_target(cells), best))


def factorized_cells(cells, law, k, options, best, tasks, cache):
    """One factorisation at the largest d serves all smaller ones: its leading triplets are theirs."""
    for name, matrix in (("SVD(SPPMI)", "sppmi"), ("SVD(M*)", "mstar")):
        names = {d: f"{name} k={k} d={d}" for d in options.dims}
        if all(cell in cache.cells for cell in names.values()):
            continue
        settings = FactorizationSettings(matrix=matrix, vector_size=max(options.dims))
        result = factorize(cells.counts, settings, law=law)
        W, C = result.factors()
        bare = result.factors(plane=False)[0]
        for d, cell in names.items():
            width = d + result.plane
            scores = factorized_cell(cells, W[:, :width], C[:, :width], matrix == "mstar", best)
            scores |= {"residual": result.residual, **tasks.of(bare[:, :d])}
            cache.get(cell, lambda scores=scores: scores)


def factorized_cell(cells, W, C, scaled, best):
    """Return the deviation of x = W C^T, for M* at the scale that is best for L."""
    W, C = np.ascontiguousarray(W), np.ascontiguousarray(C)
    scale = fit_scale(cells, W, C) if scaled else 1.0
    return {**parts(objective_of_factors(cells, W * np.float32(scale), C), best), "scale": scale}


def sgns_cell(corpus, context, cells, k, d, seed, epochs, options, best, tasks, cache):
    def compute():
        training = TrainingSettings(
            vector_size=d, negative=k, ns_exponent=1.0, epochs=epochs, seed=seed, workers=options.workers
        )
        embedding = train_encoded(corpus, context, training)
        W, C = np.ascontiguousarray(embedding.W), np.ascontiguousarray(embedding.C)
        return {**parts(objective_of_factors(cells, W, C), best), **tasks.of(W)}

    return cache.get(f"SGNS k={k} d={d} epochs={epochs} seed={seed}", compute)


def karkada_epochs(options):
    """Return the most epochs that were asked for: the paper's vectors are trained until they move no more."""
    return max(options.epochs, *options.more_epochs)


def karkada_cells(corpus, options, cache):
    context = ContextSettings(window=10, sample=0)
    d, epochs = min(200, max(options.dims)), karkada_epochs(options)
    tasks = Tasks(corpus.vocabulary, options.similarity)

    def score(W):
        embedding = w2v.Embedding(corpus.vocabulary, np.ascontiguousarray(W))
        report = evaluate_analogies(embedding, tasks.questions, baselines=False, resamples=0)
        return {"analogies": report.total.accuracy}

    def word2vec(seed):
        training = TrainingSettings(
            vector_size=d, negative=1, ns_exponent=1.0, epochs=epochs, seed=seed, workers=options.workers
        )
        return score(train_encoded(corpus, context, training).W)

    for seed in options.seeds:
        cache.get(f"karkada word2vec epochs={epochs} seed={seed}", lambda seed=seed: word2vec(seed))
    missing = {"svd(M*)", "svd(PPMI)", "svd(PMI)"} - {name.removeprefix("karkada ") for name in cache.cells}
    if not missing:
        return
    counts = count_pairs(corpus, context, workers=options.workers)
    cache.get("karkada svd(M*)", lambda: score(factorize_karkada(counts, d)))
    for name, matrix in (("svd(PPMI)", "ppmi"), ("svd(PMI)", "pmi")):
        settings = FactorizationSettings(matrix=matrix, vector_size=d)
        cache.get(f"karkada {name}", lambda settings=settings: score(factorize(counts, settings).factors()[0]))


def write_tables(options, cache, paper):
    """Return the section of RESULTS.md."""
    cells, dims = cache.cells, options.dims

    def sgns(k, d, key, epochs=options.epochs):
        return [cells[f"SGNS k={k} d={d} epochs={epochs} seed={s}"][key] for s in options.seeds]

    def spread(values, factor=1.0, digits=2):
        mean = f"{factor * statistics.mean(values):.{digits}f}"
        return mean if len(values) < 2 else f"{mean} ± {factor * statistics.stdev(values):.{digits}f}"

    about = {**paper, "pairs": round(paper["pairs"]), **machine()}
    lines = [f"Corpus: {options.corpus.name}, first {options.words:,} words; "]
    lines[0] += ", ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in about.items()
    )
    lines += ["", f"SGNS: {options.epochs} epochs, mean ± standard deviation of seeds {options.seeds}.", ""]
    lines += ["Deviation from L_opt in per cent, observed and unobserved cells (in brackets: observed cells alone)", ""]
    rows = []
    for name in ("x=0", "x=-log k", "SPPMI"):
        rows.append([name, *(both(cells[f"{name} k={k}"]) for k in options.ks)])
    for name, d in itertools.product(("SVD(SPPMI)", "SVD(M*)"), dims):
        rows.append([f"{name} d={d}", *(both(cells[f"{name} k={k} d={d}"]) for k in options.ks)])
    for d in dims:
        rows.append(
            [
                f"SGNS d={d}",
                *(f"{spread(sgns(k, d, 'deviation'))} ({spread(sgns(k, d, 'observed'))})" for k in options.ks),
            ]
        )
    lines += table(["", *(f"k={k}" for k in options.ks)], rows)
    lines += ["", "Published (1.5 G tokens, V = 189,533, sampled sums, d = 100 / 500 / 1000)", ""]
    lines += table(["k", "SPPMI", "SVD", "SGNS"], [[str(k), *row] for k, row in PUBLISHED_TABLE_1.items()])
    lines += ["", f"Tasks at k = {' / '.join(map(str, options.ks))}: analogies by 3CosMul, Spearman", ""]
    sets = ["analogies", "syntactic", *(path.stem for path in options.similarity)]
    rows = []
    for name, d in itertools.product(("SVD(SPPMI)", "SVD(M*)"), dims):
        rows.append(
            [f"{name} d={d}", *(" / ".join(f"{cells[f'{name} k={k} d={d}'][s]:.3f}" for k in options.ks) for s in sets)]
        )
    for d in dims:
        rows.append([f"SGNS d={d}", *(" / ".join(spread(sgns(k, d, s), digits=3) for k in options.ks) for s in sets)])
    lines += table(["", *sets], rows)
    if 5 in options.ks:
        lines += ["", f"SGNS by epochs (k = 5, d = {dims[0]}, seed {options.seeds[0]}): deviation in per cent", ""]
        epochs = sorted({*options.more_epochs, options.epochs})
        row = [f"{cells[f'SGNS k=5 d={dims[0]} epochs={e} seed={options.seeds[0]}']['deviation']:.2f}" for e in epochs]
        lines += table([f"{e} epoch{'s' * (e > 1)}" for e in epochs], [row])
    epochs = karkada_epochs(options)
    lines += ["", "Analogies (3CosAdd) as in Karkada et al. 2025, V = 10,000, window 10, k = 1; per cent"]
    lines += [f"(word2vec: {epochs} epochs; published: 2.0 G tokens, window 32)", ""]
    word2vec = [cells[f"karkada word2vec epochs={epochs} seed={s}"]["analogies"] for s in options.seeds]
    ours = {"word2vec": spread(word2vec, 100, 1)}
    for name in ("svd(M*)", "svd(PPMI)", "svd(PMI)"):
        ours[name] = f"{100 * cells[f'karkada {name}']['analogies']:.1f}"
    rows = [["here", *ours.values()], ["published", *(str(PUBLISHED_KARKADA[name]) for name in ours)]]
    lines += table(["", *ours], rows)
    return "\n".join(lines) + "\n"


def both(cell):
    return f"{cell['deviation']:.2f} ({cell['observed']:.2f})"


if __name__ == "__main__":
    main()
