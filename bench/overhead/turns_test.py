"""Tests that processes run in turns, and that the times in which they are stopped are told."""

import subprocess
import sys
import threading
import unittest

from overhead import timeline, turns

# Prints the time whenever it ran on; more than a tenth of a second between two is a stop.
CLOCK = """
import sys, time
end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    print(time.time() * 1000)
"""
NOTICED_MS = 100


def gaps(text):
    times = [float(line) for line in text.split()]
    return [(one, other) for one, other in zip(times, times[1:]) if other - one > NOTICED_MS]


def overlap_ms(one, other):
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


class Processes(unittest.TestCase):
    def run_clock(self, among, cpu_s, into):
        turn = turns.Turn(among)
        with subprocess.Popen([sys.executable, "-c", CLOCK, str(cpu_s)], stdout=subprocess.PIPE, text=True) as process:
            turn.started(process.pid)
            text = process.stdout.read()
            turn.ended()
        into.append((turn.stops, gaps(text)))

    def run_clocks(self, *cpu_s):
        made = []
        with turns.Turns(slice_s=0.3) as among:
            threads = [threading.Thread(target=self.run_clock, args=(among, one, made)) for one in cpu_s]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(made), len(cpu_s))
        return made

    def test_one_alone_runs_on(self):
        (stops, _), = self.run_clocks(0.5)
        self.assertLessEqual(len(stops), 1)  # until it began

    def test_two_are_never_stopped_at_the_same_time(self):
        (some, seen), (others, _) = self.run_clocks(1, 1)
        self.assertGreater(len(some) + len(others), 2)
        both = sum(overlap_ms(one, other) for one in some for other in others)
        self.assertLess(both, 0.2 * sum(end - begin for begin, end in [*some, *others]))
        # What the process saw as a stop is told as one. Others may have had the processor, too.
        told = sum(overlap_ms(gap, stop) for gap in seen for stop in some)
        self.assertGreater(told, 0.5 * sum(min(end, seen[-1][1]) - begin for begin, end in some if seen and begin > seen[0][0] - 50))

    def test_what_still_runs_at_the_end_is_killed(self):
        with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
            with turns.Turns() as among:
                among.started(process.pid)
            self.assertEqual(process.wait(), -9)


class Times(unittest.TestCase):
    def test_stops_are_taken_out(self):
        run = timeline.read("1000 0 0 0 0\n2000 5 500000000 0 0\n4000 9 900000000 0 0\n",
                            '[3100ms] Safepoint "RedefineClasses", At safepoint: 9 ns, Total: 700000000 ns\n',
                            [(0, 500), (1200, 1700), (2500, 3000)])
        self.assertEqual([row.ms for row in run.rows], [500, 1000, 2500])
        self.assertEqual([(swap.ms, round(swap.pause_s, 6)) for swap in run.swaps], [(1600, 0.2)])

    def test_the_rate_is_that_of_the_second_half(self):
        rows = timeline.read("0 0 0 0 0\n1000 1 0 0 0\n2000 11 1000000000 0 0\n3000 21 3000000000 0 0\n", "").rows
        self.assertEqual(timeline.rate(rows), 10)

    def test_the_rate_on_a_busy_machine_is_that_of_processor_time(self):
        rows = timeline.read("0 0 0 0 0\n4000 20 1000000000 0 0\n", "").rows
        self.assertEqual(timeline.rate(rows), 20)
