"""How a program says that it cannot go on, and how it says that a test does not apply here."""

import pathlib
import sys

SKIPPED = 77  # the exit code by which ctest counts a test as skipped


class Unavailable(Exception):
    """Something that the work needs is not here; the message says what is missing and what to do."""


def note(text):
    """One sentence on stderr, after the program's name."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def fail(text, code=1):
    note(text)
    sys.exit(code)


def skip(text):
    print(f"SKIPPED: {text}", flush=True)
    sys.exit(SKIPPED)
