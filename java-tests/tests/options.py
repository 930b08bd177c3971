"""Every option: what it does, and the message if it is wrong."""

import gzip
import json
import os
import re
import shutil
import socket

from iprofdev import whole_stacks
from iprofdev.places import ROOT
from iprofdev.processes import PATIENCE_S

from harness.case import C1_ONLY, AgentCase, Settings


class Refusals(AgentCase):
    """A bad option stops the JVM at start, with one sentence on stderr and exit code 1; the program does not run."""
    jvm_defaults = C1_ONLY

    def assert_refused(self, agent, sentence):
        run = self.run_java("Fib", agent=agent, expect=1)
        self.assertEqual(run.stderr, f"iprofagent: {sentence}\n", run)
        self.assertEqual(run.stdout, "", run)
        self.assertEqual(os.listdir(self.folder), [], run)

    def test_unknown_name_and_the_nearest(self):
        self.assert_refused("ouf=x", "unknown option 'ouf'; did you mean 'out=x'?")

    def test_what_was_probably_meant(self):
        """agent/settings/option_hints_test.cc has the other cases."""
        for agent, sentence in {
            "app.iprof": "unknown option 'app.iprof'; did you mean 'out=app.iprof'?",
            "file=app.iprof": "unknown option 'file'; did you mean 'out=app.iprof'?",
            "include=a.*,b.*": "unknown option 'b.*'; the patterns of include= are joined by '+', not by ','",
            "interval=10": "option 'interval' must be auto, or a number with a unit: us, ms, s, m or h, not '10'; did you mean 10ms?",
            "samples=n,interval=1ms": "interval= has no effect without samples=y",
            "help=intervall": "unknown option 'intervall'; did you mean 'interval'?",
        }.items():
            with self.subTest(agent=agent):
                self.assert_refused(agent, sentence)

    def test_unknown_name_without_a_near_one(self):
        self.assert_refused("frobnicate=y", "unknown option 'frobnicate' (\"help=all\" lists them all)")

    def test_bad_values(self):
        for agent, sentence in {
            "force=yes": "option 'force' must be one of y|n|always, not 'yes'; did you mean y?",
            "onwritefailure=fail": "option 'onwritefailure' must be one of report|exit, not 'fail'",
            "doe=maybe": "option 'doe' must be y or n, not 'maybe'",
            "gzip=1": "option 'gzip' must be y or n, not '1'; did you mean y?",
            "onerror=ingore": "option 'onerror' must be one of fail|ignore, not 'ingore'; did you mean ignore?",
            "verbose=4": "option 'verbose' must be a whole number from 0 to 3, not '4'",
            "only=": "option 'only' must be patterns joined by '+' or ';', none of them empty, not ''",
            "out=": "option 'out' must name a file, not ''",
            "log=": "option 'log' must name a file, not ''",
            "out": "option 'out' needs a value: out=FILE",
            "out=%x.iprof": "option 'out': '%x.iprof' contains '%x', but only %p, %h, %t and %% are known",
        }.items():
            with self.subTest(agent=agent):
                self.assert_refused(agent, sentence)

    def test_contradictions(self):
        self.assert_refused("gzip=n,out=a.iprof.gz", "gzip=n contradicts out=a.iprof.gz, whose name ends in .gz")
        self.assert_refused("out=a,out=b", "option 'out' is given twice")
        self.assert_refused("out=a,log=a", "log and out name the same file")
        self.assert_refused("merge=y,force=n", "merge=y adds to an existing profile, and force=n forbids to change it")

    def test_a_folder_is_no_file(self):
        folder = self.folder.resolve()
        run = self.run_java("Fib", agent=f"out={folder}", expect=1)
        self.assertEqual(run.stderr, f"iprofagent: option 'out': '{folder}' is a folder, not a file\n")

    def test_an_impossible_log_is_refused(self):
        (self.folder / "file").write_text("x")
        folder = self.folder.resolve()
        run = self.run_java("Fib", agent="log=file/x.log", expect=1)
        self.assertEqual(run.stderr,
                         f"iprofagent: option 'log': cannot create the folder '{folder}/file': Not a directory\n")

    def test_onerror_ignore_goes_on_and_says_why(self):
        for options in ("onerror=ignore,ouf=x", "ouf=x,onerror=ignore"):
            run = self.run_java("Fib", agent=options)
            self.assertEqual(run.stdout, "0 1 1 2 3 5 8 13 21 34 \n")
            self.assertEqual(run.stderr, "iprofagent: unknown option 'ouf'; did you mean 'out=x'?; "
                                         "going on without the agent (onerror=ignore)\n")
            self.assertEqual(os.listdir(self.folder), [])


