"""Receivers, monitors and type checks of programs that know their own, in every execution mode.

On one thread everything is exact, for any number of classes, in the interpreter, C1 and C2.
"""

import pathlib
import re

from harness.case import C1_ONLY
from harness.scope import in_proof, on_newest_jvm, on_one_jvm
from oracle.counting_case import FEW, MANY, CountingCase

ALL_TABLES = "format=1.1.0,instanceofs=y"
FINAL_CLASSES = pathlib.Path(__file__).resolve().parents[2] / "agent" / "instrument" / "probes" / "final_classes.cc"
SITES = "counting.Receivers*::*", "counting.Monitors*::*", "counting.TypeChecks*::*", "counting.Sites*::*", "counting.Arguments*::*"


class Modes(CountingCase):
    def run_typed(self, placement, rounds, *jvm_args):
        most = FEW if placement == "tree" and jvm_args else MANY
        self.check("Typed", rounds, most, agent=f"{ALL_TABLES},placement={placement}", jvm_args=jvm_args)

    def compiled(self, placement, *flags):
        only = [f"-XX:CompileCommand=compileonly,{sites}" for sites in SITES]
        self.run_typed(placement, 2000, "-Xcomp", "-XX:CompileCommand=quiet", *only, *flags)

    def test_default(self):
        self.run_typed("tree", 100000)

    @on_newest_jvm
    def test_interpreter(self):
        self.run_typed("tree", 1000, "-Xint")

    @on_one_jvm
    def test_c1_from_the_first_call(self):
        self.compiled("tree", "-XX:TieredStopAtLevel=1")

    def test_c2_from_the_first_call(self):
        self.compiled("tree", "-XX:-TieredCompilation")

    @in_proof
    def test_without_derived_counts(self):
        for name, run in (("default", lambda: self.run_typed("direct", 100000)),
                          ("interpreter", lambda: self.run_typed("direct", 1000, "-Xint")),
                          ("C1", lambda: self.compiled("direct", "-XX:TieredStopAtLevel=1")),
                          ("C2", lambda: self.compiled("direct", "-XX:-TieredCompilation"))):
            with self.subTest(name):
                run()


@on_one_jvm
class Options(CountingCase):
    jvm_defaults = C1_ONLY

    def test_only_the_programs_package(self):
        """Monitors of the JDK's classes are exact if the JDK's code is not counted."""
        self.check("Typed", 2000, FEW, agent=f"{ALL_TABLES},include=counting.*")

    def test_without_the_jdk(self):
        self.check("Typed", 2000, FEW, agent=f"{ALL_TABLES},jdk=n", library=False)

    def test_tables_that_are_off_are_empty(self):
        for option, table in (("receivers", "receivers"), ("monitors", "monitors")):
            with self.subTest(option):
                self.check("Typed", 200, FEW, agent=f"{option}=n")
                self.assertEqual(getattr(self.profile(), table)(), {})
        self.assertEqual(self.profile().table("instanceOfProfiles"), {})

    def test_none_of_the_others_is_needed(self):
        run, _ = self.check("Typed", 2000, FEW, agent=f"{ALL_TABLES},calls=n,branches=n,samples=n,include=counting.*,verbose=2")
        # Only methods that lock their class need a counter.
        counters = next(line for line in self.agent_lines(run.stderr) if "counters: " in line)
        self.assertLess(int(counters.split("counters: ")[1].split()[0]), 20, counters)


@on_one_jvm
class Small(CountingCase):
    def test_the_program_of_the_demo(self):
        """Ten numbers, each computed by a synchronized method and printed with String.valueOf."""
        self.run_java("Fib")
        self.assertEqual(self.profile().monitors()["Fib"], 10)
        receivers = self.profile().receivers()
        of_value_of = {context: types for context, types in receivers.items()
                       if context[0].startswith("java.lang.String.valueOf(java.lang.Object)java.lang.String:")}
        self.assertEqual(list(of_value_of.values()), [{"java.lang.String": 10}])
        self.assertIn({"java.io.PrintStream": 10}, receivers.values())

    def test_fib(self):
        """One synchronized method that is called once; ten numbers as text."""
        self.check("Fib", agent="include=counting.*")
        self.assert_same({"counting.Fib": 1}, self.profile().monitors())
        self.check("Fib")
        self.assertEqual(self.profile().monitors()["counting.Fib"], 1)


class Lifetimes(CountingCase):
    INTERPRETER = "-Xint", "-XX:+UseSerialGC"

    def test_arguments_die_in_the_method_that_drops_them(self):
        """The interpreter keeps the objects in a frame's locals alive: the probe in the caller must leave no
        argument there."""
        self.run_java("counting.Arguments", 4, "collect", agent=None, jvm_args=self.INTERPRETER)
        for placement in ("tree", "direct"):
            with self.subTest(placement=placement):
                self.check("Arguments", 4, "collect", agent=f"receivers=y,placement={placement}", jvm_args=self.INTERPRETER)


class OneTarget(CountingCase):
    def test_the_classes_taken_for_final_are_final(self):
        names = re.findall(r'^ +"(java/[^"]+)",$', FINAL_CLASSES.read_text(), re.M)
        self.assertGreater(len(names), 50)
        run = self.run_java("FinalClasses", *(name.replace("/", ".") for name in names), agent=None)
        self.assertEqual(run.stdout, "")
