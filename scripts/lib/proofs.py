"""The proofs of scripts/proof: what each shows, how it is run, and which part of its output is its figure."""

import datetime
import os
import platform
import re
import subprocess
import sys
import time
from typing import NamedTuple

from iprofdev import jvms, processes
from iprofdev.places import BUILD, ROOT

LOGS = BUILD / "proof"
SCRIPTS = "scripts"
REWRITER = "java-tests/rewriter"
JOBS = os.environ.get("IPROF_JOBS") or str(os.cpu_count() or 1)
EVERY_JVM = "{every_jvm}"  # in a command: the ids of all JVMs, joined by commas


class Proof(NamedTuple):
    name: str
    claim: str
    commands: tuple  # each a tuple of words; the first is a path in the repository, or a program
    figure: str  # a regular expression: what to show of the output is each last match of each command, joined

    def program(self):
        """What its own options go to."""
        return ROOT / self.commands[-1][0]


def ctest(preset, *arguments):
    return ("ctest", "--preset", preset, "--parallel", JOBS, *arguments)


PASSED = r"(\d+% tests passed, \d+ tests failed out of \d+)"

ALL = (
    Proof("tests", "every test that scripts/test leaves out: each JVM with everything",
          (ctest("release", "-L", "proof"),), PASSED),
    Proof("sanitizers", "all unit tests under ASan with UBSan, and under TSan",
          tuple(command for preset in ("asan", "tsan") for command in (("scripts/build", preset), ctest(preset))), PASSED),
    Proof("tidy", "clang-tidy with every check, the static analyzer too, finds nothing",
          ((f"{SCRIPTS}/tidy", "--all"),), r"^(tidy: \d+ files, .*)$"),
    Proof("behaviour", "programs print the same with rewritten classes, on every JVM, interpreted and compiled",
          ((f"{REWRITER}/behaviour/compare", "java25"), *((f"{REWRITER}/behaviour/compare", which, "--jvm", EVERY_JVM)
                                                          for which in ("programs", "extremes"))), r"^(.*: \d+ runs, \d+ failures)$"),
    Proof("frames", "rewritten stack maps are those that ASM computes",
          ((f"{REWRITER}/frames/compare", "--corpora", "jdk17-base,jdk25-base,groovy,clojure,kotlin-compiler,scala-library"),),
          r"^(frames of .*)$"),
    Proof("corpus", "every class that a JVM verifies is verified rewritten: all corpora, all modules of JDK 17 and 25",
          ((f"{REWRITER}/corpus/check", "--full", "--jobs", JOBS),), r"^(\d+ corpora, .*)$"),
    Proof("compile", "HotSpot compiles every method of java.base and the corpora that it compiled before, C1 and C2, on every JVM",
          ((f"{REWRITER}/compile/compare", "--jvm", EVERY_JVM),), r"^(\d+ comparisons, .*)$"),
    Proof("directions", "no branch of real programs is inverted or off by a point",
          (("java-tests/oracle/check_directions",),), r"^(\d+ programs, .*)$"),
    Proof("soak", "an hour of programs whose classes come and go, small heaps, real programs, and commands at random: as without the agent",
          ((f"{SCRIPTS}/soak", "--hour"),), r"^(\d+ pairs alike, .*)$"),
    Proof("kills", "3,000 programs, killed at random moments: what is recovered is true, and at most one snapshot behind",
          (("env", "IPROF_KILLS=500", *ctest("release", "-V", "-R", "^java.snapshot_kills.jdk17$")),),
          r"(in all \d+ kills, \d+ recovered and true)$"),
    Proof("chaos", "an hour of sampling at 1 ms beside everything that is hard on it",
          ((f"{SCRIPTS}/chaos", "--hour"),), r"^(\d+ runs, .*)$"),
    Proof("packages", "the packages of all targets are made, and work",
          ((f"{SCRIPTS}/package",), (f"{SCRIPTS}/test-package",)), r"^(\d+ steps, .*)$"),
    Proof("fuzz", "every fuzz target for ten minutes",
          ((f"{SCRIPTS}/fuzz", "600"),), r"^(\d+ targets, .*)$"),
)


class Outcome(NamedTuple):
    proof: Proof
    passed: bool
    figures: str
    seconds: float


def expanded(command):
    """The command with its program's path and the JVMs filled in."""
    ids = [jvm.id for jvm in jvms.all_jvms()]
    words = [",".join(ids) if word == EVERY_JVM else word for word in command]
    return [str(ROOT / words[0]) if "/" in words[0] else words[0], *words[1:]]


def run_command(command, log):
    """Runs a command, prints and logs its output; returns (exit status, output)."""
    lines = []
    with subprocess.Popen(command, cwd=ROOT, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            lines.append(line)
            log.write(line)
            log.flush()
            print(line, end="", flush=True)
    return process.returncode, "".join(lines)


def run_one(proof):
    started = time.monotonic()
    figures, passed = [], True
    with open(LOGS / f"{proof.name}.log", "w", encoding="utf-8") as log:
        for command in map(expanded, proof.commands):
            status, output = run_command(command, log)
            passed = passed and status == 0
            found = re.findall(proof.figure, output, re.M)
            figures += found[-1:]
    # A proof that does not report what it did has proved nothing.
    return Outcome(proof, passed and bool(figures), "; ".join(figures) or "no figures", time.monotonic() - started)


def commit():
    head = processes.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"]).stdout.strip()
    changed = processes.run(["git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"]).stdout.strip()
    return f"`{head}`" + (" with local changes" if changed else "")


def section(outcomes):
    """The result in Markdown, for docs/lab/proof.md."""
    machines = ", ".join(f"{jvm.id} {jvm.full_version}" for jvm in jvms.all_jvms())
    yield f"## {datetime.date.today().isoformat()}, commit {commit()}"
    yield ""
    yield f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}; {machines}."
    yield ""
    yield "| proof | result | figures | minutes |"
    yield "| --- | --- | --- | --- |"
    for outcome in outcomes:
        figures = outcome.figures.replace("|", "/")
        yield (f"| `{outcome.proof.name}`: {outcome.proof.claim} | {'passed' if outcome.passed else 'FAILED'} | {figures} | "
               f"{outcome.seconds / 60:.0f} |")


def run(chosen):
    LOGS.mkdir(parents=True, exist_ok=True)
    if subprocess.run([ROOT / "scripts" / "build", "release"], check=False).returncode:
        return 1
    outcomes = []
    for proof in chosen:
        print(f"\n== {proof.name}: {proof.claim}", flush=True)
        outcomes.append(run_one(proof))
    text = "\n".join(section(outcomes)) + "\n"
    (LOGS / "section.md").write_text(text, encoding="utf-8")
    print(f"\nFor docs/lab/proof.md (also in {LOGS / 'section.md'}):\n\n{text}", flush=True)
    failed = [outcome.proof.name for outcome in outcomes if not outcome.passed]
    if failed:
        print(f"proof: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0
