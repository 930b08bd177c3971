#!/usr/bin/env python3
"""The Maven artefact that is made of the packages has library and tool of each, and the JVM here loads its own.

usage: artefact.py STAGE BUILD JAVA CLASSES      STAGE: where scripts/package leaves the packages' files; BUILD: a folder for Maven;
CLASSES: those of the test programs
"""

import hashlib
import pathlib
import subprocess
import sys
import unittest
import zipfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS.parent / "scripts" / "lib"))
sys.dont_write_bytecode = True
from iprofdev import mavenbuild, messages, packages, processes  # noqa: E402

STAGE, BUILD, JAVA, CLASSES = (pathlib.Path(word).absolute() for word in sys.argv[1:])
del sys.argv[1:]
JAR = BUILD / f"iprof-agent-{packages.version()}.jar"
TOOL_JAR = BUILD / f"iprof-agent-{packages.version()}-tool.jar"


class Artefact(unittest.TestCase):
    def assert_has(self, path, name, origin):
        """Of each target the file with its checksum."""
        with zipfile.ZipFile(path) as jar:
            self.assertEqual({entry.split("/")[1] for entry in jar.namelist() if entry.endswith(f"/{name}")}, set(map(str, packages.TARGETS)))
            for target in packages.TARGETS:
                content = (STAGE / f"iprofagent-{packages.version()}-{target}" / origin).read_bytes()
                self.assertEqual(jar.read(f"native/{target}/{name}"), content)
                self.assertEqual(jar.read(f"native/{target}/{name}.sha256").decode().strip(), hashlib.sha256(content).hexdigest())

    def test_it_has_library_and_tool_of_each_target(self):
        self.assert_has(JAR, "libiprofagent.so", "lib/libiprofagent.so")
        self.assert_has(TOOL_JAR, "iprof", "bin/iprof")

    def test_the_jvm_here_loads_its_own(self):
        profile = BUILD / "fib.iprof"
        profile.unlink(missing_ok=True)
        done = subprocess.run([JAVA, f"-javaagent:{JAR}=samples=n,out={profile}", "-cp", CLASSES, "Fib"], capture_output=True, text=True,
                              env=processes.java_environment(), check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "0 1 1 2 3 5 8 13 21 34 \n"), done.stderr)
        self.assertIn('"fibonacci"', profile.read_text())


if __name__ == "__main__":
    try:
        mavenbuild.build(packages.ROOT / "runtime/maven", "-q", f"-Diprof.build={BUILD}", f"-Diprof.packages={STAGE}", "package")
    except messages.Unavailable as missing:
        messages.skip(str(missing))
    unittest.main()
