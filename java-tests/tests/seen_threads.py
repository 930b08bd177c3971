"""The program sees the same threads with and without the agent: in its thread groups, among all stacks, and through JMX."""

import re
import time

from iprofdev.processes import PATIENCE_S

from harness import control
from harness.session_case import SessionCase

COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")


class SeenThreads(SessionCase):
    def supported(self):
        return [flag for flag in (f"-XX:+Use{collector}GC" for collector in COLLECTORS) if self.jvm.accepts(flag)]

    def begin(self, agent, flags):
        return self.start_java("SeenThreads", agent=agent, jvm_args=flags)

    def looks(self, process):
        return [line for line in process.out_path.read_text().splitlines() if line.startswith("active ")]

    def look(self, process):
        """What it sees now."""
        before = len(self.looks(process))
        process.stdin.write(b"\n")
        process.stdin.flush()
        deadline = time.monotonic() + PATIENCE_S
        while len(self.looks(process)) == before:
            self.assertIsNone(process.poll(), process.err_path.read_text())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        # HotSpot starts this one when a tool attaches, as it does without us.
        return re.sub(r"Attach Listener, |managed \d+", "", self.looks(process)[-1])

    def first(self, agent, flags):
        process = self.begin(agent, flags)
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        return self.looks(process)[0]

    def test_from_the_start_on(self):
        flags = self.supported()
        self.assertIn("-XX:+UseSerialGC", flags)
        for flag in flags:
            with self.subTest(flag):
                alone = self.first(None, [flag])
                self.assertRegex(alone, r"^active 1 groups \[.*main.*\] stacks \[.*main.*\] managed ")
                for agent in ("out=x.iprof,samples=y", "out=x.iprof,start=n", "out=x.iprof,samples=y,calls=n,branches=n,receivers=n,monitors=n"):
                    self.assertEqual(self.first(agent, [flag]), alone, agent)

    def wait_for_commands(self, process):
        """The threads that run commands are seen while they do."""
        deadline = time.monotonic() + PATIENCE_S
        while "iprof-command" in control.threads_of(process.pid):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_while_it_is_recorded_and_afterwards(self):
        for flag in self.supported():
            with self.subTest(flag):
                process = self.begin(None, [flag])
                alone = self.look(process)
                self.command("attach", process, f"start=n,samples=y,out={self.folder}/{flag[5:]}.iprof")
                self.command("start", process)
                self.wait_for_commands(process)
                self.assertEqual(self.look(process), alone)
                self.command("stop", process, "-o", "y.iprof")
                self.wait_for_commands(process)
                self.assertEqual(self.look(process), alone)
