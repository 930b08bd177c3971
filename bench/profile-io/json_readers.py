#!/usr/bin/env python3
"""Compares our JSON reader with RapidJSON's SAX reader on the same files in the same run (docs/lab/json-reader.md).

Both stream the file and produce the same events; the program stops if they do not. Each measurement is a new process.
The readers take turns, so that noise affects all of them. It prints medians of user CPU time with the spread, and the
ratio to ours in each turn. User time is used because other work on the machine distorts wall time.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

WAYS = [
    ("events", "ours", "our reader, events only"),
    ("tokens", "rapidjson", "RapidJSON, tokens only"),
    ("events", "rapidjson", "RapidJSON, events only"),
    ("model", "ours", "our reader, whole profile"),
    ("model", "rapidjson", "RapidJSON, whole profile"),
]
BASELINE = {"tokens": ("events", "ours"), "events": ("events", "ours"), "model": ("model", "ours")}
DAMAGED = {
    "ends inside a string": lambda text: text[:text.index('"callCountProfiles"') + 40],
    "a comma too many": lambda text: text.replace('"records":[', '"records":[,', 1),
    "a word for a number": lambda text: text.replace('"id":3', '"id":three', 1),
    "a fraction for an id": lambda text: text.replace('"id":3', '"id":3.5', 1),
    "a number of 400 digits": lambda text: text.replace('"id":3', f'"id":{"9" * 400}', 1),
    "half a surrogate pair in a name": lambda text: text.replace('"name":"char"', r'"name":"\ud800"', 1),
    "a string of 17 MiB": lambda text: text.replace('"name":"char"', f'"name":"{"x" * (17 << 20)}"', 1),
}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


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
    seconds = {way[:2]: [] for way in WAYS}
    memory = {}
    for _ in range(turns):
        for what, who, _ in WAYS:
            said = json.loads(run([reader, what, who, path, str(rounds)]))
            seconds[what, who].append(said["user_seconds"] / rounds)
            memory[what, who] = max(memory.get((what, who), 0), said["peak_kb"])
    for what, who, name in WAYS:
        values = [1000 * value for value in seconds[what, who]]
        ratios = [a / b for a, b in zip(seconds[what, who], seconds[BASELINE[what]])]
        print(f"  {name:<26} {statistics.median(values):7.1f} ms ({min(values):.1f} .. {max(values):.1f})   ratio "
              f"{statistics.median(ratios):.2f} ({min(ratios):.2f} .. {max(ratios):.2f})   peak {memory[what, who] / 1024:5.1f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="the folder of the two benchmark programs")
    parser.add_argument("--turns", type=int, default=11)
    parser.add_argument("--rounds", type=int, default=10, help="readings a process")
    parser.add_argument("--scale", type=int, default=1, help="of the larger file is 4 times this")
    parser.add_argument("--quick", action="store_true", help="only that both readers agree")
    arguments = parser.parse_args()
    maker, reader = arguments.build / "profile_io_bench", arguments.build / "json_reader_bench"
    with tempfile.TemporaryDirectory() as folder:
        small, large = pathlib.Path(folder) / "small.iprof", pathlib.Path(folder) / "large.iprof"
        run([maker, "make", small, str(arguments.scale), "1"])
        other = pathlib.Path(folder) / "other.iprof"
        other.write_text(reordered(small.read_text()))
        run([reader, "same", small])
        run([reader, "same", other])
        if arguments.quick:
            print("both readers make the same events and the same profile")
            return
        run([maker, "make", large, str(4 * arguments.scale), "1"])
        run([reader, "same", large])
        for path in (small, large):
            print(f"{path.name}, {path.stat().st_size / (1 << 20):.1f} MiB:")
            measure(reader, path, arguments.turns, arguments.rounds)
        text = small.read_text()
        for what, damage in DAMAGED.items():
            bad = pathlib.Path(folder) / "bad.iprof"
            bad.write_text(damage(text))
            print(f"{what}:\n  " + run([reader, "failure", bad]).replace(folder + "/", "").rstrip().replace("\n", "\n  "))


if __name__ == "__main__":
    main()
