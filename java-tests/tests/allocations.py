"""Sampled allocations (alloc=) compared with the numbers of a program that knows its own, live objects with a histogram of the heap, and
sessions that begin and end while a program allocates.

A sum of n samples is within 3/sqrt(n) in 997 of 1,000 cases. So a row that is not is measured a second time: that it is outside twice by
chance happens once in 100,000 times."""

import json
import math
import re
import time

from iprofdev.processes import PATIENCE_S

from harness import control
from harness.case import C1_ONLY, AgentCase, Settings
from harness.events import events_of, total
from harness.scope import in_proof, on_newest_jvm, on_one_jvm

ONLY_ALLOCATIONS = "calls=n,branches=n,receivers=n,monitors=n,samples=n"
SITES = ("small", "bytes", "ints", "large", "copies")
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")


class AllocationsCase(AgentCase):
    agent_defaults = {"image": "n"}
    jvm_defaults = C1_ONLY

    def truth(self, output, word):
        """{key: (bytes, objects)} of the lines that begin with the word."""
        found = {}
        for line in output.splitlines():
            if line.startswith(f"{word} "):
                *key, size, objects = line.split()[1:]
                found[tuple(key)] = (int(size), int(objects))
        self.assertTrue(found, output)
        return found

    def collector_flags(self, collector):
        flags = [f"-XX:+Use{collector}GC"]
        if self.run_java(["-version"], agent=None, jvm_args=flags, expect=None).code:
            return None
        return flags

    def outside(self, what, expected, rows, values=("bytes", "objects"), samples="samples"):
        """Those of the values that are further from the truth than their sampling error, in words."""
        wrong = []
        n = total(rows, samples)
        for value, true in zip(values, expected):
            seen = total(rows, value)
            error = seen / true - 1
            most = 3 / math.sqrt(n) if n else 1
            print(f"{self.jvm.id} {what} {value}: {seen} of {true}, {100 * error:+.2f} %, n={n}, at most {100 * most:.2f} %")
            if n == 0 or abs(error) > most:
                wrong.append(f"{what} {value}: {seen}, not {true}; n={n}")
        return wrong

    def twice(self, measure):
        """What is outside in two measurements."""
        wrong = measure()
        if not wrong:
            return
        again = {text.split(":")[0] for text in measure()}
        self.assertFalse([text for text in wrong if text.split(":")[0] in again])


