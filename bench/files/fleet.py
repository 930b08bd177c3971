"""A data set of many runs: bytes for each run, beside JSON and gzip, and the time to write, merge and compact 1,000 of them.

The runs are those of one program, with other counts and some other contexts each. CPU time is that of all threads, and of all processes: one converts each run.
DuckDB's part is left out where it cannot be fetched.
"""

import gzip
import json
import sys

from iprofdev import pypi
from iprofdev.messages import Unavailable
from runner import tables
from runner.running import own_program, run, said_by

QUICK_RUNS, PER = 3, 1000
COLUMNS = 'code_hash, "table", method, position, callers, successor, successor_index, type'
# One row for each count of all runs.
COMPACT = """
import sys
sys.path.append(sys.argv[1])
import duckdb
duckdb.sql(f"COPY (SELECT {sys.argv[2]}, CAST(sum(count) AS BIGINT) AS count FROM '{sys.argv[3]}/**/*.parquet' GROUP BY ALL ORDER BY method, callers) "
           f"TO '{sys.argv[4]}' (FORMAT parquet, COMPRESSION gzip)")
"""


def add_options(options):
    options.built("tool")
    options.value("--runs", 60, "of the data set")
    options.value("--scale", 1, "of a run: 1 has 10,000 counted methods")
    options.file("--profile", "a profile that stands for each run, instead of made ones; it is converted as often, as another host's")


def bytes_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*.parquet"))


def main(arguments):
    runs = QUICK_RUNS if arguments.quick else arguments.runs
    folder, tool = arguments.folder, arguments.tool
    data_set, compact, texts = folder / "fleet", folder / "compact.parquet", []
    for number in range(runs):
        texts.append(folder / f"{number}.iprof")
        if arguments.profile:
            made = json.loads(arguments.profile.read_text(encoding="utf-8"))
            (noted,) = made["iprofagent"]["provenance"]["runs"]
            noted["run"] = f"{number + 1:032x}"
            texts[-1].write_text(json.dumps(made, separators=(",", ":"), ensure_ascii=False), encoding="utf-8")
        else:
            said_by([own_program(arguments.build, "profile_io_bench"), "make", texts[-1], arguments.scale, number + 1])
    seconds = {}

    def timed(name, command):
        done = run(command)
        seconds[name] = seconds.get(name, 0) + done.cpu_s
        return done
    for number, text in enumerate(texts):
        timed("convert --to parquet", [tool, "convert", "--to", "parquet", "--service", "shop", "--release", "1", "--host", f"host-{number}", text, "-o", data_set])
    from_rows = timed("convert --from parquet", [tool, "convert", "--from", "parquet", data_set, "-o", folder / "rows.iprof"])
    from_text = timed("merge", [tool, "merge", "-o", folder / "texts.iprof", *texts])
    sizes = {"iprof": sum(text.stat().st_size for text in texts) / runs, "iprof, gzip": sum(len(gzip.compress(text.read_bytes(), 6)) for text in texts) / runs,
             "Parquet": bytes_of(data_set) / runs}
    try:
        (package,) = pypi.importable("duckdb")
        timed("DuckDB's merge", [sys.executable, "-c", COMPACT, package, COLUMNS, data_set, compact])
        timed("convert --from parquet of that", [tool, "convert", "--from", "parquet", compact, "-o", folder / "compact.iprof"])
        sizes["Parquet, compacted to one file"] = compact.stat().st_size / runs
    except Unavailable as missing:
        print(f"without DuckDB: {missing}")
    print(f"{runs} runs of {'one program' if not arguments.profile else arguments.profile.name}")
    print(*tables.aligned(["", "KiB for each run"], [[name, f"{size / 1024:.1f}"] for name, size in sizes.items()]), sep="\n")
    print(*tables.aligned(["", f"CPU s for {PER:,} runs"], [[name, f"{PER * cpu / runs:.1f}"] for name, cpu in seconds.items()]), sep="\n")
    print(f"peak memory: of the data set {from_rows.peak_mib:.0f} MiB, of the profiles {from_text.peak_mib:.0f} MiB")
