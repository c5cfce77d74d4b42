"""The part of Word2Vec that a trained model tells: its loss, and the words that it expects."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.compat.gensim.vectors import KeyedVectors
from w2v.embedding import Neighbor
from w2v.errors import NotAvailableError

__all__ = ["Telling"]

logger = logging.getLogger(__name__)


class Telling:
    """A model with word and context vectors and a history of losses."""

    wv: KeyedVectors
    syn1neg: NDArray[np.float32]
    cbow_mean: int
    epoch_losses: list[float]

    def get_latest_training_loss(self) -> float:
        """Return the mean loss per positive pair, in nats, of the last epoch that had pairs.

        Raises
        ------
        NotAvailableError
            (a RuntimeError) before the first epoch has ended.
        """
        for loss in reversed(self.epoch_losses):
            if not math.isnan(loss):
                return loss
        raise NotAvailableError("there is no loss yet: no epoch with a pair of words has been trained")

    def predict_output_word(self, context_words_list: Any, topn: int | None = 10) -> list[Neighbor] | None:
        """Return the words most probable amid some context words: softmax of mean(w) . c over all c.

        Parameters
        ----------
        context_words_list : list of words
            Unknown ones are left out. Where words are strings, a number is the row of one.
        topn : int or None
            How many; None means all.

        Returns
        -------
        list of (word, probability), or None when no context word is known

        Raises
        ------
        NotAvailableError
            (a RuntimeError) when there are no context vectors.
        """
        if not len(self.wv) or len(self.syn1neg) != len(self.wv):
            raise NotAvailableError("there are no context vectors (syn1neg) for these words: train the model first")
        rows = [row for row in map(self._row, context_words_list) if row >= 0]
        if not rows:
            logger.warning("none of the context words is in the vocabulary")
            return None
        query = self.wv.vectors[rows].astype(np.float64).sum(axis=0) / (len(rows) if self.cbow_mean else 1)
        logits = self.syn1neg.astype(np.float64) @ query
        probabilities = np.exp(logits - logits.max())
        probabilities /= probabilities.sum()
        order = np.argsort(-probabilities, kind="stable")[:topn]
        return [Neighbor(self.wv.index_to_key[row], float(probabilities[row])) for row in order]

    def _row(self, word: Any) -> int:
        """Return the row of a word, or of a row number where words are strings; -1 if there is none."""
        if isinstance(word, (int, np.integer)) and isinstance(self.wv.index_to_key[0], str):
            return int(word) if 0 <= word < len(self.wv) else -1
        return self.wv.get_index(word, -1) if self.wv.has_index_for(word) else -1

    def score(self, *args: Any, **kwargs: Any) -> NDArray[np.float32]:
        """Refuse: scores of sentences belong to hierarchical softmax."""
        raise NotAvailableError("score needs hierarchical softmax (hs=1), which this package does not train")
