"""How true harvested profiles are, compared with exact counts of the same work.

  bench/run truth --jvm jdk25 --programs jackson,web   some programs, on one JVM
  bench/run truth --both 'overhead.*'                  also source=both, with these classes counted exactly
  bench/run truth --fresh 5s --times 3                 also iprof harvest --fresh, in the middle of another run
  bench/run truth --runs 7                             each harvest seven times: medians and worst runs
  bench/run truth --keep DIR --cores                   keeps the profiles, and a core file of each harvested process, read instead of it
  bench/run truth --kept DIR                           runs nothing: harvests those core files again

Each program runs twice: with the agent, which counts everything directly, and without it, to be harvested at its end. Where a JVM has no
javac, Eclipse's compiler takes its place. `megamorphic` has calls with more receivers than HotSpot lists. Only what an image build can use is
compared. With --both and with --fresh, each program runs once more, and gets a row in both tables. It must meet no requirement.

A table has, for the estimated and for the raw profile: the overlap of calls and of branch weights with the exact counts; what `iprof overlap
--decisions` says (weight of methods that are hot only in the truth, of branches whose probability is off by more than 10 points or inverted,
of calls dispatched to other classes), and of the branches those that are clear in both, 60 % or more one way, and inverted. A second one has
what the estimate does not change: the share of branch executions with data, the mean error of a probability in points, the share of clear
branches (70 % or more one way) that go the right way, and receivers: the share of calls at sites with rows, the overlap there, and at those
of several classes.

With --runs, a program is counted once and harvested in so many runs, each of which must meet the requirements; then a third table has their
medians and worst values. With --never-stop, there is no C2, so what a harvest then lacks would be the reader's loss. Two estimators are compared
on the same counters by --kept, with the --tool of each.

Exit status 1 if a requirement fails: calls >= 80 %, never worse than raw, data >= 99 %, error <= 3 points, right way >= 99 %.
"""

import os
import pathlib
import signal
import tempfile
import time

from harness.profile import load_profile
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
    options.value("--runs", 1, "so many harvests of each program")
    options.file("--keep", "a folder for the profiles")
    options.flag("--cores", "keeps core files, too")
    options.file("--kept", "the folder of an earlier --keep --cores")
    options.value("--both", "", "patterns of classes, as in include=, that are counted exactly by source=both")
    options.value("--fresh", "", "how long HotSpot counts again, as iprof harvest --fresh takes it")
    options.flag("--never-stop", "flags with which HotSpot counts everything, to the end")


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


# Of each figure its column, and how it is taken.
FIGURES = ((Column("calls", ".1f", min), lambda of: of.calls), (Column("branch weights", ".1f", min), lambda of: of.branch_weights),
           (Column("hot missed", ".3f"), lambda of: of.overlap.hot_missed), (Column("branches off", ".2f"), lambda of: of.overlap.branches_off),
           (Column("inverted", ".3f"), lambda of: of.overlap.inverted), (Column("clear inverted", ".3f"), lambda of: of.clear_inverted),
           (Column("other receivers", ".2f"), lambda of: of.overlap.other_classes))


class Report:
    def __init__(self, arguments):
        self.arguments, self.compared, self.missed = arguments, 0, []
        self.runs = {}  # label and name: figures
        self.shares = []
        self.table = tables.Markdown("", *(column.name for column, _ in FIGURES))

    def add(self, label, into):
        exact, found = load_profile(into / "exact.iprof"), {}
        names = ["estimated", "raw", *(name for name in ("both", "fresh") if getattr(self.arguments, name))]
        profiles = {name: load_profile(into / f"{name}.iprof") for name in names}
        for name, profile in profiles.items():
            found[name] = figures = comparison.compare(self.arguments.tool, into, name, exact, profile)
            self.runs.setdefault(f"{label}, {name}", []).append(figures)
            self.table.row(f"{label}, {name}", *(column.cell([take(figures)]) for column, take in FIGURES))
        for name in filter(found.get, ("estimated", "both", "fresh")):
            self.shares.append([label if name == "estimated" else f"{label}, {name}", *found[name].shares])
        self.missed += [f"{label}: {text}" for text in found["estimated"].misses + found["estimated"].worse_than(found["raw"])]
        self.compared += 1

    def print(self):
        print("", *tables.markdown(["", "with data", "error", "right way", "calls with rows", "overlap", "of several"], self.shares), sep="\n")
        if self.arguments.runs > 1:
            rows = [[label, *(column.cell(list(map(take, runs))) for column, take in FIGURES)] for label, runs in self.runs.items()]
            print("\nThe median of the runs, and the worst one:\n", *tables.markdown(["", *(column.name for column, _ in FIGURES)], rows), sep="\n")
        print(f"\n{self.compared} harvests, {len(self.missed)} requirements missed", *self.missed, sep="\n")


def main(arguments):
    report = Report(arguments)
    for label, into in sources(arguments):
        report.add(label, into)
    report.print()
    return 1 if not report.compared or (report.missed and not arguments.quick) else 0
