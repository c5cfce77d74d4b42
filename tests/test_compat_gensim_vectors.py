"""KeyedVectors of the gensim face, against formulas written out in numpy."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import w2v
from w2v.compat.gensim import KeyedVectors
from w2v.errors import FormatError, NotAvailableError, SettingsError, UnknownWordError

KEYS = ["the", "king", "queen", "man", "woman", "apple", "pear", "zero"]


def made(seed=3, d=6, keys=KEYS):
    """Vectors drawn at random, the last one zero."""
    matrix = np.random.default_rng(seed).normal(size=(len(keys), d)).astype(np.float32)
    matrix[-1] = 0
    vectors = KeyedVectors(d)
    vectors.add_vectors(keys, matrix, extras={"count": np.arange(len(keys), 0, -1)})
    return vectors


def unit(matrix):
    lengths = np.linalg.norm(np.asarray(matrix, np.float64), axis=-1, keepdims=True)
    return np.divide(matrix, lengths, out=np.zeros_like(matrix, dtype=np.float64), where=lengths > 0)


# --- keys and vectors


def test_keys_rows_and_counts():
    kv = made()
    assert len(kv) == 8 and kv.index_to_key == KEYS and kv.key_to_index["queen"] == 2 and kv.next_index == 8
    assert "king" in kv and "nobody" not in kv and None not in kv and kv.has_index_for("man")
    assert kv.get_index("man") == 3 and kv.get_index("nobody", -5) == -5
    assert np.array_equal(kv["king"], kv.vectors[1]) and np.array_equal(kv.get_vector("king"), kv.vectors[1])
    assert kv[["king", "man", "king"]].shape == (3, 6) and kv[[]].shape == (0, 6)
    assert np.allclose(kv.get_vector("king", norm=True), unit(kv.vectors[1]), atol=1e-6)
    assert np.allclose(kv.get_normed_vectors(), unit(kv.vectors), atol=1e-6)
    assert kv.get_vecattr("the", "count") == 8
    kv.set_vecattr("the", "count", 80)
    kv.set_vecattr("the", "kind", "article")
    assert kv.get_vecattr("the", "count") == 80 and kv.get_vecattr("the", "kind") == "article"
    with pytest.raises(KeyError, match="nothing"):
        kv.get_vecattr("the", "nothing")
    with pytest.raises(ValueError, match="read-only"):
        kv["king"][0] = 1
    with pytest.raises(TypeError, match="iterable"):
        iter(kv)
    assert str(kv) == "KeyedVectors<vector_size=6, 8 keys>"


def test_a_number_is_a_key_and_never_a_position():
    kv = made()
    with pytest.raises(KeyError, match=r"rows by position are vectors\[0\]"):
        kv[0]
    walks = KeyedVectors(2)
    walks.add_vectors([10, 11, np.int64(12)], np.eye(3, 2))
    assert np.array_equal(walks[10], [1, 0]) and 11 in walks and np.int32(12) in walks
    for wrong in (0, "10", True, 10.0):
        assert wrong not in walks
        with pytest.raises(KeyError):
            walks[wrong]
    assert [word for word, _ in walks.most_similar(10, topn=2)] == [11, 12]
    with pytest.raises(TypeError, match="'ten'"):
        walks.add_vector("ten", [1, 1])


def test_vectors_are_added_replaced_and_found_at_once():
    kv = made()
    before = kv.most_similar("king", topn=3)
    assert kv.add_vector("emperor", kv["king"] * 2) == 8
    assert kv.most_similar("king", topn=1)[0][0] == "emperor" and len(before) == 3
    assert kv.get_vecattr("emperor", "count") == 0
    kv.add_vectors(["emperor", "duke"], np.ones((2, 6)))
    assert np.allclose(kv["emperor"], kv["king"] * 2) and np.allclose(kv["duke"], 1)
    kv.add_vectors(["emperor"], np.ones((1, 6)), replace=True)
    kv["duke"] = np.zeros(6)
    kv[["king", "new"]] = np.full((2, 6), 3.0)
    assert np.allclose(kv["emperor"], 1) and not kv["duke"].any() and np.allclose(kv["king"], 3) and len(kv) == 11
    assert kv.similarity("king", "new") == pytest.approx(1) and len(kv.expandos["count"]) == 11
    with pytest.raises(SettingsError, match=r"\(1, 6\); got \(1, 5\)"):
        kv.add_vectors(["x"], np.ones((1, 5)))


def test_many_single_additions_cost_no_more_than_one():
    kv = KeyedVectors(3, count=2)
    rooms = set()
    for i in range(300):
        kv.add_vector(f"k{i}", [i, 1, 2])
        rooms.add(id(kv._room))
    assert len(rooms) < 12 and kv.vectors.shape == (300, 3) and kv["k299"][0] == 299


def test_norms_follow_what_is_written_when_told():
    kv = made()
    kv.fill_norms()
    assert np.allclose(kv.norms, np.linalg.norm(kv.vectors, axis=1))
    kv.vectors[1] *= 3
    kv.fill_norms(force=True)
    assert kv.norms[1] == pytest.approx(np.linalg.norm(kv.vectors[1]), rel=1e-6)
    kv.vectors = np.ones((8, 6), np.float32)  # another matrix is noticed by itself
    assert kv.similarity("king", "apple") == pytest.approx(1)
    kv.init_sims(replace=True)
    assert np.allclose(np.linalg.norm(kv.vectors, axis=1), 1)


def test_sorting_and_choosing_keys():
    kv = made()
    kv.expandos["count"][:] = [1, 5, 2, 5, 2, 9, 0, 0]
    king = kv["king"].copy()
    kv.sort_by_descending_frequency()
    assert kv.index_to_key == ["apple", "king", "man", "queen", "woman", "the", "pear", "zero"]
    assert np.array_equal(kv["king"], king) and kv.get_vecattr("king", "count") == 5
    chosen = kv.vectors_for_all(["pear", "nobody", "king", "king"], copy_vecattrs=True)
    assert chosen.index_to_key == ["pear", "king"] and np.array_equal(chosen["king"], king)
    assert chosen.get_vecattr("king", "count") == 5
    assert kv.vectors_for_all(["king"]).get_vecattr("king", "count") == 0


def test_names_of_version_3_are_answered_with_those_of_4():
    kv = made()
    for old, new in {"index2word": "index_to_key", "vocab": "key_to_index", "syn0": "vectors"}.items():
        assert not hasattr(kv, old)
        with pytest.raises(AttributeError, match=new):
            getattr(kv, old)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        kv.nonsense  # noqa: B018
    with pytest.raises(NotAvailableError, match="key_to_index"):
        kv.vocab = {}


def test_copies_and_pickles_are_whole_and_apart():
    kv = made()
    kv.most_similar("king")
    for other in (copy.deepcopy(kv), pickle.loads(pickle.dumps(kv))):
        other.add_vector("duke", np.ones(6))
        assert "duke" in other and "duke" not in kv and len(kv.vectors) == 8
        assert other.most_similar("king", topn=2) != []


# --- queries


def test_most_similar_is_the_cosine_of_sums_of_unit_vectors():
    kv = made()
    u = unit(kv.vectors)
    query = unit(u[1] + u[4] - u[3])
    expected = sorted(((float(u[i] @ query), KEYS[i]) for i in (0, 2, 5, 6)), reverse=True)
    found = kv.most_similar(positive=["king", "woman"], negative="man", topn=4)
    assert [word for word, _ in found] == [word for _, word in expected]
    assert [score for _, score in found] == pytest.approx([score for score, _ in expected], abs=1e-6)
    assert kv.most_similar("king", "man") == kv.most_similar(["king"], ["man"])
    assert kv.most_similar([("king", 2.0)], topn=3) == kv.most_similar("king", topn=3)
    assert kv.most_similar(kv.vectors[:2]) and kv.similar_by_vector(kv["king"], topn=1)[0][0] == "king"
    assert kv.similar_by_word("king", 3) == kv.similar_by_key("king", 3) == kv.most_similar("king", topn=3)
    assert kv.most_similar("king", topn=0) == [] == kv.most_similar("king", topn=np.uint8(0))
    assert kv.most_similar("king", topn=None).shape == (8,)
    assert kv.most_similar("king", topn=100)[-1] == ("zero", 0.0)
    with pytest.raises(KeyError, match="nobody"):
        kv.most_similar("nobody")
    with pytest.raises(ValueError, match="at least one"):
        kv.most_similar([])


def test_vectors_are_taken_as_they_are_and_weights_with_their_sign():
    kv = made()
    u, v = unit(kv.vectors), np.linspace(-3, 4, kv.vector_size)
    for positive, negative, query in (
        (["king", v], [], u[1] + v),
        ([(v, 0.25), "king"], ["man"], 0.25 * v + u[1] - u[3]),
        (["king"], [("man", -0.5)], u[1] - 0.5 * u[3]),  # gensim: "default `-1.0`"
        (["king"], [("man", 0.5)], u[1] + 0.5 * u[3]),
    ):
        cosines = unit(kv.vectors) @ unit(query)
        assert np.allclose(kv.most_similar(positive, negative, topn=None), cosines, atol=1e-6)
    # the same numbers, whether a key is named or its vector of length 1 is given
    named = kv.most_similar("king", topn=6)
    given = kv.most_similar([kv.get_vector("king", norm=True)], topn=7)
    assert [pair for pair in given if pair[0] != "king"] == named
    named = kv.most_similar_cosmul("king", topn=6)
    given = kv.most_similar_cosmul([kv.get_vector("king", norm=True)], topn=7)
    assert [pair for pair in given if pair[0] != "king"] == named


@pytest.mark.parametrize(("start", "end"), [(0, 3), (2, 6), (5, None), (-3, None), (4, 4)])
def test_clipped_queries_see_these_rows_alone(start, end):
    kv = made()
    rows = set(KEYS[start:end])
    everywhere = [n for n in kv.most_similar("king", negative=["pear"], topn=100) if n[0] in rows]
    clipped = kv.most_similar("king", negative=["pear"], topn=100, clip_start=start, clip_end=end)
    assert [word for word, _ in clipped] == [word for word, _ in everywhere]
    assert [s for _, s in clipped] == pytest.approx([s for _, s in everywhere], abs=1e-6)
    assert clipped[:2] == kv.most_similar("king", negative=["pear"], topn=2, clip_start=start, clip_end=end)
    assert len(kv.most_similar("king", topn=None, clip_start=start, clip_end=end)) == len(rows)
    assert kv.most_similar("king", topn=9, restrict_vocab=3) == kv.most_similar("king", topn=9, clip_end=3)


def test_cosmul_is_the_product_of_shifted_cosines():
    kv = made()
    u = unit(kv.vectors)
    shifted = (1 + u @ u.T) / 2
    scores = shifted[1] * shifted[4] / (shifted[3] + 1e-6)
    found = kv.most_similar_cosmul(positive=["king", "woman"], negative=["man"], topn=3)
    expected = sorted((i for i in (0, 2, 5, 6)), key=lambda i: -scores[i])[:3]
    assert [word for word, _ in found] == [KEYS[i] for i in expected]
    assert [score for _, score in found] == pytest.approx(scores[expected], abs=1e-6)
    assert np.allclose(kv.most_similar_cosmul(["king", "woman"], ["man"], topn=None)[:7], scores[:7], atol=1e-6)
    assert {word for word, _ in kv.most_similar_cosmul("king", restrict_vocab=4, topn=9)} == {"the", "queen", "man"}
    with pytest.raises(KeyError, match="nobody"):
        kv.most_similar_cosmul(["nobody"])


def test_similarities_distances_and_ranks():
    kv = made()
    u = unit(kv.vectors)
    assert kv.similarity("king", "man") == pytest.approx(u[1] @ u[3], abs=1e-6)
    assert kv.distance("king", "king") == 0 and kv.similarity("zero", "king") == 0 == kv.similarity("zero", "zero")
    assert np.allclose(kv.distances("king"), 1 - u @ u[1], atol=1e-6)
    assert np.allclose(kv.distances(kv["king"], ["man", "pear"]), 1 - u[[3, 6]] @ u[1], atol=1e-6)
    order = kv.most_similar("king", topn=7)
    for rank, (word, _) in enumerate(order, 1):
        assert kv.rank("king", word) == rank
    assert kv.closer_than("king", order[2][0]) == sorted((w for w, _ in order[:2]), key=KEYS.index)
    assert kv.words_closer_than("king", "king") == [] and kv.rank("king", "king") == 1
    assert kv.most_similar_to_given("king", [order[3][0], order[1][0]]) == order[1][0]
    assert np.allclose(kv.cosine_similarities(kv.vectors[1], kv.vectors), u @ u[1], atol=1e-6)
    top = sum(score for _, score in kv.most_similar("king", topn=2))
    assert kv.relative_cosine_similarity("king", "man", 2) == pytest.approx(kv.similarity("king", "man") / top)


def test_means():
    kv = made()
    u = unit(kv.vectors)
    assert np.allclose(kv.get_mean_vector(["king", "man", "nobody"]), (u[1] + u[3]) / 2, atol=1e-6)
    weighted = kv.get_mean_vector(["king", "man"], weights=[1, -3], pre_normalize=False)
    assert np.allclose(weighted, (kv.vectors[1] - 3 * kv.vectors[3]) / 4, atol=1e-6)
    assert np.linalg.norm(kv.get_mean_vector(["king", "man"], post_normalize=True)) == pytest.approx(1, abs=1e-6)
    assert np.allclose(kv.get_mean_vector([kv["king"], "king"]), (kv.vectors[1] + u[1]) / 2, atol=1e-6)
    with pytest.raises(UnknownWordError, match="nobody"):
        kv.get_mean_vector(["nobody"], ignore_missing=False)
    for wrong in ([], ["nobody"]):
        with pytest.raises(ValueError, match=r"key"):
            kv.get_mean_vector(wrong)
    with pytest.raises(ValueError, match="weights"):
        kv.get_mean_vector(["king"], weights=[1, 2])
    u1, u2 = unit(kv.vectors[[1, 3]].mean(axis=0)), unit(kv.vectors[[2]].mean(axis=0))
    assert kv.n_similarity(["king", "man"], ["queen"]) == pytest.approx(u1 @ u2, abs=1e-6)
    assert kv.n_similarity(["king", "nobody", "man"], ["queen", "nobody"]) == kv.n_similarity(
        ["king", "man"], ["queen"]
    )
    with pytest.raises(KeyError, match="'nobody' is not"):
        kv.n_similarity(["king"], ["nobody"])
    with pytest.raises(ZeroDivisionError):
        kv.n_similarity([], ["king"])


def test_the_odd_one_out():
    kv = KeyedVectors(2)
    kv.add_vectors(["a", "b", "c", "far"], [[1, 0], [9, 1], [2, 0.1], [-1, 3]])
    assert kv.doesnt_match(["a", "far", "b", "nobody", "c"]) == "far"
    ranked = kv.rank_by_centrality(["a", "b", "c", "far"])
    assert ranked[-1][1] == "far" and [score for score, _ in ranked] == sorted((s for s, _ in ranked), reverse=True)
    raw = {key: float(kv[key] @ unit(kv.vectors[[0, 1, 3]].mean(axis=0))) for key in ("a", "b", "far")}
    found = kv.rank_by_centrality(["a", "b", "far"], use_norm=False)
    assert [key for _, key in found] == sorted(raw, key=lambda key: -raw[key])
    assert [score for score, _ in found] == pytest.approx(sorted(raw.values(), reverse=True))
    with pytest.raises(ValueError, match="none of the words"):
        kv.doesnt_match(["nobody"])


def test_word_movers_distance_is_the_cheapest_assignment():
    kv = made()
    u = unit(kv.vectors)
    first, second = ["king", "man", "apple"], ["queen", "woman", "pear"]
    a, b = ([KEYS.index(w) for w in words] for words in (first, second))
    cheapest = min(
        np.mean([np.linalg.norm(u[i] - u[j]) for i, j in zip(a, p, strict=True)]) for p in itertools.permutations(b)
    )
    assert kv.wmdistance([*first, "nobody"], second) == pytest.approx(cheapest, abs=1e-6)
    assert kv.wmdistance(first, first[::-1]) == pytest.approx(0, abs=1e-9)
    assert kv.wmdistance(["king", "king", "man"], ["king"]) == pytest.approx(np.linalg.norm(u[1] - u[3]) / 3, abs=1e-6)
    assert kv.wmdistance([], first) == float("inf")


# --- evaluation


@pytest.fixture
def exact():
    """Vectors in which b - a + c is d exactly, with a second spelling of king."""
    kv = KeyedVectors(4)
    kv.add_vectors(
        ["man", "king", "woman", "queen", "King", "noise", "uncle", "aunt"],
        [
            [1, 0, 0, 9],
            [1, 5, 0, 9],
            [0, 0, 1, 9],
            [0, 5, 1, 9],
            [1, 5, 0.1, 9],
            [-3, 1, 1, 1],
            [9, 1, 0, 3],
            [0, 1, 9, 3],
        ],
    )
    return kv


def test_analogies_in_the_layout_of_gensim(exact, tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text(
        ": family\nman King woman queen\nman king woman nobody\n: wrong\nking man queen noise\n: none\na b c d\n"
    )
    score, sections = exact.evaluate_word_analogies(path)
    assert score == 0.5 and [s["section"] for s in sections] == ["family", "wrong", "none", "Total accuracy"]
    assert sections[0] == {"section": "family", "correct": [("man", "King", "woman", "queen")], "incorrect": []}
    assert sections[1]["incorrect"] == [("king", "man", "queen", "noise")]
    assert sections[-1]["correct"] == sections[0]["correct"]
    assert exact.log_accuracy(sections[0]) == 1 and exact.log_accuracy(sections[2]) is None
    assert exact.evaluate_word_analogies(str(path), dummy4unknown=True)[0] == 0.25
    assert exact.evaluate_word_analogies(path, similarity_function="most_similar_cosmul")[0] == 0.5
    with path.open("rb") as file:
        assert exact.evaluate_word_analogies(file, case_insensitive=False)[0] in (0.0, 0.5)
    assert np.isnan(exact.evaluate_word_analogies(path, restrict_vocab=1)[0])
    with pytest.raises(SettingsError, match="most_similar_cosmul"):
        exact.evaluate_word_analogies(path, similarity_function="other")


def test_word_pairs_in_the_layout_of_gensim(exact, tmp_path):
    rows = [("man", "woman", 10.0), ("man", "king", 9.5), ("king", "noise", 2.1), ("man", "nobody", 5.0)]
    u = unit(exact.vectors)
    cosines = [float(u[exact.get_index(a)] @ u[exact.get_index(b)]) for a, b, _ in rows[:3]]
    for name, delimiter in (("tab", "\t"), ("bar", "|")):
        path = tmp_path / name
        path.write_text("# a comment\n" + "".join(f"{a}{delimiter}{b}{delimiter}{s}\n" for a, b, s in rows))
        pearson, spearman, oov = exact.evaluate_word_pairs(path, delimiter=delimiter)
        assert pearson[0] == pytest.approx(np.corrcoef(cosines, [10.0, 9.5, 2.1])[0, 1], abs=1e-6)
        assert spearman.statistic == pytest.approx(1) and oov == 25
    assert exact.evaluate_word_pairs(path, delimiter="|", dummy4unknown=True)[2] == 25
    path.write_text("# caf\xe9\nman\twoman\t1\nman\tking\t2\nking\tnoise\t0\n", encoding="latin-1")
    assert exact.evaluate_word_pairs(path, encoding="latin-1")[2] == 0


# --- files


@pytest.mark.parametrize("binary", [False, True])
def test_word2vec_files_there_and_back(binary, tmp_path):
    kv = made()
    kv.save_word2vec_format(tmp_path / "v", tmp_path / "vocab", binary=binary)
    again = KeyedVectors.load_word2vec_format(tmp_path / "v", tmp_path / "vocab", binary=binary)
    assert again.index_to_key == KEYS and np.array_equal(again.vectors, kv.vectors)
    assert again.get_vecattr("king", "count") == 7
    few = KeyedVectors.load_word2vec_format(tmp_path / "v", binary=binary, limit=3, datatype=np.float16)
    assert few.index_to_key == KEYS[:3] and few.vectors.dtype == np.float16 and few.most_similar("king", topn=1)
    with pytest.raises(FormatError, match=f"binary={binary}"):
        KeyedVectors.load_word2vec_format(tmp_path / "v", binary=not binary)
    assert np.array_equal(KeyedVectors.load(tmp_path / "v").vectors, kv.vectors)


def test_word2vec_text_in_its_variants(tmp_path):
    kv = made()
    kv.expandos["count"][:] = [1, 9, 5, 5, 5, 5, 5, 5]
    kv.save_word2vec_format(tmp_path / "v", write_header=False, prefix="w/")
    again = KeyedVectors.load_word2vec_format(tmp_path / "v", no_header=True)
    assert again.index_to_key == ["w/king", "w/queen", "w/man", "w/woman", "w/apple", "w/pear", "w/zero", "w/the"]
    for wrong in ({"append": True}, {"total_vec": 3}, {"binary": True, "write_header": False}):
        with pytest.raises((NotAvailableError, SettingsError), match=r"whole|header"):
            kv.save_word2vec_format(tmp_path / "x", **wrong)
    assert not (tmp_path / "x").exists()
    (tmp_path / "bad").write_bytes(b"2 1\ncaf\xe9 1\nna\xefve 2\n")
    with pytest.raises(UnicodeDecodeError, match="row 0 is not valid UTF-8") as caught:
        KeyedVectors.load_word2vec_format(tmp_path / "bad")
    assert isinstance(caught.value, FormatError) and caught.value.object == b"caf\xe9"
    (tmp_path / "counts").write_bytes(b"caf\xe9 7\nna\xefve 3\n")
    with pytest.raises(UnicodeDecodeError, match=r"counts:1: .*utf-8"):
        KeyedVectors.load_word2vec_format(tmp_path / "v", tmp_path / "counts", no_header=True)
    old = KeyedVectors.load_word2vec_format(tmp_path / "bad", tmp_path / "counts", encoding="latin-1")
    assert old.index_to_key == ["caf\xe9", "na\xefve"] and old.get_vecattr("caf\xe9", "count") == 7
    with pytest.raises(ValueError, match="no encoding 'klingon'"):
        KeyedVectors.load_word2vec_format(tmp_path / "bad", encoding="klingon")
    with pytest.warns(UserWarning, match="2 of 2"):
        assert KeyedVectors.load_word2vec_format(tmp_path / "bad", unicode_errors="ignore").index_to_key == [
            "caf",
            "nave",
        ]
    with pytest.warns(UserWarning, match="2 of 2"):
        assert "caf\ufffd" in KeyedVectors.load_word2vec_format(tmp_path / "bad", unicode_errors="replace")


def test_vectors_taken_over_from_a_file(tmp_path):
    kv, other = made(), made(seed=8, keys=["king", "duke", "man", "zero"])
    other.save_word2vec_format(tmp_path / "v")
    the = kv["the"].copy()
    kv.intersect_word2vec_format(tmp_path / "v", lockf=1.0)
    assert np.array_equal(kv["king"], other["king"]) and np.array_equal(kv["the"], the) and "duke" not in kv
    kv.intersect_word2vec_format(tmp_path / "v")
    assert [key for key, factor in zip(kv.index_to_key, kv.vectors_lockf, strict=True) if factor == 0] == [
        key for key in KEYS if key in other
    ]
    kv.sort_by_descending_frequency()
    assert kv.vectors_lockf[kv.get_index("king")] == 0 and kv.vectors_lockf[kv.get_index("the")] == 1
    with pytest.raises(NotAvailableError, match=r"lockf=0\.5"):
        kv.intersect_word2vec_format(tmp_path / "v", lockf=0.5)


@pytest.mark.parametrize("binary", [True, False])
def test_a_file_that_is_cut_short(binary, tmp_path):
    made().save_word2vec_format(tmp_path / "v", binary=binary)
    with (tmp_path / "v").open("r+b") as file:
        file.write(b"9")  # it promises a row too many
    with pytest.raises(EOFError, match=r"promises 9 rows.*holds 8") as caught:
        KeyedVectors.load_word2vec_format(tmp_path / "v", binary=binary)
    assert isinstance(caught.value, FormatError)


def test_newlines_before_the_keys_of_a_binary_file(tmp_path):
    rows = [b"\nabc", b"cdefdg", b"\n\ndef"]
    data = b"".join(key + b" " + np.full(3, i, np.float32).tobytes() for i, key in enumerate(rows))
    (tmp_path / "v").write_bytes(b"3 3\n" + data)
    from w2v.compat.gensim.models.keyedvectors import _load_word2vec_format

    read = _load_word2vec_format(KeyedVectors, tmp_path / "v", binary=True, limit=3, binary_chunk_size=5)
    assert read.index_to_key == ["abc", "cdefdg", "def"] and read.vectors[:, 0].tolist() == [0, 1, 2]


def test_our_own_file(tmp_path):
    kv = made()
    kv.set_vecattr("king", "rank", 2.5)
    kv.save(tmp_path / "kv", sep_limit=0)
    again = KeyedVectors.load(tmp_path / "kv")
    assert again.index_to_key == KEYS and np.array_equal(again.vectors, kv.vectors)
    assert again.get_vecattr("king", "rank") == 2.5 and again.get_vecattr("king", "count") == 7
    mapped = KeyedVectors.load(tmp_path / "kv", mmap="r")
    assert not mapped.vectors.flags.writeable and mapped.most_similar("king") == kv.most_similar("king")
    mapped.add_vector("duke", np.ones(6))
    assert "duke" in mapped and mapped.vectors.flags.writeable
    assert w2v.load(tmp_path / "kv").words == KEYS
    (tmp_path / "pickle").write_bytes(pickle.dumps({"vectors": 1}))
    with pytest.raises(FormatError, match="pickle"):
        KeyedVectors.load(tmp_path / "pickle")


def test_the_embedding_behind_it():
    kv = made()
    assert kv.embedding is kv.embedding and kv.embedding.words == KEYS
    assert np.shares_memory(kv.embedding.W, kv.vectors)
    assert KeyedVectors.of(kv.embedding).most_similar("king") == kv.most_similar("king")
