"""Places for labels so that none covers another: tried around each point, nearest first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Box", "place_labels"]

_DIRECTIONS = 16
_RINGS = 14


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: Box) -> bool:
        """Tell whether two boxes share a point inside."""
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    def inside(self, other: Box) -> bool:
        """Tell whether this box lies within the other."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.bottom >= other.bottom
            and self.top <= other.top
        )


def place_labels(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    *,
    gap: float = 4.0,
    radius: float = 3.0,
) -> list[Box | None]:
    """Return a box for each label, or None where there is no room left for it.

    Earlier labels choose first. A label stands right beside its point where it can, else in ever wider rings around
    it; places that cover no point are preferred, and no two labels ever overlap.

    Parameters
    ----------
    points, sizes : sequence of (float, float)
        Centre of each point, and width and height of its label, in pixels.
    frame : Box
        Labels stay inside.
    gap : float
        From point to label, and the width of a ring.
    radius : float
        Of the drawn points.
    """
    taken = _Grid(max([60.0, *(max(size) for size in sizes)]))
    dots = _Grid(60.0)
    for x, y in points:
        dots.add(Box(x - radius, y - radius, x + radius, y + radius))
    placed: list[Box | None] = []
    for point, size in zip(points, sizes, strict=True):
        box = _place(point, size, frame, taken, dots, gap)
        if box is not None:
            taken.add(box)
        placed.append(box)
    return placed


def _place(
    point: tuple[float, float], size: tuple[float, float], frame: Box, taken: _Grid, dots: _Grid, gap: float
) -> Box | None:
    second_best = None
    for ring in range(_RINGS):
        for box in _candidates(point, size, gap * (1 + ring * (1 + ring / 4))):
            if not box.inside(frame) or taken.hit(box):
                continue
            if not dots.hit(box):
                return box
            second_best = second_best or box
    return second_best


def _candidates(point: tuple[float, float], size: tuple[float, float], distance: float) -> list[Box]:
    """Return boxes of that size around a point, to the right first, then left, above, below and between."""
    (x, y), (width, height) = point, size
    boxes = []
    for step in sorted(range(_DIRECTIONS), key=lambda s: ((8 - s) % 8 != 0, s % 4 != 0, s % 2 != 0, s)):
        angle = 2 * math.pi * step / _DIRECTIONS
        cos, sin = math.cos(angle), math.sin(angle)
        # the box touches the circle of that radius with the side or corner that faces the point
        center_x = x + cos * (distance + width / 2) if abs(cos) > 1e-9 else x
        center_y = y + sin * (distance + height / 2) if abs(sin) > 1e-9 else y
        boxes.append(Box(center_x - width / 2, center_y - height / 2, center_x + width / 2, center_y + height / 2))
    return boxes


class _Grid:
    """Boxes by the squares of a grid that they touch."""

    def __init__(self, side: float) -> None:
        self._side = side
        self._cells: dict[tuple[int, int], list[Box]] = {}

    def _touched(self, box: Box) -> list[tuple[int, int]]:
        columns = range(math.floor(box.left / self._side), math.floor(box.right / self._side) + 1)
        rows = range(math.floor(box.bottom / self._side), math.floor(box.top / self._side) + 1)
        return [(column, row) for column in columns for row in rows]

    def add(self, box: Box) -> None:
        for cell in self._touched(box):
            self._cells.setdefault(cell, []).append(box)

    def hit(self, box: Box) -> bool:
        return any(box.overlaps(other) for cell in self._touched(box) for other in self._cells.get(cell, ()))
