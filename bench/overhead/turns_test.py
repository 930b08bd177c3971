"""Tests that processes run in turns, and that they are killed at the end."""

import subprocess
import sys
import threading
import unittest

from overhead import turns
from runner import running

# Prints the time whenever it ran on; more than a tenth of a second between two is a stop.
CLOCK = """
import time
end = time.process_time() + 1
while time.process_time() < end:
    print(time.time() * 1000)
"""


def gaps(text):
    times = [float(line) for line in text.split()]
    return [(one, other) for one, other in zip(times, times[1:]) if other - one > 100]


def overlap_ms(one, other):
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


class Processes(unittest.TestCase):
    @staticmethod
    def run_clock(among, into):
        stops = []
        run = running.run([sys.executable, "-c", CLOCK], beside=lambda pid, ended: stops.extend(among.take(pid, ended)))
        into.append((stops, gaps(run.output)))

    def test_two_are_never_stopped_at_the_same_time(self):
        made = []
        with turns.Turns(slice_s=0.3) as among:
            threads = [threading.Thread(target=self.run_clock, args=(among, made)) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        (some, seen), (others, _) = made
        self.assertGreater(len(some) + len(others), 2)
        both = sum(overlap_ms(one, other) for one in some for other in others)
        self.assertLess(both, 0.2 * sum(end - begin for begin, end in [*some, *others]))
        # What the process saw as a stop is given as one. Others may have had the processor, too.
        given = sum(overlap_ms(gap, stop) for gap in seen for stop in some)
        self.assertGreater(given, 0.5 * sum(min(end, seen[-1][1]) - begin for begin, end in some if seen and begin > seen[0][0] - 50))

    def test_what_still_runs_at_the_end_is_killed(self):
        ended = threading.Event()
        with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
            with turns.Turns() as among:
                taking = threading.Thread(target=among.take, args=(process.pid, ended))
                taking.start()
            self.assertEqual(process.wait(), -9)
            ended.set()
            taking.join()
