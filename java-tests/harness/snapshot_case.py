"""SnapshotCase: the base of tests of the raw file. The program HardEnds runs rounds of known counts, one for each line that it reads,
and between them it does nothing. So once a snapshot was taken after a round, a profile that is recovered has exactly those rounds."""

import os
import pathlib
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, C1_ONLY, Settings

ROUND = "HardEnds.round()int"
STEP = "HardEnds.step(int)int"
PER_ROUND = 1000  # of STEP
LIBRARY = "libhard_ends.so"


class SnapshotCase(AgentCase):
    jvm_defaults = C1_ONLY
    agent_defaults = {"image": "n", "snapshot": "100ms"}

    def start(self, agent="out=app.iprof", jvm_args=(), **options):
        # No core file: it would be as large as the heap.
        library = Settings.agent.parent / "java-tests" / LIBRARY
        process = self.start_java("HardEnds", library, agent=agent, jvm_args=["-XX:-CreateCoredumpOnCrash", *jvm_args], **options)
        process.rounds = 0
        return process

    def say(self, process, line):
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()

    def wait_until(self, condition, process=None, what=""):
        """Returns what the condition gives as soon as that is true."""
        deadline = time.monotonic() + PATIENCE_S
        while not (found := condition()):
            if process is not None:
                self.assertIsNone(process.poll(), process.err_path.read_text())
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.01)
        return found

    def rounds(self, process, count):
        for _ in range(count):
            process.rounds += 1
            self.say(process, "round")
            self.wait_until(lambda: f"round {process.rounds}\n" in process.out_path.read_text(), process)

    def recovered(self, *raws, out="recovered.iprof"):
        """The profile of raw files."""
        (self.folder / out).unlink(missing_ok=True)
        self.run_tool("recover", *raws, "-o", self.folder / out)
        return self.profile(out)

    def recovered_rounds(self, raw="app.iraw"):
        """The rounds in a raw file; 0 if there is no profile in it yet. The numbers of a profile that was recovered fit each other."""
        out = self.folder / "some.iprof"
        out.unlink(missing_ok=True)
        run = self.run_tool("recover", self.folder / raw, "-o", out, expect=None)
        if run.code != 0:
            return 0
        profile = self.profile("some.iprof")
        rounds = profile.calls_of(ROUND)
        if profile.calls_of(STEP) == PER_ROUND * rounds:
            branches = [counts for context, counts in profile.branches().items() if context[0].startswith(STEP)]
            self.assertEqual([sorted(counts.values()) for counts in branches], [[250 * rounds, 750 * rounds]] if rounds else [])
        return rounds

    def wait_for_rounds(self, process, count, raw="app.iraw"):
        """Until a snapshot has exactly these rounds."""
        self.wait_until(lambda: self.recovered_rounds(raw) == count and self.profile("some.iprof").calls_of(STEP) == PER_ROUND * count,
                        process, f"{raw} never had {count} rounds")

    def kill(self, process):
        process.kill()
        process.wait(PATIENCE_S)

    def end(self, process):
        """Orderly; returns the agent's lines."""
        self.say(process, "exit")
        self.assertEqual(process.wait(PATIENCE_S), 0, process.err_path.read_text())
        return self.agent_lines(process.err_path.read_text())

    def files(self, *suffixes):
        return sorted(path.name for path in self.folder.iterdir() if path.suffix in (suffixes or (".iraw", ".iprof")))

    def warnings(self, process):
        return [line for line in self.agent_lines(process.err_path.read_text()) if "snapshot" in line or "raw file" in line]

    @staticmethod
    def threads(process):
        names = []
        for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
            try:
                names.append((task / "comm").read_text().strip())
            except OSError:
                pass  # it has ended
        return names


def is_root():
    return os.geteuid() == 0


def in_small_folder(case, size="16m"):
    """A prefix for start_java that gives the JVM a small file system of its own at a folder, and that folder. Skips the test where
    that is not possible."""
    place = case.folder / "small"
    place.mkdir()
    script = f"mount -t tmpfs -o size={size} none {place} && exec \"$@\""
    prefix = ["unshare", "--mount", "bash", "-c", script, "bash"]
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
        case.skipTest("this machine gives no file system of one's own")
    return prefix, place
