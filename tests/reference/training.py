"""Training: the steps of an epoch in order, pair by pair and block by block."""

import bisect
import math

import numpy as np

from .epochs import windows_of_epoch
from .pairs import dot, log_sigmoid, sigmoid
from .streams import noise_stream, stratum_word


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
                    f = dot(W[row], C[output])
                    g = (label - sigmoid(f)) * alpha
                    neu += g * C[output]
                    C[output] += g * W[row]
                    losses.append(-log_sigmoid(f if label else -f))
                if row not in frozen:
                    W[row] += neu
                pairs += 1
    return W, C, math.fsum(losses), pairs


def bfloat16(x):
    """Round to eight binary digits, halves away from zero."""
    digits, exponent = np.frexp(x)
    return np.copysign(np.floor(np.abs(digits) * 2**8 + 0.5), digits) * 2.0 ** (exponent - 8)


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
    shares,
    hits="keep",
    block_size,
    M,
    parts=1,
    repeats=10**9,
    chunk_tokens,
    chunk_alphas,
    frozen=(),
    factor=lambda x: x,
):
    """Train one epoch with noise words shared by a block; return new W, C (float64), summed loss, number of pairs.

    The centres of a chunk are taken in blocks of `block_size`, and a block in as many steps as its windows are cut
    into parts; a block ends before a word that it has `repeats` times already. A step first draws M noise words, the
    j-th from the j-th of M strata, then, all from the values before it, adds up: for each centre w with contexts c_j
    ``g = alpha (1 - s(W[w].C[c_j]))``, ``dW[w] += g C[c_j]``, ``dC[c_j] += g W[w]``; for each centre with contexts
    and each noise word n (repeated ones each time) ``g = -alpha weight s(W[w].C[n])``, ``dW[w] += g C[n]``, ``dC[n]
    += g W[w]``, where ``weight = m shares[n]``, m the number of contexts, with hits "drop" less those equal to n. The
    loss adds ``-log s(x)`` and ``-weight log s(-x)``. alpha is that of the first centre of the block, and `frozen`
    words stay (see `epoch_pairwise`). `factor` rounds what is multiplied: rows, and errors g.
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
                dW, dC, X, Y = np.zeros_like(W), np.zeros_like(C), factor(W), factor(C)
                for position, near, _ in block:
                    w = ids[position]
                    words = [ids[j] for j in _part_of_window(position, near, part, parts)]
                    for c in words:
                        x = dot(X[w], Y[c])
                        g = factor(alpha * (1 - sigmoid(x)))
                        dW[w] += g * Y[c]
                        dC[c] += g * X[w]
                        losses.append(-log_sigmoid(x))
                        pairs += 1
                    for n in noise:
                        weight = (len(words) - (words.count(n) if hits == "drop" else 0)) * shares[n]
                        x = dot(X[w], Y[n])
                        g = factor(-alpha * weight * sigmoid(x))
                        dW[w] += g * Y[n]
                        dC[n] += g * X[w]
                        losses.append(-weight * log_sigmoid(-x))
                dW[list(frozen)] = 0.0
                W += dW
                C += dC
    return W, C, math.fsum(losses), pairs
