"""Going on from a checkpoint: its corpus is encoded again and must be the same, then the training is set up anew."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.corpus import CorpusSource, EncodedCorpus, encode
from w2v.embedding import recognise
from w2v.embedding.storage import StoredModel, read_model
from w2v.errors import CorpusError, FileAccessError, FormatError, NotAvailableError, SettingsError, TrainingError
from w2v.plurals import counted
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
from w2v.training.checkpoint import STATE_KEY, STATE_VERSION, fingerprint
from w2v.training.ledger import Ledger
from w2v.training.plan import TrainingPlan
from w2v.training.session import Training

__all__ = ["Checkpoint", "read_checkpoint"]


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Checkpoint:
    """A checkpoint as it was read.

    Attributes
    ----------
    path : str
    stored : StoredModel
        Words, counts, matrices (mapped), settings and provenance.
    corpus, context, training : CorpusSettings, ContextSettings, TrainingSettings
    source : CorpusSource
        Where the corpus was.
    plan : TrainingPlan
    ledger : Ledger
        Where the training stood.
    encoded_sha256 : str
        Of the corpus as numbers.
    frozen : (V,) bool, or None
        Words whose vectors stay as they are.
    story : dict
        What else belongs into the provenance of the model.
    checkpoint_every : str, int or None
    """

    path: str
    stored: StoredModel
    corpus: CorpusSettings
    context: ContextSettings
    training: TrainingSettings
    source: CorpusSource
    plan: TrainingPlan
    ledger: Ledger
    encoded_sha256: str
    frozen: NDArray[np.bool_] | None
    story: dict[str, Any]
    checkpoint_every: str | int | None

    def encode(
        self, corpus: EncodedCorpus | str | os.PathLike[str] | Iterable[Any] | None = None, **more: Any
    ) -> EncodedCorpus:
        """Encode the corpus again, from where it was recorded or from where it is now, with the recorded settings.

        Parameters
        ----------
        corpus : as for `w2v.corpus.encode`, optional
            Needed where the corpus has moved, came from standard input or was a Python object.
        **more
            `progress`, `directory` and `hint` of `w2v.corpus.encode`.

        Raises
        ------
        NotAvailableError
            If there is no file to read.
        CorpusError
            If it is not the corpus of the checkpoint.
        """
        files: Any = self.files() if corpus is None else corpus
        encoded = encode(files, self.corpus, vocabulary=self.stored.vocabulary, **more)
        try:
            self._check(encoded)
        except BaseException:
            if encoded is not corpus:
                encoded.close()
            raise
        return encoded

    def files(self) -> list[Path]:
        """Return the recorded files; raises `NotAvailableError` when they are not there."""
        if self.source.kind != "files":
            kind = "standard input" if self.source.kind == "stdin" else "a Python object"
            raise NotAvailableError(f"{self.path} is of a training on {kind}: give the same corpus once more")
        for path in self.source.paths:
            if not Path(path).exists():
                raise NotAvailableError(
                    f"the corpus {path} of {self.path} is not there any more; if it was moved, give its new place"
                )
        return [Path(path) for path in self.source.paths]

    def _check(self, encoded: EncodedCorpus) -> None:
        here, there = encoded.source.sha256, self.source.sha256
        if here is not None and there is not None and here != there:
            raise CorpusError(
                f"this is not the text that {self.path} was trained on: its sha256 is {here}, the checkpoint recorded "
                f"{there}; a training is continued on the same text only (--continue-from trains on another)"
            )
        if fingerprint(encoded) != self.encoded_sha256:
            same = "the text is the same, but its words are not" if here is not None and here == there else "it differs"
            raise CorpusError(
                f"this is not the corpus that {self.path} was trained on: {same}"
                f" ({counted(len(encoded), 'token')} in {counted(encoded.sentences, 'sentence')} now)"
            )

    def restore(self, corpus: EncodedCorpus, *, workers: int | None = None) -> Training:
        """Return the training as it stood, on the corpus of `encode`."""
        training = self.training if workers is None else dataclasses.replace(self.training, workers=workers)
        session = Training(corpus, self.context, training, plan=self.plan)
        try:
            if len(session.trained) != self.plan.tokens:
                planned = counted(self.plan.tokens, "token")
                raise FormatError(f"{self.path}: its plan is for {planned}, not {len(session.trained)}")
            assert self.stored.C is not None
            session.set_rows(slice(None), self.stored.W, self.stored.C)
            if self.frozen is not None:
                session.freeze(self.frozen)
            session.ledger = dataclasses.replace(
                self.ledger, chunk_losses=self.ledger.chunk_losses.copy(), chunk_pairs=self.ledger.chunk_pairs.copy()
            )
            session.story = dict(self.story)
            try:
                session.check_finite()
            except TrainingError as error:
                raise FormatError(f"{self.path} cannot be resumed: {error}") from None
        except BaseException:
            session.close()
            raise
        return session


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint; all that it says is checked, the corpus is not looked at.

    Raises
    ------
    FormatError
        If it is damaged, or no checkpoint; the message says what it is.
    FileAccessError
    """
    name = os.fspath(path)
    try:
        kind = recognise(name)
    except FileAccessError as error:
        model = name.removesuffix(".ckpt")
        if model != name and isinstance(error.__cause__, FileNotFoundError) and Path(model).exists():
            raise FileAccessError(
                f"{error}: it was removed when its training was complete, and {model} is there"
            ) from error
        raise
    if kind != "model":
        raise FormatError(f"{name} is no checkpoint but a file of vectors ({kind})")
    stored = read_model(name)
    if STATE_KEY not in stored.metadata:
        training = "a finished" if stored.provenance.get("finished", True) else "an interrupted"
        raise FormatError(
            f"{name} is a model of {training} training and no checkpoint: it holds nothing to resume from; to train "
            "it further on a text use --continue-from"
        )
    try:
        return _checkpoint(name, stored, json.loads(stored.metadata[STATE_KEY]))
    except FormatError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, SettingsError) as error:
        raise FormatError(f"{name}: the state of the training is damaged: {_told(error)}") from None


