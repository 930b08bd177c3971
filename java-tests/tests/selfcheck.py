"""An oracle in the same run: selfcheck=y counts every edge, derives the uncounted edges of placement=tree, and compares
the two."""

import re
import sys

from harness.case import C1_ONLY, AgentCase
from harness.scope import in_proof, on_newest_jvm, on_one_jvm
from oracle import java_sources
from oracle.counting_case import FEW


class SelfCheck(AgentCase):
    jvm_defaults = C1_ONLY
    sources = java_sources.SOME

    def check(self, *command, jvm_args=()):
        # Threads that share counters lose increments, in some edges of a method more than in others: the JDK's own threads
        # in its queues and pools, those of the programs in theirs.
        run = self.run_java(*command, agent="selfcheck=y,verbose=1,stripes=16", jvm_args=jvm_args)
        lines = [line for line in self.agent_lines(run.stderr) if "selfcheck" in line]
        print("\n".join(lines), file=sys.stderr)
        said = "\n".join(lines)
        found = re.search(r"(\d+) counts: (\d+) equal, (\d+) within k, (\d+) beyond k", said)
        self.assertTrue(found, f"the agent says nothing of its self-check:\n{run.stderr}")
        counts, equal, within, beyond = map(int, found.groups())
        self.assertEqual(beyond, 0, said)
        self.assertEqual(equal + within, counts, said)
        self.assertGreater(equal, 0.99 * counts, said)
        found = re.search(r"(\d+) branches with 1000 executions or more, \d+ of them left out: (\d+) inverted, (\d+) off", said)
        self.assertTrue(found, said)
        self.assertGreater(int(found[1]), 0, said)
        self.assertEqual((found[2], found[3]), ("0", "0"), said)

    @on_one_jvm
    def test_a_million_exceptions(self):
        self.check("counting.MillionExceptions", "1000000")

    @on_one_jvm
    def test_exceptions_that_are_caught_and_gone_on_from(self):
        self.check("counting.Caught")

    @on_one_jvm
    def test_ends_at_the_bottom_of_a_deep_recursion(self):
        self.check("programs.Deep", "8000", jvm_args=["-Xss64m"])

    def test_programs_that_know_their_counts(self):
        self.check("counting.All", "1", FEW)

    @on_newest_jvm
    def test_javac(self):
        if self.jvm.kind != "jdk":
            self.skipTest(f"{self.jvm.id} has no javac")
        self.check(*java_sources.javac_command(self.folder / "classes", self.sources))


@in_proof
class SelfCheckWithC2(SelfCheck):
    """The numbers are the same; tests of counts have them in each compiler's code."""
    jvm_defaults = ()
    sources = java_sources.ALL
