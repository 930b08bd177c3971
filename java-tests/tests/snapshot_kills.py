"""kill -9 at random moments: what is recovered is true, of every way to record. KeepsTruth writes its own counts into a file
that survives it, and a deterministic javac does always the same, so that what it did before it was killed is a part of what it does in all.

The raw file itself says which snapshots are complete in it, and when they were taken: the newest of them must be recovered. Profiles
that a whole run of javac writes on its way say which bias its branches had by then. A run that was killed is compared with the nearest
of these moments, and what the branch did since then, or would still do, may have any bias.

IPROF_KILLS says how often each of them is killed (default: a few times), and IPROF_SEED when."""

import calendar
import concurrent.futures
import json
import os
import pathlib
import random
import re
import statistics
import struct
import sys
import time

from iprofdev.processes import PATIENCE_S

from harness import profile as profiles
from harness.snapshot_case import SnapshotCase
from oracle import java_sources

HISTORY = 1 << 14
PER_THREAD = 2 * (HISTORY + 1)
PERIOD_MS = 100
AT_ONCE = 3  # programs at a time
REST_MS = 2  # of each thread after a ms of work, so that most of the CPU time is left to others
POINT = 0.01
WARM = 1_000_000  # calls after which HotSpot counts those of a method, however busy its compilers are
PAGE = 4096  # of a raw file
HOT, ENOUGH = 10_000, 2_000  # executions of a branch: in a whole run, and in a part of it, to say something about its bias
NEAR = 0.2  # a moment of the whole run that shows what the bias should be: the share of executions that lie in between
HELD_BACK = 10_000  # executions that a loop may have had in registers, and so not in its counters, at the moment of a snapshot
CORNERS = [f"KeepsTruth${shape}.corners(int)int" for shape in ("Prism", "Pyramid")]
NOTHING_YET = "has no snapshot yet"


def kills(usual):
    return int(os.environ.get("IPROF_KILLS", usual))


def ms_of(time_text):
    """ms since 1970 of "2026-11-22T23:35:27.123Z"; the fraction may be missing."""
    seconds, _, fraction = time_text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) * 1000 + int((fraction + "000")[:3])


