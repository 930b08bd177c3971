#!/usr/bin/env python3
"""The Maven artefact that is made of the packages has the library of each, and the JVM here loads its own.

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


class Artefact(unittest.TestCase):
    def test_it_has_the_library_of_each_target(self):
        with zipfile.ZipFile(JAR) as jar:
            found = {name.split("/")[1] for name in jar.namelist() if name.startswith("native/") and name.endswith(".so")}
            self.assertEqual(found, set(map(str, packages.TARGETS)))
            for target in found:
                library = (STAGE / f"iprofagent-{packages.version()}-{target}/lib/libiprofagent.so").read_bytes()
                self.assertEqual(jar.read(f"native/{target}/libiprofagent.so"), library)
                self.assertEqual(jar.read(f"native/{target}/libiprofagent.so.sha256").decode().strip(), hashlib.sha256(library).hexdigest())

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
