"""Tests which runs are made for the cost over time, and what is printed."""

from overhead import over_time
from overhead.configurations import Configuration
from overhead.forks_test import ForkCase
from runner.workloads import REAL, Workload


class Running(ForkCase):
    def run_ways(self, *ways, rounds=1, seconds=4):
        """The table."""
        made, workload = over_time.OverTime(self.forks, self.folder, seconds), Workload("w", REAL, 1, 8)
        made.run([(number, workload, way) for number in range(rounds) for way in ways])
        self.verdicts = [str(verdict) for verdict in over_time.verdicts(made, [workload], ways)]
        return over_time.table(made, workload, ways)

    def test_a_short_run_without_an_agent_decides_how_much_work_there_is(self):
        table = self.run_ways(Configuration("slow", ["slow"]), Configuration("none", []), rounds=2)
        commands = (self.folder / "commands").read_text().splitlines()
        self.assertEqual([("-Doverhead.seconds=1" in command, command.split()[-1]) for command in commands],
                         [(True, str(over_time.UNLIMITED)), *4 * [(False, "40")]])
        self.assertNotIn("slow", commands[0])
        self.assertRegex(table, r"(?m)^none +4\.0 \(4\.0\) +- +- +- +- +- +1\.00 \(1\.00\) ")
        self.assertRegex(table, r"(?m)^slow +8\.0 \(8\.0\) +- +- +- +- +- +2\.00 \(2\.00\) +- +- +0\.0% \(0\.0%\) +0 \(0\) +-$")

    def test_swaps_and_pauses(self):
        table = self.run_ways(Configuration("none", []), Configuration("swaps", ["swaps"]))
        self.assertRegex(table, r"(?m)^swaps +4\.0 +- +- +- +- +- +1\.00 +1\.25 +1\.02 +1\.8% +1 +70$")
        self.assertEqual([verdict.split()[0] for verdict in self.verdicts], ["holds", "MISSES", "MISSES"])
        self.assertEqual(self.verdicts[1], "MISSES        swaps, longest pause in seconds, worst program <= 0.05: 0.07 [one fork], w")

    def test_windows_of_cpu_time_and_what_the_agent_says(self):
        table = self.run_ways(Configuration("none", []), Configuration("slow", ["slow"]), Configuration("swaps", ["swaps"]), seconds=50)
        self.assertRegex(table, r"(?m)^slow +100\.0 +2\.00 +2\.00 +2\.00 +- +- +2\.00 +- +- ")  # the base ends after 50 s
        self.run_ways(Configuration("none", []), Configuration("swaps", ["slow", "swaps"]), seconds=50)
        self.assertIn("MISSES        swaps, 30 to 60 s of CPU time, worst program <= 1.10: 2.00 [one fork], w", self.verdicts)
        self.assertIn("MISSES        swaps, cost that the agent says and the true one, worst program <= 1.50: 4.00 [one fork], w", self.verdicts)

    def test_a_configuration_that_follows_reads_the_log_of_swaps_of_the_same_round(self):
        alone = Configuration("alone", ["-javaagent:f.jar"], follows="swaps")
        self.run_ways(Configuration("none", []), Configuration("swaps", ["swaps"]), alone, rounds=2)
        words = [word for command in (self.folder / "commands").read_text().splitlines() for word in command.split()]
        written = {word.removesuffix(":none").partition("file=")[2] for word in words if word.startswith("-Xlog:redefine")}
        self.assertEqual(len(written), 2)
        self.assertEqual({word.partition("=")[2] for word in words if word.startswith("-javaagent:f.jar")}, written)

    def test_what_fails_is_said_and_the_rest_goes_on(self):
        table = self.run_ways(Configuration("none", []), Configuration("broken", ["fail"]), Configuration("other sum", ["wrong"]))
        self.assertIn("it broke", self.forks.failures["w", "broken"])
        self.assertIn("computes 2, not 40 as under none", self.forks.failures["w", "other sum"])
        self.assertNotIn("broken", table)

    def test_without_a_run_without_an_agent_there_is_nothing_to_compare_with(self):
        table = self.run_ways(Configuration("none", ["fail"]), Configuration("slow", ["slow"]))
        self.assertEqual(set(self.forks.failures), {("w", "none")})
        self.assertEqual(table.count("\n"), 1)
