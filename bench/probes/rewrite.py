"""The speed of the class-file rewriter, compared with ASM.

Both rewrite every class of java.base, with the same realistic insertion (counters at each method's
entry and on every edge of conditional branches and switches), one thread.

warm    both in a process that has done it before; ASM is warmed up until its passes are steady, then the two take turns
cold    the first 1,000 classes in a fresh process, where an agent really works; the two take turns here too
memory  what the rewriter holds at its peak for a class, against the class's size

Only rewriting is measured on both sides: classes are in memory before, and the results are dropped. Medians are compared, of wall time and of
the rewriting thread's CPU time. (On a busy machine, wall time includes other programs. The CPU time of a JVM's thread does not include its
compilers and collectors, in ASM's favour.) Targets, by CPU time: warm at least 3 times ASM, cold at least 10 times, memory at most 4 times
the class.
"""

import json

from iprofdev import javabuild, jvms, maven, messages
from iprofdev.messages import Unavailable
from rewriter import corpora, driver
from runner import figures
from runner.program import Program
from runner.running import said_by

COLD_CLASSES = 1000
STEADY = 0.05  # passes that differ by less are steady
MOST_WARMUP_PASSES = 60
POOLS = {"own": "ASM as ClassWriter(COMPUTE_MAXS)", "shared": "ASM as ClassWriter(reader, COMPUTE_MAXS)"}
OURS, ASM = "ours", "asm"
TARGETS = {"warm": 3, "cold": 10}
MOST_MEMORY = 4


def add_options(options):
    del options


class AsmSide(Program):
    """A JVM that rewrites all classes with ASM, once for each line that it gets."""

    def __init__(self, folder, pool, jar, *first):
        asm = maven.jar("asm")
        super().__init__([jvms.build_jdk().java, "-Xms2g", "-Xmx2g", "-XX:+UseParallelGC", "-cp", f"{javabuild.classes('bench/probes/asm', asm)}:{asm}",
                          "asmbench.AsmBench", pool, jar, *first], folder, ready=False)

    def run_pass(self):
        return {key: int(value) for key, value in (part.split("=") for part in self.ask("pass").split())}

    def warm_up(self, quick):
        """Runs passes until the last five differ by only a few per cent; returns their number, and whether they became steady."""
        times = []
        while len(times) < (2 if quick else MOST_WARMUP_PASSES):
            times.append(self.run_pass()["cpu_ns"])
            last = times[-5:]
            if len(times) >= 15 and max(last) - min(last) < STEADY * min(last):
                return len(times), True
        return len(times), False


def rewriter(jar, rounds, *options):
    return json.loads(said_by([driver.path(), "--mode=realistic", "--stats=json", f"--time={rounds}", f"--holder={driver.HOLDER}", *options, jar]))


class Samples:
    """Wall and CPU seconds of both sides, one sample per turn."""

    def __init__(self):
        self._seconds = {(clock, side): [] for clock in ("wall", "cpu") for side in (OURS, ASM)}
        self.classes = self.bytes = 0

    def add(self, wall_s, cpu_s, asm):
        for clock, ours, theirs in (("wall", wall_s, asm["ns"]), ("cpu", cpu_s, asm["cpu_ns"])):
            self._seconds[clock, OURS].append(ours)
            self._seconds[clock, ASM].append(theirs / 1e9)
        self.classes, self.bytes = asm["classes"], asm["bytes_in"]

    def print(self, name):
        median = {pair: figures.median(values) for pair, values in self._seconds.items()}
        for (clock, side), seconds in median.items():
            print(f"{name:4} {clock:4} {side:4} {seconds:9.4f} s {self.classes / seconds:10.0f} classes/s {self.bytes / seconds / 1e6:8.1f} MB/s")
        print(f"{name:4} wall ratio {median['wall', ASM] / median['wall', OURS]:.1f}, "
              f"cpu ratio {figures.judged(median['cpu', ASM] / median['cpu', OURS], TARGETS[name], at_least=True)}")


def measure(arguments, pool, jar):
    warm, cold = Samples(), Samples()
    with AsmSide(arguments.folder, pool, jar) as asm:
        passes, steady = asm.warm_up(arguments.quick)
        for _ in range(2 if arguments.quick else 10):
            ours = rewriter(jar, 3)
            warm.add(ours["warm_median_seconds"], ours["warm_median_cpu_seconds"], asm.run_pass())
    for _ in range(2 if arguments.quick else 7):
        ours = rewriter(jar, 0, f"--limit={COLD_CLASSES}")
        with AsmSide(arguments.folder, pool, jar, COLD_CLASSES) as asm:
            cold.add(ours["cold_seconds"], ours["cold_cpu_seconds"], asm.run_pass())
    print(f"java.base of {jvms.build_jdk().full_version}: {warm.classes} classes, {warm.bytes / 1e6:.1f} MB; {POOLS[pool]}, "
          f"{'steady' if steady else 'not steady'} after {passes} passes")
    warm.print("warm")
    cold.print("cold")


def main(arguments):
    try:
        driver.path()
        maven.jar("asm")
        [jar] = corpora.named("jdk17-base").jars
    except Unavailable as missing:
        messages.skip(str(missing))
    for pool in POOLS:
        measure(arguments, pool, jar)
    memory = rewriter(jar, 0)
    print(f"memory, bytes at the peak per byte of the class: mean {memory['peak_bytes_per_input_byte']:.2f}, worst class "
          + figures.judged(memory["worst_peak_bytes_per_input_byte"], MOST_MEMORY))
