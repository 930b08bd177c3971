"""Calls by caller (contexts=calls) of a program that knows who calls whom how often: to the last count."""

import json
import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings

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

    def assert_edges(self, profile):
        self.assertEqual(self.edges(profile, "Callers.common"), {
            "Callers.often": TIMES, "Callers.seldom": TIMES // 10, "Callers.recursive": 2000, "Callers.lambda$lambdas$0": TIMES})
        recursive = self.edges(profile, "Callers.recursive")
        self.assertEqual(recursive.pop("Callers.recursive"), 1999)
        self.assertIn(recursive, ({"": 1}, {"Callers.main": 1}))  # main's edge is light: others decide whether it is written
        self.assertEqual(self.edges(profile, "Callers$Square.area"), {"Callers.areas": TIMES * 3 // 4})
        self.assertEqual(self.edges(profile, "Callers$Strip.area"), {"Callers.areas": TIMES // 4})

    def test_calls_are_divided_by_caller(self):
        profile, said = self.record("include=Callers*")
        self.assert_edges(profile)
        self.assertRegex(said, r"calls by caller: [\d,]+ entries; the callers of [\d.]+ % of all calls are known")

    def add_edges(self, made, *classes):
        """Converts n.iprof, and returns what was made and what the tool says."""
        said = self.run_tool("convert", "--to", "iprof", "--edges", "--classpath", Settings.classes, *classes, self.folder / "n.iprof",
                             "-o", self.folder / made).stdout
        return self.profile(made), said

    def test_edges_of_a_profile_that_exists_are_those_of_the_agent(self):
        self.run_java("Callers", str(TIMES), agent="out=n.iprof,samples=n,include=Callers*")
        made, said = self.add_edges("e.iprof")
        self.assert_edges(made)
        self.assertRegex(said, r"the callers of (9\d|100)\.\d % of all calls are known; methods with (9\d|100)\.\d % of the calls agree")
        by_agent, _ = self.record("include=Callers*")
        self.assert_same(by_agent.calls(), made.calls())
        # And the other way: all is as it was.
        self.run_tool("convert", "--to", "iprof", "--contexts", "none", self.folder / "e.iprof", "-o", self.folder / "pooled.iprof")
        self.assert_same(self.profile("n.iprof").calls(), self.profile("pooled.iprof").calls())

    def test_of_a_whole_program_with_the_jdk_most_calls_have_a_caller(self):
        self.run_java("Callers", str(TIMES), agent="out=n.iprof,samples=n")
        made, _ = self.add_edges("e.iprof", "--jdk", self.jvm.home)
        self.assert_edges(made)
        known = sum(calls for context, calls in made.calls().items() if len(context) > 1)
        self.assertGreater(known, 0.9 * sum(made.calls().values()))

    def test_check_names_methods_with_fewer_calls_than_their_sites_made(self):
        self.run_java("Callers", str(TIMES), agent="out=n.iprof,samples=n,include=Callers*")
        checked = self.run_tool("check", "--classpath", Settings.classes, self.folder / "n.iprof").stdout
        self.assertIn("calls by caller: ", checked)
        self.assertNotIn("show more calls than were counted", checked)
        profile = json.loads((self.folder / "n.iprof").read_text())
        common = next(method["id"] for method in profile["methods"] if method["name"] == "common")
        count = next(entry for entry in profile["callCountProfiles"] if entry["ctx"] == f"{common}:0")
        all_calls = count["records"][0]
        count["records"][0] -= 2000
        (self.folder / "wrong.iprof").write_text(json.dumps(profile))
        checked = self.run_tool("check", "--classpath", Settings.classes, self.folder / "wrong.iprof").stdout
        self.assertIn("call sites of 1 method show more calls than were counted", checked)
        self.assertIn(f"Callers.common(int)void: {all_calls - 2000:,} calls counted, {all_calls:,} at 4 call sites", checked)

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
