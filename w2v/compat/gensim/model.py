"""Word2Vec: a model that is built, trained, queried and saved as gensim's users do it."""

from __future__ import annotations

import logging
import os
import time
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from w2v.compat.gensim.arguments import (
    OWN_SETTINGS,
    check_model,
    check_training,
    context_settings,
    training_settings,
)
from w2v.compat.gensim.hooks import Hooks
from w2v.compat.gensim.lifecycle import Lifecycle
from w2v.compat.gensim.locking import frozen_keys, lock
from w2v.compat.gensim.names import OLD_MODEL_NAMES, ClassOnly, attribute_error, refuse_arguments
from w2v.compat.gensim.persistence import read_word2vec, write_word2vec
from w2v.compat.gensim.scanning import RawCounts, TrimRule, encode_corpus, raw_counts, restricted
from w2v.compat.gensim.telling import Telling
from w2v.compat.gensim.vectors import KeyedVectors
from w2v.compat.gensim.vocabulary_building import VocabularyBuilding
from w2v.corpus import EncodedCorpus
from w2v.errors import NotAvailableError
from w2v.settings import CorpusSettings
from w2v.training import Progress, Training
from w2v.training.result import embedding_of
from w2v.vocabulary import Vocabulary

__all__ = ["Word2Vec"]

logger = logging.getLogger(__name__)

_SEED_STEP = 0x9E3779B97F4A7C15


