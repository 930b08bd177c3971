"""Partial profiles: where a raw file would lack something, the agent writes a whole profile every twelve times snapshot=. However a process
ends, the last one can be recovered, and a normal end leaves only the profile. Kills at random moments are in snapshot_kills.py."""

import errno
import json
import os
import pathlib
import resource
import signal
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.scope import on_one_jvm
from harness.snapshot_case import PER_ROUND, ROUND, STEP, SnapshotCase, in_small_folder

COUNTS = "count-until=1000000,samples=n,jdk=n"  # more than what runs, so that all counts are exact
PARTIAL = "app.iprof.partial"


class PartialCase(SnapshotCase):
    """The folder has no profile of a test's own, so that files() are the agent's."""
    agent_defaults = {"image": "n", "snapshot": "100ms"}

    def recovered_rounds(self, raw=PARTIAL):
        out = self.folder / "checked"
        out.unlink(missing_ok=True)
        if self.run_tool("recover", self.folder / raw, "-o", out, expect=None).code != 0:
            return 0
        profile = self.profile("checked")
        out.unlink()
        rounds = profile.calls_of(ROUND)
        self.assertEqual(profile.calls_of(STEP), PER_ROUND * rounds)
        return rounds

    def wait_for_rounds(self, process, count, raw=PARTIAL):
        self.wait_until(lambda: self.recovered_rounds(raw) == count, process, f"{raw} never had {count} rounds")

    def status(self, process):
        return json.loads(self.run_tool("status", process.pid, "--format", "json").stdout)["status"]

    def files(self, *suffixes):
        return super().files(*(suffixes or (".iprof", ".iraw", ".partial", ".tmp")))

    def begun(self, agent=f"out=app.iprof,{COUNTS}", rounds=3, raw=PARTIAL, **options):
        """A program whose partial profile has these rounds."""
        process = self.start(agent=agent, **options)
        self.rounds(process, rounds)
        self.wait_for_rounds(process, rounds, raw)
        return process


class Ends(PartialCase):
    def test_kill(self):
        """The profile's own name stands for what is left of it."""
        for mode in (COUNTS, "mode=budget,jdk=n"):
            with self.subTest(mode=mode):
                process = self.begun(f"out=app.iprof,{mode}")
                self.kill(process)
                self.assertEqual(self.files(), [PARTIAL])
                said = self.run_tool("recover", self.folder / "app.iprof", "-o", self.folder / "app.iprof").stdout
                self.assertRegex(said, r"app\.iprof\.partial: partial profile \d+ of 20\S+Z; its counts may be off in ")
                self.assertRegex(said, r"app\.iprof\.partial: [\d.]+ s recorded; what ran after the partial profile, \d+ s ago, is not in it")
                profile = self.profile("app.iprof")
                self.assertEqual((profile.calls_of(ROUND), profile.calls_of(STEP)), (3, 3 * PER_ROUND))
                note = profile.section["snapshot"]
                self.assertEqual((note["partial"], note["at_rest"], note["files"]), (1, 0, 1))
                (run,) = profile.section["provenance"]["runs"]
                self.assertEqual((run["end"], run["recorded_ms"]), (note["time"], note["recorded_ms"]))
                self.assertNotIn("largest_k", run["methods"])
                self.assertRegex(self.run_tool("show", self.folder / PARTIAL).stdout, r"\npartial: +partial profile \d+ of 20")
                for name in ("app.iprof", PARTIAL):
                    (self.folder / name).unlink()

    def test_what_hotspot_counts(self):
        for mode in ("mode=methoddata", "source=methoddata,samples=n"):
            with self.subTest(mode=mode):
                process = self.start(agent=f"out=app.iprof,{mode}", jvm_args=["-XX:TieredStopAtLevel=4"])

                def has_steps():
                    self.rounds(process, 1)
                    (self.folder / "x").unlink(missing_ok=True)
                    run = self.run_tool("recover", self.folder / "app.iprof", "-o", self.folder / "x", expect=None)
                    return run.code == 0 and self.profile("x").calls_of(STEP) > 0
                self.wait_until(has_steps, process)
                self.kill(process)
                profile = self.recovered(PARTIAL, out="x")
                self.assertIn("harvest", profile.section)
                self.assertEqual(profile.section["snapshot"]["without_harvest"], 0)
                self.assertEqual(profile.section["provenance"]["runs"][0]["source"], "methoddata")
                (self.folder / PARTIAL).unlink()

    def test_abort_and_a_crash(self):
        for how in ("abort", "crash"):
            with self.subTest(how=how):
                process = self.begun()
                self.say(process, how)
                self.assertNotEqual(process.wait(PATIENCE_S), 0)
                self.assertEqual(self.files(), [PARTIAL])
                self.assertEqual(self.recovered_rounds(), 3)
                (self.folder / PARTIAL).unlink()

    def test_a_normal_end_leaves_the_profile_only(self):
        process = self.begun()
        self.end(process)
        self.assertEqual(self.files(), ["app.iprof"])
        profile = self.profile("app.iprof")
        self.assertEqual(profile.calls_of(ROUND), 3)
        self.assertNotIn("snapshot", profile.section)
        self.assertEqual(self.warnings(process), [])

    def test_a_signal_that_ends_the_jvm(self):
        process = self.begun()
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
        self.assertEqual(self.files(), ["app.iprof"])

    def test_no_profile_is_wanted_at_the_end(self):
        self.end(self.begun(f"out=app.iprof,doe=n,{COUNTS}"))
        self.assertEqual(self.files(), [])

    def test_a_profile_that_cannot_be_written_at_the_end(self):
        out = self.folder / "place"
        out.mkdir()
        process = self.begun(f"out={out}/app.iprof,{COUNTS}", raw=f"place/{PARTIAL}")
        _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (32 << 10, hard))  # the log of the test is smaller
        self.say(process, "exit")
        process.wait(PATIENCE_S)
        self.assertEqual([path.name for path in out.iterdir()], [PARTIAL])
        self.assertRegex(self.agent_lines(process.err_path.read_text())[-1],
                         r"what was recorded up to the last partial profile is in that; 'iprof recover \S*/place/app\.iprof\.partial -o FILE'")
        self.assertEqual(self.recovered_rounds(f"place/{PARTIAL}"), 3)


