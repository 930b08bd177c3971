#!/usr/bin/env python3
"""Tests the commands of the iprof tool as processes: what they read, write and print. cli_check_test.py, cli_merge_test.py and
cli_show_test.py test the larger ones, cli_frame_test.py what all share.

Usage: cli_commands_test.py IPROF GENERATED_FOLDER [unittest options]
Each test uses its own folder. When it fails, it shows the command, its output and what was expected.
"""

import csv
import gzip
import io
import json
import os
import shutil
import subprocess
import unittest

from cli_case import GENERATED, IPROF, SCHEMA_CHECK, SCHEMA_NOT_HERE, CliTest, profile, section, unknown


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
        self.assertIn("split: 1 of 2 stacks, with 71.4 % of the weight, at 1 call, are in pieces in the file ", " ".join(self.out("show", app).split()))
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


class CutStacks(CliTest):
    """Samples in a method that is called by reflection, and in a class that is being loaded. An image build can follow neither."""

    ACCESSOR = "jdk.internal.reflect.DirectMethodHandleAccessor"
    STACKS = {"2:9<1:5": 20, "3:2<20:4<1:5": 50, "22:4<1:5": 10}

    def recorded(self):
        whole = profile(10, iprofagent=section(image={"target": 25, "filtered": False}), samplingProfiles=[
            {"ctx": ctx, "records": [weight]} for ctx, weight in self.STACKS.items()])
        whole["types"] += [{"id": 20, "name": self.ACCESSOR}, {"id": 22, "name": "jdk.internal.loader.BootLoader"}]
        whole["methods"] += [{"id": 20, "name": "invoke", "signature": [20, 8]}, {"id": 22, "name": "load", "signature": [22, 8]}]
        self.write("whole.iprof", whole)
        self.run_tool("convert", "--to", "iprof", "--image", self.path("whole.iprof"), "-o", "app.iprof")
        return self.load("app.iprof")

    def test_a_build_is_given_what_it_can_follow(self):
        made = self.recorded()
        self.assertEqual(made["samplingProfiles"], [{"ctx": "2:9<1:5", "records": [20]}, {"ctx": "3:2", "records": [50]}])
        self.assertEqual([method["id"] for method in made["methods"]], [1, 2, 3, 4])
        self.assertEqual(made["iprofagent"]["split"], {
            "sites": 0, "complete": True, "types": [[20, self.ACCESSOR], [22, "jdk.internal.loader.BootLoader"]],
            "methods": [[20, "invoke", 20, 8], [22, "load", 22, 8]], "whole": [["3:2<20:4<1:5", 50, 0, 1], ["22:4<*1", 10]]})
        check = self.out("check", self.path("app.iprof"))
        self.assertIn("JDK 25 can use all entries", check)
        self.assertIn("70 samples only", check)

    def test_people_see_whole_stacks(self):
        self.recorded()
        whole, app = self.path("whole.iprof"), self.path("app.iprof")
        self.assertEqual(self.stacks("app.iprof"), self.STACKS)
        for command in (["top", "--sort", "total"], ["convert", "--to", "collapsed"], ["convert", "--to", "speedscope"]):
            self.assertEqual(self.run_tool(*command, whole).stdout.replace(b"whole.iprof", b"app.iprof"), self.run_tool(*command, app).stdout)
        self.assertEqual(self.err("top", app), "")
        self.assertEqual(self.out("convert", "--to", "collapsed", "--image", app).count("\n"), 2)
        shown = " ".join(self.out("show", app).split())
        self.assertIn("cut: 1 of 3 stacks, with 62.5 % of the weight, are cut for the image build", shown)
        self.assertIn("not for builds: 1 of 3 stacks, with 12.5 % of the weight, are left out for the image build", shown)
        self.assertEqual(self.json("show", app)["cut"], {"stacks": 1, "weight": 50})
        self.assertEqual(self.json("show", app)["left_out"], {"stacks": 1, "weight": 10})

    def test_writing_again_and_merging(self):
        made = self.recorded()
        self.run_tool("convert", "--to", "iprof", self.path("app.iprof"), "-o", "again.iprof")
        self.assertEqual(self.load("again.iprof"), made)
        self.run_tool("merge", "-o", "twice.iprof", "-w", "2," + self.path("app.iprof"))
        self.assertEqual(sorted(self.stacks("twice.iprof").values()), [20, 40, 100])
        self.out("check", self.path("twice.iprof"))
        self.run_tool("convert", "--to", "iprof", "--image", self.path("whole.iprof"), "-o", "other.iprof")
        self.run_tool("merge", "-o", "both.iprof", self.path("app.iprof"), self.path("other.iprof"))
        self.assertTrue(self.load("both.iprof")["iprofagent"]["split"]["complete"])

    def test_a_file_of_an_earlier_build(self):
        made = self.recorded()
        del made["iprofagent"]["split"]
        old = self.write("old.iprof", made)
        self.assertIn("old.iprof: stacks: they end where an image build cannot follow", self.err("top", old))
        self.assertIn("stacks:         they end where an image build cannot follow", self.out("show", old))
        self.run_tool("merge", "-o", "mixed.iprof", old, self.path("app.iprof"))
        self.assertIn("mixed.iprof: stacks: ", self.err("top", self.path("mixed.iprof")))

    def test_a_filter_leaves_out_pieces_of_other_classes(self):
        self.recorded()
        wanted = {"2:9<1:5": 20, "22:4<1:5": 10}
        for name, more in (("app.iprof", []), ("whole.iprof", ["--image"])):
            self.run_tool("convert", "--to", "iprof", "--include", "a.Main", *more, self.path(name), "-o", "part.iprof")
            self.assertEqual(self.load("part.iprof")["samplingProfiles"], [{"ctx": "2:9<1:5", "records": [20]}])
            self.assertEqual(self.stacks("part.iprof"), wanted)

    def test_a_merge_with_an_earlier_and_an_unfiltered_file(self):
        made = self.recorded()
        del made["iprofagent"]["split"]
        self.run_tool("merge", "-o", "three.iprof", self.write("old.iprof", made), self.path("whole.iprof"), self.path("app.iprof"))
        three = self.load("three.iprof")
        self.assertFalse(three["iprofagent"]["image"]["filtered"])
        self.assertIs(three["iprofagent"]["split"]["complete"], False)
        names = {method["name"] for method in three["methods"]}
        self.assertNotIn("load", names)
        self.assertIn("three.iprof: stacks: ", self.err("top", self.path("three.iprof")))
        self.assertEqual(sum(self.stacks("three.iprof").values()), 70 + 80 + 80)

    def test_a_part_that_does_not_fit_the_table_is_an_error(self):
        for found, change in (("49 left of 3:2", lambda made: made["samplingProfiles"][1].update(records=[49])),
                              ("method 20, which is not declared", lambda made: made["iprofagent"]["split"].update(methods=[])),
                              ("method 3 a second time", lambda made: made["iprofagent"]["split"]["methods"][0].__setitem__(0, 3)),
                              ("type 20, which is not declared", lambda made: made["iprofagent"]["split"].update(types=[]))):
            made = self.recorded()
            change(made)
            said = self.out("check", self.write("odd.iprof", made), expect=1)
            self.assertIn("iprofagent.split", said)
            self.assertIn(found, said)
            # All commands read it without the part.
            self.assertIn("odd.iprof: stacks: ", self.err("top", self.path("odd.iprof")))


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


