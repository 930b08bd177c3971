"""Tests of the commands and checks of a fork."""

import pathlib
import tempfile
import unittest

from overhead.configurations import Configuration, options_for
from overhead.forks import Forks
from runner import rounds
from runner.workloads import REAL, Workload

KNOWN = {"calls", "branches", "receivers", "monitors", "instanceofs", "samples", "format"}


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
        self.forks = Forks(java, self.folder, False, limit_s=900)
        self.kept = []

    def run_ways(self, *ways, process=3):
        plan = [(0, Workload("w", REAL, 1, 8, process), way) for way in ways]
        rounds.run(plan, self.forks.one, self.kept.append, self.forks.failures)

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
