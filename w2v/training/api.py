"""The one call that turns text into vectors."""

from __future__ import annotations

import contextlib
import difflib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from w2v.corpus import EncodedCorpus, encode
from w2v.embedding import Embedding, check_target
from w2v.errors import SettingsError, TrainingError
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
from w2v.training.checkpoint import Checkpoints
from w2v.training.continuing import continue_training, drift_of, inherited_settings
from w2v.training.progress import Progress
from w2v.training.result import embedding_of
from w2v.training.resuming import read_checkpoint
from w2v.training.session import Training
from w2v.training.starting import loaded, settings_for, start_from

__all__ = ["resume", "run_to_end", "split_settings", "train", "train_encoded"]

Report = Callable[[Progress], object]
OnEpoch = Callable[[Progress, Embedding], object]

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
_NOT_HERE = {
    "sg": "skip-gram is all that is trained, so leave it out",
    "cbow": "only skip-gram is trained",
    "hs": "only negative sampling is trained, so leave it out",
    "cbow_mean": "it belongs to CBOW, and only skip-gram is trained",
    "compute_loss": "the loss is always computed: epoch_losses of the result",
    "callbacks": "pass a function as on_epoch, or as report",
}
_Settings = CorpusSettings | ContextSettings | TrainingSettings


def split_settings(values: dict[str, Any]) -> tuple[CorpusSettings, ContextSettings, TrainingSettings]:
    """Sort settings given by name into their three homes; raises `SettingsError` for a name that none has."""
    homes = (CorpusSettings, ContextSettings, TrainingSettings)
    known = {name for home in homes for name in home.names()}
    for name in values:
        if name not in known:
            if name in _NOT_HERE:
                raise SettingsError(f"there is no setting {name!r}: {_NOT_HERE[name]}")
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
    report: Report | None = None,
    on_epoch: OnEpoch | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: str | int | None = None,
    continue_from: Embedding | str | os.PathLike[str] | None = None,
    init: Embedding | str | os.PathLike[str] | None = None,
    freeze: bool = False,
    **settings: Any,
) -> Embedding:
    """Train skip-gram vectors with negative sampling (Mikolov et al. 2013).

    Parameters
    ----------
    corpus : path, list of paths, iterable of token lists, or EncodedCorpus
        Text files (a line is a sentence), folders and globs; or sentences as lists of strings or of integer keys.
    report : callable, optional
        Called with a `Progress` a few times a second and at the end of each epoch. When it returns ``w2v.STOP`` the
        training ends there; any other value is without effect.
    on_epoch : callable, optional
        Called at the end of each epoch with a `Progress` and the `Embedding` as it is then, whose matrices go on
        changing: copy what is to be kept. May return ``w2v.STOP`` too, as for early stopping.
    checkpoint : path, optional
        A file to which the state of the training is saved when it is due, when it is stopped, and when an exception
        such as KeyboardInterrupt ends it; `resume` goes on from there. Removed when all epochs are done.
    checkpoint_every : str or int, optional
        ``"10min"``, ``"200k"`` (words), ``"50M"``, a number of words; by default only when the training is stopped.
    continue_from : Embedding or path of a model, optional
        Train this model further: its words keep their rows, the words of `corpus` that are new to it are added, and
        counts are those of both texts. Settings that are not given are those of the model, the learning rate
        (`alpha` down to `min_alpha`) starting anew. ``provenance["continued_from"]`` of the result holds the numbers
        of old, new and dropped words and the drift: the cosines of old words before and after.
    init : Embedding or path of a file of vectors, optional
        Start from given vectors, of any format that `w2v.load` reads: words of the corpus that have one take its row,
        of W and (where the file has context vectors) of C; the others start as usual. `vector_size`, if given, must
        be that of the vectors. ``provenance["init"]`` of the result says how many words were taken, and from where.
    freeze : bool
        With `init`, or with `continue_from`: the word vectors that were taken stay exactly as they are, while their
        context vectors and all other words are trained.
    **settings
        Any setting of `CorpusSettings`, `ContextSettings` and `TrainingSettings` by name, such as ``vector_size=100``,
        ``window=5``, ``epochs=5``, ``min_count=5``, ``workers=1``, ``seed=1``. All are checked before the corpus is
        read. Corpus settings do not apply to a corpus that is encoded already.

    Returns
    -------
    Embedding
        Words, counts, W and C (V, d) float32, settings, provenance and the mean loss per pair of each epoch. Its
        ``provenance["finished"]`` says whether all epochs were trained.

    Raises
    ------
    SettingsError, CorpusError, FileAccessError, TrainingError
    """
    split_settings(settings)  # refuses before anything is read
    checkpoints = _checkpoints(checkpoint, checkpoint_every)
    if init is not None and continue_from is not None:
        raise SettingsError("init and continue_from exclude each other: a model that is trained further has vectors")
    if freeze and init is None and continue_from is None:
        raise SettingsError("freeze=True keeps given vectors as they are, and none are given: it goes with init")
    if continue_from is not None:
        model, path = loaded(continue_from)
        inherited = inherited_settings(model, settings)
        session, _ = continue_training(corpus, model, inherited, path=path, freeze=freeze)
        with session.corpus, session:
            return run_to_end(session, report=report, on_epoch=on_epoch, checkpoints=checkpoints, before=model)
    vectors, path = (None, None) if init is None else loaded(init)
    if vectors is not None:
        settings = settings_for(vectors, settings, path=path)
    corpus_settings, context, training = split_settings(settings)
    with contextlib.ExitStack() as stack:
        encoded = corpus
        if not isinstance(encoded, EncodedCorpus):
            encoded = stack.enter_context(encode(encoded, corpus_settings))
        session = stack.enter_context(Training(encoded, context, training))
        if vectors is not None:
            start_from(session, vectors, path=path, freeze=freeze)
        return run_to_end(session, report=report, on_epoch=on_epoch, checkpoints=checkpoints)


