"""Names of classes that the JVM generates: lambdas, method references and proxies, as an image build names them.

The expected names are computed by oracle/stable_names.py from class files that the JVM itself dumps.
"""

import collections
import re
import struct

from harness.case import C1_ONLY, AgentCase, Settings
from harness.scope import on_one_jvm
from oracle import classfile, stable_names

LAMBDA = re.compile(r"\$\$Lambda[$/]")
# In Shapes, the number of calls identifies the lambda: count -> a method of the lambda.
COUNTS = {11: "applyAsInt", 12: "applyAsInt", 13: "apply", 14: "apply", 15: "apply", 16: "get", 17: "apply",
          18: "apply", 19: "applyAsInt", 20: "compare", 22: "call"}


def interfaces(data):
    """The names of the interfaces of a class file, which oracle.classfile does not keep."""
    at, count, utf8, classes = 10, struct.unpack_from(">H", data, 8)[0], {}, {}
    index = 1
    widths = {3: 5, 4: 5, 5: 9, 6: 9, 8: 3, 9: 5, 10: 5, 11: 5, 12: 5, 15: 4, 16: 3, 17: 5, 18: 5, 19: 3, 20: 3}
    while index < count:
        tag = data[at]
        if tag == 1:
            length = struct.unpack_from(">H", data, at + 1)[0]
            utf8[index] = data[at + 3:at + 3 + length].decode()
            at += 3 + length
        elif tag == 7:
            classes[index] = struct.unpack_from(">H", data, at + 1)[0]
            at += 3
        else:
            at += widths[tag]
            index += tag in (5, 6)
        index += 1
    found = struct.unpack_from(f">{struct.unpack_from('>H', data, at + 6)[0]}H", data, at + 8)
    return [utf8[classes[i]].replace("/", ".") for i in found]


class NamesCase(AgentCase):
    jvm_defaults = C1_ONLY
    agent_defaults = {"image": "n"}

    def target(self):
        return self.jvm.major

    def expected_lambdas(self, main, target):
        """Base name -> number of classes that have it, from the JVM's dump, which needs no agent."""
        for path in self.folder.rglob("*$$Lambda*.class"):
            path.unlink()  # from an earlier run
        if self.jvm.major < 21:
            flags = [f"-Djdk.internal.lambda.dumpProxyClasses={self.folder}"]
        else:
            flags = ["-Djdk.invoke.LambdaMetafactory.dumpProxyClassFiles=true"]
        self.run_java(main, agent=None, jvm_args=flags)
        names = collections.Counter()
        for path in self.folder.rglob("*$$Lambda*.class"):
            data = path.read_bytes()
            read = classfile.read(data)
            outer = read.name[:read.name.rindex("$$Lambda")]
            names[stable_names.base_name(outer, stable_names.lambda_text(read, interfaces(data), target), target)] += 1
        self.assertTrue(names, "the JVM dumped no lambdas")
        return {stable_names.numbered(base, target, n) for base, count in names.items() for n in range(count)}

    def lambdas(self, profile, package):
        return {name for name in profile.types if LAMBDA.search(name) and name.startswith(package)}


