"""``w2v train``: from text files to a model file, with everything refused early that would be refused late."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from w2v._version import __version__
from w2v.cli.options import DEFAULT_MODEL, SectionedCommand, json_option, settings_from_options, settings_options
from w2v.cli.signals import Stopped, StopSignals
from w2v.cli.terminal import note, result, result_json, shown
from w2v.cli.train_log import TrainLog
from w2v.cli.train_view import TrainView
from w2v.errors import FileAccessError, W2VError
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings

if TYPE_CHECKING:
    from w2v.corpus import EncodedCorpus
    from w2v.embedding import Embedding
    from w2v.training import Training

__all__ = ["train"]

_EXAMPLE_WORDS = ("king", "man", "woman")


@click.command(
    cls=SectionedCommand,
    epilog="\b\nExamples:\n  w2v train corpus.txt\n  w2v train books/ more.txt.bz2 -o books.safetensors --epochs 10\n"
    "  w2v train poems.txt --tokenizer chars --workers 1\n\n"
    "Ctrl-C keeps what was trained so far in OUTPUT.ckpt, which is a model file too.",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", default=DEFAULT_MODEL, show_default=True, metavar="FILE", help="Where the model goes.")
@click.option("--force", is_flag=True, help="Replace an output file that exists.")
@click.option("--quiet", is_flag=True, help="No progress on standard error.")
@click.option("--log-json", metavar="FILE", help="Also write the progress to FILE, one JSON object a line.")
@json_option
@settings_options
@click.pass_context
def train(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    output: str,
    force: bool,
    quiet: bool,
    log_json: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Train word vectors on FILEs: text, one sentence a line.

    A FILE may be plain text, .gz, .bz2, .xz or .zst, a folder, a glob, or - for standard input. Words are separated
    by blanks, unless --tokenizer says otherwise.
    """
    settings = settings_from_options(options)
    _check_output(output, files, force=force)
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(_open_log(log_json, [*files, output], force=force))
        signals = stack.enter_context(StopSignals())
        view = stack.enter_context(contextlib.closing(TrainView(quiet=quiet)))
        job = _Job(files, output, force, settings, signals, view, log)
        try:
            outcome = job.run(stack)
        except Stopped as stop:
            view.close()
            log.write("interrupted", saved=None)
            note(f"Interrupted: {job.nothing_saved()}")
            ctx.exit(128 + stop.signum)
        except Exception as error:
            log.write("error", message=str(error))
            raise
        if as_json:
            result_json(outcome)
        elif outcome["finished"]:
            result(
                f"Saved {output}: {outcome['words']:,} words, {outcome['vector_size']} dimensions, "
                f"mean loss {outcome['losses'][-1]:.4f}"
            )
        if outcome["finished"]:
            view.say(f"Next: {job.next_command()}")
        if signals.received is not None:
            ctx.exit(signals.status)


