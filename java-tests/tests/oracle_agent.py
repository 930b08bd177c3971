"""Runs deterministic programs once under the counting oracle and once under the agent: their counts are equal at
every position."""

import sys

from iprofdev.messages import Unavailable

from harness.case import C1_ONLY, AgentCase
from harness.scope import in_proof
from oracle import asm_agent, comparison, counts, java_sources
from oracle.counting_case import FEW

REQUIRES = "jdk"


class OracleAgent(AgentCase):
    jvm_defaults = C1_ONLY
    agent_defaults = {"image": "n"}
    sources = java_sources.SOME

    def setUp(self):
        super().setUp()
        try:
            self.oracle = asm_agent.AsmAgent(self.jvm, self.folder / "oracle")
        except Unavailable as missing:
            self.skipTest(str(missing))

    def expected(self, prefix, *command, jvm_args=()):
        """The oracle's counts, for the methods in which two of its runs agree."""
        runs = []
        for name in ("first", "second"):
            output = self.folder / f"{name}.json"
            self.run_java(*command, agent=None, jvm_args=[*jvm_args, *self.oracle.options(output, prefix)])
            runs.append(counts.from_oracle(output))
        unstable = {m for m in runs[0].methods() | runs[1].methods()
                    if (runs[0].calls[m], runs[0].branches.get(m)) != (runs[1].calls[m], runs[1].branches.get(m))}
        self.assertLess(len(unstable), len(runs[0].methods()) / 200, "the program is not deterministic enough")
        return runs[0], unstable

    def check(self, prefix, *command, jvm_args=(), left_out=()):
        expected, unstable = self.expected(prefix, *command, jvm_args=jvm_args)
        names = prefix.replace("/", ".")
        self.run_java(*command, agent="placement=direct", jvm_args=jvm_args)
        self.profile()
        found = comparison.compare(
            expected, counts.from_profile(self.folder / "default.iprof"),
            # The oracle's hook does not see hidden classes; a profile names proxies by its own rule; and the depth at
            # which a recursion overflows the stack depends on the instrumentation.
            wanted=lambda m: (m[0].startswith(names) and "$$Lambda" not in m[0] and "$Proxy" not in m[0] and m not in unstable
                              and m[1] != "overflow" and not m[0].startswith(left_out)))
        print(f"{prefix}: {found}; {len(unstable)} methods differ between two runs of the oracle",
              file=sys.stderr)
        if found.differing:
            self.fail(f"{found}\n" + "\n".join(found.differing[:60]))

    def test_programs_that_know_their_counts(self):
        # Without classes that become too large for the oracle's library when its calls are inserted.
        self.check("counting/", "counting.All", "0", FEW, left_out=("counting.made.Big",))

    @in_proof
    def test_javac(self):
        """consumer_view.py compares the same branches with the oracle, and method_data.py the calls with HotSpot."""
        self.check("com/sun/tools/javac/", *java_sources.javac_command(self.folder / "classes", self.sources),
                   jvm_args=java_sources.DETERMINISTIC)


@in_proof
class OracleAgentWithC2(OracleAgent):
    """The numbers are the same; tests of counts have them in each compiler's code."""
    jvm_defaults = ()
    sources = java_sources.ALL
