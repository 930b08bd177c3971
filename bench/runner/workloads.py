"""The workloads: programs with fixed work, so that whole processes can be compared; compiled, with their libraries and the sources that
they work on.

A real program runs twice in each fork of the benchmark of the overhead: once as a user runs it, for the whole process, and once with more
repetitions and -Xbatch, for the steady state: methods wait for the JIT compiler, so everything is compiled after a few repetitions.

To add one: a row in WORKLOADS and a class in overhead/java/overhead (its name in Main), or, if it is compiled against libraries, in
overhead/java/NAME/overhead with the workload's name.
"""

import dataclasses
import pathlib
import shutil
import zipfile

from iprofdev import maven
from iprofdev.messages import Unavailable
from runner.running import said_by

BENCH = pathlib.Path(__file__).resolve().parent.parent
JAVA = BENCH / "overhead" / "java"
MICRO, REAL, START = "micro loops", "real programs", "start-up"


@dataclasses.dataclass
class Workload:
    name: str
    kind: str
    quick: int  # repetitions with --quick
    full: int  # for the steady state
    process: int = 0  # for the whole process, if that is a separate run
    needs_modules: tuple = ("java.base",)  # of the JVM
    libraries: tuple = ()  # names in scripts/pins
    needs_sources: bool = False  # works on the sources of commons-lang3
    jvm_args: tuple = ()
    quick_jvm_args: tuple = ()
    jars: list = dataclasses.field(default_factory=list)  # of the libraries, once they are fetched

    @property
    def steady(self):
        return self.kind != START

    def command(self, folder, repetitions, quick=False, output=None):
        """Arguments after the JVM options; folder is that of prepare(), `output` another one that the program may write to."""
        path = ":".join(str(p) for p in (folder / "classes", *([folder / f"classes-{self.name}"] if self.jars else []), *self.jars))
        if not self.steady:
            return ["-cp", path, "overhead.Hello"]
        return [*self.jvm_args, *(self.quick_jvm_args if quick else ()), f"-Doverhead.sources={folder / 'sources'}",
                f"-Doverhead.output={output or folder / 'output'}", "-cp", path, "overhead.Main", self.name, repetitions]


WORKLOADS = [
    Workload("fib", MICRO, 2, 150),
    Workload("parse", MICRO, 2, 1500),
    Workload("megamorphic", MICRO, 2, 200),
    Workload("exceptions", MICRO, 2, 12000),
    Workload("javac", REAL, 1, 16, 1, needs_modules=("jdk.compiler",), needs_sources=True, quick_jvm_args=("-Doverhead.files=2",)),
    Workload("lucene", REAL, 1, 40, 8, libraries=("lucene-core", "lucene-analysis"), needs_sources=True,
             jvm_args=("-Djava.util.logging.config.file=/dev/null",)),
    Workload("jackson", REAL, 2, 4000, 500, libraries=("jackson-databind", "jackson-core", "jackson-annotations")),
    Workload("groovy", REAL, 1, 1200, 100, libraries=("groovy",)),
    Workload("web", REAL, 1, 80, 20, needs_modules=("jdk.httpserver", "java.net.http")),
    Workload("freemarker", REAL, 1, 150, 25, needs_modules=("java.desktop",), libraries=("freemarker",),
             jvm_args=("-Dorg.freemarker.loggerLibrary=none",)),
    Workload("derby", REAL, 1, 80, 12, needs_modules=("java.sql",), libraries=("derby", "derby-shared"),
             jvm_args=("-Dderby.stream.error.file=/dev/null",)),
    Workload("h2", REAL, 1, 300, 40, needs_modules=("java.sql",), libraries=("h2",)),
    Workload("hsqldb", REAL, 1, 300, 40, needs_modules=("java.sql",), libraries=("hsqldb",),
             jvm_args=("-Dhsqldb.reconfig_logging=false",)),
    Workload("rhino", REAL, 2, 1500, 100, libraries=("rhino",)),
    Workload("hello", START, 1, 1),
]
BY_NAME = {workload.name: workload for workload in WORKLOADS}
REAL_ONES = [workload.name for workload in WORKLOADS if workload.kind == REAL]


def compiler(jvm):
    """The javac that compiles the workloads: that of the JVM, or any (class files of JDK 17 run on all JVMs)."""
    found = jvm.javac if jvm.javac.exists() else shutil.which("javac")
    if not found:
        raise Unavailable("no javac, neither beside the JVM nor on the PATH: install openjdk-17-jdk-headless")
    return found


def compiled(jvm, folder, sources, path=()):
    """Compiles Java sources into the folder, and returns it. path: what they need besides it."""
    said_by([compiler(jvm), "-g", "--release", "17", "-cp", ":".join(map(str, [folder, *path])), "-d", folder, *sources])
    return folder


def prepare(workloads, jvm, folder):
    """Compiles into the folder and fetches; returns the workloads that can run, and prints why others cannot."""
    there, ready = {line.split("@")[0] for line in said_by([jvm.java, "--list-modules"]).splitlines()}, []
    (folder / "output").mkdir()
    compiled(jvm, folder / "classes", (JAVA / "overhead").glob("*.java"))
    for workload in workloads:
        try:
            if missing := set(workload.needs_modules) - there:
                raise Unavailable(f"this JVM has no module {min(missing)}")
            _prepare(workload, jvm, folder)
            ready.append(workload)
        except Unavailable as why:
            print(f"skipped: {workload.name}: {why}", flush=True)
    return ready


def _prepare(workload, jvm, folder):
    if workload.needs_sources and not (folder / "sources").exists():
        with zipfile.ZipFile(maven.jar("commons-lang-sources")) as archive:
            archive.extractall(folder / "sources")
    if workload.libraries:
        workload.jars = maven.jars(workload.libraries)
        if sources := list((JAVA / workload.name / "overhead").glob("*.java")):
            compiled(jvm, folder / f"classes-{workload.name}", sources, [folder / "classes", *workload.jars])
