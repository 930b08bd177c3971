"""Methods of nearly 8,000 bytes, the limit above which HotSpot does not compile: they are still compiled, their counts
are right, their hottest code is always counted, and the agent names what it left out."""

import re

from iprofdev import maven
from iprofdev.messages import Unavailable

from harness.case import C1_ONLY, AgentCase
from harness.scope import in_proof, on_one_jvm
from oracle import counts, java_sources
from oracle.counting_case import CountingCase

HUGE_METHOD_LIMIT = 8000
WITH_C2 = ("-XX:TieredStopAtLevel=4",)  # it takes long for them
LEFT_OUT = re.compile(r"left out: (\S.*) \((\d+) calls?\): (\d+) of (\d+) branches, (\d+) of (\d+) receivers")


class LongMethods(CountingCase):
    jvm_defaults = C1_ONLY

    def all_branches(self, *jvm_args):
        for options in ("placement=tree", "placement=direct", "stripes=4"):
            with self.subTest(options):
                run, _ = self.check("Big", 30000, agent=f"{options},verbose=1", jvm_args=jvm_args)
                self.assertNotIn("left out: counting.Big", run.stderr)

    @on_one_jvm
    def test_all_branches_of_a_method_with_hundreds(self):
        self.all_branches()

    @in_proof
    def test_all_branches_of_a_method_with_hundreds_with_c2(self):
        self.all_branches(*WITH_C2)

    @on_one_jvm
    def test_the_hot_part_is_counted_exactly(self):
        for mode in ("-Xint", "-XX:TieredStopAtLevel=1"):
            with self.subTest(mode=mode):
                self.check("LongMethods", 900, "hot", jvm_args=[mode])

    @in_proof
    def test_the_hot_part_is_counted_exactly_with_c2(self):
        self.check("LongMethods", 1800, "hot", jvm_args=WITH_C2)

    def what_is_counted(self, *jvm_args):
        for options in ("placement=tree", "placement=direct", "placement=tree,stripes=2", "placement=tree,receivers=n"):
            with self.subTest(options):
                _, outcome = self.check("LongMethods", 1800, "all", agent=options, jvm_args=jvm_args, only_where_counted=True)
                self.assertGreater(outcome.exact, 1000, outcome.summary())

    @on_one_jvm
    def test_what_is_counted_is_right(self):
        self.what_is_counted()

    @in_proof
    def test_what_is_counted_is_right_with_c2(self):
        self.what_is_counted(*WITH_C2)

    @on_one_jvm
    def test_what_was_left_out_is_named_hottest_first(self):
        run = self.run_java("counting.LongMethods", 900, "hot", agent="verbose=1,include=counting.*")
        total = re.search(r"left out because (\d+) (?:method is|methods are) long: (\d+) branch(?:es)?, (\d+) receivers", run.stderr)
        self.assertIsNotNone(total, run.stderr)
        named = LEFT_OUT.findall(run.stderr)
        self.assertEqual(len(named), int(total[1]), run.stderr)
        self.assertEqual(sum(int(n[2]) for n in named), int(total[2]))
        self.assertEqual(sum(int(n[4]) for n in named), int(total[3]))
        calls = [int(n[1]) for n in named]
        self.assertEqual(calls, sorted(calls, reverse=True))
        self.assertTrue(all(int(n[2]) < int(n[3]) for n in named), named)  # the loop's branch or the switch is kept

    @in_proof  # C2 needs two minutes for them; that C1 compiles them is checked below
    def test_they_are_still_compiled(self):
        run = self.run_java("counting.LongMethods", 20000, "hot", agent="include=counting.made.*",
                            jvm_args=[*WITH_C2, "-Xbatch", "-XX:+PrintCompilation", "-XX:CompileCommand=quiet",
                                      "-XX:CompileCommand=compileonly,counting.made.*::*"])
        # "  151   25   b  4       counting.made.Loop4000::f (7981 bytes)", with flags in between
        tiers = {}
        for tier, name, size in re.findall(r"\s([1-4])\s+(counting\.made\.\w+)::f(?: @ -?\d+)? \((\d+) bytes\)", run.stdout):
            tiers.setdefault(name, set()).add(int(tier))
            self.assertLessEqual(int(size), HUGE_METHOD_LIMIT, name)
            self.assertGreater(int(size), int(re.search(r"\d+$", name)[0]), f"{name} has no probes")
        self.assertEqual(len(tiers), 12, tiers)
        self.assertEqual([name for name, seen in tiers.items() if 4 not in seen], [])
        self.assertEqual([line for line in run.stdout.splitlines() if "COMPILE SKIPPED" in line], [])

    def test_c1_has_enough_registers(self):
        # The classes have their own loader, so probes reach their counters through calls that C1 inlines.
        for options, tier in (("stripes=4", 3), ("placement=direct", 3), ("stripes=4", 1)):
            with self.subTest(options=options, tier=tier):
                run = self.run_java("counting.LongMethods", 200, "hot", agent=f"include=counting.made.*,{options}",
                                    jvm_args=["-Xbatch", "-XX:CompileThresholdScaling=0.1", "-XX:+PrintCompilation",
                                              "-XX:CompileCommand=quiet",
                                              f"-XX:TieredStopAtLevel={tier}",
                                              "-XX:CompileCommand=compileonly,counting.made.*::*"])
                compiled = set(re.findall(r"\s[13]\s+(counting\.made\.\w+)::f ", run.stdout))
                self.assertEqual(len(compiled), 12, compiled)
                self.assertEqual([line for line in run.stdout.splitlines() if "COMPILE SKIPPED" in line], [])

    @on_one_jvm
    def test_without_the_limit_everything_is_counted(self):
        run, _ = self.check("LongMethods", 900, "all", agent="verbose=1,placement=tree",
                            jvm_args=["-XX:-DontCompileHugeMethods"])
        self.assertNotIn("left out: counting.made", run.stderr)


