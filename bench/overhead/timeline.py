"""Cost over time: what a run's timeline and the JVM's log say, compared with a run of the same work without an agent.

Runs are compared in windows of the process's CPU time, the same for all programs: what users get after so long.

Times are those in which the program could run: if it took turns with others, the times in which it was stopped are taken out.

Swaps are HotSpot's RedefineClasses operations, in which a retransformation stops the program. What swapping takes: the agent's thread and what the
compilers take more than for the same work without an agent, both from a swap until the compilers are calm, and the pauses. Code that runs
interpreted until it is compiled again is not part of it; the ratio has it.
"""

import bisect
import dataclasses
import math
import re

CALM = 0.05  # the share of the CPU time that calm compilers take
WINDOWS_S = ((0, 15), (15, 30), (30, 60), (60, 90), (90, 180))
LEAST_WINDOW_S = 10  # a run that ends in a window counts if it was that long in it
SWAP = re.compile(r'^\[(\d+)ms\] Safepoint "RedefineClasses",.*\bTotal: +(\d+) ns', re.M)


@dataclasses.dataclass(frozen=True)
class Row:
    """What has happened since the program began."""
    ms: float  # as the program ran
    repetitions: int
    program_s: float
    compilers_s: float
    agent_s: float

    @property
    def cpu_s(self):
        return self.program_s + self.compilers_s + self.agent_s


@dataclasses.dataclass(frozen=True)
class Swap:
    ms: float  # its end, as the program ran
    pause_s: float


@dataclasses.dataclass(frozen=True)
class Run:
    rows: list
    swaps: list
    said: float = math.nan  # what the agent says that it costs, as a share
    said_at_end: float = math.nan


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A run compared with one of the same work without an agent."""
    run: Run
    cpu_s: float
    ratio: float
    windows: list  # the ratio in each of WINDOWS_S
    swapping: float  # as a share of the CPU time

    @property
    def longest_pause_s(self):
        return max((swap.pause_s for swap in self.run.swaps), default=math.nan)


def read(rows, log, stops=(), said=()):
    """The timeline that a program wrote, and the JVM's log of safepoints; in both, times are in ms since the epoch. stops: [(begin, end)],
    when it was stopped. said: the last fields of Run."""
    parsed = [[int(word) for word in line.split()] for line in rows.splitlines()]

    def stopped_ms(until, since=0):
        return sum(max(0, min(end, until) - max(begin, since)) for begin, end in stops)

    def swap(end_ms, pause_ms):
        return Swap(end_ms - stopped_ms(end_ms), (pause_ms - stopped_ms(end_ms, end_ms - pause_ms)) / 1e3)
    return Run([Row(ms - stopped_ms(ms), repetitions, *(ns / 1e9 for ns in threads)) for ms, repetitions, *threads in parsed],
               [swap(int(ms), int(ns) / 1e6) for ms, ns in SWAP.findall(log)], *said)


def at(rows, place, value, of=lambda row: row.repetitions):
    """What value(row) would have been where of(row) is `place`, between two rows or beyond the last."""
    after = min(max(bisect.bisect_left([of(row) for row in rows], place), 1), len(rows) - 1)
    one, other = rows[after - 1], rows[after]
    part = (place - of(one)) / (of(other) - of(one))
    return value(one) + part * (value(other) - value(one))


def window(run, base, begin_s, end_s):
    """Work per second of CPU time without an agent, divided by that with it, each in this window of its own CPU time since its start; NaN
    if one of them was not long enough in it."""
    def per_second(rows):
        end = min(end_s, rows[-1].cpu_s)
        if end - begin_s < LEAST_WINDOW_S:
            return math.nan
        done = [max(0, at(rows, place, lambda row: row.repetitions, of=lambda row: row.cpu_s)) for place in (begin_s, end)]
        return (done[1] - done[0]) / (end - begin_s)
    mine = per_second(run.rows)
    return per_second(base.rows) / mine if mine else math.nan


def rate(rows):
    """Repetitions per second in the second half of a run: of the clock, or of the processors where that is less. So a busy machine does not
    make it slower."""
    half = rows[len(rows) // 2 if len(rows) > 2 else 0]
    seconds = min((rows[-1].ms - half.ms) / 1e3, rows[-1].program_s - half.program_s)
    return (rows[-1].repetitions - half.repetitions) / max(seconds, 0.001)


def compared(run, base):
    """base: the run without an agent."""
    cpu_s, base_s = (rows[-1].cpu_s - rows[0].cpu_s for rows in (run.rows, base.rows))
    return Comparison(run, cpu_s, cpu_s / base_s, [window(run, base, *each) for each in WINDOWS_S], swapping_s(run, base) / cpu_s)


def swapping_s(run, base):
    spent, swapping = sum(swap.pause_s for swap in run.swaps), False
    for before, after in zip(run.rows, run.rows[1:]):
        compilers_s = after.compilers_s - before.compilers_s
        is_calm = compilers_s < CALM * (after.cpu_s - before.cpu_s)
        swapping = any(before.ms < swap.ms <= after.ms for swap in run.swaps) or (swapping and not is_calm)
        if swapping:
            usual_s = at(base.rows, after.repetitions, lambda row: row.compilers_s) - at(base.rows, before.repetitions, lambda row: row.compilers_s)
            spent += max(0.0, compilers_s - usual_s) + after.agent_s - before.agent_s
    return spent
