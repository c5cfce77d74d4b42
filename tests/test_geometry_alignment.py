"""Two spaces in one: the pieces against their oracles, planted spaces where the answer is known, and what fails."""

import threading
import time

import numpy as np
import pytest
import reference
from spaces import gaussian, rotation

from w2v.embedding import Embedding
from w2v.errors import AlignmentError, FileAccessError, FormatError, SettingsError, UnknownWordError
from w2v.geometry import BilingualDictionary, KnownPairs, Translator, align, evaluate_translation, identical_words
from w2v.geometry.blocks import score_slices
from w2v.geometry.csls import neighborhood_means
from w2v.geometry.nearest import best_columns, largest_values
from w2v.geometry.procrustes import normalized, orthogonal_maps, reweighted_maps, unit_float32
from w2v.geometry.self_learning import agreement, best_partners, mutual_pairs, profile_pairs
from w2v.vocabulary import Vocabulary


def named(prefix, W):
    return Embedding(Vocabulary([f"{prefix}{i}" for i in range(len(W))], np.arange(len(W), 0, -1)), W)


def planted(n, d, *, noise=0.0, seed=0, scale=1.0):
    """A space, a rotated and permuted copy of it, and the dictionary: s0 is t<where 0 went>."""
    X = gaussian(n, d, seed=seed) * (1 + gaussian(d, seed=seed + 1) ** 2)  # some axes are longer than others
    order = np.random.default_rng(seed + 2).permutation(n)
    Y = scale * (X + noise * gaussian(n, d, seed=seed + 3))[order] @ rotation(d, seed + 4)
    where = np.argsort(order)
    pairs = tuple((f"s{i}", f"t{where[i]}") for i in range(n))
    return named("s", X), named("t", Y), BilingualDictionary("planted", pairs)


def first_of(dictionary, n):
    return BilingualDictionary("seed", dictionary.pairs[:n]), BilingualDictionary("test", dictionary.pairs[n:])


def precisions(alignment, test, **more):
    report = evaluate_translation(Translator(alignment.source, alignment.target, **more), test)
    return report.all.precision


# ------------------------------------------------------------------------------------------------------- the pieces


@pytest.mark.parametrize(("rows", "columns"), [(7, 50), (3, 64 * 20), (5, 64 * 20 + 37), (4, 10), (1, 3000)])
def test_largest_values_are_those_of_a_sort(rows, columns):
    scores = gaussian(rows, columns).astype(np.float32)
    scores[0, :3] = scores[0].max()  # equal ones
    for k in (1, 2, 10):
        found = np.sort(largest_values(scores, k), axis=1)
        np.testing.assert_array_equal(found, np.sort(scores, axis=1)[:, columns - k :])


def test_best_columns_are_in_order_and_the_lower_of_equals_comes_first():
    scores = np.round(gaussian(40, 300), 1).astype(np.float32)
    expected = [sorted(range(300), key=lambda c, r=r: (-scores[r, c], c))[:7] for r in range(40)]
    np.testing.assert_array_equal(best_columns(scores, 7), expected)
    np.testing.assert_array_equal(best_columns(scores, 1)[:, 0], [row[0] for row in expected])
    assert best_columns(scores, 500).shape == (40, 300)


def test_blocks_cover_all_rows_once():
    for rows, columns, cells in [(10, 4, 12), (1, 100, 5), (7, 0, 3), (12, 3, 9)]:
        covered = [i for part in score_slices(rows, columns, cells) for i in range(part.start, part.stop)]
        assert covered == list(range(rows))


def test_neighborhood_means_by_blocks(monkeypatch):
    X, Y = unit_float32(gaussian(23, 5)), unit_float32(gaussian(31, 5, seed=1))
    expected = np.sort(reference.cosine_table(X, Y), axis=1)[:, -4:].mean(axis=1)
    np.testing.assert_allclose(neighborhood_means(X, Y, 4), expected, atol=1e-6)
    monkeypatch.setattr(score_slices, "__defaults__", (100,))
    np.testing.assert_allclose(neighborhood_means(X, Y, 4), expected, atol=1e-6)
    np.testing.assert_allclose(neighborhood_means(X, Y, 99), reference.cosine_table(X, Y).mean(axis=1), atol=1e-6)


def test_unit_rows_of_any_size_and_of_zeros():
    X = np.array([[3e-30, 4e-30], [3e30, 4e30], [0, 0]], dtype=np.float32)
    np.testing.assert_allclose(unit_float32(X), [[0.6, 0.8], [0.6, 0.8], [0, 0]], rtol=1e-6)


