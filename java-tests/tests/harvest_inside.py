"""source=methoddata and source=both: the agent takes HotSpot's own counters of the JVM that it runs in. No class is changed, the
profile equals that of iprof harvest, and what is counted exactly beside it stays exact."""

import json
import pathlib
import sys
import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.harvestable import SHAPE, STEPS, TOLERANCE, shares
from harness.scope import on_one_jvm

# Runs a command without process_vm_readv.
POOR = [sys.executable, str(pathlib.Path(__file__).parent.parent / "harness" / "without_vm_readv.py")]
OWN = ("step", "every10th", "cases", "check", "areaOf", "twice")


def of_program(table):
    """The program's own records, without main: HotSpot counts little of what runs once."""
    return {context: counts for context, counts in table.items() if context[0].startswith("Harvestable.") and ".main(" not in context[0]}


class Inside(AgentCase):
    def start(self, agent, **options):
        return self.start_java("Harvestable", STEPS, agent=agent, **options)

    def end(self, process):
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        self.assertEqual(process.out_path.read_text(), "ready\ndone\n")

    def assert_shares(self, expected, counts, what):
        actual = shares(counts)
        self.assertEqual(set(expected), set(actual), what)
        for key, share in expected.items():
            self.assertAlmostEqual(share, actual[key], delta=TOLERANCE, msg=f"{what}: {actual}")

    def said(self, process):
        return self.agent_lines(process.err_path.read_text())


