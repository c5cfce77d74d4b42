"""``w2v pmi-compare --exact``: where w.c must equal x*, and whether it does."""

from __future__ import annotations

import click

from w2v.cli.terminal import result, result_json, section, table
from w2v.cli.train_view import TrainView

__all__ = ["run_self_test"]


def run_self_test(*, quiet: bool, as_json: bool) -> None:
    """Run the self-test, print each part with its tolerance, and exit with 1 if one failed."""
    from w2v.equivalence import self_test
    from w2v.equivalence.selftest import (
        FULL_BATCH_ERROR,
        FULL_BATCH_RATIO,
        MAXIMUM_ERROR,
        MEAN_ERROR,
        OTHER_LAW,
        FullBatchTest,
    )

    view = TrainView(quiet=quiet)

    def report(part: object) -> None:
        name = "full batch" if isinstance(part, FullBatchTest) else f"{part.algorithm}, seed {part.seed}"  # type: ignore[attr-defined]
        view.say(f"{name}, hits {part.accidental_hits}: {_verdict(part.passed)}")  # type: ignore[attr-defined]

    view.say("Twelve words, sixteen dimensions, every pair seen often: x must reach x*. This takes some minutes.")
    outcome = self_test(report=report)
    if as_json:
        result_json(outcome.to_dict())
    else:
        result(section("L maximised over W and C in full batch"))
        rows = [("hits", "max |x - x*|", "L / L_opt - 1", "CPU s", "")]
        rows += [
            (t.accidental_hits, f"{t.maximum_error:.1e}", f"{t.ratio - 1:.1e}", f"{t.seconds:.0f}", _verdict(t.passed))
            for t in outcome.full_batch
        ]
        rows.append(("must be", f"< {FULL_BATCH_ERROR:g}", f"< {FULL_BATCH_RATIO:g}", "", ""))
        for line in table(rows, "lrrrl", indent="  "):
            result(line)
        result()
        result(section("The training kernels themselves"))
        headed = [("kernel", "hits", "seed", "mean |x - x*|", "max", "mean to the other law", "CPU s", "")]
        headed += [
            (
                t.algorithm,
                t.accidental_hits,
                str(t.seed),
                f"{t.mean_error:.4f}",
                f"{t.maximum_error:.3f}",
                f"{t.other_law:.3f}",
                f"{t.seconds:.0f}",
                _verdict(t.passed),
            )
            for t in outcome.stochastic
        ]
        headed.append(("must be", "", "", f"< {MEAN_ERROR:g}", f"< {MAXIMUM_ERROR:g}", f"> {OTHER_LAW:g}", "", ""))
        for line in table(headed, "lllrrrrl", indent="  "):
            result(line)
        result()
        result("PASS: w.c is x* where it must be" if outcome.passed else "FAIL: see above")
    if not outcome.passed:
        click.get_current_context().exit(1)


def _verdict(passed: bool) -> str:
    return "pass" if passed else "FAIL"
