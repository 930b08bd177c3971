"""What a profile says of events: the part "events" of its section (docs/format.md), with names instead of numbers."""

import collections
import dataclasses


@dataclasses.dataclass(frozen=True)
class Stack:
    frames: tuple  # "a.B.run", innermost first
    positions: tuple = dataclasses.field(compare=False)  # (bci, line) of each

    def has(self, method):
        return method in self.frames


Allocation = collections.namedtuple("Allocation", "stack type thread bytes objects live_bytes live_objects samples live_samples")
Wait = collections.namedtuple("Wait", "stack type thread ns waits owner is_park")


class Events:
    def __init__(self, part):
        self.part = part
        names = [f"{kind}.{name}" for kind, name, _ in part["methods"]]
        self.stacks = [self._stack(numbers, names) for numbers in part["stacks"]]
        self.allocations = [Allocation(self.stacks[stack], self._at("types", kind), self._at("threads", thread), *values)
                            for stack, kind, thread, *values in part.get("alloc", {}).get("rows", [])]
        self.waits = [Wait(self.stacks[stack], self._at("types", kind), self._at("threads", thread), ns, waits,
                           None if owner < 0 else self.stacks[owner], bool(is_park))
                      for stack, kind, thread, ns, waits, owner, is_park in part.get("lock", {}).get("rows", [])]

    @staticmethod
    def _stack(numbers, names):
        frames = [tuple(numbers[i:i + 3]) for i in range(0, len(numbers), 3)]
        return Stack(tuple(names[method] for method, _, _ in frames), tuple((bci, line) for _, bci, line in frames))

    def _at(self, table, number):
        return None if number < 0 else self.part[table][number]


def events_of(profile):
    return Events(profile.section["events"])


def total(rows, value):
    return sum(getattr(row, value) for row in rows)
