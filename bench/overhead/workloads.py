"""What is run: programs with fixed work, so that whole processes can be compared. Scales are (quick, full) repetitions."""

import dataclasses
import pathlib

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "java-tests" / "counting"

JACKSON = tuple(f"com.fasterxml.jackson.core:jackson-{part}:2.17.2" for part in ("databind", "core", "annotations"))


@dataclasses.dataclass
class Workload:
    name: str
    scales: tuple
    steady: bool = True  # prints the time of one operation when everything is compiled
    needs_compiler: bool = False
    libraries: tuple = ()  # Maven coordinates; its class overhead.NAME is in java/overhead-<name>
    jars: list = dataclasses.field(default_factory=list)  # of the libraries, once they are here

    def command(self, classes, out, quick):
        """Arguments after the JVM options."""
        if self.name == "hello":
            return ["-cp", classes, "overhead.Hello"]
        if self.name == "javac process":
            return ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-proc:none", "-nowarn", "-d", out / "javac",
                    *sorted(SOURCES.glob("*.java"))]
        name = self.name.split()[0]
        if self.libraries:
            name = name.capitalize()
            classes = ":".join([str(classes), f"{classes}-{self.name}", *map(str, self.jars)])
        return [f"-Doverhead.sources={SOURCES}", f"-Doverhead.output={out}", "-cp", classes, "overhead.Main", name,
                self.scales[0 if quick else 1]]


WORKLOADS = [
    Workload("fib", (2, 200)),
    Workload("sieve", (2, 600)),
    Workload("sort", (2, 300)),
    Workload("parse", (2, 800)),
    Workload("nbody", (2, 800)),
    Workload("interfaces", (2, 600)),
    Workload("megamorphic", (2, 400)),
    Workload("exceptions", (2, 4000)),
    Workload("json", (2, 1500), libraries=JACKSON),
    Workload("javac steady", (1, 16), needs_compiler=True),
    Workload("javac process", (1, 1), steady=False, needs_compiler=True),
    Workload("hello", (1, 1), steady=False),
]
