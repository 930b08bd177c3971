"""The raw file: however a process ends, the last snapshot can be recovered, and a normal end leaves only the profile. Failures of the
file are in snapshot_failures.py."""

import collections
import datetime
import json
import os
import re
import signal
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, C1_ONLY, Settings
from harness.scope import on_one_jvm
from harness.snapshot_case import PER_ROUND, ROUND, STEP, SnapshotCase


class Ends(SnapshotCase):
    """Ends that the JVM does not see coming."""

    def check(self, end, jvm_args=(), agent="out=app.iprof", code=None):
        process = self.start(agent=agent, jvm_args=jvm_args)
        self.rounds(process, 3)
        self.wait_for_rounds(process, 3)
        end(process)
        status = process.wait(PATIENCE_S)
        if code is not None:
            self.assertEqual(status, code, process.err_path.read_text())
        self.assertNotEqual(status, 0)
        self.assertEqual(self.files(".iprof", ".iraw"), ["app.iraw", "some.iprof"])
        profile = self.recovered("app.iraw")
        self.assertEqual((profile.calls_of(ROUND), profile.calls_of(STEP)), (3, 3 * PER_ROUND))
        return profile

    def saying(self, line):
        return lambda process: self.say(process, line)

    def test_kill(self):
        profile = self.check(lambda process: process.kill(), code=-signal.SIGKILL)
        note = profile.section["snapshot"]
        self.assertEqual(note["files"], 1)
        self.assertGreater(note["generation"], 0)

    def test_abort(self):
        self.check(self.saying("abort"), code=-signal.SIGABRT)

    def test_a_crash_in_native_code(self):
        self.check(self.saying("crash"))

    def test_exit_in_native_code(self):
        self.check(self.saying("leave"), code=7)

    def test_exit_in_native_code_that_the_agent_sees(self):
        self.check(self.saying("quit"), code=8)
        (said,) = [path.read_text() for path in self.folder.glob("stderr.*")]
        self.assertRegex(self.agent_lines(said)[-1], r"what was recorded is in the raw file; 'iprof recover \S*/app\.iraw -o FILE' makes the profile")

    def test_exit_in_native_code_with_a_status_that_shows_the_loss(self):
        self.check(self.saying("quit"), agent="out=app.iprof,onwritefailure=exit", code=74)

    def test_an_exit_that_the_agent_does_not_see_keeps_its_status(self):
        self.check(self.saying("leave"), agent="out=app.iprof,onwritefailure=exit", code=7)

    @on_one_jvm
    def test_exit_in_native_code_when_the_profile_is_written_loses_nothing(self):
        process = self.start(agent="out=app.iprof,onwritefailure=exit")
        self.rounds(process, 3)
        self.run_tool("stop", process.pid)
        self.run_tool("dump", process.pid)
        self.say(process, "quit")
        self.assertEqual(process.wait(PATIENCE_S), 8, process.err_path.read_text())
        self.assertNotIn("no profile was written", process.err_path.read_text())
        self.assertEqual(self.profile("app.iprof").calls_of(ROUND), 3)
        self.assertEqual(self.files(), ["app.iprof"])

    def test_exit_on_out_of_memory(self):
        self.check(self.saying("memory"), ["-Xmx64m", "-XX:+ExitOnOutOfMemoryError"], code=3)

    def test_crash_on_out_of_memory(self):
        self.check(self.saying("memory"), ["-Xmx64m", "-XX:+CrashOnOutOfMemoryError"])

    def test_sigterm_that_the_jvm_does_not_handle(self):
        self.check(lambda process: process.terminate(), ["-Xrs"], code=-signal.SIGTERM)

    @on_one_jvm
    def test_direct_placement(self):
        self.check(lambda process: process.kill(), agent="out=app.iprof,placement=direct,stripes=2")

    @on_one_jvm
    def test_application_classes_only(self):
        self.check(lambda process: process.kill(), agent="out=app.iprof,jdk=n")


