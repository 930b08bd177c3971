"""The samples of interval=auto and of fixed intervals, on the real programs: what they cost, and how alike they are.

Each program runs with samples only. `signals` are those that gave a stack, `samples` those in the profile, `handlers` their share of CPU time,
and `overlap` is that of the shares of methods (innermost frames) with those of the first run at 1 ms. The second run at 1 ms shows how much
chance alone takes away.
"""

import collections

from harness.profile import load_profile
from runner import tables
from runner.running import run
from runner.workloads import BY_NAME, prepare

# Runs of some tens of seconds of CPU time.
REPETITIONS = {"javac": 2, "lucene": 8, "jackson": 800, "groovy": 150, "web": 20, "freemarker": 25}
INTERVALS = (("1ms", "1 ms"), ("1ms", "1 ms again"), ("10ms", "10 ms"), ("auto", "auto"))
ONLY_SAMPLES = "calls=n,branches=n,receivers=n,monitors=n"


def add_options(options):
    options.jvm("java")
    options.built("agent")
    options.names("--programs", REPETITIONS)
    options.value("--times", 1.0, "multiplies the work")


def run_once(arguments, workload, interval):
    """The profile. Raises Failed."""
    repetitions = workload.quick if arguments.quick else max(1, round(REPETITIONS[workload.name] * arguments.times))
    profile = arguments.folder / "x.iprof"
    profile.unlink(missing_ok=True)
    agent = f"-agentpath:{arguments.agent}=out={profile},{ONLY_SAMPLES},interval={interval}"
    run([arguments.jvm.java, agent, *workload.command(arguments.folder, repetitions)], cwd=arguments.folder)
    return load_profile(profile)


def flat(profile):
    """The share of each method, by the innermost frame."""
    weights = collections.Counter()
    for (innermost, *_), weight in profile.table("samplingProfiles").items():
        weights[innermost.rpartition(":")[0]] += weight
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}


def cells(profile, reference):
    found, shares = profile.section["sampling"], flat(profile)
    stacks = sum(found["outcomes"].get(name, (0, 0))[0] for name in ("good", "recovered"))
    alike = sum(min(share, reference.get(name, 0)) for name, share in shares.items())
    return (f"{found['watchedCpuNs'] / 1e9:.1f} s", f"{stacks:,}", f"{found['writtenWeight']:,}", f"{found['intervalNs'] / 1e6:.2f} ms",
            f"{100 * found['handlerNs'] / found['watchedCpuNs']:.2f} %", f"{100 * alike:.1f} %")


def main(arguments):
    print(f"{tables.machine(arguments.jvm)}\n")
    programs = ["jackson"] if arguments.quick else arguments.programs
    ready = prepare([BY_NAME[name] for name in programs], arguments.jvm, arguments.folder)
    table = tables.Markdown("program", "interval", "CPU time", "signals", "samples", "one stands for", "handlers", "overlap")
    for workload in ready:
        reference = None
        for interval, title in INTERVALS:
            profile = run_once(arguments, workload, interval)
            reference = reference or flat(profile)
            table.row(workload.name, title, *cells(profile, reference))