class OtherUsersPipes(AgentCase):
    """In a folder that all users may write to, another user makes a pipe where the agent is to open a file. Nothing waits for it."""
    jvm_defaults = C1_ONLY
    OTHER = 4002

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("only root can make another user's pipe")
        self.folder = self.folder.resolve()
        self.folder.chmod(0o1777)

    def pipe(self, name):
        os.mkfifo(self.folder / name)
        (self.folder / name).chmod(0o666)
        os.chown(self.folder / name, self.OTHER, self.OTHER)

    def test_the_start_refuses_them(self):
        self.pipe("pipe")
        for option in ("out", "log", "raw"):
            with self.subTest(option=option):
                run = self.run_java("Fib", agent=f"{option}=pipe", expect=1)
                self.assertEqual(run.stderr, f"iprofagent: option '{option}': cannot write '{self.folder}/pipe': it is a named pipe of another user "
                                             f"(uid {self.OTHER})\n", run)
                self.assertEqual(run.stdout, "", run)
                run = self.run_java("Fib", agent=f"{option}=pipe,onerror=ignore")
                self.assertTrue(run.stdout, run)

    def test_at_the_control_socket_and_the_weights(self):
        self.pipe("pipe")
        for option, said in (("control", "exists already, and is not a socket"), ("weights", "cannot open: it is a named pipe")):
            with self.subTest(option=option):
                run = self.run_java("Fib", agent=f"{option}=pipe", expect=1)
                self.assertIn(said, run.stderr)
                self.assertEqual(len(run.stderr.splitlines()), 1, run)

    def test_one_that_comes_later_leaves_the_profile_beside_it(self):
        process = self.start_java("Ends", "wait", agent="out=file.iprof,log=log")
        self.pipe("file.iprof")
        process.terminate()
        self.assertEqual(process.wait(PATIENCE_S), 143)
        self.assertIn(f"{self.folder}/file.iprof: cannot open: it is a named pipe of another user", (self.folder / "log").read_text())
        self.profile("file.1.iprof")

    def test_beside_the_profile(self):
        """At the names of the raw file, the lock and a temporary file."""
        for name in ("file.iraw", ".file.iprof.lock", ".file.iprof.1.1.tmp"):
            self.pipe(name)
        run = self.run_java("Fib", agent="out=file.iprof")
        self.assertIn("its lock belongs to another user", run.stderr)
        self.profile("file.1.iprof")


class OtherUsersLinks(AgentCase):
    """In a folder that all users may write to, nothing is written through a link of another user."""
    jvm_defaults = C1_ONLY
    OTHER = 4002

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("only root can make another user's link")
        self.folder = self.folder.resolve()
        self.folder.chmod(0o1777)
        (self.folder / "mine").mkdir()
        self.precious = self.folder / "mine" / "precious"
        self.precious.write_text("precious")

    def link(self, name, target, owner=OTHER):
        (self.folder / name).symlink_to(target)
        os.chown(self.folder / name, owner, -1, follow_symlinks=False)

    def test_the_start_refuses_them(self):
        self.link("file", "mine/precious")
        self.link("dangling", "mine/new")
        self.link("folder", "mine")
        for option in ("out", "log"):
            for path, link, doing in (("file", "file", "examine"), ("dangling", "dangling", "examine"),
                                      ("folder/precious", "folder", "create the folder"),
                                      ("folder/deep/new", "folder", "create the folder")):
                with self.subTest(option=option, path=path):
                    run = self.run_java("Fib", agent=f"{option}={path}", expect=1)
                    self.assertIn(f"iprofagent: option '{option}': cannot {doing} ", run.stderr)
                    self.assertIn(f"the link '{self.folder}/{link}' belongs to another user (uid {self.OTHER}) and is not "
                                  "followed\n", run.stderr)
                    self.assertEqual(run.stdout, "", run)
        self.assertEqual(self.precious.read_text(), "precious")
        self.assertEqual(os.listdir(self.folder / "mine"), ["precious"])

    def test_one_that_comes_later_leaves_the_profile_beside_it(self):
        process = self.start_java("Ends", "wait", agent="out=file.iprof,log=log")
        self.link("file.iprof", "mine/precious")
        process.terminate()
        process.wait(PATIENCE_S)
        self.assertEqual(self.precious.read_text(), "precious")
        self.assertTrue((self.folder / "file.iprof").is_symlink())
        self.profile("file.1.iprof")

    def test_links_of_root_and_of_oneself_are_followed(self):
        self.link("file.iprof", "mine/new.iprof", owner=0)
        self.link("log", "mine/new.log", owner=0)
        self.run_java("Fib", agent="out=file.iprof,log=log")
        self.profile("mine/new.iprof")
        self.assertIn("new.log", os.listdir(self.folder / "mine"))


