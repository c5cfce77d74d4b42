"""From a corpus to the vocabulary of a model: what is counted, which words are kept, and the corpus as their ids."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.compat.gensim.corpora import LineSentence, PathLineSentences
from w2v.compat.gensim.names import EmptyVocabularyError
from w2v.corpus import EncodedCorpus, encode_files, encode_sentences
from w2v.corpus.sentences import AS_PATHS, short_repr
from w2v.corpus.sources import names_a_file
from w2v.errors import CorpusError, CorpusTypeError, SettingsError
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary

__all__ = [
    "RULE_DEFAULT",
    "RULE_DISCARD",
    "RULE_KEEP",
    "RawCounts",
    "Selection",
    "TrimRule",
    "count_corpus",
    "encode_corpus",
    "raw_counts",
    "restricted",
    "select",
]

RULE_DEFAULT, RULE_DISCARD, RULE_KEEP = 0, 1, 2
"""What a trim rule answers: let `min_count` decide, leave the word out, keep it."""

TrimRule = Callable[[Any, int, int], int]

_AS_FILE = "a file is passed as corpus_file=, or as LineSentence"
_AS_FILES = f"{_AS_FILE}, a folder as PathLineSentences"


@dataclasses.dataclass(frozen=True)
class RawCounts:
    """All types of a corpus with their counts, and how many tokens and sentences it has."""

    counts: Mapping[Any, int]
    tokens: int
    sentences: int


@dataclasses.dataclass(frozen=True)
class Selection:
    """The words that are kept, the most frequent first, and the threshold that this came to."""

    vocabulary: Vocabulary
    effective_min_count: int


class _Counting:
    """Counts of types, of which rare ones are dropped, with what they were counted to, when there are too many."""

    def __init__(self, most: int | None, rule: TrimRule | None) -> None:
        self.counts: Counter[Any] = Counter()
        self.tokens = 0
        self._most, self._rule, self._least = most, rule, 1

    def add(self, sentence: Iterable[Any]) -> None:
        """Count a sentence."""
        tokens = list(sentence)
        self.tokens += len(tokens)
        self.counts.update(tokens)
        if self._most and len(self.counts) > self._most:
            for word, count in list(self.counts.items()):
                if not _is_kept(self._rule, word, count, self._least):
                    del self.counts[word]
            self._least += 1


def count_corpus(
    corpus_iterable: Any, corpus_file: Any, max_vocab_size: int | None = None, rule: TrimRule | None = None
) -> RawCounts:
    """Count the tokens of a corpus; sentences of a single token are welcome.

    Whenever there are more types than `max_vocab_size` (if any), those rarer than a threshold that rises each time are
    dropped with their counts so far, as gensim does; the trim rule is asked about each of them.
    """
    paths = _paths(corpus_iterable, corpus_file)
    if paths is not None:
        with encode_files(paths, CorpusSettings(min_count=1)) as corpus:
            return raw_counts(corpus, max_vocab_size, rule)
    counting = _Counting(max_vocab_size, rule)
    sentences = 0
    for item, sentence in enumerate(_sentences(corpus_iterable)):
        if isinstance(sentence, (str, bytes)):
            raise CorpusTypeError(
                f"item {item} of the corpus is a string, {short_repr(sentence)}, not a list of tokens: "
                + (_AS_FILES if names_a_file(sentence) else f"pass {short_repr(sentence)}.split()")
            )
        counting.add(sentence)
        sentences += 1
    if not counting.tokens:
        found = "0 sentences" if sentences == 0 else f"{sentences} sentences, 0 tokens"
        raise EmptyVocabularyError(f"{found} read from the corpus: there is nothing to build a vocabulary from")
    return RawCounts(_plain_keys(counting.counts), counting.tokens, sentences)


def raw_counts(corpus: EncodedCorpus, max_vocab_size: int | None = None, rule: TrimRule | None = None) -> RawCounts:
    """Return the counts of a corpus that was encoded with all its types; see `count_corpus`."""
    words = corpus.vocabulary.words
    counts = dict(zip(words, corpus.vocabulary.counts.tolist(), strict=True))
    if max_vocab_size and len(words) > max_vocab_size:
        counting = _Counting(max_vocab_size, rule)
        for first, end in itertools.pairwise(corpus.offsets.tolist()):
            counting.add(words[id] for id in corpus.ids[first:end].tolist())
        counts = dict(counting.counts)
    return RawCounts(counts, corpus.source.tokens, corpus.source.lines)


def encode_corpus(
    corpus_iterable: Any, corpus_file: Any, settings: CorpusSettings, vocabulary: Vocabulary | None = None
) -> EncodedCorpus:
    """Encode a corpus given in one of gensim's ways, in one pass.

    Raises
    ------
    SettingsError
        None is given, or two.
    CorpusTypeError
        A string in place of sentences.
    CorpusError, FileAccessError
        As `encode_files` and `encode_sentences`.
    """
    paths = _paths(corpus_iterable, corpus_file)
    if paths is not None:
        return encode_files(paths, settings, vocabulary=vocabulary)
    try:
        return encode_sentences(_sentences(corpus_iterable), settings, vocabulary=vocabulary)
    except CorpusTypeError as error:
        raise CorpusTypeError(str(error).replace(AS_PATHS, _AS_FILES)) from None  # in the words of this face
    except CorpusError as error:
        if isinstance(corpus_iterable, Iterator) and str(error).startswith("0 sentences"):
            raise EmptyVocabularyError(
                f"0 sentences read: this {type(corpus_iterable).__name__} is used up, it can be gone through once; "
                "pass a list, or an object that starts anew each time it is iterated"
            ) from None
        if type(error) is CorpusError:
            raise EmptyVocabularyError(str(error)) from None
        raise


def select(
    raw: Mapping[Any, int],
    min_count: int,
    max_final_vocab: int | None,
    rule: TrimRule | None,
    *,
    may_be_empty: bool = False,
) -> Selection:
    """Choose the words of a vocabulary.

    Parameters
    ----------
    raw : mapping from word to count
    min_count : int
        Rarer words are left out.
    max_final_vocab : int or None
        Raise `min_count` until no more than so many words reach it; words of equal counts stay or go together.
    rule : callable or None
        Asked for each word, with its count and `min_count`; answers `RULE_DEFAULT`, `RULE_DISCARD` or `RULE_KEEP`.
    may_be_empty : bool
        Whether it may be that no word is left.

    Raises
    ------
    CorpusError
        No word is left.
    """
    least = max(1, min_count)
    if max_final_vocab is not None and len(raw) > max_final_vocab:
        least = max(least, sorted(raw.values(), reverse=True)[max_final_vocab] + 1)
    kept = [word for word, count in raw.items() if _is_kept(rule, word, count, least)]
    if not kept and not may_be_empty:
        most = max(raw.values(), default=0)
        raise EmptyVocabularyError(
            f"{len(raw)} types, none is kept with min_count={min_count}"
            f"{f', max_final_vocab={max_final_vocab}' if max_final_vocab is not None else ''}"
            f"{' and trim_rule' if rule is not None else ''} (most frequent has {most})"
        )
    kept.sort(key=lambda word: (-raw[word], word))
    return Selection(Vocabulary(kept, [raw[word] for word in kept]), least)


def _is_kept(rule: TrimRule | None, word: Any, count: int, least: int) -> bool:
    answer = RULE_DEFAULT if rule is None else rule(word, count, least)
    if answer == RULE_DEFAULT:
        return count >= least
    if answer in (RULE_KEEP, RULE_DISCARD):
        return answer == RULE_KEEP
    raise SettingsError(f"trim_rule must answer 0 (default), 1 (discard) or 2 (keep); got {answer!r} for {word!r}")


def restricted(corpus: EncodedCorpus, vocabulary: Vocabulary) -> EncodedCorpus:
    """Return the corpus with the words of a vocabulary alone; all of them must occur in it."""
    numbers: NDArray[np.int32] = np.full(len(corpus.vocabulary), -1, dtype=np.int32)
    numbers[corpus.vocabulary.ids(vocabulary.words)] = np.arange(len(vocabulary), dtype=np.int32)
    ids = numbers[corpus.ids]
    kept = ids >= 0
    before = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
    offsets = np.unique(before[corpus.offsets])  # sentences that are empty now have equal bounds
    return EncodedCorpus(vocabulary, ids[kept], offsets, corpus.source, corpus.settings)


def _paths(corpus_iterable: Any, corpus_file: Any) -> list[Path] | None:
    if (corpus_iterable is None) == (corpus_file is None):
        raise SettingsError("pass either sentences or corpus_file" + ("" if corpus_file is None else ", not both"))
    if corpus_file is not None:
        if not isinstance(corpus_file, (str, os.PathLike)):
            raise CorpusTypeError(f"corpus_file must be the path of a file; got {short_repr(corpus_file)}")
        return [Path(corpus_file)]
    return corpus_iterable.paths() if isinstance(corpus_iterable, (LineSentence, PathLineSentences)) else None


def _sentences(corpus: Any) -> Iterable[Any]:
    if isinstance(corpus, (str, bytes, os.PathLike)):
        raise CorpusTypeError(f"sentences must be lists of tokens, not {short_repr(corpus)}; {_AS_FILE}")
    if not isinstance(corpus, Iterable):
        raise CorpusTypeError(f"sentences must be an iterable of token lists, not {type(corpus).__name__}")
    return corpus


def _plain_keys(counts: Counter[Any]) -> dict[Any, int]:
    """Return counts by str or int; tokens of both kinds are refused."""
    if all(isinstance(token, str) for token in counts):
        return dict(counts)
    odd = next((t for t in counts if not isinstance(t, (int, np.integer)) or isinstance(t, bool)), None)
    if odd is not None:
        raise CorpusTypeError(
            f"tokens must be all strings or all integers; {short_repr(odd)} ({type(odd).__name__}) is among them"
        )
    return {int(token): count for token, count in counts.items()}
