"""Commands at any moment: attaching while the program starts, warms up or ends, a stop while classes are being changed, a tool
that is killed, several clients, and other agents that redefine classes. The program checks its own results all the time; between
"quiet" and "on" it does only what the test asks for, so that the counts of such a window are exact."""

import random
import subprocess
import threading
import time
import zipfile

from iprofdev.processes import PATIENCE_S

from harness import control
from harness.case import AgentCase, Settings
from harness.scope import in_proof

STEPS = 3000


class Moments(AgentCase):
    agent_defaults = {"image": "n"}

    def begin(self, options="start=n,interval=1ms", jvm_args=()):
        self.socket_path = self.folder / f"socket.{time.monotonic_ns()}"
        self.process = self.start_java("Moments", agent=f"control={self.socket_path},out=end.iprof,{options}", jvm_args=jvm_args)
        self.agent = control.Controlled(self.socket_path, PATIENCE_S)

    def answer(self, line):
        before = self.process.out_path.read_text().splitlines().count(line)
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()
        deadline = time.monotonic() + PATIENCE_S
        while self.process.out_path.read_text().splitlines().count(line) == before:
            self.assertIsNone(self.process.poll(), self.process.err_path.read_text())
            self.assertLess(time.monotonic(), deadline, line)
            time.sleep(0.002)

    def do(self, verb, outcome="done", **options):
        answer = self.agent.ask(verb, **options)
        self.assertEqual(answer["outcome"], outcome, answer)
        return answer

    def state(self):
        return self.do("status")["status"]["state"]

    def window(self, between=lambda: None):
        """A window with quiet edges has exactly the steps that ran in it."""
        if self.state() == "recording":
            self.do("stop")
        self.answer("quiet")
        self.do("start")
        self.do("reset")
        self.answer(f"go {STEPS}")
        between()
        self.answer(f"go {STEPS}")
        self.do("stop", out=self.folder / "window.iprof")
        self.answer(f"go {STEPS}")
        self.answer("on")
        profile = self.profile("window.iprof")
        for thread in range(2):
            self.assertEqual(profile.calls_of(f"Moments.step{thread}"), 2 * STEPS)
        (self.folder / "window.iprof").unlink()

    def end(self):
        """The program's results were right, and it ended well."""
        self.process.stdin.close()
        self.assertEqual(self.process.wait(PATIENCE_S), 0, self.process.err_path.read_text())
        self.assertIn("done", self.process.out_path.read_text().splitlines())

    def tool(self, verb, *args):
        tool = subprocess.Popen([str(part) for part in (Settings.tool, verb, self.process.pid, *args)], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(tool.stdout.close)
        self.addCleanup(tool.kill)
        return tool


class Attaching(Moments):
    LASTS_MS = 400

    def attach_at(self, delay_s, lasts_ms=LASTS_MS):
        """Attaches to a program that runs for a while; returns whether the tool found a JVM that answered."""
        process = self.start_java("Moments", str(lasts_ms), agent=None, ready=None)
        time.sleep(delay_s)
        tool = subprocess.run([Settings.tool, "attach", str(process.pid), f"image=n,out={self.folder}/attached.iprof"], cwd=self.folder,
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(process.wait(PATIENCE_S), 0, process.err_path.read_text())
        self.assertIn("done", process.out_path.read_text().splitlines(), process.err_path.read_text())
        if tool.returncode != 0:
            (line,) = tool.stderr.splitlines()
            self.assertTrue(line.startswith("iprof: error: "), line)
        written = self.folder / "attached.iprof"
        if written.exists():
            self.profile("attached.iprof")
            written.unlink()
        return tool.returncode == 0

    def attach_often(self, count):
        chance = random.Random(count)
        for _ in range(count):
            self.attach_at(chance.uniform(0, (self.LASTS_MS + 300) / 1000))  # a busy machine may refuse each of them
        # However busy the machine is, one of these lives long enough.
        self.assertTrue(any(self.attach_at(1, lasts_ms) for lasts_ms in (5_000, 20_000, 60_000)))

    def test_some_moments(self):
        self.attach_often(6)

    @in_proof
    def test_100_moments(self):
        self.attach_often(100)


class Stops(Moments):
    def stop_in_a_batch(self, count):
        """A stop that comes while a start changes classes waits for it, and then gives everything back."""
        self.begin("start=n,pause=1ms,interval=1ms")
        chance = random.Random(count)
        for _ in range(count):
            answers = []
            starting = threading.Thread(target=lambda into=answers: into.append(self.agent.ask("start")))
            starting.start()
            time.sleep(chance.uniform(0, 0.2))
            answer = self.agent.ask("stop")
            starting.join()
            self.assertEqual(answers[0]["outcome"], "done", answers)
            self.assertIn(answer["outcome"], ("done", "refused"))  # refused if it came before the start
            if answer["outcome"] == "refused":
                self.assertIn("nothing is being recorded", answer["message"])
                self.do("stop")
            self.assertEqual(self.state(), "stopped")
        self.window()
        self.end()

    def test_a_stop_while_classes_are_changed(self):
        self.stop_in_a_batch(3)

    @in_proof
    def test_100_stops(self):
        self.stop_in_a_batch(100)

    def test_the_program_ends_while_classes_are_changed(self):
        for delay_s in (0.01, 0.1):
            self.begin("start=n,pause=1ms")
            tool = self.tool("start")
            time.sleep(delay_s)
            self.end()
            said, _ = tool.communicate(timeout=PATIENCE_S)
            self.assertIn(tool.returncode, (0, 3, 4), said)


class Killed(Moments):
    def kill_at_random(self, rounds):
        self.begin()
        chance = random.Random(rounds)
        for _ in range(rounds):
            for verb in ("start", "reset", "dump", "status", "stop", "profile"):
                args = ["-o", "killed.iprof"] if verb in ("dump", "stop", "profile") else []
                tool = self.tool(verb, *args, *(["--duration", "100ms"] if verb == "profile" else []))
                time.sleep(chance.uniform(0, 0.15))
                tool.kill()
                tool.wait()
                self.state()  # the next command works, and comes after the killed one
        self.window()
        self.end()

    def test_the_tool_is_killed_in_each_command(self):
        self.kill_at_random(1)

    @in_proof
    def test_the_tool_is_killed_100_times(self):
        self.kill_at_random(17)


class Clients(Moments):
    def test_several_clients_at_once(self):
        self.begin()
        wrong = []

        def ask_often(number):
            chance = random.Random(number)
            for _ in range(6):
                verb = chance.choice(("start", "stop", "reset", "dump", "status"))
                options = {"out": self.folder / f"client{number}.iprof"} if verb == "dump" else {}
                answer = control.Controlled(self.socket_path, PATIENCE_S).ask(verb, **options)
                # A reset or a dump of nothing and a second start or stop do not fit.
                if answer["outcome"] not in ("done", "refused"):
                    wrong.append(answer)
        clients = [threading.Thread(target=ask_often, args=(number,)) for number in range(4)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.assertEqual(wrong, [])
        self.window()
        self.end()

    def test_clients_that_go_away(self):
        self.begin()
        for _ in range(5):
            for verb, state in (("start", "recording"), ("stop", "stopped")):
                control.send_and_leave(self.socket_path, verb)
                self.assertEqual(self.state(), state)  # comes after it
        self.window()
        self.end()


class Others(Moments):
    """A Java agent whose transformer takes part in each retransformation, and that retransforms classes itself."""

    def jar(self):
        jar = self.folder / "moments.jar"
        with zipfile.ZipFile(jar, "w") as made:
            made.writestr("META-INF/MANIFEST.MF", "Premain-Class: Moments\nAgent-Class: Moments\nCan-Retransform-Classes: true\n")
        return jar

    def java_agent(self):
        argument = f"-javaagent:{self.jar()}"
        if self.run_java(["-version"], agent=None, jvm_args=[argument], expect=None).code:
            self.skipTest(f"{self.jvm.id} has no Java agents")
        return argument

    def retransform_between(self, rounds):
        """Before JDK 20, a retransformation by others looks to the agent like a hot swap. Such a class keeps its probes at a stop,
        and a later start leaves it alone, so only the first window has exact counts."""
        self.begin(jvm_args=[self.java_agent()])
        for number in range(rounds):
            self.answer("retransform")
            if number == 0 or self.jvm.major >= 20:
                self.window(between=lambda: self.answer("retransform"))
        # And while commands run.
        for verb in ("start", "stop") * rounds:
            command = threading.Thread(target=self.agent.ask, args=(verb,))
            command.start()
            self.answer("retransform")
            command.join()
        self.assertEqual(self.state(), "stopped")
        self.end()

    def test_another_agent_retransforms_between_and_during_commands(self):
        self.retransform_between(2)

    def test_a_java_agent_that_attaches_later(self):
        """In the middle of a recording, and it retransforms before and after each command."""
        self.java_agent()  # skips where there are none
        self.begin(jvm_args=["-XX:+EnableDynamicAgentLoading"])
        self.do("start")
        self.tool("status").wait(PATIENCE_S)  # now the JVM listens to other tools, too
        answer = control.attach_java_agent(self.process.pid, self.jar(), PATIENCE_S)
        self.assertRegex(answer, r"^0\n(return code: )?0\s*$")
        self.answer("retransform")
        for verb in ("stop", "start", "reset", "dump", "stop"):
            self.do(verb)
            self.answer("retransform")
        if self.jvm.major >= 20:
            self.window(between=lambda: self.answer("retransform"))
        self.assertEqual(self.state(), "stopped")
        self.end()

    @in_proof
    def test_another_agent_retransforms_often(self):
        self.retransform_between(25)
