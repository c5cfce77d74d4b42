"""Where a training of ``w2v train`` starts: anew, from vectors (--init), a model (--continue-from), a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from w2v.cli.options import load_model, settings_from_options
from w2v.cli.terminal import shown
from w2v.errors import SettingsError
from w2v.plurals import counted
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings

if TYPE_CHECKING:
    from w2v.embedding import Embedding
    from w2v.training import Checkpoint, Start, Training

__all__ = ["Origin", "StartOptions", "origin_of"]

_FREE = ("workers",)  # settings that may differ when a training is resumed


class Origin:
    """A training that has yet to be set up.

    Attributes
    ----------
    files : list of str
        The text.
    settings : (CorpusSettings, ContextSettings, TrainingSettings)
    """

    files: list[str]
    settings: tuple[CorpusSettings, ContextSettings, TrainingSettings]

    def open(self, **reading: Any) -> Training:
        """Read the text and set the training up; its corpus is to be closed with it."""
        raise NotImplementedError

    def lines(self, session: Training) -> list[str]:
        """Return what is to be told before the training begins."""
        return []

    def last_lines(self, session: Training) -> list[str]:
        """Return what is to be told when it has ended."""
        return []


class Fresh(Origin):
    """A new training on text."""

    def __init__(self, files: Sequence[str], given: Mapping[str, Any]) -> None:
        self.files, self.settings = list(files), settings_from_options(given)

    def open(self, **reading: Any) -> Training:
        """Encode the files and begin."""
        from w2v.corpus import encode_files
        from w2v.training import Training

        corpus_settings, context, training = self.settings
        return _on(
            lambda: encode_files(self.files, corpus_settings, **reading), lambda c: Training(c, context, training)
        )


class Given(Fresh):
    """A new training on text that starts from given vectors."""

    start: Start

    def __init__(self, path: str, files: Sequence[str], given: Mapping[str, Any], *, freeze: bool) -> None:
        from w2v.embedding import load
        from w2v.training import settings_for

        self.path, self.freeze = path, freeze
        self.vectors: Embedding = load(path)
        super().__init__(files, settings_for(self.vectors, given, path=path))

    def open(self, **reading: Any) -> Training:
        """Encode the files and put the vectors in their places."""
        from w2v.training import start_from

        session = super().open(**reading)
        try:
            self.start = start_from(session, self.vectors, path=self.path, freeze=self.freeze)
        except BaseException:
            session.close()
            session.corpus.close()
            raise
        return session

    def lines(self, session: Training) -> list[str]:
        """Say how many words start from them."""
        start = self.start
        frozen = ", frozen" if start.frozen else ""
        both = " and context vectors" if start.context_vectors else ""
        return [
            f"Start: {counted(start.taken, 'word')} with the vectors{both} of {self.path} "
            f"({counted(start.given, 'word')}){frozen}; {counted(start.fresh, 'word')} without"
        ]


class Resumed(Origin):
    """A training that was interrupted."""

    def __init__(self, path: str, files: Sequence[str], given: Mapping[str, Any]) -> None:
        from w2v.training import read_checkpoint

        refused = [f"--{name.replace('_', '-')}" for name in given if name not in _FREE]
        if refused:
            raise SettingsError(
                f"--resume goes on with the settings of {path}; {', '.join(refused)} cannot be changed (--workers "
                "can); --continue-from trains a model further with others"
            )
        self.checkpoint: Checkpoint = read_checkpoint(path)
        self._workers: int | None = given.get("workers")
        self._given = list(files)
        self.files = list(files) or [str(file) for file in self.checkpoint.files()]
        self.settings = self.checkpoint.corpus, self.checkpoint.context, self.checkpoint.training

    def open(self, **reading: Any) -> Training:
        """Encode the same corpus again and go on where it stood."""
        files = [Path(file) for file in self._given] or None
        return _on(
            lambda: self.checkpoint.encode(files, **reading),
            lambda corpus: self.checkpoint.restore(corpus, workers=self._workers),
        )

    def lines(self, session: Training) -> list[str]:
        """Say where it goes on."""
        share = session.words_done / (session.plan.tokens * session.plan.epochs)
        epoch = min(session.epoch + 1, session.plan.epochs)
        return [
            f"Going on in epoch {epoch} of {session.plan.epochs}, after {share:.0%} of the training, with alpha "
            f"{session.progress().alpha:.5f}"
        ]

    def last_lines(self, session: Training) -> list[str]:
        """Say how far old words moved, if this was a model trained further."""
        return _drift_lines(session, None)


class Continued(Origin):
    """A model that is trained further on other text."""

    def __init__(self, path: str, files: Sequence[str], given: Mapping[str, Any], *, freeze: bool) -> None:
        from w2v.training import inherited_settings

        self.path, self.files, self.freeze = path, list(files), freeze
        self.model: Embedding = load_model(path)
        self.settings = inherited_settings(self.model, given)

    def open(self, **reading: Any) -> Training:
        """Encode the new text, join the vocabularies, and put the old rows in their places."""
        from w2v.training import continue_training

        files = [Path(file) for file in self.files]
        session, self.growth = continue_training(
            files, self.model, self.settings, path=self.path, freeze=self.freeze, **reading
        )
        return session

    def lines(self, session: Training) -> list[str]:
        """Say how the vocabulary grew and what the learning rate will be."""
        growth, training = self.growth, session.training
        old = f"{counted(growth.old, 'old word')}{', frozen' if self.freeze else ''}"
        dropped = f"{counted(growth.dropped, 'word')} of the text dropped as too rare"
        return [
            f"Vocabulary: {old} ({growth.occurring:,} of them occur in the text), {counted(growth.new, 'new word')}, "
            f"{dropped}",
            f"Learning rate: from alpha {training.alpha:g} down to {training.min_alpha:g} over "
            f"{counted(training.epochs, 'epoch')} of the new text",
        ]

    def last_lines(self, session: Training) -> list[str]:
        """Say how far old words moved."""
        return _drift_lines(session, self.model)


def _on(encode: Callable[[], Any], begin: Callable[[Any], Training]) -> Training:
    corpus = encode()
    try:
        return begin(corpus)
    except BaseException:
        corpus.close()
        raise


def _drift_lines(session: Training, model: Embedding | None) -> list[str]:
    from w2v.training import drift_of

    if "continued_from" not in session.story:
        return []
    drift = drift_of(session, model)
    if drift is None:
        return ["Drift: not known, as the model that was continued from is not there any more"]
    lines = []
    for which, cosines in (("occur in the new text", drift.occurring), ("do not", drift.absent)):
        if cosines is None:
            continue
        if cosines.lowest == 1.0:
            lines.append(f"Drift of the {counted(cosines.words, 'old word')} that {which}: none")
        else:
            lines.append(
                f"Drift of the {counted(cosines.words, 'old word')} that {which}: cosine of before and after "
                f"{cosines.mean:.4f} on average, {cosines.median:.4f} median, {cosines.p05:.4f} at 5%, "
                f"{cosines.lowest:.4f} lowest"
            )
    if drift.farthest:
        farthest = " ".join(f"{shown(word)} {cosine:.3f}" for word, cosine in drift.farthest[:5])
        lines.append(f"Moved farthest: {farthest}")
    return lines


class StartOptions(NamedTuple):
    """The options that say where a training starts."""

    resume: str | None
    continue_from: str | None
    init: str | None
    freeze: bool

    @property
    def files(self) -> list[str]:
        """The files that are read beside the text."""
        return [path for path in self[:3] if path is not None]

    @property
    def vectors(self) -> list[str]:
        """Those of the files that another training than this one wrote."""
        return [path for path in self[1:3] if path is not None]

    @property
    def has_settings(self) -> bool:
        """Whether settings that are not typed are those of a file."""
        return bool(self.files)


def origin_of(files: Sequence[str], start: StartOptions, given: Mapping[str, Any]) -> Origin:
    """Return what the options ask for; raises a usage error where they contradict each other."""
    named = [f"--{name.replace('_', '-')}" for name in StartOptions._fields[:3] if getattr(start, name) is not None]
    if len(named) > 1:
        raise click.UsageError(f"{' and '.join(named)} exclude each other")
    if start.freeze and start.init is None and start.continue_from is None:
        raise click.UsageError(
            "--freeze goes with --init or --continue-from"
            + ("" if start.resume is None else "; a training that is resumed stays frozen if it was")
        )
    if start.resume is not None:
        return Resumed(start.resume, files, given)
    if not files:
        raise click.UsageError("Missing argument 'FILE...'.")
    if start.continue_from is not None:
        return Continued(start.continue_from, files, given, freeze=start.freeze)
    if start.init is not None:
        return Given(start.init, files, given, freeze=start.freeze)
    return Fresh(files, given)
