"""Harvests of real programs at random moments, also while other processes keep the processors busy, so that compilers are late: none
runs away. Each is compared with the calls of the whole run, by the agent's exact counts.

scripts/test makes a few harvests of one program, scripts/proof a hundred of five. Both print the shares of the worst ones.
"""

import contextlib
import random
import subprocess
import sys
import time

from iprofdev import maven
from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase
from harness.scope import in_proof
from soak.real_programs import FILES, PROGRAMS

PROGRAM_NAMES = ("rhino", "h2", "groovy", "antlr", "beanshell")
IN_PROOF = 100
BUSY_PROCESSES = 4
MOST = 2  # times the calls of the whole run: early in a run HotSpot has counted little, and estimates are rough
NO_PROFILE = (3, 4)  # the JVM has only just started, or has ended


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


class Bounds(AgentCase):
    def setUp(self):
        super().setUp()
        self.seed = time.time_ns()
        self.random = random.Random(self.seed)

    def command_of(self, name):
        """The class path with the main class, the arguments, and the JVM's arguments."""
        (program,) = (one for one in PROGRAMS if one.name == name)
        work = self.folder / name
        work.mkdir(exist_ok=True)
        jars = [jar for pin in program.pins for jar in maven.jars([pin])]
        arguments = [part.format(files=FILES, work=work) for part in program.arguments]
        return ["-cp", ":".join(map(str, jars)), program.main], arguments, program.jvm_arguments

    def whole_run(self, name):
        """Its calls by exact counts, and how many seconds it takes without the agent."""
        main, arguments, jvm_args = self.command_of(name)
        self.run_java(main, *arguments, agent=f"out={name}.iprof,image=n,branches=n,receivers=n,monitors=n,samples=n", jvm_args=jvm_args)
        began = time.monotonic()
        self.run_java(main, *arguments, agent=None, jvm_args=jvm_args)
        return sum(self.profile(f"{name}.iprof").calls().values()), time.monotonic() - began

    def harvested_calls(self, name, lasts):
        """Starts the program, and harvests it at a random moment. None: it had only just started, or had ended."""
        main, arguments, jvm_args = self.command_of(name)
        path = self.folder / "h.iprof"
        path.unlink(missing_ok=True)
        process = self.start_java(main, *arguments, agent=None, jvm_args=jvm_args, ready=None)
        try:
            time.sleep(self.random.random() * lasts / 2)
            run = self.run_tool("harvest", str(process.pid), "-o", path, expect=None)
        finally:
            process.kill()
            process.communicate(timeout=PATIENCE_S)
        if run.code != 0:
            self.assertIn(run.code, NO_PROFILE, run)
            self.assertFalse(path.exists())
            return None
        return sum(self.profile(path).calls().values())

    def harvest_often(self, names, least, loads):
        """Makes so many harvests in all, as many beside each number of busy processes."""
        shares, tried = [], 0
        each = -(-least // (len(loads) * len(names)))
        for name in names:
            calls, lasts = self.whole_run(name)
            for busy in loads:
                with busy_processes(busy):
                    made, deadline = 0, time.monotonic() + PATIENCE_S
                    while made < each:
                        self.assertLess(time.monotonic(), deadline)
                        tried += 1
                        got = self.harvested_calls(name, lasts * (1 + busy / 2))
                        if got is not None:
                            made += 1
                            shares.append((got / calls, name, bool(busy)))
        print(f"{self.jvm.id}: {len(shares)} harvests of {tried}; the most calls, as shares of a whole run: " +
              ", ".join(f"{share:.2f} ({name}{', busy' if busy else ''})"
                        for share, name, busy in sorted(shares, reverse=True)[:3]), flush=True)
        self.assertEqual([one for one in shares if one[0] > MOST], [], self.seed)

    def test_some_moments(self):
        self.harvest_often(PROGRAM_NAMES[:1], 4, [0])

    @in_proof
    def test_many_moments(self):
        self.harvest_often(PROGRAM_NAMES, IN_PROOF, [0, BUSY_PROCESSES])