class Allocations(AllocationsCase):
    KIB = 64 << 10

    def rows_outside(self, events, output):
        wrong = []
        for (site, kind, thread), expected in self.truth(output, "truth").items():
            method = f"events.Allocates.{site}"
            rows = [row for row in events.allocations if row.stack.has(method) and row.type == kind
                    and row.thread == thread.replace("_", " ")]
            wrong += self.outside(f"{site} in {thread}", expected, rows)
        return wrong

    def check_rows(self, options="", interval="32k", jvm_args=()):
        def measure():
            run = self.run_java("events.Allocates", "once", self.KIB, jvm_args=jvm_args,
                                agent=f"out=a.iprof,alloc={interval},force=always{options}")
            events = events_of(self.profile("a.iprof"))
            figures = events.part["alloc"]
            self.assertEqual(figures["dropped"], 0, figures)
            self.assertEqual(figures["samples"], total(events.allocations, "samples"))
            self.events = events
            return self.rows_outside(events, run.stdout)
        self.twice(measure)

    def test_rows_are_right_by_site_class_and_thread(self):
        self.check_rows(f",{ONLY_ALLOCATIONS}")
        # With their lines: each site allocates on one.
        for site in SITES:
            method = f"events.Allocates.{site}"
            lines = {row.stack.positions[row.stack.frames.index(method)] for row in self.events.allocations
                     if row.stack.has(method) and row.type != "java.lang.Object"}
            self.assertLessEqual(len(lines), 2 if site == "copies" else 1, lines)
            self.assertTrue(all(line > 0 for _, line in lines), lines)
        # A thread's stack ends at its first frame, a virtual one's at its own.
        for row in self.events.allocations:
            if row.thread == "main" and row.stack.has("events.Allocates.small"):
                self.assertEqual(row.stack.frames[-1], "events.Allocates.main")
            self.assertFalse([frame for frame in row.stack.frames if frame.startswith("jdk.internal.vm.Continuation.enter")])

    def test_rows_are_right_in_optimised_code(self):
        self.check_rows(f",{ONLY_ALLOCATIONS}", interval="128k", jvm_args=["-XX:+TieredCompilation"])

    def test_positions_are_those_of_the_class_file_also_in_code_that_counts(self):
        def positions(options):
            self.run_java("events.Allocates", "once", 4 << 10, agent=f"out=p.iprof,alloc=8k,force=always{options}")
            return {(frame, *position) for row in events_of(self.profile("p.iprof")).allocations if row.samples > 5
                    for frame, position in zip(row.stack.frames, row.stack.positions) if frame.startswith("events.Allocates.")
                    and "lambda" not in frame}
        plain, counted = positions(f",{ONLY_ALLOCATIONS}"), positions("")
        sites = {f"events.Allocates.{site}" for site in SITES}
        self.assertEqual({one for one in plain if one[0] in sites}, {one for one in counted if one[0] in sites})
        self.assertFalse([one for one in counted if "Iprof" in one[0] or "iprof$" in one[0]])

    def test_an_attached_agent_samples_from_then_on(self):
        def measure():
            process = self.start_java("events.Allocates", "once", self.KIB, "waits", agent=None, ready="waits")
            self.attach(process, f"out={self.folder}/a.iprof,alloc=32k,force=always,{ONLY_ALLOCATIONS}")
            process.stdin.write(b"go\n")
            process.stdin.close()
            self.assertEqual(process.wait(PATIENCE_S), 0, process.err_path.read_text())
            return self.rows_outside(events_of(self.profile("a.iprof")), process.out_path.read_text())
        self.twice(measure)

    def test_no_stack_names_a_method_of_another_class_after_classes_are_unloaded(self):
        """The JVM could give a method the id of one that is gone. The arrays' classes say which method made them."""
        classes = 3000
        run = self.run_java("events.Unloads", classes, jvm_args=["-Xmx128m"], agent=f"out=u.iprof,alloc=4k,force=always,{ONLY_ALLOCATIONS}")
        self.assertGreater(int(re.search(r"unloaded (\d+)", run.stdout)[1]), 0.8 * classes)
        makers, seen = {"[": "once", "[[": "twice", "[[[": "thrice"}, set()
        for row in events_of(self.profile("u.iprof")).allocations:
            frames = [frame for frame in row.stack.frames if "$Unique" in frame]
            made = re.fullmatch(r"(\[+)L(events\.Unloads\$Unique\d+);", row.type or "")
            if made:
                self.assertEqual(frames, [f"{made[2]}.{makers[made[1]]}", f"{made[2]}.run"])
                seen.add(row.type)
            else:  # as the class of an array itself, which the JVM makes
                self.assertLessEqual(len({frame.rsplit(".", 1)[0] for frame in frames}), 1, row)
        self.assertGreater(len(seen), classes)

    @on_one_jvm
    def test_every_object_is_sampled_with_a_distance_of_one_byte(self):
        run = self.run_java("events.Allocates", "once", 64, agent=f"out=a.iprof,alloc=1,force=always,{ONLY_ALLOCATIONS}")
        events = events_of(self.profile("a.iprof"))
        for (site, kind, thread), (size, objects) in self.truth(run.stdout, "truth").items():
            rows = [row for row in events.allocations if row.stack.has(f"events.Allocates.{site}") and row.type == kind
                    and row.thread == thread]
            extra = 1 if site == "copies" else 0  # the array that is copied
            self.assertIn(total(rows, "objects") - objects, (0, extra, 2 * extra), f"{site} {thread}")
            self.assertEqual(total(rows, "samples"), total(rows, "objects"))

    @on_one_jvm
    def test_a_profile_of_allocations_alone_says_so(self):
        run = self.run_java("events.Allocates", "once", 1024, agent=f"out=a.iprof,alloc=8k,verbose=1,{ONLY_ALLOCATIONS}")
        self.assertRegex(run.stderr, r"wrote .*a\.iprof: [\d,]+ sampled allocations")
        self.assertRegex(run.stderr, r"allocations: \d+ sampled, every 8192 bytes, for \d+ KiB in all")
        profile = self.profile("a.iprof")
        self.assertEqual(profile.section["runs"][0]["tables"] if isinstance(profile.section.get("runs"), list) else "allocations",
                         "allocations")

    @on_one_jvm
    def test_a_window_of_a_running_program(self):
        process = self.start_java("events.Allocates", "endless", agent=None)
        self.run_tool("profile", process.pid, "--alloc", ONLY_ALLOCATIONS, "-d", "1s", "-o", self.folder / "w.iprof")
        events = events_of(self.profile("w.iprof"))
        self.assertEqual(events.part["alloc"]["intervals"], [512 << 10])
        self.assertGreater(len([row for row in events.allocations if row.stack.has("events.Allocates.descend")]), 0)
        self.assertIsNone(process.poll())

    @on_one_jvm
    def test_memory_is_bounded_and_what_finds_no_room_is_counted(self):
        process = self.start_java("events.Allocates", "endless", agent=f"out=m.iprof,alloc=1k,memory=4m,{ONLY_ALLOCATIONS},"
                                  f"control={self.folder}/socket", jvm_args=["-Xmx128m"])
        agent = control.Controlled(self.folder / "socket", PATIENCE_S)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            status = agent.ask("status")["status"]
            self.assertLess(status["native_bytes"], status["memory_limit_bytes"] + (1 << 20), status)
            if any("no room" in loss["what"] for loss in status["losses"]):
                break
            self.assertLess(time.monotonic(), deadline, status)
            time.sleep(0.1)
        process.stdin.close()
        self.assertEqual(process.wait(PATIENCE_S), 0)
        figures = events_of(self.profile("m.iprof")).part["alloc"]
        self.assertGreater(figures["dropped"], 0)
        # Of a snapshot, too.
        rows = total(events_of(self.profile("m.iprof")).allocations, "samples")
        self.assertEqual(rows + figures["dropped"], figures["samples"])

    def status(self, pid):
        return json.loads(self.run_tool("status", pid, "--format", "json").stdout)["status"]

    def samples_in(self, raw):
        """Of allocations; 0 if there is no snapshot yet."""
        made = self.run_tool("recover", self.folder / raw, "-o", self.folder / "now.iprof", expect=None)
        return events_of(self.profile("now.iprof")).part["alloc"]["samples"] if made.code == 0 else 0

    @on_one_jvm
    def test_allocations_of_a_killed_program_are_recovered(self):
        process = self.start_java("events.Allocates", "once", self.KIB, agent=f"out=k.iprof,alloc=32k,snapshot=100ms,{ONLY_ALLOCATIONS}")
        samples = self.status(process.pid)["allocations"]
        deadline = time.monotonic() + PATIENCE_S
        # A snapshot may repeat the last part for a while.
        while self.samples_in("k.iraw") < samples:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        process.kill()
        process.wait(PATIENCE_S)
        self.run_tool("recover", self.folder / "k.iraw", "-o", self.folder / "k.iprof")
        events = events_of(self.profile("k.iprof"))
        self.assertGreaterEqual(events.part["alloc"]["samples"], samples)
        for (site, kind, thread), (size, _) in self.truth(process.out_path.read_text(), "truth").items():
            rows = [row for row in events.allocations if row.stack.has(f"events.Allocates.{site}") and row.type == kind
                    and row.thread == thread.replace("_", " ")]
            self.assertLess(abs(total(rows, "bytes") / size - 1), 5 / math.sqrt(total(rows, "samples")), f"{site} {thread}")


