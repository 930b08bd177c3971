"""The rewriter's command-line driver, `classrewrite`, and the probe class that its output calls."""

import json
import os
import pathlib

from iprofdev import javabuild, processes
from iprofdev.messages import Unavailable
from iprofdev.places import BUILD, ROOT

HOLDER = "java/lang/$IprofProbe"
MODES = ("dense", "realistic")


def path():
    named = os.environ.get("CLASSREWRITE")
    candidates = [pathlib.Path(named)] if named else [BUILD / "java-tests" / "native" / "classfile" / "classrewrite"]
    for candidate in candidates:
        if candidate.exists():
            return candidate
    raise Unavailable(
        f"no classrewrite at {candidates[0]}: build the project first, or name the program with CLASSREWRITE")


def rewrite(mode, source, target):
    """Rewrites a jar or folder; returns the driver's statistics, with its complaints under "complaints"."""
    done = processes.run([path(), f"--mode={mode}", "--stats=json", f"--holder={HOLDER}", source, target])
    if done.returncode not in (0, 1):
        raise RuntimeError(f"classrewrite --mode={mode} {source} ended with {done.returncode}: "
                           f"{processes.end_of(done.stderr + done.stdout)}")
    statistics = json.loads(done.stdout)
    statistics["complaints"] = done.stderr.splitlines()
    if done.returncode and not statistics["complaints"]:
        statistics["complaints"] = [f"{statistics['failures']} failures of its own checks"]
    return statistics


def probe_holder():
    """The folder with the class that the driver's probes use, to be patched into java.base."""
    sources = ROOT / "java-tests" / "rewriter" / "holder"
    return javabuild.classes("java-tests/rewriter/holder", options=("--patch-module", f"java.base={sources}"), release=None)
