"""Tests of the chart: it is well-formed, everything is inside, marks are at the right positions, and there are colours
for both kinds of pages."""

import re
import unittest
import xml.etree.ElementTree as tree

from overhead import chart
from runner import figures, results
from runner.workloads import WORKLOADS

SVG = "{http://www.w3.org/2000/svg}"


def drawn():
    names = ("javac", "jackson", "fib")
    ratios = {"none": 1, "calls+branches": 1.1, "all": 1.3, "JaCoCo": 1.2, "tier 3": 3, "per call": 12}
    measured = results.of_times({(n, c): 10 * r for n in names for c, r in ratios.items()})
    return chart.steady_state(measured, [w for w in WORKLOADS if w.name in names])


class Chart(unittest.TestCase):
    def test_is_xml_and_names_every_row_and_configuration(self):
        texts = [t.text for t in tree.fromstring(drawn()).iter(f"{SVG}text")]
        for name in ("real programs", "micro loops", "javac", "jackson", "fib", "geometric mean", "calls+branches", "per call"):
            self.assertIn(name, texts)

    def test_every_ratio_can_be_read_where_it_is_drawn(self):
        titles = [t.text for t in tree.fromstring(drawn()).iter(f"{SVG}title")]
        self.assertIn("javac, tier 3: 3.00 [3.00, 3.00]", titles)
        self.assertEqual(len(titles), 4 * 5)  # three programs and the mean of the two real ones; one micro loop has no mean

    def test_lies_within_the_picture(self):
        root = tree.fromstring(drawn())
        _, _, width, height = map(float, root.get("viewBox").split())
        for element in root.iter():
            for name, limit in (("x", width), ("x1", width), ("x2", width), ("cx", width), ("y", height), ("y1", height), ("cy", height)):
                value = element.get(name)
                if value is not None:
                    self.assertTrue(0 <= float(value) <= limit, tree.tostring(element))

    def test_equal_factors_are_equally_far_apart(self):
        svg = chart.draw("t", [("k", "row", {name: figures.Estimate(v, v, v) for (name, _, _), v in
                                             zip(chart.SERIES, (1.0, 2.0, 4.0, 8.0, 16.0))})])
        lines = [float(line.get("x1")) for line in tree.fromstring(svg).iter(f"{SVG}line") if line.get("class").startswith("s")]
        steps = [b - a for a, b in zip(lines, lines[1:])]
        self.assertEqual(len(steps), 4)
        for step in steps:
            self.assertAlmostEqual(step, steps[0], delta=0.2)

    def test_colours_contrast_with_the_page_in_light_and_in_dark(self):
        light, dark = chart.STYLE.split("@media")
        for part in (light, dark):
            page = luminance(re.search(r"\.page \{ fill: (#\w+)", part)[1])
            for style in ("text", "s0", "s1", "s2", "s3", "s4"):
                colour = luminance(re.search(rf"\.{style} \{{ fill: (#\w+)", part)[1])
                contrast = (max(page, colour) + 0.05) / (min(page, colour) + 0.05)
                self.assertGreaterEqual(contrast, 4.5, f"{style} in {part}")

    def test_one_fork_is_a_mark_without_a_bar(self):
        one = {name: figures.ratio([(3.0, 2.0)]) for name, _, _ in chart.SERIES}
        root = tree.fromstring(chart.draw("t", [("k", "row", one)]))
        self.assertFalse([line for line in root.iter(f"{SVG}line") if line.get("class").startswith("s")])
        self.assertEqual(len(list(root.iter(f"{SVG}title"))), len(chart.SERIES))

    def test_nothing_measured_is_an_empty_chart(self):
        tree.fromstring(chart.draw("nothing", []))


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
