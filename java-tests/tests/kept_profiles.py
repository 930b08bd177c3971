"""A good profile is never replaced by a worse one: not by a run without a program, not by another JVM's. And whoever
must know that a profile was lost can know it."""

import os
import stat
import time

from iprofdev.processes import PATIENCE_S

from harness.case import C1_ONLY, EMPTY_TABLES, AgentCase, Settings
from harness.scope import on_one_jvm

STEPS = 1000
CALLS = "jdk=n,branches=n,receivers=n,monitors=n,samples=n"
NOT_BEGUN = "iprofagent: no profile was written: the program ended before its main class began (force=always writes it anyway)"
PRECIOUS = "precious"


class KeptCase(AgentCase):
    jvm_defaults = C1_ONLY

    def put_precious(self, name="app.iprof"):
        (self.folder / name).write_text(PRECIOUS)

    def assert_kept(self, run, name="app.iprof"):
        self.assertEqual((self.folder / name).read_text(), PRECIOUS, run)

    def names(self):
        """The files in the folder, without what the harness keeps of a program's output."""
        return sorted(name for name in os.listdir(self.folder) if not name.startswith(("stdout.", "stderr.")))


class BeforeMain(KeptCase):
    """The launcher ends the JVM: what was recorded is its own code."""

    def assert_no_profile(self, main, *args, jvm_args=(), expect=1):
        self.put_precious()
        run = self.run_java(main, *args, agent="out=app.iprof", jvm_args=jvm_args, expect=expect)
        self.assertEqual(self.agent_lines(run.stderr), [NOT_BEGUN], run)
        self.assert_kept(run)
        return run

    def source(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_a_mistyped_class(self):
        self.assert_no_profile("NoSuchClass")
        self.assertEqual(self.names(), ["app.iprof"])

    def test_a_jar_without_a_main_class(self):
        import zipfile
        with zipfile.ZipFile(self.folder / "no-main.jar", "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n\n")
        self.assert_no_profile(["-jar", "no-main.jar"])

    def test_a_missing_jar(self):
        """The launcher may notice it before it creates the JVM."""
        self.put_precious()
        run = self.run_java(["-jar", "missing.jar"], agent="out=app.iprof", expect=1)
        self.assertIn(self.agent_lines(run.stderr), ([], [NOT_BEGUN]))
        self.assert_kept(run)

    def test_a_class_of_a_version_that_the_jvm_does_not_know(self):
        code = bytearray((Settings.classes / "Fib.class").read_bytes())
        code[6:8] = (0xff, 0xf0)
        (self.folder / "Fib.class").write_bytes(code)
        run = self.assert_no_profile(["-cp", self.folder, "Fib"])
        self.assertIn("UnsupportedClassVersionError", run.stderr)

    def test_a_class_without_main(self):
        self.assert_no_profile("Dumps$Negate")

    def test_a_module_without_the_class(self):
        self.assert_no_profile(["-m", "java.base/no.such.Class"])

    def test_a_missing_module(self):
        """The JVM does not start, and calls no agent."""
        self.put_precious()
        run = self.run_java(["-m", "no.such.module/a.B"], agent="out=app.iprof", expect=1)
        self.assertEqual(self.agent_lines(run.stderr), [], run)
        self.assert_kept(run)

    def test_no_program_at_all(self):
        self.assert_no_profile(["-version"], expect=0)
        self.assert_no_profile(["--list-modules"], expect=0)

    def test_a_source_file_that_does_not_compile(self):
        if not self.jvm.javac.exists():
            self.skipTest(f"{self.jvm.id} has no compiler")
        self.assert_no_profile([self.source("Bad.java", "class Bad { int x = ; }")])

    def test_merge_and_force_n_add_nothing_either(self):
        self.put_precious()
        for options in ("merge=y", "force=n"):
            run = self.run_java("NoSuchClass", agent=f"out=app.iprof,{options}", expect=1)
            self.assertEqual(self.agent_lines(run.stderr), [NOT_BEGUN], run)
            self.assertEqual(self.names(), ["app.iprof"], options)
            self.assert_kept(run)

    def test_force_always_writes(self):
        self.put_precious()
        self.run_java("NoSuchClass", agent="out=app.iprof,force=always", expect=1)
        self.profile("app.iprof")


class Begun(KeptCase):
    """However a program is started, and however short it is, its profile is written."""

    def test_by_module(self):
        """javac's own main class, in a module."""
        if not self.jvm.javac.exists():
            self.skipTest(f"{self.jvm.id} has no compiler")
        self.run_java(["-m", "jdk.compiler/com.sun.tools.javac.Main"], "-version", agent="out=app.iprof")
        self.profile("app.iprof")

    def test_from_a_source_file(self):
        if not self.jvm.javac.exists():
            self.skipTest(f"{self.jvm.id} has no compiler")
        (self.folder / "Good.java").write_text(
            "public class Good { static void f() {} public static void main(String[] a) { f(); f(); System.exit(7); } }")
        self.run_java(["Good.java"], agent="out=app.iprof", expect=7)
        self.assertEqual(self.profile("app.iprof").calls_of("Good.f"), 2)

    def test_through_the_environment(self):
        options = {"JAVA_TOOL_OPTIONS": f"-agentpath:{Settings.agent}=out=app.iprof"}
        self.run_command([self.jvm.java, "-cp", Settings.classes, "Fib"], env=options)
        self.assertEqual(self.profile("app.iprof").calls_of("Fib.main"), 1)

    def test_a_static_initialiser_that_ends_the_program(self):
        if not self.jvm.javac.exists():
            self.skipTest(f"{self.jvm.id} has no compiler")
        (self.folder / "Early.java").write_text(
            "class Early { static { System.exit(6); } public static void main(String[] a) {} }")
        self.run_command([self.jvm.javac, "-d", self.folder, self.folder / "Early.java"])
        self.run_java(["-cp", self.folder, "Early"], agent="out=app.iprof", expect=6)
        self.profile("app.iprof")

    def test_an_initialiser_that_fails(self):
        if not self.jvm.javac.exists():
            self.skipTest(f"{self.jvm.id} has no compiler")
        (self.folder / "Fails.java").write_text(
            "class Fails { static int x = Integer.parseInt(\"x\"); public static void main(String[] a) {} }")
        self.run_command([self.jvm.javac, "-d", self.folder, self.folder / "Fails.java"])
        self.run_java(["-cp", self.folder, "Fails"], agent="out=app.iprof", expect=1)
        self.profile("app.iprof")

    def test_a_program_that_creates_its_own_jvm(self):
        embedder = Settings.agent.parent / "java-tests" / "embedder"
        libjvm = self.jvm.home / "lib" / "server" / "libjvm.so"
        agent = f"-agentpath:{Settings.agent}=out=app.iprof"
        self.run_command([embedder, libjvm, "destroy", agent])
        self.profile("app.iprof")
        run = self.run_command([embedder, libjvm, "exit", agent.replace("app", "lost")], expect=5)
        self.assertEqual(self.agent_lines(run.stderr),
                         ["iprofagent: no profile was written: the process ended without the JVM's own end"])
        self.assertEqual(self.names(), ["app.iprof"])


class NothingRecorded(KeptCase):
    @on_one_jvm
    def test_an_earlier_profile_stays(self):
        self.put_precious()
        run = self.run_java("Fib", agent="out=app.iprof,exclude=*,jdk=n,samples=n")
        self.assertEqual(self.agent_lines(run.stderr),
                         ["iprofagent: no profile was written: nothing was recorded (force=always writes it anyway)"])
        self.assert_kept(run)
        self.run_java("Fib", agent="out=app.iprof,exclude=*,jdk=n,samples=n,force=always")
        self.assertEqual(self.profile("app.iprof").calls(), {})

    @on_one_jvm
    def test_a_mistyped_pattern_does_not_replace_a_profile_by_one_of_samples(self):
        self.put_precious()
        for options in ("jdk=n,samples=n", "interval=1ms"):
            run = self.run_java("Harvestable", STEPS, "end", agent=f"out=app.iprof,include=no.such.Class+com/acme/*,{options}")
            self.assertEqual(self.agent_lines(run.stderr),
                             ["iprofagent: no profile was written: nothing was counted, because include=no.such.Class+com/acme/* matches no class "
                              "that was loaded (names have dots, not slashes; force=always writes it anyway)"])
            self.assert_kept(run)
        self.run_java("Fib", agent="out=app.iprof,include=no.such.Class,jdk=n,force=always")
        self.assertEqual(self.profile("app.iprof").calls(), {})

    @on_one_jvm
    def test_a_pattern_that_matches_nothing_is_named(self):
        run = self.run_java("Fib", agent=f"{CALLS},include=Fib+com/acme/*")
        self.assertRegex(self.agent_lines(run.stderr)[0], r"wrote .*/default\.iprof: 3 methods ran; counts exact but for races between threads; (not )?usable.*$")
        self.assertEqual(self.agent_lines(run.stderr)[1:],
                         ["iprofagent: include=com/acme/* matches no class that was loaded (names have dots, not slashes)"])

    @on_one_jvm
    def test_an_empty_table_is_named(self):
        run = self.run_java("Fib", agent="include=Fib,interval=60s")
        self.assertEqual([line for line in run.stderr.splitlines() if line.endswith(EMPTY_TABLES)],
                         ["iprofagent: the profile has no samples, which were to be recorded"])


class ManyJvms(KeptCase):
    """The programs wait for their input, so that all live at once."""

    def start(self, options, rounds=0):
        process = self.start_java("Dumps", agent=options)
        process.stdin.write(b"\n" * rounds)
        process.stdin.flush()
        if rounds > 0:
            self.wait_for_output(process, f"round {rounds}:")
        return process

    def wait_for_output(self, process, text):
        deadline = time.monotonic() + PATIENCE_S
        while text not in process.out_path.read_text():
            if process.poll() is not None or time.monotonic() > deadline:
                self.fail(f"never said {text!r}:\n{process.err_path.read_text()}")
            time.sleep(0.02)

    def end(self, *processes):
        for process in processes:
            process.stdin.close()
        for process in processes:
            self.assertEqual(process.wait(PATIENCE_S), 0, process.err_path.read_text())

    def rounds_in(self, name):
        profile = self.profile(name)
        rounds = profile.calls_of("Dumps.round")
        self.assertEqual(profile.calls_of("Dumps$Negate.applyAsInt"), rounds * STEPS // 4)
        self.assertEqual(profile.calls_of("Dumps$Twice.applyAsInt"), rounds * STEPS * 3 // 4)
        return rounds

    def said(self, process):
        return self.agent_lines(process.err_path.read_text())

    @on_one_jvm
    def test_two_jvms_write_two_files(self):
        first = self.start(f"out=app.iprof,{CALLS}", 1)
        second = self.start(f"out=app.iprof,{CALLS}", 2)
        path = self.folder.resolve() / "app.iprof"
        self.assertEqual(self.said(first), [])
        self.assertEqual(self.said(second), [f"iprofagent: {path}: another running process writes it; this JVM writes "
                                             f"{path.with_name('app.1.iprof')} (merge=y adds all to one file)"])
        self.end(second)
        self.end(first)
        self.assertEqual((self.rounds_in("app.iprof"), self.rounds_in("app.1.iprof")), (1, 2))
        self.assertEqual(self.names(), ["app.1.iprof", "app.iprof"])
        self.end(self.start(f"out=app.iprof,{CALLS}", 3))  # alone, so it replaces
        self.assertEqual((self.rounds_in("app.iprof"), self.rounds_in("app.1.iprof")), (3, 2))
        self.assertEqual(self.names(), ["app.1.iprof", "app.iprof"])

    @on_one_jvm
    def test_a_jvm_that_was_killed_blocks_no_name(self):
        killed = self.start(f"out=app.iprof,{CALLS}", 1)
        killed.kill()
        killed.wait()
        self.end(self.start(f"out=app.iprof,{CALLS}", 2))
        self.assertEqual(self.rounds_in("app.iprof"), 2)
        self.assertEqual(self.names(), ["app.iprof"])

    @on_one_jvm
    def test_a_dump_in_between_is_the_jvms_own(self):
        first = self.start(f"out=app.iprof,{CALLS}", 1)
        second = self.start(f"out=app.iprof,{CALLS},start=n")
        self.run_tool("start", second.pid)
        refused = self.run_tool("dump", second.pid, expect=4)
        self.assertIn("nothing was recorded", refused.stderr)
        second.stdin.write(b"\n")
        second.stdin.flush()
        self.wait_for_output(second, "round 1")
        self.run_tool("dump", first.pid)
        asked = self.run_tool("dump", second.pid)
        self.assertIn("wrote", asked.stdout)
        self.assertIn("app.1.iprof", asked.stdout)
        self.assertEqual(self.rounds_in("app.iprof"), 1)
        self.end(first, second)

    @on_one_jvm
    def test_the_tool_takes_no_other_jvms_file(self):
        first = self.start(f"out=app.iprof,{CALLS}", 1)
        second = self.start(f"out=other.iprof,{CALLS}", 2)
        output = self.folder / "app.iprof"
        self.run_tool("dump", first.pid, "-o", output)  # its own
        self.assertEqual(self.rounds_in("app.iprof"), 1)
        run = self.run_tool("stop", second.pid, "-o", output)
        numbered = self.folder / "app.1.iprof"
        self.assertEqual(run.stderr, f"iprof: warning: {output}: another running process writes it; the profile goes to {numbered}\n")
        self.assertIn(f"wrote {numbered}", run.stdout)
        self.assertEqual((self.rounds_in("app.iprof"), self.rounds_in("app.1.iprof")), (1, 2))
        self.end(first, second)
        self.assertEqual(self.names(), ["app.1.iprof", "app.iprof"])

    @on_one_jvm
    def test_recover_takes_no_other_jvms_file(self):
        """A program that is killed and started again has the name that its raw file suggests."""
        killed = self.start(f"out=app.iprof,snapshot=100ms,{CALLS}", 1)
        raw, now = self.folder / "app.iraw", self.folder / "now.iprof"
        deadline = time.monotonic() + PATIENCE_S
        while (self.run_tool("recover", raw, "-o", now, expect=None).code != 0
               or self.profile("now.iprof").calls_of("Dumps$Twice.applyAsInt") < STEPS * 3 // 4):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        killed.kill()
        killed.wait()
        again = self.start(f"out=app.iprof,{CALLS}", 2)
        asked, numbered = self.folder / "app.iprof", self.folder / "app.1.iprof"
        for _ in range(3):  # the later ones replace the earlier ones
            run = self.run_tool("recover", raw, "-o", asked)
            self.assertEqual(run.stderr, f"iprof: warning: {asked}: another running process writes it; the profile goes to {numbered}\n")
            self.assertIn(f"wrote {numbered}", run.stdout)
        self.assertFalse((self.folder / "app.2.iprof").exists())
        self.end(again)
        self.assertEqual((self.rounds_in("app.iprof"), self.rounds_in("app.1.iprof")), (2, 1))

    @on_one_jvm
    def test_a_raw_file_is_not_replaced_by_a_profile(self):
        killed = self.start(f"out=app.iprof,snapshot=100ms,{CALLS}", 1)
        raw = self.folder.resolve() / "app.iraw"
        deadline = time.monotonic() + PATIENCE_S
        while not raw.exists() or raw.stat().st_size == 0:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        killed.kill()
        killed.wait()
        counted = raw.read_bytes()
        other = self.start(f"out=app.iraw,{CALLS}", 1)
        refused = self.run_tool("dump", other.pid, "-o", raw, expect=2)
        self.assertEqual(refused.stderr, f"iprof: error: {raw} is a raw file, which the profile would replace: give the profile another name\n")
        self.end(other)
        self.assertIn(f"{raw}: is a raw file, which the profile would replace; the profile is written beside it", "\n".join(self.said(other)))
        self.assertEqual(raw.read_bytes(), counted)
        self.assertEqual(self.rounds_in("app.1.iraw"), 1)

    @on_one_jvm
    def test_eight_jvms_that_end_at_once_lose_nothing(self):
        """Each ran another number of rounds, so that no two mistakes cancel out."""
        rounds = [1, 2, 4, 8, 16, 32, 64, 128]
        self.end(*[self.start(f"out=app.iprof,merge=y,{CALLS}", count) for count in rounds])
        self.assertEqual(self.rounds_in("app.iprof"), sum(rounds))
        self.assertEqual(self.profile("app.iprof").calls_of("Dumps.main"), len(rounds))
        self.assertEqual(self.names(), ["app.iprof"])

    @on_one_jvm
    def test_runs_one_after_the_other_add_up_with_everything_on(self):
        for _ in range(2):
            self.end(self.start("out=app.iprof.gz,merge=y", 3))
        self.assertEqual(self.rounds_in("app.iprof.gz"), 6)
        self.assertEqual(self.names(), ["app.iprof.gz"])

    @on_one_jvm
    def test_with_merge_a_dump_is_not_added_twice(self):
        process = self.start(f"out=app.iprof,merge=y,{CALLS}", 1)
        for _ in range(2):
            self.run_tool("dump", process.pid)
            self.assertEqual(self.rounds_in("app.1.iprof"), 1)
        self.assertFalse((self.folder / "app.iprof").exists())
        self.end(process)
        self.assertEqual(self.rounds_in("app.iprof"), 1)
        self.assertEqual(self.names(), ["app.iprof"])

    @on_one_jvm
    def test_with_merge_what_was_written_before_a_stop_is_added_at_the_end(self):
        process = self.start(f"out=app.iprof,merge=y,{CALLS}", 2)
        self.run_tool("dump", process.pid)
        self.run_tool("stop", process.pid)
        self.end(process)
        self.assertEqual(self.rounds_in("app.iprof"), 2)

    @on_one_jvm
    def test_with_merge_each_line_is_true(self):
        self.end(process := self.start(f"out=app.iprof,merge=y,{CALLS}", 1))
        shared = self.folder.resolve() / "app.iprof"
        own = shared.with_name("app.1.iprof")
        wrote, removed = self.said(process)
        self.assertTrue(wrote.startswith(f"iprofagent: wrote {own} (to be added to {shared} at the end): "), wrote)
        self.assertEqual(removed, f"iprofagent: removed {own}: it was added to {shared}")

    @on_one_jvm
    def test_with_merge_no_program_waits_for_one_that_does_not_merge(self):
        first = self.start(f"out=app.iprof,{CALLS}", 1)
        second = self.start(f"out=app.iprof,merge=y,{CALLS}", 2)
        self.end(second)  # while the first one lives; a JVM that waited would give up in other words
        self.assertRegex(self.said(second)[-1], r"app\.iprof: another running process writes it \(a JVM without merge=y, or an iprof command\); not merged: "
                                                r"the profile stays in .*/app\.1\.iprof$")
        self.assertEqual(self.rounds_in("app.1.iprof"), 2)
        self.end(first)
        self.assertEqual(self.rounds_in("app.iprof"), 1)

    @on_one_jvm
    def test_what_is_no_profile_is_not_merged_and_not_lost(self):
        self.put_precious()
        process = self.start(f"out=app.iprof,merge=y,{CALLS}", 1)
        self.end(process)
        self.assert_kept(process)
        self.assertEqual(self.rounds_in("app.1.iprof"), 1)
        self.assertRegex(self.said(process)[-1], r"app\.iprof: .*; not merged: the profile stays in .*/app\.1\.iprof$")


class LostProfiles(KeptCase):
    @on_one_jvm
    def test_the_exit_status_shows_it(self):
        for how, status in (("return", 0), ("exit", 3), ("halt", 4), ("throw", 1)):
            with self.subTest(how=how):
                run = self.run_java("Ends", how, agent=f"out=/dev/full,{CALLS}", expect=status)
                self.assertRegex(self.agent_lines(run.stderr)[-1], "no profile was written: /dev/full: ")
                lost = self.run_java("Ends", how, agent=f"out=/dev/full,{CALLS},onwritefailure=exit", expect=74)
                self.assertEqual(lost.stdout, run.stdout)
                self.run_java("Ends", how, agent=f"out=app.iprof,{CALLS},onwritefailure=exit", expect=status)

    @on_one_jvm
    def test_a_profile_that_was_not_to_be_written_is_not_lost(self):
        self.run_java("Ends", "return", agent=f"out=/dev/full,{CALLS},doe=n,onwritefailure=exit")
        self.run_java("NoSuchClass", agent=f"out=/dev/full,{CALLS},onwritefailure=exit", expect=1)


class Private(KeptCase):
    """What the agent creates is for its own user only, with every umask."""

    def run_open(self, *args, **kwargs):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        return self.run_java(*args, **kwargs)

    def mode(self, name):
        return stat.S_IMODE((self.folder / name).stat().st_mode)

    @on_one_jvm
    def test_profiles_and_folders(self):
        self.run_open("Fib", agent=f"out=a/b/app.iprof,{CALLS}")
        self.assertEqual((self.mode("a"), self.mode("a/b"), self.mode("a/b/app.iprof")), (0o700, 0o700, 0o600))
        self.run_open("Fib", agent=f"out=a/b/app.iprof,{CALLS},force=n")
        self.assertEqual(self.mode("a/b/app.1.iprof"), 0o600)
        self.run_open("Fib", agent=f"out=merged.iprof,{CALLS},merge=y")
        self.run_open("Fib", agent=f"out=merged.iprof,{CALLS},merge=y")
        self.assertEqual(self.mode("merged.iprof"), 0o600)

    @on_one_jvm
    def test_an_own_file_keeps_its_permissions_and_another_users_has_no_say(self):
        self.put_precious()
        (self.folder / "app.iprof").chmod(0o644)
        self.run_open("Fib", agent=f"out=app.iprof,{CALLS}")
        self.assertEqual(self.mode("app.iprof"), 0o644)
        if os.geteuid() != 0:
            self.skipTest("only root can make another user's file")
        (self.folder / "app.iprof").chmod(0o666)
        os.chown(self.folder / "app.iprof", 4002, -1)
        self.run_open("Fib", agent=f"out=app.iprof,{CALLS}")
        self.assertEqual(self.mode("app.iprof"), 0o600)

    @on_one_jvm
    def test_in_a_folder_of_all_users_another_users_lock_is_left_alone(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make another user's file")
        self.folder.chmod(0o1777)
        lock = self.folder / ".app.iprof.lock"
        lock.write_text("")
        lock.chmod(0o666)
        os.chown(lock, 4002, -1)
        run = self.run_java("Fib", agent=f"out=app.iprof,{CALLS}")
        path = self.folder.resolve() / "app.iprof"
        self.assertEqual(self.agent_lines(run.stderr)[0], f"iprofagent: {path}: its lock belongs to another user (uid 4002); "
                                                          f"this JVM writes {path.with_name('app.1.iprof')}")
        self.profile("app.1.iprof")
        self.assertEqual(self.names(), [".app.iprof.lock", "app.1.iprof"])
