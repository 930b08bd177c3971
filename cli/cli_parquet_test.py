#!/usr/bin/env python3
"""`iprof convert --to parquet` and `--from parquet`: what Arrow and DuckDB read of our files, and what iprof reads of theirs.
Skipped (77) where these cannot be fetched: see iprofdev/pypi.py.

Usage: cli_parquet_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import os
import pathlib
import stat
import unittest

from cli_case import CliTest, counts, events, profile, section
from iprofdev import messages, pypi

RUN = "5b1c09f7d2a84e6689c3d1e0f4a7b2"  # and two digits more
COLUMNS = ["run", "host", "time", "code_hash", "table", "method", "position", "callers", "thread", "period", "successor", "successor_index",
           "type", "count", "weight"]


def recorded(number, scale=1, **parts):
    """A profile of a run."""
    run = {"run": f"{RUN}{number:02x}", "program": "app.jar", "start": f"2026-11-{number + 10}T23:35:27.120Z",
           "end": f"2026-11-{number + 10}T23:36:27.120Z"}
    return profile(scale, iprofagent=section(provenance={"runs": [run]}, sampling={"event": "cpu", "intervalNs": 10000000, "signals": 7 * scale},
                                             **parts))


class Parquet(CliTest):
    def to_data_set(self, name, content, *options):
        return self.json("convert", "--to", "parquet", *options, self.write(name, content), "-o", "fleet")

    def merged(self, *names):
        self.run_tool("merge", "-o", "merged.iprof", *names)
        return counts(self.load("merged.iprof"))

    def read(self, path):
        self.run_tool("convert", "--from", "parquet", path, "-o", "read.iprof")
        return counts(self.load("read.iprof"))

    def three_runs(self):
        for number, scale in ((1, 1), (2, 10), (3, 1000)):
            self.to_data_set(f"{number}.iprof", recorded(number, scale), "--release", f"1.{number}")
        return self.merged("1.iprof", "2.iprof", "3.iprof")

    def test_folders_and_names_of_files(self):
        said = self.to_data_set("a.iprof", recorded(1))
        self.assertEqual(said["output"], f"fleet/service=app.jar/release=__HIVE_DEFAULT_PARTITION__/day=2026-11-11/{RUN}01.parquet")
        self.assertEqual(said["rows"], 10)
        said = self.to_data_set("a.iprof", recorded(1), "--service", "a/b=c", "--release", "1%")
        self.assertTrue(said["output"].startswith("fleet/service=a%2Fb%3Dc/release=1%25/day="))
        # A later dump of the run replaces the earlier one; what does not say its run is known by its content.
        self.to_data_set("a.iprof", recorded(1, 5))
        nameless = [self.to_data_set("n.iprof", profile(scale))["output"] for scale in (1, 2, 1)]
        self.assertEqual([nameless[0] == other for other in nameless], [True, False, True])
        self.assertEqual(len(list(pathlib.Path(self.path("fleet")).rglob("*.parquet"))), 4)
        self.assertEqual(self.out("convert", "--to", "parquet", "a.iprof", "-o", "other").rpartition(": ")[2], "10 rows\n")
        self.assertIn("needs -o DIR", self.err("convert", "--to", "parquet", "a.iprof", expect=2))
        self.assertIn("need --to parquet", self.err("convert", "--to", "csv", "--service", "x", "a.iprof", expect=2))
        self.assertIn("--to is required", self.err("convert", "a.iprof", expect=2))
        self.assertIn("is too long", self.err("convert", "--to", "parquet", "--service", "x" * 300, "a.iprof", "-o", "fleet", expect=2))

    def test_it_gives_what_merge_gives(self):
        expected = self.three_runs()
        self.assertEqual(self.read("fleet"), expected)
        runs = self.load("read.iprof")["iprofagent"]["provenance"]["runs"]
        self.assertEqual(runs, self.load("merged.iprof")["iprofagent"]["provenance"]["runs"])
        self.assertEqual(self.load("read.iprof")["iprofagent"]["sampling"], self.load("merged.iprof")["iprofagent"]["sampling"])
        self.assertEqual(self.read("fleet/service=app.jar/release=1.2"), counts(self.load("2.iprof")))
        rows = self.out("convert", "--from", "parquet", "--to", "csv", "fleet")
        self.assertIn("callCountProfiles,a.Circle.area()int,0,a.Main.loop(int)void:7 < a.Main.main()void:5,,,,90990\n", rows)

    def test_inputs_of_different_intervals_and_kinds_are_scaled_as_in_a_merge(self):
        sparse = recorded(1, 100)
        sparse["iprofagent"]["sampling"]["intervalNs"] = 50000000
        harvest = recorded(2, 3, harvest={"source": "methoddata", "estimator": "none"})
        for name, made in (("a.iprof", sparse), ("b.iprof", harvest), ("c.iprof", recorded(3, 1000))):
            self.to_data_set(name, made)
        expected = self.merged("a.iprof", "b.iprof", "c.iprof")
        self.run_tool("convert", "--from", "parquet", "fleet", "-o", "read.iprof")
        self.assertEqual(counts(self.load("read.iprof")), expected)
        self.assertNotEqual(expected, {key: 1103 * count for key, count in counts(profile()).items()})  # not just added up

    def test_threads_and_periods(self):
        made = recorded(1)
        made["iprofagent"]["split"] = {"sites": 0, "whole": [], "threads": ["pool-*-thread-*", "main"], "of": [[0, 0, 3, 1, 1]]}
        self.to_data_set("a.iprof", made)
        self.merged("a.iprof")
        self.read("fleet")
        by_thread = [self.json("top", "--by", "thread", name)["rows"] for name in ("merged.iprof", "read.iprof")]
        self.assertEqual(by_thread[0], by_thread[1])
        self.assertEqual({row["name"] for row in by_thread[0]} & {"main", "pool-*-thread-*"}, {"main", "pool-*-thread-*"})

    def test_what_arrow_reads(self):
        self.three_runs()
        table = dataset.dataset(self.path("fleet"), partitioning="hive").to_table()
        self.assertEqual([name for name in table.column_names if name in COLUMNS], COLUMNS)
        self.assertEqual(str(table.schema.field("time").type), "timestamp[ms, tz=UTC]")
        rows = [row for row in table.to_pylist() if row["run"].endswith("02")]
        self.assertEqual({row["release"] for row in rows}, {"1.2"})
        self.assertEqual({str(row["time"]) for row in rows}, {"2026-11-12 23:36:27.120000+00:00"})
        self.assertEqual([row["method"] or "" for row in rows], sorted(row["method"] or "" for row in rows))
        said = {(row["table"], row["method"], row["position"], row["callers"], row["successor"], row["type"]): (row["count"], row["weight"])
                for row in rows}
        loop = "a.Main.loop(int)void"
        self.assertEqual(said["calls", "a.Circle.area()int", 0, f"{loop}:7 < a.Main.main()void:5", None, None], (900, 1))
        self.assertEqual(said["branches", loop, 3, None, 14, None], (100, 1))
        self.assertEqual(said["receivers", loop, 7, None, None, "a.Square"], (250, 1))
        self.assertEqual(said["monitors", None, None, None, None, "a.Circle"], (70, 1))
        self.assertEqual(said["samples", loop, 9, "a.Main.main()void:5", None, None], (20, 10000000))
        self.assertEqual(len(said), len(rows))

    def test_what_arrow_writes(self):
        expected = self.three_runs()
        table = dataset.dataset(self.path("fleet")).to_table()
        for number, options in enumerate((
                {}, {"compression": "gzip"}, {"compression": "none"}, {"data_page_version": "2.0"}, {"use_dictionary": False},
                {"data_page_size": 64, "row_group_size": 7, "write_page_index": True}, {"version": "1.0"},
                {"data_page_version": "2.0", "compression": "gzip", "use_dictionary": False, "row_group_size": 5})):
            for order in ("ascending", "descending"):
                with self.subTest(options=options, order=order):
                    name = self.path(f"{number}-{order}.parquet")
                    parquet.write_table(table.sort_by([("count", order)]).replace_schema_metadata(), name, **options)
                    self.assertEqual(self.read(name), expected)
        small = table.set_column(table.column_names.index("position"), "position", table["position"].cast("int32"))
        parquet.write_table(small.add_column(0, "list", [[[1, 2]] * small.num_rows]), self.path("more.parquet"))
        self.assertEqual(self.read("more.parquet"), expected)

    def test_what_duckdb_writes(self):
        expected = self.three_runs()
        select = ("SELECT code_hash, \"table\", method, position, callers, successor, successor_index, type, CAST(sum(count) AS BIGINT) AS count "
                  f"FROM '{self.path('fleet')}/**/*.parquet' GROUP BY ALL")
        for number, options in enumerate(("", ", COMPRESSION gzip", ", COMPRESSION uncompressed", ", ROW_GROUP_SIZE 2048")):
            name = self.path(f"{number}.parquet")
            duckdb.sql(f"COPY ({select}) TO '{name}' (FORMAT parquet{options})")
            with self.subTest(options=options):
                self.assertEqual(self.read(name), expected)

    def test_what_is_not_read_is_refused_with_a_sentence(self):
        self.three_runs()
        table = dataset.dataset(self.path("fleet")).to_table()

        def why(made, **options):
            parquet.write_table(made, self.path("x.parquet"), **options)
            said = self.err("convert", "--from", "parquet", "x.parquet", "-o", "y.iprof", expect=3)
            self.assertEqual(said.count("\n"), 1)
            return said

        self.assertIn("compressed with Zstandard, and iprof reads Snappy, gzip and uncompressed ones", why(table, compression="zstd"))
        self.assertIn("encoding 5", why(table, use_dictionary=False, column_encoding={"count": "DELTA_BINARY_PACKED"}))
        self.assertIn("it has no column 'method'", why(table.drop_columns(["method"])))
        self.assertIn("column 'count' is DOUBLE: write it as BIGINT", why(table.set_column(
            table.column_names.index("count"), "count", table["count"].cast("float64"))))
        self.write("fleet/cut.parquet", b"PAR1 and no end")
        self.assertIn("cut.parquet: it is no Parquet file, or was cut", self.err("convert", "--from", "parquet", "fleet", "-o", "y", expect=3))
        os.mkdir(self.path("empty"))
        self.assertIn("no *.parquet is in empty or below", self.err("convert", "--from", "parquet", "empty", "-o", "y", expect=3))

    def test_who_may_read_it(self):
        os.chmod(self.write("a.iprof", recorded(1)), 0o600)
        said = self.json("convert", "--to", "parquet", "a.iprof", "-o", "fleet")
        self.assertEqual(stat.S_IMODE(os.stat(self.path(said["output"])).st_mode), 0o600)
        self.run_tool("convert", "--from", "parquet", "fleet", "-o", "back.iprof")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("back.iprof")).st_mode), 0o600)

    def test_allocations_are_not_in_rows(self):
        self.to_data_set("a.iprof", recorded(1, events=events()))
        self.read("fleet")
        self.assertNotIn("events", self.load("read.iprof")["iprofagent"])
        self.assertIn("no allocations", self.err("convert", "--to", "parquet", "--value", "alloc-bytes", "a.iprof", "-o", "fleet", expect=2))


if __name__ == "__main__":
    try:
        pypi.importable("pyarrow", "duckdb")
    except messages.Unavailable as missing:
        messages.skip(str(missing))
    import duckdb  # pylint: disable=import-error
    from pyarrow import dataset, parquet  # pylint: disable=import-error
    unittest.main()
