#!/usr/bin/env python3
"""Tests iprof merge: sums, weights, lists and folders of inputs, damaged ones, and those of several kinds or programs.

Usage: cli_merge_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import gzip
import json
import os
import stat
import subprocess
import unittest

from cli_case import IPROF, CliTest, profile, section, unknown


class Merge(CliTest):
    def calls(self, name):
        return sorted(e["records"][0] for e in self.load(name)["callCountProfiles"])

    def test_merge_in_any_order(self):
        a, b = self.write("a.iprof", profile()), self.write("b.iprof.gz", profile(10, version="0.4.0"))
        self.assertEqual(self.out("merge", "-o", "ab", a, b), "")
        self.run_tool("merge", "-o", "ba", b, a, "-j", "2")
        self.assertEqual(self.load("ab"), self.load("ba"))
        with open(self.path("ab"), "rb") as x, open(self.path("ba"), "rb") as y:
            self.assertEqual(x.read(), y.read())
        self.assertEqual(self.calls("ab"), [11, 99, 990])
        self.run_tool("check", "--strict", "ab")

    def test_weights_lists_folders(self):
        self.write("a.iprof", profile())
        self.run_tool("merge", "-o", "twice", "a.iprof", "a.iprof")
        self.run_tool("merge", "-o", "weighted", "-w", "2,a.iprof")
        self.assertEqual(self.load("twice"), self.load("weighted"))
        self.run_tool("merge", "-o", "many", "-w", "2,a.iprof", "-w", "3,a.iprof", "a.iprof")
        self.assertEqual(self.calls("many"), [6, 54, 540])
        self.write("list", "# comment\n\na.iprof\r\n4,a.iprof\n")
        self.run_tool("merge", "-o", "listed", "--input-list", "list")
        self.assertEqual(self.calls("listed"), [5, 45, 450])
        self.run_tool("merge", "-o", "piped", "--input-list", "-", stdin=b"a.iprof\na.iprof\n")
        self.assertEqual(self.calls("piped"), [2, 18, 180])
        self.write("d/x.iprof", profile())
        self.write("d/e/y.iprof.gz", profile())
        self.write("d/readme.txt", "no profile")
        for _ in range(2):  # an output file in the folder is not an input
            self.run_tool("merge", "-o", "d/all.iprof", "--input-dir", "d")
            self.assertEqual(self.calls("d/all.iprof"), [2, 18, 180])
        self.run_tool("merge", "-o", "x", "--input-list", "none", expect=4)
        self.run_tool("merge", "-o", "x", "--input-dir", "none", expect=4)
        self.write("badlist", "0,a.iprof\n")
        self.assertIn("badlist, line 1", self.err("merge", "-o", "x", "--input-list", "badlist", expect=2))

    def test_output_may_be_an_input(self):
        self.write("a.iprof", profile())
        self.run_tool("merge", "-o", "a.iprof", "a.iprof", "a.iprof")
        self.assertEqual(self.calls("a.iprof"), [2, 18, 180])

    def test_failure_modes(self):
        self.write("a.iprof", profile())
        self.write("bad.iprof", json.dumps(profile())[:-1])
        self.assertIn("bad.iprof", self.err("merge", "-o", "x", "a.iprof", "bad.iprof", expect=3))
        self.assertFalse(os.path.exists(self.path("x")))
        self.assertIn("left out", self.err("merge", "-o", "x", "a.iprof", "bad.iprof", "--failure-mode", "all", expect=1))
        self.assertEqual(self.calls("x"), [1, 9, 90])
        self.assertIn("left out", self.err("merge", "-o", "y", "a.iprof", "bad.iprof", "--failure-mode", "warn"))
        self.run_tool("merge", "-o", "z", "bad.iprof", "--failure-mode", "all", expect=3)
        self.run_tool("merge", "-o", "z", "bad.iprof", "--failure-mode", "warn")
        self.assertEqual(self.load("z").get("callCountProfiles", []), [])
        report = self.json("merge", "-o", "x", "a.iprof", "bad.iprof", "--failure-mode", "warn")
        self.assertEqual((report["merged"], report["left_out"][0]["file"]), (1, "bad.iprof"))

    def test_outputs(self):
        self.write("a.iprof", profile(instanceOfProfiles=[{"ctx": "1:3", "records": [10, 1]}]))
        self.run_tool("merge", "-o", "x.iprof.gz", "a.iprof")
        self.assertEqual(self.load("x.iprof.gz")["version"], "1.1.0")
        with open(self.path("x.iprof.gz"), "rb") as f:
            self.assertEqual(f.read(2), b"\x1f\x8b")
        self.assertIn("1 entry was left out", self.err("merge", "-o", "y", "a.iprof", "--output-version", "1.0.0"))
        self.assertNotIn("instanceOfProfiles", self.load("y"))
        pretty = self.out("merge", "-o", "-", "--pretty", "a.iprof")
        self.assertGreater(pretty.count("\n"), 10)
        self.assertEqual(json.loads(pretty), json.loads(self.out("merge", "-o", "-", "a.iprof")))
        packed = self.run_tool("merge", "-o", "-", "--gzip", "a.iprof").stdout
        self.assertEqual(json.loads(gzip.decompress(packed)), json.loads(pretty))

    def test_target_that_cannot_be_written(self):
        a = self.write("a.iprof", profile())
        self.run_tool("merge", "-o", "none/x", a, expect=4)
        self.run_tool("merge", "-o", self.folder, a, expect=4)
        os.mkdir(self.path("ro"))
        self.write("ro/x", "kept")
        os.chmod(self.path("ro"), stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)
        self.addCleanup(os.chmod, self.path("ro"), stat.S_IRWXU)
        os.chmod(self.folder, 0o755)
        # Root may write everywhere, so run as the user nobody.
        user = {"user": 65534} if os.geteuid() == 0 else {}
        try:
            done = subprocess.run([IPROF, "merge", "-o", "ro/x", a], capture_output=True, cwd=self.folder,
                                  check=False, **user)
        except PermissionError:
            self.skipTest("nobody may not run the tool here")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(b"Permission denied", done.stderr)
        with open(self.path("ro/x"), encoding="utf-8") as f:
            self.assertEqual(f.read(), "kept")

    def test_an_unreadable_input_is_not_replaced_by_the_result(self):
        self.write("new.iprof", profile())
        os.symlink("acc.iprof", self.path("link.iprof"))
        for damaged in (json.dumps(profile(7))[:-1], json.dumps(profile(version="2.0.0"))):
            self.write("acc.iprof", damaged)
            for mode in ("warn", "all", "any"):
                for inputs in (["acc.iprof", "new.iprof"], ["new.iprof", "-w", "2,./link.iprof"], ["acc.iprof"]):
                    error = self.err("merge", "--failure-mode", mode, "-o", "acc.iprof", *inputs, expect=3)
                    self.assertEqual(error.count("\n"), 1, error)
                    self.assertRegex(error, r"(acc|link)\.iprof: byte \d+")
                    with open(self.path("acc.iprof"), encoding="utf-8") as f:
                        self.assertEqual(f.read(), damaged)
        # The first merge: there is nothing to lose yet.
        self.run_tool("merge", "--failure-mode", "warn", "-o", "first.iprof", "first.iprof", "new.iprof")
        self.assertEqual(self.calls("first.iprof"), [1, 9, 90])

    @staticmethod
    def harvested(scale, estimator, **note):
        return profile(scale, iprofagent=section(harvest={"source": "methoddata", "estimator": estimator, **note}))

    def test_exact_counts_and_estimates_have_equal_shares(self):
        """All have the same ratios, so every sum shows what each input counted for."""
        self.write("exact", profile(1000))
        self.write("raw", self.harvested(1, "none", jvm_age_s=7))
        self.write("estimated", self.harvested(100, "flow-1", jvm_age_s=90))
        inputs = ["exact", "raw", "estimated"]
        said = self.err("merge", "-o", "x", *inputs)
        self.assertEqual(said.count("\n"), 2, said)
        self.assertIn(unknown("estimated", "exact", "raw"), said)
        self.assertIn("each input was scaled to the same total of calls and branches", said)
        self.assertEqual(self.calls("x"), [3000, 27_000, 270_000])
        self.assertIn("counted in different ways (exactly, estimated, or as HotSpot counted)", self.err("merge", "-o", "y", *inputs[1:]))
        made = self.load("x")
        self.assertEqual(made["virtualInvokeProfiles"][0]["records"][1::2], [225_000, 75_000])
        self.assertEqual(made["monitorProfiles"][0]["records"][1::2], [7 * 1101], "monitors are added as they are")
        self.assertEqual(sum(e["records"][0] for e in made["samplingProfiles"]), 7 * 1101, "so are samples")
        note = made["iprofagent"]["harvest"]
        self.assertEqual((note["source"], note["estimator"], note["jvm_age_s"]), ("counters+methoddata", "flow-1+none", 90))
        self.assertIn("a merge of profiles of several kinds, each scaled to the same total", " ".join(self.out("show", "x").split()))
        self.run_tool("check", "--strict", "x")
        # Any order, any number of threads, standard input, and weights.
        self.run_tool("merge", "-o", "y", "-j", "1", *reversed(inputs))
        self.assertEqual(self.load("y"), made)
        with open(self.path("raw"), "rb") as f:
            self.run_tool("merge", "-o", "y", "exact", "-", "estimated", stdin=f.read())
        self.assertEqual(self.load("y"), made)
        self.assertTrue(self.json("merge", "-o", "y", "exact", "-w", "2,raw")["scaled"])
        self.assertEqual(self.calls("y"), [3000, 27_000, 270_000])

    def test_inputs_of_one_kind_are_added_as_they_are(self):
        self.write("samples", {k: v for k, v in profile().items() if k not in ("callCountProfiles", "conditionalProfiles")})
        for kind in (lambda scale: profile(scale), lambda scale: self.harvested(scale, "none", jvm_age_s=scale),
                     lambda scale: self.harvested(scale, "flow-1", jvm_age_s=scale)):
            self.write("a", kind(1))
            self.write("b", kind(1000))
            done = self.run_tool("merge", "-o", "x", "a", "b", "samples", "--format", "json")
            self.assertEqual(done.stderr.decode(), unknown("a", "b", "samples"))
            self.assertFalse(json.loads(done.stdout)["scaled"])
            self.assertEqual(self.calls("x"), [1001, 9009, 90_090])

    def test_different_programs(self):
        self.write("a.iprof", profile())
        other = profile(1000)
        other["types"][10]["name"] = "b.Other"
        other["types"][11]["name"] = "java.util.HashMap"  # the JDK is in every program
        self.write("b.iprof", other)
        self.write("c.iprof", profile(7))
        said = self.err("merge", "-o", "x", "c.iprof", "b.iprof", "a.iprof")
        self.assertEqual(said.count("\n"), 2, said)
        self.assertIn(unknown("a.iprof", "b.iprof", "c.iprof"), said)
        self.assertIn("the inputs seem to be of different programs: c.iprof and b.iprof share less than 5 % of the calls of methods outside the JDK", said)
        self.assertEqual(self.json("merge", "-o", "x", "-j", "1", "b.iprof", "a.iprof")["programs"], ["b.iprof", "a.iprof"])
        self.assertEqual(self.err("merge", "-o", "x", "c.iprof", "a.iprof"), unknown("a.iprof", "c.iprof"))

    def test_conflicting_keys(self):
        a, b = self.write("a", profile(vm="17")), self.write("b", profile(vm="25"))
        self.assertIn("different values for the key 'vm'", self.err("merge", "-o", "x", a, b))
        self.assertEqual(self.load("x")["vm"], "17")

    def test_a_section_that_cannot_be_read_gives_way(self):
        a = self.write("a", profile(iprofagent={"version": 2, "a": 1}))
        b = self.write("b", profile(iprofagent=section(later={"a": 1})))
        warned = self.err("merge", "-o", "x", a, b)
        self.assertIn("different values for the key 'iprofagent'; kept one that this iprof can read, or else", warned)
        self.assertEqual(self.load("x")["iprofagent"]["version"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
