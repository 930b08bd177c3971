"""Harvests at random moments: while a JVM starts, loads and unloads classes, redefines them, and compacts its heap, under each
collector. The tool never crashes or hangs, the program never notices, and every profile passes iprof check.

The only refusal allowed is that of a JVM that has just started, and then the same JVM must be harvested soon. Every other scenario
must be harvested each time.

scripts/test makes ten harvests on each JVM: two in each of five pairs of scenario and collector, so that four JVMs together have
all twenty pairs. scripts/proof makes at least 260 on each JVM, in all pairs, and prints a table.

Where the program ends during the harvest, there is a profile that passes the check, or one sentence and no file.
"""

import collections
import random
import re
import subprocess
import time
import zipfile

from iprofdev import jvms
from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.harvestable import STEPS
from harness.scope import in_proof

UNSUPPORTED, IO = 3, 4  # exit codes
SCENARIOS = ("start-up", "unload", "redefine", "compact")
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")
PAIRS = [(scenario, collector) for scenario in SCENARIOS for collector in COLLECTORS]
SHARE = 4  # JVMs
LONGEST_PAUSE_S = 0.4
IN_PROOF = 260
JUST_STARTED = re.compile(r"iprof: error: process \d+ ((?P<why>.*); it has run for \d+ s only: try again soon"
                          r"|is not a JVM, or has only just started: .*)")


class Moments(AgentCase):
    def setUp(self):
        super().setUp()
        self.seed = time.time_ns()
        self.random = random.Random(self.seed)
        self.jar = self.folder / "storm.jar"
        with zipfile.ZipFile(self.jar, "w") as made:
            made.writestr("META-INF/MANIFEST.MF",
                          "Premain-Class: Storm\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n")

    def pause(self):
        time.sleep(self.random.random() * LONGEST_PAUSE_S)

    def start(self, scenario, collector):
        options = [f"-XX:+Use{collector}GC", "-Xmx128m"]
        if scenario == "start-up":
            return self.start_java("Harvestable", STEPS, agent=None, jvm_args=options, ready=None)
        if scenario == "redefine":
            options += [f"-javaagent:{self.jar}", "-Xshare:auto"]
        return self.start_java("Storm", scenario, agent=None, jvm_args=options)

    def end(self, process):
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual((process.returncode, process.out_path.read_text()), (0, "ready\ndone\n"), process.err_path.read_text())
        warnings = [line for line in process.err_path.read_text().splitlines() if "warning" not in line.lower()]
        self.assertEqual(warnings, [])

    def harvest(self, process, refused):
        """Whether there is a profile; otherwise the reason is counted."""
        path = self.folder / "h.iprof"
        path.unlink(missing_ok=True)
        run = self.run_tool("harvest", str(process.pid), "-o", path, expect=None)
        if run.code == 0:
            self.run_tool("check", path)
            return True
        self.assertIn(run.code, (UNSUPPORTED, IO), run)
        self.assertFalse(path.exists())
        why = JUST_STARTED.fullmatch(run.stderr.strip())
        self.assertTrue(why, run)
        refused[re.sub(r"\d+", "N", why["why"] or "no libjvm.so")] += 1
        return False

    def pair(self, scenario, collector, harvests):
        """Makes so many profiles; returns how many harvests were refused, by reason."""
        refused, deadline = collections.Counter(), time.monotonic() + PATIENCE_S
        process = None
        for _ in range(harvests):
            if process is None or scenario == "start-up":
                process = self.start(scenario, collector)
            self.pause()
            while not self.harvest(process, refused):
                self.assertLess(time.monotonic(), deadline, refused)
            if scenario == "start-up":
                self.end(process)
        if scenario != "start-up":
            self.assertIsNone(process.poll(), process.err_path.read_text())
            self.end(process)
            self.assertEqual(refused, {}, "a program that has run for a while is not refused")
        return refused

    def run_pairs(self, pairs, least):
        """Prints the table."""
        each = -(-least // len(pairs))
        checked, all_refused = 0, 0
        print(f"\n| JVM | scenario | collector | harvests | refused | checked |\n{'| --- ' * 6}|")
        for scenario, collector in pairs:
            with self.subTest(scenario=scenario, collector=collector, seed=self.seed):
                refused = self.pair(scenario, collector, each)
                count, reasons = sum(refused.values()), "".join(f"; {n}: {why}" for why, n in refused.items())
                print(f"| {self.jvm.id} | {scenario} | {collector} | {each + count} | {count}{reasons} | {each} |", flush=True)
                checked, all_refused = checked + each, all_refused + count
        print(f"{self.jvm.id}: {checked + all_refused} harvests, {all_refused} refused, {checked} checked", flush=True)
        self.assertEqual(checked, each * len(pairs))

    def harvest_while_it_ends(self, kill):
        """What the tool said, or None if it wrote a profile. The whole harvest is the time in which the program ends."""
        process = self.start("unload", "Serial")
        path = self.folder / "h.iprof"
        path.unlink(missing_ok=True)
        started = time.monotonic()
        self.run_tool("harvest", str(process.pid), "-o", path)
        lasted = time.monotonic() - started
        path.unlink()
        tool = subprocess.Popen([Settings.tool, "harvest", str(process.pid), "-o", path], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            time.sleep(self.random.random() * lasted)
            if kill:
                process.kill()
            else:
                process.stdin.write(b"\n")
                process.stdin.flush()
            said = tool.communicate(timeout=PATIENCE_S)[1]
        finally:
            tool.kill()
            tool.wait()
        process.communicate(timeout=PATIENCE_S)
        if tool.returncode == 0:
            self.run_tool("check", path)
            return None
        self.assertIn(tool.returncode, (UNSUPPORTED, IO), said)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertFalse(path.exists())
        return re.sub(r"\d+", "N", said.strip())

    def run_ends(self, least):
        said = collections.Counter(self.harvest_while_it_ends(kill) for _ in range(least // 2) for kill in (False, True))
        print(f"{self.jvm.id}: the program ended during {said.total()} harvests; {said[None]} had their profile"
              + "".join(f"; {n}: {what}" for what, n in said.items() if what), flush=True)
        return said

    def test_the_program_ends_meanwhile(self):
        self.run_ends(4)

    @in_proof
    def test_the_program_ends_meanwhile_often(self):
        said = self.run_ends(100)
        self.assertGreater(said.total() - said[None], 10, "else nothing was tested")

    def available(self, pairs):
        there = {c for c in COLLECTORS if self.run_java("-version", agent=None, jvm_args=[f"-XX:+Use{c}GC"], expect=None).code == 0}
        return [pair for pair in pairs if pair[1] in there]

    def test_at_some_moments(self):
        ids = [jvm.id for jvm in jvms.all_jvms()]
        first = ids.index(self.jvm.id) % SHARE if self.jvm.id in ids else 0
        self.run_pairs(self.available(PAIRS[first::SHARE]), 10)

    @in_proof
    def test_at_many_moments(self):
        self.run_pairs(self.available(PAIRS), IN_PROOF)
