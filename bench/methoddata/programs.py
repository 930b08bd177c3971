"""The programs that are harvested: those of bench/overhead, and those of java/overhead, with fixed work, held at their end."""

import subprocess

from iprofdev import jvms
from preparation import compiler, prepare
from workloads import REAL, WORKLOADS, Workload

ECJ = Workload("ecj", REAL, 1, 2, libraries=("ecj",), needs_sources=True)  # where a JVM has no javac
VISITOR = Workload("visitor", REAL, 2, 400)  # calls with more receivers than HotSpot lists
PROGRAMS = {workload.name: workload for workload in (*WORKLOADS, ECJ, VISITOR) if workload.kind == REAL}
REPETITIONS = {"javac": 2, "ecj": 2, "lucene": 8, "jackson": 500, "groovy": 100, "web": 20, "visitor": 200}
ON_REQUEST = {"visitor"}  # no real program: only if it is named


def add_selection(parser):
    parser.add_argument("--jvm", default="", help="as scripts/jvms names them, joined by commas; default: all")
    parser.add_argument("--programs", default="", help=f"of {', '.join(REPETITIONS)}, joined by commas; default: all but {', '.join(ON_REQUEST)}")
    parser.add_argument("--times", type=int, default=1, help="multiplies the work")


def selected(arguments, parser):
    """[(jvm, [names of programs])]"""
    named = list(filter(None, arguments.programs.split(",")))
    unknown = set(named) - set(REPETITIONS)
    if unknown:
        parser.error(f"there is no program {min(unknown)}")
    wanted = set(filter(None, arguments.jvm.split(",")))
    found = jvms.all_jvms()
    if wanted - {jvm.id for jvm in found}:
        parser.error(f"there is no JVM {min(wanted - {jvm.id for jvm in found})}")
    for jvm in found:
        if wanted and jvm.id not in wanted:
            continue
        unusual = ON_REQUEST | {"javac" if jvm.kind == "jre" else "ecj"}
        usual = [name for name in REPETITIONS if name not in unusual]
        yield jvm, named or usual


def prepare_held(names, jvm, here, folder):
    """As prepare(), and with the programs of java/overhead and the class Held, which keeps a program at its end."""
    ready, skipped = prepare([PROGRAMS[name] for name in names], jvm.java, folder)
    subprocess.run([compiler(jvm.java), "--release", "17", "-cp", folder / "classes", "-d", folder / "held",
                    here / "java" / "Held.java", *(here / "java" / "overhead").glob("*.java")], check=True)
    return ready, skipped


def command_of(workload, folder, times, main="Held"):
    words = [str(word) for word in workload.command(folder, REPETITIONS[workload.name] * times)]
    at = words.index("overhead.Main")
    words[at] = main
    words[at - 1] += f":{folder / 'held'}"
    return words


def wait_until_held(process, name):
    while b"ready" not in process.stdout.readline():
        if process.poll() is not None:
            raise SystemExit(f"run: {name} ended early")