def test_normalisation_steps_run_in_their_order():
    W = gaussian(9, 4) + 3
    unit = W / np.linalg.norm(W, axis=1, keepdims=True)
    np.testing.assert_allclose(normalized(W, ("unit", "center")), unit - unit.mean(axis=0), atol=1e-6)
    centered = W - W.mean(axis=0)
    again = centered / np.linalg.norm(centered, axis=1, keepdims=True)
    np.testing.assert_allclose(normalized(W, ("center", "unit")), again, atol=1e-6)
    np.testing.assert_allclose(normalized(W, ()), W, rtol=1e-6)


def test_the_rotation_is_that_of_the_polar_form_and_no_other_is_nearer():
    X, Y = gaussian(30, 6), gaussian(30, 6, seed=1)
    Q = orthogonal_maps(X, Y).source
    np.testing.assert_allclose(Q, reference.best_rotation(X, Y), atol=1e-10)
    np.testing.assert_allclose(Q @ Q.T, np.eye(6), atol=1e-12)
    least = np.linalg.norm(X @ Q - Y)
    assert all(np.linalg.norm(X @ rotation(6, seed) - Y) > least for seed in range(50))


@pytest.mark.parametrize(("d1", "d2"), [(4, 7), (7, 4)])
def test_spaces_of_different_dimensions(d1, d2):
    maps = orthogonal_maps(gaussian(40, d1), gaussian(40, d2, seed=1))
    assert maps.source.shape == (d1, d2)
    square = maps.source @ maps.source.T if d1 < d2 else maps.source.T @ maps.source
    np.testing.assert_allclose(square, np.eye(min(d1, d2)), atol=1e-12)


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_reweighted_maps_give_the_cosines_of_the_formula(power):
    X, Y = gaussian(20, 5), gaussian(25, 5, seed=1)
    Y[:20] += X @ rotation(5)
    pairs = [(i, i) for i in range(18)]
    maps = reweighted_maps(X[:18], Y[:18], power)
    found = reference.cosine_table(X @ maps.source, Y @ maps.target)
    np.testing.assert_allclose(found, reference.reweighted_cosines(X, Y, pairs, power), atol=1e-9)


def test_profiles_without_an_eigendecomposition_of_all_words():
    """A word's sorted similarities are compared; a rotation changes none of them, so each row finds its copy."""
    from w2v.geometry import self_learning

    X = unit_float32(gaussian(60, 8))
    expected = normalized(reference.similarity_profiles(X), ("unit", "center", "unit"))
    np.testing.assert_allclose(self_learning._profiles(X), expected, atol=2e-5)
    order = np.random.default_rng(1).permutation(60)
    Y = unit_float32(X[order] @ rotation(8))
    pairs = profile_pairs(X, Y)
    np.testing.assert_array_equal(order[pairs.target], pairs.source)


def test_best_partners_are_those_of_csls(monkeypatch):
    from w2v.geometry import self_learning

    X, Y = unit_float32(gaussian(33, 5)), unit_float32(gaussian(41, 5, seed=1))
    table, cosines = reference.csls_table(X, Y, 4), reference.cosine_table(X, Y)
    for cells in (1 << 20, 100):
        monkeypatch.setattr(self_learning, "_CACHED_CELLS", cells)
        forward, backward, objective = best_partners(X, Y, 4)
        np.testing.assert_array_equal(forward, table.argmax(axis=1))
        np.testing.assert_array_equal(backward, table.argmax(axis=0))
        mean = (cosines[np.arange(33), forward].mean() + cosines[backward, np.arange(41)].mean()) / 2
        assert objective == pytest.approx(mean, abs=1e-6)
    mutual = mutual_pairs(X, Y, 4)
    assert list(zip(*mutual, strict=True)) == [(i, j) for i, j in enumerate(forward) if backward[j] == i]
    noisy = best_partners(X, Y, 4, keep=0.2, rng=np.random.default_rng(1))
    assert np.any(noisy[0] != forward) and noisy[2] < objective


# ---------------------------------------------------------------------------------------------------- dictionaries


