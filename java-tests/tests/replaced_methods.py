"""Methods of the JDK that C2 replaces, or leaves out with everything inside. The program knows how often it calls them.

What the profile says of them is exact or is marked as estimated, and then the truth is within what was estimated.
"""

import re

from harness.case import AgentCase
from harness.scope import in_proof

ROUNDS = 3_000_000
# The JVM's own calls, while it starts and ends.
FEW = 20_000
VALUE_OF = "java.lang.Long.valueOf(long)java.lang.Long"
NEW_LONG = "java.lang.Long.<init>(long)void"
CALLED = (VALUE_OF, "java.lang.Long.longValue()long", "java.lang.StringBuilder.<init>()void",
          "java.lang.StringBuilder.append(int)java.lang.StringBuilder", "java.lang.StringBuilder.append(java.lang.String)java.lang.StringBuilder",
          "java.lang.StringBuilder.toString()java.lang.String", "java.lang.Math.max(int, int)int")


class ReplacedMethods(AgentCase):
    def record(self, options="", jvm_args=()):
        run = self.run_java("Boxes", str(ROUNDS), agent=f"out=x.iprof,samples=n,image=n,verbose=1,{options}", jvm_args=list(jvm_args))
        profile = self.profile("x.iprof")
        estimated = profile.section.get("estimates", {}).get("calls", {})
        return profile, estimated, "\n".join(self.agent_lines(run.stderr))

    def near(self, found, true, what):
        self.assertGreaterEqual(found, true, what)
        self.assertLess(found, true + FEW, what)

    def branches_in(self, profile, method):
        """The counts of each branch of a method, by position."""
        return {int(context[0].rpartition(":")[2]): counts for context, counts in profile.branches().items() if context[0].startswith(f"{method}:")}

    def check(self, options="", jvm_args=()):
        profile, estimated, said = self.record(options, jvm_args)
        for method in CALLED:
            self.near(profile.calls_of(method), ROUNDS, method)
        branches = self.branches_in(profile, VALUE_OF)
        self.assertEqual(len(branches), 2, branches)
        calls = profile.calls_of(VALUE_OF)
        for position, counts in branches.items():
            self.assertAlmostEqual(sum(counts.values()), calls, delta=2, msg=f"{position}: {counts}")
        # -128 or more: always. 127 or less: half of them.
        first, second = (branches[position] for position in sorted(branches))
        self.assertGreater(max(first.values()), 0.99 * calls, first)
        self.assertAlmostEqual(min(second.values()) / calls, 0.5, delta=0.02, msg=f"{second}")
        # The constructor is called where the cache has no object.
        self.assertAlmostEqual(profile.calls_of(NEW_LONG) / ROUNDS, 0.5, delta=0.02)
        return profile, estimated, said

    def test_what_c2_leaves_out_is_estimated_and_says_so(self):
        profile, estimated, said = self.check()
        left_out = estimated[VALUE_OF]
        self.assertGreater(left_out, ROUNDS / 10)
        self.assertLess(left_out, profile.calls_of(VALUE_OF))
        self.assertGreater(estimated[NEW_LONG], ROUNDS / 30)
        replaced = re.search(r"exact, but for races between threads: ([\d,]+) of ([\d,]+) methods that ran.*; ([\d,]+) are estimated, because compilers replaced", said)
        self.assertIsNotNone(replaced, said)
        exact, ran, marked = (int(text.replace(",", "")) for text in replaced.groups())
        self.assertGreaterEqual(ran, exact + marked)
        self.assertEqual(marked, len(estimated))
        self.assertRegex(said, r"counts exact but for races between threads; [\d,]+ methods with [\d.]+ % of all calls are estimated, because compilers replaced calls of them")
        (run,) = profile.section["provenance"]["runs"]
        self.assertEqual(run["methods"]["exact"], exact)
        self.assertGreaterEqual(run["methods"]["unknown"], marked)
        shown = " ".join(self.run_tool("show", "x.iprof").stdout.split())
        self.assertRegex(shown, r"estimated: [\d.]+ % of all calls, in [\d,]+ methods that were not counted all the time")

    def test_where_nothing_is_left_out_nothing_is_estimated(self):
        profile, estimated, said = self.check(jvm_args=["-XX:-EliminateAutoBox", "-XX:-OptimizeStringConcat"])
        self.assertNotIn(VALUE_OF, estimated)
        self.assertNotIn(NEW_LONG, estimated)
        self.assertNotIn("java.lang.StringBuilder.append(int)java.lang.StringBuilder", estimated)
        self.assertIn("java.lang.Math.max(int, int)int", estimated)

    @in_proof
    def test_with_a_counter_for_everything(self):
        self.check("placement=direct")

    def test_branches_alone(self):
        profile, estimated, _ = self.record("calls=n")
        (counts,) = [counts for position, counts in sorted(self.branches_in(profile, VALUE_OF).items())][:1]
        self.near(sum(counts.values()), ROUNDS - 2, counts)
        self.assertIn(VALUE_OF, estimated)
