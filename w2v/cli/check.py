"""``w2v check``: what a careful colleague would say of a corpus before a long training."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import click

from w2v.cli.check_report import report_lines
from w2v.cli.options import SectionedCommand, json_option, quiet_option, settings_from_options, settings_options
from w2v.cli.terminal import echo_lines, result_json
from w2v.cli.train_estimate import estimate_values
from w2v.cli.train_view import TrainView
from w2v.cli.wording import as_typed
from w2v.errors import CorpusError, SettingsError, W2VError
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings

if TYPE_CHECKING:
    from w2v.corpus import CorpusReport

__all__ = ["check"]

_SERIOUS = 1
_Settings = tuple[CorpusSettings, ContextSettings, TrainingSettings]


@click.command(
    cls=SectionedCommand,
    epilog="\b\nExamples:\n  w2v check corpus.txt\n  w2v check books/ more.txt.bz2 --tokenizer words --strict\n"
    "  zcat big.gz | w2v check - --json\n\n"
    "The settings are those of w2v train: what they take care of is not told, and the estimate is for them.",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--strict", is_flag=True, help="Exit with status 1 if something serious was found.")
@click.option(
    "--estimate/--no-estimate",
    "with_estimate",
    default=True,
    show_default=True,
    help="Measure what the training would cost, by reading the text once more and training for three seconds.",
)
@quiet_option
@json_option
@settings_options
@click.pass_context
def check(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    strict: bool,
    with_estimate: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Look through the text of FILEs before a long training: encoding, separators, duplicates, markup, cost.

    What is found is sorted by its weight: serious is what would make a training fail or learn something wrong. Memory
    does not grow with the text.
    """
    from w2v.corpus import check_corpus

    settings = settings_from_options(options)
    with contextlib.closing(TrainView(quiet=quiet)) as view:
        view.start_reading(files)
        report = check_corpus(files, settings[0], progress=view.reading)
        view.close()
        cost, why = _estimate(files, report, settings, view) if with_estimate else (None, None)
    if as_json:
        result_json({**report.to_dict(), "estimate": cost, "no_estimate": why})
    else:
        echo_lines(report_lines(report, cost, why))
    if strict and report.serious:
        ctx.exit(_SERIOUS)


def _estimate(
    files: tuple[str, ...], report: CorpusReport, settings: _Settings, view: TrainView
) -> tuple[dict[str, Any] | None, str | None]:
    """Return what the training would cost, or why nobody can say."""
    from w2v.corpus import encode_files
    from w2v.training import Training

    if "-" in files:
        return None, "standard input can be read only once"
    corpus, context, training = settings
    if any(finding.kind == "not-utf-8" for finding in report.findings):
        corpus = dataclasses.replace(corpus, errors="replace")  # that is told already
    view.say("Reading once more, for the estimate")
    try:
        with contextlib.ExitStack() as stack:
            encoded = stack.enter_context(encode_files(files, corpus, progress=view.reading))
            view.close()
            session = stack.enter_context(Training(encoded, context, training))
            with view.compiling():
                session.compile()
            return estimate_values(session), None
    except SettingsError:
        raise
    except (CorpusError, W2VError) as error:
        return None, as_typed(error)
