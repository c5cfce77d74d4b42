"""The command line: the only place that prints, shows progress or exits."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(argv: Sequence[str] | None = None, *, prog_name: str = "w2v") -> NoReturn:
    """Run the command line and exit; see `w2v.cli.app.main`."""
    try:
        from w2v.cli import app
    except KeyboardInterrupt:  # while click is imported
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    app.main(argv, prog_name=prog_name)