@on_one_jvm
class Files(SnapshotCase):
    def test_a_normal_end_leaves_only_the_profile(self):
        process = self.start()
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1)
        self.assertEqual(self.folder.joinpath("app.iraw").stat().st_mode & 0o777, 0o600)
        self.end(process)
        self.assertEqual(self.files(), ["app.iprof", "some.iprof"])
        self.assertEqual(self.profile("app.iprof").calls_of(ROUND), 1)

    def test_keep_raw(self):
        process = self.start("out=app.iprof.gz,keep-raw=y")
        self.wait_until((self.folder / "app.iraw").exists, process)
        self.rounds(process, 2)
        self.end(process)
        profile, kept = self.profile("app.iprof.gz"), self.recovered("app.iraw")
        for each in (profile, kept):
            self.assertEqual(each.calls_of(ROUND), 2)
        # They are equally new, so a merge takes the profile.
        ends = [each.section["provenance"]["runs"][0]["end"] for each in (profile, kept)]
        self.assertEqual(*ends)
        inputs = self.folder / "inputs"
        inputs.mkdir()
        for name in ("app.iprof.gz", "app.iraw"):
            (self.folder / name).rename(inputs / name)
        said = self.run_tool("merge", "--input-dir", inputs, "-o", "all.iprof").stderr
        self.assertEqual(said, f"iprof: warning: {inputs}/app.iraw is left out: {inputs}/app.iprof.gz is of the same run. Name it to merge both\n")
        self.assertEqual(self.profile("all.iprof").calls_of(ROUND), 2)
        # What it has is what the profile has, as far as it was not counted in between.
        steps = {context: counts for context, counts in profile.branches().items() if context[0].startswith("HardEnds.")}
        self.assert_same(steps, {context: counts for context, counts in kept.branches().items() if context[0].startswith("HardEnds.")})

    def test_a_better_profile_of_the_run_is_not_replaced(self):
        process = self.start("out=app.iprof,keep-raw=y")
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1)
        (self.folder / "old.iraw").write_bytes(self.folder.joinpath("app.iraw").read_bytes())
        self.recovered("old.iraw", out="again.iprof")
        self.run_tool("recover", "old.iraw", "-o", "again.iprof")  # the same once more
        self.rounds(process, 1)
        self.wait_for_rounds(process, 2)
        self.run_tool("recover", "app.iraw", "-o", "again.iprof")  # newer
        self.assertEqual(self.profile("again.iprof").calls_of(ROUND), 2)
        self.end(process)
        whole = self.folder.joinpath("app.iprof").read_bytes()
        for raw, output, why in (("old.iraw", "app.iprof", "is newer"), ("app.iraw", "app.iprof", "is as new"), ("old.iraw", "again.iprof", "is newer")):
            said = self.run_tool("recover", raw, "-o", output, expect=2).stderr
            self.assertEqual(said, f"iprof: error: {output} is of the same run as {raw} and {why}, so it is not replaced: "
                                   f"give the profile another name, or remove {output} first\n")
        self.assertEqual(self.folder.joinpath("app.iprof").read_bytes(), whole)
        # A merge has further runs. A profile of another run is replaced.
        other = self.start("out=other.iprof")
        self.rounds(other, 1)
        self.end(other)
        self.run_tool("merge", "old.iraw", "other.iprof", "-o", "both.iprof")
        self.assertIn("has further runs", self.run_tool("recover", "app.iraw", "-o", "both.iprof", expect=2).stderr)
        self.run_tool("recover", "app.iraw", "-o", "other.iprof")
        self.assertEqual(self.profile("other.iprof").calls_of(ROUND), 2)

    def test_a_short_program_makes_no_file(self):
        run = self.run_java("Fib", agent="out=app.iprof,snapshot=1h,keep-raw=y,verbose=3")
        self.assertEqual(self.files(), ["app.iprof"])
        self.assertNotIn("snapshot 1", run.stderr)

    def test_none_is_asked_for(self):
        process = self.start("out=app.iprof,snapshot=0")
        self.rounds(process, 1)
        self.assertNotIn("iprof-snapshot", self.threads(process))
        self.kill(process)
        self.assertEqual(self.files(), [])

    def test_a_place_of_its_own(self):
        process = self.start("out=app.iprof,raw=raws/%p.iraw")
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1, f"raws/{process.pid}.iraw")
        self.end(process)
        self.assertEqual(list((self.folder / "raws").iterdir()), [])

    def test_a_profile_that_goes_to_a_device_has_no_file_beside_it(self):
        process = self.start("out=/dev/null")
        self.rounds(process, 1)
        self.assertNotIn("iprof-snapshot", self.threads(process))
        self.end(process)

    def test_no_child_process_gets_the_file(self):
        process = self.start()
        raw = self.folder / "app.iraw"
        self.wait_until(raw.exists, process)
        found = 0
        for link in os.listdir(f"/proc/{process.pid}/fd"):
            if os.readlink(f"/proc/{process.pid}/fd/{link}") == str(raw.resolve()):
                flags = re.search(r"^flags:\s*(\d+)$", open(f"/proc/{process.pid}/fdinfo/{link}").read(), re.M)[1]
                self.assertTrue(int(flags, 8) & os.O_CLOEXEC)
                found += 1
        self.assertEqual(found, 1)
        self.end(process)

    def test_two_programs_with_one_name(self):
        first = self.start()
        self.rounds(first, 1)
        self.wait_for_rounds(first, 1)
        second = self.start()
        self.rounds(second, 2)
        self.wait_for_rounds(second, 2, "app.1.iraw")
        self.assertEqual(self.warnings(second), [])  # its profile has another name, and so has its raw file
        self.rounds(first, 2)
        self.wait_for_rounds(first, 3)
        self.kill(first)
        self.kill(second)
        both = self.recovered(self.folder / "app.iraw", self.folder / "app.1.iraw")
        self.assertEqual((both.calls_of(ROUND), both.calls_of(STEP)), (5, 5 * PER_ROUND))

    def test_what_a_killed_program_left_is_not_touched(self):
        killed = self.start()
        self.rounds(killed, 2)
        self.wait_for_rounds(killed, 2)
        self.kill(killed)
        left = self.folder.joinpath("app.iraw").read_bytes()
        again = self.start()
        self.rounds(again, 1)
        self.wait_for_rounds(again, 1, "app.1.iraw")
        (warning,) = self.warnings(again)
        self.assertRegex(warning, r"the raw file is '.*/app\.1\.iraw', because '.*/app\.iraw' belongs to another JVM, or to one that was killed")
        self.end(again)
        self.assertEqual(self.files(), ["app.iprof", "app.iraw", "some.iprof"])
        self.assertEqual(self.folder.joinpath("app.iraw").read_bytes(), left)
        self.assertEqual(self.profile("app.iprof").calls_of(ROUND), 1)
        self.assertEqual(self.recovered_rounds(), 2)

    def test_a_crash_loop_with_a_dump_before_the_kill(self):
        """The raw file beside the profile is of the run before, and each run counts once."""
        killed = self.start()
        self.rounds(killed, 2)
        self.wait_for_rounds(killed, 2)
        self.kill(killed)
        again = self.start()
        self.rounds(again, 3)
        self.wait_for_rounds(again, 3, "app.1.iraw")
        self.run_tool("dump", again.pid)
        self.rounds(again, 1)
        self.wait_for_rounds(again, 4, "app.1.iraw")
        self.kill(again)
        inputs = self.folder / "inputs"
        inputs.mkdir()
        for name in ("app.iprof", "app.iraw", "app.1.iraw"):
            (self.folder / name).rename(inputs / name)
        said = self.run_tool("merge", "--input-dir", inputs, "-o", "all.iprof").stderr
        self.assertEqual(said, f"iprof: warning: {inputs}/app.iprof is left out: {inputs}/app.1.iraw is of the same run, and newer. "
                               "Name it to merge both\n")
        self.assertEqual(self.profile("all.iprof").calls_of(ROUND), 6)
        said = self.run_tool("merge", inputs / "app.1.iraw", inputs / "app.iprof", "-o", "twice.iprof").stderr
        self.assertRegex(said, f"^iprof: warning: {inputs}/app.1.iraw and {inputs}/app.iprof are of the same run "
                               r"\(HardEnds of 20[-\d]+ [:\d]+ UTC\), which is counted twice\n$")

    def test_a_crash_loop_of_two_programs_with_one_name(self):
        """The second one's profile has a number, and its raw file has two. Each run counts once."""
        killed = self.start()
        self.rounds(killed, 1)
        self.wait_for_rounds(killed, 1)
        self.kill(killed)
        first = self.start()
        self.rounds(first, 2)
        self.wait_for_rounds(first, 2, "app.1.iraw")
        second = self.start()
        self.rounds(second, 3)
        self.wait_for_rounds(second, 3, "app.1.1.iraw")
        self.run_tool("dump", second.pid)
        self.rounds(second, 1)
        self.wait_for_rounds(second, 4, "app.1.1.iraw")
        self.kill(first)
        self.kill(second)
        inputs = self.folder / "inputs"
        inputs.mkdir()
        for name in ("app.1.iprof", "app.iraw", "app.1.iraw", "app.1.1.iraw"):
            (self.folder / name).rename(inputs / name)
        said = self.run_tool("merge", "--input-dir", inputs, "-o", "all.iprof").stderr
        self.assertEqual(said, f"iprof: warning: {inputs}/app.1.iprof is left out: {inputs}/app.1.1.iraw is of the same run, and newer. "
                               "Name it to merge both\n")
        self.assertEqual(self.profile("all.iprof").calls_of(ROUND), 7)

    def test_no_profile_can_be_written_at_the_end(self):
        process = self.start("out=gone/app.iprof,raw=app.iraw")
        self.rounds(process, 2)
        for path in (self.folder / "gone").iterdir():
            path.unlink()
        (self.folder / "gone").rmdir()
        lines = self.end(process)
        self.assertTrue(any("no profile was written" in line for line in lines), lines)
        self.assertRegex(lines[-1], r"what was recorded is in the raw file; 'iprof recover \S*/app\.iraw -o FILE' makes the profile")
        self.assertEqual(self.recovered_rounds(), 2)

    def test_no_profile_is_wanted_at_the_end(self):
        process = self.start("out=app.iprof,doe=n")
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1)
        self.end(process)
        self.assertEqual(self.files(), ["some.iprof"])


