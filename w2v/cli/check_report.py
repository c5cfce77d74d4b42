"""The report of ``w2v check`` for people."""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from w2v.cli.terminal import section, shown, table
from w2v.cli.train_estimate import cost_rows
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.corpus import CorpusReport, Finding
    from w2v.corpus.inspection import Place

__all__ = ["report_lines"]

_TITLES = {"serious": "Serious", "warning": "Worth mending", "note": "Good to know"}
_WIDTH = 100


def report_lines(report: CorpusReport, cost: dict[str, Any] | None, why: str | None) -> list[str]:
    """Return the lines of a report, with the cost of a training or the reason why it is not known."""
    lines = [*_overview(report), ""]
    for severity, findings in itertools.groupby(report.findings, lambda finding: finding.severity):
        lines += [section(_TITLES[severity]), *(line for finding in findings for line in _told(finding)), ""]
    if not report.findings:
        lines += ["Nothing to be said against it.", ""]
    if cost is not None:
        lines += [section("A training with these settings"), *table(cost_rows(cost), indent="  ")]
    elif why is not None:
        lines += [section("A training with these settings"), *_wrapped(f"no estimate: {why}", "  ", "  ")]
    return lines if lines[-1] else lines[:-1]


def _overview(report: CorpusReport) -> list[str]:
    words, lengths = report.words, report.line_tokens
    first = _name(report.files[0])
    about = "" if words.types_seen == 1 else "about "
    rows = [
        ("text", first if len(report.files) == 1 else f"{first} and {len(report.files) - 1} more"),
        ("size", f"{report.bytes:,} bytes, {counted(report.characters, 'character')}"),
        ("words", f"{counted(report.tokens, 'token')} of {about}{counted(words.types, 'distinct word')}"),
        ("lines", counted(report.lines, "line")),
    ]
    if report.longest_line is not None:
        rows.append(
            (
                "",
                f"tokens: median {lengths['median']:,}, 90% have up to {lengths['p90']:,}, 99% up to "
                f"{lengths['p99']:,}; the longest {lengths['longest']:,} ({_at(report.longest_line)})",
            )
        )
    return table(rows)


def _told(finding: Finding) -> list[str]:
    if finding.share is None:
        text = finding.message
    else:
        share = "" if finding.share > 1 else f"; {_percent(finding.share)} of the {finding.of}"
        text = f"{finding.message} ({finding.count:,}{share})"
    lines = _wrapped(text, "  * ", "    ")
    place = finding.place
    if place is not None and finding.kind != "unreadable":
        lines += _wrapped(f"{_at(place)}{_shown(place)}", "    e.g. ", "    ")
    return lines + _wrapped(finding.advice, "    -> ", "       ")


def _at(place: Place) -> str:
    at = f"{_name(place.file)}:{place.line}"
    return at if place.byte is None else f"{at}, byte {place.byte}"


def _shown(place: Place) -> str:
    return "" if place.text is None else f": {shown(place.text)}"


def _name(file: str) -> str:
    """Return the shorter way to name a file."""
    if file == "-":
        return "standard input"
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def _percent(share: float) -> str:
    if share >= 0.1:
        return f"{share:.0%}"
    return f"{share:.1%}" if share >= 0.001 else f"{share:.2g}".replace("e-0", "e-") if share < 1e-5 else f"{share:.3%}"


def _wrapped(text: str, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