@on_one_jvm
class Names(PartialCase):
    def test_what_a_killed_jvm_left_stays(self):
        self.kill(self.begun(rounds=3))
        process = self.begun(rounds=2, raw="app.iprof.1.partial")
        self.assertRegex(process.err_path.read_text(), rf"the partial profile is '\S*/app\.iprof\.1\.partial', because '\S*/{PARTIAL}' "
                                                       r"belongs to a JVM that was killed \('iprof recover' makes its profile\)")
        self.kill(process)
        self.assertEqual(self.files(), ["app.iprof.1.partial", PARTIAL])
        profile = self.recovered(self.folder / PARTIAL, self.folder / "app.iprof.1.partial", out="all")
        self.assertEqual(profile.calls_of(ROUND), 5)
        self.assertEqual(len(profile.section["provenance"]["runs"]), 2)
        # A run that ends well removes only its own.
        self.end(self.begun(rounds=1, raw="app.iprof.2.partial"))
        self.assertEqual(self.files(), ["app.iprof", "app.iprof.1.partial", PARTIAL])

    def test_two_jvms_with_one_name(self):
        first = self.begun(rounds=1)
        second = self.begun(rounds=2, raw="app.1.iprof.partial")
        self.kill(second)
        self.end(first)
        self.assertEqual(self.files(), ["app.1.iprof.partial", "app.iprof"])
        self.assertEqual(self.recovered_rounds("app.1.iprof.partial"), 2)

    def test_merge_and_patterns(self):
        """Beside the file that the JVM writes itself, not beside the shared one; and compressed as that is."""
        agent = f"out=all.%p.iprof.gz,merge=y,{COUNTS}"
        process = self.start(agent=agent)
        name = f"all.{process.pid}.1.iprof.gz.partial"
        self.rounds(process, 2)
        self.wait_for_rounds(process, 2, name)
        self.assertEqual((self.folder / name).read_bytes()[:2], b"\x1f\x8b")
        self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o600)
        self.end(process)
        self.assertEqual(self.files(".iprof", ".gz", ".partial"), [f"all.{process.pid}.iprof.gz"])

    def test_other_files_of_its_name(self):
        os.mkfifo(self.folder / PARTIAL)
        (self.folder / "app.iprof.1.partial").mkdir()
        process = self.begun(raw="app.iprof.2.partial")
        self.end(process)
        self.assertEqual(self.files(), ["app.iprof", "app.iprof.1.partial", PARTIAL])

    def test_a_profile_is_nothing_to_recover(self):
        self.end(self.begun())
        run = self.run_tool("recover", self.folder / "app.iprof", "-o", self.folder / "x", expect=3)
        self.assertIn("app.iprof: is not a raw file of iprofagent, and no partial profile either", run.stderr)

    def test_a_newer_profile_is_not_replaced(self):
        process = self.begun(rounds=1)
        kept = (self.folder / PARTIAL).read_bytes()
        self.rounds(process, 1)
        self.run_tool("dump", process.pid)
        (self.folder / "old.partial").write_bytes(kept)
        run = self.run_tool("recover", self.folder / "old.partial", "-o", self.folder / "app.iprof", expect=None)
        self.kill(process)
        run = self.run_tool("recover", self.folder / "old.partial", "-o", self.folder / "app.iprof", expect=None)
        self.assertNotEqual(run.code, 0)
        self.assertIn("is of the same run as", run.stderr)
        self.assertIn("and is newer, so it is not replaced", run.stderr)
        self.assertEqual(self.profile("app.iprof").calls_of(ROUND), 2)

    def test_copies(self):
        self.kill(self.begun())
        (self.folder / "copy.partial").write_bytes((self.folder / PARTIAL).read_bytes())
        run = self.run_tool("recover", self.folder / PARTIAL, self.folder / "copy.partial", "-o", self.folder / "x")
        self.assertEqual(run.stderr, f"iprof: warning: {self.folder / 'copy.partial'} is left out: {self.folder / PARTIAL} is of the same run\n")


