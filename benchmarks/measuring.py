"""CPU time and memory of a stretch of code in this process, and what machine it ran on; standard library only."""

import os
import platform
import resource
import threading
import time
from pathlib import Path


class Stretch:
    """Measure a ``with`` block: CPU seconds of the whole process, wall seconds, and the most anonymous memory seen.

    RssAnon (Linux) is memory that the program holds for itself; mapped files are not in it, as the system may drop
    their pages at any time. It is read ten times a second. Where there is no /proc, it is None.
    """

    def __enter__(self):
        self.anonymous_bytes = rss_anon()
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *error):
        self.cpu_seconds = time.process_time() - self._cpu
        self.wall_seconds = time.perf_counter() - self._wall
        self._done.set()
        self._watcher.join()
        self._look()

    def _watch(self):
        while not self._done.wait(0.1):
            self._look()

    def _look(self):
        if self.anonymous_bytes is not None:
            self.anonymous_bytes = max(self.anonymous_bytes, rss_anon())

    def to_dict(self):
        """Return the figures as plain JSON values."""
        return {
            "cpu_seconds": self.cpu_seconds,
            "wall_seconds": self.wall_seconds,
            "anonymous_bytes": self.anonymous_bytes,
        }


def rss_anon(process="self"):
    """Return the anonymous resident memory of a process in bytes, None where the system does not say."""
    return _memory("RssAnon:", process)


def peak_rss():
    """Return the greatest resident memory of this process so far, in bytes.

    VmHWM counts from the start of the program; ru_maxrss, taken where there is no /proc, is never less than what the
    process that started it held.
    """
    return _memory("VmHWM:", "self") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _memory(field, process):
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    for line in status.splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    return None


def keep_to_cores(number):
    """Run this process on the first `number` of its usable cores, where the system lets it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:number])


def machine():
    """Return what the figures depend on: processor, system, Python, load."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"processor": model, "system": platform.platform(), "python": platform.python_version(), "load": load}
