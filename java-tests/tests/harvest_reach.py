"""Which JVMs iprof harvest reaches: in other namespaces, and with a libjvm that was replaced on disk. What it cannot reach is one
sentence that says what helps."""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.harvestable import STEPS
from harness.namespaces import jvm_in, own_namespaces
from harness.scope import on_one_jvm

UNSUPPORTED, IO = 3, 4  # exit codes
NOBODY = 65534
AS_NOBODY = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
# Root as a container has it.
WITHOUT_CAPABILITY = ["setpriv", "--bounding-set=-sys_ptrace,-perfmon,-sys_admin"]
CAP_SYS_PTRACE = 19
HELPS_ROOT = "with CAP_SYS_PTRACE (in a container: --cap-add=SYS_PTRACE)"

needs_root = unittest.skipUnless(os.geteuid() == 0, "needs root, for other rights and namespaces")


class Reach(AgentCase):
    def assert_harvested(self, pid, *options):
        path = self.folder / "harvest.iprof"
        path.unlink(missing_ok=True)
        self.run_tool("harvest", str(pid), "-o", path, *options)
        self.assertAlmostEqual(self.profile("harvest.iprof").calls_of("Harvestable.step"), STEPS, delta=0.1 * STEPS)

    def end(self, process):
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual((process.returncode, process.out_path.read_text()), (0, "ready\ndone\n"), process.err_path.read_text())

    def refused(self, pid, expect, prefix=()):
        run = self.run_command([*prefix, Settings.tool, "harvest", str(pid), "-o", self.folder / "x.iprof"], expect=expect)
        (line,) = run.stderr.splitlines()
        self.assertFalse((self.folder / "x.iprof").exists())
        return line.removeprefix("iprof: error: ")

    def sleeper(self, *prefix, **options):
        process = subprocess.Popen([*prefix, "sleep", "1000"], **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + PATIENCE_S
        while pathlib.Path(f"/proc/{process.pid}/comm").read_text() != "sleep\n":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        return process


class Reached(Reach):
    @on_one_jvm
    @needs_root
    def test_a_jvm_in_its_own_namespaces(self):
        """It takes itself for process 1, and its /tmp is not ours."""
        prefix, place = own_namespaces(self)
        process = self.start_java("Harvestable", STEPS, agent=None, prefix=prefix)
        pid = jvm_in(process)
        said = json.loads(self.run_tool("harvest", str(pid), "--list", "--format", "json").stdout)
        self.assertEqual((said["program"], said["jdk"], said["failed"]), ("Harvestable", self.jvm.full_version, 0))
        self.assert_harvested(pid)
        self.assert_harvested(pid, "--attach")
        self.end(process)
        self.assertEqual(list(place.iterdir()), [])

    def test_a_libjvm_that_was_replaced_on_disk(self):
        """As an update of the JDK does it. What is where in the JVM's memory must not be read from the new file."""
        self.jvm_of_our_own()
        process = self.start_java("Harvestable", STEPS, agent=None)
        library = self.folder / "jdk/lib/server/libjvm.so"
        other = self.folder / "other"
        other.write_bytes(b"\x7fELF, but of another build")
        os.replace(other, library)
        self.assertIn(f"{library} (deleted)", pathlib.Path(f"/proc/{process.pid}/maps").read_text())
        self.assert_harvested(process.pid)
        self.end(process)

    def jvm_of_our_own(self):
        """Copies of the files by which a JVM finds its home; the rest are links to this JVM's."""
        home = self.folder / "jdk"
        copied = ("bin/java", "lib/libjli.so", "lib/server/libjvm.so")
        for folder in ("", "bin", "lib", "lib/server"):
            (home / folder).mkdir()
            for path in (self.jvm.home / folder).iterdir():
                name = str(path.relative_to(self.jvm.home))
                if name in copied:
                    shutil.copy(path, home / name)
                elif name not in ("bin", "lib", "lib/server"):
                    (home / name).symlink_to(path)
        self.jvm = dataclasses.replace(self.jvm, home=home)


@on_one_jvm
class Refused(Reach):
    def test_a_library_without_hotspots_tables(self):
        library = self.folder / "libjvm.so"
        shutil.copy(Settings.agent.parent / "java-tests" / "libclass_code.so", library)
        process = self.sleeper(env={**os.environ, "LD_PRELOAD": str(library)})
        self.assertRegex(self.refused(process.pid, UNSUPPORTED),
                         rf"^process {process.pid} has a libjvm.so without HotSpot's tables \(gHotSpotVMStructs\): it is not HotSpot, or "
                         "its symbols were stripped$")

    @needs_root
    def test_root_without_the_right_to_trace(self):
        """Once a process of another user, and once one with more rights than the tool."""
        effective = int(re.search(r"^CapEff:\s*(\w+)", pathlib.Path("/proc/self/status").read_text(), re.M)[1], 16)
        if not effective >> CAP_SYS_PTRACE & 1:
            self.skipTest("this root has not got CAP_SYS_PTRACE itself")
        others = self.sleeper(*AS_NOBODY)
        self.assertEqual(self.refused(others.pid, IO, prefix=WITHOUT_CAPABILITY),
                         f"process {others.pid} belongs to user nobody, and iprof runs as root: run it as that user or {HELPS_ROOT}")
        process = self.start_java("Harvestable", STEPS, agent=None)
        said = self.refused(process.pid, IO, prefix=WITHOUT_CAPABILITY)
        self.assertTrue(said.startswith(f"the system forbids looking into process {process.pid} (/proc/{process.pid}/"), said)
        self.assertTrue(said.endswith(f"): run iprof {HELPS_ROOT}"), said)
        self.end(process)
