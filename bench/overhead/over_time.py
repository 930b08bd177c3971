"""Measures cost over time: runs of the same work without an agent and with some configurations, in windows of CPU time.

A short run without an agent decides how much work that is: about as much as it does in the given time. Then all run in turns
(turns.py), a second each, so that all meet the same machine.

A configuration that follows another one swaps the classes that the other one swaps, in the same round, as soon as it has its turn: at the same
CPU time, but for a second or two.
"""

import dataclasses
import itertools
import math
import pathlib
import sys
import tempfile
from concurrent import futures

from overhead import timeline, turns
from overhead.configurations import ALL, NONE
from overhead.targets import worst
from runner import figures, tables
from runner.running import Failed

DEFAULT = (ALL, "count-until", "overhead=5%")
# Compiler threads that end would take their CPU time along.
JVM_ARGS = ("-XX:-UseDynamicNumberOfCompilerThreads",)
SWAP_LOG = "-Xlog:redefine+class+load=info,redefine+class+timer=info:file={}:none"  # for Follower.java
UNLIMITED = 1_000_000_000  # repetitions
TRIAL = 0.1  # of the time, to decide how much work there is


def _ratio_of(place):
    return lambda one: one.windows[place]


def _apart(one):
    """The cost that the agent says and the true one: the larger divided by the smaller."""
    least = 0.01  # less is no cost
    small, large = sorted(max(cost, least) for cost in (one.ratio - 1, one.run.said))
    return math.nan if math.isnan(one.run.said) else large / small


# What they show of a timeline.Comparison.
COLUMNS = (
    (figures.Column("CPU, s", ".1f"), lambda one: one.cpu_s),
    *((figures.Column(f"{begin} to {end} s", ".2f"), _ratio_of(place)) for place, (begin, end) in enumerate(timeline.WINDOWS_S)),
    (figures.Column("whole run", ".2f"), lambda one: one.ratio),
    (figures.Column("it says", ".2f"), lambda one: 1 + one.run.said),
    (figures.Column("of the end", ".2f"), lambda one: 1 + one.run.said_at_end),
    (figures.Column("swapping", ".1%"), lambda one: one.swapping),
    (figures.Column("swaps", ".0f"), lambda one: len(one.run.swaps)),
    (figures.Column("longest pause, ms", ".0f"), lambda one: 1e3 * one.longest_pause_s),
)
TARGETS = (
    ("30 to 60 s of CPU time", 1.10, _ratio_of(2)),
    ("60 to 90 s of CPU time", 1.05, _ratio_of(3)),
    ("90 to 180 s of CPU time", 1.05, _ratio_of(4)),
    ("swapping as a share of the CPU time", 0.02, lambda one: one.swapping),
    ("longest pause in seconds", 0.05, lambda one: one.longest_pause_s),
    ("cost that the agent says and the true one", 1.5, _apart),
)


class OverTime:
    """The runs, and what they say."""

    def __init__(self, forks, folder, seconds):
        self._forks, self._folder, self._seconds = forks, folder, seconds
        self._repetitions = {}  # workload -> the work
        self._runs = {}  # (workload, configuration) -> {round: timeline.Run}

    def run(self, plan):
        """plan: that of rounds.order()."""
        for (number, workload), steps in itertools.groupby(plan, key=lambda step: step[:2]):
            ways = {way.name: way for _, _, way in steps}
            if self._knows_work(workload, ways[NONE]):
                self._round(number, workload, [way for way in ways.values() if (workload.name, way.name) not in self._forks.failures])
            print(f"{workload.name}: round {number + 1} done", file=sys.stderr, flush=True)

    def _knows_work(self, workload, none):
        """Decides how much work there is, the first time. False: the program fails."""
        if (workload.name, NONE) in self._forks.failures:
            return False
        if workload.name in self._repetitions:
            return True
        seconds = max(1, round(self._seconds * TRIAL))
        try:
            run, _ = self._measured(0, workload, none, UNLIMITED, [f"-Doverhead.seconds={seconds}"])
        except Failed as failure:
            self._forks.fail(workload, none, failure)
            return False
        self._repetitions[workload.name] = max(1, round(self._seconds * timeline.rate(run.rows)))
        return True

    def _round(self, number, workload, ways):
        repetitions = self._repetitions[workload.name]
        logs = {way.follows: self._folder / f"swaps-{number}-{workload.name}" for way in ways if way.follows}

        def measured(way):
            jvm_args = [SWAP_LOG.format(logs[way.name])] if way.name in logs else []
            if way.follows:
                way = dataclasses.replace(way, jvm_args=[f"{way.jvm_args[0]}={logs[way.follows]}"])
            return self._measured(number, workload, way, repetitions, jvm_args, among)
        with turns.Turns() as among, futures.ThreadPoolExecutor(len(ways)) as pool:
            runs = [(way, pool.submit(measured, way)) for way in ways]
            for way, future in sorted(runs, key=lambda run: run[0].name != NONE):  # its result is the right one
                try:
                    run, checked = future.result()
                    self._forks.check(workload, repetitions, way, checked)
                    self._runs.setdefault((workload.name, way.name), {})[number] = run
                except Failed as failure:
                    self._forks.fail(workload, way, failure)

    def _measured(self, number, workload, way, repetitions, jvm_args=(), among=None):
        stops = []

        def take_turns(pid, ended):
            if among:
                stops.extend(among.take(pid, ended))
        with tempfile.TemporaryDirectory(dir=self._folder) as made:
            rows, log, output = (pathlib.Path(made) / name for name in ("timeline", "safepoints.log", "output"))
            output.mkdir()
            arguments = [*JVM_ARGS, f"-Xlog:safepoint=info:file={log}:timemillis", f"-Doverhead.timeline={rows}", *jvm_args]
            measured = self._forks.unchecked(number, workload, way, repetitions, arguments, output, take_turns)
            run = timeline.read(rows.read_text(), log.read_text(), stops, (measured.said, measured.said_at_end))
        if len(run.rows) < 2:
            raise Failed("took less than one repetition")
        return run, measured

    def compared(self, workload, configuration):
        """[timeline.Comparison], of the rounds in which it ran without an agent, too."""
        bases = self._runs.get((workload, NONE), {})
        return [timeline.compared(run, bases[number]) for number, run in self._runs.get((workload, configuration), {}).items() if number in bases]


def table(over_time, workload, ways):
    """Medians of the rounds, and the worst one if there are several."""
    rows = []
    for way in ways:
        if some := over_time.compared(workload.name, way.name):
            rows.append([way.name, *(column.cell(map(value, some)) or "-" for column, value in COLUMNS)])
    return "\n".join([f"{workload.name}: work per second of CPU time without an agent, divided by that with it, in the same window of CPU time; "
                      "CPU time for the same work; what the agent says; and swaps",
                      *tables.aligned(["", *(column.name for column, _ in COLUMNS)], rows)])


def verdicts(over_time, workloads, ways):
    """Of each configuration that swapped classes."""
    said = []
    for way in ways:
        runs = {workload.name: over_time.compared(workload.name, way.name) for workload in workloads}
        if not any(one.run.swaps for some in runs.values() for one in some):
            continue
        for text, limit, value in TARGETS:
            medians = {name: figures.Estimate(figures.median(map(value, some)), math.nan, math.nan) for name, some in runs.items()}
            if known := {name: estimate for name, estimate in medians.items() if estimate.known}:
                said.append(worst(f"{way.name}, {text}, worst program", limit, known))
    return said
