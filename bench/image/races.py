"""Runs the images and compares their speed: one at a time, round by round, in random order."""

import dataclasses
import sys

from measuring import Failed, measure
from programs import HEAP, checksum_of
from recipes import IMAGE, JVM, RUN_LIMIT_S


class Races:
    """Use: run(order(programs, ways, rounds, seed), keep). A pair that failed once is left out from then on."""

    def __init__(self, works, recipes, environment, failures):
        self._works, self._recipes, self._environment = works, recipes, environment
        self._expected = {}  # program -> the checksum in a JVM
        self.failures = failures  # (program, way) -> message; of earlier steps, too

    def run(self, plan, keep):
        for done, (number, program, way) in enumerate(plan, 1):
            if (program.name, way.name) in self.failures:
                continue
            try:
                keep(self._one(number, program, way.name))
            except Failed as failure:
                self.failures[program.name, way.name] = str(failure)
            if done == len(plan) or plan[done][0] != number:
                print(f"round {number + 1} done", file=sys.stderr, flush=True)

    def _one(self, number, program, way):
        work = self._works[program.name]
        expected = self._checksum_in_jvm(work)
        measured = self._measured(work, way, number)
        if measured.checksum != expected:
            raise Failed(f"computes {measured.checksum or 'nothing'}, not {expected} as in a JVM")
        return measured

    def _checksum_in_jvm(self, work):
        """From a run that is not measured, so that it does not matter which image runs first."""
        name = work.program.name
        if name not in self._expected:
            self._expected[name] = self._measured(work, JVM, 0).checksum
        if not self._expected[name]:
            raise Failed("computes nothing in a JVM")
        return self._expected[name]

    def _measured(self, work, way, number):
        output = work.output()
        measured = measure(self._command(work, way, output), self._environment, RUN_LIMIT_S, round=number, workload=work.program.name,
                           configuration=way)
        return dataclasses.replace(measured, checksum=measured.checksum or checksum_of(output))

    def _command(self, work, way, output):
        if way == JVM:
            return self._recipes.command_in_jvm(work, output)
        return [self._recipes.image(work, way).folder / IMAGE, HEAP, *work.arguments(output)]
