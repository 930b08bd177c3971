"""Remembers that a long test of the rewriter passed, so that it runs in part while nothing that it tests has changed.

Example: `corpus/check --brief-after-pass` checks all corpora of the short set, passes, and notes a hash of agent/classfile, the
test and the pins. The next call with the same hash checks one corpus. After an edit in agent/classfile, it checks all again.
"""

import hashlib

from iprofdev.places import CACHE, ROOT

TESTED = ("agent/classfile", "java-tests/native/classfile", "java-tests/rewriter", "scripts/pins")
SUFFIXES = {"", ".cc", ".h", ".java", ".py", ".txt"}  # not what other programs leave in these folders


class EarlierPass:
    """Of one test by its name."""

    def __init__(self, name):
        self._note = CACHE / "rewriter" / f"{name}.passed"
        self._hash = _hash_of_tested()

    def exists(self):
        return self._note.exists() and self._note.read_text(encoding="utf-8") == self._hash

    def remember(self):
        self._note.parent.mkdir(parents=True, exist_ok=True)
        self._note.write_text(self._hash, encoding="utf-8")


def _hash_of_tested():
    digest = hashlib.sha256()
    for place in TESTED:
        path = ROOT / place
        files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file() and each.suffix in SUFFIXES)
        for file in files:
            digest.update(f"{file.relative_to(ROOT)}\n".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
