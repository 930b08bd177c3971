"""After an attach or a later start, samples in code that HotSpot compiled before have precise lines, because it is compiled again."""

import json
import time

from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase
from harness.scope import on_one_jvm

SAMPLES = "calls=n,branches=n,receivers=n,monitors=n,interval=1ms"
FIFTY = "sampling.LateCode$Straight.fifty("
# Of fifty. Without precise code, all samples are on one or two.
PRECISE, IMPRECISE = 40, 5
ENOUGH_SAMPLES = 600


class LateCode(AgentCase):
    def start(self, agent=None):
        self.process = self.start_java("sampling.LateCode", "2000", agent=agent)

    def tool(self, verb, *args):
        return self.run_tool(verb, str(self.process.pid), *args).stdout

    def end(self):
        self.process.communicate(b"end\n", timeout=PATIENCE_S)
        self.assertEqual(self.process.returncode, 0, self.process.err_path.read_text())

    def status(self):
        return json.loads(self.tool("status", "--format", "json"))["status"]

    def lines(self):
        """The lines of fifty() with samples, since the last call."""
        self.tool("dump", "-o", self.folder / "now.iprof")
        self.tool("reset", "--samples")
        text = self.run_tool("top", "--by", "line", "--topn", "0", "--format", "json", self.folder / "now.iprof").stdout
        return {row["name"]: row["self"] for row in json.loads(text)["rows"] if row["self"] and row["name"].startswith(FIFTY)}

    def await_lines(self, is_enough):
        """Looks until it is enough; returns the lines of each look."""
        looks = []
        deadline = time.monotonic() + PATIENCE_S
        while not (looks and is_enough(looks)) and time.monotonic() < deadline:
            time.sleep(2)
            looks.append(self.lines())
        return looks

    def assert_becomes_precise(self):
        looks = self.await_lines(lambda looks: len(looks[-1]) >= PRECISE)
        seen = [(len(lines), sum(lines.values())) for lines in looks]
        print("lines and samples:", seen)
        self.assertGreaterEqual(seen[-1][0], PRECISE, seen)
        # The agent looks once a second.
        deadline = time.monotonic() + PATIENCE_S
        while self.status()["methods_compiled_anew"] == 0:
            self.assertLess(time.monotonic(), deadline, seen)
            time.sleep(0.2)

    def test_an_attach_to_code_that_is_compiled(self):
        self.start()
        self.tool("attach", f"out=end.iprof,{SAMPLES}")
        self.assert_becomes_precise()
        self.tool("stop", "-o", self.folder / "stop.iprof")
        self.end()

    def test_a_start_of_an_agent_that_was_loaded_with_the_jvm(self):
        """HotSpot knows what its code depends on, and discards only that of the class that is swapped."""
        self.start(agent=f"start=n,out=end.iprof,{SAMPLES},verbose=2,log=agent.log")
        self.tool("start")
        self.assert_becomes_precise()
        # On a busy machine, a class of the JDK can be hot, too.
        self.assertRegex((self.folder / "agent.log").read_text(), r"for precise lines: HotSpot profiles (1 class|2 classes) again")
        self.tool("stop", "-o", self.folder / "stop.iprof")
        self.assertIn("compiled again for precise lines", (self.folder / "agent.log").read_text())
        self.end()

    @on_one_jvm
    def test_a_window(self):
        self.start()
        said = self.tool("profile", SAMPLES, "--duration", "20s", "-o", self.folder / "w.iprof")
        self.assertRegex(said, r"wrote .*w\.iprof; \d+ hot methods? (was|were) compiled again for precise lines\n")
        self.end()

    @on_one_jvm
    def test_precise_n(self):
        """Also shows that the other tests can fail."""
        self.start()
        self.tool("attach", f"out=end.iprof,{SAMPLES},precise=n")
        looks = self.await_lines(lambda looks: sum(sum(lines.values()) for lines in looks) >= ENOUGH_SAMPLES)
        lines = set().union(*looks)
        self.assertGreaterEqual(sum(sum(lines.values()) for lines in looks), ENOUGH_SAMPLES)
        self.assertLessEqual(len(lines), IMPRECISE, looks)
        self.assertEqual(self.status()["methods_compiled_anew"], 0)
        self.end()


if __name__ == "__main__":
    from harness.run import main
    main()
