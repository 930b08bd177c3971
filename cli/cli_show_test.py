#!/usr/bin/env python3
"""Tests what `iprof show` and `iprof diff` print, and the filters that several commands share.

Usage: cli_show_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import csv
import io
import json
import unittest

from cli_case import STANDARD, CliTest, profile, section

LINES = {"a.Main.main()void": {"0": 3, "5": 5}, "a.Main.loop(int)void": {"0": 10, "3": 12, "53": 15, "14": 13, "7": 13, "9": 14},
         "a.Circle.area()int": {"0": 40, "2": 41}}


def lined(**tables):
    """The example profile with source lines."""
    return profile(iprofagent=section(lines=LINES), **tables)


def shop():
    """Main calls a program's Cart, and Cart the JDK's ArrayList. Locks, samples and branches are in both."""
    types = [{"id": i, "name": n} for i, n in enumerate(STANDARD)]
    types += [{"id": 10, "name": "com.shop.Cart"}, {"id": 11, "name": "java.util.ArrayList"}, {"id": 12, "name": "com.shop.web.Page"},
              {"id": 13, "name": "Main"}]
    return {
        "version": "1.0.0", "types": types,
        "methods": [{"id": 1, "name": "total", "signature": [10, 4]}, {"id": 2, "name": "get", "signature": [11, 9, 4]},
                    {"id": 3, "name": "show", "signature": [12, 8]}, {"id": 4, "name": "main", "signature": [13, 8]}],
        "callCountProfiles": [{"ctx": "1:0", "records": [20]}, {"ctx": "2:0", "records": [70]}, {"ctx": "3:0", "records": [9]},
                              {"ctx": "4:0", "records": [1]}],
        "conditionalProfiles": [{"ctx": "1:3", "records": [9, 0, 6, 6, 1, 4]}, {"ctx": "2:5", "records": [9, 0, 60, 8, 1, 30]}],
        "monitorProfiles": [{"ctx": "0:0", "records": [11, 7, 10, 3]}],
        "samplingProfiles": [{"ctx": "2:1<1:5<4:2", "records": [6]}, {"ctx": "2:1", "records": [3]}, {"ctx": "3:1<4:9", "records": [1]}],
    }


class Show(CliTest):
    def sections(self, text):
        """The text's paragraphs by their first line."""
        return {part.splitlines()[0]: part.splitlines()[1:] for part in text.strip().split("\n\n")}

    def test_overview(self):
        a = self.write("a.iprof", lined(vm={"x": 1}))
        self.assertEqual(self.out("show", a).replace(a, "a.iprof"), """\
file:           a.iprof, format 1.0.0
methods:        3 ran; 4 are declared, in 13 types
hot set:        3 of 3 methods have 99.9 % of calls and branches; a build makes
                the others small

table           entries    methods                  total
calls                 3          3                    100
branches              1          1                    100
receivers             1          1                    100
monitors              1          0                      7
samples               2          2                      7
instanceofs           0          0                      0

Hot methods by calls
                90   90.0 %  Circle.area line 40
                 9    9.0 %  Main.loop line 10
                 1    1.0 %  Main.main line 3

Hot branches, and where they went
               100  100.0 %  Main.loop line 12
                               90.0 % to line 15, 10.0 % to line 13

Hot virtual calls, and the classes of their receivers
               100  100.0 %  Main.loop line 13
                               75.0 % Circle, 25.0 % Square

Locks taken, by the class of the object
                 7  100.0 %  Circle

Hot methods by samples in them
                 5   71.4 %  Circle.area line 40
                 2   28.6 %  Main.loop line 10

Frequent stacks, the innermost method first
                 5   71.4 %  Circle.area line 41
                             Main.loop line 13
                             Main.main line 5
                 2   28.6 %  Main.loop line 14
                             Main.main line 5
""")
        self.assertEqual(self.out("show", a), self.out("show", a))

    def test_stacks_that_differ_by_positions_only_are_one(self):
        stacks = {"3:2<2:7<1:5": 5, "3:2<2:9<1:5": 4, "3:0<2:9<1:5": 2, "2:9<1:5": 8}
        a = self.write("a.iprof", lined(samplingProfiles=[{"ctx": ctx, "records": [n]} for ctx, n in stacks.items()]))
        title = "Frequent stacks, the innermost method first"
        self.assertEqual([" ".join(line.split()) for line in self.sections(self.out("show", a))[title]],
                         ["11 57.9 % Circle.area at 2 positions", "Main.loop at 2 positions", "Main.main line 5",
                          "8 42.1 % Main.loop line 14", "Main.main line 5"])
        self.assertEqual(len(self.sections(self.out("show", "-n", "1", a))[title]), 4, "a stack and what is left out")
        self.assertEqual(len(self.sections(self.out("show", "--cutoff", "9", a))[title]), 3, "the cutoff is for the sum")
        whole = [line.split("  ")[-1] for line in self.sections(self.out("show", "--full", a))[title]]
        self.assertEqual(len(whole), 11, "each position by itself")
        self.assertIn("a.Circle.area()int line 40", whole)

    def test_without_lines_positions_are_bytecode_indices(self):
        a = self.write("a.iprof", profile())
        text = self.out("show", a)
        self.assertIn("Main.loop bci 3\n                               90.0 % to bci 53, 10.0 % to bci 14\n", text)
        self.assertIn("  Circle.area\n", text)

    def test_whole_names(self):
        a = self.write("a.iprof", lined())
        text = self.out("show", "--full", a)
        for expected in ["a.Main.loop(int)void line 10\n", "75.0 % a.Circle, 25.0 % a.Square", "a.Circle.area()int line 41\n"]:
            self.assertIn(expected, text)

    def many(self):
        """A site with 60 classes, 40 locked classes, a stack of 55 frames, and names that are longer than any line."""
        types = [{"id": i, "name": n} for i, n in enumerate(STANDARD)]
        types += [{"id": 10 + i, "name": f"a.b.c.{'Very' * 30}LongClass{i}"} for i in range(60)]
        methods = [{"id": i, "name": "m" * (3 * i + 1), "signature": [10, 8]} for i in range(60)]
        return {"version": "1.0.0", "types": types, "methods": methods,
                "virtualInvokeProfiles": [{"ctx": "1:7", "records": [n for i in range(60) for n in (10 + i, 100 - i)]}],
                "monitorProfiles": [{"ctx": "0:0", "records": [n for i in range(40) for n in (10 + i, 100 - i)]}],
                "samplingProfiles": [{"ctx": "<".join(f"{i}:3" for i in range(55)), "records": [5]}],
                "iprofagent": section(provenance={"runs": [{"program": "p", "options": "out=" + "x" * 200, "agent": "1"}]})}

    def test_lines_fit(self):
        a = self.write("a.iprof", self.many())
        for columns in (None, 60, 72, 130):
            for command in (["show"], ["show", "--stats"], ["show", "--method", "m"], ["top"], ["diff", a], ["overlap", a]):
                if command[0] == "overlap" and columns in (60, 72):
                    continue  # a table of 97 columns
                text = self.out(*command, a, env={"COLUMNS": str(columns or "")})
                widest = max(len(line) for line in text.splitlines() if not line.startswith(("A:", "B:", "(")))
                if columns:
                    self.assertLessEqual(widest, columns, f"{command} {columns}\n{text}")
                elif command[0] in ("show", "top"):
                    self.assertGreater(widest, 100, "in a pipe, names and paths are whole")
                    self.assertNotRegex(text, r"\w…")
        text = self.out("show", a, env={"COLUMNS": "100"})
        self.assertRegex(text, r"\n +2\.4 % VeryVery\w*…\w*LongClass0, … 59 more\n", "a name is cut in its middle")
        self.assertIn("… 30 more\n", text)
        self.assertIn("… 47 more frames\n", text)
        self.assertEqual(self.out("show", "--full", a).count(" bci 3\n"), 55, "a frame a line")

    def test_table_topn_cutoff(self):
        a = self.write("a.iprof", profile())
        text = self.out("show", "--table", "calls", "--topn", "1", a)
        self.assertNotIn("\nbranches", text)
        self.assertIn("Circle.area\n                             … 2 more\n", text)
        self.assertNotIn("Main.main", text)
        everything = self.out("show", "--topn", "0", a)
        self.assertIn("Main.main", everything)
        self.assertEqual(self.out("show", "--all", a), everything)
        self.assertEqual(self.out("show", "--table", "callCountProfiles", a), self.out("show", "--table=calls", a))
        hottest = self.json("show", "--table", "calls", "--cutoff", "9", a)["tables"][0]["hottest"]
        self.assertEqual([h["count"] for h in hottest], [90, 9])
        self.assertEqual(len(self.json("show", "--table", "calls", "-n", "0", a)["tables"][0]["hottest"]), 3)

    def test_nothing_appears_twice(self):
        a = self.write("a.iprof", lined())
        text = self.out("show", "--table", "calls", a)
        self.assertEqual(text.count("Circle.area"), 1)
        self.assertNotIn("image build", self.out("show", "--method", "loop", a), "it would use what was recorded")

    def test_stats(self):
        a = self.write("a.iprof", profile(vm={"x": 1}))
        self.assertNotIn("median", self.out("show", a))
        text = self.out("show", "--stats", a)
        self.assertIn("Frames of an entry: median 2, 99% up to 3, most 3\n", text)
        self.assertIn("  unknown:      vm (8 bytes)\n", text)

    def test_detailed_summary(self):
        a = self.write("a.iprof", profile())
        text = self.out("show", "--detailed-summary", "--table", "calls", a)
        self.assertIn("Total count: 100\n", text)
        self.assertIn("1 contexts (33.3 %) with count >= 90 account for 90% of the total counts.\n", text)
        self.assertIn("2 contexts (66.7 %) with count >= 9 account for 99% of the total counts.\n", text)
        self.assertIn("3 contexts (100.0 %) with count >= 1 account for 99.9% of the total counts.\n", text)
        rows = self.json("show", "--detailed-summary", "--table", "calls", a)["tables"][0]["detailed_summary"]
        self.assertEqual([r["contexts"] for r in rows], [1, 1, 1, 2, 3])

    def test_method(self):
        a = self.write("a.iprof", lined())
        self.assertEqual(self.out("show", "--method", "a.Main.loop", a), """\
a.Main.loop(int)void
  line 10; called 9 times; 2 samples in it, 7 in it or in what it calls
  calls, by caller
    line 10 (bci 0): 9 times
      9 from Main.main line 5
  branches
    line 12 (bci 3): 100 times
      90.0 % to line 15, 10.0 % to line 13
  virtual calls
    line 13 (bci 7): 100 times
      75.0 % Circle, 25.0 % Square
  samples
    line 14 (bci 9): 2
""")
        self.assertIn("called 1 time\n", self.out("show", "--method", "a.Main.main", "--table", "calls", a))
        shown = self.json("show", "--method", "*.area", a)["methods"]
        self.assertEqual([m["method"] for m in shown], ["a.Circle.area()int", "a.Square.area()int"])
        self.assertEqual(shown[0]["calls"], 90)
        self.assertFalse(shown[1]["called"])
        self.assertIn("no method matches", self.err("show", "--method", "nobody", a, expect=1))

    def test_method_tells_where_an_image_build_uses_other_numbers(self):
        never = self.write("a.iprof", profile(conditionalProfiles=[{"ctx": "2:3", "records": [53, 0, 0, 14, 1, 0]},
                                                                   {"ctx": "2:9", "records": [70, 0, 1, 80, 1, 1, 80, 2, 2]}]))
        text = self.out("show", "--method", "loop", "--table", "branches", never)
        self.assertIn("an image build uses: nothing of it\n", text)
        self.assertIn("50.0 % to bci 80, 25.0 % to bci 70\n".replace("50", "75"), text)

    def test_json_has_lines_and_all_earlier_members(self):
        a = self.write("a.iprof", lined())
        shown = self.json("show", a)
        self.assertLessEqual({"file", "version", "types", "methods", "unknown_keys", "context_depth", "contexts_of_depth"} - {"contexts_of_depth"},
                             set(shown))
        self.assertEqual(shown["methods"], 4)
        self.assertEqual(shown["methods_that_ran"], 3)
        self.assertEqual(set(shown["hot_set"]), {"share", "methods", "all_methods", "code_bytes", "all_code_bytes",
                                                 "methods_of_unknown_length"})
        calls, branches = shown["tables"][:2]
        self.assertEqual(calls["hottest_methods"][0], {"method": "a.Circle.area()int", "line": 40, "count": 90, "contexts": 1})
        self.assertEqual(branches["hottest"][0]["context"], [{"method": "a.Main.loop(int)void", "bci": 3, "line": 12}])


