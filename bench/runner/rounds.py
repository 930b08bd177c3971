"""In which order compared runs follow each other, so that all of them meet the same machine.

order() is by chance: each round runs the workloads in random order, and the configurations of a workload one after the other in random
order. So compared runs are only minutes apart, and no configuration always follows the same other one. alternating() is for two.
"""

import random
import sys

from runner.running import Failed


def order(workloads, ways, rounds, seed=None, fits=lambda workload, way: True):
    """[(round, workload, configuration)]"""
    chance = random.Random(seed)
    plan = []
    for number in range(rounds):
        for workload in chance.sample(workloads, len(workloads)):
            suitable = [way for way in ways if fits(workload, way)]
            plan += [(number, workload, way) for way in chance.sample(suitable, len(suitable))]
    return plan


def new_seed(given):
    return random.randrange(1 << 32) if given is None else given


def alternating(ways, rounds):
    """(round, ways): in every other round the other way round."""
    for number in range(rounds):
        yield number, ways[::1 if number % 2 == 0 else -1]


def run(plan, one, keep, failures):
    """Calls keep(one(round, workload, configuration)). After a failure, that pair is left out; failures: (workload, configuration) ->
    message, of earlier steps, too."""
    for done, (number, workload, way) in enumerate(plan, 1):
        pair = workload.name, way.name
        if pair not in failures:
            try:
                keep(one(number, workload, way))
            except Failed as failure:
                fail(pair, failure, failures)
        if done == len(plan) or plan[done][0] != number:
            print(f"round {number + 1} done", file=sys.stderr, flush=True)


def fail(pair, failure, failures):
    failures[pair] = str(failure)
    print(f"FAILED: {' under '.join(pair)}: {failure}", file=sys.stderr)


def told(failures):
    """Prints what failed; returns the exit status."""
    print("".join(f"FAILED: {workload}, {way}: {message}\n" for (workload, way), message in failures.items()), end="")
    return 1 if failures else 0
