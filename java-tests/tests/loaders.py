"""Class loaders that do not find every name: the program runs as without the agent, and its classes are counted.

Probes may make no loader look for a class of the agent's. The programs' loaders refuse, throw, block and so on when they are
asked for what they do not know, and print all that they were asked for.
"""

from oracle.counting_case import CountingCase


class LoadersCase(CountingCase):
    def plain_output(self, main, *args, jvm_args=()):
        return self.run_java(main, *args, agent=None, jvm_args=jvm_args).stdout

    def assert_same_output(self, main, *args, agent="", jvm_args=(), library=True):
        """The output is that without the agent, and so are counts what the program says."""
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

    def test_stripes(self):
        self.assert_same_output("Guarded", 1, 2, agent="placement=direct,stripes=4")

    def test_checks_of_types(self):
        self.assert_same_output("Guarded", 1, 1, agent="placement=direct,instanceofs=y,format=1.1.0")

    def test_a_system_loader_of_the_programs_own(self):
        # Without an archive: 25 warns on standard output that it does not use it.
        loader = ["-Djava.system.class.loader=counting.GuardedSystem", "-Xshare:off"]
        self.assert_same_output("Guarded", 1, 2, agent="placement=direct", jvm_args=loader)

    def test_the_profile_shows_nothing_of_what_object_was_given(self):
        self.run_java("Reflected", agent="placement=direct")
        self.assertEqual([m for m in self.profile().methods if "iprof" in m and "java.lang.Iprof" not in m], [])


class Reflection(LoadersCase):
    def test_members_are_hidden_and_serialisation_is_as_ever(self):
        for jvm_args in ((), ("-Xverify:all",)):
            plain = self.plain_output("Reflected", jvm_args=jvm_args)
            self.assertEqual(self.run_java("Reflected", agent="", jvm_args=jvm_args).stdout, plain)
