"""Pairs: runs a program once without and once with the agent, and compares the two runs.

Standard output, exit status and output files must be equal. With the agent, there must be no internal error, no profile
that `iprof check` rejects, no method that a compiler gives up for a reason that never occurs without the agent, and no
larger growth of memory. Absolute times are never compared.
"""

import dataclasses
import pathlib
import re
import subprocess
import threading
import time

PERIOD_S = 0.1
BAIL_OUT = re.compile(r"COMPILE SKIPPED: (.*?)(?: \((?:not retryable|retry at different tier)\))?$", re.M)
# Reasons of a compiler whose method is being changed, or was changed during compilation.
REDEFINING = ("redefined method", "Jvmti state change invalidated dependencies", "cannot parse method")
# Reasons that depend on load, code cache and class loading, also without the agent.
CHANGING = ("concurrent class loading", "out of virtual registers", "CodeCache", "code cache", "not initialized", "unloaded")


@dataclasses.dataclass
class Run:
    """The outcome of a run."""
    code: int
    stdout: str
    stderr: str
    files: dict
    rss_kib: list  # over time
    bail_outs: set

    def growth_kib(self):
        """The growth from the second quarter of the run to its end, without start-up. None if the run was too short."""
        if len(self.rss_kib) < 40:
            return None
        early = sorted(self.rss_kib[len(self.rss_kib) // 4: len(self.rss_kib) // 2])
        late = sorted(self.rss_kib[-len(self.rss_kib) // 10:])
        return late[len(late) // 2] - early[len(early) // 2]


def resident_kib(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return None


def run(command, work, shown=(), stdin=b"", timeout_s=900, environment=None, beside=None):
    """Runs a JVM in the folder `work`. The first word of the command is java. Methods that the compilers give up go to
    a log of the JVM. `beside(process)` runs at the same time; it writes and closes the program's input, and returns when the
    program has ended."""
    log = work / "jvm.log"
    diagnostics = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+LogVMOutput", "-XX:-DisplayVMOutput", f"-XX:LogFile={log}",
                   "-XX:+PrintCompilation"]
    command = [str(part) for part in (command[0], *diagnostics, *command[1:])]
    rss = []
    with open(work / "stdout", "w+b") as out, open(work / "stderr", "w+b") as err, open(work / "stdin", "w+b") as given:
        given.write(stdin)
        given.seek(0)
        process = subprocess.Popen(command, stdin=subprocess.PIPE if beside else given, stdout=out, stderr=err, cwd=work,
                                   env=environment)
        helper = threading.Thread(target=beside, args=(process,)) if beside else None
        if helper:
            helper.start()
        deadline = time.monotonic() + timeout_s
        try:
            while process.poll() is None:
                if time.monotonic() > deadline:
                    break
                kib = resident_kib(process.pid)
                if kib is not None:
                    rss.append(kib)
                time.sleep(PERIOD_S)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            if helper:
                helper.join()
    bail_outs = set()
    if log.exists():
        bail_outs = {match.group(1).strip() for match in BAIL_OUT.finditer(log.read_text(errors="replace"))}
    return Run(process.returncode, (work / "stdout").read_text(errors="replace"), (work / "stderr").read_text(errors="replace"),
               {name: (work / name).read_text(errors="replace") if (work / name).exists() else None for name in shown}, rss, bail_outs)


def steady(reasons, but=()):
    return {reason for reason in reasons if not any(word in reason for word in (*CHANGING, *but))}


GAVE_UP = "compilers gave methods up for new reasons: "
GREW = "memory grew by "


def is_measured(sentence):
    """Whether a difference is a figure that a busy machine changes."""
    return sentence.startswith((GAVE_UP, GREW))


def differences(without, with_agent, known_bail_outs, most_growth_kib=None, redefines=False):
    """Sentences about what the agent changed; empty if all is well. `known_bail_outs`: reasons seen without the agent
    in any run. `most_growth_kib`: how much more the memory may grow; None if the program's own memory grows.
    `redefines`: the agent changes classes while they run."""
    found = []
    if without.code != with_agent.code:
        found.append(f"exit status {with_agent.code} instead of {without.code}")
    if without.stdout != with_agent.stdout:
        found.append("standard output differs")
    for name, text in without.files.items():
        if with_agent.files.get(name) != text:
            found.append(f"the file {name} differs")
    if "internal error" in with_agent.stderr:
        found.append("the agent reported an internal error")
    new = steady(with_agent.bail_outs, REDEFINING if redefines else ()) - steady(without.bail_outs) - steady(known_bail_outs)
    if new:
        found.append(f"{GAVE_UP}{', '.join(sorted(new))}")
    growth = [run.growth_kib() if most_growth_kib is not None else None for run in (without, with_agent)]
    # Without the agent, a short run may end with less memory than it had: HotSpot gives metaspace back.
    if None not in growth and growth[1] - max(growth[0], 0) > most_growth_kib:
        found.append(f"{GREW}{growth[1] // 1024} MiB instead of {growth[0] // 1024}")
    return found
