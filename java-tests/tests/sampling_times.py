"""Samples know when they were taken, so that a program's start and its load can be seen apart."""

import json
import re
import signal
import time

from iprofdev.processes import PATIENCE_S

from harness.sampling_case import ONLY_SAMPLES, SamplingCase

OPTIONS = f"{ONLY_SAMPLES},interval=5ms"


class SamplingTimes(SamplingCase):
    def weights(self, profile, *time):
        """The weight of the samples of a time with Start.begin and with Start.load on their stacks."""
        made = self.run_tool("top", "-n", "0", "--format", "json", *time, self.folder / profile)
        totals = {row["name"].split("(")[0]: row["total"] for row in json.loads(made.stdout)["rows"]}
        return [totals.get(f"sampling.Start.{method}", 0) for method in ("begin", "load")]

    def check_phases(self, profile, said):
        """The recording begins after the JVM, so that its seconds are at most the JVM's."""
        end = int(re.search(r"begun (\d+)", said).group(1)) // 1000 + 1
        seconds = [0, 1, *(step << power for power in range(12) for step in (2, 3))]
        periods = sorted(second for second in seconds if second > end)
        early, late = self.weights(profile, "--to", f"{end}s"), self.weights(profile, "--from", f"{periods[0]}s")
        begin, load = self.weights(profile)
        print(f"{self.jvm.id}: begin {begin}, load {load}, to {end} s {early}, from {periods[0]} s {late}")
        self.assertGreater(begin, 50)
        self.assertEqual((early[0], late[0]), (begin, 0))
        self.assertGreater(late[1], 50)
        self.assertLess(late[1], load)  # it began before

    def test_the_start_and_the_load_are_told_apart(self):
        for options in ("", "threads=y,"):
            run = self.run_java("sampling.Start", agent=f"out={self.folder}/a.iprof,{options}{OPTIONS}")
            self.check_phases("a.iprof", run.stdout)
        self.run_tool("check", self.folder / "a.iprof")

    def test_a_program_that_is_killed_keeps_the_times(self):
        process = self.start_java("sampling.Start", "on", agent=f"out={self.folder}/a.iprof,snapshot=1s,{OPTIONS}", ready="done")
        # A snapshot that began after the load had gone on for as long as the check needs.
        deadline = time.monotonic() + PATIENCE_S
        least = self.recovered_weights()[1] + 50
        while self.recovered_weights()[1] < least:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
        self.recovered_weights()
        self.check_phases("b.iprof", process.out_path.read_text())

    def recovered_weights(self):
        (self.folder / "b.iprof").unlink(missing_ok=True)
        run = self.run_tool("recover", self.folder / "a.iraw", "-o", self.folder / "b.iprof", expect=None)
        return self.weights("b.iprof") if run.code == 0 else (0, 0)
