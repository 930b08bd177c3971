"""Waits for locks (lock=) compared with those that a program measures itself, and sessions that leave LockSupport as it was.

The program's own measure begins before the agent's and ends after it, by what HotSpot needs to enter a lock and to leave the processor. So
it is the longer one, and ratios are compared, not times."""

import json
import subprocess
import time

from iprofdev.processes import PATIENCE_S

from harness import control
from harness.case import C1_ONLY, AgentCase, Settings
from harness.events import events_of, total
from harness.scope import in_proof, on_one_jvm

NOT_COUNTED = "calls=n,branches=n,receivers=n,monitors=n"
ONLY_LOCKS = f"{NOT_COUNTED},samples=n"
ROUNDS = 8
OFTEN_MS, SELDOM_MS = 25, 75
MONITORS = {"often": "events.LockWaits$Often", "seldom": "events.LockWaits$Seldom"}
LOCKS = {"unfair": "java.util.concurrent.locks.ReentrantLock$NonfairSync", "fair": "java.util.concurrent.locks.ReentrantLock$FairSync"}
THREADS = {"often": "waiter-*", "seldom": "waiter-*", "unfair": "locker-*", "fair": "locker-*"}
CLASS_FILE_LOAD_HOOK = 54  # the number of the event


class LocksCase(AgentCase):
    jvm_defaults = C1_ONLY
    agent_defaults = {"image": "n"}

    def begin(self, agent, **options):
        if agent is not None:
            agent += f",control={self.folder}/socket"
        self.process = self.start_java("events.LockWaits", agent=agent, **options)
        self.lines = 1
        self.agent = control.Controlled(self.folder / "socket", PATIENCE_S)

    def answer(self, line):
        """The program's answer to a command."""
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()
        self.lines += 1
        deadline = time.monotonic() + PATIENCE_S
        while len(lines := self.said()) < self.lines:
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.fail(f"no answer to {line!r}: {self.process.err_path.read_text()}")
            time.sleep(0.005)
        return lines[-1]

    def said(self):
        # HotSpot warns of agents that are loaded late, and of some classes of its own that are swapped.
        return [line for line in self.process.out_path.read_text().splitlines() if not line.startswith(("WARNING", "["))]

    def end(self):
        self.process.stdin.close()
        self.assertEqual(self.process.wait(PATIENCE_S), 0, self.process.err_path.read_text())
        self.assertEqual(self.said()[-1], "checksum true")

    def do(self, verb, **options):
        answer = self.agent.ask(verb, **options)
        self.assertEqual(answer["outcome"], "done", answer)
        return answer.get("status")

    def measure(self, rounds=ROUNDS, often=OFTEN_MS, seldom=SELDOM_MS, limit=0):
        """{site: (waits, ns)}, as the program knows them."""
        word, *words = self.answer(f"measure {rounds} {often} {seldom} {limit}").split()
        self.assertEqual(word, "waits")
        return {site: (int(count), int(ns)) for site, count, ns in zip(*[iter(words)] * 3)}

    @staticmethod
    def rows_at(events, site):
        """What was recorded at a site of the program."""
        return [row for row in events.waits if row.stack.has(f"events.LockWaits.{site}")]

    def check(self, events, truth, threads=None):
        """Rows, classes, threads and times are those of the program."""
        sums = {}
        for site, (waits, ns) in truth.items():
            rows = self.rows_at(events, site)
            recorded, sums[site] = total(rows, "waits"), total(rows, "ns")
            print(f"{self.jvm.id} {site}: {recorded} of {waits} waits, {sums[site] / ns:.3f} of the time")
            self.assertEqual({row.type for row in rows}, {{**MONITORS, **LOCKS}[site]}, site)
            self.assertEqual({row.is_park for row in rows}, {site in LOCKS}, site)
            self.assertEqual({row.thread for row in rows}, {(threads or THREADS)[site]}, site)
            if site in MONITORS:
                self.assertEqual(recorded, waits, site)
                self.assertEqual({row.stack.frames[0] for row in rows}, {f"events.LockWaits.{site}"})
            else:
                # Others may be faster when a thread wakes up, and then it parks again.
                self.assertGreaterEqual(recorded, waits, site)
                self.assertIn("java.util.concurrent.locks.LockSupport.park", {row.stack.frames[0] for row in rows})
            self.assertLessEqual(sums[site], ns, site)
            self.assertGreater(sums[site], 0.7 * ns, site)
            self.assertFalse([frame for row in rows for frame in row.stack.frames if "Iprof" in frame])
        for often, seldom in (("often", "seldom"), ("unfair", "fair")):
            self.assertAlmostEqual((sums[seldom] / sums[often]) / (truth[seldom][1] / truth[often][1]), 1, delta=0.2)

    def has_own_code(self):
        """Whether LockSupport is that of the JDK: by the stack of a thread that parks."""
        stack = self.answer("stack").split()
        self.assertIn("java.util.concurrent.locks.LockSupport.park", stack)
        return not any("Iprof" in frame for frame in stack)


