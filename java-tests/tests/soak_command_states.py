#!/usr/bin/env python3
"""Tests the soak's model of a session: it takes the answers of a good agent, and finds those that do not fit. It also finds agents that
take no probes out of steady programs."""

import os
import pathlib
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS)]
sys.dont_write_bytecode = True

from soak.churn import Churn  # noqa: E402
from soak.command_states import BY_PID, COMMANDS, Answer, Choice, Command, Session, State, chance_of  # noqa: E402
from soak.commands import Commanded  # noqa: E402
from soak.freezing import ENOUGH_S, LEAST_LOOKS, Freezing, cpu_s, nothing_froze  # noqa: E402

START, STOP, STOP_O, RESET, DUMP, DUMP_O, STATUS = COMMANDS
PROFILE, ATTACH, ATTACH_AND_RECORD = BY_PID[len(COMMANDS):]
RUNS = Answer("refused", "the recording is running already", "recording")
NOTHING = Answer("refused", "nothing is being recorded", "stopped")
NOTHING_YET = Answer("refused", "nothing has been recorded yet", "stopped")
NO_AGENT = Answer("error", "iprof: error: the agent is not loaded in process 7: 'iprof profile 7' or 'iprof attach 7' loads it")
BUSY = Answer("error", "iprof: error: process 7: the agent is recording already: 'iprof stop 7' stops it")
TAKEN = Answer("error", "iprof: error: process 7: already loaded in this JVM; the options of the first load stand; 'iprof status 7' shows")
ENDING = Answer("refused", "the program is ending")
GONE = Answer("error", "iprof: error: process 7 has ended")


def done(state=""):
    return Answer("done", "", state)


