"""What an image build would find: every record of javac's profile is at a branch of the class file and has that
branch's successors, and the consumer computes the probability that follows from the oracle's counts."""

import json
import shutil
import sys

from iprofdev.messages import Unavailable

from harness.case import C1_ONLY, AgentCase
from harness.scope import in_proof
from oracle import asm_agent, counts, java_sources, jdk_classes

REQUIRES = "jdk"


# The consumer gives a successor that never ran this probability for each of its records, and takes it from the others.
ZERO = 1e-6
ROUNDED = 1e-6  # the tool prints six digits


def probabilities(records):
    """Shares as the consumer sees them: a successor is identified by its bci, and each has one record."""
    total = sum(n for _, _, n in records)
    return {bci: n / total for bci, _, n in records}


def agree(one, other, tolerance):
    return one.keys() == other.keys() and all(abs(one[bci] - other[bci]) <= tolerance for bci in one)


class ConsumerView(AgentCase):
    jvm_defaults = C1_ONLY
    agent_defaults = {"image": "n"}
    sources = java_sources.SOME

    def compile(self, options="", jvm_args=()):
        """Runs javac under the agent, without files of an earlier run, which would leave less work."""
        shutil.rmtree(self.folder / "classes", ignore_errors=True)
        self.run_java(*java_sources.javac_command(self.folder / "classes", self.sources), agent=options, jvm_args=jvm_args)
        self.profile()

    def shown(self, pattern):
        """(method's description, bci) -> {bci: probability}, as the tool says that the consumer finds it."""
        run = self.run_tool("show", self.folder / "default.iprof", "--method", pattern, "--table", "branches", "--format", "json")
        found = {}
        for method in json.loads(run.stdout)["methods"]:
            for place in method["tables"].get("conditionalProfiles", []):
                view = place["consumer"]
                self.assertTrue(view["found"], f"{method['method']} bci {place['bci']}")
                found[method["method"], place["bci"]] = {s["bci"]: s["probability"] for s in view["successors"]}
        return found

    def test_every_record_is_where_the_class_file_has_it(self):
        jdk = jdk_classes.JdkClasses(self.jvm, "jdk.compiler", "java.base")
        self.compile()
        recorded = counts.from_profile(self.folder / "default.iprof")
        checked, wrong = 0, []
        for key, sites in recorded.branches.items():
            method = jdk.find(key)
            if method is None:
                continue  # generated at run time, or of another module
            for bci, records in sites.items():
                checked += 1
                branch = method.branch_at(bci)
                if branch is None:
                    wrong.append(f"{key} bci {bci}: no branch there")
                    continue
                expected = [r[:2] for r in counts.one_each((target, 0) for target in branch.targets)]
                if [r[:2] for r in records] != expected:
                    wrong.append(f"{key} bci {bci}: {records}, the class file has {expected}")
                elif not any(r[2] for r in records):
                    wrong.append(f"{key} bci {bci}: all zero")
        print(f"{checked} records, {len(wrong)} wrong", file=sys.stderr)
        self.assertGreater(checked, 3000)
        self.assertEqual(wrong[:20], [])
        unknown = [key for key in recorded.calls if key[0] == "com.sun.tools.javac.Main" and jdk.find(key) is None]
        self.assertEqual(unknown, [])

    def test_the_consumer_finds_the_oracles_probabilities(self):
        """Checks every branch of javac that ran under the oracle. Counted directly, all are equal to the oracle's.
        With derived counts, a few that exceptions may have changed are left out, and no other is off by more than
        a point."""
        try:
            oracle = asm_agent.AsmAgent(self.jvm, self.folder / "oracle")
        except Unavailable as missing:
            self.skipTest(str(missing))
        output = self.folder / "oracle.json"
        self.run_java(*java_sources.javac_command(self.folder / "classes", self.sources), agent=None,
                      jvm_args=[*java_sources.DETERMINISTIC, *oracle.options(output, "com/sun/tools/javac/")])
        expected = {}
        for (owner, name, (result, *parameters)), sites in counts.from_oracle(output).branches.items():
            for bci, records in sites.items():
                place = f"{owner}.{name}({', '.join(parameters)}){result}", bci
                expected[place] = probabilities(records), len(records) * ZERO + ROUNDED
        self.assertGreater(len(expected), 3000)
        for options, slack, most_left_out in (("placement=direct", 0, 0), ("placement=tree", 0.01, 0.02)):
            with self.subTest(options):
                self.compile(options, java_sources.DETERMINISTIC)
                found = self.shown("com.sun.tools.javac.*")
                left_out = [place for place in expected if place not in found]
                differing = [f"{place}: {found[place]}, the oracle gives {shares}"
                             for place, (shares, smoothed) in expected.items()
                             if place in found and not agree(found[place], shares, smoothed + slack)]
                print(f"{self.jvm.id} {options}: of {len(expected)} branches {len(left_out)} are left out, {len(differing)} have not "
                      "the oracle's probabilities", file=sys.stderr)
                self.assertEqual(differing[:40], [])
                self.assertLessEqual(len(left_out), most_left_out * len(expected), left_out[:40])


@in_proof
class ConsumerViewWithC2(ConsumerView):
    jvm_defaults = ()
    sources = java_sources.ALL
