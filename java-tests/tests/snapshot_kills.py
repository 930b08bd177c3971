"""kill -9 at random moments: what is recovered is true. KeepsTruth writes its own counts into a file that survives it, and a
deterministic javac does always the same, so that what it did before it was killed is a part of what it does in all.

IPROF_KILLS says how often each of them is killed (default: a few times), and IPROF_SEED when."""

import calendar
import concurrent.futures
import json
import os
import pathlib
import random
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
POINT = 0.01
NOTHING_YET = "has no snapshot yet"


def kills(usual):
    return int(os.environ.get("IPROF_KILLS", usual))


def ms_of(time_text):
    """ms since 1970 of "2026-11-22T23:35:27.123Z"; the fraction may be missing."""
    seconds, _, fraction = time_text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) * 1000 + int((fraction + "000")[:3])


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


class Kills(SnapshotCase):
    jvm_defaults = ()
    all_killed = all_recovered = 0

    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("IPROF_SEED", random.randrange(1 << 30)))
        self.random = random.Random(self.seed)

    def many(self, count, kill_one):
        """Kills programs, several at a time. kill_one(number, delay) returns the age of what was recovered in ms; None if there was
        no snapshot yet."""
        delays = [self.random.uniform(0, 1.5) for _ in range(count)]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            ages = list(pool.map(kill_one, range(count), delays))
        recovered = [age for age in ages if age is not None]
        Kills.all_killed, Kills.all_recovered = Kills.all_killed + count, Kills.all_recovered + len(recovered)
        print(f"seed {self.seed}: {count} kills, {len(recovered)} recovered; the others had no snapshot yet. "
              f"Age of the snapshot: median {statistics.median(recovered):.0f} ms, most {max(recovered):.0f} ms; "
              f"in all {Kills.all_killed} kills, {Kills.all_recovered} recovered and true", file=sys.stderr)
        # Some are killed before the first snapshot is complete, and a javac may have ended before.
        self.assertGreaterEqual(len(recovered), count * 0.6)
        self.assertLess(statistics.median(recovered), 5 * PERIOD_MS)

    def recover(self, raw, out):
        """A valid profile, and the time of its snapshot; None if there is none yet."""
        if not raw.exists():
            return None
        run = self.run_tool("recover", raw, "-o", out, expect=None)
        if run.code != 0:
            self.assertIn(NOTHING_YET, run.stderr, run)
            return None
        self.run_tool("check", out)
        profile = profiles.load_profile(out)
        self.assertEqual(profiles.violations(profile.document), [])
        note = profile.section["snapshot"]
        self.assertFalse(note["at_rest"], note)
        return profile, note

    def kill_after(self, process, raw, number, delay):
        """Kills it so long after its first snapshot has begun, and some programs whether it has or not; returns when, in ms since
        1970."""
        deadline = time.monotonic() + (PATIENCE_S if number % 8 else delay)
        while not raw.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(delay)
        killed_ms = time.time_ns() // 1_000_000
        process.kill()
        process.wait(PATIENCE_S)
        return killed_ms

    def test_a_program_that_knows_the_truth(self):
        self.many(kills(38), self.kill_truth)

    def kill_truth(self, number, delay):
        truth_file, raw = self.folder / f"truth.{number}", self.folder / f"{number}.iraw"
        agent = f"out={number}.iprof,snapshot={PERIOD_MS}ms" + ("" if number % 4 == 0 else ",jdk=n")
        process = self.start_java("KeepsTruth", truth_file, 2, agent=agent)
        killed_ms = self.kill_after(process, raw, number, delay)
        found = self.recover(raw, self.folder / f"{number}.iprof")
        if found is None:
            return None
        profile, note = found
        snapshot_ms = ms_of(note["time"])
        age = killed_ms - raw.stat().st_mtime_ns // 1_000_000  # its last write
        for thread, truth in enumerate(Truth.of_file(truth_file, 2)):
            step = f"KeepsTruth.step{thread}(int)int"
            calls = profile.calls_of(step)
            said = f"kill {number} (seed {self.seed}): {step} has {calls} calls"
            # At most one snapshot behind, and nothing that did not happen.
            self.assertGreaterEqual(calls, truth.ended_before(snapshot_ms), said)
            self.assertLessEqual(calls, truth.begun, said)
            self.check_step(profile, step, calls, truth.begun, said)
        raw.unlink()
        truth_file.unlink()
        return age

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

    def test_javac(self):
        if self.jvm.kind != "jdk":
            self.skipTest(f"{self.jvm.id} has no javac")
        whole = self.javac("whole")
        self.assertEqual(whole.wait(PATIENCE_S), 0, whole.err_path.read_text())
        self.whole = self.counts(profiles.load_profile(self.folder / "whole.iprof"))
        self.assertGreater(len(self.whole), 1000)
        self.many(kills(12), self.kill_javac)

    def javac(self, name):
        return self.start_java(*java_sources.javac_command(self.folder / f"classes.{name}"), agent=f"out={name}.iprof,snapshot={PERIOD_MS}ms",
                               jvm_args=[*java_sources.DETERMINISTIC, "-Xmn512m", "-Xms640m"], ready=None)

    @staticmethod
    def counts(profile):
        """All numbers of javac's own code."""
        found = {}
        for table in (profile.calls(), profile.branches(), profile.receivers()):
            for context, counts in table.items():
                if not context[0].startswith("com.sun.tools.javac.") or "$$Lambda" in context[0]:
                    continue
                for key, count in (counts.items() if isinstance(counts, dict) else [(None, counts)]):
                    found[context, key] = count
        return found

    def kill_javac(self, number, delay):
        raw = self.folder / f"{number}.iraw"
        process = self.javac(str(number))
        killed_ms = self.kill_after(process, raw, number, delay)
        found = self.recover(raw, self.folder / f"{number}.iprof")
        if found is None:
            return None
        profile, _ = found
        age = killed_ms - raw.stat().st_mtime_ns // 1_000_000
        too_many = []
        counts = self.counts(profile)
        for key, count in counts.items():
            # A frame that was live adds one to each edge that it may have left, and a profile of the end leaves some entries out.
            if key in self.whole and count > 1.01 * self.whole[key] + 2:
                too_many.append((key, count, self.whole[key]))
        # Not all of javac's work is the same in each run.
        self.assertLessEqual(len(too_many), len(counts) / 100, f"kill {number} (seed {self.seed}): {json.dumps(too_many[:20], default=str)}")
        raw.unlink()
        return age
