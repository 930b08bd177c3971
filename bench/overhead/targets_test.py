"""Tests of the verdicts, that is which targets are met or missed and by which program, and of the table above them."""

import unittest

from overhead import report, targets
from overhead.configurations import ALL, NONE, Configuration
from runner.results import Results, of_time, of_times
from runner.workloads import MICRO, REAL, Workload

PROGRAMS = [Workload("javac", REAL, 1, 1), Workload("jackson", REAL, 1, 1), Workload("fib", MICRO, 1, 1)]


def said(measured, start):
    return next(str(v) for v in targets.verdicts(measured, PROGRAMS) if v.text.startswith(start))


class Verdicts(unittest.TestCase):
    def test_mean_worst_and_the_share_of_a_peer(self):
        measured = of_times({
            ("javac", "none"): 10, ("javac", "calls+branches"): 11, ("javac", "all"): 13, ("javac", "JaCoCo"): 12, ("javac", "tier 3"): 40,
            ("jackson", "none"): 10, ("jackson", "calls+branches"): 15, ("jackson", "all"): 16, ("jackson", "JaCoCo"): 14,
            ("jackson", "tier 3"): 30, ("fib", "none"): 10, ("fib", "calls+branches"): 12})
        self.assertEqual(said(measured, "calls+branches, steady state, geometric mean"),
                         "MISSES        calls+branches, steady state, geometric mean <= 1.20: 1.28 [1.28, 1.28]")
        self.assertEqual(said(measured, "all tables, steady state, worst"),
                         "holds         all tables, steady state, worst real program <= 1.60: 1.60 [1.60, 1.60], jackson")
        self.assertTrue(said(measured, "calls+branches, micro loops, worst").startswith("holds"))
        self.assertIn("1.25 [1.25, 1.25], jackson", said(measured, "overhead of calls+branches"))
        self.assertIn("0.30 [0.30, 0.30], jackson", said(measured, "overhead of all tables"))

    def test_a_peer_that_costs_nothing_is_never_beaten(self):
        free = of_times({("javac", c): ms for c, ms in (("none", 10), ("calls+branches", 11), ("JaCoCo", 10))})
        self.assertFalse(next(v for v in targets.verdicts(free, PROGRAMS[:1]) if "JaCoCo" in v.text).holds)

    def test_writing_is_what_comes_after_the_program_and_not_without_the_agent(self):
        measured = Results([*(of_time("javac", "none", 1, n, user_s=10.0, after_s=0.1) for n in range(3)),
                            *(of_time("javac", "all", 1, n, user_s=20.0, after_s=1.1) for n in range(3))])
        self.assertIn("MISSES        all tables, writing the profile as a share of javac's CPU time <= 0.05: 0.05",
                      said(measured, "all tables, writing"))

    def test_hello_world_is_compared_with_a_jvm_without_class_data_sharing(self):
        measured = Results(of_time("hello", way, 1, number, user_s=seconds) for number in range(3)
                           for way, seconds in (("none", 0.5), ("no CDS", 1.0), ("all", 3.5)))
        self.assertIn("<= 2.00: 3.50 [3.50, 3.50]", said(measured, "all tables, hello"))

    def test_what_was_not_measured_is_no_success(self):
        for verdict in targets.verdicts(Results(), PROGRAMS):
            self.assertFalse(verdict.holds, verdict)
            self.assertTrue(str(verdict).startswith("not measured"), verdict)
        partly = of_times({("javac", "none"): 10, ("javac", "all"): 11})
        self.assertTrue(said(partly, "all tables, steady state, worst").startswith("not measured"))

    def test_an_interval_over_the_limit_is_said(self):
        noisy = Results([*(of_time("javac", "none", 10, n) for n in range(5)),
                         *(of_time("javac", "all", ms, n) for n, ms in enumerate((12, 13, 13, 19, 19)))])
        verdict = next(v for v in targets.verdicts(noisy, PROGRAMS[:1]) if v.text == "all tables, steady state, worst real program")
        self.assertTrue(verdict.holds)
        self.assertIn("the interval allows the contrary", str(verdict))


class Tables(unittest.TestCase):
    def test_what_failed_is_a_dash_and_what_was_not_to_run_is_empty(self):
        ways = [Configuration(name, []) for name in (NONE, ALL, "direct")]
        measured = of_times({("javac", NONE): 10, ("javac", ALL): 20, ("javac", "direct"): 30, ("jackson", NONE): 10, ("jackson", ALL): 15})
        planned = {("javac", NONE), ("javac", ALL), ("javac", "direct"), ("jackson", NONE), ("jackson", ALL)}
        for of, dashes in (({*planned, ("jackson", "direct")}, 2), (planned, 0)):  # the program and the mean
            text = report.text(measured, PROGRAMS[:2], ways, of).split("\n\n", maxsplit=1)[0]
            rows = {line.split("  ")[0]: line for line in text.splitlines()}
            self.assertIn("3.00", rows["direct"])
            self.assertEqual(rows["direct"].count(" -"), dashes, text)
            self.assertIn("1.50", rows[ALL])
