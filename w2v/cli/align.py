"""``w2v align`` and ``translate``: two languages in one space."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from w2v.cli.options import json_option, load_model, neighborhood_option, neighbors_option, quiet_option
from w2v.cli.outputs import refuse_inputs
from w2v.cli.terminal import echo_lines, note, result, result_json, section, shown, stderr_is_terminal, table
from w2v.errors import AlignmentError, FileAccessError, SettingsError
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.embedding import Embedding
    from w2v.geometry import Alignment, BandPrecision, BilingualDictionary, TranslationReport

__all__ = ["align", "translate"]

DEFAULT_ALIGNED = "aligned.safetensors"
_RETRIEVALS = {"csls": "CSLS", "cosine": "nearest neighbour"}
_WIDTH = 96


def _target_path(path: str) -> Path:
    """Return where the target of an aligned model lies: beside it."""
    return Path(path).with_suffix(f".target{Path(path).suffix}")


@click.command(
    epilog="\b\nExamples:\n  w2v align en.safetensors de.safetensors --dictionary en-de.tsv\n"
    "  w2v align en.safetensors de.safetensors --dictionary train.tsv --test test.tsv -o en-de.safetensors\n"
    "  w2v align en.safetensors de.safetensors --unsupervised --test test.tsv\n\n"
    "Writes the source as OUTPUT and the target beside it (aligned.safetensors, aligned.target.safetensors): two "
    "models in one space, for w2v translate and every other command.",
)
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option("-d", "--dictionary", metavar="FILE", help="Pairs to learn from: source word, tab, target word.")
@click.option("--identical", is_flag=True, help="Learn from the words that are spelt alike on both sides.")
@click.option("--unsupervised", is_flag=True, help="Learn from the similarities within each side alone.")
@click.option("--test", "test_file", metavar="FILE", help="Pairs to test with; their source words are not learnt from.")
@click.option(
    "--holdout",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.2,
    show_default=True,
    help="Without --test: the share of the dictionary's source words that is kept for the test; 0 for no test.",
)
@click.option("--swap", is_flag=True, help="The files have the target word first.")
@click.option(
    "--steps",
    default="unit,center,unit",
    show_default=True,
    metavar="STEPS",
    help="Normalisation of both sides, in order: unit (length 1), center (mean taken off); none for nothing.",
)
@click.option(
    "--mapping",
    type=click.Choice(["reweighted", "orthogonal"]),
    default="reweighted",
    show_default=True,
    help="orthogonal: rotate the source (Procrustes); reweighted: also weight each axis by its agreement.",
)
@click.option(
    "--refine",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    metavar="N",
    help="Add the mutual best translations to the pairs and learn again, N times.",
)
@neighbors_option(", for CSLS")
@click.option(
    "--induce-among",
    "words",
    type=click.IntRange(min=2),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Induce pairs among the N most frequent words of each side.",
)
@neighborhood_option(50_000, 1, "Seek the neighbours of CSLS on each side among")
@click.option(
    "--restrict-vocab", type=click.IntRange(min=1), metavar="N", help="Only the N most frequent words may be answers."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the held-out words and of the noise.")
@click.option("-o", "--output", default=DEFAULT_ALIGNED, show_default=True, metavar="FILE", help="The aligned source.")
@click.option("--force", is_flag=True, help="Replace output files that exist.")
@click.option("--accept", is_flag=True, help="Write an alignment that was found to have failed all the same.")
@quiet_option
@json_option
def align(source: str, target: str, **options: Any) -> None:
    """Bring the model SOURCE into one space with the model TARGET, and test the translations."""
    ways = [name for name in ("dictionary", "identical", "unsupervised") if options[name]]
    if len(ways) != 1:
        raise click.UsageError(
            "choose one of --dictionary FILE, --identical and --unsupervised" + (f"; got {len(ways)}" if ways else "")
        )
    output, beside = Path(options["output"]), _target_path(options["output"])
    inputs = source, target, options["dictionary"], options["test_file"]
    for path in (output, beside):
        if not options["force"] and path.exists():
            raise FileAccessError(f"{path} exists; add --force to replace it, or choose another name with -o")
        refuse_inputs(str(path), inputs, other="choose another name with -o")
    from w2v.geometry import Translator, evaluate_translation
    from w2v.geometry import align as align_embeddings

    first, second = load_model(source), load_model(target)
    learnt, test = _dictionaries(first, second, ways[0], options)
    alignment = align_embeddings(
        first,
        second,
        learnt,
        steps=_steps(options["steps"]),
        mapping=options["mapping"],
        refine=options["refine"],
        neighbors=options["neighbors"],
        words=options["words"],
        seed=options["seed"],
        report=None if options["quiet"] or not stderr_is_terminal() else _progress(),
    )
    if not alignment.trusted and not options["accept"]:
        raise AlignmentError(f"{alignment.verdict} Nothing was written (--accept writes it all the same)")
    report = None
    if test is not None:
        translator = Translator(
            alignment.source,
            alignment.target,
            neighbors=options["neighbors"],
            neighborhood=options["neighborhood"],
            restrict_vocab=options["restrict_vocab"],
        )
        report = evaluate_translation(translator, test)
    alignment.source.save(output, force=options["force"])
    alignment.target.save(beside, force=options["force"])
    if options["as_json"]:
        result_json(_as_json(alignment, report, learnt, source=source, target=target, output=output, options=options))
        return
    echo_lines(_lines(alignment, report, learnt, source=source, target=target))
    result()
    result(f"Wrote {output} and {beside}")


def _dictionaries(
    first: Embedding, second: Embedding, way: str, options: dict[str, Any]
) -> tuple[BilingualDictionary | None, BilingualDictionary | None]:
    """Return the pairs to learn from and those to test with; no source word is in both."""
    from w2v.geometry import BilingualDictionary, identical_words

    learnt: BilingualDictionary | None = None
    if way == "dictionary":
        learnt = BilingualDictionary.read(options["dictionary"], swap=options["swap"])
    elif way == "identical":
        learnt = identical_words(first.vocabulary, second.vocabulary)
    if options["test_file"]:
        test = BilingualDictionary.read(options["test_file"], swap=options["swap"])
        return (None if learnt is None else learnt.without(test.sources)), test
    if learnt is None or options["holdout"] == 0:
        return learnt, None
    learnt.seed_pairs(first.vocabulary, second.vocabulary)  # a foreign dictionary is told before it is split
    return learnt.split(options["holdout"], seed=options["seed"])


def _steps(text: str) -> tuple[str, ...]:
    steps = tuple(step.strip() for step in text.split(",") if step.strip())
    return () if steps == ("none",) else steps


def _progress() -> Callable[[int, float, float], None]:
    def report(rounds: int, objective: float, keep: float) -> None:
        if rounds % 10 == 0 or keep >= 1:
            note(f"round {rounds}: mean cosine of the induced pairs {objective:.4f}, {keep:.0%} of the cells kept")

    return report


def _lines(
    alignment: Alignment,
    report: TranslationReport | None,
    learnt: BilingualDictionary | None,
    *,
    source: str,
    target: str,
) -> Iterator[str]:
    a, b = alignment.source, alignment.target
    yield section(f"{shown(source)} aligned with {shown(target)}")
    how = (
        "learnt without pairs"
        if learnt is None
        else f"{alignment.given_pairs:,} known of {len(learnt):,} in {learnt.name}"
    )
    yield from table(
        [
            ("source", counted(len(a), "word")),
            ("target", f"{counted(len(b), 'word')}, {counted(b.vector_size, 'common dimension')}"),
            ("pairs", how),
            ("", f"{alignment.learnt_pairs:,} behind the last map, {counted(alignment.rounds, 'round')}"),
            ("map", f"{alignment.mapping}; {alignment.mutual:,} frequent words are each other's best translation"),
        ],
        indent="  ",
    )
    yield from textwrap.wrap(alignment.verdict, _WIDTH)
    if report is not None:
        yield ""
        yield from _report_lines(report)


def _report_lines(report: TranslationReport) -> Iterator[str]:
    yield section(
        f"{shown(report.name)}: {report.covered:,} of {counted(report.total, 'word')} asked ({report.coverage:.1%}), "
        f"{counted(report.candidates, 'possible answer')}"
    )
    heads = [f"{name} P@{depth}" for name in ("CSLS", "NN") for depth in (1, 5, 10)]
    rows: list[tuple[str, ...]] = [("source words of rank", "asked", *heads)]
    rows += [_row(f"{band.first:,}-{band.last:,}", band) for band in report.bands]
    rows.append(_row("all", report.all))
    yield from table(rows, "lrrrrrrr", indent="  ")
    yield from textwrap.wrap(
        f"P@5: a right translation is among the best 5. NN: by cosine; CSLS: corrected for words near to everything. A "
        f"random answer is right in {report.chance:.4%} of the cases.",
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
    )


def _row(name: str, band: BandPrecision) -> tuple[str, ...]:
    shares = [f"{share:.1%}" for retrieval in ("csls", "cosine") for share in band.precision[retrieval]]
    return (name, f"{band.asked:,}", *shares)


def _as_json(
    alignment: Alignment,
    report: TranslationReport | None,
    learnt: BilingualDictionary | None,
    *,
    source: str,
    target: str,
    output: Path,
    options: dict[str, Any],
) -> dict[str, Any]:
    asked = {name: value for name, value in options.items() if name not in ("as_json", "quiet", "force", "output")}
    return {
        "query": {"source": source, "target": target, **asked},
        "mapping": alignment.mapping,
        "dictionary_pairs": None if learnt is None else len(learnt),
        "given_pairs": alignment.given_pairs,
        "learnt_pairs": alignment.learnt_pairs,
        "rounds": alignment.rounds,
        "objective": alignment.objective,
        "mutual": alignment.mutual,
        "agreement": alignment.agreement,
        "trusted": alignment.trusted,
        "test": None if report is None else report.to_dict(),
        "output": [str(output), str(_target_path(str(output)))],
    }


@click.command(
    epilog="\b\nExamples:\n  w2v translate dog house\n  w2v translate hund --back\n"
    "  w2v translate dog --model en-de.safetensors --retrieval cosine --json",
)
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click.option("-n", "--topn", type=click.IntRange(min=1), default=5, show_default=True, help="How many answers.")
@click.option("--back", is_flag=True, help="WORD is of the target language, the answers are of the source language.")
@click.option(
    "--retrieval",
    type=click.Choice(list(_RETRIEVALS)),
    default="csls",
    show_default=True,
    help="csls: corrected for words that are near to everything; cosine: the nearest.",
)
@click.option(
    "--restrict-vocab", type=click.IntRange(min=1), metavar="N", help="Only the N most frequent words may be answers."
)
@click.option("-m", "--model", default=DEFAULT_ALIGNED, show_default=True, metavar="FILE", help="The aligned source.")
@click.option("--target", metavar="FILE", help="The aligned target.  [default: beside the source]")
@json_option
def translate(words: tuple[str, ...], model: str, target: str | None, **options: Any) -> None:
    """Translate WORDs by two models that `w2v align` brought into one space."""
    if not Path(model).exists():
        raise FileAccessError(f"there is no aligned model at {model}; make one with: w2v align SOURCE TARGET")
    beside = target or str(_target_path(model))
    if not Path(beside).exists():
        raise FileAccessError(f"there is no aligned target at {beside}; name it with --target FILE")
    first, second = load_model(model), load_model(beside)
    for side, path in ((first, model), (second, beside)):
        if "alignment" not in side.provenance:
            raise SettingsError(f"{path} was not aligned; make aligned models with: w2v align SOURCE TARGET")
    if options["back"]:
        first, second = second, first
    from w2v.geometry import Translator

    translator = Translator(first, second, restrict_vocab=options["restrict_vocab"])
    keys = first.vocabulary.parse(words)
    answers = translator.translate_many(keys, topn=options["topn"], retrieval=options["retrieval"])
    if options["as_json"]:
        result_json(
            {
                "query": {"words": keys, **{k: v for k, v in options.items() if k != "as_json"}},
                "results": [
                    {"word": key, "translations": [answer._asdict() for answer in found]}
                    for key, found in zip(keys, answers, strict=True)
                ],
            }
        )
        return
    name = _RETRIEVALS[options["retrieval"]]
    for position, (word, found) in enumerate(zip(words, answers, strict=True)):
        if position:
            result()
        result(f"{shown(word)}   (cosine, {name})" if options["retrieval"] == "csls" else f"{shown(word)}   (cosine)")
        csls = options["retrieval"] == "csls"
        rows = [(shown(t.word), f"{t.similarity:.4f}", *([f"{t.score:.4f}"] if csls else [])) for t in found]
        echo_lines(table(rows, "lrr"))
