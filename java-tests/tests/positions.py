"""Positions in profiles: each is on an instruction of its method, inside its code, and a caller's is on a call, although classes have
probes at one time and none at another. Compared with the class files, which Python reads on its own."""

import collections
import json
import re
import time
import zipfile

from iprofdev import maven
from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.scope import in_proof, on_one_jvm
from harness.session_case import SessionCase
from oracle.callers import Callers
from oracle.placed import Placed
from soak.real_programs import FILES, PROGRAMS

MODES = {"exact": "", "budget": "mode=budget,rearm=500ms", "frozen": "count-until=1000,rearm=0", "methoddata": "mode=methoddata",
         "samples": "calls=n,branches=n,receivers=n,monitors=n", "application": "jdk=n"}
OWN_PROGRAMS = ("sampling.Positions", "sampling.Inlined", "sampling.InterfaceCalls", "sampling.Loops")
MOST_UNTRUE = 0.01  # of pairs of caller and callee; 0.3 % at most were seen
REAL_PROGRAMS = ("ecj", "rhino", "h2", "groovy", "beanshell", "antlr")


class PositionsCase(AgentCase):
    agent_defaults = {"image": "n", "interval": "1ms"}

    def class_files(self, jars=()):
        """A function that returns the bytes of a class of the program, the jars and java.base."""
        folder = self.folder / "java.base"
        if not folder.exists():
            self.run_java("CopyModule", "java.base", folder, agent=None)
        folders = [Settings.classes, folder]
        for jar in jars:
            folders.append(self.folder / jar.stem)
            if not folders[-1].exists():
                self.unpack(jar, folders[-1])

        def class_bytes(owner):
            if "/" in owner or "$Proxy" in owner:
                return None  # lambdas and proxies have no class files
            paths = (folder / f"{owner.replace('.', '/')}.class" for folder in folders)
            return next((path.read_bytes() for path in paths if path.exists()), None)
        return class_bytes

    def unpack(self, jar, folder):
        """As the JVM sees it, if the jar has classes for several versions of Java."""
        with zipfile.ZipFile(jar) as opened:
            chosen = {}  # path: (version, name in the jar)
            for name in opened.namelist():
                versioned = re.fullmatch(r"META-INF/versions/(\d+)/(.*)", name)
                version, path = (int(versioned[1]), versioned[2]) if versioned else (0, name)
                if path.endswith(".class") and version <= self.jvm.major:
                    chosen[path] = max(chosen.get(path, (0, path)), (version, name))
            for path, (_, name) in chosen.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(opened.read(name))

    def assert_placed(self, name, class_bytes, least=1):
        """That all positions of a profile are right. Returns how many frames were compared."""
        profile = self.profile(name)
        verdicts, wrong = Placed(class_bytes).check(profile.samples())
        self.assertEqual(dict(wrong.most_common(5)), {}, f"{name}: {dict(verdicts)}")
        judged = verdicts["right"] + verdicts["native"]
        self.assertGreaterEqual(judged, least, verdicts)
        # A frame that was left out, or that has another method's position, makes a caller call something else. HotSpot itself gives a few
        # inlined frames a neighbour's position, and the classes of lambdas from before an attach have no names, so they are left out.
        _, pairs, untrue = Callers(class_bytes).check(profile.samples())
        self.assertLessEqual(sum(untrue.values()), MOST_UNTRUE * sum(pairs.values()), f"{pairs} {untrue}")
        statistics = profile.section.get("sampling", {})
        shown = {name: statistics.get(name) for name in ("writtenWeight", "endsAtNoCall", "endsAtUnknown", "unknownLeaves",
                                                         "unnamedFrames")}
        print(f"{self.jvm.id} {name}: {judged} frames right of {sum(verdicts.values())}, {len(profile.samples())} contexts, "
              f"{json.dumps(shown)}")
        return judged


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
    def run_mode(self, program, mode, *args, jvm_args=(), program_name=None):
        name = f"{program_name or program}.{mode}.iprof"
        self.run_java(program, *args, agent=",".join(filter(None, [f"out={self.folder}/{name}", MODES[mode]])), jvm_args=jvm_args)
        return name

    def test_a_program_of_switches(self):
        class_bytes = self.class_files()
        for mode in ("exact", "budget", "frozen", "samples"):
            with self.subTest(mode):
                self.assert_placed(self.run_mode("sampling.Positions", mode, 2_000), class_bytes, least=1_000)

    @in_proof
    def test_ten_programs_in_all_modes(self):
        totals = collections.Counter()
        for mode in MODES:
            for program in OWN_PROGRAMS:
                class_bytes = self.class_files()
                totals[mode] += self.assert_placed(self.run_mode(program, mode, 6_000), class_bytes, least=500)
            for program in (one for one in PROGRAMS if one.name in REAL_PROGRAMS):
                jars = [jar for pin in program.pins for jar in maven.jars([pin])]
                work = self.folder / f"{program.name}.{mode}"
                work.mkdir()
                arguments = [part.format(files=FILES, work=work) for part in program.arguments]
                path = ":".join(map(str, jars))
                name = self.run_mode(["-cp", path, program.main], mode, *arguments, jvm_args=program.jvm_arguments,
                                     program_name=program.name)
                totals[mode] += self.assert_placed(name, self.class_files(jars), least=100)
        print(f"{self.jvm.id}: no wrong position in frames of ten programs: " +
              ", ".join(f"{mode} {frames}" for mode, frames in totals.items()))


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
