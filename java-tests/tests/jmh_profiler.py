"""The JMH profiler: JMH with -prof iprof. The benchmarks know their own numbers; single-shot iterations run a benchmark exactly
as often as they are told."""

import json
import pathlib
import re
import shutil
import socket
import struct
import tempfile
import threading
import zipfile

from iprofdev import jvms, maven
from iprofdev.messages import Unavailable

from harness.case import C1_ONLY, AgentCase, Settings
from harness.control import GREETING
from harness.scope import in_proof, on_one_jvm

JARS = ("jmh-core", "jmh-generator", "jopt-simple", "commons-math")

SOURCE = """
package zoo;

import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.infra.Blackhole;

@State(Scope.Thread)
public class Zoo {
  interface Animal { int legs(); }
  static class Dog implements Animal { public int legs() { return 4; } }
  static class Bird implements Animal { public int legs() { return 2; } }
  static class Bee implements Animal { public int legs() { return 6; } }
  static class Snake implements Animal { public int legs() { return 0; } }

  @Param({"1"})
  int step;
  int next;
  final Animal[] one = {new Dog()}, two = {new Dog(), new Bird()}, four = {new Dog(), new Bird(), new Bee(), new Snake()};

  @Setup
  public void feed() {
    for (int i = 0; i < 5000; i++) prepare(i);
  }

  static int prepare(int n) { return n; }

  @Benchmark
  public int branches() {
    int n = next += step;
    return half(n) + third(n) + hundredth(n);
  }

  static int half(int n) { return n % 2 == 0 ? 1 : 2; }
  static int third(int n) { return n % 3 == 0 ? 1 : 2; }
  static int hundredth(int n) { return n % 100 == 0 ? 1 : 2; }

  @Benchmark
  public void receivers(Blackhole hole) {
    int n = next += step;
    hole.consume(ofOne(one[0]) + ofTwo(two[n & 1]) + ofFour(four[n & 3]));
  }

  static int ofOne(Animal animal) { return animal.legs(); }
  static int ofTwo(Animal animal) { return animal.legs(); }
  static int ofFour(Animal animal) { return animal.legs(); }
}
"""

# Gives a command as the profiler does.
ASK = """
package iprofagent.jmh;

public class Ask {
  public static void main(String[] args) {
    try {
      new AgentSocket(java.nio.file.Path.of(args[0])).tell("reset");
    } catch (java.io.IOException refused) {
      System.out.println(refused.getMessage());
    }
  }
}
"""

BATCH = 2000


def single_shots(forks=1, warmups=0, iterations=1, jvm_args=("-jvmArgsAppend", "-XX:TieredStopAtLevel=1")):
    """Each iteration calls the benchmark BATCH times. C1 alone is enough for counts, and quicker."""
    return ("-bm", "ss", "-bs", str(BATCH), "-f", str(forks), "-wi", str(warmups), "-i", str(iterations), *jvm_args)


TIMED = ("-bm", "avgt", "-f", "1", "-wi", "1", "-w", "300ms", "-i", "2", "-r", "300ms")


def shared(cases):
    """A folder with the benchmarks, compiled for Java 17, for all tests of this run."""
    if not hasattr(shared, "folder"):
        shared.folder = tempfile.TemporaryDirectory(prefix="iprof-test-zoo.")
        folder = pathlib.Path(shared.folder.name)
        (folder / "Zoo.java").write_text(SOURCE)
        (folder / "classes").mkdir()
        cases.run_command([jvms.build_jdk().javac, "-cp", cases.jmh, "-processor", "org.openjdk.jmh.generators.BenchmarkProcessor",
                           "-d", folder / "classes", folder / "Zoo.java"])
    return pathlib.Path(shared.folder.name) / "classes"


