"""The sampled stacks of a profile, where its file has pieces of them (docs/format.md).

Example: the samples {"3:2": 50, "2:7<1:5": 50} with the split ["3:2<2:7<1:5", 50, 0, 1, 1, 3] are one stack of two pieces, so
of(document) is {"3:2<2:7<1:5": 50}.
"""


def of(document):
    """{ctx: weight} of a profile as JSON has it."""
    stacks = {entry["ctx"]: entry["records"][0] for entry in document.get("samplingProfiles", [])}
    for text, weight, *ends in document.get("iprofagent", {}).get("split", {"whole": []})["whole"]:
        frames = text.split("<")
        for first, last in zip(ends[::2], ends[1::2]):
            stacks["<".join(frames[first:last])] -= weight
        stacks[text] = weight
    return {text: weight for text, weight in stacks.items() if weight > 0}
