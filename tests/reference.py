"""Oracles: slow and obvious twins of what the package computes, sharing no code with it.

Only the standard library, numpy and scipy are imported. Everything is computed in float64 with plain loops unless a
docstring says otherwise, and each docstring states the formula it follows. Letters: V words, d dimensions, R window,
k negatives per pair, W (V, d) word matrix, C (V, d) context matrix, ``s(x) = 1 / (1 + exp(-x))``, ``a`` (V, V)
expected positive pairs, ``b`` (V, V) expected negative pairs; a row is a word, a column is a context.
"""

import bisect
import codecs
import itertools
import math
import operator
import re
import unicodedata
from collections import Counter
from fractions import Fraction

import numpy as np

# ----------------------------------------------------------------------------------------------- random streams

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
TOKENS, NOISE, START = 0, 1, 2


def mix(z):
    """Return the splitmix64 finaliser of the integer `z`, modulo 2^64."""
    z &= MASK
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 & MASK
    z ^= z >> 27
    z = z * 0x94D049BB133111EB & MASK
    z ^= z >> 31
    return z


def stream_key(seed, epoch, purpose):
    """Return ``mix(mix(seed + GOLDEN (purpose + 1)) + GOLDEN (epoch + 1))``."""
    return mix(mix(int(seed) + GOLDEN * (int(purpose) + 1)) + GOLDEN * (int(epoch) + 1))


def token_hash(key, position):
    """Return ``mix(key + GOLDEN (position + 1))``: upper half decides keeping, lower half the half-window."""
    return mix(int(key) + GOLDEN * (int(position) + 1))


def noise_stream(key, first_position):
    """Yield the 64-bit draws of the chunk that starts at `first_position`, without end.

    ``state = mix(key + GOLDEN (first_position + 1))``; each draw: ``state += GOLDEN``, ``u = mix(state)``.
    """
    state = mix(int(key) + GOLDEN * (int(first_position) + 1))
    while True:
        state = state + GOLDEN & MASK
        yield mix(state)


def stratum_word(u, stratum, bounds):
    """Return the word that the 64-bit draw `u` picks in a stratum: the first with ``bound > stratum 2^40 + (u >> 24)``.

    Strata are equal parts of the distribution; word c owns the parts ``bounds[c-1] <= part < bounds[c]``.
    """
    part = int(stratum) * 2**40 + (int(u) >> 24)
    return next(word for word, bound in enumerate(bounds) if int(bound) > part)


def strata_distribution(bounds, strata):
    """Return the probability (V,) of each word under a draw from every one of the strata, over their number."""
    owned = [int(b) - int(a) for a, b in itertools.pairwise([0, *bounds])]
    return np.array([float(Fraction(n, strata * 2**40)) for n in owned])


def start_matrix(V, d, seed):
    """Return the start W (V, d) float32: ``((mix(key + GOLDEN (w d + j + 1)) >> 40) 2^-24 - 0.5) / d``.

    The float64 quotient rounded to float32 equals the float32 quotient: numerator and d are exact in both.
    """
    key = stream_key(seed, 0, START)
    W = np.zeros((V, d), dtype=np.float32)
    for w in range(V):
        for j in range(d):
            W[w, j] = ((mix(key + GOLDEN * (w * d + j + 1)) >> 40) * 2.0**-24 - 0.5) / d
    return W


# ------------------------------------------------------------------------------------------------ text and words


def tokenize(text, *, lowercase=False, unicode_spaces=False, encoding="utf-8", errors="strict"):
    """Return the sentences (lists of str, empty ones included) of `text` (bytes) by the whitespace rule.

    A newline ends a sentence; space, tab and carriage return part tokens; nothing else does, unless `unicode_spaces`
    (then every character for which ``str.isspace`` is true). What follows the last newline is a sentence if not empty.
    """
    sentences, sentence, token = [], [], ""
    text = text.decode(encoding, errors)
    if text and not text.endswith("\n"):
        text += "\n"
    for character in text:
        space = character in " \t\r\n" or (unicode_spaces and character.isspace())
        if not space:
            token += character
            continue
        if token:
            sentence.append(token.lower() if lowercase else token)
            token = ""
        if character == "\n":
            sentences.append(sentence)
            sentence = []
    return sentences


def vocabulary(sentences, min_count=1, max_vocab=None):
    """Return words and counts of the tokens seen `min_count` times: by count, descending, ties by the word itself."""
    seen = Counter(token for sentence in sentences for token in sentence)
    kept = sorted((-count, word) for word, count in seen.items() if count >= min_count)[:max_vocab]
    return [word for _, word in kept], [-count for count, _ in kept]


def encode(sentences, words):
    """Return ids (list of int) and offsets of the sentences; other tokens and then empty sentences are left out."""
    index = {word: i for i, word in enumerate(words)}
    ids, offsets = [], [0]
    for sentence in sentences:
        ids.extend(index[token] for token in sentence if token in index)
        if len(ids) > offsets[-1]:
            offsets.append(len(ids))
    return ids, offsets


def keep_probabilities(counts, sample):
    """Return ``min(1, sqrt(t / f) + t / f)`` with ``f = n / sum n``; all ones for ``t = 0``."""
    total = sum(int(n) for n in counts)
    if sample == 0:
        return np.ones(len(counts))
    keep = []
    for n in counts:
        f = int(n) / total
        keep.append(min(1.0, math.sqrt(sample / f) + sample / f))
    return np.array(keep)


def keep_thresholds(keep):
    """Return ``min(2^32, rint(p 2^32))`` as uint64."""
    return np.array([min(2**32, round(float(p) * 2**32)) for p in keep], dtype=np.uint64)


def noise_distribution(counts, q):
    """Return ``n^q / sum n^q``."""
    powers = [float(n) ** q for n in counts]
    total = math.fsum(powers)
    return np.array([power / total for power in powers])


# ------------------------------------------------------------------------------------------ one epoch, as drawn


