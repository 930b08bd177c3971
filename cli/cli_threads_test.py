#!/usr/bin/env python3
"""Samples that know their threads (threads=y) and times: what each command makes of them.

Usage: cli_threads_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import gzip
import json
import unittest

from cli_case import CliTest, profile, section

NAMES = ["pool-*-thread-*", "main", "a;b\nc"]
# Circle.area below loop has 3 of the pool, 1 of main and 1 of no known thread; loop has 2 of the third.
OF = [[0, 0, 3, 1, 1], [1, 2, 2]]


def with_threads(scale=1, of=None, **parts):
    threads = {"sites": 0, "whole": [], "threads": NAMES, "of": of or [[stack, *(n if i % 2 == 0 else n * scale for i, n in enumerate(shares))]
                                                                     for stack, *shares in OF]}
    return profile(scale, iprofagent=section(split=threads, **parts))


class Threads(CliTest):
    def threads(self, *arguments):
        return {row["name"]: row["self"] for row in self.json("top", "--by", "thread", *arguments)["rows"]}

    def test_top_by_thread(self):
        a = self.write("a.iprof", with_threads())
        self.assertEqual(self.threads(a), {"pool-*-thread-*": 3, NAMES[2]: 2, "": 1, "main": 1})
        self.assertEqual(self.out("top", "--by", "thread", "-n", "3", a), (
            "7 samples\n"
            "             samples  thread\n"
            "          3   42.9 %  pool-*-thread-*\n"
            "          2   28.6 %  a;b\\nc\n"
            "          1   14.3 %  (not known)\n"))
        self.assertEqual(self.threads("--include", "a.Circle", a), {"pool-*-thread-*": 3, "": 1, "main": 1})
        self.assertIn("no --sort", self.err("top", "--by", "thread", "--sort", "self", a, expect=2))

    def test_the_samples_of_some_threads(self):
        a = self.write("a.iprof", with_threads())
        rows = self.json("top", "--thread", "pool-*", a)
        self.assertEqual((rows["samples"], rows["rows"][0]["name"], rows["rows"][0]["self"]), (3, "a.Circle.area()int", 3))
        self.assertEqual(self.json("top", "--thread", "*", a)["samples"], 6)
        # Without the option, nothing shows threads.
        plain = self.write("plain.iprof", profile())
        for command in (["top"], ["show", "--method", "area"], ["overlap", plain], ["diff", plain]):
            self.assertEqual(self.out(*command, a).replace("a.iprof", "plain.iprof"), self.out(*command, plain), command)
        for thread, samples in (("main", 1), ("pool-*", 3), ("*", 4)):
            [circle, _] = self.json("show", "--method", "area", "--thread", thread, a)["methods"]
            self.assertEqual((circle["samples_self"], circle["calls"]), (samples, 90))

    def test_a_profile_without_threads_and_threads_that_it_does_not_have(self):
        plain = self.write("plain.iprof", profile())
        for command in (["top", "--by", "thread"], ["top", "--thread", "main"], ["show", "--thread", "main"]):
            said = self.err(*command, plain, expect=5)
            self.assertRegex(said, r"^iprof: warning: \S*plain.iprof does not say which threads its samples are of: record with threads=y\n$")
        a = self.write("a.iprof", with_threads())
        self.assertRegex(self.err("top", "--thread", "x*", a, expect=5),
                         r"no samples of threads that match 'x\*', but of: pool-\*-thread-\*, a;b\\nc, \(not known\), main\n")

    def test_other_formats_have_the_thread_as_the_outermost_frame(self):
        a = self.write("a.iprof", with_threads())
        self.assertEqual(sorted(self.out("convert", "--to", "collapsed", "--bci", a).splitlines()), sorted([
            "[pool-*-thread-*];a.Main.main:5;a.Main.loop:7;a.Circle.area:2 3", "[main];a.Main.main:5;a.Main.loop:7;a.Circle.area:2 1",
            "a.Main.main:5;a.Main.loop:7;a.Circle.area:2 1", "[a\\x3bb\\x0ac];a.Main.main:5;a.Main.loop:9 2"]))
        self.run_tool("convert", "--to", "speedscope", a, "-o", "a.json")
        made = self.load("a.json")
        names = [frame["name"] for frame in made["shared"]["frames"]]
        self.assertEqual({names[stack[0]] for stack in made["profiles"][0]["samples"]}, {"[pool-*-thread-*]", "[main]", "[a;b\nc]", "a.Main.main"})
        self.run_tool("convert", "--to", "pprof", a, "-o", "a.pb.gz")
        with gzip.open(self.path("a.pb.gz")) as packed:
            written = packed.read()
        texts = written.count(b"\x32\x06thread")  # the label's key, in the table of texts
        self.assertEqual((texts, written.count(b"[main]"), written.count(b"\x32\x04main")), (1, 1, 1))
        self.assertIn("[main]:0", self.out("convert", "--to", "csv", a))

    def test_writing_again_and_merging_keep_threads_out_of_the_tables(self):
        a = self.write("a.iprof", with_threads())
        self.run_tool("convert", "--to", "iprof", a, "-o", "again.iprof")
        self.run_tool("convert", "--to", "iprof", self.write("plain.iprof", profile(iprofagent=section())), "-o", "plain-again.iprof")
        again, plain = self.load("again.iprof"), self.load("plain-again.iprof")
        self.assertEqual(again["iprofagent"]["split"]["of"], OF)
        self.assertEqual({key: again[key] for key in plain if key != "iprofagent"}, {key: plain[key] for key in plain if key != "iprofagent"})
        self.run_tool("merge", "-o", "two.iprof", a, self.write("b.iprof", with_threads(10)))
        self.run_tool("merge", "-o", "two-plain.iprof", self.path("plain.iprof"), self.write("c.iprof", profile(10, iprofagent=section())))
        self.assertEqual(self.threads(self.path("two.iprof")), {"pool-*-thread-*": 33, NAMES[2]: 22, "": 11, "main": 11})
        two, two_plain = self.load("two.iprof"), self.load("two-plain.iprof")
        self.assertEqual(two["samplingProfiles"], two_plain["samplingProfiles"])
        self.assertEqual(two["methods"], two_plain["methods"])
        self.out("check", self.path("two.iprof"), self.path("again.iprof"))
        self.out("diff", "--exit-code", a, self.path("plain.iprof"))

    def test_an_image_build_is_given_the_same(self):
        for name, made in (("a", with_threads(10)), ("plain", profile(10, iprofagent=section()))):
            self.run_tool("convert", "--to", "iprof", "--image", "--target", "21", self.write(f"{name}.iprof", made), "-o", f"{name}-image.iprof")
        a, plain = self.load("a-image.iprof"), self.load("plain-image.iprof")
        self.assertEqual({key: a[key] for key in plain if key != "iprofagent"}, {key: plain[key] for key in plain if key != "iprofagent"})
        self.assertEqual(self.threads(self.path("a-image.iprof"))["pool-*-thread-*"], 30)

    def test_threads_that_do_not_fit_are_ignored(self):
        for of in ([[0, 0, 30]], [[7, 0, 1]], [[0, 9, 1]]):
            a = self.write("a.iprof", with_threads(of=of))
            self.err("top", "--by", "thread", a, expect=5)
            self.assertEqual(self.json("top", a)["samples"], 7)
        self.assertIn("split", self.out("check", a, expect=1))


# Circle.area: 2 of the pool in second 0 and 1 from second 4 on, main at no known time, the sample of no known thread in second 6 or 7.
# loop: all of it in second 0.
SECONDS, DURING = [0, 4, 6], [[0, 2, 1, 1], [], 2, 0]


def with_times(during=None, **parts):
    made = with_threads(**parts)
    made["iprofagent"]["split"].update(seconds=SECONDS, during=during or DURING)
    return made


class Times(CliTest):
    def periods(self, *arguments):
        return {row["from_s"]: row["self"] for row in self.json("top", "--by", "time", *arguments)["rows"]}

    def samples(self, *arguments):
        return self.json("top", *arguments)["samples"]

    def test_top_by_time(self):
        a = self.write("a.iprof", with_times())
        self.assertEqual(self.out("top", "--by", "time", a), (
            "7 samples\n"
            "             samples  time of the recording\n"
            "          4   57.1 %  0 s to 1 s\n"
            "          1   14.3 %  4 s to 6 s\n"
            "          1   14.3 %  6 s to 8 s\n"))
        self.assertEqual(self.periods("--include", "a.Circle", a), {0: 2, 4: 1, 6: 1})
        self.assertIn("no --sort", self.err("top", "--by", "time", "--sort", "self", a, expect=2))

    def test_the_samples_of_a_time(self):
        a = self.write("a.iprof", with_times())
        self.assertEqual([self.samples("--to", "1s", a), self.samples("--from", "4s", a), self.samples("--from", "4s", "--to", "6s", a)], [4, 2, 1])
        self.assertEqual(self.samples("--to", "1s", "--thread", "pool-*", a), 2)
        [circle, _] = self.json("show", "--method", "area", "--from", "4s", a)["methods"]
        self.assertEqual((circle["samples_self"], circle["calls"]), (2, 90))
        self.assertEqual({row["name"]: row["self"] for row in self.json("top", "--by", "thread", "--to", "1s", a)["rows"]}, {"pool-*-thread-*": 2, NAMES[2]: 2})
        # Nothing else knows of it.
        plain = self.write("plain.iprof", profile())
        for command in (["top"], ["show", "--method", "area"], ["overlap", plain], ["diff", plain], ["convert", "--to", "csv"]):
            self.assertEqual(self.out(*command, a).replace("a.iprof", "plain.iprof").replace("[pool-*-thread-*]", ""),
                             self.out(*command, plain if command[0] != "convert" else self.write("t.iprof", with_threads())).replace("t.iprof", "plain.iprof").replace("[pool-*-thread-*]", ""), command)

    def test_a_time_inside_a_period_and_one_without_samples(self):
        a = self.write("a.iprof", with_times())
        for arguments, said in ((["--from", "5s"], "those from 4 s on"), (["--to", "500ms"], None), (["--to", "5s"], "those up to 6 s")):
            made = self.run_tool("top", *arguments, a)
            told = made.stderr.decode()
            self.assertTrue(said in told if said else told == "", (arguments, told))
        self.assertRegex(self.err("top", "--from", "1m", a, expect=5), "no samples of that time, but of: 0 s to 1 s, 4 s to 6 s, 6 s to 8 s")
        self.assertIn("is not before", self.err("top", "--from", "6s", "--to", "4s", a, expect=5))
        self.assertIn("only samples know", self.err("top", "--value", "lock-time", "--to", "4s", a, expect=2))
        for old in (profile(), with_threads()):
            said = self.err("top", "--to", "4s", self.write("old.iprof", old), expect=5)
            self.assertRegex(said, r"^iprof: warning: \S*old.iprof does not say when its samples were taken: an earlier version or another program recorded them\n$")

    def test_merging_adds_up_periods_and_leaves_the_tables_alone(self):
        a, b = self.write("a.iprof", with_times()), self.write("b.iprof", with_times(during=[2, [1, 1], 1]))
        old = self.write("old.iprof", with_threads())
        for name, inputs in (("two.iprof", [a, b, old]), ("again.iprof", [old, b, a])):
            self.run_tool("merge", "-o", name, *inputs)
        two = self.path("two.iprof")
        self.assertEqual(self.periods(two), {0: 4, 4: 3, 6: 4})
        self.assertEqual(self.load("two.iprof"), self.load("again.iprof"))
        self.run_tool("merge", "-o", "plain.iprof", old, old, old)
        self.assertEqual(self.load("two.iprof")["samplingProfiles"], self.load("plain.iprof")["samplingProfiles"])
        self.assertEqual(self.threads_of(two), self.threads_of(self.path("plain.iprof")))
        self.out("check", two)
        self.run_tool("convert", "--to", "iprof", a, "-o", "c.iprof")
        self.assertEqual(self.load("c.iprof")["iprofagent"]["split"]["during"], DURING)
        self.run_tool("convert", "--to", "iprof", "--include", "a.Circle", a, "-o", "circle.iprof")
        self.assertEqual(self.periods(self.path("circle.iprof")), {0: 2, 4: 1, 6: 1})

    def threads_of(self, path):
        return {row["name"]: row["self"] for row in self.json("top", "--by", "thread", path)["rows"]}

    def test_periods_that_do_not_fit_are_ignored(self):
        for during in ([[0, 30]], [0, 0, 0, 0, 0], [[0, 1, 0, 9]]):
            a = self.write("a.iprof", with_times(during=during))
            self.err("top", "--by", "time", a, expect=5)
            self.assertEqual(self.samples(a), 7)
            self.assertEqual(len(self.threads_of(a)), 4)
        self.err("top", "--by", "time", self.write("a.iprof", with_times(during=[[7, 1]])), expect=5)
        self.assertIn("split", self.out("check", self.path("a.iprof"), expect=1))


if __name__ == "__main__":
    unittest.main(verbosity=1)
