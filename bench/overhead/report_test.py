import unittest

from overhead import report
from overhead.configurations import ALL, NONE, Configuration
from runner import results
from runner.workloads import REAL, Workload


class Tables(unittest.TestCase):
    def rows(self, planned):
        workloads = [Workload(name, REAL, 1, 1, 1) for name in ("a", "b")]
        ways = [Configuration(name, []) for name in (NONE, ALL, "direct")]
        measured = results.of_times({("a", NONE): 10, ("a", ALL): 20, ("a", "direct"): 30, ("b", NONE): 10, ("b", ALL): 15})
        text = report.text(measured, workloads, ways, planned).split("\n\n", maxsplit=1)[0]
        return {line.split("  ")[0]: line for line in text.splitlines()}

    def test_what_failed_is_a_dash(self):
        row = self.rows(None)["direct"]
        self.assertIn("3.00", row)
        self.assertEqual(row.count(" -"), 2, row)  # and the mean

    def test_what_was_not_to_run_is_empty(self):
        rows = self.rows({("a", NONE), ("a", ALL), ("a", "direct"), ("b", NONE), ("b", ALL)})
        self.assertIn("3.00", rows["direct"])
        self.assertNotIn(" -", rows["direct"])
        self.assertIn("1.50", rows[ALL])
