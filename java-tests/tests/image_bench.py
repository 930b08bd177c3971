"""`bench/run image` with a GraalVM that only looks like one: what is built, kept, run and printed, and what it says without an Oracle GraalVM."""

import re
import sys

from iprofdev import maven
from iprofdev.messages import Unavailable
from iprofdev.places import ROOT

from harness import fake_graalvm
from harness.case import AgentCase, Settings
from harness.scope import in_proof

BENCH = ROOT / "bench" / "run"
MODES = "exact,harvest"


class ImageBench(AgentCase):
    def setUp(self):
        super().setUp()
        if Settings.tool is None or not Settings.tool.exists():
            self.skipTest("the iprof tool is not built")
        try:
            maven.jars(["rhino", "antlr"])
        except Unavailable as why:
            self.skipTest(str(why))

    def graalvm(self, name="graalvm", **settings):
        return fake_graalvm.make(self.folder / name, self.jvm, Settings.agent, **settings)

    def bench(self, home, *options, modes=MODES, expect=0):
        named = ["--graalvm", home] if home else []
        return self.run_command([sys.executable, BENCH, "image", *named, "--agent", Settings.agent, "--tool", Settings.tool, "--keep", self.folder / "kept",
                                 "--quick", "--modes", modes, *options], expect=expect, env={"GRAALVM_HOME": ""})

    @staticmethod
    def rows(run, heading):
        """first cell -> the other cells, of the table under the line that begins with the heading."""
        lines = iter(run.stdout.splitlines())
        next(line for line in lines if line.startswith(heading))
        next(lines)
        found = {}
        for line in lines:
            if not line.startswith("|"):
                break
            first, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            found[first] = cells
        return found

    @in_proof
    def test_images_are_built_once_and_compared(self):
        home = self.graalvm()
        first = self.bench(home, "--programs", "rhino,antlr", "--forks", "2", "--csv", self.folder / "runs.csv", modes="exact")
        self.assertIn("8 images are built first.", first.stdout)  # of each program: no profile, exact, with counters, with their profile
        self.assertEqual(len(fake_graalvm.builds(home)), 8)
        ratio = r"\d+\.\d\d \[\d+\.\d\d, \d+\.\d\d\]"
        for program in ("rhino", "antlr"):
            rows = self.rows(first, f"{program}: ")
            self.assertEqual(list(rows), ["", "---", "no profile", "exact", "instrumented", "in a JVM"], first)
            self.assertRegex(" ".join(rows["exact"]), rf"^{ratio} \d+\.\d\d {ratio} \d+\.\d\d \d+\.\d( \d+\.\d{{3}} %){{4}}$")
            for percent in rows["exact"][-4:]:  # the same work, counted by the same agent
                self.assertLess(float(percent.removesuffix(" %")), 5)
            self.assertEqual(rows["no profile"][0], "1")
            self.assertEqual(rows["in a JVM"][-5:], [""] * 5)
        over_all = self.rows(first, "over 2 programs")
        speed = rf"{ratio} \d+\.\d\d \d+\.\d\d, (rhino|antlr)"
        self.assertRegex(" ".join(over_all["exact"]), rf"^{speed} {speed} [01]\.\d\d$")
        self.assertEqual(len((self.folder / "runs.csv").read_text().splitlines()), 1 + 2 * 2 * 4)

        again = self.bench(home, "--programs", "rhino", modes="exact")
        self.assertIn("nothing is built", again.stdout)
        self.assertNotIn("made ", again.stdout)
        self.assertEqual(len(fake_graalvm.builds(home)), 8)
        self.bench(home, "--programs", "rhino", modes="samples")
        self.assertEqual(len(fake_graalvm.builds(home)), 9)
        self.bench(home, "--programs", "rhino", "--build-args=-O3", modes="samples")  # other options, other images
        self.assertEqual(len(fake_graalvm.builds(home)), 13)
        self.assertIn("-O3", fake_graalvm.builds(home)[-1])
        self.bench(home, "--programs", "rhino", modes="samples")  # those of before are still there
        self.assertEqual(len(fake_graalvm.builds(home)), 13)

    def test_a_failed_build_and_a_wrong_result_are_said_and_the_others_go_on(self):
        failing = self.bench(self.graalvm(fails="profiles/exact"), "--programs", "rhino", expect=1)
        self.assertRegex(failing.stdout, r"(?s)FAILED: rhino, exact: exit 1: .*ran out of memory")
        self.assertEqual(failing.stdout.count("FAILED"), 1, failing)
        rows = self.rows(failing, "rhino: ")
        self.assertEqual(rows["exact"], ["-", "", "-", "", "", "", "", "", ""])
        self.assertRegex(rows["harvest"][0], r"^\d+\.\d\d \[one fork\]$")
        self.assertRegex(rows["harvest"][-1], r"^\d+\.\d{3} %$")

        wrong = self.bench(self.graalvm("other", edition="Oracle GraalVM 24+36.1", wrong="images/exact"), "--programs", "rhino", modes="exact", expect=1)
        self.assertRegex(wrong.stdout, r"(?m)^FAILED: rhino, exact: computes 1, not \d+ as in a JVM$")
        self.assertEqual(wrong.stdout.count("FAILED"), 1, wrong)

    def test_without_an_oracle_graalvm_it_says_so_in_one_sentence(self):
        needed = re.escape("run: this benchmark needs an Oracle GraalVM, because only its native-image takes profiles (--pgo)")
        community = self.graalvm(edition="GraalVM CE 25.0.2+10.1")
        empty = self.folder / "empty"
        empty.mkdir()
        for home, why in ((None, ": name its folder with --graalvm HOME"),
                          (self.folder / "missing", ", and there is no folder /.*/missing"),
                          (empty, ", and /.*/empty is none, because it lacks bin/native-image or bin/java"),
                          (self.jvm.home, ", and /.* is none, because it lacks bin/native-image or bin/java"),
                          (community, r", and /.* is GraalVM CE 25\.0\.2\+10\.1, which has no --pgo")):
            with self.subTest(home):
                run = self.bench(home, expect=2)
                self.assertEqual(run.stdout, "")
                self.assertRegex(run.stderr, rf"^{needed}{why}\.\n$")

    def test_unknown_programs_and_modes_are_refused(self):
        self.assertIn("there is no program pascal; there are: rhino, antlr, closure", self.bench(None, "--programs", "pascal", expect=2).stderr)
        self.assertIn("there is no mode fast; there are: exact, ", self.bench(None, modes="fast", expect=2).stderr)
