"""The files of ``w2v train``: what could not be written, or would be destroyed, is refused before anything is read."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from w2v.cli.outputs import check_log, refuse_inputs, same_file
from w2v.cli.terminal import note
from w2v.cli.train_log import TrainLog
from w2v.errors import FileAccessError, W2VError

__all__ = ["check_output", "check_room", "checkpoint_of", "open_log", "save_somewhere"]

_OTHER = "choose another with -o"


def checkpoint_of(output: str) -> str:
    """Return where the checkpoint of a training is, whose model goes to `output`."""
    return f"{output}.ckpt"


def check_output(
    output: str, files: Sequence[str], *, force: bool, models: Sequence[str] = (), resumed: str | None = None
) -> None:
    """Refuse an output that could not be written in the end, or would destroy an input or an interrupted training.

    Parameters
    ----------
    output : str
        Where the model is to go.
    files : sequence of str
        The corpus.
    models : sequence of str
        The vectors that are started from: with `force` the output may take their place, a checkpoint may not.
    force : bool
        Whether what exists may be replaced.
    resumed : str, optional
        The checkpoint that is gone on from, which may be replaced by its successors.
    """
    from w2v.atomic import check_target

    if output == "-":
        raise FileAccessError("a model cannot be written to standard output: give a file name with -o")
    refuse_inputs(output, files, other=_OTHER)
    check_target(output, force=force)
    checkpoint = checkpoint_of(output)
    check_target(checkpoint, force=True)
    if os.path.lexists(checkpoint) and not force and not (resumed is not None and same_file(resumed, checkpoint)):
        raise FileAccessError(
            f"{checkpoint} exists: it keeps a training that was interrupted. Go on with it: w2v train --resume "
            f"{checkpoint}; or start anew with --force, which replaces it"
        )
    if Path(output).is_file() or not Path(output).exists():
        _try_to_write_beside(output)
    if Path(output).exists() or Path(checkpoint).exists():
        from w2v.corpus.sources import find_files

        inputs = find_files(files)  # folders and globs resolved
        refuse_inputs(output, inputs, other=_OTHER)
        refuse_inputs(checkpoint, [*inputs, *models], "the file that an interrupted training is saved to,", _OTHER)


def _try_to_write_beside(output: str) -> None:
    """Make a nameless file in the folder of the output: rights do not tell everything, least of all to root."""
    try:
        with tempfile.TemporaryFile(dir=Path(os.path.realpath(output)).parent):
            pass
    except OSError as error:
        raise FileAccessError(f"cannot write {output}: {error.strerror or error}") from error


def check_room(output: str, size: int) -> None:
    """Refuse a training whose model would be larger than a file may be, and warn where the disk has no room for it.

    Parameters
    ----------
    output : str
        Where the model is to go.
    size : int
        Its bytes.
    """
    with contextlib.suppress(ImportError):  # not on every platform
        import resource

        allowed = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        if allowed != resource.RLIM_INFINITY and allowed < size:
            raise FileAccessError(
                f"cannot write {output}: the model has {size:,} bytes, and a file may have {allowed:,} here (ulimit -f)"
            )
    folder = Path(os.path.realpath(output)).parent
    with contextlib.suppress(OSError):
        free = shutil.disk_usage(folder).free
        if free < size and not _is_stream(output):
            note(
                f"Warning: the model {output} will have {size:,} bytes, and {folder} has room for {free:,}; make room, "
                "or choose another place with -o"
            )


def _is_stream(output: str) -> bool:
    mode = Path(output).stat().st_mode if Path(output).exists() else stat.S_IFREG
    return not stat.S_ISREG(mode)


def save_somewhere(save: Callable[[str], None], path: str) -> None:
    """Save; what cannot be saved where it was meant to be (a full disk) is saved among the temporary files."""
    try:
        save(path)
    except FileAccessError as error:
        refuge = Path(tempfile.mkdtemp(prefix="w2v-saved-")) / Path(path).name
        try:
            save(str(refuge))
        except W2VError:
            refuge.parent.rmdir()
            raise error from None
        raise FileAccessError(f"{error}; so that the training is not lost, it was saved as {refuge}") from error


@contextlib.contextmanager
def open_log(path: str | None, others: Sequence[str], *, force: bool) -> Iterator[TrainLog]:
    """Open the log, or one that goes nowhere; refuses to write over other files, those that are read above all."""
    if path is None:
        yield TrainLog(None)
        return
    check_log(path, others, force=force)
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(Path(path).open("w", encoding="utf-8", errors="backslashreplace"))
        except OSError as error:
            raise FileAccessError(f"--log-json {path} cannot be written: {error.strerror}") from error
        yield TrainLog(file)