class RawPlaces(AgentCase):
    """A profile under the raw file's name would replace it, or be replaced by it."""
    jvm_defaults = C1_ONLY

    def test_another_spelling_of_one_file(self):
        (self.folder / "d").mkdir()
        os.symlink("d", self.folder / "e")
        for options in ("out=d/app.iprof,raw=e/app.iprof", "out=app.iprof,raw=./app.iprof", "out=x.iprof,log=d/log,raw=d/../e/log",
                        "out=x.iprof,control=d/c,raw=e/c"):
            run = self.run_java("Fib", agent=options, expect=1)
            self.assertEqual(run.stderr, "iprofagent: raw names the same file as another option\n")
        (self.folder / "other").mkdir()
        os.symlink("other", self.folder / "f")
        self.run_java("Fib", agent="out=other/app.iprof,raw=f/app.iraw")
        self.assertEqual(os.listdir(self.folder / "other"), ["app.iprof"])


class HomeFolder(AgentCase):
    """A '~' at the beginning of a path is the JVM's HOME: no shell expands it within an option."""
    jvm_defaults = C1_ONLY

    def test_every_path(self):
        home = self.folder / "home"
        home.mkdir()
        env = {"HOME": str(home)}
        self.run_java("Fib", agent="out=~/old.iprof", env=env)
        run = self.run_java("Fib", agent="out=~/x/new.iprof,log=~/log,raw=~/raw,control=~/socket,weights=~/old.iprof,verbose=1",
                            env=env)
        self.assertEqual(run.stderr, "")
        self.profile("home/x/new.iprof")
        self.assertIn("fit the code of the classes", (home / "log").read_text())
        self.assertEqual(sorted(os.listdir(self.folder)), ["home"])

    def test_another_user(self):
        run = self.run_java("Fib", agent="out=~bob/x.iprof", expect=1)
        self.assertEqual(run.stderr, "iprofagent: option 'out': '~bob' is the home of another user, which only a shell knows: "
                                     "write the folder's full name\n")


class Help(AgentCase):
    jvm_defaults = C1_ONLY

    def test_help_about_one_option(self):
        run = self.run_java("Fib", agent="help=interval")
        self.assertEqual(run.stderr, "")
        self.assertTrue(run.stdout.startswith("interval=auto|N{us|ms|s|m|h}\ndefault: auto\n\n"), run)
        self.assertNotIn("34", run.stdout)
        self.assertEqual(os.listdir(self.folder), [])

    def help(self, agent):
        """The lines that the agent prints; the program does not run."""
        run = self.run_java("Fib", agent=agent)
        self.assertEqual(run.stderr, "")
        self.assertNotIn("34", run.stdout.split())
        self.assertEqual(os.listdir(self.folder), [])
        return run.stdout.splitlines()

    def options_of(self, lines):
        """The names of the options that have a line: name, value, default, meaning."""
        return [found[1] for found in (re.match(r"([a-z-]+) +\S+ +\S+ +\S", line) for line in lines) if found and found[1] not in ("option", "help")]

    def test_help_lists_what_most_users_need(self):
        lines = self.help("help")
        shown = self.options_of(lines)
        for option in ("out", "force", "merge", "only", "onerror", "verbose", "log", "mode", "include", "interval"):
            self.assertIn(option, shown)
        for option in ("stripes", "selfcheck", "rearm", "doe", "format", "threads"):
            self.assertNotIn(option, shown)
        self.assertIn("default.iprof", " ".join(lines))
        every = self.options_of(self.help("help=all"))
        self.assertEqual(lines[-1], f"help=all also shows {len(every) - len(shown)} options that few users need")

    def test_help_all_lists_every_option(self):
        """The page lists them all, in the same order."""
        page = (ROOT / "docs" / "options.md").read_text()
        self.assertEqual(self.options_of(self.help("help=all")), re.findall(r"^\| `([a-z-]+)` \|", page, re.M))


