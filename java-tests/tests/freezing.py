"""count-until= and overhead=: methods lose their probes while the program runs, and their counts go on as estimates. The program knows
how often it calls what."""

import json
import re
import time
import zipfile

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.scope import in_proof, on_one_jvm
from harness.session_case import SessionCase

LEAF = "Freezes.leaf(int)int"
STEP = "Freezes.step(int)int"
ODD = "Freezes.odd(int)int"
STEPS = "Freezes.steps(int, int)int"
HOLDER = "Freezes$Holder.value()int"
GUEST = "Freezes$Guest.applyAsInt(int)int"
LEFT, RIGHT = (f"Freezes${side}.applyAsInt(int)int" for side in ("Left", "Right"))
NEAR = 0.02  # of the truth
# Methods freeze and thaw by the processor time of the program, which asking for its status hardly takes: so it works much between two questions.
RUN = "run 10000000"
SPIN = "spin 200000000"


class FreezingCase(SessionCase):
    def begin(self, options, agent="out=end.iprof,", **more):
        process = self.start_java("Freezes", agent=agent + options if agent is not None else None, **more)
        process.ran = {}
        return process

    def ask(self, process, line):
        """Sends a line and returns the number in the answer."""
        before = process.out_path.read_text().count(f"done {line} ")
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()
        word, _, number = line.partition(" ")
        process.ran[word] = process.ran.get(word, 0) + int(number or 0)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answers = [said for said in process.out_path.read_text().splitlines() if said.startswith(f"done {line} ")]
            if len(answers) > before:
                return int(answers[-1].split()[-1])
            self.assertIsNone(process.poll(), process.err_path.read_text())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def until(self, process, lines, holds, beside=()):
        """Repeats a line, or several, until the status is as wanted. `beside`: other programs that do the same."""
        lines = [lines] if isinstance(lines, str) else lines
        deadline = time.monotonic() + PATIENCE_S
        while True:
            status = self.status(process)
            if holds(status):
                return status
            self.assertLess(time.monotonic(), deadline, status)
            for line in lines:
                for each in (process, *beside):
                    self.ask(each, line)

    def until_frozen(self, process, line=RUN, methods=2, beside=()):
        return self.until(process, line, lambda status: status["frozen_methods"] >= methods, beside)

    @staticmethod
    def keeps_a_loop(status):
        return any("a loop in the class" in kept["why"] for kept in status["kept"])

    def own_agent(self):
        """A jar that makes the program its own Java agent."""
        jar = self.folder / "agent.jar"
        with zipfile.ZipFile(jar, "w") as made:
            made.writestr("META-INF/MANIFEST.MF", "Premain-Class: Freezes\nCan-Redefine-Classes: true\n")
        return jar

    def finish(self, process):
        process.communicate(b"x\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        return self.agent_lines(process.err_path.read_text())

    def estimates(self, name):
        section = json.loads((self.folder / name).read_text()).get("iprofagent", {})
        return section.get("estimates", {}).get("calls", {})

    def assert_near(self, found, true, what):
        self.assertAlmostEqual(found, true, delta=NEAR * true + 1000, msg=what)

    def assert_true(self, name, ran):
        """The calls in a profile are those of the program."""
        profile = self.profile(name)
        run, more = ran.get("run", 0), ran.get("more", 0)
        self.assert_near(profile.calls_of(STEP), run, STEP)
        self.assert_near(profile.calls_of(LEAF), 2 * run + more, LEAF)
        self.assert_near(profile.calls_of(ODD), run / 4, ODD)
        (counts,) = [counts for context, counts in profile.branches().items() if STEP in context[0]]
        self.assertAlmostEqual(min(counts.values()) / sum(counts.values()), 0.25, delta=0.01)


class Counts(FreezingCase):
    def check_frozen(self, process, beside=()):
        """Methods lose their probes, and run for longer than that took; the profile x.iprof is checked."""
        self.until_frozen(process, beside=beside)
        counted = process.ran["run"]
        self.ask(process, f"more {counted // 2}")
        self.ask(process, f"run {counted}")
        self.command("dump", process, "-o", "x.iprof")
        self.assert_true("x.iprof", process.ran)
        estimated = self.estimates("x.iprof")
        since = 2 * counted + process.ran["more"]
        self.assertGreater(estimated[LEAF], (1 - NEAR) * since)
        self.assertLess(estimated[LEAF], 2 * counted + since)
        # Of methods that are not named, all is counted.
        self.assertNotIn("Freezes.main(java.lang.String[])void", estimated)
        marks = self.profile("x.iprof").sureness()
        self.assertEqual(marks.get("Freezes.main(java.lang.String[])void", "e"), "e")  # an agent that comes late does not record it
        self.assertRegex(marks[LEAF], "[F-Z]", "estimated from the entries of the interval before it froze")
        said = "\n".join(self.agent_lines(process.err_path.read_text()))
        self.assertRegex(said, r"counts exact but for races between threads; [\d,]+ methods with [\d.]+ % of all calls are estimated, "
                               r"because they lost their probes")
        self.assertRegex(said, r"exact, but for races between threads: [\d,]+ of [\d,]+ methods that ran.*; [\d,]+ are estimated, because")
        self.assertRegex(said, r"methods with estimated counts: [1-9][\d,]*; without probes now: [1-9][\d,]*; counting costs about \d")

    @in_proof
    def test_with_a_counter_for_everything(self):
        process = self.begin("count-until=5000,rearm=0,verbose=1,placement=direct")
        self.check_frozen(process)
        self.finish(process)
        self.assert_true("end.iprof", process.ran)

    def test_what_freezes_until_a_stop_and_what_does_not(self):
        """While an attached agent freezes the methods of one program, another one does the same work. It has another agent that follows ours,
        which would see classes without its own changes."""
        process = self.begin("", agent=None)
        followed = self.begin("count-until=5000", jvm_args=[f"-javaagent:{self.own_agent()}"], agent="out=followed.iprof,")
        self.ask(process, "run 300000")
        self.command("attach", process, "samples=n,image=n,out=end.iprof,count-until=5000,rearm=0,verbose=1")
        process.ran.clear()
        self.check_frozen(process, beside=(followed,))
        said = self.assert_never_frozen(followed, "followed.iprof")
        self.assertTrue(any("count-until=, overhead= and mode=budget have no effect" in line for line in said), said)
        self.command("reset", process)
        process.ran.clear()
        self.ask(process, "run 500000")
        self.command("stop", process, "-o", "stop.iprof")
        recorded = dict(process.ran)
        self.assert_true("stop.iprof", recorded)
        # All methods have their own code, and counting costs nothing.
        status = self.status(process)
        self.assertEqual((status["frozen_methods"], status["cost_now_permille"], status["kept"]), (0, 0, []))
        self.ask(process, "run 900000")  # not recorded
        self.command("dump", process, "-o", "stopped.iprof")
        self.assert_true("stopped.iprof", recorded)
        self.command("start", process)
        self.ask(process, "run 300000")
        recorded["run"] += 300000
        self.command("dump", process, "-o", "again.iprof")
        self.assert_true("again.iprof", recorded)
        self.finish(process)
        self.assert_true("end.iprof", recorded)

    def assert_never_frozen(self, process, name):
        """Returns its agent's lines."""
        status = self.status(process)
        self.assertEqual((status["frozen_methods"], status["cost_permille"]), (0, 0))
        said = self.finish(process)
        # Others may be methods that compilers replace.
        self.assertEqual([method for method in self.estimates(name) if method.startswith("Freezes")], [])
        self.assertEqual(self.profile(name).calls_of(STEP), process.ran["run"])
        return said

    @in_proof
    def test_nothing_freezes_without_the_options(self):
        """While another program's methods freeze."""
        process, plain = self.begin("count-until=5000,rearm=0"), self.begin("verbose=1", agent="out=plain.iprof,")
        self.until_frozen(process, beside=(plain,))
        said = self.assert_never_frozen(plain, "plain.iprof")
        self.assertFalse(any("count-until=, overhead= and mode=budget have no effect" in line for line in said), said)
        self.finish(process)

    @on_one_jvm
    def test_a_limit_of_the_cost(self):
        """Counting this program costs more than a fifth on every machine, and much less without its hottest methods."""
        limit_permille, worse_code_permille = 200, 125  # the latter is said for a while after a round
        process = self.begin("overhead=20%,rearm=0,verbose=2")
        self.until(process, RUN, lambda status: status["cost_now_permille"] > limit_permille)
        status = self.until(process, RUN, lambda status: status["frozen_methods"] > 0
                            and status["cost_now_permille"] <= limit_permille + worse_code_permille)
        self.assertTrue(0 < status["cost_least_permille"] <= status["cost_permille"] <= status["cost_most_permille"], status)
        self.ask(process, f"run {process.ran['run'] // 2}")
        self.assertRegex("\n".join(self.finish(process)), r"without probes: [1-9]\d* methods[^$]*counting costs about \d")
        self.assert_true("end.iprof", process.ran)

    @on_one_jvm
    def test_a_limit_that_a_loop_keeps_out_of_reach(self):
        """What spin calls is in the class of its loop, so it keeps its probes. It is told once: not again of a recording that was forgotten."""
        process = self.begin("overhead=1%,rearm=0")
        status = self.until(process, SPIN, self.keeps_a_loop)
        self.assertTrue(all(kept["methods"] > 0 for kept in status["kept"]), status)
        self.assertRegex(" ".join(self.command("status", process).stdout.split()), r"keep probes \d+ hot methods?: a loop in the class runs all the time \(Freezes\.")
        self.ask(process, "spin 20000000")
        self.command("stop", process, "-o", "stop.iprof")
        self.assertEqual(self.profile("stop.iprof").calls_of(LEAF), process.ran["spin"])
        self.command("reset", process)
        self.command("start", process)
        self.command("stop", process, "-o", "short.iprof")
        (told,) = [line for line in self.finish(process) if "overhead=1% was not reached" in line]
        self.assertRegex(told, r"overhead=1% was not reached: counting costs about [\d.]+ % of the program's time; .*"
                               r"because a loop in the class runs all the time \(Freezes\.")


class Classes(FreezingCase):
    def test_hidden_classes_stay_as_they_are(self):
        """A lambda's class is called as often as methods that freeze, so it is tried with them."""
        process = self.begin("count-until=5000,rearm=0,verbose=1")
        refused = r"the class is hidden, as those of lambdas and many scripts are, or was unloaded \(Freezes\$\$Lambda.*\.applyAsInt\)$"
        lines = (RUN, "hidden 20000000")
        self.until(process, lines, lambda status: status["frozen_methods"] >= 2 and any(re.match(refused, kept["why"]) for kept in status["kept"]))
        for line in lines:
            self.ask(process, line)
        self.finish(process)
        estimated = self.estimates("end.iprof")
        self.assertTrue(estimated)
        self.assertFalse([name for name in estimated if "$$Lambda" in name], estimated)
        # The lambda's own method is called by its hidden class.
        profile = self.profile("end.iprof")
        body = [name for name in profile.methods if name.startswith("Freezes.lambda$") and "int" in name]
        self.assertTrue(body)
        (hidden,) = [name for name in profile.methods if re.match(r"Freezes\$\$Lambda.*\.applyAsInt\(int\)int$", name)]
        self.assertEqual(profile.calls_of(hidden), process.ran["hidden"])

    def test_a_frozen_class_that_is_unloaded_keeps_its_counts(self):
        process = self.begin("count-until=5000,rearm=0,verbose=2")
        self.until_frozen(process, "guest 10000000")
        # Much of this is in the interval in which the class goes.
        self.ask(process, f"guest {2 * process.ran['guest']}")
        self.ask(process, "drop")
        deadline = time.monotonic() + PATIENCE_S
        while not any(re.search(r"unloaded: [1-9]\d* with counts", line) for line in self.agent_lines(process.err_path.read_text())):
            self.assertLess(time.monotonic(), deadline)
            self.command("dump", process, "-o", "seen.iprof")
            time.sleep(0.2)
        self.ask(process, "guest 1000")
        self.finish(process)
        self.assert_near(self.profile("end.iprof").calls_of(GUEST), process.ran["guest"], GUEST)
        self.assertGreater(self.estimates("end.iprof")[GUEST], process.ran["guest"] / 2)

    @on_one_jvm
    def test_a_call_of_an_interface_follows_its_receivers(self):
        process = self.begin("count-until=5000,rearm=0")
        self.until_frozen(process, ("left 10000000", "right 10000000"))
        counted = dict(process.ran)
        for line in ("left 60000000", "right 40000000", "left 20000000"):
            self.ask(process, line)
        self.finish(process)
        profile, estimated = self.profile("end.iprof"), self.estimates("end.iprof")
        for method, line in ((LEFT, "left"), (RIGHT, "right")):
            self.assert_near(profile.calls_of(method), process.ran[line], method)
            # It froze in the middle of one of the lines before.
            self.assertGreaterEqual(estimated[method], process.ran[line] - counted[line] - NEAR * process.ran[line], method)
            self.assertLess(estimated[method], process.ran[line], method)

    @in_proof
    def test_a_class_whose_loop_runs_all_the_time_is_left_alone(self):
        """As a limit of the cost leaves it alone. HotSpot would interpret the loop from then on. Other classes, which the loop calls, may be swapped."""
        process = self.begin("count-until=5000,rearm=0")
        self.until(process, SPIN, self.keeps_a_loop)
        self.ask(process, "spin 20000000")
        self.finish(process)
        self.assertEqual(self.profile("end.iprof").calls_of(LEAF), process.ran["spin"])
        self.assertEqual([name for name in self.estimates("end.iprof") if name.startswith("Freezes.")], [])

    def redefining(self, options, argument=""):
        """The program is its own agent, which is named before ours."""
        return self.begin("", agent=None, jvm_args=[
            f"-javaagent:{self.own_agent()}{argument}", f"-agentpath:{Settings.agent}=out={self.folder}/end.iprof,samples=n,image=n,{options}"])

    def test_methods_count_again_for_a_moment_and_a_redefinition_is_not_undone(self):
        process = self.redefining("count-until=5000,rearm=1s,verbose=2")
        self.until_frozen(process, methods=3)
        self.assertEqual(self.ask(process, "value"), 1111111)
        self.ask(process, "redefine")
        rounds = self.status(process)["freeze_rounds"]
        self.until(process, RUN, lambda status: status["freeze_rounds"] > rounds and status["frozen_methods"] >= 2)
        self.assertEqual(self.ask(process, "value"), 2222222)
        said = "\n".join(self.finish(process))
        self.assert_true("end.iprof", process.ran)
        self.assertIn("counted no more", said)
        # The first round swaps Freezes and Freezes$Holder. The first batches have one class each, to measure how long a pause is.
        rounds, rearms, pauses = map(int, re.search(r"after (\d+) rounds and (\d+) rearms; \d+ classes swapped in (\d+) pauses", said).groups())
        self.assertGreater(pauses, rounds + rearms, said)

    def test_another_agent_that_comes_first_keeps_its_change(self):
        """It changes a class when that is loaded, as JaCoCo does. A method of this class freezes."""
        process = self.redefining("count-until=5000,rearm=1s", argument="=change")
        self.assertEqual(self.ask(process, "value"), 2222222)
        self.until_frozen(process, methods=3)
        self.assertEqual(self.ask(process, "value"), 2222222)
        # Without probes this is quick. With them it takes less than the time for which methods count again.
        self.until(process, "run 60000000", lambda status: status["frozen_methods"] == 0)
        self.assertEqual(self.ask(process, "value"), 2222222)
        said = self.finish(process)
        self.assertTrue(any("another agent (agent.jar) comes first" in line for line in said), said)
        self.assertIn(HOLDER, self.estimates("end.iprof"))
        self.assert_true("end.iprof", process.ran)
        self.assert_near(self.profile("end.iprof").calls_of(HOLDER), 2 * process.ran["run"], HOLDER)
