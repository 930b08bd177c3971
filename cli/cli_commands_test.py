#!/usr/bin/env python3
"""Tests each command of the iprof tool as a process: what it reads, writes and prints. cli_frame_test.py tests what all
commands share.

Usage: cli_commands_test.py IPROF GENERATED_FOLDER [unittest options]
Each test uses its own folder. When it fails, it shows the command, its output and what was expected.
"""

import csv
import gzip
import io
import json
import os
import shutil
import stat
import subprocess
import unittest

from cli_case import GENERATED, IPROF, SCHEMA_CHECK, SCHEMA_NOT_HERE, CliTest, profile, section, unknown


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
        shown = self.out("show", "--method", "loop", "--table", "branches", a)
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


class Compare(CliTest):
    def test_overlap(self):
        a, b = self.write("a.iprof", profile()), self.write("b.iprof", profile(7))
        other = profile()
        other["virtualInvokeProfiles"][0]["records"] = [11, 25, 12, 75]
        c = self.write("c.iprof", other)
        self.assertEqual({t["overlap"] for t in self.json("overlap", a, b)["tables"]}, {1, None})
        table = self.json("overlap", "--table", "receivers", a, c)["tables"]
        self.assertEqual([t["overlap"] for t in table], [0.5])
        self.assertIn("50.000%", self.out("overlap", a, c))
        methods = self.json("overlap", "--method", "loop", a, c)["methods"]
        self.assertEqual([m["method"] for m in methods], ["a.Main.loop(int)void"])
        much = self.write("much.iprof", profile(10))
        self.assertEqual(self.json("overlap", "--decisions", a, a)["decisions"]["calls"]["sites"], 0)  # 100 calls do not matter
        same = self.json("overlap", "--decisions", much, much)["decisions"]
        self.assertEqual((same["hot_methods"]["missed"], same["branches"]["off_by_more_than_10_points"],
                          same["receivers"]["other_classes"]), (0, 0, 0))
        self.assertRegex(self.out("overlap", "--decisions", a, c), r"receivers +100\.000% of A's weight is known in B; ")
        self.assertEqual(same["calls"], {"sites": 1, "exact": True, "by_samples_in_a": 1, "by_samples_in_b": 1, "differing": []})
        self.assertNotIn("decisions", self.json("overlap", a, c))
        self.run_tool("overlap", "--method", "nobody", a, c, expect=1)

    def test_calls_at_which_samples_decide(self):
        a = self.write("a.iprof", profile(10, samplingProfiles=[]))
        b = self.write("b.iprof", profile(10, samplingProfiles=[{"ctx": "4:2<2:7<1:5", "records": [1]}, {"ctx": "2:9<1:5", "records": [9]}]))
        calls = self.json("overlap", "--decisions", a, b)["decisions"]["calls"]
        self.assertEqual(calls["differing"], [{
            "context": "a.Main.loop(int)void:7", "calls": 1000,
            "a": {"by": "receivers", "targets": ["a.Circle", "a.Square"]}, "b": {"by": "samples", "targets": ["a.Square.area()int"]}}])
        text = self.out("overlap", "--decisions", a, b)
        self.assertIn("calls         1 of 1 with exact receivers would be dispatched to others; samples decide at 0 in A, 1 in B\n"
                      "  a.Main.loop(int)void:7\n    A by receivers: a.Circle, a.Square\n    B by samples: a.Square.area()int\n", text)
        self.assertEqual(self.json("overlap", "--decisions", "--exclude", "a.Main", a, b)["decisions"]["calls"]["differing"], [])