class CommandStates(unittest.TestCase):
    def feed(self, state, *said):
        """What is wrong with the answers to these commands, one after the other; and the session."""
        session = Session(state)
        return [session.take(command, answer) for command, answer in said], session

    def good(self, state, *said):
        wrong, session = self.feed(state, *said)
        self.assertEqual(wrong, [""] * len(said))
        return session

    def test_a_session_that_was_loaded_to_wait(self):
        session = self.good(State.READY, (STATUS, done("stopped")), (RESET, done("stopped")), (DUMP, NOTHING_YET), (STOP_O, NOTHING_YET),
                            (STOP, NOTHING), (START, done("recording")), (START, RUNS), (DUMP, done("recording")), (RESET, done("recording")),
                            (PROFILE, BUSY), (STOP_O, done("stopped")), (STOP_O, done("stopped")), (STOP, NOTHING), (DUMP_O, done("stopped")),
                            (RESET, done("stopped")), (DUMP, done("stopped")), (START, done("recording")), (STOP, done("stopped")))
        self.assertIs(session.last, State.STOPPED)

    def test_a_jvm_without_the_agent(self):
        for load, loaded in ((ATTACH, State.READY), (ATTACH_AND_RECORD, State.RECORDING), (PROFILE, State.STOPPED)):
            with self.subTest(load=load):
                session = self.good(State.ABSENT, *((command, NO_AGENT) for command in COMMANDS), (load, done()))
                self.assertIs(session.state, loaded)

    def test_a_second_attach_changes_nothing(self):
        for state in (State.READY, State.RECORDING, State.STOPPED):
            self.assertIs(self.good(state, (ATTACH_AND_RECORD, TAKEN), (ATTACH, TAKEN)).state, state)
            self.assertNotEqual(self.feed(state, (ATTACH, done()))[0], [""])

    def test_a_dump_without_a_file(self):
        """The file of an agent that `iprof profile` loaded is gone."""
        lost = Answer("failed", "/tmp/.iprof-1/exit.iprof: cannot write: No such file or directory", "stopped")
        self.good(State.ABSENT, (PROFILE, done()), (DUMP, lost), (DUMP_O, done("stopped")), (STOP_O, done("stopped")))
        self.assertNotEqual(self.feed(State.STOPPED, (DUMP, lost))[0], [""])

    def test_an_answer_that_does_not_fit_is_found(self):
        for state, command, answer in (
                (State.READY, START, RUNS), (State.READY, STOP, done("stopped")), (State.READY, DUMP, done("stopped")),
                (State.READY, STATUS, NO_AGENT), (State.RECORDING, START, done("recording")), (State.RECORDING, STOP, NOTHING),
                (State.RECORDING, PROFILE, done()), (State.STOPPED, DUMP, NOTHING_YET), (State.STOPPED, STOP, done("stopped")),
                (State.STOPPED, STOP_O, NOTHING), (State.ABSENT, STATUS, done("stopped")), (State.READY, RESET, Answer("failed", "why")),
                (State.RECORDING, RESET, Answer("refused", "'dump' is still running"))):
            with self.subTest(state=state, command=str(command)):
                self.assertNotEqual(self.feed(state, (command, answer))[0], [""])

    def test_the_agent_must_report_the_state(self):
        for command, reported in ((START, "stopped"), (RESET, "recording"), (STATUS, "resuming"), (STATUS, "ended")):
            self.assertIn("afterwards", self.feed(State.READY, (command, done(reported)))[0][0])

    def test_an_end_is_allowed_only_at_the_end(self):
        for answer in (ENDING, GONE):
            for state in State:
                session = Session(state)
                self.assertNotEqual(session.take(START, answer), "", state)
                session.is_ending = True
                self.assertEqual(session.take(START, answer), "", state)
                self.assertIs(session.state, State.ENDED)

    def test_every_sentence_of_the_end_says_that_it_is_one(self):
        """Only these may be said at the end. Each names the end itself, and not what failed because of it."""
        socket = "control socket /tmp/a.sock: "
        for says, allowed in (
                ("there is no process 7", True), ("process 7 has ended", True),
                ("process 7 has no memory: it is ending, or it is a thread of the kernel", True),
                ("process 7 does not listen any more: it is ending, or its attach socket was removed", True),
                ("process 7: it closed the connection without an answer: it is ending, or takes no requests of this user and group",
                 True),
                ("process 7: it takes no agents now: it is ending, or is still starting", True),
                (socket + "it has no listener: the JVM that made it has ended", True),
                (socket + "it was removed: the program that made it is ending", True),
                (socket + "it is not there: the program is ending, or the file was removed", True),
                (socket + "cannot find it: No such file or directory", True),
                (socket + "it was closed without an answer: the JVM has ended, its agent could not start, or it takes no commands of "
                          "this user", True),
                ("process 7: the agent did not take the command: the program is ending, or the agent has stopped working or is of "
                 "another release than this tool", True),
                ("process 7: the agent closed the connection without an answer: the program is ending, or the agent has failed", True),
                (socket + "cannot connect: No such file or directory", False),
                ("process 7 is not a JVM: no libjvm.so is loaded in it", False),
                ("cannot read /proc/7/maps: No such process", False),
                ("cannot read /proc/7/root: No such file or directory", False),
                ("the agent is not loaded in process 7: 'iprof profile 7' or 'iprof attach 7' loads it", False),
                ("process 7: the JVM did not load the agent: it answered '' with code 0", False)):
            with self.subTest(says=says):
                session = Session(State.RECORDING)
                session.is_ending = True
                self.assertEqual(session.take(DUMP, Answer("error", "iprof: error: " + says)) == "", allowed)
        for outcome, says, allowed in (
                ("refused", "the program is ending", True), ("failed", "the program is ending", True),
                ("refused", "the JVM takes no more threads", False), ("failed", "cannot enable ThreadStart: WRONG_PHASE (112)", False)):
            with self.subTest(says=says):
                session = Session(State.RECORDING)
                session.is_ending = True
                self.assertEqual(session.take(DUMP, Answer(outcome, says)) == "", allowed)

    def test_nothing_happens_after_the_end(self):
        session = Session(State.RECORDING)
        session.is_ending = True
        self.assertEqual([session.take(STOP, ENDING), session.take(STATUS, done("ended")), session.take(DUMP, GONE)], [""] * 3)
        for command, answer in ((DUMP, done("recording")), (STOP, done("stopped")), (STOP, NOTHING), (STATUS, done("recording"))):
            self.assertNotEqual(session.take(command, answer), "")
        self.assertIs(session.last, State.RECORDING)

    def test_a_command_without_an_answer_leaves_the_last_state_open(self):
        session = Session(State.RECORDING)
        session.is_ending = True
        session.take(STOP_O, GONE)  # it may have stopped
        self.assertIsNone(session.last)

    def test_an_attach_that_the_end_may_have_overtaken_leaves_the_last_state_open(self):
        for load, reported, loaded in ((ATTACH, "stopped", State.READY), (ATTACH_AND_RECORD, "recording", State.RECORDING)):
            for answers, last in (([], None), ([(STATUS, done(reported))], loaded), ([(STATUS, GONE)], None), ([(STOP_O, ENDING)], None),
                                  ([(load, done())], None), ([(STATUS, done(reported)), (START, ENDING)], loaded)):
                with self.subTest(load=str(load), answers=answers):
                    session = Session(State.ABSENT)
                    session.is_ending = True
                    for command, answer in [(load, done()), *answers]:
                        self.assertEqual(session.take(command, answer), "")
                    self.assertIs(session.last, last)
            self.assertIs(self.good(State.ABSENT, (load, done())).last, loaded)

    def test_an_attach_that_is_told_of_the_end(self):
        session = Session(State.ABSENT)
        session.is_ending = True
        told = Answer("error", "iprof: error: process 7: the program is ending")
        self.assertEqual(session.take(ATTACH_AND_RECORD, told), "")
        self.assertIsNone(session.last)

    def test_the_seed_gives_the_commands(self):
        def some(*seed):
            choice = Choice(chance_of(*seed), BY_PID, 1000)
            return [(str(choice.next(State.READY)), choice.pause_s()) for _ in range(50)]
        self.assertEqual(some(1, "jdk17"), some(1, "jdk17"))
        self.assertNotEqual(some(1, "jdk17"), some(2, "jdk17"))
        self.assertNotEqual(some(1, "jdk17"), some(1, "jdk25"))
        self.assertEqual({text for text, _ in some(1, "a") + some(2, "b") + some(3, "c")}, {str(command) for command in BY_PID})

    def test_no_more_starts_than_allowed(self):
        choice = Choice(chance_of(1), BY_PID, 3)
        given = [choice.next(State.READY) for _ in range(500)]
        self.assertEqual(sum(command in (START, PROFILE) for command in given), 3)
        # A start while it records starts nothing.
        self.assertIn(START, [choice.next(State.RECORDING) for _ in range(500)])

    def test_commands_have_names(self):
        self.assertEqual([str(command) for command in (START, STOP_O, ATTACH_AND_RECORD)], ["start", "stop -o", "attach and record"])
        self.assertEqual(len(set(map(str, BY_PID))), len(BY_PID))
        self.assertIsInstance(START, Command)


