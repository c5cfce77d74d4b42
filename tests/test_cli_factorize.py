"""``w2v factorize``: a model file like any other, from counts instead of training."""

import dataclasses

import numpy as np
import pytest

import w2v
from w2v.settings import ContextSettings, CorpusSettings, FactorizationSettings

OPTIONS = ("--vector-size", 16, "--window", 4, "--sample", 0)


@pytest.mark.parametrize("matrix", ["pmi", "ppmi", "sppmi", "target", "mstar"])
def test_every_matrix_gives_a_model_that_other_commands_read(cli, planted_corpus, tmp_path, matrix):
    shift = ("--shift", 2) if matrix in ("sppmi", "target", "mstar") else ()
    answer = cli("factorize", planted_corpus, "--matrix", matrix, *shift, *OPTIONS, "-o", "m.safetensors")
    assert answer.status == 0 and f"16 dimensions of {matrix}, residual" in answer.out
    model = w2v.load(tmp_path / "m.safetensors")
    assert model.W.shape == model.C.shape == (len(model), 16) and np.isfinite(model.W).all()
    assert model.settings["factorization"]["matrix"] == matrix and model.settings["context"]["window"] == 4
    assert model.provenance["corpus"]["sha256"] and model.provenance["package_version"] == w2v.__version__
    assert cli("similar", "king", "--model", "m.safetensors").status == 0
    assert cli("info", "--model", "m.safetensors").status == 0


def test_the_same_input_gives_the_same_file_but_for_its_date(cli, planted_corpus, tmp_path):
    for name in ("a", "b"):
        assert cli("factorize", planted_corpus, *OPTIONS, "-o", f"{name}.safetensors").status == 0
    a, b = (w2v.load(tmp_path / f"{name}.safetensors") for name in "ab")
    np.testing.assert_array_equal(a.W, b.W)


def test_quiet_writes_nothing_to_standard_error(process, planted_corpus):
    loud = process("factorize", planted_corpus, *OPTIONS)
    assert loud.status == 0 and "Counting the pairs of" in loud.err and "Factorising" in loud.err
    answer = process("factorize", planted_corpus, *OPTIONS, "--force", "--quiet")
    assert (answer.status, answer.err, answer.out) == (0, "", loud.out)


def test_what_cannot_work_is_refused_and_nothing_is_written(cli, planted_corpus, tmp_path):
    for options, reason in (
        (("--vector-size", 100_000), "more than a matrix of"),
        (("--matrix", "ppmi", "--shift", 5), "sppmi"),
        (("--eig", 2), "eig must be between"),
    ):
        answer = cli("factorize", planted_corpus, *options)
        assert answer.status == 1 and reason in answer.err
        assert not (tmp_path / "model.safetensors").exists()
    (tmp_path / "model.safetensors").write_bytes(b"precious")
    answer = cli("factorize", planted_corpus)
    assert answer.status == 1 and "--force" in answer.err and "Reading" not in answer.err
    assert (tmp_path / "model.safetensors").read_bytes() == b"precious"


def test_options_are_the_settings(cli):
    import click

    from w2v.cli.factorize import factorize

    options = {p.name: p for p in factorize.params if isinstance(p, click.Option)}
    for home in (FactorizationSettings, ContextSettings, CorpusSettings):
        for field in dataclasses.fields(home):
            assert options[field.name].default == field.default
