"""What the program Harvestable is known to do, for the tests that read HotSpot's counters of it."""

STEPS = 3000
SHAPE = "Harvestable.areaOf(Harvestable$Shape, int)int:2"
# HotSpot begins to count after some hundred calls, and loses some counts when it replaces code.
TOLERANCE = 0.03


def shares(counts):
    total = sum(counts.values())
    return {key: count / total for key, count in counts.items() if count}
