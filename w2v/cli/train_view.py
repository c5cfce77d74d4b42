"""The progress of a training for a person: a bar where standard error is a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from w2v.cli.terminal import duration, note, stderr_is_terminal
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.training import Progress

__all__ = ["TrainView"]

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_UNTIL_NOTICE = 1.0
_BAR = "{desc} {percentage:3.0f}%|{bar}| {postfix}"


class TrainView:
    """Tells on standard error what `w2v train` does; nothing but hints when `quiet`."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bars = stderr_is_terminal() and not quiet
        self._bar: Any = None
        self._last = time.perf_counter()
        self._notice: threading.Event | None = None
        self._noticed = False

    def say(self, text: str) -> None:
        """Write a line, unless quiet."""
        if not self._quiet:
            note(text)

    def hint(self, text: str) -> None:
        """Write what the corpus room noticed about the text; a quiet training shows it too, it is about its result."""
        if self._bar is not None:
            self._bar.clear()
        note(f"Hint: {text}")

    def start_reading(self, files: Sequence[str]) -> None:
        """Say what is read."""
        names = "standard input" if list(files) == ["-"] else files[0]
        self.say(f"Reading {names}{f' and {len(files) - 1} more' if len(files) > 1 else ''}")
        self._expect_compilation()

    def reading(self, done: int, total: int | None) -> None:
        """Show the bytes read so far."""
        if self._notice is not None:
            self._compiled()
        if self._bars:
            if self._bar is None:
                from tqdm import tqdm

                self._bar = tqdm(total=total, unit="B", unit_scale=True, leave=False, desc="Reading")
            self._bar.total = total
            self._bar.update(done - self._bar.n)
        elif self._due():
            of = f" of {total / 1e6:,.0f} MB" if total else " MB"
            self.say(f"Reading: {done / 1e6:,.0f}{of}")

    def read(self, words: int, tokens: int, sentences: int, seconds: float) -> None:
        """Say what the corpus is."""
        self.close()
        found = counted(words, "word"), counted(tokens, "token"), counted(sentences, "sentence")
        self.say(f"{', '.join(found)} ({duration(seconds)})")
        self._last = time.perf_counter()

    @contextlib.contextmanager
    def compiling(self) -> Iterator[None]:
        """Say so if kernels are compiled in the block, rather than loaded from the cache."""
        self._expect_compilation()
        try:
            yield
        finally:
            self._compiled()

    def _expect_compilation(self) -> None:
        from w2v.kernels import compilations

        if self._notice is None and not self._noticed:
            self._notice = threading.Event()
            watch = threading.Thread(target=self._watch_compiler, args=(self._notice, compilations()), daemon=True)
            with contextlib.suppress(RuntimeError):  # no thread to be had: then nothing is said
                watch.start()

    def _watch_compiler(self, end: threading.Event, before: int) -> None:
        from w2v.kernels import compilations

        while not end.wait(_SECONDS_UNTIL_NOTICE):
            if compilations() > before:
                self._noticed = True
                self.say("Compiling the kernels, once per machine: about half a minute")
                return

    def _compiled(self) -> None:
        if self._notice is not None:
            self._notice.set()
            self._notice = None
        self._last = time.perf_counter()

    def training(self, progress: Progress) -> None:
        """Show where the training stands."""
        if progress.epoch_done:
            self._end_of_epoch(progress)
        elif self._bars:
            if self._bar is None:
                from tqdm import tqdm

                self._bar = tqdm(total=progress.total_words, leave=False, bar_format=_BAR)
            self._bar.set_description_str(f"Epoch {progress.epoch}/{progress.epochs}", refresh=False)
            self._bar.set_postfix_str(_state(progress), refresh=False)
            self._bar.n = progress.words
            self._bar.refresh()
        elif self._due():
            share = progress.words / progress.total_words
            self.say(f"Epoch {progress.epoch}/{progress.epochs} {share:.0%}: {_state(progress)}")

    def _end_of_epoch(self, progress: Progress) -> None:
        if self._bar is not None:
            self._bar.clear()
        self.say(f"Epoch {progress.epoch}/{progress.epochs} done: {_state(progress)}")
        self._last = time.perf_counter()

    def _due(self) -> bool:
        now = time.perf_counter()
        if now - self._last < _SECONDS_BETWEEN_LINES:
            return False
        self._last = now
        return True

    def close(self) -> None:
        """Take a bar away, and the notice that is still to come."""
        if self._notice is not None:
            self._compiled()
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _state(progress: Progress) -> str:
    loss = "-" if math.isnan(progress.loss) else f"{progress.loss:.4f}"
    left = f", {duration(progress.seconds_left)} left" if progress.words < progress.total_words else ""
    if not math.isnan(progress.heldout_loss):
        loss += f" (held out {progress.heldout_loss:.4f})"
    return f"loss {loss}, {progress.words_per_second:,.0f} words/s, alpha {progress.alpha:.5f}{left}"
