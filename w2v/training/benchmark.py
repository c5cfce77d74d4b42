"""How fast this machine reads and trains: measured on a text made for it, beside what its own matrix product does."""

from __future__ import annotations

import dataclasses
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import w2v
from w2v.corpus import EncodedCorpus, encode_files
from w2v.errors import W2VError
from w2v.plurals import counted
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings, usable_cpus
from w2v.training.plan import BlockSteps
from w2v.training.progress import Progress
from w2v.training.session import Training

__all__ = ["Benchmark", "ScanSpeed", "TrainingSpeed", "benchmark", "sgemm_rate", "write_zipf_text"]

_EPOCHS = 10_000  # never reached: a measurement ends by the clock
_SENTENCE = 20
_ENDING = "NESSES"
_LETTERS = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz", np.uint8)
_FIRST_STEPS = """
import pathlib, tempfile, w2v
text = pathlib.Path(tempfile.gettempdir(), "few.txt")
text.write_text("a few words that are said again and again\\n" * 100)
w2v.train(text, epochs=1, min_count=1, vector_size=16, workers=1)
"""
_SGEMM = """
import sys, time
import numpy as np
a = np.ones((1024, 1024), np.float32)
b, out = a / 7, np.empty_like(a)
np.matmul(a, b, out=out)
best, start = 0.0, time.perf_counter()
while time.perf_counter() - start < float(sys.argv[1]):
    begin = time.process_time()
    np.matmul(a, b, out=out)
    best = max(best, 2 * 1024**3 / max(time.process_time() - begin, 1e-9))
sys.stdout.write(str(best))
"""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingSpeed:
    """Medians over the rounds of one combination of dimensions and workers.

    Attributes
    ----------
    vector_size, workers : int
    words_per_second : float
        Words of the corpus (before subsampling) by the clock.
    words_per_cpu_second : float
        By the CPU time of the process, all threads together.
    flops_per_cpu_second : float
        Useful floating-point operations only, 6 d (pairs + kept tokens x M).
    sgemm_share : float
        Their share of what the matrix product does on one core.
    scaling : float
        `words_per_second` over that of the smallest number of workers at the same d.
    """

    vector_size: int
    workers: int
    words_per_second: float
    words_per_cpu_second: float
    flops_per_cpu_second: float
    sgemm_share: float
    scaling: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class ScanSpeed:
    """Reading, counting and encoding the text: tokens by the clock and by CPU time, and its bytes by the clock."""

    words_per_second: float
    words_per_cpu_second: float
    bytes_per_second: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class Benchmark:
    """What `benchmark` measured.

    Attributes
    ----------
    machine : dict
        Processor, system, Python, usable CPUs, and the load before the measurement.
    corpus : dict
        Tokens, types and bytes of the text.
    sgemm_flops : float
        Operations per second of a 1024 x 1024 float32 matrix product on one core, the best of many.
    start_seconds, cached_start_seconds : float or None
        From the start of Python to the end of a training on a few words, with kernels to be compiled and with
        compiled ones; None where that was not measured.
    scan : ScanSpeed
    training : tuple of TrainingSpeed
    """

    machine: dict[str, Any]
    corpus: dict[str, int]
    sgemm_flops: float
    start_seconds: float | None
    cached_start_seconds: float | None
    scan: ScanSpeed
    training: tuple[TrainingSpeed, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**dataclasses.asdict(self), "training": [dataclasses.asdict(row) for row in self.training]}


