"""The Maven artefact iprof-agent: Maven builds it and installs it into a local repository, and a program that Maven builds with
it from there loads and controls the agent, on the class path and as a module."""

import hashlib
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import zipfile

from iprofdev import jvms, mavenbuild
from iprofdev.messages import Unavailable
from iprofdev.places import ROOT

from harness.case import C1_ONLY, AgentCase, Settings
from harness.scope import on_one_jvm
from harness.session_case import AS_NOBODY, NOBODY, needs_jvm_for_all_users, needs_root

ROUND = "application.Main.round()void"
OPTIONS = "samples=n,image=n,jdk=n"
LIBRARY = "native/x86_64-linux-glibc/libiprofagent.so"
# From 21 on HotSpot warns about agents that are loaded late.
QUIET = "-XX:+EnableDynamicAgentLoading"
VERSION = re.search(r"^project\(iprofagent VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
OLD_S = 2 * 3600


class MavenArtefact(AgentCase):
    @classmethod
    def setUpClass(cls):
        cls.built = pathlib.Path(tempfile.mkdtemp(prefix="iprof-test."))
        cls.addClassCleanup(shutil.rmtree, cls.built, ignore_errors=True)
        try:
            with mavenbuild.local_repository() as build:
                build(ROOT / "runtime/maven", f"-Diprof.build={cls.built}/agent", f"-Diprof.library={Settings.agent}", f"-Diprof.tool={Settings.tool}", "install")
                build(ROOT / "java-tests/maven/application", f"-Dbuild={cls.built}/application", "compile")
            cls.missing = None
        except Unavailable as missing:
            cls.missing = str(missing)
            return
        cls.jar, = (cls.built / "application/lib").iterdir()
        cls.classes = cls.built / "application/classes"

    def command(self, *arguments, jvm_args=(), jar=None, as_module=False):
        jar = jar or self.jar
        place = ["-p", f"{self.classes}:{jar}", "-m", "application/application.Main"] if as_module else \
            ["-cp", f"{self.classes}:{jar}", "application.Main"]
        return [self.jvm.java, *C1_ONLY, QUIET, f"-Djava.io.tmpdir={self.temporary}", *jvm_args, *place, *arguments]

    def setUp(self):
        super().setUp()
        if self.missing:
            self.skipTest(self.missing)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def application(self, *arguments, **options):
        """What the program prints, a pair for each argument. Its end and its own count must be as without the agent."""
        run = self.run_command(self.command(*arguments, **options))
        lines = [line.split(": ", 1) for line in run.stdout.splitlines()]
        rounds = sum(int(argument[7:]) for argument in arguments if argument.startswith("rounds="))
        self.assertEqual(lines.pop(), ["rounds in all", str(rounds)], run)
        self.assertEqual([name for name, _ in lines], [argument.split("=")[0] for argument in arguments], run)
        self.stderr = run.stderr
        return [said for _, said in lines]

    def rounds_in(self, name):
        return self.profile(name).calls_of(ROUND)

    def assert_nothing_is_left(self):
        self.assertEqual(list(self.temporary.iterdir()), [])

    # --- The API.

    def test_each_method_does_what_it_says(self):
        for as_module in (False, True):
            with self.subTest(as_module=as_module):
                awkward = f"a, 'b' \"c\" 100% \N{SNOWMAN} \N{GRINNING FACE} {as_module}.iprof"
                said = self.application("module", "status", f"load={OPTIONS},start=n,out=the \N{SNOWMAN}.iprof", "status", "rounds=2", "start", "status",
                                        "rounds=3", "dump=dump.iprof", "rounds=1", "stop=stop.iprof", "rounds=7", "start", "rounds=1",
                                        "reset", "rounds=5", f"stop={awkward}", "start=own.iprof", "rounds=2", "status", "dump", as_module=as_module)
                self.assertEqual(said[0], "org.iprofagent" if as_module else "null")
                self.assertEqual(said[1], "idle, loaded false, recording false, pid false, out ")
                self.assertEqual(said[2], "the agent is loaded")
                self.assertEqual(said[3], f"stopped, loaded true, recording false, pid true, out {self.folder}/the \N{SNOWMAN}.iprof")
                self.assertEqual(said[6], f"recording, loaded true, recording true, pid true, out {self.folder}/the \N{SNOWMAN}.iprof")
                self.assertIn(f"wrote {self.folder}/dump.iprof", said[8])
                self.assertEqual(said[-2], f"recording, loaded true, recording true, pid true, out {self.folder}/own.iprof")
                self.assertEqual([self.rounds_in(name) for name in ("dump.iprof", "stop.iprof", awkward)], [3, 4, 5])
                self.assertEqual(self.rounds_in("own.iprof"), 7)  # a start continues
                self.assertFalse((self.folder / "the \N{SNOWMAN}.iprof").exists())
                self.assert_nothing_is_left()

    @on_one_jvm
    def test_the_jar_in_two_class_loaders_is_one_agent(self):
        said = self.application(f"load={OPTIONS},out=end.iprof", "rounds=2", "elsewhere=a.iprof", "rounds=1", "status")
        self.assertIn(f"wrote {self.folder}/a.iprof", said[2])
        self.assertTrue(said[-1].startswith("stopped"), said)
        self.assertEqual(self.rounds_in("a.iprof"), 2)

    @on_one_jvm
    def test_start_loads_the_agent(self):
        said = self.application("start", "rounds=3", "stop=a.iprof", "start", "start")
        self.assertEqual(said[0], "the agent is loaded")
        self.assertEqual(self.rounds_in("a.iprof"), 3)
        self.assertTrue(said[-1].startswith("REFUSED: the recording is running already"), said)

    @on_one_jvm
    def test_what_the_agent_refuses_leaves_the_program_as_it_was(self):
        said = self.application("stop", "dump=a.iprof", "load=colour=blue", "rounds=2", "load=source=both,include=a.*", "load=control=/etc/passwd",
                                f"load={OPTIONS},out=a.iprof", "load=out=b.iprof", "rounds=3")
        self.assertEqual(said[:2], ["REFUSED: the agent is not loaded in this JVM"] * 2)
        self.assertRegex(said[2], "^REFUSED: .*option 'colour'")
        self.assertRegex(said[4], "^REFUSED: source=both must count from the JVM's start")
        self.assertRegex(said[5], "^(REFUSED|FAILED): option 'control': ")
        self.assertEqual(said[6], "the agent is loaded")
        self.assertRegex(said[7], "^REFUSED: .*already loaded")
        self.assertEqual(self.rounds_in("a.iprof"), 3)
        self.assertEqual(list(self.folder.glob("*.iprof")), [self.folder / "a.iprof"])

    @on_one_jvm
    def test_options_that_cannot_be_handed_over(self):
        said = self.application("load=out=a\nb.iprof", "load=out='\".iprof", "rounds=1")
        self.assertIn("control characters", said[0])
        self.assertIn("both kinds of quotes", said[1])
        self.assertEqual(said[2], "1")

    def test_an_agent_of_the_command_line_takes_commands(self):
        for more in ([], ["-XX:-EnableDynamicAgentLoading"], ["-XX:+DisableAttachMechanism"]):
            with self.subTest(more):
                said = self.application("status", "rounds=2", "stop=a.iprof", "rounds=1", "where",
                                        jvm_args=[f"-agentpath:{Settings.agent}={OPTIONS},out=end.iprof", *more])
                self.assertTrue(said[0].startswith("recording, loaded true"), said)
                self.assertEqual(self.rounds_in("a.iprof"), 2)
                self.assertEqual(said[-1], str(Settings.agent))  # no second copy
                self.assertEqual(self.stderr.count("WARNING"), 0, self.stderr)

    def test_jvms_that_do_not_load_agents(self):
        cases = {("--limit-modules", "java.base,java.management"): "jdk.management"}
        if self.jvm.major >= 21:  # before, HotSpot heeds the flag for tools that attach only
            cases["-XX:-EnableDynamicAgentLoading",] = "EnableDynamicAgentLoading.*-agentpath"
        for flags, why in cases.items():
            with self.subTest(flags):
                said = self.application("load=out=a.iprof", "rounds=2", "status", jvm_args=flags)
                self.assertRegex(said[0], f"^UNAVAILABLE: .*{why}")
                self.assertEqual(said[2].split(",")[0], "idle")
                self.assertEqual(list(self.folder.glob("*.iprof")), [])

    def test_attaching_may_be_disabled(self):
        self.application(f"load={OPTIONS},out=a.iprof", "rounds=2", jvm_args=["-XX:+DisableAttachMechanism"])
        self.assertEqual(self.rounds_in("a.iprof"), 2)

    # --- -javaagent.

    def test_javaagent(self):
        for as_module in (False, True):
            with self.subTest(as_module=as_module):
                said = self.application("rounds=4", "status", "stop=b.iprof", as_module=as_module,
                                        jvm_args=[f"-javaagent:{self.jar}={OPTIONS},out=a.iprof"])
                self.assertTrue(said[1].startswith("recording, loaded true"), said)
                self.assertEqual(self.rounds_in("b.iprof"), 4)
                self.assertNotIn("another agent", self.stderr)

    @on_one_jvm
    def test_javaagent_beside_another_java_agent(self):
        self.application("rounds=4", jvm_args=[f"-javaagent:{self.other_java_agent()}", f"-javaagent:{self.jar}={OPTIONS},out=a.iprof"])
        self.assertIn("another agent (other.jar) may change classes first", self.stderr)
        self.assertEqual(self.rounds_in("a.iprof"), 4)

    @on_one_jvm
    def test_javaagent_writes_at_the_end(self):
        self.application("rounds=4", jvm_args=[f"-javaagent:{self.jar}=out=a.iprof,samples=n"])
        self.assertEqual(self.rounds_in("a.iprof"), 4)

    @on_one_jvm
    def test_javaagent_with_bad_options(self):
        for options, why, expected in (("=colour=blue", "unknown option 'colour'|option 'colour'", 1), ("=only=other.*,out=a.iprof", "", 0)):
            with self.subTest(options):
                self.assertEqual(self.application("rounds=2", jvm_args=[f"-javaagent:{self.jar}{options}"]), ["2"])
                lines = self.agent_lines(self.stderr)
                self.assertEqual(len(lines), expected, self.stderr)
                if expected:
                    self.assertRegex(lines[0], why)
                self.assertEqual(list(self.folder.glob("*.iprof")), [])

    def test_a_tool_loads_the_jar_into_a_running_jvm(self):
        jcmd = self.jvm.tool("jcmd")
        if jcmd is None:
            self.skipTest(f"{self.jvm.id} has no jcmd")
        process = self.started("rounds=2", "pause", "rounds=3", "stop=b.iprof")
        self.assertEqual(process.stdout.readline(), "rounds: 2\n")
        for options, expected in (("colour=blue", False), (f"{OPTIONS},out=a.iprof", True)):
            run = self.run_command([jcmd, str(process.pid), "JVMTI.agent_load", self.jar, f'"{options}"'], expect=None)
            self.assertEqual("return code: 0" in run.stdout, expected, run)
        process.communicate("\n\n")
        self.assertEqual(self.rounds_in("b.iprof"), 3)

    # --- The library in the jar.

    @on_one_jvm
    def test_the_jar_names_the_checksum_of_what_it_holds(self):
        with zipfile.ZipFile(self.jar) as jar:
            library = jar.read(LIBRARY)
            self.assertEqual(library, Settings.agent.read_bytes())
            self.assertEqual(jar.read(LIBRARY + ".sha256").decode().strip(), hashlib.sha256(library).hexdigest())
            self.assertIn("META-INF/LICENSE", jar.namelist())

    @on_one_jvm
    def test_jars_with_the_products_of_several_packages(self):
        files = {"lib/libiprofagent.so": "", "bin/iprof": "-tool"}  # in a package; the end of the jar's name
        targets = "x86_64-linux-glibc", "aarch64-linux-musl"
        stage = self.folder / "stage"
        build = ["-q", f"-Diprof.build={self.folder}/build", f"-Diprof.packages={stage}", "package"]
        stage.mkdir()
        with self.assertRaisesRegex(mavenbuild.BuildFailed, "there is no iprofagent-.*-TARGET/lib/libiprofagent.so in .*/stage"):
            mavenbuild.build(ROOT / "runtime/maven", *build)
        for target, file in itertools.product(targets, files):
            path = stage / f"iprofagent-{VERSION}-{target}" / file
            path.parent.mkdir(parents=True)
            path.write_text(f"{file} of {target}")
        mavenbuild.build(ROOT / "runtime/maven", *build)
        for file, ending in files.items():
            with zipfile.ZipFile(self.folder / f"build/iprof-agent-{VERSION}{ending}.jar") as jar:
                for target in targets:
                    name, content = f"native/{target}/{pathlib.Path(file).name}", f"{file} of {target}".encode()
                    self.assertEqual(jar.read(name), content)
                    self.assertEqual(jar.read(name + ".sha256").decode().strip(), hashlib.sha256(content).hexdigest())

    @on_one_jvm
    def test_the_version_is_that_of_the_project(self):
        self.assertEqual(self.jar.name, f"iprof-agent-{VERSION}.jar")
        ours = re.compile(r"<groupId>org\.iprofagent</groupId>\s*<artifactId>[^<]*</artifactId>\s*<version>([^<$]*)</version>")
        poms = [*(ROOT / "runtime").rglob("pom.xml"), *(ROOT / "docs/samples").rglob("pom.xml")]
        self.assertEqual({pom: set(ours.findall(pom.read_text())) for pom in poms}, {pom: {VERSION} for pom in poms})

    def other_java_agent(self):
        """A Java agent that does nothing."""
        source = self.folder / "Other.java"
        source.write_text("public class Other { public static void premain(String options) {} }\n")
        self.run_command([jvms.build_jdk().javac, "--release", "17", "-d", self.folder, source])
        with zipfile.ZipFile(self.folder / "other.jar", "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: Other\n")
            jar.write(self.folder / "Other.class", "Other.class")
        return self.folder / "other.jar"

    def changed_jar(self, change):
        """A copy of the jar; change(name, bytes) gives the bytes of each entry, or None to leave it out."""
        copy = self.folder / "changed.jar"
        with zipfile.ZipFile(self.jar) as old, zipfile.ZipFile(copy, "w") as new:
            for entry in old.infolist():
                content = change(entry.filename, old.read(entry))
                if content is not None:
                    new.writestr(entry, content)
        return copy

    @on_one_jvm
    def test_a_damaged_or_missing_library_is_not_loaded(self):
        damaged = self.changed_jar(lambda name, content: content[:-1] + bytes([content[-1] ^ 1]) if name == LIBRARY else content)
        said = self.application("load=out=a.iprof", "where", "rounds=1", jar=damaged)
        self.assertRegex(said[0], "^UNAVAILABLE: this jar is damaged: .* has SHA-256 [0-9a-f]{64}, not [0-9a-f]{64}$")
        self.assertEqual(said[1], "nowhere")
        missing = self.changed_jar(lambda name, content: None if name == LIBRARY else content)
        said = self.application("load=out=a.iprof", jar=missing)
        self.assertRegex(said[0], f"^UNAVAILABLE: this jar has no {LIBRARY}; -Dorg.iprofagent.library=FILE")
        self.application(f"load={OPTIONS},out=a.iprof", "rounds=1", jar=missing, jvm_args=[f"-Dorg.iprofagent.library={Settings.agent}"])
        self.assertEqual(self.rounds_in("a.iprof"), 1)
        self.assert_nothing_is_left()

    def started(self, *arguments, prefix=(), **options):
        process = subprocess.Popen([*map(str, prefix), *map(str, self.command(*arguments, "pause", **options))], cwd=self.folder,
                                   env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(self._end, process)
        return process

    @on_one_jvm
    def test_only_this_user_sees_the_library(self):
        process = self.started(f"load={OPTIONS}", "where")
        self.assertEqual(process.stdout.readline(), "load: the agent is loaded\n")
        library = pathlib.Path(process.stdout.readline().removeprefix("where: ").strip())
        self.assertEqual(library.parent.parent, self.temporary)
        self.assertEqual([oct(path.stat().st_mode & 0o777) for path in (library.parent, library)], ["0o700", "0o600"])
        self.assertEqual(library.read_bytes(), Settings.agent.read_bytes())
        self.assertIn("recording", self.run_tool("status", str(process.pid)).stdout)  # the tool finds it, too
        process.communicate("\n")
        self.assertEqual(process.returncode, 0)
        self.assert_nothing_is_left()

    @on_one_jvm
    def test_what_a_killed_jvm_left_is_removed(self):
        running, killed = self.started(f"load={OPTIONS}"), self.started(f"load={OPTIONS}")
        for process in (running, killed):
            self.assertEqual(process.stdout.readline(), "load: the agent is loaded\n")
        killed.kill()
        killed.wait()
        young = set(self.temporary.iterdir())
        self.assertEqual(len(young), 2)
        self.application(f"load={OPTIONS},out=a.iprof")
        self.assertEqual(set(self.temporary.iterdir()), young)  # it may be one that is just being made
        stranger = self.temporary / "iprof-agent-notes"
        stranger.write_text("not a folder")
        for path in self.temporary.iterdir():
            os.utime(path, (time.time() - OLD_S,) * 2)
        self.application(f"load={OPTIONS},out=a.iprof")
        left = set(self.temporary.iterdir()) - {stranger}
        self.assertEqual(len(left), 1, "only that of the JVM that runs")
        self.assertTrue(stranger.exists())
        self.assertIn(str(left.pop()), pathlib.Path(f"/proc/{running.pid}/maps").read_text())
        running.communicate("\n")

    @on_one_jvm
    def test_a_folder_in_which_others_can_rename_is_refused(self):
        self.temporary.chmod(0o777)
        said = self.application("load=out=a.iprof", "rounds=1")
        self.assertRegex(said[0], "^UNAVAILABLE: .*every user can rename what is in .*-Dorg.iprofagent.folder=DIR")
        self.assert_nothing_is_left()
        self.temporary.chmod(0o1777)
        self.application(f"load={OPTIONS},out=a.iprof", "rounds=1")
        self.assertEqual(self.rounds_in("a.iprof"), 1)

    @on_one_jvm
    def test_a_folder_that_is_missing(self):
        said = self.application("load=out=a.iprof", jvm_args=["-Dorg.iprofagent.folder=/nowhere"])
        self.assertEqual(said, ["UNAVAILABLE: the agent's library cannot be written: there is no folder /nowhere; -Dorg.iprofagent.folder=DIR names another"])

    @needs_root
    @on_one_jvm
    def test_another_users_link_is_not_followed(self):
        link = self.folder / "link"
        for owner, is_refused in ((NOBODY, True), (os.getuid(), False)):
            link.unlink(missing_ok=True)
            link.symlink_to(self.temporary)
            os.chown(link, owner, owner, follow_symlinks=False)
            said = self.application(f"load={OPTIONS},out=a.iprof", jvm_args=[f"-Dorg.iprofagent.folder={link}"])
            self.assertEqual("belongs to another user and is not followed" in said[0], is_refused, said)
            self.assert_nothing_is_left()

    @needs_root
    @on_one_jvm
    def test_another_users_folders_are_left_alone(self):
        """A program of the user nobody removes what that user left, and not what root left."""
        needs_jvm_for_all_users(self)
        self.folder.chmod(0o755)
        self.temporary.chmod(0o1777)
        for path in self.built.rglob("*"):
            path.chmod(path.stat().st_mode | 0o055)
        self.built.chmod(0o755)
        for name, owner in (("iprof-agent-1", NOBODY), ("iprof-agent-2", 0)):
            folder = self.temporary / name
            folder.mkdir(0o700)
            os.chown(folder, owner, owner)
            os.utime(folder, (time.time() - OLD_S,) * 2)
        self.run_command([*AS_NOBODY, *self.command(f"load={OPTIONS},out={self.temporary}/a.iprof", "rounds=1")])
        self.assertEqual({path.name for path in self.temporary.iterdir()}, {"iprof-agent-2", "a.iprof"})

    # --- The reader of answers.

    @on_one_jvm
    def test_damaged_answers(self):
        sources = ROOT / "java-tests/maven/selftest/org/iprofagent"
        self.run_command([jvms.build_jdk().javac, "-cp", self.jar, "-d", self.folder, *sources.glob("*.java")])
        self.run_command([self.jvm.java, "-cp", f"{self.folder}:{self.jar}", "org.iprofagent.JsonSelftest"])
