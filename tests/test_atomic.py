"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from w2v.embedding import check_target, replacing
from w2v.errors import FileAccessError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_old_file_stays_until_the_block_ends(tmp_path):
    target = tmp_path / "f"
    target.write_bytes(b"old")
    with replacing(target, force=True) as file:
        file.write(b"new")
        file.flush()
        assert target.read_bytes() == b"old"
        assert len(names(tmp_path)) == 2
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["f"]


def test_targets_that_cannot_be_written_are_refused_in_clear_words(tmp_path):
    (tmp_path / "there").write_bytes(b"x")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for target, message in [
        (tmp_path, "it is a folder"),
        (tmp_path / "there", "exists already; --force"),
        (tmp_path / "no" / "where", "there is no folder .*no"),
        (tmp_path / "there" / "below", "cannot write .*[Nn]ot a directory"),
        (tmp_path / "loop", "cannot write .*loop"),
        ("x\0y", "null"),
        (tmp_path / ("x" * 300), "name too long"),
    ]:
        for ask in (check_target, lambda t: replacing(t).__enter__()):
            with pytest.raises(FileAccessError, match=message):
                ask(target)
    assert names(tmp_path) == ["loop", "there"]
    check_target(tmp_path / "there", force=True)
    check_target(tmp_path / "new")


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    target = tmp_path / "f"
    with pytest.raises(FileAccessError, match="exists already"), replacing(target) as file:
        file.write(b"mine")
        target.write_bytes(b"theirs")
    assert target.read_bytes() == b"theirs"
    assert names(tmp_path) == ["f"]


def test_links_stay_links_and_rights_stay_rights(tmp_path):
    (tmp_path / "folder").mkdir()
    real = tmp_path / "folder" / "real"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(real)
    with replacing(link, force=True) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640
    mask = os.umask(0o027)
    try:
        with replacing(tmp_path / "fresh") as file:
            file.write(b"x")
    finally:
        os.umask(mask)
    assert (tmp_path / "fresh").stat().st_mode & 0o777 == 0o640


def test_the_longest_name_works(tmp_path):
    target = tmp_path / ("月" * 85)
    with replacing(target) as file:
        file.write(b"x")
    assert target.read_bytes() == b"x"


def test_a_device_is_written_to_and_not_replaced():
    with replacing("/dev/null") as file:
        file.write(b"x")
    assert not Path("/dev/null").is_file()
    with pytest.raises(FileAccessError, match="/dev/full: No space left"), replacing("/dev/full") as file:
        file.write(b"x")


def test_standard_output_can_be_the_target():
    code = "import sys; sys.path.insert(0, sys.argv[1])\nfrom w2v.embedding import replacing\n"
    code += "with replacing('/dev/stdout') as file: file.write(b'through')"
    root = str(Path(__file__).parent.parent)
    run = subprocess.run([sys.executable, "-c", code, root], capture_output=True, check=True, timeout=60)
    assert run.stdout == b"through"


def test_abandoned_files_are_removed_but_not_those_of_a_save_that_is_still_running(tmp_path):
    target = tmp_path / "f"
    with replacing(target) as outer:
        outer.write(b"outer")
        (running,) = names(tmp_path)
        (tmp_path / ".f.00000000.tmp").write_bytes(b"left by a killed process")
        (tmp_path / ".f.notes.tmp").write_bytes(b"somebody's own")
        with replacing(target) as inner:
            inner.write(b"inner")
            assert ".f.00000000.tmp" not in names(tmp_path)
        assert target.read_bytes() == b"inner"
        assert names(tmp_path) == sorted([running, ".f.notes.tmp", "f"])
        target.unlink()
    assert target.read_bytes() == b"outer"
    assert names(tmp_path) == [".f.notes.tmp", "f"]


def test_errors_of_the_block_pass_through_and_leave_nothing(tmp_path):
    for error in (ValueError("mine"), KeyboardInterrupt(), FileAccessError("ours")):
        with pytest.raises(type(error)), replacing(tmp_path / "f"):
            raise error
    assert names(tmp_path) == []
