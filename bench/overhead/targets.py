"""The targets for the cost of profiling, with a verdict for each.

A verdict is about the median; if its 95 % interval includes the limit, the verdict says so.
"""

import dataclasses
import math

from overhead.configurations import ALL, BOTH, JACOCO, NO_CDS, NONE, TIER_3
from runner import figures
from runner.workloads import MICRO, REAL


@dataclasses.dataclass(frozen=True)
class Verdict:
    text: str
    limit: float
    measured: figures.Estimate
    where: str = ""  # the worst program

    @property
    def holds(self):
        return self.measured.value <= self.limit

    def __str__(self):
        if not self.measured.known:
            return f"not measured  {self.text} <= {self.limit:.2f}"
        m = self.measured
        unsure = m.low <= self.limit < m.high if self.holds else m.low <= self.limit
        return (f"{'holds' if self.holds else 'MISSES':12}  {self.text} <= {self.limit:.2f}: {m}"
                + (f", {self.where}" if self.where else "") + (" (the interval allows the contrary)" if unsure else ""))


def verdicts(results, workloads):
    real = [w.name for w in workloads if w.kind == REAL]
    micro = [w.name for w in workloads if w.kind == MICRO]

    def mean(text, limit, names, way, metric):
        return Verdict(text, limit, figures.mean_ratio([results.sample(n, way, NONE, metric) for n in names]))

    def worst_of(text, limit, names, way, metric):
        return worst(text, limit, {n: figures.ratio(results.sample(n, way, NONE, metric)) for n in names})

    def share(text, limit, way, other):
        return worst(text, limit, {n: _share(results, n, way, other) for n in real})

    return [
        mean("calls+branches, steady state, geometric mean", 1.20, real, BOTH, "steady_ms"),
        worst_of("calls+branches, steady state, worst real program", 1.40, real, BOTH, "steady_ms"),
        mean("all tables, steady state, geometric mean", 1.35, real, ALL, "steady_ms"),
        worst_of("all tables, steady state, worst real program", 1.60, real, ALL, "steady_ms"),
        mean("calls+branches, micro loops, geometric mean", 1.25, micro, BOTH, "steady_ms"),
        worst_of("calls+branches, micro loops, worst", 1.25, micro, BOTH, "steady_ms"),
        worst_of("all tables, megamorphic micro loop", 2.00, [n for n in micro if n == "megamorphic"], ALL, "steady_ms"),
        mean("calls+branches, whole process, geometric mean", 1.40, real, BOTH, "cpu_s"),
        mean("all tables, whole process, geometric mean", 1.40, real, ALL, "cpu_s"),
        share("overhead of calls+branches as a share of JaCoCo's, worst real program", 0.50, BOTH, JACOCO),
        share("overhead of all tables as a share of tier 3's, worst real program", 0.10, ALL, TIER_3),
        worst_of("all tables, peak memory, worst real program", 1.30, real, ALL, "peak_mib"),
        _writing(results),
        *(Verdict(f"{text}, hello world's CPU time against a JVM without class-data sharing", 2.00,
                  figures.ratio(results.sample("hello", way, NO_CDS, "cpu_s"))) for text, way in (("calls+branches", BOTH), ("all tables", ALL))),
    ]


def worst(text, limit, by_name):
    """by_name: program -> Estimate. If one was not measured, none was."""
    known = {name: e for name, e in by_name.items() if e.known}
    if not known or len(known) < len(by_name):
        return Verdict(text, limit, figures.UNKNOWN)
    name = max(known, key=lambda n: known[n].value)
    return Verdict(text, limit, known[name], name)


def _share(results, name, way, other):
    """(ratio of one - 1) / (ratio of the other - 1); infinite if only the other costs nothing."""
    def of(ratios):
        ours, theirs = ratios[0] - 1, ratios[1] - 1
        if theirs <= 0:
            return 0.0 if ours <= 0 else math.inf
        return ours / theirs
    return figures.estimate([results.sample(name, w, NONE, "steady_ms") for w in (way, other)], of)


def _writing(results):
    """The CPU time after the end of main, minus that of the bare JVM, as a share of the time before."""
    sample = []
    bare = results.median("javac", NONE, "after_s")
    for number, after in results.by_round("javac", ALL, "after_s").items():
        used = results.by_round("javac", ALL, "cpu_s")[number]
        if not math.isnan(bare):
            sample.append((max(0.0, after - bare), used - after))
    return Verdict("all tables, writing the profile as a share of javac's CPU time", 0.05, figures.ratio(sample))