def kept_tokens(ids, offsets, thresholds, key):
    """Return, for each sentence, the list of positions kept: ``(hash >> 32) < thresholds[word]``."""
    kept = []
    for start, end in itertools.pairwise(offsets):
        positions = range(int(start), int(end))
        kept.append([p for p in positions if (token_hash(key, p) >> 32) < int(thresholds[ids[p]])])
    return kept


def half_window(position, key, R, shrink):
    """Return ``1 + (((hash & (2^32 - 1)) R) >> 32)`` if `shrink`, else R."""
    return 1 + (((token_hash(key, position) & 0xFFFFFFFF) * int(R)) >> 32) if shrink else int(R)


def half_windows(positions, key, R, shrink):
    """Return the half-windows of several positions."""
    return [half_window(p, key, R, shrink) for p in positions]


def contexts(i, kept, b, subsampling):
    """Return the context positions, ascending, of the `i`-th of the `kept` positions of one sentence.

    "dirty": kept tokens at most `b` away, counted in kept tokens; "clean": at most `b` away in positions (never more
    than `b` kept tokens away, so the same range is searched).
    """
    near = [j for j in range(max(0, i - b), min(len(kept), i + b + 1)) if j != i]
    if subsampling == "clean":
        near = [j for j in near if abs(kept[j] - kept[i]) <= b]
    return [kept[j] for j in near]


def windows_of_epoch(ids, offsets, keep_thresholds, key, R, shrink, subsampling):
    """Return ``(centre position, [context positions])`` of every kept token in order, those without contexts too."""
    windows = []
    for kept in kept_tokens(ids, offsets, keep_thresholds, key):
        for i, position in enumerate(kept):
            b = half_window(position, key, R, shrink)
            windows.append((position, contexts(i, kept, b, subsampling)))
    return windows


def pairs_of_epoch(ids, offsets, keep_thresholds, key, R, shrink, subsampling):
    """Return every (centre position, context position) that the epoch of `key` trains, in order."""
    windows = windows_of_epoch(ids, offsets, keep_thresholds, key, R, shrink, subsampling)
    return [(center, context) for center, near in windows for context in near]


def count_pairs(ids, pairs, V):
    """Return the (V, V) int64 matrix of (centre word, context word) of a list of position pairs."""
    counts = np.zeros((V, V), dtype=np.int64)
    for center, context in pairs:
        counts[ids[center], ids[context]] += 1
    return counts


# ------------------------------------------------------------------------------------------------------ training


