"""Geometry: the shape of an embedding measured, mended and drawn on a plane; why analogies work or not."""

from w2v.geometry.mapping import WordMap, map_words
from w2v.geometry.measuring import GeometryReport, Shape, measure
from w2v.geometry.offsets import AnalogyExplanation, OffsetStatistics, explain_analogy, offset_statistics
from w2v.geometry.postprocessing import postprocess
from w2v.geometry.rows import with_counts
from w2v.geometry.steps import STEPS, Step, parse_step, parse_steps

__all__ = [
    "STEPS",
    "AnalogyExplanation",
    "GeometryReport",
    "OffsetStatistics",
    "Shape",
    "Step",
    "WordMap",
    "explain_analogy",
    "map_words",
    "measure",
    "offset_statistics",
    "parse_step",
    "parse_steps",
    "postprocess",
    "with_counts",
]
