"""Compares two Counts branch by branch and method by method."""

import dataclasses


@dataclasses.dataclass
class Difference:
    calls: int = 0  # compared
    branches: int = 0
    differing: list = dataclasses.field(default_factory=list)

    def __str__(self):
        return f"{self.calls} methods' calls and {self.branches} branches compared, {len(self.differing)} differ"


def compare(expected, actual, wanted=lambda method: True, slack=lambda method: 0):
    """Compares every method and branch that either side counted; slack is how far a method's branches may be off."""
    result = Difference()
    for method in sorted(m for m in expected.methods() | actual.methods() if wanted(m)):
        name = f"{method[0]}.{method[1]}({', '.join(method[2][1:])}){method[2][0]}"
        result.calls += 1
        if expected.calls[method] != actual.calls[method]:
            result.differing.append(f"calls of {name}: expected {expected.calls[method]}, counted {actual.calls[method]}")
        theirs, ours = expected.branches.get(method, {}), actual.branches.get(method, {})
        for bci in sorted(theirs.keys() | ours.keys()):
            result.branches += 1
            one, other = theirs.get(bci, []), ours.get(bci, [])
            if one == other:
                continue
            same_places = [r[:2] for r in one] == [r[:2] for r in other]
            if same_places and all(abs(a[2] - b[2]) <= slack(method) for a, b in zip(one, other)):
                continue
            result.differing.append(f"{name} bci {bci}: expected {one or 'nothing'}, counted {other or 'nothing'}")
    return result