class MethodData(Inside):
    def test_shares_are_those_of_the_program_and_of_exact_counts(self):
        self.run_java("Harvestable", STEPS, "end", agent="samples=n,out=exact.iprof")
        run = self.run_java("Harvestable", STEPS, "end", agent="source=methoddata,verbose=1,out=own.iprof")
        self.assertIn("HotSpot's own counters:", run.stderr)
        exact, own = self.profile("exact.iprof"), self.profile("own.iprof")
        for table in ("conditionalProfiles", "virtualInvokeProfiles"):
            expected, actual = of_program(exact.table(table)), of_program(own.table(table))
            self.assertEqual(set(expected), set(actual), table)
            for context, counts in expected.items():
                self.assert_shares(shares(counts), actual[context], f"{table} {context}")
        self.assert_shares({"Harvestable$Square": 0.8, "Harvestable$Circle": 0.2},
                           own.table("virtualInvokeProfiles")[(SHAPE,)], "receivers")
        for method in OWN:
            self.assertAlmostEqual(own.calls_of(f"Harvestable.{method}"), STEPS, delta=0.1 * STEPS, msg=method)
        note = own.section["harvest"]
        self.assertEqual((note["source"], note["estimator"] != "none"), ("methoddata", True))
        self.assertNotIn("exact_classes", note)
        self.assertIn("sampling", own.section, "samples come as usual")

    def test_no_class_is_changed_and_class_data_sharing_stays_on(self):
        if self.run_java(["-version"], agent=None, jvm_args=["-Xshare:on"], expect=None).code:
            self.skipTest(f"{self.jvm.id} has no class-data archive")
        flags = ["-Xshare:on", f"-Xlog:class+load,redefine*=debug:file={self.folder}/jvm.log"]
        run = self.run_java("Harvestable", STEPS, "end", agent="source=methoddata,out=own.iprof", jvm_args=flags)
        (line,) = self.agent_lines(run.stderr)
        self.assertIn("wrote", line)
        log = (self.folder / "jvm.log").read_text()
        self.assertIn("java.util.HashMap source: shared objects file", log)
        changed = [line for line in log.splitlines() if "java.lang.Iprof" in line or "[redefine" in line]
        self.assertEqual(changed, [])
        self.assertGreater(self.profile("own.iprof").calls_of("Harvestable.step"), 0)

    def test_a_dump_equals_a_harvest_from_outside(self):
        process = self.start("source=methoddata,samples=n,image=n,out=end.iprof")
        self.run_tool("dump", str(process.pid), "-o", self.folder / "inside.iprof")
        self.run_tool("harvest", str(process.pid), "--no-image", "-o", self.folder / "outside.iprof")
        self.end(process)
        inside, outside = self.profile("inside.iprof"), self.profile("outside.iprof")
        for table in ("conditionalProfiles", "virtualInvokeProfiles"):
            self.assert_same(of_program(outside.table(table)), of_program(inside.table(table)), table)
        # The dump itself makes the JVM work a little.
        common = set(inside.calls()) & set(outside.calls())
        self.assertGreater(len(common), 0.9 * len(outside.calls()))
        for method in OWN:
            name = f"Harvestable.{method}"
            self.assertAlmostEqual(inside.calls_of(name), outside.calls_of(name), delta=0.02 * STEPS)
        self.assertGreaterEqual(self.profile("end.iprof").calls_of("Harvestable.step"), inside.calls_of("Harvestable.step"))

    def test_all_ways_say_what_was_left_out(self):
        """With one class at each site, the site of two shapes is left out."""
        process = self.start("source=methoddata,receivers-max-lost=2,samples=n,verbose=1,out=end.iprof", jvm_args=["-XX:TypeProfileWidth=1"])
        losses, notes, said = {}, {}, {}
        for way, command in (("outside", ("harvest", "--receivers-max-lost", "2%")),
                             ("attached", ("harvest", "--attach", "--receivers-max-lost", "2%")), ("dump", ("dump",))):
            name = f"{way}.iprof"
            said[way] = self.run_tool(command[0], process.pid, *command[1:], "-o", self.folder / name).stdout.replace(name, "FILE")
            profile = self.profile(name)
            (run,) = profile.section["provenance"]["runs"]
            losses[way], notes[way] = run["losses"], profile.section["harvest"]
            self.assertTrue(run["start"] and run["end"], run)
        for way in notes:
            self.assertGreater(losses[way]["sites"], 0, way)
            self.assertEqual(losses[way]["sites"], notes[way]["sites_left_out"], way)
            # The program waits. But what a command does is counted, too.
            self.assertAlmostEqual(losses[way]["sites"], losses["outside"]["sites"], delta=10, msg=way)
            for number in ("methods_with_data", "methods_without_data"):
                self.assertAlmostEqual(notes[way][number], notes["outside"][number], delta=0.2 * notes["outside"][number], msg=f"{way} {number}")
        for way in ("outside", "attached"):
            self.assertRegex(said[way], r"^wrote .*FILE: .* methods ran, of .*\nno samples: .*\n[0-9,]+ methods have counters, [0-9,]+ more ran without; 0 failed a "
                                        r"check\nof these, .*\nleft out: .*\nwithout a name in an image: .*\n.*: (not )?usable.*\n$")
        self.end(process)
        self.assertNotIn("/tmp/.iprof-", process.err_path.read_text())
        self.assertIn("wrote a profile for the tool: ", process.err_path.read_text())  # verbose=1

    def test_without_the_estimate_the_numbers_are_hotspots(self):
        process = self.start("source=methoddata,estimate=n,samples=n,image=n,out=end.iprof")
        self.run_tool("dump", str(process.pid), "-o", self.folder / "inside.iprof")
        self.run_tool("harvest", str(process.pid), "--no-image", "--no-estimate", "-o", self.folder / "outside.iprof")
        self.end(process)
        inside, outside = self.profile("inside.iprof"), self.profile("outside.iprof")
        self.assertEqual(inside.section["harvest"]["estimator"], "none")
        for table in ("callCountProfiles", "conditionalProfiles"):
            self.assert_same(of_program(outside.table(table)), of_program(inside.table(table)), table)
        for method in OWN:  # HotSpot does not count what it has compiled
            self.assertLess(inside.calls_of(f"Harvestable.{method}"), 1.01 * STEPS)

    def test_commands(self):
        process = self.start("source=methoddata,start=n,out=end.iprof")
        self.run_tool("start", str(process.pid))
        refused = self.run_tool("reset", str(process.pid), expect=None)
        self.assertNotEqual(refused.code, 0)
        self.assertIn("a reset needs source=counters", refused.stderr)
        self.assertIn("the samples so far are forgotten", self.run_tool("reset", str(process.pid), "--samples").stdout)
        self.run_tool("stop", str(process.pid), "-o", self.folder / "stop.iprof")
        self.assertAlmostEqual(self.profile("stop.iprof").calls_of("Harvestable.step"), STEPS, delta=0.1 * STEPS)
        self.run_tool("start", str(process.pid))
        self.end(process)
        self.assertAlmostEqual(self.profile("end.iprof").calls_of("Harvestable.step"), STEPS, delta=0.1 * STEPS)

    def test_attached_it_knows_what_ran_before(self):
        process = self.start(None)
        self.attach(process, f"source=methoddata,out={self.folder}/end.iprof")
        self.end(process)
        self.assertAlmostEqual(self.profile("end.iprof").calls_of("Harvestable.step"), STEPS, delta=0.1 * STEPS)

    def test_only_selected_classes_and_tables(self):
        self.run_java("Harvestable", STEPS, "end", agent="source=methoddata,include=Harvestable*,exclude=*$Circle,branches=n,samples=n,out=own.iprof")
        own = self.profile("own.iprof")
        self.assertEqual(own.branches(), {})
        self.assertTrue(own.calls())
        self.assertEqual([c for c in own.calls() if not c[0].startswith("Harvestable") or c[0].startswith("Harvestable$Circle")], [])

    def test_what_the_jvm_does_not_offer_is_said_once_and_samples_stay(self):
        for flag in ("-Xint", "-XX:TieredStopAtLevel=1"):
            with self.subTest(flag=flag):
                run = self.run_java("Harvestable", STEPS, "end", agent="source=methoddata,interval=1ms,force=always,out=own.iprof", jvm_args=[flag])
                warned = [line for line in self.agent_lines(run.stderr) if "HotSpot's counters are not" in line]
                self.assertEqual(len(warned), 1, run.stderr)
                self.assertIn("HotSpot's counters are not in the profile: this JVM has no MethodData to harvest", warned[0])
                (wrote,) = (line for line in self.agent_lines(run.stderr) if "wrote" in line)
                self.assertRegex(wrote, r"own\.iprof: [0-9,]+ samples?( \(.*\))?; without HotSpot's counters; not usable: .*$")
        own = self.profile("own.iprof")
        self.assertNotIn("harvest", own.section)
        self.assertEqual(own.calls(), {})
        self.assertIn("sampling", own.section)


