#!/usr/bin/env python3
"""No test is lost: every test of a module that scripts/test does not run on a JVM runs in scripts/proof.

usage: every_test_runs.py BUILD_FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop(1))
TESTS = pathlib.Path(__file__).resolve().parent
ONE_JVM, NEWEST_JVMS = "jdk17", ("jre25", "jdk25")


def registered():
    """module -> {jvm: {part: labels}}, as registered in ctest."""
    listed = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    found = {}
    for test in json.loads(listed)["tests"]:
        command = test.get("command", [])
        if "--part" not in command:
            continue
        module = pathlib.Path(next(word for word in command if word.startswith(str(TESTS)))).stem
        jvm, part = (command[command.index(option) + 1] for option in ("--jvm", "--part"))
        labels = next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
        found.setdefault(module, {}).setdefault(jvm, {})[part] = labels
    return found


def marks(module):
    return set(re.findall(r"^ *@(on_one_jvm|on_newest_jvm|in_proof)$", (TESTS / f"{module}.py").read_text(), re.M))


class EveryTestRuns(unittest.TestCase):
    def setUp(self):
        self.registered = registered()
        if not self.registered:
            self.skipTest("a build with a sanitizer has no Java tests")

    def test_every_module_is_registered(self):
        modules = {path.stem for path in TESTS.glob("*.py") if re.search(r"^class \w+\(\w*Case\):", path.read_text(), re.M)}
        modules = {name for name in modules if "unittest.main(" not in (TESTS / f"{name}.py").read_text()}
        self.assertEqual(modules - set(self.registered), set())

    def test_the_parts_of_a_module_make_up_the_whole(self):
        for module, jvms in self.registered.items():
            self.assertTrue([jvm for jvm, parts in jvms.items() if "test" in parts], f"scripts/test runs nothing of {module}")
            for jvm, parts in jvms.items():
                with self.subTest(module=module, jvm=jvm):
                    left = marks(module) - ({"on_one_jvm"} if jvm == ONE_JVM else {"on_newest_jvm"})
                    self.assertIn(set(parts), [{"all"}, {"test", "proof"}] if left else [{"all"}, {"test"}])
                    for part, labels in parts.items():
                        self.assertEqual("proof" in labels, part != "test", labels)

    def test_a_marked_test_runs_somewhere(self):
        """Marked tests are registered on a JVM of their mark."""
        for module, jvms in self.registered.items():
            for mark, marked in (("on_one_jvm", (ONE_JVM,)), ("on_newest_jvm", NEWEST_JVMS)):
                if mark in marks(module):
                    self.assertTrue([jvm for jvm in marked if "test" in jvms.get(jvm, {})], (module, mark))


unittest.main()
