"""The programs that are harvested: the real workloads, Eclipse's compiler, four others and one with megamorphic calls, held at their end or
not."""

import pathlib

from runner import rounds
from runner.figures import spread
from runner.running import run
from runner.workloads import REAL, WORKLOADS, Workload, compiled, prepare

JAVA = pathlib.Path(__file__).resolve().parent / "java"
ECJ = Workload("ecj", REAL, 1, 2, libraries=("ecj",), needs_sources=True)  # where a JVM has no javac
SAXON = Workload("saxon", REAL, 1, 300, needs_modules=("java.xml", "java.sql"), libraries=("saxon", "xmlresolver"))
# No rule of the estimator was made for these: only if they are named, as `megamorphic`, which is no real program.
OTHERS = {"rhino": 60, "saxon": 300, "h2": 100, "hsqldb": 150, "derby": 60, "freemarker": 100, "megamorphic": 200}
USUAL = {"javac": 2, "ecj": 2, "lucene": 8, "jackson": 500, "groovy": 100, "web": 20}
REPETITIONS = USUAL | OTHERS
PROGRAMS = {workload.name: workload for workload in (*WORKLOADS, ECJ, SAXON) if workload.name in REPETITIONS}


def add_options(options, programs=()):
    """programs: the usual ones."""
    options.jvms()
    options.built("tool")
    options.names("--programs", REPETITIONS, among=programs or list(USUAL))
    options.value("--times", 1, "multiplies the work")


def prepared(arguments):
    """(JVM, workload, function (main class) -> the command without the JVM's options) of all that can run. Of javac and ecj, a JVM runs
    only the one that it has, the other one's substitute."""
    for jvm in arguments.jvms:
        folder = arguments.folder / jvm.id
        folder.mkdir()
        unusual = {"javac" if jvm.kind == "jre" else "ecj"} if {"javac", "ecj"} <= set(arguments.programs) else set()
        names = ["jackson"] if arguments.quick else [name for name in arguments.programs if name not in unusual]
        ready = prepare([PROGRAMS[name] for name in names], jvm, folder)
        compiled(jvm, folder / "held", [JAVA / "Held.java"], [folder / "classes"])
        for workload in ready:
            yield jvm, workload, words_of(workload, folder, 1 if arguments.quick else REPETITIONS[workload.name] * arguments.times)


def words_of(workload, folder, repetitions):
    words = [str(word) for word in workload.command(folder, repetitions)]
    at = words.index("overhead.Main")
    return lambda main="overhead.Main": [*words[:at - 1], f"{words[at - 1]}:{folder / 'held'}", main, *words[at + 1:]]


class Pairs:
    """Runs of a program to its end, without and with something that is done to it while it runs, in turns."""

    def __init__(self, command, pairs, beside):
        self.plain, self.touched = [], []  # CPU seconds, pair by pair
        for _, ways in rounds.alternating([(self.plain, None), (self.touched, beside)], pairs):
            for times, done in ways:
                times.append(run(command, beside=done).cpu_s)

    def compared(self, by, digits):
        """Touched by plain, and as noise one plain run by the next one; by: (a, b) -> their difference or ratio."""
        noise = list(map(by, self.plain, self.plain[1:])) or [by(self.plain[0], self.plain[0])]
        return spread(list(map(by, self.touched, self.plain)), digits), spread(noise, digits)
