"""What attaching to a busy server costs: its pauses, and whether the counts are right.

Starts a web shop on Spring Boot and Hibernate (java/shop, about 13,700 loaded classes) that sends requests to itself, and attaches to it.
Every round has two runs, in random order. In one, the iprof agent is attached. In the other, a Java agent repeatedly retransforms a single
class, which is the minimum for any agent that attaches. It prints the program's pauses during that time, from -Xlog:safepoint: their number,
their sum, and the median and longest of those that redefine classes.

After the attach, the shop continues. It counts how often objects of its class Offer are created and read. The agent's counts of the
constructor and of both getters must be between the shop's counts since the attach and since its start. "ratio" is that of constructor to
getter, as counted by the agent and by the shop.

The target is pauses of at most 10 s in sum, and of at most 100 ms each or 1.5 times the median of a single class, on two idle cores. The
exit status is 1 if a count is wrong or a run failed.
"""

import json
import pathlib
import re
import time

from iprofdev import maven, pins, processes
from runner import figures, rounds, tables
from runner.program import Program
from runner.running import Failed, agent_jar, said_by
from runner.workloads import compiler

HERE = pathlib.Path(__file__).resolve().parent
PAUSE = re.compile(r'Safepoint "(\w+)".* At safepoint: (\d+) ns.* Total: (\d+) ns')
LIBRARIES = "shop-"  # the prefix of their pins
ONE_CLASS, AGENT = "one class", "agent"
SINGLES = 20
AFTERWARDS_S = 10
TARGET_SUM_MS, TARGET_LONGEST_MS, TARGET_RATIO = 10_000, 100, 1.5
OFFER = "shop.Offer."
# Method -> the number of the shop that it should equal.
COUNTED = {f"{OFFER}<init>": 0, f"{OFFER}getName": 1, f"{OFFER}getPrice": 2, "shop.Catalogue.lambda$offers$0": 0}


def add_options(options):
    options.jvms(lambda jvm: jvm.tool("jcmd"))
    options.built("agent", "tool")
    options.value("--rounds", 3, "of a run of each kind")
    options.value("--threads", 2, "that send requests")
    options.value("--options", "", "more options for the agent")


class Shop(Program):
    """Answers "counts" with the numbers of Offers made, names read, prices read, and answers."""

    def __init__(self, jvm, arguments, jars):
        self._jvm, self._log = jvm, arguments.folder / "safepoints"
        self._log.unlink(missing_ok=True)
        super().__init__([jvm.java, f"-Xlog:safepoint=info:file={self._log}", "-cp", ":".join([str(arguments.folder / "shop"), *map(str, jars)]),
                          "shop.Shop", arguments.threads], arguments.folder)
        self.classes = int(self.ready.split()[1])

    def counts(self, command="counts"):
        return [int(word) for word in self.ask(command).split()[1:]]

    def load(self, library, options):
        """(the (operation, milliseconds) of each pause in that time, how long jcmd took in seconds)"""
        start, before = time.monotonic(), len(self._pauses())
        done = processes.run([self._jvm.tool("jcmd"), self.pid, "JVMTI.agent_load", library, f'"{options}"'])
        if "return code: 0" not in done.stdout and "successfully" not in done.stdout:
            raise Failed(f"jcmd: {done.stdout}{done.stderr}")
        return self._pauses()[before:], time.monotonic() - start

    def _pauses(self):
        return [(m[1], int(m[3]) / 1e6) for m in PAUSE.finditer(self._log.read_text())]

    def stop(self):
        counts = self.counts("stop")
        self.end()
        return counts


def attached(shop, arguments):
    """Attaches the agent; (what load() returns, whether the counts are right)."""
    profile = arguments.folder / "shop.iprof"
    profile.unlink(missing_ok=True)
    first = shop.counts()
    loaded = shop.load(arguments.agent, ",".join(filter(None, [f"out={profile}", "verbose=2", arguments.options])))
    then = shop.counts()
    time.sleep(AFTERWARDS_S)
    last = shop.stop()
    if not profile.exists():
        raise Failed("there is no profile:\n" + "\n".join(shop.said()[-40:]))
    shown = json.loads(said_by([arguments.tool, "show", profile, "--format", "json", "--method", "shop.*"]))
    calls = {found["method"].partition("(")[0]: found["calls"] for found in shown["methods"]}
    made, read = (calls.get(f"{OFFER}{name}", 0) for name in ("<init>", "getName"))
    since = [b - a for a, b in zip(then, last)]
    print(f"  {shop.classes} classes; answers in a second {(then[3] - first[3]) / loaded[1]:.0f} during the attach, "
          f"{since[3] / AFTERWARDS_S:.0f} after it; ratio {made / max(read, 1):.3f}, by the shop {since[0] / max(since[1], 1):.3f}")
    wrong = [f"WRONG: {method} has {calls.get(method, 0)} calls, but the shop made {since[number]} to {last[number] - first[number]}"
             for method, number in COUNTED.items() if not since[number] <= calls.get(method, 0) <= last[number] - first[number]]
    told = [line.removeprefix("iprofagent: ") for line in shop.said()
            if re.search(r"loaded before counting|left alone|memory ran out|refused", line)]
    print("".join(f"  {line}\n" for line in wrong + told), end="")
    return loaded, not wrong


def redefinitions(pauses):
    return [ms for operation, ms in pauses if operation == "RedefineClasses"]


def measure(jvm, arguments, jars, single):
    """Prints the results; returns whether all counts were right."""
    runs, right = {ONE_CLASS: [], AGENT: []}, True
    print(tables.machine(jvm), flush=True)
    for _, _, kind in rounds.order([jvm], list(runs), arguments.rounds):
        with Shop(jvm, arguments, jars) as shop:
            if kind == ONE_CLASS:
                loaded = shop.load(single, SINGLES)
                shop.stop()
            else:
                loaded, well = attached(shop, arguments)
                right &= well
        runs[kind].append(loaded)
    redefining = {kind: [ms for pauses, _ in loads for ms in redefinitions(pauses)] for kind, loads in runs.items()}
    for kind, loads in runs.items():
        for pauses, seconds in loads:
            own = redefinitions(pauses)
            print(f"  {kind:<14} {len(pauses):>4} pauses, {sum(ms for _, ms in pauses):>7.0f} ms in all in {seconds:>5.1f} s; "
                  f"redefinitions: {len(own):>4}, median {figures.median(own):>5.0f} ms, longest {max(own):>5.0f} ms")
    most = max(sum(ms for _, ms in pauses) for pauses, _ in runs[AGENT])
    print(f"  on two quiet cores, ms: sum {figures.judged(most, TARGET_SUM_MS)}; longest "
          + figures.judged(max(redefining[AGENT]), max(TARGET_LONGEST_MS, TARGET_RATIO * figures.median(redefining[ONE_CLASS]))), flush=True)
    return right


def main(arguments):
    folder = arguments.folder
    jars = maven.jars([name for name in pins.all_pins() if name.startswith(LIBRARIES)])
    javac = compiler(arguments.jvms[0])
    said_by([javac, "--release", "17", "-g", "-parameters", "-d", folder / "shop", "-cp", ":".join(map(str, jars)),
             *(HERE / "java" / "shop").glob("*.java")])
    single = agent_jar(javac, HERE / "java" / "OneClass.java", "OneClass", folder, "Agent-Class")
    if arguments.quick:
        arguments.rounds = 1
    return 0 if all([measure(jvm, arguments, jars, single) for jvm in arguments.jvms]) else 1