def test_a_dictionary_file(tmp_path):
    path = tmp_path / "d.tsv"
    path.write_bytes("\ufeff# English-German\ndog\tHund\nnew york\tnew york\r\n\ndog Köter\ndog\tHund\tnoun\n".encode())
    pairs = (("dog", "Hund"), ("new york", "new york"), ("dog", "Köter"))
    assert BilingualDictionary.read(path) == BilingualDictionary("d.tsv", pairs)
    assert BilingualDictionary.read(path, swap=True).pairs == tuple((b, a) for a, b in pairs)
    assert BilingualDictionary.read(path).sources == ("dog", "new york")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"dog Hund\ncat\n", r"d.tsv:2: a pair is two words.*'cat'"),
        (b"new york new york\n", r"d.tsv:1: 4 words and no tab"),
        (b"dog\t\n", r"d.tsv:1: a pair"),
        (b"ok ok\nk\xe4se cheese\n", r"d.tsv:2: not UTF-8: byte 0xe4 at column 2"),
        (b"# nothing\n", r"d.tsv holds no pairs"),
    ],
)
def test_a_bad_dictionary_file_is_told(tmp_path, data, message):
    (tmp_path / "d.tsv").write_bytes(data)
    with pytest.raises(FormatError, match=message):
        BilingualDictionary.read(tmp_path / "d.tsv")


def test_no_dictionary_file(tmp_path):
    with pytest.raises(FileAccessError, match="cannot read the dictionary"):
        BilingualDictionary.read(tmp_path / "none.tsv")


def test_a_split_shares_no_source_word_and_loses_no_pair():
    pairs = tuple((f"s{i // 2}", f"t{i}") for i in range(100))
    kept, held = BilingualDictionary("d", pairs).split(0.3, seed=4)
    assert len(held.sources) == 15 and not set(kept.sources) & set(held.sources)
    assert sorted(kept.pairs + held.pairs) == sorted(pairs)
    assert BilingualDictionary("d", pairs).split(0.3, seed=4) == (kept, held)
    assert BilingualDictionary("d", pairs).split(0.3, seed=5)[1] != held
    for share in (0, 1, 1e-9, float("nan")):
        with pytest.raises(SettingsError, match="cannot be held out"):
            BilingualDictionary("d", pairs).split(share)


def test_words_are_found_without_regard_to_case_and_the_most_frequent_spelling_stands():
    source, target = Vocabulary(["Dog", "dog", "cat"], [3, 2, 1]), Vocabulary(["HUND", "Hund"], [2, 1])
    pairs = BilingualDictionary("d", (("dog", "hund"), ("DOG", "Hund"), ("cat", "no"), ("dog", "HUND")))
    found = pairs.lookup(source, target)
    assert list(zip(*found, strict=True)) == [(0, 1), (1, 0)] and len(found) == 2
    assert list(zip(*pairs.lookup(source, target, case="none"), strict=True)) == [(1, 0)]
    with pytest.raises(SettingsError, match="case must be one of"):
        pairs.lookup(source, target, case="upper")


def test_integer_keys_are_found_by_their_digits():
    found = BilingualDictionary("d", (("10", "a"), ("x", "a"))).lookup(Vocabulary([10], [1]), Vocabulary(["a"], [1]))
    assert list(zip(*found, strict=True)) == [(0, 0)]


def test_an_empty_seed_says_how_many_pairs_were_found():
    source, target = Vocabulary(["dog", "cat"], [2, 1]), Vocabulary(["hund"], [1])
    with pytest.raises(AlignmentError, match=r"0 of the 2 pairs of d are known.*first word of 1 .*second word of 0"):
        BilingualDictionary("d", (("dog", "chien"), ("no", "non"))).seed_pairs(source, target)
    with pytest.raises(AlignmentError, match="columns look swapped"):
        BilingualDictionary("d", (("hund", "dog"),)).seed_pairs(source, target)
    with pytest.raises(AlignmentError, match="0 words are spelt alike"):
        identical_words(source, target)
    assert identical_words(source, Vocabulary(["cat", "x"], [2, 1])).pairs == (("cat", "cat"),)


# -------------------------------------------------------------------------------------------------- planted spaces


@pytest.mark.parametrize("mapping", ["orthogonal", "reweighted"])
@pytest.mark.parametrize("steps", [(), ("unit",), ("unit", "center", "unit")])
def test_a_rotated_and_permuted_copy_is_recovered(mapping, steps):
    source, target, dictionary = planted(1101, 20, scale=7.0)
    seed, test = first_of(dictionary, 60)
    alignment = align(source, target, seed, mapping=mapping, steps=steps)
    assert alignment.mapping == mapping and alignment.given_pairs == 60 and alignment.trusted
    found = precisions(alignment, test)
    assert found == {"csls": (1.0, 1.0, 1.0), "cosine": (1.0, 1.0, 1.0)}
    assert alignment.agreement is None


