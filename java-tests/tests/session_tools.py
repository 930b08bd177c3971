"""Tools that control a running agent: many at once, killed ones, those of another user, and those in other namespaces."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness import control
from harness.case import Settings
from harness.namespaces import READ_ONLY, jvm_in, own_namespaces
from harness.scope import on_one_jvm
from harness.session_case import AS_NOBODY, IO, NOBODY, SessionCase, needs_jvm_for_all_users, needs_root


class ManyTools(SessionCase):
    def test_commands_at_once_run_one_after_the_other(self):
        process = self.start()
        tools = []
        for number in range(3):
            for verb, *args in (("start",), ("dump", "-o", f"{number}.iprof"), ("status",), ("stop",), ("reset",)):
                tools.append(subprocess.Popen([Settings.tool, verb, str(process.pid), *args], cwd=self.folder, stdout=subprocess.PIPE,
                                              stderr=subprocess.STDOUT, text=True))
        for tool in tools:
            said, _ = tool.communicate(timeout=PATIENCE_S)
            self.assertIn(tool.returncode, (0, IO), said)
            self.assertNotIn("has not answered", said)
        if self.status(process)["state"] == "recording":
            self.command("stop", process)
        self.command("reset", process)
        self.command("start", process)
        self.rounds(process, 3)
        self.command("stop", process, "-o", "x.iprof")
        self.assertEqual(self.counted("x.iprof"), 3)
        self.end(process)


class NotSaved(SessionCase):
    """The tool takes a profile, and cannot put it into its place, or does not live to do so. The program's end writes it."""
    def ends_with(self, process, rounds):
        self.end(process)
        self.assertEqual(self.counted("end.iprof"), rounds)
        self.assertFalse((self.folder / "end.iraw").exists())

    def test_a_full_disk(self):
        process = self.start()
        self.command("start", process)
        self.rounds(process, 2)
        for verb in ("stop", "stop", "dump"):
            said = self.refused(verb, process, "-o", "/dev/full")
            self.assertIn(f"No space left on device; the agent keeps what it has recorded: 'iprof dump {process.pid} -o FILE' writes it", said)
            self.assertTrue((self.folder / "end.iraw").exists())
        self.ends_with(process, 2)

    @on_one_jvm
    def test_a_full_disk_at_the_end_of_a_window(self):
        process = self.start()
        tool = self.tool(process, "-o", "/dev/full")
        self.wait_until_recording(process)
        self.rounds(process, 2)
        tool.send_signal(signal.SIGINT)
        _, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual(tool.returncode, IO, complaints)
        self.assertIn("the agent keeps what it has recorded", complaints)
        self.ends_with(process, 2)

    @on_one_jvm
    def test_a_tool_that_is_gone_before_it_has_saved_the_profile(self):
        for is_saved in (False, True):
            process = self.start(agent=f"start=n,out=end.iprof,control={is_saved}.sock")
            self.command("start", process)
            self.rounds(process, 2)
            agent = control.Controlled(self.folder / f"{is_saved}.sock", PATIENCE_S)
            with agent.given("stop", send="plain") as client:
                heard = b""
                while not heard.endswith(b"E\0\0\0\0"):
                    heard += client.recv(65536)
                (self.folder / "sent.iprof").write_bytes(b"".join(payload for letter, payload in control.messages_in(heard) if letter == "D"))
                self.assertEqual(self.counted("sent.iprof"), 2)
                self.assertTrue((self.folder / "end.iraw").exists())
                if is_saved:
                    client.sendall(b"S\0\0\0\0")
                    answer = control.answer_in(heard + control.heard_from(client))
                    self.assertEqual((answer["outcome"], answer["status"]["raw"]), ("done", ""))
            if not is_saved:
                self.ends_with(process, 2)
                (self.folder / "end.iprof").unlink()
                continue
            self.assertFalse((self.folder / "end.iraw").exists())
            self.end(process)
            self.assertFalse((self.folder / "end.iprof").exists())

    @on_one_jvm
    def test_a_tool_of_another_release_is_refused(self):
        process = self.start(agent="start=n,out=end.iprof,control=a.sock")
        for line, said in ((b"command=status\n", b'{"iprofagent":3}\n'), (b"iprof/2 command=status\n", b'{"iprofagent":3}\n')):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(PATIENCE_S)
                client.connect(str(self.folder / "a.sock"))
                client.sendall(line)
                self.assertEqual(control.heard_from(client), said)
        self.end(process)

    @on_one_jvm
    def test_a_window_that_the_program_ends_is_also_in_its_own_file(self):
        """A container's first process takes the tool with it when it ends."""
        process = self.start()
        tool = self.tool(process, "-o", "x.iprof")
        self.wait_until_recording(process)
        self.end_in_window(process, tool, "x.iprof", 2)
        self.assertEqual(self.counted("end.iprof"), 2)

    @on_one_jvm
    def test_a_window_whose_tool_was_killed_is_in_the_programs_own_file(self):
        process = self.start()
        tool = self.tool(process, "-o", "x.iprof")
        self.wait_until_recording(process)
        tool.kill()
        tool.wait()
        self.assertEqual(self.status(process)["out"], f"{self.folder.resolve()}/end.iprof")
        self.rounds(process, 2)
        self.ends_with(process, 2)


