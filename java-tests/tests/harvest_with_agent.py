"""iprof harvest of JVMs with an agent: one that counts, one that was stopped, and one that recorded for a while."""

import time

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.harvestable import STEPS, HarvestCase, shares
from harness.scope import on_one_jvm


class AfterARecording(HarvestCase):
    def test_hotspot_counts_from_zero_and_the_tool_says_so(self):
        """HotSpot throws the counters of changed classes away. The JVM is young, but that is not why it has none."""
        process = self.start("Harvestable", STEPS, "again")
        _, before = self.harvest(process)
        self.assertEqual(before["classes_redefined"], 0)
        self.run_tool("profile", str(process.pid), "samples=n,force=always", "--duration", "100ms", "-o", self.folder / "p.iprof")
        run = self.run_command([Settings.tool, "harvest", str(process.pid), "-o", self.folder / "h.iprof"], expect=None)
        if run.code == 0:  # threads of the JVM have worked since
            self.assertRegex(run.stdout, r"\n[\d,]+ classes were changed while the program ran, so HotSpot has counted their methods from zero")
        else:
            self.assertRegex(run.stderr, rf"process {process.pid} has no MethodData to harvest: [\d,]+ classes were changed while it ran "
                                         r"\(by 'iprof profile', .* let it work for a minute under its usual load, then harvest\n$")
        self.assertNotRegex(run.stderr + run.stdout, "has run for|just started|has ended")
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.wait_until(lambda: "again" in process.out_path.read_text())
        after, said = self.harvest(process, "--no-estimate")
        self.assertGreater(said["classes_redefined"], 100)
        self.assertLessEqual(after.calls_of("Harvestable.every10th"), STEPS)
        self.assertGreater(after.calls_of("Harvestable.every10th"), 0)
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0)


class WithAgent(HarvestCase):
    """Of a JVM whose agent counts. Code with probes has other positions, and other branches, than the class file."""

    def test_positions_are_those_of_the_class_files_while_the_agent_counts_and_after_it_stopped(self):
        for jdk in ("jdk=n", "jdk=y"):
            with self.subTest(jdk=jdk):
                process = self.start_java("Harvestable", STEPS, "again", agent=f"samples=n,image=n,{jdk},out=end.iprof")
                counting, said = self.harvest(process, "--no-image", "--no-estimate", name="counting.iprof")
                self.assertGreater(said["methods_with_probes"], 5)
                self.assertEqual(said["failed"], 0)
                self.assert_nothing_of_the_agent(counting)
                self.assertEqual(self.of_program(counting.branches()), {})
                self.assertEqual(self.of_program(counting.receivers()), {})
                self.assertGreater(counting.calls_of("Harvestable.step"), 0)

                self.run_tool("stop", str(process.pid), "-o", self.folder / "exact.iprof")
                process.stdin.write(b"\n")
                process.stdin.flush()
                self.wait_for(process, "again")
                stopped, said = self.harvest(process, "--no-image", name="stopped.iprof")
                self.assert_nothing_of_the_agent(stopped)
                exact = self.profile("exact.iprof")
                for table in ("conditionalProfiles", "virtualInvokeProfiles"):
                    expected, actual = (self.of_program(p.table(table)) for p in (exact, stopped))
                    # A new version of a class links its lambdas again. So there are two of them, with one name.
                    self.assertTrue(expected, table)
                    self.assertEqual(set(expected), set(actual), table)
                    for context, counts in expected.items():
                        self.assert_shares(shares(counts), actual[context], f"{table} {context}")
                # The name of the lambda is that of its own code, without the probes.
                exact_names, names = ({name for name in p.types if name.startswith("Harvestable$$Lambda")} for p in (exact, counting))
                self.assertEqual(len(names), 1)
                self.assertEqual(names, exact_names)
                if jdk == "jdk=y":
                    self.assert_known_positions(counting, exact)
                    self.assert_known_positions(stopped, exact)
                process.communicate(b"\n", timeout=PATIENCE_S)
                self.assertEqual(process.returncode, 0, process.err_path.read_text())

    def of_program(self, table):
        return {context: counts for context, counts in table.items()
                if context[0].startswith("Harvestable") and ".main(" not in context[0]}

    def assert_nothing_of_the_agent(self, harvested):
        self.assertEqual([name for name in (*harvested.types, *harvested.methods) if "Iprof" in name or "iprof$" in name], [])

    def assert_known_positions(self, harvested, exact):
        """The agent has counted in the whole JDK, so it knows all branches of the methods that both have."""
        known = {}
        for (context,), successors in exact.branches().items():
            known.setdefault(context.rpartition(":")[0], {})[context] = set(successors)
        odd = [(context, set(successors)) for (context,), successors in harvested.branches().items()
               if context.rpartition(":")[0] in known and known[context.rpartition(":")[0]].get(context, set(successors)) != set(successors)]
        self.assertEqual(odd[:5], [])

    def wait_for(self, process, line):
        deadline = time.monotonic() + PATIENCE_S
        while line not in process.out_path.read_text().splitlines():
            self.assertLess(time.monotonic(), deadline, process.err_path.read_text())
            time.sleep(0.02)

    @on_one_jvm
    def test_the_tool_says_that_the_agents_profile_has_more(self):
        process = self.start_java("Harvestable", STEPS, agent="samples=n,jdk=n,out=end.iprof")
        run = self.run_tool("harvest", str(process.pid), "-o", self.folder / "h.iprof")
        self.assertIn("its own profile (iprof dump) has everything", run.stderr)
        self.run_tool("stop", str(process.pid))
        run = self.run_tool("harvest", str(process.pid), "-o", self.folder / "h.iprof")
        self.assertIn("1 method has only calls, because the agent counted in it until it was stopped", run.stderr)
        self.assertRegex(run.stdout, r"\nleft out: .* with too many classes, or with classes without a name\n")
        process.communicate(b"\n", timeout=PATIENCE_S)
