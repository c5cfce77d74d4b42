"""``w2v train``: the command, its options and its last words."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import click
from click.core import ParameterSource

from w2v.cli.options import DEFAULT_MODEL, SectionedCommand, SettingOption, json_option, quiet_option, settings_options
from w2v.cli.outputs import after_saving
from w2v.cli.signals import Stopped, StopSignals
from w2v.cli.terminal import note, result, result_json
from w2v.cli.train_estimate import tell_estimate
from w2v.cli.train_files import check_output, checkpoint_of, open_log
from w2v.cli.train_job import TrainJob
from w2v.cli.train_origin import StartOptions, origin_of
from w2v.cli.train_view import TrainView
from w2v.errors import SettingsError
from w2v.plurals import counted

__all__ = ["train"]

_SUFFIX = ".ckpt"


@click.command(
    cls=SectionedCommand,
    epilog="\b\nExamples:\n  w2v train corpus.txt\n  w2v train books/ more.txt.bz2 -o books.safetensors --epochs 10\n"
    "  w2v train poems.txt --tokenizer chars --workers 1\n  w2v train --resume model.safetensors.ckpt\n"
    "  w2v train more.txt --continue-from model.safetensors -o larger.safetensors --alpha 0.01\n"
    "  w2v train corpus.txt --init vectors.bin --freeze\n\n"
    "Ctrl-C keeps what was trained so far in OUTPUT.ckpt, to be resumed; it is a model file too.",
)
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("-o", "--output", metavar="FILE", help=f"Where the model goes.  [default: {DEFAULT_MODEL}]")
@click.option("--force", is_flag=True, help="Replace an output file that exists.")
@click.option(
    "--checkpoint-every",
    default="10min",
    show_default=True,
    metavar="INTERVAL",
    help="Save the state of the training to OUTPUT.ckpt so often: a time (30s, 10min, 2h), a number of words (200k, "
    "50M), or never. It is removed when the training is complete.",
)
@click.option(
    "--resume",
    metavar="CHECKPOINT",
    help="Go on with an interrupted training, with its settings; FILE only if the same text is elsewhere now.",
)
@click.option(
    "--continue-from",
    metavar="MODEL",
    help="Train a model further on the text of FILE, whose new words are added; settings that are not given are those "
    "of the model.",
)
@click.option(
    "--init",
    metavar="VECTORS",
    help="Start from given vectors, of any format that convert reads: words that have one take its row, the others "
    "start as usual; --vector-size is that of VECTORS.",
)
@click.option(
    "--freeze",
    is_flag=True,
    help="Keep the vectors of --init, or of --continue-from, exactly as they are; the other words are trained.",
)
@click.option("--dry-run", is_flag=True, help="Only say what time and memory it would take, after a short trial.")
@quiet_option
@click.option("--log-json", metavar="FILE", help="Also write the progress to FILE, one JSON object a line.")
@json_option
@settings_options
@click.pass_context
def train(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    output: str | None,
    force: bool,
    checkpoint_every: str,
    resume: str | None,
    continue_from: str | None,
    init: str | None,
    freeze: bool,
    dry_run: bool,
    quiet: bool,
    log_json: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Train word vectors on FILEs: text, one sentence a line.

    A FILE may be plain text, .gz, .bz2, .xz or .zst, a folder (models that lie in it are left out), a glob, or - for
    standard input. Words are separated by blanks, unless --tokenizer says otherwise.
    """
    start = StartOptions(resume, continue_from, init, freeze)
    origin = origin_of(files, start, _given(ctx) if start.has_settings else options)
    output = output or _output_beside(resume)
    if not dry_run:
        check_output(output, origin.files, force=force, models=start.vectors, resumed=resume)
    with contextlib.ExitStack() as stack:
        others = [*origin.files, output, checkpoint_of(output), *start.files]
        log = stack.enter_context(open_log(log_json, others, force=force))
        signals = stack.enter_context(StopSignals())
        view = stack.enter_context(contextlib.closing(TrainView(quiet=quiet)))
        job = TrainJob(origin, output, force, checkpoint_every, signals, view, log)
        try:
            if dry_run:
                tell_estimate(job, as_json=as_json)
                return
            outcome = job.run()
        except Stopped as stop:
            view.close()
            log.write("interrupted", saved=None)
            note("Interrupted." if dry_run else f"Interrupted: {job.what_is_left()}")
            ctx.exit(128 + stop.signum)
        except Exception as error:
            log.write("error", message=str(error))
            raise
        with after_saving(outcome["model"]):
            if as_json:
                result_json(outcome)
            elif outcome["finished"]:
                size = f"{counted(outcome['words'], 'word')}, {counted(outcome['vector_size'], 'dimension')}"
                loss = outcome["losses"][-1]
                result(f"Saved {output}: {size}, mean loss {'-' if math.isnan(loss) else f'{loss:.4f}'}")
        if outcome["finished"]:
            view.say(f"Next: {job.next_command}")
        if signals.received is not None:
            ctx.exit(signals.status)


def _given(ctx: click.Context) -> dict[str, Any]:
    """Return the settings that were typed, without those that are at their defaults."""
    names = [option.name for option in ctx.command.params if isinstance(option, SettingOption)]
    return {
        name: ctx.params[name]
        for name in names
        if name is not None and ctx.get_parameter_source(name) is not ParameterSource.DEFAULT
    }


def _output_beside(checkpoint: str | None) -> str:
    """Return where the model goes if nobody says so: to the default place, or beside its checkpoint."""
    if checkpoint is None:
        return DEFAULT_MODEL
    if not checkpoint.endswith(_SUFFIX) or len(checkpoint) == len(_SUFFIX):
        raise SettingsError(f"the name {checkpoint} does not say where the model is to go: name it with -o")
    return checkpoint.removesuffix(_SUFFIX)
