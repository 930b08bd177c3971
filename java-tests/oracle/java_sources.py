"""The fixed work that javac does in tests: compiling this repository's own counting programs, deterministically."""

import pathlib

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "counting"

# Identity hash codes count up instead of being random, so that hash tables iterate in the same order each time.
DETERMINISTIC = ["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3"]


def javac_command(output):
    """Main class and arguments of the compilation, for AgentCase.run_java: (main, *args)."""
    sources = sorted(str(path) for path in SOURCES.glob("*.java"))
    return (["-m", "jdk.compiler/com.sun.tools.javac.Main"], "-encoding", "UTF-8", "-proc:none", "-nowarn",
            "-d", str(output), *sources)
