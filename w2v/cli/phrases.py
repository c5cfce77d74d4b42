"""``w2v phrases``: from text files to the same text with its phrases joined."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from w2v.cli.options import SectionedCommand, json_option, options_of, quiet_option, settings_of
from w2v.cli.outputs import refuse_inputs
from w2v.cli.terminal import PipeClosedError, echo_lines, note, result, result_json, section, shown, table
from w2v.cli.train_view import TrainView
from w2v.errors import FileAccessError, SettingsError
from w2v.plurals import counted
from w2v.settings import CorpusSettings, PhraseSettings

if TYPE_CHECKING:
    from w2v.corpus import Phrases
    from w2v.corpus.phrases.learning import PassOutcome, ThresholdRow
    from w2v.corpus.phrases.text import Joined, LearnedText

__all__ = ["phrases"]

_BEST = 20


@click.command(
    cls=SectionedCommand,
    epilog="\b\nExamples:\n  w2v phrases corpus.txt -o joined.txt\n"
    "  w2v phrases corpus.txt --dry-run --scoring npmi --connector-words english\n"
    "  w2v phrases corpus.txt -o - --passes 2 | w2v train -",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", metavar="FILE", help="Where the joined text goes; - is standard output.")
@click.option(
    "--connector-words",
    metavar="english|FILE",
    help="Words that may stand within a phrase but not at its ends: a list of English ones, or a file of words.",
)
@click.option("--dry-run", is_flag=True, help="Write no text; show what which threshold would join, and the best.")
@click.option("--save-phrases", metavar="FILE", help="Also write the phrases to FILE (JSON).")
@click.option("--use-phrases", metavar="FILE", help="Join the phrases of a file of --save-phrases, learn none.")
@click.option(
    "--memory",
    type=click.IntRange(min=2),
    default=256,
    show_default=True,
    metavar="MB",
    help="Bound of the table of pairs. Less memory takes more time; the result is the same.",
)
@click.option("--force", is_flag=True, help="Replace an output file that exists.")
@quiet_option
@json_option
@options_of({"Phrases": PhraseSettings})
@options_of({"Text": CorpusSettings}, without=("min_count", "max_vocab"))
@click.pass_context
def phrases(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    output: str | None,
    connector_words: str | None,
    dry_run: bool,
    save_phrases: str | None,
    use_phrases: str | None,
    memory: int,
    force: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Join words that occur together more often than by chance: "new york" becomes "new_york".

    FILEs are read as `w2v train` reads them. The joined text has a sentence a line, words separated by blanks.
    """
    settings: PhraseSettings = settings_of(PhraseSettings, options)
    reading: CorpusSettings = settings_of(CorpusSettings, {**options, "min_count": None})
    if (output is None) != dry_run:
        raise click.UsageError("give either -o FILE (- is standard output) or --dry-run")
    if use_phrases is not None:
        named = [name for name in (*PhraseSettings.names(), "connector_words") if _typed(ctx, name)]
        if dry_run or save_phrases or named:
            given_too = named[0].replace("_", "-") if named else "dry-run" if dry_run else "save-phrases"
            raise click.UsageError(f"--use-phrases learns nothing: it does not go with --{given_too}")
    _check_outputs([*files, use_phrases, connector_words], output, save_phrases, force=force)
    with contextlib.closing(TrainView(quiet=quiet)) as view:
        if use_phrases is not None:
            assert output is not None
            _use(files, output, use_phrases, reading, view, force=force, as_json=as_json)
            return
        connectors = _connectors(connector_words)
        with _learn(files, settings, connectors, reading, memory << 20, view, every_threshold=dry_run) as text:
            from w2v.corpus import Phrases

            found = Phrases.of_text(text, settings, connectors, reading)
            joined = None
            if output is not None:
                with _target(output, force=force) as write:
                    joined = text.write(write)
            if save_phrases is not None:
                found.save(save_phrases, force=force)
            view.close()
            if dry_run:
                _show_dry_run(text, found, as_json=as_json)
            elif joined is not None and output is not None:
                _show(found, joined, output, as_json=as_json)