class Live(AllocationsCase):
    KIB = 64 << 10

    def histogram(self, process):
        """{class: (bytes, objects)} of the heap; None without jcmd."""
        jcmd = self.jvm.tool("jcmd")
        if jcmd is None:
            return None
        text = self.run_command([jcmd, process.pid, "GC.class_histogram", "-all"], expect=None).stdout
        return {name: (int(size), int(objects)) for objects, size, name in re.findall(r"(?m)^\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)", text)}

    def live_outside(self, flags):
        process = self.start_java("events.Allocates", "keeps", self.KIB, jvm_args=["-Xmx512m", *flags],
                                  agent=f"out=l.iprof,alloc=32k,{ONLY_ALLOCATIONS}")
        heap = self.histogram(process)
        self.run_tool("dump", process.pid, "-o", self.folder / "live.iprof")
        process.kill()
        process.wait(PATIENCE_S)
        self.run_command(["rm", "-f", self.folder / "l.iraw"])
        events = events_of(self.profile("live.iprof"))
        self.assertGreater(events.part["alloc"]["sweptMs"], (time.time() - PATIENCE_S) * 1000)
        wrong = []
        for (kind,), expected in self.truth(process.out_path.read_text(), "kept").items():
            rows = [row for row in events.allocations if row.type == kind
                    and any(frame.startswith("events.Allocates.kept") for frame in row.stack.frames)]
            if heap is not None:
                # What the heap has is what the program says, but for what the JVM itself keeps of a class.
                self.assertLess(abs(heap[kind][0] / expected[0] - 1), 0.02, (kind, heap[kind], expected))
            name = f"{kind} {' '.join(flags)}"
            wrong += self.outside(name, expected, rows, ("live_bytes", "live_objects"), "live_samples")
            allocated = tuple(value * (4 if "Kept" in kind else 2) for value in expected)
            wrong += self.outside(name, allocated, rows)
        return wrong

    def test_live_bytes_are_those_of_the_heap_under_each_collector(self):
        for collector in COLLECTORS:
            flags = self.collector_flags(collector)
            if flags is None:
                continue
            with self.subTest(collector):
                self.twice(lambda flags=flags: self.live_outside(flags))

    @on_newest_jvm
    def test_the_older_generation_of_z_is_seen_too(self):
        flags = ["-XX:+UseZGC", "-XX:ZCollectionInterval=1"]
        if self.run_java(["-version"], agent=None, jvm_args=flags, expect=None).code:
            self.skipTest(f"{self.jvm.id} has no ZGC")
        self.twice(lambda: self.live_outside(flags))