def sigmoid(x):
    """Return ``1 / (1 + exp(-x))`` of a number, without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def log_sigmoid(x):
    """Return ``log s(x)`` of a number: ``-log(1 + exp(-x))``, without overflow."""
    return -math.log1p(math.exp(-x)) if x >= 0 else x - math.log1p(math.exp(x))


def pair_gradient(w, c, label):
    """Return the gradients by w and by c of ``log s(w.c)`` (label 1) or ``log s(-w.c)`` (label 0).

    Both cases: ``(label - s(w.c)) c`` and ``(label - s(w.c)) w``.
    """
    g = label - sigmoid(_dot(w, c))
    return g * np.asarray(c, dtype=float), g * np.asarray(w, dtype=float)


def _dot(x, y):
    return math.fsum(float(p) * float(q) for p, q in zip(x, y, strict=True))


def chunk_bounds(tokens, chunk_tokens):
    """Return the (first, end) positions of consecutive chunks of `chunk_tokens` of `tokens` positions."""
    return [(first, min(first + chunk_tokens, tokens)) for first in range(0, tokens, chunk_tokens)]


def _chunks(ids, offsets, keep_thresholds, token_key, R, shrink, subsampling, chunk_tokens, chunk_alphas):
    """Yield (first position, [(centre, contexts, alpha of that centre)]) of each chunk."""
    windows = windows_of_epoch(ids, offsets, keep_thresholds, token_key, R, shrink, subsampling)
    positions = [position for position, _ in windows]
    bounds = chunk_bounds(len(ids), chunk_tokens)
    for (first, end), (alpha_start, alpha_end) in zip(bounds, chunk_alphas, strict=True):
        inside = windows[bisect.bisect_left(positions, first) : bisect.bisect_left(positions, end)]
        n = len(inside)
        yield (
            first,
            [(p, near, alpha_start + (alpha_end - alpha_start) * i / n) for i, (p, near) in enumerate(inside)],
        )


def epoch_pairwise(
    W,
    C,
    ids,
    offsets,
    keep_thresholds,
    bounds,
    *,
    token_key,
    noise_key,
    R,
    shrink=True,
    subsampling="dirty",
    k=5,
    hits="keep",
    chunk_tokens,
    chunk_alphas,
    frozen=(),
):
    """Train one epoch in the order of word2vec.c; return new W, C (float64), summed loss, number of pairs.

    For each centre i, each context j ascending: the row ``W[c_j]`` meets the output ``w_i`` (label 1) and k noise words
    drawn at that moment (label 0; with hits "drop" a draw equal to w_i is skipped). For each output o in turn
    ``g = alpha (label - s(W[c_j].C[o]))``, ``neu += g C[o]``, ``C[o] += g W[c_j]``; at last ``W[c_j] += neu``.
    The loss adds ``-log s(x)`` (label 1) or ``-log s(-x)`` (label 0) of each output as it is met.
    `chunk_alphas` holds (alpha_start, alpha_end) of each chunk; alpha falls linearly with the index of the centre
    among the centres of its chunk. The rows of W of the `frozen` words are never changed.
    """
    W, C = np.array(W, dtype=float), np.array(C, dtype=float)
    losses, pairs = [], 0
    for first, centers in _chunks(
        ids, offsets, keep_thresholds, token_key, R, shrink, subsampling, chunk_tokens, chunk_alphas
    ):
        draws = noise_stream(noise_key, first)
        for position, near, alpha in centers:
            center = ids[position]
            for j in near:
                row = ids[j]
                outputs = [(center, 1)]
                for _ in range(k):
                    noise = stratum_word(next(draws), 0, bounds)
                    if hits == "keep" or noise != center:
                        outputs.append((noise, 0))
                neu = np.zeros(W.shape[1])
                for output, label in outputs:
                    f = _dot(W[row], C[output])
                    g = (label - sigmoid(f)) * alpha
                    neu += g * C[output]
                    C[output] += g * W[row]
                    losses.append(-log_sigmoid(f if label else -f))
                if row not in frozen:
                    W[row] += neu
                pairs += 1
    return W, C, math.fsum(losses), pairs


def _part_of_window(position, near, part, parts):
    """Return the contexts in one of the runs, as equal as can be, that a window with its own token is cut into."""
    places = sorted([*near, position])
    n = len(places)
    return [j for j in places[n * part // parts : n * (part + 1) // parts] if j != position]


def epoch_blocked(
    W,
    C,
    ids,
    offsets,
    keep_thresholds,
    bounds,
    *,
    token_key,
    noise_key,
    R,
    shrink=True,
    subsampling="dirty",
    k=5,
    hits="keep",
    block_size,
    M,
    parts=1,
    repeats=10**9,
    chunk_tokens,
    chunk_alphas,
    frozen=(),
):
    """Train one epoch with noise words shared by a block; return new W, C (float64), summed loss, number of pairs.

    The centres of a chunk are taken in blocks of `block_size`, and a block in as many steps as its windows are cut
    into parts; a block ends before a word that it has `repeats` times already. A step first draws M noise words, the
    j-th from the j-th of M strata, then, all from the values before it, adds up: for each centre w with contexts c_j
    ``g = alpha (1 - s(W[w].C[c_j]))``, ``dW[w] += g C[c_j]``, ``dC[c_j] += g W[w]``; for each centre with contexts
    and each noise word n (repeated ones each time) ``g = -alpha weight s(W[w].C[n])``, ``dW[w] += g C[n]``, ``dC[n]
    += g W[w]``, where ``weight = m k / M``, m the number of contexts, with hits "drop" less those equal to n. The
    loss adds ``-log s(x)`` and ``-weight log s(-x)``. alpha is that of the first centre of the block, and `frozen`
    words stay (see `epoch_pairwise`).
    """
    W, C = np.array(W, dtype=float), np.array(C, dtype=float)
    losses, pairs = [], 0
    for first, centers in _chunks(
        ids, offsets, keep_thresholds, token_key, R, shrink, subsampling, chunk_tokens, chunk_alphas
    ):
        draws = noise_stream(noise_key, first)
        start = 0
        while start < len(centers):
            block = centers[start : start + block_size]
            seen = [ids[position] for position, _, _ in block]
            cut = next((n for n, word in enumerate(seen) if seen[:n].count(word) == repeats), len(block))
            block, start = block[:cut], start + cut
            alpha = block[0][2]
            for part in range(parts):
                noise = [stratum_word(next(draws), j, bounds) for j in range(M)]
                dW, dC = np.zeros_like(W), np.zeros_like(C)
                for position, near, _ in block:
                    w = ids[position]
                    words = [ids[j] for j in _part_of_window(position, near, part, parts)]
                    for c in words:
                        x = _dot(W[w], C[c])
                        g = alpha * (1 - sigmoid(x))
                        dW[w] += g * C[c]
                        dC[c] += g * W[w]
                        losses.append(-log_sigmoid(x))
                        pairs += 1
                    for n in noise:
                        weight = (len(words) - (words.count(n) if hits == "drop" else 0)) * k / M
                        x = _dot(W[w], C[n])
                        g = -alpha * weight * sigmoid(x)
                        dW[w] += g * C[n]
                        dC[n] += g * W[w]
                        losses.append(-weight * log_sigmoid(-x))
                dW[list(frozen)] = 0.0
                W += dW
                C += dC
    return W, C, math.fsum(losses), pairs


# ------------------------------------------------------------------------------------- expected counts of an epoch


def expected_pair_counts(ids, offsets, keep, R, shrink=True, subsampling="dirty", cut=0.0):
    """Return the expected number a (V, V) of (centre word, context word) pairs per epoch.

    A pair at distance e has the weight ``p_w p_c h``. "clean": ``h = (R - e + 1) / R`` for ``e <= R`` if `shrink`,
    else 1. "dirty": ``h = sum_m P(m) (R - m) / R`` over ``m < R`` if `shrink`, else ``sum_m P(m)``, where m is the
    number of tokens kept among the ``e - 1`` between: ``P_e(m) = P(m) (1 - p) + P(m - 1) p`` with p of the token newly
    passed. Walking outwards ends at the sentence, or once ``sum_{m < R} P(m) <= cut``.
    """
    keep = [float(p) for p in keep]
    V = len(keep)
    a = np.zeros((V, V))
    for start, end in itertools.pairwise(offsets):
        for i in range(int(start), int(end)):
            for walk in (range(i - 1, int(start) - 1, -1), range(i + 1, int(end))):
                survivors = [1.0] + [0.0] * (R - 1)
                for j in walk:
                    e = abs(i - j)
                    if subsampling == "clean":
                        if e > R:
                            break
                        h = (R - e + 1) / R if shrink else 1.0
                    else:
                        if math.fsum(survivors) <= cut:
                            break
                        h = math.fsum(P * ((R - m) / R if shrink else 1.0) for m, P in enumerate(survivors))
                    a[ids[i], ids[j]] += keep[ids[i]] * keep[ids[j]] * h
                    p = keep[ids[j]]
                    survivors = [
                        P * (1 - p) + (survivors[m - 1] * p if m > 0 else 0.0) for m, P in enumerate(survivors)
                    ]
    return a


def pair_numerators(ids, offsets, V, R, shrink=True):
    """Return integers n (V, V) int64 and their divisor: without subsampling a is exactly ``n / divisor``.

    Each pair at distance ``e <= R`` adds ``R - e + 1`` (divisor R) if `shrink`, else 1 (divisor 1).
    """
    numerators = np.zeros((V, V), dtype=np.int64)
    for start, end in itertools.pairwise(offsets):
        for i in range(int(start), int(end)):
            for j in range(int(start), int(end)):
                if i != j and abs(i - j) <= R:
                    numerators[ids[i], ids[j]] += R - abs(i - j) + 1 if shrink else 1
    return numerators, (R if shrink else 1)


def simulate_pair_counts(ids, offsets, keep, R, shrink, subsampling, epochs, rng):
    """Return mean and standard error, each (V, V), of the pairs trained per epoch, over `epochs` drawn with `rng`.

    Draws come from the numpy Generator `rng`, not from the streams of the package, so this checks the expectation by
    nothing but the law: keep each token with its probability, draw half-windows from 1..R, collect pairs.
    """
    V = len(keep)
    total, squares = np.zeros((V, V)), np.zeros((V, V))
    for _ in range(epochs):
        counts = np.zeros((V, V))
        for start, end in itertools.pairwise(offsets):
            kept = [p for p in range(int(start), int(end)) if rng.random() < keep[ids[p]]]
            for i, p in enumerate(kept):
                b = int(rng.integers(1, R + 1)) if shrink else R
                for j, other in enumerate(kept):
                    distance = abs(i - j) if subsampling == "dirty" else abs(p - other)
                    if i != j and distance <= b:
                        counts[ids[p], ids[other]] += 1
        total += counts
        squares += counts**2
    mean = total / epochs
    return mean, np.sqrt(np.maximum(squares / epochs - mean**2, 0) / epochs)


def noise_counts(a, noise, k, hits="keep"):
    """Return the expected negatives b (V, V): ``k a_w P_n(c)`` (keep) or ``k P_n(c) (a_w - a_wc)`` (drop)."""
    V = len(a)
    b = np.zeros((V, V))
    for w in range(V):
        a_w = math.fsum(a[w])
        for c in range(V):
            b[w, c] = k * noise[c] * (a_w - (a[w, c] if hits == "drop" else 0.0))
    return b


# -------------------------------------------------------------------------------------------------- the objective


def target(a, b):
    """Return ``x* = log(a / b)``; -infinity where a = 0, +infinity where only b = 0."""
    x = np.zeros(a.shape)
    for w, c in np.ndindex(a.shape):
        if a[w, c] == 0:
            x[w, c] = -math.inf
        else:
            x[w, c] = math.log(a[w, c] / b[w, c]) if b[w, c] > 0 else math.inf
    return x


def objective(x, a, b):
    """Return ``L = sum a log s(x) + b log s(-x)``, in nats per epoch; a term of weight 0 is 0."""
    terms = []
    for w, c in np.ndindex(a.shape):
        if a[w, c] > 0:
            terms.append(a[w, c] * log_sigmoid(x[w, c]))
        if b[w, c] > 0:
            terms.append(b[w, c] * log_sigmoid(-x[w, c]))
    return math.fsum(terms)


def optimum(a, b):
    """Return ``L_opt = sum a log(a / (a + b)) + b log(b / (a + b))``, the greatest L of any x."""
    terms = []
    for p, n in zip(a.ravel(), b.ravel(), strict=True):
        if p > 0:
            terms.append(p * math.log(p / (p + n)))
        if n > 0:
            terms.append(n * math.log(n / (p + n)))
    return math.fsum(terms)


def objective_slope(x, a, b):
    """Return ``dL/dx = a s(-x) - b s(x)`` (V, V)."""
    slope = np.zeros(a.shape)
    for w, c in np.ndindex(a.shape):
        slope[w, c] = a[w, c] * sigmoid(-x[w, c]) - b[w, c] * sigmoid(x[w, c])
    return slope


def objective_gradient(W, C, a, b):
    """Return dL/dW and dL/dC: with G the slope at ``x = W C^T``, ``dW[w] = sum_c G_wc C[c]``, and so for C."""
    W, C = np.asarray(W, dtype=float), np.asarray(C, dtype=float)
    G = objective_slope(W @ C.T, a, b)
    dW, dC = np.zeros_like(W), np.zeros_like(C)
    for w, c in np.ndindex(a.shape):
        dW[w] += G[w, c] * C[c]
        dC[c] += G[w, c] * W[w]
    return dW, dC


def curvature(x, a, b):
    """Return ``d2L/dx2 = -(a + b) s(x) s(-x)`` (V, V), never positive; the weight of a cell is its negative."""
    second = np.zeros(a.shape)
    for w, c in np.ndindex(a.shape):
        second[w, c] = -(a[w, c] + b[w, c]) * sigmoid(x[w, c]) * sigmoid(-x[w, c])
    return second


# ------------------------------------------------------------------------------------- matrices and factorisations


def mstar(a, b):
    """Return ``M* = 2 (a - b) / (a + b)``, in [-2, 2]; 0 where both are 0 (the objective never asks there)."""
    M = np.zeros(a.shape)
    for w, c in np.ndindex(a.shape):
        if a[w, c] + b[w, c] > 0:
            M[w, c] = 2 * (a[w, c] - b[w, c]) / (a[w, c] + b[w, c])
    return M


def pmi(a, smoothing=1.0):
    """Return ``log(a_wc / (a_w P(c)))`` with ``P(c) = a_c^smoothing / sum a_c^smoothing``; -infinity where a = 0."""
    rows = [math.fsum(a[w]) for w in range(a.shape[0])]
    columns = [math.fsum(a[:, c]) for c in range(a.shape[1])]
    powers = [column**smoothing if column > 0 else 0.0 for column in columns]
    total = math.fsum(powers)
    x = np.full(a.shape, -math.inf)
    for w, c in np.ndindex(a.shape):
        if a[w, c] > 0:
            x[w, c] = math.log(a[w, c] * total / (rows[w] * powers[c]))
    return x


def ppmi(a, smoothing=1.0):
    """Return ``max(PMI, 0)``."""
    return np.maximum(pmi(a, smoothing), 0.0)


def sppmi(a, shift, smoothing=1.0):
    """Return ``max(PMI - log shift, 0)``."""
    return np.maximum(pmi(a, smoothing) - math.log(shift), 0.0)


def positive_target(a, b):
    """Return ``max(x*, 0)``: shifted positive PMI under the noise, windows and hits really used."""
    return np.maximum(target(a, b), 0.0)


def filled(x, fill=0.0):
    """Return x with -infinity (unobserved cells) replaced by `fill`."""
    return np.where(np.isneginf(x), fill, x)


def factorize(M, d, p=0.5):
    """Return ``W = U S^p`` and ``C = V S^(1-p)`` of the d leading triplets of a dense SVD, and the d values S.

    The sign of each triplet is free; compare ``W C^T`` or absolute values.
    """
    U, S, Vt = np.linalg.svd(np.asarray(M, dtype=float), full_matrices=False)
    return U[:, :d] * S[:d] ** p, Vt[:d].T * S[:d] ** (1 - p), S[:d]


# ------------------------------------------------------------------------------------------- rank-2 models and ranks


def fit_objective_two_way(a, b, steps=200):
    """Return r, s of the ``x_wc = r_w + s_c`` that maximises L, by Newton's method with halved steps.

    L is concave in (r, s) and flat along (r + t, s - t); the mean of s over its finite entries is put to 0. A row or
    column without positives but with negatives has -infinity there, one with neither has 0.
    """
    V, U = a.shape
    rows = [w for w in range(V) if a[w].sum() > 0]
    columns = [c for c in range(U) if a[:, c].sum() > 0]
    A, B = a[np.ix_(rows, columns)], b[np.ix_(rows, columns)]
    n, m = A.shape
    z = np.zeros(n + m)

    def matrix(z):
        return z[:n, None] + z[None, n:]

    value = objective(matrix(z), A, B)
    for _ in range(steps):
        slope, second = objective_slope(matrix(z), A, B), -curvature(matrix(z), A, B)
        gradient = np.concatenate([slope.sum(axis=1), slope.sum(axis=0)])
        hessian = np.zeros((n + m, n + m))
        hessian[:n, :n] = np.diag(second.sum(axis=1))
        hessian[n:, n:] = np.diag(second.sum(axis=0))
        hessian[:n, n:] = second
        hessian[n:, :n] = second.T
        step = np.linalg.lstsq(hessian, gradient, rcond=1e-12)[0]
        size = 1.0
        while size > 1e-6 and objective(matrix(z + size * step), A, B) < value - 1e-12 * abs(value):
            size /= 2
        z = z + size * step
        value = objective(matrix(z), A, B)
        if not len(z) or np.abs(step).max() < 1e-12:
            break
    shift = z[n:].mean() if m else 0.0
    r = np.array([-math.inf if b[w].sum() > 0 else 0.0 for w in range(V)])
    s = np.array([-math.inf if b[:, c].sum() > 0 else 0.0 for c in range(U)])
    r[rows], s[columns] = z[:n] + shift, z[n:] - shift
    return r, s


def fit_two_way(rows, columns, values, weights=None):
    """Return r and s (as dicts by row and column) minimising ``sum weight (value - r_row - s_column)^2``.

    `rows`, `columns`, `values` list the observed cells. Solved through the normal equations, smallest solution: what
    ``r + s`` is at a cell is unique where that row and column are connected through observed cells.
    """
    names = [("r", w) for w in sorted(set(rows))] + [("s", c) for c in sorted(set(columns))]
    index = {name: i for i, name in enumerate(names)}
    normal, right = np.zeros((len(names), len(names))), np.zeros(len(names))
    for cell, (w, c, value) in enumerate(zip(rows, columns, values, strict=True)):
        weight = 1.0 if weights is None else float(weights[cell])
        for p in (index["r", w], index["s", c]):
            right[p] += weight * value
            for q in (index["r", w], index["s", c]):
                normal[p, q] += weight
    solution = np.linalg.lstsq(normal, right, rcond=1e-12)[0]
    r = {name: solution[i] for (kind, name), i in index.items() if kind == "r"}
    s = {name: solution[i] for (kind, name), i in index.items() if kind == "s"}
    return r, s


def two_way_residuals(rows, columns, values, weights=None):
    """Return values less their additive least-squares fit (`fit_two_way`)."""
    r, s = fit_two_way(rows, columns, values, weights)
    return np.array([value - r[w] - s[c] for w, c, value in zip(rows, columns, values, strict=True)])


def weighted_pearson(x, y, weights=None):
    """Return the Pearson correlation with weights: ``cov_w(x, y) / sqrt(var_w(x) var_w(y))``; nan if one is constant.

    ``mean_w(x) = sum w x / sum w``, ``cov_w(x, y) = sum w (x - mean_w x) (y - mean_w y) / sum w``.
    """
    x, y = [float(p) for p in x], [float(q) for q in y]
    w = [1.0] * len(x) if weights is None else [float(weight) for weight in weights]
    total = math.fsum(w)
    mean_x = math.fsum(map(operator.mul, w, x)) / total
    mean_y = math.fsum(map(operator.mul, w, y)) / total
    dx, dy = [p - mean_x for p in x], [q - mean_y for q in y]
    xy = math.fsum(weight * p * q for weight, p, q in zip(w, dx, dy, strict=True))
    xx = math.fsum(weight * p * p for weight, p in zip(w, dx, strict=True))
    yy = math.fsum(weight * q * q for weight, q in zip(w, dy, strict=True))
    return xy / math.sqrt(xx) / math.sqrt(yy) if xx > 0 and yy > 0 else math.nan


def average_ranks(values):
    """Return ranks from 1; equal values share the mean of their ranks: ``#smaller + (#equal + 1) / 2``."""
    ordered = sorted(float(value) for value in values)
    ranks = []
    for value in values:
        smaller = bisect.bisect_left(ordered, float(value))
        equal = bisect.bisect_right(ordered, float(value)) - smaller
        ranks.append(smaller + (equal + 1) / 2)
    return ranks


