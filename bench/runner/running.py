"""Runs a program once, and measures it."""

import dataclasses
import os
import signal
import subprocess
import threading
import time

from iprofdev import processes


LIMIT_S = 6 * 3600  # it only ends programs that hang


class Failed(Exception):
    """A program failed; the message has its command and the end of its output."""


@dataclasses.dataclass(frozen=True)
class Run:
    output: str  # standard output and error
    wall_s: float
    user_s: float
    system_s: float
    peak_mib: float

    @property
    def cpu_s(self):
        return self.user_s + self.system_s


def run(command, environment=None, limit_s=LIMIT_S, cwd=None, beside=None):
    """Raises Failed if the program fails or exceeds the time limit. beside(pid, ended) runs in a thread beside it; `ended` is an
    Event, and the number stays the program's until beside() returns."""
    start, ended, faults = time.monotonic(), threading.Event(), []
    with subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment or processes.java_environment(), cwd=cwd) as process:
        def stop(reason):
            faults.append(reason)
            process.send_signal(signal.SIGKILL)

        def accompany():
            try:
                beside(process.pid, ended)
            except Failed as why:
                stop(str(why))
        watch = threading.Timer(limit_s, stop, [f"not ended after {limit_s} s"])
        companion = threading.Thread(target=accompany if beside else lambda: None)
        watch.start()
        companion.start()
        output = process.stdout.read().decode(errors="replace")
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its number stays its own while it may be signalled
        watch.cancel()
        ended.set()
        companion.join()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise Failed(f"{faults[0] if faults else f'exit {process.returncode}'}: {' '.join(map(str, command))}\n{output[-2000:]}")
    return Run(output, time.monotonic() - start, usage.ru_utime, usage.ru_stime, usage.ru_maxrss / 1024)


def said_by(command, **options):
    """What a program prints that is not measured. Raises Failed."""
    done = processes.run(command, **options)
    if done.returncode:
        raise Failed(f"exit {done.returncode}: {' '.join(map(str, command))}\n{processes.end_of(done.stdout + done.stderr)}")
    return done.stdout


def own_program(build, name):
    """The path of a benchmark's native program in the build's folder. Raises Failed."""
    path = build.resolve() / "bench" / name
    if not path.exists():
        raise Failed(f"there is no {path}: build it with scripts/build")
    return path
