"""The fixed work that javac does in tests: compiling this repository's own counting programs, deterministically."""

import pathlib

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "counting"

# Nothing is collected, neither for the heap nor for metaspace, since javac computes again what its weakly held caches lost to
# a collection.
UNCOLLECTED = ["-XX:+UseSerialGC", "-Xmn3g", "-Xms4g", "-XX:MetaspaceSize=512m"]
# And all identity hash codes are the same, so that hash tables iterate in the same order each time.
DETERMINISTIC = ["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2", *UNCOLLECTED]


def javac_command(output):
    """Main class and arguments of the compilation, for AgentCase.run_java: (main, *args); see SteadyJavac."""
    pathlib.Path(output).mkdir(exist_ok=True)  # what javac does differs between a folder that is there and one that is not
    sources = sorted(str(path) for path in SOURCES.glob("*.java"))
    return ("SteadyJavac", "-encoding", "UTF-8", "-proc:none", "-nowarn",
            "-d", str(output), *sources)