def spearman(x, y, weights=None):
    """Return the Pearson correlation (with weights, if any) of the average ranks, which are always unweighted."""
    return weighted_pearson(average_ranks(x), average_ranks(y), weights)


def partial_correlation(rows, columns, x, y, weights=None):
    """Return the correlation of x and y over the observed cells, word and context effects removed from both.

    Each is replaced by its residual from the best ``r_row + s_column``; fit and correlation use the same weights.
    """
    return weighted_pearson(
        two_way_residuals(rows, columns, x, weights), two_way_residuals(rows, columns, y, weights), weights
    )


# ------------------------------------------------------------------------------------------------------ evaluation


def unit_rows(W):
    """Return the rows of W, each divided by its Euclidean norm (float64); a zero row stays zero."""
    rows = []
    for row in np.asarray(W, dtype=float):
        norm = math.sqrt(_dot(row, row))
        rows.append(row / norm if norm > 0 else row)
    return np.array(rows).reshape(np.shape(W))


def cosine(x, y):
    """Return ``x.y / (|x| |y|)``; 0 if either is zero."""
    norms = math.sqrt(_dot(x, x)) * math.sqrt(_dot(y, y))
    return _dot(x, y) / norms if norms > 0 else 0.0


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
        to_a, to_b, to_c = ((1 + _dot(u[x], u[y])) / 2 for y in (a, b, c))
        return to_b * to_c / (to_a + epsilon)

    return _answers(questions, size, score)