class Output(AgentCase):
    jvm_defaults = C1_ONLY

    def test_the_default_name(self):
        run = self.run_java("Fib")
        profile = self.profile("default.iprof")
        path = self.folder.resolve() / "default.iprof"
        sites = sum(len(table) for table in (profile.branches(), profile.receivers()))
        samples = sum(whole_stacks.followed(profile.document).values())  # those that a build is given
        lines = self.agent_lines(run.stderr)
        self.assertTrue(lines[0].startswith(
            f"iprofagent: wrote {path}: {len(profile.calls()):,} methods ran, {sites:,} sites, {samples:,} sample"), (lines, sites, samples))
        self.assertEqual(len(lines), 1, lines)

    def test_patterns_and_missing_folders(self):
        run = self.run_java("Fib", agent="out=a/b/%h-%p-%t-100%%.iprof")
        (path,) = (self.folder / "a" / "b").iterdir()
        self.assertRegex(path.name, rf"^{re.escape(socket.gethostname())}-\d+-\d{{8}}-\d{{6}}-100%\.iprof$")
        self.profile(path)
        self.assertIn(str(path.resolve()), run.stderr)

    def test_p_is_the_pid(self):
        process = self.start_java("Ends", "wait", agent="out=%p.iprof")
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.profile(f"{process.pid}.iprof")

    def test_an_absolute_path_and_another_working_directory(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.run_java("Fib", agent=f"out={self.folder}/x.iprof", cwd=elsewhere)
        self.profile("x.iprof")
        self.assertEqual(os.listdir(elsewhere), [])

    def test_a_later_change_of_the_working_directory_does_not_matter(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        chdir_agent = Settings.agent.parent / "java-tests" / "libchdir_agent.so"
        self.run_java("Fib", agent="out=here.iprof", jvm_args=[f"-agentpath:{chdir_agent}={elsewhere}"])
        self.profile("here.iprof")
        self.assertEqual(os.listdir(elsewhere), [])

    def test_force_y_replaces(self):
        (self.folder / "app.iprof").write_text("old")
        self.run_java("Fib", agent="out=app.iprof")
        self.profile("app.iprof")
        self.assertEqual(os.listdir(self.folder), ["app.iprof"])

    def test_force_n_adds_a_number(self):
        (self.folder / "app.iprof").write_text("old")
        self.run_java("Fib", agent="out=app.iprof,force=n")
        self.run_java("Fib", agent="out=app.iprof,force=n")
        self.assertEqual((self.folder / "app.iprof").read_text(), "old")
        self.profile("app.1.iprof")
        self.profile("app.2.iprof")
        self.assertEqual(len(os.listdir(self.folder)), 3)

    def test_doe_n_writes_nothing(self):
        run = self.run_java("Fib", agent="doe=n")
        self.assertEqual((run.stderr, os.listdir(self.folder)), ("", []))

    def test_gzip_asked_for_and_implied(self):
        self.run_java("Fib", agent="out=asked.iprof,gzip=y")
        self.run_java("Fib", agent="out=implied.iprof.gz")
        for name in ("asked.iprof", "implied.iprof.gz"):
            json.loads(gzip.decompress((self.folder / name).read_bytes()))
            self.profile(name)

    def test_format(self):
        self.run_java("Fib", agent="format=1.1.0")
        self.assertEqual(self.profile().document["version"], "1.1.0")

    def test_a_target_that_vanished_is_reported_and_the_program_unharmed(self):
        process = self.start_java("Ends", "wait", agent="out=sub/x.iprof")
        shutil.rmtree(self.folder / "sub")
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0)
        line, snapshot = self.agent_lines(process.err_path.read_text())
        self.assertRegex(snapshot, r"^iprofagent: a snapshot could not be written: .*sub/x\.iraw")
        self.assertRegex(line, r"^iprofagent: no profile was written: .*sub/x\.iprof")


class Only(AgentCase):
    jvm_defaults = C1_ONLY

    def test_other_programs_are_left_alone_silently(self):
        run = self.run_java("Fib", agent="only=com.acme.*+Ends,out=sub/x.iprof,log=sub/x.log")
        self.assertEqual((run.stderr, os.listdir(self.folder)), ("", []))
        self.assertEqual(run.stdout, "0 1 1 2 3 5 8 13 21 34 \n")

    def test_verbose_says_so(self):
        run = self.run_java("Fib", agent="only=com.acme.*+app.jar,verbose=1")
        self.assertEqual(run.stderr, "iprofagent: 'Fib' matches no pattern of only=com.acme.*+app.jar, so this JVM runs "
                                     "without the agent\n")

    def test_a_main_class(self):
        self.run_java("Fib", agent="only=com.acme.*+F?b*")
        self.profile()

    def make_jar(self, name):
        """A jar of the programs, created with Python, because runtimes have no jar tool."""
        import zipfile
        with zipfile.ZipFile(self.folder / name, "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: Fib\n\n")
            jar.write(Settings.classes / "Fib.class", "Fib.class")
        return name

    def test_a_jar_by_its_name_also_with_blanks(self):
        jar = self.make_jar("my tool.jar")
        self.run_java(["-jar", jar], "x", agent="only=my?tool.jar,out=yes.iprof")
        self.run_java(["-jar", jar], "x", agent="only=my,out=no.iprof")
        self.profile("yes.iprof")
        self.assertFalse((self.folder / "no.iprof").exists())

    def test_through_java_tool_options_and_an_argument_file(self):
        (self.folder / "args").write_text(f"-cp {Settings.classes} Fib x")
        options = {"JAVA_TOOL_OPTIONS": f"-agentpath:{Settings.agent}=only=Fib,out=x.iprof,onerror=ignore"}
        self.run_command([self.jvm.java, "@args"], env=options)
        self.profile("x.iprof")
        (self.folder / "x.iprof").unlink()
        self.run_command([self.jvm.java, "-cp", Settings.classes, "Ends", "return"], env=options)
        self.assertFalse((self.folder / "x.iprof").exists())

    def test_through_jdk_java_options(self):
        options = {"JDK_JAVA_OPTIONS": f"-agentpath:{Settings.agent}=only=Fib -cp {Settings.classes}"}
        self.run_command([self.jvm.java, "Fib"], env=options)
        self.profile()


class Messages(AgentCase):
    jvm_defaults = C1_ONLY

    def test_verbose_levels(self):
        first_at = ("wrote ", "counted: ", "counters: ", "unloaded")
        for level in range(4):
            with self.subTest(level=level):
                lines = self.agent_lines(self.run_java("Fib", agent=f"verbose={level}").stderr)
                said = [any(line.startswith(f"iprofagent: {text}") for line in lines) for text in first_at]
                self.assertEqual(said, [at <= level for at in range(4)], lines)
                if level == 2:
                    starts = [next(at for at, line in enumerate(lines) if line.startswith(f"iprofagent: {text}"))
                              for text in ("counters: ", "lambdas: ", "samples: ", "image build for ")]
                    self.assertEqual(starts, sorted(starts), lines)
                if level == 0:
                    self.assertEqual(len(lines), 1, lines)

    def test_verbose_1_needs_no_knowledge_of_the_agent(self):
        lines = self.agent_lines(self.run_java("Fib", agent="verbose=1").stderr)
        said = "\n".join(lines)
        self.assertLess(len(lines), 10, said)
        self.assertNotRegex(said, r"clamp|harvest|within k|chunk|KiB|probe|[(;]L[a-z/]+")
        for what in (r"counted: [\d,]+ classes with [\d,]+ methods",
                     r"exact, but for races between threads: [\d,]+ of [\d,]+ methods that ran",
                     r"sampled: [\d,]+ of [\d,]+ signals gave a stack", r"kept for an image build for JDK \d+: [\d,]+ of [\d,]+ entries"):
            self.assertRegex(said, what)

    def test_log_takes_the_messages(self):
        run = self.run_java("Fib", agent="log=logs/%p.log,verbose=2")
        self.assertEqual(run.stderr, "")
        (log,) = (self.folder / "logs").iterdir()
        lines = log.read_text().splitlines()
        self.assertGreaterEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z iprofagent: ")

    def test_log_is_appended_to(self):
        (self.folder / "x.log").write_text("before\n")
        self.run_java("Fib", agent="log=x.log")
        self.assertTrue((self.folder / "x.log").read_text().startswith("before\n"))