def test_without_refinement_as_many_pairs_as_dimensions_suffice():
    source, target, dictionary = planted(400, 20)
    seed, test = first_of(dictionary, 20)
    alignment = align(source, target, seed, refine=0, steps=("unit",))
    assert alignment.mapping == "orthogonal", "too few pairs for the reweighted map"
    assert precisions(alignment, test)["cosine"][0] == 1.0


def test_a_copy_is_recovered_without_any_pairs():
    source, target, dictionary = planted(601, 12)
    alignment = align(source, target)
    assert (
        alignment.given_pairs == 0 and alignment.agreement == 1.0 and alignment.objective == pytest.approx(1, abs=1e-5)
    )
    assert precisions(alignment, dictionary)["csls"][0] == 1.0
    assert "100% of the frequent words alike" in alignment.verdict


def test_unsupervised_alignment_of_spaces_of_other_sizes_with_noise():
    source, target, dictionary = planted(600, 12, noise=0.1, seed=5)
    bigger = named("t", np.concatenate([target.W, gaussian(80, 12, seed=9).astype(np.float32)]))
    alignment = align(source, bigger)
    assert alignment.trusted and precisions(alignment, dictionary)["csls"][0] > 0.9


def test_what_noise_costs():
    """More noise, fewer right answers, and refinement helps where the seed is small."""
    found = []
    for noise in (0.0, 2.0, 4.0, 8.0):
        source, target, dictionary = planted(900, 20, noise=noise, seed=3)
        seed, test = first_of(dictionary, 400)
        found.append(precisions(align(source, target, seed, mapping="orthogonal", refine=0), test)["csls"][0])
    assert found[0] == 1.0 and found == sorted(found, reverse=True) and 0.05 < found[2] < 0.95 > found[3]
    source, target, dictionary = planted(900, 20, noise=2.0, seed=3)
    seed, test = first_of(dictionary, 25)
    first, refined = (precisions(align(source, target, seed, refine=n), test)["csls"][0] for n in (0, 3))
    assert refined > first


def test_precision_is_that_of_the_oracle():
    source, target, dictionary = planted(150, 8, noise=1.0)
    seed, test = first_of(dictionary, 50)
    alignment = align(source, target, seed, refine=0, mapping="orthogonal")
    X, Y = (normalized(side.W, ("unit", "center", "unit")) for side in (source, target))
    pairs = seed.lookup(source.vocabulary, target.vocabulary)
    A = X @ reference.best_rotation(X[pairs.source], Y[pairs.target])
    wanted = test.lookup(source.vocabulary, target.vocabulary)
    tables = {"csls": reference.csls_table(A, Y, 10), "cosine": reference.cosine_table(A, Y)}
    gold = [{j} for j in wanted.target]
    for retrieval, table in tables.items():
        expected = tuple(reference.precision_at(table[wanted.source], gold, depth) for depth in (1, 5, 10))
        assert precisions(alignment, test)[retrieval] == pytest.approx(expected)


def test_hubs_cost_the_cosine_more_than_csls():
    """Target words that lie near everything crowd out the right answers; the hub term keeps them in their place."""
    rng = np.random.default_rng(0)
    X = gaussian(500, 30) + 2.0
    Y = np.concatenate([X + 2.0 * rng.standard_normal(X.shape), np.full((25, 30), 2.0) + 0.1 * gaussian(25, 30)])
    dictionary = BilingualDictionary("hubs", tuple((f"s{i}", f"t{i}") for i in range(500)))
    found = evaluate_translation(Translator(named("s", X), named("t", Y)), dictionary).all.precision
    assert found["csls"][0] > 2 * found["cosine"][0] > 0


def test_rotation_and_scale_of_either_side_change_nothing():
    source, target, dictionary = planted(300, 10, noise=0.7)
    seed, test = first_of(dictionary, 150)
    plain = precisions(align(source, target, seed), test)
    turned = named("s", 3 * source.W @ rotation(10, 8)), named("t", 0.2 * target.W @ rotation(10, 9))
    again = precisions(align(*turned, seed), test)
    for retrieval in plain:
        np.testing.assert_allclose(again[retrieval], plain[retrieval], atol=1 / 150 + 1e-9)