def nearest_to_one(W, questions, restrict=None, role="b"):
    """Return answers as `three_cos_add`, by the cosine to one of the three given words alone (the baseline)."""
    u = unit_rows(W)
    size = len(W) if restrict is None else min(restrict, len(W))
    return _answers(questions, size, lambda x, *given: _dot(u[x], u[given["abc".index(role)]]))


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


# ------------------------------------------------------------------------------------------ word2vec's file formats


def write_text(words, W, header=True):
    """Return the bytes of the text format: ``V d`` line (unless GloVe's way), then ``word x_1 ... x_d`` lines."""
    W = np.asarray(W, dtype=np.float32)
    lines = [f"{W.shape[0]} {W.shape[1]}"] if header else []
    for word, row in zip(words, W, strict=True):
        lines.append(" ".join([word, *(str(x) for x in row)]))
    return "".join(line + "\n" for line in lines).encode()


def read_text(data, header=True):
    """Return words and W (V, d) float32 of the text format.

    Lines end at newlines only. The last d fields, parted by single spaces, are numbers; what stands before is the word,
    spaces and all. A space or carriage return at the end of a line is dropped. Without a header d is taken from the
    first line, whose word then holds no space.
    """
    lines = [line.rstrip(b" \r") for line in data.split(b"\n")]
    if lines and not lines[-1]:
        lines.pop()
    if header:
        V, d = (int(field) for field in lines.pop(0).split())
    else:
        V, d = len(lines), len(lines[0].split(b" ")) - 1
    if len(lines) != V:
        raise ValueError(f"{V} rows promised, {len(lines)} found")
    words, rows = [], []
    for line in lines:
        word, *numbers = line.rsplit(b" ", d)
        words.append(word.decode())
        rows.append([float(number) for number in numbers])
    return words, np.array(rows, dtype=np.float32).reshape(V, d)


