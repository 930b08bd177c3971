"""What an image build would find: every record of javac's profile lies on a branch of the class file, its successors are
that branch's, and the probability that the consumer computes is the one that the oracle's numbers give."""

import json
import sys

from harness.case import AgentCase
from oracle import counts, java_sources, jdk_classes

REQUIRES = "jdk"


def probability(records):
    """As the consumer does it: counts add up by index; the first index against all."""
    sums = {}
    for _, index, n in records:
        sums[index] = sums.get(index, 0) + n
    return {index: n / sum(sums.values()) for index, n in sums.items()}


class ConsumerView(AgentCase):
    def setUp(self):
        super().setUp()
        self.run_java(*java_sources.javac_command(self.folder / "classes"))
        self.profile()
        self.found = counts.from_profile(self.folder / "default.iprof")

    def test_every_record_is_where_the_class_file_has_it(self):
        try:
            jdk = jdk_classes.JdkClasses(self.jvm, self.folder / "jdk", "regex:/(jdk.compiler|java.base)/.*")
        except FileNotFoundError as missing:
            self.skipTest(str(missing))
        checked, wrong = 0, []
        for key, sites in self.found.branches.items():
            method = jdk.find(key)
            if method is None:
                continue  # made at run time, or of another module
            for bci, records in sites.items():
                checked += 1
                branch = method.branch_at(bci)
                if branch is None:
                    wrong.append(f"{key} bci {bci}: no branch there")
                    continue
                first, expected = {}, []
                for target in branch.targets:
                    if branch.is_switch:
                        expected.append((target if target not in first else counts.SHARED,
                                         first.setdefault(target, len(first))))
                    else:
                        expected.append((target, len(expected)))
                if [r[:2] for r in records] != expected:
                    wrong.append(f"{key} bci {bci}: {records}, the class file has {expected}")
                elif not any(r[2] for r in records):
                    wrong.append(f"{key} bci {bci}: all zero")
        print(f"{checked} records, {len(wrong)} wrong", file=sys.stderr)
        self.assertGreater(checked, 3000)
        self.assertEqual(wrong[:20], [])
        unknown = [key for key in self.found.calls if key[0] == "com.sun.tools.javac.Main" and jdk.find(key) is None]
        self.assertEqual(unknown, [])

    def test_the_tool_shows_the_same(self):
        """iprof show, a reader of its own, gives the same probabilities."""
        shown = checked = 0
        busiest = sorted(self.found.branches, key=lambda m: -self.found.calls[m])[:5]
        for key in busiest:
            run = self.run_tool("show", self.folder / "default.iprof", "--method", f"{key[0]}.{key[1]}", "--format", "json")
            document = json.loads(run.stdout)
            shown += 1
            text = json.dumps(document)
            for bci, records in self.found.branches[key].items():
                checked += 1
                self.assertIn(str(max(r[2] for r in records)), text, f"{key} bci {bci} is missing from the tool's answer")
                self.assertAlmostEqual(sum(probability(records).values()), 1)
        print(f"{shown} methods, {checked} branches shown", file=sys.stderr)