HELLO = """
public class Hello {
  interface Shape { double area(); }
  record Square(double side) implements Shape { public double area() { return side * side; } }
  public static void main(String[] args) {
    int sum = 0;
    for (String arg : args) switch (arg.length()) { case 1, 2 -> sum++; case 3 -> sum += 3; default -> sum--; }
    System.out.println(sum + new Square(2).area());
  }
}
"""


@on_one_jvm
class Javac(AgentCase):
    def test_c1_compiles_a_method_with_two_hundred_calls(self):
        """JavacParser.term3: C1 has barely enough registers for it, and most of its calls have receivers to count."""
        if self.jvm.kind != "jdk":
            self.skipTest(f"{self.jvm.id} has no javac")
        for placement in ("direct", "tree"):
            with self.subTest(placement):
                run = self.run_java(*java_sources.javac_command(self.folder / "classes", names=java_sources.SOME), agent=f"placement={placement}",
                                    jvm_args=["-Xbatch", "-XX:+PrintCompilation", "-XX:TieredStopAtLevel=3"])
                lines = [line for line in run.stdout.splitlines() if "JavacParser::term3 " in line]
                self.assertTrue(lines)
                self.assertEqual([line for line in lines if "COMPILE SKIPPED" in line], [])


class Ecj(AgentCase):
    """A real parser: its rules are one method of 7,834 bytes with a switch of about 700 cases."""

    def test_the_switch_of_the_parsers_rules(self):
        try:
            ecj = maven.jar("ecj")
        except Unavailable as missing:
            self.skipTest(str(missing))
        (self.folder / "Hello.java").write_text(HELLO)
        compile_it = ["-cp", ecj, "org.eclipse.jdt.internal.compiler.batch.Main", "-17", "-d", "out", "-proc:none", "Hello.java"]
        self.run_java(compile_it, agent="jdk=n,samples=n,include=org.eclipse.jdt.internal.compiler.parser.*,verbose=1")
        self.profile()
        found = counts.from_profile(self.folder / "default.iprof")
        rule = ("org.eclipse.jdt.internal.compiler.parser.Parser", "consumeRule", ("void", "int"))
        self.assertGreater(found.calls[rule], 100)
        switches = [records for records in found.branches[rule].values() if len(records) > 100]
        self.assertEqual(len(switches), 1, found.branches[rule])
        # Every call runs the switch once, and a program uses more than one kind of rule.
        ran = [count for _, _, count in switches[0]]
        self.assertEqual(sum(ran), found.calls[rule])
        self.assertGreater(sum(count > 0 for count in ran), 20)
