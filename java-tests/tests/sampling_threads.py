"""Every thread is sampled: thousands of short ones, virtual ones, attached native ones, earlier ones, waiting ones.

Programs run for a given CPU time, so that a busy machine makes the tests slower but not different.
"""

import re

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.sampling_case import ONLY_SAMPLES, SamplingCase
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
