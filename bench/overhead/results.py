"""All measurements of one or several runs of the benchmark, and their CSV file with one line per fork."""

import csv
import dataclasses

import bootstrap
from measuring import Measurement

FIELDS = [field.name for field in dataclasses.fields(Measurement)]


class Results:
    def __init__(self, measurements=()):
        self._by_pair = {}
        for measurement in measurements:
            self.add(measurement)

    def add(self, measurement):
        self._by_pair.setdefault((measurement.workload, measurement.configuration), []).append(measurement)

    def __iter__(self):
        return (m for several in self._by_pair.values() for m in several)

    def has(self, workload, configuration):
        return (workload, configuration) in self._by_pair

    def by_round(self, workload, configuration, metric):
        """round -> value"""
        return {m.round: getattr(m, metric) for m in self._by_pair.get((workload, configuration), [])}

    def median(self, workload, configuration, metric):
        return bootstrap.median(self.by_round(workload, configuration, metric).values())

    def sample(self, workload, configuration, baseline, metric):
        """The input of a ratio: (value, value of the baseline) for each round in which both ran."""
        mine = self.by_round(workload, configuration, metric)
        base = self.by_round(workload, baseline, metric)
        return [(mine[r], base[r]) for r in sorted(mine) if r in base]


def read(paths):
    """Rounds of later files are numbered after those of earlier files, so that a round contains only runs of the
    same time."""
    rows, first = [], 0
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            some = [_measurement(row, first) for row in csv.DictReader(file)]
        rows += some
        first = max((m.round for m in rows), default=-1) + 1
    return Results(rows)


def _measurement(row, first):
    kinds = {field.name: field.type for field in dataclasses.fields(Measurement)}
    measurement = Measurement(**{name: float(row[name]) if kinds[name] in (float, "float") else row[name] for name in FIELDS})
    measurement.round = int(row["round"]) + first
    return measurement


class Writer:
    """Each measurement is written to the file immediately, so that an aborted run is not lost."""

    def __init__(self, path):
        self._file = open(path, "w", newline="", encoding="utf-8") if path else None
        self._writer = csv.writer(self._file) if path else None
        if path:
            self._writer.writerow(FIELDS)

    def write(self, measurement):
        if self._file:
            self._writer.writerow([getattr(measurement, name) for name in FIELDS])
            self._file.flush()

    def close(self):
        if self._file:
            self._file.close()
