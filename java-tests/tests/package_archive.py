#!/usr/bin/env python3
"""The archive of a package depends only on what is in it, and its checksums are those of its files."""

import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path[:0] = [str(ROOT / "scripts" / "lib")]
sys.dont_write_bytecode = True
from iprofdev import apt, debian_source, packages  # noqa: E402

FILES = {"lib/libiprofagent.so": "library", "bin/iprof": "tool", "share/doc/iprofagent/docs/tool.md": "page", "LICENSE": "licence"}


class Archive(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iprof-archive.")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def packed(self, name, files, time_s, umask=0o22):
        top = self.folder / name / "iprofagent-1"
        before = os.umask(umask)
        for number, path in enumerate(files):
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(FILES[path])
            os.utime(top / path, (number, number))
        (top / "bin/iprof").chmod(0o755)
        packages.write_checksums(top)
        packages.write_archive(top, self.folder / f"{name}.tar.gz", time_s)
        os.umask(before)
        return (self.folder / f"{name}.tar.gz").read_bytes()

    def test_the_same_files_give_the_same_bytes(self):
        first = self.packed("a", FILES, 1000)
        self.assertEqual(first, self.packed("b", reversed(FILES), 1000, umask=0o77))
        self.assertNotEqual(first, self.packed("c", FILES, 1001))

    def test_what_is_unpacked_is_what_was_packed(self):
        self.packed("a", FILES, 1000)
        with tarfile.open(self.folder / "a.tar.gz") as archive:
            self.assertEqual({(item.mtime, item.uid, item.gid, item.uname) for item in archive}, {(1000, 0, 0, "")})
            archive.extractall(self.folder / "unpacked")
        top = self.folder / "unpacked" / "iprofagent-1"
        self.assertEqual({str(path.relative_to(top)): path.read_text() for path in packages.files_below(top)
                          if path.name != packages.CHECKSUMS}, FILES)
        self.assertTrue(os.access(top / "bin/iprof", os.X_OK))
        self.assertEqual(subprocess.run(["sha256sum", "-c", packages.CHECKSUMS], cwd=top, capture_output=True, check=False).returncode, 0)
        (top / "LICENSE").write_text("another")
        self.assertEqual(subprocess.run(["sha256sum", "-c", packages.CHECKSUMS], cwd=top, capture_output=True, check=False).returncode, 1)


class AptLists(unittest.TestCase):
    def test_both_forms_become_lists_of_sources(self):
        self.assertEqual(debian_source.as_sources("# deb a\ndeb [arch=amd64] mirror stable main\ndeb-src mirror stable main\n"),
                         "# deb a\ndeb-src [arch=amd64] mirror stable main\ndeb-src mirror stable main\n")
        self.assertEqual(debian_source.as_sources("Types: deb\nURIs: mirror\nSuites: stable\n"), "Types: deb-src\nURIs: mirror\nSuites: stable\n")

    def test_the_mirror_is_that_of_the_machine(self):
        self.assertEqual(apt.mirror({"a": "deb else/where nodistro main\n# deb no/debian x\n", "b": "deb [arch=amd64] mirror/debian/ stable main\n"}),
                         "mirror/debian")
        self.assertEqual(apt.mirror({"a": "Types: deb\nURIs: mirror/debian\nSuites: stable\n"}), "mirror/debian")
        self.assertIsNone(apt.mirror({"a": "deb mirror/debian-security stable main\n", "b": "URIs: mirror/ubuntu/\n"}))


unittest.main()