def benchmark(
    *,
    vector_sizes: Sequence[int] = (100, 300),
    workers: Sequence[int] | None = None,
    words: int = 2_000_000,
    types: int = 50_000,
    seconds: float = 1.0,
    rounds: int = 3,
    measure_start: bool = True,
    context: ContextSettings | None = None,
    training: TrainingSettings | None = None,
    tell: Callable[[str], object] = lambda text: None,
) -> Benchmark:
    """Measure this machine on a text that is generated for it, in a temporary folder that is removed again.

    Parameters
    ----------
    vector_sizes, workers : sequences of int
        The combinations to train; by default 1, 2, 4, ... workers up to the usable CPUs.
    words, types : int
        Tokens and distinct words of the text. Its words follow Zipf's law and have no meaning: speed does not care.
    seconds : float
        Time of one measurement, of `rounds` for each combination; the combinations take turns.
    measure_start : bool
        Whether to measure the compilation too, which takes the longest.
    context, training : settings, optional
        Everything but dimensions, workers and epochs.
    tell : callable
        Takes a line of text at each step.

    Raises
    ------
    SettingsError, FileAccessError
    """
    context = context or ContextSettings()
    settings = training or TrainingSettings()
    counts = sorted(set(workers or _powers_of_two(usable_cpus())))
    combinations = [(d, n) for d in vector_sizes for n in counts]
    trainings = [dataclasses.replace(settings, vector_size=d, workers=n, epochs=_EPOCHS) for d, n in combinations]
    about = _machine()
    tell("Measuring the matrix product of one core")
    sgemm = sgemm_rate(min(1.0, seconds))
    cold, warm = _starts(tell) if measure_start else (None, None)
    with tempfile.TemporaryDirectory(prefix="w2v-bench-") as folder:
        path = Path(folder) / "zipf.txt"
        tell(f"Writing a text of {counted(words, 'word')}")
        write_zipf_text(path, words, types)
        tell("Reading it")
        scan = _scan_speed(path, rounds)
        with encode_files([path], CorpusSettings(min_count=1)) as corpus:
            facts = {"tokens": corpus.source.tokens, "types": corpus.source.types, "bytes": path.stat().st_size}
            runs: list[list[tuple[float, float, float]]] = [[] for _ in combinations]
            for turn in range(rounds):
                tell(f"Training, round {turn + 1} of {rounds}: {len(combinations)} times {seconds:g} s")
                for one, found in zip(trainings, runs, strict=True):
                    found.append(_train_for(corpus, context, one, seconds))
    rows: list[TrainingSpeed] = []
    for (d, n), found in zip(combinations, runs, strict=True):
        by_clock, by_cpu, flops = (statistics.median(column) for column in zip(*found, strict=True))
        first = next((row.words_per_second for row in rows if row.vector_size == d), by_clock)
        rows.append(
            TrainingSpeed(
                vector_size=d,
                workers=n,
                words_per_second=by_clock,
                words_per_cpu_second=by_cpu,
                flops_per_cpu_second=flops,
                sgemm_share=flops / sgemm,
                scaling=by_clock / first,
            )
        )
    return Benchmark(
        machine=about,
        corpus=facts,
        sgemm_flops=sgemm,
        start_seconds=cold,
        cached_start_seconds=warm,
        scan=scan,
        training=tuple(rows),
    )


def _powers_of_two(cpus: int) -> list[int]:
    return sorted({*(2**i for i in range(int(math.log2(cpus)) + 1)), cpus})


def write_zipf_text(path: Path, words: int, types: int, seed: int = 1) -> None:
    """Write a text whose words follow Zipf's law, 20 to a line: word r (from 1) has the probability c / (r + 2)."""
    random = np.random.default_rng(seed)
    names = _names(types)
    below = np.cumsum(1.0 / (np.arange(types) + 3.0))
    with path.open("w", encoding="ascii") as out:
        for done in range(0, words, 100_000):
            drawn = np.searchsorted(below, random.random(min(100_000, words - done)) * below[-1]).tolist()
            lines = (drawn[i : i + _SENTENCE] for i in range(0, len(drawn), _SENTENCE))
            out.writelines(" ".join([names[word] for word in line]) + "\n" for line in lines)


def _names(types: int) -> list[str]:
    """Return that many distinct words of lengths that vary as those of English do, some five letters in the mean."""
    names, base = [], len(_LETTERS)
    for number in range(1, types + 1):
        ending = _ENDING[: 5 * number % len(_ENDING)]  # in capitals, so that no two words become one
        digits = []
        while number:
            number, digit = divmod(number - 1, base)
            digits.append(_LETTERS[digit])
        names.append(bytes(digits).decode("ascii") + ending)
    return names


