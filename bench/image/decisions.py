"""What an image build would decide differently with a profile than with the instrumented image's own one."""

import dataclasses
import json

from iprofdev import processes


@dataclasses.dataclass(frozen=True)
class Decisions:
    """Shares of the weight in the instrumented image's profile, in percent; None: the tool does not tell."""

    hot_missed: float = None  # methods that are hot only there
    branches_off: float = None  # branches whose probability is off by more than 10 points
    inverted: float = None  # branches that go the other way
    other_classes: float = None  # calls that are dispatched to other classes


FIELDS = {"hot_missed": ("hot_methods", "missed"), "branches_off": ("branches", "off_by_more_than_10_points"),
          "inverted": ("branches", "inverted"), "other_classes": ("receivers", "other_classes")}


def parse(text):
    """Of the tool's JSON."""
    said = json.loads(text).get("decisions", {})
    shares = {field: said.get(part, {}).get(name) for field, (part, name) in FIELDS.items()}
    return Decisions(**{field: None if share is None else 100 * share for field, share in shares.items()})


class DecisionsTool:
    def __init__(self, tool):
        self._tool = tool
        self.known = "--decisions" in processes.run([tool, "overlap", "--help"]).stdout

    def compare(self, truth, profile):
        """(Decisions, why there are none)"""
        done = processes.run([self._tool, "overlap", "--decisions", "--format", "json", truth, profile])
        if done.returncode:
            return None, processes.end_of(done.stderr, 1)
        return parse(done.stdout), ""
