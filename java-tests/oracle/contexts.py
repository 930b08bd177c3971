"""Which part of a program's executions a profile gives to the wrong outcome, if one knows who called: receivers' classes and
branches by caller, against what the oracle saw (asm/ContextOracle.java).

Example: a call runs 600 times for caller A, always with a Square, and 400 times for B, always with a Circle. Without callers a profile
says 60 % and 40 %, which is wrong by 40 % for A and by 60 % for B: 48 % in all. With both callers it is 0.

Frames of the classes of lambdas and proxies are left out on both sides, because each side names them by its own rule.
"""

import collections
import dataclasses
import random

from oracle import classfile

RECEIVERS, BRANCHES = "virtualInvokeProfiles", "conditionalProfiles"
MADE_AT_RUN_TIME = ("$$Lambda", "$Proxy", "LambdaForm$", "java.lang.invoke.")


@dataclasses.dataclass(frozen=True)
class Error:
    wrong: float  # executions
    all: int

    @property
    def share(self):
        return self.wrong / self.all if self.all else 0.0

    def __add__(self, other):
        return Error(self.wrong + other.wrong, self.all + other.all)


def _described(position):
    """"a.B.run(I)V:12" -> "a.B.run(int)void:12", as profiles describe it."""
    method, _, bci = position.rpartition(":")
    name, _, descriptor = method.partition("(")
    result, *parameters = classfile.signature("(" + descriptor)
    return f"{name}({', '.join(parameters)}){result}:{bci}"


def is_named(text):
    return not any(part in text for part in MADE_AT_RUN_TIME)


def read(path, by_method=False):
    """What the oracle saw: {position: {callers: {outcome: count}}}. Positions with outcomes that have no name in a profile are left out.
    by_method: the class of a called method instead of the receiver's."""
    seen = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    unnamed = set()
    for line in path.read_text().splitlines():
        site, outcome, owner, count, *callers = line.split("\t")
        site = _described(site)
        if not is_named(outcome):
            unnamed.add(site)
        if by_method:
            outcome = owner
        seen[site][tuple(_described(caller) for caller in callers if is_named(caller))][outcome] += int(count)
    return {site: by_callers for site, by_callers in seen.items() if site not in unnamed}


def entries(profile, table):
    """{position: {callers: {outcome: count}}} of a profile."""
    found = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for (position, *callers), counts in profile.table(table).items():
        into = found[position][tuple(caller for caller in callers if is_named(caller))]
        for outcome, count in counts.items():
            into[str(outcome[0]) if table == BRANCHES else outcome] += count
    return found


def pooled(by_callers):
    sums = collections.Counter()
    for counts in by_callers.values():
        sums.update(counts)
    return sums


def candidates(profile, prefixes):
    """The calls whose most frequent class has less than 90 %, and the branches of which more than 2 % go another way than most, in classes
    whose names begin so: {position: table}."""
    found = {}
    for table, sure in ((RECEIVERS, 0.9), (BRANCHES, 0.98)):
        for position, by_callers in entries(profile, table).items():
            sums = pooled(by_callers)
            if position.startswith(prefixes) and sums.total() and max(sums.values()) < sure * sums.total():
                found[position] = table
    return found


def write_sites(profile, positions, path):
    """The oracle's file of sites."""
    descriptors = {profile.method_names[m["id"]]: (profile.type_names[m["signature"][0]], m["name"], _descriptor(profile, m))
                   for m in profile.document["methods"]}
    lines = []
    for position in positions:
        method, _, bci = position.rpartition(":")
        owner, name, descriptor = descriptors[method]
        lines.append(f"{owner}\t{name}{descriptor}\t{bci}\n")
    path.write_text("".join(lines))


def _descriptor(profile, method):
    _, result, *parameters = (classfile.descriptor_of(profile.type_names[t]) for t in method["signature"])
    return f"({''.join(parameters)}){result}"


def inclusive(said):
    """The same entries, each with all those that have more callers."""
    sums = collections.defaultdict(collections.Counter)
    for callers, counts in said.items():
        for n in range(len(callers) + 1):
            sums[callers[:n]].update(counts)
    return sums


def error_at(seen, said):
    """Of one position. `said`: a profile's entries. An entry is for those whose callers begin with its callers, and that have no longer
    one; a position without an entry for them is the sum of all, as for a consumer that falls back to it."""
    total = pooled(said)
    wrong, everything = 0.0, 0
    for callers, counts in seen.items():
        shares = next((said[callers[:n]] for n in range(len(callers), -1, -1) if callers[:n] in said), total)
        number, of = counts.total(), shares.total()
        everything += number
        wrong += number if not of else sum(abs(counts[o] - number * shares[o] / of) for o in {*counts, *shares}) / 2
    return Error(wrong, everything)


def halves(seen):
    """What the oracle saw in two parts, at random."""
    chance = random.Random(1)
    parts = [collections.defaultdict(lambda: collections.defaultdict(collections.Counter)) for _ in range(2)]
    for site, by_callers in seen.items():
        for callers, counts in by_callers.items():
            for outcome, count in counts.items():
                one = chance.getrandbits(count).bit_count()
                for part, number in zip(parts, (one, count - one)):
                    if number:
                        part[site][callers][outcome] += number
    return parts


def errors_of(seen, said, positions):
    """{table: Error} of the positions that the oracle saw. `said`: {position: {callers: {outcome: count}}}."""
    sums = {RECEIVERS: Error(0, 0), BRANCHES: Error(0, 0)}
    for position, table in positions.items():
        if position in seen:
            sums[table] += error_at(seen[position], said.get(position, {}))
    return sums


def errors(seen, profile, positions):
    """{table: Error} of the positions (see candidates) that the oracle saw."""
    said = {table: entries(profile, table) for table in (RECEIVERS, BRANCHES)}
    return errors_of(seen, {position: said[table].get(position, {}) for position, table in positions.items()}, positions)
