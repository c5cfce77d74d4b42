"""Run a command on so many cores and print what it took: ``run_measured.py CORES PROGRAM ARGUMENT...``.

Standard library only and small, since the peak that the system reports for a program is never less than what the
process that started it held.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

from measuring import keep_to_cores, rss_anon


def main(cores, command):
    keep_to_cores(cores)
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        anonymous = 0
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            anonymous = max(anonymous, rss_anon(process.pid) or 0)
            time.sleep(0.05)
        wall = time.perf_counter() - start
        output.seek(0)
        said = output.read().decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code
    if code:
        sys.exit(f"exit status {code}\n{said[-2000:]}")
    figures = {"cpu_seconds": usage.ru_utime + usage.ru_stime, "wall_seconds": wall}
    figures |= {"anonymous_bytes": anonymous or None, "peak_rss": usage.ru_maxrss * 1024, "output": said}
    print(json.dumps(figures))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