class Commands(PartialCase):
    def test_stop_start_dump_and_reset(self):
        process = self.begun(rounds=1)
        self.run_tool("dump", process.pid, "-o", self.folder / "dump")
        self.assertNotIn("snapshot", self.profile("dump").section)
        self.assertEqual(self.files(), [PARTIAL])  # the recording goes on
        self.rounds(process, 1)
        self.run_tool("stop", process.pid)
        # At rest: the frames are known, and the counts as exact as at the end.
        section = self.recovered(PARTIAL, out="stopped").section
        self.assertEqual(section["snapshot"]["at_rest"], 1)
        self.assertEqual(self.recovered_rounds(), 2)
        self.rounds(process, 1)  # not recorded
        self.run_tool("start", process.pid)
        self.rounds(process, 1)
        self.wait_until(lambda: self.recovered_rounds() == 3, process)
        self.run_tool("stop", process.pid, "-o", self.folder / "saved")
        self.assertEqual(self.files(), [])  # all that was recorded is in a profile
        self.run_tool("start", process.pid)
        self.rounds(process, 1)
        self.wait_for_rounds(process, 4)
        self.run_tool("reset", process.pid)
        self.assertEqual(self.recovered_rounds(), 0)
        self.rounds(process, 2)
        self.wait_for_rounds(process, 2)
        self.kill(process)
        self.assertEqual(self.files(), [PARTIAL])

    def test_a_stop_whose_profile_cannot_be_saved(self):
        process = self.begun(rounds=1)
        self.rounds(process, 1)
        run = self.run_tool("stop", process.pid, "-o", "/dev/full", expect=None)
        self.assertNotEqual(run.code, 0)
        self.assertIn(self.recovered_rounds(), (1, 2))  # it stays, but for the last moments
        self.end(process)
        self.assertEqual(self.files(), ["app.iprof"])
        self.assertEqual(self.profile("app.iprof").calls_of(ROUND), 2)

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
        self.assertRegex(said, r"has ended without writing its profile, which was recovered from its partial profile: partial profile \d+ of ")
        self.assertEqual(self.profile("window.iprof").calls_of(ROUND), 2)
        self.assertEqual(self.files(), ["window.iprof"])

    def test_status(self):
        process = self.begun(f"out=app.iprof,verbose=1,{COUNTS}")
        status = self.status(process)
        self.assertEqual((status["raw"], status["no_raw"]), (str((self.folder / PARTIAL).resolve()), ""))
        self.assertEqual(status["raw_bytes"], (self.folder / PARTIAL).stat().st_size)
        self.assertGreater(status["snapshot_cpu_us"], 0)
        self.assertRegex(self.run_tool("status", process.pid).stdout,
                         rf"\n  partial     .*/{PARTIAL}, .* MiB, \d+ snapshots?, the last one .* s ago\n")
        self.assertIn("iprof-snapshot", self.threads(process))
        said = "\n".join(self.end(process))
        self.assertIn("there is a partial profile instead of a raw file: a raw file would lack the estimates of count-until=", said)

    @on_one_jvm
    def test_nothing_new_is_not_written_again(self):
        """Between its rounds the program does nothing, and the JDK is not counted. The file is as good as new all the same."""
        process = self.begun()
        before, file = self.status(process), (self.folder / PARTIAL).stat()
        self.wait_until(lambda: self.status(process)["snapshot_ms"] > before["snapshot_ms"] + 2 * 1200, process)
        after, same = self.status(process), (self.folder / PARTIAL).stat()
        self.assertEqual((after["snapshots"], same.st_ino, same.st_mtime_ns), (before["snapshots"], file.st_ino, file.st_mtime_ns))
        self.rounds(process, 1)
        self.wait_for_rounds(process, 4)


