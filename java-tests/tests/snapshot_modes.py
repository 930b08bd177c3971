"""Every way to record has a raw file: also where methods lose their probes, and of what HotSpot counts. What is recovered from it is what
the profile has that is made at the same moment. Kills at random moments are in snapshot_kills.py."""

import errno
import json
import os
import signal
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.scope import on_one_jvm
from harness.session_case import SessionCase
from harness.snapshot_case import PER_ROUND, ROUND, STEP, SnapshotCase, in_small_folder

TABLES = ("callCountProfiles", "conditionalProfiles", "virtualInvokeProfiles")
COUNTS = "count-until=1000000,samples=n,jdk=n"  # more than what runs, so that all counts are exact
MODES = (COUNTS, "mode=budget,jdk=n,samples=n", "source=both,include=HardEnds,samples=n")
RUN = "run 10000000"


def of_program(entries):
    return {context: counts for context, counts in entries.items() if context[0].startswith("Freezes")}


class Same(SessionCase):
    """A stop takes one more snapshot, and a dump after it has the same."""

    def begin(self, options):
        return self.start_java("Freezes", agent=f"out=end.iprof,image=n,snapshot=200ms,{options}")

    def work(self, process, times=1):
        for _ in range(times):
            before = process.out_path.read_text().count("done ")
            process.stdin.write(f"{RUN}\n".encode())
            process.stdin.flush()
            self.wait_until(lambda: process.out_path.read_text().count("done ") > before, process)

    def wait_until(self, holds, process):
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            self.assertIsNone(process.poll(), process.err_path.read_text())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def stopped(self, process):
        """The profile that is recovered from the raw file of a stop, and that of a dump after it."""
        self.run_tool("stop", process.pid)
        (self.folder / "copy.iraw").write_bytes((self.folder / "end.iraw").read_bytes())
        self.run_tool("dump", process.pid, "-o", self.folder / "dump.iprof")
        said = self.run_tool("recover", self.folder / "copy.iraw", "-o", self.folder / "recovered.iprof").stdout
        self.assertNotIn("lost:", said)
        self.run_tool("check", self.folder / "recovered.iprof")
        process.communicate(b"x\n", timeout=PATIENCE_S)
        return self.profile("recovered.iprof"), self.profile("dump.iprof")

    def test_methods_without_probes(self):
        process = self.begin("jdk=n,samples=n,count-until=100000,rearm=0")

        def is_frozen():
            self.work(process)
            return self.status(process)["frozen_methods"] >= 2
        self.wait_until(is_frozen, process)
        self.work(process, 3)
        recovered, dump = self.stopped(process)
        for table in TABLES:
            self.assert_same(dump.table(table), recovered.table(table), table)
        self.assertEqual(recovered.section["estimates"], dump.section["estimates"])
        self.assertGreater(max(dump.section["estimates"]["calls"].values()), 1_000_000)
        runs = [profile.section["provenance"]["runs"][0] for profile in (recovered, dump)]
        self.assertEqual(*(run["methods"] for run in runs))
        self.assertGreater(runs[0]["methods"]["unknown"], 0)

    def test_what_hotspot_counts(self):
        for options in ("source=methoddata,samples=n", "source=both,include=Freezes*,samples=n", "source=methoddata,samples=n,estimate=n"):
            with self.subTest(options=options):
                process = self.begin(options)
                self.work(process, 3)
                recovered, dump = self.stopped(process)
                for table in ("conditionalProfiles", "virtualInvokeProfiles"):
                    self.assert_same(of_program(dump.table(table)), of_program(recovered.table(table)), table)
                # What a command does makes the JVM work a little, and calls are estimated from all that runs.
                calls, expected = of_program(recovered.calls()), of_program(dump.calls())
                self.assertEqual(set(calls), set(expected))
                for context, count in expected.items():
                    self.assertAlmostEqual(calls[context], count, delta=0.02 * count + 2, msg=context)
                common = set(recovered.calls()) & set(dump.calls())
                self.assertGreater(len(common), 0.9 * len(dump.calls()))
                notes = [profile.section["harvest"] for profile in (recovered, dump)]
                for member in ("source", "estimator", "exact_classes", "type_width"):
                    self.assertEqual(*(note.get(member) for note in notes), member)
                for number in ("methods_with_data", "sites_left_out"):
                    self.assertAlmostEqual(*(note[number] for note in notes), delta=0.1 * notes[1][number] + 10, msg=number)
                runs = [profile.section["provenance"]["runs"][0] for profile in (recovered, dump)]
                self.assertEqual(runs[0]["source"], runs[1]["source"])
                self.assertEqual(runs[0]["tables"], runs[1]["tables"])
                self.assertEqual("methods" in runs[0], "methods" in runs[1])
                for name in ("end.iraw", "end.iprof", "recovered.iprof", "dump.iprof"):
                    (self.folder / name).unlink(missing_ok=True)


