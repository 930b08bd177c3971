"""SamplingCase: shared by the tests of sampling. It runs a program with samples and returns its profile and statistics,
which must add up."""

import json

from harness.case import AgentCase

ONLY_SAMPLES = "calls=n,branches=n"


class SamplingCase(AgentCase):
    agent_defaults = {"image": "n"}

    def sampled(self, program, *args, options=ONLY_SAMPLES, jvm_args=(), interval="1ms"):
        """Runs a program; returns (its run, profile, statistics)."""
        run = self.run_java(program, *args, agent=f"out=s.iprof,interval={interval},{options}", jvm_args=jvm_args)
        profile = self.profile("s.iprof")
        statistics = profile.section["sampling"]
        self.assertEqual(statistics["good"] + statistics["recovered"] + statistics["failed"], statistics["signals"],
                         statistics)
        print(f"{self.jvm.id} {program}: {json.dumps(statistics)}")
        return run, profile, statistics

    @staticmethod
    def weight_of(profile, method):
        """The weight of the samples that have a method, given as "a.B.name", on their stack."""
        return sum(weight for context, weight in profile.samples().items()
                   if any(frame.startswith(f"{method}(") for frame in context))
