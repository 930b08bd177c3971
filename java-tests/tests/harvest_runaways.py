"""Programs whose few counts mislead an estimate: it must not claim calls that cannot have been made."""

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase

LEAVES = 20_000_000


class Runaways(AgentCase):
    def harvested(self, mode, interpreted):
        """The raw and the estimated profile; `interpreted` is a method that is not compiled."""
        command = ["-XX:CompileCommand=quiet", f"-XX:CompileCommand=exclude,Runaways::{interpreted}"]
        process = self.start_java("Runaways", mode, agent=None, jvm_args=command)
        for name, options in (("raw", ["--no-estimate"]), ("estimated", [])):
            self.run_tool("harvest", str(process.pid), "-o", self.folder / f"{name}.iprof", *options)
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0)
        self.marks = {name.split("(")[0].removeprefix("Runaways."): mark for name, mark in self.profile("estimated.iprof").sureness().items()}
        return self.profile("raw.iprof"), self.profile("estimated.iprof")

    def assert_true(self, mode, estimated, *methods):
        """Calls are those of the agent's exact counts."""
        self.run_java("Runaways", mode, "end", agent="samples=n,out=exact.iprof")
        exact = self.profile("exact.iprof")
        for method in methods:
            name = f"Runaways.{method}"
            self.assertGreater(exact.calls_of(name), 0)
            self.assertAlmostEqual(estimated.calls_of(name), exact.calls_of(name), delta=0.05 * exact.calls_of(name) + 1, msg=method)

    def test_two_untypical_executions_of_hundreds(self):
        raw, estimated = self.harvested("pages", "page")
        (counts,) = [counts for context, counts in raw.branches().items() if context[0].startswith("Runaways.page(")]
        self.assertEqual(max(counts.values()), 2, "HotSpot counted only the executions that sort")
        self.assert_true("pages", estimated, "page", "sort", "table")
        self.assertEqual(self.marks["sort"], "e", "nothing can have escaped its counters")
        self.assertEqual(self.marks["page"], "B+", "its branches were counted in two executions, and its calls all the time")

    def test_a_loop_that_seldom_finds_its_buffer_full(self):
        raw, estimated = self.harvested("full", "full")
        self.assertEqual(raw.calls_of("Runaways.sort"), 5)
        self.assert_true("full", estimated, "full", "sort")

    def test_recursion_of_which_a_few_calls_were_counted(self):
        _, estimated = self.harvested("walk", "walk")
        self.assert_true("walk", estimated, "walks", "walk", "visit")

    def test_an_interpreted_caller_of_compiled_code_has_no_limit_but_its_own_counts(self):
        raw, estimated = self.harvested("leaf", "leaves")
        self.assertLess(raw.calls_of("Runaways.leaf"), 0.1 * LEAVES, "leaf was compiled, and its own counter stopped")
        self.assertAlmostEqual(estimated.calls_of("Runaways.leaf"), LEAVES, delta=0.02 * LEAVES)
        self.assertEqual(self.marks["leaf"], "b", "its calls were counted in its caller")
        self.assertEqual(raw.sureness()["Runaways.leaf(int)int"], "b", "what was counted is the least")