class Probes(unittest.TestCase):
    def looked(self, seconds, state="recording", frozen=0, recording=lambda second: 1, cpu=1.0):
        """An agent whose status was asked for every second; `cpu`: the share of a processor that the program got."""
        one = Freezing()
        for second in range(seconds):
            status = {"state": state, "recording": recording(second), "now_ms": 1000 * second, "frozen_methods": frozen}
            one.saw(status, cpu * second)
        return one

    def test_agents_that_had_the_time_and_took_no_probes_out_are_found(self):
        idle, long = self.looked(5), self.looked(ENOUGH_S + LEAST_LOOKS)
        self.assertEqual(nothing_froze([idle, long, long]),
                         "no method lost its probes in steady programs, although 2 of 3 recorded for long enough")

    def test_one_that_did_is_enough(self):
        self.assertEqual(nothing_froze([self.looked(100), self.looked(5, frozen=2), self.looked(100)]), "")
        thawed = self.looked(100, frozen=3)
        thawed.saw({"state": "recording", "recording": 1, "now_ms": 0, "frozen_methods": 0}, 0)
        self.assertEqual(nothing_froze([thawed]), "")

    def test_too_little_time_says_nothing(self):
        for few in (self.looked(ENOUGH_S + LEAST_LOOKS - 1), self.looked(300, state="stopped"),
                    self.looked(300, recording=lambda second: second // ENOUGH_S),  # started or reset before the time was up
                    self.looked(300, cpu=0.05), self.looked(ENOUGH_S, cpu=4)):  # a busy machine; many threads
            self.assertEqual(nothing_froze([few]), "")
        self.assertEqual(nothing_froze([]), "")

    def test_an_answer_without_a_status_changes_nothing(self):
        one = self.looked(ENOUGH_S)
        one.saw({}, ENOUGH_S)
        self.assertFalse(one.had_time())

    def test_the_processor_time_of_a_process(self):
        self.assertGreaterEqual(cpu_s(os.getpid()), 0)
        self.assertIsNone(cpu_s(2 ** 30))

    def test_another_agent_is_named_before_ours_where_it_gets_commands(self):
        with tempfile.TemporaryDirectory() as made:
            for program, expected in ((Commanded("agentpath", "redefinition"), ["-javaagent", "-agentpath"]),
                                      (Churn("redefinition"), ["-agentpath", "-javaagent"])):
                words = program.command("java", ["-agentpath:ours"], "classes", pathlib.Path(made), 1)
                self.assertEqual([word.partition(":")[0] for word in words if "agent" in str(word)][:2], expected)


if __name__ == "__main__":
    unittest.main()