class Lambdas(NamesCase):
    def check(self, agent, jvm_args=(), target=None):
        expected = {n for n in self.expected_lambdas("names.Shapes", target or self.target()) if n.startswith("names.")}
        self.run_java("names.Shapes", agent=agent, jvm_args=jvm_args)
        profile = self.profile()
        self.assert_same(expected, self.lambdas(profile, "names."))
        return profile

    def check_counts(self, profile):
        """Each lambda was called a different number of times."""
        calls = collections.defaultdict(set)
        for context, count in profile.calls().items():
            owner, _, name = context[0].split("(")[0].rpartition(".")
            if LAMBDA.search(owner) and owner.startswith("names."):
                calls[count].add(name)
        for count, name in COUNTS.items():
            self.assertIn(name, calls[count], f"no lambda's {name} was called {count} times: {dict(calls)}")
        self.assertIn("greet", calls[42])

    def test_names_and_counts(self):
        profile = self.check("samples=n")
        self.check_counts(profile)
        jdk = {name for name in profile.types if name.startswith(("java.", "jdk."))}
        self.assertFalse({n for n in jdk if "LambdaForm" in n and "/" in n}, "linkage classes are left out")
        counted = {context[0] for context in profile.calls()}
        self.assertTrue({m for m in counted if m.startswith("java.lang.invoke.")}, "the rest of java.lang.invoke is counted")
        self.assertFalse({m for m in counted if m.startswith("java.lang.invoke.") and "$Holder." in m}, "its lambda forms are not")

    @on_one_jvm
    def test_every_target(self):
        for target in (17, 21, 23, 24, 25):
            with self.subTest(target=target):
                self.check(f"samples=n,target={target}", target=target)

    @on_one_jvm
    def test_application_only(self):
        profile = self.check("samples=n,jdk=n")
        self.check_counts(profile)
        self.assert_same(set(), self.lambdas(profile, "java."))

    def test_verified_and_checked(self):
        self.expected_lambdas("names.Shapes", self.target())
        run = self.run_java("names.Shapes", agent="samples=n", jvm_args=["-Xcheck:jni", "-Xverify:all"])
        plain = self.run_java("names.Shapes", agent=None, jvm_args=["-Xcheck:jni", "-Xverify:all"])
        self.assert_same(plain.stdout, run.stdout, "the JVM complained")
        self.check_counts(self.profile())

    def test_same_names_twice(self):
        found = []
        for run in "ab":
            self.run_java("names.Shapes", agent=f"samples=n,out={run}.iprof")
            found.append(self.lambdas(self.profile(f"{run}.iprof"), ""))
        self.assert_same(found[0], found[1])
        self.assertTrue(any(n.startswith("java.") or n.startswith("jdk.") or n.startswith("sun.") for n in found[0]),
                        "lambdas of the JDK are counted too")

    def test_loaders_share_names(self):
        self.run_java("names.Loaders", 50, agent="samples=n")
        profile = self.profile()
        found = self.lambdas(profile, "names.Loaders$Worker$$Lambda")
        self.assertEqual(len(found), 3, found)
        counts = [sum(c for context, c in profile.calls().items() if context[0].startswith(name + ".applyAsInt("))
                  for name in found]
        self.assertEqual(counts, [50, 50, 50])


    def test_shared_records(self):
        """The same lambda in another loader is the same class, with any number that the JVM gave it."""
        counted, in_use = [], []
        for loaders in (20, 400):
            run = self.run_java("names.Loaders", loaders, agent="samples=n,receivers=n,monitors=n,verbose=2")
            self.assertRegex(run.stderr, r"lambdas: \d+ defined, ")
            counted.append(int(re.search(r"classes: (\d+) counted", run.stderr).group(1)))
            in_use.append(int(re.search(r"names of lambdas and proxies: (\d+) in use", run.stderr).group(1)))
        print(f"{self.jvm.id} classes counted {counted}, names in use {in_use}")
        self.assertLess(counted[1] - counted[0], 100, "380 loaders more, with three lambdas each")
        self.assertLess(in_use[1] - in_use[0], 900, "names go with their classes")


    def test_samples_keep_the_names_of_unloaded_classes(self):
        run = self.run_java("names.Unloaded", agent="calls=n,branches=n,receivers=n,monitors=n,interval=1ms,verbose=2")
        in_use = int(re.search(r"names of lambdas and proxies: (\d+) in use", run.stderr).group(1))
        body = named = 0
        for context, weight in self.profile().samples().items():
            if any(frame.startswith("names.Unloaded$Worker.lambda$run$0(") for frame in context):
                body += weight
                named += weight * any(frame.startswith("names.Unloaded$Worker$$Lambda") for frame in context)
        print(f"{self.jvm.id} samples of lambdas' bodies: {body}, below the lambda's own frame: {named}")
        self.assertGreater(body, 0)
        self.assertGreater(named / body, 0.8, "the lambda calls its body, in each of ten loaders")
        self.assertLess(in_use, int(re.search(r"lambdas: (\d+) defined", run.stderr).group(1)), "names were dropped")