@pytest.mark.parametrize("mapping", ["orthogonal", "reweighted"])
def test_alignment_across_dimensions(mapping):
    source, _, _ = planted(500, 12)
    wide = named("t", source.W @ gaussian(12, 20, seed=2))
    dictionary = BilingualDictionary("d", tuple((f"s{i}", f"t{i}") for i in range(500)))
    seed, test = first_of(dictionary, 200)
    for a, b, pairs, asked in (
        (source, wide, seed, test),
        (wide, source, *(BilingualDictionary("d", tuple((y, x) for x, y in p.pairs)) for p in (seed, test))),
    ):
        alignment = align(a, b, pairs, mapping=mapping)
        assert alignment.source.vector_size == alignment.target.vector_size
        assert precisions(alignment, asked)["csls"][0] > (0.99 if mapping == "reweighted" else 0.5)


def test_unrelated_spaces_are_recognised():
    """They have a good objective and many mutual partners; only a second run shows that they mean nothing."""
    source, target = named("s", gaussian(500, 12)), named("t", gaussian(500, 12, seed=1))
    alignment = align(source, target)
    assert alignment.mutual > 200 and alignment.objective > 0.6
    assert not alignment.trusted and alignment.agreement < 0.3 and "failed" in alignment.verdict


def test_an_interrupted_unsupervised_alignment_stops_its_other_run(monkeypatch):
    started, stopped = threading.Event(), []

    def endless(X, Y, pairs, *, k, seed, report):
        if seed == 1:
            assert started.wait(10)
            raise KeyboardInterrupt
        for number in range(1000):
            started.set()
            try:
                report(number, 0.0, 0.1)
            except BaseException:
                stopped.append(number)
                raise
            time.sleep(0.01)

    monkeypatch.setattr("w2v.geometry.alignment.self_learn", endless)
    X, Y, _ = planted(50, 5)
    with pytest.raises(KeyboardInterrupt):
        align(X, Y)
    assert len(stopped) == 1


def test_agreement_of_maps():
    X, Y = unit_float32(gaussian(200, 6)), unit_float32(gaussian(200, 6, seed=1))
    first, second = orthogonal_maps(X, Y), orthogonal_maps(X, Y[::-1])
    assert agreement(X, Y, first, first) == 1.0
    best = [reference.csls_table(X @ maps.source, Y, 10).argmax(axis=1) for maps in (first, second)]
    assert agreement(X, Y, first, second) == np.mean(best[0] == best[1]) < 0.5


# ------------------------------------------------------------------------------------------------ results, settings


def test_the_aligned_models_keep_their_words_and_say_how_they_came_about():
    source, target, dictionary = planted(100, 6)
    alignment = align(source, target, dictionary)
    for side, before in ((alignment.source, source), (alignment.target, target)):
        assert side.words == before.words and side.C is None and side.W.dtype == np.float32
        np.testing.assert_allclose(side.norms, 1, atol=1e-6)
        told = side.provenance["alignment"]
        assert told["method"] == "supervised" and told["given_pairs"] == 100 and told["mapping"] == "reweighted"


def test_alignment_is_deterministic():
    source, target, _ = planted(300, 8, noise=0.2)
    first, second = (align(source, target, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.source.W, second.source.W)
    assert first.rounds == second.rounds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": ("unit", "whiten")}, "normalisation step is one of unit, center; got 'whiten'"),
        ({"mapping": "linear"}, "mapping must be one of"),
        ({"refine": -1}, "refine must be"),
        ({"neighbors": 0}, "neighbors must be"),
        ({"words": 1}, "words must be"),
        ({"words": True}, "words must be"),
    ],
)
def test_settings_that_cannot_work(options, message):
    source, target, dictionary = planted(20, 3)
    with pytest.raises(SettingsError, match=message):
        align(source, target, dictionary, **options)


def test_pairs_that_cannot_work():
    source, target, _ = planted(20, 3)
    for pairs, message in [
        (([], []), "0 pairs were given"),
        (([0, 1], [0]), "two equally long lists"),
        (([0, 20], [0, 1]), "rows 0 to 20 of the source, which has 20 words"),
        (([0, 1], [0, -1]), "rows -1 to 0 of the target"),
    ]:
        with pytest.raises(AlignmentError, match=message):
            align(source, target, KnownPairs(*(np.array(side, dtype=int) for side in pairs)))
    with pytest.raises(AlignmentError, match="each side needs at least two"):
        align(named("s", np.ones((1, 3))), target)
    broken = named("s", np.where(np.arange(20)[:, None] == 7, np.nan, source.W))
    with pytest.raises(FormatError, match="'s7'"):
        align(broken, target, KnownPairs(np.array([0]), np.array([0])))


