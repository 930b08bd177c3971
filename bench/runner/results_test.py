"""Tests the order of runs, what is measured of one, and the file with the figures."""

import csv
import math
import sys
import time
import types
import unittest

from runner import results, running
from runner.folder_case import FolderCase
from runner.rounds import alternating, order
from runner.workloads import REAL, START


class Order(unittest.TestCase):
    def test_every_pair_once_a_round_those_of_a_workload_together_by_the_seed(self):
        workloads = [types.SimpleNamespace(name=n, kind=REAL) for n in "abc"] + [types.SimpleNamespace(name="d", kind=START)]
        ways = [types.SimpleNamespace(name=n, only="") for n in ("none", "x", "y")] + [types.SimpleNamespace(name="z", only=START)]

        def names(seed):
            return [(number, w.name, c.name) for number, w, c in order(workloads, ways, 5, seed, lambda w, c: c.only in ("", w.kind))]
        plan = names(1)
        self.assertEqual([number for number, _, _ in plan], [n for n in range(5) for _ in range(13)])
        self.assertEqual(len(set(plan)), 65)
        self.assertEqual({w for _, w, c in plan if c == "z"}, {"d"})
        self.assertEqual(sum(one[1] != other[1] for one, other in zip(plan, plan[1:]) if one[0] == other[0]), 5 * 3)
        self.assertEqual(plan, names(1))
        self.assertNotEqual(plan, names(2))

    def test_two_that_alternate(self):
        self.assertEqual([ways for _, ways in alternating("ab", 3)], ["ab", "ba", "ab"])


class Measuring(unittest.TestCase):
    def run_python(self, code, limit_s=1200):
        return results.measure((0, "w", "c"), [sys.executable, "-c", code], limit_s=limit_s)

    def test_what_a_program_says_and_uses(self):
        m = self.run_python("b = bytearray(80 << 20); print('x'); print('RESULT steady_ns=2500000 end_ticks=0 checksum=-7')")
        self.assertEqual((m.steady_ms, m.checksum), (2.5, "-7"))
        self.assertTrue(math.isnan(m.before_ms))
        self.assertGreater(m.peak_mib, 80)
        self.assertAlmostEqual(m.after_s, m.cpu_s)
        m = results.measured((0, "w", "c"), running.Run(f"RESULT end_ticks={3 * results.TICKS}\n", 4.0, 3.0, 0.5, 2))
        self.assertAlmostEqual(m.after_s, 0.5)
        m = self.run_python("pass")
        self.assertTrue(math.isnan(m.steady_ms) and math.isnan(m.after_s))

    def test_bad_ends_are_said(self):
        with self.assertRaisesRegex(running.Failed, "(?s)exit 3: .*the reason"):
            self.run_python("print('the reason'); exit(3)")
        with self.assertRaisesRegex(running.Failed, "not ended after 1 s"):
            self.run_python("import time; time.sleep(300)", limit_s=1)

    def test_what_accompanies_a_program_can_fail_it(self):
        def refuse(pid, ended):
            del pid, ended
            raise running.Failed("not so")
        begun = time.monotonic()
        with self.assertRaisesRegex(running.Failed, "not so: "):
            running.run([sys.executable, "-c", "import time; time.sleep(300)"], beside=refuse)
        self.assertLess(time.monotonic() - begun, 250)
        ended = []
        running.run([sys.executable, "-c", "pass"], beside=lambda _, end: ended.append(end.wait(200)))
        self.assertEqual(ended, [True])


class Files(FolderCase):
    def test_each_figure_is_in_the_file(self):
        file = self.folder / "a.csv"
        results.Results([results.of_time("javac", "none", 1.5, number, after_s=0.25) for number in range(2)], file)
        head, *rows = csv.reader(file.read_text().splitlines())
        self.assertEqual(head, results.FIELDS)
        self.assertEqual([row[:3] for row in rows], [["0", "javac", "none"], ["1", "javac", "none"]])

    def test_only_rounds_in_which_both_ran_are_compared(self):
        some = results.Results([results.of_time("w", "none", 1.0, 0), results.of_time("w", "none", 2.0, 2), results.of_time("w", "x", 3.0, 1),
                                results.of_time("w", "x", 4.0, 2)])
        self.assertEqual(some.sample("w", "x", "none", "steady_ms"), [(4.0, 2.0)])
