#!/usr/bin/env python3
"""What scripts/learn-weights writes for the counts of branches, and which methods it takes. Nothing runs on a JVM.

usage: learn_weights.py ROOT
"""

import collections
import importlib.machinery
import importlib.util
import math
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
AGENT = ROOT / "agent" / "plan" / "weights" / "shipped_weights.cc"


def loaded(path):
    loader = importlib.machinery.SourceFileLoader(path.name.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


script = loaded(ROOT / "scripts" / "learn-weights")

# Increments of a method: guesses, optimum.
LIST = """\
M java/lang/String charAt(I)C a7002c51 300 100
B 0 100
M java/lang/String sort(I)I 0badcafe 250 200
B 8 0 2
B 0 0
M java/util/Arrays fill(I)V 00c0ffee 100 100
B 50 50
M app/Main main()V 12345678 900 600
B 0 300
"""


class Digit(unittest.TestCase):
    def setUp(self):
        """The agent's constants: a digit d stands for kStep ^ (d - kMiddle)."""
        self.step, self.middle = (float(re.search(rf"^constexpr double {name} = ([\d.]+);", AGENT.read_text(), re.M)[1])
                                  for name in ("kStep", "kMiddle"))

    def weight(self, text):
        return self.step ** (int(text) - self.middle)

    def test_a_digit_begins_half_a_step_below_its_weight(self):
        for number in range(1, 10):
            border = self.weight(str(number)) / math.sqrt(self.step)
            with self.subTest(number):
                self.assertEqual((script.digit(border), script.digit(border * 0.999)), (str(number), str(number - 1)))

    def test_the_weight_of_a_digit_is_at_most_half_a_step_away(self):
        for tenth in range(-50, 50):
            odds = self.step ** (tenth / 10)
            with self.subTest(tenth):
                self.assertLessEqual(max(odds / self.weight(script.digit(odds)), self.weight(script.digit(odds)) / odds),
                                     math.sqrt(self.step) * 1.0001)

    def test_what_never_or_always_happens_has_the_last_digits(self):
        self.assertEqual([script.digit(odds) for odds in (0, 1e-9, 1e9, float("inf"))], ["0", "0", "9", "9"])


class Text(unittest.TestCase):
    def test_an_if_has_one_digit_that_of_taking_it(self):
        self.assertEqual([script.text_of(ways) for ways in ([0, 7], [1, 7], [7, 7], [7, 1], [7, 0])], ["0", "3", "5", "6", "9"])

    def test_a_switch_has_one_digit_for_each_way_compared_with_its_hottest(self):
        self.assertEqual(script.text_of([8, 0, 2]), "908")
        self.assertEqual(script.text_of([0, 0, 0.5, 0]), "0090")

    def test_a_branch_that_never_ran_is_unknown(self):
        self.assertEqual([script.text_of([0.0] * ways) for ways in (2, 3, 5)], [".", "...", "....."])


class Learning(unittest.TestCase):
    def setUp(self):
        self.methods = collections.defaultdict(script.Method)
        script.learn(LIST.splitlines(keepends=True), self.methods)

    def test_the_methods_of_the_jdk_that_save_something_are_taken(self):
        self.assertEqual(script.table(self.methods, 1e-4),
                         {"java/lang/String": ["charAt(I)C a7002c51 0", "sort(I)I 0badcafe 908."]})
        self.assertEqual(script.table(self.methods, 0.1), {"java/lang/String": ["charAt(I)C a7002c51 0"]})

    def test_what_is_saved_is_a_share_of_the_programs_optimum(self):
        self.assertEqual({name: method.saved for (_, name, _), method in self.methods.items()},
                         {"charAt(I)C": 0.2, "sort(I)I": 0.05, "fill(I)V": 0.0})

    def test_every_program_has_the_same_weight(self):
        """The second program executes a hundredth of the first one's increments."""
        script.learn(["M java/lang/String charAt(I)C a7002c51 10 10\n", "B 30 0\n"],
                     self.methods)
        char_at = self.methods["java/lang/String", "charAt(I)C", "a7002c51"]
        self.assertEqual((char_at.saved, char_at.branches), (0.2, [[3.0, 0.1]]))
        self.assertEqual(script.table(self.methods, 0.1), {"java/lang/String": ["charAt(I)C a7002c51 7"]})

    def test_methods_of_one_name_with_other_code_stay_apart(self):
        script.learn(["M java/lang/String charAt(I)C 01234567 20 10\n", "B 9 0\n"],
                     self.methods)
        self.assertEqual(script.table(self.methods, 0.1), {"java/lang/String": ["charAt(I)C 01234567 9", "charAt(I)C a7002c51 0"]})


unittest.main()