@on_one_jvm
class Failures(PartialCase):
    def failed(self, process):
        return sum(loss["count"] for loss in self.status(process)["raw_losses"] if "could not be written" in loss["what"])

    def test_a_full_disk(self):
        prefix, place = in_small_folder(self)
        process = self.start(agent=f"out={place}/app.iprof,{COUNTS}", prefix=prefix)
        inside = pathlib.Path(f"/proc/{process.pid}/root{place}")
        self.rounds(process, 1)
        self.wait_until(lambda: self.status(process)["snapshots"] > 0, process)
        kept = (inside / PARTIAL).read_bytes()
        filler = inside / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError as full:
                self.assertEqual(full.errno, errno.ENOSPC)
        self.rounds(process, 1)
        self.wait_until(lambda: self.failed(process) > 1, process)
        self.assertEqual((inside / PARTIAL).read_bytes(), kept)  # the last one that had room
        before = self.status(process)["snapshots"]
        filler.unlink()
        self.wait_until(lambda: self.status(process)["snapshots"] > before, process)
        (warning,) = [line for line in self.agent_lines(process.err_path.read_text()) if "could not be written" in line]
        self.assertRegex(warning, "a partial profile could not be written: .*No space left on device; later ones are tried without a word")
        self.assertEqual(sorted(os.listdir(inside)), [".app.iprof.lock", PARTIAL])
        (self.folder / "found").write_bytes((inside / PARTIAL).read_bytes())
        self.assertEqual(self.recovered_rounds("found"), 2)
        self.end(process)

    def test_what_a_kill_during_the_writing_leaves_is_removed_later(self):
        self.kill(self.begun(rounds=1))
        torn = self.folder / f".{PARTIAL}.4711.1.tmp"
        torn.write_bytes(b"{")
        an_hour_ago = time.time() - 3600
        os.utime(torn, (an_hour_ago, an_hour_ago))
        self.begun(rounds=2, raw="app.iprof.1.partial")
        self.assertFalse(torn.exists())
        self.assertEqual(self.recovered_rounds(), 1)


@on_one_jvm
class NoFile(PartialCase):
    def test_none_is_asked_for(self):
        process = self.start(agent=f"out=app.iprof,{COUNTS},snapshot=0")
        self.rounds(process, 1)
        status = self.status(process)
        self.assertEqual((status["no_raw"], status["raw"], status["snapshots"]), ("snapshot=0", "", 0))
        self.assertNotIn("iprof-snapshot", self.threads(process))
        self.end(process)

    def test_a_raw_file_of_the_samples_is_asked_for(self):
        process = self.start(agent="out=app.iprof,raw=app.iraw,source=methoddata", jvm_args=["-XX:TieredStopAtLevel=4"])
        self.wait_until((self.folder / "app.iraw").exists, process)
        self.end(process)
        self.assertEqual(self.files(), ["app.iprof"])
