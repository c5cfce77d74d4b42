"""What is typed: a word is UTF-8 in every locale, and a file has a name."""

from __future__ import annotations

import re
from typing import Any

import click

from w2v.cli.terminal import readable

__all__ = ["prepare"]

_WORDS = re.compile(r"WORD|^\[?A B C( D)?\b")
_FILES = re.compile(r"FILE|MODEL|CHECKPOINT|INPUT|SOURCE|TARGET|^[AB]$")


def prepare(command: click.Command) -> click.Command:
    """Give the parameters of a command that take any text the type that their metavar says; returns the command."""
    for parameter in command.params:
        if parameter.type is click.STRING:
            metavar = parameter.metavar or ""
            if _WORDS.search(metavar):
                parameter.type = _Word()
            elif _FILES.search(metavar):
                parameter.type = _FileName()
    return command


class _FileName(click.ParamType):  # type: ignore[type-arg]
    """The name of a file; not the empty one, which the system takes for the current folder."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse the empty name; others stay as the system gave them, or they could not be opened in a C locale."""
        if not value:
            self.fail("an empty name names no file", param, ctx)
        return str(value)


class _Word(click.ParamType):  # type: ignore[type-arg]
    """A word, which Python takes in undecoded in a C locale."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Decode it."""
        return readable(str(value))
