"""iprof convert RECORDING.jfr, and harvest --jfr: what a stock JVM records for itself becomes a profile. The JDK's own tool, jfr, is the
oracle: it has the same events, the same stacks and the same weights."""

import collections
import json
import re

from iprofdev import jvms

from harness.case import AgentCase
from harness.events import events_of
from harness.scope import on_newest_jvm

SAMPLES, CPU_SAMPLES = "jdk.ExecutionSample", "jdk.CPUTimeSample"
ALLOCATIONS, MONITORS, PARKS = "jdk.ObjectAllocationSample", "jdk.JavaMonitorEnter", "jdk.ThreadPark"
QUEUES = ("java.util.concurrent.locks.AbstractQueuedSynchronizer", "java.util.concurrent.locks.AbstractQueuedLongSynchronizer",
          "java.util.concurrent.locks.StampedLock")
LATCH = "java.util.concurrent.CountDownLatch$Sync"
# JDK 17 calls a hidden class a.B$$Lambda$7+0x0001/123, later ones a.B$$Lambda/0x0001.
HIDDEN = re.compile(r"[+/]0x[0-9a-f]+(/\d+)?$")


def folded(thread):
    return re.sub(r"\d+", "*", thread["javaName"] or thread["osName"])


def class_of(recorded):
    return HIDDEN.sub("", recorded["name"]).replace("/", ".") if recorded else None


def frames_of(stack):
    """(class.method, bci) of each frame that a profile has."""
    frames = []
    for frame in stack["frames"] if stack else ():
        method, bci = frame["method"], frame["bytecodeIndex"]
        name = method["type"]["name"]
        is_native = frame["type"] == "Native"
        if name == "jdk/internal/vm/Continuation" and method["name"].startswith("enter"):
            break
        if HIDDEN.search(name) or re.search(r"java/lang/invoke/.*\$Holder$|\$Proxy\d+$|/Generated\w+Accessor\d+$", name):
            continue
        if bci < 0 and not is_native and frames:
            break
        frames.append((f"{name.replace('/', '.')}.{method['name']}", 0 if is_native else max(bci, 0)))
    return frames


def is_lock_park(values):
    names = [frame["method"]["type"]["name"].replace("/", ".") for frame in values["stackTrace"]["frames"]]
    callers = names[names.index("java.util.concurrent.locks.LockSupport"):]
    caller = next((name for name in callers if name != "java.util.concurrent.locks.LockSupport"), "")
    return caller in QUEUES and class_of(values["parkedClass"]) != LATCH


def nanoseconds(duration):
    """Of "PT1.5S"."""
    return round(float(re.fullmatch(r"PT([\d.]+)S", duration)[1]) * 1e9)


