"""Whether agents took probes out of steady programs, where they had the time for it.

One program alone proves little, because commands stop its recordings at random. So one of all that had the time is enough.
"""

import os
import pathlib

# The agent chooses methods after 1, 2.5, 5, 8, 13 and 21 s (agent/vm/counting/freezer.cc), of the clock and of the program's
# processor time, whichever is less. A method must do the same in two intervals, and a round must pay: counting must have cost what
# the compilers took, which have little to do in a steady program.
ENOUGH_S = 25
LEAST_LOOKS = 3  # after that time


class Freezing:
    """What the agent of one program says of its methods without probes."""

    def __init__(self):
        self.most_methods = 0
        self._recording, self._began, self._looks = None, (), 0

    def saw(self, status, cpu_s):
        """An answer with a status, and the processor time of the program by then."""
        self.most_methods = max(self.most_methods, status.get("frozen_methods", 0))
        if status.get("state") != "recording":
            return
        now = (cpu_s, status["now_ms"] / 1000)
        if status["recording"] != self._recording:  # each start and each reset begins another one
            self._recording, self._began = status["recording"], now
        if min(at - began for at, began in zip(now, self._began)) >= ENOUGH_S:
            self._looks += 1

    def had_time(self):
        return self._looks >= LEAST_LOOKS


def nothing_froze(steady):
    """What is wrong with these programs together, as a sentence; empty if nothing is."""
    had_time = sum(one.had_time() for one in steady)
    if not had_time or any(one.most_methods for one in steady):
        return ""
    return f"no method lost its probes in steady programs, although {had_time} of {len(steady)} recorded for long enough"


def cpu_s(pid):
    """The processor time of a process; None if it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
