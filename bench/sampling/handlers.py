"""What sampling costs, compared with async-profiler (its ctimer event), in interleaved runs in random order.

One thread does a fixed amount of work with stacks of 20, 100 and 500 frames: without a profiler, with only DebugNonSafepoints (which both
profilers switch on), and with each profiler at 10 ms and at 1 ms. Each figure is the median of the rounds, with the lowest and the highest.
The same clock measures the CPU time of both profilers' handlers (handler_clock.cc); the kernel's time for delivering signals shows only in
the CPU time of the whole process. A kernel that ticks every 4 ms sends at most 250 signals per second to a thread, at any interval.
"""

import dataclasses
import json
import math
import pathlib
import platform
import re
import tempfile
import zipfile

from iprofdev import maven, processes
from iprofdev.messages import Unavailable
from runner import rounds, tables
from runner.figures import median, spread
from runner.running import Failed, own_program, run
from runner.workloads import compiled
from sampling.intervals import ONLY_SAMPLES

HERE = pathlib.Path(__file__).resolve().parent
ASYNC_LIBRARY = {"x86_64": "linux-x64/libasyncProfiler.so", "aarch64": "linux-arm64/libasyncProfiler.so"}
DEPTHS = (20, 100, 500)
INTERVALS = ("10ms", "1ms")
NONE = "none"
QUICK_WORK = 60


def add_options(options):
    options.jvm("java")
    options.built("agent")
    options.value("--rounds", 9, "of runs")
    options.value("--work", 4000, "millions of steps")
    options.seed()


@dataclasses.dataclass(frozen=True)
class Figures:
    """Of one run; NaN is what a run without a profiler does not have."""

    user_s: float
    handlers: float  # % of the CPU time
    us_a_signal: float
    signals: int
    samples: int
    failed: float  # %


def share(part, whole):
    return part / whole if whole else math.nan


@dataclasses.dataclass(frozen=True)
class Way:
    name: str
    jvm_args: tuple = ()
    samples: object = None  # folder -> (samples with a stack, failed ones); None: no profiler


def iprof_samples(folder):
    found = json.loads((folder / "x.iprof").read_text())["iprofagent"]["sampling"]
    return found["good"] + found["recovered"], found["failed"]


def async_samples(folder):
    """It writes names of failures in square brackets instead of frames."""
    counts = {True: 0, False: 0}
    for line in (folder / "x.txt").read_text().splitlines():
        stack, count = line.rsplit(" ", 1)
        fails = re.search(r"\[(unknown|not_walkable|break|deoptimization|skipped|safepoint|GC_active)[A-Za-z_]*\]", stack)
        counts[bool(fails)] += int(count)
    return counts[False], counts[True]


def async_profiler(folder):
    """The unpacked library. Raises Unavailable."""
    member = ASYNC_LIBRARY.get(platform.machine())
    if member is None:
        raise Unavailable(f"async-profiler has no library for {platform.machine()}")
    with zipfile.ZipFile(maven.jar("async-profiler")) as archive:
        return archive.extract(member, folder)


def ways_of(arguments):
    ways = [Way(NONE), Way("DebugNonSafepoints", ("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"))]
    ways += [Way(f"iprof {i}", (f"-agentpath:{arguments.agent}=out=x.iprof,{ONLY_SAMPLES},interval={i}",), iprof_samples) for i in INTERVALS]
    try:
        library = async_profiler(arguments.folder)
        ways += [Way(f"async {i}", (f"-agentpath:{library}=start,event=ctimer,interval={i},file=x.txt,collapsed",), async_samples) for i in INTERVALS]
    except Unavailable as why:
        print(f"skipped: {why}")
    return ways


def run_once(arguments, way, depth):
    """(checksum, Figures) of one run in its own folder. Raises Failed."""
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        here = pathlib.Path(name)
        clock = {"LD_PRELOAD": str(own_program(arguments.build, "libhandler_clock.so")), "IPROF_HANDLER_CLOCK": str(here / "clock.txt")}
        made = run([arguments.jvm.java, *way.jvm_args, "-XX:+UseSerialGC", "-cp", arguments.folder / "classes", "deep.Deep", depth,
                    QUICK_WORK if arguments.quick else arguments.work], processes.java_environment(clock), cwd=here)
        signals, nanoseconds = map(int, (here / "clock.txt").read_text().split())
        samples, failed = way.samples(here) if way.samples else (0, 0)
        return re.search(r"checksum=(-?\d+)", made.output)[1], Figures(
            made.user_s, nanoseconds / 1e7 / made.cpu_s, share(nanoseconds / 1e3, signals), signals, samples, share(100 * failed, samples + failed))


def report(results, ways, depth):
    """Ratios of the rounds, because a machine's speed changes over hours rather than seconds."""
    print(f"\n{depth} frames: median (lowest–highest) of the rounds")
    rows, base = [], results[depth, NONE]
    for way in ways:
        runs = results[depth, way.name]
        of = {field.name: [getattr(made, field.name) for made in runs] for field in dataclasses.fields(Figures)}
        user = spread([made.user_s / other.user_s for made, other in zip(runs, base)], 3)
        rows.append([way.name, f"{median(of['user_s']):.2f} s" if way.name == NONE else user, *(
            (spread(of["handlers"], 3), spread(of["us_a_signal"], 2), f"{median(of['signals']):.0f}", f"{median(of['samples']):.0f}",
             f"{median(of['failed']):.2f}%") if way.samples else [""] * 5)])
    print(*tables.aligned(["", "user CPU / none", "handlers, % of CPU", "us a signal", "signals", "samples", "failed"], rows), sep="\n")


def report_slopes(results, ways):
    """Cost by depth: a straight line through the shallowest and the deepest stacks."""
    print("\nus a signal = fixed + per frame x frames, from the least and the most frames")
    for way in filter(lambda way: way.samples, ways):
        low, high = (median(made.us_a_signal for made in results[depth, way.name]) for depth in (DEPTHS[0], DEPTHS[-1]))
        slope = (high - low) / (DEPTHS[-1] - DEPTHS[0])
        print(f"{way.name:20}{low - slope * DEPTHS[0]:8.2f} + {slope:.4f} x frames")


def main(arguments):
    compiled(arguments.jvm, arguments.folder / "classes", [HERE / "java" / "deep" / "Deep.java"])
    ways, seed = ways_of(arguments), rounds.new_seed(arguments.seed)
    print(f"{tables.machine(arguments.jvm)}; seed {seed}")
    results, checksums = {}, {}
    for _, depth, way in rounds.order(DEPTHS, ways, 1 if arguments.quick else arguments.rounds, seed):
        checksum, made = run_once(arguments, way, depth)
        results.setdefault((depth, way.name), []).append(made)
        if checksums.setdefault(depth, checksum) != checksum:
            raise Failed(f"another result under {way.name}")
    for depth in DEPTHS:
        report(results, ways, depth)
    report_slopes(results, ways)
