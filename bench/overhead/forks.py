"""Runs every workload with every configuration, one fork at a time, round by round, in random order.

Each round runs the workloads in random order, and the configurations of a workload one after the other in random order.
So compared runs are only minutes apart, and no configuration always follows the same other one.
"""

import dataclasses
import os
import random
import sys

from measuring import Failed, measure

LIMIT_S = 900
JVM_ARGS = ["-Xmx1g"]  # so that peak memory does not depend on the machine's memory
NO_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")


def order(workloads, ways, rounds, seed):
    """[(round, workload, configuration)]"""
    chance = random.Random(seed)
    plan = []
    for number in range(rounds):
        for workload in chance.sample(workloads, len(workloads)):
            suitable = [way for way in ways if way.only in ("", workload.kind)]
            plan += [(number, workload, way) for way in chance.sample(suitable, len(suitable))]
    return plan


class Forks:
    def __init__(self, java, folder, quick, limit_s=LIMIT_S):
        self._java, self._folder, self._quick, self._limit_s = java, folder, quick, limit_s
        self._environment = {k: v for k, v in os.environ.items() if k not in NO_OPTIONS}
        self._checksums = {}  # (workload, repetitions) -> (checksum, configuration)
        self.failures = {}  # (workload, configuration) -> message

    def run(self, plan, keep):
        """Calls keep(measurement) for each successful run. After a failure, that pair is left out."""
        for done, (number, workload, way) in enumerate(plan, 1):
            if (workload.name, way.name) in self.failures:
                continue
            try:
                keep(self._one(number, workload, way))
            except Failed as failure:
                self.fail(workload, way, failure)
            if done == len(plan) or plan[done][0] != number:
                print(f"round {number + 1} done", file=sys.stderr, flush=True)

    def _one(self, number, workload, way):
        labels = {"round": number, "workload": workload.name, "configuration": way.name}
        if self._quick:
            return self.process(workload, way, workload.quick, labels)
        if not workload.process:
            return self.process(workload, way, _fewer(workload.full, way), labels)
        steady = self.process(workload, way, _fewer(workload.full, way), labels, ["-Xbatch"])
        whole = self.process(workload, way, _fewer(workload.process, way), labels)
        return dataclasses.replace(whole, steady_ms=steady.steady_ms, before_ms=steady.before_ms)

    def fail(self, workload, way, failure):
        self.failures[workload.name, way.name] = str(failure)
        print(f"FAILED: {workload.name} under {way.name}: {failure}", file=sys.stderr)

    def process(self, workload, way, repetitions, labels, jvm_args=()):
        measured = self.unchecked(workload, way, repetitions, labels, jvm_args)
        self.check(workload, repetitions, way, measured)
        return measured

    def unchecked(self, workload, way, repetitions, labels, jvm_args=(), turn=None, output=None):
        """The same without check(), for any thread. `output`: a folder for what the program writes, if another runs at the same time."""
        if way.writes:
            way.writes.unlink(missing_ok=True)
        command = [self._java, *JVM_ARGS, *jvm_args, *way.jvm_args,
                   *workload.command(self._folder, repetitions, self._quick, output)]
        measured = measure(command, self._environment, self._limit_s, turn, **labels)
        if way.writes and not (way.writes.exists() and way.writes.stat().st_size):
            raise Failed(f"wrote no {way.writes.name}: {' '.join(map(str, command))}")
        return measured

    def check(self, workload, repetitions, way, measured):
        """Raises Failed if the same work has had another result before."""
        expected, by = self._checksums.setdefault((workload.name, repetitions), (measured.checksum, way.name))
        if measured.checksum != expected:
            raise Failed(f"computes {measured.checksum}, not {expected} as under {by}")


def _fewer(repetitions, way):
    return max(repetitions // way.slowness, min(repetitions, 4))
