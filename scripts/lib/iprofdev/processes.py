"""Runs other programs."""

import os
import subprocess

# How long tests wait for something that takes seconds on an idle machine. It only ends programs that hang; a busy
# machine may be forty times slower.
PATIENCE_S = 1200

JVM_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")


def run(command, **options):
    """Runs a command to its end and returns its output without showing it. Never raises because of an exit code."""
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, check=False, **options)


def end_of(text, lines=15):
    return "\n".join(text.strip().splitlines()[-lines:])


def java_environment(extra=None):
    """The environment of a Java program: without the user's JVM options, and with UTF-8."""
    environment = {name: value for name, value in os.environ.items() if name not in JVM_VARIABLES}
    return {**environment, "LC_ALL": "C.UTF-8", **(extra or {})}
