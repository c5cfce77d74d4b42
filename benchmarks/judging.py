"""One judge for all embeddings: Google analogies, similarity sets, and the exact objective per pair."""

import numpy as np

from w2v.corpus import encode_files
from w2v.equivalence.objective import objective_of_factors, optimum
from w2v.equivalence.observed import ObservedCells
from w2v.evaluation import bundled_set, evaluate_analogies, evaluate_similarity
from w2v.pmi import NoiseLaw, count_pairs
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings

LOSS = "loss per pair"


class Judge:
    """Scores by name, as of `columns`.

    Parameters
    ----------
    similarity : list of Path
        Sets of scored pairs.
    restrict_vocab : int
        Candidates for the analogies.
    exact_loss : ExactLoss, optional
        Left out, there is no column of the loss.
    """

    def __init__(self, similarity, restrict_vocab, exact_loss=None):
        self.questions = bundled_set("questions-words").load()
        self.sets, self.restrict_vocab, self.exact_loss = similarity, restrict_vocab, exact_loss
        self.columns = ["Google", *(path.stem for path in similarity), *([LOSS] if exact_loss else [])]

    def quality(self, embedding):
        """Return all scores of one embedding; None for what it does not allow."""
        report = evaluate_analogies(
            embedding, self.questions, restrict_vocab=self.restrict_vocab, baselines=False, resamples=0
        )
        scores = {"Google": report.accuracy, "Google answerable": report.total.answerable}
        for path in self.sets:
            scores[path.stem] = evaluate_similarity(embedding, path, resamples=0).spearman
        if self.exact_loss:
            scores[LOSS] = self.exact_loss.of(embedding)
        return scores


class ExactLoss:
    """-L / pairs in nats, summed over all V x V cells under the settings of a job; less is better.

    Accidental hits count for all alike, whatever a program did with them while it trained. A row that a program has
    beside the words of the vocabulary (</s>) is left out.
    """

    def __init__(self, job, workers=1):
        training = TrainingSettings.from_dict(job["training"])
        with encode_files([job["corpus"]], CorpusSettings.from_dict(job["corpus_settings"])) as corpus:
            self.vocabulary = corpus.vocabulary
            counts = count_pairs(corpus, ContextSettings.from_dict(job["context"]), workers=workers)
        self.cells = ObservedCells.of(counts, NoiseLaw.from_settings(training), workers)
        self.pairs = float(counts.total)
        self.best = -optimum(self.cells).total / self.pairs

    def of(self, embedding):
        """Return the loss per pair; None for an embedding without context vectors, or without one of the words."""
        if embedding.C is None:
            return None
        index = embedding.vocabulary.index
        rows = [index.get(word) for word in self.vocabulary.words]
        if None in rows:
            return None
        W, C = (np.ascontiguousarray(matrix[rows], dtype=np.float32) for matrix in (embedding.W, embedding.C))
        return -objective_of_factors(self.cells, W, C).total / self.pairs
