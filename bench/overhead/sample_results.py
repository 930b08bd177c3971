"""Results for tests, without running anything."""

import math

from measuring import Measurement
from results import Results


def measurement(workload, configuration, steady_ms, number=0, **others):
    given = {"wall_s": 2.0, "user_s": 1.0, "system_s": 0.0, "peak_mib": 100.0, "before_ms": steady_ms,
             "after_s": math.nan, "checksum": "5", **others}
    return Measurement(round=number, workload=workload, configuration=configuration, steady_ms=steady_ms, **given)


def results(steady_ms, rounds=3, **others):
    """{(workload, configuration): milliseconds}, the same in each round."""
    return Results(measurement(*pair, ms, number, **others) for pair, ms in steady_ms.items() for number in range(rounds))
