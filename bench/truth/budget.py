"""How true profiles are whose methods lose their probes, and what they cost.

  bench/run truth budget --jvm jdk25 --programs flip,jackson
  bench/run truth budget --configurations 'until=1e5;overhead=5%' --times 5

Each program runs once with the agent's exact counts, which are the truth, and once in each configuration: count-until=N for N = 1e4, 1e5 and
1e6, with and without rearming; overhead=5%; and HotSpot's own counters (methoddata). The phased programs (java/Phased.java) do one thing for
a while and then another; `classes` (sessions.Many) has 3,000 hot classes to swap. The work is fixed.

A row has: the overlap of calls, of branch weights and of receivers with the truth, and all calls in percent of the true ones, because an
overlap compares shares only; what `iprof overlap --decisions` says: weight of methods that are hot only in the truth and only in the profile,
of branches that are inverted, and of calls that would be dispatched to other classes; the CPU time of the whole process, divided by that of
a run without an agent; methods without probes at the end, and the longest pause.
"""

import pathlib
import re

from runner import tables
from runner.overlap import BRANCHES, CALLS, RECEIVERS, overlap
from runner.running import run
from runner.workloads import BENCH, BY_NAME, compiled, prepare

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
HEAD = ("configuration", "calls", "branches", "receivers", "all calls", "hot only in truth", "hot only here", "inverted", "other classes", "CPU",
        "frozen", "longest pause")
QUICK = {"programs": ["flip"], "configurations": ["until=1e4"]}
QUICK_WORK = 0.001


def add_options(options):
    options.jvm()
    options.built("agent", "tool")
    options.names("--programs", [*PHASED, *MANY, *REPETITIONS])
    options.names("--configurations", CONFIGURATIONS, separator=";")
    options.value("--times", 1.0, "multiplies the work")


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
    exact, profile = arguments.folder / "exact.iprof", arguments.folder / "x.iprof"
    without = run([arguments.jvm.java, *words]).cpu_s
    truth = recorded("force=y", exact)
    print(f"\n{name}: {without:.1f} s of CPU without an agent\n", flush=True)
    table = tables.Markdown(*HEAD)
    table.row("exact", *[""] * 8, f"{truth.cpu_s / without:.2f}", "", "")
    for configuration in arguments.configurations:
        made = recorded(CONFIGURATIONS[configuration], profile)
        of = overlap(arguments.tool, exact, profile)
        frozen = re.search(r"without probes: (\d+) methods.*longest (\d+) ms", made.output)
        table.row(configuration, *(f"{of.tables[name]:.2f}" for name in (CALLS, BRANCHES, RECEIVERS)), f"{of.all_calls:.1f}",
                  *(f"{share:.3f}" for share in (of.hot_missed, of.hot_extra, of.inverted, of.other_classes)), f"{made.cpu_s / without:.2f}",
                  *((frozen[1], f"{frozen[2]} ms") if frozen else ("", "")))


def main(arguments):
    if arguments.quick:
        vars(arguments).update(QUICK, times=QUICK_WORK)
    print(f"{tables.machine(arguments.jvm)}; work times {arguments.times:g}")
    for name, words in commands(arguments):
        compare(arguments, name, words)