class Sessions(SnapshotCase):
    def command(self, verb, process, *args):
        return self.run_tool(verb, process.pid, *args)

    def test_stop_start_reset_and_dump(self):
        process = self.start()
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1)
        self.assertIn("iprof-snapshot", self.threads(process))
        self.rounds(process, 1)
        self.command("stop", process)
        # At once: the stop takes a snapshot.
        self.assertEqual(self.recovered_rounds(), 2)
        self.assertTrue(self.profile("some.iprof").section["snapshot"]["at_rest"])
        self.assertNotIn("iprof-snapshot", self.threads(process))
        self.rounds(process, 3)
        self.assertEqual(self.recovered_rounds(), 2)
        self.command("start", process)
        self.rounds(process, 1)
        self.wait_for_rounds(process, 3)
        self.command("reset", process)
        self.assertEqual(self.recovered_rounds(), 0)
        self.rounds(process, 2)
        self.wait_for_rounds(process, 2)
        self.command("dump", process, "-o", self.folder / "dump.iprof")
        self.assertIn("app.iraw", self.files())  # the recording goes on
        self.assertEqual(self.profile("dump.iprof").calls_of(ROUND), 2)
        self.command("stop", process, "-o", self.folder / "stop.iprof")
        self.assertEqual(self.files(".iraw"), [])  # all that was recorded is in a profile
        self.command("start", process)
        self.rounds(process, 1)
        self.wait_for_rounds(process, 3)
        self.kill(process)
        self.assertEqual(self.recovered("app.iraw").calls_of(STEP), 3 * PER_ROUND)

    @on_one_jvm
    def test_all_files_of_a_run_have_its_identity(self):
        """Of a folder with all of them, each run counts once."""
        inputs = self.folder / "inputs"
        inputs.mkdir()

        def run_of(name):
            (run,) = self.profile(name).section["provenance"]["runs"]
            return run["run"]

        process = self.start("out=app.iprof,keep-raw=y")
        self.rounds(process, 1)
        self.command("dump", process, "-o", inputs / "first.iprof")
        self.rounds(process, 1)
        self.command("stop", process, "-o", inputs / "second.iprof")
        (inputs / "before.iraw").write_bytes(self.folder.joinpath("app.iraw").read_bytes())
        self.command("start", process)
        self.rounds(process, 1)
        self.command("dump", process, "-o", inputs / "third.iprof")
        before = run_of(inputs / "third.iprof")
        for name in ("first.iprof", "second.iprof"):
            self.assertEqual(run_of(inputs / name), before)
        self.recovered(inputs / "before.iraw")
        self.assertEqual(run_of("recovered.iprof"), before)
        self.command("reset", process)
        self.rounds(process, 5)
        self.wait_for_rounds(process, 5)
        self.kill(process)
        (self.folder / "app.iraw").rename(inputs / "app.iraw")
        self.recovered(inputs / "app.iraw")
        self.assertNotEqual(run_of("recovered.iprof"), before)
        said = self.run_tool("merge", "--input-dir", inputs, "-o", "all.iprof").stderr
        for name in ("before.iraw", "first.iprof", "second.iprof"):
            self.assertIn(f"{name} is left out: {inputs}/third.iprof is of the same run, and newer", said)
        self.assertEqual((said.count("\n"), self.profile("all.iprof").calls_of(ROUND)), (3, 3 + 5))

    @on_one_jvm
    def test_raw_files_have_the_identity_of_their_run_without_provenance(self):
        """A copy from before a reset counts something else."""
        process = self.start("out=app.iprof,provenance=n")
        inputs = self.folder / "inputs"
        inputs.mkdir()
        for rounds, names in ((1, ("a", "b")), (2, ("c",))):
            self.rounds(process, rounds)
            self.wait_for_rounds(process, rounds)
            for name in names:
                (inputs / f"{name}.iraw").write_bytes(self.folder.joinpath("app.iraw").read_bytes())
            self.command("reset", process)
        self.kill(process)
        said = self.run_tool("merge", "--input-dir", inputs, "-o", "all.iprof").stderr
        self.assertRegex(said, r"^iprof: warning: .*/(a|b)\.iraw is left out: .*/(b|a)\.iraw is of the same run.*\n$")
        self.assertEqual(self.profile("all.iprof").calls_of(ROUND), 1 + 2)
        self.assertNotIn("provenance", self.profile("all.iprof").section)
        recovered = self.recovered(*(inputs / f"{name}.iraw" for name in "abc"))
        self.assertEqual(recovered.calls_of(ROUND), 1 + 2)

    @on_one_jvm
    def test_a_pause_is_not_recorded(self):
        process = self.start()
        self.rounds(process, 1)
        self.command("stop", process)
        paused = time.monotonic()
        time.sleep(1)
        pause_ms = (time.monotonic() - paused) * 1000
        self.command("start", process)
        self.rounds(process, 1)
        self.wait_for_rounds(process, 2)
        self.kill(process)
        section = self.recovered("app.iraw").section
        (run,) = section["provenance"]["runs"]
        self.assertEqual(section["snapshot"]["recorded_ms"], run["recorded_ms"])
        start, end = (datetime.datetime.fromisoformat(run[name].replace("Z", "+00:00")) for name in ("start", "end"))
        self.assertLess(run["recorded_ms"], (end - start).total_seconds() * 1000 - pause_ms + 100)
        self.assertEqual(self.run_tool("show", self.folder / "recovered.iprof").stdout.count(" s recorded"), 1)

    def test_status(self):
        process = self.start()
        self.rounds(process, 1)
        self.wait_for_rounds(process, 1)
        status = json.loads(self.command("status", process, "--format", "json").stdout)["status"]
        raw = self.folder / "app.iraw"
        self.assertEqual(status["raw"], str(raw.resolve()))
        self.assertGreater(status["snapshots"], 0)
        self.assertGreater(status["raw_bytes"], 0)
        self.assertLessEqual(status["snapshot_ms"], status["now_ms"])
        self.assertGreater(status["snapshot_cpu_us"], 0)
        self.assertRegex(" ".join(self.command("status", process).stdout.split()), r" raw file \S*/app\.iraw, \S+ MiB, \d+ snapshots?, the last one \S+ s ago ")
        self.end(process)

    def test_profile_leaves_no_raw_file(self):
        process = self.start(agent=None)
        tool = subprocess.Popen([str(part) for part in (Settings.tool, "profile", process.pid, "snapshot=100ms", "--duration", "2s",
                                                        "-o", self.folder / "window.iprof")], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(tool.kill)
        said, _ = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual(tool.returncode, 0, said)
        self.assertEqual(self.files(".iraw"), [])
        self.assertNotIn("iprof-snapshot", self.threads(process))
        self.end(process)
        self.assertEqual(self.files(".iraw"), [])

    def test_a_late_attach(self):
        process = self.start(agent=None)
        self.rounds(process, 2)
        self.run_tool("attach", process.pid, f"out={self.folder}/app.iprof,snapshot=100ms,image=n")
        self.rounds(process, 3)
        self.wait_for_rounds(process, 3)
        self.kill(process)
        self.assertEqual(self.recovered("app.iraw").calls_of(STEP), 3 * PER_ROUND)


@on_one_jvm
class NoFile(AgentCase):
    jvm_defaults = C1_ONLY

    def test_it_says_why(self):
        for agent, reason in (("out=/dev/null", "the profile goes to a device or a pipe; raw=FILE gives it a place"),
                              ("out=/dev/null,mode=budget", "the profile goes to a device or a pipe; raw=FILE gives it a place")):
            with self.subTest(agent=agent):
                process = self.start_java("Ends", "wait", agent=f"{agent},verbose=1")
                self.assertIn(f"there is no raw file: {reason}", "\n".join(self.agent_lines(process.err_path.read_text())))
                status = json.loads(self.run_tool("status", process.pid, "--format", "json").stdout)["status"]
                self.assertTrue(status["no_raw"].startswith(reason), status)
                self.assertEqual((status["raw"], status["snapshots"]), ("", 0))
                self.assertIn(f" raw file none: {reason}", " ".join(self.run_tool("status", process.pid).stdout.split()))
                process.communicate(b"\n", timeout=PATIENCE_S)
                self.assertEqual(process.returncode, 0)


class Same(SnapshotCase):
    """The last snapshot is taken when the program ends, so it has what the profile has."""
    jvm_defaults = ()

    def compare(self, *command, agent="", jvm_args=()):
        self.run_java(*command, agent=f"out=app.iprof,keep-raw=y,samples=n{agent}", jvm_args=jvm_args)
        profile, kept = self.profile("app.iprof"), self.recovered("app.iraw")
        self.assertGreater(kept.section["snapshot"]["generation"], 1)
        found = 0
        for table in ("callCountProfiles", "conditionalProfiles", "virtualInvokeProfiles"):
            entries = [{context: counts for context, counts in each.table(table).items() if context[0].startswith("counting.")}
                       for each in (profile, kept)]
            self.assert_same(*entries, message=table)
            found += len(entries[0])
        return found

    def test_programs_of_every_kind(self):
        """Among them: many classes at one site, classes that are loaded by many loaders and unloaded, hidden classes."""
        self.assertGreater(self.compare("counting.All", "0"), 1000)

    def test_receivers_that_rows_have_no_room_for(self):
        self.assertGreater(self.compare("counting.Typed", 2000, 500, agent=",format=1.1.0,instanceofs=y"), 50)

    def test_classes_that_come_and_go(self):
        """The wait is long enough for their counters to be taken back."""
        self.assertGreater(self.compare("counting.Freed", 200, 11000, agent=",jdk=n", jvm_args=["-XX:+UseSerialGC"]), 20)


class Samples(SnapshotCase):
    jvm_defaults = ()

    def test_samples_have_their_names(self):
        """Of a program that is busy until it is killed."""
        for agent in ("", ",calls=n,branches=n,receivers=n,monitors=n"):
            with self.subTest(agent=agent):
                process = self.start_java("KeepsTruth", self.folder / "truth", 2, agent=f"out=busy.iprof,interval=1ms{agent}")

                def steps():
                    if self.run_tool("recover", self.folder / "busy.iraw", "-o", self.folder / "some.iprof", expect=None).code != 0:
                        return 0
                    samples = self.profile("some.iprof").samples()
                    return sum(count for context, count in samples.items() if context[0].startswith("KeepsTruth."))
                self.wait_until(lambda: steps() > 50, process)
                self.kill(process)
                samples = self.recovered("busy.iraw").samples()
                whole = sum(samples.values())
                in_steps = sum(count for context, count in samples.items() if any(frame.startswith("KeepsTruth.run(") for frame in context))
                self.assertGreater(in_steps, 0.5 * whole, samples)
                self.assertIn("sampling", self.profile("recovered.iprof").section)
                (self.folder / "busy.iraw").unlink()

    def test_a_snapshot_stops_no_thread(self):
        """Each snapshot learns names and lines of new samples. If that took an operation at a safepoint, one kind of operation would be
        as frequent as snapshots."""
        log = self.folder / "safepoints"
        process = self.start_java("KeepsTruth", self.folder / "truth", 2, agent="out=busy.iprof,interval=1ms", jvm_args=[
            f"-Xlog:safepoint=info:file={log}", "-XX:+UnlockDiagnosticVMOptions", "-XX:GuaranteedSafepointInterval=0"])

        def snapshots():
            return json.loads(self.run_tool("status", process.pid, "--format", "json").stdout)["status"]["snapshots"]
        begun = self.wait_until(snapshots, process)
        before = log.read_text()
        taken = self.wait_until(lambda: (now := snapshots() - begun) >= 20 and now, process)
        operations = collections.Counter(re.findall(r'Safepoint "(\w+)"', log.read_text()[len(before):]))
        self.kill(process)
        self.assertLess(max(operations.values(), default=0), taken // 2, operations)
