"""A thread that faulted inside HotSpot's AsyncGetCallTrace goes on as before.

The agent jumps out of the fault, so HotSpot's destructors do not run. On 17 and later one of them would clear the thread's mark "in
AsyncGetCallTrace". With the mark, HotSpot does not add to a cache of positions in compiled code when this thread looks one up, and
nothing else: docs/lab/sampling.md shows how to see that in libjvm. Here every thread faults, and then has its stack walked in every way."""

import re

from harness.case import Settings
from harness.sampling_case import ONLY_SAMPLES, SamplingCase

THREADS, ROUNDS = 4, 3_000


class AsgctFaults(SamplingCase):
    def seen(self, run):
        return re.findall(r"^saw .*", run.stdout, re.M)

    def test_threads_go_on_after_a_fault(self):
        flags = ["-Xmx128m", "-XX:+UseSerialGC"]
        alone = self.run_java("sampling.Walked", THREADS, ROUNDS, agent=None, jvm_args=flags)
        self.assertEqual(len(self.seen(alone)), THREADS)
        library = Settings.agent.parent / "java-tests" / "libasgct_faults.so"
        run = self.run_java("sampling.Walked", THREADS, ROUNDS, agent=f"out=s.iprof,interval=1ms,depth=1000,force=always,{ONLY_SAMPLES}",
                            jvm_args=flags, env={"LD_PRELOAD": str(library)})
        self.assertEqual(self.seen(run), self.seen(alone))
        profile = self.profile("s.iprof")
        outcomes = profile.section["sampling"]["outcomes"]
        spent = [int(re.search(r"spent (\d+)", each.stdout).group(1)) // 1_000_000 for each in (alone, run)]
        print(f"{self.jvm.id}: {spent[0]} ms of CPU time alone, {spent[1]} ms after the faults: {outcomes}")
        # These have faulted, and are asked no more.
        self.assertEqual(outcomes["crashed"][0], THREADS, outcomes)
        self.assertGreater(outcomes["after_crash"][0], THREADS, outcomes)
