"""Class loaders that do not find every name: the program runs as it does without the agent, and its classes
are counted.

Probes must not make a loader look for a class of the agent. The loaders of these programs refuse, throw, block and so
on when they are asked for an unknown name, and print all names that they were asked for.
"""

import re

from iprofdev.processes import PATIENCE_S

from harness.case import C1_ONLY
from harness.scope import on_one_jvm
from oracle import counts, expectations
from oracle.counting_case import CountingCase, program


class LoadersCase(CountingCase):
    jvm_defaults = C1_ONLY

    def plain_output(self, main, *args, jvm_args=()):
        return self.run_java(main, *args, agent=None, jvm_args=jvm_args).stdout

    def assert_same_output(self, main, *args, agent="", jvm_args=(), library=True):
        """The output is that of a run without the agent, and the counts are those that the program prints."""
        plain = self.plain_output(f"counting.{main}", *args, jvm_args=jvm_args)
        run, outcome = self.check(main, *args, agent=agent, jvm_args=jvm_args, library=library)
        self.assertEqual(run.stdout, plain)
        return run, outcome


class AtStart(LoadersCase):
    def test_every_loader_as_without_the_agent_and_every_class_counted(self):
        for placement in ("direct", "tree"):
            with self.subTest(placement=placement):
                self.assert_same_output("Guarded", 2, 3, agent=f"placement={placement}")

    def test_verified(self):
        self.assert_same_output("Guarded", 1, 1, agent="placement=direct", jvm_args=["-Xverify:all"])

    def test_compiled(self):
        only = "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,counting.*::*"
        for mode in (("-Xint",), ("-Xcomp", "-XX:-TieredCompilation", *only), ("-XX:TieredStopAtLevel=1",)):
            with self.subTest(mode=mode):
                self.assert_same_output("Guarded", 1, 1, agent="placement=direct,samples=n", jvm_args=mode)

    @on_one_jvm
    def test_stripes(self):
        self.assert_same_output("Guarded", 1, 2, agent="placement=direct,stripes=4")

    @on_one_jvm
    def test_checks_of_types(self):
        self.assert_same_output("Guarded", 1, 1, agent="placement=direct,instanceofs=y,format=1.1.0")

    def test_a_system_loader_of_the_programs_own(self):
        # Without an archive, because JDK 25 warns on standard output that it does not use it.
        loader = ["-Djava.system.class.loader=counting.GuardedSystem", "-Xshare:off"]
        self.assert_same_output("Guarded", 1, 2, agent="placement=direct", jvm_args=loader)

    @on_one_jvm
    def test_the_profile_shows_nothing_of_what_object_was_given(self):
        self.run_java("Reflected", agent="placement=direct")
        self.assertEqual([m for m in self.profile().methods if "iprof" in m and "java.lang.Iprof" not in m], [])


class WithoutTheMembersOfObject(LoadersCase):
    """If the early class-file hook is not available, the agent adds its own classes to loaders."""

    def test_without_the_jdk(self):
        for placement in ("direct", "tree"):
            with self.subTest(placement=placement):
                self.assert_same_output("Guarded", 2, 3, agent=f"jdk=n,placement={placement}", library=False)

    @on_one_jvm
    def test_without_the_jdk_verified(self):
        self.assert_same_output("Guarded", 1, 1, agent="jdk=n,placement=direct", jvm_args=["-Xverify:all"], library=False)

    @on_one_jvm
    def test_without_the_jdk_compiled(self):
        only = "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,counting.*::*"
        self.assert_same_output("Guarded", 1, 1, agent="jdk=n,placement=direct", library=False,
                                jvm_args=["-Xcomp", "-XX:-TieredCompilation", *only])

    @on_one_jvm
    def test_without_the_jdk_in_stripes(self):
        self.assert_same_output("Guarded", 1, 2, agent="jdk=n,placement=direct,stripes=4", library=False)

    def test_without_the_jdk_under_a_system_loader_of_the_programs_own(self):
        loader = ["-Djava.system.class.loader=counting.GuardedSystem", "-Xshare:off"]
        self.assert_same_output("Guarded", 1, 2, agent="jdk=n,placement=direct", jvm_args=loader, library=False)

    def test_beside_an_archive(self):
        run = self.run_java(["-version"], agent=None, jvm_args=["-Xshare:on"], expect=None)
        if run.code:
            self.skipTest(f"{self.jvm.id} has no class-data archive")
        self.assert_same_output("Guarded", 1, 2, agent="placement=direct", jvm_args=["-Xshare:on"])

    def attached(self, *args, agent, jvm_args=()):
        """The output of a program to which the agent is attached when it prints "ready"; also checks its counts."""
        process = self.start_java("counting.Guarded", *args, "wait", agent=None, jvm_args=jvm_args)
        self.attach(process, agent)
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        printed = process.out_path.read_text()
        checker = expectations.Checker(program(), counts.from_profile(self.folder / "default.iprof"),
                                       tree="placement=direct" not in agent, library=False, lambdas=False)
        outcome = checker.check(expectations.parse(printed))
        self.assertEqual(outcome.wrong, [])
        return printed, process.err_path.read_text()

    def test_attached(self):
        for agent in ("placement=direct", "placement=tree", "placement=direct,jdk=n", "placement=direct,stripes=2"):
            with self.subTest(agent=agent):
                printed, _ = self.attached(2, 3, agent=agent)
                process = self.start_java("counting.Guarded", 2, 3, "wait", agent=None)
                process.communicate(b"\n", timeout=PATIENCE_S)
                self.assertEqual(printed, process.out_path.read_text())

    def names_asked(self, agent):
        """What the program's own system loader was asked for, without an agent or with one that is attached."""
        loader = ["-Djava.system.class.loader=counting.AskedSystem", "-Xshare:off"]
        process = self.start_java("counting.AskedSystem", agent=None, jvm_args=loader)
        if agent is not None:
            self.attach(process, agent)
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        return process.out_path.read_text()

    def test_the_agent_asks_no_loader_of_the_programs_for_a_class_of_the_jdk(self):
        plain = self.names_asked(None)
        self.assertIn("counting.AskedSystem", plain)
        for agent in ("samples=y", "source=methoddata"):
            with self.subTest(agent=agent):
                self.assertEqual(self.names_asked(agent), plain)

    def test_a_loader_that_is_locked_is_not_waited_for(self):
        process = self.start_java("counting.GuardedLock", agent=None)
        self.attach(process, "verbose=1,jdk=n,force=always")
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual((process.returncode, process.out_path.read_text()), (0, "ready\ndone\n"))
        self.assertRegex(process.err_path.read_text(), r"classes left alone: \d+ \(their class loader was locked\)")

    @on_one_jvm
    def test_loaders_go_when_the_program_drops_them(self):
        run, _ = self.check("Loaders", 5000, agent="jdk=n,placement=direct,verbose=2", library=False,
                            jvm_args=["-Xmx64m", "-XX:MaxMetaspaceSize=24m"])
        left, made = map(int, re.search(r"of their own: (\d+) now, (\d+) holders in all", run.stderr).groups())
        self.assertGreaterEqual(made, 5000)
        self.assertLess(left, 4500)


class Reflection(LoadersCase):
    def test_members_are_hidden_and_serialisation_is_as_ever(self):
        for jvm_args in ((), ("-Xverify:all",)):
            plain = self.plain_output("Reflected", jvm_args=jvm_args)
            self.assertEqual(self.run_java("Reflected", agent="", jvm_args=jvm_args).stdout, plain)