def write_binary(words, W, newline=True):
    """Return the bytes of the binary format: ``V d`` line, then word, space, d little-endian float32, newline or not.

    word2vec.c ends each row with a newline, others do not.
    """
    W = np.asarray(W, dtype="<f4")
    data = f"{W.shape[0]} {W.shape[1]}\n".encode()
    for word, row in zip(words, W, strict=True):
        data += word.encode() + b" " + row.tobytes() + (b"\n" if newline else b"")
    return data


def read_binary(data):
    """Return words and W (V, d) float32 of the binary format; newlines before a word are skipped, a space ends it."""
    end = data.index(b"\n")
    V, d = (int(field) for field in data[:end].split())
    words, W, at = [], np.zeros((V, d), dtype=np.float32), end + 1
    for row in range(V):
        while data[at : at + 1] == b"\n":
            at += 1
        space = data.index(b" ", at)
        words.append(data[at:space].decode())
        if len(data) < space + 1 + 4 * d:
            raise ValueError(f"{V} rows promised, the file ends in row {row + 1}")
        W[row] = np.frombuffer(data, dtype="<f4", count=d, offset=space + 1)
        at = space + 1 + 4 * d
    return words, W


# ---------------------------------------------------------------------------------------------------------- phrases


def phrase_candidates(sentences, connectors=()):
    """Yield (sentence, first position, words) of every pair of words with nothing but 0 to 3 connectors between."""
    for s, sentence in enumerate(sentences):
        for i, word in enumerate(sentence):
            if word in connectors:
                continue
            for j in range(i + 1, min(i + 5, len(sentence))):
                if sentence[j] not in connectors:
                    yield s, i, tuple(sentence[i : j + 1])
                    break


def phrases_of_pass(sentences, min_count, threshold, scoring, connectors=()):
    """Return {words of a phrase: (count, score)}: seen min_count times or more, and scored above the threshold."""
    words, pairs = {}, {}
    for sentence in sentences:
        for word in sentence:
            words[word] = words.get(word, 0) + 1
    for _, _, pair in phrase_candidates(sentences, connectors):
        pairs[pair] = pairs.get(pair, 0) + 1
    N, found = sum(words.values()), {}
    for pair, n in pairs.items():
        a, b = words[pair[0]], words[pair[-1]]
        if n < min_count or a < min_count or b < min_count:
            continue
        if scoring == "npmi":
            score = math.log((n / N) / (a / N * b / N)) / -math.log(n / N)
        else:
            score = (n - min_count) * N / (a * b)
        if score > threshold:
            found[pair] = (n, score)
    return found


