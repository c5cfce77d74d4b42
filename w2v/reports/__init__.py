"""Figures: they draw result objects and compute nothing. The only room that knows matplotlib (extra ``reports``)."""

from w2v.reports.canvas import FORMATS, check_figure_target
from w2v.reports.comparison_figure import draw_comparison
from w2v.reports.geometry_figure import draw_geometry
from w2v.reports.map_figure import draw_map

__all__ = ["FORMATS", "check_figure_target", "draw_comparison", "draw_geometry", "draw_map"]
