"""Runs a program once and measures CPU and wall time, peak memory, steady state, and the time after the end of main."""

import dataclasses
import math
import os
import re
import signal
import subprocess
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Measurement:
    round: int
    workload: str
    configuration: str
    wall_s: float
    user_s: float
    system_s: float
    peak_mib: float
    steady_ms: float  # CPU time of one repetition in the last quarter; NaN if the program has none
    before_ms: float  # the same in the quarter before
    after_s: float  # CPU time of the process after the end of main; NaN if the program does not print it
    checksum: str

    @property
    def cpu_s(self):
        return self.user_s + self.system_s


class Failed(Exception):
    """The program failed; the message has its command and the end of its output."""


def measure(command, environment, limit_s, turn=None, **labels):
    """Raises Failed if the program fails or exceeds the time limit. With a `turn` (turns.py), it takes turns with other programs."""
    start = time.monotonic()
    overdue = threading.Event()
    with subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment) as process:
        def stop():
            overdue.set()
            process.send_signal(signal.SIGKILL)
        watch = threading.Timer(limit_s, stop)
        watch.start()
        if turn:
            turn.started(process.pid)
        output = process.stdout.read().decode(errors="replace")
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its number stays its own while it may be signalled
        if turn:
            turn.ended()
        _, status, usage = os.wait4(process.pid, 0)
        watch.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - start
    if process.returncode:
        how = f"not ended after {limit_s} s" if overdue.is_set() else f"exit {process.returncode}"
        raise Failed(f"{how}: {' '.join(map(str, command))}\n{output[-2000:]}")
    return parsed(output, wall, usage, labels)


def parsed(output, wall, usage, labels):
    said = dict(re.findall(r"(\w+)=(-?\d+)", next((line for line in output.splitlines() if line.startswith("RESULT ")), "")))

    def ms(name):
        return int(said[name]) / 1e6 if name in said else math.nan
    used = usage.ru_utime + usage.ru_stime
    after = max(0.0, used - int(said["end_ticks"]) / TICKS) if "end_ticks" in said else math.nan
    return Measurement(wall_s=wall, user_s=usage.ru_utime, system_s=usage.ru_stime, peak_mib=usage.ru_maxrss / 1024,
                       steady_ms=ms("steady_ns"), before_ms=ms("before_ns"), after_s=after,
                       checksum=said.get("checksum", ""), **labels)