class JmhCase(AgentCase):
    def setUp(self):
        super().setUp()
        self.jar = Settings.agent.parent / "iprof-jmh.jar"
        if not self.jar.exists():
            self.skipTest("iprof-jmh.jar is not built")
        try:
            self.jmh = maven.class_path(JARS)
        except Unavailable as missing:
            self.skipTest(str(missing))
        self.classes = shared(self)

    def run_jmh(self, *arguments, jar=None, expect=0, env=None, inherited=()):
        """With `inherited`, JMH's own JVM has these options, and its forks get them from it. Otherwise it has some that make it quick."""
        # JMH runs once at a time for each folder of temporary files. Its forks inherit its JVM's options if they get no others.
        own, forks = (inherited, ()) if inherited else (C1_ONLY, ("-jvmArgs", "-Xshare:auto"))
        return self.run_command([self.jvm.java, *own, f"-Djava.io.tmpdir={self.folder}", "-cp", f"{self.classes}:{jar or self.jar}:{self.jmh}",
                                 "org.openjdk.jmh.Main", *forks, *arguments], expect=expect, env=env)

    def measure(self, *arguments, **options):
        """Runs JMH; returns the run, and the scores and units of the secondary results by benchmark."""
        result = self.folder / "result.json"
        run = self.run_jmh(*arguments, "-rf", "json", "-rff", result, **options)
        found = {}
        for benchmark in json.loads(result.read_text()):
            found[benchmark["benchmark"].removeprefix("zoo.Zoo.")] = {
                label: (metric["score"], metric["scoreUnit"]) for label, metric in benchmark["secondaryMetrics"].items()}
        return run, found

    def counts_of(self, profile, table, method):
        """The counts of the only entry in a method."""
        found = [list(counts.values()) for context, counts in profile.table(table).items() if context[0].startswith(f"zoo.Zoo.{method}(")]
        self.assertEqual(len(found), 1, f"{method}: {found}")
        return sorted(found[0])

    def assert_no_harness(self, profile, more=""):
        """JMH's black holes and the loops around a benchmark are not counted."""
        names = {context[0] for table in (profile.calls(), profile.branches(), profile.receivers()) for context in table}
        self.assertEqual([name for name in names if re.match(r"zoo\.jmh_generated|org\.openjdk\.jmh\.infra\.Blackhole" + more, name)], [])

    def assert_nothing_is_left(self):
        self.assertEqual([path.name for path in self.folder.glob("iprof*")], [])


