"""What an image build makes of the samples and the receivers in a profile: a second model, independent of the tool's.

A build calls a context hot from 5 % of all samples. In hot contexts it dispatches a call directly to the methods that were
sampled under it, however few samples they have. Only where there are none, it looks at the receivers: at most three classes
are dispatched, each from 10 % of the site's counts.

A context is any chain of frames, innermost first, as inlining makes it: its weight is that of all stacks in which it occurs,
with any caller of its outermost frame. A chain that ends with ROOT occurs only where that frame began a stack. Chains are not
longer than compilers inline; and calls that hardly ran are not looked at, because nothing depends on their dispatch.
"""

from iprofdev import whole_stacks

HOT = 20  # one of so many samples
DISPATCHED = 10  # one of so many counts
MOST_DISPATCHED = 3
LONGEST = 32  # frames of a chain, with ROOT
FEWEST_CALLS = 1_000
ROOT = (-1, -1)


def frames_of(context):
    return tuple(tuple(int(number) for number in frame.split(":")) for frame in context.split("<"))


def stacks_of(document):
    """The stacks of a profile as they are written: a list of (frames, weight)."""
    return [(frames_of(entry["ctx"]), entry["records"][0]) for entry in document.get("samplingProfiles", [])]


def whole_stacks_of(document):
    """The same without the cuts at calls whose receivers contradict samples."""
    return [(frames_of(text), weight) for text, weight in whole_stacks.followed(document).items()]


def receivers_of(document):
    """Receivers by site: {(method, bci): {type: count}}, over all callers."""
    sites = {}
    for entry in document.get("virtualInvokeProfiles", []):
        site = sites.setdefault(frames_of(entry["ctx"])[0], {})
        records = entry["records"]
        for type_id, count in zip(records[::2], records[1::2]):
            site[type_id] = site.get(type_id, 0) + count
    return sites


def sites_of(document):
    """The receivers of the calls that ran often enough."""
    return {site: types for site, types in receivers_of(document).items() if sum(types.values()) >= FEWEST_CALLS}


def total_of(stacks):
    return sum(weight for _, weight in stacks)


def selected(receivers):
    """The classes that a build dispatches to by their counts."""
    total = sum(receivers.values())
    enough = [(-count, type_id) for type_id, count in receivers.items() if count * DISPATCHED >= total]
    return {type_id for _, type_id in sorted(enough)[:MOST_DISPATCHED]}


def chains_at(frames, at):
    """The chains whose innermost frame is frames[at]."""
    whole = (frames[at:at + LONGEST] + (ROOT,))[:LONGEST]
    return (whole[:length] for length in range(1, len(whole) + 1))


def hot_calls(stacks, sites):
    """{chain: callees} of the hot chains at these sites under which something was sampled."""
    total = total_of(stacks)
    weights = {}
    for frames, weight in stacks:
        for site in set(frames) & sites:
            weights[site] = weights.get(site, 0) + weight
    hot_sites = {site for site, weight in weights.items() if weight * HOT >= total}
    chains = {}
    for frames, weight in stacks:
        seen = set()
        for at, frame in enumerate(frames):
            if frame not in hot_sites:
                continue
            for chain in chains_at(frames, at):
                sum_and_callees = chains.setdefault(chain, [0, set()])
                if chain not in seen:
                    sum_and_callees[0] += weight
                    seen.add(chain)
                if at > 0:
                    sum_and_callees[1].add(frames[at - 1][0])
    return {chain: callees for chain, (weight, callees) in chains.items() if weight * HOT >= total and callees}


class Methods:
    """The methods that a profile declares."""

    def __init__(self, document):
        self._key = {m["id"]: (m["signature"][0], m["name"], tuple(m["signature"][2:])) for m in document["methods"]}
        self._declared = set(self._key.values())

    def owner(self, method):
        return self._key[method][0]

    def overrides(self, type_id, method):
        """Whether the class has its own method of this name and these parameters."""
        return (type_id, *self._key[method][1:]) in self._declared


def agrees(methods, receivers, callees):
    """Whether the sampled methods are certainly those that the classes select.

    A class without an own method inherits one, and a profile does not say from where. So at most one of the selected
    classes may do so, and nothing else may explain the method that is left.
    """
    chosen = selected(receivers)
    own = {t for t in chosen if any(methods.overrides(t, callee) for callee in callees)}
    if own - {methods.owner(callee) for callee in callees}:
        return False
    left = [callee for callee in callees if methods.owner(callee) not in own]
    inherits = chosen - own
    if not inherits:
        return not left
    if len(inherits) > 1 or len(left) != 1:
        return False
    others = set(receivers) - chosen
    return all(t != methods.owner(left[0]) and methods.overrides(t, left[0]) for t in others)


def contradictions(document):
    """The calls of the profile at which samples decide, and not as the receivers would: {chain: callees}."""
    methods = Methods(document)
    sites = sites_of(document)
    calls = hot_calls(stacks_of(document), set(sites))
    return {chain: callees for chain, callees in calls.items() if not agrees(methods, sites[chain[0]], callees)}
