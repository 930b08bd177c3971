"""What a session costs: an agent that is loaded and does not record, and a start and a stop.

The parts are hello (a hello world with start=n), steady (the CPU time of a repetition after a stop, on Jackson and on a program that is
mostly lambdas; beside it, that after an agent has retransformed all classes twice and changed none) and many (start, stop and attach in a
program with 20,000 classes). For hello and steady, the ratio to the JVM without the agent must be at most 1.02. --quick leaves out Jackson.
"""

import collections
import json
import pathlib
import shutil
import time

from runner import figures, rounds, tables
from runner.program import Program
from runner.running import run, said_by
from runner.workloads import BY_NAME, compiled, prepare

HERE = pathlib.Path(__file__).resolve().parent
WITHOUT, LOADED, STOPPED, PLAIN = "no agent", "start=n", "after stop", "plain agent"
SERIAL = ["-XX:+UseSerialGC", "-Xmx1g"]
LIMIT = 1.02
REPETITIONS = {"Jackson": 400, "Lambdas": 2000}
QUICK = {"forks": 1, "hello_forks": 2, "classes": 300}
QUICK_REPETITIONS = 20


def add_options(options):
    options.jvm()
    options.built("agent", "tool")
    options.names("--parts", PARTS)
    options.forks(7)
    options.value("--hello-forks", 40, "of the part hello")
    options.value("--classes", 20000, "of the part many")


class Bench:
    def __init__(self, arguments):
        self.arguments, self.folder, self.jvm = arguments, arguments.folder, arguments.jvm
        # A copy, as an installation makes it: what a linker writes piece by piece costs more page faults.
        self.agent = pathlib.Path(shutil.copy(arguments.agent, self.folder))
        self.plain = arguments.build.resolve() / "java-tests" / "libplain_agent.so"
        self.no_dump = f"image=n,out={self.folder / 'end.iprof'}"
        self.loaded = f"-agentpath:{self.agent}=start=n,{self.no_dump}"
        ready = prepare([] if arguments.quick else [BY_NAME["jackson"]], self.jvm, self.folder)
        self.path = [self.folder / "classes", *(part for jackson in ready for part in (self.folder / "classes-jackson", *jackson.jars))]
        self.workloads = [name for name in REPETITIONS if name != "Jackson" or ready]
        compiled(self.jvm, self.folder / "classes", (HERE / "java").glob("[mr]*/*/*.java"))

    def command(self, jvm_arguments, *words):
        return [self.jvm.java, *SERIAL, *jvm_arguments, "-cp", ":".join(map(str, self.path)), *words]

    def program(self, *words):
        return Program(self.command(*words), self.folder)

    def tell(self, program, verb, *words):
        """Runs a command of the tool; returns how long it took, in seconds."""
        start = time.monotonic()
        said_by([self.arguments.tool, verb, program.pid, *words], cwd=self.folder)
        return time.monotonic() - start


def hello(bench):
    """CPU time of a whole hello world."""
    commands = {WITHOUT: bench.command([], "overhead.Hello"), LOADED: bench.command([bench.loaded], "overhead.Hello")}
    for command in commands.values():
        run(command)  # the files come into the page cache
    for fork, part, way in rounds.order(["hello world"], list(commands), bench.arguments.hello_forks):
        yield part, way, fork, "CPU ms", 1000 * run(commands[way]).cpu_s


def steady(bench):
    """CPU time of a repetition after a stop. -Xbatch: methods wait for the JIT compiler, so that all is compiled. The plain agent
    retransforms all classes twice and changes none: what HotSpot's swaps cost by themselves."""
    ways = [WITHOUT, STOPPED, *([PLAIN] if bench.plain.exists() else [])]
    for fork, workload, way in rounds.order(bench.workloads, ways, bench.arguments.forks):
        repetitions = QUICK_REPETITIONS if bench.arguments.quick else REPETITIONS[workload]
        with bench.program(["-Xbatch", *([bench.loaded] if way == STOPPED else [])], "overhead.Rounds", workload,
                           *([bench.plain] if way == PLAIN else [])) as program:
            for verb in ("start", "stop"):
                program.ask(repetitions)
                if way == STOPPED:
                    bench.tell(program, verb)
                elif way == PLAIN:
                    program.ask("retransform")
            program.ask(repetitions)  # what was compiled with probes is compiled again
            yield f"steady state, {workload}", way, fork, "CPU us", figures.median(
                int(program.ask(repetitions).split()[0]) / 1000 for _ in range(3))


def many(bench):
    """Start and stop of a program with many classes; the figures of the pauses are the agent's own."""
    count = bench.arguments.classes

    def swap(program, way, fork, *words):
        seconds = bench.tell(program, *words)
        status = json.loads(said_by([bench.arguments.tool, "status", program.pid, "--format", "json"]))["status"]
        for figure, value in (("seconds", seconds), ("pauses", status["swap_batches"]), ("longest ms", status["swap_longest_pause_ms"]),
                              ("sum ms", status["swap_total_pause_ms"]),
                              ("beyond budget %", 100 * status["swap_pauses_beyond_budget"] / max(1, status["swap_batches"])),
                              ("classes counted", status["classes_counted"])):
            yield f"{count} classes", way, fork, figure, value
    for fork in range(bench.arguments.forks):
        with bench.program([bench.loaded], "sessions.Many", count) as program:
            for verb in ("start", "stop"):
                yield from swap(program, verb, fork, verb)
        with bench.program([], "sessions.Many", count) as program:
            yield from swap(program, "attach", fork, "attach", bench.no_dump)
            yield from swap(program, "stop after attach", fork, "stop")


PARTS = {"hello": hello, "steady": steady, "many": many}


def report(found, judges):
    """Prints the table; returns whether all ratios are within the limit, if it `judges` them."""
    by_case = collections.defaultdict(dict)  # (part, figure, case) -> {fork: value}
    for part, case, fork, figure, value in found:
        by_case[part, figure, case][fork] = value
    well, rows = True, []
    for (part, figure, case), values in sorted(by_case.items()):
        compared, base = "", by_case.get((part, figure, WITHOUT))
        if base and case != WITHOUT:
            ratio = figures.ratio([(values[fork], base[fork]) for fork in values if fork in base])
            compared = f"{ratio.value:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
            if judges and case != PLAIN:
                compared += f" {'met' if ratio.value <= LIMIT else 'MISSED'} (at most {LIMIT})"
                well &= ratio.value <= LIMIT
        rows.append([part, case, figure, figures.spread(list(values.values())), compared])
    print(*tables.aligned(["part", "case", "figure", "median (least–most)", "ratio to no agent"], rows), sep="\n")
    return well


def main(arguments):
    if arguments.quick:
        vars(arguments).update(QUICK)
    bench = Bench(arguments)
    print(tables.machine(arguments.jvm), flush=True)
    found = [row for part in arguments.parts for row in PARTS[part](bench)]
    return 0 if report(found, judges=not arguments.quick) else 1
