"""Programs that know their own counts, in every execution mode: interpreter, C1, C2, and collectors.

placement=direct must give exactly the programs' numbers. So must placement=tree where no exception left a block;
elsewhere its counts may be off by the number of such exceptions.
"""

from harness.case import C1_ONLY
from harness.scope import in_proof, on_newest_jvm, on_one_jvm
from oracle.counting_case import FEW, CountingCase


C2_AT_ONCE = ("-Xcomp", "-XX:-TieredCompilation", "-XX:CompileCommand=quiet",
              "-XX:CompileCommand=compileonly,counting.*::*")


class Modes(CountingCase):
    def test_default(self):
        self.check("All", 1)

    @on_one_jvm
    def test_default_without_derived_counts(self):
        self.check("All", 1, agent="placement=direct")

    @on_newest_jvm
    def test_interpreter(self):
        self.check("All", 0, FEW, jvm_args=["-Xint"])

    @in_proof
    def test_interpreter_without_derived_counts(self):
        self.check("All", 0, agent="placement=direct", jvm_args=["-Xint"])

    @on_one_jvm
    def test_c1(self):
        self.check("All", 0, FEW, jvm_args=["-XX:TieredStopAtLevel=1"])

    @in_proof
    def test_c1_without_derived_counts(self):
        self.check("All", 0, agent="placement=direct", jvm_args=["-XX:TieredStopAtLevel=1"])

    @on_newest_jvm
    def test_c2_from_the_first_call(self):
        self.check("All", 0, FEW, jvm_args=C2_AT_ONCE)

    @in_proof
    def test_c2_from_the_first_call_without_derived_counts(self):
        self.check("All", 0, agent="placement=direct", jvm_args=C2_AT_ONCE)

    @on_one_jvm
    def test_background_compilation_off(self):
        self.check("All", 0, FEW, jvm_args=["-Xbatch"])


@in_proof
class Collectors(CountingCase):
    def test_serial(self):
        self.check("All", 0, jvm_args=["-XX:+UseSerialGC"])

    def test_parallel(self):
        self.check("All", 0, jvm_args=["-XX:+UseParallelGC"])

    def test_g1(self):
        self.check("All", 0, jvm_args=["-XX:+UseG1GC"])

    def test_z(self):
        self.check("All", 0, jvm_args=["-XX:+UseZGC"])


@on_one_jvm
class Options(CountingCase):
    jvm_defaults = C1_ONLY

    def test_without_the_jdk(self):
        self.check("All", 0, FEW, agent="jdk=n,placement=direct", library=False)

    def test_stripes(self):
        self.check("All", 0, FEW, agent="stripes=4,placement=direct")
        self.check("All", 0, FEW, agent="stripes=4")

    def test_calls_only(self):
        self.run_java("counting.All", 0, FEW, agent="branches=n")
        self.assertEqual(self.profile().branches(), {})
        self.assertEqual(self.profile().calls_of("counting.Switches.dense"), 400)

    def test_branches_only(self):
        self.run_java("counting.All", 0, FEW, agent="calls=n")
        self.assertEqual(self.profile().calls(), {})
        self.assertTrue(self.profile().branches())

    def test_include_and_exclude(self):
        self.run_java("counting.All", 0, FEW, agent="include=counting.*,exclude=counting.Ifs+counting.Log*")
        owners = {context[0].split("(")[0].rpartition(".")[0] for context in self.profile().calls()}
        self.assertIn("counting.Switches", owners)
        self.assertEqual({o for o in owners if not o.startswith("counting.")}, set())
        self.assertFalse(owners & {"counting.Ifs", "counting.Logic"})


@on_one_jvm
class Endings(CountingCase):
    def test_exit_in_the_middle(self):
        self.both("Exits", "exit", expect=7)

    def test_loop_that_never_ends(self):
        self.both("Exits", "loop")

    def test_helper_that_never_returns(self):
        self.both("Exits", "helper")

    def test_halt(self):
        self.both("Exits", "halt", expect=9)

    def test_shutdown_hook(self):
        self.both("Exits", "hook")

    def test_uncaught_exception(self):
        self.both("Exits", "uncaught", expect=1)


@on_one_jvm
class Small(CountingCase):
    jvm_defaults = C1_ONLY

    def test_fib(self):
        self.both("Fib")

    def test_even_or_odd_length(self):
        for word in ("even", "odd"):
            self.both("EvenOrOddLength", word)

    def test_a_million_exceptions(self):
        self.both("MillionExceptions", 1000000)

    def test_exceptions_that_are_caught_and_gone_on_from(self):
        self.both("Caught")
        # In two methods, too many calls end with an exception: the code after them is not derived.
        _, outcome = self.check("Caught")
        self.assertEqual(outcome.left_out, 2)
        run = self.run_java("counting.Caught", agent="verbose=1")
        said = "\n".join(self.agent_lines(run.stderr))
        for method, executions in (("half", 10000), ("wrap", 6667)):
            self.assertRegex(said, rf"left out: 1 of 1 branches of counting\.Caught\.{method}\(int\): exceptions ended {executions} of its 20000 calls")
