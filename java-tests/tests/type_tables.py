"""The tables of classes under stress: harvests, too many classes at once, threads, unloading, redefinition.

docs/receivers.md has the guarantees. On one thread, counts are exact with any number of calls between two harvests. Sites that
lost more than receivers-max-lost are left out and named. With several threads, losses are printed and shares are right.
Classes can be unloaded, and memory does not grow with unloaded classes.
"""

import sys
import zipfile

from harness.case import Settings
from harness.scope import on_one_jvm
from oracle import counts, expectations
from oracle.counting_case import CountingCase, program

ALL_TABLES = "format=1.1.0,instanceofs=y,verbose=2"


class Harvests(CountingCase):
    def test_classes_that_come_back_after_harvests(self):
        """Six seconds are longer than a period; a table is drained one period after it was swapped."""
        run, outcome = self.check("Harvested", 3, 6000, agent=f"{ALL_TABLES},include=counting.*", jvm_args=["-Xmx128m"])
        self.assertEqual(outcome.missing, 0)
        said = next(line for line in self.agent_lines(run.stderr) if "harvests" in line)
        self.assertGreaterEqual(int(said.split()[-2]), 2, said)

    def left_out(self, run):
        return [line for line in self.agent_lines(run.stderr) if "left out: " in line]

    @on_one_jvm
    def test_sites_that_lost_objects_are_left_out_and_named(self):
        """With receivers-max-lost=0, everything in the profile is exact."""
        run, outcome = self.check("Overflown", agent="receivers-max-lost=0,verbose=1,include=counting.*",
                                  only_where_counted=True)
        self.assertGreater(outcome.missing, 0, "no site lost anything: the program is no test")
        named = self.left_out(run)
        self.assertTrue(any("counting.made.Caller.all(counting.Nodes$Node) at bci " in line for line in named), run.stderr)
        calm = expectations.parse(run.stdout)[0]
        self.assertEqual(calm[:2], ["receivers", "Overflown.java@calm#0"])
        method, bci = program().site(calm[1], lambda m: [i[0] for i in m.invokes if i[1] == 0xb9])
        here = counts.from_profile(self.folder / "default.iprof").receivers
        self.assertIn(bci, here[counts.key(method.owner, method.name, method.descriptor)], "a calm site is missing too")

    @on_one_jvm
    def test_sites_that_lost_objects_if_asked_for(self):
        run = self.run_java("counting.Overflown", agent="receivers-max-lost=100,include=counting.*")
        self.profile()
        found = counts.from_profile(self.folder / "default.iprof").receivers
        listed = wanted = 0
        for kind, *words in expectations.parse(run.stdout):
            if kind != "receivers-at":
                continue
            owner, method, bci, *types = words
            at = method.index("(")
            actual = found[counts.key(owner, method[:at], method[at:])].get(int(bci), {})
            expected = {name: int(n) for name, _, n in (t.rpartition(":") for t in types)}
            more = {name: n for name, n in actual.items() if n > expected.get(name, 0)}
            self.assertEqual(more, {}, f"more was counted than happened at bci {bci}")
            listed, wanted = listed + sum(actual.values()), wanted + sum(expected.values())
        print(f"{self.jvm.id}: {wanted - listed} of {wanted} objects in an overflow lost", file=sys.stderr)
        self.assertGreater(listed, 0)


