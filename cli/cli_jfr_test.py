#!/usr/bin/env python3
"""Recordings of Java Flight Recorder as inputs: a small one, which the seeds of the fuzz target have.

Usage: cli_jfr_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import json
import pathlib
import subprocess
import unittest

import cli_case
from cli_case import CliTest

SEEDS = pathlib.Path(__file__).parent / "jfr" / "recording_fuzz_seeds"
NOTE = ("a recording has no counts and no hashes of classes: 'iprof check' cannot say whether a class has changed since")


class Recordings(CliTest):
    def setUp(self):
        super().setUp()
        # The first byte of a seed is for the fuzz target.
        for name in ("compressed", "fixed"):
            pathlib.Path(self.path(name + ".jfr")).write_bytes((SEEDS / name).read_bytes()[1:])
        self.file = self.path("compressed.jfr")

    def test_what_convert_says(self):
        said = self.out("convert", self.file, "-o", self.path("app.iprof")).splitlines()
        self.assertEqual(said, [f"{self.file}: {line}" for line in (
            "1 sample of jdk.ExecutionSample, one every 10 ms",
            "1 sample of jdk.NativeMethodSample left out: most are of threads that wait; --native adds them",
            "JFR cut off the stacks of 1 sample and 2 other events: they lack their outermost callers; record with "
            "-XX:FlightRecorderOptions=stackdepth=512",
            "1 frame of lambdas and proxies left out: a recording does not say what they do",
            "1 event of allocations; JFR does not say how large objects are, so their number is that of the events",
            "2 waits for locks; 0 waits for work left out", NOTE)])
        made = json.loads(pathlib.Path(self.path("app.iprof")).read_text(encoding="utf-8"))
        self.assertEqual([entry["records"] for entry in made["samplingProfiles"]], [[1]])
        self.assertEqual(made["iprofagent"]["image"], {"target": 17, "filtered": True})
        self.assertEqual(made["iprofagent"]["sampling"]["cutSamples"], 1)
        self.assertIn("no-counts", self.run_tool("advise", self.path("app.iprof"), expect=6).stdout.decode())
        self.assertIn("0 errors", self.out("check", self.path("app.iprof")))

    def test_native_code_and_the_target_are_choices(self):
        said = json.loads(self.out("convert", self.file, "-o", self.path("app.iprof"), "--native", "--target", "25", "--format", "json"))
        self.assertEqual((said["recording"]["samples"], said["recording"]["native"]), (2, 1))
        made = json.loads(pathlib.Path(self.path("app.iprof")).read_text(encoding="utf-8"))
        self.assertEqual(made["iprofagent"]["image"]["target"], 25)

    def test_other_commands_read_it(self):
        self.assertEqual(self.out("convert", "--to", "collapsed", "--bci", self.file), "[w-*];a.B.run:0;a.B.run:4 1\n")
        self.assertEqual(self.json("top", self.file)["samples"], 1)
        self.assertIn("1,000 B", self.out("top", "--value", "alloc-bytes", self.file).replace("1.0 kB", "1,000 B"))

    def test_an_unfinished_one_is_named(self):
        warned = self.run_tool("top", self.path("fixed.jfr")).stderr.decode()
        self.assertIn("the chunk at 0 was not finished: it is read up to its last checkpoint", warned)

    def test_what_is_refused(self):
        self.assertIn("--to is required", self.err("convert", self.write("a.iprof", cli_case.profile()), expect=2))
        self.assertIn("--native is for recordings", self.err("convert", "--to", "csv", "--native", self.path("a.iprof"), expect=2))
        before = pathlib.Path(self.file).read_bytes()
        self.err("convert", self.file, "-o", self.file, expect=2)
        self.assertEqual(pathlib.Path(self.file).read_bytes(), before)
        with open(self.file, "rb") as recording:
            piped = subprocess.run(["sh", "-c", f"cat | '{cli_case.IPROF}' top -"], stdin=recording, capture_output=True, text=True, check=False)
        self.assertEqual(piped.returncode, 3, piped)
        self.assertIn("standard input: a recording is read from a file only", piped.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
