"""Tests the order of the forks, the checks of a fork, and the file with the figures."""

import math
import pathlib
import sys
import tempfile
import types
import unittest

import measuring
import results
from configurations import Configuration, options_for
from forks import Forks, order
from sample_results import measurement
from workloads import REAL, START, Workload

KNOWN = {"calls", "branches", "receivers", "monitors", "instanceofs", "samples", "format"}


class Order(unittest.TestCase):
    def setUp(self):
        self.workloads = [Workload(n, REAL, 1, 1) for n in "abc"]
        self.ways = [Configuration(n, []) for n in ("none", "x", "y", "z")]

    def names(self, seed):
        return [(number, w.name, c.name) for number, w, c in order(self.workloads, self.ways, 5, seed)]

    def test_every_pair_once_a_round_and_round_after_round(self):
        plan = self.names(1)
        self.assertEqual([number for number, _, _ in plan], [n for n in range(5) for _ in range(12)])
        self.assertEqual(len(set(plan)), 60)

    def test_configurations_of_a_workload_follow_each_other(self):
        plan = self.names(2)
        for at in range(0, len(plan), 4):
            self.assertEqual(len({(number, workload) for number, workload, _ in plan[at:at + 4]}), 1)

    def test_what_is_for_one_kind_only(self):
        self.ways.append(Configuration("start-up's", [], only=START))
        self.assertNotIn("start-up's", {c for _, _, c in self.names(1)})
        self.workloads.append(Workload("d", START, 1, 1))
        self.assertEqual([w for _, w, c in self.names(1) if c == "start-up's"], 5 * ["d"])

    def test_the_seed_decides(self):
        self.assertEqual(self.names(3), self.names(3))
        self.assertNotEqual(self.names(3), self.names(4))
        self.assertGreater(len({tuple(c for _, _, c in self.names(3)[at:at + 4]) for at in range(0, 60, 4)}), 3)


class Running(unittest.TestCase):
    """Uses a shell script instead of java."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        java = self.folder / "java"
        java.write_text("#!/bin/sh\necho \"$@\" >>" + str(self.folder / "commands") + """
steady=7000000
for argument; do
  case $argument in
    -Xbatch) steady=2000000 ;;
    write=*) echo x >"${argument#write=}" ;;
    fail) echo "it broke"; exit 1 ;;
    wrong) sum=2 ;;
  esac
done
echo RESULT steady_ns=$steady before_ns=1 end_ticks=0 checksum=${sum:-1}
""")
        java.chmod(0o755)
        self.forks = Forks(java, self.folder, quick=False)
        self.kept = []

    def run_ways(self, *ways, process=3):
        self.forks.run([(0, Workload("w", REAL, 1, 8, process), way) for way in ways], self.kept.append)

    def commands(self):
        return (self.folder / "commands").read_text().splitlines()

    def test_a_real_program_runs_twice(self):
        self.run_ways(Configuration("none", []))
        self.assertEqual([m.steady_ms for m in self.kept], [2.0])
        steady, whole = self.commands()
        self.assertTrue("-Xbatch" in steady and steady.endswith("overhead.Main w 8"), steady)
        self.assertTrue("-Xbatch" not in whole and whole.endswith("overhead.Main w 3"), whole)

    def test_a_small_one_once(self):
        self.run_ways(Configuration("none", []), process=0)
        self.assertEqual([m.steady_ms for m in self.kept], [7.0])
        self.assertEqual(len(self.commands()), 1)

    def test_what_fails_is_told_and_the_rest_goes_on(self):
        profile = self.folder / "profile"
        self.run_ways(Configuration("none", []), Configuration("broken", ["fail"]), Configuration("broken", ["fail"]),
                      Configuration("other sum", ["wrong"]), Configuration("no profile", [], writes=profile),
                      Configuration("profile", [f"write={profile}"], writes=profile))
        self.assertEqual([m.configuration for m in self.kept], ["none", "profile"])
        self.assertEqual({c for _, c in self.forks.failures}, {"broken", "other sum", "no profile"})
        self.assertIn("it broke", self.forks.failures["w", "broken"])
        self.assertIn("computes 2, not 1 as under none", self.forks.failures["w", "other sum"])
        self.assertIn("wrote no profile", self.forks.failures["w", "no profile"])
        self.assertEqual(sum("fail" in command for command in self.commands()), 1)


class Options(unittest.TestCase):
    def test_one_table_alone(self):
        self.assertEqual(options_for(("calls",), KNOWN), ["branches=n", "receivers=n", "monitors=n", "samples=n"])
        self.assertEqual(options_for(("instanceofs",), KNOWN),
                         ["calls=n", "branches=n", "receivers=n", "monitors=n", "samples=n", "instanceofs=y", "format=1.1.0"])


class Measuring(unittest.TestCase):
    def run_python(self, code, limit_s=1200):
        return measuring.measure([sys.executable, "-c", code], None, limit_s, round=0, workload="w", configuration="c")

    def test_what_a_program_says_and_uses(self):
        m = self.run_python("b = bytearray(80 << 20); print('x'); print('RESULT steady_ns=2500000 end_ticks=0 checksum=-7')")
        self.assertEqual((m.steady_ms, m.checksum), (2.5, "-7"))
        self.assertTrue(math.isnan(m.before_ms))
        self.assertGreater(m.peak_mib, 80)
        self.assertAlmostEqual(m.after_s, m.cpu_s)

    def test_a_program_that_says_nothing(self):
        m = self.run_python("pass")
        self.assertTrue(math.isnan(m.steady_ms) and math.isnan(m.after_s))

    def test_bad_ends_are_told(self):
        with self.assertRaisesRegex(measuring.Failed, "(?s)exit 3: .*the reason"):
            self.run_python("print('the reason'); exit(3)")
        with self.assertRaisesRegex(measuring.Failed, "not ended after 1 s"):
            self.run_python("import time; time.sleep(300)", limit_s=1)

    def test_time_after_the_program(self):
        usage = types.SimpleNamespace(ru_utime=3.0, ru_stime=0.5, ru_maxrss=2048)
        ticks = 3 * measuring.TICKS
        m = measuring.parsed(f"RESULT end_ticks={ticks}\n", 4.0, usage, {"round": 0, "workload": "w", "configuration": "c"})
        self.assertAlmostEqual(m.after_s, 0.5)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_figures_survive_their_file_and_rounds_go_on(self):
        for name, steady in (("a.csv", 1.5), ("b.csv", 2.5)):
            writer = results.Writer(self.folder / name)
            for number in range(2):
                writer.write(measurement("javac", "none", steady, number, after_s=0.25))
            writer.close()
        read = results.read([self.folder / "a.csv", self.folder / "b.csv"])
        self.assertEqual(read.by_round("javac", "none", "steady_ms"), {0: 1.5, 1: 1.5, 2: 2.5, 3: 2.5})
        self.assertEqual(read.median("javac", "none", "after_s"), 0.25)
        self.assertEqual(next(iter(read)).checksum, "5")

    def test_only_rounds_in_which_both_ran_are_compared(self):
        some = results.Results([measurement("w", "none", 1.0, 0), measurement("w", "none", 2.0, 2), measurement("w", "x", 3.0, 1),
                                measurement("w", "x", 4.0, 2)])
        self.assertEqual(some.sample("w", "x", "none", "steady_ms"), [(4.0, 2.0)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
