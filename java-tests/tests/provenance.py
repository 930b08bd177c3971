"""A profile says how it was made, and the hash of a method's code is the same wherever the code comes from: class file, loading,
retransformation, harvest. A merge of profiles of different JDKs keeps the positions of one version of each method."""

import datetime
import json
import re
import zipfile

from iprofdev import jvms
from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.harvestable import STEPS
from harness.scope import on_one_jvm
from oracle import code_hashes, jdk_classes

LAMBDA = re.compile(r"\$\$Lambda|\$Proxy")


class Provenance(AgentCase):
    agent_defaults = {"image": "n"}

    def run_of(self, name="default.iprof"):
        (run,) = self.profile(name).section["provenance"]["runs"]
        return run

    def test_a_profile_says_how_it_was_made(self):
        before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=1)
        self.run_java("Harvestable", STEPS, "secret", agent="out=a.iprof,receivers=n,interval=1ms")
        run = self.run_of("a.iprof")
        self.assertEqual(run["program"], "Harvestable")
        self.assertRegex(run["run"], r"^[0-9a-f]{32}$")
        self.assertEqual(run["options"], "out=a.iprof,receivers=n,interval=1ms,image=n")
        self.assertEqual((run["begin"], run["source"]), ("start", "counters"))
        self.assertEqual(run["tables"], "calls+branches+monitors+samples")
        self.assertTrue(run["jvm_build"].startswith(run["jvm_version"]) and run["jvm_version"].startswith(f"{self.jvm.major}"), run)
        self.assertTrue(run["jvm_vendor"] and run["architecture"] and run["agent"], run)
        start, end = (datetime.datetime.fromisoformat(run[name].replace("Z", "+00:00")) for name in ("start", "end"))
        self.assertLess(before, start)
        self.assertLess(start, end)
        self.assertLessEqual(run["recorded_ms"], (end - start).total_seconds() * 1000 + 1)
        self.assertGreater(run["methods"]["exact"], 1000)
        text = json.dumps(self.profile("a.iprof").section["provenance"])
        self.assertNotIn("secret", text, "arguments may be private")
        self.assertNotIn(str(self.folder), text)
        shown = " ".join(self.run_tool("show", "a.iprof").stdout.split())
        self.assertIn(f"run: Harvestable on JDK {run['jvm_version']}", shown)
        self.assertIn("counts: exact but for races between threads", shown)
        self.assertIn("sampling: cpu, every 1 ms", shown)

    @on_one_jvm
    def test_whatever_is_behind_jar_is_named_without_its_folder(self):
        (self.folder / "secret folder").mkdir()
        for name in ("app.war", "tool"):
            path = self.folder / "secret folder" / name
            with zipfile.ZipFile(path, "w") as jar:
                jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: Fib\n\n")
                jar.write(Settings.classes / "Fib.class", "Fib.class")
            for given in (path, path.relative_to(self.folder)):
                self.run_java(["-jar", given], "a/b", agent="out=a.iprof")
                self.assertEqual(self.run_of("a.iprof")["program"], name)
                self.assertNotIn("secret", json.dumps(self.profile("a.iprof").section["provenance"]))

    def test_it_can_be_left_out(self):
        self.run_java("Fib", agent="provenance=n")
        section = self.profile().section
        self.assertNotIn("provenance", section)
        # How sure the numbers are is said where it is more than usual, without hashes.
        self.assertEqual(section.get("code", {}).get("hashes", "").strip("-"), "")

    @on_one_jvm
    def test_it_takes_little_of_the_profile(self):
        self.run_java("Harvestable", STEPS, "end", agent="image=y")
        section = self.profile().section
        size = sum(len(json.dumps(section[part], separators=(",", ":"))) for part in ("provenance", "code"))
        self.assertLess(size, 0.03 * (self.folder / "default.iprof").stat().st_size)

    @on_one_jvm
    def test_a_window_has_its_own_times(self):
        process = self.start_java("Harvestable", STEPS, agent="start=n")
        self.run_tool("start", process.pid)
        self.run_tool("stop", process.pid, "-o", self.folder / "window.iprof")
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(self.run_of("window.iprof")["begin"], "later")


