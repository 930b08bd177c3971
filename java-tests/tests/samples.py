"""The plugins for Maven and Gradle, in the sample projects of docs/samples, run as docs/build-tools.md says: from tests and a load to the
profile of a native image. The plugins, and the agent that they take from iprof-agent, are installed into a local repository first. What
else they need comes from Maven Central. The native image itself needs an Oracle GraalVM, so it is not built here; a program in its
builder's place shows what the builder would be given.

Each build is one of a user's: what it prints, and the counts of the profile, show what ran with the agent. runtime/plugins has the
plugins' unit tests, which run when they are installed."""

import pathlib
import re
import shutil
import socket
import tempfile

from iprofdev import mavenbuild
from iprofdev.messages import Unavailable
from iprofdev.places import ROOT, offline
from iprofdev.processes import java_environment, run

from harness.case import AgentCase, Settings
from harness.scope import in_proof

TOTAL = "com.acme.shop.Basket.total()long"
LOAD, WEIGHT = 200_000, 10
OF_SHOP_IT, OF_BASKET_TEST = 100, 2
TESTS = OF_SHOP_IT + OF_BASKET_TEST
PLUGIN = "org.iprofagent:iprof-maven-plugin:" + re.search(r"^project\(iprofagent VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
EXEC = "org.codehaus.mojo:exec-maven-plugin:" + re.search(r"exec-maven-plugin</artifactId>\s*<version>([^<]+)",
                                                          (ROOT / "docs/samples/shop/pom.xml").read_text())[1] + ":exec"
SUREFIRE, FAILSAFE = "<artifactId>maven-surefire-plugin</artifactId>\n", "<artifactId>maven-failsafe-plugin</artifactId>\n"
PROFILE = "src/pgo-profiles/main/app.iprof"
# Answers as Oracle GraalVM does when it is asked for its version, and otherwise writes its arguments to a file.
BUILDER = """#!/bin/sh
if [ "$1" = --version ]; then
  echo "native-image 17.0.12 2024-07-16"
  echo "GraalVM Runtime Environment Oracle GraalVM 17.0.12+8.1 (build 17.0.12+8-LTS-jvmci-23.0-b41)"
  echo "Substrate VM Oracle GraalVM 17.0.12+8.1 (build 17.0.12+8-LTS, serial gc, compressed references)"
else
  for argument; do case "$argument" in @*) cat "${argument#@}" ;; *) echo "$argument" ;; esac; done > "$GRAALVM_HOME/arguments"
fi
"""
UNREACHABLE = "Could not resolve", "Could not GET", "No cached version"


class Samples(AgentCase):
    @classmethod
    def setUpClass(cls):
        cls.missing = None if Settings.tool and Settings.tool.exists() else "the iprof tool is not built"
        if cls.missing:
            return
        cls.built = pathlib.Path(tempfile.mkdtemp(prefix="iprof-test."))
        cls.addClassCleanup(shutil.rmtree, cls.built, ignore_errors=True)
        # To the end, so that no other checkout's plugins and agent replace these.
        cls.run_maven = staticmethod(cls.enterClassContext(mavenbuild.local_repository()))
        try:
            mavenbuild.install_plugins(cls.run_maven, cls.built, Settings.agent, Settings.tool)
        except Unavailable as missing:
            cls.missing = str(missing)

    def setUp(self):
        super().setUp()
        if self.missing:
            self.skipTest(self.missing)
        self.project = self.folder / "project"

    def copy(self, sample):
        shutil.copytree(ROOT / "docs/samples" / sample, self.project)

    def edit(self, name, old, new):
        file = self.project / name
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new))

    def build(self, *arguments, **options):
        try:
            return self.run_maven(self.project, *arguments, **options)
        except Unavailable as missing:
            self.skipTest(str(missing))

    def fail(self, *arguments, **options):
        """What a build prints that fails."""
        with self.assertRaises(mavenbuild.BuildFailed) as failed:
            self.build(*arguments, **options)
        return str(failed.exception)

    def calls(self, method=TOTAL):
        return self.profile(self.project / PROFILE).calls_of(method)

    def assert_profiled(self):
        self.assertEqual(self.calls(), WEIGHT * LOAD + TESTS)
        called = {context[0] for context in self.profile(self.project / PROFILE).calls()}
        self.assertEqual([name for name in called if name.startswith(("org.junit.", "org.apache.maven.", "org.gradle."))], [])

    # --- Maven

    def test_maven(self):
        self.copy("shop")
        said = self.build("-Pprofile", "verify")
        self.assertRegex(said, rf"{PROFILE}: (usable|usable with doubts|not usable)\n")  # advise
        self.assertIn("applicable by weight", said)
        self.assert_profiled()
        self.build("-Pprofile", "verify")  # without clean
        self.assert_profiled()
        self.build("-Pnative", "-DskipTests", "package", env={"GRAALVM_HOME": str(self.graalvm())})
        arguments = (self.folder / "graalvm/arguments").read_text().splitlines()
        self.assertIn(f"--pgo={self.project / PROFILE}", arguments)
        self.assertEqual(arguments[-1], "com.acme.shop.Shop")
        # The code changes after the profile was checked in.
        self.edit("src/main/java/com/acme/shop/Basket.java", ">= 10", ">= 12")
        said = self.fail("-Pnative", "-DskipTests", "package", env={"GRAALVM_HOME": str(self.folder / "graalvm")})
        self.assertIn("(fits) on project shop: ", said)
        self.assertRegex(said, r"less than --min-applicable 99 %: com\.acme\.shop\.Basket\.total\(\)long: the code differs \(\S+ %\)")

    def graalvm(self):
        builder = self.folder / "graalvm/bin/native-image"
        builder.parent.mkdir(parents=True)
        builder.write_text(BUILDER)
        builder.chmod(0o755)
        return self.folder / "graalvm"

    def test_maven_without_a_change_of_the_pom(self):
        """All goals on the command line, where the arguments of tests are, too."""
        self.copy("shop")
        goals = (f"{PLUGIN}:{goal}" for goal in ("merge", "check", "report"))
        self.build(f"{PLUGIN}:prepare", "-DargLine=-Xlog:gc:file=gc.log", "verify", *goals)
        self.assertEqual(self.calls(), TESTS)
        self.assertTrue((self.project / "gc.log").exists(), "what argLine had stays")
        self.assertIn("com.acme.shop.Basket", (self.project / "target/iprof/app.html").read_text())
        said = self.fail(f"{PLUGIN}:check", "-Diprof.minApplicable=100%", f"-Diprof.classpath={Settings.agent.parent}")
        self.assertIn("less than --min-applicable 100 %", said)

    def test_maven_with_arguments_in_the_pom(self):
        self.copy("shop")
        self.edit("pom.xml", SUREFIRE, SUREFIRE + "<configuration><argLine>@{argLine} -Xlog:gc:file=gc.log</argLine></configuration>\n")
        self.edit("pom.xml", FAILSAFE, FAILSAFE + "<configuration><argLine>-Xmx64m</argLine></configuration>\n")
        said = self.build(f"{PLUGIN}:prepare", "verify", f"{PLUGIN}:merge")
        self.assertIn("maven-failsafe-plugin runs without the agent, because the pom gives it <argLine>: put @{argLine} into that", said)
        self.assertNotIn("maven-surefire-plugin runs without", said)
        self.assertTrue((self.project / "gc.log").exists())
        self.assertEqual(self.calls(), OF_BASKET_TEST)

    def test_maven_exec(self):
        self.copy("shop")
        said = self.build("compile", f"{PLUGIN}:prepare", EXEC, f"{PLUGIN}:merge", "-Dexec.executable=java",
                          "-Dexec.args=-cp target/classes com.acme.shop.Shop 7", "-Diprof.options=samples=n,jdk=n")
        self.assertIn("merged into " + PROFILE, said)
        self.assertEqual(self.calls(), 7)
        self.assertEqual(self.profile(self.project / PROFILE).samples(), {})

    def test_maven_when_nothing_is_recorded(self):
        self.copy("shop")
        said = self.build(f"{PLUGIN}:prepare", "-Diprof.skip")
        self.assertFalse((self.project / "target").exists(), said)
        self.assertIn("there is no profile in ", self.fail(f"{PLUGIN}:merge"))
        self.assertIn(f"there is no profile {PROFILE}: merge makes it", self.fail(f"{PLUGIN}:check"))

    @in_proof
    def test_maven_without_the_profile(self):
        """Who does not ask for it gets an ordinary build, with the profile of last time."""
        self.copy("shop")
        self.build("verify")
        self.assertFalse((self.project / PROFILE).exists())

    @in_proof
    def test_spring_boot(self):
        """A service that spring-boot:start and stop run. Its JVM may still write when Maven merges."""
        self.copy("spring")
        with socket.socket() as one, socket.socket() as other:
            one.bind(("localhost", 0))
            other.bind(("localhost", 0))
            ports = f"-Dservice.port={one.getsockname()[1]}", f"-Djmx.port={other.getsockname()[1]}"
        said = self.build("-Pprofile", "verify", *ports, once=True)
        self.assertIn("applicable by weight", said)
        self.assertEqual(self.calls("com.acme.prices.Prices.price(int)long"), 2000)
        self.assertFalse((self.project / "target/iprof/tests.iprof").exists())

    # --- Gradle

    def test_gradle(self):
        """Of the API of Gradle 8, the plugin uses what Debian's Gradle 4.4.1 has, too. The sample is for the newer one."""
        if shutil.which("gradle") is None:
            self.skipTest("gradle is not installed: scripts/install-deps --ci")
        self.copy("shop")
        self.edit("build.gradle", "mainClass =", "main =")
        command = ["gradle", "--no-daemon", "--console=plain", f"-Dmaven.repo.local={mavenbuild.REPOSITORY}", *(["--offline"] if offline() else [])]
        try:
            mavenbuild.install_plugins(self.run_maven, self.built, Settings.agent, Settings.tool, modules="gradle,gradle/marker")
        except Unavailable as missing:
            self.skipTest(str(missing))
        done = run([*command, "-PiprofRecord", "iprofCheck"], cwd=self.project, env=java_environment())
        if done.returncode and any(why in done.stdout + done.stderr for why in UNREACHABLE):
            self.skipTest(f"Gradle cannot fetch JUnit: {done.stderr}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("applicable by weight", done.stdout)
        self.assert_profiled()
