"""Tests of the cost over time, with runs of which every second is known."""

import math
import unittest

from overhead import timeline
from overhead.timeline import COUNTING, STEADY, SWAPS, WARM_UP, Row, Run, Swap

# Of JDK 17, 21 and 25.
LOG = """\
[1795592579100ms] Safepoint "G1CollectForAllocation", Time since last: 900 ns, Reaching safepoint: 90 ns, At safepoint: 10 ns, Total: 100 ns
[1795592579494ms] Safepoint "RedefineClasses", Time since last: 558202092 ns, Reaching safepoint: 82854 ns, Cleanup: 10806 ns, \
At safepoint: 1292187 ns, Total: 1385847 ns
[1795592586515ms] Safepoint "RedefineClasses", Time since last: 576553904 ns, Reaching safepoint: 94080 ns, Cleanup: 8363 ns, \
At safepoint: 1464925 ns, Leaving safepoint: 19469 ns, Total: 1586837 ns
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


class Phases(unittest.TestCase):
    def setUp(self):
        self.made = timeline.seconds(SWAPPED, BASE)
        self.summary = timeline.summary(self.made)

    def test_warm_up_is_the_same_work_for_all(self):
        self.assertEqual(timeline.settled(BASE.rows), 100)
        self.assertEqual([one.phase for one in self.made], 4 * [WARM_UP] + 3 * [COUNTING] + 2 * [SWAPS] + 2 * [STEADY])
        self.assertAlmostEqual(self.summary.phases[WARM_UP].ratio, 7 / 3.5)
        self.assertAlmostEqual(self.summary.phases[WARM_UP].seconds, 4)

    def test_swaps_last_until_the_compilers_are_calm(self):
        self.assertAlmostEqual(self.summary.phases[SWAPS].ratio, 2.75 / 1.2)
        self.assertEqual([one.swaps for one in self.made if one.phase == SWAPS], [2, 0])

    def test_until_the_first_swap_everything_is_counted(self):
        self.assertAlmostEqual(self.summary.phases[COUNTING].ratio, 2)
        unswapped = timeline.summary(timeline.seconds(Run(SWAPPED.rows, []), BASE))
        self.assertTrue(math.isnan(unswapped.phases[COUNTING].ratio))
        self.assertAlmostEqual(unswapped.phases[STEADY].seconds, 7)

    def test_the_rest_is_steady(self):
        self.assertAlmostEqual(self.summary.phases[STEADY].ratio, 1)
        self.assertAlmostEqual(self.summary.phases[STEADY].seconds, 2)
        self.assertAlmostEqual(self.made[-1].ratio, 1.0)

    def test_what_swapping_took(self):
        self.assertAlmostEqual(self.summary.cpu_s, 14.05)
        self.assertAlmostEqual(self.summary.swapping, (0.25 + 0.5 + 0.02 + 0.03) / 14.05)
        self.assertEqual((self.summary.swaps, self.summary.longest_pause_s), (2, 0.03))

    def test_the_whole_run(self):
        self.assertAlmostEqual(self.summary.ratio, 14.05 / 7.5)

    def test_the_run_without_an_agent_costs_what_it_costs(self):
        own = timeline.summary(timeline.seconds(BASE, BASE))
        self.assertEqual((own.ratio, own.swapping, own.swaps), (1.0, 0.0, 0))
        self.assertTrue(math.isnan(own.phases[SWAPS].ratio) and math.isnan(own.longest_pause_s))
        self.assertAlmostEqual(own.phases[STEADY].seconds, 4)

    def test_a_swap_while_the_program_warms_up_is_part_of_the_warm_up(self):
        early = Run(SWAPPED.rows, [Swap(1_000_000 + 500, 0.01)])
        made = timeline.seconds(early, BASE)
        self.assertEqual([one.phase for one in made[:5]], 4 * [WARM_UP] + [STEADY])
        # More than 1 s of compilers for the first 40 repetitions, 0.5 s for the rest of the warm-up.
        self.assertAlmostEqual(timeline.summary(made).swapping, (3.0 - 1.5 + 0.01) / 14.05)

    def test_a_program_that_never_settles_only_warms_up(self):
        busy = Run(rows(*4 * [(10, 1.0, 0.5, 0)]), [])
        self.assertEqual({one.phase for one in timeline.seconds(busy, busy)}, {WARM_UP})


class Reading(unittest.TestCase):
    def test_a_timeline_and_a_log(self):
        run = timeline.read("1732518000000 0 5000000 0 0\n1732518001000 7 1005000000 250000000 1000\n", LOG)
        self.assertEqual(run.rows[1], Row(1732518001000, 7, 1.005, 0.25, 1e-6))
        self.assertEqual([(swap.ms, round(1e9 * swap.pause_s)) for swap in run.swaps], [(1795592579494, 1385847), (1795592586515, 1586837), (1795592593551, 1789069)])

    def test_between_and_beyond_rows(self):
        base = rows((10, 2.0, 0, 0), (10, 4.0, 0, 0))
        for repetitions, program in ((0, 10), (5, 11), (10, 12), (15, 14), (20, 16), (25, 18)):
            self.assertAlmostEqual(timeline.at(base, repetitions, lambda row: row.program_s), program)
