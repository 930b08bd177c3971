"""Tests of the cost over time, with runs of which every second is known."""

import math
import unittest

from overhead import timeline
from overhead.timeline import Row, Run, Swap

# Of JDK 17 and 25.
LOG = """\
[1795592579100ms] Safepoint "G1CollectForAllocation", Time since last: 900 ns, Reaching safepoint: 90 ns, At safepoint: 10 ns, Total: 100 ns
[1795592579494ms] Safepoint "RedefineClasses", Time since last: 558202092 ns, Reaching safepoint: 82854 ns, Cleanup: 10806 ns, \
At safepoint: 1292187 ns, Total: 1385847 ns
[1795592593551ms] Safepoint "RedefineClasses", Time since last: 1567522161 ns, Reaching safepoint: 96724 ns, At safepoint: 1669000 ns, \
Leaving safepoint: 23345 ns, Total: 1789069 ns, Threads: 1 runnable, 12 total
"""


def rows(*each):
    """each: (repetitions, program, compilers, agent) in one second; the clocks add up."""
    made = [Row(1_000_000, 0, 10.0, 5.0, 1.0)]
    for repetitions, program, compilers, agent in each:
        last = made[-1]
        made.append(Row(last.ms + 1000, last.repetitions + repetitions, last.program_s + program, last.compilers_s + compilers,
                        last.agent_s + agent))
    return made


# Two seconds of warm-up, after which 100 repetitions take a second.
BASE = Run(rows((40, 1.0, 1.0, 0), (60, 1.0, 0.5, 0), *4 * [(100, 1.0, 0.0, 0)]), [])
# Costs twice as much until probes are taken out in the eighth second; then the compilers work for one and a half seconds.
SWAPPED = Run(rows((20, 1.0, 1.0, 0), (20, 1.0, 1.0, 0), (30, 1.0, 0.5, 0), (30, 1.0, 0.5, 0), *3 * [(50, 1.0, 0.0, 0)],
                   (50, 1.0, 0.0, 0.25), (70, 1.0, 0.5, 0), (80, 0.8, 0.0, 0), (50, 0.5, 0, 0)),
              [Swap(1_000_000 + 7_500, 0.02), Swap(1_000_000 + 7_600, 0.03)])


class WholeRuns(unittest.TestCase):
    def test_the_ratio_and_what_swaps_took_until_the_compilers_were_calm(self):
        said = timeline.compared(SWAPPED, BASE)
        self.assertAlmostEqual(said.ratio, 14.05 / 7.5)
        self.assertAlmostEqual(said.swapping, (0.25 + 0.5 + 0.02 + 0.03) / 14.05)
        self.assertEqual(said.longest_pause_s, 0.03)

    def test_without_swaps_nothing_is_swapped(self):
        said = timeline.compared(Run(SWAPPED.rows, []), BASE)
        self.assertEqual(said.swapping, 0)
        self.assertTrue(math.isnan(said.longest_pause_s))


class Windows(unittest.TestCase):
    def test_each_run_is_measured_in_its_own_cpu_time(self):
        base = Run(rows(*30 * [(100, 1.0, 0.0, 0)]), [])  # 16 s at the first row, 46 s at the end
        slow = Run(rows(*20 * [(50, 1.0, 0.0, 0)], *40 * [(80, 0.5, 0.5, 0)]), [])  # from 36 s on faster
        self.assertAlmostEqual(timeline.window(slow, base, 20, 30), 2)
        self.assertAlmostEqual(timeline.window(slow, base, 30, 60), 100 / ((6 * 50 + 24 * 80) / 30))
        self.assertTrue(math.isnan(timeline.window(slow, base, 40, 60)))  # the base was in it for 6 s
        self.assertTrue(math.isnan(timeline.window(slow, base, 60, 90)))


class Reading(unittest.TestCase):
    def test_a_timeline_and_a_log(self):
        run = timeline.read("1732518000000 0 5000000 0 0\n1732518001000 7 1005000000 250000000 1000\n", LOG)
        self.assertEqual(run.rows[1], Row(1732518001000, 7, 1.005, 0.25, 1e-6))
        self.assertEqual([(swap.ms, round(1e9 * swap.pause_s)) for swap in run.swaps], [(1795592579494, 1385847), (1795592593551, 1789069)])

    def test_between_and_beyond_rows(self):
        base = rows((10, 2.0, 0, 0), (10, 4.0, 0, 0))
        for repetitions, program in ((5, 11), (15, 14), (25, 18)):
            self.assertAlmostEqual(timeline.at(base, repetitions, lambda row: row.program_s), program)

    def test_stops_are_taken_out(self):
        run = timeline.read("1000 0 0 0 0\n2000 5 500000000 0 0\n4000 9 900000000 0 0\n",
                            '[3100ms] Safepoint "RedefineClasses", At safepoint: 9 ns, Total: 700000000 ns\n',
                            [(0, 500), (1200, 1700), (2500, 3000)])
        self.assertEqual([row.ms for row in run.rows], [500, 1000, 2500])
        self.assertEqual([(swap.ms, round(swap.pause_s, 6)) for swap in run.swaps], [(1600, 0.2)])

    def test_the_rate_is_that_of_the_second_half_and_of_processor_time_on_a_busy_machine(self):
        for text, rate in (("0 0 0 0 0\n1000 1 0 0 0\n2000 11 1000000000 0 0\n3000 21 3000000000 0 0\n", 10),
                           ("0 0 0 0 0\n4000 20 1000000000 0 0\n", 20)):
            self.assertEqual(timeline.rate(timeline.read(text, "").rows), rate)
