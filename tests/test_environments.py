"""Environments in which things go wrong: disks that are full, rights that are missing, little memory, no input.

Rights are tested without the privilege of root to ignore them.
"""

import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from commands import Outcome, limited, obey_rights, only_files, run

import w2v
from w2v.corpus import check_corpus, encode_files, find_files
from w2v.errors import FileAccessError

OPTIONS = ["--workers", "1", "--vector-size", "8", "--epochs", "2", "--min-count", "1", "--sample", "0", "--quiet"]
TEXT = "the king and the queen\nthe man and the woman\nkönigin café 月亮 国王\n" * 40

SEVERAL = """
import contextlib, io, json, os, sys
from w2v.cli import main
outcomes = []
for arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    status = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([os.fsdecode(argument.encode()) for argument in arguments])  # as a shell would give them
        except SystemExit as end:
            status = end.code
    outcomes.append([status, out.getvalue(), err.getvalue()])
json.dump(outcomes, sys.stdout)
"""


def several(commands, **more):
    """Run several commands in one process."""
    answer = run("-c", SEVERAL, json.dumps([[str(a) for a in command] for command in commands]), **more)
    assert answer.status == 0, answer.err
    outcomes = [Outcome(*outcome) for outcome in json.loads(answer.out)]
    assert not any("Traceback" in outcome.err for outcome in outcomes)
    return outcomes


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "corpus.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path / "corpus.txt"


# --------------------------------------------------------------------------------------------------- full disks


