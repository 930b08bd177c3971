#!/usr/bin/env python3
"""Allocations and waits for locks (alloc=, lock=): what each command makes of them.

Usage: cli_events_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import unittest

from cli_case import CliTest, events, profile, section

VALUES = {"alloc-bytes": 10000000, "alloc-objects": 100070, "live-bytes": 5000000, "live-objects": 100020, "lock-time": 25000000,
          "lock-count": 6}
LOAD = "a.Main.load(int)void"


def with_events(**members):
    return profile(iprofagent=section(events=events(**members)))


class Events(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("a.iprof", with_events())

    def rows(self, *arguments):
        return {row["name"]: (row["self"], row["total"]) for row in self.json("top", *arguments, self.file)["rows"]}

    def test_top_as_text(self):
        self.assertEqual(self.out("top", "--value", "alloc-bytes", self.file), (
            "10.0 MB allocated; 20 samples, so the sum is right within 67 %\n"
            "        in it (self)  with callees (total)       ±  method\n"
            "     7.0 MB   70.0 %       7.0 MB   70.0 %    80 %  Arrays.copyOf\n"
            "     3.0 MB   30.0 %      10.0 MB  100.0 %  >100 %  Main.load\n"
            "        0 B    0.0 %       9.0 MB   90.0 %          Main.main\n"))
        self.assertEqual(self.out("top", "--value", "alloc-bytes", "--by", "class", self.file), (
            "10.0 MB allocated; 20 samples, so the sum is right within 67 %\n"
            "         alloc-bytes       ±  class\n"
            "     7.0 MB   70.0 %    80 %  byte[]\n"
            "     3.0 MB   30.0 %  >100 %  Node\n"))
        # Waits are counted, not sampled.
        self.assertEqual(self.out("top", "--value", "lock-time", "--sort", "total", "-n", "2", self.file), (
            "25.0 ms waited for locks\n"
            "        in it (self)  with callees (total)  method\n"
            "     5.0 ms   20.0 %      25.0 ms  100.0 %  Main.load\n"
            "    20.0 ms   80.0 %      20.0 ms   80.0 %  LockSupport.park\n"))

    def test_each_value_adds_up(self):
        for value, total in VALUES.items():
            made = self.json("top", "--value", value, self.file)
            self.assertEqual((made["value"], made["total"], sum(row["self"] for row in made["rows"])), (value, total, total))
            self.assertEqual(made["unit"], "bytes" if "bytes" in value else "nanoseconds" if "time" in value else "count")
            self.assertEqual(made.get("samples"), {"alloc": 20, "live": 10, "lock": None}[value[:value.index("-")]], value)
        # Samples stay what they are.
        self.assertEqual(self.json("top", self.file), self.json("top", "--value", "samples", self.file))
        self.assertEqual(self.json("top", self.file)["samples"], 7)

    def test_top_by_each_kind_of_row(self):
        alloc = ["--value", "alloc-bytes", "--by"]
        self.assertEqual(self.rows(*alloc, "line")[LOAD + ":21"], (0, 7000000))
        self.assertEqual(self.rows(*alloc, "bci")[LOAD + ":12"], (3000000, 3000000))
        self.assertEqual(self.rows(*alloc, "package"), {"java.util": (7000000, 7000000), "a": (3000000, 10000000)})
        self.assertEqual(self.rows(*alloc, "thread"), {"main": (9000000, 9000000), "pool-*-thread-*": (1000000, 1000000)})
        self.assertEqual(self.rows("--value", "live-bytes", "--by", "class"), {"byte[]": (2000000,) * 2, "a.Node": (3000000,) * 2})
        self.assertEqual(self.rows("--value", "lock-count", "--by", "class"), {"a.Lock": (6, 6)})
        self.assertIn("--by class needs a value", self.err("top", "--by", "class", self.file, expect=2))
        self.assertIn("no --sort", self.err("top", *alloc, "class", "--sort", "self", self.file, expect=2))
        self.assertIn("--first and --value", self.err("top", "--value", "alloc-bytes", "--first", self.file, expect=2))
        self.assertIn("did you mean 'alloc-bytes'?", self.err("top", "--value", "alloc-byte", self.file, expect=2))

    def test_filters_and_threads(self):
        alloc = ["--value", "alloc-bytes"]
        self.assertEqual(self.rows(*alloc, "--thread", "pool*")["java.util.Arrays.copyOf([B, int)[B"],
                         (1000000, 1000000))
        self.assertEqual(set(self.rows(*alloc, "--app")), {LOAD, "a.Main.main([Ljava.lang.String;)void"})
        self.assertEqual(self.rows(*alloc, "--by", "class", "--include", "java.util.*"), {"byte[]": (7000000, 7000000)})
        self.assertIn("has no alloc-bytes of none.*", self.err("top", *alloc, "--include", "none.*", self.file, expect=5))
        self.run_tool("convert", "--to", "iprof", "--include", "java.util.*", self.file, "-o", "part.iprof")
        self.assertEqual(len(self.load("part.iprof")["iprofagent"]["events"]["alloc"]["rows"]), 2)

    def test_what_was_not_recorded(self):
        plain = self.write("plain.iprof", profile())
        no_collection = events()["alloc"] | {"sweptMs": 0}
        for value, content, said in (("alloc-bytes", profile(), "has no allocations: record with alloc=512k"),
                                     ("lock-time", profile(), "has no waits for locks: record with lock=1ms"),
                                     ("live-bytes", with_events(alloc=no_collection), "there was no collection")):
            self.write("plain.iprof", content)
            for command in (["top"], ["convert", "--to", "collapsed"], ["convert", "--to", "csv"]):
                self.assertIn(said, self.err(*command, "--value", value, plain, expect=5))
        self.write("plain.iprof", with_events(alloc=events()["alloc"] | {"dropped": 3, "samples": 23}))
        self.assertIn("3 of 23 sampled objects are missing", self.err("top", "--value", "alloc-bytes", plain))

    def test_diff(self):
        def of(node, array):
            """Objects of 5 kB each; all of them are sampled."""
            rows = [[0, 2, 0, 5000 * node, node, 0, 0, node, 0], [4, 0, 0, 5000 * array, array, 0, 0, array, 0]]
            return with_events(alloc=events()["alloc"] | {"samples": node + array, "rows": rows})
        a, b = self.write("one.iprof", of(600, 1400)), self.write("two.iprof", of(660, 1920))
        diff = ["diff", "--value", "alloc-bytes"]
        self.assertEqual(self.out(*diff, a, b), (
            f"A: {a}\nB: {b}\n\n"
            "alloc-bytes: 10.0 MB -> 12.9 MB, +2.9 MB ± 1.0 MB\n\n"
            "         A           B       change           ±  class\n"
            "    7.0 MB      9.6 MB      +2.6 MB    864.3 kB  byte[]\n"
            "    3.0 MB      3.3 MB    +300.0 kB    532.4 kB  Node (within the error)\n\n"
            "         A           B       change           ±  method\n"
            "    7.0 MB      9.6 MB      +2.6 MB    864.3 kB  Arrays.copyOf\n"
            "    3.0 MB      3.3 MB    +300.0 kB    532.4 kB  Main.load (within the error)\n"))
        made = self.json(*diff, a, b)
        self.assertEqual([(row["name"], row["a"], row["b"], row["samples_b"], row["within_error"]) for row in made["classes"]],
                         [("byte[]", 7000000, 9600000, 1920, False), ("a.Node", 3000000, 3300000, 660, True)])
        self.assertEqual((made["a"], made["b"], made["within_error"]), (10000000, 12900000, False))
        # What is within the error is no difference, and neither is less than asked for.
        self.run_tool(*diff, "--exit-code", a, b, expect=1)
        self.run_tool(*diff, "--exit-code", a, self.write("other.iprof", of(660, 1400)))
        self.run_tool(*diff, "--threshold", "50%", a, b)
        self.assertIn("no difference beyond the error", self.out(*diff, a, self.write("other.iprof", of(660, 1400))))
        self.assertNotIn("copyOf", self.out(*diff, "--app", a, b))
        # Waits are counted.
        other = self.write("waits.iprof", with_events(lock=events(2)["lock"]))
        self.assertIn("lock-time: 25.0 ms -> 50.0 ms, +25.0 ms\n", self.out("diff", "--value", "lock-time", self.file, other))
        self.run_tool("diff", "--value", "lock-count", "--exit-code", self.file, other, expect=1)
        self.assertIn("no --table", self.err(*diff, "--table", "calls", a, b, expect=2))
        self.assertIn("has no allocations", self.err(*diff, a, self.write("plain.iprof", profile()), expect=5))

    def test_collapsed(self):
        self.assertEqual(self.out("convert", "--to", "collapsed", "--value", "alloc-bytes", self.file).splitlines(), [
            "[main];a.Main.main;a.Main.load;a.Node 3000000",
            "[main];a.Main.main;a.Main.load;java.util.Arrays.copyOf;byte[] 6000000",
            "[pool-*-thread-*];a.Main.load;java.util.Arrays.copyOf;byte[] 1000000"])
        self.assertEqual(self.out("convert", "--to", "collapsed", "--bci", "--value", "lock-time", self.file).splitlines(), [
            "[main];a.Main.main:5;a.Main.load:30;a.Lock 5000000",
            "[pool-*-thread-*];a.Main.load:30;java.util.concurrent.locks.LockSupport.park:14;a.Lock 20000000"])
        self.assertEqual(len(self.out("convert", "--to", "collapsed", self.file).splitlines()), 2)
        for arguments in (["--to", "iprof", "--value", "alloc-bytes"], ["--to", "collapsed", "--stacks", "calls", "--value", "alloc-bytes"]):
            self.assertIn("--value", self.err("convert", *arguments, self.file, expect=2))

    def test_csv(self):
        lines = self.out("convert", "--to", "csv", self.file).splitlines()
        self.assertIn('alloc-bytes,a.Main.load(int)void,12,a.Main.main([Ljava.lang.String;)void:5 < [main]:0,,,a.Node,3000000', lines)
        for value, total in VALUES.items():
            made = self.out("convert", "--to", "csv", "--value", value, self.file).splitlines()[1:]
            self.assertEqual({line.partition(",")[0] for line in made}, {value})
            self.assertEqual(sum(int(line.rpartition(",")[2]) for line in made), total)
            self.assertEqual(made, [line for line in lines if line.startswith(value + ",")])

    def test_speedscope(self):
        self.run_tool("convert", "--to", "speedscope", self.file, "-o", "a.json")
        made = self.load("a.json")
        self.assertEqual({each["name"]: each["endValue"] for each in made["profiles"]}, {"samples": 7, "calls": 100, **VALUES})
        self.assertEqual({each["name"]: each["unit"] for each in made["profiles"]}["alloc-bytes"], "bytes")
        self.run_tool("convert", "--to", "speedscope", "--value", "live-bytes", self.file, "-o", "a.json")
        [live] = self.load("a.json")["profiles"]
        names = [frame["name"] for frame in self.load("a.json")["shared"]["frames"]]
        self.assertEqual({names[stack[-1]] for stack in live["samples"]}, {"byte[]", "a.Node"})
        self.assertEqual(sum(live["weights"]), 5000000)

    def test_show(self):
        said = " ".join(self.out("show", self.file).split())
        self.assertIn("allocated: 10.0 MB in 100,070 objects, estimated from 20 samples (one every 524.3 kB)", said)
        self.assertIn("alive: 5.0 MB in 100,020 objects, after the last collection before 2025-11-30", said)
        self.assertIn("waited: 25.0 ms for locks, in 6 waits (of at least 1.0 ms)", said)
        self.assertEqual(self.json("show", self.file)["events"], VALUES)
        self.assertNotIn("events", self.json("show", self.write("plain.iprof", profile())))

    def test_merges_add_up_and_multiply(self):
        other = self.write("b.iprof", profile(iprofagent=section(events=events(10, alloc=events(10)["alloc"] | {"intervals": [1000]}))))
        self.run_tool("merge", "-o", "two.iprof", self.file, other)
        self.run_tool("merge", "-o", "two-again.iprof", other, self.file)
        self.assertEqual(self.json("show", "two.iprof")["events"], {value: 11 * total for value, total in VALUES.items()})
        two = self.load("two.iprof")["iprofagent"]["events"]
        self.assertEqual(two, self.load("two-again.iprof")["iprofagent"]["events"])
        self.assertEqual((two["alloc"]["intervals"], two["alloc"]["samples"], len(two["alloc"]["rows"])), ([1000, 524288], 40, 3))
        self.out("check", "two.iprof")
        self.run_tool("merge", "-o", "three.iprof", "--weighted-input", f"3,{self.file}")
        three = self.load("three.iprof")["iprofagent"]["events"]
        self.assertEqual((three["alloc"]["rows"][0][3:], three["alloc"]["samples"]), ([9000000, 300000, 9000000, 300000, 6, 6], 20))

    def test_other_forms_keep_them_and_check_knows_their_shape(self):
        for arguments in (["--to", "pretty"], ["--to", "iprof"], ["--to", "iprof", "--image", "--target", "21"]):
            self.run_tool("convert", *arguments, self.file, "-o", "again.iprof")
            self.assertEqual(self.load("again.iprof")["iprofagent"]["events"], events())
        self.out("check", self.file)
        bad = self.write("bad.iprof", with_events(stacks=[[9, 1, 1]]))
        self.assertIn("allocations and waits for locks", self.out("check", bad, expect=1))
        self.assertIn("has no allocations", self.err("top", "--value", "alloc-bytes", bad, expect=5))


if __name__ == "__main__":
    unittest.main(verbosity=1)
