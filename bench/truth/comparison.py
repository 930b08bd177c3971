"""How far a profile is from exact counts of the same work: what each figure means, and which are required of a harvested one."""

from harness.profile import load_profile
from runner.overlap import BRANCHES, CALLS, RECEIVERS, overlap

CLEAR = 0.7  # a branch that goes one way more often than this has a direction
CLEAR_IN_BOTH = 0.6  # and in both profiles, if they disagree


def compared(tool, exact, profile):
    """The figures by name, in percent; of branches and receivers, shares of their executions in the truth."""
    said, true, guess = overlap(tool, exact, profile), load_profile(exact), load_profile(profile)
    return {"calls": said.tables[CALLS], "branch weights": said.tables[BRANCHES], "receivers": said.tables[RECEIVERS],
            "all calls": said.all_calls, "hot missed": said.hot_missed, "hot extra": said.hot_extra, "branches off": said.branches_off,
            "inverted": said.inverted, "other receivers": said.other_classes,
            **branches(true.branches(), guess.branches()), **receivers(true.receivers(), guess.receivers())}


def cells(columns, runs):
    return [column.cell([figures[column.name] for figures in runs]) for column in columns]


def misses(figures, raw):
    """The requirements on an estimated profile that do not hold, given the figures of the raw counters."""
    least = [("calls", 80), ("with data", 99), ("right way", 99), *((name, raw[name]) for name in ("calls", "branch weights"))]
    found = [f"{name} {figures[name]:.2f} % < {limit:.2f} %" for name, limit in least if not figures[name] >= limit]
    return found + ([] if figures["error"] <= 3 else [f"error {figures['error']:.2f} points > 3"])


def _percent(part, whole):
    return 100 * part / whole if whole else float("nan")


def _taken(successors):
    """The share of the first target of a branch with two."""
    counts = [count for _, count in sorted(successors.items())]
    return counts[0] / sum(counts) if len(counts) == 2 and sum(counts) else None


def branches(exact, harvested):
    found = total = error = compared_weight = clear = right = inverted = 0
    for context, successors in exact.items():
        weight = sum(successors.values())
        total += weight
        if context not in harvested:
            continue
        found += weight
        true, guess = _taken(successors), _taken(harvested[context])
        if true is None or guess is None:
            continue
        compared_weight += weight
        error += weight * abs(true - guess)
        if min(max(share, 1 - share) for share in (true, guess)) >= CLEAR_IN_BOTH:
            inverted += weight * ((true > 0.5) != (guess > 0.5))
        if max(true, 1 - true) >= CLEAR:
            clear += weight
            right += weight * ((true > 0.5) == (guess > 0.5))
    return {"with data": _percent(found, total), "error": _percent(error, compared_weight), "right way": _percent(right, clear),
            "clear inverted": _percent(inverted, total)}


def receivers(exact, harvested):
    """The share of calls at sites with rows, the overlap there, and at those with several classes."""
    total = found = same = several = same_of_several = 0
    for context, true in exact.items():
        weight = sum(true.values())
        total += weight
        guess = harvested.get(context)
        if not guess or not weight:
            continue
        counted = sum(guess.values())
        shared = weight * sum(min(n / weight, guess.get(name, 0) / counted) for name, n in true.items())
        found += weight
        same += shared
        if len(true) > 1:
            several += weight
            same_of_several += shared
    return {"calls with rows": _percent(found, total), "overlap": _percent(same, found), "of several": _percent(same_of_several, several)}