class Numbers(NamesCase):
    """Lambdas of one class that do the same are numbered by the class file, in any order of linking."""

    NAME = re.compile(r"(.*\$\$Lambda(?:\$[0-9a-f]{40}|/0x[0-9a-f]{32}))_?(\d*)$")

    def calls_by_number(self, profile, owner, method="applyAsInt"):
        """Base name -> {number: calls}, of the lambdas of a class."""
        calls = collections.defaultdict(dict)
        for name in self.lambdas(profile, owner + "$$Lambda"):
            base, number = self.NAME.match(name).groups()
            calls[base][int(number or 0)] = profile.calls_of(f"{name}.{method}")
        return dict(calls)

    @on_one_jvm
    def test_order_of_linkage_makes_no_difference(self):
        for sites in (["first", "second"], ["second", "first"], ["second"], ["first"]):
            with self.subTest(sites=sites):
                self.run_java("names.CallSites", *sites, agent="samples=n")
                calls = self.calls_by_number(self.profile(), "names.CallSites")
                self.assertEqual(len(calls), 1, calls)
                expected = {number: count for number, count in ((0, 100), (1, 200)) if ["first", "second"][number] in sites}
                self.assert_same(expected, next(iter(calls.values())))

    @on_one_jvm
    def test_application_only_knows_the_call_sites(self):
        self.run_java("names.CallSites", "second", agent="samples=n,jdk=n")
        self.assertEqual(list(self.calls_by_number(self.profile(), "names.CallSites").values()), [{1: 200}])

    def test_threads_that_race(self):
        for _ in range(3):
            self.run_java("names.Racing", agent="samples=n", jvm_args=["-XX:TieredStopAtLevel=1"])
            calls = self.calls_by_number(self.profile(), "names.Racing")
            numbers = sorted(sorted(each) for each in calls.values())
            self.assertEqual(numbers, [[0], [0], [0], [0, 1]], calls)
            # Eight threads with a thousand calls each; they lose some of each other's increments.
            for each in calls.values():
                for count in each.values():
                    self.assertTrue(1000 <= count <= 8000, calls)

    def test_sites_that_are_linked_again(self):
        library = Settings.agent.parent / "java-tests" / "libretransforming.so"
        if not library.exists():
            self.skipTest("the library for this test is not built")
        plain = self.run_java("names.Relinked", library, agent=None)
        run = self.run_java("names.Relinked", library, agent="samples=n")
        self.assert_same(plain.stdout, run.stdout)
        profile = self.profile()
        calls = sorted(sorted(each.items()) for each in self.calls_by_number(profile, "names.Relinked").values())
        self.assertEqual(calls, [[(0, 2000), (1, 4000)], [(0, 20000)]])
        receivers = {context[0]: types for context, types in profile.receivers().items()
                     if context[0].startswith(("names.Relinked.work(", "names.Relinked.twice("))}
        self.assertEqual(sorted(sum(types.values()) for types in receivers.values()), [2000, 2000, 2000, 20000], receivers)
        for context, types in receivers.items():
            self.assertEqual(len(types), 1, f"{context}: {types}")

    @on_one_jvm
    def test_what_shares_a_name(self):
        """The agent ranks call sites by their expected lambdas; only the lambdas themselves show which share a name."""
        for target in (17, 23, 25):
            with self.subTest(target=target):
                expected = {n for n in self.expected_lambdas("names.Conversions", target) if n.startswith("names.")}
                self.run_java("names.Conversions", agent=f"samples=n,target={target}")
                self.assert_same(expected, self.lambdas(self.profile(), "names."))


class Proxies(NamesCase):
    def test_names_and_counts(self):
        run = self.run_java("names.Shapes", agent="samples=n")
        profile = self.profile()
        open_name, package_private = re.search(r"proxy (\S+) (\S+)", run.stdout).groups()
        self.assertFalse({open_name, package_private} & profile.types, "the JVM's own names are of this run only")
        package = open_name.rpartition(".")[0]
        stable = stable_names.proxy_name(package, ["java.util.concurrent.Callable"], "app")
        self.assertEqual(profile.calls_of(f"{stable}.call"), 23)
        stable = stable_names.proxy_name("names", ["names.Shapes$Hidden"], "app", "native-image-unnamed")
        self.assertEqual(profile.calls_of(f"{stable}.value"), 24)

    def test_named_where_nothing_is_counted(self):
        self.run_java("names.Shapes", agent="calls=n,branches=n,receivers=n,monitors=n,samples=n,force=always")
        stable = stable_names.proxy_name("names", ["names.Shapes$Hidden"], "app", "native-image-unnamed")
        self.assertIn(stable, self.profile().types)


class Others(NamesCase):
    def test_hidden_classes_of_the_application_are_left_out(self):
        plain = self.run_java("names.OwnHidden", agent=None)
        run = self.run_java("names.OwnHidden", agent="samples=n,verbose=2")
        self.assert_same(plain.stdout, run.stdout)
        self.assertFalse({name for name in self.profile().types if name.startswith("names.OwnHidden$Template/")})
        self.assertRegex(run.stderr, r"hidden classes left out: \d+ method-handle linkage, \d+ type switches, "
                                     r"[1-9]\d* others")

    def test_type_switches_are_left_out(self):
        javac = self.jvm.tool("javac")
        if self.jvm.major < 21 or javac is None:
            self.skipTest("needs a compiler for pattern switches")
        source = self.folder / "Switching.java"
        source.write_text("""
            public class Switching {
                static int kind(Object o) {
                    return switch (o) {
                        case Integer i when i > 3 -> 1;
                        case String s -> 2;
                        default -> 3;
                    };
                }
                public static void main(String[] args) {
                    int sum = 0;
                    for (int i = 0; i < 30; i++) sum += kind(i) + kind("x");
                    System.out.println(sum);
                }
            }
            """)
        self.run_command([javac, "-d", self.folder, source])
        main = ["-cp", self.folder, "Switching"]
        run = self.run_java(main, agent="samples=n,verbose=2")
        self.assertEqual(run.stdout, f"{sum((1 if i > 3 else 3) + 2 for i in range(30))}\n")
        profile = self.profile()
        self.assertFalse({name for name in profile.types if "$$TypeSwitch" in name})
        self.assertEqual(profile.calls_of("Switching.kind"), 60)
        if self.jvm.major >= 23:
            self.assertRegex(run.stderr, r"[1-9]\d* type switches")
