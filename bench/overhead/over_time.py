"""Measures cost over time: runs of the same work without an agent and with some configurations, second by second.

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
LIMIT_STEADY, LIMIT_SWAPPING, LIMIT_PAUSE_S = 1.05, 0.02, 0.05
LIMITS_IN_WINDOWS = (math.nan, math.nan, 1.10, 1.05, 1.05)
LIMIT_SAID = 1.5  # the cost that the agent says and the true one: the larger divided by the smaller


class OverTime:
    """The runs, and what they say."""

    def __init__(self, forks, folder, seconds):
        self._forks, self._folder, self._seconds = forks, folder, seconds
        self._repetitions = {}  # workload -> the work
        self._runs = {}  # (workload, configuration) -> {round: timeline.Run}
        self._said = {}  # (workload, configuration) -> {round: (cost that the agent says of the whole run, of the end)}

    def run(self, plan):
        """plan: that of rounds.order()."""
        for (number, name), steps in itertools.groupby(plan, key=lambda step: (step[0], step[1].name)):
            ways = {way.name: (workload, way) for _, workload, way in steps}
            if NONE in ways and self._knows_work(*ways[NONE]):
                self._round(number, [step for step in ways.values() if (name, step[1].name) not in self._forks.failures])
            print(f"{name}: round {number + 1} done", file=sys.stderr, flush=True)

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

    def _round(self, number, steps):
        logs = {way.follows: self._folder / f"swaps-{number}-{workload.name}" for workload, way in steps if way.follows}
        for log in logs.values():
            log.unlink(missing_ok=True)

        def jvm_args(way):
            return [SWAP_LOG.format(logs[way.name])] if way.name in logs else []

        def followed(way):
            return dataclasses.replace(way, jvm_args=[f"{way.jvm_args[0]}={logs[way.follows]}"]) if way.follows else way
        with turns.Turns() as among, futures.ThreadPoolExecutor(len(steps)) as pool:
            runs = [(workload, way, pool.submit(
                self._measured, number, workload, followed(way), self._repetitions[workload.name], jvm_args(way), turns.Turn(among)))
                for workload, way in steps]
            for workload, way, future in sorted(runs, key=lambda run: run[1].name != NONE):  # its result is the right one
                try:
                    run, measured = future.result()
                    self._forks.check(workload, self._repetitions[workload.name], way, measured)
                    self._runs.setdefault((workload.name, way.name), {})[number] = run
                    self._said.setdefault((workload.name, way.name), {})[number] = measured.said, measured.said_at_end
                except Failed as failure:
                    self._forks.fail(workload, way, failure)

    def _measured(self, number, workload, way, repetitions, jvm_args=(), turn=None):
        with tempfile.TemporaryDirectory(dir=self._folder) as made:
            rows, log, output = (pathlib.Path(made) / name for name in ("timeline", "safepoints.log", "output"))
            output.mkdir()
            arguments = [*JVM_ARGS, f"-Xlog:safepoint=info:file={log}:timemillis", f"-Doverhead.timeline={rows}", *jvm_args]
            measured = self._forks.unchecked(number, workload, way, repetitions, arguments, turn, output)
            run = timeline.read(rows.read_text(), log.read_text(), turn.stops if turn else ())
        if len(run.rows) < 2:
            raise Failed("took less than one repetition")
        return run, measured

    def seconds(self, workload, configuration):
        """round -> [timeline.Second], of the rounds in which it ran without an agent, too."""
        bases = self._runs.get((workload, NONE), {})
        return {number: timeline.seconds(run, bases[number])
                for number, run in self._runs.get((workload, configuration), {}).items() if number in bases}

    def summaries(self, workload, configuration):
        return [timeline.summary(made) for made in self.seconds(workload, configuration).values()]

    def windows(self, workload, configuration):
        """For each of timeline.WINDOWS_S the ratios of all rounds."""
        bases = self._runs.get((workload, NONE), {})
        return [[timeline.window(run, bases[number], *window)
                 for number, run in self._runs.get((workload, configuration), {}).items() if number in bases] for window in timeline.WINDOWS_S]

    def said(self, workload, configuration):
        """[(cost that the agent says of the whole run, of the end)], of the same rounds."""
        return [self._said[workload, configuration][number] for number in self.seconds(workload, configuration)]


def table(over_time, workload, ways):
    rows = []
    for way in ways:
        some = over_time.summaries(workload.name, way.name)
        if some:
            rows.append(_cells(way.name, some))
    head = ["", "CPU, s", "whole run", *timeline.PHASES, "swapping", "swaps", "longest pause"]
    return "\n".join([f"{workload.name}: CPU time for the same work, divided by that without an agent", *tables.aligned(head, rows)])


def _cells(name, some):
    """Medians over the rounds; the longest pause is that of all rounds."""
    def median(value):
        return figures.median(value(one) for one in some)

    def phase(of):
        ratio = median(lambda one: one.phases[of].ratio)
        return "-" if math.isnan(ratio) else f"{ratio:.2f} in {median(lambda one: one.phases[of].seconds):.0f} s"
    pause_s = max((one.longest_pause_s for one in some if one.swaps), default=math.nan)
    return [name, f"{median(lambda one: one.cpu_s):.1f}", f"{median(lambda one: one.ratio):.2f}", *map(phase, timeline.PHASES),
            f"{100 * median(lambda one: one.swapping):.1f} %", f"{median(lambda one: one.swaps):.0f}",
            "-" if math.isnan(pause_s) else f"{1e3 * pause_s:.0f} ms"]


def windows_table(over_time, workload, ways):
    """Medians of the rounds, and the worst one if there are several."""
    rows = []
    for way in ways:
        some = over_time.summaries(workload.name, way.name)
        if some and way.name != NONE:
            costs = [[one.ratio for one in some], *([1 + cost for cost in said] for said in zip(*over_time.said(workload.name, way.name)))]
            rows.append([way.name, *(_ratios(one) for one in (*over_time.windows(workload.name, way.name), *costs))])
    head = ["", *(f"{begin} to {end} s" for begin, end in timeline.WINDOWS_S), "whole run", "it says", "of the end"]
    return "\n".join([f"{workload.name}: work per second of CPU time without an agent, divided by that with it, in the same window of CPU time; "
                      "and what the agent says", *tables.aligned(head, rows)])


def _ratios(values):
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return "-"
    return f"{figures.median(known):.2f}" + (f" (worst {max(known):.2f})" if len(known) > 1 else "")


def verdicts(over_time, workloads, ways):
    """Of each configuration that swapped classes."""
    said = []
    for way in ways:
        some = {w.name: over_time.summaries(w.name, way.name) for w in workloads}
        if not any(one.swaps for summaries in some.values() for one in summaries):
            continue

        def of(text, limit, value, way=way, some=some):
            medians = {name: figures.median([value(one) for one in summaries]) for name, summaries in some.items()}
            known = {name: figures.Estimate(one, math.nan, math.nan) for name, one in medians.items()}
            return worst(f"{way.name}, {text}, worst program", limit, known)
        said += [of("steady state after the swaps", LIMIT_STEADY, lambda one: one.phases[timeline.STEADY].ratio),
                 of("swapping as a share of the CPU time", LIMIT_SWAPPING, lambda one: one.swapping),
                 of("longest pause in seconds", LIMIT_PAUSE_S, lambda one: one.longest_pause_s if one.swaps else 0.0)]
        for place, ((begin, end), limit) in enumerate(zip(timeline.WINDOWS_S, LIMITS_IN_WINDOWS)):
            known = {w.name: _estimate([one for one in over_time.windows(w.name, way.name)[place] if not math.isnan(one)]) for w in workloads}
            known = {name: one for name, one in known.items() if not math.isnan(one.value)}
            if known and not math.isnan(limit):
                said.append(worst(f"{way.name}, {begin} to {end} s of CPU time, worst program", limit, known))
        known = {w.name: _estimate([_apart(one.ratio - 1, of_all) for one, (of_all, _) in zip(
            over_time.summaries(w.name, way.name), over_time.said(w.name, way.name)) if not math.isnan(of_all)]) for w in workloads}
        known = {name: one for name, one in known.items() if not math.isnan(one.value)}
        if known:
            said.append(worst(f"{way.name}, cost that the agent says and the true one, worst program", LIMIT_SAID, known))
    return said


def _apart(one, other):
    least = 0.01  # less is no cost
    one, other = max(one, least), max(other, least)
    return max(one, other) / min(one, other)


def _estimate(values):
    return figures.Estimate(figures.median(values), math.nan, math.nan)
