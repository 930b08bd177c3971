#!/usr/bin/env python3
"""The queries of docs/fleet.md, as DuckDB runs them, on the profiles of a fleet: five services, each with two releases, on eight hosts.
What they merge is compared with `iprof merge`, and everything else with Python. Skipped (77) where DuckDB cannot be fetched.

Usage: cli_fleet_test.py IPROF GENERATED_FOLDER [unittest options]
IPROF_FLEET=1000 is the number of profiles; 1,000 by default.
"""

import collections
import concurrent.futures
import datetime
import fractions
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from cli_case import IPROF, CliTest, counts, profile, section
from iprofdev import messages, pypi

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "fleet.md"
PROFILES = int(os.environ.get("IPROF_FLEET", "1000"))
SERVICES = ("shop", "cart", "mail", "pay", "search")
RELEASES = {"1.6": "oldold", "1.7": "newnew"}  # with the hash of a.Main.loop
SAME = "samesa"
NAMES = "Ig0Uay"  # a hash of the names of the recorded methods
BEGIN = datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc)
EXPECTED_BLOCKS = ("CREATE OR REPLACE VIEW counts", "'shop.parquet'", "'recent.parquet'", "release = '1.6'", "covered", "overlap", "usable", "'compact'")
ODD_HOST, ONLY_HERE = "host-7", "host-3"


def made(number, chance):
    """(service, release, host, end, profile) of a run."""
    service = SERVICES[number % len(SERVICES)]
    release = chance.choice(list(RELEASES))
    host = f"host-{number // len(SERVICES) % 8}"
    begin = BEGIN + datetime.timedelta(milliseconds=chance.randrange(28 * 86400 * 1000))
    end = begin + datetime.timedelta(minutes=chance.randrange(1, 600))
    times = [time.isoformat(timespec="milliseconds").replace("+00:00", "Z") for time in (begin, end)]
    run = {"run": f"{chance.getrandbits(128):032x}", "program": f"{service}.jar", "start": times[0], "end": times[1]}
    content = profile(iprofagent=section(
        provenance={"runs": [run]}, code={"bits": 36, "methods": NAMES, "hashes": SAME + RELEASES[release] + SAME},
        sampling={"event": "cpu", "intervalNs": 10000000, "signals": 700}))
    for entry in content["callCountProfiles"] + content["samplingProfiles"]:
        entry["records"] = [chance.randrange(1, 10**chance.randrange(1, 10))]
    if host == ODD_HOST:
        content["callCountProfiles"][0]["records"] = [10**12]
    if host == ONLY_HERE:
        content["callCountProfiles"].append({"ctx": "4:0<2:7<1:5", "records": [number + 1]})
        content["iprofagent"].pop("code")  # it is of other methods
    branch = [53, 14, chance.choice((20, 30))]
    content["conditionalProfiles"] = [{"ctx": "2:3", "records": sum(([bci, i, chance.randrange(10**6)] for i, bci in enumerate(branch)), [])}]
    content["virtualInvokeProfiles"][0]["records"] = sum(([each, chance.randrange(1, 10**6)] for each in chance.sample([10, 11, 12], 2)), [])
    return service, release, host, datetime.datetime.fromisoformat(times[1].replace("Z", "+00:00")), content