class Hashes(AgentCase):
    agent_defaults = {"image": "n", "samples": "n"}

    def hashes(self, name):
        return {method: text for method, text in code_hashes.of_profile(self.profile(name)).items() if not LAMBDA.search(method)}

    def assert_equal(self, expected, actual, least, what):
        both = expected.keys() & actual.keys()
        self.assertGreaterEqual(len(both), least, what)
        self.assert_same({method: expected[method] for method in both}, {method: actual[method] for method in both}, what)

    def from_loading(self):
        self.run_java("Harvestable", STEPS, "end", agent="out=load.iprof")
        return self.hashes("load.iprof")

    def test_loading_retransformation_and_harvests_agree(self):
        loaded = self.from_loading()
        self.assertIn("Harvestable.cases(int)int", loaded)
        process = self.start_java("Harvestable", STEPS, "again", agent="start=n,out=later.iprof")
        self.run_tool("harvest", process.pid, "-o", self.folder / "outside.iprof", "--no-image")
        self.run_tool("harvest", process.pid, "-o", self.folder / "attached.iprof", "--no-image", "--attach")
        self.run_tool("start", process.pid)
        process.communicate(b"\n\n", timeout=PATIENCE_S)
        self.run_java("Harvestable", STEPS, "end", agent="source=methoddata,out=inside.iprof")
        for name, least in (("later", 10), ("outside", 15), ("attached", 15), ("inside", 15)):
            hashes = self.hashes(f"{name}.iprof")
            self.assertIn("Harvestable.cases(int)int", hashes, name)
            self.assert_equal(loaded, hashes, least, name)

    def test_every_harvested_position_has_a_hash(self):
        self.run_java("Harvestable", STEPS, "end", agent="source=methoddata,out=inside.iprof")
        profile, known = self.profile("inside.iprof"), code_hashes.of_profile(self.profile("inside.iprof"))
        positions = {context[0].rpartition(":")[0] for table in ("conditionalProfiles", "virtualInvokeProfiles")
                     for context in profile.table(table)}
        self.assertGreater(len(positions), 8)
        self.assertEqual(positions - known.keys(), set())

    def test_they_are_those_of_the_program_s_class_files(self):
        expected = {}
        for path in Settings.classes.glob("Harvestable*.class"):
            expected |= code_hashes.of_class_file(path.read_bytes())
        self.assert_equal(expected, self.from_loading(), 12, "class files")

    def test_they_are_those_of_the_jdk_s_class_files(self):
        root = jdk_classes.module(self.jvm, "java.base")
        loaded = self.from_loading()
        expected = {}
        for owner in {method.partition("(")[0].rpartition(".")[0] for method in loaded}:
            path = root / (owner.replace(".", "/") + ".class")
            if path.exists():
                expected |= code_hashes.of_class_file(path.read_bytes())
        self.assert_equal(expected, loaded, 500, "the JDK's class files")


