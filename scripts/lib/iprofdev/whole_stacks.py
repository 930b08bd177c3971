"""The sampled stacks of a profile, where its file has pieces of them or nothing (docs/format.md).

Example: the samples {"3:2": 50, "2:7<1:5": 50} with the split [["3:2<2:7<1:5", 50, 0, 1, 1, 3], ["4:0<*1", 7]] are one stack of
two pieces and one that the file lacks, so of(document) is {"3:2<2:7<1:5": 50, "4:0<1:5": 7}.
"""


def _part(document):
    return document.get("iprofagent", {}).get("split", {})


def _in_part(document):
    """(frames, weight, pieces) of each stack in the part; a piece is (first frame, behind the last, whether it begins at 0)."""
    before = []
    for text, weight, *ends in _part(document).get("whole", []):
        frames = text.split("<")
        if frames[-1].startswith("*"):
            frames[-1:] = before[len(before) - int(frames[-1][1:]):]
        yield frames, weight, [(max(first, -first - 1), last, first < 0) for first, last in zip(ends[::2], ends[1::2])]
        before = frames


def _context(frames, first, last, at_0):
    innermost, *callers = frames[first:last]
    return "<".join([innermost.split(":")[0] + ":0" if at_0 else innermost, *callers])


def _with(document, spans_of):
    """{ctx: weight}: the table without the pieces, and with spans_of(frames, pieces) of each stack in the part."""
    stacks = {entry["ctx"]: entry["records"][0] for entry in document.get("samplingProfiles", [])}
    for frames, weight, pieces in _in_part(document):
        for piece in pieces:
            stacks[_context(frames, *piece)] -= weight
        for span in spans_of(frames, pieces):
            context = _context(frames, *span)
            stacks[context] = stacks.get(context, 0) + weight
    return {context: weight for context, weight in stacks.items() if weight > 0}


def of(document):
    """{ctx: weight} of a profile as JSON has it."""
    return _with(document, lambda frames, pieces: [(0, len(frames), False)])


def followed(document):
    """The same of what an image build can follow: whole where stacks are in two pieces, but cut where the others are."""
    return _with(document, lambda frames, pieces: [(pieces[0][0], pieces[-1][1], pieces[0][2])] if pieces else [])


def in_pieces(document, count):
    """(how many stacks are in so many pieces, their weight). One piece: they are cut; none: they are left out."""
    weights = [weight for _, weight, pieces in _in_part(document) if len(pieces) == count]
    return len(weights), sum(weights)


def types(document):
    """All types, with those that only whole stacks name."""
    return document["types"] + [{"id": number, "name": name} for number, name in _part(document).get("types", [])]


def methods(document):
    """All methods, with those that only whole stacks name."""
    return document["methods"] + [{"id": number, "name": name, "signature": signature}
                                  for number, name, *signature in _part(document).get("methods", [])]
