"""The wider report: deciles, unobserved pairs, factorisations, neighbours, tasks; and the self-test."""

import json

import numpy as np
import pytest
import reference
from test_equivalence import embedding_of
from test_pmi_association import oracle
from test_pmi_counting import zipfian

from w2v.equivalence import compare, self_test
from w2v.equivalence.neighbors import nearest_ids, overlaps
from w2v.equivalence.objective import objective_of_factors
from w2v.equivalence.observed import ObservedCells
from w2v.equivalence.rivals import fit_scale
from w2v.evaluation import AnalogyQuestions, SimilarityPairs
from w2v.pmi import NoiseLaw, count_pairs, factorize
from w2v.settings import ContextSettings, FactorizationSettings

CORPUS = zipfian(6007, 120, 90, seed=9)
COUNTS = count_pairs(CORPUS, ContextSettings(window=3, sample=0.01))
LAW = NoiseLaw(negative=2)


def vectors(d=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(2, COUNTS.size, d)).astype(np.float32) / 2


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """Return the whole report of an embedding, a second one, and two tiny sets."""
    folder = tmp_path_factory.mktemp("sets")
    (folder / "questions.txt").write_text(": some\nw0 w1 w2 w3\nw4 w5 w6 w7\nw1 w0 w9 nothing\n")
    (folder / "pairs.txt").write_text("w0\tw1\t3.5\nw2\tw3\t1.0\nw4\tw5\t9.0\n")
    W, C = vectors()
    W2, C2 = vectors(seed=1)
    steps = []
    report = compare(
        embedding_of(W, C, CORPUS.vocabulary, negative=2),
        COUNTS,
        factorizations=True,
        second=embedding_of(W2, C2, CORPUS.vocabulary, negative=2),
        questions=[AnalogyQuestions.read(folder / "questions.txt")],
        pairs=[SimilarityPairs.read(folder / "pairs.txt")],
        workers=2,
        report=steps.append,
    )
    assert "SVD(M*)" in steps
    return report


def test_deciles_hold_all_pairs_and_agree_with_plain_statistics(full):
    W, C = vectors()
    a, b = oracle(COUNTS, LAW)
    x, target = W.astype(float) @ C.T.astype(float), reference.target(a, b)
    seen = a >= 0.01
    n = CORPUS.vocabulary.counts.astype(float)
    values = {
        "pair count": a,
        "word frequency": np.outer(n, np.ones_like(n)),
        "context frequency": np.outer(np.ones_like(n), n),
    }
    for table in full.deciles:
        assert sum(row.plain.cells for row in table.rows) == seen.sum()
        lows = [row.low for row in table.rows]
        assert lows == sorted(lows)
        if table.quantity == "pair count":
            for row in table.rows:
                inside = (
                    seen & (values[table.quantity] >= row.low - 1e-12) & (values[table.quantity] <= row.high + 1e-12)
                )
                assert abs(row.plain.cells - inside.sum()) <= 1  # a_wc and a_cw may differ by rounding
                expected = reference.weighted_pearson(x[inside], target[inside])
                assert row.plain.pearson == pytest.approx(expected, abs=5e-3)


def test_unobserved_pairs_are_drawn_by_the_negatives(full):
    W, C = vectors()
    a, _ = oracle(COUNTS, LAW)
    chances = np.outer(a.sum(axis=1), CORPUS.vocabulary.noise_distribution(0.75)) * (a == 0)
    x = W.astype(float) @ C.T.astype(float)
    found = full.unobserved
    assert found.pairs / found.drawn == pytest.approx(chances.sum() / a.sum(), abs=0.01)
    assert found.mean == pytest.approx(np.average(x, weights=chances), abs=0.02)
    assert found.share_positive == pytest.approx(np.average(x > 0, weights=chances), abs=0.01)
    assert list(found.quantiles.values()) == sorted(found.quantiles.values())


