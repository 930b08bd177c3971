"""The order of first calls (iprof top --first) in a program whose order is known."""

import json
import time

from iprofdev.processes import PATIENCE_S

from harness.case import C1_ONLY, AgentCase
from harness.scope import in_proof
from oracle.asm_agent import AsmAgent

STEPS = ["first", "second", "third", "fourth"]


class FirstCalls(AgentCase):
    jvm_defaults = C1_ONLY
    OPTIONS = "samples=n,include=Order*,snapshot=100ms"

    def order(self, name):
        """{name of a method: (sum of ranks, runs)}, in their order."""
        rows = json.loads(self.run_tool("top", "--first", "-n", "0", "--format", "json", self.folder / name).stdout)["first"]
        return {row["name"].split("(")[0].split(".")[-1]: (row["ranks"], row["runs"]) for row in rows}

    def steps(self, name):
        return [method for method in self.order(name) if method in STEPS]

    def step(self, process):
        process.stdin.write(b"x")
        process.stdin.flush()

    def recovered(self, raw):
        """The order in the raw file, as it is now."""
        name = f"{time.monotonic_ns()}.iprof"
        self.run_tool("recover", self.folder / raw, "-o", self.folder / name, expect=None)
        return self.steps(name) if (self.folder / name).exists() else []

    def start(self, out):
        """Starts the program, and lets it go on from method to method when a snapshot has the one before."""
        process = self.start_java("Order", agent=f"out={out}.iprof,{self.OPTIONS}")
        for number in range(len(STEPS)):
            self.step(process)
            deadline = time.monotonic() + PATIENCE_S
            while self.recovered(f"{out}.iraw") != STEPS[:number + 1]:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
        return process

    def end(self, process):
        self.step(process)
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_methods_have_the_order_of_their_first_calls_also_in_a_merge(self):
        for out in ("a", "b"):
            self.end(self.start(out))
            self.profile(f"{out}.iprof")
            self.assertEqual(self.steps(f"{out}.iprof"), STEPS)
            ranks = [rank for rank, _ in self.order(f"{out}.iprof").values()]
            self.assertEqual(ranks, sorted(set(ranks)))
            self.assertEqual({runs for _, runs in self.order(f"{out}.iprof").values()}, {1})
        self.run_tool("merge", "-o", self.folder / "m.iprof", self.folder / "a.iprof", self.folder / "b.iprof")
        self.assertEqual(self.steps("m.iprof"), STEPS)
        one, other, both = (self.order(f"{name}.iprof") for name in "abm")
        for method in STEPS:
            self.assertEqual(both[method], (one[method][0] + other[method][0], 2), method)
        self.assertRegex(self.run_tool("top", "--first", self.folder / "m.iprof").stdout, r"mean rank +runs +method\n +[\d.]+ +2 +Order")

    def test_a_killed_run_has_its_order(self):
        process = self.start("k")
        process.kill()
        process.wait()
        self.assertEqual(self.recovered("k.iraw"), STEPS)

    def test_it_belongs_to_what_the_profile_says_of_its_run(self):
        process = self.start_java("Order", agent=f"out=n.iprof,provenance=n,{self.OPTIONS}")
        for _ in STEPS:
            self.step(process)
        self.end(process)
        self.run_tool("top", "--first", self.folder / "n.iprof", expect=5)


class FullHeap(AgentCase):
    """Methods are called for the first time while the program's heap is full."""
    HEAP = ("-Xmx32m", "-XX:+UseG1GC")
    RIGHT = "sum 23\n"

    def test_counting_needs_nothing_of_it(self):
        self.assertEqual(self.run_java("FullHeap", agent=None, jvm_args=self.HEAP).stdout, self.RIGHT)
        self.assertEqual(self.run_java("FullHeap", jvm_args=self.HEAP).stdout, self.RIGHT)
        self.assertEqual(self.profile().calls_of("FullHeap.two"), 1)

    @in_proof
    def test_dynamic_constants_need_some(self):
        """They would give the exact order of first calls. But resolving one takes memory of the heap: a program that is right without
        them breaks. That is why the order is that in which snapshots see the counters."""
        if self.jvm.tool("javac") is None:
            self.skipTest(f"{self.jvm.id} has no javac to build the agent with")
        constants = AsmAgent(self.jvm, self.folder / "constants", "EntryConstants")
        run = self.run_java("FullHeap", agent=None, jvm_args=[*self.HEAP, *constants.options("none")])
        self.assertEqual(run.stdout, "broken by java.lang.OutOfMemoryError: Java heap space\n")
