"""The figure of ``w2v plot``: words as points with labels that do not overlap, analogies as arrows."""

from __future__ import annotations

import dataclasses
import os
import warnings
from typing import TYPE_CHECKING, Any

from w2v.reports.canvas import matplotlib, new_figure, save_figure
from w2v.reports.fonts import find_fonts
from w2v.reports.labels import Box, place_labels

if TYPE_CHECKING:
    from w2v.geometry import WordMap

__all__ = ["DrawnMap", "draw_map"]

_NAMES = {"pca": "PCA", "tsne": "t-SNE", "umap": "UMAP"}
_COLORS = ("#1f5fa8", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#117a65", "#7b241c", "#34495e")
_LONGEST = 40


@dataclasses.dataclass(frozen=True)
class DrawnMap:
    """What a person should know of the drawing.

    Attributes
    ----------
    left_out : tuple of str
        Words drawn as points only, as there was no room for their labels.
    hint : str or None
        What to do about characters that no font has.
    """

    left_out: tuple[str, ...]
    hint: str | None


def draw_map(
    word_map: WordMap,
    path: str | os.PathLike[str],
    *,
    title: str = "",
    width: float = 10.0,
    height: float = 8.0,
    font_file: str | os.PathLike[str] | None = None,
    font_size: float = 9.0,
    force: bool = False,
) -> DrawnMap:
    """Draw a `WordMap` to a PNG, SVG or PDF file.

    Parameters
    ----------
    word_map : WordMap
    path : str or path-like
    title : str
    width, height : float
        Inches.
    font_file : path, optional
        A font for the labels; by default installed fonts that hold their characters are found.
    font_size : float
    force : bool
        Whether an existing file may be replaced.

    Raises
    ------
    MissingExtraError, SettingsError, FileAccessError, FormatError
    """
    names = [_shown(word) for word in word_map.words]
    fonts = find_fonts([*names, title], font_file)
    figure, axes = new_figure(width, height)
    style = {"family": list(fonts.families), "parse_math": False}
    if title:
        axes.set_title(title, **style)
    _axes(axes, word_map)
    colors = [_COLORS[group % len(_COLORS)] for group in word_map.group.tolist()]
    sizes = [26 if i < word_map.given else 12 for i in range(len(names))]
    axes.scatter(word_map.points[:, 0], word_map.points[:, 1], s=sizes, c=colors, linewidths=0, zorder=2)
    _arrows(axes, word_map)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing", category=UserWarning)  # the hint says it
        figure.canvas.draw()
        figure.set_layout_engine("none")  # labels are placed in pixels: nothing may move from here on
        left_out = _labels(figure, axes, word_map, names, colors, {**style, "fontsize": font_size})
        save_figure(figure, path, force=force)
    return DrawnMap(tuple(left_out), fonts.hint())


def _axes(axes: Any, word_map: WordMap) -> None:
    axes.set_aspect("equal" if word_map.arrows else "auto", adjustable="datalim")
    axes.margins(0.08)
    name = _NAMES.get(word_map.method, word_map.method)
    if word_map.explained is None:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_xlabel(f"{name}: who is near to whom counts, axes and distances do not", fontsize=8)
        return
    axes.tick_params(labelsize=7)
    for axis, which, share in zip((axes.xaxis, axes.yaxis), ("first", "second"), word_map.explained, strict=True):
        axis.set_label_text(f"{which} principal component, {share:.0%} of the variance", fontsize=8)


def _arrows(axes: Any, word_map: WordMap) -> None:
    for start, end in word_map.arrows:
        axes.annotate(
            "",
            xy=tuple(word_map.points[end]),
            xytext=tuple(word_map.points[start]),
            arrowprops={"arrowstyle": "-|>", "color": "#555555", "linewidth": 1.2, "shrinkA": 4, "shrinkB": 4},
            zorder=1,
        )


def _labels(
    figure: Any, axes: Any, word_map: WordMap, names: list[str], colors: list[str], style: dict[str, Any]
) -> list[str]:
    renderer = figure.canvas.get_renderer()
    bold = ["bold" if i < word_map.given and word_map.given < len(names) else "normal" for i in range(len(names))]
    sizes = []
    for name, weight in zip(names, bold, strict=True):
        text = figure.text(0, 0, name, weight=weight, **style)
        extent = text.get_window_extent(renderer)
        sizes.append((extent.width + 2, extent.height + 1))
        text.remove()
    frame = axes.get_window_extent(renderer)
    points = [tuple(point) for point in axes.transData.transform(word_map.points).tolist()]
    dot = figure.dpi / 72  # pixels of a point, the unit of the sizes above
    boxes = place_labels(points, sizes, Box(frame.x0, frame.y0, frame.x1, frame.y1), gap=3.2 * dot, radius=2.4 * dot)
    to_figure = figure.transFigure.inverted()
    line = matplotlib("lines").Line2D
    left_out = []
    for name, box, point, color, weight in zip(names, boxes, points, colors, bold, strict=True):
        if box is None:
            left_out.append(name)
            continue
        x, y = (box.left + box.right) / 2, (box.bottom + box.top) / 2
        place = to_figure.transform((x, y))
        figure.text(*place, name, ha="center", va="center", color=color, weight=weight, zorder=3, **style)
        near = (min(max(point[0], box.left), box.right), min(max(point[1], box.bottom), box.top))
        if (near[0] - point[0]) ** 2 + (near[1] - point[1]) ** 2 > (
            7 * dot
        ) ** 2:  # far enough to need a line to its point
            (x0, y0), (x1, y1) = to_figure.transform([point, near])
            figure.add_artist(line([x0, x1], [y0, y1], color=color, linewidth=0.4, alpha=0.6, zorder=1))
    return left_out


def _shown(word: object) -> str:
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(word)) or "''"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