class Pieces(CliTest):
    """Samples that contradict receivers: of two classes with 75 and 25 % of the calls only one was sampled."""

    def split(self):
        whole = self.write("whole.iprof", profile(10, iprofagent=section(image={"target": 21, "filtered": False})))
        self.run_tool("convert", "--to", "iprof", whole, "-o", "app.iprof")
        return self.load("app.iprof")

    def test_stacks_are_written_in_pieces(self):
        made = self.split()
        self.assertEqual(made["samplingProfiles"], [{"ctx": "2:9<1:5", "records": [20]}, {"ctx": "3:2", "records": [50]},
                                                    {"ctx": "2:7<1:5", "records": [50]}])
        self.assertEqual(made["iprofagent"]["split"], {"sites": 1, "whole": [["3:2<2:7<1:5", 50, 0, 1, 1, 3]]})
        self.out("check", self.path("app.iprof"))
        whole, app = self.path("whole.iprof"), self.path("app.iprof")
        self.assertEqual(self.json("overlap", "--decisions", whole, app)["decisions"]["calls"]["by_samples_in_b"], 0)

    def test_pieces_are_no_more_signals(self):
        for weight, warns in ((300, True), (499, True), (500, False)):
            whole = self.write("whole.iprof", profile(100, samplingProfiles=[{"ctx": "3:2<2:7<1:5", "records": [weight]}], iprofagent=section()))
            self.run_tool("convert", "--to", "iprof", whole, "-o", "app.iprof")
            self.assertEqual(sum(entry["records"][0] for entry in self.load("app.iprof")["samplingProfiles"]), 2 * weight)
            self.assertEqual(self.json("check", self.path("app.iprof"))["files"][0]["sample_signals"], weight)
            self.assertEqual(f"{weight} samples only" in self.out("check", self.path("app.iprof")), warns)

    def test_people_see_whole_stacks(self):
        self.split()
        whole, app = self.path("whole.iprof"), self.path("app.iprof")
        collapsed = [sorted(self.out("convert", "--to", "collapsed", name).splitlines()) for name in (whole, app)]
        self.assertEqual(*collapsed)
        self.assertEqual(self.out("top", whole), self.out("top", app))
        self.assertIn("split:          1 of 2 stacks, with 71.4 % of the weight, at 1 call, are in pieces in the file\n", self.out("show", app))
        self.assertEqual(self.json("show", app)["split"], {"sites": 1, "stacks": 1, "weight": 50})
        self.assertNotIn("split", self.json("show", whole))
        self.out("diff", "--exit-code", whole, app)

    def test_writing_again_changes_nothing(self):
        made = self.split()
        self.run_tool("convert", "--to", "iprof", self.path("app.iprof"), "-o", "again.iprof")
        self.assertEqual(self.load("again.iprof"), made)
        self.run_tool("merge", "-o", "one.iprof", self.path("app.iprof"))
        self.run_tool("merge", "-o", "two.iprof", self.path("whole.iprof"))
        self.assertEqual(self.load("one.iprof"), self.load("two.iprof"))
        self.assertEqual(self.load("one.iprof")["iprofagent"]["split"]["sites"], 1)

    def test_a_part_of_another_shape_is_an_error(self):
        odd = self.write("odd.iprof", profile(iprofagent=section(split={"sites": 1})))
        self.assertIn("iprofagent.split", self.out("check", odd, expect=1))


class Convert(CliTest):
    def test_forms(self):
        a = self.write("a.iprof", profile())
        self.assertEqual(json.loads(self.out("convert", a, "--to", "pretty")), profile())
        self.assertEqual(json.loads(self.out("convert", a, "--to", "iprof")), profile())
        self.assertEqual(self.out("convert", a, "--to", "iprof", "--output-version", "1.1.0").count("1.1.0"), 1)
        self.assertEqual(self.out("convert", a, "--to", "iprof@1.1.0").count("1.1.0"), 1)
        self.assertIn('\n', self.out("convert", a, "--to", "pretty@1.0.0").rstrip())
        self.assertEqual(self.out("convert", a, "--to", "collapsed", "--stacks", "calls"),
                         "a.Main.main 1\na.Main.main;a.Main.loop 9\na.Main.main;a.Main.loop;a.Circle.area 90\n")
        self.assertEqual(self.out("convert", a, "--to", "collapsed"),
                         "a.Main.main;a.Main.loop 2\na.Main.main;a.Main.loop;a.Circle.area 5\n")
        self.assertEqual(self.out("convert", a, "--to", "collapsed", "--bci").splitlines()[0],
                         "a.Main.main:5;a.Main.loop:7;a.Circle.area:2 5")
        rows = list(csv.DictReader(io.StringIO(self.out("convert", a, "--to", "csv"))))
        self.assertEqual(len(rows), 10)
        self.assertEqual(rows[2]["callers"], "a.Main.loop(int)void:7 < a.Main.main()void:5")
        self.run_tool("convert", a, "--to", "csv", "-o", "x.csv.gz")
        with gzip.open(self.path("x.csv.gz"), "rt") as f:
            self.assertEqual(list(csv.DictReader(f)), rows)
        self.run_tool("convert", a, "--to", "csv", "-o", "none/x", expect=4)
        said = self.json("convert", a, "--to", "collapsed", "-o", "x.collapsed")
        self.assertEqual((said["output"], said["types"], said["entries"]["samplingProfiles"]), ("x.collapsed", 13, 2))
        self.assertIn("both write to standard output", self.err("convert", a, "--to", "csv", "--format", "json", expect=2))


    def test_another_version_says_what_is_lost(self):
        checks = [{"ctx": "2:20", "records": [11, 3]}, {"ctx": "2:30", "records": [12, 4]}]
        a = self.write("a.iprof", profile(version="1.1.0", instanceOfProfiles=checks))
        said = self.err("convert", a, "--to", "iprof@1.0.0", "-o", "old.iprof")
        self.assertEqual(said, "iprof: warning: 2 entries were left out: version 1.0.0 has no table for them\n")
        self.assertEqual(self.load("old.iprof"), profile())
        self.assertEqual(self.err("convert", a, "--to", "iprof@1.1.0", "-o", "new.iprof"), "")
        self.assertEqual(self.load("new.iprof"), profile(version="1.1.0", instanceOfProfiles=checks))
        for version, lost in (("1.0.0", 2), ("1.1.0", 0)):
            self.assertEqual(self.json("convert", a, "--to", f"pretty@{version}", "-o", "x")["lost_entries"], lost)


