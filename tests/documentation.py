"""Pages of documentation as programs: their fenced blocks are run in order, and compared with the outputs they show.

A page is Markdown. In a ``console`` block the lines after ``$`` are commands and the others their standard output,
where ``...`` stands for lines left out. A ``text`` block after a ``python`` block is what that printed; the Python
blocks of a page share their names. Words may follow the name of the language: ``no-run`` (what needs the network, or
hours), and ``other-output`` (it is run, but the form of what it prints depends on the corpus).

``python tests/documentation.py PAGE...`` runs pages in a folder of their own with the corpora that ship, and writes
what was printed into them: no output in the documentation is typed by hand. A new output is asked for by a line ``?``.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = {"console", "python", "text", ""}
_FENCE = re.compile(r"^```(?P<info>.*)$")
_SHELL = re.compile(r"[|<>;&*$`\\]")
_NUMBER = re.compile(r"-?\d[\d,.:]*%?")


@dataclass(frozen=True)
class Step:
    """One command, or one block of Python, with the lines that the page shows as its output (None: it shows none)."""

    page: str
    line: int
    kind: str
    code: str
    shown: tuple[str, ...] | None = None
    form: bool = True
    where: tuple[int, int] = field(default=(0, 0), compare=False)  # the lines of the output in the page, from 0

    def __str__(self):
        return f"{self.page}:{self.line}: {self.code.strip().splitlines()[0]}"


def steps(path):
    """Return the steps of a page that are to be run."""
    page = path.name
    lines = path.read_text(encoding="utf-8").splitlines()
    found, start = [], None
    for i, line in enumerate(lines):
        match = _FENCE.match(line)
        if match is None:
            continue
        if start is None:
            language, _, flags = match["info"].partition(" ")
            start, flags = i + 1, set(flags.split())
            directive = language.startswith("{")
            assert directive or language in LANGUAGES, f"{page}:{i + 1}: a block of {language!r}"
            assert directive or flags <= {"no-run", "other-output"}, f"{page}:{i + 1}: {flags}"
            continue
        if language == "console" and "no-run" not in flags:
            found += _commands(page, lines, start, i, "other-output" not in flags)
        elif language == "python" and "no-run" not in flags:
            found.append(
                Step(page, start, "python", "\n".join(lines[start:i]) + "\n", form="other-output" not in flags)
            )
        elif language == "text" and found and found[-1].kind == "python" and "no-run" not in flags:
            form = "other-output" not in flags
            found[-1] = replace(found[-1], shown=tuple(lines[start:i]), where=(start, i), form=form)
        start = None
    assert start is None, f"{page}: a block without end"
    return found


def _commands(page, lines, start, end, form):
    begins = [i for i in range(start, end) if lines[i].startswith("$ ")]
    for i, following in zip(begins, [*begins[1:], end], strict=True):
        code, first = lines[i][2:], i + 1
        while code.endswith("\\"):
            code, first = code[:-1] + lines[first].strip(), first + 1
        last = following
        while last > first and not lines[last - 1].strip():
            last -= 1
        shown = tuple(lines[first:last])
        yield Step(page, i + 1, "command", code, shown or None, form, (first, last))


class Reader:
    """Someone who types a page into a shell and a Python, in the current folder."""

    def __init__(self, own_process=False):
        self.names = {}
        self.own_process = own_process
        programs = Path(tempfile.mkdtemp(prefix="w2v-programs-"))
        w2v = programs / "w2v"
        w2v.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m w2v "$@"\n')
        w2v.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        self.environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))

    def run(self, step):
        """Return the lines that a step prints; an error ends the reading."""
        if step.kind == "python":
            return self._python(step)
        if not self.own_process and step.code.startswith("w2v ") and not _SHELL.search(step.code):
            return self._command(step)
        run = subprocess.run(
            ["bash", "-c", "set -e\n" + step.code], env=self.environment, stdout=subprocess.PIPE, encoding="utf-8"
        )
        assert run.returncode == 0, f"{step}: status {run.returncode}"
        return run.stdout.splitlines()

    def _command(self, step):
        """Save the second in which a process imports everything."""
        from w2v.cli import main

        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main(shlex.split(step.code, comments=True)[1:])
            except SystemExit as stop:
                status = stop.code
        for stream in (out, err):
            stream.flush()
        assert status == 0, f"{step}: {err.buffer.getvalue().decode()}"
        return out.buffer.getvalue().decode("utf-8").splitlines()

    def _python(self, step):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            try:
                exec(compile(step.code, f"{step.page}:{step.line}", "exec"), self.names)
            except Exception as error:
                raise AssertionError(f"{step}: {error!r}") from error
        return out.getvalue().splitlines()


def compare(step, printed):
    """Check the form of what a page shows: as many lines, and those without a number word by word."""
    if step.shown is None or not step.form:
        return
    whole = "..." not in step.shown
    assert not whole or len(step.shown) == len(printed), f"{step}: printed\n" + "\n".join(printed)
    words = [line.split() for line in printed]
    for line in step.shown:
        if line != "..." and not _NUMBER.search(line):
            assert line.split() in words, f"{step}: shows {line!r}, printed\n" + "\n".join(printed)


# --------------------------------------------------------------------------------------- writing true output into pages


def _first_words(line):
    return _NUMBER.sub("#", line).split()[:2]


def renewed(step, printed):
    """Return what a page should show of what was printed: where it left lines out, the same parts as before."""
    if "..." not in step.shown:
        return list(printed)
    result, at = [], 0
    for leave_out, part in _parts(step.shown):
        if leave_out:
            result.append("...")
            continue
        if result:
            starts = [i for i in range(at, len(printed)) if _first_words(printed[i]) == _first_words(part[0])]
            assert starts, f"{step}: nothing printed is like {part[0]!r}"
            at = starts[0]
        result += printed[at : at + len(part)]
        at += len(part)
    return result


def _parts(shown):
    part = []
    for line in shown:
        if line == "...":
            if part:
                yield False, part
            yield True, []
            part = []
        else:
            part.append(line)
    if part:
        yield False, part


def rewrite(path, reader):
    """Run a page and write what its steps printed into it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    changes = []
    for step in steps(path):
        sys.stderr.write(f"{step}\n")
        printed = reader.run(step)
        if step.shown is not None:
            changes.append((*step.where, renewed(step, [line.rstrip() for line in printed])))
    for first, last, output in reversed(changes):
        lines[first:last] = output
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    for page in [Path(name).resolve() for name in sys.argv[1:]]:
        folder = Path(tempfile.mkdtemp(prefix=f"w2v-{page.stem}-"))
        (folder / "corpora").symlink_to(ROOT / "corpora")
        os.chdir(folder)
        sys.stderr.write(f"{page}, in {folder}\n")
        rewrite(page, Reader(own_process=True))
