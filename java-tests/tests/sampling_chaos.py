"""Sampling at 1 ms under all kinds of stress at once: no crash, no deadlock, and the counters add up.

The configurations below are every collector with counting off and on, deoptimisation stress, JFR at the same time, a
profile written every second, wall sampling, and stacks that do not fit into memory. The program is sampling.chaos.Main.
Each Java version runs a third of the configurations, a second each, so that together they run all; scripts/test runs half
of JDK 17's third, and scripts/proof the others. scripts/chaos runs all of them on every JVM, for minutes or an hour, and
prints a table. IPROF_CHAOS_SECONDS is the time for all configurations of one JVM together. With IPROF_CHAOS_RESULTS=FOLDER,
each run adds a line to FOLDER/table.jsonl, and a failed run leaves its files in the folder.

It runs with `nice`, so that it does not slow down other tests, except in configurations where jcmd waits for
its answers.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import zipfile

from harness.case import AgentCase, Settings
from harness.scope import in_proof

SECONDS = int(os.environ.get("IPROF_CHAOS_SECONDS", "0"))  # 0: a third of the configurations, briefly
VERSIONS = (17, 21, 25)
SHORTEST_RUN_S = 1
RESULTS = os.environ.get("IPROF_CHAOS_RESULTS")
# In addition to the program's run time: start and end on a busy machine, and the program's watchdog, which should
# report first.
PATIENCE_S = 420
LONGEST_RUN_S = 15

OFF = "calls=n,branches=n,receivers=n,monitors=n"
ON = ""
PREMAIN = ("Manifest-Version: 1.0\nPremain-Class: sampling.chaos.Redefinition$Premain\nCan-Redefine-Classes: true\n"
           "Can-Retransform-Classes: true\n")
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")
UNLOCK = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+UnlockExperimentalVMOptions", "-XX:+IgnoreUnrecognizedVMOptions")
# HotSpot's stress options in product JVMs; each JVM ignores those that it does not know.
DEOPTIMISE = ("-XX:+DeoptimizeNMethodBarriersALot", "-XX:+SafepointALot", "-XX:+HandshakeALot", "-XX:GuaranteedSafepointInterval=10",
              "-XX:+StressLCM", "-XX:+StressGCM", "-XX:+StressIGVN", "-XX:+StressCCP", "-XX:+StressUnstableIfTraps",
              "-XX:+StressIncrementalInlining", "-XX:ReservedCodeCacheSize=24m")
JFR = ("-XX:StartFlightRecording:filename=x.jfr,settings=profile",)
JFR_CPU_TIME = ("-XX:StartFlightRecording:filename=x.jfr,settings=profile,jdk.CPUTimeSample#enabled=true,"
                "jdk.CPUTimeSample#throttle=1ms",)


@dataclasses.dataclass
class Configuration:
    collector: str
    beside: str  # what is special, or ""
    counting: bool
    agent: str = ""
    jvm_args: tuple = ()
    attached: bool = False  # the agent is attached while the program runs
    dumps: bool = False     # a profile is written every second

    def __str__(self):
        return f"{self.collector}, {'counting' if self.counting else 'no counting'}" + (f", {self.beside}" if self.beside else "")


def configurations(jvm):
    jfr = JFR_CPU_TIME if jvm.major >= 25 else JFR
    for counting in (False, True):
        for collector in COLLECTORS:
            yield Configuration(collector, "", counting)
        yield Configuration("G1", "deoptimisation stress", counting, jvm_args=DEOPTIMISE)
        yield Configuration("G1", "JFR", counting, jvm_args=jfr)
        yield Configuration("G1", "dumps", counting, dumps=True)
        yield Configuration("Z", "dumps", counting, dumps=True)
    yield Configuration("Shenandoah", "aggressive", False, jvm_args=("-XX:ShenandoahGCHeuristics=aggressive",))
    yield Configuration("Serial", "full stacks, 1 MB for them", False, agent="depth=65536,samples-memory=1m")
    yield Configuration("Parallel", "wall", False, agent="event=wall")
    yield Configuration("Serial", "C1 only", True, jvm_args=("-XX:TieredStopAtLevel=1",))
    # Configurations that only some JVMs have come last, so that the others have the same positions everywhere.
    if jvm.major == 21:
        for counting in (False, True):
            yield Configuration("Z", "generational", counting, jvm_args=("-XX:+ZGenerational",))
    if jvm.tool("jcmd"):
        for counting in (False, True):
            yield Configuration("G1", "attached", counting, jvm_args=("-XX:+EnableDynamicAgentLoading",), attached=True)


class SamplingChaos(AgentCase):
    @staticmethod
    def options(configuration):
        return ",".join(o for o in ("out=c.iprof", "interval=1ms", "depth=200" if "depth=" not in configuration.agent else "",
                                    ON if configuration.counting else OFF, configuration.agent) if o)

    def command(self, configuration, seconds, ends):
        return self.java_command(
            "sampling.chaos.Main", seconds, ends, *(["wait"] if configuration.attached else []),
            agent=None if configuration.attached else self.options(configuration),
            jvm_args=[*UNLOCK, f"-XX:+Use{configuration.collector}GC", "-Xmx256m", "-Xss512k", "-XX:ErrorFile=hs_err.log",
                      "-XX:-CreateCoredumpOnCrash", *configuration.jvm_args, "-javaagent:premain.jar"])

    def setUp(self):
        super().setUp()
        self.root = self.folder
        missing = {c for c in COLLECTORS if not self.jvm.accepts(*UNLOCK[:2], f"-XX:+Use{c}GC")}
        for collector in sorted(missing):
            print(f"{self.jvm.id} has no {collector} collector")
        self.dumps = 0
        self.every = [c for place, c in enumerate(configurations(self.jvm)) if c.collector not in missing and self.is_ours(c, place)]

    def is_ours(self, configuration, place):
        """Whether this version runs the configuration at that position: all of them, or its third and those that only
        it has."""
        if SECONDS > 0 or self.jvm.major not in VERSIONS or configuration.beside == "generational":
            return True
        if configuration.attached:  # on the full JDKs: the oldest counts, the newest does not
            return configuration.counting == (self.jvm.major == VERSIONS[0])
        return place % len(VERSIONS) == VERSIONS.index(self.jvm.major)

    def test_it_survives(self):
        self.survive(self.every[::2])

    @in_proof
    def test_it_survives_the_other_half(self):
        self.survive(self.every[1::2])

    def survive(self, chosen):
        # With more time there are more runs, not longer ones, because most problems occur at the start and at the end.
        passes = max(1, round(SECONDS / len(self.every) / LONGEST_RUN_S))
        seconds = max(SHORTEST_RUN_S, round(SECONDS / len(self.every) / passes))
        for number in range(passes):
            for place, configuration in enumerate(chosen):
                with self.subTest(f"{configuration}, run {number}"):
                    # Alternately, the burdens end first, or the JVM ends while they run.
                    self.run_and_keep(configuration, seconds, "stop" if (number + place) % 2 else "exit", f"{number}-{place}")
        if any(configuration.dumps for configuration in chosen):
            self.assertGreater(self.dumps, 0, "no profile was written in the middle of any run")

    def run_and_keep(self, configuration, seconds, ends, name):
        self.folder = self.root / name
        self.folder.mkdir()
        row = {"jvm": self.jvm.id, "collector": configuration.collector, "beside": configuration.beside,
               "counting": configuration.counting, "ends": ends, "seconds": seconds, "verdict": "FAILED"}
        try:
            self.run_one(configuration, seconds, ends, row)
            row["verdict"] = "survived"
        finally:
            self.keep(row)
        shutil.rmtree(self.folder)

    def run_one(self, configuration, seconds, ends, row):
        with zipfile.ZipFile(self.folder / "premain.jar", "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", PREMAIN)
        code, text = self.watched(self.command(configuration, seconds, ends), seconds + PATIENCE_S,
                                  self.options(configuration) if configuration.attached else None, configuration.dumps)
        # The JVM prints its answers to dump requests in pieces, also in the middle of a line.
        if code != 0 or not re.search(r"survived$", text, re.M):
            crash = self.folder / "hs_err.log"
            self.fail(f"{configuration}: exit {code}\n{text[-20_000:]}\n{crash.read_text()[:10_000] if crash.exists() else ''}")
        statistics = self.profile("c.iprof").section["sampling"]
        outcomes = statistics["outcomes"]
        if configuration.dumps:
            # On a busy machine, a short run may end before its first dump; but not all runs do.
            self.dumps += text.count("iprofagent: wrote ") - 1
        row.update(samples=statistics["signals"], raw=statistics["rawFailed"], failed=statistics["failed"],
                   caught=outcomes.get("crashed", [0])[0], full=outcomes.get("table_full", [0])[0])
        print(f"{self.jvm.id} {configuration}: {json.dumps(statistics)}", flush=True)
        self.assertEqual(statistics["good"] + statistics["recovered"] + statistics["failed"], statistics["signals"], statistics)
        self.assertEqual(sum(signals for signals, _ in outcomes.values()), statistics["signals"], statistics)
        # On a busy machine there are fewer signals, but their weight is the CPU time of the program.
        weight = statistics["goodWeight"] + statistics["recoveredWeight"] + statistics["failedWeight"]
        self.assertGreater(weight, 50, statistics)
        # During a collection, HotSpot walks no stacks. On a busy machine, collections can take most of a short run.
        collecting = outcomes.get("gc_active", [0])[0]
        self.assertGreater(statistics["good"] + statistics["recovered"], statistics["failed"] - row["full"] - collecting, statistics)
        # If the guard catches a fault inside HotSpot, that sample and the thread's later samples are lost.
        self.assertLessEqual(row["caught"], 1 + statistics["signals"] // 10_000, statistics)
        if "StartFlightRecording" in " ".join(configuration.jvm_args):
            self.assertGreater((self.folder / "x.jfr").stat().st_size, 10_000)

    def watched(self, command, timeout, attach, dumps):
        """Runs the program to its end. attach: the agent's options for an attach, or None. dumps: whether to request a
        profile every second. If it hangs, it prints all stacks before it is killed. Returns (exit code, output)."""
        output = self.folder / "output.txt"
        with open(output, "wb") as out:
            process = subprocess.Popen(command, cwd=self.folder, env=self.environment(), stdin=subprocess.PIPE, stdout=out,
                                       stderr=subprocess.STDOUT, preexec_fn=None if attach is not None else lambda: os.nice(5))
        try:
            if attach is not None:
                while "begun" not in output.read_text(errors="replace").splitlines() and process.poll() is None:
                    time.sleep(0.05)
                self.attach(process, attach)
                process.stdin.write(b"\n")
                process.stdin.flush()
            while dumps and timeout > 1 and process.poll() is None:
                if "begun" in output.read_text(errors="replace"):
                    process.send_signal(signal.SIGQUIT)
                time.sleep(1)
                timeout -= 1
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.say_where(process, output)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            process.stdin.close()
        return process.returncode, output.read_text(errors="replace")

    @staticmethod
    def say_where(process, output):
        os.kill(process.pid, signal.SIGQUIT)  # Java's stacks, if the JVM still can
        time.sleep(5)
        if shutil.which("gdb"):
            with open(output, "ab") as out:
                subprocess.run(["gdb", "-p", str(process.pid), "-batch", "-ex", "thread apply all bt 40"], stdout=out,
                               stderr=subprocess.DEVNULL, timeout=120, check=False)

    def ends_while_virtual_threads_wait_for_memory(self, options):
        """HotSpot itself waits ten seconds for its compiler threads, which wait for memory, too."""
        if self.jvm.major < 21:
            self.skipTest("virtual threads begin with 21")
        slow = Settings.agent.parent / "java-tests" / "libslow_death_agent.so"
        ours = f"out=e.iprof,interval=1ms,{options}".rstrip(",")
        self.run_java("sampling.Ending", agent=None, jvm_args=[
            "-XX:+UseZGC", "-Xmx64m", f"-agentpath:{slow}", f"-agentpath:{Settings.agent}={ours}"])
        self.profile("e.iprof")

    def test_the_end_while_virtual_threads_wait_for_memory(self):
        self.ends_while_virtual_threads_wait_for_memory(ON)

    @in_proof
    def test_the_end_without_counting_while_virtual_threads_wait_for_memory(self):
        self.ends_while_virtual_threads_wait_for_memory(OFF)

    def ends_with_a_full_heap(self, options):
        """Threads hold the lock that is needed to list the classes. HotSpot itself waits up to ten seconds for its compiler
        threads."""
        slow = Settings.agent.parent / "java-tests" / "libslow_death_agent.so"
        ours = f"out=e.iprof,interval=1ms,{options}".rstrip(",")
        run = self.run_java("sampling.FullEnding", agent=None, jvm_args=[
            "-XX:+UseZGC", "-Xmx64m", f"-agentpath:{slow}", f"-agentpath:{Settings.agent}={ours}"])
        return run, self.profile("e.iprof")

    def test_the_end_with_a_full_heap_while_classes_of_arrays_are_created(self):
        run, profile = self.ends_with_a_full_heap(ON)
        # JDK 25 lists them nevertheless.
        print(self.agent_lines(run.stderr))
        self.assertGreater(profile.calls_of("sampling.FullEnding.someClasses"), 0)

    @in_proof
    def test_the_end_with_a_full_heap_without_counting(self):
        self.ends_with_a_full_heap(OFF)

    def keep(self, row):
        if not RESULTS:
            return
        results = pathlib.Path(RESULTS)
        results.mkdir(parents=True, exist_ok=True)
        if row["verdict"] != "survived":
            row["files"] = f"{self.jvm.id}-{self.folder.name}-{time.time_ns()}"
            shutil.copytree(self.folder, results / row["files"])
        with open(results / "table.jsonl", "a") as table:
            table.write(json.dumps(row) + "\n")