class Report(CliTest):
    def test_without_a_name_the_page_is_beside_the_profile_and_replaces_nothing(self):
        self.write("d/a.iprof.gz", profile())
        self.write("d/b.iprof", profile(3))
        self.assertEqual(self.out("report", "d/a.iprof.gz"), "wrote d/a.html: open it in a browser\n")
        with open(self.path("d/a.html"), encoding="utf-8") as page:
            self.assertIn("<html", page.read())
        self.assertEqual(self.json("report", "--diff", "d/a.iprof.gz", "d/b.iprof")["output"], "d/b-changes.html")
        self.write("d/b.html", "kept")
        self.assertIn("d/b.html is there already: '-o d/b.html' replaces it", self.err("report", "d/b.iprof", expect=2))
        with open(self.path("d/b.html"), encoding="utf-8") as page:
            self.assertEqual(page.read(), "kept")


class OutputThatTheShellOpened(CliTest):
    """-o /dev/stdout keeps what is already in the file, and what is written later."""

    def shell(self, script):
        done = subprocess.run(["sh", "-c", script, IPROF, IPROF], capture_output=True, cwd=self.folder, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""), script)

    def test_appended_to_and_written_after(self):
        self.write("a.iprof", profile())
        expected = self.out("convert", "--to", "collapsed", "a.iprof")
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"):
            if name == "link":
                os.symlink("/dev/stdout", self.path("link"))
            self.write("log", "before\n")
            self.shell(f"$1 convert --to collapsed a.iprof -o {name} >> log")
            self.shell(f"( $1 convert --to collapsed a.iprof -o {name}; echo after ) > group")
            self.shell(f"$1 convert --to collapsed a.iprof -o {name} | cat > piped")
            for file, text in (("log", "before\n" + expected), ("group", expected + "after\n"), ("piped", expected)):
                with open(self.path(file), encoding="utf-8") as f:
                    self.assertEqual(f.read(), text, f"{file}, -o {name}")
        self.assertTrue(os.path.islink(self.path("link")))
        self.shell("$1 merge -o /dev/stderr a.iprof 2> merged")
        self.assertEqual(self.load("merged"), json.loads(self.out("merge", "-o", "-", "a.iprof")))


