"""Sampling at 1 ms while everything that is hard on it goes on at once: no crash, no deadlock, and the counters add up.

IPROF_CHAOS_SECONDS is the time for one JVM (75 by default, so that four JVMs take five minutes; 900 make it an hour),
spread over every collector, with counting off and on, and with JFR beside.
"""

import json
import os

from harness.case import AgentCase

SECONDS = int(os.environ.get("IPROF_CHAOS_SECONDS", "75"))

COUNTING = {"samples only": "calls=n,branches=n", "counting too": ""}


class SamplingChaos(AgentCase):
    def configurations(self):
        for collector in ("UseSerialGC", "UseParallelGC", "UseG1GC", "UseZGC"):
            for name, options in COUNTING.items():
                yield f"{collector}, {name}", options, [f"-XX:+{collector}", "-Xmx256m"]
        yield "JFR beside", COUNTING["samples only"], ["-XX:StartFlightRecording:filename=x.jfr,settings=profile"]
        yield "wall", "calls=n,branches=n,event=wall", []

    def test_it_survives(self):
        every = list(self.configurations())
        seconds = max(2, SECONDS // len(every))
        for name, options, jvm_args in every:
            with self.subTest(name):
                run = self.run_java("sampling.Chaos", seconds, jvm_args=["-Xss512k", *jvm_args], expect=None,
                                    agent=f"out=c.iprof,interval=1ms,depth=200,{options}", timeout=seconds * 10 + 240)
                self.assertEqual((run.code, run.stdout.splitlines()[-1:]), (0, ["survived"]), run)
                statistics = self.profile("c.iprof").document["iprofSampling"]
                print(f"{self.jvm.id} {name}: {json.dumps(statistics)}")
                self.assertEqual(statistics["good"] + statistics["recovered"] + statistics["failed"],
                                 statistics["signals"], statistics)
                self.assertGreater(statistics["signals"], 100)
                self.assertNotIn("crashed", statistics["outcomes"])
