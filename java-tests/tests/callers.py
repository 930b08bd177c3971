"""Calls by caller (contexts=calls) of a program that knows who calls whom how often: to the last count."""

import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase

TIMES = 20_000


class Callers(AgentCase):
    def edges(self, profile, method):
        """{caller: calls} of a method; the caller is "" where it is not known. A lambda's caller is its body's method."""
        found = {}
        for context, calls in profile.calls().items():
            if context[0].startswith(f"{method}("):
                caller = context[1].split("(")[0] if len(context) > 1 else ""
                found[caller] = found.get(caller, 0) + calls
        return found

    def has_calls_of_often(self):
        """Whether the raw file, as it is now, has calls by this caller."""
        name = f"{time.monotonic_ns()}.iprof"
        self.run_tool("recover", self.folder / "k.iraw", "-o", self.folder / name, expect=None)
        return (self.folder / name).exists() and self.edges(self.profile(name), "Callers.common").get("Callers.often", 0) > 0

    def record(self, options):
        run = self.run_java("Callers", str(TIMES), agent=f"out=c.iprof,contexts=calls,samples=n,verbose=1,{options}")
        return self.profile("c.iprof"), "\n".join(self.agent_lines(run.stderr))

    def assert_edges(self, options=""):
        profile, said = self.record(options)
        self.assertEqual(self.edges(profile, "Callers.common"), {
            "Callers.often": TIMES, "Callers.seldom": TIMES // 10, "Callers.recursive": 2000, "Callers.lambda$lambdas$0": TIMES})
        self.assertEqual(self.edges(profile, "Callers.recursive"), {"": 1, "Callers.recursive": 1999})  # main's edge is too light
        self.assertEqual(self.edges(profile, "Callers$Square.area"), {"Callers.areas": TIMES * 3 // 4})
        self.assertEqual(self.edges(profile, "Callers$Strip.area"), {"Callers.areas": TIMES // 4})
        self.assertRegex(said, r"calls by caller: [\d,]+ entries; the callers of [\d.]+ % of all calls are known")

    def test_calls_are_divided_by_caller(self):
        self.assert_edges("include=Callers*")

    def test_of_a_whole_program_the_sums_are_the_counts_without_callers(self):
        profile, _ = self.record("")
        self.run_java("Callers", str(TIMES), agent="out=n.iprof,samples=n")
        pooled = self.profile("n.iprof")
        for method in ("Callers.common", "Callers.recursive", "Callers$Square.area", "Callers$Strip.area"):
            self.assertEqual(sum(self.edges(profile, method).values()), pooled.calls_of(method), method)
        known = sum(calls for context, calls in profile.calls().items() if len(context) > 1)
        self.assertGreater(known, 0.9 * sum(profile.calls().values()))

    def test_a_killed_run_has_its_callers_too(self):
        process = self.start_java("Callers", str(1_000_000_000), agent="out=k.iprof,contexts=calls,samples=n,include=Callers*,snapshot=100ms", ready=None)
        deadline = time.monotonic() + PATIENCE_S
        while not self.has_calls_of_often():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        process.kill()
        process.wait()
        self.assertTrue(self.has_calls_of_often())