class Top(CliTest):
    LINES = {"a.Circle.area()int": {"2": 40}, "a.Main.loop(int)void": {"7": 21, "9": 21}}

    def rows(self, *arguments):
        return [(row["name"], row["self"], row["total"]) for row in self.json("top", *arguments)["rows"]]

    def test_keys_and_orders(self):
        a = self.write("a.iprof", profile())
        self.assertEqual(self.rows(a), [("a.Circle.area()int", 5, 5), ("a.Main.loop(int)void", 2, 7), ("a.Main.main()void", 0, 7)])
        self.assertEqual(self.rows(a, "--sort", "total")[-1][0], "a.Circle.area()int")
        self.assertEqual(self.rows(a, "--by", "package"), [("a", 7, 7)])
        self.assertEqual(self.rows(a, "--by", "bci", "--topn", "2"),
                         [("a.Circle.area()int:2", 5, 5), ("a.Main.loop(int)void:9", 2, 2)])
        self.assertEqual(len(self.rows(a, "--by", "bci", "-n", "0")), 4)

    def test_text_names_methods_and_lines(self):
        a = self.write("a.iprof", profile(iprofagent=section(lines=self.LINES)))
        self.assertEqual(self.out("top", "--by", "line", a), (
            "7 samples\n"
            "        in it (self)  with callees (total)  line\n"
            "          5   71.4 %            5   71.4 %  Circle.area line 40\n"
            "          2   28.6 %            7  100.0 %  Main.loop line 21\n"
            "          0    0.0 %            7  100.0 %  Main.main\n"))
        self.assertIn("  Circle.area bci 2 (line 40)\n", self.out("top", "--by", "bci", a))
        self.assertIn("  a.Circle.area()int line 40\n", self.out("top", "--by", "line", "--full", a))

    def test_no_samples(self):
        made = profile()
        del made["samplingProfiles"]
        a = self.write("a.iprof", made)
        done = self.run_tool("top", a, expect=5)
        self.assertIn(b"has no samples", done.stderr)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(self.json("top", a, expect=5), {"samples": 0, "by": "method", "rows": []})
        self.write("kept", "kept")
        self.assertIn("has no samples", self.err("convert", "--to", "collapsed", a, "-o", "kept", expect=5))
        with open(self.path("kept"), encoding="utf-8") as kept:
            self.assertEqual(kept.read(), "kept")

    def test_why_there_are_no_samples(self):
        def said(*options, **run):
            made = profile(iprofagent=section(provenance={"runs": [run] if run else []}))
            del made["samplingProfiles"]
            return self.err("top", self.write("a.iprof", made), *options, expect=5).partition("a.iprof has no samples")[2]

        self.assertEqual(said(source="methoddata", tables="calls+branches"),
                         ": it was made by 'iprof harvest' without --samples. 'iprof profile PID -o FILE' records samples, too\n")
        self.assertEqual(said(source="methoddata", tables="calls", options="samples=n,source=methoddata"), ": it was recorded with samples=n\n")
        self.assertEqual(said(source="counters", tables="calls"), ": it was recorded with samples=n\n")
        self.assertIn(": the program used too little CPU time: a sample is taken every few milliseconds", said(tables="calls+samples"))
        self.assertIn(": it was recorded without any, or the program used too little CPU time", said())
        a = self.write("b.iprof", profile())
        self.assertIn("b.iprof has no samples in the selected classes: com.*\n", self.err("top", a, "--include", "com.*", expect=5))
        self.assertIn("b.iprof has no samples in the selected classes: com.*\n",
                      self.err("convert", "--to", "collapsed", a, "--include", "com.*", expect=5))

    def test_lines(self):
        a = self.write("a.iprof", profile(iprofagent=section(lines=self.LINES)))
        older = self.write("older.iprof", profile(iprofLines=self.LINES))
        for file in (a, older):
            self.assertEqual(self.rows(file, "--by", "line"),
                             [("a.Circle.area()int:40", 5, 5), ("a.Main.loop(int)void:21", 2, 7), ("a.Main.main()void", 0, 7)])
        self.assertEqual(self.err("top", "--by", "line", a), "")
        b = self.write("b.iprof", profile())
        self.assertIn("has no source lines", self.err("top", "--by", "line", b))
        self.assertEqual(self.rows(b, "--by", "line"), self.rows(b))

    def test_merging_keeps_every_line(self):
        a = self.write("a.iprof", profile(iprofagent=section(lines=self.LINES)))
        b = self.write("b.iprof", profile(iprofLines={"a.Main.main()void": {"5": 3}}))
        c = self.write("c.iprof", profile())
        united = {**self.LINES, "a.Main.main()void": {"5": 3}}
        for order in ((a, b, c), (c, b, a), (b, c, a)):
            self.assertEqual(self.err("merge", "-o", "m.iprof", *order), unknown(a, b, c))
            self.assertNotIn("lines", self.load("m.iprof")["iprofagent"])
            lines = {frame["method"] + ":" + str(frame["bci"]): frame.get("line")
                     for stack in self.json("show", "m.iprof", "--table", "samples")["tables"][0]["hottest"] for frame in stack["context"]}
            self.assertEqual({place: line for place, line in lines.items() if line is not None},
                             {f"{method}:{bci}": line for method, positions in united.items() for bci, line in positions.items()})
        odd = self.write("odd.iprof", profile(iprofagent=section(lines={"m": 1})))
        self.assertIn("iprofagent.lines", self.err("merge", "-o", "m.iprof", odd, a))


