"""Where things are, how a script says that it cannot go on, and how it says that a test does not apply here."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
CACHE = pathlib.Path(os.environ.get("IPROF_CACHE") or pathlib.Path.home() / ".cache" / "iprofagent")

SKIPPED = 77  # the exit code by which ctest counts a test as skipped


class Unavailable(Exception):
    """Something the work needs is not here; the message says what, and what to do."""


def script_name():
    return pathlib.Path(sys.argv[0]).name


def note(text):
    print(f"{script_name()}: {text}", file=sys.stderr, flush=True)


def fail(text):
    note(text)
    sys.exit(2)


def skip(text):
    print(f"SKIPPED: {text}", flush=True)
    sys.exit(SKIPPED)


def run(command, **options):
    """Runs a command and returns it finished; what it printed is kept, not shown."""
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)


def end_of(text, lines=15):
    return "\n".join(text.strip().splitlines()[-lines:])
