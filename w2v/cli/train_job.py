"""One run of ``w2v train``, from the text to the model file or to the checkpoint."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Any

from w2v._version import __version__
from w2v.cli.options import DEFAULT_MODEL
from w2v.cli.signals import StopSignals
from w2v.cli.terminal import note, shown
from w2v.cli.train_files import check_room, checkpoint_of, save_somewhere
from w2v.cli.train_log import TrainLog
from w2v.cli.train_origin import Origin
from w2v.cli.train_view import TrainView
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.training import Checkpoints, Training

__all__ = ["TrainJob"]

_EXAMPLE_WORDS = ("king", "man", "woman")


class TrainJob:
    """One training.

    Parameters
    ----------
    origin : Origin
        What is trained.
    output : str
        Where the model goes.
    force : bool
        Whether an older one may be replaced.
    every : str
        How often a checkpoint is written.
    signals, view, log
        Who may stop it, and who is told.
    """

    def __init__(
        self,
        origin: Origin,
        output: str,
        force: bool,
        every: str,
        signals: StopSignals,
        view: TrainView,
        log: TrainLog,
    ) -> None:
        from w2v.training import Checkpoints

        self.origin, self.output, self.force, self.every = origin, output, force, every
        self.signals, self.view, self.log = signals, view, log
        self.older = os.path.lexists(output)
        self.checkpoints = Checkpoints(checkpoint_of(output), every)
        self.started = time.perf_counter()

    def run(self) -> dict[str, Any]:
        """Read, train, save; returns the summary."""
        checkpoints = self.checkpoints
        with contextlib.ExitStack() as stack:
            session = self.set_up(stack)
            check_room(self.output, 8 * len(session.corpus.vocabulary) * session.training.vector_size)
            with self.view.compiling():
                session.compile()
            self.signals.asking(session.stop)
            self._train(session, checkpoints)
            return self._save(session, checkpoints)

    def set_up(self, stack: contextlib.ExitStack) -> Training:
        """Read the text; what is opened is closed by the stack."""
        settings = {name: value for home in self.origin.settings for name, value in home.to_dict().items()}
        files = self.origin.files
        self.log.write("start", version=__version__, files=files, output=self.output, settings=settings)
        self.view.start_reading(files)

        def reading(done: int, total: int | None) -> None:
            self.view.reading(done, total)
            self.log.at_times("reading", bytes=done, total_bytes=total)

        session = self.origin.open(progress=reading, hint=self.view.hint)
        stack.enter_context(session.corpus)
        stack.enter_context(session)
        corpus, seconds = session.corpus, time.perf_counter() - self.started
        self.view.read(len(corpus.vocabulary), len(corpus), corpus.sentences, seconds)
        heldout = session.heldout
        if heldout is not None:
            self.view.say(f"Held out: {counted(heldout.sentences, 'sentence')}, {counted(len(heldout), 'token')}")
        for line in self.origin.lines(session):
            self.view.say(line)
        self.log.write(
            "corpus",
            words=len(corpus.vocabulary),
            tokens=len(corpus),
            sentences=corpus.sentences,
            heldout_tokens=0 if heldout is None else len(heldout),
            seconds=seconds,
            source=corpus.source.to_dict(),
            **session.story,
        )
        return session

    def _train(self, session: Training, checkpoints: Checkpoints) -> None:
        def report(progress: Any) -> None:
            if self.signals.received is not None:
                session.stop()  # the signal may have come before the training began to listen
            self.view.training(progress)
            record = progress.to_dict()
            if record.pop("epoch_done"):
                self.log.write("epoch", **record)
            else:
                self.log.at_times("training", **record)

        session.run(report, checkpoints=checkpoints)
        self.view.close()

    def _save(self, session: Training, checkpoints: Checkpoints) -> dict[str, Any]:
        from w2v.training import embedding_of

        finished = session.finished
        path = self.output if finished else checkpoints.path
        self.signals.asking(lambda: None)  # the first Ctrl-C from here on lets the file be written
        progress, seconds = session.progress(), time.perf_counter() - self.started
        if finished:
            last_lines = self.origin.last_lines(session)
            embedding = embedding_of(session)
            save_somewhere(lambda place: embedding.save(place, force=self.force), path)
            checkpoints.remove()
            for line in last_lines:
                self.view.say(line)
        else:
            save_somewhere(lambda place: checkpoints.write(session, place), path)
        outcome = {
            "finished": finished,
            "model": path,
            "words": len(session.corpus.vocabulary),
            "vector_size": session.training.vector_size,
            "tokens": len(session.corpus),
            "sentences": session.corpus.sentences,
            "losses": list(session.losses),
            "words_per_second": progress.words_per_second,
            "seconds": seconds,
        }
        if session.heldout is not None:
            outcome["heldout_losses"] = list(session.heldout_losses)
        outcome.update(session.story)
        self.log.write("summary" if finished else "interrupted", **outcome)
        if finished:
            self.next_command = _next_command(session, self.output)
        else:
            share = progress.words / progress.total_words
            older = f"the older {self.output} was not touched" if self.older else f"{self.output} was not written"
            note(
                f"Interrupted in epoch {progress.epoch} of {progress.epochs}, after {share:.0%} of the training; "
                f"{older}. Go on with: w2v train --resume {path}. "
                f"It is a model file too, to be read with --model {path}."
            )
        return outcome

    def what_is_left(self) -> str:
        """Say what an end without a save leaves behind."""
        older = f"; the older {self.output} was not touched" if self.older else ""
        checkpoint = checkpoint_of(self.output)
        if self.checkpoints.there:
            return f"the last checkpoint is {checkpoint}; go on with: w2v train --resume {checkpoint}{older}."
        return f"nothing was written{older}."


def _next_command(session: Training, output: str) -> str:
    """Return a command that works with the model that was just trained."""
    words, index = session.corpus.vocabulary.words, session.corpus.vocabulary.index
    which = "" if output == DEFAULT_MODEL else f" --model {output}"
    if all(word in index for word in _EXAMPLE_WORDS):
        return f"w2v analogy {' '.join(_EXAMPLE_WORDS)}{which}"
    middle = [str(w) for w in words[len(words) // 20 : len(words) // 20 + 200]]
    wordlike = [w for w in middle if w.isalpha()] or middle or [str(words[0])]
    return f"w2v similar {shown(wordlike[0])}{which}"
