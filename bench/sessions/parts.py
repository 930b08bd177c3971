"""The four measurements. Each yields rows (part, case, fork, figure, value); compared runs alternate in random order."""

import os
import pathlib
import random
import re
import shutil
import subprocess

from program import Failed, Program

WITHOUT, LOADED, STOPPED, PLAIN = "no agent", "start=n", "after stop", "plain agent"
NO_DUMP = "image=n"
SERIAL = ["-XX:+UseSerialGC", "-Xmx1g"]


class Bench:
    def __init__(self, java, agent, tool, folder, environment):
        self.java, self.tool, self.folder, self.environment = java, tool, folder, environment
        # A copy, as an installation makes it: the kernel keeps what a linker writes piece by piece in small pieces, which cost
        # more page faults.
        self.agent = pathlib.Path(shutil.copy(agent, folder))
        self.plain = agent.parent / "java-tests" / "libplain_agent.so"
        self.classes = folder / "classes"
        self.paths = {"Lambdas": [self.classes]}  # workload -> class path

    def agent_argument(self, options="start=n"):
        return f"-agentpath:{self.agent}={options},{NO_DUMP},out={self.folder / 'end.iprof'}"

    def program(self, jvm_arguments, path, *arguments):
        command = [self.java, *SERIAL, *jvm_arguments, "-cp", ":".join(map(str, path)), *arguments]
        return Program(command, self.environment, self.folder, self.tool)


def hello(bench, forks):
    """CPU time of a whole hello world."""
    def cpu_ms(arguments):
        command = [str(bench.java), *SERIAL, *arguments, "-cp", str(bench.classes), "overhead.Hello"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=bench.environment) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise Failed(f"hello world ended with {process.returncode}")
        return (usage.ru_utime + usage.ru_stime) * 1000
    ways = {WITHOUT: [], LOADED: [bench.agent_argument()]}
    for arguments in ways.values():
        cpu_ms(arguments)  # the files come into the page cache
    for fork in range(forks):
        for way in random.sample(list(ways), len(ways)):
            yield "hello world", way, fork, "CPU ms", cpu_ms(ways[way])


def steady(bench, forks, workload, repetitions):
    """CPU time of a repetition after a stop. -Xbatch: methods wait for the JIT compiler, so that all is compiled. The plain agent
    retransforms all classes twice and changes none: what HotSpot's swaps cost by themselves."""
    ways = [WITHOUT, STOPPED, *([PLAIN] if bench.plain.exists() else [])]
    for fork in range(forks):
        for way in random.sample(ways, len(ways)):
            arguments = ["-Xbatch", *([bench.agent_argument()] if way == STOPPED else [])]
            library = [bench.plain] if way == PLAIN else []
            with bench.program(arguments, bench.paths[workload], "overhead.Rounds", workload, *library) as program:
                def swap(verb):
                    if way == STOPPED:
                        program.command(verb)
                    elif way == PLAIN:
                        program.ask("retransform")
                program.ask(repetitions)
                swap("start")
                program.ask(repetitions)
                swap("stop")
                program.ask(repetitions)  # what was compiled with probes is compiled again
                values = [int(program.ask(repetitions).split()[0]) / 1000 for _ in range(3)]
                yield f"steady state, {workload}", way, fork, "CPU us", sorted(values)[1]


def many(bench, forks, count):
    """Start and stop of a program with many classes; the figures of the pauses are the agent's own."""
    for fork in range(forks):
        with bench.program([bench.agent_argument()], [bench.classes], "sessions.Many", count) as program:
            for verb in ("start", "stop"):
                yield from _swap(program, f"{count} classes", verb, fork, program.command(verb))
        with bench.program([], [bench.classes], "sessions.Many", count) as program:
            seconds = program.command("attach", f"{NO_DUMP},out={bench.folder / 'end.iprof'}")
            yield from _swap(program, f"{count} classes", "attach", fork, seconds)
            yield from _swap(program, f"{count} classes", "stop after attach", fork, program.command("stop"))


def _swap(program, part, way, fork, seconds):
    status = program.status()
    yield part, way, fork, "seconds", seconds
    yield part, way, fork, "pauses", status["swap_batches"]
    yield part, way, fork, "longest ms", status["swap_longest_pause_ms"]
    yield part, way, fork, "sum ms", status["swap_total_pause_ms"]
    yield part, way, fork, "beyond budget %", 100 * status["swap_pauses_beyond_budget"] / max(1, status["swap_batches"])
    yield part, way, fork, "classes counted", status["classes_counted"]


def memory(bench, forks, count):
    """Native memory that HotSpot itself commits, by its own tracking, and the whole process's memory."""
    jcmd = bench.java.parent / "jcmd"
    if not jcmd.exists():
        return
    part = f"memory, {count} classes"

    def figures(program, way, fork):
        shown = subprocess.run([jcmd, str(program.pid), "VM.native_memory", "summary"], capture_output=True, text=True, check=True).stdout
        for title, pattern in (("all", r"Total: "), ("Class", r"-\s+Class "), ("Metaspace", r"-\s+Metaspace "), ("Internal", r"-\s+Internal ")):
            found = re.search(pattern + r"\(?reserved=\d+KB, committed=(\d+)KB", shown)
            if found:
                yield part, way, fork, f"{title} KiB", int(found[1])
        with open(f"/proc/{program.pid}/status", encoding="ascii") as lines:
            resident = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
        yield part, way, fork, "RSS KiB", resident
    for fork in range(forks):
        for way in random.sample([WITHOUT, LOADED], 2):
            arguments = ["-XX:NativeMemoryTracking=summary", "-Xms256m", *([bench.agent_argument()] if way == LOADED else [])]
            with bench.program(arguments, [bench.classes], "sessions.Many", count) as program:
                yield from figures(program, way, fork)
                if way == LOADED:
                    program.command("start")
                    yield from figures(program, "after start", fork)
                    program.command("stop")
                    yield from figures(program, STOPPED, fork)