def join_phrases(sentences, phrases, connectors=(), delimiter="_"):
    """Return the sentences with the phrases joined, from left to right."""
    starts = {}
    for s, i, pair in phrase_candidates(sentences, connectors):
        if pair in phrases:
            starts[s, i] = pair
    joined = []
    for s, sentence in enumerate(sentences):
        out, i = [], 0
        while i < len(sentence):
            pair = starts.get((s, i))
            out.append(delimiter.join(pair) if pair else sentence[i])
            i += len(pair) if pair else 1
        joined.append(out)
    return joined


# ------------------------------------------------------------------------------------------------ geometry of a space


def all_cosines(W):
    """Cosines of all pairs of different rows, one by one."""
    U = unit_rows(np.asarray(W, dtype=np.float64))
    return np.array([U[i] @ U[j] for i in range(len(U)) for j in range(i)])


def partition_isotropy(W):
    """Return min Z / max Z over the unit eigenvectors of W^T W and their negatives (Mu & Viswanath 2018)."""
    W = np.asarray(W, dtype=np.float64)
    _, vectors = np.linalg.eigh(W.T @ W)
    values = [sum(np.exp(sign * (w @ u)) for w in W) for u in vectors.T for sign in (1, -1)]
    return min(values) / max(values)


def iso_score(points):
    """Return IsoScore by the seven steps of algorithm 1 of Rudman et al. (2022)."""
    X = np.asarray(points, dtype=np.float64)
    n = X.shape[1]
    centered = X - X.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=True)
    turned = centered @ axes.T
    variances = np.diag(turned.T @ turned / len(X))
    normalized = np.sqrt(n) * variances / np.linalg.norm(variances)
    defect = np.linalg.norm(normalized - np.ones(n)) / np.sqrt(2 * (n - np.sqrt(n)))
    phi = (n - defect**2 * (n - np.sqrt(n))) ** 2 / n**2
    return (n * phi - 1) / (n - 1)


def nearest_sets(W, k, euclidean=False):
    """Return the set of the k nearest other rows of each row."""
    W = np.asarray(W, dtype=np.float64)
    X = W if euclidean else unit_rows(W)
    found = []
    for i in range(len(X)):
        distance = [(np.linalg.norm(X[i] - X[j]), j) for j in range(len(X)) if j != i]
        found.append({j for _, j in sorted(distance)[:k]})
    return found


def skewness(values):
    """Return the third standardised moment."""
    values = np.asarray(values, dtype=np.float64)
    return ((values - values.mean()) ** 3).mean() / values.std() ** 3


