#!/usr/bin/env python3
"""Tests what the iprof tool does with the origin of profiles: runs, statistics of sampling, and hashes of methods' code.

Usage: cli_provenance_test.py IPROF GENERATED_FOLDER [unittest options]
"""

import json
import os
import re
import unittest

from cli_case import CliTest, profile, section, unknown

RUN = {"run": "5b1c09f7d2a84e6689c3d1e0f4a7b265", "agent": "0.1.0", "options": "out=a.iprof", "jvm_vendor": "Debian", "jvm_version": "17.0.15", "jvm_build": "17.0.15+6", "architecture": "x86_64",
       "program": "app.jar", "source": "counters", "tables": "calls+branches", "begin": "start", "start": "2026-11-24T23:35:27.120Z",
       "end": "2026-11-24T23:36:28.320Z", "recorded_ms": 61200, "methods": {"exact": 2444, "within_k": 6, "unknown": 0, "largest_k": 2},
       "losses": {"sites": 3}}
LATER = {"run": "c09f7d2a84e6689c3d1e0f4a7b2655b1", "program": "a.Main", "jvm_version": "25.0.3", "start": "2026-11-25T08:00:00.000Z", "end": "2026-11-25T08:00:09.000Z", "recorded_ms": 9000,
         "losses": {"sites": 1, "monitors": 2}}
SAMPLING = {"event": "cpu", "intervalNs": 10000000, "failed": 1, "signals": 20, "outcomes": {"good": [19, 25]}}
OTHERS = "-"  # a hash that is not known
# A hash of the names of the example's recorded methods: main, loop and Circle.area.
NAMES = "Ig0Uay"
DOUBTFUL = "the code of 1 method may differ, as only some of the inputs have hashes of it (a.Main.loop(int)void)"
ADDED_UP = "branches, receivers and type checks were added up as if it were the same"


def provenance(*runs):
    return {"runs": list(runs)}


def versioned(loop_hash, scale=1, branch=None, main_hash=OTHERS, **parts):
    """The example profile, in which Main.loop has this hash."""
    made = profile(scale, iprofagent=section(code={"bits": 36, "methods": NAMES, "hashes": main_hash + loop_hash + OTHERS}, **parts))
    if branch:
        made["conditionalProfiles"][0]["records"] = branch
    return made


