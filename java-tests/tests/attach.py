"""The agent is loaded into a JVM that already runs; whatever happens, the target goes on."""

from harness.case import AgentCase


class Attach(AgentCase):
    def end(self, process):
        """Lets the program end; returns its stderr's agent lines."""
        process.communicate(b"\n", timeout=60)
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
        self.assertEqual(lines[0], "iprofagent: unknown option 'ouf'; did you mean 'out'?")
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

    def test_onerror_ignore(self):
        process = self.start_java("Ends", "wait", agent=None)
        self.attach(process, "onerror=ignore,ouf=x")
        (line,) = self.end(process)
        self.assertTrue(line.endswith("going on without the agent (onerror=ignore)"), line)
