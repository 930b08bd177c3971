"""`iprof profile`: attaches, records a window and leaves, however it, its user or the program ends."""

import contextlib
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.scope import in_proof, on_one_jvm
from harness.session_case import BAD_INPUT, IO, SessionCase


class AtOnce(SessionCase):
    """iprof profile."""
    def test_a_time(self):
        process = self.start(agent=None)
        self.rounds(process, 1)
        said = self.command("profile", process, "samples=n,image=n", "--warmup", "100ms", "--duration", "300ms", "-o", "app.iprof").stdout
        self.assertRegex(said, rf"^process {process.pid}: recorded [0-9.]+ s, wrote app.iprof\napp.iprof: (not )?usable.*\n$")
        self.assertEqual(self.status(process)["state"], "stopped")
        # The user's options, and not those by which the tool has the agent wait.
        (run,) = self.profile("app.iprof").section["provenance"]["runs"]
        self.assertEqual(run["options"], "samples=n,image=n")
        # Nothing was recorded since then, so the end of the program writes nothing and has nothing to complain about.
        # Nor is the tool's own file, which is gone, anybody's concern.
        self.assertEqual(self.end(process), [])

    @on_one_jvm
    def test_an_interrupt_ends_the_recording_and_writes(self):
        for number, ending in enumerate((signal.SIGINT, signal.SIGTERM)):
            process = self.start(agent=None)
            tool = self.tool(process, "samples=n,image=n", "-o", f"{number}.iprof")
            self.wait_until_recording(process)
            self.rounds(process, 3)
            tool.send_signal(ending)
            said, complaints = tool.communicate(timeout=PATIENCE_S)
            self.assertEqual((tool.returncode, complaints), (0, ""))
            self.assertIn(f"wrote {number}.iprof", said)
            self.assertEqual(self.counted(f"{number}.iprof"), 3)
            self.assertEqual(self.status(process)["state"], "stopped")
            self.end(process)

    @on_one_jvm
    def test_an_interrupt_during_the_warm_up_touches_nothing(self):
        process = self.start(agent=None)
        tool = self.tool(process, "--warmup", "1h", "-o", "x.iprof")
        time.sleep(0.3)
        tool.send_signal(signal.SIGINT)
        _, complaints = tool.communicate(timeout=PATIENCE_S)
        # An interrupt that comes before the tool holds its signals back ends it as any program.
        self.assertIn(tool.returncode, (IO, -signal.SIGINT))
        if tool.returncode == IO:
            self.assertEqual(complaints, "iprof: error: interrupted during the warm-up: nothing was recorded\n")
        self.refused("status", process, expect=BAD_INPUT)
        self.end(process)

    def hold_commands(self, process, socket):
        """From now on, commands wait for a dump into a pipe that is full. Who calls what this returns lets them go on."""
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        ends = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while os.write(ends, bytes(4096)):
                pass
        dump = subprocess.Popen([Settings.tool, "dump", "--control", socket, "-o", fifo], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        self.addCleanup(dump.wait)
        self.addCleanup(dump.kill)
        deadline = time.monotonic() + PATIENCE_S
        while "'dump' is still running" not in self.run_tool("status", str(process.pid), "--timeout", "1", expect=None).stderr:
            self.assertLess(time.monotonic(), deadline)

        def go_on():
            reader = os.open(fifo, os.O_RDONLY)
            os.close(ends)
            while os.read(reader, 65536):
                pass
            os.close(reader)
        return go_on

    def interrupt(self, tool):
        """Sends SIGINT and waits until the tool, which holds it back, has taken it."""
        tool.send_signal(signal.SIGINT)
        deadline = time.monotonic() + PATIENCE_S
        while int(re.search(r"^ShdPnd:\t([0-9a-f]+)$", pathlib.Path(f"/proc/{tool.pid}/status").read_text(), re.M)[1], 16):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    @on_one_jvm
    def test_a_second_interrupt_says_where_the_profile_is(self):
        process = self.start(agent="start=n,out=end.iprof,control=a.sock")
        tool = self.tool(process, "-o", "x.iprof")
        self.wait_until_recording(process)
        self.rounds(process, 3)
        go_on = self.hold_commands(process, self.folder / "a.sock")
        self.interrupt(tool)  # the stop begins, and waits
        tool.send_signal(signal.SIGINT)
        _, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual(tool.returncode, -signal.SIGINT, complaints)
        self.assertEqual(complaints, f"iprof: error: interrupted while waiting for process {process.pid}; the agent may still carry out 'stop', and "
                                     f"keeps what it has recorded: 'iprof stop {process.pid} -o FILE' writes it\n")
        self.assertFalse((self.folder / "x.iprof").exists())
        go_on()
        self.assertEqual(self.status(process)["state"], "stopped")  # comes after the stop
        self.command("stop", process, "-o", "again.iprof")
        self.assertEqual(self.counted("again.iprof"), 3)
        self.end(process)

    @on_one_jvm
    def test_a_start_that_takes_too_long_is_taken_back(self):
        """The tool gives up while the JVM still changes the classes. The recording must not go on without it, into a folder that is gone."""
        held = f"-agentpath:{Settings.agent.parent}/java-tests/libholding_agent.so=Dumps:{self.folder / 'go'}"
        process = self.start(jvm_args=[held])
        said = self.refused("profile", process, "--timeout", "3", "-o", "x.iprof")
        self.assertRegex(said, rf"^process {process.pid}: the recording did not begin within 3 s \(--timeout\), and was not stopped: .* the agent "
                               r"may still carry out 'stop'")
        self.assertIn("held", process.out_path.read_text())
        (self.folder / "go").touch()
        self.assertEqual(self.status(process)["state"], "stopped")  # comes after both
        self.command("start", process)
        self.rounds(process, 2)
        self.command("stop", process, "-o", "y.iprof")
        self.assertEqual(self.counted("y.iprof"), 2)
        process.communicate(b"x", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())

    def test_a_dump_request_does_not_hold_up_the_jvms_signals(self):
        process = self.start(agent="out=end.iprof,control=a.sock,jdk=n")
        go_on = self.hold_commands(process, self.folder / "a.sock")
        process.send_signal(signal.SIGQUIT)
        deadline = time.monotonic() + PATIENCE_S
        while "no profile was written: another profile is still being written" not in process.err_path.read_text():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        go_on()
        process.communicate(b"x", timeout=PATIENCE_S)  # its output has the threads that SIGQUIT prints
        self.assertEqual(process.returncode, 0)
        self.profile("end.iprof")

    def test_the_program_ends_meanwhile(self):
        process = self.start(agent=None)
        tool = self.tool(process, "samples=n,image=n", "-o", "x.iprof")
        self.wait_until_recording(process)
        self.end_in_window(process, tool, "x.iprof", 2)

    @on_one_jvm
    def test_the_program_ends_after_another_stop(self):
        """No profile was written after that stop, so the program's end sends it to the tool that has begun the recording."""
        process = self.start(agent=None)
        tool = self.tool(process, "samples=n,image=n", "-o", "x.iprof.gz")
        self.wait_until_recording(process)
        self.rounds(process, 2)
        self.command("stop", process)
        self.end(process)
        said, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual((tool.returncode, complaints), (0, ""))
        self.assertIn("has ended", said)
        self.assertEqual(self.counted("x.iprof.gz"), 2)
        self.assertEqual((self.folder / "x.iprof.gz").read_bytes()[:2], b"\x1f\x8b")

    @on_one_jvm
    def test_again_with_the_agent_that_is_there(self):
        process = self.start(agent=None)
        self.command("profile", process, "samples=n,image=n", "--duration", "50ms", "-o", "1.iprof")
        tool = self.tool(process, "-o", "2.iprof")
        self.wait_until_recording(process)
        self.rounds(process, 2)
        tool.send_signal(signal.SIGINT)
        tool.communicate(timeout=PATIENCE_S)
        self.assertEqual(self.counted("2.iprof"), 2)
        self.assertIn("the agent is loaded already", self.refused("profile", process, "jdk=n", "-o", "3.iprof", expect=2))
        self.end(process)

    @on_one_jvm
    def test_the_program_ends_during_a_later_recording(self):
        process = self.start(agent=None)
        self.command("profile", process, "samples=n,image=n", "--duration", "50ms", "-o", "1.iprof")
        tool = self.tool(process, "-o", "2.iprof.gz")
        self.wait_until_recording(process)
        self.end_in_window(process, tool, "2.iprof.gz", 2)
        self.assertEqual((self.folder / "2.iprof.gz").read_bytes()[:2], b"\x1f\x8b")

    @on_one_jvm
    def test_a_raw_file_of_the_users_goes_with_a_good_end(self):
        for number in (1, 2):
            process = self.start(agent=None)
            tool = self.tool(process, f"samples=n,image=n,snapshot=100ms,raw={self.folder / 'users.iraw'}", "-o", f"{number}.iprof")
            self.wait_until_recording(process)
            deadline = time.monotonic() + PATIENCE_S
            while not (self.folder / "users.iraw").exists():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            self.end_in_window(process, tool, f"{number}.iprof", 2)
            self.assertEqual(sorted(path.name for path in self.folder.glob("*.iraw")), [])

    @on_one_jvm
    def test_a_refused_stop_is_said_at_once(self):
        """The tool does not wait for the program's end. It would draw that wait on a terminal."""
        process = self.start(agent=None)
        drawn, other = pty.openpty()
        tool = subprocess.Popen([Settings.tool, "profile", str(process.pid), "samples=n,jdk=n,include=no.such.Thing", "--duration", "2s",
                                 "-o", "x.iprof"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=other, env={**os.environ, "TERM": "xterm"})
        os.close(other)
        said = b""
        with contextlib.suppress(OSError):  # the terminal's other end is closed
            while piece := os.read(drawn, 4096):
                said += piece
        os.close(drawn)
        self.assertEqual(tool.wait(PATIENCE_S), IO)
        said = said.decode()
        self.assertIn(": nothing was counted, because include=no.such.Thing matches no class", " ".join(said.split()))
        self.assertIn("recording", said)  # so a wait for the end would be there, too
        self.assertNotIn("the program's end", said)
        self.end(process)

    def kill_in_window(self, process, tool):
        """The program runs two rounds, which a snapshot has, and is killed while iprof profile records it."""
        self.wait_until_recording(process)
        self.rounds(process, 2)
        before = self.status(process)["snapshots"]
        deadline = time.monotonic() + PATIENCE_S
        while self.status(process)["snapshots"] < before + 2:  # the next one may have begun before
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        process.kill()
        process.wait()
        return tool.communicate(timeout=PATIENCE_S)

    def test_the_program_is_killed(self):
        process = self.start(agent=None)
        tool = self.tool(process, "samples=n,image=n,snapshot=100ms", "-o", "x.iprof")
        said, complaints = self.kill_in_window(process, tool)
        self.assertEqual(tool.returncode, 0, complaints)
        self.assertRegex(complaints, rf"^iprof: warning: process {process.pid} has ended without writing its profile, which was recovered from "
                                     r"its raw file: snapshot \d+ of .*\n$")
        self.assertRegex(said, rf"^process {process.pid}: has ended; recorded [0-9.]+ s, wrote x.iprof\nx.iprof: (not )?usable.*\n$")
        self.assertEqual(self.counted("x.iprof"), 2)
        self.assertIn("snapshot", self.profile("x.iprof").section)

    @on_one_jvm
    def test_the_program_is_killed_in_a_later_window(self):
        process = self.start(agent=None)
        self.command("profile", process, "samples=n,image=n,snapshot=100ms", "--duration", "50ms", "-o", "1.iprof")
        tool = self.tool(process, "-o", "2.iprof")
        _, complaints = self.kill_in_window(process, tool)
        self.assertEqual(tool.returncode, 0, complaints)
        self.assertIn("which was recovered from its raw file", complaints)
        self.assertEqual(self.counted("2.iprof"), 2)

    @on_one_jvm
    def test_the_program_is_killed_that_has_a_file_of_its_own(self):
        process = self.start(agent="start=n,out=end.iprof,snapshot=100ms")
        tool = self.tool(process, "-o", "x.iprof")
        _, complaints = self.kill_in_window(process, tool)
        self.assertEqual(tool.returncode, IO, complaints)
        out, raw = (self.folder.resolve() / name for name in ("end.iprof", "end.iraw"))
        self.assertEqual(complaints, f"iprof: error: process {process.pid} has ended during the recording: its profile, if it could write one, is "
                                     f"{out}; if it was killed, 'iprof recover' makes one of its raw file, which is the newest of {raw}, "
                                     f"{raw.with_name('end.1.iraw')} and so on, unless the agent's raw= names another\n")
        self.run_tool("recover", raw, "-o", self.folder / "x.iprof")
        self.assertEqual(self.counted("x.iprof"), 2)

    @on_one_jvm
    def test_what_cannot_be_saved_stays(self):
        for is_killed, snapshot, name in ((False, "100ms", "agent.iraw"), (True, "100ms", "agent.iraw"), (False, "0", "agent.iprof")):
            process = self.start(agent=None)
            tool = self.tool(process, f"samples=n,image=n,snapshot={snapshot}", "-o", "/dev/full")
            if is_killed:
                _, complaints = self.kill_in_window(process, tool)
            else:
                self.wait_until_recording(process)
                self.rounds(process, 2)
                self.end(process)
                _, complaints = tool.communicate(timeout=PATIENCE_S)
            self.assertEqual(tool.returncode, IO, complaints)
            said = re.search(rf"No space left on device; what was recorded is in (/tmp/\.iprof-[0-9a-f]+/{name}), where it stays for an hour\n$",
                             complaints)
            self.assertTrue(said, complaints)
            kept = pathlib.Path(said[1])
            self.addCleanup(shutil.rmtree, kept.parent, ignore_errors=True)
            self.run_tool("merge", kept, "-o", self.folder / "kept.iprof")
            self.assertEqual(self.counted("kept.iprof"), 2)

    @in_proof
    def test_the_tool_is_killed(self):
        process = self.start(agent=None)
        tool = self.tool(process, "samples=n,image=n", "--duration", "1s", "-o", "x.iprof")
        self.wait_until_recording(process)
        tool.kill()
        tool.wait()
        deadline = time.monotonic() + 61 + PATIENCE_S
        while self.status(process)["state"] != "stopped":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(1)
        self.end(process)
