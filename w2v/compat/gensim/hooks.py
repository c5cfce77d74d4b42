"""Callbacks: calls into a program at the start and the end of a training and of each epoch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from w2v.errors import SettingsError

__all__ = ["CallbackAny2Vec", "Hooks"]


class CallbackAny2Vec:
    """Base of callbacks: a subclass overrides the methods that it needs.

    Each is called with the model. In `on_epoch_end` the vectors are those at the end of the epoch, no thread is at
    work, and the model may be queried and saved. An exception raised there ends the training; the model keeps what it
    has learnt.
    """

    def on_train_begin(self, model: Any) -> None:
        """Do nothing before the first epoch of a call of ``train``."""

    def on_epoch_begin(self, model: Any) -> None:
        """Do nothing before an epoch."""

    def on_epoch_end(self, model: Any) -> None:
        """Do nothing after an epoch."""

    def on_train_end(self, model: Any) -> None:
        """Do nothing after the last epoch."""


class Hooks:
    """The callbacks of one call of ``train``."""

    def __init__(self, callbacks: Any) -> None:
        if not isinstance(callbacks, Iterable):
            raise SettingsError(f"callbacks must be a list of callbacks; got {callbacks!r}: write [callback]")
        self._callbacks = list(callbacks)

    def call(self, moment: str, model: Any) -> None:
        """Call one method of all callbacks that have it."""
        for callback in self._callbacks:
            method = getattr(callback, moment, None)
            if method is not None:
                method(model)
