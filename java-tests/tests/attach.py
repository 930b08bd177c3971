"""Loads the agent into a running JVM. The program continues in every case."""

import re
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings

NATIVE = Settings.agent.parent / "java-tests"
DATA_DUMP_REQUEST, DYNAMIC_CODE_GENERATED = 71, 70  # JVMTI events: the last and one of the middle


class Attach(AgentCase):
    def wait_for_line(self, process, line):
        deadline = time.monotonic() + PATIENCE_S
        while line not in process.out_path.read_text().splitlines():
            if process.poll() is not None or time.monotonic() > deadline:
                self.fail(f"no {line!r}:\n{process.err_path.read_text()}")
            time.sleep(0.02)

    def end(self, process):
        """Lets the program end; returns the agent's lines of its stderr."""
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        self.assertEqual(process.out_path.read_text(), "ready\ndone\n")
        return self.agent_lines(process.err_path.read_text())

    def test_the_profile_comes_when_the_program_ends(self):
        process = self.start_java("Ends", "wait", agent=None)
        self.attach(process, "out=late.iprof")
        self.end(process)
        self.assertIn("Ends.main([Ljava.lang.String;)void", self.profile("late.iprof").methods)

    def test_a_bad_option_is_refused_and_can_be_repeated_right(self):
        process = self.start_java("Ends", "wait", agent=None)
        self.attach(process, "ouf=late.iprof", expect_ok=False)
        self.attach(process, "out=late.iprof")
        lines = self.end(process)
        self.assertEqual(lines[0], "iprofagent: unknown option 'ouf'; did you mean 'out=late.iprof'?")
        self.profile("late.iprof")

    def test_a_second_load_changes_nothing(self):
        process = self.start_java("Ends", "wait", agent="out=start.iprof")
        self.attach(process, "out=late.iprof")
        lines = self.end(process)
        self.assertEqual(lines[0], "iprofagent: already loaded in this JVM; the options of the first load stand")
        self.profile("start.iprof")
        self.assertFalse((self.folder / "late.iprof").exists())

    def test_help_does_not_end_the_target(self):
        process = self.start_java("Ends", "wait", agent=None)
        self.attach(process, "help")
        self.end(process)
        self.assertIn("default.iprof", process.err_path.read_text())
        self.assertFalse((self.folder / "default.iprof").exists())

    def test_a_program_that_ends_while_the_agent_is_loaded_keeps_its_earlier_profile(self):
        if self.jvm.tool("jcmd") is None:
            self.skipTest(f"{self.jvm.id} has no jcmd to attach with")
        (self.folder / "late.iprof").write_text("an earlier profile")
        process = self.start_java("Ends", "wait", agent=None, jvm_args=[f"-agentpath:{NATIVE}/libholding_agent.so"])
        jcmd = subprocess.Popen([self.jvm.tool("jcmd"), str(process.pid), "JVMTI.agent_load", str(Settings.agent),
                                 '"out=late.iprof,samples=y"'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for_line(process, "held")
        process.communicate(b"\n", timeout=PATIENCE_S)
        jcmd.wait(PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        self.assertEqual(self.agent_lines(process.err_path.read_text())[1:],  # the first is from the other agent
                         ["iprofagent: no profile was written: the program ended while the agent was being loaded"])
        self.assertEqual((self.folder / "late.iprof").read_text(), "an earlier profile")

    def test_a_start_that_fails_in_the_middle_leaves_the_program_alone(self):
        for event in (DATA_DUMP_REQUEST, DYNAMIC_CODE_GENERATED):
            with self.subTest(event=event):
                process = self.start_java("Ends", "load", agent=None,
                                          jvm_args=[f"-agentpath:{NATIVE}/librefusing_agent.so={event}"])
                self.attach(process, "out=late.iprof,samples=y", expect_ok=False)
                self.assertRegex(self.end(process)[-1], "^iprofagent: cannot enable the JVMTI event \\w+: INTERNAL .113.$")
                self.assertFalse((self.folder / "late.iprof").exists())

    def test_onerror_ignore(self):
        process = self.start_java("Ends", "wait", agent=None)
        self.attach(process, "onerror=ignore,ouf=x")
        (line,) = self.end(process)
        self.assertTrue(line.endswith("going on without the agent (onerror=ignore)"), line)

    def test_classes_that_were_loaded_earlier(self):
        """Linked classes are counted from the attach on, others from the time when the program links them; the agent
        links none."""
        process = self.start_java("Earlier", agent=None)
        self.attach(process, "out=late.iprof,verbose=2")
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.wait_for_line(process, "linked Later")
        deadline = time.monotonic() + PATIENCE_S
        while "linked later and counted from then on: " not in process.err_path.read_text():
            if time.monotonic() > deadline:
                self.fail(f"the class that was linked late was not retransformed:\n{process.err_path.read_text()}")
            self.run_command([self.jvm.tool("jcmd"), str(process.pid), "JVMTI.data_dump"])
            time.sleep(0.2)
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.communicate(timeout=PATIENCE_S)
        said = process.err_path.read_text()
        self.assertEqual(process.returncode, 0, said)
        self.assertIn("cannot be linked: Earlier$Missing", process.out_path.read_text())
        self.assertNotIn("refused to retransform", said)
        self.assertRegex(said, r"loaded before counting began: [\d,]+ class(es)? retransformed in [\d,]+ pauses?")
        profile = self.profile("late.iprof")
        self.assertEqual(profile.calls_of("Earlier$InUse.half"), 1000)
        # The single call right after linking may run before or after the retransformation.
        self.assertIn(profile.calls_of("Earlier$Later.third"), (1000, 1001))

    def test_calls_count_once_however_they_are_made(self):
        """Counting begins for constructors and getters of one class in the same pause. A loop that runs at that time
        keeps its code, which calls the counted methods: 6 objects for 4 reads, before and after."""
        process = self.start_java("MadeAndRead", agent=None)
        self.attach(process, "out=late.iprof")
        process.stdin.write(b"\n")
        process.stdin.flush()
        deadline = time.monotonic() + PATIENCE_S
        while "rounds" not in process.out_path.read_text():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        after_attach, end = (int(n) for n in re.findall(r"rounds (\d+)", process.out_path.read_text()))
        profile = self.profile("late.iprof")
        made = profile.calls_of("MadeAndRead$Thing.<init>(int)")
        by_default = profile.calls_of("MadeAndRead$Thing.<init>()")
        read = profile.calls_of("MadeAndRead$Thing.get")
        self.assertGreaterEqual(read, 4 * (end - after_attach - 1))
        self.assertLess(read, 4 * end)
        # The round in which counting began is counted partially.
        self.assertLessEqual(abs(2 * made - 3 * read), 2 * 6 + 3 * 4, (made, read))
        self.assertLessEqual(abs(made - 6 * by_default), 2 * 6, (made, by_default))

    def test_classes_that_are_not_asked_for_are_not_retransformed(self):
        counts = {}
        for options in ("jdk=y", "jdk=n", "include=Earlier*"):
            process = self.start_java("Earlier", agent=None)
            self.attach(process, f"out=late.iprof,verbose=2,{options}")
            process.communicate(b"\n\n", timeout=PATIENCE_S)
            said = process.err_path.read_text()
            self.assertEqual(process.returncode, 0, said)
            counts[options] = int(re.search(r"counting began: (\d+) classes retransformed", said).group(1))
            self.assertGreaterEqual(self.profile("late.iprof").calls_of("Earlier$InUse.half"), 1000)
        self.assertGreater(counts["jdk=y"], 100)
        self.assertLess(counts["jdk=n"], 20)
        self.assertLess(counts["include=Earlier*"], 20)
