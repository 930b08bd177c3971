"""What sampling allocations costs, compared with async-profiler (its event alloc), on real programs, in interleaved runs in random order.

Each program runs without a profiler, with alloc=512k alone, and with async-profiler's alloc=512k. `CPU / none` is the CPU time of the whole
process, divided by that of the same round's run without a profiler: median (lowest–highest). `callbacks` is what our agent measures of its
own work, without the stop in which the JVM prepares a sample; `total` is what both say that the program allocated.
"""

import dataclasses
import math
import pathlib
import re
import tempfile

from harness.events import events_of, total
from harness.profile import load_profile
from iprofdev.messages import Unavailable
from runner import rounds, tables
from runner.figures import median, spread
from runner.running import run
from runner.workloads import BY_NAME, prepare
from sampling.handlers import async_profiler

# Runs of some tens of seconds of CPU time.
REPETITIONS = {"jackson": 800, "lucene": 12, "groovy": 150, "freemarker": 25, "javac": 2}
USUAL = ["jackson", "lucene"]
DISTANCE = "512k"
NONE, IPROF, ASYNC = "none", f"iprof alloc={DISTANCE}", f"async alloc={DISTANCE}"


def add_options(options):
    options.jvm("java")
    options.built("agent")
    options.names("--programs", REPETITIONS, among=USUAL)
    options.value("--rounds", 7, "of runs")
    options.value("--times", 1.0, "multiplies the work")
    options.seed()


@dataclasses.dataclass(frozen=True)
class Figures:
    """Of one run; NaN is what is not known."""

    cpu_s: float
    callbacks: float = math.nan  # % of the CPU time
    samples: float = math.nan
    total_mib: float = math.nan


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    agent: str = ""


def ways_of(arguments):
    ways = [Way(NONE), Way(IPROF, f"-agentpath:{arguments.agent}=out=x.iprof,verbose=2,alloc={DISTANCE},calls=n,branches=n,receivers=n,monitors=n,samples=n")]
    try:
        ways.append(Way(ASYNC, f"-agentpath:{async_profiler(arguments.folder)}=start,event=alloc,alloc={DISTANCE},total,collapsed,file=x.txt"))
    except Unavailable as why:
        print(f"skipped: {why}")
    return ways


def run_once(arguments, workload, way):
    """Raises Failed."""
    repetitions = workload.quick if arguments.quick else max(1, round(REPETITIONS[workload.name] * arguments.times))
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        here = pathlib.Path(name)
        made = run([arguments.jvm.java, *([way.agent] if way.agent else []), *workload.command(arguments.folder, repetitions, arguments.quick)],
                   cwd=here)
        if way.name == IPROF:
            rows = events_of(load_profile(here / "x.iprof")).allocations
            callbacks = int(re.search(r"not followed: \d+; CPU time: (\d+) us", made.output)[1])
            return Figures(made.cpu_s, callbacks / 1e4 / made.cpu_s, total(rows, "samples"), total(rows, "bytes") / (1 << 20))
        if way.name == ASYNC:
            lines = (here / "x.txt").read_text().splitlines()
            return Figures(made.cpu_s, total_mib=sum(int(line.rsplit(" ", 1)[1]) for line in lines) / (1 << 20))
        return Figures(made.cpu_s)


def main(arguments):
    workloads = prepare([BY_NAME[name] for name in arguments.programs], arguments.jvm, arguments.folder)
    ways, seed, failures, results = ways_of(arguments), rounds.new_seed(arguments.seed), {}, {}
    print(f"{tables.machine(arguments.jvm)}; seed {seed}")
    plan = rounds.order(workloads, ways, 1 if arguments.quick else arguments.rounds, seed)
    measured = {}

    def one(number, workload, way):
        return number, workload.name, way.name, run_once(arguments, workload, way)

    def keep(result):
        number, workload, way, figures = result
        measured[number, workload, way] = figures
        results.setdefault((workload, way), []).append(number)
    rounds.run(plan, one, keep, failures)
    rows = []
    for workload in workloads:
        for way in ways:
            made = [measured[number, workload.name, way.name] for number in results.get((workload.name, way.name), [])]
            ratios = [measured[number, workload.name, way.name].cpu_s / measured[number, workload.name, NONE].cpu_s
                      for number in results.get((workload.name, way.name), []) if (number, workload.name, NONE) in measured]
            cpu = f"{median(each.cpu_s for each in made):.1f} s" if way.name == NONE else spread(ratios, 3)
            rows.append([workload.name, way.name, cpu, spread([each.callbacks for each in made], 2),
                         f"{median(each.samples for each in made):.0f}", f"{median(each.total_mib for each in made):.0f} MiB"])
    print(*tables.aligned(["", "", "CPU / none", "callbacks, % of CPU", "samples", "total"], rows), sep="\n")
    return rounds.told(failures)
