#!/usr/bin/env python3
"""Runs one test module on one JVM:  run.py MODULE --jvm ID --matrix FILE --agent SO --classes DIR [--tool IPROF]

Exit status: 0 passed, 1 failed, 77 nothing ran because something is missing (ctest counts it as skipped). A module
may set REQUIRES = "jdk" (a full JDK) or MIN_MAJOR = N; single tests skip themselves and are listed.
"""

import argparse
import importlib.util
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True

from harness.case import Settings  # noqa: E402
from harness.jvms import read_matrix  # noqa: E402

SKIPPED = 77


def skip(reason):
    print(f"SKIPPED: {reason}")
    return SKIPPED


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("--jvm", required=True)
    parser.add_argument("--matrix", required=True, type=pathlib.Path)
    parser.add_argument("--agent", required=True, type=pathlib.Path)
    parser.add_argument("--classes", required=True, type=pathlib.Path)
    parser.add_argument("--tool", type=pathlib.Path)
    parser.add_argument("-k", dest="only", help="run only the tests whose names hold this")
    arguments = parser.parse_args()

    matrix = read_matrix(arguments.matrix)
    if arguments.jvm not in matrix:
        return skip(f"{arguments.jvm} is not on this machine (there are: {', '.join(matrix)})")
    Settings.jvm = matrix[arguments.jvm]
    Settings.agent = arguments.agent.resolve()
    Settings.classes = arguments.classes.resolve()
    Settings.tool = arguments.tool.resolve() if arguments.tool else None

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
    suite = loader.loadTestsFromModule(module)
    if suite.countTestCases() == 0:
        print(f"{arguments.module} has no such tests")
        return 1
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(suite)
    for test, reason in result.skipped:
        print(f"SKIPPED: {test.id()}: {reason}")
    if not result.wasSuccessful():
        return 1
    return SKIPPED if len(result.skipped) == result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
