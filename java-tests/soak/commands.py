"""Pairs in which the run with the agent is given commands at random, through the tool: see command_states.py for the answers
that are allowed.

The three ways to the agent: it is loaded with -agentpath and asked by the JVM's attach socket, it has a control socket, or it is
attached to the running JVM. The first commands come as soon as there is a process, and the last ones while the JVM ends. In
between, the program collects its garbage and says what is left; only then no command runs, so that the output does not change.
"""

import dataclasses
import json
import pathlib
import subprocess
import time

from soak.churn import Churn
from soak.command_states import BY_PID, COMMANDS, Answer, Choice, Session, State, chance_of
from soak.freezing import Freezing, cpu_s

WAYS = ("agentpath", "control", "attached")
STEADY = "steady"  # only with options that take probes out, and mostly with commands that only look
CALM_PAUSE_S = 0.3
MODES = ("loaders", "lambdas", "redefinition", STEADY)
OPTIONS = ("", ",samples=n,snapshot=1s", ",jdk=n,snapshot=200ms", ",pause=1ms", ",interval=1ms,snapshot=1s",
           ",placement=direct,snapshot=0", ",count-until=1000,rearm=1s,snapshot=1s", ",overhead=1%")
FREEZING = (",count-until=1000,rearm=1s", ",count-until=5000,rearm=0", ",overhead=1%", ",count-until=1000,placement=direct")
OUT = "soak.iprof"
ALWAYS = "force=always"  # a command may come before anything was recorded, and its profile is checked all the same
RAW = "soak.iraw"  # beside it, while there is something that no profile has
TIMEOUT_S = 600
# HotSpot keeps memory for each version of a class that any agent asks for: docs/lab/sessions.md. So the starts are limited,
# and the memory may grow a little for each start and each stop, which swap all classes. Most of the growth comes with the first of
# them, which may be in the middle of the run: the agent takes its memory, and HotSpot compiles everything again. Options that take
# probes out swap classes without a command. In eight runs of a minute, with some twenty starts
# each, a program of lambdas grew by 44 to 65 MiB more than alone; in one with two starts, by 69. The cycles of
# java-tests/tests/session_cycles.py have the narrow bounds.
MOST_STARTS = 20
KIB_PER_SWAP = 512
KIB_OF_THE_AGENT = 80 * 1024


@dataclasses.dataclass(frozen=True)
class Commanded:
    """A churn program whose agent gets commands."""
    way: str
    mode: str

    @property
    def name(self):
        return f"commands-{self.way}-{self.mode}"

    def command(self, java, agent, classes, folder, seconds):
        made = Churn(self.mode, helper_first=True).command(java, agent, classes, folder, seconds)
        # Without this, JDK 21 and later print a warning when an agent is attached.
        return [made[0], "-XX:+EnableDynamicAgentLoading", *made[1:]] if self.way == "attached" else made


def chosen(number, all_of_them):
    """All pairs, or for a short run one of each way, with other programs on the next JVM."""
    if all_of_them:
        return [Commanded(way, mode) for way in WAYS for mode in MODES]
    return [Commanded(way, MODES[(number + index) % len(MODES)]) for index, way in enumerate(WAYS)]


