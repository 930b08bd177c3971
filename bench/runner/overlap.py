"""What `iprof overlap --decisions` says of a profile and the truth, in percent."""

import dataclasses
import json

from runner.running import said_by

CALLS, BRANCHES, RECEIVERS = "callCountProfiles", "conditionalProfiles", "virtualInvokeProfiles"


@dataclasses.dataclass(frozen=True)
class Overlap:
    tables: dict  # name -> the overlap of its weights
    all_calls: float  # of those in the truth
    hot_missed: float  # weight of methods that are hot only in the truth
    hot_extra: float  # and of those that are hot only in the profile
    branches_off: float  # of branches whose probability is off by more than 10 points
    inverted: float  # of branches that go the other way
    other_classes: float  # of calls that are dispatched to other classes


def overlap(tool, truth, profile):
    """Raises Failed."""
    return parsed(said_by([tool, "overlap", "--decisions", "--format", "json", truth, profile]))


def parsed(text):
    said = json.loads(text)
    tables, decisions = {table["table"]: table for table in said["tables"]}, said["decisions"]
    calls, hot, branches = tables[CALLS], decisions["hot_methods"], decisions["branches"]
    shares = (calls["total_b"] / max(calls["total_a"], 1), hot["missed"], hot["extra"], branches["off_by_more_than_10_points"],
              branches["inverted"], decisions["receivers"]["other_classes"])
    return Overlap({name: 100 * (table["overlap"] or 0) for name, table in tables.items()}, *(100 * share for share in shares))
