"""iprof harvest: a profile from the counters that HotSpot keeps anyway, read from outside. Its shares are those of the
program and of the agent's exact counts, its positions are those of the class files, and the program does not notice."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import zipfile

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.harvestable import SHAPE, STEPS, TOLERANCE, shares
from harness.scope import on_one_jvm
from oracle import java_sources

UNSUPPORTED, IO, USAGE = 3, 4, 2  # exit codes
NOBODY = 65534
FIRST_THAT_TRAINS = 25
TRAINING_STEPS, TRAINED_STEPS = 300_000, 20_000
RECORDS_FAILED_CHECKS = 22  # the first Java whose compiled code records the classes of type checks that fail
STARTING = r"it has run for \d+ s only: try again soon"  # beyond the tool's patience
ENDING = r"has ended|no process|it is ending"
CHANGING = r"changes too quickly"  # the classes of a program that loads and unloads them without a break


def utc():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Harvest(AgentCase):
    def start(self, *arguments, **options):
        return self.start_java(*(arguments or ("Harvestable", STEPS)), agent=None, **options)

    def harvest(self, process, *options, name="harvest.iprof"):
        """The profile, and what the tool reports."""
        said = self.run_tool("harvest", str(process.pid), "-o", self.folder / name, "--format", "json", *options).stdout
        return self.profile(name), json.loads(said)

    def wait_until(self, holds):
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def refused(self, pid, expect, prefix=()):
        run = self.run_command([*prefix, Settings.tool, "harvest", str(pid), "-o", self.folder / "x.iprof"], expect=expect)
        (line,) = run.stderr.splitlines()
        self.assertFalse((self.folder / "x.iprof").exists())
        return line.removeprefix("iprof: error: ")

    def end(self, process):
        """The program goes on as if nothing had been."""
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        self.assertEqual(process.out_path.read_text(), "ready\ndone\n")
        self.assertEqual(process.err_path.read_text(), "")

    def assert_shares(self, expected, counts, what):
        actual = shares(counts)
        self.assertEqual(set(expected), set(actual), what)
        for key, share in expected.items():
            self.assertAlmostEqual(share, actual[key], delta=TOLERANCE, msg=f"{what}: {actual}")

    def exact(self):
        """The agent's counts of the same program."""
        self.run_java("Harvestable", STEPS, "end", agent="samples=n,instanceofs=y,format=1.1.0,out=exact.iprof")
        return self.profile("exact.iprof")


class AfterARecording(Harvest):
    def test_hotspot_counts_anew_and_the_tool_says_so(self):
        """HotSpot throws the counters of changed classes away. The JVM is young, but that is not why it has none."""
        process = self.start("Harvestable", STEPS, "again")
        _, before = self.harvest(process)
        self.assertEqual(before["classes_redefined"], 0)
        self.run_tool("profile", str(process.pid), "samples=n,force=always", "--duration", "100ms", "-o", self.folder / "p.iprof")
        run = self.run_command([Settings.tool, "harvest", str(process.pid), "-o", self.folder / "h.iprof"], expect=None)
        if run.code == 0:  # threads of the JVM have worked since
            self.assertRegex(run.stdout, r"\n[\d,]+ classes were changed while the program ran, so HotSpot has counted their methods anew")
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


