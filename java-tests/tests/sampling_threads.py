"""Every thread is sampled: thousands of short ones, virtual ones, attached native ones, earlier ones, waiting ones.

Programs run for a given CPU time, so that a busy machine makes the tests slower but not different.
"""

import json
import re
import time

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.sampling_case import ONLY_SAMPLES, SamplingCase
from harness.scope import on_one_jvm
from oracle.callers import Callers


class SamplingThreads(SamplingCase):
    def check_total(self, program, *args, method, interval, interval_ns):
        """Compares the weight of the samples with the threads' own clocks, which the program reads at fixed points."""
        run, profile, statistics = self.sampled(program, *args, interval=interval)
        spent = int(re.search(r"spent (\d+)", run.stdout).group(1))
        seen = self.weight_of(profile, method) * interval_ns
        print(f"{self.jvm.id} {program} {args} at {interval}: {seen} ns in samples, {spent} ns on the clocks")
        self.assertLess(abs(seen / spent - 1), 0.05, f"{seen} ns in samples, {spent} ns on the clocks\n{statistics}")
        self.assertEqual((statistics["timerFailures"], statistics["threadsWithoutTimer"]), (0, 0), statistics)
        return run, profile, statistics

    def test_weights_follow_the_clocks_of_long_threads(self):
        for interval, ns in (("10ms", 10_000_000), ("1ms", 1_000_000)):
            self.check_total("sampling.Threads", 4, 4, 800_000, method="sampling.Threads.burn", interval=interval,
                             interval_ns=ns)

    def test_thousands_of_short_threads_weigh_what_they_use(self):
        # Most of them end before the first clock tick (every 4 ms).
        run, _, statistics = self.check_total("sampling.Threads", 2_000, 4, 2_000, method="sampling.Threads.burn",
                                              interval="1ms", interval_ns=1_000_000)
        self.assertGreaterEqual(statistics["threads"], 2_000)
        # Every live thread has a timer; threads that ended have none.
        timers = int(re.search(r"timers (-?\d+)", run.stdout).group(1))
        self.assertLess(timers, 100, run.stdout)

    def test_native_threads_that_attach_themselves_are_seen(self):
        library = Settings.agent.parent / "java-tests" / "libattached_threads.so"
        if not library.exists():
            self.skipTest("the library for this test is not built")
        run, profile, _ = self.check_total("sampling.Attached", library, 6, 400_000, method="sampling.Attached.burn",
                                           interval="1ms", interval_ns=1_000_000)
        self.assertIn("ran 6", run.stdout)
        # The Java code of such a thread begins with burn: its context ends there.
        outermost = {context[-1].split("(")[0] for context in profile.samples()
                     if any(frame.startswith("sampling.Attached.burn(") for frame in context)}
        self.assertEqual(outermost, {"sampling.Attached.burn"})

    def test_virtual_threads_show_their_own_frames_and_not_their_carriers(self):
        if self.jvm.major < 21:
            self.skipTest(f"{self.jvm.id} has no virtual threads")
        _, profile, statistics = self.sampled("sampling.Virtual", 2_000)
        burning = {context: weight for context, weight in profile.samples().items()
                   if any(frame.startswith("sampling.Virtual.burn(") for frame in context)}
        total = sum(profile.samples().values())
        print(f"{self.jvm.id} virtual threads: {sum(burning.values())} of {total} samples")
        self.assertGreater(sum(burning.values()), total / 2)
        for context in burning:
            self.assertTrue(any(frame.startswith("sampling.Virtual.runVirtually(") for frame in context), context)
            self.assertFalse([frame for frame in context if "ForkJoin" in frame or "Continuation.enter" in frame], context)
        # While a virtual thread is parked, its frames are on the heap. The JVM copies the outer ones back only when the
        # thread returns to them, and reports only frames on the stack.
        whole = sum(weight for context, weight in burning.items()
                    if any(frame.startswith("java.lang.VirtualThread.run(") for frame in context))
        self.assertGreater(whole, 0)
        self.assertGreater(statistics["carrierFrames"], 0)

    def test_threads_that_were_there_before_the_agent_are_seen(self):
        # The main thread, whose start is not reported to agents; and after an attach, every thread.
        _, profile, _ = self.sampled("sampling.Shares", 500)
        self.assertGreater(self.weight_of(profile, "sampling.Shares.main"), 400)

    def test_threads_that_were_there_before_an_attach_are_seen(self):
        # Counting retransforms their classes while they run; their frames keep the old code.
        process = self.start_java("sampling.Endless", agent=None, ready="ready")
        self.attach(process, f"samples=y,interval=1ms,out={self.folder}/a.iprof")
        process.stdin.write(b"1500\n")  # milliseconds of CPU time for each thread from now on
        process.stdin.flush()
        self.assertEqual(process.wait(PATIENCE_S), 0)
        profile = self.profile("a.iprof")
        for method in ("sampling.Endless.first", "sampling.Endless.second"):
            self.assertGreater(self.weight_of(profile, method), 1_000, method)
        # Positions are those of the class file with either code.
        classes = Callers(lambda owner: (Settings.classes / f"{owner.replace('.', '/')}.class").read_bytes()
                          if owner.startswith("sampling.") else None)
        _, verdicts, wrong = classes.check(profile.samples())
        self.assertGreater(verdicts.get("called", 0), 2_000, verdicts)
        self.assertEqual(wrong, {})

    def threads_of(self, profile, *options):
        """What `iprof top --by thread` says: samples by the name of the thread."""
        rows = json.loads(self.run_tool("top", "--by", "thread", "-n", "0", "--format", "json", *options, self.folder / profile).stdout)["rows"]
        return {row["name"]: row["self"] for row in rows}

    def wait_for(self, process, text):
        deadline = time.monotonic() + PATIENCE_S
        while text not in process.out_path.read_text():
            if process.poll() is not None or time.monotonic() > deadline:
                self.fail(f"the program never said {text!r}:\n{process.err_path.read_text()}")
            time.sleep(0.05)

    def snapshots(self, process):
        return json.loads(self.run_tool("status", process.pid, "--format", "json").stdout)["status"]["snapshots"]

    def check_shares(self, output, profile):
        """The names of NamedThreads have the shares of samples that they have of the CPU time."""
        threads = self.threads_of(profile, "--include", "sampling.NamedThreads$Work")
        burnt = {name: int(ns) for name, ns in re.findall(r"(\S+)=(\d+)", output)}
        # The second name of a thread is seen at the next snapshot.
        burnt["first+late"] = burnt.pop("first") + burnt.pop("late")
        seen = {**{name: threads.get(name, 0) for name in ("pool-*-thread-*", "main")},
                "first+late": threads.get("first name *", 0) + threads.get("late name *", 0)}
        samples = sum(seen.values())
        self.assertGreater(samples, 300, threads)
        for name, ns in burnt.items():
            share, expected = seen[name] / samples, ns / sum(burnt.values())
            print(f"{self.jvm.id} {name}: {share:.3f} of {samples} samples, {expected:.3f} of the CPU time")
            self.assertLess(abs(share - expected), 3 / samples ** 0.5, f"{name}: {threads}")
        self.assertGreater(threads.get("first name *", 0), 0, threads)
        self.assertGreater(threads.get("late name *", 0), 0, threads)

    @on_one_jvm
    def test_samples_know_their_threads(self):
        run = self.run_java("sampling.NamedThreads", 300, agent=f"out=s.iprof,interval=1ms,threads=y,snapshot=100ms,{ONLY_SAMPLES}")
        profile = self.profile("s.iprof")
        self.check_shares(run.stdout, "s.iprof")
        # What an image build reads has no threads.
        self.assertNotIn(";thread", [kind["name"] for kind in profile.document["types"]])
        self.assertFalse([method for method in profile.document["methods"] if "*" in method["name"]])
        samples = sum(profile.samples().values())
        self.assertEqual(sum(self.threads_of("s.iprof").values()), samples)
        # Of one thread, as text for flame graphs, and merged.
        top = json.loads(self.run_tool("top", "--thread", "pool-*", "--format", "json", self.folder / "s.iprof").stdout)
        self.assertEqual(top["samples"], self.threads_of("s.iprof")["pool-*-thread-*"])
        collapsed = self.run_tool("convert", "--to", "collapsed", self.folder / "s.iprof").stdout
        self.assertRegex(collapsed, r"(?m)^\[pool-\*-thread-\*\];java\.lang\.Thread\.run;")
        self.assertRegex(collapsed, r"(?m)^\[main\];sampling\.NamedThreads\.main;sampling\.NamedThreads\$Work\.burn")
        self.run_tool("merge", self.folder / "s.iprof", self.folder / "s.iprof", "-o", self.folder / "twice.iprof")
        self.assertEqual(self.threads_of("twice.iprof"), {name: 2 * weight for name, weight in self.threads_of("s.iprof").items()})
        self.run_tool("check", self.folder / "twice.iprof")

    @on_one_jvm
    def test_threads_of_a_killed_program_are_recovered(self):
        process = self.start_java("sampling.NamedThreads", 200, "stays", ready=None,
                                  agent=f"out=k.iprof,interval=1ms,threads=y,snapshot=100ms,{ONLY_SAMPLES}")
        self.wait_for(process, "burnt")
        before = self.snapshots(process)
        deadline = time.monotonic() + PATIENCE_S
        while self.snapshots(process) < before + 2:  # so one began after all was said
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        process.kill()
        process.wait(PATIENCE_S)
        self.run_tool("recover", self.folder / "k.iraw", "-o", self.folder / "k.iprof")
        self.check_shares(process.out_path.read_text(), "k.iprof")
        self.assertEqual(self.threads_of("k.iraw"), self.threads_of("k.iprof"))

    def test_threads_that_were_there_before_an_attach_have_names(self):
        process = self.start_java("sampling.NamedThreads", 200, "waits", agent=None, ready="ready")
        self.attach(process, f"threads=y,interval=1ms,snapshot=100ms,out={self.folder}/a.iprof,{ONLY_SAMPLES}")
        process.stdin.write(b"go\n")
        process.stdin.close()
        self.assertEqual(process.wait(PATIENCE_S), 0, process.err_path.read_text())
        self.check_shares(process.out_path.read_text(), "a.iprof")

    def test_virtual_threads_have_the_names_of_their_carriers(self):
        if self.jvm.major < 21:
            self.skipTest(f"{self.jvm.id} has no virtual threads")
        self.sampled("sampling.Virtual", 1_000, options=f"threads=y,{ONLY_SAMPLES}")
        burnt = []
        for options in ((), ("--thread", "ForkJoinPool-*-worker-*")):
            rows = json.loads(self.run_tool("top", "-n", "0", "--format", "json", *options, self.folder / "s.iprof").stdout)["rows"]
            burnt.append(sum(row["total"] for row in rows if row["name"].startswith("sampling.Virtual.burn(")))
        self.assertGreater(burnt[0], 100)
        self.assertEqual(burnt[0], burnt[1], self.threads_of("s.iprof"))

    def test_wall_samples_reach_threads_that_sleep_and_park(self):
        _, profile, statistics = self.sampled("sampling.Waits", 1_500, options=f"{ONLY_SAMPLES},event=wall",
                                              interval="5ms")
        self.assertEqual(statistics["event"], "wall")
        weights = {name: self.weight_of(profile, f"sampling.Waits.{name}") for name in ("sleepy", "parked", "works")}
        print(f"{self.jvm.id} wall: {weights}")
        # All three threads live equally long, by any clock: at least the worker's 1.5 s.
        self.assertGreater(min(weights.values()), 1_500 // 5 * 0.9, weights)
        self.assertLess(max(weights.values()) / min(weights.values()), 1.25, weights)
        waiting = [c for c in profile.samples() if any("waitForReference" in f for f in c)]
        self.assertTrue(waiting, "the reference handler, which the JVM started, waits too")
