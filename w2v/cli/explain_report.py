"""The reports of ``w2v analogy --explain``: one analogy in numbers and words, and a table of sections."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from w2v.cli.terminal import section, shown, table

if TYPE_CHECKING:
    from w2v.geometry import AnalogyExplanation

__all__ = ["explanation_lines", "section_lines"]

_WIDTH = 100


def explanation_lines(found: AnalogyExplanation, associations: Mapping[str, float | None] | None) -> Iterator[str]:
    """Return the explanation of one analogy, line by line."""
    a, b, c, d = (shown(word) for word in (found.a, found.b, found.c, found.answer))
    yield section(f"{b} - {a} + {c}   (left out: {', '.join(dict.fromkeys((b, a, c)))})")
    yield from table(((shown(n.word), f"{n.similarity:.4f}") for n in found.answers), "lr", indent="  ")
    yield ""
    yield section(f"Why {d}, or why not: {a} : {b} :: {c} : {d}")
    yield from table(_rows(found, a, b, c, d), indent="  ")
    if associations is not None:
        yield ""
        yield section("csPMI in the corpus: equal along opposite sides, if the analogy holds (Ethayarajh et al. 2019)")
        yield from table(_association_rows(associations, a, b, c, d), "llrlr", indent="  ")
    yield ""
    yield from textwrap.wrap(_in_words(found, a, b, c, d), _WIDTH)


def _rows(found: AnalogyExplanation, a: str, b: str, c: str, d: str) -> Iterator[tuple[str, str, str]]:
    cosines = found.cosines
    yield (f"rank of {d}", f"{found.rank:,}", f"cosine to the target {found.cosine_to_target:.3f}")
    yield ("gap to the target", f"{found.gap:.3f}", f"0 for a parallelogram; {b} itself is {found.gap_to_b:.3f} away")
    yield (f"{b} - {a} | {d} - {c}", _cosine(found.cosine_of_offsets), "cosine of the two offsets; 1 if parallel")
    yield (f"{c} - {a} | {d} - {b}", _cosine(found.cosine_of_crossed_offsets), "the same for the other two sides")
    kept = found.nearest_to_target
    yield ("if nothing is left out", shown(kept.word), f"cosine {kept.similarity:.3f}")
    near_b, near_c = found.nearest_to_b, found.nearest_to_c
    yield (f"nearest to {b} alone", shown(near_b.word), f"{d} is number {found.rank_near_b:,} there")
    yield (f"nearest to {c} alone", shown(near_c.word), f"{d} is number {found.rank_near_c:,} there")
    yield ("cosines", f"{a} {b}", f"{cosines['a-b']:.3f}    {c} {d}  {cosines['c-d']:.3f}")
    yield ("", f"{a} {c}", f"{cosines['a-c']:.3f}    {b} {d}  {cosines['b-d']:.3f}")


def _association_rows(values: Mapping[str, float | None], a: str, b: str, c: str, d: str) -> Iterator[tuple[str, ...]]:
    for first, second, left, right in (("a-b", "c-d", (a, b), (c, d)), ("a-c", "b-d", (a, c), (b, d))):
        x, y = values[first], values[second]
        difference = "" if x is None or y is None else f"difference {abs(x - y):.2f}"
        yield (" ".join(left), _association(x), " ".join(right), _association(y), difference)


def _association(value: float | None) -> str:
    return "never met" if value is None else f"{value:.2f}"


def _cosine(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _in_words(found: AnalogyExplanation, a: str, b: str, c: str, d: str) -> str:
    parts = []
    if found.rank == 1:
        parts.append(f"{d} comes first")
    else:
        first = shown(found.answers[0].word)
        parts.append(f"{d} is number {found.rank:,}; {first} comes first")
    alone = [word for word, near in ((b, found.rank_near_b), (c, found.rank_near_c)) if near == 1]
    if found.rank == 1 and alone:
        parts.append(
            f"but it is the nearest to {' and to '.join(alone)} anyway: the arithmetic has nothing to prove here"
        )
    elif found.rank < min(found.rank_near_b, found.rank_near_c):
        parts.append(
            f"the arithmetic brings it up from number {found.rank_near_b:,} beside {b} and {found.rank_near_c:,} "
            f"beside {c}"
        )
    else:
        better = b if found.rank_near_b <= found.rank_near_c else c
        parts.append(f"the arithmetic does not help: beside {better} alone it is no worse")
    kept = shown(found.nearest_to_target.word)
    if kept in (a, b, c):
        parts.append(f"were the three words allowed as answers, {kept} would be the answer")
    if found.cosine_of_offsets is not None:
        how = (
            "nearly parallel"
            if found.cosine_of_offsets > 0.7
            else "somewhat alike"
            if found.cosine_of_offsets > 0.3
            else "hardly alike"
        )
        parts.append(f"the offsets are {how} (cosine {found.cosine_of_offsets:.2f})")
    return f"In short: {'; '.join(parts)}."


def section_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Return the table of a question file, line by line."""
    rows = [*found["sections"], found["all"]]
    counted = found["cspmi_counted"]
    restrict = found["restrict_vocab"]
    yield section(f"{shown(found['name'])}: why a : b :: c : d works, or not; the {restrict:,} most frequent words")
    lines: list[tuple[str, ...]] = [
        ("", "answer-", "", "near b", "near c", "inputs", "median", "", "offsets", "offsets", "", ""),
        ("", "able", "right", "alone", "alone", "kept", "rank", "gap", "cosine", "shuffled", "cos b,d", "cos c,d"),
    ]
    if counted:
        lines = [(*lines[0], "csPMI"), (*lines[1], "gap")]
    for row in rows:
        lines.append(
            (
                "all" if row["section"] is None else shown(row["section"]),
                f"{row['answerable']:,}",
                *(_share(row[key]) for key in ("accuracy", "nearest_to_b", "nearest_to_c", "inputs_kept")),
                "" if row["median_rank"] is None else f"{row['median_rank']:,.0f}",
                *("" if row[key] is None else f"{row[key]:.3f}" for key in _OFFSETS),
                *([] if not counted else ["-" if row["cspmi_gap"] is None else f"{row['cspmi_gap']:.2f}"]),
            )
        )
    yield from table(lines, "l" + "r" * 12, indent="  ")
    yield ""
    yield from textwrap.wrap(_LEGEND + (_CSPMI_LEGEND if counted else ""), _WIDTH)


def _share(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.1%}"


_OFFSETS = ("gap", "cosine_of_offsets", "cosine_of_shuffled_offsets", "cosine_b_d", "cosine_c_d")
_LEGEND = (
    "near b, near c: answered with what is nearest to b, or c, alone. inputs kept: right even if a, b and c may be "
    "answers. gap: distance of d from b - a + c. offsets: mean cosine of b - a and d - c, and the same with each d "
    "taken from another pair of the section: what they share merely by being words of a kind."
)
_CSPMI_LEGEND = " csPMI gap: mean difference of csPMI(a, b) and csPMI(c, d) where both pairs met; 0 if analogies hold."
