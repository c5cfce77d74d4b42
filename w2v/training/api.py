"""The one call that turns text into vectors."""

from __future__ import annotations

import dataclasses
import datetime
import difflib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from w2v._version import __version__
from w2v.corpus import EncodedCorpus, encode
from w2v.embedding import Embedding
from w2v.errors import SettingsError
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
from w2v.training.progress import Progress
from w2v.training.session import Training

__all__ = ["embedding_of", "split_settings", "train", "train_encoded"]

_OLD_NAMES = {
    "size": "vector_size",
    "iter": "epochs",
    "max_final_vocab": "max_vocab",
    "max_vocab_size": "max_vocab",
    "min_learning_rate": "min_alpha",
    "start_alpha": "alpha",
    "end_alpha": "min_alpha",
    "dim": "vector_size",
    "threads": "workers",
}
_Settings = CorpusSettings | ContextSettings | TrainingSettings


def split_settings(values: dict[str, Any]) -> tuple[CorpusSettings, ContextSettings, TrainingSettings]:
    """Sort settings given by name into their three homes; raises `SettingsError` for a name that none has."""
    homes = (CorpusSettings, ContextSettings, TrainingSettings)
    known = {name for home in homes for name in home.names()}
    for name in values:
        if name not in known:
            close = _OLD_NAMES.get(name) or next(iter(difflib.get_close_matches(name, known, n=1)), None)
            hint = f"; did you mean {close!r}?" if close else f"; the settings are {', '.join(sorted(known))}"
            raise SettingsError(f"there is no setting {name!r}{hint}")
    corpus, context, training = (
        home(**{name: value for name, value in values.items() if name in home.names()}) for home in homes
    )
    return corpus, context, training  # type: ignore[return-value]


def train(
    corpus: EncodedCorpus | str | Path | Iterable[Any],
    *,
    report: Callable[[Progress], object] | None = None,
    **settings: Any,
) -> Embedding:
    """Train skip-gram vectors with negative sampling (Mikolov et al. 2013).

    Parameters
    ----------
    corpus : path, list of paths, iterable of token lists, or EncodedCorpus
        Text files (a line is a sentence), folders and globs; or sentences as lists of strings or of integer keys.
    report : callable, optional
        Called with a `Progress` while training.
    **settings
        Any setting of `CorpusSettings`, `ContextSettings` and `TrainingSettings` by name, such as ``vector_size=100``,
        ``window=5``, ``epochs=5``, ``min_count=5``, ``workers=1``, ``seed=1``. All are checked before the corpus is
        read. Corpus settings do not apply to a corpus that is encoded already.

    Returns
    -------
    Embedding
        Words, counts, W and C (V, d) float32, settings, provenance and the mean loss per pair of each epoch.

    Raises
    ------
    SettingsError, CorpusError, FileAccessError, TrainingError
    """
    corpus_settings, context, training = split_settings(settings)
    if isinstance(corpus, EncodedCorpus):
        return train_encoded(corpus, context, training, report=report)
    with encode(corpus, corpus_settings) as encoded:
        return train_encoded(encoded, context, training, report=report)


def train_encoded(
    corpus: EncodedCorpus,
    context: ContextSettings | None = None,
    training: TrainingSettings | None = None,
    *,
    report: Callable[[Progress], object] | None = None,
) -> Embedding:
    """Train on an encoded corpus; see `train`."""
    session = Training(corpus, context or ContextSettings(), training or TrainingSettings())
    session.run(report)
    return embedding_of(session)


def embedding_of(session: Training) -> Embedding:
    """Return what a training holds now as an `Embedding`; the matrices are shared, not copied."""
    corpus = session.corpus
    settings = {
        "corpus": corpus.settings.to_dict(),
        "context": session.context.to_dict(),
        "training": session.training.to_dict(),
    }
    provenance: dict[str, Any] = {
        "package_version": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "algorithm": f"SGNS, {session.training.algorithm}",
        "corpus": corpus.source.to_dict(),
        "finished": session.finished,
    }
    if not session.finished:
        provenance["stopped_at"] = {"epoch": session.epoch, "chunk": session.chunk, **dataclasses.asdict(session.plan)}
    return Embedding(
        corpus.vocabulary,
        session.W,
        session.C,
        settings=settings,
        provenance=provenance,
        losses=tuple(session.losses),
    )