class Attached(Inside):
    def harvest(self, process, *options, name="attached.iprof", expect=0, prefix=()):
        return self.run_command([*map(str, prefix), Settings.tool, "harvest", str(process.pid), "--attach", "-o", self.folder / name, *options], expect=expect)

    def test_it_equals_a_harvest_from_outside_and_leaves_nothing_running(self):
        process = self.start(None)
        threads = self.threads(process)
        for options in ((), ("--no-estimate", "--no-image")):
            for _ in range(2):  # the library is loaded by the first one
                self.harvest(process, *options)
            self.run_tool("harvest", str(process.pid), "-o", self.folder / "outside.iprof", *options)
            attached, outside = self.profile("attached.iprof"), self.profile("outside.iprof")
            for table in ("conditionalProfiles", "virtualInvokeProfiles", "instanceOfProfiles"):
                self.assert_same(of_program(outside.table(table)), of_program(attached.table(table)), table)
            for method in OWN:
                name = f"Harvestable.{method}"
                self.assertAlmostEqual(attached.calls_of(name), outside.calls_of(name), delta=0.02 * STEPS)
            self.assertEqual(attached.section["image"], outside.section["image"])
            self.assertEqual(attached.section["harvest"]["estimator"], outside.section["harvest"]["estimator"])
        # The library stays, and the program's stderr is not for what a tool asks it.
        self.assertTrue(self.is_listed_with_the_library(process))
        asked = self.run_tool("status", process.pid, expect=None)
        self.assertNotEqual(asked.code, 0)
        self.assertIn("the agent's library is loaded, and the agent was not started", asked.stderr)
        self.assertEqual(self.said(process), [])
        # HotSpot's own threads of attaching stay. That of a command ends soon after its answer.
        deadline = time.monotonic() + PATIENCE_S
        while (left := {t for t in self.threads(process) - threads if "iprof" in t.lower()}) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(left, set())
        # A later load of the agent is the first one.
        self.run_tool("attach", str(process.pid), f"source=methoddata,samples=n,out={self.folder}/end.iprof")
        self.harvest(process)
        self.end(process)
        self.assertGreater(self.profile("end.iprof").calls_of("Harvestable.step"), 0)
        self.assertEqual(len(self.said(process)), 1, "only of the profile at the end")

    def test_a_recording_after_it_is_the_first_one(self):
        """The library is there, and no agent: so 'iprof profile' starts one, also with options, which nothing stands against."""
        window = ("--duration", "50ms", "-o", self.folder / "window.iprof")
        for options in ((), ("samples=n,image=n",)):
            with self.subTest(options=options):
                process = self.start(None)
                self.harvest(process)
                asked = self.run_tool("status", process.pid, "--format", "json", expect=None)
                self.assertEqual(json.loads(asked.stdout)["command"], "status")
                self.run_tool("profile", process.pid, *options, *window)
                (run,) = self.profile("window.iprof").section["provenance"]["runs"]
                self.assertEqual(run.get("options", ""), "".join(options))
                # Now there is an agent.
                self.run_tool("profile", process.pid, *window)
                refused = self.run_tool("profile", process.pid, "jdk=n", *window, expect=2)
                self.assertIn("keeps the options of its first load", refused.stderr)
                self.end(process)

    def is_listed_with_the_library(self, process):
        jvms = json.loads(self.run_tool("list", "--format", "json").stdout)["jvms"]
        return next(jvm["agent"] for jvm in jvms if jvm["pid"] == process.pid)

    @staticmethod
    def threads(process):
        names = set()
        for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
            names.add((task / "comm").read_text().strip())
        return names

    def test_an_agent_that_counts_refuses(self):
        process = self.start("samples=n,jdk=n,out=end.iprof")
        refused = self.harvest(process, expect=3)
        self.assertIn("take the agent's profile instead", refused.stderr)
        self.assertFalse((self.folder / "attached.iprof").exists())
        self.end(process)

    @on_one_jvm
    def test_a_tool_without_the_system_call(self):
        """/proc/PID/mem needs the same rights and no process_vm_readv."""
        process = self.start(None)
        self.run_command([*POOR, Settings.tool, "harvest", str(process.pid), "-o", self.folder / "outside.iprof"])
        self.harvest(process, prefix=POOR)
        for name in ("outside.iprof", "attached.iprof"):
            self.assertAlmostEqual(self.profile(name).calls_of("Harvestable.step"), STEPS, delta=0.1 * STEPS, msg=name)
        self.end(process)

    @on_one_jvm
    def test_a_jvm_without_the_system_call(self):
        """As in a container whose seccomp filter holds for the program, too."""
        process = self.start_java("Harvestable", STEPS, agent="source=methoddata,force=always,out=end.iprof", prefix=POOR)
        self.harvest(process, prefix=POOR)
        self.end(process)
        self.assertEqual([line for line in self.said(process) if "HotSpot's counters are not" in line], [])
        for name in ("attached.iprof", "end.iprof"):
            self.assertAlmostEqual(self.profile(name).calls_of("Harvestable.step"), STEPS, delta=0.1 * STEPS, msg=name)

    @on_one_jvm
    def test_combinations(self):
        process = self.start(None)
        self.assertIn("--attach harvests once", self.harvest(process, "--watch", "1s", expect=2).stderr)
        self.end(process)
        closed = self.start(None, jvm_args=["-XX:+DisableAttachMechanism"])
        self.assertRegex(self.harvest(closed, expect=3).stderr,
                         r"runs with -XX:\+DisableAttachMechanism, which forbids attaching: .*; or harvest without --attach")
        self.end(closed)
        interpreted = self.start(None, jvm_args=["-Xint"])
        self.assertIn("this JVM has no MethodData to harvest", self.harvest(interpreted, expect=3).stderr)
        self.end(interpreted)