@on_one_jvm
class Merging(AgentCase):
    """JDK 17 and 25 have different code in some methods of the same name."""

    agent_defaults = {"image": "n", "samples": "n"}

    def setUp(self):
        super().setUp()
        self.jvms = [jvms.of_major(17), jvms.of_major(25)]
        if None in self.jvms:
            self.skipTest("needs a JVM 17 and a JVM 25")
        for self.jvm in self.jvms:
            self.run_java("Harvestable", STEPS, "end", agent=f"out={self.jvm.major}.iprof")

    def without_hashes(self, name):
        document = self.profile(f"{name}.iprof").document
        del document["iprofagent"]
        (self.folder / f"bare{name}.iprof").write_text(json.dumps(document), encoding="utf-8")

    def test_no_branch_mixes_two_versions(self):
        merged = self.run_tool("merge", "-o", "all.iprof", "17.iprof", "25.iprof")
        hashes = [code_hashes.of_profile(self.profile(name)) for name in ("17.iprof", "25.iprof")]
        differing = {method for method in hashes[0].keys() & hashes[1].keys() if hashes[0][method] != hashes[1][method]}
        self.assertGreater(len(differing), 20)
        self.assertIn(f"the code of {len(differing):,} methods differs", merged.stderr)
        inputs, both = [self.profile(name) for name in ("17.iprof", "25.iprof")], self.profile("all.iprof")
        kept = code_hashes.of_profile(both)
        tables = [profile.table("conditionalProfiles") for profile in inputs]
        for context, outcomes in both.table("conditionalProfiles").items():
            method = context[0].rpartition(":")[0]
            if method not in differing:
                continue
            version = [side[method] for side in hashes].index(kept[method])
            self.assertEqual(outcomes, tables[version][context], context)
        for method in differing:
            self.assertEqual(both.calls_of(method), sum(profile.calls_of(method) for profile in inputs), method)
        self.assertEqual(len(both.section["provenance"]["runs"]), 2)
        checked = self.run_tool("check", "all.iprof").stdout
        self.assertIn("0 errors", checked)
        self.assertIn("runs:           2", self.run_tool("show", "all.iprof").stdout)
        self.assertIn(f"the code of {len(differing):,} of ", " ".join(self.run_tool("diff", "17.iprof", "25.iprof").stdout.split()))

    def test_the_order_makes_no_difference_and_strict_refuses(self):
        self.run_tool("merge", "-o", "a.iprof", "17.iprof", "25.iprof")
        self.run_tool("merge", "-o", "b.iprof", "-j", "1", "25.iprof", "17.iprof")
        self.assertEqual((self.folder / "a.iprof").read_bytes(), (self.folder / "b.iprof").read_bytes())
        refused = self.run_tool("merge", "--strict", "-o", "c.iprof", "17.iprof", "25.iprof", expect=1)
        self.assertRegex(refused.stderr, r"nothing was written: the code of [\d,]+ methods differs: \S+\(")
        self.assertFalse((self.folder / "c.iprof").exists())
        self.run_tool("merge", "--strict", "-o", "c.iprof", "17.iprof", "17.iprof")

    def test_the_newest_can_be_preferred(self):
        said = self.run_tool("merge", "--prefer", "newest", "-o", "new.iprof", "-w", "1000,17.iprof", "25.iprof").stderr
        self.assertIn("the result is meant for JDK 25, as the newest input is", said)
        self.assertEqual(self.profile("new.iprof").section["image"]["target"], 25)
        newest, merged = (code_hashes.of_profile(self.profile(name)) for name in ("25.iprof", "new.iprof"))
        self.assert_same(newest, {method: merged[method] for method in newest})

    def test_jvms_that_merge_keep_the_newest_and_say_so(self):
        for self.jvm in self.jvms:
            run = self.run_java("Harvestable", STEPS, "end", agent="out=shared.iprof,merge=y")
        said = "\n".join(self.agent_lines(run.stderr))
        self.assertRegex(said, r"shared\.iprof: the code of [\d,]+ methods differs between the inputs; .* the positions of the newest version were kept: ")
        self.assertIn("the inputs are meant for image builds for JDK 17 and JDK 25: the result is meant for JDK 25, as the newest input is.", said)
        oldest, newest, merged = (code_hashes.of_profile(self.profile(name)) for name in ("17.iprof", "25.iprof", "shared.iprof"))
        differing = {method for method in oldest.keys() & newest.keys() & merged.keys() if oldest[method] != newest[method]}
        self.assertGreater(len(differing), 20)
        # Two runs of one JVM may differ in a few methods that they reach.
        self.assertLess(len([method for method in differing if merged[method] != newest[method]]), 5)

    def test_check_finds_what_a_merge_without_hashes_mixes(self):
        self.without_hashes(17)
        self.without_hashes(25)
        self.run_tool("merge", "-o", "mixed.iprof", "bare17.iprof", "bare25.iprof")
        self.assertIn("[branch-folded]", self.run_tool("check", "--strict", "mixed.iprof", expect=1).stdout)
