#!/usr/bin/env python3
"""`iprof convert --to hprof`, read by a parser that knows only HPROF's text, as old scripts do.

Usage: cli_hprof_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import gzip
import re
import unittest

from cli_case import CliTest, profile, section

NUMBER = r"\s*(\d+)"
SHARE = r"\s*(\d+\.\d\d)%"
COLUMNS = {
    "CPU": "rank   self  accum   count trace method",
    "MONITOR": "rank   self  accum   count trace monitor",
    "SITES": " rank   self  accum     bytes objs     bytes  objs trace name",
}


class Hprof:
    """What a script knows of a java.hprof.txt: threads, traces, and the rows of tables."""

    def __init__(self, text):
        lines = iter(text.splitlines())
        self.header = next(lines)
        assert re.fullmatch(r"JAVA PROFILE 1\.0\.1, created \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}", self.header), self.header
        while next(lines) != "--------":
            pass
        self.threads, self.traces, self.of_thread, self.totals, self.tables = {}, {}, {}, {}, {}
        table = trace = None
        for line in lines:
            if begin := re.match(r"(SITES|CPU SAMPLES|CPU TIME \(ms\)|MONITOR TIME) BEGIN(?: \((?:total = (\d+)(?: ms)?|ordered by (\w+ bytes))\))? ", line):
                table, trace = begin[1], None
                self.totals[table], self.tables[table] = begin[3] or int(begin[2]), []
            elif table and line == f"{table} END":
                table = None
            elif table == "SITES":
                if row := re.fullmatch(rf"{NUMBER} {SHARE} {SHARE}{NUMBER}{NUMBER}{NUMBER}{NUMBER}{NUMBER} (\S+)", line):
                    self.tables[table].append((float(row[2]), float(row[3]), *map(int, row.groups()[3:8]), row[9]))
                else:
                    assert line in ("          percent          live          alloc'ed  stack class", COLUMNS["SITES"]), line
            elif table:
                if row := re.fullmatch(rf"{NUMBER} {SHARE} {SHARE}{NUMBER}{NUMBER} (.+)", line):
                    assert int(row[1]) == len(self.tables[table]) + 1, line
                    self.tables[table].append((float(row[2]), float(row[3]), int(row[4]), int(row[5]), row[6]))
                else:
                    assert line == COLUMNS[table.split()[0]], line
            elif begin := re.fullmatch(r"TRACE (\d+):(?: \(thread=(\d+)\))?", line):
                trace = self.traces[int(begin[1])] = []
                self.of_thread[int(begin[1])] = begin[2] and self.threads[int(begin[2])]
            elif start := re.fullmatch(r'THREAD START \(obj=[0-9a-f]+, id = (\d+), name="(.*)", group="(.*)"\)', line):
                self.threads[int(start[1])] = start[2]
            elif line:
                frame = re.fullmatch(r"\t([^(]+)\(([^:]+):([^)]+)\)", line)
                assert frame and trace is not None, line
                trace.append((frame[1], frame[3]))

    def rows(self, table):
        """(trace's methods, count, name) of each row."""
        return [([method for method, _ in self.traces[row[3]]], row[2], row[4]) for row in self.tables[table]]


class HprofText(CliTest):
    LINES = {"a.Main.loop(int)void": {"9": 12, "7": 11}, "a.Circle.area()int": {"2": 40}}
    THREADS = {"sites": 0, "whole": [], "threads": ["pool-*-thread-*", "main"], "of": [[0, 0, 3, 1, 1], [1, 1, 2]]}
    EVENTS = {
        "version": 1, "types": ["[B", "[La.Row;", "a.Lock"], "threads": ["main", "worker-*"],
        "methods": [["a.Main", "main", "()V"], ["a.Store", "get", "(I)V"], ["a.Store", "grow", "()V"]],
        "stacks": [[1, 4, 20, 0, 5, 7], [2, 0, 31, 1, 9, 22, 0, 5, 7]],
        "alloc": {"intervals": [524288], "samples": 14, "dropped": 0, "sweptMs": 1764530000000,
                  "rows": [[0, 1, 0, 3000, 30, 300, 3, 3, 1], [1, 0, 0, 9000, 9, 100, 1, 9, 1], [1, 0, 1, 1000, 1, 0, 0, 1, 0]]},
        "lock": {"thresholds": [1000000], "waits": 7, "dropped": 0, "shorter": 0,
                 "rows": [[0, 2, 0, 30000000, 5, -1, 0], [0, 2, 1, 10400000, 2, -1, 1]]},
    }

    def recorded(self, **parts):
        return profile(iprofagent=section(
            lines=self.LINES, provenance={"runs": [{"program": "app.jar", "end": "2026-11-24T23:36:28.120Z"}]},
            sampling={"event": "cpu", "intervalNs": 10000000}, **parts))

    def hprof(self, content, options="", *arguments):
        return Hprof(self.out("convert", "--to", "hprof" + options, self.write("a.iprof", content), *arguments))

    def test_samples_and_times_are_those_of_iprof_top(self):
        made = self.hprof(self.recorded())
        self.assertEqual(made.header, "JAVA PROFILE 1.0.1, created Tue Nov 24 23:36:28 2026")
        self.assertEqual(made.totals, {"CPU SAMPLES": 7, "CPU TIME (ms)": 70})
        self.assertEqual(made.rows("CPU SAMPLES"), [
            (["a.Circle.area", "a.Main.loop", "a.Main.main"], 5, "a.Circle.area"), (["a.Main.loop", "a.Main.main"], 2, "a.Main.loop")])
        self.assertEqual([made.traces[row[3]][0] for row in made.tables["CPU SAMPLES"]], [("a.Circle.area", "40"), ("a.Main.loop", "12")])
        # Shares, and their sums.
        self.assertEqual([row[:2] for row in made.tables["CPU SAMPLES"]], [(71.43, 71.43), (28.57, 100.0)])
        times = {row["name"].partition("(")[0]: row for row in self.json("top", "--times", "a.iprof")["rows"]}
        self.assertEqual(len(made.tables["CPU TIME (ms)"]), 2)
        for share, _, calls, _, name in made.tables["CPU TIME (ms)"]:
            self.assertEqual((share, calls), (round(times[name]["self_ns"] / 70e4, 2), times[name]["calls"]))

    def test_options_of_hprof(self):
        shallow = self.hprof(self.recorded(), "@depth=1")
        self.assertEqual([trace for trace, _, _ in shallow.rows("CPU SAMPLES")], [["a.Circle.area"], ["a.Main.loop"]])
        cut = self.hprof(self.recorded(), "@cutoff=0.5")
        self.assertEqual((len(cut.tables["CPU SAMPLES"]), cut.totals["CPU SAMPLES"]), (1, 7))
        self.assertEqual(set(cut.traces), {row[3] for table in cut.tables.values() for row in table})
        without = self.hprof(self.recorded(), "@lineno=n")
        self.assertEqual({line for trace in without.traces.values() for _, line in trace}, {"Unknown line"})
        self.assertIn("hprof@depth takes a number of frames", self.err("convert", "--to", "hprof@depth=x", "a.iprof", expect=2))

    def test_traces_of_threads(self):
        made = self.hprof(self.recorded(split=self.THREADS), "@thread=y")
        self.assertEqual(set(made.threads.values()), {"pool-*-thread-*", "main"})
        by_thread = {}
        for _, _, count, trace, _ in made.tables["CPU SAMPLES"]:
            by_thread[made.of_thread[trace]] = by_thread.get(made.of_thread[trace], 0) + count
        self.assertEqual(by_thread, {"pool-*-thread-*": 3, "main": 3, None: 1})
        together = self.hprof(self.recorded(split=self.THREADS))
        self.assertEqual([row[2] for row in together.tables["CPU SAMPLES"]], [5, 2])
        self.assertEqual((set(together.of_thread.values()), len(together.threads)), ({None}, 2))
        self.assertEqual(self.err("convert", "--to", "hprof@thread=y", self.write("b.iprof", self.recorded()), "-o", "b.txt"),
                         f"iprof: warning: {self.path('b.iprof')} does not say which threads its samples are of: record with threads=y\n")

    def test_allocations_and_waits(self):
        made = self.hprof(self.recorded(events=self.EVENTS), "@depth=2")
        self.assertEqual(made.totals["SITES"], "live bytes")
        self.assertEqual([row[2:6] + row[7:] for row in made.tables["SITES"]], [(300, 3, 3000, 30, "a.Row[]"), (100, 1, 10000, 10, "byte[]")])
        self.assertEqual([row[:2] for row in made.tables["SITES"]], [(75.0, 75.0), (25.0, 100.0)])
        self.assertEqual(made.traces[made.tables["SITES"][1][6]], [("a.Store.grow", "31"), ("a.Store.get", "22")])
        # Totals agree with the profile.
        rows = self.EVENTS["alloc"]["rows"]
        self.assertEqual([sum(row[column] for row in made.tables["SITES"]) for column in (2, 3, 4, 5)],
                         [sum(row[column] for row in rows) for column in (5, 6, 3, 4)])
        self.assertEqual(made.totals["MONITOR TIME"], round(sum(row[3] for row in self.EVENTS["lock"]["rows"]) / 1e6))
        self.assertEqual(made.rows("MONITOR TIME"), [(["a.Store.get", "a.Main.main"], 7, "a.Lock (Java)")])
        by_thread = self.hprof(self.recorded(events=self.EVENTS), "@thread=y")
        self.assertEqual([(by_thread.of_thread[row[3]], row[2]) for row in by_thread.tables["MONITOR TIME"]], [("main", 5), ("worker-*", 2)])

    def test_nothing_is_known_of_live_objects(self):
        events = {**self.EVENTS, "alloc": {**self.EVENTS["alloc"], "sweptMs": 0}}
        made = self.hprof(self.recorded(events=events))
        self.assertEqual(made.totals["SITES"], "allocated bytes")
        self.assertEqual([row[4] for row in made.tables["SITES"]], [10000, 3000])

    def test_a_profile_without_samples(self):
        bare = profile(samplingProfiles=[])
        self.assertIn("has no samples", self.err("convert", "--to", "hprof", self.write("a.iprof", bare), "-o", "a.txt", expect=5))
        with_events = self.hprof({**bare, "iprofagent": section(events=self.EVENTS)})
        self.assertEqual((with_events.totals["CPU SAMPLES"], with_events.tables["CPU SAMPLES"]), (0, []))
        self.assertEqual(len(with_events.tables["SITES"]), 2)

    def test_filters_and_gzip(self):
        made = self.hprof(self.recorded(), "", "--include", "a.Circle")
        self.assertEqual(made.totals["CPU SAMPLES"], 5)
        self.run_tool("convert", "--to", "hprof", "a.iprof", "-o", "a.txt.gz")
        with gzip.open(self.path("a.txt.gz"), "rt", encoding="utf-8") as text:
            self.assertEqual(Hprof(text.read()).totals["CPU SAMPLES"], 7)

    def test_the_test_can_fail(self):
        text = self.out("convert", "--to", "hprof", self.write("a.iprof", self.recorded()))
        for wrong, right in (("rank ", "rank"), ("300001 a.", "a."), ("JAVA PROFILE 1.0.1", "JAVA PROFILE 1.0.2"), ("\ta.", "a.")):
            self.assertIn(wrong, text)
            with self.assertRaises(AssertionError):
                Hprof(text.replace(wrong, right))


if __name__ == "__main__":
    unittest.main()
