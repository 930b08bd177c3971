"""What the agent itself allocates, outside the JVM's heap: it does not grow with the number of recordings, and status counts it."""

import struct
import time

from iprofdev.processes import PATIENCE_S

from harness import control
from harness.case import Settings
from harness.scope import in_proof, on_one_jvm
from harness.session_case import SessionCase

# Some thousand pieces of compiled code.
COMPILED = ["-Xcomp", "-XX:TieredStopAtLevel=1", "-Xmx64m", "-XX:+UseSerialGC"]
ONLY_SAMPLES = "calls=n,branches=n,receivers=n,monitors=n,samples=y"
FIRST, MORE = 8, 24  # cycles
MOST_A_CYCLE = 1024  # bytes. Compiled code took 8 bytes a piece


class AgentMemory(SessionCase):
    agent_defaults = {"image": "n"}

    def begin(self, options, jvm_args=()):
        library = Settings.agent.parent / "java-tests" / "libagent_memory.so"
        self.number = getattr(self, "number", 0) + 1
        self.figures, self.socket = self.folder / f"memory{self.number}", self.folder / f"s{self.number}"
        process = self.start(agent=f"start=n,out=end.iprof,force=always,control={self.socket},{options}", jvm_args=jvm_args,
                             env={"LD_PRELOAD": str(library), "AGENT_MEMORY": str(self.figures)})
        self.agent = control.Controlled(self.socket, PATIENCE_S)
        return process

    def do(self, verb, **options):
        answer = self.agent.ask(verb, **options)
        self.assertEqual(answer["outcome"], "done", answer)
        return answer

    def held(self):
        """Bytes of blocks, blocks, bytes of mappings."""
        return struct.unpack("3q", self.figures.read_bytes())

    def cycles(self, process, count):
        for _ in range(count):
            self.do("start")
            self.rounds(process, 1)
            self.do("stop", out=self.folder / "x.iprof")
        return self.held()

    def does_not_grow(self, options, jvm_args=()):
        process = self.begin(options, jvm_args)
        before = self.cycles(process, FIRST)
        after = self.cycles(process, MORE)
        print(f"{self.jvm.id} {options}: {before} bytes, blocks and mapped bytes after {FIRST} cycles, {after} after {MORE} more")
        self.assertGreater(before[0], 0)
        self.assertLess(after[0] - before[0], MORE * MOST_A_CYCLE, options)
        self.assertEqual(after[2], before[2], options)
        self.end(process)

    def test_recordings_of_samples(self):
        self.does_not_grow(ONLY_SAMPLES, COMPILED)

    @on_one_jvm
    def test_recordings_of_counts(self):
        self.does_not_grow("samples=y")

    def test_status_has_it(self):
        """All but what belongs to no recording: the log, the options, the commands. Memory for changing classes is freed soon after the
        last one was changed."""
        for options, jvm_args in ((ONLY_SAMPLES, COMPILED), ("samples=y", ()), ("samples=n", ())):
            with self.subTest(options):
                process = self.begin(options, jvm_args)
                self.do("start")
                self.rounds(process, 3)
                deadline = time.monotonic() + PATIENCE_S
                while True:
                    status = self.do("status")["status"]
                    held, blocks, mapped = self.held()
                    told = status["native_bytes"]
                    if told > 0.9 * held or time.monotonic() > deadline:
                        break
                    time.sleep(0.2)
                print(f"{self.jvm.id} {options}: {told} bytes in status, {held} in {blocks} blocks, {mapped} mapped")
                self.assertGreater(told, 0.9 * held)
                self.assertLess(told, status["memory_limit_bytes"])
                self.end(process)

    @in_proof
    def test_1000_profiles(self):
        """Of a program with more than 5,000 compiled methods. What the JVM itself takes counts, too, but not the arenas that glibc gives to new
        threads in turn."""
        process = self.start_java("Compiled", agent=None, jvm_args=[*COMPILED, "-Xms64m", "-XX:+AlwaysPreTouch"],
                                  env={"MALLOC_ARENA_MAX": "1"})
        options, resident = [f"force=always,{ONLY_SAMPLES}"], []
        for number in range(1000):
            self.command("profile", process, *options, "--duration", "10ms", "-o", "x.iprof")
            options = []
            if number % 50 == 49:
                resident.append(control.resident_kib(process.pid))
        print(f"{self.jvm.id}: {resident} KiB resident")
        self.assertLessEqual(resident[-1] - resident[0], 2048)
