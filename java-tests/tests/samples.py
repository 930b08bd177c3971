"""The sample projects of docs/samples, run as docs/build-tools.md says: from tests and a load to the profile of a native
image. What they need comes from Maven Central. The native image itself needs an Oracle GraalVM, so it is not built here; a program in
its builder's place shows what the builder would be given."""

import shutil

from iprofdev import mavenbuild
from iprofdev.messages import Unavailable
from iprofdev.places import ROOT, offline
from iprofdev.processes import java_environment, run

from harness.case import AgentCase, Settings
from harness.scope import in_proof

TOTAL = "com.acme.shop.Basket.total()long"
LOAD, WEIGHT = 200_000, 10
TESTS = 100 + 2  # of ShopIT and BasketTest
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
    def setUp(self):
        super().setUp()
        if Settings.tool is None or not Settings.tool.exists():
            self.skipTest("the iprof tool is not built")
        self.shop = self.folder / "shop"
        shutil.copytree(ROOT / "docs/samples/shop", self.shop)

    def assert_profiled(self):
        profile = self.profile(self.shop / PROFILE)
        self.assertEqual(profile.calls_of(TOTAL), WEIGHT * LOAD + TESTS)
        called = {context[0] for context in profile.calls()}
        self.assertEqual([name for name in called if name.startswith(("org.junit.", "org.apache.maven.", "org.gradle."))], [])

    def build(self, *arguments, env=None):
        try:
            return mavenbuild.build(self.shop, f"-Diprof.library={Settings.agent}", f"-Diprof.tool={Settings.tool}", *arguments, env=env)
        except Unavailable as missing:
            self.skipTest(str(missing))

    def test_maven(self):
        said = self.build("-Pprofile", "verify")
        self.assertIn("an image build", said)
        self.assert_profiled()
        self.build("-Pnative", "-DskipTests", "package", env={"GRAALVM_HOME": str(self.graalvm())})
        arguments = (self.folder / "graalvm/arguments").read_text().splitlines()
        self.assertIn(f"--pgo={self.shop / PROFILE}", arguments)
        self.assertEqual(arguments[-1], "com.acme.shop.Shop")

        self.assert_stale_profile_fails()

    def assert_stale_profile_fails(self):
        """The code has changed since the profile was checked in."""
        basket = self.shop / "src/main/java/com/acme/shop/Basket.java"
        source = basket.read_text()
        self.assertIn(">= 10", source)
        basket.write_text(source.replace(">= 10", ">= 12"))
        with self.assertRaises(mavenbuild.BuildFailed) as failed:
            self.build("-Pnative", "-DskipTests", "package", env={"GRAALVM_HOME": str(self.folder / "graalvm")})
        self.assertIn("less than --min-applicable 99 %: com.acme.shop.Basket.total()long: the code differs", str(failed.exception))

    def graalvm(self):
        builder = self.folder / "graalvm/bin/native-image"
        builder.parent.mkdir(parents=True)
        builder.write_text(BUILDER)
        builder.chmod(0o755)
        return self.folder / "graalvm"

    @in_proof
    def test_maven_without_the_profile(self):
        """Who does not ask for it gets an ordinary build, with the profile of last time."""
        self.build("verify")
        self.assertFalse((self.shop / PROFILE).exists())

    def test_gradle(self):
        if shutil.which("gradle") is None:
            self.skipTest("gradle is not installed: scripts/install-deps --ci")
        command = ["gradle", "--no-daemon", "--console=plain", "-Pprofile", f"-PiprofLibrary={Settings.agent}", f"-PiprofTool={Settings.tool}",
                   *(["--offline"] if offline() else []), "profileCheck"]
        done = run(command, cwd=self.shop, env=java_environment())
        if done.returncode and any(why in done.stdout + done.stderr for why in UNREACHABLE):
            self.skipTest(f"Gradle cannot fetch JUnit: {done.stderr}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("an image build", done.stdout)
        self.assert_profiled()
