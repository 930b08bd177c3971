"""Our JSON reader compared with RapidJSON's SAX reader on the same files in the same run (docs/lab/json-reader.md).

Both stream the file and produce the same events; the program stops if they do not. Each measurement is a new process. The readers take
turns, so that noise affects all of them. It prints medians of user CPU time with the smallest and the largest, and the ratio to ours in
each turn. User time is used because other work on the machine distorts wall time. --quick only checks that both readers agree.
"""

import json

from runner import tables
from runner.figures import spread
from runner.running import own_program, said_by

WAYS = {("events", "ours"): "our reader, events only", ("events", "rapidjson"): "RapidJSON, events only",
        ("model", "ours"): "our reader, whole profile", ("model", "rapidjson"): "RapidJSON, whole profile"}
DAMAGED = {
    "ends inside a string": lambda text: text[:text.index('"callCountProfiles"') + 40],
    "a comma too many": lambda text: text.replace('"records":[', '"records":[,', 1),
    "a word for a number": lambda text: text.replace('"id":3', '"id":three', 1),
    "a fraction for an id": lambda text: text.replace('"id":3', '"id":3.5', 1),
    "a number of 400 digits": lambda text: text.replace('"id":3', f'"id":{"9" * 400}', 1),
    "half a surrogate pair in a name": lambda text: text.replace('"name":"char"', r'"name":"\ud800"', 1),
    "a string of 17 MiB": lambda text: text.replace('"name":"char"', f'"name":"{"x" * (17 << 20)}"', 1),
}


def add_options(options):
    options.value("--turns", 11, "of all ways to read")
    options.value("--rounds", 10, "readings a process")
    options.value("--scale", 1, "of the larger file is 4 times this")


def reordered(text):
    """The same profile with everything in other places that the format allows, and with extra keys and spaces."""
    document = json.loads(text)
    keys = ["samplingProfiles", "conditionalProfiles", "methods", "later", "types", "version"]
    document["later"] = {"a": [1.5, "\u00e9", {"b": None}], "version": True}
    keys += [key for key in document if key not in keys]
    made = {key: document[key] for key in keys if key in document}
    for element in made["methods"]:
        element["name"] = element.pop("name")
    return json.dumps(made, indent=1)


def measure(reader, path, turns, rounds):
    seconds, peak_kb = {way: [] for way in WAYS}, dict.fromkeys(WAYS, 0)
    for _ in range(turns):
        for way in WAYS:
            said = json.loads(said_by([reader, *way, path, rounds]))
            seconds[way].append(said["user_seconds"] / rounds)
            peak_kb[way] = max(peak_kb[way], said["peak_kb"])
    rows = [[name, spread([1000 * value for value in seconds[way]]), spread([a / b for a, b in zip(seconds[way], seconds[way[0], "ours"])], 2),
             f"{peak_kb[way] / 1024:.1f}"] for way, name in WAYS.items()]
    print(f"{path.name}, {path.stat().st_size / (1 << 20):.1f} MiB:",
          *tables.aligned(["", "ms", "ratio", "peak, MiB"], rows), sep="\n")


def main(arguments):
    maker, reader = (own_program(arguments.build, name) for name in ("profile_io_bench", "json_reader_bench"))
    small, large, other, bad = (arguments.folder / f"{name}.iprof" for name in ("small", "large", "other", "bad"))
    said_by([maker, "make", small, arguments.scale, 1])
    text = small.read_text()
    other.write_text(reordered(text))
    for path in (small, other):
        said_by([reader, "same", path])
    if arguments.quick:
        print("both readers make the same events and the same profile")
        return
    said_by([maker, "make", large, 4 * arguments.scale, 1])
    said_by([reader, "same", large])
    for path in (small, large):
        measure(reader, path, arguments.turns, arguments.rounds)
    for what, damage in DAMAGED.items():
        bad.write_text(damage(text))
        print(f"{what}:\n  " + said_by([reader, "failure", bad]).replace(f"{arguments.folder}/", "").rstrip().replace("\n", "\n  "))
