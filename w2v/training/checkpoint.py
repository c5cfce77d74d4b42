"""Checkpoints: a model file that also holds what a training needs to go on as if nothing had happened."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.atomic import identity, remove_abandoned
from w2v.embedding.storage import write_model
from w2v.errors import FileAccessError
from w2v.training.cadence import Cadence
from w2v.training.result import embedding_of

if TYPE_CHECKING:
    from w2v.corpus import EncodedCorpus
    from w2v.training.session import Training

__all__ = ["STATE_KEY", "STATE_VERSION", "Checkpoints", "fingerprint"]

STATE_KEY = "training_state"
STATE_VERSION = 2  # 2: some words are frozen
_HASHED_AT_ONCE = 1 << 20  # items


class Checkpoints:
    """The checkpoint file of a training: when it is due, writing it, removing it in the end.

    Parameters
    ----------
    path : str or path-like
        The file. A new checkpoint takes the place of the one before when it is whole and on disk, not earlier. What
        stands there when this object is made may be replaced; what another training puts there later is neither
        replaced nor removed.
    every : str, int or None
        See `Cadence.parse`.
    """

    def __init__(self, path: str | os.PathLike[str], every: str | int | None = None) -> None:
        self.path = os.fspath(path)
        self.every = every
        self._cadence = Cadence.parse(every)
        self._words = 0
        self._time = time.perf_counter()
        self._fingerprint: str | None = None
        self.written = False
        self._own = identity(self.path)

    def begin(self, words: int) -> None:
        """Count the interval from now and from this number of words on."""
        self._words, self._time = words, time.perf_counter()

    def due(self, words: int) -> bool:
        """Return whether the next one is to be written, so many words into the training."""
        cadence = self._cadence
        if cadence.words is not None:
            return words // cadence.words > self._words // cadence.words
        return cadence.seconds is not None and time.perf_counter() - self._time >= cadence.seconds

    def save(self, session: Training) -> bool:
        """Write a checkpoint where one that fails is no reason to end the training; returns whether it was written.

        A full disk is told by a RuntimeWarning, and the checkpoint before this one stays.
        """
        self.begin(session.words_done)
        try:
            self.write(session)
        except FileAccessError as error:
            kept = "; the one before it was kept" if Path(self.path).exists() else ""
            warnings.warn(f"no checkpoint could be written: {error}{kept}", RuntimeWarning, stacklevel=2)
            return False
        return True

    def write(self, session: Training, path: str | None = None) -> None:
        """Write a checkpoint, to another place if one is given.

        Raises
        ------
        FileAccessError
            If it cannot be written, or another training has put its own there.
        TrainingError
            If the matrices are not finite; the last checkpoint is then still good.
        """
        session.check_finite()
        place = self.path if path is None else path
        if place == self.path and identity(place) not in (None, self._own):
            raise FileAccessError(f"{self.path} was written by another training meanwhile, and is not replaced")
        if self._fingerprint is None:
            self._fingerprint = fingerprint(session.corpus)
        ledger = session.ledger
        state: dict[str, Any] = {
            "version": 1 if session.frozen is None else 2,
            "epoch": ledger.epoch,
            "chunk": ledger.chunk,
            "heldout_losses": [None if math.isnan(loss) else loss for loss in ledger.heldout_losses],
            "plan": dataclasses.asdict(session.plan),
            "encoded_sha256": self._fingerprint,
            "story": session.story,
            "checkpoint_every": self.every,
        }
        others: dict[str, NDArray[Any]] = {"chunk_losses": ledger.chunk_losses, "chunk_pairs": ledger.chunk_pairs}
        if session.frozen is not None:
            others["frozen_rows"] = np.flatnonzero(session.frozen)
        embedding = embedding_of(session)
        write_model(
            place,
            embedding.vocabulary,
            embedding.W,
            embedding.C,
            settings=embedding.settings,
            provenance=embedding.provenance,
            losses=embedding.losses,
            metadata={STATE_KEY: json.dumps(state, separators=(",", ":"))},
            others=others,
            force=True,
        )
        self.written = True
        if place == self.path:
            self._own = identity(self.path)

    def remove(self) -> None:
        """Remove the file, if it is there, and what a kill in the middle of a save left: the training is complete."""
        if self.there:
            Path(self.path).unlink(missing_ok=True)
        remove_abandoned(self.path)

    @property
    def there(self) -> bool:
        """Whether the file is there and no other training's."""
        return self._own is not None and identity(self.path) == self._own


def fingerprint(corpus: EncodedCorpus) -> str:
    """Return the sha256 of a corpus as numbers: ids, then offsets, little-endian."""
    digest = hashlib.sha256()
    for array, dtype in ((corpus.ids, "<i4"), (corpus.offsets, "<i8")):
        for first in range(0, len(array), _HASHED_AT_ONCE):
            part: NDArray[Any] = np.ascontiguousarray(array[first : first + _HASHED_AT_ONCE], dtype=dtype)
            digest.update(part.data.cast("B"))
    return digest.hexdigest()
