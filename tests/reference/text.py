"""Text and words: tokens of bytes, vocabularies, ids, and what is made of counts."""

import math
from collections import Counter

import numpy as np


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


def noise_proposal(noise, counts, keep, k):
    """Return g(c) = (P_n(c) + t(c) / sum t) / 2, where t(c) = P_n(c) P(c) / (P(c) + k P_n(c)).

    P(c) = counts(c) keep(c) / sum counts keep: how often words are contexts after subsampling.
    """
    total = math.fsum(n * p for n, p in zip(counts, keep, strict=True))
    seen = [n * p / total for n, p in zip(counts, keep, strict=True)]
    terms = [a * b / (b + k * a) for a, b in zip(noise, seen, strict=True)]
    whole = math.fsum(terms)
    return np.array([(a + t / whole) / 2 for a, t in zip(noise, terms, strict=True)])
