"""Compares counts with HotSpot's MethodData, site by site, and says why sites differ.

A site is a method's calls or one branch. It is compared if either side counted more than MINIMUM executions. It is
confirmed if one of HotSpot's profiles has every number within the allowance, or if the two edges are swapped and the
branch's target is the next instruction (C1 swaps the edges of such branches).
"""

import collections
import dataclasses

from oracle import counts

MINIMUM = 1000
MISSED = 64  # executions of a method before its MethodData exists
NO_RECORD = "we have no record of it"
SHARE = 0.001  # HotSpot's counters are plain increments, too, and compiled code updates them in bulk


@dataclasses.dataclass
class Comparison:
    sites: int = 0
    confirmed: int = 0
    explained: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    differing: list = dataclasses.field(default_factory=list)  # (what, ours, HotSpot's ..., class)

    @property
    def share(self):
        return self.confirmed / self.sites if self.sites else 0.0


def _close(a, b):
    return abs(a - b) <= MISSED + SHARE * max(a, b)


def agree(ours, theirs):
    return len(ours) == len(theirs) and all(_close(a, b) for a, b in zip(ours, theirs))


def between(ours, profiles):
    """Whether our number is between those of HotSpot's runs, if these differ a little: there, the program depends on
    more than its input, for example on when weak references are cleared."""
    known = [t for t in profiles if t is not None]
    if len(known) < 2 or any(len(t) != len(ours) for t in known):
        return False
    ranges = [(min(values), max(values)) for values in zip(*known)]
    return (any(not _close(low, high) for low, high in ranges) and
            all(high - low <= MISSED + 0.05 * high for low, high in ranges) and
            all(low <= n or _close(n, low) for n, (low, _) in zip(ours, ranges)) and
            all(n <= high or _close(n, high) for n, (_, high) in zip(ours, ranges)))


def _profile_of(counted, method, bci):
    if bci is None:
        return (counted.calls[method],)
    return counted.records(method, bci)


def _hotspots(counted, method, bci, targets):
    """Converts HotSpot's number for each edge to one for each target, as in a profile."""
    numbers = _profile_of(counted, method, bci)
    edges = targets(method, bci) if bci is not None else ()
    return counts.sums_by_target(edges, numbers) if numbers is not None and len(numbers) == len(edges) else numbers


def _why(ours, theirs, intrinsic, unprofiled):
    """The kind of a disagreement."""
    known = [t for t in theirs if t is not None]
    if unprofiled:
        return "nothing to profile in it: HotSpot compiles it without counters"
    if not known:
        return "HotSpot has no profile of it"
    if ours is None:
        return NO_RECORD
    if intrinsic:
        return "intrinsic: HotSpot's compilers replace the call"
    if all(len(t) != len(ours) for t in known):
        return "different shapes"
    if len(ours) == 2 and any(agree(ours, t[::-1]) for t in known):
        return "edges swapped"
    if all(sum(t) < sum(ours) for t in known):
        return "HotSpot has fewer"
    if all(sum(t) > sum(ours) for t in known):
        return "HotSpot has more"
    return "shares differ"


def compare(ours, profiles, wanted=lambda method: True, targets=lambda method, bci: (),
            intrinsic=lambda method: False, unprofiled=lambda method: False):
    """profiles: HotSpot's profiles, one for each mode. wanted selects methods; the other predicates read the
    class files.

    Calls of methods with nothing to profile (no branch, no call through a receiver) are not compared, because HotSpot
    gives them no MethodData and stops counting their calls. They are listed as a separate kind.
    """
    result = Comparison()
    sites = set()
    for counted in (ours, *profiles):
        sites.update((method, None) for method, n in counted.calls.items() if n > MINIMUM)
        for method, branches in counted.branches.items():
            sites.update((method, bci) for bci, records in branches.items() if sum(r[2] for r in records) > MINIMUM)
    for method, bci in sorted(sites, key=lambda site: (site[0], -1 if site[1] is None else site[1])):
        if not wanted(method):
            continue
        mine = _profile_of(ours, method, bci)
        theirs = [_hotspots(counted, method, bci, targets) for counted in profiles]
        if mine is not None:
            if any(t is not None and agree(mine, t) for t in theirs):
                result.sites += 1
                result.confirmed += 1
                continue
            if between(mine, theirs):
                result.sites += 1
                result.confirmed += 1
                result.explained["between HotSpot's two runs, which differ"] += 1
                continue
        why = _why(mine, theirs, bci is None and intrinsic(method), bci is None and unprofiled(method))
        result.explained[why] += 1
        if bci is None and unprofiled(method):
            continue
        result.sites += 1
        result.differing.append((method, bci, mine, theirs, why))
    return result


