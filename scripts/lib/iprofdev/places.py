"""The paths of the repository, its release build and the cache."""

import contextlib
import fcntl
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = ROOT / "build"
CACHE = pathlib.Path(os.environ.get("IPROF_CACHE") or pathlib.Path.home() / ".cache" / "iprofagent")


def offline():
    return os.environ.get("IPROF_OFFLINE", "0") == "1"


@contextlib.contextmanager
def locked_cache():
    """Locks the cache, because tests run in parallel. The bash scripts use the same lock."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
