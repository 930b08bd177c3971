"""How true profiles are whose methods lose their probes, and what they cost.

  bench/run truth budget --jvm jdk25 --programs flip,jackson
  bench/run truth budget --configurations 'until=1e5;overhead=5%' --times 5

Each program runs once with the agent's exact counts, which are the truth, and once in each configuration: count-until=N for N = 1e4, 1e5 and
1e6, with and without rearming; overhead=5%; and HotSpot's own counters (methoddata). The phased programs (java/Phased.java) do one thing for
a while and then another; `classes` (sessions.Many) has 3,000 hot classes to swap. The work is fixed.

A row has: the overlap of calls, of branch weights and of receivers with the truth, and all calls in percent of the true ones, because an
overlap compares shares only; what `iprof overlap --decisions` says: weight of methods that are hot only in the truth and only in the profile,
of branches that are inverted, and of those the ones that are clear in both (60 % or more one way), and of calls that would be dispatched to
other classes; the CPU time of the whole process, divided by that of a run without an agent; methods without probes at the end, and the longest
pause. With --runs 7, it has medians, and in parentheses the worst runs.
"""

import math
import pathlib
import re
from itertools import starmap

from harness.profile import load_profile
from runner import tables
from runner.figures import Column, farthest_from
from runner.overlap import BRANCHES, CALLS, RECEIVERS, overlap
from runner.running import run
from runner.workloads import BENCH, BY_NAME, compiled, prepare
from truth import comparison

JAVA = pathlib.Path(__file__).resolve().parent / "java"
PHASED = {"warmup": 100_000, "alternating": 150_000, "flip": 100_000, "cache": 400_000}  # requests
MANY, CLASSES = {"classes": 50_000}, 3000
REPETITIONS = {"javac": 3, "lucene": 12, "jackson": 3000, "groovy": 300, "web": 40, "freemarker": 400,
               "h2": 300, "hsqldb": 600, "rhino": 800}
CONFIGURATIONS = {
    **{f"until={n}": f"count-until={int(float(n))},rearm=0" for n in ("1e4", "1e5", "1e6")},
    **{f"until={n},rearm": f"count-until={int(float(n))}" for n in ("1e4", "1e5", "1e6")},
    "overhead=5%": "overhead=5%",
    "methoddata": "source=methoddata",
}
FIGURES = tuple(starmap(Column, (
    ("calls", ".2f", min), ("branches", ".2f", min), ("receivers", ".2f", min), ("all calls", ".1f", farthest_from(100)),
    ("hot only in truth", ".3f"), ("hot only here", ".3f"), ("inverted", ".3f"), ("clear inverted", ".3f"), ("other classes", ".3f"), ("CPU", ".2f"),
    ("frozen", ".0f", min), ("longest pause, ms", ".0f"))))
QUICK = {"programs": ["flip"], "configurations": ["until=1e4"]}
QUICK_WORK = 0.001


def add_options(options):
    options.jvm()
    options.built("agent", "tool")
    options.names("--programs", [*PHASED, *MANY, *REPETITIONS])
    options.names("--configurations", CONFIGURATIONS, separator=";")
    options.value("--times", 1.0, "multiplies the work")
    options.value("--runs", 1, "so many of each configuration; more than one: the median, and the worst one in parentheses")


def commands(arguments):
    """(program, arguments of the JVM)"""
    own = arguments.folder / "own"
    compiled(arguments.jvm, own, [JAVA / "Phased.java", *(BENCH / "sessions" / "java" / "many" / "sessions").glob("*.java")])
    ready = prepare([BY_NAME[name] for name in arguments.programs if name in REPETITIONS], arguments.jvm, arguments.folder)
    for name in arguments.programs:
        if name in PHASED:
            yield name, ["-cp", own, "Phased", name, max(1, round(PHASED[name] * arguments.times))]
        elif name in MANY:
            yield name, ["-cp", own, "sessions.Many", CLASSES, max(1, round(MANY[name] * arguments.times))]
    for workload in ready:
        yield workload.name, workload.command(arguments.folder, max(1, round(REPETITIONS[workload.name] * arguments.times)))


def compare(arguments, name, words):
    def recorded(options, profile):
        return run([arguments.jvm.java, f"-agentpath:{arguments.agent}=out={profile},samples=n,verbose=2,{options}", *words])

    def clear_inverted():
        return comparison.branches(*(load_profile(one).branches() for one in (exact, profile))).clear_inverted

    def figures(configuration):
        """Those of FIGURES, of one run."""
        made = recorded(CONFIGURATIONS[configuration], profile)
        of = overlap(arguments.tool, exact, profile)
        frozen = re.search(r"without probes: (\d+) methods.*longest (\d+) ms", made.output)
        return [*(of.tables[name] for name in (CALLS, BRANCHES, RECEIVERS)), of.all_calls, of.hot_missed, of.hot_extra, of.inverted,
                clear_inverted(), of.other_classes, made.cpu_s / without, *(map(int, frozen.groups()) if frozen else (math.nan, math.nan))]
    exact, profile = arguments.folder / "exact.iprof", arguments.folder / "x.iprof"
    without = run([arguments.jvm.java, *words]).cpu_s
    truth = recorded("force=y", exact)
    print(f"\n{name}: {without:.1f} s of CPU without an agent\n", flush=True)
    table = tables.Markdown("configuration", *(figure.name for figure in FIGURES))
    table.row("exact", *[""] * 9, f"{truth.cpu_s / without:.2f}", "", "")
    for configuration in arguments.configurations:
        runs = [figures(configuration) for _ in range(arguments.runs)]
        table.row(configuration, *(figure.cell([values[i] for values in runs]) for i, figure in enumerate(FIGURES)))


def main(arguments):
    if arguments.quick:
        vars(arguments).update(QUICK, times=QUICK_WORK)
    print(f"{tables.machine(arguments.jvm)}; work times {arguments.times:g}")
    for name, words in commands(arguments):
        compare(arguments, name, words)