@on_one_jvm
class Threads(CountingCase):
    EACH = 765 * 1000
    RUNS = 3

    def shares(self, threads):
        """Runs the program; site -> the error of its classes' shares."""
        run = self.run_java("counting.TypedThreads", threads, self.EACH, agent="include=counting.*")
        self.profile()
        found = counts.from_profile(self.folder / "default.iprof")
        places = {}
        for kind, *words in expectations.parse(run.stdout):
            if kind == "monitors":
                expected, actual = {words[0]: int(words[1])}, found.monitors
            else:
                method, bci = program().site(words[0], lambda m: [i[0] for i in m.invokes if i[1] == 0xb9])
                expected = {name: int(n) for name, _, n in (word.rpartition(":") for word in words[1:])}
                actual = found.receivers[counts.key(method.owner, method.name, method.descriptor)].get(bci, {})
            total, counted = sum(expected.values()), sum(actual[name] for name in expected)
            off = max(abs(actual[name] / counted - n / total) for name, n in expected.items()) if counted else 1
            print(f"{self.jvm.id}: {threads} threads, {words[0]}: {100 * (1 - counted / total):.2f} % lost, shares "
                  f"{100 * off:.2f} points off", file=sys.stderr)
            self.assertLessEqual(counted, total, "more was counted than happened")
            self.assertEqual(set(actual) - set(expected) if kind == "receivers" else set(), set())
            places[words[0]] = off
        return places

    def test_lost_on_threads(self):
        for threads in (2, 4):
            # A thread that is suspended inside an increment overwrites the increments of others when it resumes. On a
            # busy machine, single runs can be far off; the median is not.
            runs = [self.shares(threads) for _ in range(self.RUNS)]
            for place in runs[0]:
                self.assertLess(sorted(run[place] for run in runs)[self.RUNS // 2], 0.05, place)


class Unloading(CountingCase):
    def marks(self, run):
        return [dict(zip(("loaders", "unloaded", "heap", "classes", "resident"), map(int, line.split()[1:])))
                for line in run.stdout.splitlines() if line.startswith("MARK ")]

    def dropped(self, loaders, batches, agent, *jvm_args, heap="64m"):
        """Checks that everything is exact and that the loaders were unloaded; returns the marks."""
        flags = [f"-Xmx{heap}", f"-Xms{heap}", "-XX:+AlwaysPreTouch", *jvm_args]
        run, _ = self.check("Dropped", loaders, batches, agent=agent, jvm_args=flags)
        marks = self.marks(run)
        self.assertEqual(len(marks), batches)
        for mark in marks:
            print(f"{self.jvm.id}: {mark}", file=sys.stderr)
            self.assertGreaterEqual(mark["unloaded"], mark["loaders"] - 10)
        return marks

    def test_ten_thousand_loaders_leave_no_memory_behind(self):
        """In batches, so that equally many loaders live at the same time early and late. A class that is not unloaded
        would take 5 KiB."""
        early, *_, late = self.dropped(10000, 5, f"{ALL_TABLES},samples=n", "-XX:+UseSerialGC", heap="128m")
        for what in ("heap", "classes", "resident"):
            self.assertLess(late[what], 1.2 * early[what] + 2048, f"{what} grows with loaders that are gone: {early} {late}")

    @on_one_jvm
    def test_thousands_of_loaders_at_once(self):
        """More classes than harvests can follow: 35,000 pairs of site and class, half the capacity of the table in such
        a heap."""
        self.dropped(6000, 1, f"{ALL_TABLES},samples=n,include=counting.*", heap="256m")


class Redefinition(CountingCase):
    def another_agent(self):
        """A jar with only a manifest; the class is on the class path."""
        jar = self.folder / "other.jar"
        with zipfile.ZipFile(jar, "w") as archive:
            archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: counting.Redefined\n"
                             "Can-Redefine-Classes: true\nCan-Retransform-Classes: true\n")
        return f"-javaagent:{jar}"

    def redefined(self, *options, first, flags=()):
        """What the program said."""
        ours, other = f"-agentpath:{Settings.agent}={','.join(options)}", self.another_agent()
        agents = [ours, other] if first else [other, ours]
        run = self.run_command([self.jvm.java, *agents, *flags, "-cp", Settings.classes, "counting.Redefined", 500])
        self.profile()
        checker = expectations.Checker(program(), counts.from_profile(self.folder / "default.iprof"),
                                       tree="placement=direct" not in options, only_where_counted=not first, lambdas=self.names_lambdas())
        outcome = checker.check(expectations.parse(run.stdout))
        print(f"{self.jvm.id} {' '.join(options)}: {outcome.summary()}", file=sys.stderr)
        self.assertEqual(outcome.wrong, [], run.stderr)
        return run.stdout

    def test_class_changed_by_another_agent(self):
        """Positions come from the version that was called most often; calls are the sum; unchanged methods add up.

        If the other agent comes first, classes without a class file to compare with have only calls, no positions.
        """
        self.redefined("placement=tree", first=True)
        self.redefined("placement=direct", first=False)

    def test_four_hundred_redefinitions_leave_no_memory_behind(self):
        """Neither the heap nor C2, which takes 20 MB for a large method, makes this process larger; nor does the first snapshot, which takes
        some megabytes once."""
        flags = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        for first in (True, False):
            said = self.redefined("samples=n,snapshot=3600s", first=first, flags=flags)
            early, late = [int(line.split()[1]) for line in said.splitlines() if line.startswith("RESIDENT ")]
            print(f"{self.jvm.id} resident, without files: {early} KiB, {late} KiB", file=sys.stderr)
            self.assertLess(late, early + 6 * 1024, "a redefinition leaves 15 KiB behind")
