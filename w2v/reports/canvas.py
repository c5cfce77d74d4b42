"""A figure to draw on, and the file it is saved to: PNG, SVG or PDF by its name, the same bytes for the same figure."""

from __future__ import annotations

import importlib
import io
import os
from pathlib import Path
from typing import Any

from w2v.atomic import check_target, replacing
from w2v.errors import MissingExtraError, SettingsError

__all__ = ["FORMATS", "check_figure_target", "matplotlib", "new_figure", "save_figure"]

FORMATS = ("png", "svg", "pdf")
_DPI = 150
_UNDATED: dict[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def matplotlib(module: str = "") -> Any:
    """Return matplotlib, or one of its modules by name.

    Raises
    ------
    MissingExtraError
        When it is not installed.
    """
    try:
        return importlib.import_module(f"matplotlib.{module}" if module else "matplotlib")
    except ImportError as error:
        raise MissingExtraError(
            "drawing needs the package matplotlib: pip install 'w2v[reports]'", name="matplotlib"
        ) from error


def check_figure_target(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse a file that could not be drawn to; to be asked before the work.

    Raises
    ------
    MissingExtraError
        When matplotlib is not installed.
    SettingsError
        When the name does not end in .png, .svg or .pdf.
    FileAccessError
        See `w2v.atomic.check_target`.
    """
    _format(path)
    check_target(path, force=force)
    matplotlib()


def new_figure(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Any, Any]:
    """Return a matplotlib figure of so many inches that belongs to no window, and its axes."""
    figure = matplotlib("figure").Figure(figsize=(width, height), dpi=_DPI, layout="constrained")
    matplotlib("backends.backend_agg").FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns)


def save_figure(figure: Any, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a figure; the file appears whole or not at all, and holds no date."""
    kind = _format(path)
    drawn = io.BytesIO()
    with matplotlib().rc_context({"svg.hashsalt": "w2v", "svg.fonttype": "path"}):
        figure.savefig(drawn, format=kind, metadata=_UNDATED[kind])
    with replacing(path, force=force) as file:
        file.write(drawn.getvalue())


def _format(path: str | os.PathLike[str]) -> str:
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise SettingsError(
            f"a figure is written as {', '.join(FORMATS)}, by the end of its name; got {os.fspath(path)}"
        )
    return kind