@needs_root
@on_one_jvm
class Killed(SessionCase):
    """kill -9 at moments that are spread over each command. The JVM has its own /tmp, so that all that is left there is ours."""
    MOMENTS = 6

    def start_apart(self, agent="start=n,out=end.iprof"):
        prefix, self.place = own_namespaces(self)
        process = self.start(agent=agent, prefix=prefix)
        return process, jvm_in(process)

    def kill_after(self, seconds, pid, verb, *args):
        tool = subprocess.Popen([str(part) for part in (Settings.tool, verb, pid, *args)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        tool.kill()
        tool.wait()

    def killed_runs(self, process, pid, verb, *args):
        """Kills the command again and again, and returns after each time."""
        start = time.monotonic()
        self.run_tool(verb, pid, *args, expect=None)
        took = time.monotonic() - start
        for moment in range(self.MOMENTS):
            self.kill_after(took * moment / (self.MOMENTS - 1), pid, verb, *args)
            self.rounds(process, 1)  # the program goes on
            yield

    def assert_nothing_stays(self, process, pid):
        tmp = pathlib.Path(f"/proc/{pid}/root/tmp")
        for path in tmp.glob(".iprof*"):
            os.utime(path, (time.time() - 7200,) * 2)
        self.status(pid)
        self.assertEqual([path.name for path in tmp.glob(".iprof*")] + [path.name for path in self.place.glob(".attach_pid*")], [])
        self.end(process)

    def test_commands(self):
        process, pid = self.start_apart()
        for verb in ("start", "stop", "dump", "reset", "status"):
            args = ["-o", "killed.iprof"] if verb in ("dump", "stop") else []
            for _ in self.killed_runs(process, str(pid), verb, *args):
                state = self.status(pid)["state"]
                # So that the next one has something to do.
                if verb == "start" and state == "recording":
                    self.command("stop", pid)
                elif verb != "start" and state == "stopped":
                    self.command("start", pid)
        self.command("stop", pid)
        self.command("reset", pid)
        self.cycle(process, str(pid))
        self.assert_nothing_stays(process, pid)

    def test_attach(self):
        process, pid = self.start_apart(agent=None)
        start = time.monotonic()
        self.command("attach", pid, "start=n,out=end.iprof")
        took = time.monotonic() - start
        self.end(process)
        for moment in range(self.MOMENTS):
            with self.subTest(moment=moment):
                process, pid = self.start_apart(agent=None)
                self.kill_after(took * moment / (self.MOMENTS - 1), pid, "attach", "start=n,samples=n,image=n,out=end.iprof")
                self.rounds(process, 1)
                again = self.command("attach", pid, "start=n,samples=n,image=n,out=end.iprof", expect=None)
                self.assertTrue(again.code == 0 or (again.code == IO and "already loaded" in again.stderr), again)
                self.cycle(process, str(pid))
                self.assert_nothing_stays(process, pid)

    def test_profile(self):
        process, pid = self.start_apart()
        for _ in self.killed_runs(process, str(pid), "profile", "--duration", "200ms", "-o", "killed.iprof"):
            if self.status(pid)["state"] == "recording":
                self.command("stop", pid)
        self.command("reset", pid)
        self.cycle(process, str(pid))
        self.assert_nothing_stays(process, pid)


@needs_root
class OtherUsers(SessionCase):
    """Root controls the JVMs of other users, also in containers. Files of -o belong to root, files of out= to the JVM's user."""
    def setUp(self):
        super().setUp()
        needs_jvm_for_all_users(self)
        self.folder.chmod(0o777)

    def owners(self, *names):
        return [(self.folder / name).stat().st_uid for name in names]

    def test_root_profiles_the_jvm_of_another_user(self):
        process = self.start(agent=None, prefix=AS_NOBODY)
        self.command("attach", process, "start=n,samples=n,image=n,out=new/folder/end.iprof")
        self.command("start", process)
        self.rounds(process, 2)
        self.command("stop", process, "-o", "x.iprof")
        self.assertIn("none/x.iprof", self.refused("stop", process, "-o", "none/x.iprof"))
        self.command("start", process)
        self.rounds(process, 1)
        self.end(process)
        self.assertEqual([self.counted("x.iprof"), self.counted("new/folder/end.iprof")], [2, 3])
        self.assertEqual(self.owners("x.iprof", "new", "new/folder", "new/folder/end.iprof"), [0, NOBODY, NOBODY, NOBODY])
        self.assertFalse((self.folder / "none").exists())

    def test_a_socket_takes_no_commands_of_other_users(self):
        """With every mode: the agent asks for the user of each client."""
        process = self.start(agent="start=n,out=end.iprof,control=a.sock")
        path = self.folder / "a.sock"
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        for mode, reason in ((0o600, "cannot connect: Permission denied"), (0o666, "takes no commands of this user")):
            path.chmod(mode)
            done = subprocess.run([*map(str, AS_NOBODY), Settings.tool, "start", "--control", path], capture_output=True, text=True,
                                  cwd="/", check=False)
            self.assertEqual(done.returncode, IO, done)
            self.assertIn(reason, done.stderr)
        self.assertEqual(self.status(process)["state"], "stopped")
        self.end(process)

    @on_one_jvm
    def test_commands_to_a_jvm_in_its_own_namespaces(self):
        """In each of the ways to an agent. The tool's files are on its own side."""
        ways = (("out=end.iprof", []),
                ("out=end.iprof", ["-XX:-EnableDynamicAgentLoading"]),
                ("out=end.iprof,control=/tmp/a.sock", ["-XX:+DisableAttachMechanism"]))
        for user in ([], AS_NOBODY):
            for agent, jvm_args in ways:
                with self.subTest(user=user, agent=agent, jvm_args=jvm_args):
                    prefix, place = own_namespaces(self)
                    process = self.start(agent=f"start=n,{agent}", jvm_args=jvm_args, prefix=[*prefix, *user])
                    pid = jvm_in(process)
                    self.assertEqual(self.status(pid)["pid"], 1)
                    self.cycle(process, str(pid))
                    self.assertEqual([path.name for path in pathlib.Path(f"/proc/{pid}/root/tmp").glob(".iprof*")], [])
                    self.end(process)
                    self.assertEqual(self.owners("dump.iprof", "stop.iprof"), [0, 0])
                    self.assertEqual(sorted(place.glob("*.iprof")), [])  # all was written to the files of -o

    @on_one_jvm
    def test_a_jvm_whose_tmp_is_read_only_needs_a_control_socket(self):
        """The tool cannot make a socket for it, and the JVM none for tools."""
        prefix, place = own_namespaces(self, READ_ONLY)
        process = self.start(agent="start=n,out=end.iprof,control=a.sock", prefix=prefix)
        pid = jvm_in(process)
        self.cycle(process, str(pid))
        self.command("reset", pid)
        tool = self.tool(pid, "-o", "x.iprof")
        self.wait_until_recording(pid)
        self.end_in_window(process, tool, "x.iprof", 2)
        self.assertEqual(self.counted(place / "end.iprof"), 2)
        process = self.start(agent="start=n,out=other.iprof", prefix=prefix)
        pid = jvm_in(process)
        self.assertEqual(self.refused("status", pid), f"cannot make a folder in the /tmp of process {pid}: Read-only file system")
        self.end(process)

    def test_a_window_of_a_jvm_in_its_own_namespaces(self):
        prefix, place = own_namespaces(self)
        process = self.start(agent=None, prefix=[*prefix, *AS_NOBODY])
        pid = jvm_in(process)
        library = self.folder / "private" / Settings.agent.name  # in our /tmp, so the JVM cannot see it
        library.parent.mkdir(mode=0o700)
        shutil.copy(Settings.agent, library)
        tool = self.tool(pid, "samples=n,image=n", "--agent", library, "-o", "x.iprof")
        self.wait_until_recording(pid)
        self.rounds(process, 3)
        tool.send_signal(signal.SIGINT)
        said, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual((tool.returncode, complaints), (0, ""), said)
        self.assertEqual(self.counted("x.iprof"), 3)
        self.assertEqual(self.owners("x.iprof"), [0])
        self.assertEqual((self.folder / "x.iprof").stat().st_mode & 0o777, 0o600)
        self.assertEqual([path.name for path in pathlib.Path(f"/proc/{pid}/root/tmp").glob(".iprof*")], [])
        self.end(process)
        self.assertEqual(sorted(place.glob("*.iprof")), [])

    def test_a_jvm_in_its_own_namespaces_ends_during_the_window(self):
        """Its /tmp goes with it, and the profile is saved all the same."""
        prefix, _ = own_namespaces(self)
        process = self.start(agent=None, prefix=prefix)
        pid = jvm_in(process)
        tool = self.tool(pid, "samples=n,image=n", "-o", "x.iprof")
        self.wait_until_recording(pid)
        self.end_in_window(process, tool, "x.iprof", 2)
