"""What `iprof refresh` costs a running program.

The program runs to its end in --pairs pairs of processes; one of each pair is refreshed in the middle. `pauses` and `longest` are what the
command says of itself, `processor time` is that of a run without it, `more` what a refresh adds to it, and `noise` the differences between
runs without it. Each is the median, and in parentheses the smallest and the largest.
"""

import operator
import re

from runner import tables
from runner.figures import spread
from runner.running import run, said_by
from truth import held

SAID = re.compile(r"profiles (?P<classes>\d+) classes again, after (?P<pauses>\d+) pauses "
                  r"\((?P<sum>\d+) ms in all, the longest (?P<longest>\d+) ms\)")


def add_options(options):
    held.add_options(options, ["lucene", "groovy"])
    options.value("--pairs", 5, "of runs")
    options.value("--share", "99%", "as iprof refresh takes it")


def main(arguments):
    table = tables.Markdown("", "classes", "pauses", "longest, ms", "processor time, s", "more, s", "noise, s")
    for jvm, workload, words in held.prepared(arguments):
        command = [jvm.java, *words()]
        half_s, said = run(command).wall_s / 2, []

        def refresh(pid, ended, half_s=half_s, said=said):
            ended.wait(half_s)
            said.append(SAID.search(said_by([arguments.tool, "refresh", pid, "--share", arguments.share])))
        pairs = held.Pairs(command, 1 if arguments.quick else arguments.pairs, refresh)
        texts = [spread([int(one[name]) for one in filter(None, said)], 0) for name in ("classes", "pauses", "longest")]
        table.row(f"{workload.name}, {jvm.id}", *texts, spread(pairs.plain), *pairs.compared(operator.sub, 2))
