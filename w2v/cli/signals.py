"""Ctrl-C and SIGTERM while training: the first one asks for a stop in order, the second one ends at once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from time import monotonic
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["StopSignals", "Stopped"]

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_ECHO = 0.5  # seconds in which a signal is the first one come twice: timeout sends it to the process, then to its group


class Stopped(BaseException):
    """A signal to stop arrived where nothing can be saved; no `except Exception` swallows it."""

    def __init__(self, signum: int) -> None:
        self.signum = signum
        super().__init__(signal.Signals(signum).name)


class StopSignals:
    """Receives SIGINT, SIGTERM and SIGHUP inside a ``with`` block.

    While `ask` is None a signal raises `Stopped` at once. While it is a function, the first signal calls it and the
    work goes on to a place where it can stop; the second one raises `Stopped`. The echo of the first is no second one.

    Attributes
    ----------
    received : int or None
        The first signal that was received.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._first_time = 0.0
        self._ask: Callable[[], object] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for name in _NAMES:
            number = getattr(signal, name, None)
            # what is ignored stays ignored: nohup, or a background job of a script
            if number is None or signal.getsignal(number) in (signal.SIG_IGN, None):
                continue
            try:
                self._before[number] = signal.signal(number, self._receive)
            except ValueError:  # not in the main thread, where no signal arrives either
                return self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def asking(self, ask: Callable[[], object]) -> None:
        """From now on let the first signal call `ask`; calls it at once if a signal has come already."""
        self._ask = ask
        if self.received is not None:
            ask()

    @property
    def status(self) -> int:
        """The exit status: 128 + the number of the signal."""
        return 128 + (self.received or 0)

    def _receive(self, signum: int, frame: FrameType | None) -> None:
        again = self.received is not None
        if not again:
            self.received, self._first_time = signum, monotonic()
        elif monotonic() - self._first_time < _ECHO:
            return
        if self._ask is None or again:
            raise Stopped(signum)
        self._ask()
