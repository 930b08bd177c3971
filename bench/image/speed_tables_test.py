"""Tests of the figures and the tables, with numbers whose results are known."""

import math
import unittest

from image import speed_tables
from image.recipes import INSTRUMENTED, JVM, NONE
from runner.overlap import Overlap
from runner.results import Measurement, Results

MIB = 1 << 20


def results(by_pair):
    """(program, way) -> the CPU times of the rounds; the wall time is twice that."""
    return Results(Measurement(number, program, way, 2 * cpu, cpu, 0, 100, math.nan, math.nan, math.nan, "1")
                   for (program, way), times in by_pair.items() for number, cpu in enumerate(times))


def cells(lines):
    """The first cell of a row -> the others."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[4:]]
    return {row[0]: row[1:] for row in rows}


class SpeedTables(unittest.TestCase):
    def test_a_program_has_ratios_of_medians_and_the_worst_round(self):
        found = results({("rhino", NONE): [10, 10, 10], ("rhino", "exact"): [8, 8, 9], ("rhino", JVM): [20, 20, 20]})
        decisions = {("rhino", "exact"): Overlap({}, 100, 0.5, 7, 1.25, 0.25, 0.0)}
        lines = speed_tables.of_program("rhino", [NONE, "exact", INSTRUMENTED, JVM], found, {("rhino", NONE): 20 * MIB, ("rhino", "exact"): 30 * MIB},
                                        decisions)
        self.assertEqual(lines[0], "rhino: 10.00 s of CPU and 20.00 s of time without a profile")
        rows = cells(lines)
        self.assertEqual(rows[NONE], ["1", "", "1", "", "20.0", "", "", "", ""])
        self.assertEqual(rows["exact"], ["0.80 [0.80, 0.90]", "0.90"] * 2 + ["30.0", "0.500 %", "1.250 %", "0.250 %", "0.000 %"])
        self.assertEqual(rows[JVM][:2], ["2.00 [2.00, 2.00]", "2.00"])
        self.assertEqual(rows[INSTRUMENTED], ["-", "", "-", "", "", "", "", "", ""])

    def test_over_all_programs_there_are_the_mean_the_median_and_the_worst(self):
        found = results({("a", NONE): [10, 10], ("a", "exact"): [5, 5], ("b", NONE): [10, 10], ("b", "exact"): [20, 20], ("c", NONE): [10, 10],
                         ("c", "exact"): [10, 10], ("c", JVM): [10, 10]})
        sizes = {(program, way): size * MIB for program in "abc" for way, size in ((NONE, 10), ("exact", 20))}
        rows = cells(speed_tables.over_all("abc", [NONE, "exact", JVM], found, sizes))
        self.assertEqual(rows, {"exact": ["1.00 [1.00, 1.00]", "1.00", "2.00, b"] * 2 + ["2.00"], JVM: ["-", "", ""] * 2 + [""]})

    def test_without_the_image_without_a_profile_there_are_no_ratios(self):
        lines = speed_tables.of_program("a", [NONE, "exact"], results({("a", "exact"): [5]}), {}, {})
        self.assertEqual(lines[0], "a: - s of CPU and - s of time without a profile")
        self.assertEqual(cells(lines)["exact"][0], "-")