class Commander:
    """Gives the commands to one program. `found` has what was wrong, and `answers` counts the outcomes."""

    def __init__(self, build, program, seed, folder):
        self.tool, self.library, self.folder = build / "iprof", build / "libiprofagent.so", folder
        self.way, self.found, self.answers, self.swaps, self.raw_checks = program.way, [], {}, 0, 0
        self.chance = chance_of(*seed)
        self.choice = Choice(self.chance, COMMANDS if self.way == "control" else BY_PID, MOST_STARTS)
        self.options = self.chance.choice(FREEZING if program.mode == STEADY else OPTIONS)
        self.is_calm, self.freezing = program.mode == STEADY, Freezing()
        records = self.way != "attached" and self.chance.random() < 0.5
        state = State.ABSENT if self.way == "attached" else State.RECORDING if records else State.READY
        self.session = Session(state)
        self.log = folder / "commands.log"

    def agent(self):
        """The argument of the JVM that loads the agent."""
        if self.way == "attached":
            return []
        start = "" if self.session.state is State.RECORDING else ",start=n"
        control = f",control={self.socket()}" if self.way == "control" else ""
        return [f"-agentpath:{self.library}=out={OUT},verbose=1,{ALWAYS}{start}{control}{self.options}"]

    def socket(self):
        return self.folder / "socket"

    def beside(self, process):
        """Runs beside the program, until it has ended."""
        while process.poll() is None and not self.can_be_reached(process):
            time.sleep(0.002)
        try:
            while process.poll() is None and " rounds" not in (self.folder / "stderr").read_text(errors="replace"):
                self.one(process)
                time.sleep(self.choice.pause_s() + (CALM_PAUSE_S if self.is_calm else 0))
        finally:
            process.stdin.close()  # the program collects its garbage
        while process.poll() is None and " kept " not in (self.folder / "stdout").read_text(errors="replace"):
            time.sleep(0.002)
        self.session.is_ending = True
        while process.poll() is None:
            self.one(process)

    def can_be_reached(self, process):
        """Whether there is something to command; it may be long before the JVM is initialised."""
        if self.way == "control":
            return self.socket().exists()
        try:
            maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text()
        except OSError:
            return False
        return ("libjvm.so" if self.way == "attached" else self.library.name) in maps

    def one(self, process):
        before = self.session.state
        command = self.choice.next_calmly(before) if self.is_calm else self.choice.next(before)
        answer, profile = self.ask(process, command)
        if process.poll() is not None:
            self.session.is_ending = True
        wrong = self.session.take(command, answer)
        self.swaps += self.swaps_classes(before, command, answer)
        self.answers[answer.outcome] = self.answers.get(answer.outcome, 0) + 1
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(f"{time.time():.3f} {before.value}: {command} -> {answer} {wrong}\n")
        if wrong:
            self.found.append(wrong)
        if answer.outcome == "done" and profile is not None:
            self.check(profile, command)
        if self.chance.random() < 0.1:
            self.check_raw()

    def swaps_classes(self, before, command, answer):
        """How often this command changed all classes: when a recording begins, and when it stops."""
        if answer.outcome != "done":
            return 0
        if command.verb == "profile":
            return 2
        return (before is State.RECORDING) != (self.session.state is State.RECORDING)

    def ask(self, process, command):
        """The tool's answer, and the profile that it should have written."""
        address = ["--control", self.socket()] if self.way == "control" else [process.pid]
        profile = None
        if command.verb == "attach":
            start = "" if command.records else "start=n,"
            arguments = [f"{start}verbose=1,{ALWAYS},out={OUT}{self.options}", "--agent", self.library]
        elif command.verb == "profile":
            # Options are for the load of the agent, which is there already in the other states.
            options = [f"verbose=1,{ALWAYS}{self.options}"] if self.session.state is State.ABSENT else []
            arguments = [*options, "--agent", self.library, "--duration", f"{self.chance.randint(20, 300)}ms"]
        else:
            arguments = []
        if command.writes:
            profile = self.folder / ("asked" + self.chance.choice((".iprof", ".iprof.gz")))
            arguments += ["-o", profile]
        elif command.verb == "dump":
            profile = self.folder / OUT
        done = subprocess.run([str(part) for part in (self.tool, command.verb, *address, *arguments, "--timeout", TIMEOUT_S,
                                                      "--format", "json")], capture_output=True, text=True, check=False, cwd=self.folder)
        return self.read(done, process), profile

    def read(self, done, process):
        try:
            said = json.loads(done.stdout)
        except ValueError:
            said = {}
        if "outcome" in said:
            status = said.get("status", {})
            used_s = cpu_s(process.pid)
            if used_s is not None:
                self.freezing.saw(status, used_s)
            return Answer(said["outcome"], said["message"], status.get("state", ""))
        if done.returncode == 0 and said:
            return Answer("done", done.stderr)
        return Answer("error", done.stderr.strip())

    def check(self, profile, command):
        """`iprof check` of what was just written. The agent's own file stays for the end."""
        if not profile.exists():
            self.found.append(f"'{command}' wrote no profile")
            return
        checked = subprocess.run([self.tool, "check", profile], capture_output=True, text=True, check=False)
        if checked.returncode:
            self.found.append(f"the profile of '{command}': {checked.stdout[-300:]}{checked.stderr[-300:]}")
        elif profile.name != OUT:
            profile.unlink()

    def check_raw(self):
        """`iprof check` of the raw file, while the program goes on and may write or remove it."""
        raw = self.folder / RAW
        if not raw.exists():
            return
        checked = subprocess.run([self.tool, "check", raw], capture_output=True, text=True, check=False)
        self.raw_checks += checked.returncode == 0
        if checked.returncode and "has no snapshot yet" not in checked.stderr and raw.exists():
            self.found.append(f"{raw.name}: {checked.stdout[-300:]}{checked.stderr[-300:]}")

    def owes_profile(self):
        """The program ended while the agent recorded, so it should have written one."""
        return self.session.last is State.RECORDING and self.session.has_file

    def growth_kib(self):
        """How much more the memory may grow because of swapped classes."""
        takes_probes_out = "count-until" in self.options or "overhead" in self.options
        return KIB_OF_THE_AGENT + self.swaps * KIB_PER_SWAP if self.swaps or takes_probes_out else 0

    def shown(self):
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self.answers.items()))
        frozen = f", {self.freezing.most_methods} methods without probes" if self.freezing.most_methods else ""
        return f"{sum(self.answers.values())} commands ({outcomes}), {self.raw_checks} checks of the raw file{frozen}"
