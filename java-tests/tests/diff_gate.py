"""`iprof diff` in a build: two forks of a JMH benchmark pass, so do two dumps of one server and windows of other lengths, and a branch
that goes the other way more often fails."""

import json
import time

from iprofdev import maven
from iprofdev.messages import Unavailable
from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase

REQUIRES = "jdk"

GATE = ("diff", "--threshold", "5%", "--min-weight", "1%")
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
        self.run_tool(*GATE, first, second)
        found = json.loads(self.run_tool(*GATE, "--format", "json", "-n", "0", first, biased, expect=1).stdout)
        branches = {item["context"].split("(")[0]: item for item in found["items"] if item["table"] == "conditionalProfiles"}
        self.assertIn("cart.Cart.price", branches)
        self.assertAlmostEqual(branches["cart.Cart.price"]["movement"], 0.15, delta=0.01)
        text = self.run_tool(*GATE, first, biased, expect=1).stdout
        self.assertRegex(text, r"branch Cart\.price line \d+\n")
        self.run_tool("diff", "--app", "--table", "branches", "--threshold", "20%", first, biased)


class Servers(AgentCase):
    """A long start-up, then requests (programs/Server.java). Its two threads have counters of their own (docs/truth.md): in a short
    window, a thread that is suspended inside an increment could lose a part of the counts that no gate lets pass."""
    agent_defaults = {"interval": "1ms", "stripes": "4"}

    def serve(self, process, requests):
        served = process.out_path.read_text().count("served ")
        process.stdin.write(f"{requests}\n".encode())
        process.stdin.flush()
        deadline = time.monotonic() + PATIENCE_S
        while process.out_path.read_text().count("served ") == served:
            self.assertIsNone(process.poll(), process.err_path.read_text())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def dump(self, process, name):
        self.run_tool("dump", str(process.pid), "-o", self.folder / name)
        return self.folder / name

    def differences(self, *arguments):
        return json.loads(self.run_tool("diff", "-n", "0", "--format", "json", *arguments).stdout)["items"]

    def test_two_dumps_of_one_server_pass(self):
        process = self.start_java("Server", agent="out=end.iprof")
        self.serve(process, 2000)
        early = self.dump(process, "early.iprof")
        self.serve(process, 200_000)
        late = self.dump(process, "late.iprof")
        self.run_tool(*GATE, early, late)
        self.run_tool(*GATE, late, early)
        # Even of what is a thousandth of the program.
        self.assertLess(len(self.differences(early, late)), 5)
        # Most of the early calls are start-up, so that the requests grew more than all calls together.
        calls = [sum(self.profile(path.name).calls().values()) for path in (early, late)]
        requests = [self.profile(path.name).calls_of("Server.serve(java.lang.String)void") for path in (early, late)]
        self.assertGreater(requests[1] / requests[0], 1.3 * calls[1] / calls[0])

    def test_windows_of_other_lengths_pass_and_another_bias_fails(self):
        process = self.start_java("Server", agent="out=end.iprof")
        windows = []
        for number, requests in enumerate(("20000", "20000", "100000", "50000 sale")):
            self.serve(process, requests)
            windows.append(self.dump(process, f"window{number}.iprof"))
            self.run_tool("reset", str(process.pid))
        _, short, long, sale = windows
        self.run_tool(*GATE, "--app", short, long)
        found = json.loads(self.run_tool(*GATE, "--app", "--format", "json", short, sale, expect=1).stdout)["items"]
        branches = [item["context"].split("(")[0] for item in found if item["table"] == "conditionalProfiles"]
        self.assertIn("Server.toPay", branches)
