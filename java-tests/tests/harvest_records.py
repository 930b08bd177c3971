"""What a harvest reads is what HotSpot has: every record equals what -XX:+PrintMethodData prints, the profile holds these
numbers, and the bytecode of every method is that of its class file."""

import collections
import fcntl
import os
import subprocess
import termios
import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.harvestable import STEPS
from harness.scope import in_proof
from oracle import counts, java_sources, method_data, method_records

PIPE_BYTES = 4096


class AtRest(AgentCase):
    """A JVM that prints its MethodDatas while it ends. Nothing runs in it any more, and it stands still as long as the test does not read
    what it prints."""

    def start_ending(self, main, *args, last_line=None, jvm_args=()):
        command = self.java_command(main, *args, agent=None, jvm_args=[*method_data.PRINT, *jvm_args])
        with open(self.folder / "stderr", "wb") as said:
            process = subprocess.Popen(command, cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=said, bufsize=0)
        self.addCleanup(process.stdout.close)
        self.addCleanup(self.stop, process)
        fcntl.fcntl(process.stdout, 1031, PIPE_BYTES)  # F_SETPIPE_SZ, which Python knows from 3.10 on
        line, deadline = b"", time.monotonic() + PATIENCE_S
        while last_line and line.strip() != last_line.encode():
            line = b""
            while not line.endswith(b"\n"):
                byte = os.read(process.stdout.fileno(), 1)
                self.assertTrue(byte, f"{main} ended early: {(self.folder / 'stderr').read_text()}")
                line += byte
        while int.from_bytes(fcntl.ioctl(process.stdout, termios.FIONREAD, b"\0" * 4), "little") == 0:
            self.assertTrue(process.poll() is None and time.monotonic() < deadline, "the JVM does not print its MethodDatas")
            time.sleep(0.02)
        return process

    @staticmethod
    def stop(process):
        if process.poll() is None:
            process.kill()
        process.wait()

    def end(self, process):
        """The rest of its output, as lines."""
        rest, _ = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, (self.folder / "stderr").read_text())
        return rest.decode(errors="replace").splitlines()

    def records_of(self, process):
        tool = Settings.agent.parent / "java-tests" / "harvest_records"
        return method_records.harvested(self.run_command([tool, str(process.pid)]).stdout.splitlines())

    def profile_of(self, process):
        """The raw profile, with everything."""
        path = self.folder / "raw.iprof"
        self.run_tool("harvest", str(process.pid), "-o", path, "--no-estimate", "--no-image", "--receivers-max-lost", "100%")
        return counts.from_profile(path)

    def compare_records(self, harvested, printed):
        different = collections.Counter()
        common = harvested.keys() & printed.keys()
        for key in common:
            mine, theirs = harvested[key], printed[key]
            if mine.calls != theirs.calls:
                different[f"{key}: {mine.calls} calls, not {theirs.calls}"] += 1
            for bci in mine.records.keys() | theirs.records.keys():
                if mine.records.get(bci) != theirs.records.get(bci):
                    different[f"{key} at {bci}: {mine.records.get(bci)}, not {theirs.records.get(bci)}"] += 1
        self.assertEqual(list(different)[:5], [], f"{len(different)} of {len(common)} methods")
        return len(common), sum(len(printed[key].records) for key in common)

    def compare_profile(self, profile, printed):
        """Every branch, switch and call of receivers that the JVM counted in an ordinary class is in the profile, with the
        JVM's numbers."""
        compared, different = collections.Counter(), []
        for (owner, name, descriptor), method in printed.items():
            if "+" in owner or "$Proxy" in owner or (owner.startswith("java/lang/invoke/") and owner.endswith("$Holder")):
                continue  # no profile has them
            key = counts.key(owner.replace("/", "."), name, descriptor)
            for bci, record in method.records.items():
                if record[0] in ("branch", "switch") and sum(record[1]):
                    mine = profile.records(key, bci) or ()
                    same = mine == tuple(record[1]) if len(mine) == len(record[1]) else sum(mine) == sum(record[1])
                elif record[0] == "call" and record[2] and not any("+" in row for row in record[2]):
                    mine = profile.receivers.get(key, {}).get(bci)
                    same = mine == {row.replace("/", "."): n for row, n in record[2].items()}
                else:
                    continue
                compared[record[0]] += 1
                if not same:
                    different.append((key, bci, record, mine))
        self.assertEqual(different[:5], [], f"{len(different)} of {sum(compared.values())}")
        return compared

    def check(self, process):
        harvested, profile = self.records_of(process), self.profile_of(process)
        printed = method_records.printed(self.end(process))
        methods, records = self.compare_records(harvested, printed)
        compared = self.compare_profile(profile, printed)
        print(f"{methods} methods with {records} records equal; of the profile {dict(compared)}")
        return methods, compared

    def test_small_program(self):
        methods, compared = self.check(self.start_ending("Harvestable", STEPS, "end", last_line="done"))
        self.assertGreater(methods, 15)
        for kind in ("branch", "switch", "call"):
            self.assertGreater(compared[kind], 0, kind)

    @in_proof
    def test_every_method_from_its_first_call(self):
        """Many MethodDatas, also with more rows and of the interpreter."""
        for flags in (method_data.NEAR_EXACT, method_data.INTERPRETED):
            methods, _ = self.check(self.start_ending("Harvestable", STEPS, "end", last_line="done", jvm_args=flags))
            self.assertGreater(methods, 300)

    @in_proof
    def test_javac(self):
        if self.jvm.tool("javac") is None:
            self.skipTest(f"{self.jvm.id} has no javac")
        command = java_sources.javac_command(self.folder / "classes")
        methods, _ = self.check(self.start_ending(*command))
        self.assertGreater(methods, 1000)