class OneToolAtATime(AllocationsCase):
    """JVMTI gives the events to one environment."""

    def other(self):
        return Settings.agent.parent / "java-tests" / "liballocation_sampler.so"

    REFUSED = "option 'alloc': another tool samples the allocations of this JVM"

    @on_one_jvm
    def test_a_start_fails_in_one_sentence(self):
        run = self.run_command(self.with_other(f"alloc=512k,{ONLY_ALLOCATIONS}"), expect=1)
        (line,) = [line for line in run.stderr.splitlines() if "alloc" in line]
        self.assertIn(self.REFUSED, line)

    @on_one_jvm
    def test_with_onerror_ignore_the_program_runs(self):
        run = self.run_command(self.with_other(f"alloc=512k,onerror=ignore,{ONLY_ALLOCATIONS}"))
        self.assertIn(self.REFUSED, run.stderr)
        self.assertIn("done", run.stdout)
        self.assertFalse((self.folder / "default.iprof").exists())

    def with_other(self, options):
        # The other one first: it takes the capability when it is loaded.
        command = self.java_command("events.Allocates", "once", 64, agent=None,
                                    jvm_args=[f"-agentpath:{self.other()}", f"-agentpath:{Settings.agent}={options}"])
        return ["sh", "-c", 'exec "$@" </dev/null', "sh", *command]

    def test_an_attach_is_refused_and_the_target_untouched(self):
        process = self.start_java("events.Allocates", "endless", agent=None, jvm_args=[f"-agentpath:{self.other()}"])
        run = self.attach(process, f"alloc=512k,out={self.folder}/x.iprof", expect_ok=False)
        self.assertIsNone(process.poll(), run)
        self.assertIn(self.REFUSED, process.err_path.read_text())
        self.assertFalse((self.folder / "x.iprof").exists())
        # Without it, the same JVM can be recorded.
        self.attach(process, f"out={self.folder}/y.iprof")
        process.stdin.close()
        self.assertEqual(process.wait(PATIENCE_S), 0, process.err_path.read_text())
        self.assertNotIn("events", self.profile("y.iprof").section)

    @on_one_jvm
    def test_a_stop_gives_the_events_back(self):
        process = self.start_java("events.Allocates", "endless", agent=f"alloc=64k,out=g.iprof,control={self.folder}/socket,{ONLY_ALLOCATIONS}")
        agent = control.Controlled(self.folder / "socket", PATIENCE_S)
        self.assertEqual(agent.ask("stop", out=self.folder / "stopped.iprof")["outcome"], "done")
        jcmd = self.jvm.tool("jcmd")
        loaded = self.run_command([jcmd, process.pid, "JVMTI.agent_load", self.other()], expect=None)
        self.assertIn("return code: 0", loaded.stdout)
        # Now it is the other one's.
        answer = agent.ask("start")
        self.assertEqual(answer["outcome"], "failed", answer)
        self.assertIn(self.REFUSED, answer["message"])
        process.stdin.close()
        self.assertEqual(process.wait(PATIENCE_S), 0, process.err_path.read_text())


