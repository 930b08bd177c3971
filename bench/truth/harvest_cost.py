"""What `iprof harvest` costs, and what it costs the JVM that it reads.

First table: the program is held at its end and harvested by --forks processes, one after the other. `loaded` are all methods of all
loaded classes, which a harvest visits; `ran` are those of them that HotSpot counted calls of or made a MethodData for, and `with data` the
latter. Processor time of the tool, in milliseconds per 10,000 methods that are loaded or that ran: `read` is finding, reading and checking,
`all` also has the estimate and the writing of the profile. With --against, the two tools take turns, and the last column is `all` of this tool
divided by that of the other. Each is the median, and in parentheses the smallest and the largest.

Second table: the program runs to its end in --pairs pairs of processes; one of each pair is harvested every half second. Processor time of the
program's process, with harvests divided by without, and of runs without harvests, divided by the next one: the noise.
"""

import json
import operator

from runner import rounds, tables
from runner.figures import median, spread
from runner.program import Program
from runner.running import Failed, said_by
from truth import held

EVERY_S = 0.5


def add_options(options):
    held.add_options(options, ["javac", "ecj"])
    options.forks(10, "harvests of the held program")
    options.value("--pairs", 5, "of runs; 0: none")
    options.file("--against", "another build of the tool")


def harvest(arguments, pid, tool):
    return json.loads(said_by([tool, "harvest", pid, "-o", arguments.folder / "h.iprof", "--format", "json"]))


def cells_of_held(arguments, command):
    tools = [arguments.tool, *([arguments.against] if arguments.against else [])]
    with Program(command, arguments.folder) as program:
        said = [{tool: harvest(arguments, program.pid, tool) for tool in turn} for _, turn in rounds.alternating(tools, arguments.forks)]
    mine = [by_tool[arguments.tool] for by_tool in said]
    loaded, with_data = mine[-1]["methods_loaded"], mine[-1]["methods_with_data"]
    ran = with_data + mine[-1]["methods_without_data"]
    cells = [spread([10 * one[cpu] / of for one in mine]) for of in (loaded, ran) for cpu in ("read_cpu_us", "cpu_us")]
    if arguments.against:
        ratios = [by_tool[arguments.tool]["cpu_us"] / by_tool[arguments.against]["cpu_us"] for by_tool in said]
        cells.append(spread(ratios[1:] or ratios, 3))  # the first harvest finds the memory for both
    return loaded, ran, with_data, *cells


def cells_of_pairs(arguments, command):
    count = [0]

    def repeat(pid, ended):
        while not ended.wait(EVERY_S):
            try:
                harvest(arguments, pid, arguments.tool)
                count[0] += 1
            except Failed:  # the program is about to end
                continue
    pairs = held.Pairs(command, arguments.pairs, repeat)
    return f"{median(pairs.plain):.1f} s", f"{count[0] / arguments.pairs:.1f}", *pairs.compared(operator.truediv, 3)


def main(arguments):
    if arguments.quick:
        arguments.forks, arguments.pairs = 2, 1
    seconds = []
    other = ["by the other tool"] if arguments.against else []
    table = tables.Markdown("", "loaded", "ran", "with data", "read, loaded", "all, loaded", "read, ran", "all, ran", *other)
    for jvm, workload, words in held.prepared(arguments):
        label = f"{workload.name}, {jvm.id}"
        table.row(label, *cells_of_held(arguments, [jvm.java, *words("Held")]))
        if arguments.pairs:
            seconds.append([label, *cells_of_pairs(arguments, [jvm.java, *words()])])
    print("", *tables.markdown(["", "processor time", "harvests", "with, by without", "noise"], seconds), sep="\n")
