"""The measurements of a space: against slow oracles, on planted spaces, and under rotation and scaling."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
import reference

import w2v
from w2v.errors import FormatError, NotAvailableError, SettingsError
from w2v.geometry import blocks, measure, with_counts
from w2v.geometry.blocks import BLOCK_ROWS
from w2v.geometry.cone import measure_cone
from w2v.geometry.nearest import nearest_rows
from w2v.geometry.neighborhoods import measure_neighborhoods, occurrence_skew
from w2v.geometry.partition import log_partition
from w2v.geometry.rows import frequency_bands, select_rows
from w2v.geometry.spectrum import iso_score


def embedding(W, counts=None, C=None, **more):
    W = np.asarray(W, dtype=np.float32)
    counts = np.arange(len(W), 0, -1) if counts is None else counts
    return w2v.Embedding(w2v.Vocabulary([f"w{i}" for i in range(len(W))], counts), W, C, **more)


@pytest.fixture
def cloud():
    """A lopsided cloud with a mean, small enough for oracles."""
    rng = np.random.default_rng(3)
    return (rng.standard_normal((83, 6)) * [3, 1, 1, 0.5, 0.2, 1] + [1, 0, 0.5, 0, 0, 0]).astype(np.float32)


def rotation(d, seed=5):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]


# ------------------------------------------------------------------------------------------------------- oracles


def test_every_number_agrees_with_its_oracle(cloud):
    C = np.random.default_rng(8).standard_normal(cloud.shape).astype(np.float32) - 1
    report = measure(embedding(cloud, C=C), neighbors=7)
    cosines = reference.all_cosines(cloud)
    assert report.cone.mean_cosine == pytest.approx(cosines.mean(), abs=1e-6)
    assert report.cone.sd_cosine == pytest.approx(cosines.std(), abs=1e-6)
    assert report.cone.random_sd == 1 / math.sqrt(6)
    center = cloud.mean(axis=0, dtype=np.float64)
    to_mean = [reference.cosine(w, center) for w in cloud.astype(np.float64)]
    assert report.cone.cosine_to_mean == pytest.approx(np.mean(to_mean), abs=1e-6)
    norms = np.linalg.norm(cloud.astype(np.float64), axis=1)
    assert report.lengths.mean == pytest.approx(norms.mean()) and report.lengths.sd == pytest.approx(norms.std())
    assert report.lengths.spearman == pytest.approx(reference.spearman(norms, np.arange(83, 0, -1)))
    assert report.partition.isotropy == pytest.approx(reference.partition_isotropy(cloud), rel=1e-6)
    variances = np.linalg.eigvalsh(np.cov(cloud.astype(np.float64).T, bias=True))[::-1]
    assert report.spectrum.variances == pytest.approx(variances, rel=1e-5)
    assert report.spectrum.participation_ratio == pytest.approx(variances.sum() ** 2 / (variances**2).sum())
    shares = variances / variances.sum()
    assert report.spectrum.entropy_dimension == pytest.approx(np.exp(-(shares * np.log(shares)).sum()))
    assert report.spectrum.shares == pytest.approx({"1": shares[0], "2": shares[:2].sum(), "3": shares[:3].sum()})
    assert shares[: report.spectrum.components_90].sum() >= 0.9 > shares[: report.spectrum.components_90 - 1].sum()
    assert report.spectrum.iso_score == pytest.approx(reference.iso_score(cloud), rel=1e-6)
    by_cosine, by_distance = reference.nearest_sets(cloud, 7), reference.nearest_sets(cloud, 7, euclidean=True)
    occurrences = np.bincount([j for near in by_cosine for j in near], minlength=83)
    near = report.neighborhoods
    assert near.skew == pytest.approx(reference.skewness(occurrences)) and near.most == occurrences.max()
    assert near.never == pytest.approx((occurrences == 0).mean())
    overlap = np.mean([len(x & y) / 7 for x, y in zip(by_cosine, by_distance, strict=True)])
    assert near.cosine_euclid_overlap == pytest.approx(overlap)
    distances = np.sqrt(2 - 2 * cosines)
    assert near.distance_mean == pytest.approx(distances.mean(), rel=1e-5)
    assert near.distance_spread == pytest.approx(distances.std() / distances.mean(), rel=1e-4)
    products = cloud.astype(np.float64) @ C.T.astype(np.float64)
    assert report.contexts.mean_product == pytest.approx(products.mean(), abs=1e-5)
    assert report.contexts.own_product == pytest.approx(np.diag(products).mean(), abs=1e-5)
    assert report.contexts.negative == pytest.approx((products < 0).mean(), abs=0.01)
    cosine = reference.cosine(center, C.mean(axis=0, dtype=np.float64))
    assert report.contexts.angle == pytest.approx(math.degrees(math.acos(cosine)), abs=1e-3)


def test_blocks_do_not_show(monkeypatch):
    rng = np.random.default_rng(1)
    W = rng.standard_normal((BLOCK_ROWS + 17, 5)).astype(np.float32)
    norms = np.linalg.norm(W, axis=1).astype(np.float64)
    unit = (W / norms[:, None]).astype(np.float32)
    cone = measure_cone(W, unit, norms)
    total = unit.astype(np.float64).sum(axis=0)
    assert cone.mean_cosine == pytest.approx((total @ total - len(W)) / (len(W) * (len(W) - 1)), abs=1e-9)
    direct = np.log(np.exp(W.astype(np.float64) @ np.eye(5)).sum(axis=0))
    assert log_partition(W, np.eye(5)) == pytest.approx(direct)
    part = W[:301]
    whole = measure_neighborhoods(part, unit[:301], np.arange(301), words=301, neighbors=5)
    monkeypatch.setattr(blocks.score_slices, "__defaults__", (301 * 40,))
    assert measure_neighborhoods(part, unit[:301], np.arange(301), words=301, neighbors=5) == whole


def test_the_partition_function_cannot_overflow():
    W = np.array([[500.0, 0], [-500, 1]], dtype=np.float32)
    logs = log_partition(W, np.array([[1.0, -1], [0, 0]]))
    assert logs == pytest.approx([500, 500])


def test_the_short_form_of_isoscore_is_the_long_one():
    rng = np.random.default_rng(4)
    for scale in ([1, 1, 1, 1], [9, 1, 0.1, 0.01], [1, 0, 0, 0]):
        X = rng.standard_normal((500, 4)) * scale
        variances = np.linalg.eigvalsh(np.cov(X.T, bias=True))
        assert iso_score(np.maximum(variances, 0)) == pytest.approx(reference.iso_score(X), abs=1e-9)


# ------------------------------------------------------------------------------------------------ planted spaces


def test_an_isotropic_gaussian_is_measured_as_one():
    W = np.random.default_rng(2).standard_normal((6000, 30)).astype(np.float32)
    report = measure(embedding(W, counts=np.full(6000, 3)), neighborhood=1000)
    assert abs(report.cone.mean_cosine) < 0.002
    assert report.cone.sd_cosine == pytest.approx(1 / math.sqrt(30), rel=0.01)
    assert report.spectrum.iso_score > 0.98 and report.spectrum.participation_ratio > 29
    assert report.partition.isotropy > 0.8
    assert report.lengths.spearman is None, "equal counts have no order"
    assert report.random.mean_cosine == pytest.approx(0, abs=0.005)
    assert report.random.hub_skew == pytest.approx(report.neighborhoods.skew, abs=0.3)


@pytest.mark.parametrize("degrees", [10.0, 40.0, 80.0])
def test_a_cone_of_known_angle_is_found(degrees):
    """Every vector is at that angle from one axis; around it they are spread evenly, in balanced pairs."""
    rng = np.random.default_rng(6)
    around = rng.standard_normal((2000, 39))
    around /= np.linalg.norm(around, axis=1, keepdims=True)
    around = np.concatenate([around, -around])
    angle = math.radians(degrees)
    W = np.column_stack([np.full(4000, math.cos(angle)), math.sin(angle) * around])
    report = measure(embedding(W), neighborhood=200, reference=False)
    assert report.cone.cosine_to_mean == pytest.approx(math.cos(angle), abs=1e-5)
    # cos^2 plus what the balanced rest has among itself: (sum of zero - n)/(n (n - 1))
    assert report.cone.mean_cosine == pytest.approx(math.cos(angle) ** 2 - math.sin(angle) ** 2 / 3999, abs=1e-5)
    assert report.spectrum.mean_share == pytest.approx(math.cos(angle) ** 2, abs=1e-5)
    assert report.random is None


def test_one_hot_vectors_have_the_measures_of_the_formula():
    report = measure(embedding(np.eye(40)), neighbors=5, reference=False)
    found, formula = report.shape, report.one_hot
    for name in ("mean_cosine", "sd_cosine", "cosine_to_mean", "isotropy", "iso_score", "top_share",
                 "participation_ratio", "distance_mean", "distance_spread"):  # fmt: skip
        assert getattr(found, name) == pytest.approx(getattr(formula, name), abs=1e-3), name
    assert formula.distance_mean == math.sqrt(2) and report.size.one_hot_parameters == 1600


def test_length_that_follows_frequency_is_found():
    rng = np.random.default_rng(7)
    counts = np.sort(rng.integers(5, 10_000, 500))[::-1]
    directions = rng.standard_normal((500, 10))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    report = measure(embedding(directions * np.log(counts)[:, None], counts), reference=False)
    assert report.lengths.spearman > 0.999
    lengths = [band.mean_length for band in report.lengths.by_decile]
    assert lengths == sorted(lengths, reverse=True) and len(lengths) == 10
    assert [(b.first, b.last) for b in report.lengths.by_band] == [(1, 100), (101, 500)]
    same = measure(embedding(directions, counts), reference=False)
    assert same.lengths.spearman is None, "unit vectors have one length, whatever the rounding"
    assert same.neighborhoods.cosine_euclid_overlap > 0.99


def test_a_planted_hub_is_named():
    rng = np.random.default_rng(9)
    X = rng.standard_normal((300, 400))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X[:, 0] = 0.6
    X[42] = np.eye(400)[0]  # the axis of the cone is nearer to all of them than they are to each other
    report = measure(embedding(X), neighbors=3, reference=False)
    assert report.hubs[0][0] == "w42" and report.hubs[0][1] > 250
    assert report.neighborhoods.skew > 10


def test_opposite_clouds_are_180_degrees_apart(cloud):
    report = measure(embedding(cloud, C=-cloud), reference=False)
    assert report.contexts.angle == pytest.approx(180) and report.contexts.own_product < 0
    assert measure(embedding(cloud), reference=False).contexts is None


# --------------------------------------------------------------------------------------------------- invariances


def test_a_rotation_changes_nothing_and_a_scale_only_what_it_should(cloud):
    before = measure(embedding(cloud), reference=False).shape
    turned = measure(embedding(cloud @ rotation(6)), reference=False).shape
    larger = measure(embedding(cloud * 3), reference=False).shape
    for name in vars(before):
        assert getattr(turned, name) == pytest.approx(getattr(before, name), abs=1e-4), name
        if name == "isotropy":
            assert larger.isotropy < before.isotropy, "Z knows lengths"
        else:
            assert getattr(larger, name) == pytest.approx(getattr(before, name), abs=1e-4), name


def test_the_same_seed_gives_the_same_report(cloud):
    first, second = (json.dumps(measure(embedding(cloud)).to_dict()) for _ in range(2))
    assert first == second
    other = measure(embedding(cloud), seed=2)
    assert other.cone == measure(embedding(cloud)).cone, "the cone is exact"


# ------------------------------------------------------------------------------------------------- which rows


def test_zero_rows_are_left_out_and_told(cloud):
    W = np.concatenate([cloud, np.zeros((4, 6), np.float32)])
    report = measure(embedding(W, C=np.ones_like(W)), reference=False)
    assert report.words == 83 and report.zeros == 4
    assert report.cone == measure(embedding(cloud), reference=False).cone


def test_words_are_taken_by_frequency_whatever_their_order(cloud):
    counts = np.random.default_rng(1).permutation(83) + 1
    rows = select_rows(embedding(cloud, counts), 10)
    assert rows.counts.tolist() == list(range(83, 73, -1))
    np.testing.assert_array_equal(rows.W, cloud[np.argsort(-counts)[:10]])
    assert measure(embedding(cloud, counts), restrict_vocab=10, reference=False).words == 10


def test_bands_end_at_the_vocabulary():
    assert [(b.first, b.last) for b in frequency_bands(1001)] == [(1, 100), (101, 1000), (1001, 1001)]
    assert [(b.first, b.last) for b in frequency_bands(7)] == [(1, 7)]


def test_what_cannot_be_measured_is_refused(cloud):
    with pytest.raises(SettingsError, match="at least two words"):
        measure(embedding(np.zeros((5, 3))))
    with pytest.raises(SettingsError, match="restrict_vocab must be a whole number of at least 2"):
        measure(embedding(cloud), restrict_vocab=1)
    with pytest.raises(SettingsError, match="between 1 and 2"):
        nearest_rows(cloud[:3], 3)
    with pytest.raises(FormatError, match="w1"):
        measure(embedding([[1, 2], [np.nan, 1], [0, 1]]))
    smallest = measure(embedding([[1, 0], [0, 2]]))
    assert smallest.neighborhoods.neighbors == 1 and json.dumps(smallest.to_dict())
    assert occurrence_skew(np.full(5, 3)) == 0.0
    one = measure(embedding([[1.0], [2.0], [-1.0]]))
    assert one.spectrum.iso_score == 1.0 and one.dimensions == 1
    equal = measure(embedding([[1.0, 1], [1, 1], [1, 1]]))
    assert equal.spectrum.participation_ratio == 0 and equal.cone.mean_cosine == pytest.approx(1)


def test_counts_can_be_those_of_another_vocabulary(cloud):
    bare = embedding(cloud, provenance={"counts": "not in the file"})
    assert not measure(bare, reference=False).counted
    counted = with_counts(bare, w2v.Vocabulary(["w5", "w80", "w2", "other"], [7, 90, 7, 1000]))
    assert counted.words == ["w80", "w2", "w5"] and counted.counts.tolist() == [90, 7, 7]
    np.testing.assert_array_equal(counted.W, cloud[[80, 2, 5]])
    assert measure(counted, reference=False).counted
    with pytest.raises(NotAvailableError, match="only 0 words"):
        with_counts(bare, w2v.Vocabulary(["x"], [1]))


def test_the_room_needs_numpy_only(tmp_path, cloud):
    embedding(cloud).save(tmp_path / "m.safetensors")
    program = (
        "import sys, w2v; from w2v.geometry import explain_analogy, map_words, measure, postprocess\n"
        "e = postprocess(w2v.load('m.safetensors'), 'center unit'); map_words(e, ['w1', 'w2'], neighbors=3)\n"
        "explain_analogy(e, a='w1', b='w2', c='w3'); measure(e); print(*{m.partition('.')[0] for m in sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"numba", "scipy", "click", "matplotlib"} & set(run.stdout.split())
