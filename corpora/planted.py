"""A seeded generator of a corpus with planted relations, so that one knows which analogies must come out.

A planted word stands for a stem and a role: *queen* is (monarch, female), *paris* is (france, capital). A sentence is
about one planted word. The words around it come from its stem's own contexts, from its role's own contexts, and from
fillers that say nothing. So what distinguishes *king* from *man* is what distinguishes *queen* from *woman*, and
king - man + woman must be near queen.

    python corpora/planted.py --words 200000 --seed 1 > planted.txt
    python corpora/planted.py --questions > planted-questions.txt
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator

import numpy as np

RELATIONS: dict[str, tuple[tuple[str, str], tuple[tuple[str, str], ...]]] = {
    "gender": (
        ("male", "female"),
        (
            ("man", "woman"),
            ("king", "queen"),
            ("prince", "princess"),
            ("uncle", "aunt"),
            ("boy", "girl"),
            ("actor", "actress"),
        ),
    ),
    "capital": (
        ("country", "city"),
        (
            ("france", "paris"),
            ("italy", "rome"),
            ("japan", "tokyo"),
            ("egypt", "cairo"),
            ("peru", "lima"),
            ("norway", "oslo"),
        ),
    ),
    "comparative": (
        ("plain", "more"),
        (
            ("good", "better"),
            ("large", "larger"),
            ("cold", "colder"),
            ("fast", "faster"),
            ("young", "younger"),
            ("cheap", "cheaper"),
        ),
    ),
}
_CONTEXTS = 6  # own context words of each stem and each role
_FILLERS = 200
_LENGTH = 11  # words of a sentence


def planted_questions() -> dict[str, list[tuple[str, str, str, str]]]:
    """Return the analogies a : b :: c : d of each relation, in all orders of its pairs."""
    return {
        name: [(*first, *second) for first, second in itertools.permutations(pairs, 2)]
        for name, (_, pairs) in RELATIONS.items()
    }


def planted_sentences(words: int = 200_000, seed: int = 1) -> Iterator[list[str]]:
    """Yield sentences with at least so many words together; the same ones for the same seed, on every machine.

    Parameters
    ----------
    words : int
        Least number of words.
    seed : int
        Seed of a PCG64 generator.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    names, stems, roles = _planted_words()
    stem_words = [[f"{stem}.{i}" for i in range(_CONTEXTS)] for stem in dict.fromkeys(stems)]
    role_words = [[f"{role}.{i}" for i in range(_CONTEXTS)] for role in dict.fromkeys(roles)]
    stem_of = [list(dict.fromkeys(stems)).index(stem) for stem in stems]
    role_of = [list(dict.fromkeys(roles)).index(role) for role in roles]
    weights = 1.0 / np.arange(1, _FILLERS + 1)
    steps = np.cumsum(weights / weights.sum())
    for _ in range(-(-words // _LENGTH)):
        # random() alone, whose stream numpy promises to keep
        about = int(rng.random() * len(names))
        place = int(rng.random() * _LENGTH)
        sentence = []
        for position, (kind, which) in enumerate(rng.random((_LENGTH, 2))):
            if position == place:
                sentence.append(names[about])
            elif kind < 0.4:
                sentence.append(stem_words[stem_of[about]][int(which * _CONTEXTS)])
            elif kind < 0.8:
                sentence.append(role_words[role_of[about]][int(which * _CONTEXTS)])
            else:
                filler = int(np.searchsorted(steps, which, side="right"))
                sentence.append(f"filler.{min(filler, _FILLERS - 1)}")
        yield sentence


def _planted_words() -> tuple[list[str], list[str], list[str]]:
    """Return all planted words with the stem and the role of each."""
    names, stems, roles = [], [], []
    for both, pairs in RELATIONS.values():
        for pair in pairs:
            for word, role in zip(pair, both, strict=True):
                names.append(word)
                stems.append(f"{pair[0]}-{pair[1]}")
                roles.append(role)
    return names, stems, roles


def main() -> None:
    """Write the corpus, or its questions in the form of questions-words.txt, to standard output."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=200_000, help="least number of words (200000)")
    parser.add_argument("--seed", type=int, default=1, help="seed (1)")
    parser.add_argument("--questions", action="store_true", help="write the planted analogies instead")
    options = parser.parse_args()
    if options.questions:
        for section, questions in planted_questions().items():
            sys.stdout.write(f": {section}\n")
            sys.stdout.writelines(" ".join(question) + "\n" for question in questions)
    else:
        sys.stdout.writelines(" ".join(s) + "\n" for s in planted_sentences(options.words, options.seed))


if __name__ == "__main__":
    main()
