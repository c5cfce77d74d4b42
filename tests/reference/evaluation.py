"""Evaluation: nearest words, analogies and word similarity."""

import math

import numpy as np

from .pairs import dot
from .two_way import spearman


def unit_rows(W):
    """Return the rows of W, each divided by its Euclidean norm (float64); a zero row stays zero."""
    rows = []
    for row in np.asarray(W, dtype=float):
        norm = math.sqrt(dot(row, row))
        rows.append(row / norm if norm > 0 else row)
    return np.array(rows).reshape(np.shape(W))


def cosine(x, y):
    """Return ``x.y / (|x| |y|)``; 0 if either is zero."""
    norms = math.sqrt(dot(x, x)) * math.sqrt(dot(y, y))
    return dot(x, y) / norms if norms > 0 else 0.0


def nearest(W, w, topn, restrict=None):
    """Return the `topn` (id, cosine) nearest to row `w`, itself excluded; ties by id."""
    size = len(W) if restrict is None else min(restrict, len(W))
    scored = sorted((-cosine(W[i], W[w]), i) for i in range(size) if i != w)
    return [(i, -negative) for negative, i in scored[:topn]]


def _answers(questions, size, score):
    answers = []
    for a, b, c, d in questions:
        if max(a, b, c, d) >= size or min(a, b, c, d) < 0:
            answers.append(None)
            continue
        best = None
        for candidate in range(size):
            if candidate in (a, b, c):
                continue
            value = score(candidate, a, b, c)
            if best is None or value > best[0]:
                best = (value, candidate)
        answers.append(best[1] if best else None)
    return answers


def three_cos_add(W, questions, restrict=None):
    """Return for each question (a, b, c, d: ids; a is to b as c is to d) the id x of the greatest score.

    The score is ``cos(u_x, u_b - u_a + u_c)`` with unit vectors u. Candidates are the first `restrict` ids without
    a, b, c; ties go to the smaller id. A question with an id outside (-1 stands for an unknown word) is answered None.
    """
    u = unit_rows(W)
    size = len(W) if restrict is None else min(restrict, len(W))
    return _answers(questions, size, lambda x, a, b, c: cosine(u[x], u[b] - u[a] + u[c]))


def three_cos_mul(W, questions, restrict=None, epsilon=0.001):
    """Return answers as `three_cos_add`, by ``g(x, b) g(x, c) / (g(x, a) + epsilon)``, ``g = (1 + cos) / 2``."""
    u = unit_rows(W)
    size = len(W) if restrict is None else min(restrict, len(W))

    def score(x, a, b, c):
        to_a, to_b, to_c = ((1 + dot(u[x], u[y])) / 2 for y in (a, b, c))
        return to_b * to_c / (to_a + epsilon)

    return _answers(questions, size, score)


def nearest_to_one(W, questions, restrict=None, role="b"):
    """Return answers as `three_cos_add`, by the cosine to one of the three given words alone (the baseline)."""
    u = unit_rows(W)
    size = len(W) if restrict is None else min(restrict, len(W))
    return _answers(questions, size, lambda x, *given: dot(u[x], u[given["abc".index(role)]]))


def analogy_accuracy(answers, questions):
    """Return (correct, answerable, asked)."""
    answered = [(answer, d) for answer, (_, _, _, d) in zip(answers, questions, strict=True) if answer is not None]
    return sum(answer == d for answer, d in answered), len(answered), len(questions)


def word_similarity(W, words, rows):
    """Return (Spearman of cosine and gold, rows used, rows) of rows (word, word, gold); unknown words skip a row."""
    index = {word: i for i, word in enumerate(words)}
    ours, golds = [], []
    for first, second, gold in rows:
        if first in index and second in index:
            ours.append(cosine(W[index[first]], W[index[second]]))
            golds.append(float(gold))
    return (spearman(ours, golds) if ours else math.nan), len(ours), len(rows)