class Ends(SnapshotCase):
    jvm_defaults = ("-XX:TieredStopAtLevel=4",)  # HotSpot counts for its last compiler only

    def left(self):
        """What the JVM leaves."""
        return [name for name in self.files() if name != "some.iprof"]

    def test_kill(self):
        """The profile's own name stands for what is left of it."""
        for mode in MODES:
            with self.subTest(mode=mode):
                process = self.start(f"out=app.iprof,{mode}")
                self.rounds(process, 3)
                self.wait_for_rounds(process, 3)
                self.kill(process)
                self.assertEqual(self.files(".iraw"), ["app.iraw"])
                said = self.run_tool("recover", self.folder / "app.iprof", "-o", self.folder / "app.iprof").stdout
                self.assertRegex(said, r"app\.iraw: snapshot \d+ of 20\S+Z; its counts may be off in ")
                profile = self.profile("app.iprof")
                self.assertEqual((profile.calls_of(ROUND), profile.calls_of(STEP)), (3, 3 * PER_ROUND))
                self.assertEqual(profile.section["snapshot"]["at_rest"], 0)
                self.assertEqual("harvest" in profile.section, "both" in mode)
                for name in ("app.iprof", "app.iraw"):
                    (self.folder / name).unlink()

    def test_what_hotspot_counts(self):
        for mode in ("mode=methoddata", "source=methoddata,samples=n"):
            with self.subTest(mode=mode):
                process = self.start(f"out=app.iprof,{mode}")

                def has_steps():
                    self.rounds(process, 1)
                    (self.folder / "x").unlink(missing_ok=True)
                    run = self.run_tool("recover", self.folder / "app.iraw", "-o", self.folder / "x", expect=None)
                    return run.code == 0 and self.profile("x").calls_of(STEP) > 0
                self.wait_until(has_steps, process)
                self.kill(process)
                profile = self.recovered("app.iraw", out="x")
                self.assertIn("harvest", profile.section)
                self.assertEqual(profile.section["snapshot"]["without_harvest"], 0)
                self.assertEqual(profile.section["provenance"]["runs"][0]["source"], "methoddata")
                (self.folder / "app.iraw").unlink()

    def test_an_orderly_end_leaves_the_profile_only(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                process = self.start(f"out=app.iprof,{mode}")
                self.rounds(process, 2)
                self.wait_for_rounds(process, 2)
                process.send_signal(signal.SIGTERM)
                process.wait(PATIENCE_S)
                self.assertEqual(self.left(), ["app.iprof"])
                self.assertNotIn("snapshot", self.profile("app.iprof").section)
                self.assertEqual(self.warnings(process), [])
                (self.folder / "app.iprof").unlink()


@on_one_jvm
class Commands(SnapshotCase):
    def status(self, process):
        return json.loads(self.run_tool("status", process.pid, "--format", "json").stdout)["status"]

    def test_stop_start_and_reset(self):
        process = self.start(f"out=app.iprof,{COUNTS}")
        self.rounds(process, 2)
        self.run_tool("stop", process.pid)
        self.assertEqual(self.recovered("app.iraw").section["snapshot"]["at_rest"], 1)
        self.rounds(process, 1)  # not recorded
        self.run_tool("start", process.pid)
        self.rounds(process, 1)
        self.wait_for_rounds(process, 3)
        self.run_tool("reset", process.pid)
        self.assertEqual(self.recovered_rounds(), 0)
        self.rounds(process, 2)
        self.wait_for_rounds(process, 2)
        self.kill(process)
        self.assertEqual(self.files(".iraw"), ["app.iraw"])

    def test_a_late_attach(self):
        process = self.start(agent=None)
        self.rounds(process, 2)
        self.run_tool("attach", process.pid, f"out={self.folder}/app.iprof,snapshot=100ms,image=n,{COUNTS}")
        self.rounds(process, 3)
        self.wait_for_rounds(process, 3)
        self.kill(process)
        self.assertEqual(self.recovered_rounds(), 3)

    def test_a_program_that_is_killed_while_a_tool_records_it(self):
        process = self.start(agent=None)
        tool = subprocess.Popen([str(part) for part in (Settings.tool, "profile", process.pid, f"snapshot=100ms,image=n,{COUNTS}",
                                                        "-o", self.folder / "window.iprof")], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        self.addCleanup(tool.kill)
        self.addCleanup(tool.stdout.close)
        self.wait_until(lambda: self.run_tool("status", process.pid, "--format", "json", expect=None).code == 0
                        and self.status(process)["state"] == "recording", process)
        self.rounds(process, 2)
        now_ms = self.status(process)["now_ms"]
        self.wait_until(lambda: self.status(process)["snapshot_ms"] > now_ms, process)
        self.kill(process)
        said, _ = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual(tool.returncode, 0, said)
        self.assertRegex(said, r"has ended without writing its profile, which was recovered from its raw file: snapshot \d+ of ")
        self.assertEqual(self.profile("window.iprof").calls_of(ROUND), 2)
        self.assertEqual(self.files(), ["window.iprof"])

    def test_a_profile_is_nothing_to_recover(self):
        process = self.start()
        self.rounds(process, 1)
        self.end(process)
        run = self.run_tool("recover", self.folder / "app.iprof", "-o", self.folder / "x", expect=3)
        self.assertIn("app.iprof: is not a raw file of iprofagent", run.stderr)


@on_one_jvm
class Failures(SnapshotCase):
    """Where each snapshot reads the whole program again: what cannot be written, and what is not wanted."""
    agent = f"out=app.iprof,{COUNTS}"

    def status(self, process):
        return json.loads(self.run_tool("status", process.pid, "--format", "json").stdout)["status"]

    def failed(self, process):
        return sum(loss["count"] for loss in self.status(process)["raw_losses"] if "could not be written" in loss["what"])

    def left(self):
        return [name for name in self.files() if name != "some.iprof"]

    def test_a_full_disk_after_a_good_snapshot(self):
        """The last snapshot that had room stays, and later ones have room again."""
        prefix, place = in_small_folder(self)
        process = self.start(f"out=app.iprof,raw={place}/app.iraw,count-until=1000000,samples=n,include=HardEnds+java.text.*+java.util.concurrent.*",
                             prefix=prefix)
        inside = f"/proc/{process.pid}/root{place}"
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1, f"{inside}/app.iraw")
        filler = f"{inside}/filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError as full:
                self.assertEqual(full.errno, errno.ENOSPC)
        self.say(process, "more")  # new classes of the JDK take room in the file
        self.wait_until(lambda: self.failed(process) > 0, process)
        self.assertGreaterEqual(self.recovered_rounds(f"{inside}/app.iraw"), 1)
        os.unlink(filler)
        self.rounds(process, 1)
        self.wait_for_rounds(process, 2, f"{inside}/app.iraw")
        self.assertRegex(self.warnings(process)[0], "a snapshot could not be written: .*No space left on device; later ones are tried")
        self.assertEqual(len(self.warnings(process)), 1)
        self.end(process)
        self.assertEqual(self.profile("app.iprof").calls_of(ROUND), 2)

    def test_a_profile_that_cannot_be_written_at_the_end(self):
        """The raw file gets one more snapshot, although that is costly, and its name is said last."""
        process = self.start(f"out=gone/app.iprof,raw=app.iraw,{COUNTS},snapshot=1h")
        self.rounds(process, 2)
        for path in (self.folder / "gone").iterdir():
            path.unlink()
        (self.folder / "gone").rmdir()
        self.assertEqual(self.files(), [])
        lines = self.end(process)
        self.assertRegex(lines[-1], r"what was recorded is in the raw file; 'iprof recover \S*/app\.iraw -o FILE' makes the profile")
        self.assertEqual(self.recovered_rounds(), 2)

    def test_no_profile_is_wanted_at_the_end(self):
        process = self.start(f"doe=n,{self.agent}")
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1)
        self.end(process)
        self.assertEqual(self.left(), [])

    def test_a_stop_whose_profile_cannot_be_saved(self):
        """The stop takes no snapshot, because a profile follows. When the tool cannot write that, the agent takes one after all."""
        process = self.start(f"{self.agent},snapshot=1h")
        self.rounds(process, 2)
        self.assertEqual(self.left(), [])
        run = self.run_tool("stop", process.pid, "-o", "/dev/full", expect=None)
        self.assertNotEqual(run.code, 0)
        self.assertIn("No space left on device", run.stderr)
        self.wait_for_rounds(process, 2)
        self.assertEqual(self.status(process)["snapshots"], 1)
        self.end(process)
        self.assertEqual(self.left(), ["app.iprof"])
        self.assertEqual(self.profile("app.iprof").calls_of(ROUND), 2)
