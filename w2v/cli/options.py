"""Options that commands share: --model, --json, and one option for each setting."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from w2v.errors import FileAccessError
from w2v.settings import ContextSettings, CorpusSettings, FactorizationSettings, PhraseSettings, TrainingSettings

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = [
    "DEFAULT_MODEL",
    "SectionedCommand",
    "SettingOption",
    "json_option",
    "load_model",
    "model_option",
    "neighborhood_option",
    "neighbors_option",
    "options_of",
    "quiet_option",
    "settings_from_options",
    "settings_of",
    "settings_options",
]

DEFAULT_MODEL = "model.safetensors"
_Function = TypeVar("_Function", bound=Callable[..., Any])
_Settings = tuple[CorpusSettings, ContextSettings, TrainingSettings]
_Home = type[CorpusSettings] | type[ContextSettings] | type[TrainingSettings] | type[FactorizationSettings]
_HOMES: dict[str, _Home] = {
    "Text and vocabulary": CorpusSettings,
    "Pairs of word and context": ContextSettings,
    "Training": TrainingSettings,
}


class SettingOption(click.Option):
    """An option that stands for one setting; `section` is its heading in the help."""

    section: str = ""


class SectionedCommand(click.Command):
    """A command whose help lists the settings under headings of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options first, then the settings by their homes."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def settings_options(function: _Function) -> _Function:
    """Add an option for every setting of a training: corpus, context, training, in their order."""
    return options_of(_HOMES)(function)


def options_of(
    homes: Mapping[str, _Home | type[PhraseSettings]], *, without: Collection[str] = ()
) -> Callable[[_Function], _Function]:
    """Return a decorator that adds an option for every setting of some settings classes, under their headings."""
    options = [
        _option(field, title)
        for title, home in homes.items()
        for field in dataclasses.fields(home)
        if field.name not in without
    ]

    def add(function: _Function) -> _Function:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def settings_from_options(values: Mapping[str, Any]) -> _Settings:
    """Build the settings from option values; None means not given. Raises `SettingsError`."""
    built = [settings_of(home, values) for home in _HOMES.values()]
    return built[0], built[1], built[2]


def settings_of(home: _Home | type[PhraseSettings], values: Mapping[str, Any]) -> Any:
    """Build one of the settings classes from option values; None means not given. Raises `SettingsError`."""
    names = {field.name for field in dataclasses.fields(home)}
    return home(**{name: value for name, value in values.items() if name in names and value is not None})


def _option(field: dataclasses.Field[Any], title: str) -> Callable[[_Function], _Function]:
    name = field.name.replace("_", "-")
    kind = str(field.type)
    default = None if field.default is dataclasses.MISSING else field.default
    shown = field.metadata.get("default_text", "none" if default is None else True)
    names = [f"--{name}/--no-{name}" if "bool" in kind else f"--{name}", field.name]

    class Option(SettingOption):
        section = title

    return click.option(
        *names,
        cls=Option,
        default=default,
        show_default=shown,
        type=_click_type(field, kind),
        help=field.metadata["help"],
    )


def _click_type(field: dataclasses.Field[Any], kind: str) -> Any:
    if "choices" in field.metadata:
        return click.Choice(field.metadata["choices"])
    if "bool" in kind:
        return bool
    if field.metadata.get("share"):
        return share
    if "int" in kind:
        return int
    return float if "float" in kind else str


def share(value: Any) -> float:
    """Read a share, as ``1%`` or ``0.01``."""
    if not isinstance(value, str):
        return float(value)
    try:
        return float(value[:-1]) / 100 if value.endswith("%") else float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no share; give one such as 1% or 0.01") from None


def json_option(function: _Function) -> _Function:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON object on one line.")(function)


def quiet_option(function: _Function) -> _Function:
    """Add ``--quiet``, for the commands that tell how far they are."""
    return click.option("--quiet", is_flag=True, help="No progress on standard error.")(function)


def model_option(function: _Function) -> _Function:
    """Add ``--model``, with $W2V_MODEL and then model.safetensors as its default."""
    return click.option(
        "-m",
        "--model",
        default=DEFAULT_MODEL,
        envvar="W2V_MODEL",
        show_default=True,
        show_envvar=True,
        metavar="FILE",
        help="The model.",
    )(function)


def neighbors_option(purpose: str = "") -> Callable[[_Function], _Function]:
    """Add ``--neighbors``: how many nearest neighbours of a word are looked at."""
    return click.option(
        "--neighbors",
        "--neighbours",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        metavar="N",
        help=f"Nearest neighbours of a word{purpose}.",
    )


def neighborhood_option(default: int, least: int, purpose: str) -> Callable[[_Function], _Function]:
    """Add ``--neighborhood``: among how many of the most frequent words neighbours are sought."""
    return click.option(
        "--neighborhood",
        "--neighbourhood",
        type=click.IntRange(min=least),
        default=default,
        show_default=True,
        metavar="N",
        help=f"{purpose} the N most frequent words.",
    )


def load_model(path: str) -> Embedding:
    """Load a model; where there is none, say what to type."""
    try:
        Path(path).lstat()
    except (FileNotFoundError, NotADirectoryError):
        raise FileAccessError(_no_model(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a name that the system does not allow
        raise FileAccessError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    from w2v.embedding import load

    return load(Path(path))


def _no_model(path: str) -> str:
    text = f"there is no model at {path}; train one with: w2v train corpus.txt"
    if path != DEFAULT_MODEL:
        text += f" -o {path}"
    checkpoint = f"{path}.ckpt"
    if os.path.lexists(checkpoint):
        text += f"; or read what an interrupted training left: --model {checkpoint}"
    return f"{text}; or name another with --model FILE"
