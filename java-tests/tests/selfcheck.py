"""The same-run oracle: selfcheck=y counts every edge, derives the tree's edges again and compares the two."""

import re
import sys

from harness.case import AgentCase
from oracle import java_sources


class SelfCheck(AgentCase):
    def check(self, *command, expect=0):
        run = self.run_java(*command, agent="selfcheck=y", expect=expect)
        lines = [line for line in self.agent_lines(run.stderr) if "self-check" in line or "selfcheck" in line]
        self.assertTrue(lines, f"the agent says nothing of its self-check:\n{run.stderr}")
        print("\n".join(lines), file=sys.stderr)
        found = re.search(r"(\d+) (?:edges )?(?:differ|beyond)", "\n".join(lines))
        self.assertTrue(found, "\n".join(lines))
        self.assertEqual(found[1], "0", "\n".join(lines))

    def test_a_million_exceptions(self):
        self.check("counting.MillionExceptions", "1000000")

    def test_programs_that_know_their_counts(self):
        self.check("counting.All", "1")

    def test_javac(self):
        if self.jvm.kind != "jdk":
            self.skipTest(f"{self.jvm.id} has no javac")
        self.check(*java_sources.javac_command(self.folder / "classes"))
