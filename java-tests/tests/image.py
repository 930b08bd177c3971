"""image=: what the agent writes for an image build, and what `iprof convert --image` later makes of a full profile."""

import json
import re

from harness.case import C1_ONLY, AgentCase
from harness.profile import load_profile
from harness.scope import on_one_jvm
from iprofdev import whole_stacks

PLACES = ("conditionalProfiles", "virtualInvokeProfiles", "instanceOfProfiles")
MACHINERY = re.compile(r"java\.lang\.invoke\.(?!VarHandle)|sun\.invoke\.|java\.lang\.module\.|jdk\.internal\.(module|loader|"
                       r"classfile|org\.objectweb\.asm|jimage)\.|sun\.launcher\.")
# Methods that images of every release replace.
REPLACED = ("java.lang.Class.getName()", "java.lang.Class.isInstance(", "java.lang.Class.isArray()",
            "java.lang.Thread.currentThread()", "java.lang.Object.hashCode()")


class Image(AgentCase):
    jvm_defaults = C1_ONLY

    def written(self, out, *arguments, **options):
        agent = ",".join(f"{name}={value}" for name, value in
                         {"out": out, "format": "1.1.0", "instanceofs": "y", "interval": "1ms", **options}.items())
        run = self.run_java("Replaced", *arguments, agent=agent)
        self.assertEqual(run.stdout, "sink full\n")
        return run, self.profile(out)

    def share(self, name):
        return json.loads(self.run_tool("check", "--format", "json", name).stdout)["files"][0]["image"]

    def assert_fit_for_an_image(self, profile):
        wrong = []
        for key in ("callCountProfiles", "samplingProfiles", *PLACES):
            for context in profile.table(key):
                wrong += [(key, context) for frame in context if MACHINERY.match(frame)]
                replaced = [frame for frame in context if frame.startswith(REPLACED)]
                wrong += [(key, context) for frame in replaced if key in PLACES or not frame.endswith(":0")]
        self.assertEqual(wrong[:20], [])

    def test_by_default_only_what_an_image_can_use_is_written(self):
        run, profile = self.written("y.iprof", verbose=2)
        self.assert_fit_for_an_image(profile)
        target = profile.section["image"]["target"]
        self.assertEqual(profile.section["image"], {"target": target, "filtered": True})
        self.assertEqual(target, {17: 17, 21: 21, 25: 25}.get(self.jvm.major, target))
        # All counts of the program are there, and so are the calls of replaced methods.
        self.assertEqual(profile.calls_of("Replaced.called"), 20)
        self.assertGreaterEqual(profile.calls_of("java.lang.Class.getName"), 20 * 200_000 * 0.9)
        self.assertRegex(run.stderr, r"image build for JDK \d+: \d+ of \d+ entries kept, \d+ contexts cut")
        share = self.share("y.iprof")
        self.assertEqual(share["entries"], share["usable_entries"])
        # It was called by reflection, so its samples have no callers for a build, but they are not lost.
        called = [context for context in profile.table("samplingProfiles") if any("Replaced.called(" in f for f in context)]
        self.assertTrue(called)
        for context in called:
            self.assertIn("Replaced.called(", context[-1])

    def share_of_main(self, name):
        """What `top` says of all samples under main, and how many samples there are."""
        shown = json.loads(self.run_tool("top", "--sort", "total", "-n", "0", "--format", "json", name).stdout)
        main = sum(row["total"] for row in shown["rows"] if row["name"].partition("(")[0] == "Replaced.main")
        return main / shown["samples"], shown["samples"]

    def test_people_see_the_callers_of_what_reflection_calls(self):
        _, profile = self.written("y.iprof", 600_000)
        called = {context: n for context, n in profile.samples().items() if any("Replaced.called(" in f for f in context)}
        self.assertTrue(called)
        for context in called:
            self.assertIn("Replaced.main(", context[-1])
        # As in a profile of everything; what a build is given has another share.
        self.written("n.iprof", 600_000, image="n")
        (whole, samples), (everything, others) = self.share_of_main("y.iprof"), self.share_of_main("n.iprof")
        tolerance = 0.03 + 4 * (everything * (1 - everything) * (1 / samples + 1 / others)) ** 0.5
        table = profile.table("samplingProfiles")
        for_build = sum(n for context, n in table.items() if any("Replaced.main(" in f for f in context)) / sum(table.values())
        print(f"{self.jvm.id}: with main below: {whole:.1%} of {samples} samples; image=n: {everything:.1%} of {others}; for a build: {for_build:.1%}")
        self.assertAlmostEqual(whole, everything, delta=tolerance)
        self.assertGreater(everything - for_build, tolerance, "the program does not show a difference")
        # Once more through the tool, and merged with itself.
        self.run_tool("convert", "--to", "iprof", "y.iprof", "-o", "again.iprof")
        self.assertEqual((self.folder / "again.iprof").read_bytes(), (self.folder / "y.iprof").read_bytes())
        self.run_tool("merge", "-o", "twice.iprof", "-w", "2,y.iprof")
        self.assert_same({context: 2 * n for context, n in profile.samples().items()}, self.profile("twice.iprof").samples())
        self.run_tool("check", "y.iprof", "twice.iprof")
        part = len(json.dumps(profile.section["split"]))
        print(f"{self.jvm.id}: whole stacks are {100 * part / (self.folder / 'y.iprof').stat().st_size:.1f} % of the file")

    def test_everything_and_filtered_later(self):
        _, whole = self.written("n.iprof", image="n")
        self.assertFalse(whole.section["image"]["filtered"])
        self.assertTrue([m for m in whole.calls() if MACHINERY.match(m[0])], "a JVM runs machinery")
        self.assertTrue([c for c in whole.branches() if c[0].startswith(REPLACED)], "branches in replaced methods")
        share = self.share("n.iprof")
        used = share["usable_entries"] / share["entries"]
        calls = share["tables"]["callCountProfiles"]
        print(f"{self.jvm.id}: an image build can use {100 * used:.1f} % of the entries, "
              f"{100 * calls['usable_weight'] / calls['weight']:.2f} % of the calls")
        self.assertLess(used, 0.8)
        self.assertGreater(calls["usable_weight"], 0.9 * calls["weight"])
        self.run_tool("convert", "--to", "iprof", "--image", "n.iprof", "-o", "f.iprof")
        filtered = self.profile("f.iprof")
        self.assert_fit_for_an_image(filtered)
        for key in ("callCountProfiles", *PLACES):
            before, after = whole.table(key), filtered.table(key)
            self.assertTrue(after)
            self.assertEqual(after, {context: before[context] for context in after}, key)
            self.assertEqual(len(after), share["tables"][key]["usable_entries"], key)
        self.assertEqual(sum(whole_stacks.followed(filtered.document).values()), share["tables"]["samplingProfiles"]["usable_weight"])
        self.assert_same(filtered.samples(), whole.samples())

    @on_one_jvm
    def test_the_target_decides(self):
        self.written("t.iprof", target=17)
        self.assertEqual(load_profile(self.folder / "t.iprof").section["image"]["target"], 17)
