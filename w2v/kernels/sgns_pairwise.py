"""Skip-gram with k fresh noise words for every pair, one pair after the other in the order of word2vec.c."""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device, kernel
from w2v.kernels.activations import exp_negative, log1p_unit
from w2v.kernels.noise import draw_word
from w2v.kernels.random import mix, next_state

__all__ = ["train_pairwise"]

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@device
def _train_output(x, c, change, positive, alpha):
    """Train one output row c against the input row x; add to x's pending change; return -log s(+-x.c)."""
    score = _ZERO
    for j in range(len(x)):
        score += x[j] * c[j]
    e = exp_negative(-abs(score))
    r = _ONE / (_ONE + e)
    if positive:
        loss = max(-score, _ZERO) + log1p_unit(e)
        g = alpha * (e * r if score >= _ZERO else r)
    else:
        loss = max(score, _ZERO) + log1p_unit(e)
        g = -alpha * (r if score >= _ZERO else e * r)
    for j in range(len(x)):
        change[j] += g * c[j]
        c[j] += g * x[j]
    return loss


@kernel
def train_pairwise(W, C, windows, begin, end, noise_table, state, k, drop, alpha_start, alpha_end, change):
    """Train the centres [begin, end) of a chunk in place, pair by pair.

    As in word2vec.c the *context* word is the input (row of W) and the *centre* word the positive output (row of C);
    the expected pair counts are symmetric, so x* is that of the other order.

    Parameters
    ----------
    W, C : (V, stride) float32
        Changed in place; padding columns are zero and stay so.
    windows : (tokens, low, high, rows)
        From `lay_windows`; and for each token the row of W that takes its change, `tokens` itself but for frozen words.
    noise_table : NoiseTable
        Noise distribution P_n in one stratum.
    state : uint64
        State of the noise stream. Draws: k for each pair, in the order of the pairs (centres ascending, then contexts
        ascending).
    k : int
        Noise words per pair.
    drop : bool
        Whether a noise word that equals the centre is thrown away without another draw, as in word2vec.c: then x* is
        log(a_wc / (k P_n(c) (a_w - a_wc))) instead of log(a_wc / (k a_w P_n(c))).
    alpha_start, alpha_end : float
        Learning rate, linear in the index of the centre.
    change : (stride,) float32
        Scratch.

    Returns
    -------
    pairs : int
        Positive pairs trained.
    loss : float64
        Sum of -log s(x) over them and of -log s(-x) over their noise words, each before its own update.

    Notes
    -----
    Departures from word2vec.c: the noise distribution is exact and so is the sigmoid, which there is a
    table that ends at +-6.
    """
    tokens, low, high, changed = windows
    pairs, loss = 0, 0.0
    for i in range(begin, end):
        alpha = np.float32(alpha_start + (alpha_end - alpha_start) * ((i - begin) / (end - begin)))
        center = tokens[i]
        for c in range(low[i], high[i] + 1):
            if c == i:
                continue
            x, target = W[tokens[c]], W[changed[c]]
            for j in range(len(change)):
                change[j] = _ZERO
            loss += _train_output(x, C[center], change, True, alpha)
            for _ in range(k):
                state = next_state(state)
                word = draw_word(mix(state), 0, noise_table)
                if drop and word == center:
                    continue
                loss += _train_output(x, C[word], change, False, alpha)
            for j in range(len(change)):
                target[j] += change[j]
            pairs += 1
    return pairs, loss
