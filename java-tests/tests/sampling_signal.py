"""The sampling signal: what happens if another library takes it, and what threads cost that never get a signal."""

import re

from harness.case import Settings
from harness.sampling_case import ONLY_SAMPLES, SamplingCase

DEFAULT, IGNORED, HANDLED = 0, 1, 2


class SamplingSignal(SamplingCase):
    def thief(self, action, options=""):
        """A run with the library that takes the signals; its profile must contain the earlier samples."""
        library = Settings.agent.parent / "java-tests" / "libsignal_thief.so"
        run, profile, statistics = self.sampled("sampling.Thief", library, action, 400,
                                                options=f"{ONLY_SAMPLES},verbose=1{options}")
        self.assertIn("lived", run.stdout)
        self.assertGreater(self.weight_of(profile, "sampling.Thief.before"), 200)
        return run, profile, statistics

    def test_a_library_that_takes_the_signal_ends_sampling_and_not_the_program(self):
        for action, reason in ((DEFAULT, "has reset SIGURG, the sampling signal, to its default action"),
                               (IGNORED, "ignores SIGURG, the sampling signal"),
                               (HANDLED, "handles SIGURG, the sampling signal")):
            with self.subTest(action=action):
                run, profile, statistics = self.thief(action)
                reason = f"something else in this process {reason}"
                self.assertEqual(run.stderr.count(f"sampling ended early: {reason}; earlier samples are kept"),
                                 1, run)
                self.assertEqual(statistics["stopReason"], reason)
                self.assertGreaterEqual(statistics["stoppedAfterMs"], 400)
                self.assertRegex(run.stderr, r"sampling ended [0-9.]+ s after its start: something else")
                # There are no samples from the time when the signal was taken.
                self.assertEqual(self.weight_of(profile, "sampling.Thief.after"), 0)

    def test_a_run_without_a_loss_tells_of_none(self):
        run, _, statistics = self.sampled("sampling.Shares", 300)
        self.assertNotIn("stoppedAfterMs", statistics)
        self.assertNotIn("ended early", run.stderr)

    def test_threads_that_wait_cost_the_sampler_nothing(self):
        run, _, statistics = self.sampled("sampling.Idle", 2_000, 2_000)
        self.assertGreater(statistics["threads"], 2_000)
        few, many = map(int, re.search(r"sampler (\d+) then (\d+)", run.stdout).groups())
        print(f"{self.jvm.id}: the sampler used {few / 1e6:.2f} ms of CPU time beside 200 threads that wait, {many / 1e6:.2f} ms beside 2,000")
        # A system call for each thread in each of its rounds would cost ten times as much.
        self.assertLess(many, 4 * few)
