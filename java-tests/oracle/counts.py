"""Counts: what was counted, whoever counted it; read from a profile or from the counting oracle's file.

Keys are (class name, method name, signature): names as Class.getName() gives them, signature = (return, parameters...).
A branch is kept by what its edges lead to: bci of the branch -> {target bci: executions}; the two edges of an if whose
target is the next instruction are told apart by the order in which the profile has them, see `pairs`.
"""

import collections
import gzip
import json
import pathlib

from oracle import classfile

UNLISTED = "(unlisted)"  # HotSpot's receivers of classes that had no row, or that it does not need to know
SHARED = -5  # a successor whose bci an earlier one of the same index carries


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
        """{target bci: executions} of one branch; empty where nothing was recorded."""
        records = self.branches.get(method, {}).get(bci, [])
        bci_of = {}
        for target, index, _ in records:
            if target != SHARED:
                bci_of.setdefault(index, target)
        sums = collections.Counter()
        for _, index, count in records:
            sums[bci_of[index]] += count
        return dict(sums)

    def pair(self, method, bci):
        """(taken, not taken) of an if, or None: the two records in order."""
        records = self.branches.get(method, {}).get(bci)
        return None if records is None else tuple(count for _, _, count in records)


def key(owner, name, descriptor):
    return (owner, name, classfile.signature(descriptor))


def read_json(path):
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data)


def from_profile(path):
    """An iprof. Entries of several contexts of one method add up."""
    document = read_json(path)
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
    """The file that CountingOracle writes: {"class": {"name(descriptor)": {"calls": n, "branches": {bci: [[t, n]...]}}}}."""
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
                index_of = {}
                records = []
                is_if = len(edges) == 2 and not found.get("switches", {}).get(bci)
                for position, (target, n) in enumerate(edges):
                    if is_if:
                        records.append((target, position, n))
                        continue
                    first = target not in index_of
                    index = index_of.setdefault(target, len(index_of))
                    records.append((target if first else SHARED, index, n))
                counts.branches[this][int(bci)] = records
    return counts