class Recordings(AgentCase):
    def setUp(self):
        super().setUp()
        # A runtime may lack the tool; that of a later JDK reads its recordings.
        tools = [(jvm.major, str(jvm.tool("jfr"))) for jvm in jvms.all_jvms() if jvm.tool("jfr")]
        tools = [tool for major, tool in tools if major >= self.jvm.major]
        if not tools:
            self.skipTest("no JDK here has the tool jfr for this JVM's recordings")
        self.jfr = tools[-1]

    def record(self, *options, ms=3000, name="app.jfr", settings="settings=profile"):
        options = ",".join([f"filename={self.folder / name}", settings, *options])
        self.run_java("events.Recorded", ms, agent=None, jvm_args=[f"-XX:StartFlightRecording={options}"])
        return name

    def record_enough(self, kinds, is_enough, *options):
        """On a busy machine, a program may have been sampled seldom."""
        for ms in (2000, 4000, 8000, 16000, 32000):
            name = self.record(*options, ms=ms)
            events = self.events(name, *kinds)
            if is_enough(events):
                return name, events
        return self.fail(f"too few events: { {kind: len(found) for kind, found in events.items()} }")

    def events(self, name, *kinds):
        """By kind: what the JDK's tool prints."""
        found = {kind: [] for kind in kinds}
        printed = self.run_command([self.jfr, "print", "--json", "--stack-depth", "4096", "--events", ",".join(kinds), self.folder / name])
        for event in json.loads(printed.stdout)["recording"]["events"]:
            found[event["type"]].append(event["values"])
        return found

    def convert(self, name, *options, expect=0):
        said = self.run_tool("convert", self.folder / name, "-o", self.folder / "app.iprof", "--format", "json", *options, expect=expect)
        return self.profile("app.iprof"), json.loads(said.stdout)["recording"], said

    def stacks(self):
        """The weights of whole stacks with their thread, as other tools are given them."""
        text = self.run_tool("convert", "--to", "collapsed", "--bci", self.folder / "app.iprof").stdout
        return {stack: int(weight) for stack, weight in (line.rsplit(" ", 1) for line in text.splitlines())}

    def expected_stacks(self, samples, thread):
        counted = collections.Counter()
        for values in samples:
            frames = frames_of(values["stackTrace"])
            if frames:
                named = [f"{method}:{bci}" for method, bci in reversed(frames)]
                counted[";".join([f"[{folded(values[thread])}]", *named])] += 1
        return dict(counted)

    def test_samples_are_those_of_the_recording(self):
        name, events = self.record_enough([SAMPLES], lambda events: any(values["stackTrace"]["truncated"] for values in events[SAMPLES]))
        samples = events[SAMPLES]
        profile, recording, _ = self.convert(name)
        self.assert_same(self.expected_stacks(samples, "sampledThread"), self.stacks())
        self.assertEqual(recording["event"], SAMPLES)
        self.assertEqual((recording["samples"], recording["interval_ns"]), (len(samples), 10_000_000))  # that of settings=profile
        cut = sum(values["stackTrace"]["truncated"] for values in samples)
        sampling = profile.section["sampling"]
        self.assertEqual((recording["truncated"], sampling["cutSamples"]), (cut, cut))
        self.assertGreater(sampling["cutContexts"], 0)
        self.assertEqual(recording["problems"], [])
        self.assertEqual(profile.calls(), {})
        (run,) = profile.section["provenance"]["runs"]
        self.assertEqual((run["source"], run["program"], run["jvm_version"]), ("jfr", "events.Recorded", self.jvm.full_version.split("+")[0]))
        # A profile without counts is not what a build needs, and advise says it.
        self.assertIn("[no-counts]", self.run_tool("advise", self.folder / "app.iprof", expect=6).stdout)
        self.run_tool("check", self.folder / "app.iprof")

    def test_allocations_and_waits_are_those_of_the_recording(self):
        name, recorded = self.record_enough([ALLOCATIONS, MONITORS, PARKS], lambda events: all(events.values()))
        profile, recording, _ = self.convert(name)
        events = events_of(profile)
        allocated = collections.Counter()
        for values in recorded[ALLOCATIONS]:
            frames = frames_of(values["stackTrace"]) or [("(no Java code).native", 0)]
            allocated[tuple(frames), class_of(values["objectClass"]), folded(values["eventThread"])] += values["weight"]
        found = collections.Counter()
        for row in events.allocations:
            found[tuple(zip(row.stack.frames, [bci for bci, _ in row.stack.positions])), row.type, row.thread] += row.bytes
        self.assert_same(dict(allocated), dict(found))
        self.assertEqual(recording["allocations"], len(recorded[ALLOCATIONS]))

        parks = [values for values in recorded[PARKS] if is_lock_park(values)]
        self.assertEqual(recording["waits_for_work"], len(recorded[PARKS]) - len(parks))
        waits = [(values, values["monitorClass"], False) for values in recorded[MONITORS]]
        waits += [(values, values["parkedClass"], True) for values in parks]
        expected, found = collections.Counter(), collections.Counter()
        expected_ns, found_ns = collections.Counter(), collections.Counter()
        for values, kind, is_park in waits:
            key = (frames_of(values["stackTrace"])[0][0], class_of(kind), folded(values["eventThread"]), is_park)
            expected[key] += 1
            expected_ns[key] += nanoseconds(values["duration"])
        for row in events.waits:
            key = (row.stack.frames[0], row.type, row.thread, row.is_park)
            found[key] += row.waits
            found_ns[key] += row.ns
        self.assertGreater(sum(expected.values()), 0)
        self.assert_same(dict(expected), dict(found))
        for key, ns in expected_ns.items():  # the tool's digits are those of a double
            self.assertAlmostEqual(found_ns[key], ns, delta=1 + ns * 1e-6, msg=key)

    @on_newest_jvm
    def test_samples_of_cpu_time_are_taken_alone(self):
        if self.jvm.major < 25:
            self.skipTest("jdk.CPUTimeSample is of JDK 25")
        name, recorded = self.record_enough([SAMPLES, CPU_SAMPLES, "jdk.CPUTimeSamplesLost"], lambda events: events[SAMPLES] and events[CPU_SAMPLES],
                                            "jdk.CPUTimeSample#enabled=true", "jdk.CPUTimeSample#throttle=10ms")
        profile, recording, _ = self.convert(name)
        samples = recorded[CPU_SAMPLES]
        self.assertEqual((recording["event"], recording["samples"], recording["other_samples"]), (CPU_SAMPLES, len(samples), len(recorded[SAMPLES])))
        self.assertEqual(recording["lost"], sum(values["lostSamples"] for values in recorded["jdk.CPUTimeSamplesLost"]))
        # Each stands for its own period; the stacks are those of the recording, as far as their weight is half a sample or more.
        periods = collections.Counter()
        for values in samples:
            frames = frames_of(values["stackTrace"])
            if frames:
                periods[";".join([f"[{folded(values['eventThread'])}]", *(f"{method}:{bci}" for method, bci in reversed(frames))])] += \
                    nanoseconds(values["samplingPeriod"])
        mean = sum(nanoseconds(values["samplingPeriod"]) for values in samples) / len(samples)
        self.assertAlmostEqual(recording["interval_ns"], mean, delta=1 + mean * 1e-6)
        found = self.stacks()
        self.assertLessEqual(set(found), set(periods))
        for stack, ns in periods.items():
            self.assertAlmostEqual(found.get(stack, 0), ns / mean, delta=1.01)
        self.assertEqual(profile.section["sampling"]["intervalNs"], recording["interval_ns"])

    def test_the_jvms_lambdas_have_no_frames(self):
        name = self.record(ms=1500)
        profile, _, _ = self.convert(name)
        self.assertEqual([kind for kind in profile.types if "$$Lambda" in kind], [])
        self.assertTrue(any("lambda$" in method for method in profile.methods), profile.methods)

    def test_what_is_cut_off_is_named(self):
        name = self.record(ms=1500)
        whole = (self.folder / name).read_bytes()
        (self.folder / "cut.jfr").write_bytes(whole + whole[:len(whole) // 2])
        _, once, _ = self.convert(name)
        _, cut, said = self.convert("cut.jfr")
        # Half a chunk may have metadata and constants: JFR writes them every second.
        self.assertGreaterEqual(cut["samples"], once["samples"])
        (problem,) = cut["problems"]
        self.assertIn(f"the chunk at {len(whole)} is cut short", problem)
        self.assertIn(problem, said.stderr)

    def test_a_running_recording_is_read_to_its_last_checkpoint(self):
        process = self.start_java("events.Recorded", 2500, "wait", agent=None,
                                  jvm_args=[f"-XX:FlightRecorderOptions=repository={self.folder}/chunks",
                                            "-XX:StartFlightRecording=settings=profile"])
        (chunk,) = (self.folder / "chunks").rglob("*.jfr")
        (self.folder / "running.jfr").write_bytes(chunk.read_bytes())
        process.kill()
        _, recording, said = self.convert("running.jfr")
        self.assertGreater(recording["samples"], 0)
        self.assertIn("the chunk at 0 was not finished: it is read up to its last checkpoint", said.stderr)

    def test_a_harvest_with_a_recording_has_all_tables(self):
        jcmd = self.jvm.tool("jcmd")
        if jcmd is None:
            self.skipTest(f"{self.jvm.id} has no jcmd")
        process = self.start_java("events.Recorded", 100, "wait", agent=None)
        pid = str(process.pid)
        self.run_command([jcmd, pid, "JFR.start", "name=iprof", "settings=profile"])
        self.wait_for_samples(jcmd, pid)
        self.run_tool("harvest", pid, "--jfr", self.folder / "app.jfr", "-o", self.folder / "all.iprof")
        profile = self.profile("all.iprof")
        self.assertGreater(sum(profile.calls().values()), 0)
        self.assertGreater(sum(profile.samples().values()), 0)
        self.assertTrue(events_of(profile).allocations)
        (run,) = profile.section["provenance"]["runs"]
        self.assertTrue(run["tables"].endswith("+samples+allocations+locks"), run)

    def wait_for_samples(self, jcmd, pid):
        for _ in range(30):
            self.run_command(["sleep", "1"])
            self.run_command([jcmd, pid, "JFR.dump", "name=iprof", f"filename={self.folder / 'app.jfr'}"])
            _, recording, _ = self.convert("app.jfr")
            if recording["samples"] > 0 and recording["allocations"] > 0:
                return
        self.fail("the program has no samples")
