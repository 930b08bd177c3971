import unittest

from runner import overlap


class Overlaps(unittest.TestCase):
    def test_everything_is_in_percent(self):
        said = """{"tables": [{"table": "callCountProfiles", "overlap": 0.75, "total_a": 8, "total_b": 4},
                              {"table": "conditionalProfiles", "overlap": null}],
                   "decisions": {"hot_methods": {"missed": 0.25, "extra": 0}, "branches": {"off_by_more_than_10_points": 0.5, "inverted": 0.125},
                                 "receivers": {"known": 1, "other_classes": 1}}}"""
        self.assertEqual(overlap.parsed(said), overlap.Overlap({overlap.CALLS: 75, overlap.BRANCHES: 0}, 50, 25, 0, 50, 12.5, 100))
