"""Runs one program once and tells what it used: user and system CPU, wall time, peak memory, steady state."""

import dataclasses
import os
import re
import subprocess
import time


@dataclasses.dataclass
class Measurement:
    wall_s: float
    user_s: float
    system_s: float
    peak_mib: float
    steady_ms: float  # NaN where the program has none
    checksum: str


class Failed(Exception):
    pass


def measure(command, environment):
    """Raises Failed with the end of what the program said if it does not end well."""
    start = time.monotonic()
    with subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment) as process:
        output = process.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - start
    if process.returncode:
        raise Failed(f"exit {process.returncode} of {' '.join(map(str, command))}\n{output[-2000:]}")
    steady = re.search(r"steady_ns=(\d+)", output)
    checksum = re.search(r"checksum=(-?\d+)", output)
    return Measurement(wall, usage.ru_utime, usage.ru_stime, usage.ru_maxrss / 1024,
                       int(steady[1]) / 1e6 if steady else float("nan"), checksum[1] if checksum else "")