class Waits(LocksCase):
    def check_whole(self, options, jvm_args=()):
        self.begin(f"out=l.iprof,lock=1ms,force=always{options}", jvm_args=jvm_args)
        truth = self.measure()
        self.end()
        events = events_of(self.profile("l.iprof"))
        figures = events.part["lock"]
        self.assertEqual((figures["dropped"], figures["thresholds"]), (0, [1_000_000]))
        self.assertEqual(figures["waits"], total(events.waits, "waits"))
        self.check(events, truth)
        return events

    def test_rows_are_right_by_site_class_and_thread(self):
        events = self.check_whole(f",{ONLY_LOCKS}")
        for site in (*MONITORS, *LOCKS):
            lines = {row.stack.positions[row.stack.frames.index(f"events.LockWaits.{site}")][1] for row in self.rows_at(events, site)}
            self.assertEqual(len(lines), 1, site)
            self.assertGreater(min(lines), 0, site)

    def owners(self, name):
        """{site: stacks of owners} of a profile."""
        events = events_of(self.profile(name))
        return {site: {row.owner for row in self.rows_at(events, site) if row.owner is not None} for site in (*MONITORS, *LOCKS)}

    def test_owners_are_where_they_hold_the_lock(self):
        self.begin(f"out=o.iprof,lock=1ms,force=always,{ONLY_LOCKS}")
        deadline = time.monotonic() + PATIENCE_S
        # A thread of the agent looks now and then, and less often where looking takes long.
        while True:
            self.measure(rounds=2)
            self.do("dump", out=self.folder / "o.iprof")
            owners = self.owners("o.iprof")
            if owners["seldom"] and owners["fair"]:
                break
            self.assertLess(time.monotonic(), deadline, owners)
        self.end()
        holders = {"often": "holdOften", "seldom": "holdSeldom", "unfair": "holdLock", "fair": "holdLock"}
        for site, stacks in self.owners("o.iprof").items():
            for owner in stacks:
                self.assertTrue(owner.has(f"events.LockWaits.{holders[site]}"), owner)
                self.assertEqual(owner.frames[-1], "events.LockWaits.main")

    def test_in_code_that_counts_and_is_verified(self):
        """The probes of LockSupport and the agent's calls are in the same code."""
        events = self.check_whole("", jvm_args=["-Xverify:all"])
        profile = self.profile("l.iprof")
        parks = profile.calls_of("java.util.concurrent.locks.LockSupport.park")
        self.assertGreaterEqual(parks, total([row for row in events.waits if row.is_park], "waits"))
        self.assertFalse([name for name in profile.methods if "Iprof" in name])

    def test_in_optimised_code(self):
        self.check_whole(f",{ONLY_LOCKS}", jvm_args=["-XX:+TieredCompilation"])

    def test_an_attached_agent_records_from_then_on(self):
        self.begin(None)
        self.measure(rounds=2)
        self.run_tool("attach", self.process.pid, f"out={self.folder}/a.iprof,lock=1ms,force=always,control={self.folder}/socket")
        self.wait_for_parks()
        truth = self.measure()
        self.end()
        self.check(events_of(self.profile("a.iprof")), truth)

    def wait_for_parks(self):
        """The JVM finds the agent's native method some time after an attach."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            before = self.do("status")["lock_waits"]
            self.measure(rounds=1, often=5, seldom=5)
            self.assertLess(time.monotonic(), deadline)
            if self.do("status")["lock_waits"] >= before + 4:
                break
        self.do("reset")

    def test_virtual_threads(self):
        version = self.run_java(["-version"], agent=None).stderr
        if 'version "17' in version:
            self.skipTest("no virtual threads")
        self.begin(f"out=v.iprof,lock=1ms,force=always,{ONLY_LOCKS}")
        self.answer("virtual")
        truth = self.measure()
        self.end()
        self.check(events_of(self.profile("v.iprof")), truth)

    def test_waits_below_the_threshold_are_left_out(self):
        self.begin(f"out=t.iprof,lock=50ms,force=always,{ONLY_LOCKS}")
        truth = self.measure(limit=50)
        self.end()
        events = events_of(self.profile("t.iprof"))
        self.assertEqual(total(self.rows_at(events, "seldom"), "waits"), truth["seldom"][0])
        for row in events.waits:
            self.assertGreaterEqual(row.ns, 50_000_000 * row.waits, row)
        # On a busy machine some take longer.
        often = total(self.rows_at(events, "often"), "waits")
        self.assertLessEqual(often, truth["often"][0])
        self.assertGreaterEqual(events.part["lock"]["shorter"], ROUNDS - often)

    def test_waits_for_work_are_no_waits_for_locks(self):
        self.begin(f"out=w.iprof,lock=1ms,force=always,{ONLY_LOCKS}")
        self.answer("kinds")
        self.answer("work")
        self.end()
        events = events_of(self.profile("w.iprof"))
        kinds = {row.type for row in events.waits if row.stack.has("events.LockWaits.blocked") or row.thread == "kinds"}
        self.assertEqual(kinds, {"java.util.concurrent.Semaphore$NonfairSync", "java.util.concurrent.locks.StampedLock",
                                 "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync"})
        work = [row for row in events.waits if row.stack.has("events.LockWaits.waitsForWork")]
        self.assertFalse([row for row in work if row.is_park and "ReentrantLock$" not in row.type], work)

    def test_samples_of_parked_threads_have_no_frame_of_the_agent(self):
        self.begin(f"out=w.iprof,lock=1ms,event=wall,interval=2ms,{NOT_COUNTED}")
        self.measure(rounds=2)
        self.end()
        parked = [context for context in self.profile("w.iprof").samples() if any("LockWaits.unfair" in frame for frame in context)]
        innermost = {tuple(frame.split("(")[0] for frame in context[:2]) for context in parked}
        self.assertIn(("jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks.LockSupport.park"), innermost)
        self.assertFalse([context for context in parked if "Iprof" in str(context)])

    @on_one_jvm
    def test_a_profile_of_waits_alone_says_so(self):
        self.begin(f"out=s.iprof,lock=1ms,verbose=1,{ONLY_LOCKS}")
        self.measure(rounds=1)
        self.end()
        said = self.process.err_path.read_text()
        self.assertRegex(said, r"wrote .*s\.iprof: [4-9] waits for locks")
        self.assertRegex(said, r"waits for locks: [4-9] of at least 1000 us, \d+ ms in all")

    @on_one_jvm
    def test_options_that_cannot_be(self):
        for value, why in (("5us", "between 10us and 60s"), ("2m", "between 10us and 60s"), ("y", "lock")):
            run = self.run_java("events.LockWaits", agent=f"lock={value}", expect=1)
            self.assertIn(why, run.stderr)


class Deep(LocksCase):
    """Where there is hardly room on the stack, the agent takes none that the program needs."""

    def check_deep(self, jvm_args, agent=f"out=d.iprof,lock=10us,force=always,{ONLY_LOCKS}"):
        self.begin(agent, jvm_args=jvm_args)
        self.assertEqual(self.answer("deep 5"), "deep done 5 parks true overflows true")
        self.end()
        events = events_of(self.profile("d.iprof"))
        own = [row for row in events.waits if row.type == "events.LockWaits$OwnLock"]
        self.assertGreater(total(own, "waits"), 100)

    def test_interpreted(self):
        self.check_deep(["-Xint"])

    def test_compiled(self):
        self.check_deep(["-Xcheck:jni"])

    def test_with_probes(self):
        self.check_deep([], agent="out=d.iprof,lock=10us,force=always,samples=n")


class Sessions(LocksCase):
    def sessions(self, count, options, jvm_args=()):
        self.begin(f"start=n,out=end.iprof,lock=1ms,force=always{options}", jvm_args=jvm_args)
        self.assertTrue(self.has_own_code())
        for number in range(count):
            self.do("start")
            if number < 2:
                self.wait_until_own_code(False)
            truth = self.measure(rounds=2, often=10, seldom=30)
            self.do("stop", out=self.folder / "stop.iprof")
            events = events_of(self.profile("stop.iprof"))
            for site in MONITORS:
                self.assertEqual(total(self.rows_at(events, site), "waits"), truth[site][0], number)
            if number > 0:  # the first may begin before the JVM finds the native method
                for site in LOCKS:
                    self.assertGreaterEqual(total(self.rows_at(events, site), "waits"), truth[site][0], number)
            self.assertTrue(self.has_own_code(), number)
            # What waits while nothing is recorded is in no profile.
            self.measure(rounds=1, often=10, seldom=10)
            self.do("reset")
        self.end()
        self.assertNotIn("LockSupport", self.process.err_path.read_text())

    def wait_until_own_code(self, wanted):
        deadline = time.monotonic() + PATIENCE_S
        while self.has_own_code() != wanted:
            self.assertLess(time.monotonic(), deadline)

    def test_one_after_another(self):
        self.sessions(6, f",{ONLY_LOCKS}")

    def test_one_after_another_with_probes(self):
        self.sessions(3, "")

    def test_with_samples_that_have_code_compiled_again(self):
        self.sessions(3, f",{NOT_COUNTED}")

    @in_proof
    def test_many_under_each_collector(self):
        for collector in ("Serial", "Parallel", "G1", "Z", "Shenandoah"):
            flags = [f"-XX:+Use{collector}GC"]
            if self.jvm.accepts(flags[0]):
                with self.subTest(collector):
                    self.sessions(40, f",{ONLY_LOCKS}", flags)
                    (self.folder / "socket").unlink(missing_ok=True)

    def test_iprof_profile_lock(self):
        self.begin(None)
        profiling = self.start_tool("profile", self.process.pid, "--lock", ONLY_LOCKS, "-d", "3s", "-o", self.folder / "p.iprof")
        waits = 0
        while profiling.poll() is None:
            waits += sum(count for count, _ in self.measure(rounds=1, often=5, seldom=5).values())
        said, complaints = profiling.communicate(timeout=PATIENCE_S)
        self.assertEqual((profiling.returncode, complaints), (0, ""), said)
        events = events_of(self.profile("p.iprof"))
        self.assertTrue(self.rows_at(events, "often"))
        self.assertTrue(self.rows_at(events, "fair"))
        self.assertTrue(self.has_own_code())
        self.end()

    def start_tool(self, *args):
        tool = subprocess.Popen([str(part) for part in (Settings.tool, *args)], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        self.addCleanup(tool.stdout.close)
        self.addCleanup(tool.stderr.close)
        self.addCleanup(tool.kill)
        return tool

    @on_one_jvm
    def test_waits_of_a_killed_program_are_recovered(self):
        self.begin(f"out=k.iprof,lock=1ms,snapshot=100ms,{ONLY_LOCKS}")
        truth = self.measure()
        before = self.do("status")["snapshots"]
        deadline = time.monotonic() + PATIENCE_S
        while self.do("status")["snapshots"] < before + 2:  # so one began after all had waited
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.process.kill()
        self.process.wait(PATIENCE_S)
        self.run_tool("recover", self.folder / "k.iraw", "-o", self.folder / "k.iprof")
        self.check(events_of(self.profile("k.iprof")), truth)

    @on_one_jvm
    def test_without_the_hook_monitors_are_recorded(self):
        """As if another agent kept LockSupport from being swapped."""
        refusing = Settings.agent.parent / "java-tests" / "librefusing_agent.so"
        self.begin(f"out=r.iprof,lock=1ms,{ONLY_LOCKS}", jvm_args=[f"-agentpath:{refusing}={CLASS_FILE_LOAD_HOOK}"])
        truth = self.measure(rounds=2)
        self.assertTrue(self.has_own_code())
        self.end()
        self.assertIn("waits for locks of java.util.concurrent are not recorded, only those for monitors",
                      self.process.err_path.read_text())
        events = events_of(self.profile("r.iprof"))
        for site in MONITORS:
            self.assertEqual(total(self.rows_at(events, site), "waits"), truth[site][0])
        self.assertFalse([row for row in events.waits if row.is_park])

    @on_one_jvm
    def test_status_says_how_many(self):
        self.begin(f"out=n.iprof,lock=1ms,{ONLY_LOCKS}")
        self.measure(rounds=1)
        status = json.loads(self.run_tool("status", self.process.pid, "--format", "json").stdout)["status"]
        self.assertGreaterEqual(status["lock_waits"], 4)
        self.assertEqual(status["records"], ["locks"])
        self.assertIn("waits recorded", self.run_tool("status", self.process.pid).stdout)
        self.do("reset")
        self.assertEqual(self.do("status")["lock_waits"], 0)
        self.end()
