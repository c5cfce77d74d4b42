"""What numba keeps of the kernels: shared by processes, without room, damaged, nowhere."""

import os
import resource
import shutil
import subprocess
import sys

import pytest
from commands import ROOT, Outcome, limited, obey_rights, run

STREAM = """
import numpy as np
from w2v.kernels import _jit
from w2v.kernels.random import stream_key
assert int(stream_key(1, 0, 2)) == {key}
print(_jit.compilations())
"""


@pytest.fixture(scope="module")
def script():
    from w2v.kernels.random import stream_key

    return STREAM.format(key=int(stream_key(1, 0, 2)))


def test_processes_that_compile_at_once_do_not_disturb_each_other(script, tmp_path):
    (tmp_path / "cache").mkdir()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    runs = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(2)
    ]
    for process in runs:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0 and err == "", err
        assert out in ("0\n", "1\n")
    after = run("-W", "error", "-c", script, env=environment)
    assert after == Outcome(0, "0\n", "")


def test_a_cache_without_room_is_told_and_no_reason_to_stop(script, tmp_path):
    (tmp_path / "cache").mkdir()
    answer = run(
        "-c", script, env={"NUMBA_CACHE_DIR": tmp_path / "cache"}, preexec_fn=limited(resource.RLIMIT_FSIZE, 300)
    )
    assert answer.status == 0 and answer.out == "1\n"
    assert answer.err.count("Warning") == 1
    assert "compiled code could not be cached (File too large) and will be compiled anew the next time" in answer.err


@pytest.mark.parametrize(("ending", "kept"), [("nbi", 0), ("nbi", 0.5), ("nbc", 0), ("nbc", 0.5)])
def test_a_damaged_cache_is_made_anew(script, tmp_path, ending, kept):
    """After a power cut a file may be there and hold less than it should."""
    env = {"NUMBA_CACHE_DIR": tmp_path}
    run("-c", script, env=env)
    for file in tmp_path.rglob(f"*.{ending}"):
        file.write_bytes(file.read_bytes()[: int(kept * file.stat().st_size)])
    assert run("-W", "error", "-c", script, env=env) == Outcome(0, "1\n", "")
    assert run("-W", "error", "-c", script, env=env) == Outcome(0, "0\n", "")


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_folder_in_the_place_of_a_cached_file_is_told_and_no_reason_to_stop(script, tmp_path, ending):
    env = {"NUMBA_CACHE_DIR": tmp_path}
    run("-c", script, env=env)
    for file in tmp_path.rglob(f"*.{ending}"):
        file.unlink()
        (file / "full").mkdir(parents=True)
    answer = run("-c", script, env=env)
    assert answer.status == 0 and answer.err.count("Warning") == 1
    assert "compiled code could not be cached (Is a directory) and will be compiled anew the next time" in answer.err


def test_a_stamp_of_any_bytes_is_another_stamp(script, tmp_path):
    env = {"NUMBA_CACHE_DIR": tmp_path}
    run("-c", script, env=env)
    (stamp,) = tmp_path.rglob("*.stamp")
    stamp.write_bytes(b"\xff\xfe")
    assert run("-W", "error", "-c", script, env=env) == Outcome(0, "1\n", "")
    assert run("-W", "error", "-c", script, env=env) == Outcome(0, "0\n", "")


def test_folders_that_nobody_may_write_to_hold_no_cache_and_are_told(script, tmp_path):
    package, home, cache = tmp_path / "site", tmp_path / "home", tmp_path / "cache"
    shutil.copytree(ROOT / "w2v", package / "w2v", ignore=shutil.ignore_patterns("__pycache__"))
    home.mkdir()
    cache.mkdir()
    folders = [package, *(path for path in package.rglob("*") if path.is_dir()), home, cache]
    for folder in folders:
        folder.chmod(0o555)
    env = {"PYTHONPATH": package, "HOME": home, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        nowhere = run("-c", script, env={**env, "NUMBA_CACHE_DIR": cache}, preexec_fn=obey_rights)
        home.chmod(0o755)
        at_home = run("-W", "error", "-c", script, env=env, without=["NUMBA_CACHE_DIR"], preexec_fn=obey_rights)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert (nowhere.status, nowhere.out) == (0, "1\n")
    assert "compiled code cannot be cached and is compiled anew in each process" in nowhere.err
    assert "set NUMBA_CACHE_DIR to a folder that can be written" in nowhere.err
    assert at_home == Outcome(0, "1\n", "") and any(home.rglob("*.nbi"))
