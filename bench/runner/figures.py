"""Medians and their spread, ratios of medians, and their confidence intervals: percentile bootstrap with a fixed seed.

A sample is a list of pairs (value, value of the baseline), one for each round. Whole rounds are drawn, not single
values: runs of the same round saw the same noise, most of which cancels.
"""

import dataclasses
import math
import random
import statistics
from collections.abc import Callable

RESAMPLES = 1000


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A value with the ends of its 95 % interval, which are NaN if there is only one round; all NaN if nothing was measured."""
    value: float
    low: float
    high: float

    @property
    def known(self):
        return not math.isnan(self.value)

    def __str__(self):
        if not self.known:
            return "-"
        return f"{self.value:.2f} [one fork]" if math.isnan(self.low) else f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


UNKNOWN = Estimate(math.nan, math.nan, math.nan)


def median(values):
    values = [v for v in values if not math.isnan(v)]
    return statistics.median(values) if values else math.nan


def spread(values, digits=1):
    """Median, smallest and largest: "1.5 (1.2–1.9)"; "-" if there is none."""
    values = [v for v in values if not math.isnan(v)]
    return f"{median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})" if values else "-"


def judged(value, limit, at_least=False):
    """Example: "2.10 (target <= 2.00: MISSED)"."""
    met = value >= limit if at_least else value <= limit
    return f"{value:.2f} (target {'>=' if at_least else '<='} {limit:.2f}: {'met' if met else 'MISSED'})"


def geometric_mean(values):
    if not values or any(math.isnan(v) for v in values) or min(values) <= 0:  # nothing measured, or too short for the clock
        return math.nan
    return math.exp(sum(math.log(v) for v in values) / len(values))


def _ratio(sample):
    base = statistics.median(b for _, b in sample)
    return statistics.median(v for v, _ in sample) / base if base else math.nan


def estimate(samples, of_ratios):
    """The estimate of a number that follows from the ratios of several samples: of_ratios([ratio, ...])."""
    samples = [[pair for pair in sample if not any(map(math.isnan, pair))] for sample in samples]
    if not samples or not all(samples):
        return UNKNOWN
    value = of_ratios([_ratio(sample) for sample in samples])
    if math.isnan(value):
        return UNKNOWN
    if min(map(len, samples)) < 2:
        return Estimate(value, math.nan, math.nan)
    source = random.Random(1)
    drawn = sorted(of_ratios([_ratio(source.choices(sample, k=len(sample))) for sample in samples]) for _ in range(RESAMPLES))
    return Estimate(value, drawn[int(0.025 * RESAMPLES)], drawn[int(0.975 * RESAMPLES) - 1])


def ratio(sample):
    return estimate([sample], lambda ratios: ratios[0])


def mean_ratio(samples):
    """The geometric mean of the samples' ratios."""
    return estimate(samples, geometric_mean)


@dataclasses.dataclass(frozen=True)
class Column:
    """Of a table whose cells are about several runs."""

    name: str
    form: str
    worst: Callable = max  # of some values

    def cell(self, values):
        """Example: "98.60 (97.42)" for 98.60, 97.42 and 99.10 where less is worse."""
        known = [value for value in values if not math.isnan(value)]
        if not known:
            return ""
        text = format(statistics.median(known), self.form)
        return text if len(known) == 1 else f"{text} ({format(self.worst(known), self.form)})"


def farthest_from(right):
    return lambda values: max(values, key=lambda value: abs(value - right))