class Filters(CliTest):
    def test_estimates_are_those_of_the_classes_that_are_shown(self):
        """All methods that lost their probes are the JDK's. The run's numbers have them all the same, so the reason stays."""
        run = {"methods": {"exact": 2, "within_k": 0, "unknown": 2, "largest_k": 0}}
        estimates = {"calls": {"java.util.ArrayList.get(int)java.lang.Object": 35}}
        a = self.write("a.iprof", {**shop(), "iprofagent": section(provenance={"runs": [run]}, estimates=estimates)})
        for options, is_estimated in (((), True), (("--app",), False), (("--package", "com.shop"), False)):
            shown = " ".join(self.out("show", *options, a).split())
            self.assertIn("2 methods may be off by an unknown number, because exceptions ended calls, calls had not ended, or methods were not counted all the time", shown)
            self.assertEqual("estimated: 35.0 % of all calls, in 1 method that was not counted all the time" in shown, is_estimated, shown)
            self.assertEqual("estimated:" in shown, is_estimated, shown)

    def calls(self, *arguments):
        return {h["method"].split("(")[0] for h in self.json("show", *arguments)["tables"][0]["hottest_methods"]}

    def test_show(self):
        a = self.write("a.iprof", shop())
        self.assertEqual(self.calls(a, "--app"), {"com.shop.Cart.total", "com.shop.web.Page.show", "Main.main"})
        self.assertEqual(self.calls(a, "--package", "com.shop"), {"com.shop.Cart.total", "com.shop.web.Page.show"})
        self.assertEqual(self.calls(a, "--include", "com.shop.*+Main", "--exclude", "*.web.*"), {"com.shop.Cart.total", "Main.main"})
        self.assertEqual(self.calls(a, "--include", "Main", "--include", "*Page"), {"com.shop.web.Page.show", "Main.main"})
        text = self.out("show", "--app", a)
        self.assertIn("only:           outside the JDK; shares are of the whole profile\n", text)
        self.assertIn("                20   20.0 %  Cart.total\n", text)
        self.assertIn("                 3   30.0 %  Cart\n", text)
        self.assertIn("                 6   60.0 %  ArrayList.get bci 1\n                             Cart.total bci 5\n", text)
        self.assertNotIn("ArrayList.get\n", text)

    def test_top(self):
        a = self.write("a.iprof", shop())
        rows = {row["name"]: (row["self"], row["total"]) for row in self.json("top", "--app", a)["rows"]}
        self.assertEqual(rows, {"com.shop.Cart.total()int": (0, 6), "com.shop.web.Page.show()void": (1, 1), "Main.main()void": (0, 7)})
        self.assertIn("100.0 %", self.out("top", "--include", "java.*+com.*+Main", a).replace("70.0 %", "100.0 %"))
        self.assertIn("has no class that matches: org.*", self.err("show", "--include", "org.*", a))

    def test_convert(self):
        a = self.write("a.iprof", shop())
        self.assertEqual(self.out("convert", "--to", "collapsed", "--package", "com.shop.web", a), "Main.main;com.shop.web.Page.show 1\n")
        made = json.loads(self.out("convert", "--to", "iprof", "--app", a))
        self.assertEqual([entry["ctx"] for entry in made["callCountProfiles"]], ["1:0", "3:0", "4:0"])
        self.assertEqual(made["monitorProfiles"], [{"ctx": "0:0", "records": [10, 3]}])
        self.assertEqual([m["id"] for m in made["methods"]], [1, 2, 3, 4], "ArrayList.get is on a stack")
        rows = list(csv.DictReader(io.StringIO(self.out("convert", "--to", "csv", "--exclude", "com.*", a))))
        self.assertEqual({row["method"] for row in rows if row["table"] == "callCountProfiles"}, {"java.util.ArrayList.get(int)java.lang.Object",
                                                                                                  "Main.main()void"})
        self.run_tool("convert", "--to", "collapsed", "--include", "com.shop.Other", a, expect=5)

    def test_diff_and_overlap(self):
        a = self.write("a.iprof", shop())
        other = shop()
        other["conditionalProfiles"][1]["records"] = [9, 0, 3000, 8, 1, 6000]
        other["callCountProfiles"][1]["records"] = [7000]
        b = self.write("b.iprof", other)
        self.assertGreater(self.json("diff", a, b)["differences"], 0)
        self.assertEqual(self.json("diff", "--app", a, b)["differences"], 0)
        self.assertLess(self.json("overlap", "--table", "branches", a, b)["tables"][0]["overlap"], 0.9)
        self.assertEqual(self.json("overlap", "--table", "branches", "--app", a, b)["tables"][0]["overlap"], 1)

    def test_wrong_patterns(self):
        a = self.write("a.iprof", shop())
        self.assertIn("join several with '+'", self.err("show", "--include", "a.*,b.*", a, expect=2))
        self.assertIn("has an empty part", self.err("show", "--exclude", "a.*+", a, expect=2))


