"""What is compared: one Configuration for each way of running a program, each with the JVM options that make it.

To add one: a row in configurations(). A configuration that cannot run here (an agent option that this agent does not
know, a jar that cannot be had) is skipped with its reason, which the report shows.
"""

import dataclasses
import re
import subprocess

TABLES = ("calls", "branches", "receivers", "monitors", "samples")
JACOCO = "org.jacoco:org.jacoco.agent:0.8.14:runtime"


@dataclasses.dataclass
class Configuration:
    name: str
    jvm_args: list
    skipped: str = ""  # why it cannot run


def agent_options(java, agent):
    """The names of the options that the agent knows, from its own help."""
    done = subprocess.run([java, f"-agentpath:{agent}=help", "-version"], capture_output=True, text=True, check=False)
    return set(re.findall(r"^([a-z-]+) ", done.stdout + done.stderr, re.M))


def _only(known, *tables):
    """Agent options that leave these tables on, of those that it knows."""
    return [f"{table}=n" for table in TABLES if table in known and table not in tables]


def configurations(java, agent, jacoco_jar, out):
    """out: a folder for what the agents write. jacoco_jar: its path, or the reason why there is none."""
    known = agent_options(java, agent)

    def ours(name, options, needs=()):
        missing = [option for option in needs if option not in known]
        text = ",".join([f"out={out}/overhead.iprof", *options])
        return Configuration(name, [f"-agentpath:{agent}={text}"],
                             f"the agent does not know {missing[0]}=" if missing else "")
    both = _only(known, "calls", "branches")
    rows = [
        Configuration("none", []),
        Configuration("no CDS", ["-Xshare:off"]),
        ours("tree", both),
        ours("direct", [*both, "placement=direct"]),
        ours("jdk=n", [*both, "jdk=n"]),
        *(ours(f"only {table}", _only(known, table), needs=[table]) for table in TABLES),
        ours("all tables", []),
    ]
    if str(jacoco_jar).endswith(".jar"):
        rows.append(Configuration("JaCoCo", [f"-javaagent:{jacoco_jar}=destfile={out}/jacoco.exec"]))
    else:
        rows.append(Configuration("JaCoCo", [], str(jacoco_jar)))
    rows.append(Configuration("tier 3", ["-XX:TieredStopAtLevel=3"]))
    return rows