def test_factorisations_stand_in_the_objective_table(full):
    a, b = oracle(COUNTS, LAW)
    names = [row.name for row in full.objectives]
    assert names[:6] == ["SGNS", "r_w + s_c fitted to L", "r_w + s_c by least squares", "x = 0", "x = -log k", "SPPMI"]
    rows = {row.name.split(" x ")[0]: row for row in full.objectives}
    whole = reference.objective(reference.positive_target(a, b), a, b)
    assert rows["SPPMI"].objective.total == pytest.approx(whole, rel=1e-6)
    for name, matrix in (
        ("SVD(SPPMI)", reference.positive_target(a, b)),
        ("SVD(target)", reference.filled(reference.target(a, b))),
    ):
        W, C, _ = reference.factorize(matrix, 6)
        assert rows[name].objective.total == pytest.approx(reference.objective(W @ C.T, a, b), rel=1e-4)
    assert all(rival.residual < 1e-3 for rival in full.rivals)
    assert all(row.objective.total <= full.optimum.total for row in full.objectives)


def test_scale_of_mstar_maximises_the_objective():
    cells = ObservedCells.of(COUNTS, LAW, 1)
    W, C = factorize(COUNTS, FactorizationSettings(matrix="mstar", vector_size=6), law=LAW).factors()
    t = fit_scale(cells, W, C)
    at = {s: objective_of_factors(cells, W * np.float32(t * s), C).total for s in (0.8, 1.0, 1.25)}
    assert at[1.0] > max(at[0.8], at[1.25])


def test_sampled_objective_is_within_its_error():
    cells = ObservedCells.of(COUNTS, LAW, 2)
    W, C = vectors()
    exact, sampled = objective_of_factors(cells, W, C), objective_of_factors(cells, W, C, exact_up_to=10)
    assert exact.standard_error is None
    assert 0 < sampled.standard_error < 0.01 * abs(exact.total)
    assert abs(sampled.total - exact.total) < 4 * sampled.standard_error
    assert sampled.observed == exact.observed


def test_neighbours(full):
    names = [overlap.name for overlap in full.neighbors]
    assert names == ["SVD(PPMI)", "SVD(SPPMI)", "SVD(PMI)", "SVD(target)", "SVD(M*)", "SGNS, second seed"]
    W = vectors()[0]
    rows = np.array([0, 5, 119])
    for row, found in zip(rows, nearest_ids(W, rows, 4), strict=True):
        assert set(found.tolist()) == {i for i, _ in reference.nearest(W, row, 4)}
    (same,) = overlaps(W, {"same": W * 3})
    assert (same.mean, same.words, same.topn) == (1.0, 120, 10)
    (random,) = overlaps(W, {"other": vectors(seed=5)[0]})
    assert random.mean == pytest.approx(10 / 119, abs=0.04)


def test_tasks(full):
    found = [(task.model, task.name, task.measure) for task in full.tasks if task.model == "SGNS"]
    assert found == [
        ("SGNS", "questions", "3cosadd"),
        ("SGNS", "questions", "3cosmul"),
        ("SGNS", "pairs", "spearman"),
    ]
    assert {task.model for task in full.tasks} == {
        "SGNS",
        "SVD(PPMI)",
        "SVD(SPPMI)",
        "SVD(PMI)",
        "SVD(target)",
        "SVD(M*)",
        "SGNS, second seed",
    }
    assert full.tasks[0].coverage == pytest.approx(2 / 3)


def test_all_of_it_is_json(full):
    described = json.loads(json.dumps(full.to_dict(), allow_nan=False))
    assert len(described["deciles"]) == 3
    assert described["neighbors"][-1]["name"] == "SGNS, second seed"
    assert described["factorizations"][-1]["scale"] > 0


def test_full_batch_reaches_the_target():
    found = self_test(algorithms=())
    assert found.passed
    assert [part.accidental_hits for part in found.full_batch] == ["keep", "drop"]
    assert all(part.maximum_error < 1e-3 and abs(part.ratio - 1) < 1e-6 for part in found.full_batch)


@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
def test_stochastic_kernels_reach_the_target_of_their_own_law(algorithm):
    found = self_test(algorithms=(algorithm,), seeds=(1,), epochs=300, full_batch=False)
    assert found.passed, found.to_dict()
    assert {part.accidental_hits for part in found.stochastic} == {"keep", "drop"}


def test_self_test_can_fail():
    def lazy(corpus, context, training, last_alpha):
        n, d = len(corpus.vocabulary), training.vector_size
        return np.zeros((n, d), np.float32), np.zeros((n, d), np.float32)

    found = self_test(algorithms=("blocked",), seeds=(1,), trainer=lazy, full_batch=False)
    assert not found.passed
    assert json.dumps(found.to_dict())
