"""The click group, whose commands are loaded when they are called, and the one exit for all errors."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from w2v._version import __version__
from w2v.cli.arguments import prepare
from w2v.cli.signals import Stopped, StopSignals
from w2v.cli.terminal import CLOSED, PipeClosedError, be_tolerant, flush_results, note, readable
from w2v.errors import FormatError, TruncatedFileError, W2VError

__all__ = ["COMMANDS", "app", "main"]

COMMANDS = {
    "phrases": ("w2v.cli.phrases", "Join words that belong together, as new_york."),
    "check": ("w2v.cli.check", "Look through a text before a long training."),
    "train": ("w2v.cli.train", "Train word vectors on text files."),
    "analogy": ("w2v.cli.queries", "king man woman: what is nearest to king - man + woman?"),
    "similar": ("w2v.cli.queries", "The words nearest to a word, or to several together."),
    "similarity": ("w2v.cli.queries", "The cosine of two words."),
    "rank": ("w2v.cli.word_lists", "How many words are nearer to a word than another is."),
    "odd-one-out": ("w2v.cli.word_lists", "The word that does not fit the others."),
    "evaluate": ("w2v.cli.evaluate", "Answer analogy questions and rank word pairs."),
    "pmi-compare": ("w2v.cli.pmi", "Set w.c of a model beside the PMI of its corpus."),
    "factorize": ("w2v.cli.factorize", "Vectors by way of a PMI matrix, without training."),
    "geometry": ("w2v.cli.geometry", "The shape of the space: lengths, cone, isotropy, hubs."),
    "postprocess": ("w2v.cli.postprocess", "Centre, whiten, remove top components; before and after."),
    "plot": ("w2v.cli.plot", "Draw words on a plane."),
    "align": ("w2v.cli.align", "Bring two languages into one space."),
    "translate": ("w2v.cli.align", "The translations of words, by two aligned models."),
    "compare": ("w2v.cli.compare", "Two models side by side, and the words that moved most."),
    "bench": ("w2v.cli.bench", "How fast this machine reads and trains."),
    "info": ("w2v.cli.models", "What a model file holds."),
    "export": ("w2v.cli.convert", "Write a model in another format."),
    "convert": ("w2v.cli.convert", "Bring word vectors from one format into another."),
}
_INTERRUPTED = 130
_PIPE_CLOSED = 141  # what a shell reports for a program that dies of SIGPIPE


class LazyGroup(click.Group):
    """A group that imports the module of a command when the command is called, not for the list of commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return prepare(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was typed, or say which ones look like it."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"; did you mean {close[0]}?" if close else f"; the commands are {', '.join(COMMANDS)}"
            ctx.fail(f"there is no command {readable(args[0])!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse; a closed pipe ends the help quietly."""
        with _quiet_pipe():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and flush its results, so that a write error is met here and not at interpreter exit."""
        with _quiet_pipe():
            try:
                outcome = super().invoke(ctx)
            except TruncatedFileError as error:
                raise FormatError(str(error)) from error
            except EOFError as error:  # to click that is an interrupt
                raise RuntimeError(f"a file ended early: {error}") from error
            flush_results()
            return outcome


@contextmanager
def _quiet_pipe() -> Iterator[None]:
    try:
        yield
    except (BrokenPipeError, PipeClosedError):
        flush_results(give_up=True)
        raise click.exceptions.Exit(_PIPE_CLOSED) from None


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExample:\n  w2v train corpus.txt\n  w2v analogy king man woman\n  w2v pmi-compare\n\n"
    "Commands that read a model take --model FILE, else $W2V_MODEL, else model.safetensors. "
    "Results go to standard output, everything else to standard error.",
)
@click.version_option(__version__, "--version", prog_name="w2v", message="%(prog)s %(version)s")
def app() -> None:
    """Word2Vec skip-gram vectors with negative sampling, and the PMI matrix that they factorise."""


def main(argv: Sequence[str] | None = None, *, prog_name: str = "w2v") -> NoReturn:
    """Run the command line and exit.

    Exit status: 0 done; 1 an error that is told in one line; 2 wrong usage; 130 interrupted (143 by SIGTERM);
    141 the reader of the output went away.
    """
    be_tolerant()
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        with StopSignals():
            status = _run(argv, prog_name)
    try:
        flush_results()
    except OSError as error:
        flush_results(give_up=True)
        status = status or (_PIPE_CLOSED if isinstance(error, BrokenPipeError) else _fail(str(error)))
    if status == 0 and sys.stdout is None:
        status = _fail(CLOSED)
    sys.exit(status)


def _run(argv: Sequence[str] | None, prog_name: str) -> int:
    try:
        outcome = app.main(args=None if argv is None else list(argv), prog_name=prog_name, standalone_mode=False)
        return outcome if isinstance(outcome, int) else 0
    except click.ClickException as error:  # wrong usage
        _tell(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        note("Interrupted.")
        return _INTERRUPTED
    except Stopped as stop:
        note("Interrupted.")
        return 128 + stop.signum
    except W2VError as error:
        from w2v.cli.wording import as_typed

        return _fail(as_typed(error))
    except RuntimeError as error:  # Python makes one of what is raised while a class is made
        if not isinstance(error.__cause__, Stopped):
            raise
        note("Interrupted.")
        return 128 + error.__cause__.signum
    except MemoryError as error:
        return _fail(f"not enough memory{f': {error}' if str(error) else ''}")
    except OSError as error:
        what = error.strerror or str(error)
        if _comes_from_help(error):
            return _fail(f"cannot write to standard output: {what}")
        return _fail(f"{error.filename}: {what}" if error.filename else what)


def _comes_from_help(error: OSError) -> bool:
    """Return whether click failed to write the help; an error of the system does not name standard output."""
    return any(frame.f_code is click.echo.__code__ for frame, _ in traceback.walk_tb(error.__traceback__))


def _tell(error: click.ClickException) -> None:
    error.message = readable(error.message) + _where_files_go(error)  # type: ignore[misc]
    try:
        error.show()
    except OSError:  # nobody listens on standard error
        return


def _where_files_go(error: click.ClickException) -> str:
    """Return a hint at the options that take a file, after an argument that a command has no place for."""
    if not error.message.startswith("Got unexpected extra argument") or getattr(error, "ctx", None) is None:
        return ""
    parameters = error.ctx.command.params  # type: ignore[attr-defined]
    names = [p.opts[-1] for p in parameters if isinstance(p, click.Option) and p.metavar == "FILE"]
    inputs = [name for name in names if name not in ("--output", "--figure", "--errors")]
    return f"; a file is given with {' or '.join(inputs)}" if inputs else ""


def _fail(message: str) -> int:
    note(f"Error: {message}")
    flush_results(give_up=True)
    return 1


def _show_warning(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    if issubclass(category, DeprecationWarning) and not os.environ.get("PYTHONWARNINGS"):
        return
    note(f"Warning: {message}")