ROWS = 8  # TypeProfileWidth


def _lambdas_as_one(types):
    """Whether a name is that of a lambda, which HotSpot names after its address."""
    made = collections.Counter()
    for name, n in types.items():
        made[name.partition("$$Lambda")[0] + "$$Lambda" if "$$Lambda" in name else name] += n
    return made


def _verdict(mine, theirs):
    """(confirmed, kind) for one site's receivers: our counts against one profile of HotSpot."""
    unlisted = theirs[counts.UNLISTED]
    rows = {name: n for name, n in theirs.items() if name != counts.UNLISTED}
    if all(_close(mine[name], rows.get(name, 0)) for name in mine.keys() | rows.keys()) and unlisted <= MISSED:
        return True, ""
    total = _close(sum(mine.values()), sum(theirs.values()))
    if not rows and total:
        return True, "HotSpot knows the callee, and so only how many"
    if len(rows) >= ROWS and total and all(_close(mine[name], n) for name, n in rows.items()):
        return True, f"more classes than HotSpot's {ROWS} rows, which agree"
    if not theirs and len(mine) == 1 and next(iter(mine)).startswith("["):
        return True, "clone of an array: HotSpot does not count it"
    if total:
        return False, "totals agree, classes differ"
    return False, "HotSpot has fewer" if sum(theirs.values()) < sum(mine.values()) else "HotSpot has more"


def steady_lambda_calls(profiles):
    """Calls whose receivers include lambdas, and on which HotSpot's profiles agree: (method, bci)."""
    calls = set()
    for method, sites in profiles[0].receivers.items():
        for bci, types in sites.items():
            others = [p.receivers.get(method, {}).get(bci, collections.Counter()) for p in profiles[1:]]
            if (any("$$Lambda" in name for name in types) and sum(types.values()) > MINIMUM and
                    all(_verdict(_lambdas_as_one(other), _lambdas_as_one(types)) == (True, "") for other in others)):
                calls.add((method, bci))
    return calls


def compare_receivers(ours, profiles, wanted=lambda method: True, has_one_target=lambda method, bci: False, lambdas=True,
                      only=None):
    """The same for the receivers of calls. Calls that need no record because they have one target are only listed, and
    so are calls of lambdas if several have one name. `only`: the calls to compare, as (method, bci)."""
    result = Comparison()
    sites = set()
    for counted in (ours, *profiles):
        for method, calls in counted.receivers.items():
            sites.update((method, bci) for bci, types in calls.items()
                         if sum(types.values()) > MINIMUM and (only is None or (method, bci) in only))
    for method, bci in sorted(sites):
        if not wanted(method):
            continue
        mine = ours.receivers.get(method, {}).get(bci)
        theirs = [counted.receivers.get(method, {}).get(bci) for counted in profiles]
        if mine is None and has_one_target(method, bci):
            result.explained["one target: no record is needed"] += 1
            continue
        if not lambdas and any("$$Lambda" in name for t in theirs if t for name in t):
            result.explained["lambdas, which are not told apart here"] += 1
            continue
        result.sites += 1
        if mine is None:
            verdicts = [(False, "we have no record of it")]
        else:
            verdicts = [_verdict(_lambdas_as_one(mine), _lambdas_as_one(t)) for t in theirs if t is not None]
        if not verdicts:
            verdicts = [(False, "HotSpot has no profile of it")]
        confirmed, why = max(verdicts, key=lambda verdict: (verdict[0], verdict[1] == ""))
        if confirmed:
            result.confirmed += 1
        else:
            result.differing.append((method, bci, dict(mine or {}), [t and dict(t) for t in theirs], why))
        if why:
            result.explained[why] += 1
    return result


def describe(comparison, show=20):
    lines = [f"{comparison.sites} sites above {MINIMUM} executions, {comparison.confirmed} confirmed "
             f"({100 * comparison.share:.3f} %; allowance {MISSED} + {100 * SHARE:g} %)"]
    lines += [f"  {n:6} {why}" for why, n in comparison.explained.most_common()]
    for method, bci, mine, theirs, why in comparison.differing[:show]:
        place = "calls" if bci is None else f"bci {bci}"
        lines.append(f"  {method[0]}.{method[1]}({', '.join(method[2][1:])}) {place}: ours {mine}, HotSpot {theirs}: {why}")
    return "\n".join(lines)
