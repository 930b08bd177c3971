#!/usr/bin/env python3
"""A package holds what it should, for its processor and C library, and its checksums are right.

usage: contents.py TARGET FOLDER      FOLDER: the unpacked package
"""

import os
import pathlib
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "tests"), str(TESTS.parent / "scripts" / "lib")]
sys.dont_write_bytecode = True
from iprofdev import packages  # noqa: E402

import exports  # noqa: E402
from harness.elf import Elf  # noqa: E402

TARGET, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
del sys.argv[1:3]
MACHINES = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}
DOCUMENTS = ("LICENSE", "README.md", "CHANGELOG.md", "docs/README.md", "docs/options.md", "docs/packages.md")
EXPECTED = {"lib/libiprofagent.so", "bin/iprof", "LICENSE", packages.CHECKSUMS, "share/man/man1/iprof.1",
            "share/bash-completion/completions/iprof", "share/zsh/site-functions/_iprof", "share/fish/vendor_completions.d/iprof.fish",
            "share/java/iprof-jmh.jar",
            *(f"share/doc/iprofagent/{name}" for name in DOCUMENTS)}


class Contents(unittest.TestCase):
    def setUp(self):
        self.target = next(target for target in packages.TARGETS if str(target) == TARGET)
        self.library = Elf(FOLDER / "lib/libiprofagent.so")
        self.tool = Elf(FOLDER / "bin/iprof")

    def test_everything_is_in_it(self):
        self.assertEqual(EXPECTED - {str(path.relative_to(FOLDER)) for path in packages.files_below(FOLDER)}, set())

    def test_the_checksums_are_those_of_all_files(self):
        done = subprocess.run(["sha256sum", "-c", packages.CHECKSUMS], cwd=FOLDER, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(done.stdout.splitlines()) + 1, len(packages.files_below(FOLDER)))

    def test_products_are_for_this_processor(self):
        self.assertEqual({self.library.machine, self.tool.machine}, {MACHINES[self.target.processor]})

    def test_the_library_exports_and_needs_only_what_users_are_told(self):
        libc = packages.OLDEST_GLIBC if self.target.libc == "glibc" else "musl"
        self.assertEqual(list(exports.faults(self.library.path, libc)), [])

    def test_the_tool_needs_only_the_c_library(self):
        if self.target.libc == "musl":
            self.assertEqual((self.tool.needed, "INTERP" in self.tool.segments), (set(), False))
            return
        self.assertEqual(self.tool.needed - exports.GLIBC, set())
        newest = max(self.tool.imports_of("GLIBC"))
        self.assertLessEqual(newest, tuple(map(int, packages.OLDEST_GLIBC.split("."))))

    def test_no_path_of_the_build_machine_is_in_it(self):
        for product in (self.library, self.tool):
            self.assertNotIn(str(packages.ROOT).encode(), product.path.read_bytes())
            self.assertNotIn(os.path.expanduser("~/.cache").encode(), product.path.read_bytes())

    def run_tool(self, *words):
        return subprocess.run([*self.target.emulator, self.tool.path, *words], capture_output=True, text=True, check=False)

    def test_the_tool_runs_and_finds_the_library(self):
        self.assertIn(packages.version(), self.run_tool("version").stdout)
        # It looks for the library before it looks at the process, which is no JVM.
        self.assertIn("is not a JVM", self.run_tool("attach", str(os.getpid())).stderr)

    def test_the_manual_page_is_that_of_the_tool(self):
        self.assertEqual((FOLDER / "share/man/man1/iprof.1").read_text(), self.run_tool("generate", "man").stdout)


if __name__ == "__main__":
    unittest.main()
