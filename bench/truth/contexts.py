"""How true receivers and branches by caller are, and what they cost: contexts=all beside profiles without callers and timers' stacks.

  bench/run truth contexts --jvm jdk17 --programs rhino,h2

The truth is what an oracle sees in a run with the same work. It walks the stack at one of so many executions of the sites (--one-of), at random,
and java-tests/oracle/contexts.py says what an error is. `by itself` is the error of half of what the oracle saw, judged by the other half: no profile
can be more right than that. Sites are the most frequent ones of those that do several things. `timers' stacks` are the usual way to learn of callers: each
pair of frames of a sampled stack is a call in its context. They show the class that has the method, so that is compared, and no branches.

Costs are what the agent measures: CPU time of taking stacks, in percent of the run's; the last column divides the improvement of targets
(percent of all calls) by it.
"""

import collections
import dataclasses
import re

from harness.profile import Profile, load_profile
from oracle import contexts
from oracle.asm_agent import AsmAgent
from runner import tables
from runner.running import run
from runner.workloads import BY_NAME, prepare

REPETITIONS = {"javac": 3, "lucene": 12, "jackson": 3000, "groovy": 300, "freemarker": 400, "h2": 300, "hsqldb": 600, "rhino": 800}
NOT_WATCHED = ("java.lang.", "jdk.internal.", "sun.")  # too deep in what the oracle itself uses
HEAD = ("program", "profile", "sites", "stacks", "wrong targets", "wrong branches", "entries", "file", "cost", "gain per cost")
QUICK = {"programs": ["rhino"], "times": 0.01}


def add_options(options):
    options.jvm()
    options.built("agent")
    options.names("--programs", REPETITIONS)
    options.value("--times", 1.0, "multiplies the work")
    options.value("--sites", 200, "how many at most")
    options.value("--one-of", 1009, "executions, the oracle sees one")


def most_frequent(profile, most):
    found = contexts.candidates(profile, "")
    weights = {position: sum(contexts.pooled(contexts.entries(profile, table)[position]).values())
               for position, table in found.items() if not position.startswith(NOT_WATCHED)}
    return {position: found[position] for position in sorted(weights, key=weights.get, reverse=True)[:int(most)]}


def from_stacks(profile):
    """Targets by caller of sampled stacks, as contexts.entries returns them."""
    found = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for frames, weight in profile.samples().items():
        for i in range(len(frames) - 1):
            target = frames[i].partition("(")[0].rpartition(".")[0]
            callers = tuple(caller for caller in frames[i + 2:i + 10] if contexts.is_named(caller))
            found[frames[i + 1]][callers][target] += weight
    return found


def timers_error(seen, said, positions):
    """Of targets, where the stacks' contexts are as deep as they are; a caller that no stack has is looked up with fewer callers."""
    error = contexts.Error(0, 0)
    for position, table in positions.items():
        if table == contexts.RECEIVERS and position in seen:
            error += contexts.error_at(seen[position], contexts.inclusive(said.get(position, {})))
    return error


@dataclasses.dataclass
class Row:
    profile: Profile
    bytes: int
    cpu_s: float
    stacks: int = 0
    spent_s: float = 0.0

    @property
    def cost(self):
        return 100 * self.spent_s / self.cpu_s


def compare(arguments, workload, table):
    folder = arguments.folder
    work = max(1, round(REPETITIONS[workload.name] * arguments.times))

    def recorded(name, options):
        path = folder / f"{workload.name}-{name}.iprof"
        made = run([arguments.jvm.java, f"-agentpath:{arguments.agent}=out={path},verbose=2,force=y,{options}",
                    *workload.command(folder, work)])
        row = Row(load_profile(path), path.stat().st_size, made.cpu_s)
        if taken := re.search(r"stacks for contexts: (\d+) taken in (\d+) us", made.output):
            row.stacks, row.spent_s = int(taken[1]), int(taken[2]) / 1e6
        return row
    exact = recorded("exact", "samples=n")
    sites = most_frequent(exact.profile, arguments.sites)
    oracle = AsmAgent(arguments.jvm, folder / f"oracle-{workload.name}", "ContextOracle")
    contexts.write_sites(exact.profile, sites, folder / "sites")
    output = folder / f"{workload.name}.seen"
    run([arguments.jvm.java, *oracle.options(output, folder / "sites", arguments.one_of), *workload.command(folder, work)])
    seen, of_methods = contexts.read(output), contexts.read(output, by_method=True)
    without = contexts.errors(seen, exact.profile, sites)

    def print_row(name, row, targets, branches=None):
        gain = f"{100 * (without[contexts.RECEIVERS].share - targets.share) / row.cost:.1f}" if row.cost else ""
        entries = sum(len(context) > 1 for key in (contexts.RECEIVERS, contexts.BRANCHES) for context in row.profile.table(key))
        table.row(workload.name, name, len(sites), row.stacks, f"{100 * targets.share:.2f} %", f"{100 * branches.share:.2f} %" if branches else "",
                  entries, f"{row.bytes / 1e6:.2f} MB", f"{row.cost:.2f} %", gain)
    print_row("without callers", exact, *without.values())
    print_row("by itself", exact, *contexts.errors_of(*contexts.halves(seen), sites).values())
    stacks = recorded("all", f"samples=n,contexts=all,weights={folder / f'{workload.name}-exact.iprof'}")
    print_row("contexts=all", stacks, *contexts.errors(seen, stacks.profile, sites).values())
    timers = recorded("timers", "calls=n,branches=n,receivers=n,monitors=n")
    timers.stacks, timers.spent_s = sum(timers.profile.samples().values()), timers.profile.section["sampling"]["handlerNs"] / 1e9
    print_row("timers' stacks", timers, timers_error(of_methods, from_stacks(timers.profile), sites))


def main(arguments):
    if arguments.quick:
        vars(arguments).update(QUICK)
    print(tables.machine(arguments.jvm))
    table = tables.Markdown(*HEAD)
    for workload in prepare([BY_NAME[name] for name in arguments.programs], arguments.jvm, arguments.folder):
        compare(arguments, workload, table)
