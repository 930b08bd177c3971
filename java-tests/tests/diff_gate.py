"""`iprof diff` in a build: two forks of a JMH benchmark pass, and a branch that goes the other way more often fails."""

import json

from iprofdev import maven
from iprofdev.messages import Unavailable

from harness.case import AgentCase

REQUIRES = "jdk"

JARS = ("jmh-core", "jmh-generator", "jopt-simple", "commons-math")

SOURCE = """
package cart;

import java.util.*;
import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
public class Cart {
  final int often = Integer.getInteger("often", 10);
  final List<Integer> items = new ArrayList<>();
  int next;

  @Setup
  public void fill() {
    for (int i = 0; i < 100; i++) items.add(i);
  }

  @Benchmark
  public int total() {
    int sum = 0;
    for (int item : items) sum += item + price(next++);
    return sum;
  }

  int price(int item) {
    if (item % often == 0) return item / 2;
    return item;
  }
}
"""


class DiffGate(AgentCase):
    def setUp(self):
        super().setUp()
        try:
            self.jars = maven.class_path(JARS)
        except Unavailable as missing:
            self.skipTest(str(missing))
        source = self.folder / "Cart.java"
        source.write_text(SOURCE)
        self.classes = self.folder / "classes"
        self.classes.mkdir()
        self.run_command([self.jvm.tool("javac"), "-d", self.classes, "-cp", self.jars, "-processor",
                          "org.openjdk.jmh.generators.BenchmarkProcessor", source])

    def forks(self, count, name, *arguments):
        """The profiles of the forks of one run of JMH."""
        agent = self.java_command([], agent=f"out={name}-%p.iprof,interval=1ms")[1]
        self.run_command([self.jvm.java, f"-Djava.io.tmpdir={self.folder}", "-cp", f"{self.classes}:{self.jars}", "org.openjdk.jmh.Main", "-f",
                          str(count), "-wi", "1", "-w", "500ms", "-i", "2", "-r", "500ms", "-jvmArgsAppend", " ".join([agent, *arguments]), "Cart"])
        profiles = sorted(self.folder.glob(f"{name}-*.iprof"))
        self.assertEqual(len(profiles), count)
        return profiles

    def test_forks_pass_and_another_bias_fails(self):
        first, second = self.forks(2, "same")
        (biased,) = self.forks(1, "biased", "-Doften=4")
        gate = ("diff", "--threshold", "5%", "--min-weight", "1%")
        self.run_tool(*gate, first, second)
        found = json.loads(self.run_tool(*gate, "--format", "json", "-n", "0", first, biased, expect=1).stdout)
        branches = {item["context"].split("(")[0]: item for item in found["items"] if item["table"] == "conditionalProfiles"}
        self.assertIn("cart.Cart.price", branches)
        self.assertAlmostEqual(branches["cart.Cart.price"]["movement"], 0.15, delta=0.01)
        text = self.run_tool(*gate, first, biased, expect=1).stdout
        self.assertRegex(text, r"branch Cart\.price line \d+\n")
        self.run_tool("diff", "--app", "--table", "branches", "--threshold", "20%", first, biased)