def complete_snapshots(raw):
    """The snapshots that the two commits of a raw file name (writer/records/raw/raw_format.h): number -> time in ms since 1970. A commit is written
    last, and within one page, so that a kill cannot cut it."""
    with open(raw, "rb") as file:
        pages = file.read(3 * PAGE).ljust(3 * PAGE, b"\0")
    commits = (struct.unpack_from("<4Q", pages, place) for place in (PAGE, 2 * PAGE))
    return {number: time_ns // 1_000_000 for mark, number, time_ns, _ in commits if mark != 0}


def has_snapshot(raw):
    try:
        return bool(complete_snapshots(raw))
    except FileNotFoundError:
        return False


def shares_of(counts):
    whole = sum(counts.values())
    return {outcome: count / whole for outcome, count in counts.items()}


class WholeRun:
    """What a whole run of javac counted, and what it had counted at some moments before its end, in their order."""

    def __init__(self, whole, parts):
        self.counts = javac_counts(whole)
        self.parts = [javac_counts(part) for part in parts]
        hot = {place for place, counts in javac_branches(whole).items() if sum(counts.values()) >= HOT}
        self.moments = {place: [] for place in hot}  # place -> what the hot branch had counted at each moment, also at the end
        for profile in (*parts, whole):
            for place, counts in javac_branches(profile).items():
                if place in hot and sum(counts.values()) > 0:
                    self.moments[place].append(counts)

    def bias_of(self, place, executions):
        """The shares of a hot branch's outcomes at the nearest moment, and how far they can be off after so many executions: none of those in
        between is known."""
        nearest = min(self.moments[place], key=lambda counts: abs(sum(counts.values()) - executions))
        return shares_of(nearest), abs(sum(nearest.values()) - executions) / executions

    def least(self, counts):
        """What a run that was killed must have, if it has these counts: what the whole run had at a moment before. Numbers of a snapshot are
        read one after the other, on a busy machine over some time; so at a moment when it had done half as much."""
        before = [part for part in self.parts if progress_of(part) <= progress_of(counts) / 2]
        return before[-1] if before else {}


def is_javac(context):
    return context[0].startswith("com.sun.tools.javac.") and "$$Lambda" not in context[0]


def javac_branches(profile):
    return {context: counts for context, counts in profile.branches().items() if is_javac(context)}


def javac_counts(profile):
    """All numbers of javac's own code."""
    found = {}
    for table in (profile.calls(), profile.branches(), profile.receivers()):
        for context, counts in table.items():
            if is_javac(context):
                for key, count in (counts.items() if isinstance(counts, dict) else [(None, counts)]):
                    found[context, key] = count
    return found


def progress_of(counts):
    return sum(count for (_, key), count in counts.items() if key is None)  # calls


class Truth:
    """What KeepsTruth knows of one thread."""

    def __init__(self, longs):
        self.begun, entries = longs[0], longs[1]
        ring = list(zip(longs[2::2], longs[3::2]))
        # The entry after the last one may have been written in part.
        self.history = [ring[n % HISTORY] for n in range(max(0, entries - HISTORY + 1), entries)]

    @staticmethod
    def of_file(path, threads):
        longs = struct.unpack(f"<{PER_THREAD * threads}q", pathlib.Path(path).read_bytes())
        return [Truth(longs[t * PER_THREAD:(t + 1) * PER_THREAD]) for t in range(threads)]

    def ended_before(self, time_ms):
        """Steps that had certainly ended at this time."""
        return max((steps for when, steps in self.history if when < time_ms), default=0)


class KillCase(SnapshotCase):
    jvm_defaults = ()
    all_killed = all_recovered = 0

    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("IPROF_SEED", random.randrange(1 << 30)))
        self.random = random.Random(self.seed)

    def many(self, count, kill_one, most_delay=0.6):
        """Kills programs, several at a time. kill_one(number, delay) returns the age of what was recovered in ms, by the snapshot's own
        time, and the snapshot's number; None if there was no snapshot yet."""
        delays = [self.random.uniform(0, most_delay) for _ in range(count)]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            killed = list(pool.map(kill_one, range(count), delays))
        recovered = [found for found in killed if found is not None]
        # Some are killed before the first snapshot is complete, and a javac may have ended before.
        self.assertGreater(len(recovered), count / 4)
        ages, numbers = zip(*recovered)
        KillCase.all_killed, KillCase.all_recovered = KillCase.all_killed + count, KillCase.all_recovered + len(recovered)
        # Ages are printed only: they begin with the snapshot, and on a busy machine the snapshot itself takes long.
        print(f"seed {self.seed}: {count} kills, {len(recovered)} recovered; the others had no snapshot yet. "
              f"Age of the snapshot: median {statistics.median(ages):.0f} ms, most {max(ages):.0f} ms; "
              f"in all {KillCase.all_killed} kills, {KillCase.all_recovered} recovered and true", file=sys.stderr)
        # recover() says exactly which snapshot it must be. That there are new ones all the time, their numbers say.
        self.assertGreater(sum(number > 1 for number in numbers), 0, numbers)

    def check_step(self, profile, step, calls, begun, said):
        """Its branches and receivers have the known biases, and nothing is in them that did not happen."""
        if calls < 10_000:
            return
        branches = sorted((int(context[0].rpartition(":")[2]), counts) for context, counts in profile.branches().items()
                          if context[0].startswith(step))
        self.assertEqual(len(branches), 2, f"{said}\n{branches}")
        for (_, counts), rare in zip(branches, (1 / 4, 1 / 100)):
            whole = sum(counts.values())
            self.assertAlmostEqual(min(counts.values()) / whole, rare, delta=POINT, msg=f"{said}\n{branches}")
            self.assertAlmostEqual(whole / calls, 1, delta=POINT, msg=f"{said}\n{branches}")
            # The side with the lower bci is the one that follows the branch: the rare one is not skipped.
            self.assertLess(counts[min(counts)], whole / 2, f"{said}: inverted\n{branches}")
        (receivers,) = [types for context, types in profile.receivers().items() if context[0].startswith(step)]
        self.assertEqual(set(receivers), {"KeepsTruth$Prism", "KeepsTruth$Pyramid"}, said)
        # They are read after the counters, on a busy machine much later, so they are compared with each other and with the truth.
        met = sum(receivers.values())
        for count in receivers.values():
            self.assertAlmostEqual(count / met, 0.5, delta=POINT, msg=f"{said}\n{receivers}")
        self.assertGreaterEqual(met, calls * (1 - POINT), f"{said}\n{receivers}")
        self.assertLessEqual(met, begun, f"{said}\n{receivers}")

    def recover(self, raw, out):
        """A valid profile, and the time of its snapshot; None if there is none yet."""
        if not raw.exists():
            return None
        run = self.run_tool("recover", raw, "-o", out, expect=None)
        complete = complete_snapshots(raw)
        if run.code != 0:
            self.assertIn(NOTHING_YET, run.stderr, run)
            self.assertEqual(complete, {}, run)
            return None
        self.run_tool("check", out)
        profile = profiles.load_profile(out)
        self.assertEqual(profiles.violations(profile.document), [])
        note = profile.section["snapshot"]
        # The newest snapshot that is complete. Each one overwrites the one before the last, so at most one is lost: that which was being
        # written.
        newest = max(complete)
        self.assertEqual(note["generation"], newest, complete)
        self.assertEqual(ms_of(note["time"]), complete[newest], complete)
        self.assertIn(newest - min(complete), (0, 1), complete)
        return profile, note

    def kill_after(self, process, raw, number, delay):
        """Kills it so long after its first snapshot is complete, some programs so long after that has begun, and some at any time;
        returns when, in ms since 1970."""
        waits_for = {0: lambda: False, 4: raw.exists}.get(number % 8, lambda: has_snapshot(raw))
        deadline = time.monotonic() + (PATIENCE_S if number % 8 else delay)
        while not waits_for() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(delay)
        killed_ms = time.time_ns() // 1_000_000
        process.kill()
        process.wait(PATIENCE_S)
        return killed_ms


