"""The geometry of embedding spaces."""

from w2v.geometry.alignment import Alignment, align
from w2v.geometry.comparison import SpaceComparison, compare_spaces
from w2v.geometry.dictionaries import BilingualDictionary, KnownPairs, identical_words
from w2v.geometry.precision import BandPrecision, TranslationReport, evaluate_translation
from w2v.geometry.translation import Translation, Translator

__all__ = [
    "Alignment",
    "BandPrecision",
    "BilingualDictionary",
    "KnownPairs",
    "SpaceComparison",
    "Translation",
    "TranslationReport",
    "Translator",
    "align",
    "compare_spaces",
    "evaluate_translation",
    "identical_words",
]