def _typed(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _learn(
    files: Sequence[str],
    settings: PhraseSettings,
    connectors: tuple[str, ...],
    reading: CorpusSettings,
    memory_bytes: int,
    view: TrainView,
    *,
    every_threshold: bool,
) -> LearnedText:
    from w2v.corpus.phrases.text import LearnedText

    view.start_reading(files)
    return LearnedText.of_files(
        list(files),
        settings,
        connectors,
        reading,
        memory_bytes=memory_bytes,
        every_threshold=every_threshold,
        progress=view.reading,
        hint=view.hint,
    )


def _use(
    files: Sequence[str],
    output: str,
    phrases: str,
    reading: CorpusSettings,
    view: TrainView,
    *,
    force: bool,
    as_json: bool,
) -> None:
    from w2v.corpus import Phrases
    from w2v.corpus.phrases.text import join_text

    found = Phrases.load(phrases)
    view.start_reading(files)
    with _target(output, force=force) as write:
        joined = join_text(list(files), write, found.tables, reading, view.reading)
    view.close()
    _show(found, joined, output, as_json=as_json)


def _connectors(given: str | None) -> tuple[str, ...]:
    if given is None:
        return ()
    if given == "english":
        from w2v.corpus.phrases import ENGLISH_CONNECTORS

        return ENGLISH_CONNECTORS
    try:
        return tuple(Path(given).read_text(encoding="utf-8").split())
    except UnicodeDecodeError as error:
        raise SettingsError(f"--connector-words {given} is not UTF-8: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise FileAccessError(
            f"--connector-words {given} cannot be read: {error.strerror}; give a file of words, or english"
        ) from error


def _check_outputs(inputs: Sequence[str | None], output: str | None, saved: str | None, *, force: bool) -> None:
    """Refuse, before anything is read, outputs that could not be written in the end or would destroy an input."""
    from w2v.atomic import check_target

    for path in (output, saved):
        if path in (None, "-"):
            continue
        assert path is not None
        refuse_inputs(path, inputs)
        check_target(path, force=force)
    if saved == "-":
        raise FileAccessError("phrases cannot be saved to standard output: give a file name")
    if saved is not None and saved == output:
        raise FileAccessError(f"--save-phrases and --output both name {saved}")


@contextlib.contextmanager
def _target(output: str, *, force: bool) -> Iterator[Any]:
    if output != "-":
        from w2v.atomic import replacing

        with replacing(output, force=force) as file:
            yield file.write
        return
    if sys.stdout is None:
        raise FileAccessError("standard output is closed: there is nowhere to write the text to")
    stream = sys.stdout.buffer
    try:
        yield stream.write
        stream.flush()
    except BrokenPipeError:
        raise PipeClosedError from None


def _show(found: Phrases, joined: Joined, output: str, *, as_json: bool) -> None:
    share = 1 - joined.joined_words / joined.words if joined.words else 0.0
    if as_json:
        outcome = {**_described(found), "output": output, **joined._asdict()}
        if output == "-":
            from w2v.cli.terminal import json_line

            note(json_line(outcome))
        else:
            result_json(outcome)
        return
    text = (
        f"Saved {output}: {counted(len(found), 'phrase')}; {joined.words:,} words became {joined.joined_words:,} "
        f"({share:.1%} less) in {counted(joined.sentences, 'sentence')}"
    )
    (note if output == "-" else result)(text.replace("Saved -", "Standard output"))


def _described(found: Phrases) -> dict[str, Any]:
    return {
        "settings": {**found.settings.to_dict(), "threshold": found.settings.bound},
        "passes": [
            [{"phrase": p.text, "words": list(p.words), "count": p.count, "score": p.score} for p in phrases]
            for phrases in found.passes
        ],
    }


def _show_dry_run(text: LearnedText, found: Phrases, *, as_json: bool) -> None:
    thresholds = text.thresholds()
    outcomes = text.learner.outcomes
    if as_json:
        tables = [[{**row._asdict(), "weakest": [p.text for p in row.weakest]} for row in rows] for rows in thresholds]
        result_json({**_described(found), "tokens": [outcome.tokens for outcome in outcomes], "thresholds": tables})
        return
    for number, (outcome, rows) in enumerate(zip(outcomes, thresholds, strict=True), start=1):
        if number > 1:
            result()
        echo_lines(_threshold_lines(number, outcome, rows, found.settings))


def _threshold_lines(
    number: int, outcome: PassOutcome, rows: Sequence[ThresholdRow], settings: PhraseSettings
) -> Iterator[str]:
    of = f" of pass {number}" if settings.passes > 1 else ""
    yield section(f"Thresholds{of}, {settings.scoring} score, min-count {settings.min_count}, {outcome.tokens:,} words")
    cells: list[tuple[str, ...]] = [("", "threshold", "phrases", "occurrences", "of the words", "the weakest of them")]
    for row in rows:
        cells.append(
            (
                "*" if row.threshold == settings.bound else "",
                f"{row.threshold:g}",
                f"{row.phrases:,}",
                f"{row.occurrences:,}",
                f"{row.occurrences / outcome.tokens:.2%}",
                "  ".join(shown(phrase.text) for phrase in row.weakest),
            )
        )
    yield from table(cells, "lrrrrl")
    best = outcome.phrases[:_BEST]
    if best:
        yield ""
        yield section(f"The {len(best)} best{of}")
        yield from table(((shown(p.text), f"{p.count:,}", f"{p.score:.4g}") for p in best), "lrr", indent="  ")