class Both(Inside):
    def test_the_named_classes_are_exact_and_the_rest_is_hotspots(self):
        self.run_java("Harvestable", STEPS, "end", agent="samples=n,jdk=n,out=exact.iprof")
        for jdk in ("jdk=n", "jdk=y"):
            with self.subTest(jdk=jdk):
                self.run_java("Harvestable", STEPS, "end", agent=f"source=both,include=Harvestable*,{jdk},samples=n,image=n,out=both.iprof")
                exact, both = self.profile("exact.iprof"), self.profile("both.iprof")
                for table in ("conditionalProfiles", "virtualInvokeProfiles", "callCountProfiles"):
                    own = [{c: n for c, n in p.table(table).items() if c[0].startswith("Harvestable")} for p in (exact, both)]
                    self.assert_same(*own, table)
                for method in OWN:
                    self.assertEqual(both.calls_of(f"Harvestable.{method}"), STEPS)
                # Every step makes one Integer, and calls its Shape once. The first is HotSpot's estimate, on the scale of the exact counts.
                boxed = both.calls_of("java.lang.Integer.valueOf(int)")
                self.assertGreater(boxed, 0.4 * STEPS)
                self.assertLess(boxed, 1.5 * STEPS)
                note = both.section["harvest"]
                self.assertEqual((note["source"], note["exact_classes"]), ("both", "Harvestable*"))
                self.assertGreaterEqual(note["exact_methods"], len(OWN))
                shown = self.run_tool("show", self.folder / "both.iprof").stdout
                self.assertIn("exact counts of", " ".join(shown.split()))  # lines are wrapped
                self.assertEqual([c for c in both.calls() if "java.lang.Iprof" in c[0]], [])

    def test_calls_out_of_exact_methods_follow_their_receivers_and_branches(self):
        for jdk in ("jdk=n", "jdk=y"):
            with self.subTest(jdk=jdk):
                self.run_java("Harvestable", STEPS, "end", agent=f"source=both,include=Harvestable,{jdk},samples=n,image=n,out=both.iprof")
                both = self.profile("both.iprof")
                self.assertEqual(both.calls_of("Harvestable.areaOf"), STEPS)
                # None of these is counted, and HotSpot stops counting them at 200 calls or so.
                for method, share in (("Square.area", 0.8), ("Circle.area", 0.2), ("Square.<init>", 0.8), ("Circle.<init>", 0.2)):
                    self.assertAlmostEqual(both.calls_of(f"Harvestable${method}"), share * STEPS, delta=0.01 * STEPS, msg=method)

    @on_one_jvm
    def test_it_cannot_be_attached(self):
        process = self.start(None)
        self.attach(process, "source=both,include=Harvestable*", expect_ok=False)
        self.assertIn("source=both must count from the JVM's start", process.err_path.read_text())
        self.end(process)

    @on_one_jvm
    def test_bad_combinations_stop_the_jvm_with_one_sentence(self):
        for agent, sentence in (("source=both", "source=both needs include="),
                                ("source=both,include=a.*,start=n", "contradicts start=n"),
                                ("source=methoddata,placement=direct", "placement= is about the agent's own counters"),
                                ("source=methoddata,monitors=y", "HotSpot does not count locks")):
            run = self.run_java("Harvestable", 1, "end", agent=agent, expect=1)
            (line,) = self.agent_lines(run.stderr)
            self.assertIn(sentence, line)
            self.assertEqual(run.stdout, "")
