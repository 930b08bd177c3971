"""HotSpot compiles the same methods with the agent: in some packages of java.base, no method may be refused that is
compiled without the agent. These packages contain code that has caused problems: handlers that cover themselves,
monitors, loops in synchronized blocks. `scripts/proof compile` does the same for all classes.
"""

import sys
import zipfile

from iprofdev import jvms, processes

from harness.case import AgentCase, Settings
from harness.scope import in_proof, on_newest_jvm, on_one_jvm
from rewriter import compilation

PACKAGES = ["java/util/concurrent", "java/util/concurrent/locks", "sun/nio/ch"]


class EveryMethod(AgentCase):
    def check(self, compiler, *options):
        sources = [f"jrt:java.base/{package}" for package in PACKAGES]
        runs = compilation.Compilation(self.jvm.java, Settings.classes, self.folder, compiler, sources)
        for option in options:
            with self.subTest(compiler=compiler, options=option):
                found = runs.compare(Settings.agent, option)
                print(f"{compiler} {option}: {found.after}"[:200], file=sys.stderr)
                self.assertGreater(found.before.methods, 2500)
                self.assertLess(len(found.before.refused), 0.01 * found.before.methods)
                if found.faults:
                    self.fail("\n".join(found.faults[:60]))

    @on_one_jvm
    def test_c1(self):
        self.check("C1", "placement=direct,format=1.1.0,instanceofs=y")  # the most code

    @in_proof
    def test_c1_with_derived_counts(self):
        self.check("C1", "placement=tree")

    @on_newest_jvm
    def test_c2(self):
        self.check("C2", "placement=tree")


# Name -> the parameter of a method, its value, and a statement of which the method has 250. C1 inlines what it calls.
MANY_CALLS = {
    "Empty": ("Point p", "POINT", "empty();"),
    "Getter": ("Point p", "POINT", "x += p.get();"),
    "Setter": ("Point p", "POINT", "p.set(x);"),
    "Branch": ("Point p", "POINT", "x = max(x, y);"),
    "Nested": ("Point p", "POINT", "x = first(x);"),
    "Fluent": ("Point p", "POINT", "p = p.put(x);"),
    "Virtual": ("Shape s", "POINT", "x = s.grow(x);"),
    "Relay": ("Shape s", "POINT", "x = relay(s, x);"),
    "New": ("Point p", "POINT", "new Point().set(x);"),
}
MANY_CALLS_CLASS = """
final class %(name)s {
  interface Shape { int grow(int by); }
  static final class Point implements Shape {
    private int a;
    int get() { return a; }
    void set(int to) { a = to; }
    Point put(int to) { set(to); return this; }
    @Override public int grow(int by) { return a + by; }
  }
  static final Point POINT = new Point();
  static { many(%(value)s, 1, 2); }
  static void empty() {}
  static int max(int a, int b) { return a > b ? a : b; }
  static int first(int a) { return second(a + 1); }
  static int second(int a) { return third(a + 2); }
  static int third(int a) { return a + 3; }
  static int relay(Shape s, int by) { return s.grow(by); }
  static int many(%(parameter)s, int x, int y) {
%(statements)s
    return x;
  }
}
"""


class ManyCalls(AgentCase):
    """Methods with 250 calls: all methods that C1 inlines into one must share its 10,000 virtual registers, and the
    inlined methods have probes."""

    def jar(self):
        sources = []
        for name, (parameter, value, statement) in MANY_CALLS.items():
            sources.append(self.folder / f"{name}.java")
            sources[-1].write_text(MANY_CALLS_CLASS % {"name": name, "parameter": parameter, "value": value,
                                                       "statements": f"    {statement}\n" * 250})
        done = processes.run([jvms.build_jdk().javac, "--release", "17", "-d", self.folder / "made", *sources])
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(self.folder / "many.jar", "w") as jar:
            for file in (self.folder / "made").iterdir():
                jar.write(file, file.name)
        return self.folder / "many.jar"

    def test_c1(self):
        jar = self.jar()
        for source, class_path in ((str(jar), jar), (f"own:{jar}", "")):
            runs = compilation.Compilation(self.jvm.java, Settings.classes, self.folder, "C1-profiling", [source], class_path)
            for options in ("placement=tree", "stripes=4"):
                with self.subTest(source=source, options=options):
                    found = runs.compare(Settings.agent, options)
                    self.assertEqual(found.before.refused, set())
                    self.assertGreater(found.before.methods, 100)
                    self.assertEqual(found.faults, [])


# A method with many calls and some small statements, and a count of its runs or none.
NEAR_THE_LIMIT = """
final class %(name)s {
  static long count;
  static int first(int a) { return second(a + 1) ^ a; }
  static int second(int a) { return third(a * 3) - a; }
  static int third(int a) { return (a >> 3) + (a << 5); }
  static int many(int x) {
    %(count)s
%(statements)s
    return x;
  }
  static { many(1); }
}
"""


class RegistersRunOut(AgentCase):
    """Why the proof accepts that C1 refuses very few more methods for want of virtual registers: at C1's limit, a single
    count is too much. Here it is written in Java, and there is no agent."""

    def refused(self, methods):
        """methods: name -> (calls, small statements, whether it counts). Returns the names of those refused."""
        folder = self.folder / str(len(list(self.folder.iterdir())))
        folder.mkdir()
        for name, (calls, small, counts) in methods.items():
            (folder / f"{name}.java").write_text(NEAR_THE_LIMIT % {
                "name": name, "count": "count++;" if counts else "",
                "statements": "    x = first(x);\n" * calls + "    x ^= x >> 1;\n" * small})
        done = processes.run([jvms.build_jdk().javac, "--release", "17", "-d", folder / "made", *folder.glob("*.java")])
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(folder / "near.jar", "w") as jar:
            for file in (folder / "made").iterdir():
                jar.write(file, file.name)
        runs = compilation.Compilation(self.jvm.java, Settings.classes, folder, "C1-profiling", [str(folder / "near.jar")],
                                       folder / "near.jar")
        found = "\n".join(runs.without_agent().refused)
        return {name for name in methods if f" {name}.many(" in found}

    @in_proof
    def test_one_count_is_too_much(self):
        calls = {f"Calls{n}": (n, 0, False) for n in range(1000, 1560, 10)}
        least = min(calls[name][0] for name in self.refused(calls)) - 10
        small = {f"{kind}{n}": (least, n, kind == "Counted") for n in range(0, 60) for kind in ("Plain", "Counted")}
        refused = self.refused(small)
        by_count = sorted(n for n in range(60) if f"Counted{n}" in refused and f"Plain{n}" not in refused)
        print(f"{least} calls and {by_count} small statements: refused with a count only", file=sys.stderr)
        self.assertNotEqual(by_count, [])
