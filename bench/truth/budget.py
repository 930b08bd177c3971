"""How true profiles are whose methods lose their probes, and what they cost.

Each program runs once with the agent's exact counts, which are the truth, and once in each configuration, with fixed work: count-until=N with
and without rearming; overhead=5%; and HotSpot's own counters (methoddata). The phased programs (java/Phased.java) do one thing for a while and
then another; `classes` (sessions.Many) has 3,000 hot classes to swap.

A row has overlaps with the truth, and all calls in percent of the true ones, because an overlap compares shares only; what `iprof overlap
--decisions` says; of inverted branches those that are clear in both (60 % or more one way); the CPU time of the whole process, divided by that
of a run without an agent; methods without probes at the end, and the longest pause.
"""

import math
import pathlib
import re
from itertools import starmap

from runner import tables
from runner.figures import Column, farthest_from
from runner.running import run
from runner.workloads import BENCH, BY_NAME, compiled, prepare
from truth import comparison

JAVA = pathlib.Path(__file__).resolve().parent / "java"
OWN = {"warmup": ["Phased", "warmup"], "alternating": ["Phased", "alternating"], "flip": ["Phased", "flip"], "cache": ["Phased", "cache"],
       "classes": ["sessions.Many", 3000]}
WORK = {"warmup": 100_000, "alternating": 150_000, "flip": 100_000, "cache": 400_000, "classes": 50_000,
        "javac": 3, "lucene": 12, "jackson": 3000, "groovy": 300, "web": 40, "freemarker": 400, "h2": 300, "hsqldb": 600, "rhino": 800}
CONFIGURATIONS = {
    **{f"until={n}": f"count-until={int(float(n))},rearm=0" for n in ("1e4", "1e5", "1e6")},
    **{f"until={n},rearm": f"count-until={int(float(n))}" for n in ("1e4", "1e5", "1e6")},
    "overhead=5%": "overhead=5%",
    "methoddata": "source=methoddata",
}
FIGURES = tuple(starmap(Column, (
    ("calls", ".2f", min), ("branch weights", ".2f", min), ("receivers", ".2f", min), ("all calls", ".1f", farthest_from(100)),
    ("hot missed", ".3f"), ("hot extra", ".3f"), ("inverted", ".3f"), ("clear inverted", ".3f"), ("other receivers", ".3f"), ("CPU", ".2f"),
    ("frozen", ".0f", min), ("longest pause, ms", ".0f"))))
QUICK = {"programs": ["flip"], "configurations": ["until=1e4"]}
QUICK_WORK = 0.001


def add_options(options):
    options.jvm()
    options.built("agent", "tool")
    options.names("--programs", WORK)
    options.names("--configurations", CONFIGURATIONS, separator=";")
    options.value("--times", 1.0, "multiplies the work")
    options.value("--runs", 1, "so many of each configuration; more than one: the median, and the worst one in parentheses")


def commands(arguments):
    """(program, arguments of the JVM)"""
    own, work = arguments.folder / "own", {name: max(1, round(WORK[name] * arguments.times)) for name in arguments.programs}
    compiled(arguments.jvm, own, [JAVA / "Phased.java", *(BENCH / "sessions" / "java" / "many" / "sessions").glob("*.java")])
    ready = prepare([BY_NAME[name] for name in work if name not in OWN], arguments.jvm, arguments.folder)
    yield from ((name, ["-cp", own, *OWN[name], work[name]]) for name in work if name in OWN)
    yield from ((workload.name, workload.command(arguments.folder, work[workload.name])) for workload in ready)


def compare(arguments, name, words):
    def recorded(options, profile):
        return run([arguments.jvm.java, f"-agentpath:{arguments.agent}=out={profile},samples=n,verbose=2,{options}", *words])

    def figures(configuration):
        made = recorded(CONFIGURATIONS[configuration], profile)
        said = re.search(r"without probes: (\d+) methods.*longest (\d+) ms", made.output)
        frozen, longest = map(int, said.groups()) if said else (math.nan, math.nan)
        return {**comparison.compared(arguments.tool, exact, profile), "CPU": made.cpu_s / without, "frozen": frozen, "longest pause, ms": longest}
    exact, profile = arguments.folder / "exact.iprof", arguments.folder / "x.iprof"
    without = run([arguments.jvm.java, *words]).cpu_s
    truth = recorded("force=y", exact)
    print(f"\n{name}: {without:.1f} s of CPU without an agent\n", flush=True)
    table = tables.Markdown("configuration", *(figure.name for figure in FIGURES))
    table.row("exact", *[""] * 9, f"{truth.cpu_s / without:.2f}", "", "")
    for configuration in arguments.configurations:
        table.row(configuration, *comparison.cells(FIGURES, [figures(configuration) for _ in range(arguments.runs)]))


def main(arguments):
    if arguments.quick:
        vars(arguments).update(QUICK, times=QUICK_WORK)
    print(f"{tables.machine(arguments.jvm)}; work times {arguments.times:g}")
    for name, words in commands(arguments):
        compare(arguments, name, words)
