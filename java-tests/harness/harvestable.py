"""What the program Harvestable is known to do, and how tests harvest it, for those that read HotSpot's counters of it."""

import json
import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings

STEPS = 3000
SHAPE = "Harvestable.areaOf(Harvestable$Shape, int)int:2"
# HotSpot begins to count after some hundred calls, and loses some counts when it replaces code.
TOLERANCE = 0.03


def shares(counts):
    total = sum(counts.values())
    return {key: count / total for key, count in counts.items() if count}


class HarvestCase(AgentCase):
    def start(self, *arguments, **options):
        return self.start_java(*(arguments or ("Harvestable", STEPS)), agent=None, **options)

    def harvest(self, process, *options, name="harvest.iprof"):
        """The profile, and what the tool reports."""
        said = self.run_tool("harvest", str(process.pid), "-o", self.folder / name, "--format", "json", *options).stdout
        return self.profile(name), json.loads(said)

    def wait_until(self, holds):
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def refused(self, pid, expect, prefix=()):
        run = self.run_command([*prefix, Settings.tool, "harvest", str(pid), "-o", self.folder / "x.iprof"], expect=expect)
        (line,) = run.stderr.splitlines()
        self.assertFalse((self.folder / "x.iprof").exists())
        return line.removeprefix("iprof: error: ")

    def end(self, process):
        """The program goes on as if nothing had been."""
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        self.assertEqual(process.out_path.read_text(), "ready\ndone\n")
        self.assertEqual(process.err_path.read_text(), "")

    def assert_shares(self, expected, counts, what):
        actual = shares(counts)
        self.assertEqual(set(expected), set(actual), what)
        for key, share in expected.items():
            self.assertAlmostEqual(share, actual[key], delta=TOLERANCE, msg=f"{what}: {actual}")

    def exact(self):
        """The agent's counts of the same program."""
        self.run_java("Harvestable", STEPS, "end", agent="samples=n,instanceofs=y,format=1.1.0,out=exact.iprof")
        return self.profile("exact.iprof")


class SkewedCase(HarvestCase):
    def start(self, *arguments, jvm_args=(), **options):
        """The program waits for its compilers: on a busy machine, its loop would end before HotSpot counts receivers in it."""
        return super().start("Skewed", 100 * STEPS, *arguments, jvm_args=["-Xbatch", *jvm_args], **options)
