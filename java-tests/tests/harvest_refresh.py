"""iprof refresh and iprof harvest --fresh: HotSpot counts the hot classes again, so that a harvest shows what a program does now and not
how it began."""

import json
import re
import signal
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.scope import on_one_jvm

STEP = "Phases.step(int, int)int"
SAID = r"HotSpot profiles ([\d,]+) class(?:es)? again, after ([\d,]+) pauses? \(\d+ ms in all, the longest \d+ ms\).*; [\d.]+ s"
DONE = re.compile(rf"process \d+: {SAID}\n")
BEFORE, AFTER = 90, 10  # percent
USAGE, UNSUPPORTED, IO = 2, 3, 4  # exit codes


class Refresh(AgentCase):
    def setUp(self):
        super().setUp()
        self.process = None

    def start(self, *program, agent=None, jvm_args=()):
        self.process = self.start_java(*(program or ("Phases",)), agent=agent, jvm_args=jvm_args, ready="started")

    def phase(self, percent, times=1):
        for _ in range(times):
            before = self.process.out_path.read_text().count("ready")
            self.process.stdin.write(f"{percent}\n".encode())
            self.process.stdin.flush()
            deadline = time.monotonic() + PATIENCE_S
            while self.process.out_path.read_text().count("ready") == before:
                self.assertIsNone(self.process.poll(), self.process.err_path.read_text())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)

    def end(self):
        self.process.communicate(timeout=PATIENCE_S)
        self.assertEqual(self.process.returncode, 0, self.process.err_path.read_text())

    def refresh(self, *options):
        run = self.run_tool("refresh", str(self.process.pid), *options)
        said = DONE.fullmatch(run.stdout)
        self.assertTrue(said, run)
        return tuple(int(number.replace(",", "")) for number in said.groups())

    def percent(self):
        """Of the branch, and of the receivers, as a harvest sees them."""
        self.run_tool("harvest", str(self.process.pid), "-o", self.folder / "h.iprof")
        return self.percent_in("h.iprof")

    def percent_in(self, name):
        profile = self.profile(name)
        branches = {key[0]: counts for key, counts in profile.branches().items() if key[0].startswith(f"{STEP}:")}
        first = branches[min(branches, key=lambda site: int(site.rpartition(":")[2]))]
        # `if (random < percent)` jumps over its body when it is false.
        body = min(first, key=lambda successor: successor[0])
        receivers = next(counts for key, counts in profile.table("virtualInvokeProfiles").items() if key[0].startswith(f"{STEP}:"))
        return (100 * first[body] / sum(first.values()),
                100 * receivers.get("Phases$Doubled", 0) / sum(receivers.values()))

    def assert_near(self, percent, what, shares=None):
        for share in shares or self.percent():
            self.assertAlmostEqual(share, percent, delta=8, msg=what)

    def tool_beside(self, *options):
        tool = subprocess.Popen([Settings.tool, "harvest", str(self.process.pid), "-o", self.folder / "fresh.iprof", *options],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)
        return tool

    def fresh(self, percent, *options):
        """What a --fresh harvest prints, while the program works with this percentage."""
        tool = self.tool_beside("--fresh", "2s", *options)
        while tool.poll() is None:
            self.phase(percent)
        said, complaints = tool.communicate()
        self.assertEqual((tool.returncode, complaints), (0, ""), said)
        return said

    def test_a_harvest_shows_the_present_phase(self):
        self.start()
        self.phase(BEFORE, 5)
        self.assert_near(BEFORE, "the first phase")
        self.phase(AFTER, 5)
        for share in self.percent():
            self.assertGreater(share, 50, "HotSpot counts no more; else this test shows nothing")
        for percent in (AFTER, BEFORE):  # a second time
            classes, pauses = self.refresh()
            self.assertGreaterEqual(classes, 1)
            self.assertGreaterEqual(pauses, 1)
            self.phase(percent, 5)
            self.assert_near(percent, "after a refresh")
        self.end()

    def test_a_fresh_harvest_shows_the_present_phase(self):
        self.start()
        self.phase(BEFORE, 5)
        self.phase(AFTER, 5)
        for share in self.percent():
            self.assertGreater(share, 50, "HotSpot counts no more; else this test shows nothing")
        said = self.fresh(AFTER)
        self.assertRegex(said, rf"\n{SAID}; harvested [\d.]+ s later\n")
        self.assertNotIn("changed while the program ran", said)
        self.assert_near(AFTER, "a fresh harvest", self.percent_in("fresh.iprof"))
        said = json.loads(self.fresh(BEFORE, "--attach", "--format", "json"))
        self.assertRegex(said["refreshed"], SAID)
        self.assertGreaterEqual(said["fresh_ms"], 2000)
        self.assert_near(BEFORE, "a second one, by the JVM itself", self.percent_in("fresh.iprof"))
        self.end()

    @on_one_jvm
    def test_a_fresh_harvest_with_samples(self):
        self.start()
        self.phase(BEFORE, 5)
        said = json.loads(self.fresh(AFTER, "--samples", "1s", "--format", "json"))
        self.assertGreater(said["samples"], 0)
        self.assert_near(AFTER, "counts from before the samples", self.percent_in("fresh.iprof"))
        self.end()

    @on_one_jvm
    def test_samples_that_are_refused_refresh_nothing(self):
        self.start(agent="out=x.iprof,start=n,samples=n")
        run = self.run_tool("harvest", str(self.process.pid), "-o", "fresh.iprof", "--fresh", "1h", "--samples", "1s", expect=None)
        self.assertEqual(run.code, 2, run)
        self.assertIn("would not record samples alone", run.stderr)
        self.assertFalse(self.is_counted_anew())
        self.end()

    def is_counted_anew(self):
        return json.loads(self.run_tool("harvest", str(self.process.pid), "--list", "--format", "json").stdout)["classes_redefined"] > 0

    def wait_for_refresh(self):
        deadline = time.monotonic() + PATIENCE_S
        while not self.is_counted_anew():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    @on_one_jvm
    def test_an_interrupt_ends_the_wait_and_an_end_of_the_program_leaves_nothing(self):
        self.start()
        self.phase(BEFORE, 5)
        tool = self.tool_beside("--fresh", "1h")
        self.wait_for_refresh()
        self.phase(AFTER, 5)
        time.sleep(0.5)
        tool.send_signal(signal.SIGINT)
        said, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual((tool.returncode, complaints), (0, ""), said)
        self.assert_near(AFTER, "until the interrupt", self.percent_in("fresh.iprof"))
        self.end()
        (self.folder / "fresh.iprof").unlink()
        self.start()
        self.phase(BEFORE, 5)
        tool = self.tool_beside("--fresh", "1h")
        self.wait_for_refresh()
        time.sleep(0.5)
        self.end()
        _, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual(tool.returncode, IO, complaints)
        self.assertEqual(complaints, f"iprof: error: process {self.process.pid} has ended before its fresh counters were harvested: nothing was written\n")
        self.assertFalse((self.folder / "fresh.iprof").exists())

    def test_lambdas_that_are_linked_again(self):
        """Their classes from before the refresh are still there, with their old counts."""
        for collector in ("Serial", "G1"):
            with self.subTest(collector):
                self.start("ManyLambdas", "phases", jvm_args=[f"-XX:+Use{collector}GC"])
                self.phase(95, 3)
                self.refresh()
                self.phase(5, 3)
                self.run_tool("harvest", str(self.process.pid), "-o", self.folder / "h.iprof")
                profile = self.profile("h.iprof")
                (receivers,) = (counts for key, counts in profile.receivers().items() if key[0].startswith("ManyLambdas.apply("))
                self.assertEqual(len(receivers), 2)
                self.assertAlmostEqual(min(receivers.values()) / sum(receivers.values()), 0.05, delta=0.03)
                first, second = (profile.calls_of(f"ManyLambdas.{name}") for name in ("first", "second"))
                self.assertAlmostEqual(first / (first + second), 0.05, delta=0.03)
                self.end()

    @on_one_jvm
    def test_beside_an_agent_that_does_not_count(self):
        self.start(agent="source=methoddata,samples=n,out=end.iprof")
        self.phase(BEFORE, 5)
        self.assertGreaterEqual(self.refresh("--share", "50%")[0], 1)
        self.phase(AFTER, 5)
        self.assert_near(AFTER, "after a refresh")
        self.end()
        self.assertTrue(self.profile("end.iprof").branches())

    def test_after_a_recording_that_was_stopped(self):
        self.start()
        self.phase(BEFORE, 5)
        window = ("profile", str(self.process.pid), "--duration", "50ms", "-o", self.folder / "window.iprof")
        self.run_tool(*window)
        self.phase(BEFORE, 5)
        if self.jvm.major >= 20:
            self.assertGreaterEqual(self.refresh("--share", "50%")[0], 1)
        else:
            refused = self.run_tool("refresh", str(self.process.pid), expect=4).stderr
            self.assertIn("the agent has counted in this JVM and was stopped: before JDK 20", refused)
            self.run_tool(*window)  # as the message says, by a start and a stop
        self.phase(AFTER, 5)
        self.assert_near(AFTER, "after a refresh")
        self.run_tool("harvest", str(self.process.pid), "--attach", "-o", self.folder / "attached.iprof")
        self.assertTrue(self.profile("attached.iprof").branches())
        self.run_tool("start", str(self.process.pid))
        self.assertIn("the agent counts in this JVM itself", self.run_tool("refresh", str(self.process.pid), expect=4).stderr)
        self.end()

    @on_one_jvm
    def test_what_is_refused(self):
        self.start(agent="samples=n,jdk=n,out=end.iprof")
        refused = self.run_tool("refresh", str(self.process.pid), expect=4)
        self.assertIn("the agent counts in this JVM itself: 'iprof reset' lets its profile begin again", refused.stderr)
        self.assertIn("is more than 1 (100%)", self.run_tool("refresh", str(self.process.pid), "--share", "2", expect=2).stderr)
        fresh = ("harvest", str(self.process.pid), "--fresh", "1s")
        output = ("-o", self.folder / "fresh.iprof")
        self.assertIn("the agent counts in this JVM itself", self.run_tool(*fresh, *output, expect=UNSUPPORTED).stderr)
        for options in (["--list"], [*output, "--watch", "1s"]):
            self.assertIn("--fresh harvests once, and writes a profile: give -o FILE, and neither --list nor --watch",
                          self.run_tool(*fresh, *options, expect=USAGE).stderr)
        self.assertIn("a core file runs no more: no --fresh of it",
                      self.run_tool("harvest", "core.1", "--fresh", "1s", *output, expect=USAGE).stderr)
        self.assertFalse((self.folder / "fresh.iprof").exists())
        self.end()
        self.start(jvm_args=["-Xint"])
        self.assertIn("this JVM has no MethodData", self.run_tool("refresh", str(self.process.pid), expect=4).stderr)
        self.end()
