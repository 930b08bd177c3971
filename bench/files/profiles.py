"""Reading, writing and merging of profiles, compared with Python's json and jq, on the same files in the same run.

Every measurement is a new process, and the tools take turns, so that noise affects all of them. It prints medians of CPU time (of all
threads) and ratios of medians. Memory is the peak resident size.
"""

import json
import os
import shutil
import sys

from runner import tables
from runner.figures import judged, median, spread
from runner.running import own_program, run, said_by

# Garbage is collected as usual, and what was made is freed after the time is taken.
PYTHON_CHILD = """
import json, sys, time, timeit
setup, work, rounds = sys.argv[1:]
print(json.dumps({"seconds": timeit.repeat(work, "import gc, json; gc.enable(); " + setup, time.process_time, int(rounds), 1)}))
"""
READ, WRITE, LOAD, DUMP, JQ = "iprof read", "iprof write", "json.load", "json.dump", "jq empty"
SCALES, INPUTS, INNER, MERGES, QUICK_INPUTS = (1, 4, 16), 100, 5, 3, 3


def add_options(options):
    options.value("--rounds", 5, "of new processes")


def in_ms(seconds):
    return spread([1000 * value for value in seconds]) + " ms"


def jq_once(path):
    """Without starting the process."""
    return run(["jq", "empty", path]).cpu_s - run(["jq", "-n", "empty"]).cpu_s


def measure_scale(bench, path, rounds, inner):
    seconds, last, jq = {}, {}, shutil.which("jq")
    python, load = [sys.executable, "-c", PYTHON_CHILD], f"made = json.load(open({str(path)!r}))"
    for _ in range(rounds):
        for name, command in ((READ, [bench, "read", path]), (WRITE, [bench, "write", path]), (LOAD, [*python, "", load]),
                              (DUMP, [*python, load, "json.dump(made, open('/dev/null', 'w'), separators=(',', ':'))"])):
            last[name] = json.loads(said_by([*command, inner]))
            seconds.setdefault(name, []).extend(last[name]["seconds"])
        seconds.setdefault(JQ, []).extend(jq_once(path) for _ in range(inner if jq else 0))
    of, size = {name: median(values) for name, values in seconds.items()}, path.stat().st_size
    print(*tables.aligned(["", "median (least–most)"], [[name, in_ms(values)] for name, values in seconds.items() if values]), sep="\n")
    print(f"  read: json.load / iprof {judged(of[LOAD] / of[READ], 10, at_least=True)}")
    if jq:
        print(f"  read: jq / iprof {judged(of[JQ] / of[READ], 5, at_least=True)}")
    print(f"  write: json.dump / iprof {judged(of[DUMP] / of[WRITE], 10, at_least=True)}\n"
          f"  read {size / of[READ] / 1e6:.0f} MB/s, write {size / of[WRITE] / 1e6:.0f} MB/s, "
          f"model {last[READ]['model_bytes'] / size:.2f} x the text, peak memory {last[READ]['peak_kb'] / 1024:.1f} MiB")


def measure_merge(bench, folder, count, rounds):
    files = [folder / f"merge-{seed}.json" for seed in range(count)]
    for seed, path in enumerate(files):
        said_by([bench, "make", path, 1, seed + 1])
    total = sum(path.stat().st_size for path in files)
    for threads in sorted({1, len(os.sched_getaffinity(0))}):
        merges, reads = ([json.loads(said_by([bench, *words])) for _ in range(rounds)]
                         for words in (["merge", threads, *files], ["read", files[0], 5]))
        merging, reading = ([second for one in said for second in one["seconds"]] for said in (merges, reads))
        speed = total / median(merging) / (files[0].stat().st_size / median(reading))  # CPU time: per core already
        memory = merges[-1]["peak_kb"] * 1024 / (merges[-1]["model_bytes"] + threads * reads[-1]["model_bytes"])
        print(f"merge of {count} files ({total / 1e6:.0f} MB), {threads} thread(s): {in_ms(merging)}\n"
              f"  merging speed per core / reading speed {judged(speed, 0.7, at_least=True)}\n"
              f"  peak memory / (merged + one input per thread) {judged(memory, 1.5)}")


def main(arguments):
    bench = own_program(arguments.build, "profile_io_bench")
    if not shutil.which("jq"):
        print("jq is not installed: its rows are left out")
    for scale in SCALES[:1] if arguments.quick else SCALES:
        path = arguments.folder / f"scale-{scale}.json"
        said_by([bench, "make", path, scale, 1])
        print(f"\nscale {scale}: {path.stat().st_size / 1e6:.1f} MB")
        measure_scale(bench, path, 1 if arguments.quick else arguments.rounds, INNER if scale == 1 and not arguments.quick else 1)
    print()
    measure_merge(bench, arguments.folder, QUICK_INPUTS if arguments.quick else INPUTS, 1 if arguments.quick else MERGES)
