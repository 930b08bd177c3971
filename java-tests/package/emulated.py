"""The agent on another processor, under emulation: counts are those of the programs, and samples are of where they
spend their time. Emulation says nothing about speed, so nothing here depends on times.
"""

from harness.case import C1_ONLY
from harness.sampling_case import ONLY_SAMPLES, SamplingCase
from oracle.counting_case import CountingCase


class Counts(CountingCase):
    jvm_defaults = C1_ONLY

    def test_the_program_runs_as_without_the_agent(self):
        self.assertEqual(self.run_java("Fib", agent="out=x.iprof").stdout, self.run_java("Fib", agent=None).stdout)
        self.assertIn("Fib.fibonacci()int", self.profile("x.iprof").methods)

    def test_counts_are_those_of_the_program(self):
        self.check("All", 0)


class Samples(SamplingCase):
    jvm_defaults = C1_ONLY

    def test_samples_are_of_where_the_time_goes(self):
        _, profile, _ = self.sampled("sampling.Lines", 2000, options=f"{ONLY_SAMPLES},receivers=n,monitors=n", interval="10ms")
        samples = profile.samples()
        self.assertGreater(self.weight_of(profile, "sampling.Lines.fifty"), sum(samples.values()) / 2, samples)
