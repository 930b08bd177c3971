"""How many increments each placement of counters executes. No time is measured, so a busy machine does not matter.

The columns are ratios to the optimum, which knows each edge's true count: `guesses` knows nothing, `shipped` is what the agent does without
options, `earlier` and `harvested` have weights= with the exact or harvested profile of a run with a quarter of the work, and `direct` counts
everything. `calls` is the share of calls in methods whose class files are known.

Each program runs once to keep the class files that it loads, once with an agent that counts every edge, and the measured ones twice for
earlier profiles. The programs `learned`, those of scripts/soak, are for the shipped weights, so that no published figure is about a program
that was learned from. Recordings are kept in --recordings/JVM; what is there is not recorded again.
"""

import json
import pathlib
import shutil
import statistics
import zipfile

from iprofdev import maven
from iprofdev.messages import Unavailable, note
from runner import tables
from runner.running import Failed, own_program, run, said_by
from runner.workloads import BY_NAME, compiled, prepare
from soak.real_programs import FILES, PROGRAMS

HERE = pathlib.Path(__file__).resolve().parent
# How often the work is repeated. Earlier profiles are of shorter runs.
REPETITIONS = {"javac": 2, "lucene": 8, "jackson": 500, "groovy": 100, "web": 20}
# Not Groovy, which is measured, and not Felix, which only starts.
LEARNED = {program.name: program for program in PROGRAMS if program.name not in ("groovy", "felix")}
GROUPS = {"measured": list(REPETITIONS), "learned": list(LEARNED)}
# A shorter run whose profile is used as weights=, as users make it.
EARLIER = {"earlier": "samples=n", "harvested": "source=methoddata,samples=n"}
COLUMNS = ("guesses", "shipped", "earlier", "harvested", "optimum", "direct")
EXACT = "selfcheck=y,image=n,receivers=n,monitors=n,samples=n,verbose=1"


def add_options(options):
    options.jvm()
    options.built("agent")
    options.names("--programs", [*GROUPS, *REPETITIONS, *LEARNED], default="measured")
    options.file("--recordings", "default: increments in the build's folder; with --quick, they are not kept")
    options.flag("--record-only", "prints no table")


class Recorder:
    def __init__(self, arguments, names, target):
        self._java, self._agent, self._target, self._folder = arguments.jvm.java, arguments.agent, target, arguments.folder
        self._quick = arguments.quick
        self._dumper = self._folder / "DumpClasses.jar"
        classes = compiled(arguments.jvm, self._folder / "dumper", [HERE / "java" / "DumpClasses.java"])
        with zipfile.ZipFile(self._dumper, "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Premain-Class: DumpClasses\n")
            for file in classes.glob("*.class"):
                jar.write(file, file.name)
        ready = prepare([BY_NAME[name] for name in names if name in REPETITIONS], arguments.jvm, self._folder)
        self._ready = {workload.name: workload for workload in ready}

    def record(self, name):
        """Raises Failed, Unavailable, or KeyError for a workload that this JVM cannot run; then there is no recording."""
        into, command = self._target / name, self._learned(LEARNED[name]) if name in LEARNED else self._measured(name, 1)
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        try:
            self._run(f"-javaagent:{self._dumper}={into / 'classes'}", command)
            self._run(f"-agentpath:{self._agent}=out={into / 'exact.iprof'},log={into / 'log'},{EXACT}", command)
            for kind, options in EARLIER.items() if name in REPETITIONS else ():
                self._run(f"-agentpath:{self._agent}=out={into / kind}.iprof,{options}", self._measured(name, 4))
        except Failed:
            shutil.rmtree(into)
            raise
        print(f"{name}: recorded", flush=True)

    def _run(self, option, command):
        run([self._java, option, *command], cwd=self._folder)

    def _measured(self, name, divided_by):
        return self._ready[name].command(self._folder, 1 if self._quick else max(1, REPETITIONS[name] // divided_by))

    def _learned(self, program):
        work = self._folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        words = [*program.jvm_arguments, "-cp", maven.class_path(program.pins), program.main, *program.arguments]
        return [word.format(files=FILES, work=work) for word in words]


def report(programs):
    """Each has its increments by placement."""
    def cell(some, column):
        ratios = [one[column] / one["optimum"] for one in some if column in one]
        return f"{statistics.mean(ratios):.3f}" if ratios else "-"
    rows = [[one["program"], f"{one['optimum']:.0f}", f"{one['calls']:.1%}", *(cell([one], column) for column in COLUMNS)] for one in programs]
    rows.append(["mean", "", "", *(cell(programs, column) for column in COLUMNS)])
    print(*tables.aligned(["program", "optimum", "calls", *COLUMNS], rows), sep="\n")


def main(arguments):
    names = [name for word in arguments.programs for name in GROUPS.get(word, [word])]
    target = (arguments.folder if arguments.quick else arguments.recordings or arguments.build / "increments").resolve() / arguments.jvm.id

    def is_there(name):
        return (target / name / "exact.iprof").exists()
    missing = [name for name in names if not is_there(name)]
    recorder = Recorder(arguments, missing, target) if missing else None
    for name in missing:
        try:
            recorder.record(name)
        except (Failed, Unavailable, KeyError) as why:
            note(f"{name}: not recorded ({why})")
    if arguments.record_only:
        return
    recorded = [target / name for name in names if is_there(name)]
    if not recorded:
        raise Failed("nothing is recorded")
    report(list(map(json.loads, said_by([own_program(arguments.build, "increments_bench"), *recorded]).splitlines())))
