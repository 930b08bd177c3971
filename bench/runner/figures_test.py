"""Tests of the statistics, with numbers whose results are known."""

import math
import random
import unittest

from runner import figures


class Figures(unittest.TestCase):
    def test_a_ratio_is_that_of_the_medians_and_what_was_not_measured_is_left_out(self):
        self.assertEqual(figures.ratio([(3.0, 2.0)] * 5), figures.Estimate(1.5, 1.5, 1.5))
        self.assertEqual(figures.ratio([(2.0, 1.0), (3.0, 2.0), (50.0, 9.0)]).value, 1.5)
        self.assertEqual(figures.ratio([(3.0, 2.0), (math.nan, 2.0)]).value, 1.5)
        for sample in ([], [(math.nan, math.nan)], [(1.0, 0.0)]):
            self.assertFalse(figures.ratio(sample).known, sample)
        self.assertFalse(figures.mean_ratio([[(2.0, 1.0)], []]).known)

    def test_noise_that_both_sides_of_a_round_share_cancels(self):
        estimate = figures.ratio([(1.2 * speed, speed) for speed in (1.0, 3.0, 1.5, 2.0, 1.1)])  # a slow machine at times
        self.assertAlmostEqual(estimate.low, 1.2)
        self.assertAlmostEqual(estimate.high, 1.2)

    def test_interval_covers_the_truth_about_as_often_as_it_says(self):
        source = random.Random(7)
        covered = 0
        for _ in range(100):
            estimate = figures.ratio([(1.3 * source.gauss(1, 0.05), source.gauss(1, 0.05)) for _ in range(9)])
            self.assertTrue(estimate.low <= estimate.value <= estimate.high <= estimate.low + 0.3, estimate)
            covered += estimate.low <= 1.3 <= estimate.high
        self.assertGreater(covered, 80)

    def test_one_round_has_no_interval(self):
        self.assertEqual(str(figures.ratio([(3.0, 2.0)])), "1.50 [one fork]")
        self.assertEqual(str(figures.mean_ratio([[(2.0, 1.0)] * 3, [(2.0, 1.0)]])), "2.00 [one fork]")
        self.assertEqual(str(figures.ratio([(3.0, 2.0)] * 2)), "1.50 [1.50, 1.50]")

    def test_spread_targets_and_means(self):
        self.assertEqual(figures.spread([2.0, 1.0, math.nan, 4.0]), "2.0 (1.0–4.0)")
        self.assertEqual(figures.spread([math.nan]), "-")
        self.assertEqual(figures.judged(2.1, 2), "2.10 (target <= 2.00: MISSED)")
        self.assertEqual(figures.judged(2.1, 2, at_least=True), "2.10 (target >= 2.00: met)")
        self.assertTrue(math.isnan(figures.geometric_mean([1.0, math.nan])))
        estimate = figures.mean_ratio([[(1.0, 1.0)] * 3, [(4.0, 1.0)] * 3])
        self.assertAlmostEqual(estimate.value, 2.0)
        self.assertAlmostEqual(estimate.high, 2.0)

    def test_a_column_has_the_median_and_the_worst_run(self):
        self.assertEqual(figures.Column("calls", ".2f", min).cell([98.6, 97.42, 99.1]), "98.60 (97.42)")
        self.assertEqual(figures.Column("cost", ".1f").cell([1.5, math.nan]), "1.5")
        self.assertEqual(figures.Column("cost", ".1f").cell([math.nan]), "")
        self.assertEqual(figures.Column("all", ".0f", figures.farthest_from(100)).cell([98, 101, 99.5]), "100 (98)")
