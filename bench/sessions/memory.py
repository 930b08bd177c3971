"""The agent's memory while a million classes are loaded and unloaded.

Runs java-tests/programs/ClassChurn.java without and with the agent, one after the other; the heap does not grow. "more" is how much the
difference grew between the first twentieth and the end; it must not exceed 32 MB. At the end it prints what verbose=2 says of a class's cost.
"""

import re

from iprofdev.places import ROOT
from runner import figures, tables
from runner.running import Failed, run
from runner.workloads import compiled

LINE = re.compile(r"classes (\d+) rss_kb (\d+)")
SAID = re.compile(r"^.*(?:memory:|class records|counters:|unloaded classes|left alone: .*memory limit).*$", re.M)
FLAGS = ("-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:ReservedCodeCacheSize=64m", "-XX:MetaspaceSize=32m")
MOST_MB = 32
QUICK_CLASSES = 2000


def add_options(options):
    options.jvms()
    options.built("agent")
    options.value("--classes", 1_000_000, "that are loaded")


def grown(jvm, arguments):
    """Prints the table of one JVM; returns by how many MB the difference grew."""
    folder = arguments.folder
    agent = f"-agentpath:{arguments.agent}=out={folder}/x.iprof,log={folder}/log,verbose=2"
    words = ["-cp", folder, "ClassChurn", QUICK_CLASSES if arguments.quick else arguments.classes]
    outputs = [run([jvm.java, *FLAGS, *options, *words]).output for options in ([], [agent])]
    results = [output.splitlines()[-1] for output in outputs]
    if results[0] != results[1]:
        raise Failed(f"{jvm.id}: the program's result changed: {', '.join(results)}")
    bare, with_agent = ([(classes, int(kb) / 1024) for classes, kb in LINE.findall(output)] for output in outputs)
    differences = [mine - other for (_, other), (_, mine) in zip(bare, with_agent)]
    rows = [[classes, *(f"{mb:.1f}" for mb in (without, without + more, more))] for (classes, without), more in zip(bare, differences)]
    print("", tables.machine(jvm), *tables.aligned(["classes", "without, MB", "with", "difference"], rows), sep="\n")
    more = differences[-1] - differences[1]
    print(f"more, MB: {figures.judged(more, MOST_MB)}", *SAID.findall((folder / "log").read_text()), sep="\n", flush=True)
    return more


def main(arguments):
    compiled(arguments.jvms[0], arguments.folder, [ROOT / "java-tests" / "programs" / "ClassChurn.java"])
    return 0 if max([grown(jvm, arguments) for jvm in arguments.jvms]) <= MOST_MB else 1
