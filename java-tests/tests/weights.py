"""weights=: an earlier profile says where few counters are placed. The counts stay exact with every such profile."""

import gzip
import json
import pathlib
import re
import shutil
import tempfile

from harness.case import C1_ONLY
from harness.scope import on_one_jvm
from oracle.counting_case import FEW, CountingCase

PROGRAM = "All", "0", FEW
SHORT = ("samples=n", "receivers=n", "monitors=n")


class Weights(CountingCase):
    jvm_defaults = C1_ONLY

    @classmethod
    def setUpClass(cls):
        cls.saved = None
        cls.recorded = pathlib.Path(tempfile.mkdtemp(prefix="iprof-test.")) / "old.iprof"
        cls.addClassCleanup(shutil.rmtree, cls.recorded.parent, ignore_errors=True)

    def record(self, path, *options, jvm_args=()):
        self.run_java(f"counting.{PROGRAM[0]}", *PROGRAM[1:], agent=",".join((f"out={path}", *SHORT, *options)), jvm_args=jvm_args)

    def earlier(self):
        """A profile of an earlier run, which is recorded once for all tests; returns the path."""
        if not self.recorded.exists():
            self.record(self.recorded)
        return shutil.copy(self.recorded, self.folder / "old.iprof")

    def changed(self, path, name, change):
        """A copy of a profile with other records of branches."""
        document = json.loads(path.read_text())
        for entry in document["conditionalProfiles"]:
            entry["records"] = change(entry["records"])
        (self.folder / name).write_text(json.dumps(document))

    def increments(self, *options):
        """How many increments tree placement would execute, and what the agent says of the weights."""
        run = self.run_java(f"counting.{PROGRAM[0]}", *PROGRAM[1:], agent=",".join(("selfcheck=y", "verbose=1", "stripes=16", *SHORT, *options)))
        self.assertRegex(run.stderr, r"\b0 beyond k\b")
        fit = re.search(r"weights: (\d+) branches; (\d+) of (\d+) fit", run.stderr)
        return int(re.search(r"(\d+) increments with placement=tree", run.stderr)[1]), fit and tuple(map(int, fit.groups()))

    def increments_with_earlier(self):
        """The same with weights= and the earlier profile, measured once for all tests."""
        if self.saved is None:
            self.earlier()
            type(self).saved = self.increments("weights=old.iprof")
        return self.saved

    @on_one_jvm
    def test_an_exact_profile_saves_increments_and_a_wrong_one_costs_some(self):
        old = self.earlier()
        # Where a branch went one way, this says that it went the other.
        self.changed(old, "wrong.iprof", lambda records: [
            number if at % 3 < 2 else records[len(records) - 1 - at + 2] for at, number in enumerate(records)])
        without, nothing = self.increments()
        self.assertIsNone(nothing)
        right, fit = self.increments_with_earlier()
        wrong, _ = self.increments("weights=wrong.iprof")
        self.assertLess(right, without)
        self.assertGreater(wrong, 1.1 * right)
        branches, fitting, asked = fit
        self.assertEqual(branches, len(json.loads(old.read_text())["conditionalProfiles"]))
        self.assertGreater(asked, 0.9 * branches, fit)
        self.assertGreater(fitting, 0.99 * asked, fit)
        # With all weights, the counts are those that the program knows.
        for weights in ("old.iprof", "wrong.iprof"):
            with self.subTest(weights=weights):
                self.check(*PROGRAM, agent=f"weights={weights}")

    def test_a_harvested_profile(self):
        self.record("harvested.iprof", "source=methoddata", jvm_args=["-XX:TieredStopAtLevel=4"])
        _, (branches, fitting, asked) = self.increments("weights=harvested.iprof")
        self.assertGreater(branches, 0)
        self.assertGreater(fitting, 0.95 * asked, (branches, fitting, asked))
        self.check(*PROGRAM, agent="weights=harvested.iprof")

    @on_one_jvm
    def test_a_profile_of_other_code_is_not_used(self):
        old = self.earlier()
        self.changed(old, "other.iprof", lambda records: [
            number + 1 if at % 3 == 0 and number >= 0 else number for at, number in enumerate(records)])
        _, (branches, fitting, asked) = self.increments("weights=other.iprof")
        self.assertLess(fitting, 0.02 * asked, (branches, fitting, asked))
        self.check(*PROGRAM, agent="weights=other.iprof")

    @on_one_jvm
    def test_a_compressed_profile_is_the_same(self):
        old = self.earlier()
        (self.folder / "old.iprof.gz").write_bytes(gzip.compress(old.read_bytes()))
        plain, compressed = self.increments_with_earlier(), self.increments("weights=old.iprof.gz")
        self.assertEqual(plain[1][0], compressed[1][0])

    @on_one_jvm
    def test_a_file_that_is_no_profile_is_one_sentence(self):
        (self.folder / "text").write_text("hello\n")
        for name, sentence in (("missing", "missing: cannot open: No such file or directory"), (".", ".: cannot open: it is a directory"),
                               ("text", "text: not an iprof profile: it is no JSON object")):
            with self.subTest(name=name):
                run = self.run_java("Fib", agent=f"weights={name}", expect=1)
                self.assertIn(f"iprofagent: option 'weights': {sentence}\n", run.stderr)
                self.assertEqual(run.stdout, "", run)
                self.assertEqual(len(self.agent_lines(run.stderr)), 1, run)
        run = self.run_java("Fib", agent="weights=missing,onerror=ignore")
        self.assertIn("option 'weights': missing: cannot open", run.stderr)
        self.assertNotEqual(run.stdout, "")
        self.assertFalse((self.folder / "default.iprof").exists())

    @on_one_jvm
    def test_what_contradicts_it(self):
        for agent, sentence in (
                ("placement=direct,weights=x", "weights= says where placement=tree counts, so it contradicts placement=direct"),
                ("source=methoddata,weights=x", "weights= is about the agent's own counters, and source=methoddata has none")):
            self.assertIn(sentence, self.run_java("Fib", agent=agent, expect=1).stderr)
