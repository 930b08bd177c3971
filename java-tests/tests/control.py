"""The tool finds running JVMs and loads the agent into them, without a JDK: iprof list, iprof attach. Every failure is one
sentence, and the JVM goes on. What needs a JVM that misbehaves is in cli/jvm/jvm_connection_test.cc."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import zipfile

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.namespaces import jvm_in, own_namespaces
from harness.scope import on_one_jvm
from harness.session_case import AS_NOBODY, BAD_INPUT, IO, needs_jvm_for_all_users, needs_root

NATIVE = Settings.agent.parent / "java-tests"
USAGE = 2  # an exit code
HAS_VERSION_2 = 25  # of the attach protocol: the first Java that we test with it


class Control(AgentCase):
    def start(self, program="wait", **options):
        return self.start_java("Ends", program, agent=options.pop("agent", None), **options)

    def tool_attach(self, process, *args, expect=0):
        pid = process if isinstance(process, int) else process.pid
        return self.run_tool("attach", str(pid), *map(str, args), expect=expect)

    def refused(self, process, *args, expect):
        """The sentence, which must be the only one."""
        (line,) = self.tool_attach(process, *args, expect=expect).stderr.splitlines()
        self.assertTrue(line.startswith("iprof: error: "), line)
        return line.removeprefix("iprof: error: ")

    def listed(self):
        """The JVMs by their pids."""
        return {each["pid"]: each for each in json.loads(self.run_tool("list", "--format", "json").stdout)["jvms"]}

    def end(self, process):
        """Lets the program end well; returns its stderr's agent lines."""
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        self.assertTrue(process.out_path.read_text().endswith("done\n"))
        self.assertEqual([], sorted(path.name for path in self.folder.glob(".attach_pid*")))
        return self.agent_lines(process.err_path.read_text())

    def readable_by_all(self):
        """For JVMs of another user: the test's folder, and the JVM if it is installed for all."""
        needs_jvm_for_all_users(self)
        self.folder.chmod(0o777)


class List(Control):
    def test_a_jvm_and_whether_it_has_the_agent(self):
        plain = self.start()
        profiled = self.start(agent="out=x.iprof")
        listed = self.listed()
        for process, has_agent in ((plain, False), (profiled, True)):
            jvm = listed[process.pid]
            self.assertEqual((jvm["program"], jvm["agent"], jvm["attach_disabled"]), ("Ends", has_agent, False))
            self.assertEqual(jvm["jdk"].partition(".")[0], str(self.jvm.major))
            self.assertEqual(jvm["pid_in_container"], process.pid)
        self.assertEqual(listed[profiled.pid]["agent_library"], str(Settings.agent))
        lines = self.run_tool("list").stdout.splitlines()
        self.assertRegex(lines[0], r"^ *PID  USER +JDK +AGENT  PROGRAM$")
        (row,) = (line for line in lines if line.split()[0] == str(profiled.pid))
        self.assertEqual(row.split()[3:], ["yes", "Ends"])
        self.assertEqual(row.index("yes"), lines[0].index("AGENT"))
        self.end(plain)
        self.end(profiled)
        self.assertNotIn(plain.pid, self.listed())

    @on_one_jvm
    def test_a_long_name_is_cut_only_on_a_terminal(self):
        name = f"{'long' * 25}.jar"
        with zipfile.ZipFile(self.folder / name, "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: Ends\n\n")
            jar.write(Settings.classes / "Ends.class", "Ends.class")
        process = self.start_java(["-jar", name], "wait", agent=None)
        rows = {}
        for columns in ("", "80"):
            listed = self.run_command([Settings.tool, "list"], env={"COLUMNS": columns}).stdout.splitlines()
            self.assertTrue(columns == "" or max(map(len, listed)) <= 80, listed)
            (rows[columns],) = (line.split()[-1] for line in listed if line.split()[0] == str(process.pid))
        self.assertEqual(rows[""], name)
        self.assertRegex(rows["80"], r"^long[long]*…[long]*\.jar$")
        self.end(process)

    def test_without_published_counters(self):
        process = self.start(jvm_args=["-XX:-UsePerfData", "-XX:+DisableAttachMechanism"])
        jvm = self.listed()[process.pid]
        self.assertEqual((jvm["program"], jvm["attach_disabled"]), ("Ends", True))
        self.assertEqual(jvm["jdk"].partition(".")[0], str(self.jvm.major))
        self.end(process)

    @on_one_jvm
    def test_processes_that_come_and_go(self):
        """Listing never fails when processes end during it."""
        programs = subprocess.Popen(["bash", "-c", "while :; do /bin/true; done"])
        try:
            for _ in range(50):
                self.run_tool("list")
        finally:
            programs.kill()
            programs.wait()


