"""Decides which tests of a module run in scripts/test, and which only in scripts/proof.

For each module, java-tests/CMakeLists.txt says on which JVMs scripts/test runs it: on the OLDEST_AND_NEWEST version of
Java, or on ONE_JVM. Single tests or classes of tests can restrict this:

  @on_one_jvm     one JVM is enough in each run: scripts/test runs it on jdk17
  @on_newest_jvm  the same on Java 25
  @in_proof       it is slow, and faster tests check the same: scripts/test does not run it

A test runs where its own mark and that of its class both allow it: in a class @in_proof, also a test that is marked @on_one_jvm, and was
inherited, is left to the proof.

scripts/proof runs everything that scripts/test leaves out, as the ctest proof.<module>.<jvm>.
"""

import unittest

ONE_JVM = "jdk17"
NEWEST_JVMS = ("jre25", "jdk25")
PARTS = ("test", "proof", "all")
_ATTRIBUTE = "iprof_runs_on"


def on_one_jvm(item):
    setattr(item, _ATTRIBUTE, (ONE_JVM,))
    return item


def on_newest_jvm(item):
    setattr(item, _ATTRIBUTE, NEWEST_JVMS)
    return item


def in_proof(item):
    setattr(item, _ATTRIBUTE, ())
    return item


def _belongs_to_test(case, jvm):
    marks = (getattr(marked, _ATTRIBUTE, None) for marked in (getattr(case, case._testMethodName), type(case)))
    return all(jvms is None or jvm in jvms for jvms in marks)


def select(suite, part, jvm):
    """The tests of a suite that belong to a part on that JVM. `proof` is what `test` leaves out."""
    chosen = unittest.TestSuite()
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            chosen.addTests(select(each, part, jvm))
        elif part == "all" or (part == "test") == _belongs_to_test(each, jvm):
            chosen.addTest(each)
    return chosen
