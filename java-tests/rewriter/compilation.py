"""Does HotSpot compile every method that it compiled before the agent rewrote it?

java-tests/programs/compilation/CompileAll.java compiles all methods of the given classes, once in a plain JVM and once
under the agent. A method that only the plain JVM compiles is a new refusal; a third run finds the compiler's reason.
"""

import pathlib
import re
import shutil
import subprocess
from typing import NamedTuple

WHITE_BOX = "jdk/test/whitebox/WhiteBox.class"
# Compiler: its level, and the JVM's options. C1 needs more registers for a method if the code also profiles.
COMPILERS = {"C1": (1, ["-XX:TieredStopAtLevel=1"]), "C1-profiling": (3, ["-XX:TieredStopAtLevel=3"]),
             "C2": (4, ["-XX:-TieredCompilation"])}


class Run(NamedTuple):
    refused: set
    classes: int
    unlinked: int
    methods: int


class Comparison(NamedTuple):
    before: Run
    after: Run
    reasons: dict  # of each newly refused method

    @property
    def faults(self):
        found = [f"{method}: {reason}" for method, reason in sorted(self.reasons.items())]
        if (self.before.classes, self.before.methods) != (self.after.classes, self.after.methods):
            found.append(f"{self.before.classes} classes with {self.before.methods} methods were linked without the agent, "
                         f"{self.after.classes} with {self.after.methods} with it")
        return found


class Compilation:
    """One JVM, one compiler, one set of classes (sources as CompileAll takes them)."""

    def __init__(self, java, classes, folder, compiler, sources, class_path="", timeout=4 * 3600):
        """classes: the folder with the tests' programs. folder: an empty folder for the results."""
        self.java, self.classes, self.folder = java, classes, pathlib.Path(folder)
        self.compiler, self.sources, self.class_path, self.timeout = compiler, list(sources), class_path, timeout
        self.boot = self.folder / "boot"
        if not self.boot.exists():
            (self.boot / WHITE_BOX).parent.mkdir(parents=True)
            shutil.copy(pathlib.Path(classes) / WHITE_BOX, self.boot / WHITE_BOX)
        self.plain = None

    def without_agent(self):
        self.plain = self.plain or self._run(None, [])[0]
        return self.plain

    def compare(self, agent, options):
        """Compiles under the agent with these options, and without it the first time."""
        self.without_agent()
        under_agent = f"-agentpath:{agent}={','.join(['samples=n', 'memory=1g', f'out={self.folder}/x.iprof', options])}"
        rewritten = self._run(under_agent, [])[0]
        new = rewritten.refused - self.plain.refused
        return Comparison(self.plain, rewritten, self._reasons(under_agent, new) if new else {})

    def _run(self, agent, more, jvm_options=()):
        level, options = COMPILERS[self.compiler]
        result = self.folder / "result.txt"
        result.unlink(missing_ok=True)
        path = ":".join(str(part) for part in (self.classes, self.class_path) if part)
        command = [self.java, *([agent] if agent else []), f"-Xbootclasspath/a:{self.boot}",
                   "-XX:+UnlockDiagnosticVMOptions", "-XX:+WhiteBoxAPI", "-Xbatch", "-XX:+UseSerialGC", "-Xmx2g",
                   "-XX:ReservedCodeCacheSize=800m", *options, *jvm_options, "-cp", path, "compilation.CompileAll", result,
                   level, *self.sources, *more]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace",
                              timeout=self.timeout, check=False)
        if done.returncode or not result.exists():
            raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n"
                               f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        *refused, numbers = result.read_text().splitlines()
        found = dict(part.split("=") for part in numbers.split())
        return Run(set(refused), int(found["classes"]), int(found["unlinked"]), int(found["methods"])), done.stdout

    def _reasons(self, agent, methods):
        only = self.folder / "only.txt"
        only.write_text("".join(f"{method}\n" for method in sorted(methods)))
        said = self._run(agent, [f"only:{only}"], ["-XX:+PrintCompilation"])[1]
        reasons = dict.fromkeys(methods, "the JVM gives no reason")
        for part in said.split("COMPILING ")[1:]:
            method, _, log = part.partition("\n")
            reason = re.search(r"COMPILE SKIPPED: (.*?)(?: \(.*)?$", log, re.M)
            if reason and method in reasons:
                reasons[method] = reason.group(1)
        return reasons
