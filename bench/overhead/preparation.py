"""Prepares a benchmark: compiles the workloads, and fetches their libraries and the sources that they work on."""

import pathlib
import shutil
import subprocess
import zipfile

from iprofdev import maven
from iprofdev.messages import Unavailable

JAVA = pathlib.Path(__file__).resolve().parent / "java"


def compiler(java):
    """The javac that compiles the workloads: that of the JVM, or any (class files of JDK 17 run on all JVMs)."""
    beside = java.parent / "javac"
    found = beside if beside.exists() else shutil.which("javac")
    if not found:
        raise SystemExit("run: no javac, neither beside the JVM nor on the PATH: install openjdk-17-jdk-headless")
    return found


def modules(java):
    listed = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=True).stdout
    return {line.split("@")[0] for line in listed.splitlines()}


def prepare(workloads, java, folder):
    """Compiles into the folder and fetches; returns (the workloads that can run, [why others cannot])."""
    javac, there = compiler(java), modules(java)
    (folder / "output").mkdir()
    _compile(javac, [folder / "classes"], (JAVA / "overhead").glob("*.java"), folder / "classes")
    ready, skipped = [], []
    for workload in workloads:
        missing = [module for module in workload.needs_modules if module not in there]
        if missing:
            skipped.append(f"{workload.name}: this JVM has no module {missing[0]}")
            continue
        try:
            _prepare(workload, javac, folder)
        except Unavailable as why:
            skipped.append(f"{workload.name}: {why}")
            continue
        ready.append(workload)
    return ready, skipped


def _prepare(workload, javac, folder):
    if workload.needs_sources and not (folder / "sources").exists():
        with zipfile.ZipFile(maven.jar("commons-lang-sources")) as archive:
            archive.extractall(folder / "sources")
    if workload.libraries:
        workload.jars = maven.jars(workload.libraries)
        _compile(javac, [folder / "classes", *workload.jars], (JAVA / workload.name / "overhead").glob("*.java"),
                 folder / f"classes-{workload.name}")


def _compile(javac, path, sources, target):
    subprocess.run([javac, "-g", "--release", "17", "-cp", ":".join(map(str, path)), "-d", target, *sources], check=True)
