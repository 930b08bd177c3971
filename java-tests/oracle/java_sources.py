"""The fixed work that javac does in tests: compiling this repository's own counting programs, deterministically."""

import pathlib

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "counting"

# All identity hash codes are the same, so that hash tables iterate in the same order each time.
DETERMINISTIC = ["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2"]

# What javac does with these depends on the iteration order of Set.of, which the JDK randomises in each run.
_RANDOM = {"All.java", "Dropped.java", "Dynamic.java", "Library.java", "Sites.java"}


def javac_command(output):
    """Main class and arguments of the compilation, for AgentCase.run_java: (main, *args)."""
    sources = sorted(str(path) for path in SOURCES.glob("*.java") if path.name not in _RANDOM)
    return (["-m", "jdk.compiler/com.sun.tools.javac.Main"], "-encoding", "UTF-8", "-proc:none", "-nowarn",
            "-d", str(output), *sources)
