"""Evaluation: analogies and word similarity, with coverage, baselines and intervals; the bundled sets.

Relations are a : b :: c : d, as in the question files (Athens : Greece :: Baghdad : Iraq).
"""

from w2v.evaluation.analogies import METHODS, evaluate_analogies
from w2v.evaluation.analogy_report import AnalogyReport, AnalogyTally, Answer, SectionReport
from w2v.evaluation.bundled import BundledSet, bundled, bundled_set
from w2v.evaluation.candidates import CASES, HasVectors
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
    "HasVectors",
    "Question",
    "Section",
    "SectionReport",
    "SimilarityPairs",
    "SimilarityReport",
    "WordPair",
    "bundled",
    "bundled_set",
    "evaluate_analogies",
    "evaluate_similarity",
]
