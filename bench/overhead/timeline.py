"""Cost over time: what a run's timeline and the JVM's log say, compared with a run of the same work without an agent.

A run is warming up until the same work has settled without an agent: until that run's compilers took less than
CALM of a second's CPU time. So this phase is the same work for all configurations. After it, a run that swaps classes
counts everything until the first swap. A second in which classes were swapped and those that follow belong to the swaps
until the compilers are calm again. The rest is the steady state.

Times are those in which the program could run: if it took turns with others, the times in which it was stopped are taken out.

Swaps are HotSpot's RedefineClasses operations, in which a retransformation stops the program. What swapping takes: the
agent's thread and what the compilers take more than for the same work without an agent, both from a swap until they are
calm again, and the pauses. Code that runs interpreted until it is compiled again is not part of it; the ratio has it.

Beside the phases there are windows of the process's CPU time, the same for all programs: what users get after so long.
"""

import bisect
import dataclasses
import math
import re

CALM = 0.05
WINDOWS_S = ((0, 15), (15, 30), (30, 60), (60, 90), (90, 180))
LEAST_WINDOW_S = 10  # a run that ends in a window counts if it was that long in it
WARM_UP, COUNTING, SWAPS, STEADY = PHASES = ("warm-up", "counting", "swaps", "steady")
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


@dataclasses.dataclass(frozen=True)
class Second:
    """The time between two rows: about a second."""
    seconds: float
    cpu_s: float
    base_s: float  # the CPU time of the same work without an agent
    phase: str
    swaps: int
    pause_s: float  # the longest; 0: none
    swapping_s: float


@dataclasses.dataclass(frozen=True)
class Phase:
    seconds: float
    ratio: float  # NaN if there was no such phase


@dataclasses.dataclass(frozen=True)
class Summary:
    cpu_s: float
    ratio: float
    phases: dict  # name -> Phase
    swapping: float  # as a share of the CPU time
    swaps: int
    longest_pause_s: float  # NaN if there was none


def read(rows, log, stops=()):
    """The timeline that a program wrote, and the JVM's log of safepoints; in both, times are in ms since the epoch. stops: [(begin, end)],
    when it was stopped."""
    parsed = [[int(word) for word in line.split()] for line in rows.splitlines()]

    def stopped_ms(until, since=0):
        return sum(max(0, min(end, until) - max(begin, since)) for begin, end in stops)

    def swap(end_ms, pause_ms):
        return Swap(end_ms - stopped_ms(end_ms), (pause_ms - stopped_ms(end_ms, end_ms - pause_ms)) / 1e3)
    return Run([Row(ms - stopped_ms(ms), repetitions, *(ns / 1e9 for ns in threads)) for ms, repetitions, *threads in parsed],
               [swap(int(ms), int(ns) / 1e6) for ms, ns in SWAP.findall(log)])


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


def settled(rows):
    """After how many repetitions the compilers were calm for the first time."""
    for before, after in zip(rows, rows[1:]):
        if _is_calm(before, after):
            return before.repetitions
    return rows[-1].repetitions


def _is_calm(before, after):
    return after.compilers_s - before.compilers_s < CALM * (after.cpu_s - before.cpu_s)


def seconds(run, base):
    """base: the run without an agent."""
    warm = settled(base.rows)
    first_swap_ms = min((swap.ms for swap in run.swaps if swap.ms > run.rows[0].ms), default=0)
    made, swapping = [], False
    for before, after in zip(run.rows, run.rows[1:]):
        swaps = [swap for swap in run.swaps if before.ms < swap.ms <= after.ms]
        calm = _is_calm(before, after)
        swapping = bool(swaps) or (swapping and not calm)
        phase = (WARM_UP if before.repetitions < warm else SWAPS if swapping else COUNTING if after.ms < first_swap_ms else STEADY)

        def same_work(value, begin=before.repetitions, end=after.repetitions):
            return at(base.rows, end, value) - at(base.rows, begin, value)
        more = max(0.0, after.compilers_s - before.compilers_s - same_work(lambda row: row.compilers_s)) + after.agent_s - before.agent_s if swapping else 0
        made.append(Second(
            seconds=(after.ms - before.ms) / 1e3, cpu_s=after.cpu_s - before.cpu_s, base_s=same_work(lambda row: row.cpu_s), phase=phase,
            swaps=len(swaps), pause_s=max((swap.pause_s for swap in swaps), default=0.0),
            swapping_s=more + sum(swap.pause_s for swap in swaps)))
    return made


def summary(made):
    """made: what seconds() returned."""
    def phase(name):
        of = [second for second in made if second.phase == name]
        return Phase(sum(second.seconds for second in of), _ratio(of))
    cpu_s = sum(second.cpu_s for second in made)
    return Summary(
        cpu_s=cpu_s, ratio=_ratio(made), phases={name: phase(name) for name in PHASES},
        swapping=sum(second.swapping_s for second in made) / cpu_s if cpu_s > 0 else math.nan,
        swaps=sum(second.swaps for second in made),
        longest_pause_s=max((second.pause_s for second in made if second.swaps), default=math.nan))


def _ratio(of):
    base_s = sum(second.base_s for second in of)
    return sum(second.cpu_s for second in of) / base_s if base_s > 0 else math.nan
