#!/usr/bin/env python3
"""`iprof convert --to pprof`, read by the real pprof. Skipped (77) where pprof cannot be built: see iprofdev/go.py.

Usage: cli_pprof_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import gzip
import pathlib
import re
import subprocess
import sys
import unittest

from cli_case import CliTest, events, profile, section

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
sys.dont_write_bytecode = True
from iprofdev import go, messages  # noqa: E402

FIB = ROOT / "writer" / "profile" / "io" / "testdata" / "fib.json"
ROW = re.compile(r"^ *(\S+) +\S+% +\S+% +(\S+) +\S+% +(.+)$", re.MULTILINE)
PPROF = None


def recorded():
    """The example, as the agent would have recorded it."""
    return profile(iprofagent=section(
        lines={"a.Main.loop(int)void": {"9": 12, "7": 11}},
        provenance={"runs": [{"program": "app.jar", "start": "2026-11-24T23:35:27.120Z", "recorded_ms": 70}]},
        sampling={"event": "cpu", "intervalNs": 10000000}))


class Pprof(CliTest):
    def pprof(self, *arguments, file="a.pb.gz"):
        done = subprocess.run([PPROF, "-symbolize=none", *arguments, self.path(file)], capture_output=True, text=True,
                              check=False, env={"HOME": self.folder, "PPROF_TMPDIR": self.folder, "TZ": "UTC"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(done.stderr.lower(), "error|malformed|invalid|missing", done.stderr)
        return done.stdout

    def convert(self, content):
        self.run_tool("convert", "--to", "pprof", self.write("a.iprof", content), "-o", "a.pb.gz")

    def top(self, *arguments):
        """name -> (flat, cumulative)"""
        text = self.pprof("-top", "-nodefraction=0", "-unit=minimum", *arguments)
        return {name.strip(): (flat, total) for flat, total, name in ROW.findall(text)}

    def test_samples_are_those_of_iprof_top(self):
        self.convert(recorded())
        with gzip.open(self.path("a.pb.gz")) as packed:
            self.assertGreater(len(packed.read()), 100)
        rows = {row["name"].partition("(")[0]: (str(row["self"]), str(row["total"]))
                for row in self.json("top", "a.iprof")["rows"]}
        self.assertEqual(rows["a.Main.loop"], ("2", "7"))
        self.assertEqual(self.top("-sample_index=samples"), rows)

    def test_header(self):
        self.convert(recorded())
        said = self.pprof("-top")
        for line in ("File: app.jar", "Type: samples", "Time: 2026-11-24 23:35:27 UTC", "Duration: 70ms, Total samples = 7"):
            self.assertIn(line, said)

    def test_cpu_time_calls_and_lines(self):
        self.convert(recorded())
        self.assertEqual(self.top("-sample_index=cpu")["a.Circle.area"], ("50ms", "50ms"))
        calls = self.top("-sample_index=calls")
        self.assertEqual(calls, {"a.Circle.area": ("90", "90"), "a.Main.loop": ("9", "99"), "a.Main.main": ("1", "100")})
        lines = self.top("-sample_index=samples", "-lines")
        self.assertEqual({name for name in lines if name.startswith("a.Main.loop")}, {"a.Main.loop :11", "a.Main.loop :12"})

    def test_threads_are_labels(self):
        made = recorded()
        made["iprofagent"]["split"] = {"sites": 0, "whole": [], "threads": ["pool-*-thread-*", "main"], "of": [[0, 0, 3, 1, 1]]}
        self.convert(made)
        self.assertRegex(self.pprof("-tags"), r"(?s)thread: Total .*3.*: pool-\*-thread-\*.*1.*: main")
        self.assertEqual(self.top("-sample_index=samples", "-tagfocus=thread=main")["a.Circle.area"], ("1", "1"))

    def test_allocations_and_waits_have_the_totals_of_iprof(self):
        self.convert(profile(samplingProfiles=[], callCountProfiles=[], iprofagent=section(events=events())))
        self.assertIn("Type: alloc_space", self.pprof("-top"))
        for value, type_name, unit in (("alloc-bytes", "alloc_space", "B"), ("alloc-objects", "alloc_objects", ""),
                                       ("live-bytes", "inuse_space", "B"), ("live-objects", "inuse_objects", ""),
                                       ("lock-time", "delay", "ns"), ("lock-count", "contentions", "")):
            rows = {row["name"].partition("(")[0]: (f"{row['self']}{unit if row['self'] else ''}", f"{row['total']}{unit}")
                    for row in self.json("top", "--value", value, "a.iprof")["rows"]}
            read = self.top(f"-sample_index={type_name}", f"-unit={unit or 'minimum'}")
            self.assertEqual({name: figures for name, figures in read.items() if not name.startswith("[")}, rows, value)  # without threads
        # By class, with the labels as the innermost frames.
        classes = self.top("-sample_index=alloc_space", "-unit=B", "-tagleaf=class")
        self.assertEqual((classes["byte[]"][0], classes["a.Node"][0]), ("7000000B", "3000000B"))
        self.assertEqual(self.top("-sample_index=alloc_space", "-unit=B", "-tagfocus=thread=main")["a.Main.main"], ("0", "9000000B"))
        self.assertEqual(self.top("-sample_index=delay", "-unit=ns", "-tagfocus=class=a.Lock")["a.Main.load"], ("5000000ns", "25000000ns"))
        self.assertIn("a.Main.load :21", self.top("-sample_index=alloc_space", "-lines"))

    def test_events_stand_beside_samples_and_calls(self):
        made = recorded()
        made["iprofagent"]["events"] = events()
        self.convert(made)
        said = self.pprof("-top")
        self.assertIn("Type: samples", said)
        self.assertIn("Total samples = 7", said)
        self.assertEqual(self.top("-sample_index=calls")["a.Main.main"], ("1", "100"))
        self.assertEqual(self.top("-sample_index=alloc_space", "-unit=B")["a.Main.main"], ("0", "9000000B"))
        self.run_tool("convert", "--to", "pprof", "--value", "live-bytes", "a.iprof", "-o", "a.pb.gz")
        self.assertIn("Type: inuse_space", self.pprof("-top"))

    def test_overloads_have_signatures_as_system_names(self):
        self.convert(recorded())
        self.assertIn("a.Main.loop(int)void", self.pprof("-raw"))

    def test_what_an_instrumented_image_wrote_and_a_profile_without_stacks(self):
        self.run_tool("convert", "--to", "pprof", str(FIB), "-o", "fib.pb.gz")
        self.assertIn("Type: ", self.pprof("-top", file="fib.pb.gz"))
        self.convert(profile(callCountProfiles=[], samplingProfiles=[]))
        self.assertIn("Type: calls", self.pprof("-top"))

    def test_the_test_can_fail(self):
        self.write("bad.pb.gz", b"\x0a\x05\x08\x01")
        with self.assertRaises(AssertionError):
            self.pprof("-top", file="bad.pb.gz")


if __name__ == "__main__":
    try:
        PPROF = go.program("pprof")
    except messages.Unavailable as missing:
        messages.skip(str(missing))
    unittest.main()
