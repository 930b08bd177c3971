"""Running other programs."""

import os
import subprocess

# How long tests wait for what takes seconds on a quiet machine. It only ends what hangs: nothing is learned from time, and a busy
# machine may be forty times slower.
PATIENCE_S = 1200

JVM_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")


def run(command, **options):
    """Runs a command to its end; what it printed is kept, not shown. Never raises for an exit code."""
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, check=False, **options)


def end_of(text, lines=15):
    return "\n".join(text.strip().splitlines()[-lines:])


def java_environment(extra=None):
    """The environment of a Java program: none of the user's own JVM options, and UTF-8."""
    environment = {name: value for name, value in os.environ.items() if name not in JVM_VARIABLES}
    return {**environment, "LC_ALL": "C.UTF-8", **(extra or {})}
