"""The commands of the tool for a running agent: start, stop, reset, dump and status. profile, which does everything at once, is in
profile_command.py, what an agent or a JVM does wrong in cli/jvm/agent_control_test.cc, and tools that are killed or of another user
in session_tools.py."""

import os
import pathlib
import re
import signal
import subprocess
import time
import zipfile

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.control import Controlled
from harness.scope import on_newest_jvm, on_one_jvm
from harness.session_case import BAD_INPUT, PER_ROUND, ROUND, SessionCase


class Windows(SessionCase):
    def test_a_window_has_the_rounds_that_ran_in_it(self):
        process = self.start()
        self.cycle(process)
        self.assert_tidy(process)
        self.end(process)

    @on_one_jvm
    def test_a_program_that_records_from_its_start(self):
        process = self.start(agent="out=end.iprof")
        self.rounds(process, 2)
        self.assertEqual(self.status(process)["state"], "recording")
        self.command("stop", process, "-o", "stop.iprof")
        self.assertEqual(self.counted("stop.iprof"), 2)
        self.assertEqual(self.status(process)["state"], "stopped")
        self.end(process)

    def test_an_attached_agent(self):
        process = self.start(agent=None)
        self.rounds(process, 1)
        self.command("attach", process, "start=n,samples=n,image=n,out=end.iprof")
        self.cycle(process)
        self.end(process)

    @on_one_jvm
    def test_the_agent_writes_to_its_own_file(self):
        process = self.start()
        self.command("start", process)
        self.rounds(process, 2)
        said = self.command("dump", process).stdout
        self.assertIn(f"{self.folder}/end.iprof", said)
        self.assertEqual(self.counted("end.iprof"), 2)
        self.end(process)

    @on_one_jvm
    def test_a_compressed_file(self):
        process = self.start()
        self.command("start", process)
        self.rounds(process, 1)
        self.command("stop", process, "-o", "x.iprof.gz")
        self.assertEqual((self.folder / "x.iprof.gz").read_bytes()[:2], b"\x1f\x8b")
        self.end(process)


class Resets(SessionCase):
    OF_ENDING_THREADS = ("java/lang/Thread.exit", "java/lang/Thread.clearReferences")

    def test_frames_that_live_across_a_reset(self):
        """main() and what it calls to read are entered before the reset and left after it. What is derived for them must be within the
        bounds that the agent knows. Threads of the JVM and of the agent may end in that time: counters and stacks are not read at one
        moment, so what such a thread does last may be off."""
        for stops in (False, True):
            process = self.start(agent="out=end.iprof,force=y,selfcheck=y,verbose=1")
            self.rounds(process, 2)
            if stops:
                self.command("stop", process)
            self.command("reset", process)
            if stops:
                self.command("start", process)
            self.rounds(process, 3)
            said = "\n".join(line for line in self.end(process) if "selfcheck" in line)
            beyond = re.findall(r"beyond k: (\S+)\(", said)
            self.assertIn(f" within k, {len(beyond)} beyond k", said)
            self.assertEqual([method for method in beyond if method not in self.OF_ENDING_THREADS], [], said)
            self.assertEqual(self.counted("end.iprof"), 3)

    @on_one_jvm
    def test_only_the_samples(self):
        process = self.start(agent="samples=y,interval=1ms,out=end.iprof")
        self.rounds(process, 2)
        self.command("dump", process, "-o", "before.iprof")
        self.command("reset", process, "--samples")
        self.command("dump", process, "-o", "after.iprof")
        self.end(process)
        self.assertEqual(self.counted("before.iprof"), 2)
        self.assertEqual(self.counted("after.iprof"), 2)
        before, after = (sum(self.profile(name).samples().values()) for name in ("before.iprof", "after.iprof"))
        self.assertLess(after, before)


class Ways(SessionCase):
    """Without the usual way to the agent."""
    @on_newest_jvm
    def test_the_doorbell(self):
        process = self.start(jvm_args=["-XX:-EnableDynamicAgentLoading"])
        self.cycle(process)
        self.assert_tidy(process)
        self.end(process)

    def test_the_control_socket_that_the_options_name(self):
        for flag in ("-XX:+DisableAttachMechanism", "-XX:-EnableDynamicAgentLoading"):
            process = self.start(agent="start=n,out=end.iprof,control=%p.sock", jvm_args=[flag])
            self.assertTrue((self.folder / f"{process.pid}.sock").is_socket())
            self.cycle(process)
            self.end(process)
            self.assertFalse((self.folder / f"{process.pid}.sock").exists())

    @on_one_jvm
    def test_the_control_socket_alone(self):
        """The JVM writes the files."""
        process = self.start(agent=None)
        self.command("attach", process, f"start=n,samples=n,image=n,out=end.iprof,control={self.folder}/a.sock")
        self.cycle(process, "--control", self.folder / "a.sock")
        self.end(process)

    def test_commands_before_the_jvm_is_initialised(self):
        path = self.folder / "a.sock"
        # Touching so much memory takes a while.
        process = self.start(agent=f"start=n,out=end.iprof,control={path}", jvm_args=["-Xms512m", "-XX:+AlwaysPreTouch"],
                             ready=None)
        deadline = time.monotonic() + PATIENCE_S
        while not path.exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)
        control = Controlled(path, PATIENCE_S)
        answers = [control.ask(verb)["outcome"] for verb in ("status", "start", "status", "stop")]
        self.assertEqual(answers, ["done"] * 4)
        self.rounds(process, 1)
        self.end(process)


