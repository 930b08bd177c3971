"""Medians, their ratios, and how sure one can be of them: percentile bootstrap with a fixed seed."""

import math
import random
import statistics

RESAMPLES = 1000


def median(values):
    values = [v for v in values if not math.isnan(v)]
    return statistics.median(values) if values else math.nan


def ratio(values, baseline):
    """(ratio of medians, low, high): the 95 % interval; NaN where a side has no values."""
    point = median(values) / median(baseline) if median(baseline) else math.nan
    if math.isnan(point):
        return point, point, point
    source = random.Random(1)
    resampled = sorted(
        statistics.median(source.choices(values, k=len(values))) /
        statistics.median(source.choices(baseline, k=len(baseline))) for _ in range(RESAMPLES))
    return point, resampled[int(0.025 * RESAMPLES)], resampled[int(0.975 * RESAMPLES) - 1]


def geometric_mean(values):
    values = [v for v in values if not math.isnan(v)]
    if not values or min(values) <= 0:  # nothing measured, or too short for the clock
        return math.nan
    return math.exp(sum(math.log(v) for v in values) / len(values))
