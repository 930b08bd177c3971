"""The per-call profiler counts every call, changes no result, and gives each caller at least its callees' time."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser()
for tool in ("javac", "java", "agent"):
    parser.add_argument(f"--{tool}", required=True)
TOOLS, REST = parser.parse_known_args()


class PerCall(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        subprocess.run([TOOLS.javac, "--release", "17", "-d", self.folder, HERE / "Calls.java"], check=True)

    def test_calls_and_times(self):
        report = self.folder / "report.txt"
        java = [TOOLS.java, "-Xverify:all", "-cp", self.folder]
        bare = subprocess.run([*java, "Calls"], capture_output=True, text=True, check=True)
        done = subprocess.run([*java, f"-agentpath:{TOOLS.agent}={report}", "Calls"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, bare.stdout), done.stderr)
        rows = {}
        for line in report.read_text().splitlines():
            calls, total, own, name = line.split(" ", 3)
            rows[name] = (int(calls), int(total), int(own))
        expected = {"Calls.main([Ljava/lang/String;)V": 1, "Calls.fib(I)I": 21891, "Calls.around(I)I": 1000,
                    "Calls.thrower(I)I": 1000}
        self.assertEqual({name: rows.get(name, (0,))[0] for name in expected}, expected)
        self.assertGreaterEqual(rows["Calls.around(I)I"][1], rows["Calls.thrower(I)I"][1])
        for name in expected:
            self.assertLessEqual(rows[name][2], rows[name][1], name)
        self.assertTrue(any(name.startswith("java/lang/String") for name in rows), "no class of the start was changed")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *REST], verbosity=2)