class Fleet(CliTest):
    @classmethod
    def setUpClass(cls):
        """All tests read one data set."""
        cls.data = tempfile.mkdtemp(prefix="iprof-fleet-")
        cls.addClassCleanup(shutil.rmtree, cls.data, ignore_errors=True)
        chance = random.Random(47)
        cls.runs = [(f"{i}.iprof", *made(i, chance)) for i in range(PROFILES)]
        cls.files = {}
        for name, *_, content in cls.runs:
            cls.files[os.path.join(cls.data, name)] = data = json.dumps(content).encode()
            pathlib.Path(cls.data, name).write_bytes(data)

        def convert(run):
            name, service, release, host, *_ = run
            subprocess.run([IPROF, "convert", "--to", "parquet", "--service", service, "--release", release, "--host", host, name, "-o", "fleet"],
                           check=True, stdout=subprocess.DEVNULL, cwd=cls.data)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(convert, cls.runs))
        cls.blocks = re.findall(r"^```sql\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.M | re.S)

    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        self.folder = self.data
        self.written.update(self.files)
        os.chdir(self.folder)
        self.asked = duckdb.connect()
        self.ask("CREATE OR REPLACE VIEW counts")

    def ask(self, contained, **changes):
        """The rows that the block of the document with this text gives; `changes`: what to take instead of the example's values."""
        (block,) = [each for each in self.blocks if contained in each]
        for old, new in changes.items():
            block = block.replace({"service": "'shop'", "release": "'1.7'"}[old], f"'{new}'")
        done = self.asked.execute(block)
        return done.fetchall() if done.description else []

    def of(self, service, release=None):
        return [run for run in self.runs if run[1] == service and release in (None, run[2])]

    def merged(self, runs):
        self.write("list", "".join(f"{name}\n" for name, *_ in runs))
        self.run_tool("merge", "-o", "merged.iprof", "--input-list", "list")
        return counts(self.load("merged.iprof"))

    def back(self, path):
        self.run_tool("convert", "--from", "parquet", path, "-o", "back.iprof")
        return counts(self.load("back.iprof"))

    def calls(self, runs, key):
        """{key: {method: calls}}"""
        sums = collections.defaultdict(collections.Counter)
        for run in runs:
            for (where, _), count in counts(run[-1]).items():
                if where[0] == "callCountProfiles":
                    sums[key(run)][where[1][0][0]] += count
        return sums

    def test_merges_are_those_of_iprof(self):
        for block in EXPECTED_BLOCKS:
            self.assertEqual(len([each for each in self.blocks if block in each]) > 0, True, block)
        for service in SERVICES:
            self.assertEqual(self.back(f"fleet/service={service}"), self.merged(self.of(service)))
            for release in RELEASES:
                expected = self.merged(self.of(service, release))
                self.assertEqual(self.back(f"fleet/service={service}/release={release}"), expected)
                self.ask("'shop.parquet'", service=service, release=release)
                self.assertEqual(self.back("shop.parquet"), expected)

    def test_a_compacted_data_set_gives_the_same(self):
        self.ask("'compact'")
        before, after = (list(pathlib.Path(folder).rglob("*.parquet")) for folder in ("fleet", "compact"))
        self.assertLessEqual(len(after), len(before))
        for service in SERVICES[:2]:
            for release in RELEASES:
                self.assertEqual(self.back(f"compact/service={service}/release={release}"), self.merged(self.of(service, release)))

    def test_decay(self):
        self.ask("'recent.parquet'")
        runs = self.of("shop", "1.7")
        newest = max(run[4] for run in runs)
        expected = collections.defaultdict(list)
        for run in runs:
            weight = 0.5**((newest - run[4]) / datetime.timedelta(days=7))
            for (where, what), count in counts(run[-1]).items():
                expected[where, what].append(count * weight)
        sums = {key: math.fsum(parts) for key, parts in expected.items()}
        read = self.back("recent.parquet")
        self.assertEqual(read.keys(), sums.keys())
        for key, count in read.items():
            self.assertLess(abs(count - 1000 * sums[key]), 0.5 + 1e-9 * 1000 * sums[key] + 0.5)  # rounded, also for each version of the code
        said = dict(self.asked.execute("""SELECT type, sum(decayed) FROM decayed WHERE service = 'shop' AND release = '1.7'
                                          AND "table" = 'receivers' GROUP BY type""").fetchall())
        for name, count in said.items():
            exact = sums[next(key for key in sums if key[0][0] == "virtualInvokeProfiles" and key[1] == name)]
            self.assertLess(abs(count / exact - 1), 1e-9)
        self.assertEqual(len(said), 3)

    def test_drift(self):
        calls = self.calls(self.of("shop"), lambda run: run[2])
        shares = {release: {method: fractions.Fraction(count, sum(all_of.values())) for method, count in all_of.items()}
                  for release, all_of in calls.items()}
        rows = self.ask("release = '1.6'")
        self.assertEqual(len(rows), 4)
        changes = [after - before for _, before, after in rows]
        self.assertEqual([abs(each) for each in changes], sorted((abs(each) for each in changes), reverse=True))
        for text, before, after in rows:
            (method,) = [each for each in {**calls["1.6"], **calls["1.7"]} if text.startswith(f"{each[1]}.{each[0]}(")]
            self.assertAlmostEqual(before, float(shares["1.6"].get(method, 0)), 12)
            self.assertAlmostEqual(after, float(shares["1.7"].get(method, 0)), 12)

    def test_hosts(self):
        calls = self.calls(self.of("shop"), lambda run: run[3])
        covered = self.ask("covered")
        self.assertEqual({host: share for host, _, share in covered}, {host: 1 if host == ONLY_HERE else 0.75 for host in calls})
        self.assertEqual(sum(runs for _, runs, _ in covered), len(self.of("shop")))
        everywhere = sum(calls.values(), collections.Counter())
        overlaps = {host: float(sum(min(fractions.Fraction(mine[method], sum(mine.values())), fractions.Fraction(everywhere[method], sum(everywhere.values())))
                                    for method in mine)) for host, mine in calls.items()}
        said = dict(self.ask("overlap"))
        self.assertEqual(said.keys(), overlaps.keys())
        for host, overlap in said.items():
            self.assertAlmostEqual(overlap, overlaps[host], 12)
        self.assertEqual(list(said), sorted(said, key=lambda host: (said[host], host)))

    def test_stale_code(self):
        newest = max(self.of("shop"), key=lambda run: run[4])[2]
        usable = dict(self.ask("usable"))
        other = next(release for release in RELEASES if release != newest)
        # All that these tables have is of a.Main.loop, whose code differs; of one host, it is not known.
        self.assertEqual(usable[other], 0)
        known = unknown = 0
        for run in self.of("shop", newest):
            total = sum(count for (where, _), count in counts(run[-1]).items() if where[0] in ("conditionalProfiles", "virtualInvokeProfiles"))
            if run[3] == ONLY_HERE:
                unknown += total
            else:
                known += total
        self.assertAlmostEqual(usable[newest], known / (known + unknown), 12)


if __name__ == "__main__":
    try:
        pypi.importable("duckdb")
    except messages.Unavailable as missing:
        messages.skip(str(missing))
    import duckdb  # pylint: disable=import-error
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
