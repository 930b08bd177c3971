"""Measurements of workloads with configurations, and their CSV file with a line for each fork."""

import csv
import dataclasses
import math
import os
import re

from runner import figures, running

TICKS = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Measurement:
    round: int
    workload: str
    configuration: str
    wall_s: float
    user_s: float
    system_s: float
    peak_mib: float
    steady_ms: float  # CPU time of one repetition in the last quarter; NaN if the program has none
    before_ms: float  # the same in the quarter before
    after_s: float  # CPU time of the process after the end of main; NaN if the program does not print it
    checksum: str
    said: float = math.nan  # what the agent says that it costs, as a share; NaN if it says nothing
    said_at_end: float = math.nan

    @property
    def cpu_s(self):
        return self.user_s + self.system_s


FIELDS = [field.name for field in dataclasses.fields(Measurement)]


def measure(labels, command, **options):
    """labels: round, workload and configuration; options: those of running.run(). Raises Failed."""
    return measured(labels, running.run(command, **options))


def measured(labels, run):
    said = dict(re.findall(r"(\w+)=(-?\d+)", next((line for line in run.output.splitlines() if line.startswith("RESULT ")), "")))

    def ms(name):
        return int(said[name]) / 1e6 if name in said else math.nan
    costs = re.search(r"counting costs about ([\d.]+) % of the program's time, ([\d.]+) % at the end", run.output)
    after = max(0.0, run.cpu_s - int(said["end_ticks"]) / TICKS) if "end_ticks" in said else math.nan
    return Measurement(*labels, run.wall_s, run.user_s, run.system_s, run.peak_mib, ms("steady_ns"), ms("before_ns"), after,
                       said.get("checksum", ""), *([float(percent) / 100 for percent in costs.groups()] if costs else []))


class Results:
    """With a path, each measurement is written to that file immediately, so that an aborted run is not lost."""

    def __init__(self, measurements=(), path=None):
        self._by_pair, self._path = {}, path
        if path:
            path.write_text(",".join(FIELDS) + "\n")
        for measurement in measurements:
            self.add(measurement)

    def add(self, measurement):
        self._by_pair.setdefault((measurement.workload, measurement.configuration), []).append(measurement)
        if self._path:
            with open(self._path, "a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow(dataclasses.astuple(measurement))

    def by_round(self, workload, configuration, metric):
        """round -> value"""
        return {m.round: getattr(m, metric) for m in self._by_pair.get((workload, configuration), [])}

    def median(self, workload, configuration, metric):
        return figures.median(self.by_round(workload, configuration, metric).values())

    def sample(self, workload, configuration, baseline, metric):
        """The input of a ratio: (value, value of the baseline) for each round in which both ran."""
        mine = self.by_round(workload, configuration, metric)
        base = self.by_round(workload, baseline, metric)
        return [(mine[r], base[r]) for r in sorted(mine) if r in base]


def of_times(steady_ms, rounds=3):
    """For tests, without running anything. {(workload, configuration): milliseconds}, the same in each round."""
    return Results(of_time(*pair, ms, number) for pair, ms in steady_ms.items() for number in range(rounds))


def of_time(workload, configuration, steady_ms, number=0, user_s=1.0, after_s=math.nan):
    return Measurement(number, workload, configuration, 2.0, user_s, 0.0, 100.0, steady_ms, steady_ms, after_s, "5")
