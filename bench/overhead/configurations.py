"""The configurations that are compared: one for each way to run a program, with its JVM options.

To add one: its name in NAMES, and a row in configurations(). A configuration that cannot run here (because the agent does not know an option,
or a jar is missing) is skipped; the report shows the reason.
"""

import dataclasses
import pathlib
import re
import zipfile

from iprofdev import maven, processes
from iprofdev.messages import Unavailable
from runner.workloads import START

TABLES = ("calls", "branches", "receivers", "monitors", "instanceofs", "samples")
OPTIONAL = ("instanceofs",)  # off by default

LARGER = "larger inlining limits"  # calls+branches, where probes do not prevent inlining
LARGER_LIMITS = ["-XX:MaxInlineSize=55", "-XX:FreqInlineSize=500", "-XX:InlineSmallCode=4000"]
NONE, NO_CDS, BOTH, ALL, JACOCO, TIER_3 = "none", "no CDS", "calls+branches", "all", "JaCoCo", "tier 3"
BUDGET, SWAPS = "overhead=5%", "swaps alone"
NAMES = (NONE, NO_CDS, *TABLES, BOTH, ALL, LARGER, "direct", "jdk=n", "contexts=calls", "contexts=all",
         "count-until", BUDGET, SWAPS, "methoddata", JACOCO, TIER_3)


@dataclasses.dataclass
class Configuration:
    name: str
    jvm_args: list
    skipped: str = ""  # why it cannot run
    writes: pathlib.Path = None  # if this file is missing or empty, the run has failed
    only: str = ""  # the only kind of workload that it runs
    follows: str = ""  # the configuration that swaps the classes that this one swaps, too; see OverTime


def agent_options(java, agent):
    """The names of the agent's options, from its help."""
    done = processes.run([java, f"-agentpath:{agent}=help=all", "-version"])
    return set(re.findall(r"^([a-z-]+) ", done.stdout + done.stderr, re.M))


def options_for(tables, known):
    """Agent options that leave exactly these tables on, of those that the agent knows."""
    off = [f"{table}=n" for table in TABLES if table in known and table not in tables and table not in OPTIONAL]
    on = [f"{table}=y" for table in tables if table in OPTIONAL]
    return [*off, *on, *(["format=1.1.0"] if "instanceofs" in tables else [])]


def configurations(jvm, agent, folder):
    """folder: for the agents' output."""
    known = agent_options(jvm.java, agent)

    def ours(name, options, needs=()):
        profile = folder / (re.sub("[^a-z0-9]+", "-", name) + ".iprof")  # configurations may run at the same time
        missing = [option for option in needs if option not in known]
        text = ",".join([f"out={profile}", *options])
        return Configuration(name, [f"-agentpath:{agent}={text}"], f"the agent does not know {missing[0]}=" if missing else "",
                             profile)
    both = options_for(("calls", "branches"), known)
    return [
        Configuration(NONE, []),
        # Another baseline for start-up: an agent that starts early enough to see every class cannot use class-data sharing.
        Configuration(NO_CDS, ["-Xshare:off"], only=START),
        *(ours(table, options_for((table,), known), needs=[table]) for table in TABLES),
        ours(BOTH, both),
        ours(ALL, []),
        dataclasses.replace(ours(LARGER, both), jvm_args=[*ours(LARGER, both).jvm_args, *LARGER_LIMITS]),
        ours("direct", [*both, "placement=direct"], needs=["placement"]),
        ours("jdk=n", [*both, "jdk=n"], needs=["jdk"]),
        ours("contexts=calls", ["contexts=calls"], needs=["contexts"]),
        ours("contexts=all", ["contexts=all", "verbose=2"], needs=["contexts"]),
        ours("count-until", ["count-until=100000", "verbose=2"], needs=["count-until"]),
        ours(BUDGET, ["overhead=5%", "verbose=2"], needs=["overhead"]),
        # No agent of ours: what HotSpot itself takes for the swaps of BUDGET.
        Configuration(SWAPS, [f"-javaagent:{_follower(folder)}"], follows=BUDGET),
        ours("methoddata", ["source=methoddata"], needs=["source"]),
        _jacoco(folder),
        Configuration(TIER_3, ["-XX:TieredStopAtLevel=3"]),
    ]


def _follower(folder):
    """A jar that makes a workload's Follower its agent."""
    jar = folder / "follower.jar"
    with zipfile.ZipFile(jar, "w") as made:
        made.writestr("META-INF/MANIFEST.MF", "Premain-Class: overhead.Follower\nCan-Retransform-Classes: true\n")
    return jar


def _jacoco(folder):
    try:
        jar = maven.jar("jacoco-agent")
    except Unavailable as missing:
        return Configuration(JACOCO, [], str(missing))
    written = folder / "jacoco.exec"
    return Configuration(JACOCO, [f"-javaagent:{jar}=destfile={written},append=false"], writes=written)
