"""A fixed task for javac in tests: it compiles this repository's counting programs, deterministically."""

import pathlib

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "counting"

# No collections, neither for the heap nor for metaspace, because javac recomputes what collections remove from its
# weak caches.
UNCOLLECTED = ["-XX:+UseSerialGC", "-Xmn3g", "-Xms4g", "-XX:MetaspaceSize=512m"]
# All identity hash codes are equal, so that hash tables always iterate in the same order. Since JDK 20 the heap is also
# collected when new code fills a part of the code cache, which with C1 alone would be a fifth of this.
DETERMINISTIC = ["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2", *UNCOLLECTED, "-XX:ReservedCodeCacheSize=240m"]


ALL, SOME = "*", "[A-E]*"  # of the sources, by their names


def javac_command(output, names=ALL):
    """Main class and arguments of the compilation, for AgentCase.run_java: (main, *args); see SteadyJavac."""
    pathlib.Path(output).mkdir(exist_ok=True)  # javac behaves differently if the folder does not exist
    sources = sorted(str(path) for path in SOURCES.glob(f"{names}.java"))
    return ("SteadyJavac", "-encoding", "UTF-8", "-proc:none", "-nowarn",
            "-d", str(output), *sources)
