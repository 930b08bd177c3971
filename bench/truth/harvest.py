"""How true harvested profiles are, compared with exact counts of the same work.

Each program runs twice: with the agent, which counts everything directly, and without it, to be harvested at its end. Where a JVM has no
javac, Eclipse's compiler takes its place. Only what an image build can use is compared. With --both and with --fresh, each program runs once
more, and gets a row that must meet no requirement. Two estimators are compared on the same counters by --kept, with the --tool of each.

The first table has overlaps with the exact counts, and what `iprof overlap --decisions` says; `clear inverted` are branches that go one way in
60 % or more, and in the harvest the other way. The second one has what the estimate does not change: branch executions with data, their mean
error in points, clear branches (70 % one way) that go the right way, calls at sites with rows, and the overlap of receivers there, and where a
site has several classes. With --runs, a third one has medians and worst values.

Exit status 1 if a requirement fails: calls >= 80 %, never worse than raw, data >= 99 %, error <= 3 points, right way >= 99 %.
"""

import os
import pathlib
import signal
import tempfile
import time
from itertools import starmap

from oracle import core_writer, method_data
from runner import tables
from runner.figures import Column
from runner.program import Program
from runner.running import run, said_by
from truth import comparison, held

FORMAT = "samples=n,instanceofs=y,format=1.1.0"
EXACT = f"placement=direct,{FORMAT}"


def add_options(options):
    held.add_options(options)
    options.built("agent")
    options.value("--runs", 1, "so many harvests of each program, which is counted once")
    options.file("--keep", "a folder for the profiles")
    options.flag("--cores", "keeps core files, too, and harvests these instead of the processes")
    options.file("--kept", "the folder of an earlier --keep --cores: runs nothing, but harvests those core files again")
    options.value("--both", "", "also source=both, which counts these classes exactly: patterns as in include=")
    options.value("--fresh", "", "also iprof harvest --fresh in the middle of another run: how long HotSpot counts again")
    options.flag("--never-stop", "without C2, so that HotSpot counts everything to the end: what is missing then is the reader's loss")


def harvest(arguments, of, into):
    """Writes estimated.iprof and raw.iprof."""
    for name, options in (("estimated", []), ("raw", ["--no-estimate"])):
        said_by([arguments.tool, "harvest", of, "-o", into / f"{name}.iprof", *options])


def profiles_of(arguments, jvm, words, into, counted):
    """Writes estimated.iprof and raw.iprof, with --both both.iprof, and with --fresh fresh.iprof. exact.iprof is that of the folder `counted`."""
    recorded = {"both": f"source=both,include={arguments.both},{FORMAT}"} if arguments.both else {}
    if into == counted:
        recorded["exact"] = EXACT
    else:
        (into / "exact.iprof").unlink(missing_ok=True)
        (into / "exact.iprof").symlink_to(counted / "exact.iprof")
    for name, options in recorded.items():
        run([jvm.java, f"-agentpath:{arguments.agent}=out={into}/{name}.iprof,{options}", *words()])
    begun = time.monotonic()
    with Program([jvm.java, *(method_data.NEAR_EXACT if arguments.never_stop else []), *words("Held")], arguments.folder) as program:
        wall_s = time.monotonic() - begun
        if arguments.cores:
            core_writer.stop(program.pid)
            core_writer.write_core(program.pid, into / "core")
            os.kill(program.pid, signal.SIGCONT)
        harvest(arguments, into / "core" if arguments.cores else program.pid, into)
    if arguments.fresh:
        def fresh(pid, ended):
            ended.wait(wall_s / 2)
            said_by([arguments.tool, "harvest", pid, "-o", into / "fresh.iprof", "--fresh", arguments.fresh])
        run([jvm.java, *words()], beside=fresh)


def sources(arguments):
    """(label, folder with the profiles) of each program."""
    if not arguments.kept:
        for jvm, workload, words in held.prepared(arguments):
            first = (arguments.keep or arguments.folder).resolve() / f"{workload.name}-{jvm.id}"
            for number in range(1, arguments.runs + 1):
                into = first if number == 1 else first.with_name(f"{first.name}-{number}")
                into.mkdir(parents=True, exist_ok=True)
                profiles_of(arguments, jvm, words, into, first)
                yield f"{workload.name}, {jvm.id}", into
        return
    for core in sorted(arguments.kept.resolve().glob("**/core")):
        with tempfile.TemporaryDirectory(dir=arguments.folder) as made:
            harvest(arguments, core, pathlib.Path(made))
            pathlib.Path(made, "exact.iprof").symlink_to(core.parent / "exact.iprof")
            yield str(core.parent.relative_to(arguments.kept.resolve())), pathlib.Path(made)


FIGURES = tuple(starmap(Column, (("calls", ".1f", min), ("branch weights", ".1f", min), ("hot missed", ".3f"), ("branches off", ".2f"),
                                 ("inverted", ".3f"), ("clear inverted", ".3f"), ("other receivers", ".2f"))))
SHARES = tuple(starmap(Column, (("with data", ".2f"), ("error", ".2f"), ("right way", ".2f"), ("calls with rows", ".1f"), ("overlap", ".1f"),
                                ("of several", ".1f"))))


def main(arguments):
    names = ["estimated", "raw", *(name for name in ("both", "fresh") if getattr(arguments, name))]
    head = ["", *(column.name for column in FIGURES)]
    table, harvests, runs, shares, missed = tables.Markdown(*head), 0, {}, [], []
    for label, into in sources(arguments):
        found = {name: comparison.compared(arguments.tool, into / "exact.iprof", into / f"{name}.iprof") for name in names}
        for name, figures in found.items():
            runs.setdefault(f"{label}, {name}", []).append(figures)
            table.row(f"{label}, {name}", *comparison.cells(FIGURES, [figures]))
            if name != "raw":
                shares.append([f"{label}, {name}", *comparison.cells(SHARES, [figures])])
        missed += [f"{label}: {text}" for text in comparison.misses(found["estimated"], found["raw"])]
        harvests += 1
    print("", *tables.markdown(["", *(column.name for column in SHARES)], shares), sep="\n")
    if arguments.runs > 1:
        rows = [[label, *comparison.cells(FIGURES, several)] for label, several in runs.items()]
        print("\nThe median of the runs, and the worst one:\n", *tables.markdown(head, rows), sep="\n")
    print(f"\n{harvests} harvests, {len(missed)} requirements missed", *missed, sep="\n")
    return 1 if not harvests or (missed and not arguments.quick) else 0
