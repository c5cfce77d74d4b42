"""The rules of the house: who imports whom, what is installed, what an import costs, how long a module may be."""

import ast
import configparser
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from commands import ROOT
from lowest import lower_bounds

import w2v

CONFIG = configparser.ConfigParser(interpolation=None)
CONFIG.read(ROOT / "setup.cfg", encoding="utf-8")
CONTRACTS = {name.rpartition(":")[2] for name in CONFIG if name.startswith("importlinter:contract:")}

OFFENCES = {
    "layers": [
        ("settings.py", "import w2v.vocabulary"),
        ("geometry/offence.py", "import w2v.evaluation"),
        ("embedding/offence.py", "from w2v.corpus import encode"),
        ("evaluation/offence.py", "import w2v.training"),
        ("errors.py", "import w2v.cli"),
        ("stray/__init__.py", "# a room that is in no layer"),
    ],
    "numba": [("vocabulary.py", "import numba"), ("corpus/offence.py", "import llvmlite")],
    "kernels": [
        ("kernels/offence.py", "import scipy"),
        ("kernels/offence.py", "from w2v.settings import CorpusSettings"),
    ],
    "queries": [
        ("embedding/offence.py", "import w2v.kernels"),
        ("evaluation/offence.py", "import numba"),
        ("geometry/offence.py", "from w2v.corpus import encode"),
    ],
    "terminal": [
        ("training/offence.py", "import tqdm"),
        ("pmi/offence.py", "import click"),
        ("reports/offence.py", "import tqdm"),
    ],
    "figures": [("equivalence/offence.py", "import matplotlib"), ("geometry/offence.py", "import matplotlib")],
}


def lint_imports(folder, *options):
    program = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package and of setup.cfg, to be broken and mended."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / "setup.cfg", folder)
    shutil.copytree(ROOT / "w2v", folder / "w2v", ignore=shutil.ignore_patterns("__pycache__", "*.txt"))
    return folder


def test_the_rooms_import_only_what_they_may(copy):
    run = lint_imports(copy)
    assert run.returncode == 0, run.stdout + run.stderr
    assert set(OFFENCES) == CONTRACTS, "each contract has an offence below"


@pytest.mark.parametrize(("contract", "file", "line"), [(c, f, o) for c, many in OFFENCES.items() for f, o in many])
def test_each_rule_is_seen_to_break(copy, contract, file, line):
    path = copy / "w2v" / file
    before = path.read_text(encoding="utf-8") if path.exists() else None
    new_folder = not path.parent.exists()
    path.parent.mkdir(exist_ok=True)
    try:
        path.write_text(f"{before or ''}\n{line}\n", encoding="utf-8")
        run = lint_imports(copy, "--contract", contract)
    finally:
        path.unlink() if before is None else path.write_text(before, encoding="utf-8")
        if new_folder:
            shutil.rmtree(path.parent)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "BROKEN" in run.stdout or "stray" in run.stdout


@pytest.mark.parametrize("path", sorted((ROOT / "w2v").rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_is_short_and_says_its_idea_first(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 400
    assert lines[0].startswith(('"""', 'r"""')) and lines[0].rstrip('"').endswith((".", ".py``", "?"))
    assert path.stem not in {"utils", "helpers", "core", "base"}


# ------------------------------------------------------------------------------------------------- what imports cost


def modules_after(program):
    program += "\nimport sys; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_costs_next_to_nothing():
    loaded = modules_after("import w2v, w2v.cli, w2v.settings, w2v.errors")
    assert not {"numpy", "scipy", "numba", "tqdm", "matplotlib"} & loaded


def test_loading_and_asking_needs_numpy_only(model):
    program = (
        f"import w2v; e = w2v.load({str(model)!r}); e.most_similar('king'); e.analogy(a='man', b='king', c='woman')\n"
        "e.similarity('king', 'queen'); from w2v.evaluation import bundled, evaluate_analogies\n"
        "evaluate_analogies(e, bundled(task='analogies')[0].load())"
    )
    loaded = modules_after(program)
    assert "numpy" in loaded and not {"numba", "llvmlite", "scipy", "click", "tqdm", "matplotlib"} & loaded


def test_everything_public_is_there():
    for name in w2v.__all__:
        assert getattr(w2v, name) is not None
    assert set(w2v.__all__) <= set(dir(w2v))
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        w2v.nothing_of_the_kind  # noqa: B018


# --------------------------------------------------------------------------------------------- what is installed


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that an install of the checkout makes."""
    pytest.importorskip("setuptools", minversion="70.1", reason="older ones need another package to build wheels")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    ignored = shutil.ignore_patterns(".*", "__pycache__", "build", "*.egg-info", "corpora", "demo", "shared")
    shutil.copytree(ROOT, source, ignore=ignored)
    program = "from setuptools import build_meta; build_meta.build_wheel('..')"
    run = subprocess.run([sys.executable, "-c", program], cwd=source, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        yield archive


def test_the_installed_metadata_say_what_setup_cfg_says(wheel):
    metadata = wheel.read(f"w2v-{w2v.__version__}.dist-info/METADATA").decode()
    head = metadata.partition("\n\n")[0]
    assert f"Version: {w2v.__version__}" in head
    assert "Requires-Python: >=3.11" in head, "a missing = in python_requires is dropped without a word"
    assert re.findall(r"^License\S*: Apache-2.0$", head, re.MULTILINE)
    for line in CONFIG["options"]["install_requires"].split():
        assert f"Requires-Dist:{line}" in head.replace(" ", "")  # older setuptools put a blank before the sign
    for extra in CONFIG["options.extras_require"]:
        assert f"Provides-Extra: {extra}" in head
    entry_points = wheel.read(f"w2v-{w2v.__version__}.dist-info/entry_points.txt").decode()
    assert "w2v = w2v.cli:main" in entry_points


def test_only_the_package_is_installed_and_all_of_it(wheel):
    names = wheel.namelist()
    assert {name.partition("/")[0] for name in names} == {"w2v", f"w2v-{w2v.__version__}.dist-info"}, "no module cli"
    here = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "w2v").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert here == {name for name in names if name.startswith("w2v/")}
    assert {"w2v/py.typed", "w2v/evaluation/data/questions-words.txt"} <= here


def test_every_requirement_has_a_lower_bound_that_is_tested():
    bounds = lower_bounds(ROOT / "setup.cfg")
    assert {"numpy", "numba", "scipy", "click", "tqdm", "pytest"} <= set(bounds)
    classified = re.findall(r"Python :: (3\.\d+)", CONFIG["metadata"]["classifiers"])
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in classified


def test_a_checkout_runs_without_an_install(tmp_path):
    for command in ([str(ROOT / "cli.py")], ["-m", "w2v"]):
        run = subprocess.run([sys.executable, *command, "--version"], capture_output=True, text=True)
        assert run.stdout == f"w2v {w2v.__version__}\n"


def test_no_dependency_is_asked_for_its_private_names():
    """A field report: an import broke when a dependency moved what it never promised."""
    offences = []
    for path in sorted((ROOT / "w2v").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                top, *rest = name.split(".")
                if top not in ("w2v", "__future__") and any(part.startswith("_") for part in rest):
                    offences.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name}")
    assert offences == []


def test_nothing_has_to_be_compiled_when_it_is_installed():
    sources = {path.suffix for path in (ROOT / "w2v").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert sources <= {".py", ".txt", ".md", ".typed", ""}, sources
