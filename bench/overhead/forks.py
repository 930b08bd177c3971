"""One fork of a workload with a configuration: its commands, and whether it computes what the others do."""

import dataclasses

from runner import results, rounds
from runner.running import Failed

JVM_ARGS = ["-Xmx1g"]  # so that peak memory does not depend on the machine's memory


class Forks:
    def __init__(self, java, folder, quick, limit_s):
        self._java, self._folder, self._quick, self._limit_s = java, folder, quick, limit_s
        self._checksums = {}  # (workload, repetitions) -> (checksum, configuration)
        self.failures = {}  # as rounds.run() wants it

    def one(self, number, workload, way):
        """The measurement of one fork. Raises Failed."""
        if self._quick or not workload.process:
            return self._checked(number, workload, way, workload.quick if self._quick else workload.full)
        steady = self._checked(number, workload, way, workload.full, ["-Xbatch"])
        whole = self._checked(number, workload, way, workload.process)
        return dataclasses.replace(whole, steady_ms=steady.steady_ms, before_ms=steady.before_ms)

    def fail(self, workload, way, failure):
        rounds.fail((workload.name, way.name), failure, self.failures)

    def _checked(self, number, workload, way, repetitions, jvm_args=()):
        measured = self.unchecked(number, workload, way, repetitions, jvm_args)
        self.check(workload, repetitions, way, measured)
        return measured

    def unchecked(self, number, workload, way, repetitions, jvm_args=(), output=None, beside=None):
        """The same without check(), for any thread. `output`: a folder for what the program writes, if another runs at the same time."""
        if way.writes:
            way.writes.unlink(missing_ok=True)
        command = [self._java, *JVM_ARGS, *jvm_args, *way.jvm_args, *workload.command(self._folder, repetitions, self._quick, output)]
        measured = results.measure((number, workload.name, way.name), command, limit_s=self._limit_s, beside=beside)
        if way.writes and not (way.writes.exists() and way.writes.stat().st_size):
            raise Failed(f"wrote no {way.writes.name}: {' '.join(map(str, command))}")
        return measured

    def check(self, workload, repetitions, way, measured):
        """Raises Failed if the same work has had another result before."""
        expected, by = self._checksums.setdefault((workload.name, repetitions), (measured.checksum, way.name))
        if measured.checksum != expected:
            raise Failed(f"computes {measured.checksum}, not {expected} as under {by}")
