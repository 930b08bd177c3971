"""Harvests of real programs, at random moments of their start-up and right after sessions of the agent, also while other processes keep the
processors busy, so that compilers are late: none runs away. Each is compared with the calls of as many rounds of the program, by the agent's exact
counts.

scripts/test makes a few harvests of one program, scripts/proof a hundred of five. Both print the shares of the worst ones.
"""

import contextlib
import os
import pathlib
import random
import re
import subprocess
import sys
import time

from iprofdev import maven
from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.scope import in_proof
from soak.real_programs import FILES, PROGRAMS

PROGRAM_NAMES = ("rhino", "h2", "groovy", "saxon", "beanshell")
IN_PROOF = 100
BUSY_PROCESSES = 4
MOST = 2  # times the calls that were made: early in a run HotSpot has counted little, and estimates are rough
NO_PROFILE = 3  # nothing is counted
ROUNDS = 3
START_S = 3  # of the program's CPU time
SESSIONS_S = (1, 2)


@contextlib.contextmanager
def busy_processes(count):
    """So many processes that only use CPU time."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def cpu_s(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Repeated:
    """A program that runs again and again in one JVM."""

    def __init__(self, case, name):
        self._case = case
        (program,) = (one for one in PROGRAMS if one.name == name)
        work = case.folder / name
        work.mkdir(exist_ok=True)
        jars = [jar for pin in program.pins for jar in maven.jars([pin])]
        self._main = ["-cp", ":".join(map(str, (Settings.classes, *jars))), "Repeats"]
        self._arguments = [program.main, *(part.format(files=FILES, work=work) for part in program.arguments)]
        self._jvm_args = program.jvm_arguments
        self._first = self._exact(1)
        self._next = (self._exact(ROUNDS) - self._first) / (ROUNDS - 1)

    def _exact(self, rounds):
        self._case.run_java(self._main, rounds, *self._arguments, jvm_args=self._jvm_args,
                            agent=f"out=exact{rounds}.iprof,image=n,branches=n,receivers=n,monitors=n,samples=n")
        return self._case.calls_in(f"exact{rounds}.iprof")

    def start(self):
        return self._case.start_java(self._main, 0, *self._arguments, agent=None, jvm_args=self._jvm_args, ready=None)

    def calls(self, process):
        """At most so many until now."""
        return self._first + self._next * len(re.findall(r"^round \d+$", process.err_path.read_text(), re.M))


class Bounds(AgentCase):
    def setUp(self):
        super().setUp()
        self.seed = time.time_ns()
        self.random = random.Random(self.seed)

    def calls_in(self, name):
        return sum(self.profile(name).calls().values())

    def share(self, program, process):
        """Harvests: the calls, as a share of those that were made. None: HotSpot has counted nothing yet, or not since the session."""
        run = self.run_tool("harvest", str(process.pid), "-o", self.folder / "h.iprof", expect=None)
        if run.code != 0:
            self.assertEqual(run.code, NO_PROFILE, run)
            return None
        self.assertIsNone(process.poll(), process.err_path.read_text())
        return self.calls_in("h.iprof") / program.calls(process)

    def wait(self, process):
        """Until a random moment of its start-up."""
        moment, deadline = START_S * self.random.random(), time.monotonic() + PATIENCE_S
        while cpu_s(process) < moment:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    @staticmethod
    def end(process):
        process.kill()
        process.communicate(timeout=PATIENCE_S)

    def shares_at_start(self, program, count):
        """Each of a process of its own, at a random moment."""
        while count > 0:
            process = program.start()
            self.wait(process)
            share = self.share(program, process)
            self.end(process)
            if share is not None:
                count -= 1
                yield share

    def shares_after_sessions(self, program, count):
        """All of one process, in which HotSpot finds the agent's code replaced again and again."""
        process = program.start()
        self.wait(process)
        deadline = time.monotonic() + count * PATIENCE_S
        while count > 0:
            self.assertLess(time.monotonic(), deadline)
            self.run_tool("profile", str(process.pid), "--duration", f"{self.random.choice(SESSIONS_S)}s", "-o", self.folder / "session.iprof")
            share = self.share(program, process)
            if share is not None:
                count -= 1
                yield share
        self.end(process)

    def harvest_often(self, names, least, loads):
        """So many harvests in all, as many beside each number of busy processes, and half of them after sessions."""
        shares = []
        kinds = (self.shares_at_start, self.shares_after_sessions)
        each = -(-least // (len(names) * len(loads) * len(kinds)))
        for name in names:
            program = Repeated(self, name)
            for busy in loads:
                with busy_processes(busy):
                    for kind in kinds:
                        shares += [(share, f"{name}, {kind.__name__[7:].replace('_', ' ')}{', busy' if busy else ''}")
                                   for share in kind(program, each)]
        print(f"{self.jvm.id}: {len(shares)} harvests; the most calls, as shares of those that were made: " +
              ", ".join(f"{share:.2f} ({what})" for share, what in sorted(shares, reverse=True)[:4]), flush=True)
        self.assertGreaterEqual(len(shares), least)
        self.assertEqual([one for one in shares if one[0] > MOST], [], self.seed)

    def test_some_moments(self):
        self.harvest_often(PROGRAM_NAMES[:1], 4, [0])

    @in_proof
    def test_many_moments(self):
        self.harvest_often(PROGRAM_NAMES, IN_PROOF, [0, BUSY_PROCESSES])
