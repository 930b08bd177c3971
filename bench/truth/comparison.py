"""How far a harvested profile is from exact counts of the same work: what each figure means, and which are required."""

import dataclasses

from runner import overlap

CLEAR = 0.7  # a branch that goes one way more often than this has a direction
CLEAR_IN_BOTH = 0.6  # and in both profiles, if they disagree


@dataclasses.dataclass(frozen=True)
class Figures:
    """In percent; of branches and receivers, shares of their executions in the truth."""

    overlap: overlap.Overlap
    with_data: float  # branches
    error: float  # mean, in points of the probability, at branches with two ways
    right: float  # of the branches that go one way in 70 % or more: those that do so in both profiles
    clear_inverted: float  # branches that go one way in 60 % or more, and in the profile the other way
    with_rows: float  # calls at sites that the profile has
    of_rows: float  # the overlap of receivers at these sites
    of_several: float  # and at those of them with several classes

    @property
    def calls(self):
        return self.overlap.tables[overlap.CALLS]

    @property
    def branch_weights(self):
        return self.overlap.tables[overlap.BRANCHES]

    @property
    def shares(self):
        return [*(f"{share:.2f}" for share in (self.with_data, self.error, self.right)),
                *(f"{share:.1f}" for share in (self.with_rows, self.of_rows, self.of_several))]

    @property
    def misses(self):
        """The requirements on an estimated profile that do not hold."""
        return [text for holds, text in (
            (self.calls >= 80, f"overlap of calls {self.calls:.1f} % < 80 %"),
            (self.with_data >= 99, f"branches with data {self.with_data:.2f} % < 99 %"),
            (self.error <= 3, f"error {self.error:.2f} points > 3"),
            (self.right >= 99, f"right direction {self.right:.2f} % < 99 %")) if not holds]

    def worse_than(self, raw):
        return [f"{what} worse than raw: {mine:.1f} % < {theirs:.1f} %"
                for what, mine, theirs in (("calls", self.calls, raw.calls), ("branch weights", self.branch_weights, raw.branch_weights))
                if mine < theirs]


def _percent(part, whole):
    return 100 * part / whole if whole else float("nan")


def _taken(successors):
    """The share of the first target of a branch with two."""
    counts = [count for _, count in sorted(successors.items())]
    return counts[0] / sum(counts) if len(counts) == 2 and sum(counts) else None


@dataclasses.dataclass(frozen=True)
class Branches:
    with_data: float
    error: float
    right: float
    clear_inverted: float


def branches(exact, harvested):
    found = total = error = compared = clear = right = inverted = 0
    for context, successors in exact.items():
        weight = sum(successors.values())
        total += weight
        if context not in harvested:
            continue
        found += weight
        true, guess = _taken(successors), _taken(harvested[context])
        if true is None or guess is None:
            continue
        compared += weight
        error += weight * abs(true - guess)
        if min(max(share, 1 - share) for share in (true, guess)) >= CLEAR_IN_BOTH:
            inverted += weight * ((true > 0.5) != (guess > 0.5))
        if max(true, 1 - true) >= CLEAR:
            clear += weight
            right += weight * ((true > 0.5) == (guess > 0.5))
    return Branches(_percent(found, total), _percent(error, compared), _percent(right, clear), _percent(inverted, total))


def receivers(exact, harvested):
    total = found = same = several = same_of_several = 0
    for context, true in exact.items():
        weight = sum(true.values())
        total += weight
        guess = harvested.get(context)
        if not guess or not weight:
            continue
        counted = sum(guess.values())
        overlap = weight * sum(min(n / weight, guess.get(name, 0) / counted) for name, n in true.items())
        found += weight
        same += overlap
        if len(true) > 1:
            several += weight
            same_of_several += overlap
    return _percent(found, total), _percent(same, found), _percent(same_of_several, several)


def compare(tool, folder, name, exact, profile):
    """exact: exact.iprof of the folder, profile: the named one."""
    return Figures(overlap.overlap(tool, folder / "exact.iprof", folder / f"{name}.iprof"),
                   *dataclasses.astuple(branches(exact.branches(), profile.branches())),
                   *receivers(exact.receivers(), profile.receivers()))
