"""The agent loads, the program runs as it does without the agent, and the profile names the loaded classes."""

import re

from harness.case import C1_ONLY, AgentCase, refused_by_reference
from harness.profile import difference
from harness.scope import in_proof, on_one_jvm


class FirstProfile(AgentCase):
    jvm_defaults = C1_ONLY

    def test_the_program_runs_as_without_the_agent(self):
        without = self.run_java("Fib", agent=None)
        under = self.run_java("Fib", agent="log=x.log")
        self.assertEqual(under.stdout, "0 1 1 2 3 5 8 13 21 34 \n")
        self.assertEqual((under.stdout, under.stderr, under.code), (without.stdout, without.stderr, without.code))

    def test_the_program_and_the_jdk_are_in_the_profile(self):
        self.run_java("Fib", agent="out=fib.iprof")
        profile = self.profile("fib.iprof")
        self.assertEqual(profile.document["version"], "1.0.0")
        self.assert_same({"Fib.<init>()void", "Fib.main([Ljava.lang.String;)void", "Fib.fibonacci()int"},
                         {m for m in profile.methods if m.startswith("Fib.")})
        for type_name in ("java.lang.String", "[I", "[Ljava.lang.Object;", "java.util.concurrent.ConcurrentHashMap"):
            self.assertIn(type_name, profile.types)
        for method in ("java.lang.Object.hashCode()int", "java.lang.String.charAt(int)char",
                       "java.lang.System.<clinit>()void"):
            self.assertIn(method, profile.methods)

    @on_one_jvm
    def test_both_validators_accept_both_formats(self):
        for version in ("1.0.0", "1.1.0"):
            with self.subTest(version=version):
                self.run_java("Names", agent=f"out={version}.iprof,format={version},instanceofs={'y' if version == '1.1.0' else 'n'},interval=1ms")
                self.profile(f"{version}.iprof")
                self.assertEqual(refused_by_reference(self.folder / f"{version}.iprof"), "")

    def test_every_kind_of_name(self):
        self.run_java("Names", jvm_args=["-Dfile.encoding=UTF-8"])
        profile = self.profile()
        # Names of lambda classes depend on the JDK; the test names.py checks them.
        own = {m for m in profile.methods if m.startswith("Names") and "$$Lambda" not in m}
        expected = {
            "Names.<init>()void",
            "Names.main([Ljava.lang.String;)void",
            "Names.mixed([I, [[Ljava.lang.String;, double, Names)long",
            "Names.größe\u20ac()int",
            "Names.\U0001d465()int",
            "Names.lambda$main$0(Names$Shape)java.lang.Integer",
            "Names$Shape.area()java.lang.Object",
            "Names$Square.<init>()void",
            "Names$Square.area()java.lang.Integer",
            "Names$Square.area()java.lang.Object",
        }
        self.assert_same(expected, own)

    def test_no_hidden_class_has_a_name_of_this_run(self):
        self.run_java("Names")
        addresses = [t for t in self.profile().types if re.search(r"/0x0{4,}", t)]
        self.assertEqual(addresses, [])

    def test_two_runs_give_the_same_application_part(self):
        self.run_java("Names", agent="out=a.iprof")
        self.run_java("Names", agent="out=b.iprof")
        a, b = self.profile("a.iprof"), self.profile("b.iprof")
        self.assertEqual(difference(a.methods, b.methods), "")

    def test_every_garbage_collector(self):
        for collector in ("UseSerialGC", "UseParallelGC", "UseG1GC", "UseZGC"):
            with self.subTest(collector=collector):
                self.run_java("Fib", agent=f"out={collector}.iprof", jvm_args=[f"-XX:+{collector}"])
                self.profile(f"{collector}.iprof")


@in_proof
class FirstProfileWithC2(FirstProfile):
    """As users run programs."""
    jvm_defaults = ()
