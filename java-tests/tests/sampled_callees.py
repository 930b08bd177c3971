"""Samples and receivers in one profile: an image build prefers sampled callees, so where they contradict the receivers, stacks are
written in pieces. What a build makes of a profile is told by a model in Python (oracle/builder.py)."""

import copy
import json
import time

from harness.case import AgentCase
from iprofdev import whole_stacks
from oracle import builder

SITE = "RareClass.all([LRareClass$Step;, long)long"
QUICK, SLOW = "RareClass$Quick", "RareClass$Slow"
ROUNDS = 500_000
SPLIT = "split"


class SampledCallees(AgentCase):
    def recorded(self, name="app.iprof", options=""):
        self.run_java("RareClass", ROUNDS, agent=f"out={name},interval=1ms{options}")
        return self.profile(name)

    def whole(self, document):
        """The document as if no stack had been cut at a call."""
        whole = copy.deepcopy(document)
        del whole["iprofagent"][SPLIT]
        whole["samplingProfiles"] = [{"ctx": text, "records": [weight]} for text, weight in whole_stacks.followed(document).items()]
        return whole

    def decisions(self, a, b):
        return json.loads(self.run_tool("overlap", "--decisions", "--format", "json", a, b).stdout)["decisions"]["calls"]

    def without_samples(self, document, name):
        bare = {key: value for key, value in document.items() if key != "samplingProfiles"}
        (self.folder / name).write_text(json.dumps(bare))
        return name

    def test_samples_do_not_contradict_exact_receivers(self):
        profile = self.recorded()
        document = profile.document
        receivers = next(types for context, types in profile.receivers().items() if context[0].startswith(SITE))
        self.assertEqual(receivers, {QUICK: 19 * ROUNDS, SLOW: ROUNDS})
        self.assertEqual(builder.contradictions(document), {})
        whole = self.whole(document)
        contradicting = builder.contradictions(whole)
        names = {profile.method_names[chain[0][0]] for chain in contradicting}
        self.assertIn(SITE, names)
        # The tool's model says the same as the one in Python.
        bare = self.without_samples(document, "bare.iprof")
        compared = self.decisions(bare, "app.iprof")
        self.assertEqual((compared["exact"], compared["differing"]), (True, []))
        (self.folder / "whole.iprof").write_text(json.dumps(whole))
        compared = self.decisions(bare, "whole.iprof")
        self.assertEqual({call["context"].split(":")[0] for call in compared["differing"]}, names)
        self.assertIn({"by": "receivers", "targets": [QUICK]}, [call["a"] for call in compared["differing"]])

    def test_people_see_whole_stacks(self):
        profile = self.recorded()
        split = profile.section[SPLIT]
        through = sum(weight for context, weight in profile.samples().items()
                      if context[0].startswith(SLOW + ".") and any(frame.startswith(SITE) for frame in context))
        self.assertGreater(through, 0.5 * sum(profile.samples().values()))
        stacks = self.run_tool("convert", "--to", "collapsed", "app.iprof").stdout.splitlines()
        self.assertEqual(sum(int(line.rpartition(" ")[2]) for line in stacks), sum(profile.samples().values()))
        self.assertTrue(all(line.startswith("RareClass.main") for line in stacks if SLOW in line), stacks)
        shown = json.loads(self.run_tool("show", "--format", "json", "app.iprof").stdout)
        stacks, weight = whole_stacks.in_pieces(profile.document, 2)
        self.assertEqual(shown[SPLIT], {"sites": split["sites"], "stacks": stacks, "weight": weight})
        samples = next(table for table in shown["tables"] if table["table"] == "samplingProfiles")
        self.assertEqual(samples["total"], sum(profile.samples().values()))
        self.assertRegex(" ".join(self.run_tool("show", "app.iprof").stdout.split()), r"split: \d+ of \d+ stacks, with \d+\.\d % of the weight")

    def test_convert_merge_and_recover_split_alike(self):
        profile = self.recorded()
        original = (self.folder / "app.iprof").read_bytes()
        self.run_tool("convert", "--to", "iprof", "app.iprof", "-o", "again.iprof")
        self.assertEqual((self.folder / "again.iprof").read_bytes(), original)
        self.run_tool("merge", "-o", "one.iprof", "app.iprof")
        merged = self.profile("one.iprof")
        self.assert_same(profile.samples(), merged.samples())
        self.assertEqual(builder.contradictions(merged.document), {})
        self.assertEqual(len(merged.section[SPLIT]["whole"]), len(profile.section[SPLIT]["whole"]))
        once = (self.folder / "one.iprof").read_bytes()
        self.run_tool("merge", "-o", "one.iprof", "one.iprof")
        self.assertEqual((self.folder / "one.iprof").read_bytes(), once)
        self.run_tool("convert", "--to", "iprof", "--exclude", "RareClass$*", "app.iprof", "-o", "part.iprof")
        self.assertEqual(builder.contradictions(self.profile("part.iprof").document), {})

    def test_a_recovered_profile_is_split(self):
        process = self.start_java("RareClass", 2_000_000_000, agent="out=app.iprof,raw=app.iraw,snapshot=1s,interval=1ms", ready=None)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not self.recovered().get("sites"):
            time.sleep(1)
        process.kill()
        process.wait()
        self.assertGreater(self.recovered()["sites"], 0)
        # The tool's model of the raw file is that of the profile.
        bare = self.without_samples(self.profile("recovered.iprof").document, "bare.iprof")
        compared = self.decisions(bare, "app.iraw")
        self.assertEqual((compared["exact"], compared["differing"]), (True, []))
        self.assertEqual(builder.contradictions(self.profile("recovered.iprof").document), {})

    def recovered(self):
        """The part."""
        if not (self.folder / "app.iraw").exists():
            return {}
        run = self.run_tool("recover", "app.iraw", "-o", "recovered.iprof", expect=None)
        return self.profile("recovered.iprof").section.get(SPLIT, {}) if run.code == 0 else {}
