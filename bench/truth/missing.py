"""Why a harvest lacks branches of the truth, and which of those that it has go the wrong way."""

import collections

from truth.comparison import CLEAR, calls_by_method, method_of

FEW_CALLS = 200  # Tier3InvocationThreshold: about then, HotSpot makes a MethodData for a method
ALL = 0.95  # of a method's calls: HotSpot counted them to the end
REASONS = (f"method called less than {FEW_CALLS} times", "called more often, but never compiled with counters",
           "compiled without counters", "in a method with counters")
COVERAGES = ((0.5, "half or more"), (0.1, "a tenth to a half"), (0.01, "a hundredth to a tenth"), (0, "less"))


def missing(exact, raw):
    """{reason: its share of all branch executions, which have no data}, in percent. A method no branch of which was counted has
    no counters; if its calls were counted to the end, it was never compiled by C2, nor inlined by it."""
    calls, counted, truth, found = calls_by_method(exact), calls_by_method(raw), exact.branches(), raw.branches()
    known = {method_of(context) for context in found}
    shares, total = collections.Counter(), 0
    for context, successors in truth.items():
        weight = sum(successors.values())
        total += weight
        if context in found:
            continue
        method = method_of(context)
        if method in known:
            shares[REASONS[3]] += weight
        elif calls[method] < FEW_CALLS:
            shares[REASONS[0]] += weight
        else:
            shares[REASONS[1 if counted[method] >= ALL * calls[method] else 2]] += weight
    return {reason: 100 * shares[reason] / total for reason in REASONS}


def wrong_way(exact, raw):
    """{how much of a branch's executions HotSpot counted: (its share of all clear branches, how much of that goes the wrong way)}"""
    truth, found = exact.branches(), raw.branches()
    clear, wrong = collections.Counter(), collections.Counter()
    for context, successors in truth.items():
        weight = sum(successors.values())
        if context not in found or len(successors) != 2 or len(found[context]) != 2 or not weight:
            continue
        true = [count for _, count in sorted(successors.items())]
        guess = [count for _, count in sorted(found[context].items())]
        if max(true) < CLEAR * weight:
            continue
        name = next(name for least, name in COVERAGES if sum(guess) >= least * weight)
        clear[name] += weight
        wrong[name] += weight * ((true[0] > true[1]) != (guess[0] > guess[1]))
    total = sum(clear.values())
    return {name: (100 * clear[name] / total, 100 * wrong[name] / clear[name] if clear[name] else 0) for _, name in COVERAGES}
