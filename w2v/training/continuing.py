"""Training a model further on new text: its vocabulary grows, its rows are kept, and how far they drift is told."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.corpus import EncodedCorpus, encode
from w2v.corpus.copying import copied
from w2v.embedding import Embedding, load
from w2v.errors import CorpusError, CorpusTypeError, NotAvailableError, SettingsError, W2VError
from w2v.plurals import counted
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
from w2v.training.drift import Drift, drift_between
from w2v.training.session import Training
from w2v.training.starting import sha256_of
from w2v.vocabulary import Vocabulary

__all__ = ["Growth", "continue_training", "drift_of", "grow", "inherited_settings"]

Settings = tuple[CorpusSettings, ContextSettings, TrainingSettings]
_IDS_AT_ONCE = 1 << 22


@dataclasses.dataclass(frozen=True, kw_only=True)
class Growth:
    """How a vocabulary grew.

    Attributes
    ----------
    old, new, dropped : int
        Words that the model had; words that the text adds; types of the text that are too rare to be added.
    occurring : int
        Old words that occur in the text.
    """

    old: int
    new: int
    dropped: int
    occurring: int

    def to_dict(self) -> dict[str, int]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


def inherited_settings(model: Embedding, given: Mapping[str, Any]) -> Settings:
    """Return the settings to train a model further: those given by name, else those it was trained with.

    The number of workers is not inherited, as it belongs to the machine.

    Raises
    ------
    NotAvailableError
        If the model has no context vectors, or does not say how it was trained.
    SettingsError
        If `vector_size` is given and is not that of the model.
    """
    if model.C is None:
        raise NotAvailableError("the model to continue from holds no context vectors (C): it cannot be trained further")
    homes: dict[str, Any] = {"corpus": CorpusSettings, "context": ContextSettings, "training": TrainingSettings}
    built: list[Any] = []
    for group, home in homes.items():
        recorded = model.settings.get(group)
        if not isinstance(recorded, Mapping):
            raise NotAvailableError(
                f"the model to continue from records no {group} settings; only one of w2v train can be trained further"
            )
        mine = {name: value for name, value in recorded.items() if name != "workers"}
        built.append(home.from_dict({**mine, **{name: given[name] for name in home.names() if name in given}}))
    training = built[2]
    if training.vector_size != model.vector_size:
        raise SettingsError(
            f"vector_size={training.vector_size}, but the model to continue from has "
            f"{counted(model.vector_size, 'dimension')}"
        )
    return built[0], built[1], built[2]


def continue_training(
    corpus: EncodedCorpus | str | os.PathLike[str] | Iterable[Any],
    model: Embedding,
    settings: Settings,
    *,
    path: str | os.PathLike[str] | None = None,
    freeze: bool = False,
    **more: Any,
) -> tuple[Training, Growth]:
    """Set up the training of a model on new text.

    Old words keep their rows of W and C, new ones start as those of a new model do. Counts are those of both texts
    together, and so are the laws of subsampling and noise. The learning rate starts anew, from `alpha` of the
    settings to `min_alpha`.

    Parameters
    ----------
    corpus : as for `w2v.corpus.encode`
        The new text. `min_count` bounds the words that are new in it, `max_vocab` all words, of which no old one is
        dropped. An encoded corpus has the words that it has, and is not closed.
    model : Embedding
        With context vectors.
    settings : (CorpusSettings, ContextSettings, TrainingSettings)
        See `inherited_settings`.
    path : path, optional
        Where the model was read from.
    freeze : bool
        Whether the word vectors of old words stay exactly as they are.
    **more
        `progress`, `directory` and `hint` of `w2v.corpus.encode`.

    Returns
    -------
    Training, Growth
        The corpus of the training is a copy, to be closed together with it.

    Raises
    ------
    CorpusError, CorpusTypeError, FileAccessError
    """
    corpus_settings, context, training = settings
    everything = dataclasses.replace(corpus_settings, min_count=1, max_vocab=None)
    encoded = encode(corpus, everything, **more)
    try:
        grown, growth, rows = grow(model.vocabulary, encoded, corpus_settings)
    finally:
        if encoded is not corpus:
            encoded.close()
    try:
        session = Training(grown, context, training)
    except BaseException:
        grown.close()
        raise
    assert model.C is not None
    session.set_rows(rows, model.W, model.C)
    if freeze:
        session.freeze(np.isin(np.arange(len(grown.vocabulary)), rows))
    session.story["continued_from"] = {
        "model": None if path is None else os.path.realpath(path),
        "sha256": None if path is None else sha256_of(path),
        "created": model.provenance.get("created"),
        "corpus": model.provenance.get("corpus"),
        "frozen": freeze,
        **growth.to_dict(),
    }
    return session, growth


def grow(
    vocabulary: Vocabulary, corpus: EncodedCorpus, settings: CorpusSettings
) -> tuple[EncodedCorpus, Growth, NDArray[np.intp]]:
    """Join a vocabulary with the words of a corpus.

    Parameters
    ----------
    vocabulary : Vocabulary
        The old one.
    corpus : EncodedCorpus
        With all its words.
    settings : CorpusSettings
        `min_count` and `max_vocab` are read; the grown corpus has these settings.

    Returns
    -------
    EncodedCorpus
        A copy of the corpus on the joint vocabulary, sorted by the counts of both together.
    Growth
    rows : (V_old,) intp
        Where each old word is now.

    Raises
    ------
    CorpusTypeError
        If one has strings and the other integer keys.
    CorpusError
        If no token is left: no word of the text is old or frequent enough.
    """
    if vocabulary.key_type != corpus.vocabulary.key_type:
        raise CorpusTypeError(
            f"the words of the model are of type {vocabulary.key_type}, those of the corpus "
            f"{corpus.vocabulary.key_type}"
        )
    words, counts, index = corpus.vocabulary.words, corpus.vocabulary.counts, vocabulary.index
    old = np.array([index.get(word, -1) for word in words], dtype=np.int64)
    added = np.flatnonzero((old < 0) & (counts >= settings.min_count))  # the most frequent first
    if settings.max_vocab is not None:
        added = added[: max(0, settings.max_vocab - len(vocabulary))]
    known = np.flatnonzero(old >= 0)
    if len(known) == 0 and len(added) == 0:
        raise CorpusError(
            f"none of the {counted(len(words), 'type')} of the text is a word of the model, and none reaches "
            f"min_count={settings.min_count} (most frequent has {int(counts.max())})"
        )
    joint: list[Any] = [*vocabulary.words, *(words[i] for i in added)]
    total = np.concatenate([vocabulary.counts, counts[added]])
    total[old[known]] += counts[known]
    order = sorted(range(len(joint)), key=lambda i: (-int(total[i]), joint[i]))
    rank = np.empty(len(joint), dtype=np.int64)
    rank[order] = np.arange(len(joint))
    numbers = np.full(len(words), -1, dtype=np.int32)
    numbers[known] = rank[old[known]]
    numbers[added] = rank[len(vocabulary) :]
    grown = copied(
        corpus,
        vocabulary=Vocabulary([joint[i] for i in order], total[order]),
        numbers=numbers,
        settings=settings,
        inside=False,
    )
    growth = Growth(
        old=len(vocabulary),
        new=len(added),
        dropped=len(words) - len(known) - len(added),
        occurring=len(known),
    )
    return grown, growth, rank[: len(vocabulary)].astype(np.intp)


def drift_of(session: Training, model: Embedding | None = None) -> Drift | None:
    """Return how far the old words have moved, and enter it in the story of the training.

    Parameters
    ----------
    session : Training
        Of `continue_training`, or resumed from a checkpoint of one.
    model : Embedding, optional
        What was continued from; by default it is loaded from where it was, if it is still there unchanged.

    Returns
    -------
    Drift or None
        None where the model cannot be found any more.
    """
    story = session.story.get("continued_from")
    if not isinstance(story, dict):
        return None
    if model is None:
        model = _found_again(story)
        if model is None:
            return None
    occurring = np.zeros(len(session.corpus.vocabulary), dtype=np.bool_)
    ids = session.corpus.ids
    for first in range(0, len(ids), _IDS_AT_ONCE):
        occurring[ids[first : first + _IDS_AT_ONCE]] = True
    drift = drift_between(model, session.corpus.vocabulary, session.W, occurring)
    story["drift"] = drift.to_dict()
    return drift


def _found_again(story: Mapping[str, Any]) -> Embedding | None:
    path = story.get("model")
    try:
        if isinstance(path, str) and sha256_of(path) == story.get("sha256"):
            return load(path)
    except (OSError, ValueError, W2VError):
        return None
    return None
