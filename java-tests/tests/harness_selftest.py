#!/usr/bin/env python3
"""Tests the harness itself: names, tables, violations and diffs."""

import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS.parent / "scripts" / "lib")]
sys.dont_write_bytecode = True

from harness import scope  # noqa: E402
from harness.case import official_schemas  # noqa: E402
from harness.profile import Profile, difference, violations  # noqa: E402

NAMES = ["boolean", "byte", "short", "char", "int", "float", "long", "double", "void", "java.lang.Object"]


def document():
    return {
        "version": "1.0.0",
        "types": [{"id": i, "name": name} for i, name in enumerate(NAMES)] + [{"id": 10, "name": "a.B"}],
        "methods": [{"id": 1, "name": "run", "signature": [10, 8, 4]}, {"id": 2, "name": "main", "signature": [10, 8]}],
        "callCountProfiles": [{"ctx": "1:0<2:7", "records": [5]}, {"ctx": "1:0", "records": [2]}],
        "conditionalProfiles": [{"ctx": "1:3", "records": [9, 0, 4, 6, 1, 3]}],
        "monitorProfiles": [{"ctx": "0:0", "records": [10, 7]}],
    }


class HarnessSelfTest(unittest.TestCase):
    def test_names_and_tables(self):
        profile = Profile(document())
        self.assertEqual(profile.methods, {"a.B.run(int)void", "a.B.main()void"})
        self.assertEqual(profile.calls()[("a.B.run(int)void:0", "a.B.main()void:7")], 5)
        self.assertEqual(profile.calls_of("a.B.run"), 7)
        self.assertEqual(profile.calls_of("a.B.ru"), 0)
        self.assertEqual(profile.branches(), {("a.B.run(int)void:3",): {(9, 0): 4, (6, 1): 3}})
        self.assertEqual(profile.monitors(), {"a.B": 7})

    def test_a_sound_profile_has_no_violations(self):
        self.assertEqual(violations(document()), [])

    def test_each_violation_is_found(self):
        def broken(change):
            broken_document = document()
            change(broken_document)
            return violations(broken_document)
        changes = [
            (lambda d: d.pop("version"), "version is missing"),
            (lambda d: d["types"].append({"id": 10, "name": "x"}), "type id 10 is there twice"),
            (lambda d: d["types"].append({"id": 11, "name": "a.B"}), "type name a.B is there twice"),
            (lambda d: d["types"][0].update(name="bool"), "type 0 is bool, not boolean"),
            (lambda d: d["methods"][0]["signature"].append(99), "method 1 names type 99, which is not declared"),
            (lambda d: d["methods"].append({"id": 3, "name": "main", "signature": [10, 8]}),
             "method 3 is another's twin: ('main', 10, 8)"),
            (lambda d: d["callCountProfiles"].append({"ctx": "9:0", "records": [1]}),
             "callCountProfiles: 9:0 names a method that is not declared"),
            (lambda d: d["callCountProfiles"][0]["records"].append(1), "callCountProfiles: 1:0<2:7 has 2 integers"),
            (lambda d: d["conditionalProfiles"][0]["records"].append(1), "conditionalProfiles: 1:3 has 7 integers"),
            (lambda d: d["monitorProfiles"][0].update(records=[99, 1]),
             "monitorProfiles: 0:0 names type 99, which is not declared"),
        ]
        for change, message in changes:
            with self.subTest(message=message):
                self.assertIn(message, broken(change))

    def test_the_official_schema_accepts_and_refuses(self):
        schemas = official_schemas()
        if schemas is None:
            self.skipTest("the official schemas or their validator are not here")
        self.assertEqual(schemas.violations(document()), [])
        wrong = document()
        wrong["callCountProfiles"][0]["ctx"] = "1:5<2:7"
        (said,) = schemas.violations(wrong)
        self.assertIn("$.callCountProfiles[0].ctx: ", said)

    def test_a_difference_can_be_read(self):
        self.assertEqual(difference({"a", "b"}, {"b", "c"}).splitlines()[3:], ["-a", " b", "+c"])
        self.assertEqual(difference({1: 2}, {1: 2}), "")


class Marked:
    """Tests like those of a module. Not a test case itself, so that only select() sees it."""
    class Tests(unittest.TestCase):
        def test_everywhere(self):
            pass

        @scope.on_one_jvm
        def test_on_one(self):
            pass

        @scope.in_proof
        def test_long(self):
            pass

    @scope.in_proof
    class Long(unittest.TestCase):
        def test_of_a_long_class(self):
            pass

        @scope.on_one_jvm
        def test_on_one_of_a_long_class(self):
            pass


class ScopeSelfTest(unittest.TestCase):
    def names(self, part, jvm):
        load = unittest.defaultTestLoader.loadTestsFromTestCase
        suite = unittest.TestSuite([load(Marked.Tests), load(Marked.Long)])
        return {test._testMethodName for test in scope.select(suite, part, jvm)}

    def test_what_runs_where(self):
        self.assertEqual(self.names("test", "jdk17"), {"test_everywhere", "test_on_one"})
        self.assertEqual(self.names("test", "jre25"), {"test_everywhere"})

    def test_no_test_is_lost(self):
        for jvm in ("jdk17", "jre25"):
            test, proof = self.names("test", jvm), self.names("proof", jvm)
            self.assertEqual(test & proof, set())
            self.assertEqual(test | proof, self.names("all", jvm))
            self.assertEqual(len(test | proof), 5)


unittest.main()
