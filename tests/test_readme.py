"""The README: its commands are run and its Python is executed, on a small corpus in the place of the one it names."""

import re
import shlex
import subprocess
import sys

import pytest
from commands import ROOT

import w2v

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
COMMANDS = [line[2:] for block in CONSOLE for line in block.splitlines() if line.startswith("$ ")]
W2V_COMMANDS = [shlex.split(command)[1:] for command in COMMANDS if command.startswith("w2v ")]


@pytest.fixture
def checkout(tmp_path, planted_corpus):
    """A folder with the files that the README names, small ones."""
    (tmp_path / "corpora").mkdir()
    import bz2

    (tmp_path / "corpora" / "english-books.txt.bz2").write_bytes(bz2.compress(planted_corpus.read_bytes()))
    poems = "月照松间，酒一杯。\n春风又绿江南岸，明月何时照我还。\n" * 60
    (tmp_path / "corpora" / "chinese-poems.txt.bz2").write_bytes(bz2.compress(poems.encode()))
    return tmp_path


def test_the_commands_work_as_typed_one_after_the_other(checkout, cli):
    said = []
    for arguments in W2V_COMMANDS:
        if "vectors.bin" in arguments:
            assert cli("export", "-o", "vectors.bin").status == 0
        answer = cli(*arguments)
        assert answer.status == 0, (arguments, answer.err)
        said.append(answer.out)
    assert [arguments[0] for arguments in W2V_COMMANDS[:3]] == ["train", "analogy", "pmi-compare"]
    assert said[0].startswith("Saved model.safetensors: ")
    assert said[1].splitlines()[0] == "king - man + woman   (left out: king, man, woman)"
    assert said[1].splitlines()[1].startswith("queen")
    assert "the headline" in said[2] and "r_w + s_c" in said[2]


def test_the_output_that_is_shown_has_the_form_of_the_real_one(checkout, cli):
    """The numbers are those of the corpus that ships, which takes too long here; the form is the same."""
    shown = CONSOLE[1]
    cli("train", "corpora/english-books.txt.bz2")
    answer = cli("analogy", "king", "man", "woman").out.splitlines()
    block = shown.partition("$ w2v analogy king man woman\n")[2].partition("\n\n")[0].splitlines()
    assert block[0] == answer[0] and len(block) == len(answer) == 11
    assert all(re.fullmatch(r"\S+ +0\.\d{4}", line) for line in block[1:]) and block[1].startswith("queen ")
    report = cli("pmi-compare").out
    for line in shown.partition("$ w2v pmi-compare\n")[2].splitlines():
        if not re.search(r"\d\.\d", line) and line != "...":
            assert line in report


def test_the_python_lines_run(checkout):
    (lines,) = PYTHON
    assert len([line for line in lines.splitlines() if line and not line.startswith("import")]) <= 6
    run = subprocess.run([sys.executable, "-W", "error", "-c", lines], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    best = w2v.load("books.safetensors").analogy(a="man", b="king", c="woman", topn=1)
    assert best[0].word == "queen"


def test_set_up_and_make_targets_exist():
    assert [command.partition(" #")[0].strip() for command in COMMANDS[:2]] == ["make demo", "make test"]
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for command in COMMANDS:
        if command.startswith("make "):  # a comment may follow
            assert command.split()[1] in targets


def test_every_file_and_extra_that_is_named_exists():
    for name in re.findall(r"`((?:w2v|corpora|benchmarks|tests|docs)/(?!_build)[^` ]*)`", README):
        assert (ROOT / name).exists(), name
    config = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    for extra in re.findall(r"w2v\[(\w+)\]", README):
        assert f"\n{extra} =\n" in config
