"""A profile is written however the program ends, also with other agents."""

import re
import signal
import shutil
import subprocess

from iprofdev.processes import PATIENCE_S

from harness.case import C1_ONLY, AgentCase, Settings
from harness.session_case import SessionCase


class Endings(AgentCase):
    jvm_defaults = C1_ONLY

    def test_every_orderly_end(self):
        for how, code in {"return": 0, "exit": 3, "halt": 4, "throw": 1}.items():
            with self.subTest(how=how):
                self.run_java("Ends", how, agent=f"out={how}.iprof", expect=code)
                self.assertIn("Ends.main([Ljava.lang.String;)void", self.profile(f"{how}.iprof").methods)

    def test_signals_that_end_orderly(self):
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            with self.subTest(signal=name):
                process = self.start_java("Ends", "wait", agent=f"out={name}.iprof")
                process.send_signal(getattr(signal, name))
                process.wait(PATIENCE_S)
                self.profile(f"{name}.iprof")

    def test_a_profile_whose_name_was_taken_meanwhile_goes_beside_it(self):
        process = self.start_java("Ends", "wait", agent="out=app.iprof")
        (self.folder / "app.iprof").mkdir()
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        path = (self.folder / "app.iprof").resolve()
        self.assertEqual(self.agent_lines(process.err_path.read_text())[0],
                         f"iprofagent: {path}: is a directory; the profile is written beside it")
        self.assertIn("Ends.main([Ljava.lang.String;)void", self.profile("app.1.iprof").methods)


class FailedStart(AgentCase):
    """The numbers of events that the JVM refuses to enable. They stand for all failures that happen after some parts of
    the agent have been registered."""
    jvm_defaults = C1_ONLY

    def test_the_program_goes_on_without_the_agent(self):
        refusing = Settings.agent.parent / "java-tests" / "librefusing_agent.so"
        command = self.java_command("Ends", "load", agent=None)
        for event in (54, 67, 70, 71):  # ClassFileLoadHook, NativeMethodBind, DynamicCodeGenerated, DataDumpRequest
            with self.subTest(event=event):
                agents = [f"-agentpath:{refusing}={event}", f"-agentpath:{Settings.agent}=samples=y,onerror=ignore"]
                done = subprocess.run([command[0], *agents, *command[1:]], input="\n", capture_output=True, text=True,
                                      cwd=self.folder, env=self.environment(), timeout=PATIENCE_S, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, "ready\ndone\n"), done.stderr)
                self.assertRegex(self.agent_lines(done.stderr)[-1], "cannot enable the JVMTI event \\w+: INTERNAL .113.; going on without the agent .onerror=ignore.$")
                self.assertFalse((self.folder / "default.iprof").exists())


MOST_MORE_WAITS = 3  # than the JVM's own
TRIES = 5


class ExitWaits(AgentCase):
    """Before HotSpot exits, it waits 30 times 10 ms for the threads that run native code. No thread of the agent may be one."""
    jvm_defaults = ("-Xint",)  # it also waits for compilers

    def waits(self, agent, *jvm_args):
        library = Settings.agent.parent / "java-tests" / "libexit_waits.so"
        run = self.run_java("Ends", "exit", agent=agent, expect=3, jvm_args=[f"-agentpath:{library}", *jvm_args])
        said = re.search(r"^exit_waits: VM Thread waited (\d+) times$", run.stderr, re.M)
        self.assertTrue(said, run.stderr)
        return int(said[1])

    def compare(self, agents, *jvm_args):
        """A thread that is waited for costs 30 waits in every run. What a busy machine adds now and then does not come each time."""
        own = min(self.waits(None, *jvm_args) for _ in range(2))
        for agent in agents:
            with self.subTest(agent=agent, jvm_args=jvm_args):
                waits = []
                while not waits or (min(waits) > own + MOST_MORE_WAITS and len(waits) < TRIES):
                    waits.append(self.waits(agent, *jvm_args))
                self.assertLessEqual(min(waits), own + MOST_MORE_WAITS, waits)

    def test_the_exit_waits_for_no_thread_of_the_agent(self):
        self.compare(("out=a.iprof", "doe=n", "image=n,snapshot=100ms", "start=n", "delay=1h", "samples=n,jdk=n", "calls=n,branches=n,samples=y"))

    def test_nor_with_collectors_that_end_early(self):
        for collector in ("Z", "Shenandoah"):
            collects = f"-XX:+Use{collector}GC"
            if self.run_java("-version", agent=None, jvm_args=[collects], expect=None).code == 0:
                self.compare(("out=a.iprof", "doe=n"), collects)


class LastList(SessionCase):
    """With Z, the JVM's end lists the classes for the last profile, on a thread that attaches itself."""
    def attached_at_the_end(self, records):
        log = self.folder / f"{records}.log"
        process = self.start(jvm_args=["-XX:+UseZGC", f"-Xlog:os+thread:file={log}"])
        if records:
            self.command("start", process)
            self.rounds(process, 1)
            self.command("stop", process, "-o", "x.iprof")
        before = log.read_text().count("Thread attached")
        self.assertGreater(before, 0)
        self.end(process)
        return log.read_text().count("Thread attached") - before

    def test_nothing_is_listed_for_a_profile_that_was_written_after_the_stop(self):
        self.assertEqual(self.attached_at_the_end(True), self.attached_at_the_end(False))


class FreedMemory(AgentCase):
    """At its end, HotSpot disables all events, also in the data of threads that have ended. No such data may be left."""
    def test_nothing_is_written_there(self):
        library = Settings.agent.parent / "java-tests" / "libfreed_memory.so"
        for agent in (None, "image=n", "start=n", "delay=1h", "samples=n,jdk=n", "calls=n,branches=n", "source=methoddata"):
            with self.subTest(agent=agent):
                run = self.run_java("Fib", agent=agent, env={"LD_PRELOAD": str(library)})
                said = [line for line in run.stderr.splitlines() if line.startswith("freed_memory")]
                self.assertRegex("\n".join(said), r"^freed_memory: 0 of \d+ blocks were changed$")


class OtherAgents(AgentCase):
    jvm_defaults = C1_ONLY

    def test_the_same_library_twice(self):
        run = self.run_java("Fib", agent="out=first.iprof",
                            jvm_args=[f"-agentpath:{Settings.agent}=out=second.iprof"])
        self.profile("first.iprof")
        self.assertFalse((self.folder / "second.iprof").exists())
        self.assertEqual(self.agent_lines(run.stderr)[0],
                         "iprofagent: already loaded in this JVM; the options of the first load stand")

    def test_two_copies_of_the_library(self):
        copy = shutil.copy(Settings.agent, self.folder / "libcopy.so")
        run = self.run_java("Fib", agent="out=first.iprof", jvm_args=[f"-agentpath:{copy}=out=second.iprof"])
        self.profile("first.iprof")
        self.assertFalse((self.folder / "second.iprof").exists())
        self.assertEqual(self.agent_lines(run.stderr)[0],
                         "iprofagent: another copy of this library is already loaded in this JVM; this one stays out")

    def test_beside_the_debugger(self):
        if not (self.jvm.home / "lib" / "libjdwp.so").exists():
            self.skipTest(f"{self.jvm.id} has no debugger agent")
        self.run_java("Fib", jvm_args=["-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0"])
        self.profile()
