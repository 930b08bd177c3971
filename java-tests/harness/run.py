#!/usr/bin/env python3
"""Runs one test module on one JVM:  run.py MODULE --jvm ID --matrix FILE --agent SO --classes DIR [--tool IPROF]

Exit status: 0 passed, 1 failed, 77 nothing ran because something is missing (ctest counts it as skipped). A module may
set REQUIRES = "jdk" (a full JDK) or MIN_MAJOR = N. Single tests may skip themselves; they are listed. The last lines are the processor
time of the tests, and of those that took the most, or with IPROF_CPU=1 of each.
"""

import argparse
import importlib.util
import os
import pathlib
import resource
import signal
import sys
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS.parent / "scripts" / "lib")]
sys.dont_write_bytecode = True

from iprofdev import jvms  # noqa: E402
from iprofdev.messages import SKIPPED  # noqa: E402

from harness import scope  # noqa: E402
from harness.case import Settings  # noqa: E402


def skip(reason):
    print(f"SKIPPED: {reason}")
    return SKIPPED


def processor_time_s():
    """The CPU time of the programs that have run so far, and of this one."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)))


class TimedResult(unittest.TextTestResult):
    """Records the elapsed time and the CPU time of each test. On a busy machine only the CPU time is meaningful."""
    SHOWN = None if os.environ.get("IPROF_CPU") == "1" else 5

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.took = []

    def startTest(self, test):  # noqa: N802
        super().startTest(test)
        self.started = processor_time_s(), time.monotonic()

    def stopTest(self, test):  # noqa: N802
        self.took.append((processor_time_s() - self.started[0], time.monotonic() - self.started[1], test.id()))
        super().stopTest(test)

    def print_slowest(self):
        print(f"{processor_time_s():.1f} s of processor time in {sum(wall for _, wall, _ in self.took):.1f} s; the most:")
        for cpu, wall, name in sorted(self.took, reverse=True)[:self.SHOWN]:
            print(f"{cpu:8.1f} s in {wall:6.1f} s  {name}")


def take_signals_again():
    """Under nohup, or in the background of a script, these signals are ignored, and every JVM that we start would
    inherit this."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def main():
    take_signals_again()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("--jvm", required=True)
    parser.add_argument("--matrix", required=True, type=pathlib.Path)
    parser.add_argument("--agent", required=True, type=pathlib.Path)
    parser.add_argument("--classes", required=True, type=pathlib.Path)
    parser.add_argument("--tool", type=pathlib.Path)
    parser.add_argument("--part", choices=scope.PARTS, default="all", help="see harness/scope.py")
    parser.add_argument("-k", dest="only", help="run only the tests whose names hold this")
    arguments = parser.parse_args()

    matrix = jvms.read_list(arguments.matrix)
    if arguments.jvm not in matrix:
        return skip(f"{arguments.jvm} is not on this machine (there are: {', '.join(matrix)})")
    Settings.jvm = matrix[arguments.jvm]
    Settings.agent = arguments.agent.resolve()
    Settings.classes = arguments.classes.resolve()
    Settings.tool = arguments.tool.resolve() if arguments.tool else None
    Settings.part = arguments.part

    spec = importlib.util.spec_from_file_location(arguments.module.stem, arguments.module)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if getattr(module, "REQUIRES", None) == "jdk" and Settings.jvm.kind != "jdk":
        return skip(f"needs a full JDK, and {Settings.jvm.id} is a runtime")
    if Settings.jvm.major < getattr(module, "MIN_MAJOR", 0):
        return skip(f"needs Java {module.MIN_MAJOR}, and {Settings.jvm.id} is {Settings.jvm.major}")

    loader = unittest.TestLoader()
    if arguments.only:
        loader.testNamePatterns = [f"*{arguments.only}*"]
    suite = scope.select(loader.loadTestsFromModule(module), arguments.part, Settings.jvm.id)
    if suite.countTestCases() == 0:
        print(f"{arguments.module} has no such tests")
        return 1
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout, resultclass=TimedResult).run(suite)
    result.print_slowest()
    for test, reason in result.skipped:
        print(f"SKIPPED: {test.id()}: {reason}")
    if not result.wasSuccessful():
        return 1
    return SKIPPED if len(result.skipped) == result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
