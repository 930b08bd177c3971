"""Counts: the counts of a run, read from a profile or from the counting oracle's file.

Keys are (class name, method name, signature): names as Class.getName() returns them, signature = (return,
parameters...). A branch is stored by the targets of its edges: bci of the branch -> {target bci: executions}. Edges
with the same target (of an if whose target is the next instruction, or keys of a switch) are one record with their sum.
"""

import collections
import gzip
import json
import pathlib

from oracle import classfile

UNLISTED = "(unlisted)"  # HotSpot's receivers of classes that had no row, or whose class it does not need


class Counts:
    def __init__(self):
        self.calls = collections.Counter()
        self.branches = collections.defaultdict(dict)  # method -> bci -> [(target bci, index, count) ...]
        self.receivers = collections.defaultdict(dict)  # method -> bci -> Counter of class names
        self.checks = collections.defaultdict(dict)  # the same for instanceof and checkcast
        self.monitors = collections.Counter()  # class name -> entries

    def methods(self):
        return set(self.calls) | set(self.branches)

    def by_target(self, method, bci):
        """{target bci: executions} of one branch; empty if nothing was recorded."""
        return {target: count for target, _, count in self.branches.get(method, {}).get(bci, [])}

    def records(self, method, bci):
        """The counts of a branch's records in order; (taken, not taken) for an if; None if there are none."""
        records = self.branches.get(method, {}).get(bci)
        return None if records is None else tuple(count for _, _, count in records)


def sums_by_target(targets, numbers):
    """Converts one number for each edge of a branch to one for each target, in order of first appearance."""
    return tuple(n for _, _, n in one_each(zip(targets, numbers)))


def one_each(edges):
    """[(target bci, executions) ...] -> [(target bci, index, executions) ...], one for each target, as a profile has them."""
    sums = {}
    for target, n in edges:
        sums[target] = sums.get(target, 0) + n
    return [(target, index, n) for index, (target, n) in enumerate(sums.items())]


def key(owner, name, descriptor):
    return (owner, name, classfile.signature(descriptor))


def read_json(path):
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data)


def from_profile(path):
    """Reads an iprof. Entries of several contexts of one method are added up."""
    return from_document(read_json(path))


def from_document(document):
    """The same of an iprof that was read."""
    types = {t["id"]: t["name"] for t in document["types"]}
    methods = {}
    for m in document["methods"]:
        owner, *signature = (types[t] for t in m["signature"])
        methods[m["id"]] = (owner, m["name"], tuple(signature))
    counts = Counts()
    for entry in document.get("callCountProfiles", []):
        method, _ = entry["ctx"].split("<")[0].split(":")
        counts.calls[methods[int(method)]] += entry["records"][0]
    for entry in document.get("conditionalProfiles", []):
        method, bci = entry["ctx"].split("<")[0].split(":")
        records = list(zip(*[iter(entry["records"])] * 3))
        sites = counts.branches[methods[int(method)]]
        if int(bci) in sites:
            records = [(t, i, a + b) for (t, i, a), (_, _, b) in zip(sites[int(bci)], records)]
        sites[int(bci)] = records
    for table, sites in (("virtualInvokeProfiles", counts.receivers), ("instanceOfProfiles", counts.checks)):
        for entry in document.get(table, []):
            method, bci = entry["ctx"].split("<")[0].split(":")
            found = sites[methods[int(method)]].setdefault(int(bci), collections.Counter())
            _add_types(found, entry["records"], types)
    for entry in document.get("monitorProfiles", []):
        _add_types(counts.monitors, entry["records"], types)
    return counts


def _add_types(counter, records, types):
    for type_id, n in zip(*[iter(records)] * 2):
        counter[types[type_id]] += n


def from_oracle(path):
    """Reads the file that CountingOracle writes: {"class": {"name(descriptor)": {"calls": n, "branches": {bci:
    [[t, n]...]}}}}."""
    counts = Counts()
    for owner, methods in json.loads(pathlib.Path(path).read_text()).items():
        for method, found in methods.items():
            at = method.index("(")
            this = key(owner, method[:at], method[at:])
            if found["calls"]:
                counts.calls[this] += found["calls"]
            for bci, edges in found["branches"].items():
                if not any(n for _, n in edges):
                    continue
                counts.branches[this][int(bci)] = one_each(edges)
    return counts
