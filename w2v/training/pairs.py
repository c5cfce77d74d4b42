"""Whether a corpus leaves any pair of word and context to be trained: what leaves none teaches nothing."""

from __future__ import annotations

from w2v.corpus import EncodedCorpus
from w2v.errors import CorpusError, TrainingError
from w2v.plurals import counted
from w2v.settings import ContextSettings

__all__ = ["no_pair_was_trained", "refuse_without_pairs"]


def refuse_without_pairs(corpus: EncodedCorpus, context: ContextSettings) -> None:
    """Refuse, before anything is trained, a corpus without pairs.

    Parameters
    ----------
    corpus : EncodedCorpus
    context : ContextSettings

    Raises
    ------
    CorpusError
        One word, one word of the vocabulary in each sentence, or less than one token after subsampling.
    """
    if len(corpus.vocabulary) == 1:
        raise CorpusError(
            f"the vocabulary holds 1 word, {corpus.vocabulary.words[0]!r}, and no other to tell it from; min_count and "
            "max_vocab bound the vocabulary"
        )
    if corpus.sentences == len(corpus):  # no sentence is empty
        raise CorpusError(
            "no pair of word and context is left: no sentence holds more than 1 word of the vocabulary; lower "
            f"min_count={corpus.settings.min_count}, or name more text"
        )
    if _kept(corpus, context) < 1:
        raise CorpusError(_subsampled_away(corpus, context))


def no_pair_was_trained(corpus: EncodedCorpus, context: ContextSettings) -> TrainingError:
    """Return the error for a training in which the windows and the subsampling that were drawn left no pair."""
    return TrainingError(f"nothing was learnt: {_subsampled_away(corpus, context)}")


def _kept(corpus: EncodedCorpus, context: ContextSettings) -> float:
    """Return how many tokens subsampling keeps in expectation."""
    keep = corpus.vocabulary.keep_probabilities(context.sample)
    counts = corpus.vocabulary.counts
    return len(corpus) * float((counts * keep).sum()) / float(counts.sum())


def _subsampled_away(corpus: EncodedCorpus, context: ContextSettings) -> str:
    return (
        f"no pair of word and context is left: subsampling with sample={context.sample:g} keeps about "
        f"{_kept(corpus, context):.2g} of {counted(len(corpus), 'token')}; raise it, or switch it off with sample=0"
    )
