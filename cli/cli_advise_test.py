#!/usr/bin/env python3
"""Tests iprof advise: its rules, its text and JSON, what it says of files that are no profiles, and what it takes. Profiles with
class files are in java-tests/tests/advise.py.

Usage: cli_advise_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import json
import os
import subprocess
import sys
import time
import unittest

from cli_case import IPROF, CliTest, profile, section, with_sanitizer

USABLE, DOUBTS, UNUSABLE = 0, 1, 6
LONG = 60_000  # ms


def run(**members):
    return {"program": "app.jar", "jvm_version": "25.0.1", "begin": "start", "recorded_ms": LONG, "tables": "calls+branches+receivers+samples",
            **members}


def recorded(scale=10_000, runs=None, parts=None, **tables):
    """Main.main ran `scale` times; all its parts are there."""
    made = profile(scale, **tables)
    made["iprofagent"] = section(image={"target": 25, "filtered": True}, provenance={"runs": [run()] if runs is None else runs}, **(parts or {}))
    return made


class Advise(CliTest):
    def advice(self, document, *options, expect):
        path = self.write("app.iprof", document)
        return self.json("advise", *options, path, expect=expect)["files"][0]

    def rules(self, document, *options, expect):
        advice = self.advice(document, *options, expect=expect)
        self.assertEqual(advice["exit_code"], expect)
        return [reason["rule"] for reason in advice["reasons"]]

    def test_a_good_profile_gets_the_command_of_the_build(self):
        self.write("app.iprof", recorded())
        self.assertEqual(self.out("advise", "app.iprof").splitlines(), [
            "app.iprof: usable",
            "  runs:     1 run, 60.0 s: one workload",
            "  load:     2,000,000 calls and branches; 3 hot methods, of 3 that ran",
            "  samples:  70,000",
            "next:       native-image --pgo=app.iprof -jar app.jar"])
        self.assertEqual(self.rules(recorded(), expect=USABLE), [])
        self.assertEqual(self.rules(recorded(runs=[run(), run(recorded_ms=LONG + 1)]), expect=USABLE), [])
        self.assertEqual(self.rules(profile(10_000), expect=USABLE), [], "a profile that says nothing of its run")

    def test_how_much_ran(self):
        self.assertEqual(self.rules(recorded(scale=999), expect=DOUBTS), ["short-run"])
        self.assertEqual(self.rules(recorded(scale=1000), expect=USABLE), [])
        self.assertEqual(self.rules(recorded(runs=[run(recorded_ms=19_000)]), expect=DOUBTS), ["start-up"])
        self.assertEqual(self.rules(recorded(runs=[run(recorded_ms=20_001)]), expect=USABLE), [])
        self.assertEqual(self.rules(recorded(runs=[run(recorded_ms=19_000, begin="attach")]), expect=USABLE), [])

    def test_the_start_of_the_jvm_alone_is_not_usable(self):
        made = recorded(scale=1000, runs=[run(recorded_ms=300)])
        for entry in made["types"]:
            entry["name"] = {"a.Main": "java.lang.String", "a.Circle": "java.util.HashMap"}.get(entry["name"], entry["name"])
        made["callCountProfiles"] = made["callCountProfiles"][:2]
        advice = self.advice(made, expect=UNUSABLE)
        self.assertEqual((advice["verdict"], advice["reasons"][0]["rule"]), ("not usable", "start-up"))
        self.assertIn("the program itself did nothing", advice["reasons"][0]["text"])
        made["iprofagent"]["provenance"]["runs"][0]["program"] = "java.util.Main"
        self.assertEqual(self.rules(made, expect=DOUBTS), ["start-up"])

    def test_how_many_samples(self):
        def sampled(count, **sampling):
            return recorded(samplingProfiles=[{"ctx": "2:7<1:5", "records": [count]}] if count else [],
                            parts={"sampling": {"event": "cpu", **sampling}} if sampling else None)

        self.assertEqual(self.rules(sampled(5000), expect=USABLE), [])
        self.assertEqual(self.rules(sampled(0), expect=DOUBTS), ["no-samples"])
        advice = self.advice(sampled(829), expect=DOUBTS)
        (reason,) = advice["reasons"]
        self.assertEqual((reason["rule"], reason["share"]), ("few-samples", 0.8342))
        self.assertEqual(advice["next"], f"iprof profile PID --duration 420s -o {self.path('app.iprof')}")
        self.assertTrue(advice["build"].startswith("native-image --pgo="))
        advice = self.advice(sampled(829, intervalNs=10_000_000), expect=DOUBTS)
        self.assertEqual(advice["next"], f"java -agentpath:/path/to/libiprofagent.so=out={self.path('app.iprof')},interval=1ms -jar app.jar")
        spread = recorded(samplingProfiles=[{"ctx": f"{method}:{at}", "records": [1]} for method in (1, 2, 3, 4) for at in range(12)] +
                          [{"ctx": "2:99", "records": [4960]}])
        self.assertEqual(self.rules(spread, expect=USABLE), [])
        spread["methods"] += [{"id": 100 + at, "name": f"m{at}", "signature": [10, 8]} for at in range(200)]
        spread["samplingProfiles"] = [{"ctx": f"{100 + at}:0", "records": [49]} for at in range(200)]
        self.assertEqual(self.rules(spread, expect=DOUBTS), ["thin-samples"])

    def test_what_was_estimated(self):
        harvest = {"source": "methoddata", "estimator": "flow-10", "cpu_ms": 60_000}
        self.assertEqual(self.rules(recorded(parts={"harvest": harvest}), expect=DOUBTS), ["estimated"])
        # The last method is estimated from 4 executions, and has 90 or 30 % of the calls.
        few = {"harvest": harvest, "code": {"bits": 36, "methods": "Ig0Uay", "hashes": "---", "sureness": "eeC"}}
        self.assertEqual(self.rules(recorded(parts=few), expect=UNUSABLE), ["guessed-counts"])
        calls = [{"ctx": f"{method}:0", "records": [count]} for method, count in ((1, 10_000), (2, 690_000), (3, 300_000))]
        self.assertEqual(self.rules(recorded(parts=few, callCountProfiles=calls), expect=DOUBTS), ["guessed-counts"])
        self.assertEqual(self.rules(recorded(scale=10**12, parts={"harvest": harvest}), expect=UNUSABLE), ["impossible-counts", "estimated"])

    def test_what_is_missing(self):
        self.assertEqual(self.rules(recorded(conditionalProfiles=[]), expect=DOUBTS), ["missing-table"])
        self.assertEqual(self.rules(recorded(virtualInvokeProfiles=[]), expect=DOUBTS), ["missing-table"])
        self.assertEqual(self.rules(recorded(callCountProfiles=[], conditionalProfiles=[]), expect=UNUSABLE), ["no-counts"])
        nothing = {table: [] for table in ("callCountProfiles", "conditionalProfiles", "virtualInvokeProfiles", "monitorProfiles", "samplingProfiles")}
        self.assertEqual(self.rules(recorded(**nothing), expect=UNUSABLE), ["empty"])
        lost = run(losses={"sites": 9, "refused_memory": 3})
        self.assertEqual(self.rules(recorded(runs=[lost]), expect=DOUBTS), ["lost-receivers", "lost-counts"])

    def test_the_jdk_of_the_image(self):
        made = recorded(runs=[run(jvm_version="17.0.15")])
        self.assertEqual(self.rules(made, expect=USABLE), [], "no code of the JDK")
        for entry in made["types"]:
            entry["name"] = {"a.Circle": "java.util.HashMap"}.get(entry["name"], entry["name"])
        advice = self.advice(made, expect=DOUBTS)
        self.assertEqual([reason["rule"] for reason in advice["reasons"]], ["other-jdk"])
        self.assertTrue(advice["next"].startswith("/path/to/jdk-25/bin/java -agentpath:"))
        self.assertEqual(self.rules(made, "--target", "17", expect=USABLE), [])

    def test_a_broken_rule_of_the_format(self):
        made = recorded()
        made["callCountProfiles"].append({"ctx": "1:0", "records": [4]})
        self.assertEqual(self.rules(made, expect=UNUSABLE), ["format"])

    def test_the_heaviest_reason_is_first_and_the_worst_file_counts(self):
        made = recorded(scale=500, runs=[run(recorded_ms=15_000)], virtualInvokeProfiles=[])
        self.assertEqual(self.rules(made, expect=DOUBTS), ["missing-table", "short-run", "start-up", "few-samples"])
        bad = self.write("bad.iprof", recorded(callCountProfiles=[], conditionalProfiles=[]))
        good = self.write("good.iprof", recorded())
        text = self.out("advise", good, bad, expect=UNUSABLE)
        self.assertIn(f"{bad}: not usable\n  fails:    ", text)
        self.assertTrue(text.endswith(f"together: iprof merge -o all.iprof {good} {bad}\n"))


class Files(CliTest):
    """One sentence each."""

    def sentence(self, path, expect):
        done = self.run_tool("advise", path, expect=expect)
        self.assertEqual(done.stdout, b"")
        (line,) = done.stderr.decode().splitlines()
        return line

    def test_files_that_are_no_profiles(self):
        whole = json.dumps(recorded())
        for name, content, says in (("cut.iprof", whole[:len(whole) // 2], "byte"), ("empty.iprof", "", "it is empty"),
                                    ("foreign.iprof", "<html></html>", "not an iprof profile"), ("other.json", "[1, 2]", "not an iprof profile")):
            with self.subTest(name=name):
                self.assertIn(says, self.sentence(self.write(name, content), expect=3))
        self.assertIn("is a folder", self.sentence(self.folder, expect=4))
        self.assertIn("cannot be '-'", self.sentence("-", expect=2))

    def test_a_file_of_a_gigabyte_is_not_read(self):
        path = self.path("large.iprof")
        with open(path, "wb") as file:
            file.write(b'{"version":"1.0.0"')
            file.truncate(1 << 30)
        start = time.monotonic()
        self.assertIn("has 1,024 MB, and iprof advise reads at most 512 MB", self.sentence(path, expect=3))
        self.assertLess(time.monotonic() - start, 2)
        os.unlink(path)

    def test_names_of_types_alone_are_nothing(self):
        made = profile()
        for key in [key for key in made if key.endswith("Profiles")]:
            del made[key]
        self.assertIn("only names of types and methods", self.out("advise", self.write("a.iprof", made), expect=UNUSABLE))


class Limits(CliTest):
    """10 MB take at most two seconds of CPU time, and memory of three times the file beside that of the program itself."""

    def cost(self, path):
        """CPU time and the largest memory. A small process starts the tool, because the memory of its parent counts as well."""
        child = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False); "
                 "used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime, used.ru_maxrss)")
        said = subprocess.run([sys.executable, "-I", "-c", child, IPROF, "advise", path], capture_output=True, text=True, check=True).stdout
        seconds, kilobytes = said.split()
        return float(seconds), int(kilobytes) * 1024

    def test_ten_megabytes(self):
        made = recorded()
        methods = 30_000
        made["types"] += [{"id": 100 + at, "name": f"com.acme.shop.basket.Basket{at}"} for at in range(methods // 8)]
        made["methods"] += [{"id": 100 + at, "name": f"total{at % 8}", "signature": [100 + at // 8, 4, 4]} for at in range(methods)]
        made["callCountProfiles"] += [{"ctx": f"{100 + at}:0", "records": [5000 + at]} for at in range(methods)]
        made["conditionalProfiles"] += [{"ctx": f"{100 + at}:{bci}", "records": [bci + 7, 0, 4000 + at, bci + 3, 1, 1000]}
                                        for at in range(methods) for bci in (4, 15, 29)]
        made["samplingProfiles"] += [{"ctx": "<".join(f"{100 + (at * step) % methods}:{step}" for step in range(1, 30)), "records": [3]}
                                     for at in range(7000)]
        path = self.write("large.iprof", made)
        size = os.path.getsize(path)
        self.assertGreater(size, 10_000_000)
        _, idle = self.cost(self.write("small.iprof", recorded()))
        seconds, memory = self.cost(path)
        print(f"{size} bytes: {seconds:.2f} s, {(memory - idle) / size:.2f} x the file")
        if with_sanitizer():
            self.skipTest("the sanitizer takes more time and memory")
        self.assertLess(seconds, 2 * size / 10_000_000)
        self.assertLess(memory - idle, 3 * size)


if __name__ == "__main__":
    unittest.main()
