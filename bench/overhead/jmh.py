"""JMH benchmarks without a profiler and with -prof iprof, once for each source=: their scores.

Scores are times per operation, as JMH computes them. In parentheses: the best iteration, divided by the best one without a profiler, which
depends less on what else the machine does. The row without samples shows what counting alone costs.
"""

import json

from iprofdev import maven
from runner import tables
from runner.running import said_by
from runner.workloads import JAVA

JARS = ("jmh-core", "jmh-generator", "jopt-simple", "commons-math")
PROFILERS = {
    "none": None,
    "source=counters": "iprof",
    "source=counters;samples=n": "iprof:samples=n",
    "source=methoddata": "iprof:source=methoddata",
    "source=both": "iprof:source=both",
}


def add_options(options):
    options.jvm()
    options.forks(3)
    options.value("--seconds", 1.0, "of an iteration")
    options.value("--benchmarks", ".*", "a pattern, as JMH takes it")


def scores(arguments, class_path, profiler):
    """benchmark -> (score, its error, the best iteration)"""
    result = arguments.folder / "result.json"
    time = "50ms" if arguments.quick else f"{round(1000 * arguments.seconds)}ms"
    length = ("-f", "1", "-wi", "1", "-i", "1") if arguments.quick else ("-f", arguments.forks, "-wi", "5", "-i", "5")
    options = ("-prof", f"{profiler}{';' if ':' in profiler else ':'}dir={arguments.folder}") if profiler else ()
    said_by([arguments.jvm.java, f"-Djava.io.tmpdir={arguments.folder}", "-cp", class_path, "org.openjdk.jmh.Main", *length, "-w", time, "-r", time,
             "-bm", "avgt", "-tu", "ns", "-foe", "true", "-rf", "json", "-rff", result, *options, arguments.benchmarks])
    metrics = {one["benchmark"].rpartition(".")[2]: one["primaryMetric"] for one in json.loads(result.read_text())}
    return {name: (metric["score"], float(metric["scoreError"]), min(map(min, metric["rawData"]))) for name, metric in metrics.items()}


def main(arguments):
    jmh = maven.class_path(JARS)
    said_by([arguments.jvm.javac, "-cp", jmh, "-processor", "org.openjdk.jmh.generators.BenchmarkProcessor", "-d", arguments.folder,
             *(JAVA / "work").glob("*.java")])
    class_path = f"{arguments.folder}:{arguments.build / 'iprof-jmh.jar'}:{jmh}"
    print(f"{tables.machine(arguments.jvm)}; ns per operation\n", flush=True)
    without = {}
    for name, profiler in PROFILERS.items():
        found = scores(arguments, class_path, profiler)
        if not without:
            without, table = found, tables.Markdown("profiler", *found)
        table.row(name, *(f"{score:.2f} ± {error:.2f} ({best / without[benchmark][2]:.2f})" for benchmark, (score, error, best) in found.items()))
