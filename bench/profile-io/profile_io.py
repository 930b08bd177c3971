#!/usr/bin/env python3
"""Measures reading, writing and merging of profiles, compared with Python's json and jq, on the same files in the
same run.

Every measurement is a new process, and the tools take turns, so that noise affects all of them. It prints medians of
CPU time (of all threads) with the spread (smallest to largest) and ratios of medians. CPU time is used because other
work on the machine distorts wall time. Memory is the peak resident size.
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

PYTHON_CHILD = r"""
import io, json, sys, time
path, operation, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
seconds = []
document = json.load(open(path)) if operation != "load" else None
for _ in range(rounds):
    start = time.process_time()
    if operation == "load":
        with open(path) as file:
            document = json.load(file)
    elif operation == "dump":
        with open("/dev/null", "w") as file:
            json.dump(document, file, separators=(",", ":"))
    else:
        with open("/dev/null", "w") as file:
            file.write(json.dumps(document, separators=(",", ":")))
    seconds.append(time.process_time() - start)
    if operation == "load":
        document = None
print(json.dumps({"seconds": seconds}))
"""


def child(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"failed: {' '.join(command[:6])}")
    return json.loads(result.stdout)


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def jq_once(path):
    start = cpu_of_children()
    subprocess.run(["jq", "empty", path], check=True)
    whole = cpu_of_children() - start
    start = cpu_of_children()
    subprocess.run(["jq", "-n", "empty"], check=True)
    return whole - (cpu_of_children() - start)  # without starting the process


def spread(values):
    values = [1000 * v for v in values]
    return f"{statistics.median(values):9.1f} ms  ({min(values):.1f} .. {max(values):.1f})"


class Table:
    def __init__(self):
        self.rows = {}

    def add(self, name, seconds):
        self.rows.setdefault(name, []).extend(seconds)

    def median(self, name):
        return statistics.median(self.rows[name])

    def show(self):
        for name, seconds in self.rows.items():
            print(f"  {name:<22} {spread(seconds)}")


def verdict(name, value, target, at_least=True):
    met = value >= target if at_least else value <= target
    print(f"  {name:<44} {value:6.2f}   target {'>=' if at_least else '<='} {target:g}: {'met' if met else 'MISSED'}")


def measure_scale(bench, path, rounds, inner, jq):
    table = Table()
    peak = model = 0
    for _ in range(rounds):
        for name, operation in (("iprof read", "read"), ("iprof write", "write")):
            got = child([bench, operation, path, str(inner)])
            table.add(name, got["seconds"])
            if operation == "read":
                peak, model = max(peak, got["peak_kb"]), got["model_bytes"]
        for name, operation in (("json.load", "load"), ("json.dump", "dump"), ("json.dumps + write", "dumps")):
            table.add(name, child([sys.executable, "-c", PYTHON_CHILD, path, operation, str(inner)])["seconds"])
        if jq:
            for _ in range(inner):
                table.add("jq empty", [jq_once(path)])
    table.show()
    verdict("read: json.load / iprof", table.median("json.load") / table.median("iprof read"), 10)
    if jq:
        verdict("read: jq / iprof", table.median("jq empty") / table.median("iprof read"), 5)
    verdict("write: json.dump / iprof", table.median("json.dump") / table.median("iprof write"), 10)
    print(f"  write: json.dumps + write / iprof            {table.median('json.dumps + write') / table.median('iprof write'):6.2f}")
    size = os.path.getsize(path)
    print(f"  read {size / table.median('iprof read') / 1e6:.0f} MB/s, write {size / table.median('iprof write') / 1e6:.0f} MB/s,"
          f" model {model / size:.2f} x the text, peak memory {peak / 1024:.1f} MiB")
    return size, table.median("iprof read"), table.median("iprof write")


def measure_merge(bench, folder, count, rounds):
    files = []
    for seed in range(count):
        files.append(os.path.join(folder, f"merge-{seed}.json"))
        subprocess.run([bench, "make", files[-1], "1", str(seed + 1)], check=True)
    total = sum(os.path.getsize(f) for f in files)
    cores = len(os.sched_getaffinity(0))
    for threads in sorted({1, cores}):
        merge, read, peak, model, one = [], [], 0, 0, 0
        for _ in range(rounds):
            got = child([bench, "merge", str(threads), *files])
            merge += got["seconds"]
            peak, model = got["peak_kb"] * 1024, got["model_bytes"]
            got = child([bench, "read", files[0], "5"])
            read += got["seconds"]
            one = got["model_bytes"]
        print(f"merge of {count} files ({total / 1e6:.0f} MB), {threads} thread(s): {spread(merge)}")
        speed = total / statistics.median(merge)  # CPU time: per core already
        reading = os.path.getsize(files[0]) / statistics.median(read)
        verdict("merging speed per core / reading speed", speed / reading, 0.7)
        verdict("peak memory / (merged + one input per thread)", peak / (model + threads * one), 1.5, at_least=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, help="the program profile_io_bench")
    parser.add_argument("--quick", action="store_true", help="once and small: shows that it runs, measures nothing")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    rounds, inner, scales, inputs = (1, 1, [1], 3) if arguments.quick else (arguments.rounds, 5, [1, 4, 16], 100)
    jq = shutil.which("jq")
    if not jq:
        print("jq is not installed: its columns are left out")
    with tempfile.TemporaryDirectory() as folder:
        linear = []
        for scale in scales:
            path = os.path.join(folder, f"scale-{scale}.json")
            subprocess.run([arguments.bench, "make", path, str(scale), "1"], check=True)
            print(f"\nscale {scale}: {os.path.getsize(path) / 1e6:.1f} MB")
            linear.append(measure_scale(arguments.bench, path, rounds, inner if scale == 1 else 1, jq))
        if len(linear) > 1:
            print("\ncost per byte, relative to scale 1 (linear: 1.00; caches make it rise a little)")
            for scale, (size, read, write) in zip(scales, linear):
                base_size, base_read, base_write = linear[0]
                print(f"  scale {scale:>2}: read {read / size * base_size / base_read:.2f}, "
                      f"write {write / size * base_size / base_write:.2f}")
        print()
        measure_merge(arguments.bench, folder, inputs, 1 if arguments.quick else 3)


if __name__ == "__main__":
    main()
