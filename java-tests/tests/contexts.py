"""Receivers and branches by caller (contexts=all) of a program that knows what its library does for whom."""

import re
import sys
import time

from iprofdev.messages import Unavailable
from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase
from harness.scope import on_one_jvm
from oracle import asm_agent, contexts

ROUNDS, TIMES = 50, 20_000
ALL = ROUNDS * TIMES

# What Contexts.measure calls for each of its callers, and how often the branch in Contexts.pick goes to the first way.
TARGETS = {
    "squares": {"Square": 0.99, "Circle": 0.01}, "circles": {"Circle": 1}, "forwardedSquares": {"Square": 1},
    "forwardedStrips": {"Strip": 0.98, "Square": 0.02}, "deepCircles": {"Circle": 1}, "deepStrips": {"Strip": 1},
    "lambda$lambdas$0": {"Square": 1}, "lambda$lambdas$1": {"Strip": 1}}
FIRST_WAY = {"seldom": 0.01, "often": 0.99, "half": 0.5}


class Contexts(AgentCase):
    def record(self, *arguments, name, options, main=(ROUNDS, TIMES), program="Contexts"):
        run = self.run_java(program, *map(str, main), *arguments, agent=f"out={name},samples=n,verbose=2,{options}")
        self.said = "\n".join(line for line in self.agent_lines(run.stderr) if "stacks" in line)
        return self.profile(name)

    def by_caller(self, table, method, callers):
        """{caller: {class or bci: count}} of the only site of a method. The caller is the first one of these in the context, and "" if
        there is none."""
        found = {}
        for context, counts in table.items():
            if not context[0].startswith(f"{method}("):
                continue
            names = [frame.split("(")[0].removeprefix("Contexts.") for frame in context[1:]]
            caller = next((name for name in names if name in callers), "")
            into = found.setdefault(caller, {})
            for key, count in counts.items():
                into[key] = into.get(key, 0) + count
        return found

    def assert_right(self, profile):
        targets = self.by_caller(profile.receivers(), "Contexts.measure", TARGETS)
        self.assertLess(self.error(targets, {caller: {f"Contexts${name}": ALL * share for name, share in shares.items()}
                                             for caller, shares in TARGETS.items()}), 0.01, f"{targets}\n{self.said}")
        ways = self.by_caller(profile.branches(), "Contexts.pick", FIRST_WAY)
        taken = sorted(key for key in ways["often"])
        self.assertLess(self.error(ways, {caller: {taken[0]: ALL * share, taken[1]: ALL * (1 - share)}
                                          for caller, share in FIRST_WAY.items()}), 0.025, f"{ways}\n{self.said}")

    def error(self, found, true):
        """Which part of all executions the profile gives to the wrong outcome, where a caller's shares are compared."""
        wrong = 0
        for caller, counts in true.items():
            # Where a caller has no entry of its own, a consumer takes the one without callers.
            shares = found.get(caller) or found.get("", {})
            self.assertTrue(shares, caller)
            total, sum_of = sum(counts.values()), sum(shares.values())
            wrong += sum(abs(counts.get(key, 0) - total * shares.get(key, 0) / sum_of) for key in {*counts, *shares}) / 2
        return wrong / sum(sum(counts.values()) for counts in true.values())

    def pooled(self, profile):
        """What the entries of each position say together."""
        sums = {}
        for table in (profile.receivers(), profile.branches()):
            for context, counts in table.items():
                into = sums.setdefault(context[0], {})
                for key, count in counts.items():
                    into[key] = into.get(key, 0) + count
        return sums

    def test_the_library_does_for_each_caller_what_it_did(self):
        earlier = self.record(name="e.iprof", options="include=Contexts*")
        profile = self.record(name="c.iprof", options="include=Contexts*,contexts=all,weights=e.iprof")
        self.assert_right(profile)
        # Exact counts stay exact: the stacks only divide them.
        self.assertEqual(self.pooled(profile), self.pooled(earlier))
        self.assertEqual(profile.calls_of("Contexts.measure"), earlier.calls_of("Contexts.measure"))

    def test_streams_have_their_functions_by_caller(self):
        include = "include=Contexts*+java.util.stream.*"
        self.record(name="e.iprof", options=include)
        profile = self.record(name="c.iprof", options=f"{include},contexts=all,weights=e.iprof")
        callers = ("streamedOnce", "streamedTwice")
        accept = self.by_caller(profile.receivers(), "java.util.stream.ReferencePipeline$3$1.accept", callers)
        for caller in callers:
            self.assertGreater(max(accept[caller].values()), 0.99 * sum(accept[caller].values()), accept)
        self.assertNotEqual(*(max(accept[caller], key=accept[caller].get) for caller in callers))

    def test_virtual_threads_have_callers_too(self):
        if self.jvm.major < 21:
            self.skipTest("this JVM has no virtual threads")
        self.record("virtual", name="e.iprof", options="include=Contexts*")
        self.assert_right(self.record("virtual", name="c.iprof", options="include=Contexts*,contexts=all,weights=e.iprof"))

    def test_a_whole_program_is_recorded(self):
        earlier = self.record(name="e.iprof", options="", main=(2, TIMES))
        profile = self.record(name="c.iprof", options="contexts=all,weights=e.iprof", main=(2, TIMES))
        for key in ("Contexts.measure(Contexts$Shape)void:4", "Contexts.pick(int, int)void:2"):
            self.assertEqual(self.pooled(profile)[key], self.pooled(earlier)[key])

    def test_an_oracle_sees_the_same_of_a_program_that_does_not_know_its_counts(self):
        try:
            oracle = asm_agent.AsmAgent(self.jvm, self.folder / "oracle", "ContextOracle")
        except (Unavailable, FileNotFoundError) as missing:
            self.skipTest(str(missing))
        watched = ("Pipelines", "java.util.stream.", "java.util.TimSort.")
        include = "include=Pipelines*+java.util.stream.*+java.util.TimSort"
        earlier = self.record(name="e.iprof", options=include, main=(300, 1000), program="Pipelines")
        positions = contexts.candidates(earlier, watched)
        contexts.write_sites(earlier, positions, self.folder / "sites")
        self.run_java("Pipelines", "3", "1000", agent=None, jvm_args=oracle.options(self.folder / "seen", self.folder / "sites", 1))
        seen = contexts.read(self.folder / "seen")
        profile = self.record(name="c.iprof", options=f"{include},contexts=all,weights=e.iprof", main=(300, 1000), program="Pipelines")
        without, errors = (contexts.errors(seen, one, positions) for one in (earlier, profile))
        figures = f"without callers {without}\nwith callers {errors}\n{self.said}"
        print(figures, file=sys.stderr)
        for table, most in ((contexts.RECEIVERS, 0.01), (contexts.BRANCHES, 0.025)):
            self.assertGreater(without[table].share, most, figures)  # callers matter
            self.assertLess(errors[table].share, most, figures)

    def contexts_in(self, name):
        self.run_tool("recover", self.folder / "k.iraw", "-o", self.folder / name, expect=None)
        if not (self.folder / name).exists():
            return {}
        return self.by_caller(self.profile(name).receivers(), "Contexts.measure", TARGETS)

    @on_one_jvm
    def test_a_killed_run_has_its_contexts_too(self):
        self.record(name="e.iprof", options="include=Contexts*")
        process = self.start_java("Contexts", "1000000000", str(TIMES), ready=None,
                                  agent="out=k.iprof,contexts=all,weights=e.iprof,samples=n,include=Contexts*,snapshot=100ms")
        deadline = time.monotonic() + PATIENCE_S
        while "circles" not in self.contexts_in(f"{time.monotonic_ns()}.iprof"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.5)
        process.kill()
        process.wait()
        circles = self.contexts_in("killed.iprof")["circles"]
        self.assertEqual(max(circles, key=circles.get), "Contexts$Circle")

    def test_without_an_earlier_profile_the_sites_are_found_while_the_program_runs(self):
        run = self.run_java("Contexts", "PT8S", str(TIMES), agent="out=c.iprof,contexts=all,samples=n,include=Contexts*,verbose=2")
        said = "\n".join(self.agent_lines(run.stderr))
        self.assertRegex(said, r"stacks are taken at \d+ calls and branches of \d+ classes", said)
        targets = self.by_caller(self.profile("c.iprof").receivers(), "Contexts.measure", TARGETS)
        executions = int(re.search(r"rounds (\d+)", run.stdout).group(1)) * TIMES
        self.assertLess(self.error(targets, {caller: {f"Contexts${name}": executions * share for name, share in shares.items()}
                                             for caller, shares in TARGETS.items()}), 0.01, targets)