class KnownShares(Harvest):
    def test_shares_are_those_of_the_program_and_of_exact_counts(self):
        process = self.start()
        harvested, said = self.harvest(process, "--no-estimate")
        estimated, _ = self.harvest(process)
        self.end(process)
        self.assertEqual(said["failed"], 0)
        exact = self.exact()
        for table in ("conditionalProfiles", "virtualInvokeProfiles", "instanceOfProfiles"):
            expected = {c: n for c, n in exact.table(table).items() if c[0].startswith("Harvestable.") and ".main(" not in c[0]}
            actual = {c: n for c, n in harvested.table(table).items() if c[0].startswith("Harvestable.") and ".main(" not in c[0]}
            if table == "instanceOfProfiles" and self.jvm.major < RECORDS_FAILED_CHECKS:
                # A site is left out if compiled code ran it, since half of its objects are in no row. What only the
                # interpreter ran is complete.
                expected = {context: counts for context, counts in expected.items() if context in actual}
            self.assertEqual(set(expected), set(actual), table)
            for context, counts in expected.items():
                self.assert_shares(shares(counts), actual[context], f"{table} {context}")
        self.assert_shares({"Harvestable$Square": 0.8, "Harvestable$Circle": 0.2},
                           harvested.table("virtualInvokeProfiles")[(SHAPE,)], "receivers")
        for method in ("step", "every10th", "cases", "check", "areaOf", "twice"):
            # HotSpot counts fewer: a method that it compiles without counters, or with C2, is counted no more.
            self.assertLess(harvested.calls_of(f"Harvestable.{method}"), 1.01 * STEPS)
            self.assertAlmostEqual(estimated.calls_of(f"Harvestable.{method}"), STEPS, delta=0.1 * STEPS, msg=method)
        self.assertEqual(harvested.section["harvest"]["estimator"], "none")
        self.assertEqual(estimated.section["harvest"]["estimator"], "flow-9")

    def test_the_profile_says_where_it_comes_from(self):
        process = self.start()
        before = utc()
        harvested, said = self.harvest(process)
        note = harvested.section["harvest"]
        self.assertEqual(set(note), {"source", "estimator", "without_methoddata_permille", "left_out_permille", "type_width",
                                     "recursive_groups", "jvm_age_s", "cpu_ms", "harvests", "time", "trained", "methods_with_data",
                                     "methods_without_data", "methods_failed", "methods_trained", "few_permille", "few_methods", "few_executions",
                                     "methods_trained_unknown", "sites_left_out", "lambdas_left_out", "classes_left_out"})
        self.assertEqual((note["source"], note["estimator"], note["type_width"], note["trained"]), ("methoddata", "flow-9", 2, 0))
        self.assertEqual((note["left_out_permille"], note["harvests"]), (0, 1))
        self.assertLess(note["jvm_age_s"], PATIENCE_S)
        self.assertGreater(note["cpu_ms"], 0)
        self.assertLess(note["cpu_ms"], 1000 * PATIENCE_S)
        self.assertGreater(note["without_methoddata_permille"], 0)
        self.assertEqual([note[name] for name in ("methods_with_data", "methods_without_data", "lambdas_left_out", "classes_left_out")],
                         [said[name] for name in ("methods_with_data", "methods_without_data", "unnamed_lambdas", "generated_classes")])
        self.assertAlmostEqual(said["read_cpu_us_per_10000_methods"], said["read_cpu_us"] * 1e4 / said["methods_loaded"], delta=1)
        self.assertLessEqual(before, note["time"])
        self.assertLessEqual(note["time"], utc())
        shown = " ".join(self.run_tool("show", self.folder / "harvest.iprof").stdout.split())
        groups = {0: "", 1: ", 1 recursive group"}.get(note["recursive_groups"], f", {note['recursive_groups']} recursive groups")
        self.assertIn(f"methoddata, calls and weights estimated (flow-9), {note['time']} after {note['jvm_age_s']} s; no data for "
                      f"{note['without_methoddata_permille'] / 10:.1f} % of the methods that ran, 2 classes a site{groups}", shown)
        self.end(process)

    @on_one_jvm
    def test_numbers_of_one_and_of_many(self):
        process = self.start(jvm_args=["-XX:TypeProfileWidth=1"])
        self.assertIn("\nup to 1 class at each call site", self.run_tool("harvest", str(process.pid), "--list").stdout)
        said = self.run_tool("harvest", str(process.pid), "-o", self.folder / "h.iprof").stdout
        self.assertRegex(said, r"\n\d[0-9,]* methods have counters, \d{1,3}(,\d{3})* more ran without; 0 failed a check\n"
                               r"of these, the profile has what an image build can use \(--no-image: all\)\nleft out: ")
        whole = self.run_tool("harvest", str(process.pid), "--no-image", "-o", self.folder / "h.iprof").stdout
        self.assertNotIn("an image build can use", whole)
        self.assertIn(", 1 class a site", " ".join(self.run_tool("show", self.folder / "h.iprof").stdout.split()))
        self.end(process)

    def make_aot_cache(self):
        """The jar of a program, and an AOT cache with what it does in training (JEP 514, 515)."""
        if self.jvm.major < FIRST_THAT_TRAINS:
            self.skipTest(f"{self.jvm.id} has no AOT cache with counts")
        jar, conf, cache = (self.folder / name for name in ("app.jar", "app.aotconf", "app.aot"))
        with zipfile.ZipFile(jar, "w") as archive:
            archive.write(Settings.classes / "Trained.class", "Trained.class")
        for flags in (["-XX:AOTMode=record", f"-XX:AOTConfiguration={conf}"],
                      ["-XX:AOTMode=create", f"-XX:AOTConfiguration={conf}", f"-XX:AOTCache={cache}"]):
            self.run_command([self.jvm.java, *flags, "-cp", jar, "Trained", "train", str(TRAINING_STEPS)], expect=None)
        if not cache.exists():
            self.skipTest(f"{self.jvm.id} makes no AOT cache: a full JDK 25 does")
        return jar, cache

    def start_trained(self, jar, cache, mode="on"):
        return self.start_java("Trained", "run", str(TRAINED_STEPS), agent=None,
                               jvm_args=["-cp", jar, f"-XX:AOTCache={cache}", f"-XX:AOTMode={mode}", "-Xlog:disable"])

    def assert_of_this_run(self, profile):
        """No count is of the training. HotSpot compiles a trained method early, and then counts it no more."""
        self.assertEqual(profile.calls_of("Trained.onlyInTraining"), 0)
        for method in ("inBoth", "onlyLater"):
            self.assertLessEqual(profile.calls_of(f"Trained.{method}"), TRAINED_STEPS, method)
        for context, counts in profile.table("conditionalProfiles").items():
            if context[0].startswith("Trained.onlyInTraining"):
                self.fail(f"branches of the training: {context}: {counts}")
            if context[0].startswith("Trained.inBoth"):
                self.assertLessEqual(sum(counts.values()), TRAINED_STEPS, context)

    def test_the_counts_of_a_training_run_are_not_those_of_the_program(self):
        """An AOT cache fills MethodDatas with the counts of the run that made it. The file still has them."""
        jar, cache = self.make_aot_cache()
        damaged = self.folder / "damaged.aot"
        damaged.write_bytes(cache.read_bytes()[:4096])
        text = "the counts of the AOT cache's training run were subtracted in "
        for mode, used, is_used in (("on", cache, True), ("off", cache, False), ("auto", damaged, False)):
            with self.subTest(mode):
                process = self.start_trained(jar, used, mode)
                harvested, said = self.harvest(process, "--no-estimate")
                self.assert_of_this_run(harvested)
                self.assertGreater(harvested.calls_of("Trained.onlyLater"), 0)
                self.assertEqual((said["trained"], said["methods_trained_unknown"]), (False, 0))
                self.assertEqual(said["methods_trained"] > 0, is_used)
                self.assertEqual(harvested.section["harvest"]["methods_trained"], said["methods_trained"])
                self.assertEqual(text in self.run_tool("harvest", str(process.pid), "--list").stdout, is_used)
                self.assertEqual("without those of the AOT cache's training run" in
                                 " ".join(self.run_tool("show", self.folder / "harvest.iprof").stdout.split()), is_used)
                estimated, _ = self.harvest(process)
                self.assertEqual(estimated.calls_of("Trained.onlyInTraining"), 0)
                inside, _ = self.harvest(process, "--no-estimate", "--attach")
                self.assert_of_this_run(inside)
                process.communicate(b"\n", timeout=PATIENCE_S)

    def test_an_aot_cache_that_was_removed(self):
        """Root still reads it by its mapping. Other users do not see what it brought, so these methods are left out."""
        jar, cache = self.make_aot_cache()
        process = self.start_trained(jar, cache)
        cache.unlink()
        harvested, said = self.harvest(process, "--no-estimate")
        self.assert_of_this_run(harvested)
        self.assertGreater(said["methods_trained"] + said["methods_trained_unknown"], 0)
        self.assertGreater(harvested.calls_of("Trained.onlyLater"), 0)
        self.end(process)

    def test_list_writes_nothing(self):
        process = self.start()
        before = set(self.folder.iterdir())
        said = json.loads(self.run_tool("harvest", str(process.pid), "--list", "--format", "json").stdout)
        self.assertEqual((said["program"], said["failed"], said["type_width"]), ("Harvestable", 0, 2))
        self.assertIn("Harvestable", self.run_tool("harvest", str(process.pid), "--list").stdout)
        self.assertEqual(set(self.folder.iterdir()), before)
        self.run_tool("harvest", str(process.pid), expect=USAGE)
        self.run_tool("harvest", str(process.pid), "--list", "-o", self.folder / "x.iprof", expect=USAGE)
        self.end(process)

    @on_one_jvm
    def test_the_name_of_another_jvms_profile_is_left_to_it(self):
        lock = os.open(self.folder / ".app.iprof.lock", os.O_CREAT | os.O_RDWR, 0o600)  # as an agent holds it
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = self.start()
        asked = self.folder / "app.iprof"
        said = self.run_tool("harvest", str(process.pid), "-o", asked).stderr
        self.assertIn(f"iprof: warning: {asked}: another running process writes it; the profile goes to {asked.with_name('app.1.iprof')}\n", said)
        self.assertFalse(asked.exists())
        self.profile("app.1.iprof")
        self.end(process)

    def test_watching_does_not_count_twice_and_survives_the_end_of_the_program(self):
        process = self.start()
        for watch in ("1s", "4s", "16s", "64s"):  # on a busy machine one harvest takes seconds
            harvested, said = self.harvest(process, "--watch", watch, "--every", "200ms")
            if said["harvests"] > 1:
                break
        self.assertGreater(said["harvests"], 1)
        self.assertEqual(harvested.section["harvest"]["harvests"], said["harvests"])
        self.assertAlmostEqual(harvested.calls_of("Harvestable.step"), STEPS, delta=0.1 * STEPS)
        tool = subprocess.Popen([Settings.tool, "harvest", str(process.pid), "-o", self.folder / "watched.iprof", "--watch", "1h",
                                 "--every", "50ms", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(tool.stderr.close)
        self.addCleanup(tool.stdout.close)
        deadline = time.monotonic() + PATIENCE_S
        while not (self.folder / "watched.iprof").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.end(process)
        self.assertEqual(tool.wait(PATIENCE_S), 0)
        self.assertRegex(tool.stderr.read().decode(), "harvests? before")
        watched, said = self.profile("watched.iprof"), json.loads(tool.stdout.read())
        self.assertEqual((said["pid"], said["harvests"]), (process.pid, watched.section["harvest"]["harvests"]))
        self.assertAlmostEqual(watched.calls_of("Harvestable.step"), STEPS, delta=0.1 * STEPS)

    def test_watching_ends_with_the_program_or_an_interrupt_and_not_with_the_next_harvest(self):
        def holds_signals():
            blocked = re.search(r"^SigBlk:\t(\w+)$", pathlib.Path(f"/proc/{tool.pid}/status").read_text(), re.M)[1]
            return int(blocked, 16) >> (signal.SIGINT - 1) & 1
        for ending, output in ((None, "a.iprof"), (signal.SIGINT, "b.iprof"), (signal.SIGTERM, "-")):
            with self.subTest(ending=ending):
                process = self.start()
                tool = subprocess.Popen([Settings.tool, "harvest", str(process.pid), "-o", output, "--watch", "9h", "--every", "1h"],
                                        cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.addCleanup(tool.kill)
                self.wait_until(holds_signals)
                if output != "-":
                    self.wait_until((self.folder / output).exists)
                if ending:
                    tool.send_signal(ending)
                else:
                    self.end(process)
                written, said = tool.communicate(timeout=PATIENCE_S)
                self.assertEqual(tool.returncode, 0, said)
                section = json.loads(written)["iprofagent"] if output == "-" else self.profile(output).section
                self.assertEqual(section["harvest"]["harvests"], 1)
                self.assertEqual(b"holds the harvest before" in said, ending is None, said)
                if output != "-":
                    self.assertRegex(written, rb"^wrote .*iprof: ")
                if ending:
                    self.end(process)

    def test_watching_takes_the_time_that_it_was_given_and_harvests_at_its_end(self):
        process = self.start()
        for every, most in (([], 2), (["--every", "2s"], 3)):  # the usual minute is longer than the watch
            with self.subTest(every=every):
                begun = time.monotonic()
                watched, _ = self.harvest(process, "--watch", "3s", *every)
                self.assertGreaterEqual(time.monotonic() - begun, 3)
                harvests = watched.section["harvest"]["harvests"]
                self.assertGreaterEqual(harvests, 2)
                self.assertLessEqual(harvests, most)
        self.end(process)

    def test_watching_keeps_what_is_unloaded_meanwhile(self):
        process = self.start("Guests", STEPS)
        tool = subprocess.Popen([Settings.tool, "harvest", str(process.pid), "-o", self.folder / "watched.iprof", "--watch", "1h",
                                 "--every", "50ms"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)
        self.wait_until((self.folder / "watched.iprof").exists)
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.wait_until(lambda: "gone" in process.out_path.read_text())
        now, _ = self.harvest(process)
        self.assertEqual(now.calls_of("Guests$Visitor.applyAsInt"), 0)
        self.assertGreater(now.calls_of("Guests.meet"), 0)
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(tool.wait(PATIENCE_S), 0)
        watched = self.profile("watched.iprof")
        self.assertAlmostEqual(watched.calls_of("Guests$Visitor.applyAsInt"), STEPS, delta=0.1 * STEPS)
        (branch,) = (counts for context, counts in watched.branches().items() if context[0].startswith("Guests$Visitor."))
        self.assertAlmostEqual(min(shares(branch).values()), 0.25, delta=TOLERANCE)

    def test_sites_of_too_many_classes_are_left_out(self):
        """HotSpot lists the first two of four classes; with a larger TypeProfileWidth all."""
        site = "Guests.meet(Guests$Guest, int)int:2"
        for flags, expected in (([], {"2%": 0, "40%": 0, "60%": 2}), (["-XX:TypeProfileWidth=8"], {"2%": 4})):
            process = self.start("Guests", STEPS, jvm_args=flags)
            for most_lost, classes in expected.items():
                with self.subTest(flags=flags, most_lost=most_lost):
                    harvested, said = self.harvest(process, "--receivers-max-lost", most_lost)
                    found = harvested.table("virtualInvokeProfiles").get((site,), {})
                    self.assertEqual(len(found), classes, found)
                    if classes == 0:
                        self.assertGreater(said["sites_left_out"], 0)
                    if classes:
                        self.assert_shares(dict.fromkeys(found, 1 / classes), found, "receivers")
            process.communicate(b"\n\n", timeout=PATIENCE_S)

    def test_watching_writes_one_profile_to_standard_output(self):
        process = self.start()
        for watch in ("1s", "4s", "16s", "64s"):  # on a busy machine one harvest takes seconds
            written = self.run_tool("harvest", str(process.pid), "-o", "-", "--watch", watch, "--every", "200ms").stdout
            harvests = json.loads(written)["iprofagent"]["harvest"]["harvests"]  # fails if there is more than one
            if harvests > 1:
                break
        self.assertGreater(harvests, 1)
        self.end(process)

    def test_collectors_and_flags(self):
        flags = [["-XX:+UseSerialGC"], ["-XX:+UseParallelGC"], ["-XX:+UseG1GC"], ["-XX:+UseZGC"],
                 ["-XX:TypeProfileWidth=8"], ["-Xshare:off", "-XX:TieredStopAtLevel=3"]]
        if self.jvm.major >= 25:
            flags += [["-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"]]
        for flag in flags:
            with self.subTest(flag=flag):
                process = self.start(jvm_args=flag)
                harvested, said = self.harvest(process)
                self.assertEqual(said["failed"], 0)
                self.assert_shares({"Harvestable$Square": 0.8, "Harvestable$Circle": 0.2},
                                   harvested.table("virtualInvokeProfiles")[(SHAPE,)], "receivers")
                self.end(process)


class SkewedSites(Harvest):
    SITE = "Skewed.meet(Skewed$Guest, int)int:2"
    USUAL, SECOND, REST = 0.80, 0.09, 0.11

    def test_a_site_with_a_frequent_class_and_many_rare_ones_is_kept_and_its_rest_is_told(self):
        process = self.start("Skewed", 100 * STEPS)
        kept, _ = self.harvest(process, name="kept.iprof")
        left_out, said = self.harvest(process, "--receivers-max-lost", "2%", name="left_out.iprof")
        self.end(process)
        found = kept.table("virtualInvokeProfiles")[(self.SITE,)]
        self.assertEqual(set(found), {"Skewed$Usual", "Skewed$Second"})
        self.assertAlmostEqual(shares(found)["Skewed$Usual"], self.USUAL / (self.USUAL + self.SECOND), delta=TOLERANCE)
        (method,) = json.loads(self.run_tool("show", "--method", "Skewed.meet(*", "--format", "json", self.folder / "kept.iprof").stdout)["methods"]
        self.assertRegex(json.dumps(method), r'"rest_permille": ')
        text = self.run_tool("show", "--method", "Skewed.meet(*", self.folder / "kept.iprof").stdout
        usual, second, rest = map(float, re.search(r"([0-9.]+) % [^,]*Usual, ([0-9.]+) % [^,]*Second, ([0-9.]+) % other classes", text).groups())
        for shown, expected in ((usual, self.USUAL), (second, self.SECOND), (rest, self.REST)):
            self.assertAlmostEqual(shown / 100, expected, delta=TOLERANCE, msg=text)
        self.assertNotIn((self.SITE,), left_out.table("virtualInvokeProfiles"))
        self.assertGreater(said["sites_left_out"], 0)

    def test_the_agent_keeps_it_too(self):
        self.run_java("Skewed", 100 * STEPS, "end", agent="source=methoddata,samples=n,out=agent.iprof")
        self.assertEqual(set(self.profile("agent.iprof").table("virtualInvokeProfiles")[(self.SITE,)]), {"Skewed$Usual", "Skewed$Second"})
        self.run_java("Skewed", 100 * STEPS, "end", agent="source=methoddata,receivers-max-lost=2,samples=n,out=less.iprof")
        self.assertNotIn((self.SITE,), self.profile("less.iprof").table("virtualInvokeProfiles"))


class WithSamples(Harvest):
    HINT = ("no samples: an image build may do worse than with samples; add --samples 30s, start the program with mode=methoddata, "
            "or merge this profile with one of samples only (iprof merge)")
    COUNTS = ("callCountProfiles", "conditionalProfiles", "virtualInvokeProfiles")

    def finish(self, process):
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual((process.returncode, process.out_path.read_text()), (0, "ready\ndone\n"))

    def status(self, process):
        """What the agent says; empty: there is none yet."""
        run = self.run_tool("status", str(process.pid), "--format", "json", expect=None)
        return json.loads(run.stdout)["status"] if run.code == 0 else {}

    def folder_of(self, tool):
        """The private folder that this running tool has open. Other programs have such folders, too."""
        found = []

        def look():
            with contextlib.suppress(OSError):
                for link in pathlib.Path(f"/proc/{tool.pid}/fd").iterdir():
                    found.extend(re.findall(r"^/tmp/\.iprof-[0-9a-f]+$", os.readlink(link)))
            return found

        self.wait_until(look)
        return pathlib.Path(found[0])

    def harvest_with_samples(self, process, name):
        """The profile, what the tool reports, and the folder that it had."""
        command = [Settings.tool, "harvest", str(process.pid), "-o", self.folder / name, "--format", "json", "--no-estimate", "--samples", "1s"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
            folder = self.folder_of(tool)
            said = tool.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(tool.returncode, 0)
        return self.profile(name), json.loads(said), folder

    def meetings(self, profile):
        """What HotSpot counted in the methods that do not run during the recording."""
        return {table: {context: counts for context, counts in profile.table(table).items() if context[0].startswith("Skewed.meet")}
                for table in self.COUNTS}

    def test_samples_join_the_counts_which_stay_those_of_hotspot(self):
        process = self.start("Skewed", 100 * STEPS, "busy")
        before, _ = self.harvest(process, "--no-estimate")
        for run in range(2):  # the second one finds the agent
            with self.subTest(run=run):
                harvested, said, folder = self.harvest_with_samples(process, f"{run}.iprof")
                self.assertEqual(self.meetings(harvested), self.meetings(before))
                self.assertTrue(all(self.meetings(before).values()), "it has calls, branches and receivers")
                self.assertGreater(said["samples"], 0)
                self.assertGreaterEqual(said["recorded_ms"], 1000)
                self.assertIn("Skewed.spin", " ".join(context[0] for context in harvested.table("samplingProfiles")))
                self.assertGreater(harvested.section["sampling"]["signals"], 0)
                (noted,) = harvested.section["provenance"]["runs"]
                self.assertEqual(noted["tables"], "calls+branches+receivers+instanceofs+samples")
                self.assertEqual(said["classes_redefined"], 0)
                status = self.status(process)
                self.assertEqual((status["state"], status["records"]), ("stopped", ["samples"]))
                self.assertFalse(folder.exists())
        self.finish(process)
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.i*")), ["0.iprof", "1.iprof", "harvest.iprof"])

    @on_one_jvm
    def test_it_says_what_a_harvest_without_samples_lacks(self):
        process = self.start("Skewed", 100 * STEPS, "busy")
        path = self.folder / "x.iprof"
        self.assertEqual(self.run_tool("harvest", str(process.pid), "-o", path).stdout.splitlines().count(self.HINT), 1)
        run = self.run_tool("harvest", str(process.pid), "-o", "-")
        self.assertEqual(run.stderr.splitlines(), [f"iprof: warning: {self.HINT}"])
        said = self.run_tool("harvest", str(process.pid), "--samples", "1s", "-o", path).stdout
        self.assertNotIn("no samples", said)
        self.assertRegex(said, r"\n[\d,]+ samples? in [\d.]+ s\n")
        self.finish(process)

    @on_one_jvm
    def test_an_idle_program_is_harvested_all_the_same(self):
        process = self.start("Skewed", 100 * STEPS)
        said = self.run_tool("harvest", str(process.pid), "--samples", "300ms", "-o", self.folder / "x.iprof").stdout
        self.assertTrue(all(self.meetings(self.profile("x.iprof")).values()))
        self.assertRegex(said, r"\n(no samples: the program used too little CPU time in|[\d,]+ samples? in) ")
        self.finish(process)

    @on_one_jvm
    def test_the_jvm_can_read_its_own_counters_afterwards(self):
        process = self.start("Skewed", 100 * STEPS, "busy")
        harvested, said = self.harvest(process, "--attach", "--samples", "1s")
        self.assertGreater(said["samples"], 0)
        self.assertTrue(all(self.meetings(harvested).values()))
        self.finish(process)

    @on_one_jvm
    def test_an_interrupt_ends_the_recording_and_harvests(self):
        process = self.start("Skewed", 100 * STEPS, "busy")
        tool = subprocess.Popen([Settings.tool, "harvest", str(process.pid), "-o", self.folder / "x.iprof", "--samples", "1h"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)
        self.wait_until(lambda: self.status(process).get("state") == "recording")
        time.sleep(0.5)
        tool.send_signal(signal.SIGINT)
        said, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual((tool.returncode, complaints), (0, ""), said)
        harvested = self.profile("x.iprof")
        self.assertTrue(all(self.meetings(harvested).values()))
        self.assertTrue(harvested.table("samplingProfiles"))
        self.finish(process)

    @on_one_jvm
    def test_if_the_program_ends_there_is_nothing_to_harvest(self):
        process = self.start("Skewed", 100 * STEPS, "busy")
        tool = subprocess.Popen([Settings.tool, "harvest", str(process.pid), "-o", self.folder / "x.iprof", "--samples", "1h"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(tool.wait)
        self.addCleanup(tool.kill)
        self.wait_until(lambda: self.status(process).get("state") == "recording")
        folder = self.folder_of(tool)
        self.assertTrue(folder.exists())
        self.finish(process)
        _, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual(tool.returncode, IO, complaints)
        # The agent writes a profile at the end only if there are samples by then.
        self.assertRegex(complaints, rf"^iprof: error: process {process.pid} has ended during the recording"
                                     r"(, before its counters were harvested: nothing was written| without writing its profile, .*)\n$")
        self.assertFalse((self.folder / "x.iprof").exists())
        self.assertFalse(folder.exists())

    @on_one_jvm
    def test_a_jvm_that_refuses_and_an_agent_that_counts(self):
        process = self.start("Skewed", 100 * STEPS, "busy", jvm_args=["-XX:+DisableAttachMechanism"])
        run = self.run_command([Settings.tool, "harvest", str(process.pid), "--samples", "1s", "-o", self.folder / "x.iprof"], expect=UNSUPPORTED)
        self.assertIn("DisableAttachMechanism", run.stderr)
        self.finish(process)
        process = self.start("Skewed", 100 * STEPS, "busy")
        self.run_tool("profile", str(process.pid), "--duration", "100ms", "-o", self.folder / "p.iprof")
        run = self.run_command([Settings.tool, "harvest", str(process.pid), "--samples", "1s", "-o", self.folder / "x.iprof"], expect=USAGE)
        self.assertIn("the agent is loaded already, and would not record samples alone", run.stderr)
        self.assertFalse((self.folder / "x.iprof").exists())
        self.finish(process)


class Positions(Harvest):
    def test_branches_are_where_the_agent_sees_them(self):
        """For javac and all of the JDK that it runs: every branch that both saw has the same targets."""
        if self.jvm.tool("javac") is None:
            self.skipTest(f"{self.jvm.id} has no javac")
        command = java_sources.javac_command(self.folder / "classes")
        self.run_java(*command, agent="samples=n,image=n,out=exact.iprof")
        exact = self.profile("exact.iprof").branches()
        process = self.start(*command, ready=None)
        while process.poll() is None:  # the last harvest has seen the most, and replaces those before
            run = self.run_tool("harvest", str(process.pid), "--no-image", "-o", self.folder / "h.iprof", expect=None)
            if run.code != 0:
                self.assertRegex(run.stderr, f"{STARTING}|{ENDING}|{CHANGING}")
            time.sleep(0.3)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        best = self.profile("h.iprof").branches()
        common = [context for context in best if context in exact]
        self.assertGreater(len(common), 1000)
        different = [(c, best[c], exact[c]) for c in common if set(best[c]) != set(exact[c])]
        self.assertEqual(different[:5], [])
        self.assertGreater(len(common), 0.95 * len(best))


class Lambdas(Harvest):
    """HotSpot may have several classes of one lambda, which are one class for an image."""

    def check(self, how, *options):
        """Both lambdas have a name, and each has half of the calls."""
        process = self.start("ManyLambdas", how, STEPS)
        harvested, said = self.harvest(process, *options)
        self.end(process)
        self.assertEqual(said["unnamed_lambdas"], 0)
        (counts,) = (counts for context, counts in harvested.table("virtualInvokeProfiles").items()
                     if context[0].startswith("ManyLambdas.apply("))
        self.assertTrue(all(name.startswith("ManyLambdas$$Lambda") for name in counts), counts)
        self.assertEqual(len(counts), 2)
        self.assert_shares(dict.fromkeys(counts, 0.5), counts, "receivers")
        return harvested, [sum(n for (method, *_), n in harvested.calls().items() if method.startswith(f"{name}.applyAsInt(")) for name in counts]

    def test_threads_that_race_to_link_a_lambda_make_one(self):
        self.check("race")

    def test_lambdas_of_a_class_that_two_loaders_define_are_one(self):
        harvested, calls = self.check("loaders")
        for each in calls:  # of both classes
            self.assertAlmostEqual(each, STEPS, delta=0.1 * STEPS)

    def test_a_lambda_whose_number_is_not_known_has_no_name(self):
        """The agent gives one lambda the number 1. The others, which nothing else does, have the agent's names."""
        process = self.start("SameLambdas", STEPS)
        harvested, said = self.harvest(process, "--no-image")
        self.end(process)
        self.end(self.start_java("SameLambdas", STEPS, agent="samples=n,image=n,out=exact.iprof,log=agent.log"))
        exact_names, names = ({name for name in p.types if name.startswith("SameLambdas$$Lambda")} for p in (self.profile("exact.iprof"), harvested))
        self.assertEqual(len(exact_names), 3)
        self.assertEqual(len(names), 2)
        self.assertLess(names, exact_names)
        self.assertGreaterEqual(said["unnamed_lambdas"], 1)


class WithAgent(Harvest):
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


class Refused(Harvest):
    def test_a_jvm_that_does_not_profile(self):
        for flag in ("-Xint", "-XX:TieredStopAtLevel=0", "-XX:TieredStopAtLevel=1"):
            process = self.start(jvm_args=[flag])
            self.assertEqual(self.refused(process.pid, UNSUPPORTED),
                             f"process {process.pid} has no MethodData to harvest: it runs without profiling ({flag})")
            self.end(process)

    def test_a_jvm_whose_compiled_code_does_not_profile(self):
        process = self.start(jvm_args=["-XX:TieredStopAtLevel=2"])
        said = self.run_tool("harvest", str(process.pid), "-o", self.folder / "h.iprof").stderr
        self.assertIn("the JVM runs with -XX:TieredStopAtLevel=2, so its compiled code counts no branches and receivers", said)
        self.assertEqual(said.count("\n"), 1, said)
        self.end(process)

    @on_one_jvm
    def test_processes_that_are_no_jvm(self):
        own = os.getpid()
        self.assertRegex(self.refused(own, UNSUPPORTED),
                         f"^process {own} is not a JVM(, or has only just started)?: no libjvm.so is loaded in it$")
        young = subprocess.Popen(["sleep", "1000"])
        try:
            self.assertEqual(self.refused(young.pid, UNSUPPORTED),
                             f"process {young.pid} is not a JVM, or has only just started: no libjvm.so is loaded in it")
        finally:
            young.kill()
            young.wait()
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.assertEqual(self.refused(gone.pid, IO), f"there is no process {gone.pid}")

    @on_one_jvm
    def test_without_rights(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, for another user")
        process = self.start()
        self.folder.chmod(0o777)
        said = self.refused(process.pid, IO, prefix=["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"])
        self.assertIn("run it as", said)
        self.end(process)