def _told(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)


def _checkpoint(name: str, stored: StoredModel, state: dict[str, Any]) -> Checkpoint:
    if type(state["version"]) is not int or state["version"] > STATE_VERSION:
        raise FormatError(
            f"{name} is a checkpoint of version {state['version']}, and this w2v reads up to {STATE_VERSION}; "
            "install a newer w2v"
        )
    training = TrainingSettings.from_dict(stored.settings["training"])
    recorded = TrainingPlan(**state["plan"])
    plan = TrainingPlan(recorded.tokens, training.epochs, training.alpha, training.min_alpha, recorded.chunk_tokens)
    _require(plan == recorded, "its plan does not fit the settings")
    ledger = Ledger(
        state["epoch"],
        state["chunk"],
        stored.losses,
        tuple(math.nan if loss is None else float(loss) for loss in state["heldout_losses"]),
        stored.others["chunk_losses"],
        stored.others["chunk_pairs"],
    )
    _require(stored.C is not None and stored.W.shape[1] == training.vector_size, "the matrices do not fit the settings")
    _require(
        all(type(number) is int for number in (plan.tokens, plan.chunk_tokens, ledger.epoch, ledger.chunk))
        and plan.tokens >= 1
        and 1 <= plan.chunk_tokens <= 1 << 30,
        "its plan is impossible",
    )
    _require(0 <= ledger.epoch <= plan.epochs and 0 <= ledger.chunk <= plan.chunks, "it stands outside of its plan")
    held = ledger.epoch if training.heldout > 0 else 0
    _require(len(ledger.losses) == ledger.epoch and len(ledger.heldout_losses) == held, "losses are missing")
    fits = ledger.chunk_losses.shape == ledger.chunk_pairs.shape == (plan.chunks,)
    fits = fits and ledger.chunk_losses.dtype == np.float64 and ledger.chunk_pairs.dtype == np.int64
    _require(fits, "the losses by chunk do not fit the plan")
    frozen = _frozen(stored, state["version"])
    every, story, digest = state["checkpoint_every"], state["story"], state["encoded_sha256"]
    _require(isinstance(story, dict) and isinstance(digest, str), "its story is no object")
    source = CorpusSource.from_dict(stored.provenance["corpus"])
    strings = (source.kind, source.sha256 or "", *source.paths)
    _require(all(isinstance(text, str) for text in strings), "its corpus is described by something else than text")
    return Checkpoint(
        path=name,
        stored=stored,
        corpus=CorpusSettings.from_dict(stored.settings["corpus"]),
        context=ContextSettings.from_dict(stored.settings["context"]),
        training=training,
        source=source,
        plan=plan,
        ledger=ledger,
        encoded_sha256=digest,
        frozen=frozen,
        story=story,
        checkpoint_every=every if isinstance(every, (str, int)) else None,
    )


def _frozen(stored: StoredModel, version: int) -> NDArray[np.bool_] | None:
    if version < 2:
        return None
    rows, V = stored.others["frozen_rows"], len(stored.vocabulary)
    fits = rows.dtype == np.int64 and rows.ndim == 1 and len(rows) > 0
    _require(fits and int(rows.min()) >= 0 and int(rows.max()) < V, "the frozen rows do not fit the matrices")
    frozen: NDArray[np.bool_] = np.zeros(V, dtype=np.bool_)
    frozen[rows] = True
    return frozen


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)
