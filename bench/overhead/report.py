"""The results as text: a table of ratios to the bare JVM for each metric and kind of workload."""

from overhead.configurations import NONE
from runner import figures, tables
from runner.workloads import MICRO, REAL, START

METRICS = (("steady state, CPU", "steady_ms", "ms"), ("whole process, CPU", "cpu_s", "s"), ("whole process, wall", "wall_s", "s"),
           ("peak memory", "peak_mib", "MiB"))
SETTLED = 0.9  # if the last quarter took less than this share of the one before, it was still getting faster


def text(results, workloads, ways, planned):
    """planned: the pairs of workload and configuration that were to run, by name. The others are empty."""
    lines = []
    for title, metric, unit in METRICS:
        # For a micro loop, only the loop matters: its process runs for a second, most of which is start-up.
        for kind in (REAL, MICRO, START) if metric == "steady_ms" else (REAL, START):
            columns = [w for w in workloads if w.kind == kind and (w.steady or metric != "steady_ms")]
            if columns:
                lines += _table(f"{kind}, {title}", metric, unit, columns, results, ways, planned) + [""]
    return "\n".join(lines)


def _table(title, metric, unit, columns, results, ways, planned):
    def is_planned(column, way):
        return (column.name, way.name) in planned
    with_mean = len(columns) > 1
    rows = [[f"none, {unit}", *(f"{results.median(c.name, NONE, metric):.4g}" for c in columns), *([""] if with_mean else [])]]
    for way in ways:
        samples = [results.sample(c.name, way.name, NONE, metric) for c in columns]
        if way.name == NONE or not any(samples):
            continue
        mean = str(figures.mean_ratio(samples)) if all(is_planned(c, way) for c in columns) else ""
        rows.append([way.name, *(str(figures.ratio(s)) if is_planned(c, way) else "" for c, s in zip(columns, samples)),
                     *([mean] if with_mean else [])])
    head = ["", *(c.name for c in columns), *(["geometric mean"] if with_mean else [])]
    return [f"{title}: medians without an agent, and ratios to them [95 % interval]", *tables.aligned(head, rows)]


def unsettled(results, workloads, ways):
    """Sentences about workloads that had not reached a steady state."""
    said = []
    for workload in workloads:
        for way in ways:
            before = results.median(workload.name, way.name, "before_ms")
            steady = results.median(workload.name, way.name, "steady_ms")
            if before > 0 and steady / before < SETTLED:
                said.append(f"{workload.name} under {way.name} was still getting faster: {steady / before:.2f} of the quarter before")
    return said