def test_a_model_for_which_the_disk_has_no_room_is_saved_elsewhere(cli, corpus, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    answer = cli("train", corpus, "-o", "/dev/full", *OPTIONS)
    assert answer.status == 1
    assert answer.err.startswith("Error: cannot write /dev/full: No space left on device; so that the training is not")
    saved = answer.err.rstrip().rpartition(" ")[2]
    assert w2v.load(saved).provenance["finished"] and "königin" in w2v.load(saved)
    assert Path(saved).is_relative_to(tmp_path)


@contextlib.contextmanager
def files_of_at_most(size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_model_larger_than_a_file_may_be_is_refused_before_it_is_trained(cli, corpus, tmp_path):
    with files_of_at_most(20_000):
        answer = cli("train", corpus, *OPTIONS, "--vector-size", "400", "--epochs", "1000000")
    assert answer.status == 1 and answer.out == ""
    assert answer.err == (
        "Error: cannot write model.safetensors: the model has 32,000 bytes, and a file may have 20,000 here "
        "(ulimit -f)\n"
    )
    assert only_files(tmp_path) == ["corpus.txt"]


def test_a_disk_without_room_for_the_model_is_told_before_the_training(cli, corpus, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: shutil._ntuple_diskusage(10**6, 10**6, 500))
    answer = cli("train", corpus, *OPTIONS)
    assert answer.status == 0 and "Warning: the model model.safetensors will have 640 bytes" in answer.err


def test_temporary_files_without_room_are_told(cli, corpus, tmp_path):
    with files_of_at_most(1_000):
        answer = cli("train", corpus, *OPTIONS)
        exported = cli("phrases", corpus, "-o", "joined.txt", "--quiet")
    assert answer.status == exported.status == 1 and answer.out == exported.out == ""
    assert "File too large. Name a folder with more room (TMPDIR)" in answer.err
    assert "File too large" in exported.err
    assert only_files(tmp_path) == ["corpus.txt"]


# -------------------------------------------------------------------------------------------------------- rights


def test_what_nobody_may_read_or_write_is_told(corpus, tmp_path):
    for name in ("readonly", "closed", "secret"):
        (tmp_path / name).mkdir()
        shutil.copy(corpus, tmp_path / name / "corpus.txt")
    w2v.train(corpus, min_count=1, vector_size=4, workers=1, epochs=1, sample=0).save("closed/m.safetensors")
    shutil.copy("closed/m.safetensors", "old.safetensors")
    (tmp_path / "secret" / "corpus.txt").chmod(0)
    (tmp_path / "readonly").chmod(0o555)
    (tmp_path / "closed").chmod(0)
    cases = [
        (["train", "readonly/corpus.txt", "-o", "readonly/m"], "cannot write readonly/m: no permission to write in"),
        (["train", "corpus.txt", "-o", "closed/m"], "cannot write closed/m: Permission denied"),
        (["train", "secret/corpus.txt", "-o", "m"], "secret/corpus.txt: Permission denied"),
        (["train", "secret", "-o", "m"], "secret/corpus.txt: Permission denied"),
        (["train", "closed/corpus.txt", "-o", "m"], "cannot read closed/corpus.txt: Permission denied"),
        (["train", "closed", "-o", "m"], f"cannot read the folder {tmp_path}/closed: Permission denied"),
        (["train", "closed/*.txt", "-o", "m"], "Permission denied"),
        (["train", "corpus.txt", "-o", "m", "--log-json", "readonly/log"], "--log-json readonly/log cannot be written"),
        (["train", "closed/corpus.txt", "-o", "m", "--log-json", "log"], "cannot read closed/corpus.txt"),
        (["train", "--resume", "closed/m.ckpt"], "cannot read closed/m.ckpt: Permission denied"),
        (["train", "corpus.txt", "--continue-from", "closed/m"], "cannot read closed/m: Permission denied"),
        (["similar", "king", "--model", "closed/m.safetensors"], "cannot read closed/m.safetensors: Permission denied"),
        (["similar", "king", "--model", "secret/corpus.txt"], "cannot read secret/corpus.txt: Permission denied"),
        (["export", "-m", "old.safetensors", "-o", "readonly/v.txt"], "cannot write readonly/v.txt: no permission"),
        (["check", "secret/corpus.txt"], "secret/corpus.txt: Permission denied"),
        (["phrases", "corpus.txt", "-o", "readonly/p.txt"], "cannot write readonly/p.txt: no permission"),
        (["evaluate", "-m", "old.safetensors", "--analogies", "secret/corpus.txt"], "cannot read secret/corpus.txt"),
    ]  # fmt: skip
    try:
        outcomes = several([command for command, _ in cases], preexec_fn=obey_rights)
    finally:
        for name in ("readonly", "closed"):
            (tmp_path / name).chmod(0o755)
    for (command, told), answer in zip(cases, outcomes, strict=True):
        assert answer.status == 1 and told in answer.err, (command, answer)
        assert answer.err.splitlines()[-1].startswith("Error: ")
    assert only_files(tmp_path) == ["closed", "corpus.txt", "log", "old.safetensors", "readonly", "secret"]


# ---------------------------------------------------------------------------------------- links, folders, names


def test_links_and_folders_in_the_place_of_files_are_told(cli, corpus, tmp_path):
    for link, target in (("loop", "pool"), ("pool", "loop"), ("dangling", "nowhere")):
        (tmp_path / link).symlink_to(target)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "again").symlink_to("../folder")
    (tmp_path / "folder" / "dangling").symlink_to("nowhere")
    loop = "Too many levels of symbolic links"
    cases = [
        (["train", "loop"], f"cannot read loop: {loop}"),
        (["train", "corpus.txt", "-o", "loop"], f"cannot write loop: {loop}"),
        (["similar", "king", "-m", "loop"], f"cannot read loop: {loop}"),
        (["train", "dangling"], "no such file or folder: dangling (dangling is a link to nowhere)"),
        (["train", "corpus.txt", "-o", "dangling/m"], "cannot write dangling/m: there is no folder"),
        (["similar", "king", "-m", "dangling"], "there is no file dangling"),
        (["train", "folder"], "there is no file in the folder folder"),
        (["train", "corpus.txt/x"], "no such file or folder: corpus.txt/x"),
        (["train", "corpus.txt", "-o", "folder"], "cannot write folder: it is a folder"),
        (["train", "corpus.txt", "-o", "corpus.txt/m"], "cannot write corpus.txt/m: Not a directory"),
        (["train", "--resume", "folder", "-o", "m"], "folder is a folder, not a file of vectors"),
        (["similar", "king", "-m", "folder"], "folder is a folder, not a file of vectors"),
        (["similar", "king", "-m", "corpus.txt/m"], "there is no model at corpus.txt/m"),
        (["evaluate", "--analogies", "folder"], "there is no model at model.safetensors"),
        (["train", "corpus.txt", "-o", "corpus.txt"], "the output corpus.txt is the input corpus.txt"),
        (["train", "corpus.txt", "-o", "./corpus.txt", "--force"], "the output ./corpus.txt is the input corpus.txt"),
        (["train", "*.txt", "-o", "corpus.txt", "--force"], "it would be overwritten"),
        (["train", ".", "-o", "corpus.txt", "--force"], "it would be overwritten"),
        (["phrases", "corpus.txt", "-o", "corpus.txt", "--force"], "it would be overwritten"),
        (["train", "nothing*.txt"], "no file matches nothing*.txt"),
        (["train", "/dev/null"], "0 sentences read from /dev/null: it is empty"),
    ]
    for command, told in cases:
        answer = cli(*command, *(OPTIONS if command[0] == "train" and "--resume" not in command else []))
        assert answer.status == 1 and told in answer.err, (command, answer)
        assert answer.err.startswith("Error: ") and answer.err.count("\n") == 1 and answer.out == ""
    assert corpus.read_text(encoding="utf-8") == TEXT
    assert only_files(tmp_path) == ["corpus.txt", "dangling", "folder", "loop", "pool"]


def test_a_folder_that_contains_itself_is_read_once(corpus, tmp_path):
    (tmp_path / "again").symlink_to(".")
    assert find_files([tmp_path]) == [str(corpus)]


def test_a_file_that_vanishes_is_told(corpus, tmp_path):
    for name in ("1.txt", "2.txt"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")

    def remove(done, total):
        (tmp_path / "2.txt").unlink(missing_ok=True)

    settings = w2v.CorpusSettings(min_count=1)
    with pytest.raises(FileAccessError, match=r"cannot read .*2\.txt: No such file or directory"):
        encode_files([tmp_path / "1.txt", tmp_path / "2.txt"], settings, progress=remove)
    (tmp_path / "2.txt").write_text(TEXT, encoding="utf-8")
    report = check_corpus([tmp_path / "1.txt", tmp_path / "2.txt"], progress=remove)
    assert report.findings[0].kind == "unreadable" and report.tokens == len(TEXT.split())
    checkpoint = tmp_path / "m.ckpt"
    more = {"min_count": 1, "sample": 0, "workers": 1, "vector_size": 4}
    w2v.train(tmp_path / "1.txt", checkpoint=checkpoint, report=lambda progress: w2v.STOP, **more)
    (tmp_path / "1.txt").unlink()
    with pytest.raises(w2v.W2VError, match=r"1\.txt of .*m\.ckpt is not there any more; if it was moved"):
        w2v.resume(checkpoint)
    assert w2v.resume(checkpoint, corpus).provenance["finished"]


# ---------------------------------------------------------------------------------------- streams and languages


@pytest.mark.parametrize("command", [["train", "-", "-o", "m"], ["check", "-"], ["phrases", "-", "-o", "p.txt"]])
def test_a_closed_standard_input_is_told(cli, command, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    answer = cli(*command, "--quiet")
    assert (answer.status, answer.out) == (1, "")
    assert answer.err == "Error: standard input is closed: there is nothing to be read from -\n"
    assert only_files(tmp_path) == []


def test_a_training_needs_no_stream_no_home_and_no_temporary_folder_of_its_own(corpus):
    def close_all():
        for descriptor in (0, 1, 2):
            os.close(descriptor)

    command = [sys.executable, "-m", "w2v", "train", str(corpus), *OPTIONS]
    environment = {**os.environ, "TMPDIR": "/nowhere"}
    del environment["HOME"]
    status = subprocess.run(command, env=environment, preexec_fn=close_all, timeout=120).returncode
    assert status == 1  # the results had nowhere to go; the model is there
    assert w2v.load("model.safetensors").provenance["finished"]


def test_a_c_locale_reads_and_writes_what_others_do(corpus, tmp_path):
    text = tmp_path / "Käfig.txt"
    text.write_text(TEXT, encoding="utf-8")
    commands = [
        ["train", text, "-o", "Modéll", *OPTIONS],
        ["similar", "café", "-m", "Modéll", "--json"],
        ["check", text, "--no-estimate", "--quiet"],
        ["train", "gibt es nicht é", "-o", "m"],
    ]
    quiet = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    trained, asked, checked, missing = several(commands, env=quiet)
    assert trained.status == 0 and w2v.load("Modéll").words == w2v.train(text, min_count=1, epochs=1, sample=0).words
    assert {result["word"] for result in json.loads(asked.out)["results"]} >= {"königin", "国王"}
    assert checked.status == 0 and "Käfig.txt" in checked.out
    assert missing.status == 1 and "gibt es nicht é" in missing.err


# ----------------------------------------------------------------------------------------- memory and processes


def test_too_little_address_space_is_told(corpus, tmp_path):
    answer = run("-m", "w2v", "train", corpus, *OPTIONS, preexec_fn=limited(resource.RLIMIT_AS, 300 << 20))
    assert answer.status == 1 and answer.out == ""
    assert answer.err.startswith("Error: not enough memory: 300 MB of address space are allowed (ulimit -v)")
    assert only_files(tmp_path) == ["corpus.txt"]


def test_a_model_that_memory_cannot_hold_is_told(corpus, tmp_path):
    large = ["--vector-size", "100000", "--workers", "40", "--shared-negatives", "4096"]
    answer = run("-m", "w2v", "train", corpus, *OPTIONS, *large, preexec_fn=limited(resource.RLIMIT_AS, 1 << 30))
    assert answer.status == 1 and answer.err.startswith("Error: not enough memory: ") and answer.err.count("\n") == 1
    assert only_files(tmp_path) == ["corpus.txt"]


def test_threads_that_cannot_be_started_are_told(cli, corpus, monkeypatch):
    encoded = w2v.encode(corpus, w2v.CorpusSettings(min_count=1))
    encoded.close()
    before = threading.active_count()

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    answer = cli("train", corpus, *OPTIONS)
    assert answer.status == 1 and threading.active_count() == before
    assert answer.err == (
        "Error: not enough memory: thread 1 of 1 could not be started (can't start new thread); use fewer workers\n"
    )


FORKS = """
import multiprocessing, sys
import numpy as np
import w2v

SETTINGS = dict(min_count=1, vector_size=8, epochs=2, sample=0, workers=1)

def child(answers):
    answers.put(w2v.train(sys.argv[1], **SETTINGS).W.tobytes())

if __name__ == "__main__":
    here = w2v.train(sys.argv[1], **SETTINGS).W.tobytes()
    w2v.train(sys.argv[1], **{**SETTINGS, "workers": 3})
    with w2v.encode(sys.argv[1], w2v.CorpusSettings(min_count=1)) as corpus:
        for how in ("fork", "spawn"):
            context = multiprocessing.get_context(how)
            answers = context.Queue()
            process = context.Process(target=child, args=(answers,))
            process.start()
            assert answers.get(timeout=100) == here, how
            process.join()
            assert process.exitcode == 0
        assert corpus.folder.exists()  # a child that ends takes nothing away
        assert w2v.train(corpus, **SETTINGS).W.tobytes() == here
"""


def test_a_process_that_has_trained_may_fork_and_spawn(corpus, tmp_path):
    (tmp_path / "forks.py").write_text(FORKS)
    answer = run("-W", "error", "forks.py", corpus)
    assert answer.status == 0, answer.err
