"""iprof harvest CORE: what a core file holds is what the stopped process held, record by record; what cannot be read is
refused in one sentence."""

import json
import os
import pathlib
import signal
import subprocess

from harness.case import AgentCase, Settings
from harness.harvestable import STEPS
from harness.scope import on_one_jvm
from iprofdev.processes import PATIENCE_S
from oracle.core_writer import stop, write_core

BAD_INPUT, IO, USAGE = 3, 4, 2  # exit codes
# The archive is mapped where it was made for. Elsewhere it is changed, so that a core has all of it.
IN_PLACE = ["-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0"]
SMALL = ["-Xmx16m", "-Xss512k", "-XX:ReservedCodeCacheSize=16m", "-XX:+UseSerialGC"]


class HarvestCore(AgentCase):
    def core(self, *jvm_args, options=()):
        """A core of Harvestable, and what was harvested from the process at that moment."""
        process = self.start_java("Harvestable", STEPS, agent=None, jvm_args=[*SMALL, *jvm_args])
        stop(process.pid)
        try:
            self.run_tool("harvest", str(process.pid), "-o", self.folder / "process.iprof", *options)
            write_core(process.pid, self.folder / "core")
            with open(f"/proc/{process.pid}/maps", encoding="utf-8") as maps:
                self.libjvm = next(line.split()[-1] for line in maps if line.rstrip().endswith("libjvm.so"))
        finally:
            os.kill(process.pid, signal.SIGCONT)
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0)
        return self.folder / "core"

    def harvest(self, core, *options):
        self.run_tool("harvest", core, "-o", self.folder / "core.iprof", *options)
        return self.profile("core.iprof")

    def refused(self, core, expect, *options):
        run = self.run_command([Settings.tool, "harvest", core, "-o", self.folder / "x.iprof", *options], expect=expect)
        (line,) = run.stderr.splitlines()
        self.assertFalse((self.folder / "x.iprof").exists())
        return line.removeprefix("iprof: error: ")

    def assert_same(self, core):
        process = json.loads((self.folder / "process.iprof").read_text())
        harvested = json.loads((self.folder / "core.iprof").read_text())
        identities = set()
        for profile in (process, harvested):
            del profile["iprofagent"]["harvest"]["time"]
            (run,) = profile["iprofagent"]["provenance"]["runs"]
            self.assertRegex(run["run"], "^[0-9a-f]{32}$")
            identities.add(run.pop("run"))
            for unknown in ("start", "end", "recorded_ms", "architecture", "jvm_build"):  # in a core, or in a process
                run.pop(unknown, None)
        self.assertEqual(len(identities), 2, "each harvest is a run")
        for unknown in ("jvm_age_s", "cpu_ms"):  # in a core
            del process["iprofagent"]["harvest"][unknown]
        self.assertGreater(core.calls_of("Harvestable.step"), 0)
        self.assertEqual(sorted(process), sorted(harvested))
        for profile in (process, harvested):  # of the core of another build, fewer counters are known to be complete
            profile["iprofagent"]["code"].pop("sureness", None)
        for table in process:
            self.assertEqual(process[table], harvested[table], table)

    def test_a_core_holds_what_the_process_held(self):
        core = self.core()
        self.assert_same(self.harvest(core))
        self.assertRegex(" ".join(self.run_tool("show", self.folder / "core.iprof").stdout.split()), r"\d\dZ; no data for")
        said = json.loads(self.run_tool("harvest", core, "--list", "--format", "json").stdout)
        self.assertEqual((said["program"], said["failed"]), ("Harvestable", 0))
        # The core comes from a machine where the JDK was in another folder.
        folder = os.path.dirname(self.libjvm).encode()
        with open(core, "r+b") as file:
            head = file.read(1 << 20)  # the list of mapped files is at the beginning
            file.seek(0)
            file.write(head.replace(folder + b"/", b"/absent" + folder[7:] + b"/"))
        self.assertRegex(self.refused(core, IO), "does not contain all of libjvm.so, and /absent.*/libjvm.so cannot be opened "
                                                 r"\(No such file or directory\): add --libjvm FILE$")
        self.assert_same(self.harvest(core, "--libjvm", self.libjvm))

    def test_an_archive_of_another_build_is_not_read(self):
        core = self.core(*IN_PLACE, options=["--no-estimate"])  # fewer counters are known to be complete in a core
        if not os.path.exists(os.path.join(os.path.dirname(self.libjvm), "classes.jsa")):
            self.skipTest("this JVM has no class-data archive")
        libjvm, archive = self.folder / "libjvm.so", self.folder / "classes.jsa"
        libjvm.symlink_to(self.libjvm)
        original = pathlib.Path(self.libjvm).with_name("classes.jsa").read_bytes()
        archive.write_bytes(original)
        self.assert_same(self.harvest(core, "--libjvm", libjvm, "--no-estimate"))
        run = self.run_command([Settings.tool, "harvest", core, "-o", archive, "--libjvm", libjvm], expect=USAGE)
        self.assertEqual(run.stderr, f"iprof: error: {archive} is an input, which the profile would replace: give the profile another name\n")
        self.assertEqual(archive.read_bytes(), original)
        # Another archive of the same build has another checksum; one of another build names it, too.
        for at, why in ((4, "is another archive than the one that was mapped"),
                        (original.index(b" Server VM (") + 12, "was made by another build of the JDK")):
            changed = bytearray(original)
            changed[at] ^= 1
            archive.write_bytes(changed)
            self.assertRegex(self.refused(core, IO, "--libjvm", libjvm),
                             rf"^{core} does not contain all of /.*/classes\.jsa, and {archive} {why}$")

    @on_one_jvm
    def test_what_is_refused(self):
        core = self.core()
        other = self.folder / "libjvm.so"
        data = bytearray(pathlib.Path(self.libjvm).read_bytes())
        at = data.index(b"GNU\0", 0, 4096) + 4  # the build id
        data[at] ^= 1
        other.write_bytes(data)
        self.assertRegex(self.refused(core, BAD_INPUT, "--libjvm", other),
                         rf"^{other} is another build than the core's .*libjvm\.so \(build id \w+ instead of \w+\)$")
        self.assertIn("cannot be opened", self.refused(core, BAD_INPUT, "--libjvm", self.folder / "absent"))
        source = self.folder / "P.java"
        source.write_text("class P {}")
        self.assertEqual(self.refused(core, BAD_INPUT, "--libjvm", source), f"{source} is not a library (no ELF file)")
        self.assertRegex(self.refused(other, BAD_INPUT), "is not a core file: it is an ELF file of type 3$")
        with open(core, "r+b") as file:
            size = os.path.getsize(core)
            file.truncate(size - 1)
            self.assertEqual(self.refused(core, BAD_INPUT), f"{core} is cut short: it has {size - 1} of {size} bytes")
            file.seek(18)
            file.write(b"\x16\0")
        self.assertIn("is of another architecture (ELF machine 22)", self.refused(core, BAD_INPUT))
        self.assertIn("cannot open", self.refused(self.folder / "absent", IO))
        self.assertIn("--attach and --watch are for processes", self.refused(core, USAGE, "--watch", "1s"))
        sleeper = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        stop(sleeper.pid)
        write_core(sleeper.pid, core)
        self.assertEqual(self.refused(core, BAD_INPUT), f"{core} is not the core of a JVM: no libjvm.so was loaded")