class Word2Vec(VocabularyBuilding, Telling, Lifecycle):
    """Skip-gram with negative sampling, with the arguments and attributes of gensim 4.

    Parameters
    ----------
    sentences : iterable of token lists, optional
        Tokens are strings, or integers. It is gone through once, so that a generator will do. Without a corpus, call
        `build_vocab` and `train`.
    corpus_file : str or path, optional
        In place of it: text, a line a sentence, plain or compressed.
    vector_size, alpha, window, min_count, sample, min_alpha, negative, ns_exponent, epochs, shrink_windows
        As everywhere in this package, with the same defaults. ``min_count=0`` is 1.
    workers : int
        Threads. Results repeat exactly for 1 only.
    seed : int or None
        None draws one, which the attribute `seed` then holds.
    sg, hs
        Left out, or 1 and 0: skip-gram with negative sampling. gensim's ``sg=0`` (CBOW, which an omitted `sg` means
        there) and ``hs=1`` are refused.
    max_final_vocab : int, optional
        Raise `min_count` until no more than so many words reach it.
    trim_rule : callable, optional
        See `build_vocab`.
    compute_loss : bool
        Has no effect: the loss is always computed; see `get_latest_training_loss`.
    callbacks : list
        See `CallbackAny2Vec`.
    comment : str, optional
        Kept with the model.
    max_vocab_size : int, optional
        Drop rare words while counting, whenever there are more types than this; their counts are inexact then.
    batch_words, hashfxn
        Have no effect: work is cut into chunks, and nothing depends on hashes.
    cbow_mean
        Matters to `predict_output_word` alone: 0 takes the sum of the vectors in place of their mean.
    null_word, sorted_vocab
        Only 0 and 1.
    algorithm, block_size, shared_negatives, accidental_hits, subsampling : optional
        Settings of this package that gensim has not; see `TrainingSettings` and `ContextSettings`.

    Attributes
    ----------
    wv : KeyedVectors
        The word vectors (W).
    syn1neg : (V, d) float32
        The context vectors (C).
    corpus_count, corpus_total_words : int
        Sentences and tokens of the corpus that was counted last.
    epoch_losses : list of float
        Mean loss per positive pair, in nats, of every epoch trained so far.
    seed, window, negative, alpha, ... :
        The arguments.

    Examples
    --------
    >>> model = Word2Vec([["up", "high"], ["down", "low"]] * 50, vector_size=8, min_count=1, workers=1)
    >>> len(model.wv), model.wv["up"].shape
    (4, (8,))
    """

    _substitutes = False

    def __init__(
        self,
        sentences: Any = None,
        corpus_file: Any = None,
        vector_size: int = 100,
        alpha: float = 0.025,
        window: int = 5,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        sample: float = 1e-3,
        seed: int | None = 1,
        workers: int = 3,
        min_alpha: float = 0.0001,
        sg: int = 1,
        hs: int = 0,
        negative: int = 5,
        ns_exponent: float = 0.75,
        cbow_mean: int = 1,
        hashfxn: Any = hash,
        epochs: int = 5,
        null_word: int = 0,
        trim_rule: TrimRule | None = None,
        sorted_vocab: int = 1,
        batch_words: int = 10_000,
        compute_loss: bool = False,
        callbacks: Any = (),
        comment: str | None = None,
        max_final_vocab: int | None = None,
        shrink_windows: bool = True,
        **own_settings: Any,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "own_settings", "__class__")}
        unknown = [name for name in own_settings if name not in OWN_SETTINGS]
        refuse_arguments("Word2Vec", unknown, (*given, *OWN_SETTINGS))
        self.negative, self.seed = check_model(given, substitute=self._substitutes)
        self.own_settings = own_settings
        self.vector_size = self.layer1_size = vector_size
        self.alpha, self.min_alpha = alpha, min_alpha
        self.window, self.shrink_windows = window, bool(shrink_windows)
        self.min_count, self.max_final_vocab, self.max_vocab_size = min_count, max_final_vocab, max_vocab_size
        self.sample, self.ns_exponent = sample, ns_exponent
        self.workers, self.epochs = workers, epochs
        self.sg, self.hs, self.cbow_mean, self.null_word, self.sorted_vocab = 1, 0, cbow_mean, 0, 1
        self.batch_words, self.hashfxn = batch_words, hashfxn
        self.compute_loss, self.comment = bool(compute_loss), comment
        self._trim_rule = trim_rule
        self._training_settings()  # refuses what cannot work before anything is read
        context_settings(self)
        hooks = Hooks(callbacks)

        self.wv = KeyedVectors(self.vector_size)
        self.syn1neg: NDArray[np.float32] = np.zeros((0, self.vector_size), dtype=np.float32)
        self.raw_vocab: dict[Any, int] = {}
        self.effective_min_count = max(1, min_count)
        self.corpus_count = self.corpus_total_words = 0
        self.train_count = 0
        self.total_train_time = 0.0
        self.min_alpha_yet_reached = float(alpha)
        self.running_training_loss = 0.0
        self.epoch_losses: list[float] = []
        self.provenance: dict[str, Any] = {}
        if sentences is not None or corpus_file is not None:
            self._build_and_train(sentences, corpus_file, hooks)

    def _training_settings(self, **changes: Any) -> Any:
        values = {"alpha": self.alpha, "min_alpha": self.min_alpha, "epochs": self.epochs, "seed": self.seed}
        return training_settings(self, **{**values, **changes})

    def _build_and_train(self, sentences: Any, corpus_file: Any, hooks: Hooks) -> None:
        """Go through the corpus once, for the vocabulary and for the training."""
        plain = self._trim_rule is None and self.max_final_vocab is None and not self.max_vocab_size
        settings = CorpusSettings(min_count=max(1, self.min_count) if plain else 1)
        with encode_corpus(sentences, corpus_file, settings) as corpus:
            if plain:  # the encoder has chosen the words; what it counted besides is not needed
                vocabulary = corpus.vocabulary
                counts = dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True))
                raw = RawCounts(counts, corpus.source.tokens, corpus.source.lines)
            else:
                raw = raw_counts(corpus, self.max_vocab_size, self._trim_rule)
            self._build(raw)
            self._run(corpus if plain else restricted(corpus, self._vocabulary()), hooks, self._training_settings())

    def train(
        self,
        corpus_iterable: Any = None,
        corpus_file: Any = None,
        total_examples: int | None = None,
        total_words: int | None = None,
        epochs: int | None = None,
        start_alpha: float | None = None,
        end_alpha: float | None = None,
        word_count: int = 0,
        queue_factor: int = 2,
        report_delay: float = 1.0,
        compute_loss: bool = False,
        callbacks: Any = (),
        **kwargs: Any,
    ) -> tuple[int, int]:
        """Train on a corpus, going on from the vectors that are there.

        Parameters
        ----------
        corpus_iterable : iterable of token lists
            Gone through once, whatever the number of epochs. Words that are not in the vocabulary are left out.
        corpus_file : str or path
            In place of it.
        total_examples, total_words : int
            One of them must be given (`total_words` with `corpus_file`), as in gensim; neither has an effect, since the
            corpus is counted as it is read.
        epochs : int
            Must be given too.
        start_alpha, end_alpha : float, optional
            Learning rate of this call; the attributes `alpha` and `min_alpha` stay as they are.
        callbacks : list
            See `CallbackAny2Vec`.
        word_count, queue_factor, report_delay, compute_loss
            Have no effect; the loss is always computed.

        Returns
        -------
        words, raw_words : int
            Tokens of the vocabulary (before subsampling), and all tokens, over all epochs.

        Raises
        ------
        NotAvailableError
            (a RuntimeError) when there is no vocabulary yet, or vectors were added that have no row in `syn1neg`.
        SettingsError
            (a ValueError) when `epochs` or the size of the corpus is missing.
        """
        refuse_arguments("train", kwargs, ("corpus_iterable", "corpus_file", "epochs", "start_alpha", "end_alpha"))
        if hasattr(type(self), "_do_train_job"):
            raise NotAvailableError(
                f"{type(self).__name__} hooks into the inner loop of gensim (_do_train_job), which there is not here: "
                "pass what it makes of its sentences as a corpus"
            )
        if not len(self.wv):
            raise NotAvailableError("there is no vocabulary yet: call build_vocab before train")
        check_training(epochs, total_examples, total_words, corpus_file)
        if self.wv.vectors.shape != self.syn1neg.shape:
            raise NotAvailableError(
                f"wv.vectors has shape {self.wv.vectors.shape}, syn1neg {self.syn1neg.shape}: vectors that were added "
                "or loaded by themselves cannot be trained; build_vocab(..., update=True) adds words with both"
            )
        # another call, another stream of random numbers; the first is that of w2v.train
        settings = self._training_settings(
            alpha=self.alpha if start_alpha is None else start_alpha,
            min_alpha=self.min_alpha if end_alpha is None else end_alpha,
            epochs=epochs,
            seed=(self.seed + _SEED_STEP * self.train_count) % 2**63,
        )
        hooks = Hooks(callbacks)
        if settings.alpha > self.min_alpha_yet_reached:
            logger.warning(
                "Effective 'alpha' higher than previous training cycles: it starts at %g, and had come down to %g",
                *(settings.alpha, self.min_alpha_yet_reached),
            )
        with encode_corpus(corpus_iterable, corpus_file, CorpusSettings(min_count=1), self._vocabulary()) as corpus:
            self._run(corpus, hooks, settings)
            return len(corpus) * settings.epochs, corpus.source.tokens * settings.epochs

    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self.wv.index_to_key, self.wv.expandos["count"])

    def _run(self, corpus: EncodedCorpus, hooks: Hooks, settings: Any) -> None:
        started, frozen = time.perf_counter(), frozen_keys(self.wv)
        session = Training(corpus, context_settings(self), settings, may_learn_nothing=True)
        session.W[:], session.C[:] = self.wv.vectors, self.syn1neg
        if frozen is not None:
            session.freeze(frozen)
        self.wv.vectors, self.syn1neg = session.W, session.C

        def report(progress: Progress) -> None:
            if not progress.epoch_done:
                return
            self._note_epoch(session)
            logger.info(
                "epoch %d of %d: loss %.4f, %.0f words/s",
                *(progress.epoch, progress.epochs, progress.loss, progress.words_per_second),
            )
            hooks.call("on_epoch_end", self)
            if progress.epoch < progress.epochs:
                hooks.call("on_epoch_begin", self)

        hooks.call("on_train_begin", self)
        hooks.call("on_epoch_begin", self)
        try:
            session.run(report)
        finally:
            self.wv.vectors, self.syn1neg = np.ascontiguousarray(session.W), np.ascontiguousarray(session.C)
            self.wv.vectors_changed()
            self.train_count += 1
            self.total_train_time += time.perf_counter() - started
        hooks.call("on_train_end", self)

    def _note_epoch(self, session: Training) -> None:
        self.wv.vectors_changed()
        self.epoch_losses.append(session.losses[-1])
        self.running_training_loss = session.losses[-1]
        self.min_alpha_yet_reached = min(self.min_alpha_yet_reached, session.training.min_alpha)
        self.provenance = embedding_of(session).provenance

    def save(self, fname: str | os.PathLike[str], *args: Any, **kwargs: Any) -> None:
        """Write the whole model as one file (safetensors), replacing an older one.

        The further arguments of gensim (`separately`, `sep_limit`, `ignore`, `pickle_protocol`, ...) have no effect.
        Every other part of this package reads the file too, such as ``w2v.load`` and the command line.
        """
        write_word2vec(self, fname)

    @classmethod
    def load(cls, fname: str | os.PathLike[str], *args: Any, **kwargs: Any) -> Self:
        """Read a model that `save` wrote, or ``w2v.Embedding.save``, or the command ``w2v train``.

        Raises
        ------
        FormatError
            When the file holds word vectors alone (`KeyedVectors.load` reads those), or no vectors. Pickles, among
            them what gensim itself saves, are never opened.
        """
        stored = read_word2vec(fname)
        embedding = stored.embedding
        model = cls.__new__(cls)
        Word2Vec.__init__(model, **stored.arguments)  # whatever arguments a subclass has
        model.wv = KeyedVectors.of(embedding)
        model.syn1neg = np.array(embedding.C)
        for name, value in stored.state.items():
            setattr(model, name, value)
        if stored.frozen:
            lock(model.wv, stored.frozen, 0.0)
        model.epoch_losses = list(embedding.losses)
        model.provenance = embedding.provenance
        return model

    def init_sims(self, replace: bool = False) -> None:
        """Call `KeyedVectors.init_sims`; an old name."""
        self.wv.init_sims(replace)

    def estimate_memory(self, vocab_size: int | None = None, report: dict[str, int] | None = None) -> dict[str, int]:
        """Return the bytes that a model of so many words takes, by part."""
        size = vocab_size or len(self.wv)
        matrix = 4 * size * self.vector_size
        estimate = {**(report or {}), "vocab": 200 * size, "vectors": matrix, "syn1neg": matrix}
        return {**estimate, "total": 200 * size + 2 * matrix}

    def __str__(self) -> str:
        return f"{type(self).__name__}<vocab={len(self.wv)}, vector_size={self.vector_size}, alpha={self.alpha}>"

    def __getattr__(self, name: str) -> Any:
        raise attribute_error(type(self).__name__, name, OLD_MODEL_NAMES)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_trim_rule": None}  # often a lambda, which no process can hand to another


# on an instance it would return another model and leave that one as it is, which nobody who writes it means
Word2Vec.load = ClassOnly(Word2Vec.load.__func__)  # type: ignore[assignment, attr-defined]
