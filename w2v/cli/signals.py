"""Ctrl-C and SIGTERM: they end a command, or the first one asks a training for a stop in order."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable
from time import monotonic
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["StopSignals", "Stopped"]

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_ECHO = 0.5  # seconds in which a signal is the first one come twice: timeout sends it to the process, then to its group
_ONCE_MORE = 0.02  # seconds until a signal that was lost is sent again


class Stopped(BaseException):
    """A signal to stop arrived where nothing can be saved; no `except Exception` swallows it."""

    def __init__(self, signum: int) -> None:
        self.signum = signum
        super().__init__(signal.Signals(signum).name)


class StopSignals:
    """Receives SIGINT, SIGTERM and SIGHUP inside a ``with`` block.

    While `ask` is None a signal raises `Stopped` at once. While it is a function, the first signal calls it and the
    work goes on to a place where it can stop; the second one raises `Stopped`. The echo of the first is no second one.

    Python drops an exception in a callback from C, such as numba has while it loads machine code. A `Stopped` that is
    lost so is raised again a moment later.

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
        self._hook: Any = None
        self._raised = self._lost = False
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        self._hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
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
        if self._timer is not None:
            self._timer.cancel()
        sys.unraisablehook = self._hook
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
        if self._lost and self.received is not None:
            self._lost = False
            raise Stopped(self.received)
        again = self.received is not None
        if not again:
            self.received, self._first_time = signum, monotonic()
        elif monotonic() - self._first_time < _ECHO:
            return
        if self._ask is None or again:
            self._raised = True
            raise Stopped(signum)
        self._ask()

    def _unraisable(self, what: Any) -> None:
        """Take an exception that Python has dropped."""
        if not isinstance(what.exc_value, Stopped):
            if not self._raised:  # else it comes of an object that was left half made
                self._hook(what)
            return
        self._lost = True
        self._timer = threading.Timer(_ONCE_MORE, _thread.interrupt_main, [what.exc_value.signum])
        self._timer.daemon = True
        self._timer.start()
