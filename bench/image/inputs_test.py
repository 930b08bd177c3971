"""Tests of what programs get and give, and of GraalVM's versions."""

import pathlib
import tempfile
import unittest

from image import programs
from image.graalvm import GraalVm


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_each_input_that_a_program_is_given_is_there(self):
        for program in programs.PROGRAMS:
            for quick in (True, False):
                with self.subTest(program=program.name, quick=quick):
                    folder = self.folder / f"{program.name}-{quick}"
                    folder.mkdir()
                    program.write_input(folder, quick)
                    given = {pathlib.Path(word) for word in program.arguments(folder, self.folder / "out", quick) if word.startswith(f"{folder}/")}
                    self.assertEqual(given, set(folder.iterdir()))

    def test_copies_have_numbered_names_inside_and_outside(self):
        antlr = next(program for program in programs.PROGRAMS if program.name == "antlr")
        antlr.write_input(self.folder, quick=False)
        self.assertEqual(len(list(self.folder.iterdir())), antlr.full)
        self.assertIn("grammar Language12;", (self.folder / "Language12.g4").read_text())

    def test_the_work_is_known_by_all_that_decides_it(self):
        works = [program.work(quick) for program in programs.PROGRAMS for quick in (True, False)]
        self.assertEqual(len(set(works)), 2 * len(programs.PROGRAMS))
        self.assertEqual(works[0], programs.PROGRAMS[0].work(True))

    def test_a_checksum_is_that_of_names_and_contents(self):
        self.assertEqual(programs.checksum_of(self.folder), "")
        (self.folder / "a").write_text("1")
        first = programs.checksum_of(self.folder)
        self.assertEqual(first, programs.checksum_of(self.folder))
        (self.folder / "a").rename(self.folder / "b")
        self.assertNotEqual(first, programs.checksum_of(self.folder))


class Versions(unittest.TestCase):
    ENTERPRISE = "GraalVM 22.3.0 Java 17 EE (Java Version 17.0.5+9-LTS-jvmci-22.3-b07)"

    @staticmethod
    def version(java, edition):
        return (f"native-image {java} 2025-10-21\nGraalVM Runtime Environment {edition} (build {java}+8-LTS-jvmci-b01)\n"
                f"Substrate VM {edition} (build {java}+8-LTS, serial gc, compressed references)")

    def test_name_version_of_java_and_whether_it_takes_profiles(self):
        for text, name, major, takes_profiles in (
                (self.version("25.0.1", "Oracle GraalVM 25.0.1+8.1"), "Oracle GraalVM 25.0.1+8.1", 25, True),
                (self.version("17.0.7", "Oracle GraalVM"), "Oracle GraalVM", 17, True),
                (self.ENTERPRISE, self.ENTERPRISE, 17, True),
                (self.version("21.0.2", "GraalVM CE 21.0.2+13.1"), "GraalVM CE 21.0.2+13.1", 21, False),
                (self.version("23.0.1", "Mandrel-24.1.1.0-Final"), "Mandrel-24.1.1.0-Final", 23, False),
                ("something else", "something else", None, False)):
            with self.subTest(text):
                found = GraalVm(pathlib.Path("/graalvm"), text)
                self.assertEqual((found.name, found.major, found.takes_profiles), (name, major, takes_profiles))

    def test_another_edition_takes_profiles_if_its_help_says_so(self):
        text = self.version("25.0.1", "Another VM")
        self.assertTrue(GraalVm(pathlib.Path("/graalvm"), text, "usage\n    --pgo                 a comma-separated list of files").takes_profiles)
        self.assertFalse(GraalVm(pathlib.Path("/graalvm"), text, "usage\n    -O <level>").takes_profiles)

    def test_a_fallback_is_forbidden_where_there_is_that_option(self):
        for said, expected in (("    --no-fallback         build stand-alone image or report failure", ["--no-fallback", "-O3"]), ("", ["-O3"])):
            command = GraalVm(pathlib.Path("/graalvm"), "", said).build("Main", ["config", "main.jar"], "image", ["-O3"])
            self.assertEqual(command, [pathlib.Path("/graalvm/bin/native-image"), *expected, "-cp", "config:main.jar", "-o", "image", "Main"])