class Attach(Control):
    def test_the_profile_comes_when_the_program_ends(self):
        process = self.start()
        said = self.tool_attach(process, "out=late.iprof").stdout
        self.assertEqual(said, f"process {process.pid}: the agent is loaded\n")
        self.assertTrue(self.listed()[process.pid]["agent"])
        self.end(process)
        self.assertIn("Ends.main([Ljava.lang.String;)void", self.profile("late.iprof").methods)

    def test_a_second_attach_is_no_second_agent(self):
        process = self.start()
        self.tool_attach(process, "out=late.iprof")
        # Another copy of the library is at hand, but the loaded one is named.
        copy = self.folder / "copy" / Settings.agent.name
        copy.parent.mkdir()
        shutil.copy(Settings.agent, copy)
        self.assertEqual(self.refused(process, "out=again.iprof", "--agent", copy, expect=IO),
                         f"process {process.pid}: already loaded in this JVM; the options of the first load stand; "
                         f"'iprof status {process.pid}' shows what it does (recording, out={self.folder}/late.iprof)")
        lines = self.end(process)
        self.assertEqual(lines[0], "iprofagent: already loaded in this JVM; the options of the first load stand")
        self.profile("late.iprof")
        self.assertFalse((self.folder / "again.iprof").exists())

    @on_one_jvm
    def test_a_pipe_where_the_jvm_looks_for_a_file(self):
        """Whoever may write there could keep the tool waiting for ever."""
        process = self.start()
        pipe = self.folder / f".attach_pid{process.pid}"
        os.mkfifo(pipe)
        self.assertEqual(self.refused(process, "out=late.iprof", expect=IO),
                         f"process {process.pid} cannot be asked to listen, because {pipe.name} in its working directory or /tmp is no regular "
                         "file (it is a named pipe): remove it")
        for command in (["profile", str(process.pid), "-o", "x.iprof"], ["refresh", str(process.pid)],
                        ["harvest", str(process.pid), "--attach", "-o", "x.iprof"]):
            with self.subTest(command=command[0]):
                self.assertIn("cannot be asked to listen", self.run_tool(*command, expect=IO).stderr)
        pipe.unlink()
        # It got no SIGQUIT, so it has printed no threads.
        self.assertNotIn("Full thread dump", process.out_path.read_text())
        self.tool_attach(process, "out=late.iprof")
        self.end(process)
        self.profile("late.iprof")

    def test_of_attaches_at_once_one_wins_and_the_others_are_told(self):
        """Each has its own file. Those that lose look at the JVM before the winner's agent is there, so they learn it only
        from the agent's answer."""
        process = self.start()
        tools = {n: subprocess.Popen([Settings.tool, "attach", str(process.pid), f"out={n}.iprof,samples=n"], cwd=self.folder,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for n in range(8)}
        said = {n: tool.communicate(timeout=PATIENCE_S) for n, tool in tools.items()}
        codes = {n: tool.returncode for n, tool in tools.items()}
        self.assertEqual(sorted(codes.values()), [0] + [IO] * 7, said)
        winner = next(n for n, code in codes.items() if code == 0)
        for n, (out, err) in said.items():
            if n == winner:
                self.assertEqual((out, err), (f"process {process.pid}: the agent is loaded\n", ""))
            else:
                self.assertEqual(out, "")
                self.assertIn("the options of the first load stand", err)
                self.assertIn(f"out={self.folder}/{winner}.iprof", err)
        self.end(process)
        self.assertEqual([path.name for path in self.folder.glob("*.iprof")], [f"{winner}.iprof"])
        self.profile(f"{winner}.iprof")

    @on_one_jvm
    def test_a_program_that_only_leaves_out(self):
        process = self.start()
        self.assertEqual(self.refused(process, "out=late.iprof,only=com.nomatch.*", expect=BAD_INPUT),
                         f"process {process.pid}: 'Ends' matches no pattern of only=com.nomatch.*, so this JVM runs without the agent")
        self.tool_attach(process, "out=late.iprof,only=End*")
        self.end(process)
        self.profile("late.iprof")

    def test_a_heap_that_is_too_small(self):
        process = self.start(jvm_args=["-Xmx12m"])
        self.assertEqual(self.refused(process, "out=late.iprof", expect=BAD_INPUT),
                         f"process {process.pid}: a heap of at most 12288 KiB is too small for counters, which need 16 MiB (-Xmx): "
                         "this JVM runs without the agent")
        self.assertFalse((self.folder / "late.iprof").exists())
        self.end(process)

    def test_an_answer_that_has_no_room(self):
        """Before version 2 of the protocol, options of nearly 1,024 bytes leave none for the path of the answer."""
        process = self.start()
        padding = "+".join(["com.nomatch.*"] * 71)
        self.assertIn(len(padding), range(960, 1000))
        said = self.refused(process, f"only={padding},out=x.iprof", expect=BAD_INPUT)
        if self.jvm.major >= HAS_VERSION_2:
            self.assertIn("matches no pattern of only=com.nomatch.*+com", said)
        else:
            self.assertEqual(said, f"process {process.pid}: the agent did not start; the standard error of the program says why, perhaps only "
                                   "with verbose=1")
        self.end(process)

    @on_one_jvm
    def test_options_that_are_refused(self):
        """The tool knows the options, so the JVM never sees wrong ones. What only the agent can know, it says."""
        process = self.start()
        self.assertEqual(self.refused(process, "ouf=x", expect=USAGE), "unknown option 'ouf'; did you mean 'out=x'?")
        self.assertIn("default.iprof", self.tool_attach(process, "help").stdout)
        self.assertFalse(self.listed()[process.pid]["agent"])
        self.assertEqual(self.refused(process, "out=/proc/nowhere/x.iprof", expect=BAD_INPUT),
                         f"process {process.pid}: option 'out': cannot create the folder '/proc/nowhere': No such file or directory")
        self.tool_attach(process, "out=late.iprof")
        self.assertIn("/proc/nowhere", self.end(process)[0])
        self.profile("late.iprof")

    @on_one_jvm
    def test_long_options(self):
        process = self.start()
        options = "out=late.iprof,exclude=" + ";".join(f"com.acme.p{n}.*" for n in range(200))
        self.assertGreater(len(options), 2000)
        if self.jvm.major >= HAS_VERSION_2:
            self.tool_attach(process, options)
            self.end(process)
            self.profile("late.iprof")
        else:
            self.assertEqual(self.refused(process, options, expect=BAD_INPUT),
                             f"process {process.pid}: this JVM takes at most 1024 bytes of options or path, and there are "
                             f"{len(options)} (JDK 25 and later take more): shorten them")
            self.assertEqual(self.end(process), [])

    def test_a_jvm_that_is_starting_survives(self):
        """SIGQUIT would end a JVM that has no handler for it yet."""
        for delay_ms in range(0, 200, 10):
            with self.subTest(delay_ms=delay_ms):
                process = self.start(ready=None)
                time.sleep(delay_ms / 1000)
                # force=always: the program may do nothing more in its own classes.
                self.tool_attach(process, "out=late.iprof,jdk=n,samples=n,force=always", "--timeout", 300)
                self.end(process)
                self.profile("late.iprof")

    def test_without_signals(self):
        process = self.start(jvm_args=["-Xrs"])
        self.tool_attach(process, "out=late.iprof")
        self.end(process)
        self.profile("late.iprof")

    def test_without_published_counters(self):
        process = self.start(jvm_args=["-XX:-UsePerfData"])
        self.tool_attach(process, "out=late.iprof")
        self.end(process)
        self.profile("late.iprof")

    def test_a_stale_or_lost_socket(self):
        process = self.start()
        path = pathlib.Path(f"/tmp/.java_pid{process.pid}")
        with socket.socket(socket.AF_UNIX) as left_behind:
            left_behind.bind(str(path))
        self.tool_attach(process, "out=late.iprof")
        path.unlink()  # as those do who clean /tmp
        self.assertIn("already loaded", self.refused(process, "out=late.iprof", expect=IO))  # the JVM answers
        self.end(process)
        self.profile("late.iprof")


class Refused(Control):
    def test_attach_is_disabled(self):
        for more in ([], ["-XX:-UsePerfData"]):
            process = self.start(jvm_args=["-XX:+DisableAttachMechanism", *more])
            self.assertEqual(self.refused(process, expect=BAD_INPUT),
                             f"process {process.pid} runs with -XX:+DisableAttachMechanism, which forbids attaching: start it with "
                             "-agentpath, or without that flag")
            self.end(process)
            self.assertEqual(process.err_path.read_text() + process.out_path.read_text(), "ready\ndone\n")

    def test_attach_is_disabled_and_it_does_not_show(self):
        arguments = self.folder / "arguments"
        arguments.write_text("-XX:+DisableAttachMechanism -XX:-UsePerfData")
        process = self.start(env={"JAVA_TOOL_OPTIONS": arguments.read_text()})
        said = self.refused(process, "--timeout", 1, expect=IO)
        self.assertEqual(said, f"process {process.pid} has not opened its attach socket within 1 s: it is too busy, or runs with "
                               "-XX:+DisableAttachMechanism (--timeout waits longer)")
        # This JVM prints its threads for each SIGQUIT, perhaps a little later.
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0)

    def test_agents_are_disallowed(self):
        for agent in (None, "out=start.iprof"):
            process = self.start(agent=agent, jvm_args=["-XX:-EnableDynamicAgentLoading"])
            self.assertEqual(self.refused(process, expect=BAD_INPUT),
                             f"process {process.pid}: it runs with -XX:-EnableDynamicAgentLoading, which forbids loading agents: "
                             "start it with -agentpath, or without that flag")
            self.end(process)
        self.profile("start.iprof")

    def test_a_jvm_that_does_not_answer(self):
        process = self.start()
        process.send_signal(signal.SIGSTOP)
        self.assertEqual(self.refused(process, expect=IO),
                         f"process {process.pid} is stopped (SIGSTOP, or a debugger): let it go on, then repeat the command")
        process.send_signal(signal.SIGCONT)
        # The program printed no thread dump: end looks at what it printed.
        self.tool_attach(process, "out=late.iprof")
        self.end(process)

    def held(self):
        """A JVM that does not answer to a load that has begun, and the tool that waits for it."""
        process = self.start(jvm_args=[f"-agentpath:{NATIVE}/libholding_agent.so"])
        tool = subprocess.Popen([Settings.tool, "attach", str(process.pid), "out=late.iprof,samples=n"], stderr=subprocess.PIPE)
        self.addCleanup(tool.stderr.close)
        deadline = time.monotonic() + PATIENCE_S
        while "held" not in process.out_path.read_text():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        return process, tool

    def test_a_jvm_that_answers_late(self):
        process, tool = self.held()
        second = self.refused(process, "--timeout", 1, expect=IO)  # it must wait for the first
        self.assertEqual(second, f"process {process.pid} has not answered within 1 s (--timeout)")
        process.communicate(b"\n", timeout=PATIENCE_S)
        tool.wait(PATIENCE_S)

    def test_a_target_that_ends_meanwhile(self):
        process, tool = self.held()
        process.kill()
        self.assertEqual(tool.wait(PATIENCE_S), IO)
        self.assertEqual(tool.stderr.read().decode(), f"iprof: error: process {process.pid} has ended\n")

    def test_an_interrupt_ends_the_tool_and_not_the_target(self):
        process, tool = self.held()
        tool.send_signal(signal.SIGINT)
        self.assertEqual(tool.wait(PATIENCE_S), -signal.SIGINT)
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0)

    @on_one_jvm
    def test_processes_that_are_no_jvm(self):
        own = os.getpid()
        self.assertEqual(self.refused(own, expect=BAD_INPUT), f"process {own} is not a JVM: no libjvm.so is loaded in it")
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.assertEqual(self.refused(gone.pid, expect=IO), f"there is no process {gone.pid}")
        for wrong in ("0", "-1", "x", "99999999999"):
            self.assertIn("is no process id", self.run_tool("attach", "--", wrong, expect=USAGE).stderr)

    @on_one_jvm
    def test_a_library_that_is_none(self):
        """HotSpot switches off its stack guards when it is asked to load a file that is no library."""
        process = self.start()
        text = self.folder / "libtext.so"
        text.write_text("no library " * 20)
        self.assertEqual(self.refused(process, "--agent", text, expect=USAGE),
                         f"{text} is not a shared library for this processor")
        self.assertEqual(self.refused(process, "--agent", self.folder / "none.so", expect=IO),
                         f"cannot read the agent's library {self.folder}/none.so: No such file or directory")
        # A library that is not an agent.
        other = NATIVE / "libretransforming.so"
        self.assertTrue(self.refused(process, "--agent", other, expect=BAD_INPUT)
                        .startswith(f"process {process.pid}: the JVM did not load the agent: it answered "))
        self.end(process)
        self.assertNotIn("stack guard", process.out_path.read_text() + process.err_path.read_text())


