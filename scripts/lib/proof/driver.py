"""The rewriter's command-line driver, `classrewrite`, and the probe class that its output calls."""

import json
import os
import pathlib

from . import ground

HOLDER = "java/lang/$IprofProbe"
MODES = ("dense", "realistic")


def path():
    named = os.environ.get("CLASSREWRITE")
    candidates = [pathlib.Path(named)] if named else [ground.ROOT / "build" / "agent" / "classfile" / "tools" / "classrewrite"]
    for candidate in candidates:
        if candidate.exists():
            return candidate
    raise ground.Unavailable(
        f"no classrewrite at {candidates[0]}: build the project first, or name the program with CLASSREWRITE")


def rewrite(mode, source, target):
    """Rewrites a jar or folder; returns the driver's statistics, what it complains about under "complaints"."""
    done = ground.run([path(), f"--mode={mode}", "--stats=json", f"--holder={HOLDER}", source, target])
    if done.returncode not in (0, 1):
        raise RuntimeError(f"classrewrite --mode={mode} {source} ended with {done.returncode}: "
                           f"{ground.end_of(done.stderr + done.stdout)}")
    statistics = json.loads(done.stdout)
    statistics["complaints"] = done.stderr.splitlines()
    if done.returncode and not statistics["complaints"]:
        statistics["complaints"] = [f"{statistics['failures']} failures of its own checks"]
    return statistics
