"""AgentCase: the base of every test that runs Java programs under the agent.

Each test method gets its own empty folder, in which its programs run. The JVM is the one that the runner was given
(self.jvm). A test that needs something that this JVM lacks calls self.skipTest and names it.

Example, a whole test with the program java-tests/programs/Ends.java:

  class Endings(AgentCase):
      def test_the_profile_survives_exit(self):
          self.run_java("Ends", "exit", agent="out=x.iprof", expect=3)
          self.assertIn("Ends.main([Ljava.lang.String;)void", self.profile("x.iprof").methods)

self.profile fails if the profile breaks a rule of the format. harness/profile.py shows profiles with names instead of ids,
and prints readable differences. java-tests/CMakeLists.txt says on which JVMs a test runs (iprof_java_test).
"""

import dataclasses
import functools
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from iprofdev.jvms import Jvm
from iprofdev.messages import SKIPPED
from iprofdev.places import ROOT
from iprofdev.processes import PATIENCE_S, java_environment

from harness import profile as profiles


@dataclasses.dataclass
class Run:
    """How a program ended."""
    code: int
    stdout: str
    stderr: str
    command: list

    def __str__(self):
        return f"{' '.join(map(str, self.command))}\nexit {self.code}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


SCHEMA_CHECK = ROOT / "scripts" / "schema-check"


@functools.cache
def official_schemas():
    """What validates a profile in this process, because that takes less than the start of another; None without the schemas or the validator."""
    done = subprocess.run([SCHEMA_CHECK, "--where"], capture_output=True, text=True, check=False)
    if done.returncode == SKIPPED:
        return None
    folder, packages = done.stdout.splitlines()
    sys.path.append(packages)
    from schema_check import Schemas  # of scripts/lib
    return Schemas(pathlib.Path(folder))


def refused_by_reference(path):
    """What the reference validator says against a profile. It takes four seconds for a small one, so only tests.first_profile and the
    writer's tests use it."""
    done = subprocess.run([SCHEMA_CHECK, "--reference", path], capture_output=True, text=True, check=False)
    return "" if done.returncode in (0, SKIPPED) else done.stdout[-5000:] + done.stderr[-5000:]


class Settings:
    """Set once by run.py."""
    jvm: Jvm
    agent: pathlib.Path
    classes: pathlib.Path
    tool: pathlib.Path = None  # the iprof tool
    part: str = "all"  # of the tests, see scope.py


# For jvm_defaults. In a short program, C2 takes as much processor time as everything else together.
C1_ONLY = ("-XX:TieredStopAtLevel=1",)
_CHOOSES_COMPILERS = ("-Xint", "-Xcomp", "-XX:TieredStopAtLevel=", "-XX:-TieredCompilation")


# The end of the agent's warning about tables that were to be recorded and are empty.
EMPTY_TABLES = ", which were to be recorded"


