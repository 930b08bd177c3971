#!/usr/bin/env python3
"""Spark in local mode merges the data set of cli_fleet_test.py, and its merge is compared with `iprof merge`; with decay, with DuckDB's
query. Skipped (77) where PySpark or DuckDB cannot be fetched, or without a JDK 17.

Usage: cli_spark_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import os
import re
import sys
import unittest

import cli_fleet_test
from iprofdev import jvms, messages, pypi

COLUMNS = ["code_hash", "table", "method", "position", "callers", "successor", "successor_index", "type"]


class Spark(cli_fleet_test.Fleet):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.spark = (sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4")
                     .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false").config("spark.sql.warehouse.dir", cls.data)
                     .getOrCreate())
        cls.addClassCleanup(cls.spark.stop)

    def setUp(self):
        super().setUp()
        self.spark.read.parquet(f"{self.data}/fleet").createOrReplaceTempView("counts")

    def query(self, text):
        """As DuckDB has it, with Spark's quotes."""
        return self.spark.sql(re.sub(r'"(\w+)"', r"`\1`", text))

    def test_merges_are_those_of_iprof(self):
        for service in cli_fleet_test.SERVICES:
            for release in cli_fleet_test.RELEASES:
                merged = self.query(f"""SELECT {', '.join(f'"{name}"' for name in COLUMNS)}, sum(count) AS count FROM counts
                                        WHERE service = '{service}' AND release = '{release}' GROUP BY ALL""")
                merged.coalesce(1).write.mode("overwrite").parquet(f"{self.data}/spark")
                self.assertEqual(self.back("spark"), self.merged(self.of(service, release)))

    def test_decay(self):
        (block,) = [each for each in self.blocks if "VIEW decayed" in each]
        query = block[block.index("SELECT"):block.index(";")]
        by_duckdb = {row[:-1]: row[-1] for row in self.asked.execute(query).fetchall()}
        in_spark = re.sub(r"0\.5 \*\* \(date_diff\('millisecond', time, newest\) / \(7 \* 86400000\.0\)\)",
                          "power(0.5D, (unix_millis(newest) - unix_millis(time)) / (7 * 86400000.0D))", query)
        self.assertNotEqual(in_spark, query)
        by_spark = {tuple(row)[:-1]: row[-1] for row in self.query(in_spark).collect()}
        self.assertEqual(by_spark.keys(), by_duckdb.keys())
        self.assertGreater(len(by_spark), 100)
        for key, count in by_spark.items():
            self.assertLess(abs(count - by_duckdb[key]), 1e-9 * max(by_duckdb[key], 1e-300))

    # What Spark is not asked.
    test_a_compacted_data_set_gives_the_same = test_drift = test_hosts = test_stale_code = None


if __name__ == "__main__":
    try:
        folders = pypi.importable("duckdb", "pyspark", "py4j")
    except messages.Unavailable as missing:
        messages.skip(str(missing))
    home = jvms.find_jdk17()
    if home is None:
        messages.skip("there is no JDK 17")
    os.environ.update(JAVA_HOME=str(home), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    import duckdb  # pylint: disable=import-error
    from pyspark import sql  # pylint: disable=import-error
    cli_fleet_test.duckdb = duckdb
    unittest.main()