class Starting(SessionCase):
    """Commands that come while a Java agent, which is named first, holds up the JVM's start. They wait until the agent is ready."""
    def begin(self, options):
        jar = self.folder / "premain.jar"
        with zipfile.ZipFile(jar, "w") as made:
            made.writestr("META-INF/MANIFEST.MF", "Premain-Class: SlowPremain\n")
        if "java.instrument" not in self.run_java(["--list-modules"], agent=None).stdout:
            self.skipTest(f"{self.jvm.id} has no Java agents")
        process = self.start(agent=None, ready=None, jvm_args=[
            f"-javaagent:{jar}=wait", f"-agentpath:{Settings.agent}={options}out={self.folder}/end.iprof,samples=n,image=n"])
        self.wait(process, lambda: "premain" in process.err_path.read_text())
        return process

    def wait(self, process, has_come):
        deadline = time.monotonic() + PATIENCE_S
        while not has_come():
            self.assertIsNone(process.poll(), process.err_path.read_text())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    @staticmethod
    def commands_in(process):
        """How many commands wait or run in the JVM. Each has a thread."""
        found = 0
        for path in pathlib.Path(f"/proc/{process.pid}/task").glob("*/comm"):
            try:
                found += path.read_text() == "iprof-command\n"
            except OSError:
                pass  # the thread has ended
        return found

    def give(self, process, *verbs):
        """Tools whose commands have arrived, in this order."""
        tools = []
        for number, verb in enumerate(verbs, 1):
            tool = subprocess.Popen([Settings.tool, verb, str(process.pid)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, text=True)
            self.addCleanup(tool.stderr.close)
            self.addCleanup(tool.kill)
            tools.append(tool)
            self.wait(process, lambda number=number, tool=tool: self.commands_in(process) == number or tool.poll() is not None)
            self.assertIsNone(tool.poll(), f"'{verb}' did not wait")
        return tools

    def go_on(self, process, tools):
        process.stdin.write(b"\n")
        process.stdin.flush()
        for tool in tools:
            self.assertEqual((tool.wait(PATIENCE_S), tool.stderr.read()), (0, ""))
        self.wait(process, lambda: "ready" in process.out_path.read_text())

    def test_a_stop_and_a_start(self):
        process = self.begin("")
        self.go_on(process, self.give(process, "stop", "start"))
        self.assertEqual(self.status(process)["state"], "recording")
        self.rounds(process, 3)
        self.end(process)
        self.assertEqual(self.counted("end.iprof"), 3)
        (receivers,) = (types for context, types in self.profile("end.iprof").receivers().items()
                        if context[0].startswith(ROUND) and "Dumps$Twice" in types)
        self.assertEqual(receivers, {"Dumps$Negate": 3 * (1000 - PER_ROUND), "Dumps$Twice": 3 * PER_ROUND})

    def test_a_start_of_an_agent_that_waits_for_it(self):
        process = self.begin("start=n,")
        self.go_on(process, self.give(process, "start"))
        self.rounds(process, 2)
        self.command("stop", process, "-o", "stop.iprof")
        self.assertEqual(self.counted("stop.iprof"), 2)
        self.assertEqual([line for line in self.end(process) if "no more classes are counted" in line], [])

    def test_a_program_that_ends_before_it_begins(self):
        process = self.begin("")
        (tool,) = self.give(process, "stop")
        process.terminate()
        process.wait(PATIENCE_S)  # with its input open, so that premain does not end before
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertNotEqual(tool.wait(PATIENCE_S), 0)
        self.assertRegex(tool.stderr.read(), "the program is ending|has ended")


class Refusals(SessionCase):
    @on_one_jvm
    def test_a_command_that_does_not_fit(self):
        process = self.start()
        self.assertIn("nothing is being recorded", self.refused("stop", process))
        self.command("start", process)
        self.assertIn("running already", self.refused("start", process))
        self.assertIn("recording already", self.refused("profile", process, "-o", "x.iprof"))
        self.command("stop", process)
        self.assertIn("nothing is being recorded", self.refused("stop", process))
        self.end(process)

    @on_one_jvm
    def test_without_the_agent(self):
        process = self.start(agent=None)
        self.assertEqual(self.refused("status", process, expect=BAD_INPUT),
                         f"the agent is not loaded in process {process.pid}: 'iprof profile {process.pid}' or 'iprof attach "
                         f"{process.pid}' loads it")
        self.end(process)

    @on_one_jvm
    def test_an_agent_that_refuses_to_start_says_why(self):
        process = self.start(agent=None)
        said = self.refused("attach", process, "out=/dev/null/x.iprof", expect=BAD_INPUT)
        self.assertEqual(said, f"process {process.pid}: option 'out': cannot create the folder '/dev/null': Not a directory")
        self.end(process)

    def test_attaching_is_disabled(self):
        process = self.start(jvm_args=["-XX:+DisableAttachMechanism"])
        self.assertIn("-XX:+DisableAttachMechanism, which forbids attaching", self.refused("status", process, expect=BAD_INPUT))
        self.end(process)

    @on_one_jvm
    def test_a_control_path_that_is_taken(self):
        taken = self.folder / "taken"
        taken.write_text("data")
        process = self.start(agent=None)
        self.assertEqual(self.refused("attach", process, f"control={taken}", expect=BAD_INPUT),
                         f"process {process.pid}: option 'control': '{taken}' exists already, and is not a socket that a killed JVM left")
        self.assertEqual(taken.read_text(), "data")
        self.end(process)

    @on_one_jvm
    def test_processes_that_are_no_jvm(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        for verb, *args in (("start",), ("stop",), ("reset",), ("dump",), ("status",), ("profile", "-o", "x.iprof")):
            with self.subTest(verb=verb):
                self.assertEqual(self.refused(verb, gone.pid, *args), f"there is no process {gone.pid}")
                self.assertEqual(self.refused(verb, os.getpid(), *args, expect=BAD_INPUT),
                                 f"process {os.getpid()} is not a JVM: no libjvm.so is loaded in it")
        self.assertFalse((self.folder / "x.iprof").exists())

    @on_one_jvm
    def test_an_output_that_cannot_be_written_changes_nothing(self):
        process = self.start()
        self.command("start", process)
        self.assertIn("No such file", self.refused("stop", process, "-o", "none/x.iprof"))
        self.assertEqual(self.status(process)["state"], "recording")
        self.end(process)


class ByOptions(SessionCase):
    """For those who cannot run a command."""
    def test_start_n_keeps_class_data_sharing(self):
        if self.run_java(["-version"], agent=None, jvm_args=["-Xshare:on"], expect=None).code:
            self.skipTest(f"{self.jvm.id} has no class-data archive")
        run = self.run_java("Ends", "return", agent="start=n", jvm_args=["-Xshare:on"])
        self.assertEqual(self.agent_lines(run.stderr), [])

    @on_one_jvm
    def test_a_delay_and_a_duration(self):
        process = self.start(agent="delay=500ms,duration=2s,out=end.iprof")
        self.rounds(process, 1)
        while not (self.folder / "end.iprof").exists():
            self.rounds(process, 1)
        counted = self.counted("end.iprof", edges=2)  # time does not wait for the end of a round
        self.assertGreater(counted, 0)
        self.assertLessEqual(counted, process.rounds)
        self.assertEqual(self.status(process)["state"], "stopped")
        self.rounds(process, 1)
        self.end(process)
        self.assertEqual(self.counted("end.iprof", edges=2), counted)  # nothing was recorded since then


class Statuses(SessionCase):
    @on_one_jvm
    def test_what_the_agent_says_of_itself(self):
        process = self.start()
        idle = self.status(process)
        self.assertEqual((idle["state"], idle["pid"], idle["counters"]), ("stopped", process.pid, 0))
        self.command("start", process)
        self.rounds(process, 1)
        status = self.status(process)
        self.assertEqual(status["state"], "recording")
        self.assertEqual(status["records"], ["calls", "branches", "receivers", "monitors"])
        self.assertGreater(status["classes_counted"], 100)
        self.assertGreater(status["methods_counted"], status["classes_counted"])
        self.assertGreater(status["counters"], status["methods_counted"])
        self.assertGreaterEqual(status["now_ms"], status["since_ms"])
        self.assertEqual(status["out"], f"{self.folder}/end.iprof")
        text = self.command("status", process).stdout
        self.assertTrue(text.startswith(f"process {process.pid}: recording since "), text)
        self.assertIn("\n  classes     ", text)
        self.end(process)

    def test_pauses_are_those_of_the_jvm(self):
        """Most of the work of a swap is done while the program runs, and is no pause."""
        log = self.folder / "jvm.log"
        process = self.start(jvm_args=[f"-Xlog:safepoint=info:file={log}"])
        self.command("start", process)
        status = self.status(process)
        all_pauses = [(kind, int(ns) / 1e6) for kind, ns in re.findall(r'Safepoint "(\w+)".* Total: +(\d+) ns', log.read_text())]
        pauses = sorted(ms for kind, ms in all_pauses if kind == "RedefineClasses")
        batches = status["swap_batches"]
        self.assertGreater(len(pauses), 1)
        self.assertLessEqual(batches, len(pauses))  # classes that are linked later have pauses of their own
        # The agent reads the JVM's own sum of pauses before and after each batch: its figure has all of the batch's own pauses, and
        # may have some of other kinds that came in that time. A millisecond a batch is for rounding.
        self.assertLessEqual(status["swap_total_pause_ms"], sum(ms for _, ms in all_pauses) + batches)
        self.assertGreaterEqual(status["swap_total_pause_ms"] + batches, sum(pauses[:batches]) / 2)
        self.end(process)


class Signals(SessionCase):
    def test_the_agents_java_threads_take_the_signals_that_the_programs_take(self):
        """What they start, threads and processes, inherits what they block."""
        process = self.start(agent=None)
        self.command("attach", process, "start=n,out=end.iprof")
        self.command("start", process)
        blocked = {}
        for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
            status = (task / "status").read_text()
            blocked.setdefault((task / "comm").read_text().strip(), set()).add(re.search(r"^SigBlk:\t(\w+)$", status, re.M)[1])
        self.assertEqual(blocked["iprof"], blocked["Finalizer"])
        self.end(process)


class AfterAStop(SessionCase):
    """The program sees how long the code of its classes is, so it sees the probes."""

    def ask(self, process, line):
        before = process.out_path.read_text().count("\n")
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()
        deadline = time.monotonic() + PATIENCE_S
        while process.out_path.read_text().count("\n") == before:
            self.assertIsNone(process.poll(), process.err_path.read_text())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        word, *numbers = process.out_path.read_text().splitlines()[-1].split()
        self.assertEqual(word, line)
        return list(map(int, numbers))

    def test_only_hidden_classes_keep_probes(self):
        library = Settings.agent.parent / "java-tests" / "libclass_code.so"
        process = self.start_java("Kept", library, agent="start=n,out=end.iprof")
        plain, right = self.ask(process, "lambdas")
        self.ask(process, "note")
        for recording in range(2):
            self.command("start", process)
            counted, same = self.ask(process, "lambdas")
            self.assertGreater(counted, plain)
            self.assertEqual(same, right)
            self.assertGreater(self.ask(process, "longer")[0], 100)
            stopped = self.command("stop", process).stdout
            longer, hidden = self.ask(process, "longer")
            self.assertEqual(longer, 0)
            status = self.status(process)
            # The JDK may define some of its lambdas again, too. Those of the program have other names in each recording.
            self.assertGreaterEqual(status["hidden_classes_with_probes"], 5 * (recording + 1))
            self.assertLessEqual(status["hidden_classes_with_probes"], hidden)
            # The others are not linked yet: JDK 25 loads some hundreds during a start. The program's answer is about linked ones.
            others = status["other_classes_with_probes"]
            not_linked = re.search(r"; (\d+) are not linked yet", stopped)
            self.assertEqual(others, int(not_linked[1]) if not_linked else 0)
            self.assertIn(f"keep probes {status['hidden_classes_with_probes']:,} hidden classes, {others:,} other{'s' if others != 1 else ''}",
                          self.command("status", process).stdout)
            # What is defined after the stop has none.
            self.assertEqual(self.ask(process, "lambdas"), [plain, right])
            self.assertEqual(self.status(process)["hidden_classes_with_probes"], status["hidden_classes_with_probes"])
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())

    def test_a_lambda_that_is_defined_again_has_no_probes(self):
        """It has the same name in a profile as the one with probes, which is another class."""
        library = Settings.agent.parent / "java-tests" / "libclass_code.so"
        process = self.start_java("Kept", library, agent="start=n,only=Kept*,out=end.iprof")
        plain, _ = self.ask(process, "lambdas")
        self.ask(process, "again")
        self.command("start", process)
        self.assertGreater(self.ask(process, "again")[0], plain)
        for _ in range(2):
            self.command("stop", process)
            self.assertEqual(self.status(process)["hidden_classes_with_probes"], 5)
            self.assertEqual(self.ask(process, "again")[0], plain)
            self.command("start", process)
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