class Header(CliTest):
    def test_one_run(self):
        a = self.write("a.iprof", profile(iprofagent=section(provenance=provenance(RUN), sampling=SAMPLING)))
        self.assertIn(""", format 1.0.0
run:            app.jar on JDK 17.0.15 (Debian, 17.0.15+6, x86_64), iprofagent
                0.1.0
                2026-11-24 23:35:27 to 23:36:28 UTC, 61.2 s recorded, from the
                JVM's start
                tables: calls+branches, from counters, options: out=a.iprof
                counts: exact but for races between threads; 6 methods may be
                off by up to 2, because exceptions ended calls or calls had not
                ended
                left out: 3 calls or type checks that met objects of unknown
                class
sampling:       cpu, every 10 ms, 20 signals, 1 failed
""", self.out("show", a))
        self.assertEqual(self.json("show", a)["iprofagent"]["runs"], [RUN])

    def test_the_bound_of_a_snapshot_is_not_known(self):
        for methods, said in (({"exact": 0, "within_k": 2444, "unknown": 1},
                               "2,445 methods may be off by an unknown number, because the program ran on while they were read"),
                              ({"exact": 1, "within_k": 0, "unknown": 0, "largest_k": 0}, "exact but for races between threads")):
            run = {"methods": methods, "losses": {}, "recorded_ms": 1}
            a = self.write("a.iprof", profile(iprofagent=section(provenance=provenance(run))))
            self.assertRegex(" ".join(self.out("show", a).split()), re.escape(f" counts: {said}") + " (left out|methods:)")
            self.assertEqual(self.json("show", a)["iprofagent"]["runs"], [run])

    def test_how_exact_it_is_and_what_is_left_out(self):
        def shown(exactness, losses):
            run = {"methods": {"exact": 0, "within_k": 0, "unknown": 0, "largest_k": 0, **exactness}, "losses": losses}
            made = self.write("a.iprof", profile(iprofagent=section(provenance=provenance(run))))
            return " ".join(self.out("show", made).partition("\nmethods:")[0].split()).partition("run: a program")[2]

        races = " counts: exact but for races between threads"
        self.assertEqual(shown({"exact": 2}, {"samples": 1, "methods_not_counted": 1}), f"{races} left out: 1 sample without a stack, 1 method that was not counted")
        self.assertEqual(shown({}, {"samples": 1000, "sites": 2}), " left out: 1,000 samples without a stack, 2 calls or type checks that met objects of unknown class")
        self.assertEqual(shown({}, {"negative_counts": 71, "of_a_later_version": 2}),
                         " left out: 2 of a later version "
                         "set to 0: 71 counts that came out negative, because of races between threads or exceptions")
        self.assertEqual(shown({"within_k": 1, "largest_k": 3}, {}), 
                         " counts: 1 method may be off by up to 3, because exceptions ended calls or calls had not ended")
        self.assertEqual(shown({"exact": 1, "within_k": 2, "unknown": 1, "largest_k": 3}, {}),
                         f"{races}; 3 methods may be off, because exceptions ended calls or calls had not ended: "
                         "2 by up to 3, 1 by an unknown number")

    def test_standard_input_has_a_name(self):
        text = json.dumps(profile()).encode()
        self.assertIn("file:           standard input, format 1.0.0\n", self.out("show", "-", stdin=text))
        self.assertIn("B: standard input\n", self.out("diff", self.write("a.iprof", profile()), "-", stdin=text))

    def test_what_is_not_known_is_left_out(self):
        a = self.write("a.iprof", profile(iprofagent=section(provenance=provenance({}))))
        self.assertIn("run:            a program\nmethods: ", self.out("show", a))

    def test_a_merge_lists_its_runs_once_and_adds_up(self):
        a = self.write("a.iprof", profile(iprofagent=section(provenance=provenance(RUN), sampling=SAMPLING)))
        b = self.write("b.iprof", profile(iprofagent=section(provenance=provenance(LATER, RUN), sampling=SAMPLING)))
        self.assertEqual(self.err("merge", "-o", "m.iprof", "-w", f"2,{b}", a),
                         f"iprof: warning: {a} and {b} are of the same run (app.jar of 2026-11-24 23:35:27 UTC), which is counted twice\n")
        parts = self.load("m.iprof")["iprofagent"]
        self.assertEqual(parts["provenance"], provenance(RUN, LATER))
        self.assertEqual(parts["sampling"], {**SAMPLING, "signals": 60, "failed": 3, "outcomes": {"good": [57, 75]}})
        self.assertIn("""runs:           2
                app.jar on JDK 17.0.15, 2026-11-24 23:35:27 to 23:36:28 UTC,
                61.2 s recorded, from the JVM's start
                a.Main on JDK 25.0.3, 2026-11-25 08:00:00 to 08:00:09 UTC, 9.0 s
                recorded
                left out: 2 locks of unknown class, 4 calls or type checks that
                met objects of unknown class
""", self.out("show", "m.iprof"))

    def test_harvests_of_one_jvm_are_told(self):
        def harvest(name, run, start):
            made = {**LATER, "run": run * 32, "source": "methoddata", "start": f"2026-11-25T08:00:{start}Z"}
            return self.write(name, profile(iprofagent=section(provenance=provenance(made))))

        a, b, c = harvest("a.iprof", "a", "00.000"), harvest("b.iprof", "b", "01.900"), harvest("c.iprof", "c", "07.000")
        said = f"iprof: warning: {a} and {b} may be harvests of one JVM, whose counts are counted twice\n"
        for order in ((a, b, c), (c, b, a)):
            self.assertEqual(self.err("merge", "-o", "m.iprof", *order), said)
            self.assertEqual(self.load("m.iprof")["callCountProfiles"], self.load_calls(3))
        self.assertEqual(self.err("merge", "-o", "m.iprof", a, c), "")

    def load_calls(self, times):
        name = self.write("one.iprof", profile(times, iprofagent=section()))
        self.run_tool("merge", "-o", "one.iprof", name)
        return self.load("one.iprof")["callCountProfiles"]

    def test_given_intervals_are_not_shown_as_auto(self):
        def sampled(name, interval_ns):
            given = {**SAMPLING, "intervalNs": interval_ns, "firstIntervalNs": interval_ns, "lastIntervalNs": interval_ns}
            return self.write(name, profile(iprofagent=section(sampling=given)))

        a, b = sampled("a.iprof", 10_000_000), sampled("b.iprof", 1_000_000)
        self.assertIn("sampling:       cpu, every 10 ms, ", self.out("show", a))
        self.run_tool("merge", "-o", "m.iprof", a, b)
        shown = self.out("show", "m.iprof")
        self.assertIn("sampling:       cpu, every ", shown)
        self.assertNotIn("interval=auto", shown)

    def test_many_runs_are_shortened(self):
        runs = [{**LATER, "start": f"2026-11-25T08:{i:02}:00.000Z", "end": f"2026-11-25T08:{i:02}:01.000Z"} for i in range(12)]
        a = self.write("a.iprof", profile(iprofagent=section(provenance={"runs": runs, "older_runs": 5})))
        shown = self.out("show", a)
        self.assertIn("runs:           17\n                7 earlier ones\n                a.Main on JDK 25.0.3, 2026-11-25 08:02:00 to", shown)
        self.write("a.iprof", profile(iprofagent=section(provenance={"runs": runs, "older_runs": 4988})))
        self.assertIn("runs:           5,000\n                4,990 earlier ones\n", self.out("show", a))

    def test_other_sampling_is_told(self):
        a = self.write("a.iprof", profile(iprofagent=section(sampling=SAMPLING)))
        b = self.write("b.iprof", profile(iprofagent=section(sampling={**SAMPLING, "event": "wall", "signals": 30})))
        self.assertIn("sampled in different ways", self.err("merge", "-o", "m.iprof", a, b))
        self.assertEqual(self.load("m.iprof")["iprofagent"]["sampling"]["event"], "wall")

    def test_older_keys_are_known(self):
        a = self.write("a.iprof", profile(iprofLines={}, iprofSampling=SAMPLING, other=1))
        shown = self.out("show", "--stats", a)
        self.assertIn("sampling:       cpu, every 10 ms, 20 signals, 1 failed\n", shown)
        self.assertRegex(shown, r"  iprofagent:   lines \(2 bytes\), sampling \(\d+ bytes\)\n  unknown:      other \(1 byte\)\n")
        shown = self.json("show", a)
        self.assertEqual((shown["iprofagent"], shown["unknown_keys"]), ({"version": None, "parts": ["lines", "sampling"]}, ["other"]))

    def test_terminal_controls_are_escaped(self):
        a = self.write("a.iprof", profile(iprofagent=section(provenance=provenance({"program": "a\x1b[2J", "losses": {"\x1b[3J": 1}}))))
        self.assertNotIn("\x1b", self.out("show", a))

    def test_check_knows_the_shapes(self):
        for part, value in (("provenance", {"runs": [{"agent": 1}]}), ("code", {"bits": 8})):
            a = self.write("a.iprof", profile(iprofagent=section(**{part: value})))
            self.assertIn(f"$.iprofagent.{part}: error [iprofagent]", self.out("check", a, expect=1))


