"""A JMH benchmark with the agent in its forks. JMH's black holes and generated loops keep their code, so that the
measurement is the same as without the agent; the benchmark's own methods are counted."""

import re

from iprofdev import maven
from iprofdev.messages import Unavailable

from harness.case import C1_ONLY, AgentCase

REQUIRES = "jdk"

JARS = ("jmh-core", "jmh-generator", "jopt-simple", "commons-math")

SOURCE = """
package sums;

import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.infra.Blackhole;

@State(Scope.Thread)
public class Sums {
  int next;

  @Benchmark
  public int returned() {
    return work(next++);
  }

  @Benchmark
  public void consumed(Blackhole hole) {
    hole.consume(work(next++));
  }

  int work(int n) {
    int sum = 0;
    for (int i = n & 7; i > 0; i--) sum += i;
    return sum;
  }
}
"""

SINK = """
public class Sink {
  static void sink(int i) {}
  static void plain(int i) { kept++; }
  static int kept;
  public static void main(String[] args) {
    for (int i = 0; i < 1000; i++) { sink(i); plain(i); }
  }
}
"""


class Jmh(AgentCase):
    def compile(self, name, source, *options):
        path = self.folder / f"{name}.java"
        path.write_text(source)
        classes = self.folder / "classes"
        classes.mkdir()
        self.run_command([self.jvm.tool("javac"), *options, "-d", classes, path])
        return classes

    def run_sums(self, options, *arguments):
        """Runs the benchmarks with the agent in each fork."""
        try:
            jars = maven.class_path(JARS)
        except Unavailable as missing:
            self.skipTest(str(missing))
        classes = self.compile("Sums", SOURCE, "-cp", jars, "-processor", "org.openjdk.jmh.generators.BenchmarkProcessor")
        agent = self.java_command([], agent=f"samples=n,{options}")[1]
        # JMH runs once at a time for each folder of temporary files. The same test runs on other JVMs at the same time.
        # Its forks would inherit its JVM's options if they got no others.
        return self.run_command([self.jvm.java, *C1_ONLY, f"-Djava.io.tmpdir={self.folder}", "-cp", f"{classes}:{jars}", "org.openjdk.jmh.Main",
                                 *arguments, "-jvmArgs", "-Xshare:auto", "-jvmArgsAppend", agent, "Sums"])

    def test_all_forks_are_in_one_profile(self):
        self.run_sums("out=all.iprof,merge=y", "-f", "2", "-bm", "ss", "-bs", "500", "-wi", "0", "-i", "2")
        self.assertEqual(self.profile("all.iprof").calls_of("sums.Sums.work"), 2 * 2 * 2 * 500)  # two benchmarks

    def test_a_fork_measures_without_counters(self):
        run = self.run_sums("out=fork-%p.iprof", "-f", "1", "-wi", "0", "-i", "1", "-r", "200ms", "-bm", "avgt")
        self.assertIn("Blackhole mode: compiler", run.stdout)
        self.assertNotIn("only works for", run.stdout + run.stderr)
        # JDK 25 warns about JMH's use of Unsafe.
        warnings = [line for line in (run.stdout + run.stderr).splitlines() if "warning" in line.lower() and "Unsafe" not in line]
        self.assertEqual([line for line in warnings if not line.startswith("WARNING: Please consider")], [], run)
        profiles = sorted(self.folder.glob("fork-*.iprof"))
        self.assertEqual(len(profiles), 2, run)  # one fork for each benchmark
        called, branched = {}, set()
        for path in profiles:
            profile = self.profile(path)
            for context, count in profile.calls().items():
                called[context[0]] = called.get(context[0], 0) + count
            branched |= {context[0] for context in profile.branches()}
        own = {name.split("(")[0]: count for name, count in called.items() if name.startswith("sums.Sums.")}
        for method in ("returned", "consumed", "work"):
            self.assertGreater(own.get(f"sums.Sums.{method}", 0), 100, own)
        self.assertTrue(any(name.startswith("sums.Sums.work(") for name in branched))
        harness = [name for name in {*called, *branched} if re.match(r"org\.openjdk\.jmh\.infra\.Blackhole|sums\.jmh_generated\.", name)]
        self.assertEqual(harness, [])

    def test_black_holes_of_the_users_own(self):
        """Methods that HotSpot was told to treat as black holes must remain empty; without such a command, empty
        methods are counted."""
        classes = self.compile("Sink", SINK)
        told = ["-XX:+UnlockExperimentalVMOptions", "-XX:CompileCommand=quiet", "-XX:CompileCommand=blackhole,Sink::sink"]
        commands = self.folder / "commands"
        commands.write_text("quiet\nblackhole,Sink.sink\n")
        for options, counted in (told, False), ([], True), ([*told[:1], f"-XX:CompileCommandFile={commands}"], False):
            with self.subTest(options):
                run = self.run_java("Sink", agent="samples=n", jvm_args=["-cp", classes, *options])
                self.assertNotIn("Blackhole", run.stdout + run.stderr)
                self.assertEqual(self.profile().calls_of("Sink.plain"), 1000)
                self.assertEqual("Sink.sink" in {c[0].split("(")[0] for c in self.profile().calls()}, counted)
