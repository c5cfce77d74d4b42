"""The same analogies and similarity sets for SGNS and for each factorisation of its counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.embedding import Embedding
from w2v.evaluation import AnalogyQuestions, SimilarityPairs, evaluate_analogies, evaluate_similarity
from w2v.vocabulary import Vocabulary

__all__ = ["Task", "evaluate_tasks"]

_METHODS = ("3cosadd", "3cosmul")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Task:
    """One set answered by one model.

    Attributes
    ----------
    model, name : str
        The model and the set.
    measure : {"3cosadd", "3cosmul", "spearman"}
    score : float or None
        Accuracy over answerable questions, or correlation; None where there is nothing to score.
    baseline : float or None
        Of analogies: accuracy of the word nearest to b alone.
    coverage : float or None
    """

    model: str
    name: str
    measure: str
    score: float | None
    baseline: float | None
    coverage: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


def evaluate_tasks(
    models: Mapping[str, NDArray[np.float32]],
    vocabulary: Vocabulary,
    *,
    questions: Sequence[AnalogyQuestions | str | Path] = (),
    pairs: Sequence[SimilarityPairs | str | Path] = (),
    restrict_vocab: int | None = 30_000,
) -> tuple[Task, ...]:
    """Answer each set by each model.

    Parameters
    ----------
    models : mapping of name to W (n, d) float32
        Rows of the same first n words.
    vocabulary : Vocabulary
    questions, pairs
        Analogy and similarity sets, or the files that hold them.
    restrict_vocab : int, optional
        Of analogies.
    """
    found = []
    for model, W in models.items():
        embedding = Embedding(vocabulary if len(W) == len(vocabulary) else vocabulary.head(len(W)), W)
        for asked in questions:
            for method in _METHODS:
                analogies = evaluate_analogies(
                    embedding, asked, method=method, restrict_vocab=restrict_vocab, resamples=0
                )
                total = analogies.total
                found.append(
                    Task(
                        model=model,
                        name=analogies.name,
                        measure=method,
                        score=total.accuracy,
                        baseline=total.baselines["only_b"],
                        coverage=total.coverage,
                    )
                )
        for scored in pairs:
            similarity = evaluate_similarity(embedding, scored, resamples=0)
            found.append(
                Task(
                    model=model,
                    name=similarity.name,
                    measure="spearman",
                    score=similarity.spearman,
                    baseline=None,
                    coverage=similarity.coverage,
                )
            )
    return tuple(found)
