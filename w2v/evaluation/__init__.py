"""Evaluation: analogies, similarity, categories, odd one out; with coverage, baselines, intervals; bundled sets.

Relations are a : b :: c : d, as in the question files (Athens : Greece :: Baghdad : Iraq).
"""

from w2v.evaluation.analogies import METHODS, evaluate_analogies
from w2v.evaluation.analogy_report import AnalogyReport, AnalogyTally, Answer, SectionReport
from w2v.evaluation.bundled import BundledSet, bundled, bundled_set, file_or_bundled, fitting
from w2v.evaluation.candidates import CASES, HasVectors
from w2v.evaluation.categories import CategoriesReport, WordCategories, evaluate_categories
from w2v.evaluation.odd_one_out import OddOneOutReport, OddOneOutSets, evaluate_odd_one_out
from w2v.evaluation.pairs import SimilarityPairs, WordPair
from w2v.evaluation.questions import AnalogyQuestions, Question, Section
from w2v.evaluation.similarity import OOV_POLICIES, SimilarityReport, evaluate_similarity

__all__ = [
    "CASES",
    "METHODS",
    "OOV_POLICIES",
    "AnalogyQuestions",
    "AnalogyReport",
    "AnalogyTally",
    "Answer",
    "BundledSet",
    "CategoriesReport",
    "HasVectors",
    "OddOneOutReport",
    "OddOneOutSets",
    "Question",
    "Section",
    "SectionReport",
    "SimilarityPairs",
    "SimilarityReport",
    "WordCategories",
    "WordPair",
    "bundled",
    "bundled_set",
    "evaluate_analogies",
    "evaluate_categories",
    "evaluate_odd_one_out",
    "evaluate_similarity",
    "file_or_bundled",
    "fitting",
]
