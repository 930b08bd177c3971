"""Tests of the commands and checks of a fork. A shell script is in the place of java."""

from overhead.configurations import Configuration, options_for
from overhead.forks import Forks
from runner import rounds
from runner.folder_case import FolderCase
from runner.workloads import REAL, Workload

KNOWN = {"calls", "branches", "receivers", "monitors", "instanceofs", "samples", "format"}
# With a timeline, it claims a second for ten repetitions, twice the CPU time under "slow", and swaps under "swaps", where it says a cost of
# its own. It ends after four seconds if a time is given, otherwise after the repetitions.
JAVA = """#!/bin/sh
echo "$@" >>{folder}/commands
most=1000 cost=1 steady=7000000 log=/dev/null rows=/dev/null
for argument; do
  case $argument in
    -Xlog:safepoint=info:file=*) log=${{argument#*file=}}; log=${{log%:timemillis}} ;;
    -Doverhead.timeline=*) rows=${{argument#*=}} ;;
    -Doverhead.seconds=*) most=40 ;;
    -Xbatch) steady=2000000 ;;
    write=*) echo x >"${{argument#write=}}" ;;
    slow) cost=2 ;;
    swaps) swap=1 ;;
    fail) echo "it broke"; exit 1 ;;
    wrong) sum=2 ;;
  esac
  last=$argument
done
[ $last -lt $most ] && most=$last
: >$log
[ -z "$swap" ] || echo '[2500ms] Safepoint "RedefineClasses", At safepoint: 9 ns, Total: 70000000 ns' >$log
done=0
while [ $done -le $most ]; do
  echo "$((done * 100)) $done $((done * cost * 100000000)) 0 0"
  done=$((done + 10))
done >$rows
[ -z "$swap" ] || echo "iprofagent: counting costs about 25.0 % of the program's time, 2.0 % at the end; an increment 1.20 ns"
echo RESULT steady_ns=$steady before_ns=1 end_ticks=0 checksum=${{sum:-$most}}
"""


class ForkCase(FolderCase):
    def setUp(self):
        super().setUp()
        java = self.folder / "java"
        java.write_text(JAVA.format(folder=self.folder))
        java.chmod(0o755)
        self.forks = Forks(java, self.folder, False, limit_s=900)
        self.kept = []


class Running(ForkCase):
    def run_ways(self, *ways, process=3):
        """The commands."""
        plan = [(0, Workload("w", REAL, 1, 8, process), way) for way in ways]
        rounds.run(plan, self.forks.one, self.kept.append, self.forks.failures)
        return (self.folder / "commands").read_text().splitlines()

    def test_a_real_program_runs_twice_and_a_small_one_once(self):
        steady, whole = self.run_ways(Configuration("none", []))
        self.assertTrue("-Xbatch" in steady and steady.endswith("overhead.Main w 8"), steady)
        self.assertTrue("-Xbatch" not in whole and whole.endswith("overhead.Main w 3"), whole)
        self.assertEqual(len(self.run_ways(Configuration("none", []), process=0)), 3)
        self.assertEqual([m.steady_ms for m in self.kept], [2.0, 7.0])

    def test_what_fails_is_said_and_the_rest_goes_on(self):
        profile = self.folder / "profile"
        commands = self.run_ways(Configuration("none", []), Configuration("broken", ["fail"]), Configuration("broken", ["fail"]),
                                 Configuration("other sum", ["wrong"]), Configuration("no profile", [], writes=profile),
                                 Configuration("profile", [f"write={profile}"], writes=profile))
        self.assertEqual([m.configuration for m in self.kept], ["none", "profile"])
        self.assertEqual({c for _, c in self.forks.failures}, {"broken", "other sum", "no profile"})
        for way, said in (("broken", "it broke"), ("other sum", "computes 2, not 8 as under none"), ("no profile", "wrote no profile")):
            self.assertIn(said, self.forks.failures["w", way])
        self.assertEqual(sum("fail" in command for command in commands), 1)

    def test_one_table_alone(self):
        self.assertEqual(options_for(("calls",), KNOWN), ["branches=n", "receivers=n", "monitors=n", "samples=n"])
        self.assertEqual(options_for(("instanceofs",), KNOWN),
                         ["calls=n", "branches=n", "receivers=n", "monitors=n", "samples=n", "instanceofs=y", "format=1.1.0"])