def remove_top(W, D):
    """Return all-but-the-top: without the mean and the first D principal components, by SVD."""
    centered = np.asarray(W, dtype=np.float64) - np.mean(W, axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    for axis in axes[:D]:
        centered = centered - np.outer(centered @ axis, axis)
    return centered


def kl_of_plane(p, points):
    """Return KL(p | q) of t-SNE, q from a Student t of one degree of freedom."""
    n = len(points)
    weights = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                weights[i, j] = 1 / (1 + ((points[i] - points[j]) ** 2).sum())
    q = weights / weights.sum()
    return sum(p[i, j] * np.log(p[i, j] / q[i, j]) for i in range(n) for j in range(n) if i != j and p[i, j] > 0)


# ----------------------------------------------------------------------------------- two spaces, aligned or compared


def cosine_table(X, Y):
    """Return all cosines (n, m), one by one; 0 for a row of zeros."""
    table = np.zeros((len(X), len(Y)))
    for i, x in enumerate(np.asarray(X, dtype=np.float64)):
        for j, y in enumerate(np.asarray(Y, dtype=np.float64)):
            size = math.sqrt(sum(x * x)) * math.sqrt(sum(y * y))
            table[i, j] = sum(x * y) / size if size else 0.0
    return table


def csls_table(X, Y, k):
    """Return ``2 cos(x, y) - r_T(x) - r_S(y)``, r being the mean of the k greatest cosines to the other side."""
    cosines = cosine_table(X, Y)
    r_target = [sum(sorted(row)[-k:]) / min(k, len(Y)) for row in cosines]
    r_source = [sum(sorted(column)[-k:]) / min(k, len(X)) for column in cosines.T]
    return np.array([[2 * c - r_target[i] - r_source[j] for j, c in enumerate(row)] for i, row in enumerate(cosines)])


def precision_at(scores, gold, depth):
    """Return the share of rows of scores of which one of the columns ``gold[row]`` is among the `depth` best."""
    found = 0
    for row, wanted in enumerate(gold):
        order = sorted(range(len(scores[row])), key=lambda column: (-scores[row][column], column))
        found += any(column in wanted for column in order[:depth])
    return found / len(gold)


def best_rotation(X, Y):
    """Return the orthogonal Q of the least ``|X Q - Y|``: the orthogonal factor of the polar form of ``X^T Y``."""
    from scipy import linalg

    return linalg.polar(np.asarray(X, dtype=np.float64).T @ np.asarray(Y, dtype=np.float64))[0]


def reweighted_cosines(X, Y, pairs, power):
    """Return the cosines (n, m) of the multi-step mapping: whiten, rotate, weight, colour, written out with sqrtm.

    `pairs` are the rows (i, j) that belong together.
    """
    from scipy import linalg

    x = np.array([X[i] for i, _ in pairs], dtype=np.float64)
    z = np.array([Y[j] for _, j in pairs], dtype=np.float64)
    color_x, color_z = linalg.sqrtm(x.T @ x).real, linalg.sqrtm(z.T @ z).real
    white_x, white_z = linalg.inv(color_x), linalg.inv(color_z)
    U, s, Vt = linalg.svd((x @ white_x).T @ (z @ white_z))
    S = np.diag(s**power)
    A = X @ white_x @ U @ S @ linalg.inv(U.T @ white_x @ U)
    B = Y @ white_z @ Vt.T @ S @ linalg.inv(Vt @ white_z @ Vt.T)
    return cosine_table(A, B)


def similarity_profiles(X):
    """Return each row of the square root of ``X X^T``, sorted."""
    from scipy import linalg

    X = np.asarray(X, dtype=np.float64)
    values, vectors = linalg.eigh(X @ X.T)
    root = vectors @ np.diag(np.sqrt(np.maximum(values, 0))) @ vectors.T
    return np.sort(root, axis=1)


def linear_cka_by_grams(X, Y):
    """Return linear CKA as ``HSIC(K, L) / sqrt(HSIC(K, K) HSIC(L, L))`` of the centred Gram matrices."""
    n = len(X)
    H = np.eye(n) - 1 / n
    K, L = H @ (X @ X.T) @ H, H @ (Y @ Y.T) @ H
    return np.trace(K @ L) / math.sqrt(np.trace(K @ K) * np.trace(L @ L))


def neighbors(X, k):
    """Return for each row the k other rows of greatest cosine, the greatest first, the lower row first of equals."""
    cosines = cosine_table(X, X)
    return [
        sorted((j for j in range(len(X)) if j != i), key=lambda j, i=i: (-cosines[i][j], j))[:k] for i in range(len(X))
    ]


# ------------------------------------------------------------------------------------------------ fastText's models


def fasttext_ngrams(word, minn, maxn):
    """Return the letter n-grams of a word between its marks, as strings: all of minn to maxn characters but < and >."""
    marked = f"<{word}>"
    found = []
    for start in range(len(marked)):
        for n in range(minn, maxn + 1):
            gram = marked[start : start + n]
            if len(gram) == n and not (n == 1 and (start == 0 or start == len(marked) - 1)):
                found.append(gram)
    return found


def fasttext_hash(gram):
    """Return FNV-1a of the UTF-8 bytes, each taken as a signed number and widened to 32 bits."""
    h = 2166136261
    for byte in gram.encode():
        h ^= byte if byte < 128 else (byte - 256) % 2**32
        h = h * 16777619 % 2**32
    return h


def fasttext_vector(word, row, subwords, minn, maxn):
    """Return the mean (d,) of the row of a word and the rows of its n-grams in subwords (bucket, d)."""
    rows = [np.asarray(row, dtype=np.float64)]
    if len(subwords) and maxn:
        rows += [subwords[fasttext_hash(gram) % len(subwords)] for gram in fasttext_ngrams(word, minn, maxn)]
    return np.mean(rows, axis=0)


# ------------------------------------------------------------------------------------- what a text holds


def _one_surrogate(error):
    return "\ud800", error.end


codecs.register_error("reference-one-surrogate", _one_surrogate)


def _is_letter(character):
    return unicodedata.category(character)[0] in "LM" or character in "\u200c\u200d"


def _is_han(character):
    name = unicodedata.name(character, "")
    return name.startswith(("CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER", "IDEOGRAPHIC ITERATION"))


def survey_text(raw):
    """Count what a checker of corpora counts in one file: a dict of counts by name.

    Each run of bytes that Python's decoder rejects together is one character without properties.
    """
    text = raw.decode("utf-8", "reference-one-surrogate")
    if text and not text.endswith("\n"):
        text += "\n"
    lines = text.split("\n")[:-1]
    found = Counter(invalid=text.count("\ud800"), lines=len(lines), tabs=text.count("\t"))
    found["carriage_returns"] = len(re.findall("\r(?!\n)", text))
    kinds = {"Cc": "controls", "Cf": "invisibles"}
    for before, character in itertools.pairwise("\n" + text):
        if character in " \t\r\n":
            continue
        if character == "\ufffd":
            found["replaced"] += 1
        elif character.isspace() and ord(character) > 127:
            found["unicode_spaces"] += 1
        elif character not in "\u200c\u200d":
            found[kinds.get(unicodedata.category(character), "others")] += 1
        after_accent = before in "\u00c2\u00c3" and "\u0080" <= character <= "\u00bf"
        found["misread"] += after_accent or before + character == "\u00e2\u20ac"
    seen, types = set(), set()
    found["longest_line"] = found["longest_token"] = 0
    for line in lines:
        tokens = tuple(token for token in re.split("[ \t\r]", line) if token)
        found["crlf"] += line.endswith("\r")
        found["empty"] += not tokens
        found["of_one"] += len(tokens) == 1
        found["repeated"] += bool(tokens) and tokens in seen
        found["tokens"] += len(tokens)
        found["longest_line"] = max(found["longest_line"], len(tokens))
        seen.add(tokens)
        types.update(tokens)
        found["wiki"] += len(re.findall(r"(?=\[\[|\{\{)", line))
        found["addresses"] += len(re.findall("https?://", line))
        found["entities"] += len(re.findall("&(?:#[A-Za-z0-9]{1,8}|[A-Za-z0-9]{2,9});", line))
        tags = re.findall(r"<([^<>]{1,199})>", line)
        found["tags"] += sum(tag[0] in "/!?" or _is_letter(tag[0]) for tag in tags)
        for token in tokens:
            categories = [unicodedata.category(character)[0] for character in token]
            letters = [_is_letter(character) for character in token]
            digits = [category == "N" for category in categories]
            marks = [category in "PS" for category in categories]
            if token[0] == "\ufffd" or token[-1] == "\ufffd":
                marks[0] &= token[0] != "\ufffd"
                marks[-1] &= token[-1] != "\ufffd"
            found["punctuated"] += any(letters + digits) and (marks[0] or marks[-1])
            found["with_digits"] += any(digits)
            found["capitalised"] += any(unicodedata.category(c) in ("Lu", "Lt") for c in token)
            found["of_han"] += _is_han(token[0])
            found["han_characters"] += len(token) * _is_han(token[0])
            for sign, name in ((",", "commas"), (";", "semicolons"), ("|", "bars")):
                found[name] += sum(
                    token[i] == sign and letters[i - 1] and letters[i + 1] for i in range(1, len(token) - 1)
                )
    found["types"] = len(types)
    return dict(found)