class HowSure(CliTest):
    """main was counted, loop is estimated from 4,096 executions, and area is guessed."""

    def setUp(self):
        super().setUp()
        code = {"bits": 36, "methods": NAMES, "hashes": "---", "sureness": "eMg"}
        self.marked = self.write("marked.iprof", profile(iprofagent=section(code=code)))
        self.exact = self.write("exact.iprof", profile())

    def marks(self, name):
        return self.load(name)["iprofagent"]["code"]["sureness"]

    def test_the_summary_and_the_page_of_a_method_say_it(self):
        shown = " ".join(self.out("show", self.marked).split())
        self.assertIn("how sure: 1 method exact (1.0 % of calls), 1 method estimated (9.0 % of calls), 1 method guessed (90.0 % of calls) hot set:", shown)
        self.assertEqual(self.json("show", self.marked)["sureness"], [
            {"sureness": "exact", "methods": 1, "calls": 1}, {"sureness": "estimated", "methods": 1, "calls": 9},
            {"sureness": "guessed", "methods": 1, "calls": 90}])
        self.assertIn("called 9 times; counts are estimated from 4,096 executions", self.out("show", "--method", "loop", self.marked))
        self.assertEqual(self.json("show", "--method", "area", self.marked)["methods"][0]["sureness"], "guessed")
        self.assertNotIn("how sure", self.out("show", self.exact))

    def test_merges_and_filters_and_conversions_keep_it(self):
        self.run_tool("merge", "-o", "m.iprof", self.marked, self.exact)
        self.assertEqual(sorted(self.marks("m.iprof")), sorted("geM"))
        self.run_tool("convert", "--to", "pretty", "-o", "c.iprof", self.marked)
        self.assertEqual(self.marks("c.iprof"), "eMg")
        self.run_tool("convert", "--to", "iprof", "--exclude", "a.Circle", "-o", "f.iprof", self.marked)
        self.assertEqual(self.marks("f.iprof"), "eM")

    def test_overlap_is_that_of_each_kind(self):
        by_kind = self.json("overlap", self.exact, self.marked)["by_sureness"]
        self.assertEqual([kind["sureness"] for kind in by_kind], ["exact", "estimated", "guessed"])
        self.assertEqual({table["overlap"] for kind in by_kind for table in kind["tables"]}, {1})
        self.assertIn("methods of which counts are guessed in A, in B, or in both", self.out("overlap", self.exact, self.marked))
        self.assertNotIn("by_sureness", self.json("overlap", self.exact, self.exact))

    def test_many_calls_from_few_executions_are_doubtful(self):
        self.assertIn("1 method holds most of 90.0 % of all calls, estimated from 0 executions", self.out("check", "--strict", self.marked, expect=1))
        self.run_tool("check", self.marked)


