"""The part of Word2Vec that counts, chooses words, and makes and grows the matrices."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.compat.gensim.names import refuse_arguments
from w2v.compat.gensim.scanning import RawCounts, Selection, TrimRule, count_corpus, select
from w2v.compat.gensim.vectors import KeyedVectors
from w2v.errors import NotAvailableError
from w2v.kernels.random import START, initialize_rows, stream_key
from w2v.vocabulary import Vocabulary

__all__ = ["VocabularyBuilding"]

logger = logging.getLogger(__name__)


class VocabularyBuilding:
    """A model that has a vocabulary, or none yet, and a row of W and of C for each word."""

    wv: KeyedVectors
    syn1neg: NDArray[np.float32]
    raw_vocab: dict[Any, int]
    vector_size: int
    seed: int
    sample: float
    min_count: int
    max_final_vocab: int | None
    max_vocab_size: int | None
    effective_min_count: int
    corpus_count: int
    corpus_total_words: int
    _trim_rule: TrimRule | None

    def build_vocab(
        self,
        corpus_iterable: Any = None,
        corpus_file: Any = None,
        update: bool = False,
        progress_per: int = 10_000,
        keep_raw_vocab: bool = False,
        trim_rule: TrimRule | None = None,
        **kwargs: Any,
    ) -> None:
        """Count a corpus and make the vocabulary, with fresh vectors; or let both grow.

        Parameters
        ----------
        corpus_iterable : iterable of token lists
        corpus_file : str or path
            In place of it: text, a line a sentence, plain or compressed.
        update : bool
            Add the words of this corpus that are new and reach `min_count` in it, behind those that are there, with
            fresh vectors. The words that are there keep their rows; their counts grow.
        progress_per
            Has no effect.
        keep_raw_vocab : bool
            Keep the counts of all types in `raw_vocab`.
        trim_rule : callable, optional
            Called with (word, count, min_count) for each word; answers `RULE_DEFAULT`, `RULE_DISCARD` or `RULE_KEEP`.

        Raises
        ------
        NotAvailableError
            (a RuntimeError) with `update` when there is no vocabulary that could grow.
        CorpusError
            When no word is left.
        """
        refuse_arguments("build_vocab", kwargs, ("corpus_iterable", "corpus_file", "update", "trim_rule"))
        if update:
            self._check_growable()
        raw = count_corpus(corpus_iterable, corpus_file, self.max_vocab_size, trim_rule or self._trim_rule)
        self._build(raw, update=update, keep_raw_vocab=keep_raw_vocab, trim_rule=trim_rule)

    def build_vocab_from_freq(
        self,
        word_freq: Mapping[Any, int],
        keep_raw_vocab: bool = False,
        corpus_count: int | None = None,
        trim_rule: TrimRule | None = None,
        update: bool = False,
    ) -> None:
        """Make the vocabulary, or let it grow, from counts by word; see `build_vocab`."""
        if update:
            self._check_growable()
        raw = RawCounts(dict(word_freq), sum(word_freq.values()), corpus_count or 0)
        self._build(raw, update=update, keep_raw_vocab=keep_raw_vocab, trim_rule=trim_rule)

    def _build(
        self, raw: RawCounts, *, update: bool = False, keep_raw_vocab: bool = False, trim_rule: TrimRule | None = None
    ) -> None:
        self._note(raw)
        self.prepare_vocab(update=update, keep_raw_vocab=keep_raw_vocab, trim_rule=trim_rule)
        self.prepare_weights(update=update)

    def _note(self, raw: RawCounts) -> None:
        self.raw_vocab = dict(raw.counts)
        self.corpus_count, self.corpus_total_words = raw.sentences, raw.tokens

    def _check_growable(self) -> None:
        if not len(self.wv) or len(self.syn1neg) != len(self.wv):
            raise NotAvailableError("update=True lets a vocabulary grow, and there is none yet: call build_vocab first")

    def scan_vocab(
        self,
        corpus_iterable: Any = None,
        corpus_file: Any = None,
        progress_per: int = 10_000,
        workers: int | None = None,
        trim_rule: TrimRule | None = None,
    ) -> tuple[int, int]:
        """Count a corpus into `raw_vocab`; returns its numbers of tokens and of sentences."""
        self._note(count_corpus(corpus_iterable, corpus_file, self.max_vocab_size, trim_rule or self._trim_rule))
        return self.corpus_total_words, self.corpus_count

    def prepare_vocab(
        self,
        update: bool = False,
        keep_raw_vocab: bool = False,
        trim_rule: TrimRule | None = None,
        min_count: int | None = None,
        sample: float | None = None,
        dry_run: bool = False,
    ) -> dict[str, int]:
        """Choose words of `raw_vocab`; returns how many words and tokens are left out, kept and subsampled.

        With ``dry_run`` nothing is changed: to try several values of `min_count` and `sample` after `scan_vocab`.
        """
        min_count = self.min_count if min_count is None else min_count
        sample = self.sample if sample is None else sample
        raw, rule = self.raw_vocab, trim_rule or self._trim_rule
        known = self.wv.key_to_index if update else {}
        if update and not any(word not in known for word in raw):
            chosen = Selection(Vocabulary([], []), max(1, min_count))
        else:
            chosen = select(raw, min_count, self.max_final_vocab, rule, may_be_empty=update)
        fresh = [word for word in chosen.vocabulary.words if word not in known]
        if not dry_run:
            self.min_count, self.sample, self.effective_min_count = min_count, sample, chosen.effective_min_count
            if update:
                self._grow(fresh, raw)
            else:
                self.wv = KeyedVectors(self.vector_size)
                self.wv._take(chosen.vocabulary, np.zeros((len(fresh), self.vector_size), dtype=np.float32))
            logger.info("%d of %d types kept, %d of them new", len(chosen.vocabulary), len(raw), len(fresh))
            if not keep_raw_vocab:
                self.raw_vocab = {}
        return _report(raw, chosen.vocabulary, sample or 0.0)

    def _grow(self, fresh: list[Any], raw: Mapping[Any, int]) -> None:
        """Add new words behind the others and the counts of a new corpus to all."""
        counts = self.wv.expandos["count"]
        for word, row in self.wv.key_to_index.items():
            counts[row] += raw.get(word, 0)
        self.wv.add_vectors(fresh, np.zeros((len(fresh), self.vector_size), dtype=np.float32))
        for word in fresh:
            self.wv.expandos["count"][self.wv.key_to_index[word]] = raw[word]
        if not fresh:
            logger.info("0 new words")

    def prepare_weights(self, update: bool = False) -> None:
        """Give all words, or with `update` those that have none yet, their start vectors."""
        if update:
            self.update_weights()
        else:
            self.init_weights()

    def init_weights(self) -> None:
        """Give all words start vectors: uniform numbers in wv.vectors, zeros in syn1neg."""
        self.wv.vectors = self._start_rows(0, len(self.wv))
        self.wv.vectors_changed()
        self.syn1neg = np.zeros((len(self.wv), self.vector_size), dtype=np.float32)

    def update_weights(self) -> None:
        """Give start vectors to the words that were added since the last training."""
        old, size = len(self.syn1neg), len(self.wv)
        self.wv.vectors[old:] = self._start_rows(old, size - old)
        self.wv.vectors_changed()
        self.syn1neg = np.vstack([self.syn1neg, np.zeros((size - old, self.vector_size), dtype=np.float32)])

    def _start_rows(self, first: int, count: int) -> NDArray[np.float32]:
        rows: NDArray[np.float32] = np.zeros((count, self.vector_size), dtype=np.float32)
        initialize_rows(rows, self.vector_size, stream_key(self.seed, 0, START), first)
        return rows

    def reset_from(self, other_model: VocabularyBuilding) -> None:
        """Take over the vocabulary of another model, with its counts, and start from fresh vectors."""
        other = other_model.wv
        counts = other.expandos.get("count", np.zeros(len(other), dtype=np.int64))
        self.wv = KeyedVectors(self.vector_size)
        self.wv._take(
            Vocabulary(other.index_to_key, counts), np.zeros((len(other), self.vector_size), dtype=np.float32)
        )
        self.corpus_count, self.corpus_total_words = other_model.corpus_count, other_model.corpus_total_words
        self.init_weights()


def _report(raw: Mapping[Any, int], kept: Vocabulary, sample: float) -> dict[str, int]:
    retained = int(kept.counts.sum())
    subsampled = kept.keep_probabilities(sample) if len(kept) else np.ones(0)
    return {
        "drop_unique": len(raw) - len(kept),
        "retain_total": retained,
        "downsample_unique": int(np.count_nonzero(subsampled < 1)),
        "downsample_total": round(float((kept.counts * subsampled).sum())),
        "num_retained_words": len(kept),
    }