class Diff(CliTest):
    def test_items(self):
        a = self.write("a.iprof", lined())
        moved = lined()
        moved["conditionalProfiles"][0]["records"] = [53, 0, 70000, 14, 1, 30000]
        moved["callCountProfiles"] = [{"ctx": "1:0", "records": [1]}, {"ctx": "2:0<1:5", "records": [9]}, {"ctx": "3:0<2:7<1:5", "records": [90]}]
        moved["methods"].append({"id": 9, "name": "added", "signature": [10, 8]})
        b = self.write("b.iprof", moved)
        self.assertIn("no differences of 5.0 % or more", self.out("diff", "--exit-code", a, a))
        text = self.out("diff", a, b)
        self.assertIn("""\
Differences, the most important first (1)
   weight    change
  100.0 %    20.0 %  branch Main.loop line 12
                       to line 15 (bci 53): 90.0 % -> 70.0 %
                       to line 13 (bci 14): 10.0 % -> 30.0 %

declared only in A: 0 methods, 0 types; only in B: 1 method, 0 types (listed
with --declared)
""", text)
        self.assertIn("methods declared only in B (1)\n  a.Main.added()void\n", self.out("diff", "--declared", a, b))
        found = self.json("diff", a, b)
        self.assertEqual(found["differences"], 1)
        self.assertAlmostEqual(found["items"][0]["movement"], 0.2)
        self.assertEqual(found["items"][0]["context"], "a.Main.loop(int)void:3")
        self.assertEqual(found["items"][0]["scope"], "entry")
        self.assertEqual({o["name"] for o in found["items"][0]["outcomes"]}, {"bci 14", "bci 53"})
        self.assertEqual(self.json("diff", "--topn", "0", a, b)["methods_only_in_b"], ["a.Main.added()void"])

    def test_exit_status(self):
        a = self.write("a.iprof", profile())
        moved = profile()
        moved["conditionalProfiles"][0]["records"] = [53, 0, 7000, 14, 1, 3000]
        b = self.write("b.iprof", moved)
        self.run_tool("diff", a, b)
        self.run_tool("diff", "--exit-code", a, b, expect=1)
        self.run_tool("diff", "--threshold", "10%", a, b, expect=1)
        self.run_tool("diff", "--threshold", "25%", a, b)
        self.run_tool("diff", "--threshold", "0.25", "--exit-code", a, b)
        self.run_tool("diff", "--min-weight", "1%", a, b, expect=1)
        self.run_tool("diff", "--exit-code", "--table", "calls", a, b)
        declared = profile()
        declared["methods"].append({"id": 9, "name": "added", "signature": [10, 8]})
        self.run_tool("diff", "--exit-code", a, self.write("c.iprof", declared))

    def test_weight(self):
        """The branch is 2 % of all branches."""
        tables = [[{"ctx": "2:3", "records": [53, 0, taken, 14, 1, 200 - taken]}, {"ctx": "2:9", "records": [70, 0, 4900, 80, 1, 4900]}]
                  for taken in (20, 180)]
        a, b = (self.write(f"{i}.iprof", profile(conditionalProfiles=table)) for i, table in enumerate(tables))
        self.run_tool("diff", "--min-weight", "1%", a, b, expect=1)
        self.run_tool("diff", "--min-weight", "3%", a, b)

    def test_the_length_of_the_run_makes_no_difference(self):
        self.run_tool("diff", "--exit-code", self.write("a.iprof", profile()), self.write("b.iprof", profile(1000)))

    def test_samples_by_method(self):
        a = self.write("a.iprof", profile(100))
        other = profile(100)
        other["samplingProfiles"] = [{"ctx": "3:2<2:7<1:5", "records": [100]}, {"ctx": "2:9<1:5", "records": [600]}]
        found = self.json("diff", "--table", "samples", a, self.write("b.iprof", other))
        self.assertEqual({(item["scope"], item["context"].split("(")[0]) for item in found["items"]},
                         {("entry", "a.Circle.area"), ("entry", "a.Main.loop"), ("leaf", "a.Circle.area"), ("leaf", "a.Main.loop")})
        self.assertIn("samples in Circle.area: 71.4 % -> 14.3 %\n", self.out("diff", "--table", "samples", a, "b.iprof"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