class Versions(CliTest):
    OLD, NEW, SAME = "oldold", "newnew", "samesa"

    def branch(self, name="m.iprof"):
        (entry,) = self.load(name)["conditionalProfiles"]
        return entry["records"]

    def callers_and_samples(self):
        return sorted((text.count("<"), weight) for text, weight in self.stacks("m.iprof").items())

    def test_equal_code_is_added_up(self):
        a, b = self.write("a", versioned(self.OLD)), self.write("b", versioned(self.OLD, 2))
        self.assertEqual(self.err("merge", "--strict", "-o", "m.iprof", a, b), unknown(a, b))
        self.assertEqual(self.branch(), [53, 0, 270, 14, 1, 30])
        self.assertEqual(self.load("m.iprof")["iprofagent"]["code"]["hashes"].replace("-", ""), self.OLD)
        self.assertNotIn("code of", self.out("diff", a, b) + self.out("overlap", a, b))

    def test_of_different_code_one_version_keeps_its_positions(self):
        a = self.write("a", versioned(self.OLD, 2, main_hash=self.SAME, provenance=provenance(RUN)))
        b = self.write("b", versioned(self.NEW, 1, [40, 0, 7, 6, 1, 1], main_hash=self.SAME, provenance=provenance(LATER)))
        for order in ((a, b), (b, a)):
            warning = self.err("merge", "-o", "m.iprof", *order)
            self.assertIn("the code of 1 method differs between the inputs; the calls were added up, and the positions of the heaviest version "
                          "were kept: a.Main.loop(int)void", warning)
            self.assertEqual(self.branch(), [53, 0, 180, 14, 1, 20])
            made = self.load("m.iprof")
            # Main.loop of b is another one than that of a: stacks end before it, or begin at its start.
            self.assertEqual([e["records"] for e in made["callCountProfiles"]], [[90], [180], [27], [3]])
            self.assertEqual(sorted(self.stacks("m.iprof").values()), [2, 4, 5, 10])
            self.assertIn("7 samples have positions in code that was not kept or is not known: their stacks now end before that method, or begin at its start", warning)
            self.assertIn("the newest version", self.err("merge", "--prefer", "newest", "-o", "m.iprof", *order))
            self.assertEqual(self.branch(), [40, 0, 7, 6, 1, 1])
        found = self.json("merge", "-o", "m.iprof", a, b)
        self.assertEqual((found["methods_with_other_code"], found["samples_in_other_code"]), (1, 7))
        for command in ("diff", "overlap"):
            self.assertIn("the code of 1 of 2 methods differs, so their positions cannot be compared", " ".join(self.out(command, a, b).split()))
            found = self.json(command, a, b)
            self.assertEqual((found["methods_with_code_in_both"], found["methods_with_other_code"]), (2, 1))

    def test_a_difference_of_other_code_is_none(self):
        """Main.loop's branch is reversed. Its calls can be compared, but not those that it makes."""
        a = self.write("a", versioned(self.OLD, 1, [53, 0, 900, 14, 1, 100]))
        b = self.write("b", versioned(self.OLD, 1, [53, 0, 100, 14, 1, 900]))
        self.assertEqual([item["table"] for item in self.json("diff", a, b, "--exit-code", expect=1)["items"]], ["conditionalProfiles"])
        b = self.write("b", versioned(self.NEW, 1, [53, 0, 100, 14, 1, 900]))
        self.assertEqual(self.json("diff", a, b, "--exit-code")["items"], [])

    def test_in_a_class_whose_code_differs_stacks_have_only_known_code(self):
        """Main.main has no hash, so it may be another one, as Main.loop is."""
        a, b = self.write("a", versioned(self.OLD, 2)), self.write("b", versioned(self.NEW))
        self.assertIn("21 samples have positions in code that was not kept or is not known", self.err("merge", "-o", "m.iprof", a, b))
        self.assertEqual(self.callers_and_samples(), [(0, 2), (0, 4), (0, 5), (1, 10)])
        bare = self.write("bare", profile())
        self.assertEqual(self.err("merge", "-o", "m.iprof", a, bare), unknown(a, bare) + f"iprof: warning: {DOUBTFUL}; {ADDED_UP}\n")
        self.assertEqual(self.callers_and_samples(), [(1, 6), (2, 15)])

    def test_the_image_build_is_that_of_the_positions(self):
        def image(target, filtered=True):
            return {"target": target, "filtered": filtered}

        a = self.write("a", versioned(self.OLD, 2, provenance=provenance(RUN), image=image(17)))
        b = self.write("b", versioned(self.NEW, 1, provenance=provenance(LATER), image=image(25)))
        for order in ((a, b), (b, a)):
            for prefer, target, why in (("newest", 25, "as the newest input is"), ("heaviest", 17, "as the inputs with the most counts are")):
                said = self.err("merge", "--prefer", prefer, "-o", "m.iprof", *order)
                self.assertIn("the inputs are meant for image builds for JDK 17 and JDK 25: the result is meant for "
                              f"JDK {target}, {why}. It may have what that build does not know or cannot use, which "
                              f"'iprof convert --to iprof --image --target {target}' leaves out", said)
                self.assertNotIn("iprofagent.image", said)
                self.assertEqual(self.load("m.iprof")["iprofagent"]["image"], image(target, False))
                self.assertIn(f"an image build for JDK {target}; may have what it cannot use\n", self.out("show", "m.iprof"))
        c = self.write("c", versioned(self.OLD, image=image(17, False)))
        silent = self.write("silent", versioned(self.OLD))
        for other in (c, silent):
            self.assertIn("only some of the inputs say that what an image build cannot use was left out: the result may have it",
                          self.err("merge", "-o", "m.iprof", a, other))
            self.assertEqual(self.load("m.iprof")["iprofagent"]["image"], image(17, False))
        self.assertEqual(self.err("merge", "-o", "m.iprof", a, a),
                         f"iprof: warning: {a} and {a} are of the same run (app.jar of 2026-11-24 23:35:27 UTC), which is counted twice\n")
        self.assertEqual(self.load("m.iprof")["iprofagent"]["image"], image(17))

    def test_what_only_breaks_a_tie_says_among_which_inputs(self):
        """17 and 21 have equal counts, and the input for 25 is newer but has fewer."""
        last = {**LATER, "end": "2026-11-26T08:00:09.000Z"}

        def said(prefer, *inputs):
            files = [self.write(str(target), versioned(self.OLD, scale, provenance=provenance(run), image={"target": target, "filtered": True}))
                     for target, scale, run in inputs]
            return self.err("merge", "--prefer", prefer, "-o", "m.iprof", *files)

        self.assertIn("meant for JDK 21, as the newest of the inputs with the most counts is. It may",
                      said("heaviest", (17, 2, RUN), (21, 2, LATER), (25, 1, last)))
        self.assertIn("meant for JDK 21, the newest JDK of the newest inputs with the most counts. It may",
                      said("heaviest", (17, 2, RUN), (21, 2, RUN), (25, 1, last)))
        self.assertIn("meant for JDK 17, as those of the newest inputs that have the most counts are. It may",
                      said("newest", (17, 2, LATER), (21, 1, LATER), (25, 3, RUN)))

    def test_strict_writes_nothing(self):
        a, b = self.write("a", versioned(self.OLD)), self.write("b", versioned(self.NEW))
        self.assertIn("nothing was written: the code of 1 method differs: a.Main.loop(int)void",
                      self.err("merge", "--strict", "-o", "m.iprof", a, b, expect=1))
        self.assertFalse(os.path.exists(self.path("m.iprof")))
        self.write("m.iprof", "precious")
        self.run_tool("merge", "--strict", "-o", "m.iprof", a, b, expect=1)
        with open(self.path("m.iprof"), encoding="utf-8") as kept:
            self.assertEqual(kept.read(), "precious")

    def test_without_hashes_positions_are_added_and_check_finds_it(self):
        a = self.write("a", versioned(self.OLD, 1, [40, 0, 7, 6, 1, 1]))
        b = self.write("b", profile(1, conditionalProfiles=[{"ctx": "2:3", "records": [50, 0, 7, 6, 1, 1]}]))
        self.assertEqual(self.err("merge", "--strict", "-o", "m.iprof", a, b, expect=1), unknown(a, b) + f"iprof: warning: nothing was written: {DOUBTFUL}\n")
        self.assertFalse(os.path.exists(self.path("m.iprof")))
        self.assertEqual(self.err("merge", "-o", "m.iprof", a, b),
                         unknown(a, b) + f"iprof: warning: {DOUBTFUL}; {ADDED_UP}\n")
        self.assertEqual(self.json("merge", "-o", "m.iprof", a, b)["methods_with_doubtful_code"], 1)
        copy = self.write("c", self.written[b])
        self.assertEqual(self.err("merge", "--strict", "-o", "x.iprof", b, copy), unknown(b, copy))
        self.assertIn("error [branch-outcomes]: found 3 outcomes, one at 6", self.out("check", "m.iprof", expect=1))
        self.run_tool("merge", "-o", "bare.iprof", b, self.write("d", profile(conditionalProfiles=[{"ctx": "2:3", "records": [40, 0, 7, 6, 1, 1]}])))
        self.run_tool("check", "bare.iprof")  # it could be of an image
        self.assertIn("doubtful [branch-folded]: found 3 outcomes, one at 6", self.out("check", "--strict", "bare.iprof", expect=1))

    def test_hashes_of_another_profile_are_ignored(self):
        changed = versioned(self.OLD)
        changed["methods"][0]["name"] = "renamed"
        a, b = self.write("a", changed), self.write("b", versioned(self.NEW))
        self.assertEqual(self.json("diff", a, b)["methods_with_code_in_both"], 0)

    def test_they_stay_with_their_methods(self):
        a = self.write("a", versioned(self.OLD))
        self.run_tool("convert", a, "--to", "iprof", "--image", "-o", "image.iprof")
        self.assertEqual(self.json("diff", "image.iprof", self.write("b", versioned(self.NEW)))["methods_with_other_code"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