class AgentCase(unittest.TestCase):
    maxDiff = None
    # The JVM options of a class of tests. Tests that do not depend on compiled code use C1_ONLY; a test that chooses
    # compilers itself is not affected.
    jvm_defaults = ()
    # The agent options of a class of tests, unless a test gives others. Tests that compare with what the JVM runs need
    # image=n: by default the agent leaves out what no image has.
    agent_defaults = {}

    def setUp(self):
        self.jvm = Settings.jvm
        self._profiles = {}  # those that have been checked
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="iprof-test."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    # --- Running programs.

    def java_command(self, main, *args, agent="", jvm_args=()):
        """main: a class of programs/, or for example ["-jar", path]. agent: option text; None: without the agent."""
        command = [self.jvm.java]
        if agent is not None:
            given = {option.partition("=")[0] for option in agent.split(",")}
            if "help" not in given:
                agent = ",".join(filter(None, [agent, *(f"{name}={value}" for name, value in self.agent_defaults.items()
                                                        if name not in given)]))
            command.append(f"-agentpath:{Settings.agent}" + (f"={agent}" if agent else ""))
        if not any(str(option).startswith(_CHOOSES_COMPILERS) for option in jvm_args):
            command += self.jvm_defaults
        main = [main] if isinstance(main, str) else list(main)
        return [str(part) for part in (*command, "-cp", Settings.classes, *jvm_args, *main, *args)]

    def environment(self, extra=None):
        return java_environment(extra)

    def run_java(self, main, *args, agent="", jvm_args=(), env=None, cwd=None, expect=0, timeout=PATIENCE_S):
        """Runs a program to its end. expect: its exit code, or None for any."""
        return self.run_command(self.java_command(main, *args, agent=agent, jvm_args=jvm_args),
                                env=env, cwd=cwd, expect=expect, timeout=timeout)

    def run_command(self, command, env=None, cwd=None, expect=0, timeout=PATIENCE_S):
        done = subprocess.run([str(part) for part in command], cwd=cwd or self.folder, env=self.environment(env),
                              capture_output=True, timeout=timeout, check=False)
        run = Run(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), command)
        if expect is not None and run.code != expect:
            self.fail(f"expected exit {expect} of\n{run}")
        return run

    def start_java(self, main, *args, agent="", jvm_args=(), env=None, ready="ready", timeout=PATIENCE_S, prefix=()):
        """Starts a program and waits until it prints the line `ready`, unless that is None. At the end of the test, it is killed
        if it still runs. prefix: a command that starts the JVM, such as setpriv with its options."""
        out = open(self.folder / f"stdout.{time.monotonic_ns()}", "w+b")
        err = open(self.folder / f"stderr.{time.monotonic_ns()}", "w+b")
        command = [*map(str, prefix), *self.java_command(main, *args, agent=agent, jvm_args=jvm_args)]
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment(env), stdin=subprocess.PIPE, stdout=out, stderr=err)
        process.out_path, process.err_path = pathlib.Path(out.name), pathlib.Path(err.name)
        out.close()
        err.close()
        # Left by a JVM of the same number that was killed; another user's JVM could not remove it.
        pathlib.Path(f"/tmp/.java_pid{process.pid}").unlink(missing_ok=True)
        self.addCleanup(self._end, process)
        deadline = time.monotonic() + timeout
        while ready is not None and ready not in process.out_path.read_text().splitlines():
            if process.poll() is not None or time.monotonic() > deadline:
                self.fail(f"{main} never said {ready!r}:\n{process.err_path.read_text()}")
            time.sleep(0.02)
        return process

    @staticmethod
    def _end(process):
        if process.poll() is None:
            process.kill()
        process.stdin.close()
        process.wait()

    def attach(self, process, options="", expect_ok=True):
        """Loads the agent into a running JVM with the jcmd of the same JVM; returns jcmd's output."""
        jcmd = self.jvm.tool("jcmd")
        if jcmd is None:
            self.skipTest(f"{self.jvm.id} has no jcmd to attach with")
        run = self.run_command([jcmd, str(process.pid), "JVMTI.agent_load", Settings.agent] +
                               ([f'"{options}"'] if options else []), expect=None)
        self.assertEqual("return code: 0" in run.stdout, expect_ok, run)
        return run

    def run_tool(self, *args, expect=0):
        """Runs the iprof tool."""
        if Settings.tool is None or not Settings.tool.exists():
            self.skipTest("the iprof tool is not built")
        return self.run_command([Settings.tool, *args], expect=expect)

    # --- Looking at profiles.

    def profile(self, name="default.iprof"):
        """Loads a profile from the test's folder (or an absolute path) and checks that it is valid."""
        path = self.folder / name
        if not path.exists():
            self.fail(f"no {name}; the folder holds {sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob('*'))}")
        written = (path, path.stat().st_mtime_ns, path.stat().st_ino)
        if written not in self._profiles:
            self._profiles[written] = self._checked_profile(name, path)
        return self._profiles[written]

    def _checked_profile(self, name, path):
        loaded = profiles.load_profile(path)
        wrong = profiles.violations(loaded.document)
        if wrong:
            self.fail(f"{name} breaks {len(wrong)} rules:\n" + "\n".join(wrong[:50]))
        if Settings.tool is not None and Settings.tool.exists():
            self.run_command([Settings.tool, "check", path])
        wrong = official_schemas() and official_schemas().violations(loaded.document)
        if wrong:
            self.fail(f"{name} breaks the official schema:\n" + "\n".join(wrong))
        return loaded

    def assert_same(self, expected, actual, message=""):
        """Checks for equality; a failure shows a diff with one entry per line."""
        if expected != actual:
            self.fail(message + "\n" + profiles.difference(expected, actual))

    def agent_lines(self, text):
        """The lines of the agent in a program's stderr. Without the warning of empty tables: whether a short program has
        a sample is chance."""
        return [line for line in text.splitlines() if line.startswith("iprofagent: ") and not line.endswith(EMPTY_TABLES)]
