#!/usr/bin/env python3
"""Tests iprof check, and what it and iprof convert --image say of the use of a profile for an image build.

Usage: cli_check_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import json
import unittest

from cli_case import CliTest, profile, section


class Check(CliTest):
    def test_sound(self):
        a = self.write("a.iprof", profile())
        self.assertEqual(self.out("check", "--strict", "a.iprof"),
                         "a.iprof: 13 types, 4 declared methods, 8 entries: 0 errors, 0 doubtful\n"
                         "a.iprof: an image build for JDK 25 can use all entries\n"
                         "a.iprof: 7 samples only, and some consumers ignore fewer than 500\n")
        self.assertEqual(self.json("check", a)["files"][0]["errors"], 0)

    def test_few_samples_are_told_and_are_no_finding(self):
        def with_samples(weight, **sampling):
            made = profile(samplingProfiles=[{"ctx": "2:7<1:5", "records": [weight]}])
            if sampling:
                made["iprofagent"] = section(sampling={"event": "cpu", "intervalNs": 1000000, **sampling})
            return self.write("a.iprof", made)

        few = "a.iprof: {} only, and some consumers ignore fewer than 500\n"
        self.assertEqual(self.json("check", with_samples(499))["files"][0]["sample_signals"], 499)
        with_samples(1)
        self.assertIn(few.format("1 sample"), self.out("check", "a.iprof"))
        with_samples(500)
        self.assertNotIn("only", self.out("check", "a.iprof"))
        with_samples(4000, good=400)  # a late signal has much weight
        self.assertIn(few.format("400 samples"), self.out("check", "a.iprof"))
        self.assertNotIn("only", self.out("check", "-q", "a.iprof"))
        a = self.write("a.iprof", profile(samplingProfiles=[]))
        self.assertNotIn("only", self.out("check", "a.iprof"))
        self.assertEqual(self.json("check", a)["files"][0]["sample_signals"], 0)

    def test_findings(self):
        bad = profile()
        bad["callCountProfiles"] += [{"ctx": "9:1", "records": [0]}]
        bad["conditionalProfiles"] += [{"ctx": "2:8", "records": [9, 0, 0, 4, 1, 0]}]
        a = self.write("a.iprof", bad)
        text = self.out("check", "a.iprof", expect=1)
        lines = text.splitlines()
        self.assertEqual(len(lines), 6, text)
        self.assertRegex(lines[0], r"^a\.iprof: byte \d+, \$\.callCountProfiles\[3\]\.ctx: error \[call-ctx-bci\]")
        self.assertEqual(lines[3], "a.iprof: 13 types, 4 declared methods, 10 entries: 3 errors")
        self.assertIn("successor-all-zero", self.out("check", "--strict", a, expect=1))
        self.assertEqual(len(self.out("check", "-q", a, expect=1).splitlines()), 1)
        self.assertIn("2 more findings are not shown", self.out("check", "--max-findings", "1", a, expect=1))
        found = self.json("check", a, expect=1)["files"][0]
        self.assertEqual([f["rule"] for f in found["findings"]], ["call-ctx-bci", "ctx-method", "count-zero"])
        with open(a, "rb") as f:
            self.assertTrue(f.read()[found["findings"][0]["offset"]:].startswith(b'"9:1"'))

    def test_several_files_worst_exit_code(self):
        good = self.write("good.iprof", profile())
        wrong = self.write("wrong.iprof", profile(version="3.0.0"))
        bad = self.write("bad.iprof", "[")
        self.run_tool("check", good, wrong, expect=1)
        done = self.run_tool("check", bad, good, wrong, expect=3)
        self.assertIn(b"good.iprof: 13 types", done.stdout)
        files = self.json("check", bad, good, expect=3)["files"]
        self.assertIn("failed", files[0])
        self.assertEqual(files[1]["errors"], 0)


def jvm_profile():
    """The JVM loads classes and calls Class.getName, which an image replaces."""
    made = profile()
    made["types"] += [{"id": 20, "name": "java.lang.Class"}, {"id": 21, "name": "java.lang.String"},
                      {"id": 22, "name": "jdk.internal.loader.BootLoader"}]
    made["methods"] += [{"id": 20, "name": "getName", "signature": [20, 21]}, {"id": 22, "name": "load", "signature": [22, 8]}]
    made["callCountProfiles"] += [{"ctx": "20:0", "records": [60]}, {"ctx": "22:0", "records": [40]}]
    made["conditionalProfiles"] += [{"ctx": "20:8", "records": [40, 0, 60, 11, 1, 40]},
                                    {"ctx": "2:30", "records": [33, 0, 4, 33, 1, 6]}]
    made["samplingProfiles"] += [{"ctx": "20:69<2:7<1:5", "records": [3]}, {"ctx": "22:4<1:5", "records": [1]}]
    return made


class Image(CliTest):
    def test_the_share_that_an_image_build_can_use(self):
        a = self.write("a.iprof", jvm_profile())
        self.assertEqual(self.out("check", "a.iprof").splitlines()[1:],
                         ["a.iprof: an image build for JDK 25 can use 78.6 % of the entries. By weight:",
                          "  80.0 % of the calls, 52.4 % of the branches, 100.0 % of the receivers, 90.9 % of the samples",
                          "a.iprof: 11 samples only, and some consumers ignore fewer than 500"])
        image = self.json("check", "--target", "17", a)["files"][0]["image"]
        self.assertEqual((image["target"], image["entries"], image["usable_entries"]), (17, 14, 11))
        self.assertEqual(image["tables"]["callCountProfiles"],
                         {"entries": 5, "usable_entries": 4, "weight": 200, "usable_weight": 160})
        self.assertEqual(len(self.out("check", "-q", a).splitlines()), 1)

    def test_a_profile_of_another_jdk(self):
        def runs(*versions):
            return section(provenance={"runs": [{"program": "a.jar", "jvm_version": version} for version in versions]})

        on17 = self.write("a.iprof", {**jvm_profile(), "iprofagent": runs("17.0.15")})
        said = "a.iprof: recorded on JDK 17.0.15, so 5 entries of the JDK's own methods may not fit JDK 25 (--jdk compares them)"
        self.assertIn(said, self.out("check", "--target", "25", "a.iprof").splitlines())
        self.assertIn(said, self.out("check", "a.iprof").splitlines())
        self.assertNotIn("recorded on", self.out("check", "--target", "17", "a.iprof"))
        image = self.json("check", "--target", "25", on17)["files"][0]["image"]
        self.assertEqual((image["other_jdks"], image["other_jdk_entries"]), (["17.0.15"], 5))
        image = self.json("check", "--target", "17", on17)["files"][0]["image"]
        self.assertEqual((image["other_jdks"], image["other_jdk_entries"]), ([], 0))
        # All of it could be used, if only names counted.
        self.write("b.iprof", {**profile(callCountProfiles=[{"ctx": "20:0", "records": [6]}]), "iprofagent": runs("21.0.2", "25.0.1", "21.0.2", "17.0.1")})
        both = self.load("b.iprof")
        both["types"] += [{"id": 20, "name": "java.util.HashMap"}]
        both["methods"] += [{"id": 20, "name": "get", "signature": [20, 9, 9]}]
        self.write("b.iprof", both)
        self.assertEqual(self.out("check", "b.iprof").splitlines()[1:],
                         ["b.iprof: an image build for JDK 25 can use all entries",
                          "b.iprof: recorded on JDK 17.0.1 and 21.0.2, so 1 entry of the JDK's own methods may not fit JDK 25 (--jdk compares them)",
                          "b.iprof: 7 samples only, and some consumers ignore fewer than 500"])
        # Of the program's own classes only: nothing of another JDK is in it.
        self.write("c.iprof", {**profile(), "iprofagent": runs("17.0.15")})
        self.assertNotIn("recorded on", self.out("check", "c.iprof"))

    def test_branches_that_an_image_build_folded(self):
        """Five outcomes at an `if`, some in other methods, and one successor under two indices: as real images write them."""
        def folded(scale=1):
            return profile(scale, conditionalProfiles=[
                {"ctx": "2:11", "records": [20, 0, 50 * scale, 14, 1, 20 * scale, 33, 2, 10 * scale, 46, 3, 10 * scale, 59, 4, 10 * scale]},
                {"ctx": "2:30<1:5", "records": [38, 0, 60 * scale, 38, 1, 30 * scale, 33, 2, 10 * scale, -5, 0, 0]}])

        a, b = self.write("a.iprof", folded()), self.write("b.iprof", folded(3))
        self.assertIn("0 errors\n", self.out("check", a))
        self.assertEqual(self.out("check", "--strict", a, expect=1).count("doubtful [branch-folded]: found 5 outcomes, one at 14, expected two"), 1)
        shown = self.out("show", "--full", "--method", "loop", "--table", "branches", a)
        self.assertIn("50.0 % to bci 20, 20.0 % to bci 14, 10.0 % to bci 33, 10.0 % to bci 46, 10.0 % to bci 59\n", shown)
        self.assertIn("90.0 % to bci 38, 10.0 % to bci 33\n", shown)
        self.run_tool("merge", "-o", "m.iprof", a, b)
        merged = {entry["ctx"]: entry["records"] for entry in self.load("m.iprof")["conditionalProfiles"]}
        by_branch = sorted(sum(records[2::3]) for records in merged.values())
        self.assertEqual(by_branch, [400, 400])
        self.assertTrue(any(records[::3] == [20, 14, 33, 46, 59] for records in merged.values()), merged)
        branches = next(table for table in self.json("overlap", a, b)["tables"] if table["table"] == "conditionalProfiles")
        self.assertEqual(branches["overlap"], 1)
        self.run_tool("diff", "--exit-code", a, self.write("c.iprof", folded()))
        self.run_tool("convert", a, "--to", "iprof", "--image", "-o", "image.iprof")
        image = [entry["records"] for entry in self.load("image.iprof")["conditionalProfiles"]]
        self.assertIn([20, 0, 50, 14, 1, 20, 33, 2, 10, 46, 3, 10, 59, 4, 10], image)
        self.assertIn([38, 0, 90, 33, 1, 10], image)
        for form in ("csv", "json"):
            self.run_tool("convert", a, "--to", form, "-o", f"a.{form}") if form == "csv" else self.json("show", a)
        self.run_tool("report", a, "-o", "a.html")

    def test_convert(self):
        a = self.write("a.iprof", jvm_profile())
        made = json.loads(self.out("convert", "--to", "iprof", "--image", "--target", "21", a))
        self.assertEqual(made["iprofagent"]["image"], {"target": 21, "filtered": True})
        self.assertEqual(made["callCountProfiles"], [*profile()["callCountProfiles"], {"ctx": "20:0", "records": [60]}])
        self.assertEqual(made["conditionalProfiles"],
                         [*profile()["conditionalProfiles"], {"ctx": "2:30", "records": [33, 0, 10]}])
        self.assertEqual(made["samplingProfiles"], [{"ctx": ctx, "records": [n]} for ctx, n in
                                                    [("3:2<2:7<1:5", 5), ("2:9<1:5", 2), ("20:0<2:7<1:5", 3)]])
        self.assertNotIn("jdk.internal.loader.BootLoader", [t["name"] for t in made["types"]])
        # The file names its target, and nothing is left to filter.
        b = self.write("b.iprof", made)
        self.assertIn("JDK 21 can use all entries", self.out("check", b))
        self.assertEqual(json.loads(self.out("convert", "--to", "iprof", "--image", b)), made)
        self.assertEqual(self.out("convert", "--to", "collapsed", "--image", b).count("\n"), 3)
        self.assertIn("--target needs --image", self.err("convert", "--to", "csv", "--target", "21", a, expect=2))


if __name__ == "__main__":
    unittest.main(verbosity=1)
