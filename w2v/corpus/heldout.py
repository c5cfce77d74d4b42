"""Holding sentences out: a corpus becomes two, the choice a hash of the seed and the place of the sentence."""

from __future__ import annotations

import dataclasses

import numpy as np

from w2v.corpus.copying import copied
from w2v.corpus.encoded import EncodedCorpus
from w2v.errors import CorpusError
from w2v.kernels.random import HELDOUT, hashes, stream_key

__all__ = ["HeldOut", "hold_out"]


@dataclasses.dataclass(frozen=True, eq=False)
class HeldOut:
    """The two parts of a corpus, on the vocabulary of the whole (its counts are those of both parts together)."""

    trained: EncodedCorpus
    heldout: EncodedCorpus

    def close(self) -> None:
        """Remove the temporary copies of both."""
        self.trained.close()
        self.heldout.close()


def hold_out(corpus: EncodedCorpus, share: float, seed: int) -> HeldOut:
    """Split a corpus into the sentences to be trained and those held out.

    Parameters
    ----------
    corpus : EncodedCorpus
    share : float
        Between 0 and 1: the chance of each sentence to be held out.
    seed : int
        The same seed holds the same sentences out, in every process.

    Raises
    ------
    CorpusError
        If there are so few sentences that none is held out, or none is left.
    """
    draws = np.empty(corpus.sentences, np.uint64)
    hashes(stream_key(seed, 0, HELDOUT), draws)
    chosen = (draws >> np.uint64(32)) < np.uint64(min(2**32, round(share * 2**32)))
    held = int(np.count_nonzero(chosen))
    if held == 0 or held == corpus.sentences:
        what = "none of the sentences" if held == 0 else "all sentences"
        raise CorpusError(
            f"heldout={share:g} holds {what} out (there {'is' if corpus.sentences == 1 else 'are'} "
            f"{corpus.sentences}): whole sentences are held out, each with this chance; give another share"
        )
    trained = copied(corpus, sentences=~chosen)
    try:
        return HeldOut(trained, copied(corpus, sentences=chosen))
    except BaseException:
        trained.close()
        raise
