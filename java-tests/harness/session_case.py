"""SessionCase: the base of tests of the commands for a running agent. The program runs rounds of known counts, one for each line
that it reads, so that a window has exactly the rounds that ran in it."""

import json
import os
import pathlib
import subprocess
import time
import unittest

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings

IO, BAD_INPUT = 4, 3  # exit codes
NOBODY = 65534
AS_NOBODY = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
ROUND = "Dumps.round(java.util.List)int"
STEPS = "Dumps$Twice.applyAsInt(int)int"
PER_ROUND = 750  # of STEPS

needs_root = unittest.skipUnless(os.geteuid() == 0, "needs root, for processes of other users")


def needs_jvm_for_all_users(case):
    """Skips a test if its JVM is in a folder that other users may not read."""
    command = [*map(str, AS_NOBODY), case.jvm.java, "-version"]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        case.skipTest(f"{case.jvm.id} is installed for this user only")


class SessionCase(AgentCase):
    agent_defaults = {"samples": "n", "image": "n"}

    def start(self, agent="start=n,out=end.iprof", **options):
        process = self.start_java("Dumps", agent=agent, **options)
        process.rounds = 0
        return process

    def rounds(self, process, count):
        for _ in range(count):
            process.rounds += 1
            process.stdin.write(b"\n")
            process.stdin.flush()
            deadline = time.monotonic() + PATIENCE_S
            while f"round {process.rounds}: " not in process.out_path.read_text():
                self.assertIsNone(process.poll(), process.err_path.read_text())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.005)

    @staticmethod
    def pid_of(process):
        return str(process if isinstance(process, int) else process.pid)

    def command(self, verb, process, *args, expect=0):
        return self.run_tool(verb, self.pid_of(process), *map(str, args), expect=expect)

    def refused(self, verb, process, *args, expect=IO):
        """The sentence, which must be the only one."""
        (line,) = self.command(verb, process, *args, expect=expect).stderr.splitlines()
        self.assertTrue(line.startswith("iprof: error: "), line)
        return line.removeprefix("iprof: error: ")

    def status(self, process, *args):
        answer = json.loads(self.command("status", process, "--format", "json", *args).stdout)
        self.assertEqual((answer["command"], answer["outcome"]), ("status", "done"))
        return answer["status"]

    def end(self, process):
        """The program computed the same in every round and ends well; returns its agent lines."""
        process.communicate(b"x", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        said = process.out_path.read_text().splitlines()
        expected = ["ready", *(f"round {n}: 625500" for n in range(1, process.rounds + 1))]
        self.assertEqual([line for line in said if not line.startswith("WARNING")], expected)
        return self.agent_lines(process.err_path.read_text())

    def counted(self, name, edges=0):
        """The rounds in a profile; the calls of other methods must fit. edges: how often a start or stop may have come in the middle of a
        round, whose steps are then counted in part."""
        profile = self.profile(name)
        rounds = profile.calls_of(ROUND)
        self.assertAlmostEqual(profile.calls_of(STEPS), PER_ROUND * rounds, delta=PER_ROUND * edges)
        return rounds

    def tool(self, process, *args):
        """iprof profile, which goes on beside the test."""
        tool = subprocess.Popen([str(part) for part in (Settings.tool, "profile", self.pid_of(process), *args)], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(tool.stdout.close)
        self.addCleanup(tool.stderr.close)
        self.addCleanup(tool.kill)
        return tool

    def wait_until_recording(self, process):
        deadline = time.monotonic() + PATIENCE_S
        while True:
            run = self.run_tool("status", self.pid_of(process), "--format", "json", expect=None)
            if run.code == 0 and json.loads(run.stdout)["status"]["state"] == "recording":
                return
            self.assertLess(time.monotonic(), deadline, run)
            time.sleep(0.05)

    def end_in_window(self, process, tool, name, rounds):
        """The program runs these rounds and ends while iprof profile records it. Its profile is saved all the same."""
        self.rounds(process, rounds)
        self.end(process)
        said, complaints = tool.communicate(timeout=PATIENCE_S)
        self.assertEqual((tool.returncode, complaints), (0, ""))
        self.assertIn("has ended", said)
        self.assertEqual(self.counted(name), rounds)

    def assert_tidy(self, process):
        """Nothing of the tool is left in /tmp, as far as it can be told from that of other tests' tools."""
        left = [path for path in pathlib.Path("/tmp").glob(f".iprof_command{process.pid}*")]
        self.assertEqual(left, [])

    def cycle(self, process, *way):
        """All commands, each with its effect on the counts."""
        def run(verb, *args):
            return self.run_tool(verb, *(way or [str(process.pid)]), *map(str, args))
        self.rounds(process, 2)
        run("start")
        self.rounds(process, 3)
        run("dump", "-o", self.folder / "dump.iprof")
        self.rounds(process, 1)
        run("stop", "-o", self.folder / "stop.iprof")
        self.rounds(process, 2)
        run("start")
        self.rounds(process, 1)
        run("stop", "-o", self.folder / "again.iprof")
        run("start")
        self.rounds(process, 2)
        run("reset")
        self.rounds(process, 4)
        run("stop", "-o", self.folder / "reset.iprof")
        self.assertEqual([self.counted(f"{name}.iprof") for name in ("dump", "stop", "again", "reset")], [3, 4, 5, 4])
