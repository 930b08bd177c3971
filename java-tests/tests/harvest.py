"""iprof harvest: a profile from the counters that HotSpot keeps anyway, read from outside. Its shares are those of the
program and of the agent's exact counts, its positions are those of the class files, and the program does not notice."""

import fcntl
import json
import os
import re
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness.harvestable import SHAPE, STEPS, TOLERANCE, HarvestCase, SkewedCase, shares
from harness.scope import on_one_jvm
from oracle import java_sources

UNSUPPORTED, IO, USAGE = 3, 4, 2  # exit codes
NOBODY = 65534
RECORDS_FAILED_CHECKS = 22  # the first Java whose compiled code records the classes of type checks that fail
STARTING = r"it has run for \d+ s only: try again soon"  # beyond the tool's patience
ENDING = r"has ended|no process|it is ending"
CHANGING = r"changes too quickly"  # the classes of a program that loads and unloads them without a break


def utc():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class KnownShares(HarvestCase):
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
        self.assertEqual(estimated.section["harvest"]["estimator"], "flow-11")

    def test_the_profile_says_where_it_comes_from(self):
        process = self.start()
        before = utc()
        harvested, said = self.harvest(process)
        note = harvested.section["harvest"]
        self.assertEqual(set(note), {"source", "estimator", "without_methoddata_permille", "left_out_permille", "type_width",
                                     "recursive_groups", "jvm_age_s", "cpu_ms", "harvests", "time", "trained", "methods_with_data",
                                     "methods_without_data", "methods_failed", "methods_trained", "methods_trained_unknown", "sites_left_out",
                                     "lambdas_left_out", "classes_left_out"})
        self.assertEqual((note["source"], note["estimator"], note["type_width"], note["trained"]), ("methoddata", "flow-11", 2, 0))
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
        self.assertIn(f"methoddata, calls and weights estimated (flow-11), {note['time']} after {note['jvm_age_s']} s; no data for "
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


class SkewedSites(SkewedCase):
    SITE = "Skewed.meet(Skewed$Guest, int)int:2"
    USUAL, SECOND, REST = 0.80, 0.09, 0.11

    def test_a_site_with_a_frequent_class_and_many_rare_ones_is_kept_and_its_rest_is_told(self):
        process = self.start()
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
        self.run_java("Skewed", 100 * STEPS, "end", jvm_args=["-Xbatch"], agent="source=methoddata,samples=n,out=agent.iprof")
        self.assertEqual(set(self.profile("agent.iprof").table("virtualInvokeProfiles")[(self.SITE,)]), {"Skewed$Usual", "Skewed$Second"})
        self.run_java("Skewed", 100 * STEPS, "end", jvm_args=["-Xbatch"], agent="source=methoddata,receivers-max-lost=2,samples=n,out=less.iprof")
        self.assertNotIn((self.SITE,), self.profile("less.iprof").table("virtualInvokeProfiles"))


class Positions(HarvestCase):
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


class Lambdas(HarvestCase):
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


class Refused(HarvestCase):
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
