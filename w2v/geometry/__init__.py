"""Geometry: the shape of an embedding measured, mended and drawn; why analogies work or not; two spaces aligned."""

from w2v.geometry.alignment import Alignment, align
from w2v.geometry.comparison import SpaceComparison, compare_spaces
from w2v.geometry.dictionaries import BilingualDictionary, KnownPairs, identical_words
from w2v.geometry.mapping import WordMap, map_words
from w2v.geometry.measuring import GeometryReport, Shape, measure
from w2v.geometry.offsets import AnalogyExplanation, OffsetStatistics, explain_analogy, offset_statistics
from w2v.geometry.postprocessing import postprocess
from w2v.geometry.precision import BandPrecision, TranslationReport, evaluate_translation
from w2v.geometry.rows import with_counts
from w2v.geometry.steps import STEPS, Step, parse_step, parse_steps
from w2v.geometry.translation import Translation, Translator

__all__ = [
    "STEPS",
    "Alignment",
    "AnalogyExplanation",
    "BandPrecision",
    "BilingualDictionary",
    "GeometryReport",
    "KnownPairs",
    "OffsetStatistics",
    "Shape",
    "SpaceComparison",
    "Step",
    "Translation",
    "TranslationReport",
    "Translator",
    "WordMap",
    "align",
    "compare_spaces",
    "evaluate_translation",
    "explain_analogy",
    "identical_words",
    "map_words",
    "measure",
    "offset_statistics",
    "parse_step",
    "parse_steps",
    "postprocess",
    "with_counts",
]