def train_encoded(
    corpus: EncodedCorpus,
    context: ContextSettings | None = None,
    training: TrainingSettings | None = None,
    *,
    report: Report | None = None,
    on_epoch: OnEpoch | None = None,
    checkpoints: Checkpoints | None = None,
) -> Embedding:
    """Train on an encoded corpus; see `train`."""
    with Training(corpus, context or ContextSettings(), training or TrainingSettings()) as session:
        return run_to_end(session, report=report, on_epoch=on_epoch, checkpoints=checkpoints)


def resume(
    path: str | os.PathLike[str],
    corpus: EncodedCorpus | str | Path | Iterable[Any] | None = None,
    *,
    report: Report | None = None,
    on_epoch: OnEpoch | None = None,
    checkpoint_every: str | int | None = None,
    workers: int | None = None,
) -> Embedding:
    """Go on with a training from its checkpoint, to the end.

    Epoch, position, learning rate, random numbers and losses go on where they stood: with one worker the result is
    that of a training that was never interrupted, bit for bit.

    Parameters
    ----------
    path : path
        The checkpoint, which is also where the next ones go; removed when all epochs are done.
    corpus : as for `train`, optional
        The same corpus, where it has moved or was no file; by default the recorded files. Another text is refused.
    report, on_epoch
        As for `train`.
    checkpoint_every : str or int, optional
        By default as before.
    workers : int, optional
        By default as before.

    Raises
    ------
    FormatError
        If the file is damaged or no checkpoint.
    NotAvailableError
        If the recorded files are not there.
    CorpusError
        If it is not the same corpus.
    FileAccessError, TrainingError
    """
    checkpoint = read_checkpoint(path)
    every = checkpoint.checkpoint_every if checkpoint_every is None else checkpoint_every
    checkpoints = Checkpoints(path, every)
    with contextlib.ExitStack() as stack:
        encoded = checkpoint.encode(corpus)
        if encoded is not corpus:
            stack.enter_context(encoded)
        session = stack.enter_context(checkpoint.restore(encoded, workers=workers))
        return run_to_end(session, report=report, on_epoch=on_epoch, checkpoints=checkpoints)


def run_to_end(
    session: Training,
    *,
    report: Report | None = None,
    on_epoch: OnEpoch | None = None,
    checkpoints: Checkpoints | None = None,
    before: Embedding | None = None,
) -> Embedding:
    """Run a training; what is not finished, for whatever reason, is saved to its checkpoint.

    `before` is the model that it was continued from, where it was.
    """

    def epoch_ended(progress: Progress) -> object:
        return None if on_epoch is None else on_epoch(progress, embedding_of(session))

    try:
        finished = session.run(report, on_epoch=epoch_ended, checkpoints=checkpoints)
    except TrainingError:
        raise
    except BaseException:
        if checkpoints is not None and session.sound:
            checkpoints.write(session)
        raise
    if finished:
        drift_of(session, before)
    if checkpoints is not None:
        if finished:
            checkpoints.remove()
        else:
            checkpoints.write(session)
    return embedding_of(session)


def _checkpoints(path: str | os.PathLike[str] | None, every: str | int | None) -> Checkpoints | None:
    if path is None:
        if every is not None:
            raise SettingsError("checkpoint_every is given without checkpoint, the file to write to")
        return None
    check_target(path, force=True)
    return Checkpoints(path, every)
