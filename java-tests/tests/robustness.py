"""Nothing crashes the JVM: counting in the whole JDK with various JVM options, with other agents, and with
little memory.

Every run must end with the program's output and exit code, and its profile must be valid. For programs that know their
counts, these must be right as well.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from iprofdev.processes import PATIENCE_S
from iprofdev import maven
from iprofdev.messages import Unavailable

from harness.case import C1_ONLY, Settings
from harness.scope import in_proof, on_newest_jvm, on_one_jvm
from oracle.counting_case import FEW, MANY, CountingCase

UNLOCK = "-XX:+UnlockExperimentalVMOptions"
EVERYTHING = "verbose=1,format=1.1.0,instanceofs=y"  # the tables that are on by default and the one that is not


class RobustCase(CountingCase):
    most = FEW  # classes at a site

    def whole(self, *flags, agent=EVERYTHING, most=None):
        if not self.jvm.accepts(*flags):
            self.skipTest(f"{self.jvm.id} does not know {' '.join(flags)}")
        run, _ = self.check("All", 0, most or self.most, agent=agent, jvm_args=flags)
        self.assertNotIn("# A fatal error", run.stdout)
        return run


class Switches(RobustCase):
    jvm_defaults = C1_ONLY

    @on_newest_jvm
    def test_interpreter(self):
        self.whole("-Xint")

    @in_proof
    def test_compile_everything(self):
        """With C2. The tests of counts have it from the first call on for the programs, and C1 compiles everything below."""
        self.check("Fib", agent=EVERYTHING, jvm_args=["-Xcomp"])

    @on_one_jvm
    def test_compile_everything_with_c1(self):
        self.check("Typed", 200, self.most, agent=EVERYTHING, jvm_args=["-Xcomp", "-XX:TieredStopAtLevel=1"])

    @on_one_jvm
    def test_verify_other_shapes(self):
        self.check("All", 0, self.most, agent=f"{EVERYTHING},placement=direct", jvm_args=["-Xverify:all"])
        self.check("Typed", 200, self.most, agent=f"{EVERYTHING},stripes=4", jvm_args=["-Xverify:all", "-Xint"])

    def test_compact_object_headers_compiled_at_once(self):
        flags = [UNLOCK, "-XX:+UseCompactObjectHeaders", "-Xcomp", "-XX:TieredStopAtLevel=1"]
        if not self.jvm.accepts(*flags):
            self.skipTest(f"{self.jvm.id} has no compact object headers")
        self.check("Typed", 200, self.most, agent=EVERYTHING, jvm_args=flags)


class Representations(RobustCase):
    """How the JVM checks code, and how it represents objects and classes."""
    jvm_defaults = C1_ONLY

    @on_one_jvm
    def test_verify_everything_with_the_assertions_of_the_jdk(self):
        self.whole("-Xverify:all", "-esa", "-ea")

    @on_newest_jvm
    def test_check_jni(self):
        bare = self.run_java("counting.All", 0, self.most, agent=None, jvm_args=["-Xcheck:jni"])
        run = self.whole("-Xcheck:jni")

        def warnings(text):
            return {line for line in text.splitlines() if line.startswith(("WARNING", "FATAL ERROR", "Warning"))}
        self.assertEqual(warnings(run.stdout + run.stderr) - warnings(bare.stdout + bare.stderr), set())

    def test_compact_object_headers(self):
        self.whole(UNLOCK, "-XX:+UseCompactObjectHeaders")

    @on_one_jvm
    def test_no_compressed_pointers(self):
        self.whole("-XX:-UseCompressedOops")

    @on_newest_jvm
    def test_no_compressed_class_pointers(self):
        self.whole("-XX:-UseCompressedClassPointers")

    @on_one_jvm
    def test_all_identity_hashes_are_equal(self):
        """The table of classes must work without object tags."""
        self.check("Typed", 200, self.most, agent=f"{EVERYTHING},receivers-max-lost=0", jvm_args=[UNLOCK, "-XX:hashCode=2"],
                   only_where_counted=True, lambdas=False)


class Collectors(RobustCase):
    jvm_defaults = C1_ONLY

    @on_one_jvm
    def test_serial(self):
        self.whole("-XX:+UseSerialGC", "-Xmx256m")

    @on_newest_jvm
    def test_parallel(self):
        self.whole("-XX:+UseParallelGC", "-Xmx256m")

    def test_g1_in_a_small_heap(self):
        self.whole("-XX:+UseG1GC", "-Xmx80m", most=MANY)  # a quarter is for the agent

    @on_newest_jvm
    def test_z(self):
        self.whole("-XX:+UseZGC")

    def test_generational_z(self):
        self.whole("-XX:+UseZGC", "-XX:+ZGenerational")

    def test_generational_shenandoah(self):
        self.whole(UNLOCK, "-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational")

    @on_one_jvm
    def test_shenandoah(self):
        self.whole("-XX:+UseShenandoahGC")

    @on_one_jvm
    def test_epsilon(self):
        self.whole(UNLOCK, "-XX:+UseEpsilonGC", "-Xmx2g")


@in_proof
class RepresentationsWithC2(Representations):
    """C2 takes as long as the programs, and the tests of counts have it in each mode of its own."""
    jvm_defaults = ()
    most = MANY


@in_proof
class CollectorsWithC2(Collectors):
    jvm_defaults = ()
    most = MANY


class OtherAgents(RobustCase):
    jvm_defaults = C1_ONLY

    def jacoco(self):
        try:
            jar = maven.jar("jacoco-agent")
        except Unavailable as missing:
            self.skipTest(str(missing))
        return f"-javaagent:{jar}=destfile={self.folder / 'jacoco.exec'},includes=counting.*"

    def beside(self, first, options="placement=direct", jvm_args=(), library=True):
        """In classes that JaCoCo changed, positions are aligned, or the method is left out; counts are never wrong."""
        jacoco, ours = self.jacoco(), f"-agentpath:{Settings.agent}={options}"
        agents = [jacoco, ours] if first else [ours, jacoco]
        command = [self.jvm.java, *agents, *self.jvm_defaults, *jvm_args, "-cp", Settings.classes, "counting.All", "0", self.most]
        run = self.run_command(command)
        self.profile()
        from oracle import counts, expectations
        from oracle.counting_case import program
        checker = expectations.Checker(program(), counts.from_profile(self.folder / "default.iprof"), tree=False,
                                       only_where_counted=True, library=library, lambdas=self.names_lambdas())
        outcome = checker.check(expectations.parse(run.stdout))
        print(f"{self.jvm.id} JaCoCo {'first' if first else 'second'}: {outcome.summary()}", file=sys.stderr)
        self.assertEqual(outcome.wrong[:40], [])
        self.assertGreater((self.folder / "jacoco.exec").stat().st_size, 1000)
        return run, outcome

    def comes_first(self, run):
        return [line for line in self.agent_lines(run.stderr) if "another agent" in line]

    @on_newest_jvm
    def test_jacoco_before(self):
        run, outcome = self.beside(first=True, options="samples=n,placement=direct")
        self.assertEqual(len(self.comes_first(run)), 1, run.stderr)
        self.assertIn("comes first: put -agentpath:", self.comes_first(run)[0])
        self.assertGreater(outcome.exact, 100, "calls stay, only positions go")
        profile = self.profile()
        added = {m["name"] for m in profile.document["methods"]
                 if profile.type_names[m["signature"][0]].startswith(("counting.All", "counting.Ifs", "counting.Expect"))}
        self.assertIn("main", added)
        self.assertEqual({name for name in added if "jacoco" in name.lower()}, set())

    @on_one_jvm
    def test_jacoco_before_without_the_jdk(self):
        """Without the early hook the order is the same."""
        run, _ = self.beside(first=True, options="jdk=n,placement=direct", library=False)
        self.assertEqual(len(self.comes_first(run)), 1, run.stderr)

    @on_one_jvm
    def test_jacoco_after(self):
        run, outcome = self.beside(first=False)
        self.assertEqual(self.comes_first(run), [])
        # Receivers of a site that lost objects in races with other threads may be left out; nothing else.
        self.assertLessEqual(outcome.missing, outcome.checked // 100)

    @on_one_jvm
    def test_jacoco_with_a_late_start(self):
        """-Xshare:on makes the agent retransform, which happens after every other agent, although ours is named first."""
        if self.run_java(["-version"], agent=None, jvm_args=["-Xshare:on"], expect=None).code:
            self.skipTest(f"{self.jvm.id} has no archive to share")
        run, outcome = self.beside(first=False, jvm_args=["-Xshare:on"])
        self.assertEqual(len(self.comes_first(run)), 1, run.stderr)
        self.assertGreater(outcome.exact, 100)

    def test_debugger(self):
        jdb = self.jvm.tool("jdb")
        if jdb is None:
            self.skipTest(f"{self.jvm.id} has no jdb")
        process = self.start_java("counting.Debugged", jvm_args=[
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0"], ready="waiting")
        port = process.out_path.read_text().split("address: ")[1].split()[0].split(":")[-1]
        script = "stop in counting.Debugged.step\ncont\nwhere\nstep\nlocals\nclear counting.Debugged.step\ncont\nquit\n"
        # The program must continue, also if the debugger fails. jdb itself sometimes hangs at its end (one run in eight
        # on a busy machine, with and without the agent); the program must also survive when jdb is killed.
        try:
            said = subprocess.run([jdb, "-attach", f"127.0.0.1:{port}"], input=script, capture_output=True, text=True,
                                  timeout=40, check=False).stdout
        except subprocess.TimeoutExpired:
            said = "jdb hung and was killed"
        process.stdin.write(b"end\n")
        process.stdin.flush()
        self.assertEqual(process.wait(PATIENCE_S), 0, process.err_path.read_text() + said)
        self.profile()


class Layouts(RobustCase):
    jvm_defaults = C1_ONLY

    def modular(self):
        javac = self.jvm.tool("javac")
        if javac is None:
            self.skipTest(f"{self.jvm.id} has no javac")
        app = self.folder / "out" / "app"
        shutil.copytree(Settings.classes / "counting", app / "counting")
        info = self.folder / "module-info.java"
        info.write_text("module app { exports counting; requires java.instrument; requires java.management; }\n")
        self.run_command([javac, "--release", "17", "-d", app, info])
        return self.folder / "out"

    @on_one_jvm
    def test_modular_application(self):
        self.check(["-p", str(self.modular()), "-m", "app/counting.All"], "0", self.most)

    def test_jlinked_image(self):
        jlink = self.jvm.tool("jlink")
        if jlink is None:
            self.skipTest(f"{self.jvm.id} has no jlink")
        image = self.folder / "image"
        self.run_command([jlink, "-p", self.modular(), "--add-modules", "app", "--output", image])
        agent = f"-agentpath:{Settings.agent}=placement=direct"
        run = self.run_command([image / "bin" / "java", agent, *C1_ONLY, "-m", "app/counting.All", "0", self.most])
        self.assertTrue(run.stdout.endswith("EXPECT done\n"), run)
        self.profile()

    @in_proof
    def test_application_in_a_jar(self):
        """As the tests of archives have it, without an archive."""
        jar = self.folder / "app.jar"
        with zipfile.ZipFile(jar, "w") as archive:
            archive.writestr("META-INF/MANIFEST.MF", "Main-Class: counting.All\n")
            for path in sorted((Settings.classes / "counting").rglob("*.class")):
                archive.write(path, f"counting/{path.name}")
        self.check(["-jar", str(jar)], "0", self.most)


class Scarcity(RobustCase):
    jvm_defaults = C1_ONLY

    @on_one_jvm
    def test_no_stack_at_the_first_use_of_a_chunk(self):
        run = self.run_java("counting.Starved", "stack")
        self.assertIn("all run afterwards", run.stdout)
        self.profile()

    @on_one_jvm
    def test_no_heap_at_the_first_use_of_a_chunk(self):
        run = self.run_java("counting.Starved", "heap", jvm_args=["-Xmx96m"])
        self.assertIn("all run afterwards", run.stdout)
        self.profile()

    @on_one_jvm
    def test_memory_cap(self):
        run, outcome = self.check("All", 0, agent="memory=300k,placement=direct,verbose=1", only_where_counted=True)
        self.assertGreater(outcome.missing, 0, "the cap left nothing out")
        said = self.agent_lines(run.stderr)
        self.assertEqual(len([line for line in said if "the memory limit (memory=) is reached" in line]), 1, run.stderr)
        classes = [line for line in said if "classes left alone" in line and "the memory limit" in line]
        self.assertEqual(len(classes), 1, run.stderr)

    @on_one_jvm
    def test_memory_cap_is_told_without_being_asked(self):
        run = self.run_java("Fib", agent="memory=300k,placement=direct")
        self.assertEqual(len([line for line in self.agent_lines(run.stderr) if "memory limit" in line]), 1, run.stderr)

    def left_alone(self, run):
        """How many classes the memory limit left alone."""
        found = [re.search(r"classes left alone: (\d+) \(the memory limit", line) for line in self.agent_lines(run.stderr)]
        return sum(int(match[1]) for match in found if match)

    def test_small_heap(self):
        """With a small heap, the agent takes little memory, reports that it is not enough for 10,000 classes, and its
        counts are right. A class that it could not learn may be missing among a site's receivers; receivers-max-lost=0
        leaves such sites out."""
        options = "verbose=1,receivers-max-lost=0"
        run, outcome = self.check("All", 0, agent=options, jvm_args=["-Xmx24m"], only_where_counted=True)
        # How far the memory goes depends on the machine: where the program is slow, snapshots of its profile need some of it.
        self.assertGreater(outcome.exact, 0, outcome.summary())
        self.assertGreater(int(re.search(r"counted: (\d+) classes", run.stderr)[1]), 400, run.stderr)
        self.assertEqual(len([line for line in self.agent_lines(run.stderr) if "(memory=) is reached" in line]), 1, run.stderr)
        self.assertGreater(self.left_alone(run), 1000, run.stderr)
        allowed, _ = self.check("All", 0, agent=f"{options},memory=16m", jvm_args=["-Xmx24m"], only_where_counted=True)
        self.assertLess(self.left_alone(allowed), self.left_alone(run) / 2, allowed.stderr)

    @on_one_jvm
    def test_small_stacks(self):
        # One of the programs has a method with the largest possible frame, half a megabyte.
        run, _ = self.check("All", 0, self.most, jvm_args=["-Xss768k"])
        self.assertEqual([line for line in self.agent_lines(run.stderr) if "memory limit" in line], [], "there was none")

    @on_one_jvm
    def test_ten_thousand_loaders(self):
        self.check("Loaders", 10000, jvm_args=["-Xmx256m"])

    @on_one_jvm
    def test_code_cache_full(self):
        self.check("All", 0, self.most, jvm_args=["-XX:ReservedCodeCacheSize=4m", "-XX:TieredStopAtLevel=4"])


class Archives(RobustCase):
    jvm_defaults = C1_ONLY

    def said(self, run, word):
        """Prints only one line about the conflict."""
        lines = [line for line in self.agent_lines(run.stderr) if word in line.lower()]
        self.assertEqual(len(lines), 1, f"one line with {word!r} was expected:\n{run.stderr}")
        return lines[0]

    def test_share_on(self):
        if self.run_java(["-version"], agent=None, jvm_args=["-Xshare:on"], expect=None).code:
            self.skipTest(f"{self.jvm.id} has no archive to share")
        run, _ = self.check("All", 0, self.most, jvm_args=["-Xshare:on"])
        self.said(run, "share")

    @classmethod
    def shared(cls):
        """A folder for all tests of this run. An archive names its jar by its path and its time, so each test uses these files."""
        if "_shared" not in vars(cls):
            cls._shared = pathlib.Path(tempfile.mkdtemp(prefix="iprof-test."))
            cls.addClassCleanup(shutil.rmtree, cls._shared, ignore_errors=True)
        return cls._shared

    def archive(self):
        """The jar of the programs, and an archive of its classes, which are made once."""
        jar, archive = self.shared() / "app.jar", self.shared() / "app.jsa"
        if not jar.exists():
            with zipfile.ZipFile(jar, "w") as made:
                for path in sorted((Settings.classes / "counting").rglob("*.class")):
                    made.write(path, f"counting/{path.name}")
            done = self.run_command([self.jvm.java, *C1_ONLY, f"-XX:ArchiveClassesAtExit={archive}", "-cp", jar, "counting.All", "0", self.most],
                                    expect=None)
            type(self)._said = done.stderr
        if not archive.exists():
            self.skipTest(f"{self.jvm.id} makes no archive: {self._said[-300:]}")
        return jar, archive

    def test_application_archive(self):
        jar, archive = self.archive()
        for option, library in (("jdk=y", True), ("jdk=n", False)):
            with self.subTest(option):
                command = [self.jvm.java, f"-agentpath:{Settings.agent}={option},placement=direct", *C1_ONLY,
                           f"-XX:SharedArchiveFile={archive}", "-cp", jar, "counting.All", "0", self.most]
                run = self.run_command(command)
                self.profile()
                from oracle import counts, expectations
                from oracle.counting_case import program
                checker = expectations.Checker(program(), counts.from_profile(self.folder / "default.iprof"), tree=False,
                                               library=library, lambdas=self.names_lambdas())
                self.assertEqual(checker.check(expectations.parse(run.stdout)).wrong[:20], [], run.stderr)

    def with_aot_cache(self, *ways):
        """ways: pairs of AOTMode and an option of the agent."""
        if self.jvm.major < 24:
            self.skipTest(f"{self.jvm.id} has no AOT cache")
        jar, _ = self.archive()
        conf, cache = self.folder / "app.aotconf", self.folder / "app.aot"
        self.run_command([self.jvm.java, "-XX:AOTMode=record", f"-XX:AOTConfiguration={conf}", "-cp", jar,
                          "counting.All", "0", self.most], expect=None)
        self.run_command([self.jvm.java, "-XX:AOTMode=create", f"-XX:AOTConfiguration={conf}", f"-XX:AOTCache={cache}",
                          "-cp", jar], expect=None)
        if not cache.exists():
            self.skipTest(f"{self.jvm.id} makes no AOT cache")
        for mode, option in ways:
            with self.subTest(f"{mode} {option}"):
                run = self.run_command([self.jvm.java, f"-agentpath:{Settings.agent}={option}",
                                        f"-XX:AOTCache={cache}", f"-XX:AOTMode={mode}", "-cp", jar,
                                        "counting.All", "0", self.most])
                self.assertTrue(run.stdout.endswith("EXPECT done\n"), run)
                self.profile()
                self.said(run, "aot cache" if option == "jdk=y" else "lambdas from the application")

    def test_aot_cache(self):
        self.with_aot_cache(("on", "jdk=y"), ("auto", "jdk=n"))

    @in_proof
    def test_aot_cache_the_other_way_round(self):
        self.with_aot_cache(("auto", "jdk=y"), ("on", "jdk=n"))

    def test_making_an_aot_cache(self):
        """Recording and creation of an archive work with the agent, which does not change the JDK during that time."""
        if self.jvm.major < 24:
            self.skipTest(f"{self.jvm.id} has no AOT cache")
        jar, _ = self.archive()
        conf, cache = self.folder / "app.aotconf", self.folder / "app.aot"
        record = self.run_command([self.jvm.java, f"-agentpath:{Settings.agent}=jdk=y", "-XX:AOTMode=record",
                                   f"-XX:AOTConfiguration={conf}", "-cp", jar, "counting.All", "0", self.most],
                                  expect=None)
        self.assertNotIn("# A fatal error", record.stdout + record.stderr)
        if "does not support native JVMTI agent" in record.stdout + record.stderr:
            self.skipTest(f"{self.jvm.id} itself makes no AOT cache beside an agent")
        self.assertIn("EXPECT done\n", record.stdout)
        self.said(record, "aot cache")
        self.profile()
        if not conf.exists():
            self.skipTest(f"{self.jvm.id} records no AOT configuration: {record.stderr[-300:]}")
        create = self.run_command([self.jvm.java, f"-agentpath:{Settings.agent}=jdk=y", "-XX:AOTMode=create",
                                   f"-XX:AOTConfiguration={conf}", f"-XX:AOTCache={cache}", "-cp", jar], expect=None)
        self.assertNotIn("# A fatal error", create.stdout + create.stderr)

    def test_making_an_archive(self):
        run = self.run_command([self.jvm.java, f"-agentpath:{Settings.agent}=jdk=y",
                                f"-XX:ArchiveClassesAtExit={self.folder / 'app.jsa'}", "-cp", self.archive()[0],
                                "counting.All", "0", self.most], expect=None)
        if "does not support native JVMTI agent" in run.stdout + run.stderr:
            self.skipTest(f"{self.jvm.id} itself makes no archive beside an agent")
        self.assertTrue(run.stdout.endswith("EXPECT done\n"), run)
        self.said(run, "class-data archive")
        self.profile()