def test_a_single_pair_and_rows_of_zeros_give_finite_vectors():
    source, target, _ = planted(30, 4)
    zeroed = named("s", np.where(np.arange(30)[:, None] == 7, 0, source.W))
    alignment = align(zeroed, target, KnownPairs(np.array([0]), np.array([0])), steps=("unit",))
    assert np.isfinite(alignment.source.W).all() and alignment.mapping in ("orthogonal", "reweighted")
    assert np.isfinite([t.score for t in Translator(alignment.source, alignment.target).translate("s7")]).all()


# ------------------------------------------------------------------------------------------------------ translation


@pytest.mark.parametrize("retrieval", ["csls", "cosine"])
@pytest.mark.parametrize("sketches", [(3, 5, 9), (5, 20, 40, 60), (1024,)])
def test_translations_are_those_of_the_full_table(retrieval, sketches, monkeypatch):
    """Hub terms are computed for few words only; the answers are as if they had been computed for all."""
    from w2v.geometry import translation

    monkeypatch.setattr(translation, "_SKETCHES", sketches)
    X, Y = gaussian(90, 6) + 0.5, gaussian(130, 6, seed=1) + 0.5
    source, target = named("s", X), named("t", Y)
    make = reference.csls_table if retrieval == "csls" else lambda X, Y, k: reference.cosine_table(X, Y)
    for many in (None, 50):
        table, cosines = make(X, Y[:many], 5), reference.cosine_table(X, Y)
        translator = Translator(
            source, target, neighbors=5, restrict_vocab=many, neighborhood=130 if many is None else 50
        )
        if many is not None and retrieval == "csls":
            table = 2 * cosines[:, :50] - np.sort(cosines[:, :50], axis=1)[:, -5:].mean(axis=1)[:, None]
            table -= np.sort(cosines[:50, :50], axis=0)[-5:].mean(axis=0)
        for row in (0, 17, 89):
            answers = translator.translate(f"s{row}", topn=7, retrieval=retrieval)
            expected = sorted(range(len(table[row])), key=lambda c, row=row: -table[row][c])[:7]
            assert [a.word for a in answers] == [f"t{c}" for c in expected]
            np.testing.assert_allclose([a.score for a in answers], [table[row][c] for c in expected], atol=1e-5)
            np.testing.assert_allclose([a.similarity for a in answers], [cosines[row][c] for c in expected], atol=1e-5)


def test_many_words_at_once_and_errors():
    source, target, _ = planted(30, 4)
    translator = Translator(source, target)
    both = translator.translate_many(["s3", "s4"], topn=2)
    for found, word in zip(both, ("s3", "s4"), strict=True):
        alone = translator.translate(word, topn=2)
        assert [t.word for t in found] == [t.word for t in alone]
        np.testing.assert_allclose([t[1:] for t in found], [t[1:] for t in alone], atol=1e-6)
    assert translator.translate_many([]) == [] and len(translator.translate("s1", topn=99)) == 30
    with pytest.raises(UnknownWordError, match=r"'s99' is not.*'s98' is not"):
        translator.translate_many(["s99", "s1", "s98"])
    with pytest.raises(SettingsError, match="retrieval must be one of"):
        translator.translate("s1", retrieval="dot")
    with pytest.raises(SettingsError, match="topn"):
        translator.translate("s1", topn=0)
    with pytest.raises(SettingsError, match="neighborhood"):
        Translator(source, target, neighborhood=0)
    with pytest.raises(AlignmentError, match="4 dimensions and the target 5"):
        Translator(source, named("t", gaussian(9, 5)))


def test_a_report_counts_words_bands_and_what_cannot_be_asked():
    source = named("s", gaussian(1200, 40))
    target = named("t", source.W)
    pairs = (("s0", "t0"), ("s0", "t5"), ("s1", "t2"), ("s1100", "none"), ("none", "t1"), ("s39", "t39"))
    report = evaluate_translation(Translator(source, target), BilingualDictionary("d", pairs))
    assert (report.name, report.covered, report.total, report.candidates) == ("d", 3, 5, 1200)
    assert report.coverage == pytest.approx(3 / 5) and report.chance == pytest.approx(4 / 3 / 1200)
    assert report.all.precision["cosine"] == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert [(band.first, band.last, band.asked) for band in report.bands] == [(1, 1000, 3)]
    assert report.to_dict()["coverage"] == report.coverage
    with pytest.raises(AlignmentError, match="of 1 word of d, none can be asked"):
        evaluate_translation(Translator(source, target), BilingualDictionary("d", (("x", "y"),)))