class _Job:
    """One training, from the files to the model."""

    def __init__(
        self,
        files: Sequence[str],
        output: str,
        force: bool,
        settings: tuple[CorpusSettings, ContextSettings, TrainingSettings],
        signals: StopSignals,
        view: TrainView,
        log: TrainLog,
    ) -> None:
        self.files, self.output, self.force = files, output, force
        self.settings, self.signals, self.view, self.log = settings, signals, view, log
        self.corpus: EncodedCorpus | None = None
        self.older = os.path.lexists(output)

    def run(self, stack: contextlib.ExitStack) -> dict[str, Any]:
        """Read, train, save; returns the summary."""
        from w2v.corpus import encode_files
        from w2v.training import Training

        corpus_settings, context, training = self.settings
        self.log.write(
            "start",
            version=__version__,
            files=list(self.files),
            output=self.output,
            settings={**corpus_settings.to_dict(), **context.to_dict(), **training.to_dict()},
        )
        started = time.perf_counter()
        self.view.start_reading(self.files)

        def reading(done: int, total: int | None) -> None:
            self.view.reading(done, total)
            self.log.at_times("reading", bytes=done, total_bytes=total)

        corpus = stack.enter_context(
            encode_files(list(self.files), corpus_settings, progress=reading, hint=self.view.hint)
        )
        self.corpus = corpus
        seconds = time.perf_counter() - started
        self.view.read(len(corpus.vocabulary), len(corpus), corpus.sentences, seconds)
        self.log.write(
            "corpus",
            words=len(corpus.vocabulary),
            tokens=len(corpus),
            sentences=corpus.sentences,
            seconds=seconds,
            source=corpus.source.to_dict(),
        )
        session = Training(corpus, context, training)
        with self.view.compiling():
            session.compile()
        self.signals.asking(session.stop)
        self._train(session)
        return self._save(session, time.perf_counter() - started)

    def _train(self, session: Training) -> None:
        def report(progress: Any) -> None:
            if self.signals.received is not None:
                session.stop()  # the signal may have come before the training began to listen
            self.view.training(progress)
            record = progress.to_dict()
            if record.pop("epoch_done"):
                self.log.write("epoch", **record)
            else:
                self.log.at_times("training", **record)

        session.run(report)
        self.view.close()

    def _save(self, session: Training, seconds: float) -> dict[str, Any]:
        from w2v.training.api import embedding_of

        finished = session.finished
        path = self.output if finished else f"{self.output}.ckpt"
        self.signals.asking(lambda: None)  # the first Ctrl-C from here on lets the file be written
        progress = session.progress()
        _save_somewhere(embedding_of(session), path, force=self.force or not finished)
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
        self.log.write("summary" if finished else "interrupted", **outcome)
        if not finished:
            share = progress.words / progress.total_words
            older = f"the older {self.output} was not touched" if self.older else f"{self.output} was not written"
            note(
                f"Interrupted in epoch {progress.epoch} of {progress.epochs}, after {share:.0%} of the training. What "
                f"was trained so far is in {path}, a model file to be read with --model {path}; {older}."
            )
        return outcome

    def nothing_saved(self) -> str:
        """Say that nothing was written."""
        return f"nothing was written{f'; the older {self.output} was not touched' if self.older else ''}."

    def next_command(self) -> str:
        """Return a command that works with the model that was just trained."""
        assert self.corpus is not None
        words = self.corpus.vocabulary.words
        which = "" if self.output == DEFAULT_MODEL else f" --model {self.output}"
        index = self.corpus.vocabulary.index
        if all(word in index for word in _EXAMPLE_WORDS):
            return f"w2v analogy {' '.join(_EXAMPLE_WORDS)}{which}"
        middle = [str(w) for w in words[len(words) // 20 : len(words) // 20 + 200]]
        wordlike = [w for w in middle if w.isalpha()] or middle or [str(words[0])]
        return f"w2v similar {shown(wordlike[0])}{which}"


def _check_output(output: str, files: Sequence[str], *, force: bool) -> None:
    """Refuse, before anything is read, an output that could not be written in the end or would destroy an input."""
    from w2v.atomic import check_target

    if output == "-":
        raise FileAccessError("a model cannot be written to standard output: give a file name with -o")
    _refuse_input(output, files, "the output")
    check_target(output, force=force)
    check_target(f"{output}.ckpt", force=True)
    if Path(output).is_file() or not Path(output).exists():
        _try_to_write_beside(output)
    if Path(output).exists() or Path(f"{output}.ckpt").exists():
        from w2v.corpus.sources import find_files

        inputs = find_files(files)  # folders and globs resolved
        _refuse_input(output, inputs, "the output")
        _refuse_input(f"{output}.ckpt", inputs, "the file that an interrupted training is saved to,")


def _try_to_write_beside(output: str) -> None:
    """Make a nameless file in the folder of the output: rights do not tell everything, least of all to root."""
    try:
        with tempfile.TemporaryFile(dir=Path(os.path.realpath(output)).parent):
            pass
    except OSError as error:
        raise FileAccessError(f"cannot write {output}: {error.strerror or error}") from error


def _save_somewhere(embedding: Embedding, path: str, *, force: bool) -> None:
    """Save; what cannot be saved where it was meant to be (a full disk) is saved among the temporary files."""
    try:
        embedding.save(path, force=force)
    except FileAccessError as error:
        refuge = Path(tempfile.mkdtemp(prefix="w2v-saved-")) / Path(path).name
        try:
            embedding.save(refuge)
        except W2VError:
            refuge.parent.rmdir()
            raise error from None
        raise FileAccessError(f"{error}; so that the training is not lost, the model was saved as {refuge}") from error


def _refuse_input(path: str, files: Sequence[str], what: str) -> None:
    for file in files:
        if file != "-" and Path(file).exists() and Path(path).exists() and Path(file).samefile(path):
            raise FileAccessError(f"{what} {path} is the input {file}: it would be overwritten; choose another with -o")


@contextlib.contextmanager
def _open_log(path: str | None, others: Sequence[str], *, force: bool) -> Iterator[TrainLog]:
    if path is None:
        yield TrainLog(None)
        return
    if Path(path).exists():
        for other in others:
            if other != "-" and Path(other).exists() and Path(other).samefile(path):
                raise FileAccessError(f"--log-json {path} is {other}, which would be overwritten; choose another")
        if Path(path).is_file() and not force:
            raise FileAccessError(f"--log-json {path} exists already; --force replaces it")
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(Path(path).open("w", encoding="utf-8"))
        except OSError as error:
            raise FileAccessError(f"--log-json {path} cannot be written: {error.strerror}") from error
        yield TrainLog(file)
