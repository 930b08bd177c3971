"""Tests of the statistics, on numbers whose answers are known."""

import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import bootstrap  # noqa: E402


class Bootstrap(unittest.TestCase):
    def test_ratio_of_constants_is_certain(self):
        self.assertEqual(bootstrap.ratio([3.0] * 5, [2.0] * 5), (1.5, 1.5, 1.5))

    def test_interval_holds_the_ratio_and_widens_with_noise(self):
        quiet = bootstrap.ratio([10.0, 10.1, 9.9, 10.0, 10.05], [5.0, 5.05, 4.95, 5.0, 5.0])
        noisy = bootstrap.ratio([10.0, 14.0, 7.0, 10.0, 12.0], [5.0, 7.0, 3.0, 5.0, 6.0])
        for point, low, high in (quiet, noisy):
            self.assertLessEqual(low, point)
            self.assertLessEqual(point, high)
        self.assertLess(quiet[2] - quiet[1], noisy[2] - noisy[1])

    def test_nothing_measured(self):
        self.assertTrue(math.isnan(bootstrap.ratio([math.nan], [math.nan])[0]))

    def test_geometric_mean(self):
        self.assertAlmostEqual(bootstrap.geometric_mean([1.0, 4.0, math.nan]), 2.0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
