"""Phrases: found by counting every pair, and joined."""

import math


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
