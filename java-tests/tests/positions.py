"""Positions in profiles: each is on an instruction of its method, inside its code, and a caller's is on a call, although classes have
probes at one time and none at another. Compared with the class files, which Python reads on its own."""

import json
import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.positions_case import PositionsCase
from harness.scope import on_one_jvm
from harness.session_case import SessionCase


class OldFrames(AgentCase):
    """What AsyncGetCallTrace returns for a frame whose method gets other code while it runs. Translating positions depends on it."""
    def test_ids_and_positions_of_frames_that_go_on_in_old_code(self):
        library = Settings.agent.parent / "java-tests" / "libold_frames.so"
        said = dict(line.split(" ", 1) for line in self.run_java("sampling.OldFrames", library, agent=None).stdout.splitlines())
        frames = {}
        for when, text in said.items():
            count, *described = text.split()
            self.assertEqual(int(count), len(described), said)
            # frames() is native, and say() calls it. Then comes run() or main().
            frames[when] = described[2].split("/")
        own_bci, length, is_old = frames["own"]
        self.assertEqual(is_old, "", said)
        # Its position is that in the old code, and it has no id: that of before means the new code by now.
        after_bci, after_length = frames["after"]
        self.assertEqual(after_length, "none", said)
        # Once somebody has asked for its id, it has one of its own, by which one finds the old code.
        walked_bci, walked_length, is_old = frames["walked"]
        self.assertEqual((walked_length, is_old), (length, "o"), said)
        # And it keeps it.
        again_bci, again_length, is_old = frames["again"]
        self.assertEqual((again_length, is_old), (length, "o"), said)
        positions = [int(bci) for bci in (own_bci, after_bci, walked_bci, again_bci)]
        self.assertEqual(positions, sorted(set(positions)), said)
        self.assertLess(positions[-1], int(length))


class Modes(PositionsCase):
    def test_a_program_of_switches(self):
        class_bytes = self.class_files()
        for mode in ("exact", "budget", "frozen", "samples"):
            with self.subTest(mode):
                self.assert_placed(self.run_mode("sampling.Positions", mode, 2_000), class_bytes, least=1_000)


class Sessions(PositionsCase, SessionCase):
    """Probes come and go while main() stays in the code of its beginning."""
    agent_defaults = PositionsCase.agent_defaults

    def rounds(self, process, count):
        for _ in range(count):
            process.rounds += 1
            process.stdin.write(b"\n")
            process.stdin.flush()
            deadline = time.monotonic() + PATIENCE_S
            while process.out_path.read_text().count("round") < process.rounds:
                self.assertIsNone(process.poll(), process.err_path.read_text())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.005)

    def end(self, process):
        process.communicate(b"", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())

    def begin(self, **options):
        process = self.start_java("sampling.Positions", "-", **options)
        process.rounds = 0
        return process

    def test_starts_and_stops(self):
        class_bytes = self.class_files()
        process = self.begin(agent="out=end.iprof,samples=y")
        self.rounds(process, 1)
        for number in range(2):
            self.command("stop", process, "-o", f"stop{number}.iprof")
            self.rounds(process, 1)
            self.command("start", process)
            self.rounds(process, 1)
            self.command("dump", process, "-o", f"dump{number}.iprof")
        self.end(process)
        for name in ("stop0.iprof", "dump0.iprof", "stop1.iprof", "dump1.iprof", "end.iprof"):
            self.assert_placed(name, class_bytes, least=200)

    def test_a_late_start(self):
        class_bytes = self.class_files()
        process = self.begin(agent=None)
        self.rounds(process, 1)
        self.command("attach", process, "samples=y,interval=1ms,image=n,out=end.iprof")
        self.rounds(process, 2)
        self.end(process)
        self.assert_placed("end.iprof", class_bytes, least=500)

    @on_one_jvm
    def test_positions_of_a_raw_file(self):
        class_bytes = self.class_files()
        process = self.begin(agent="out=end.iprof,snapshot=1s,samples=y")
        self.rounds(process, 2)
        self.command("stop", process, "-o", "stop.iprof")
        self.command("start", process)
        self.rounds(process, 3)
        process.kill()
        process.wait()
        (raw,) = self.folder.glob("*.iraw")
        self.run_tool("recover", raw, "-o", self.folder / "recovered.iprof")
        self.assert_placed("recovered.iprof", class_bytes, least=200)


class Check(PositionsCase):
    """iprof check finds positions that are wrong."""
    @on_one_jvm
    def test_positions_beyond_the_end_and_positions_that_are_no_calls(self):
        self.run_java("sampling.Positions", 500, agent="out=p.iprof")
        checked = self.run_tool("check", "p.iprof").stdout
        self.assertNotIn("ctx-beyond-end", checked)
        profile = self.profile("p.iprof")
        document = profile.document
        types = {each["id"]: each["name"] for each in document["types"]}
        (burn,) = (m["id"] for m in document["methods"] if m["name"] == "burn" and types[m["signature"][0]] == "sampling.Positions")
        document["samplingProfiles"].append({"ctx": f"{burn}:3<{burn}:2", "records": [100_000]})
        self.write("moved.iprof", document)
        said = self.run_tool("check", "--classpath", Settings.classes, "moved.iprof", expect=1).stdout
        self.assertIn("at 2 is no call", said)
        document["samplingProfiles"].append({"ctx": f"{burn}:3<{burn}:6000", "records": [1]})
        self.write("beyond.iprof", document)
        found = self.run_tool("check", "beyond.iprof", expect=1)
        self.assertIn("[ctx-beyond-end]", found.stdout + found.stderr)

    def write(self, name, document):
        (self.folder / name).write_text(json.dumps(document))