class Contexts(CliTest):
    """Counts by caller: disjoint, inclusive, and none."""

    CALLS = [{"ctx": "1:0", "records": [1]}, {"ctx": "2:0", "records": [2]}, {"ctx": "2:0<1:5", "records": [7]},
             {"ctx": "3:0<2:7<1:5", "records": [90]}, {"ctx": "4:0<2:7", "records": [3]}]
    INCLUSIVE = {"1:0": 1, "2:0": 9, "2:0<1:5": 7, "3:0<2:7<1:5": 90, "4:0<2:7": 3, "3:0": 90, "3:0<2:7": 90, "4:0": 3}

    def convert(self, path, form, name, *more, **how):
        self.run_tool("convert", "--to", "iprof", "--contexts", form, path, "-o", self.path(name), *more, **how)
        return self.path(name)

    def calls(self, path):
        with open(path, encoding="utf-8") as file:
            return {entry["ctx"]: entry["records"][0] for entry in json.load(file)["callCountProfiles"]}

    def setUp(self):
        super().setUp()
        self.disjoint = self.convert(self.write("given.iprof", profile(callCountProfiles=self.CALLS)),
                                     "disjoint", "a.iprof")
        self.inclusive = self.convert(self.disjoint, "inclusive", "inclusive.iprof")

    def test_forms(self):
        self.assertEqual(self.calls(self.inclusive), self.INCLUSIVE)
        self.assertEqual(self.calls(self.convert(self.inclusive, "none", "none.iprof")), {"1:0": 1, "2:0": 9, "3:0": 90, "4:0": 3})
        again = self.convert(self.inclusive, "disjoint", "again.iprof")
        with open(again, "rb") as made, open(self.disjoint, "rb") as expected:
            self.assertEqual(made.read(), expected.read())
        self.assertIn("needs --to pretty or iprof", self.err(
            "convert", "--to", "csv", "--contexts", "inclusive", self.disjoint, "-o", self.path("x.csv"), expect=2))

    def test_every_command_takes_both_forms_for_the_same(self):
        for command in (["show"], ["show", "--method", "loop"], ["show", "--stats"], ["top"], ["check", "-q"]):
            expected = json.dumps(self.json(*command, self.disjoint)).replace(self.disjoint, "FILE")
            found = json.dumps(self.json(*command, self.inclusive)).replace(self.inclusive, "FILE")
            if command[0] != "check":  # which also counts what is written
                self.assertEqual(found, expected, command)
        self.assertEqual({t["overlap"] for t in self.json("overlap", self.disjoint, self.inclusive)["tables"]}, {1, None})
        self.assertEqual(self.json("diff", self.disjoint, self.inclusive)["items"], [])
        for number, inputs in enumerate(([self.disjoint, self.disjoint], [self.inclusive, self.disjoint], [self.inclusive, self.inclusive])):
            self.run_tool("merge", "-o", self.path(f"m{number}.iprof"), *inputs)
            self.assertEqual(sorted(self.calls(self.path(f"m{number}.iprof")).values()), [2, 4, 6, 14, 180])
            self.assertEqual(self.load(f"m{number}.iprof"), self.load("m0.iprof"))
        pages = []
        for path in (self.disjoint, self.inclusive):
            shutil.copy(path, self.path("p.iprof"))
            self.run_tool("report", self.path("p.iprof"), "-o", self.path("p.html"))
            with open(self.path("p.html"), encoding="utf-8") as page:
                pages.append(page.read())
        self.assertEqual(pages[0], pages[1])

    def test_what_goes_negative_is_refused(self):
        with open(self.inclusive, encoding="utf-8") as file:
            wrong = json.load(file)
        next(entry for entry in wrong["callCountProfiles"] if entry["ctx"] == "2:0")["records"] = [6]
        path = self.write("wrong.iprof", wrong)
        self.assertIn("2:0 in callCountProfiles has fewer executions than the longer contexts that begin with it",
                      self.err("show", path, expect=3))
        self.assertIn("[ctx-inclusive]: found 6, expected at least 7, the sum of its longer contexts", self.out("check", path, expect=1))

    def test_a_profile_without_callers_is_compared_with_sums(self):
        pooled = self.convert(self.disjoint, "none", "none.iprof")
        for command in ("overlap", "diff"):
            self.assertIn("has calls by caller, so these are compared without callers", self.err(command, self.disjoint, pooled))
        self.assertEqual({t["overlap"] for t in self.json("overlap", self.disjoint, pooled)["tables"]}, {1, None})
        self.assertEqual(self.json("diff", pooled, self.disjoint)["items"], [])

    def test_a_repair_that_leaves_nothing_is_refused(self):
        self.assertIn("nothing in the profile fits these class files", self.err(
            "convert", "--to", "iprof", "--classpath", self.path("."), self.disjoint, "-o", self.path("x.iprof"), expect=3))
        self.assertFalse(os.path.exists(self.path("x.iprof")))

    def test_edges_say_what_they_need(self):
        for options, problem in ((["--edges"], "--edges needs class files"), (["--edges", "--classpath", ".", "--old-jdk", "."], "--edges does not")):
            self.assertIn(problem, self.err("convert", "--to", "iprof", *options, self.disjoint, "-o", self.path("x.iprof"), expect=2))
        self.assertIn("has calls by caller already", self.err(
            "convert", "--to", "iprof", "--edges", "--classpath", self.path("."), self.disjoint, "-o", self.path("x.iprof"), expect=3))
        harvest = self.write("h.iprof", profile(iprofagent=section(harvest={"source": "methoddata", "estimator": "none"})))
        self.assertIn("needs exact counts", self.err(
            "convert", "--to", "iprof", "--edges", "--contexts", "none", "--classpath", self.path("."), harvest, "-o", self.path("x.iprof"),
            expect=3))


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

    # loop calls itself below itself: that sample has it twice. get was called often, and is estimated. native was not counted.
    TIMED = {
        "methods": [*profile()["methods"], {"id": 5, "name": "nap", "signature": [10, 8]}],
        "callCountProfiles": [{"ctx": "1:0", "records": [1]}, {"ctx": "2:0", "records": [40]}, {"ctx": "3:0", "records": [2000000]}],
        "samplingProfiles": [{"ctx": "3:2<2:7<2:9<1:5", "records": [100]}, {"ctx": "5:0<2:9<2:9<1:5", "records": [25]}],
    }
    SAMPLING = {"event": "cpu", "intervalNs": 10000000}

    def timed(self, sampling=None, **tables):
        return self.write("t.iprof", profile(**{**self.TIMED, **tables}, iprofagent=section(sampling=sampling or self.SAMPLING)))

    def test_times(self):
        a = self.timed()
        self.assertEqual(self.out("top", "--times", a), (
            "1250.0 ms of CPU time: an estimate, from 125 samples\n"
            "±: a time of n samples is right within 3/√n in 997 of 1,000 cases; ms/call: total / calls\n"
            "  self ms     ±   total ms     ±         calls   ms/call  method\n"
            "   1000.0   30%     1000.0   30%     2,000,000  0.000500  Circle.area\n"
            "    250.0   60%      250.0   60%             -         -  Main.nap\n"
            "      0.0     -     1250.0   27%            40      31.2  Main.loop\n"
            "      0.0     -     1250.0   27%             1    1250.0  Main.main\n"))
        made = self.json("top", "--times", a)
        self.assertEqual({key: made[key] for key in ("event", "interval_ns", "samples", "estimate", "time_ns")},
                         {"event": "cpu", "interval_ns": 10000000, "samples": 125, "estimate": True, "time_ns": 1250000000})
        self.assertEqual(made["rows"][0], {"name": "a.Circle.area()int", "self_ns": 1000000000, "self_error": 0.3, "total_ns": 1000000000,
                                           "total_error": 0.3, "calls": 2000000, "calls_counted": True, "ns_per_call": 500})
        self.assertEqual(made["rows"][1]["calls"], None)
        self.assertEqual(sum(row["self_ns"] for row in made["rows"]), made["time_ns"])
        self.assertEqual([row["name"] for row in self.json("top", "--times", "--sort", "total", "-n", "2", a)["rows"]],
                         ["a.Main.loop(int)void", "a.Main.main()void"])
        self.assertEqual([row["total_ns"] for row in self.json("top", "--times", "--include", "a.Circle", a)["rows"]], [1000000000])

    def test_times_of_fewer_signals_than_weight(self):
        a = self.timed({**self.SAMPLING, "outcomes": {"good": [25, 125], "recovered": [0, 0]}})
        made = self.json("top", "--times", a)
        self.assertEqual((made["samples"], made["rows"][1]["self_error"]), (25, round(3 * 5 ** -0.5, 6)))
        wall = self.out("top", "--times", self.timed({**self.SAMPLING, "event": "wall"}))
        self.assertTrue(wall.startswith("1250.0 ms of wall time: an estimate"), wall)

    def test_times_need_samples_with_an_interval_and_say_if_there_are_no_counts(self):
        a = self.timed(callCountProfiles=[])
        self.assertEqual(self.err("top", "--times", a),
                         f"iprof: warning: {a} has no counts of calls, so there is no time for each call: record with calls=y\n")
        self.assertIn("   1000.0   30%     1000.0   30%             -         -  Circle.area\n", self.out("top", "--times", a))
        self.assertRegex(self.err("top", "--times", self.timed(samplingProfiles=[]), expect=5), r"^iprof: warning: \S+ has no samples: .*\n$")
        self.assertEqual(self.json("top", "--times", self.timed(samplingProfiles=[]), expect=5)["rows"], [])
        foreign = self.write("f.iprof", profile(**self.TIMED))
        self.assertEqual(self.err("top", "--times", foreign, expect=5),
                         f"iprof: warning: {foreign} does not say for which time a sample stands, so there are no times\n")
        self.assertIn("--times is of methods", self.err("top", "--times", "--by", "line", a, expect=2))
        self.assertIn("--times is of methods", self.err("top", "--times", "--first", a, expect=2))

    def test_times_of_estimated_calls(self):
        made = self.timed()
        document = self.load("t.iprof")
        document["iprofagent"]["estimates"] = {"calls": {"a.Circle.area()int": 1000000}}
        rows = {row["name"]: row for row in self.json("top", "--times", self.write("e.iprof", document))["rows"]}
        self.assertEqual(rows["a.Circle.area()int"]["calls_counted"], False)
        self.assertIn("~2,000,000", self.out("top", "--times", self.path("e.iprof")))
        self.assertNotIn("~", self.out("top", "--times", made))

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
