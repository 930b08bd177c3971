"""Cycles of start, load, dump, stop and reset under a program with several threads that checks its own results. Its threads
pause when a command comes, so counts of methods that one thread runs must equal the program's own.

Metaspace grows with each cycle, also under an agent that retransforms the classes without changing them: HotSpot keeps an old
version of a class while its code runs or compiled code of it is in the code cache. It also links the call sites of a class again,
so the program defines its lambdas again. So the growth is compared with that of such an agent in the same program."""

import os
import pathlib
import statistics
import sys
import time
import zipfile

from iprofdev.processes import PATIENCE_S

from harness import control
from harness.case import AgentCase, Settings
from harness.scope import in_proof, on_one_jvm

STEPS = 2000
OUTSIDE = 3000  # steps while nothing is recorded, or that a reset forgets
MOST_TIMES_PLAIN = 1.2
WITH_WRAPPERS = ("java.lang.Object", "java.lang.Class", "java.lang.System", "java.lang.Throwable", "jdk.internal.misc.Unsafe")
EXPORTS = [f"--add-exports=java.base/jdk.internal.{package}=ALL-UNNAMED" for package in ("access", "reflect")]


class Cycles(AgentCase):
    COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")

    def begin(self, options="", jvm_args=()):
        socket_path = self.folder / "socket"
        self.process = self.start_java("SessionPhases", agent=f"control={socket_path},interval=1ms{options}",
                                       jvm_args=[*EXPORTS, self.class_log(), *jvm_args])
        self.agent = control.Controlled(socket_path, PATIENCE_S)
        self.lines = 1

    def begin_plain(self, jvm_args=()):
        """The program with an agent that retransforms its classes without changing them."""
        library = Settings.agent.parent / "java-tests" / "libplain_agent.so"
        self.process = self.start_java("SessionPhases", agent=None,
                                       jvm_args=[*EXPORTS, self.class_log(), f"-Dphases.plain={library}", *jvm_args])
        self.lines = 1

    def class_log(self):
        return f"-Xlog:class+load:file={self.folder / 'classes.log'}"

    def defined_lambdas(self):
        with open(self.folder / "classes.log", encoding="utf-8", errors="replace") as log:
            return sum("$$Lambda" in line for line in log)

    def answer(self, line):
        """The program's answer to a line of its input."""
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()
        self.lines += 1
        deadline = time.monotonic() + PATIENCE_S
        while len(lines := self.process.out_path.read_text().splitlines()) < self.lines:
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.fail(f"the program does not answer: {self.process.err_path.read_text()}")
            time.sleep(0.002)
        return lines[-1]

    def phase(self, steps):
        """Lets the program work; returns what it says about it."""
        word, *numbers = self.answer(steps).split()
        self.assertEqual(word, "ran")
        return list(map(int, numbers))

    def do(self, verb, outcome="done", **options):
        answer = self.agent.ask(verb, **options)
        self.assertEqual(answer["outcome"], outcome, answer)
        return answer

    def check(self, steps, name):
        """The profile has this many steps of each thread."""
        profile = self.profile(name)
        for thread in range(4):
            self.assertEqual(profile.calls_of(f"SessionPhases.step{thread}"), steps, name)
            ways = {}
            for context, records in profile.branches().items():
                if context[0].startswith(f"SessionPhases.step{thread}("):
                    for (_, way), count in records.items():
                        ways[way] = ways.get(way, 0) + count
            self.assertEqual(sorted(ways.values()), sorted([steps // 2, steps // 2]) if steps else [], name)
        # All threads increment these, so some increments may be lost.
        shared = profile.calls_of("SessionPhases.shared")
        self.assertLessEqual(shared, 4 * steps)
        self.assertGreaterEqual(shared, 4 * steps * 0.5)

    def cycle(self, number, recorded):
        """Returns the steps that the profile has afterwards, and a row of the table."""
        before = self.processor_ms()
        self.do("start")
        start_ms = self.processor_ms() - before
        self.phase(STEPS)
        recorded += STEPS
        self.do("dump", out=self.folder / "cycle.iprof")
        self.check(recorded, "cycle.iprof")
        if number % 3 == 2:
            self.phase(OUTSIDE)
            self.do("reset")
            recorded = 0
        classes = int(self.do("stop", out=self.folder / "stopped.iprof")["message"].split()[0])
        *_, metaspace, pool = self.phase(OUTSIDE)
        self.check(recorded, "stopped.iprof")
        status = self.do("status")["status"]
        self.assertEqual(status["state"], "stopped")
        deadline = time.monotonic() + PATIENCE_S  # the command's own thread is just ending
        while control.threads_of(self.process.pid) != ["iprof-control"]:
            self.assertLess(time.monotonic(), deadline, control.threads_of(self.process.pid))
            time.sleep(0.01)
        self.assertIn(control.timers_of(self.process.pid), (0, None))
        return recorded, {"rss KiB": control.resident_kib(self.process.pid), "metaspace KiB": metaspace // 1024,
                          "threads": len(list(self.proc("task"))), "files": len(list(self.proc("fd"))), "constant pool": pool,
                          "agent KiB": (status["heap_bytes"] + status["native_bytes"]) // 1024,
                          "longest pause ms": status["swap_longest_pause_ms"], "start CPU ms": start_ms, "classes": classes}

    def plain_cycle(self, number):
        """What the program sees of cycle(): two swaps of its classes, each with a phase after it."""
        before = self.processor_ms()
        self.answer("retransform")
        start_ms = self.processor_ms() - before
        self.phase(STEPS)
        if number % 3 == 2:
            self.phase(OUTSIDE)
        classes = int(self.answer("retransform").split()[1])
        *_, metaspace, _pool = self.phase(OUTSIDE)
        return {"rss KiB": control.resident_kib(self.process.pid), "metaspace KiB": metaspace // 1024, "start CPU ms": start_ms,
                "classes": classes}

    def processor_ms(self):
        """The CPU time of the process. Only the commands use some between two phases."""
        user, system = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) * 1000 // os.sysconf("SC_CLK_TCK")

    def proc(self, name):
        return pathlib.Path(f"/proc/{self.process.pid}/{name}").iterdir()

    def run_cycles(self, count, options="", jvm_args=()):
        self.begin(f",start=n{options}", jvm_args)
        recorded, rows = 0, []
        for number in range(count):
            recorded, row = self.cycle(number, recorded)
            rows.append(row)
        self.end()
        self.assertFalse((self.folder / "socket").exists())
        self.show(rows)
        rows[-1]["lambdas"] = self.defined_lambdas()
        return rows

    def run_plain_cycles(self, count, jvm_args=()):
        self.begin_plain(jvm_args)
        rows = [self.plain_cycle(number) for number in range(count)]
        self.end()
        self.show(rows)
        rows[-1]["lambdas"] = self.defined_lambdas()
        return rows

    def end(self):
        self.process.stdin.close()
        self.assertEqual(self.process.wait(PATIENCE_S), 0, self.process.err_path.read_text())
        self.assertIn("done", self.process.out_path.read_text())

    def show(self, rows):
        print("\n" + "  ".join(rows[0]), file=sys.stderr)
        for number in sorted({0, 1, 2, len(rows) // 4, len(rows) // 2, 3 * len(rows) // 4, len(rows) - 1} & set(range(len(rows)))):
            print(f"{number + 1:4}: " + "  ".join(f"{value:>{len(key)}}" for key, value in rows[number].items()), file=sys.stderr)

    def bounded(self, rows):
        """The second half is not larger than the first, but for a little that does not depend on the number of cycles."""
        half = len(rows) // 2
        for key, room in (("threads", 3), ("files", 2), ("constant pool", 0), ("agent KiB", 1024)):
            before, after = (max(row[key] for row in part) for part in (rows[2:half], rows[half:]))
            self.assertLessEqual(after, before + room, key)

    def like_a_plain_agent(self, rows, plain):
        """Metaspace grows by as much as it does under an agent that changes nothing, and as many lambdas are defined again."""
        ours, other = (each[-1]["metaspace KiB"] - each[2]["metaspace KiB"] for each in (rows, plain))
        print(f"metaspace grew by {ours} KiB; with an agent that changes nothing, by {other} KiB", file=sys.stderr)
        self.assertLessEqual(ours, MOST_TIMES_PLAIN * other + 2048)
        ours, other = (each[-1]["lambdas"] for each in (rows, plain))
        print(f"{ours} lambdas were defined; with an agent that changes nothing, {other}", file=sys.stderr)
        self.assertLessEqual(ours, MOST_TIMES_PLAIN * other + 50)

    def starts_cost_the_same(self, rows):
        half = len(rows) // 2
        early, late = (statistics.median(row["start CPU ms"] for row in part) for part in (rows[2:half], rows[half:]))
        self.assertLessEqual(late, 1.5 * early + 50)

    def test_some_cycles(self):
        self.run_cycles(4)

    def test_a_recording_from_the_first_bytecode_on_stops_and_starts(self):
        self.begin()
        self.phase(STEPS)
        self.do("stop", out=self.folder / "first.iprof")
        self.check(STEPS, "first.iprof")
        self.phase(OUTSIDE)
        self.do("start")
        self.phase(STEPS)
        self.do("dump", out=self.folder / "second.iprof")
        self.check(2 * STEPS, "second.iprof")
        self.do("start", outcome="refused")

    def begin_swapped(self, *jvm_args):
        """Starts Swapped with the Java agent and ours, as the arguments name them."""
        jar = self.folder / "swapped.jar"
        with zipfile.ZipFile(jar, "w") as made:
            made.writestr("META-INF/MANIFEST.MF", "Premain-Class: Swapped\nCan-Redefine-Classes: true\n")
        java_agent, socket_path = f"-javaagent:{jar}", self.folder / "socket"
        if self.run_java(["-version"], agent=None, jvm_args=[java_agent], expect=None).code:
            self.skipTest(f"{self.jvm.id} has no Java agents")
        ours = f"-agentpath:{Settings.agent}=control={socket_path}"
        self.process = self.start_java("Swapped", agent=None, jvm_args=[
            argument.format(java_agent=java_agent, ours=ours) for argument in jvm_args])
        self.agent, self.lines = control.Controlled(socket_path, PATIENCE_S), 1

    def end_swapped(self):
        self.process.stdin.close()
        self.assertEqual(self.process.wait(PATIENCE_S), 0, self.process.err_path.read_text())

    def test_a_hot_swap_stays(self):
        """Before JDK 20, HotSpot retransforms a class from bytes that are older than its redefinition."""
        # Named after the other one, ours can restore classes also if it counts from the start.
        for options in ("", ",start=n"):
            with self.subTest(options):
                self.begin_swapped("{java_agent}", f"{{ours}}{options}")
                if options:
                    self.do("start")
                self.assertEqual(self.answer("before"), "before 1111111")
                self.assertEqual(self.answer("swap"), "swap 2222222")
                for _ in range(2):
                    self.do("stop")
                    self.assertEqual(self.answer("stopped"), "stopped 2222222")
                    self.do("start")
                    self.assertEqual(self.answer("started"), "started 2222222")
                self.end_swapped()

    def test_the_main_thread_redefines_a_class_during_commands(self):
        """The agent counts from the first bytecode on, so HotSpot knows the main thread before that has its Thread object. HotSpot
        21 to 25 then crashed in the first start after a stop."""
        for options in (",samples=n", ",start=n,samples=n"):
            with self.subTest(options):
                self.begin_swapped(f"{{ours}}{options}", "{java_agent}")
                self.assertEqual(self.answer("often"), "often 2222222")
                if "start=n" in options:
                    self.do("start")
                for _ in range(3):
                    self.do("stop")
                    self.do("start")
                self.assertEqual(self.answer("swap"), "swap 2222222")
                self.end_swapped()

    @in_proof
    def test_code_that_is_no_longer_used_leaves(self):
        """Code keeps the versions of the classes that it was compiled from. In CI, scripts/soak compares the memory of programs that
        get commands."""
        if self.jvm.major >= 20:
            self.skipTest("HotSpot has no sweeper of code")
        flags = ["-XX:SweeperThreshold=0.1"]  # it runs more often, so that fewer cycles show what it leaves
        rows = self.run_cycles(24, jvm_args=flags)
        self.like_a_plain_agent(rows, self.run_plain_cycles(24, jvm_args=flags))

    @on_one_jvm
    def test_a_start_keeps_no_garbage(self):
        """A start takes seconds in a large program. What the program drops in that time can be unloaded, as without us."""
        socket_path = self.folder / "socket"
        process = self.start_java("ClassChurn", 300_000, "lu", agent=f"control={socket_path},start=n,samples=n",
                                  jvm_args=["-XX:+UseSerialGC", "-XX:MaxMetaspaceSize=40m"], ready=None)
        deadline = time.monotonic() + PATIENCE_S
        while process.out_path.read_text().count("classes ") < 2:  # it runs, and has made some garbage
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.agent = control.Controlled(socket_path, PATIENCE_S)
        for _ in range(3):
            self.do("start")
            self.do("stop")
        self.assertIsNone(process.poll(), process.err_path.read_text())
        self.assertNotIn("OutOfMemoryError", process.err_path.read_text())

    @in_proof
    def test_200_cycles(self):
        rows = self.run_cycles(200)
        self.bounded(rows)
        self.like_a_plain_agent(rows, self.run_plain_cycles(200))

    @in_proof
    def test_classes_of_which_each_version_stays(self):
        """From JDK 20 on, HotSpot never frees the compiled wrapper of a native method, and with it each version of the class."""
        if self.jvm.major < 20:
            self.skipTest("HotSpot's sweeper frees wrappers")
        grown = []
        for options in ("", f",exclude={';'.join(WITH_WRAPPERS)}"):
            rows = self.run_cycles(20, options)
            grown.append(rows[-1]["metaspace KiB"] - rows[10]["metaspace KiB"])  # the first cycles also compile
            (self.folder / "default.iprof").unlink(missing_ok=True)
        print(f"metaspace grew by {grown[0]} KiB; without the classes with wrappers, by {grown[1]} KiB", file=sys.stderr)
        self.assertLess(grown[1], 0.6 * grown[0])

    @in_proof
    def test_in_the_interpreter(self):
        """No compiled code keeps old versions of classes, so each start is the same work."""
        rows = self.run_cycles(40, jvm_args=["-Xint"])
        self.bounded(rows)
        self.like_a_plain_agent(rows, self.run_plain_cycles(40, jvm_args=["-Xint"]))
        self.starts_cost_the_same(rows)

    @in_proof
    def test_with_each_collector(self):
        for collector in self.COLLECTORS:
            flag = f"-XX:+Use{collector}GC"
            with self.subTest(collector):
                if self.run_java(["-version"], agent=None, jvm_args=[flag], expect=None).code:
                    continue  # this JVM lacks it
                rows = self.run_cycles(20, jvm_args=[flag])
                self.bounded(rows)
                self.like_a_plain_agent(rows, self.run_plain_cycles(20, jvm_args=[flag]))
                (self.folder / "default.iprof").unlink(missing_ok=True)

    @in_proof
    def test_cycles_with_direct_counters_and_stripes(self):
        self.run_cycles(10, options=",placement=direct")
        self.run_cycles(10, options=",stripes=4")