class Sessions(AllocationsCase):
    def sessions(self, count, flags):
        """Starts, dumps, resets and stops while threads allocate."""
        process = self.start_java("events.Allocates", "endless", jvm_args=["-Xmx256m", *flags],
                                  agent=f"start=n,alloc=16k,out=end.iprof,force=always,control={self.folder}/%p.socket,{ONLY_ALLOCATIONS}")
        agent = control.Controlled(self.folder / f"{process.pid}.socket", PATIENCE_S)

        def done(verb, **options):
            answer = agent.ask(verb, **options)
            self.assertEqual(answer["outcome"], "done", answer)
            return answer.get("status")
        for number in range(count):
            done("start")
            deadline = time.monotonic() + PATIENCE_S
            while done("status")["allocations"] < 200:
                self.assertIsNone(process.poll(), process.err_path.read_text())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            if number % 3 == 1:
                done("reset")
            done("dump", out=self.folder / "dump.iprof")
            done("stop", out=self.folder / "stop.iprof")
            if number % 20 == 0 or number == count - 1:
                events = events_of(self.profile("stop.iprof"))
                self.assertGreater(len(events.allocations), 0)
                self.assertEqual(events.part["alloc"]["dropped"], 0)
            done("reset")
        process.stdin.close()
        self.assertEqual(process.wait(PATIENCE_S), 0, process.err_path.read_text())
        self.assertIn("done", process.out_path.read_text())

    def each_collector(self, count):
        for collector in COLLECTORS:
            flags = self.collector_flags(collector)
            if flags is not None:
                with self.subTest(collector):
                    self.sessions(count, flags)

    def test_ten_sessions_under_each_collector(self):
        self.each_collector(10)

    @in_proof
    def test_200_sessions_under_each_collector(self):
        self.each_collector(200)
