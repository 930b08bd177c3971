"""iprof harvest --watch: several harvests of one program become one profile, whichever of them ends first."""

import json
import pathlib
import re
import signal
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.harvestable import STEPS, TOLERANCE, HarvestCase, shares


class Watching(HarvestCase):
    def test_watching_does_not_count_twice_and_survives_the_end_of_the_program(self):
        process = self.start()
        for watch in ("1s", "4s", "16s", "64s"):  # on a busy machine one harvest takes seconds
            harvested, said = self.harvest(process, "--watch", watch, "--every", "200ms")
            if said["harvests"] > 1:
                break
        self.assertGreater(said["harvests"], 1)
        self.assertEqual(harvested.section["harvest"]["harvests"], said["harvests"])
        self.assertAlmostEqual(harvested.calls_of("Harvestable.step"), STEPS, delta=0.1 * STEPS)
        tool = subprocess.Popen([Settings.tool, "harvest", str(process.pid), "-o", self.folder / "watched.iprof", "--watch", "1h",
                                 "--every", "50ms", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(tool.stderr.close)
        self.addCleanup(tool.stdout.close)
        deadline = time.monotonic() + PATIENCE_S
        while not (self.folder / "watched.iprof").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.end(process)
        self.assertEqual(tool.wait(PATIENCE_S), 0)
        self.assertRegex(tool.stderr.read().decode(), "harvests? before")
        watched, said = self.profile("watched.iprof"), json.loads(tool.stdout.read())
        self.assertEqual((said["pid"], said["harvests"]), (process.pid, watched.section["harvest"]["harvests"]))
        self.assertAlmostEqual(watched.calls_of("Harvestable.step"), STEPS, delta=0.1 * STEPS)

    def test_watching_ends_with_the_program_or_an_interrupt_and_not_with_the_next_harvest(self):
        def holds_signals():
            blocked = re.search(r"^SigBlk:\t(\w+)$", pathlib.Path(f"/proc/{tool.pid}/status").read_text(), re.M)[1]
            return int(blocked, 16) >> (signal.SIGINT - 1) & 1
        for ending, output in ((None, "a.iprof"), (signal.SIGINT, "b.iprof"), (signal.SIGTERM, "-")):
            with self.subTest(ending=ending):
                process = self.start()
                tool = subprocess.Popen([Settings.tool, "harvest", str(process.pid), "-o", output, "--watch", "9h", "--every", "1h"],
                                        cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.addCleanup(tool.kill)
                self.wait_until(holds_signals)
                if output != "-":
                    self.wait_until((self.folder / output).exists)
                if ending:
                    tool.send_signal(ending)
                else:
                    self.end(process)
                written, said = tool.communicate(timeout=PATIENCE_S)
                self.assertEqual(tool.returncode, 0, said)
                section = json.loads(written)["iprofagent"] if output == "-" else self.profile(output).section
                self.assertEqual(section["harvest"]["harvests"], 1)
                self.assertEqual(b"holds the harvest before" in said, ending is None, said)
                if output != "-":
                    self.assertRegex(written, rb"^wrote .*iprof: ")
                if ending:
                    self.end(process)

    def test_watching_takes_the_time_that_it_was_given_and_harvests_at_its_end(self):
        process = self.start()
        for every, most in (([], 2), (["--every", "2s"], 3)):  # the usual minute is longer than the watch
            with self.subTest(every=every):
                begun = time.monotonic()
                watched, _ = self.harvest(process, "--watch", "3s", *every)
                self.assertGreaterEqual(time.monotonic() - begun, 3)
                harvests = watched.section["harvest"]["harvests"]
                self.assertGreaterEqual(harvests, 2)
                self.assertLessEqual(harvests, most)
        self.end(process)

    def test_watching_keeps_what_is_unloaded_meanwhile(self):
        process = self.start("Guests", STEPS)
        tool = subprocess.Popen([Settings.tool, "harvest", str(process.pid), "-o", self.folder / "watched.iprof", "--watch", "1h",
                                 "--every", "50ms"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)
        self.wait_until((self.folder / "watched.iprof").exists)
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.wait_until(lambda: "gone" in process.out_path.read_text())
        now, _ = self.harvest(process)
        self.assertEqual(now.calls_of("Guests$Visitor.applyAsInt"), 0)
        self.assertGreater(now.calls_of("Guests.meet"), 0)
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(tool.wait(PATIENCE_S), 0)
        watched = self.profile("watched.iprof")
        self.assertAlmostEqual(watched.calls_of("Guests$Visitor.applyAsInt"), STEPS, delta=0.1 * STEPS)
        (branch,) = (counts for context, counts in watched.branches().items() if context[0].startswith("Guests$Visitor."))
        self.assertAlmostEqual(min(shares(branch).values()), 0.25, delta=TOLERANCE)

    def test_watching_writes_one_profile_to_standard_output(self):
        process = self.start()
        for watch in ("1s", "4s", "16s", "64s"):  # on a busy machine one harvest takes seconds
            written = self.run_tool("harvest", str(process.pid), "-o", "-", "--watch", watch, "--every", "200ms").stdout
            harvests = json.loads(written)["iprofagent"]["harvest"]["harvests"]  # fails if there is more than one
            if harvests > 1:
                break
        self.assertGreater(harvests, 1)
        self.end(process)
