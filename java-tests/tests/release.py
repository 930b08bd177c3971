#!/usr/bin/env python3
"""scripts/release: what it refuses, what it makes of two builds, and, with "whole", a whole release of one target from a clone.

usage: release.py ROOT [whole] [unittest options]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(sys.argv.pop(1))
WHOLE = sys.argv[1:2] == ["whole"] and bool(sys.argv.pop(1))
sys.path[:0] = [str(ROOT / "scripts" / "lib")]
sys.dont_write_bytecode = True
import release  # noqa: E402
from iprofdev import packages, sbom  # noqa: E402
from iprofdev.messages import SKIPPED  # noqa: E402

VERSION = packages.version()
TARGET = "x86_64-linux-glibc"
AUTHOR = {name: value for role in ("AUTHOR", "COMMITTER") for name, value in ((f"GIT_{role}_NAME", "a"), (f"GIT_{role}_EMAIL", "a@b"))}
CHANGELOG = f"# Changelog\n\n## [Unreleased]\n\n- later\n\n## [{VERSION}] - 2026-12-01\n\n### Added\n\n- a thing\n\n## [0.0.9]\n\n- old\n\n[0.0.9]: x\n"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iprof-release.")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def git(self, *words, folder):
        subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, env={**os.environ, **AUTHOR})


@unittest.skipIf(WHOLE, "only the whole release")
class Sources(Case):
    def tree(self, changelog=CHANGELOG, tag=f"v{VERSION}", version=VERSION):
        (self.folder / "runtime/maven").mkdir(parents=True)
        (self.folder / "CMakeLists.txt").write_text(f"project(iprofagent VERSION {version} LANGUAGES CXX)\n")
        (self.folder / "runtime/maven/pom.xml").write_text(f"<artifactId>iprof-agent</artifactId>\n  <version>{VERSION}</version>\n")
        (self.folder / "CHANGELOG.md").write_text(changelog)
        self.git("init", "-q", folder=self.folder)
        self.git("add", "-A", folder=self.folder)
        self.git("commit", "-qm", "all", folder=self.folder)
        if tag:
            self.git("tag", tag, folder=self.folder)
        return self.folder

    def refusal(self):
        with self.assertRaises(release.Refused) as refused:
            release.check_sources(VERSION, self.folder)
        return str(refused.exception)

    def test_a_clean_tree_of_the_tag_is_taken(self):
        release.check_sources(VERSION, self.tree())

    def test_what_is_refused(self):
        (self.tree() / "new").touch()
        self.assertIn("not committed:\n?? new", self.refusal())

    def test_no_tag(self):
        self.tree(tag=None)
        self.assertEqual(self.refusal(), f"the commit has no tag v{VERSION}: git tag -a v{VERSION}")

    def test_another_version(self):
        self.tree(version="9.9.9")
        self.assertEqual(self.refusal(), "CMakeLists.txt says that this is version 9.9.9")

    def test_no_section_of_the_changelog(self):
        self.tree(changelog=CHANGELOG.replace(f"[{VERSION}]", "[9.9.9]"))
        self.assertEqual(self.refusal(), f"CHANGELOG.md has no section [{VERSION}]")

    def test_the_changes_are_those_of_the_version(self):
        self.assertEqual(release.changes(CHANGELOG, VERSION), "### Added\n\n- a thing\n")
        self.assertEqual(release.changes(CHANGELOG, "0.0.9"), "- old\n")
        self.assertIsNone(release.changes(CHANGELOG, "0.0"))

    def test_this_tree_has_no_tag_or_is_one(self):
        done = subprocess.run([sys.executable, ROOT / "scripts/release", "99.0.0"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^release: (the tree has changes|the commit has no tag v99\.0\.0)")


@unittest.skipIf(WHOLE, "only the whole release")
class Files(Case):
    def build(self, name, **contents):
        made = {}
        for file, text in contents.items():
            path = self.folder / name / file.replace("_", ".")
            path.parent.mkdir(exist_ok=True)
            if path.name.endswith("tar.gz"):
                top = self.folder / name / "content"
                for member, inside in text.items():
                    (top / member).parent.mkdir(parents=True, exist_ok=True)
                    (top / member).write_text(inside)
                packages.write_archive(top, path, 1000)
            else:
                path.write_text(text)
            made[path.name] = path
        return made

    def test_equal_builds_and_different_ones(self):
        first = self.build("a", a_deb="1", b_tar_gz={"lib/x": "2", "lib/y": "3"})
        self.assertEqual(release.difference(first, self.build("b", a_deb="1", b_tar_gz={"lib/x": "2", "lib/y": "3"})), "")
        other = self.build("c", a_deb="other", b_tar_gz={"lib/x": "2", "lib/y": "other", "lib/z": "4"})
        self.assertEqual(release.difference(first, other), "a.deb\nb.tar.gz\n  content/lib/y\n  content/lib/z")
        self.assertEqual(release.difference(first, {}), "one build has files that the other has not: a.deb, b.tar.gz")

    def test_the_bill_of_materials_depends_on_the_release_alone(self):
        files = self.build("a", a_deb="1").values()
        bill = sbom.of("1.2.3", "abc", 1_800_000_000, files)
        self.assertEqual(bill, sbom.of("1.2.3", "abc", 1_800_000_000, files))
        self.assertNotEqual(bill["serialNumber"], sbom.of("1.2.3", "abd", 1_800_000_000, files)["serialNumber"])
        assert_bill(self, bill, "1.2.3", {"a.deb"})
        self.assertEqual(bill["metadata"]["timestamp"], "2027-01-15T08:00:00Z")
        with self.assertRaises(AssertionError):
            assert_bill(self, {**bill, "specVersion": "1"}, "1.2.3", {"a.deb"})


def assert_bill(test, bill, version, files):
    """The rules of CycloneDX 1.5 for what we write."""
    test.assertEqual((bill["bomFormat"], bill["specVersion"], bill["version"]), ("CycloneDX", "1.5", 1))
    test.assertRegex(bill["serialNumber"], "^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
    own = bill["metadata"]["component"]
    test.assertEqual((own["name"], own["version"]), ("iprofagent", version))
    components = bill["components"]
    references = [own["bom-ref"], *(each["bom-ref"] for each in components)]
    test.assertEqual(len(references), len(set(references)))
    for each in components:
        test.assertIn(each["type"], ("library", "file"))
        if each["type"] == "library":
            test.assertRegex(each["version"], r"^\d+(\.\d+)+$")
            test.assertRegex(each["purl"], r"^pkg:[a-z]+/[^ ]+@v?\d")
            test.assertTrue(all(("license" in licence) != ("expression" in licence) for licence in each["licenses"]))
    test.assertEqual({each["name"] for each in components if each["type"] == "file"}, files)
    test.assertEqual({each["name"] for each in components if each["type"] == "library"},
                     {"CLI11", "RapidJSON", "fmt", "libc++ and compiler-rt of zig", "zlib"})
    test.assertLessEqual(set(bill["dependencies"][0]["dependsOn"]), set(references))


@unittest.skipUnless(WHOLE, "a whole release")
class WholeRelease(Case):
    def test_one_target_from_a_clone(self):
        if missing := [program for program in ("rpmbuild", "dpkg-deb", "mvn") if shutil.which(program) is None]:
            print(f"SKIPPED: there is no {', '.join(missing)}: scripts/install-deps --release installs it", flush=True)
            sys.exit(SKIPPED)
        clone = self.folder / "clone"
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        changelog = clone / "CHANGELOG.md"
        if not release.changes(changelog.read_text(), VERSION):
            changelog.write_text(changelog.read_text().replace("## [Unreleased]\n", f"## [Unreleased]\n\n## [{VERSION}] - 2026-12-01\n", 1))
            self.git("commit", "-qam", "a release", folder=clone)
        self.git("tag", "-f", f"v{VERSION}", folder=clone)
        done = subprocess.run([clone / "scripts/release", VERSION, "--only", TARGET], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        made = clone / "build-release" / VERSION
        artefact = [f"iprof-agent-{VERSION}{end}" for end in (".jar", "-sources.jar", "-javadoc.jar", ".pom")]
        packed = [f"iprofagent-{VERSION}-{TARGET}.tar.gz", f"iprofagent_{VERSION}_amd64.deb", f"iprofagent-{VERSION}-1.x86_64.rpm"]
        others = [f"iprofagent-{VERSION}.cdx.json", "CHANGES.md", "SHA256SUMS"]
        self.assertEqual({path.name for path in made.iterdir()}, {*artefact, *packed, *others})
        subprocess.run(["sha256sum", "--strict", "--quiet", "-c", "SHA256SUMS"], cwd=made, check=True)
        self.assertEqual(len((made / "SHA256SUMS").read_text().splitlines()), len(artefact) + len(packed) + 2)
        assert_bill(self, json.loads((made / others[0]).read_text()), VERSION, {*artefact, *packed})
        self.assert_packages(made, packed)
        with zipfile.ZipFile(made / artefact[0]) as jar:
            self.assertIn(f"native/{TARGET}/libiprofagent.so", jar.namelist())
        with zipfile.ZipFile(made / artefact[1]) as jar:
            self.assertIn("org/iprofagent/IprofAgent.java", jar.namelist())
        with zipfile.ZipFile(made / artefact[2]) as jar:
            self.assertTrue([name for name in jar.namelist() if name.endswith("org/iprofagent/IprofAgent.html")])

    def assert_packages(self, made, packed):
        """All three have the same files, and none has a path of the machine that made it."""
        def listed(*command):
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout
            return {line.split()[-1].removeprefix(".") for line in done.splitlines() if not line.startswith("d")}
        deb, rpm = listed("dpkg-deb", "-c", made / packed[1]), listed("rpm", "-qlvp", made / packed[2])
        self.assertEqual(deb, rpm)
        with tarfile.open(made / packed[0]) as archive:
            tar = {f"/usr/{item.name.partition('/')[2]}" for item in archive if item.isfile()}
            for item in archive:
                if item.isfile():
                    self.assertNotIn(str(self.folder).encode(), archive.extractfile(item).read(), item.name)
        self.assertEqual(tar - deb, {"/usr/LICENSE", "/usr/SHA256SUMS"})
        needs = subprocess.run(["rpm", "-qp", "--requires", made / packed[2]], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual([line for line in needs if not line.startswith("rpmlib(")], ["glibc >= 2.17"])
        said = subprocess.run(["rpm", "-qip", made / packed[2]], capture_output=True, text=True, check=True).stdout
        self.assertRegex(said, r"Architecture: x86_64")
        self.assertRegex(said, r"Build Host  : reproducible")
        self.assertTrue(re.search(r"License     : Apache-2\.0", said))


if __name__ == "__main__":
    unittest.main()
