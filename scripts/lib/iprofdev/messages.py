"""How a program reports that it cannot continue, and that a test does not apply here."""

import pathlib
import sys

SKIPPED = 77  # the exit code by which ctest counts a test as skipped


class Unavailable(Exception):
    """Something required is missing; the message says what, and what to do."""


class WrongBytes(Exception):
    """What was fetched differs from what is pinned. This is a failure, never a reason to skip."""


def note(text):
    """Prints a message on stderr, after the program's name."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def fail(text, code=1):
    note(text)
    sys.exit(code)


def skip(text):
    print(f"SKIPPED: {text}", flush=True)
    sys.exit(SKIPPED)
