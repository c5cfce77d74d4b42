"""``w2v bench``: the figures are those of this machine, so their relations are tested, and the text behind them."""

import collections

import numpy as np
import pytest

from w2v.cli import main
from w2v.corpus import encode_files
from w2v.errors import W2VError
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
from w2v.training import Training, benchmark

QUICK = ("--words", 30_000, "--types", 500, "--seconds", 0.02, "--rounds", 2, "--no-start", "--quiet")


@pytest.fixture(autouse=True)
def _temporary_files_here(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(benchmark, "sgemm_rate", lambda seconds: 5e10)


def test_the_figures_fit_together(cli, tmp_path):
    answer = cli("bench", *QUICK, "-d", 8, "-d", 20, "--workers", 2, "--workers", 1, "--json")
    assert answer.status == 0, answer.err
    assert answer.err == ""
    found = answer.json
    assert [(row["vector_size"], row["workers"]) for row in found["training"]] == [(8, 1), (8, 2), (20, 1), (20, 2)]
    for row in found["training"]:
        assert row["words_per_second"] > 0 and row["words_per_cpu_second"] > 0
        assert row["sgemm_share"] == pytest.approx(row["flops_per_cpu_second"] / found["sgemm_flops"])
        first = next(other for other in found["training"] if other["vector_size"] == row["vector_size"])
        assert row["scaling"] == pytest.approx(row["words_per_second"] / first["words_per_second"])
    assert found["corpus"]["tokens"] == 30_000 and found["corpus"]["types"] <= 500
    assert found["scan"]["words_per_second"] > 0
    assert found["start_seconds"] is None and found["cached_start_seconds"] is None
    assert found["machine"]["cpus"] >= 1 and found["machine"]["processor"]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_table_says_what_the_columns_are(cli):
    answer = cli("bench", *(word for word in QUICK if word != "--quiet"), "-d", 8, "--workers", 1)
    lines = answer.out.splitlines()
    assert answer.status == 0 and "sgemm, one core  50.0 GFLOP/s" in lines
    assert "30,000 words" in answer.out and " words per CPU second)" in answer.out
    assert lines[-2].split("  ")[-1] == "scaling" and lines[-1].split()[:2] == ["8", "1"] and lines[-1].endswith("1.00")
    assert "Training, round 2 of 2" in answer.err


def test_the_first_and_the_later_start_are_told_apart(cli, monkeypatch):
    monkeypatch.setattr(benchmark, "_starts", lambda tell: (17.0, 1.25))
    quick = [word for word in QUICK if word != "--no-start"]
    answer = cli("bench", *quick, "-d", 8, "--workers", 1)
    assert "first start      17.0 s, with compilation" in answer.out
    assert "later starts     1.2 s" in answer.out


def test_a_start_is_timed_in_a_folder_of_its_own_that_is_removed(tmp_path, monkeypatch):
    seen = []

    def python(program, environment, *arguments):
        compile(program, "program", "exec")
        seen.append(environment["NUMBA_CACHE_DIR"])
        return ""

    monkeypatch.setattr(benchmark, "_python", python)
    cold, warm = benchmark._starts(lambda text: None)
    assert cold >= 0 and warm >= 0 and len(seen) == 2 and seen[0] == seen[1]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_python_that_fails_is_reported():
    with pytest.raises(W2VError, match="ZeroDivisionError"):
        benchmark._python("1 / 0", {})


def test_the_matrix_product_is_measured(monkeypatch):
    monkeypatch.undo()
    assert 1e8 < benchmark.sgemm_rate(0.01) < 1e13


def test_the_text_follows_the_law_it_names(tmp_path):
    path = tmp_path / "zipf.txt"
    benchmark.write_zipf_text(path, 230_010, 50)
    lines = path.read_text().splitlines()
    words = [word for line in lines for word in line.split(" ")]
    assert len(words) == 230_010 and [len(line.split(" ")) for line in lines] == [20] * 11_500 + [10]
    law = 1 / (np.arange(50) + 3.0)
    expected = len(words) * law / law.sum()
    counts = collections.Counter(words)
    found = np.array([counts[name] for name in benchmark._names(50)])
    assert np.all(np.abs(found - expected) < 6 * np.sqrt(expected))


def test_names_are_distinct_and_of_many_lengths():
    names = benchmark._names(20_000)
    assert len(set(names)) == 20_000 and all(name.isascii() and name.isalpha() for name in names)
    assert len({len(name) for name in names[:100]}) >= 6 and 4 < np.mean([len(name) for name in names[:2000]]) < 6


@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
def test_useful_operations_are_those_of_the_pairs(tmp_path, algorithm):
    path = tmp_path / "text.txt"
    benchmark.write_zipf_text(path, 5000, 100)
    context = ContextSettings(sample=0, window=3)
    training = TrainingSettings(algorithm=algorithm, vector_size=24, negative=4, epochs=1, workers=1)
    with (
        encode_files([path], CorpusSettings(min_count=1)) as corpus,
        Training(corpus, context, training) as session,
    ):
        seen = []
        session.run(seen.append)
        pairs = seen[-1].pairs
        flops = benchmark.useful_flops(corpus, context, training, len(corpus), pairs)
        steps = session._job.steps
    rows = pairs * 5 if algorithm == "pairwise" else pairs + 5000 * steps.parts * steps.noise_words
    assert flops == pytest.approx(6 * 24 * rows)


def test_wrong_options_are_refused(cli):
    for options in (("--words", 10), ("-d", 0), ("--workers", 0), ("--seconds", 0), ("--rounds", 0)):
        answer = cli("bench", *options)
        assert answer.status == 2 and options[0].strip("-") in answer.err


def test_a_signal_leaves_nothing_behind(monkeypatch, tmp_path, capsys):
    import os
    import signal

    monkeypatch.setattr(benchmark, "_scan_speed", lambda path, rounds: os.kill(os.getpid(), signal.SIGTERM))
    with pytest.raises(SystemExit) as stop:
        main(["bench", *map(str, QUICK)])
    assert stop.value.code == 128 + signal.SIGTERM and "Interrupted." in capsys.readouterr().err
    assert list((tmp_path / "temporary").iterdir()) == []
