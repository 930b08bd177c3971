"""Tests of what programs get and give, and of GraalVM's versions."""

import pathlib
import unittest

from image import programs
from image.graalvm import GraalVm
from runner.folder_case import FolderCase

HOME = pathlib.Path("/graalvm")


def version(java, edition):
    return (f"native-image {java} 2025-10-21\nGraalVM Runtime Environment {edition} (build {java}+8-LTS-jvmci-b01)\n"
            f"Substrate VM {edition} (build {java}+8-LTS, serial gc, compressed references)")


class Programs(FolderCase):
    def test_each_input_that_a_program_is_given_is_there(self):
        works = set()
        for program in programs.PROGRAMS:
            for quick in (True, False):
                with self.subTest(program=program.name, quick=quick):
                    folder = self.folder / f"{program.name}-{quick}"
                    folder.mkdir()
                    program.write_input(folder, quick)
                    given = {pathlib.Path(word) for word in program.arguments(folder, self.folder / "out", quick) if word.startswith(f"{folder}/")}
                    self.assertEqual(given, set(folder.iterdir()))
                    works.add(program.work(quick))
        self.assertEqual(len(works), 2 * len(programs.PROGRAMS))
        self.assertIn("grammar Language12;", (self.folder / "antlr-False" / "Language12.g4").read_text())

    def test_a_checksum_is_that_of_names_and_contents(self):
        self.assertEqual(programs.checksum_of(self.folder), "")
        (self.folder / "a").write_text("1")
        first = programs.checksum_of(self.folder)
        self.assertEqual(first, programs.checksum_of(self.folder))
        (self.folder / "a").rename(self.folder / "b")
        self.assertNotEqual(first, programs.checksum_of(self.folder))


class Versions(unittest.TestCase):
    def test_name_version_of_java_and_whether_it_takes_profiles(self):
        enterprise = "GraalVM 22.3.0 Java 17 EE (Java Version 17.0.5+9-LTS-jvmci-22.3-b07)"
        for text, said, name, major, takes_profiles in (
                (version("25.0.1", "Oracle GraalVM 25.0.1+8.1"), "", "Oracle GraalVM 25.0.1+8.1", 25, True),
                (enterprise, "", enterprise, 17, True),
                (version("21.0.2", "GraalVM CE 21.0.2+13.1"), "usage\n    -O <level>", "GraalVM CE 21.0.2+13.1", 21, False),
                (version("25.0.1", "Another VM"), "usage\n    --pgo                 a comma-separated list of files", "Another VM", 25, True),
                ("something else", "", "something else", None, False)):
            with self.subTest(text):
                found = GraalVm(HOME, text, said)
                self.assertEqual((found.name, found.major, found.takes_profiles), (name, major, takes_profiles))

    def test_a_fallback_is_forbidden_where_there_is_that_option(self):
        for said, expected in (("    --no-fallback         build stand-alone image or report failure", ["--no-fallback", "-O3"]), ("", ["-O3"])):
            command = GraalVm(HOME, "", said).build("Main", ["config", "main.jar"], "image", ["-O3"])
            self.assertEqual(command, [HOME / "bin" / "native-image", *expected, "-cp", "config:main.jar", "-o", "image", "Main"])