class Kills(KillCase):
    def test_a_program_that_knows_the_truth(self):
        self.many(kills(50), self.kill_truth)

    def kill_truth(self, number, delay):
        truth_file, raw = self.folder / f"truth.{number}", self.folder / f"{number}.iraw"
        agent = f"out={number}.iprof,snapshot={PERIOD_MS}ms" + ("" if number % 4 == 0 else ",jdk=n")
        process = self.start_java("KeepsTruth", truth_file, 2, REST_MS, agent=agent)
        killed_ms = self.kill_after(process, raw, number, delay)
        found = self.recover(raw, self.folder / f"{number}.iprof")
        if found is None:
            return None
        profile, note = found
        self.assertFalse(note["at_rest"], note)
        snapshot_ms = ms_of(note["time"])
        for thread, truth in enumerate(Truth.of_file(truth_file, 2)):
            step = f"KeepsTruth.step{thread}(int)int"
            calls = profile.calls_of(step)
            said = f"kill {number} (seed {self.seed}): {step} has {calls} calls"
            # All that had happened before the snapshot, and nothing that did not happen.
            self.assertGreaterEqual(calls, truth.ended_before(snapshot_ms), said)
            self.assertLessEqual(calls, truth.begun, said)
            self.check_step(profile, step, calls, truth.begun, said)
        raw.unlink()
        truth_file.unlink()
        return killed_ms - snapshot_ms, note["generation"]

    def test_javac(self):
        if self.jvm.kind != "jdk":
            self.skipTest(f"{self.jvm.id} has no javac")
        process, raw = self.javac("whole", ",keep-raw=y"), self.folder / "whole.iraw"
        self.wait_until(lambda: has_snapshot(raw) or process.poll() is not None)
        parts = self.profiles_until_the_end(process)
        self.assertEqual(process.wait(PATIENCE_S), 0, process.err_path.read_text())
        whole = profiles.load_profile(self.folder / "whole.iprof")
        self.whole = WholeRun(whole, parts)
        self.assertGreater(len(self.whole.counts), 1000)
        # So that all is compared at least once, wherever the others are killed. With keep-raw=y there is a file, also on a busy machine.
        profile, _ = self.recover(raw, self.folder / "last.iprof")
        compared = self.check_javac(profile, "the end")
        print(f"javac: {len(parts)} profiles on the way, {len(self.whole.moments)} hot branches, {compared} of them compared at the end",
              file=sys.stderr)
        self.assertGreater(compared, 20)
        self.many(kills(12), self.kill_javac, most_delay=1.5)

    def javac(self, name, options=""):
        return self.start_java(*java_sources.javac_command(self.folder / f"classes.{name}"),
                               agent=f"out={name}.iprof,snapshot={PERIOD_MS}ms{options}",
                               jvm_args=[*java_sources.DETERMINISTIC, "-Xmn512m", "-Xms640m"], ready=None)

    def profiles_until_the_end(self, process):
        """Profiles that the agent writes while the program runs, by the code that writes the last one: not what is tested here."""
        parts, file = [], self.folder / "part.iprof"
        while process.poll() is None:
            if self.run_tool("dump", process.pid, "-o", file, expect=None).code == 0:
                parts.append(profiles.load_profile(file))
            else:
                time.sleep(0.1)  # the program ends, or the machine is busy
            file.unlink(missing_ok=True)
        return parts

    def kill_javac(self, number, delay):
        raw = self.folder / f"{number}.iraw"
        process = self.javac(str(number))
        killed_ms = self.kill_after(process, raw, number, delay)
        found = self.recover(raw, self.folder / f"{number}.iprof")
        if found is None:
            return None
        profile, note = found
        self.assertFalse(note["at_rest"], note)
        self.check_javac(profile, f"kill {number} (seed {self.seed})")
        raw.unlink()
        return killed_ms - ms_of(note["time"]), note["generation"]

    def check_javac(self, profile, said):
        counts = javac_counts(profile)
        # A frame that was live adds one to each edge that it may have left, and a profile of the end leaves some entries out.
        too_many = [(key, count, self.whole.counts[key]) for key, count in counts.items()
                    if key in self.whole.counts and count > 1.01 * self.whole.counts[key] + 2]
        least = self.whole.least(counts)
        # A snapshot knows no live frames, so it may have to leave out branches and receivers that those profiles have; but no calls.
        too_few = [(key, counts.get(key, 0), count) for key, count in least.items()
                   if (key[1] is None or key in counts) and counts.get(key, 0) < 0.9 * count - 2]
        off, compared = [], 0
        for place, found in javac_branches(profile).items():
            executions = sum(found.values())
            if place not in self.whole.moments or executions < ENOUGH:
                continue
            wanted, unknown = self.whole.bias_of(place, executions)
            if unknown > NEAR:
                continue
            compared += 1
            shares = shares_of(found)
            likely = max(wanted, key=wanted.get)
            if wanted[likely] - unknown > 0.5:
                self.assertGreater(2 * (found.get(likely, 0) + HELD_BACK), executions, f"{said}: inverted\n{place}: {found}, wanted {wanted}")
            if any(abs(shares.get(outcome, 0) - share) > POINT + unknown for outcome, share in wanted.items()):
                off.append((place, found, wanted, unknown))
        # Not all of javac's work is the same in each run.
        for what, found, among in (("too many", too_many, counts), ("too few", too_few, least), ("another bias", off, range(compared))):
            self.assertLessEqual(len(found), max(2, len(among) / 100), f"{said}: {what}: {found[:20]}")
        return compared


