#!/usr/bin/env python3
"""Remembers that a long test of the rewriter passed, so that it runs in part while nothing that it tests has changed.

Example: `corpus/check --brief-after-pass` checks all corpora of the short set, passes, and notes a hash of agent/classfile, the
tests, the pins, and the versions of the JVMs whose classes it checked. The next call with the same hash checks one corpus. After an
edit in agent/classfile, or with another JDK 17, it checks all again.

The notes are in the cache. `java-tests/rewriter/earlier_pass.py` writes those of this state into the file `passed` beside it, which is
committed, so that a machine without the cache knows them, too.
"""

import hashlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
from iprofdev import jvms  # noqa: E402
from iprofdev.messages import Unavailable  # noqa: E402
from iprofdev.places import CACHE  # noqa: E402

NOTES, COMMITTED = CACHE / "rewriter", pathlib.Path(__file__).resolve().parent / "passed"

# `classrewrite` reads jars through cli/classpath.
TESTED = ("agent/classfile", "cli/classpath", "java-tests/native/classfile", "java-tests/rewriter", "scripts/pins")
SUFFIXES = {"", ".cc", ".h", ".java", ".py", ".txt"}  # not what other programs leave in these folders


class EarlierPass:
    """Of one test by its name."""

    def __init__(self, name):
        self._name, self._note = name, NOTES / f"{name}.passed"
        self._hash = _hash_of_tested()

    def exists(self):
        noted = self._note.read_text(encoding="utf-8") if self._note.exists() else ""
        return self._hash == noted or f"{self._name} {self._hash}" in COMMITTED.read_text(encoding="utf-8").splitlines()

    def remember(self):
        self._note.parent.mkdir(parents=True, exist_ok=True)
        self._note.write_text(self._hash, encoding="utf-8")


def _tested_jvms():
    """Those that run the tests; their own modules are rewritten, too."""
    try:
        return [f"{jvm.id} {jvm.full_version}" if jvm else "none" for jvm in (jvms.build_jdk(), jvms.of_major(25))]
    except Unavailable as missing:
        return [str(missing)]  # the tests will be skipped


def _hash_of_tested():
    digest = hashlib.sha256("\n".join(_tested_jvms()).encode())
    for place in TESTED:
        path = ROOT / place
        files = [path] if path.is_file() else sorted(each for each in path.rglob("*")
                                                     if each.is_file() and each.suffix in SUFFIXES and each != COMMITTED)
        for file in files:
            digest.update(f"{file.relative_to(ROOT)}\n".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def main():
    current = _hash_of_tested()
    lines = [f"{note.stem} {current}\n" for note in sorted(NOTES.glob("*.passed")) if note.read_text(encoding="utf-8") == current]
    COMMITTED.write_text("".join(lines), encoding="utf-8")
    print(f"{COMMITTED}: {len(lines)} tests of the rewriter passed wholly in this state", *lines, sep="\n  ", end="")


if __name__ == "__main__":
    main()
