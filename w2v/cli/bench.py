"""``w2v bench``: how fast this machine reads and trains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from w2v.cli.options import json_option, quiet_option
from w2v.cli.terminal import note, result, result_json, table
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.training.benchmark import Benchmark

__all__ = ["bench"]


@click.command(epilog="\b\nExamples:\n  w2v bench\n  w2v bench --no-start -d 100 -d 200 -d 300 --workers 1 --workers 8")
@click.option(
    "-d",
    "--vector-size",
    "vector_sizes",
    type=click.IntRange(1, 100_000),
    multiple=True,
    default=(100, 300),
    show_default=True,
    help="Dimensions; may be repeated.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 4096),
    multiple=True,
    help="Threads; may be repeated.  [default: 1, 2, 4, ... usable CPUs]",
)
@click.option(
    "--words", type=click.IntRange(min=1000), default=2_000_000, show_default=True, help="Length of the text."
)
@click.option("--types", type=click.IntRange(min=10), default=50_000, show_default=True, help="Distinct words in it.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Time of one measurement.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Measurements, of which the median counts.",
)
@click.option("--start/--no-start", default=True, show_default=True, help="Measure compilation and start-up too.")
@quiet_option
@json_option
def bench(
    vector_sizes: tuple[int, ...],
    workers: tuple[int, ...],
    words: int,
    types: int,
    seconds: float,
    rounds: int,
    start: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Measure this machine: words per second of training and reading, beside its own matrix product.

    The text is generated, follows Zipf's law, and lies in a temporary folder that is removed again. All other settings
    are those that `w2v train` has by default. It takes one or two minutes; whatever else the machine does meanwhile
    makes the figures lower. Real text, with its many rare words, is read more slowly than this one.
    """
    from w2v.training.benchmark import benchmark

    measured = benchmark(
        vector_sizes=vector_sizes,
        workers=workers or None,
        words=words,
        types=types,
        seconds=seconds,
        rounds=rounds,
        measure_start=start,
        tell=(lambda text: None) if quiet else note,
    )
    if as_json:
        result_json(measured.to_dict())
        return
    for line in _report(measured):
        result(line)


def _report(measured: Benchmark) -> list[str]:
    machine, corpus, scan = measured.machine, measured.corpus, measured.scan
    load = "" if machine["load"] is None else f", load {machine['load']:.1f}"
    facts = [
        ["machine", f"{machine['processor']}, {counted(machine['cpus'], 'usable CPU')}{load}"],
        ["text", f"{counted(corpus['tokens'], 'word')}, {corpus['types']:,} distinct, {corpus['bytes'] / 1e6:,.1f} MB"],
        ["sgemm, one core", f"{measured.sgemm_flops / 1e9:,.1f} GFLOP/s"],
    ]
    if measured.start_seconds is not None and measured.cached_start_seconds is not None:
        facts.append(["first start", f"{measured.start_seconds:.1f} s, with compilation"])
        facts.append(
            ["later starts", f"{measured.cached_start_seconds:.1f} s, to the end of a training on a few words"]
        )
    facts.append(
        [
            "reading",
            f"{scan.words_per_second:,.0f} words/s, {scan.bytes_per_second / 1e6:,.0f} MB/s "
            f"({scan.words_per_cpu_second:,.0f} words per CPU second)",
        ]
    )
    rows = [["d", "workers", "words/s", "words per CPU second", "of sgemm", "scaling"]]
    rows += [
        [
            str(row.vector_size),
            str(row.workers),
            f"{row.words_per_second:,.0f}",
            f"{row.words_per_cpu_second:,.0f}",
            f"{row.sgemm_share:.0%}",
            f"{row.scaling:.2f}",
        ]
        for row in measured.training
    ]
    return [*table(facts), "", *table(rows, "rrrrrr")]