@needs_root
class OtherUsers(Control):
    def test_root_reaches_the_jvm_of_another_user(self):
        self.readable_by_all()
        process = self.start(prefix=AS_NOBODY)
        self.assertEqual(self.listed()[process.pid]["program"], "Ends")
        self.tool_attach(process, "out=late.iprof")
        self.end(process)
        self.profile("late.iprof")

    def test_a_library_that_the_target_cannot_read_is_copied(self):
        self.readable_by_all()
        library = self.folder / "private" / Settings.agent.name
        library.parent.mkdir(mode=0o700)
        shutil.copy(Settings.agent, library)
        process = self.start(prefix=AS_NOBODY)
        self.tool_attach(process, "out=late.iprof", "--agent", library)
        # The copy is gone; the library that is mapped is named all the same. (Other folders there can be those of other
        # tests' tools.)
        copy = pathlib.Path(self.listed()[process.pid]["agent_library"])
        self.assertRegex(str(copy.parent), r"^/tmp/\.iprof-[0-9a-f]{16}$")
        self.assertFalse(copy.parent.exists())
        self.tool_attach(process, "out=again.iprof", "--agent", library, expect=IO)
        self.assertEqual(self.end(process)[0], "iprofagent: already loaded in this JVM; the options of the first load stand")
        self.profile("late.iprof")

    def test_others_do_not_reach_the_jvm_of_root(self):
        process = self.start()
        done = subprocess.run([*map(str, AS_NOBODY), Settings.tool, "attach", str(process.pid)], capture_output=True, text=True,
                              cwd="/", check=False)
        self.assertEqual(done.returncode, IO, done)
        self.assertRegex(done.stderr, f"^iprof: error: process {process.pid} belongs to user root, and iprof runs as \\w+: run it as "
                                      "that user or as root\n$")
        listed = subprocess.run([*map(str, AS_NOBODY), Settings.tool, "list"], capture_output=True, text=True, cwd="/", check=True)
        self.assertNotIn(f"{process.pid} ", listed.stdout)
        self.end(process)

    def test_a_jvm_in_its_own_namespaces(self):
        """It takes itself for process 1, and its /tmp is not ours."""
        prefix, place = own_namespaces(self)
        library = self.folder / Settings.agent.name  # in our /tmp, so the JVM cannot see it
        shutil.copy(Settings.agent, library)
        process = self.start(prefix=prefix)
        pid = jvm_in(process)
        jvm = self.listed()[pid]
        self.assertEqual((jvm["program"], jvm["pid_in_container"]), ("Ends", 1))
        self.tool_attach(pid, "out=late.iprof", "--agent", library)
        self.assertTrue(self.listed()[pid]["agent_library"].startswith("/tmp/.iprof-"))
        self.end(process)
        self.profile(place / "late.iprof")