class Counts(JmhCase):
    def test_exactly_the_measured_iterations_of_all_forks(self):
        calls = 2 * 3 * BATCH
        run, found = self.measure(*single_shots(forks=2, warmups=2, iterations=3), "-prof", "iprof:dir=profiles;samples=n;rows=99", "zoo.Zoo")
        self.assertEqual(set(found), {"branches", "receivers"}, run)
        self.assertEqual(sorted(path.name for path in (self.folder / "profiles").iterdir()),
                         ["zoo.Zoo.branches-SingleShotTime-step-1.iprof", "zoo.Zoo.receivers-SingleShotTime-step-1.iprof"])
        self.assert_nothing_is_left()
        branches = self.profile("profiles/zoo.Zoo.branches-SingleShotTime-step-1.iprof")
        receivers = self.profile("profiles/zoo.Zoo.receivers-SingleShotTime-step-1.iprof")
        for profile, methods in ((branches, ("branches", "half", "third", "hundredth")), (receivers, ("receivers", "ofOne", "ofTwo", "ofFour"))):
            self.assert_same({method: calls for method in methods}, {method: profile.calls_of(f"zoo.Zoo.{method}") for method in methods})
            self.assert_no_harness(profile, r"|zoo\.Zoo\.(feed|prepare)\(|org\.openjdk\.jmh\.|iprof")
        for method, share in (("half", 2), ("third", 3), ("hundredth", 100)):
            self.assertEqual(self.counts_of(branches, "conditionalProfiles", method), [calls // share, calls - calls // share], method)
        for method, classes in (("ofOne", 1), ("ofTwo", 2), ("ofFour", 4)):
            self.assertEqual(self.counts_of(receivers, "virtualInvokeProfiles", method), [calls // classes] * classes, method)
        for profile in (branches, receivers):
            self.assertEqual(profile.samples(), {})

        for label in ("biased", "even"):
            self.assert_same({"half": 50.0, "third": 33.333, "hundredth": 1.0},
                             self.scores(found["branches"], f"iprof.branches.{label}", "% rarer"), str(run))
        self.assert_same({"receivers": 1, "ofOne": 1, "ofTwo": 2, "ofFour": 4},
                         self.scores(found["receivers"], "iprof.receivers", "classes"), str(run))
        # An operation of a single shot is a batch.
        self.assert_same(dict.fromkeys(("branches", "half", "third", "hundredth"), BATCH),
                         self.scores(found["branches"], "iprof.calls", "calls/op"), str(run))
        self.assertEqual(found["branches"]["iprof.samples"], (0.0, "samples"))
        for name in found:
            self.assertEqual(found[name]["iprof.file"], (2.0, f"profiles/zoo.Zoo.{name}-SingleShotTime-step-1.iprof"), run)
            self.assertIn(f"{self.folder}/profiles/zoo.Zoo.{name}-SingleShotTime-step-1.iprof\n  2 forks, 6 operations\n", run.stdout)

    def scores(self, results, label, unit):
        """The rounded scores of a label's rows in the benchmark's class, by method."""
        found = {}
        for name, (score, its_unit) in results.items():
            match = re.fullmatch(re.escape(label) + r":zoo\.Zoo\.(\w+)(:\d+)?", name)
            if match:
                self.assertEqual(its_unit, unit)
                found[match[1]] = round(score, 3)
        return found

    def test_timed_iterations(self):
        """Calls per operation, samples, and JMH's hints."""
        run, found = self.measure(*TIMED, "-prof", "iprof:interval=1ms", "zoo.Zoo.branches")
        calls = self.scores(found["branches"], "iprof.calls", "calls/op")
        self.assertEqual(len(calls), 3, run)
        self.assertEqual(set(calls.values()), {1.0}, run)
        samples, unit = found["branches"]["iprof.samples"]
        self.assertEqual(unit, "samples")
        profile = self.profile("zoo.Zoo.branches-AverageTime-step-1.iprof")
        self.assertGreater(samples, 0)
        self.assertEqual(sum(profile.samples().values()), samples)
        self.assertTrue([label for label in found["branches"] if label.startswith("iprof.hot:")], found)
        called = {profile.calls_of(f"zoo.Zoo.{method}") for method in ("branches", "half", "third", "hundredth")}
        self.assertEqual(len(called), 1, "every method once in each operation")
        self.assertEqual(profile.calls_of("zoo.Zoo.prepare"), 0)
        said = run.stdout + run.stderr
        self.assertIn("Blackhole mode: compiler", said)
        self.assertNotIn("only works for", said)
        # JDK 25 warns about JMH's use of Unsafe.
        self.assertEqual([line for line in said.splitlines() if "warning" in line.lower() and "Unsafe" not in line
                          and not line.startswith("WARNING: Please consider")], [])

    @on_one_jvm
    def test_samples_are_those_of_the_measured_iterations(self):
        """The warm-up is ten times as long, so with its samples they would be too many."""
        _, found = self.measure("-bm", "avgt", "-f", "1", "-wi", "1", "-w", "2s", "-i", "1", "-r", "200ms", "-prof", "iprof:interval=1ms",
                                "zoo.Zoo.branches")
        (run,) = self.profile("zoo.Zoo.branches-AverageTime-step-1.iprof").section["provenance"]["runs"]
        samples = found["branches"]["iprof.samples"][0]
        self.assertGreater(samples, 0)
        # One thread is busy, and takes at most a sample in each millisecond; what else the JVM does is less.
        self.assertLess(samples, 2 * run["recorded_ms"] + 20)

    @on_one_jvm
    def test_forks_of_the_warm_up_do_not_count(self):
        self.measure(*single_shots(), "-wf", "1", "-prof", "iprof:samples=n", "zoo.Zoo.branches")
        self.assertEqual(self.profile("zoo.Zoo.branches-SingleShotTime-step-1.iprof").calls_of("zoo.Zoo.half"), BATCH)

    @in_proof
    def test_forks_inherit_the_options_of_jmhs_own_jvm(self):
        """As users run it: no option is for the forks alone, and HotSpot has all its compilers."""
        run, _ = self.measure(*single_shots(jvm_args=()), "-prof", "iprof:samples=n", "zoo.Zoo.branches", inherited=("-Xmx300m", "-Dzoo.of=all"))
        (options,) = re.findall(r"(?m)^# VM options: (.*)", run.stdout)
        self.assertEqual(options.split()[:3], ["-Xmx300m", "-Dzoo.of=all", f"-Djava.io.tmpdir={self.folder}"])
        profile = self.profile("zoo.Zoo.branches-SingleShotTime-step-1.iprof")
        self.assertEqual(profile.calls_of("zoo.Zoo.half"), BATCH)
        self.assertEqual(self.counts_of(profile, "conditionalProfiles", "half"), [BATCH // 2, BATCH // 2])
        self.assert_no_harness(profile)

    @on_one_jvm
    def test_each_thread_has_counters_of_its_own(self):
        """Without them, many calls are lost."""
        _, found = self.measure(*TIMED, "-t", "3", "-prof", "iprof:samples=n", "zoo.Zoo.branches")
        profile = self.profile("zoo.Zoo.branches-AverageTime-step-1.iprof")
        for run in profile.section["provenance"]["runs"]:
            self.assertIn("stripes=4", run["options"].split(","))
        for method, calls in self.scores(found["branches"], "iprof.calls", "calls/op").items():
            self.assertAlmostEqual(calls, 1, delta=0.02, msg=method)

    @on_one_jvm
    def test_parameters_have_profiles_of_their_own(self):
        self.measure(*single_shots(), "-p", "step=1,2", "-prof", "iprof:samples=n;format=1.1.0;options=instanceofs=y", "zoo.Zoo.branches")
        for step, even in ((1, [BATCH // 2, BATCH // 2]), (2, [0, BATCH])):
            profile = self.profile(f"zoo.Zoo.branches-SingleShotTime-step-{step}.iprof")
            self.assertEqual(self.counts_of(profile, "conditionalProfiles", "half"), even)
            self.assertEqual(profile.document["version"], "1.1.0")


class HotSpotsCounters(JmhCase):
    """HotSpot's own counters have no baseline; their shares are those of the benchmark."""

    def test_sources(self):
        for source in ("methoddata", "both"):
            with self.subTest(source):
                run, found = self.measure(*TIMED, "-prof", f"iprof:source={source};dir={source};rows=9;interval=1ms", "zoo.Zoo.branches")
                profile = self.profile(f"{source}/zoo.Zoo.branches-AverageTime-step-1.iprof")
                self.assertEqual(profile.section["harvest"]["source"], source)
                self.assert_no_harness(profile)
                for method, share in (("half", 2), ("third", 3), ("hundredth", 100)):
                    rarer, others = self.counts_of(profile, "conditionalProfiles", method)
                    self.assertAlmostEqual(rarer / (rarer + others), 1 / share, delta=0.02, msg=f"{method} {run}")
                self.assertGreater(found["branches"]["iprof.samples"][0], 0, run)
                self.assertIn("calls/op (estimate)", {unit for _, unit in found["branches"].values()}, run)


@on_one_jvm
class Beside(JmhCase):
    """What is not measuring."""

    def test_an_answer_whose_length_looks_like_text(self):
        """The bytes of that length are one letter in UTF-8."""
        answer = {"command": "reset", "outcome": "refused", "message": ""}
        length = int.from_bytes("\u00e9".encode(), "big")
        answer["message"] = "x" * (length - len(json.dumps(answer)))
        (self.folder / "Ask.java").write_text(ASK)
        self.run_command([jvms.build_jdk().javac, "--release", "17", "-cp", self.jar, "-d", self.folder, "Ask.java"])
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.folder / "a.sock"))
            listener.listen()

            def refuse():
                connection, _ = listener.accept()
                with connection:
                    connection.recv(1000)
                    connection.sendall(GREETING + b"\n" + struct.pack(">cI", b"A", length) + json.dumps(answer).encode())

            agent = threading.Thread(target=refuse, daemon=True)
            agent.start()
            run = self.run_command([self.jvm.java, "-cp", f"{self.folder}:{self.jar}", "iprofagent.jmh.Ask", self.folder / "a.sock"])
            agent.join()
        self.assertEqual(run.stdout, answer["message"] + "\n")

    def test_help_lists_all_options(self):
        run = self.run_jmh("-prof", "iprof:help", "zoo.Zoo", expect=1)
        for option in ("dir", "format", "samples", "interval", "source", "rows", "options", "agent", "tool"):
            self.assertRegex(run.stderr, rf"(?m)^ *{option}=")

    def test_wrong_options_are_one_sentence(self):
        for options, sentence in (("colour=red", "iprof: there is no option 'colour'; -prof iprof:help lists all options."),
                                  ("dir", "iprof: option 'dir' has no value; -prof iprof:help lists all options."),
                                  ("rows=many", "iprof: rows is a number from 0 to 1000, not 'many'."),
                                  ("source=jfr", "iprof: source is counters, methoddata or both, not 'jfr'."),
                                  ("options=out=x", "iprof: this profiler sets the agent's option 'out' itself."),
                                  ("dir=/dev/null", "iprof: cannot create the folder /dev/null: java.nio.file.FileAlreadyExistsException: /dev/null"),
                                  ("agent=/nowhere", "iprof: the agent's library is not in /nowhere, as agent= says.")):
            with self.subTest(options):
                run = self.run_jmh("-prof", f"iprof:{options}", "zoo.Zoo", expect=1)
                self.assertIn(sentence, run.stderr.splitlines(), run)

    def test_without_a_fork_there_is_one_sentence(self):
        run = self.run_jmh("-f", "0", "-bm", "ss", "-wi", "1", "-i", "2", "-prof", "iprof", "zoo.Zoo.branches")
        sentence = "iprof: there is no profile of zoo.Zoo.branches, because it does not run in a fork"
        self.assertEqual((run.stdout + run.stderr).count(sentence), 1, run)
        self.assertEqual(list(self.folder.glob("*.iprof")), [])

    def test_an_agent_that_refuses_is_heard(self):
        run = self.run_jmh(*single_shots(), "-prof", "iprof:interval=soon", "zoo.Zoo.branches")
        self.assertIn("option 'interval'", run.stdout + run.stderr)
        self.assert_nothing_is_left()

    def test_other_profilers_work_where_this_one_cannot(self):
        """The jar alone, without library and tool: the class is still a service, and fails only where it is asked for."""
        alone = self.folder / "alone" / self.jar.name
        alone.parent.mkdir()
        shutil.copy(self.jar, alone)
        without = {"PATH": "/usr/bin:/bin"}
        self.assertFalse(any(pathlib.Path(folder, "iprof").exists() for folder in without["PATH"].split(":")))
        run = self.run_jmh("-prof", "iprof", "zoo.Zoo", jar=alone, env=without, expect=1)
        self.assertRegex(run.stderr, r"(?m)^iprof: the agent's library, libiprofagent.so, is not here: say where it is with .*agent=FILE")
        run = self.run_jmh("-lprof", jar=alone, env=without)
        self.assertRegex(run.stdout, r"(?m)^ *gc: ")
        self.assertIn("iprof: the agent's library", run.stdout)
        run = self.run_jmh("-f", "1", "-bm", "ss", "-wi", "0", "-i", "1", "-prof", "gc", "zoo.Zoo.branches", jar=alone, env=without)
        self.assertIn("gc.count", run.stdout)

    def test_it_is_a_service(self):
        run = self.run_jmh("-lprof")
        self.assertRegex(run.stdout, r"(?m)^ *iprof: GraalVM PGO profiles .* \(discovered\)")

    def test_old_jvms_can_load_the_service(self):
        """JMH runs on Java 8, too, and loads all services there. These classes are for Java 8, and they load without the others."""
        needed = {"iprof.class", "iprofagent/jmh/WrongOptions.class", "META-INF/services/org.openjdk.jmh.profile.Profiler"}
        fewer = self.folder / "fewer.jar"
        with zipfile.ZipFile(self.jar) as whole, zipfile.ZipFile(fewer, "w") as jar:
            for name in needed:
                content = whole.read(name)
                jar.writestr(name, content)
                if name.endswith(".class"):
                    self.assertEqual(content[6:8], bytes((0, 52)), name)
        run = self.run_jmh("-f", "1", "-bm", "ss", "-wi", "0", "-i", "1", "-prof", "org.openjdk.jmh.profile.GCProfiler", "zoo.Zoo.branches", jar=fewer)
        self.assertIn("gc.count", run.stdout)

    def test_it_is_found_where_it_is_installed(self):
        prefix = self.folder / "usr"
        self.run_command(["cmake", "--install", Settings.agent.parent, "--prefix", prefix])
        jar = prefix / "share" / "java" / self.jar.name
        self.measure(*single_shots(), "-prof", "iprof", "zoo.Zoo.branches", jar=jar, env={"PATH": "/usr/bin:/bin"})
        self.assertEqual(self.profile("zoo.Zoo.branches-SingleShotTime-step-1.iprof").calls_of("zoo.Zoo.half"), BATCH)
