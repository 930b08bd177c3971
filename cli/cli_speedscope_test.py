#!/usr/bin/env python3
"""`iprof convert --to speedscope`, validated with the schema that speedscope publishes. Skipped (77) where the schema
or the validator cannot be had: see iprofdev/npm.py and scripts/schema-check.

Usage: cli_speedscope_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import json
import pathlib
import subprocess
import sys
import unittest

from cli_case import SCHEMA_CHECK, SCHEMA_NOT_HERE, CliTest, profile, section

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
sys.dont_write_bytecode = True
from iprofdev import messages, npm  # noqa: E402

FIB = ROOT / "writer" / "profile" / "io" / "testdata" / "fib.json"
MEMBER = "dist/release/file-format-schema.json"
SCHEMA = None


class Speedscope(CliTest):
    def check(self, *names, expect=0):
        schema = self.write("speedscope.schema.json", SCHEMA)
        done = subprocess.run([SCHEMA_CHECK, "--schema", schema, *map(self.path, names)], capture_output=True, text=True,
                              check=False)
        if done.returncode == SCHEMA_NOT_HERE:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)

    def test_the_schema_accepts_what_is_written(self):
        whole = profile(iprofagent=section(sampling={"event": "cpu", "intervalNs": 10000000},
                                           lines={"a.Main.loop(int)void": {"9": 12}}))
        empty = profile(callCountProfiles=[], samplingProfiles=[])
        for name, content in (("whole", whole), ("empty", empty), ("plain", profile())):
            self.run_tool("convert", "--to", "speedscope", self.write(f"{name}.iprof", content), "-o", f"{name}.json")
        self.run_tool("convert", "--to", "speedscope", str(FIB), "-o", "fib.json")
        self.check("whole.json", "empty.json", "plain.json", "fib.json")

        made = self.load("whole.json")
        cpu, calls = made["profiles"]
        self.assertEqual((cpu["unit"], sum(cpu["weights"])), ("nanoseconds", 70000000))
        self.assertEqual(sum(calls["weights"]), 100)
        names = [frame["name"] for frame in made["shared"]["frames"]]
        stacks = [";".join(names[place] for place in stack) for stack in cpu["samples"]]
        collapsed = self.out("convert", "--to", "collapsed", "whole.iprof").splitlines()
        self.assertEqual(sorted(f"{stack} {weight // 10000000}" for stack, weight in zip(stacks, cpu["weights"])),
                         sorted(collapsed))

    def test_the_test_can_fail(self):
        self.run_tool("convert", "--to", "speedscope", self.write("a.iprof", profile()), "-o", "a.json")
        broken = self.load("a.json")
        broken["profiles"][0]["unit"] = "parsecs"
        self.write("b.json", json.dumps(broken))
        self.check("b.json", expect=1)


if __name__ == "__main__":
    try:
        SCHEMA = npm.file_of("speedscope", MEMBER)
    except messages.Unavailable as missing:
        messages.skip(str(missing))
    unittest.main()