class OurSection(CliTest):
    """The extra key iprofagent: what the tool cannot read is kept and reported."""

    def test_every_command_takes_a_newer_version_and_keeps_it(self):
        newer = {"version": 2, "lines": "elsewhere"}
        a = self.write("a.iprof", profile(iprofagent=newer))
        self.assertEqual(self.out("check", "a.iprof").splitlines()[0], "a.iprof: 13 types, 4 declared methods, 8 entries: 0 errors")
        self.assertIn("$.iprofagent.version: doubtful [iprofagent-version]: found 2", self.out("check", "--strict", a, expect=1))
        self.assertIn("version 2, which this iprof cannot read", self.out("show", a))
        self.assertEqual(self.json("show", a)["iprofagent"], {"version": 2, "parts": []})
        self.assertIn("has no source lines", self.err("top", "--by", "line", a))
        for command in (("merge",), ("convert", "--to", "pretty"), ("convert", "--to", "iprof", "--image")):
            self.run_tool(*command, a, "-o", "kept.iprof")
            self.assertEqual(self.load("kept.iprof")["iprofagent"], newer, command)

    def test_malformed(self):
        a = self.write("a.iprof", profile(iprofagent={"lines": {}}))
        self.assertIn("$.iprofagent.version: error [iprofagent]: found no version", self.out("check", a, expect=1))
        self.assertIn("malformed", self.out("show", a))
        self.assertEqual(self.json("show", a)["iprofagent"], {"version": None, "parts": []})

    def test_show_lists_the_parts(self):
        a = self.write("a.iprof", profile(iprofagent=section(lines={}, later={}), other=1))
        self.assertIn("  iprofagent:   later (2 bytes), lines (2 bytes)\n  unknown:      other (1 byte)\n", self.out("show", "--stats", a))
        shown = self.json("show", a)
        self.assertEqual((shown["iprofagent"], shown["unknown_keys"]), ({"version": 1, "parts": ["later", "lines"]}, ["other"]))


class OfficialSchema(CliTest):
    def test_what_the_tool_writes(self):
        a = self.write("a.iprof", profile())
        b = self.write("b.iprof", profile(3, iprofagent=section(lines={"a.Main.main()void": {"5": 3}})))
        self.run_tool("merge", "-o", "merged.iprof", "-w", f"2,{a}", b)
        self.run_tool("merge", "-o", "merged.iprof.gz", "--output-version", "1.1.0", a, b)
        self.run_tool("convert", a, "--to", "pretty", "-o", "pretty.iprof")
        done = subprocess.run([SCHEMA_CHECK, "--reference", "merged.iprof", "merged.iprof.gz", "pretty.iprof"], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        if done.returncode == SCHEMA_NOT_HERE:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Generated(CliTest):
    def file(self, name):
        return os.path.join(GENERATED, name)

    def test_man_page(self):
        for command in [["groff", "-ww", "-man", "-Tutf8", self.file("iprof.1")],
                        ["man", "--warnings=w", "-l", self.file("iprof.1")]]:
            if shutil.which(command[0]) is None:
                continue
            done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)

    def test_completions_are_sound_scripts(self):
        checked = 0
        for shell, name in [("bash", "iprof.bash"), ("zsh", "_iprof"), ("fish", "iprof.fish")]:
            if shutil.which(shell) is None:
                continue
            done = subprocess.run([shell, "-n", self.file(name)], capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""), name)
            checked += 1
        self.assertGreater(checked, 0)

    def bash_words(self, *words):
        quoted = " ".join("'" + w + "'" for w in words)
        script = (f". '{self.file('iprof.bash')}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _iprof; "
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, cwd=self.folder)
        return done.stdout.decode().split()

    def test_bash_completes(self):
        self.assertIn("merge", self.bash_words("iprof", "me"))
        self.assertEqual(self.bash_words("iprof", "show", "--det"), ["--detailed-summary"])
        self.assertEqual(self.bash_words("iprof", "show", "--format", "j"), ["json"])
        self.assertEqual(self.bash_words("iprof", "show", "--format", "=", "j"), ["json"])
        self.write("app.iprof", profile())
        self.assertEqual(self.bash_words("iprof", "show", "ap"), ["app.iprof"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