def sgemm_rate(seconds: float = 1.0) -> float:
    """Return the operations per CPU second of a 1024 x 1024 float32 product of numpy with one thread, the best seen.

    It runs in a process of its own, as the number of threads is fixed when numpy is imported.
    """
    environment = {**os.environ, **dict.fromkeys(_THREADS, "1")}
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # for the product of another machine
        environment.pop(name, None)
    return float(_python(_SGEMM, environment, str(seconds)))


def _starts(tell: Callable[[str], object]) -> tuple[float, float]:
    """Return the seconds of a first start, which compiles, and of a second one, which finds the kernels compiled."""
    with tempfile.TemporaryDirectory(prefix="w2v-bench-") as folder:
        parent = str(Path(w2v.__file__).resolve().parents[1])
        paths = os.pathsep.join(filter(None, [parent, os.environ.get("PYTHONPATH", "")]))
        # all that it writes lies here, so that nothing is left where it is killed
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "TMPDIR": folder, "PYTHONPATH": paths}
        times = []
        for what in ("compiles", "finds the kernels compiled"):
            tell(f"Starting a Python that {what}")
            start = time.perf_counter()
            _python(_FIRST_STEPS, environment)
            times.append(time.perf_counter() - start)
    return times[0], times[1]


def _python(program: str, environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise W2VError(f"a Python that was started for a measurement failed: {last}")
    return done.stdout


def _scan_speed(path: Path, rounds: int) -> ScanSpeed:
    """Encode the text several times and take the medians; what has to be compiled is compiled before."""
    few = path.with_name("few.txt")
    write_zipf_text(few, 1000, 100)
    with encode_files([few], CorpusSettings(min_count=1)):
        pass
    found = []
    for _ in range(rounds):
        clock, cpu = time.perf_counter(), time.process_time()
        with encode_files([path], CorpusSettings(min_count=1)) as corpus:
            spent, worked = time.perf_counter() - clock, time.process_time() - cpu
            found.append((corpus.source.tokens / spent, corpus.source.tokens / worked, path.stat().st_size / spent))
    by_clock, by_cpu, volume = (statistics.median(column) for column in zip(*found, strict=True))
    return ScanSpeed(words_per_second=by_clock, words_per_cpu_second=by_cpu, bytes_per_second=volume)


def _train_for(
    corpus: EncodedCorpus, context: ContextSettings, training: TrainingSettings, seconds: float
) -> tuple[float, float, float]:
    """Train for so long; returns words per second, words per CPU second and useful flops per CPU second."""
    pairs = 0
    with Training(corpus, context, training) as session:
        session.compile()
        clock, cpu = time.perf_counter(), time.process_time()

        def report(progress: Progress) -> None:
            nonlocal pairs
            if progress.epoch_done:
                pairs += progress.pairs
            if time.perf_counter() - clock >= seconds:
                session.stop()

        session.run(report)
        spent, worked = time.perf_counter() - clock, max(1e-9, time.process_time() - cpu)
        progress = session.progress()
    pairs += progress.pairs
    flops = useful_flops(corpus, context, training, progress.words, pairs)
    return progress.words / spent, progress.words / worked, flops / worked


def useful_flops(
    corpus: EncodedCorpus, context: ContextSettings, training: TrainingSettings, words: int, pairs: int
) -> float:
    """Return 6 d (pairs + kept tokens x M), M for each part of a window, or 6 d pairs (1 + k) for `pairwise`.

    A pair of rows costs a dot product and two updates, each d multiplications and d additions.
    """
    if training.algorithm == "pairwise":
        return 6.0 * training.vector_size * pairs * (1 + training.negative)
    counts: NDArray[np.int64] = corpus.vocabulary.counts
    kept = words * float(counts @ corpus.vocabulary.keep_probabilities(context.sample)) / float(counts.sum())
    commonest = float(corpus.vocabulary.noise_distribution(training.ns_exponent).max())
    steps = BlockSteps.of(context, training, commonest)
    return 6.0 * training.vector_size * (pairs + kept * steps.parts * steps.noise_words)


def _machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    return {
        "processor": model,
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cpus": usable_cpus(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }
