"""iprof harvest --samples: an agent that is loaded for a while records samples, and HotSpot's counters stay those of the program."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.harvestable import SkewedCase
from harness.scope import on_one_jvm

UNSUPPORTED, IO, USAGE = 3, 4, 2  # exit codes


class WithSamples(SkewedCase):
    HINT = ("no samples: an image build may do worse than with samples; add --samples 30s, start the program with mode=methoddata, "
            "or merge this profile with one of samples only (iprof merge)")
    COUNTS = ("callCountProfiles", "conditionalProfiles", "virtualInvokeProfiles")

    def finish(self, process):
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual((process.returncode, process.out_path.read_text()), (0, "ready\ndone\n"))

    def status(self, process):
        """What the agent says; empty: there is none yet."""
        run = self.run_tool("status", str(process.pid), "--format", "json", expect=None)
        return json.loads(run.stdout)["status"] if run.code == 0 else {}

    def folder_of(self, tool):
        """The private folder that this running tool has open. Other programs have such folders, too."""
        found = []

        def look():
            with contextlib.suppress(OSError):
                for link in pathlib.Path(f"/proc/{tool.pid}/fd").iterdir():
                    found.extend(re.findall(r"^/tmp/\.iprof-[0-9a-f]+$", os.readlink(link)))
            return found

        self.wait_until(look)
        return pathlib.Path(found[0])

    def harvest_with_samples(self, process, name):
        """The profile, what the tool reports, and the folder that it had."""
        command = [Settings.tool, "harvest", str(process.pid), "-o", self.folder / name, "--format", "json", "--no-estimate", "--samples", "1s"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
            folder = self.folder_of(tool)
            said = tool.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(tool.returncode, 0)
        return self.profile(name), json.loads(said), folder

    def meetings(self, profile):
        """What HotSpot counted in the methods that do not run during the recording."""
        return {table: {context: counts for context, counts in profile.table(table).items() if context[0].startswith("Skewed.meet")}
                for table in self.COUNTS}

    def test_samples_join_the_counts_which_stay_those_of_hotspot(self):
        process = self.start("busy")
        before, _ = self.harvest(process, "--no-estimate")
        for run in range(2):  # the second one finds the agent
            with self.subTest(run=run):
                harvested, said, folder = self.harvest_with_samples(process, f"{run}.iprof")
                self.assertEqual(self.meetings(harvested), self.meetings(before))
                self.assertTrue(all(self.meetings(before).values()), "it has calls, branches and receivers")
                self.assertGreater(said["samples"], 0)
                self.assertGreaterEqual(said["recorded_ms"], 1000)
                self.assertIn("Skewed.spin", " ".join(context[0] for context in harvested.table("samplingProfiles")))
                self.assertGreater(harvested.section["sampling"]["signals"], 0)
                (noted,) = harvested.section["provenance"]["runs"]
                self.assertEqual(noted["tables"], "calls+branches+receivers+instanceofs+samples")
                self.assertEqual(said["classes_redefined"], 0)
                status = self.status(process)
                self.assertEqual((status["state"], status["records"]), ("stopped", ["samples"]))
                self.assertFalse(folder.exists())
        self.finish(process)
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.i*")), ["0.iprof", "1.iprof", "harvest.iprof"])

    @on_one_jvm
    def test_it_says_what_a_harvest_without_samples_lacks(self):
        process = self.start("busy")
        path = self.folder / "x.iprof"
        self.assertEqual(self.run_tool("harvest", str(process.pid), "-o", path).stdout.splitlines().count(self.HINT), 1)
        run = self.run_tool("harvest", str(process.pid), "-o", "-")
        self.assertEqual(run.stderr.splitlines(), [f"iprof: warning: {self.HINT}"])
        said = self.run_tool("harvest", str(process.pid), "--samples", "1s", "-o", path).stdout
        self.assertNotIn("no samples", said)
        self.assertRegex(said, r"\n[\d,]+ samples? in [\d.]+ s\n")
        self.finish(process)

    @on_one_jvm
    def test_an_idle_program_is_harvested_all_the_same(self):
        process = self.start()
        said = self.run_tool("harvest", str(process.pid), "--samples", "300ms", "-o", self.folder / "x.iprof").stdout
        self.assertTrue(all(self.meetings(self.profile("x.iprof")).values()))
        self.assertRegex(said, r"\n(no samples: the program used too little CPU time in|[\d,]+ samples? in) ")
        self.finish(process)

    @on_one_jvm
    def test_the_jvm_can_read_its_own_counters_afterwards(self):
        process = self.start("busy")
        harvested, said = self.harvest(process, "--attach", "--samples", "1s")
        self.assertGreater(said["samples"], 0)
        self.assertTrue(all(self.meetings(harvested).values()))
        self.finish(process)

    def recording(self, process):
        """A tool that records samples of the program for an hour, and has begun."""
        tool = subprocess.Popen([Settings.tool, "harvest", str(process.pid), "-o", self.folder / "x.iprof", "--samples", "1h"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)
        self.wait_until(lambda: self.status(process).get("state") == "recording")
        return tool

    @on_one_jvm
    def test_an_interrupt_ends_the_recording_and_harvests(self):
        process = self.start("busy")
        tool = self.recording(process)
        time.sleep(0.5)
        tool.send_signal(signal.SIGINT)
        said, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual((tool.returncode, complaints), (0, ""), said)
        harvested = self.profile("x.iprof")
        self.assertTrue(all(self.meetings(harvested).values()))
        self.assertTrue(harvested.table("samplingProfiles"))
        self.finish(process)

    @on_one_jvm
    def test_if_the_program_ends_there_is_nothing_to_harvest(self):
        process = self.start("busy")
        tool = self.recording(process)
        folder = self.folder_of(tool)
        self.assertTrue(folder.exists())
        self.finish(process)
        _, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual(tool.returncode, IO, complaints)
        # The agent writes a profile at the end only if there are samples by then.
        self.assertRegex(complaints, rf"^iprof: error: process {process.pid} has ended during the recording"
                                     r"(, before its counters were harvested: nothing was written| without writing its profile, .*)\n$")
        self.assertFalse((self.folder / "x.iprof").exists())
        self.assertFalse(folder.exists())

    @on_one_jvm
    def test_a_jvm_that_refuses_and_an_agent_that_counts(self):
        process = self.start("busy", jvm_args=["-XX:+DisableAttachMechanism"])
        run = self.run_command([Settings.tool, "harvest", str(process.pid), "--samples", "1s", "-o", self.folder / "x.iprof"], expect=UNSUPPORTED)
        self.assertIn("DisableAttachMechanism", run.stderr)
        self.finish(process)
        process = self.start("busy")
        self.run_tool("profile", str(process.pid), "--duration", "100ms", "-o", self.folder / "p.iprof")
        run = self.run_command([Settings.tool, "harvest", str(process.pid), "--samples", "1s", "-o", self.folder / "x.iprof"], expect=USAGE)
        self.assertIn("the agent is loaded already, and would not record samples alone", run.stderr)
        self.assertFalse((self.folder / "x.iprof").exists())
        self.finish(process)
