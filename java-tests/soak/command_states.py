"""What the agent may answer to a command in each state of its session: a model that knows nothing of the agent's code.

A state is what a user can know: whether the agent is loaded, whether it records, and whether it has ever recorded. Commands
come one after the other. While the program ends, each command may be refused; one that is carried out must still fit its state.
"""

import dataclasses
import enum
import random
import re


class State(enum.Enum):
    ABSENT = "absent"  # not loaded
    READY = "ready"  # loaded with start=n, and has never recorded
    RECORDING = "recording"
    STOPPED = "stopped"  # has recorded
    ENDED = "ended"  # the program is ending, or has ended


@dataclasses.dataclass(frozen=True)
class Command:
    verb: str
    writes: bool = False  # with -o
    records: bool = False  # an attach that starts to record

    def __str__(self):
        return self.verb + " -o" * self.writes + " and record" * self.records


@dataclasses.dataclass(frozen=True)
class Answer:
    """What the tool said. `state` is the one that the agent reports, if it does."""
    outcome: str  # done, refused, failed; or error: the tool itself refused, or did not reach the agent
    message: str = ""
    state: str = ""


@dataclasses.dataclass(frozen=True)
class Allowed:
    outcome: str
    sentence: str  # a part of the message
    after: State


COMMANDS = tuple(Command(*each) for each in (
    ("start",), ("stop",), ("stop", True), ("reset",), ("dump",), ("dump", True), ("status",)))
BY_PID = (*COMMANDS, Command("profile", True), Command("attach"), Command("attach", records=True))

# What the agent's status calls a state.
REPORTED = {State.READY: "stopped", State.RECORDING: "recording", State.STOPPED: "stopped", State.ENDED: "ended"}
# How a command may fail while the program ends.
AT_THE_END = re.compile(r"the program is ending|it is ending|has ended|there is no process|cannot find it")
NOTHING_YET = "nothing has been recorded yet"


def _fits(state, command, has_file=True):
    """The only answer that fits, while the program is not ending. `has_file`: the agent has a file of its own, for a dump without
    -o. If `iprof profile` loaded the agent, that file was in a folder that is gone."""
    verb = command.verb
    done = Allowed("done", "", state)
    if state is State.ENDED:
        return None
    if verb == "attach":
        after = State.RECORDING if command.records else State.READY
        return Allowed("done", "", after) if state is State.ABSENT else Allowed("error", "the options of the first load stand", state)
    if verb == "profile":
        if state is State.RECORDING:
            return Allowed("error", "the agent is recording already", state)
        return Allowed("done", "", State.STOPPED)
    if state is State.ABSENT:
        return Allowed("error", "the agent is not loaded", state)
    if verb in ("reset", "status"):
        return done
    if verb == "start":
        if state is State.RECORDING:
            return Allowed("refused", "the recording is running already", state)
        return Allowed("done", "", State.RECORDING)
    if verb == "stop" and state is State.RECORDING:
        return Allowed("done", "", State.STOPPED)
    if verb == "stop" and not command.writes:
        return Allowed("refused", "nothing is being recorded", state)
    if state is State.READY:
        return Allowed("refused", NOTHING_YET, state)
    if verb == "dump" and not command.writes and not has_file:
        return Allowed("failed", "cannot write", state)
    return done


class Session:
    """The model of one session, fed with commands and their answers."""

    def __init__(self, state):
        self.state = self._last = state
        self.has_file = True
        self.is_ending = False  # from now on, answers of a program that ends are allowed
        self._is_in_doubt = False  # the agent was loaded while the program ended, and has not said since what it does

    @property
    def last(self):
        """The state in which the program ended; None if it is not known, because a command had no answer, or because the end may have
        overtaken the load of the agent, so that nothing was recorded."""
        if self.state is State.ENDED:
            return self._last
        return None if self._is_in_doubt else self.state

    def _end(self, is_known=True):
        if self.state is not State.ENDED:
            self._last, self.state = self.last if is_known else None, State.ENDED

    def take(self, command, answer):
        """Returns what is wrong with the answer, as a sentence; empty if nothing is."""
        before, fit = self.state, _fits(self.state, command, self.has_file)
        if fit and answer.outcome == fit.outcome and fit.sentence in answer.message:
            self.state = fit.after
            if before is State.ABSENT and command.verb == "profile":
                self.has_file = False
            if self.is_ending and command.verb == "attach" and before is State.ABSENT:
                self._is_in_doubt = True
            if answer.state == REPORTED.get(fit.after):
                self._is_in_doubt = False
                return ""
            if not answer.state:
                return ""
            if self.is_ending and answer.state == "ended":
                self._end()
                return ""
            return f"'{command}' while {before.value}: the agent is {answer.state} afterwards, not {REPORTED.get(fit.after)}"
        if self.is_ending and self._is_refused_at_the_end(command, answer):
            self._end(answer.outcome == "refused")
            return ""
        wanted = f"{fit.outcome} {fit.sentence}".strip() if fit else "refused"
        return f"'{command}' while {before.value}: '{answer.outcome} {answer.message}' instead of '{wanted}'"

    @staticmethod
    def _is_refused_at_the_end(command, answer):
        if command.verb == "status" and answer.outcome == "done":
            return answer.state == "ended"
        if command.verb == "attach" and answer.outcome == "done":
            return True  # the JVM still took the library, and the agent the end
        return answer.outcome != "done" and AT_THE_END.search(answer.message) is not None


class Choice:
    """Commands at random. A number of starts is the most, since HotSpot keeps memory for each."""

    def __init__(self, chance, commands, most_starts):
        self._chance, self._commands, self._left = chance, commands, most_starts

    def next(self, state):
        while True:
            command = self._chance.choice(self._commands)
            if not self._starts(command, state):
                return command
            if self._left > 0:
                self._left -= 1
                return command

    @staticmethod
    def _starts(command, state):
        fit = _fits(state, command)
        return command.verb == "profile" or (fit is not None and fit.after is State.RECORDING and state is not State.RECORDING)

    def next_calmly(self, state):
        """For a recording that goes on: nearly always a command that only looks, and a start where nothing is recorded."""
        wanted = [command for command in self._commands if command.verb in ("status", "dump")]
        if state is not State.RECORDING:
            wanted = [command for command in self._commands if self._starts(command, state) and command.verb != "profile"]
        if not wanted or self._chance.random() < 0.1:
            return self.next(state)
        return self._chance.choice(wanted)

    def pause_s(self):
        """Often none at all, so that one command follows the other at once."""
        return self._chance.choice((0, 0, self._chance.uniform(0, 0.3)))


def chance_of(seed, *names):
    """The same commands for the same seed, independent of all that runs beside it."""
    return random.Random(" ".join(map(str, (seed, *names))))