class ModeKills(KillCase):
    """Every way to record has a raw file, also where methods lose their probes, and of what HotSpot counts."""

    def many_of(self, mode, check, jvm_args=(), threads=2, is_ready=lambda process: True):
        """One of twelve programs is killed late: two snapshots after it is ready, so also after the rest behind a costly snapshot."""
        def kill_one(number, delay):
            return self.kill_mode(number, delay, mode, check, jvm_args, threads, is_ready if number % 12 == 1 else None)
        self.many(kills(50), kill_one)

    def wait_for_two_more(self, process, raw, is_ready):
        self.wait_until(lambda: has_snapshot(raw) and is_ready(process), process)
        newest = max(complete_snapshots(raw))
        self.wait_until(lambda: max(complete_snapshots(raw)) > newest + 1, process)

    def kill_mode(self, number, delay, mode, check, jvm_args, threads, is_ready):
        name, truth_file = f"{re.sub('[^a-z]', '', mode)}.{number}", self.folder / f"truth.{number}"
        raw = self.folder / f"{name}.iraw"
        rest = REST_MS if is_ready is None else 0  # snapshots of a program that rests are rare
        process = self.start_java("KeepsTruth", truth_file, threads, rest, jvm_args=jvm_args,
                                  agent=f"out={name}.iprof,snapshot={PERIOD_MS}ms,samples=n,{mode}")
        if is_ready is not None:
            self.wait_for_two_more(process, raw, is_ready)
        killed_ms = self.kill_after(process, raw, number, delay)
        found = self.recover(raw, self.folder / f"{name}.iprof")
        if found is None:
            return None
        profile, note = found
        self.assertEqual((note["at_rest"], note["without_harvest"]), (0, 0), note)
        check(profile, Truth.of_file(truth_file, threads), ms_of(note["time"]), f"kill {number} (seed {self.seed}, {mode})")
        raw.unlink()
        truth_file.unlink()
        return killed_ms - ms_of(note["time"]), note["generation"]

    def check_counted(self, profile, truths, snapshot_ms, said):
        for thread, truth in enumerate(truths):
            step = f"KeepsTruth.step{thread}(int)int"
            calls = profile.calls_of(step)
            self.assertGreaterEqual(calls, truth.ended_before(snapshot_ms), said)
            self.assertLessEqual(calls, truth.begun, said)
            self.check_step(profile, step, calls, truth.begun, said)

    def check_hotspots(self, profile, truths, snapshot_ms, said):
        """HotSpot does not count all, and nothing before a method is warm, but the biases are those of the program."""
        for thread, truth in enumerate(truths):
            step = f"KeepsTruth.step{thread}(int)int"
            if truth.ended_before(snapshot_ms) > WARM:
                self.assertGreater(profile.calls_of(step), 0, said)
            branches = sorted((int(context[0].rpartition(":")[2]), counts) for context, counts in profile.branches().items()
                              if context[0].startswith(step))
            for (_, counts), rare in zip(branches, (1 / 4, 1 / 100)):
                whole = sum(counts.values())
                if whole > ENOUGH:
                    self.assertAlmostEqual(min(counts.values()) / whole, rare, delta=5 * POINT, msg=f"{said}\n{branches}")

    def check_both(self, profile, truths, snapshot_ms, said):
        """KeepsTruth has probes, and its numbers are exact; all else is HotSpot's."""
        self.check_counted(profile, truths, snapshot_ms, said)
        self.assertIn("harvest", profile.section, said)
        self.assertTrue(any(not context[0].startswith("KeepsTruth") for context in profile.calls()), said)

    def test_a_limit_of_the_cost(self):
        self.many_of("mode=budget", self.check_counted)

    def test_until_enough_is_counted(self):
        frozen = set()  # Steps keep their probes, because a loop runs in their class. What they call does not.

        def check(profile, truths, snapshot_ms, said):
            self.check_counted(profile, truths, snapshot_ms, said)
            estimated = profile.section.get("estimates", {}).get("calls", {})
            corners = {method: profile.calls_of(method) for method in CORNERS if estimated.get(method, 0) > 0}
            steps = sum(profile.calls_of(f"KeepsTruth.step{thread}(int)int") for thread in range(len(truths)))
            for method, calls in corners.items():
                self.assertAlmostEqual(calls / steps, 0.5, delta=0.05, msg=f"{said}: {method}")
            frozen.update(corners)
        def is_frozen(process):
            time.sleep(0.2)
            return json.loads(self.run_tool("status", process.pid, "--format", "json").stdout)["status"]["frozen_methods"] > 0
        # One thread: two would take away increments of what both call, and the machine decides how many.
        self.many_of("count-until=5000", check, threads=1, is_ready=is_frozen)
        self.assertNotEqual(frozen, set(), "no program was killed while a method had no probes")

    def test_what_hotspot_counts(self):
        # Code of the last tier counts nothing.
        self.many_of("mode=methoddata", self.check_hotspots, ["-XX:TieredStopAtLevel=3"])

    def test_what_both_count(self):
        self.many_of("source=both,include=KeepsTruth*", self.check_both)
