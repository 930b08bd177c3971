"""What profiling costs: every workload with every configuration, in interleaved forks in random order.

Prints a table for each metric (CPU time of a repetition in steady state, CPU and wall time of the whole process, peak memory): medians of
the bare JVM, and for every configuration the ratio to it with the 95 % interval of a bootstrap; then a verdict for each target. --quick
runs the first workload once under every configuration, and all others once without an agent and under "all". What did not run is empty.

--over-time prints the cost over time instead, for each program, of about as much work as it does in that time without an agent. The programs run
in turns, a second each, and are stopped in between. A table has the cost in windows of CPU time and for the whole run, what the agent says that it
costs, the share of the CPU time that swapping classes took, how often they were swapped, and the longest pause of a swap. Without further options
it runs the real programs, once, under all, count-until and overhead=5%. "swaps alone" has no agent but one that changes no class, and swaps the
classes that overhead=5% swaps, at the same moments: what HotSpot itself takes for that.
"""

from overhead import configurations, over_time, report, targets
from overhead.forks import Forks
from runner import rounds, tables
from runner.results import Results
from runner.running import Failed
from runner.workloads import BY_NAME, REAL_ONES, WORKLOADS, prepare

FORKS, LIMIT_S = 7, 900


def add_options(options):
    options.jvm("java")
    options.built("agent")
    options.value("--forks", 0, f"of each pair; 0: {FORKS}, over time 1")
    options.seed()
    options.names("--workloads", BY_NAME)
    options.names("--configurations", configurations.NAMES, "besides 'none', ")
    options.value("--over-time", 0, "seconds: the cost over time; about the length of the run without an agent, between its stops")
    options.csv()


def quick_plan(plan):
    """The first workload with every configuration, all others only with and without the agent: takes less than a minute."""
    first = min((w for _, w, _ in plan), key=WORKLOADS.index)
    return [(number, w, way) for number, w, way in plan if w is first or way.name in (configurations.NONE, configurations.ALL)]


def ways_of(arguments, names):
    found = configurations.configurations(arguments.jvm, arguments.agent, arguments.folder)
    if not arguments.over_time:
        found = [way for way in found if not way.follows]
    wanted = {configurations.NONE, *names, *(way.follows for way in found if way.name in names)}
    return [way for way in found if way.name in wanted]


def prepared(arguments, workloads, names):
    """(workloads, configurations, the order of the runs); prints what cannot run."""
    seed = rounds.new_seed(arguments.seed)
    forks = 1 if arguments.quick else arguments.forks or (1 if arguments.over_time else FORKS)
    print(tables.machine(arguments.jvm) + f"\n{forks} forks each, seed {seed}", flush=True)
    ways = ways_of(arguments, names)
    ready = prepare([BY_NAME[name] for name in workloads], arguments.jvm, arguments.folder)
    print("".join(f"skipped: {way.name}: {way.skipped}\n" for way in ways if way.skipped), end="", flush=True)
    ways = [way for way in ways if not way.skipped]
    return ready, ways, rounds.order(ready, ways, forks, seed, lambda workload, way: way.only in ("", workload.kind))


def main(arguments):
    if arguments.over_time:
        if arguments.csv:
            raise Failed("there is no --csv of the cost over time")
        return run_over_time(arguments)
    workloads, ways, plan = prepared(arguments, arguments.workloads, arguments.configurations)
    plan = quick_plan(plan) if arguments.quick else plan
    results, forks = Results(path=arguments.csv), Forks(arguments.jvm.java, arguments.folder, arguments.quick, LIMIT_S)
    rounds.run(plan, forks.one, results.add, forks.failures)
    status = rounds.told(forks.failures)
    print("\n" + report.text(results, workloads, ways, {(w.name, way.name) for _, w, way in plan}))
    if not arguments.quick:
        print(*report.unsettled(results, workloads, ways), *targets.verdicts(results, workloads), sep="\n")
    return status


def run_over_time(arguments):
    def all_or(names, known, usual):
        return usual if list(names) == list(known) else names
    workloads, ways, plan = prepared(arguments, all_or(arguments.workloads, BY_NAME, REAL_ONES),
                                     all_or(arguments.configurations, configurations.NAMES, over_time.DEFAULT))
    forks = Forks(arguments.jvm.java, arguments.folder, arguments.quick, LIMIT_S + 3 * len(ways) * arguments.over_time)
    made = over_time.OverTime(forks, arguments.folder, arguments.over_time)
    made.run(plan)
    status = rounds.told(forks.failures)
    for workload in workloads:
        print("\n" + over_time.table(made, workload, ways))
    print()
    if not arguments.quick:
        print(*over_time.verdicts(made, workloads, ways), sep="\n")
    return status
