"""The command line: the only place that prints, shows progress or exits."""

from w2v.cli.app import main

__all__ = ["main"]
