#!/usr/bin/env python3
"""Tests what all commands of the iprof tool share: help, usage errors, file names, pipes, full disks, terminals.

Usage: cli_frame_test.py IPROF GENERATED_FOLDER [unittest options]
Each test uses its own folder. When it fails, it shows the command, its output and what was expected.
"""

import gzip
import json
import os
import pathlib
import pty
import re
import resource
import subprocess
import time
import unittest

from cli_case import IPROF, CliTest, profile, section, with_sanitizer


class Frame(CliTest):
    def test_help(self):
        overview = self.out("help")
        self.assertEqual(overview, self.out("--help"))
        # cli/terminal/exit_code.h has all of them.
        codes = (pathlib.Path(__file__).parent / "terminal" / "exit_code.h").read_text(encoding="utf-8")
        for code in re.findall(r"(?m)^  k\w+ = (\d+)", codes):
            self.assertRegex(overview, rf"(?m)^  {code} +\w")
        for command in ["show", "top", "check", "merge", "diff", "overlap", "convert", "list", "profile", "attach",
                        "start", "stop", "reset", "dump", "status", "version", "help"]:
            self.assertIn(f"\n  {command} ", overview)
            self.assertTrue(self.out(command, "--help").startswith(f"Usage: iprof {command} "))
            self.assertEqual(self.out("help", command), self.out(command, "-h"))

    def test_help_for_programs(self):
        commands = {c["name"]: c for c in self.json("help")["commands"]}
        self.assertIn("top", commands)
        self.assertNotIn("generate", commands)
        self.assertEqual(self.json("help", "merge"), commands["merge"])
        for name, command in commands.items():
            flags = [flag for option in command["options"] for flag in option["flags"]]
            self.assertIn("--format", flags, name)
            for flag in flags:
                self.assertIn(flag, self.out("help", name))

    def test_version(self):
        self.assertTrue(self.out("version").startswith("iprof "))
        self.assertEqual(self.out("version"), self.out("--version"))
        self.assertIn("1.1.0", self.json("version")["writes"])

    def test_usage_errors(self):
        a = self.write("a.iprof", profile())
        os.mkdir(self.path("none"))
        cases = [
            ([], "a command is missing, as in 'iprof show app.iprof'"),
            (["-v"], "unknown option '-v': nothing prints more; 'iprof --version' prints the version"),
            (["--app", a], "options come after a command"),
            (["shwo"], "unknown command 'shwo'; did you mean 'show'?"),
            (["--colour"], "unknown option '--colour'"),
            (["help", "shwo"], "unknown command 'shwo'"),
            (["show"], "file is required, as in 'iprof show app.iprof'"),
            (["show", a, "-v"], "nothing prints more"),
            (["diff", a], "b is required, as in 'iprof diff old.iprof new.iprof'"),
            (["report", a, "new.html"], f"the name of the page follows -o: iprof report {a} -o new.html"),
            (["report", a, a], f"two profiles need --diff: iprof report --diff {a} {a}"),
            (["report", "-"], "standard input has no name: say with -o where the page goes"),
            (["show", a, "--topnn", "3"], "unknown option '--topnn'; did you mean '--topn'?"),
            (["show", a, "b"], "unexpected argument 'b'"),
            (["show", a, "--topn", "-1"], "'-1' is not a whole number"),
            (["show", a, "-n", "0x10"], "'0x10' is not a whole number"),
            (["show", a, "--format", "jsno"], "did you mean 'json'?"),
            (["show", a, "--table", "branchs"], "did you mean 'branches'?"),
            (["diff", a, a, "--threshold", "x"], "'x' is not a share"),
            (["diff", a, a, "--threshold", "101%"], "'101%' is more than 1 (100%) (see"),
            (["diff", a, a, "--threshold", "5"], "'5' is more than 1 (100%); did you mean '5%'?"),
            (["diff", a, a, "--threshold", "500"], "'500' is more than 1 (100%) (see"),
            (["diff", "-", "-"], "read only once"),
            (["overlap", "-", "-"], "read only once"),
            (["merge", a], "--output is required, as in 'iprof merge -o all.iprof run1.iprof run2.iprof.gz'"),
            (["merge", "-o", "x", "--input-dir", "none"], "--input-dir none: no *.iprof, *.iprof.gz or *.iraw is in this folder or below"),
            (["merge", "-o", "x"], "nothing to merge"),
            (["merge", "-o", "x", "-w", "0,a"], "not a weighted input"),
            (["merge", "-o", "x", "-", "-"], "read only once"),
            (["merge", "-o", "-", a, "--format", "json"], "both write to standard output"),
            (["start"], "pid is required"),
            (["stop", "x"], "'x' is no process id"),
            (["status", "1", "2"], "unexpected argument '2'"),
            (["reset", "1", "-o", "x"], "unknown option '-o'"),
            (["dump", "--control", "/nowhere/x", "-o", "x.iprof"], "give an absolute path of the JVM with -o"),
            (["harvest", "1", "-o", "x", "--every", "1s"], "--every is the time between the harvests of --watch: give --watch, too"),
            (["harvest", "1", "-o", "x", "--timeout", "5"], "--timeout is how long --attach, --fresh and --samples wait for the JVM: give one of them, too"),
            (["harvest", "1", "-o", "x", "--samples", "30"], "'30' is not a time such as 500ms, 30s, 10m or 2h; did you mean '30s'?"),
            (["harvest", "1", "-o", "x", "--samples", "24h"], "--samples is at most 23 hours and 59 minutes (1439m)"),
            (["harvest", "1", "--list", "--samples", "30s"], "--samples records once, and writes a profile: give -o FILE, and neither --list nor --watch"),
            (["harvest", "1", "-o", "x", "--watch", "1m", "--samples", "30s"], "--samples records once, and writes a profile"),
            (["harvest", "./core", "-o", "x", "--samples", "30s"], "a core file runs no more: no --samples of it"),
            (["harvest", "-5", "-o", "x"], "'-5' is no process id"),
            (["harvest", "--", "1", "--list"], "unexpected argument '--list' behind '--'"),
            (["--"], "a command is missing"),
            (["profile", "1"], "--output is required"),
            (["profile", "--pid", "1", "-o", "x"], "unknown option '--pid': give the pid without an option, as in 'iprof profile 4711 "),
            (["profile", "1", "-o", "x", "-d", "30"], "'30' is not a time such as 500ms, 30s, 10m or 2h; did you mean '30s'?"),
            (["profile", "1", "-o", "x", "--duration", "30"], "'30' is not a time such as 500ms, 30s, 10m or 2h; did you mean '30s'?"),
            (["profile", "1", "-o", "x", "--warmup", "5min"], "did you mean '5m'?"),
            (["profile", "1", "-o", "x", "--warmup", "-5s"], "'-5s' is not a time such as 500ms, 30s, 10m or 2h (see"),
            (["profile", "1", "-o", "x", "--warmup", "9999h"], "is not a time"),
            (["profile", "1", "-o", "x", "--duration", "24h"], "--duration is at most 23 hours and 59 minutes"),
            (["profile", "1", "start=y", "-o", "x"], "'iprof profile' sets start=, reply= and command= itself"),
            (["profile", "1", "intervall=5ms", "-o", "x"], "did you mean 'interval'?"),
            (["convert", a], "--to is required"),
            (["convert", a, "--to", "pretty", "b.json"], "unexpected argument 'b.json'; if it is the output, write '-o b.json'"),
            (["convert", a, "--to", "flamegraph"], "'iprof report' draws a flame graph in a page"),
            (["convert", a, "--to", "csv", "--bci"], "--bci needs"),
            (["convert", a, "--to", "csv", "--output-version", "1.0.0"], "--output-version needs"),
            (["convert", a, "--to", "iprof@1.0.0", "--output-version", "1.0.0"], "both name a version"),
            (["convert", a, "--to", "pprof", "--stacks", "calls"], "--stacks needs --to collapsed"),
            (["convert", a, "--to", "html"], "an HTML page is written by 'iprof report'"),
            (["convert", a, "--to", "json"], "did you mean 'pretty'?"),
            (["attach", "1", "interval=10"], "did you mean 10ms?"),
            (["attach", "1", "help=intervall"], "did you mean 'interval'?"),
            (["profile", "1", "help", "-o", "x"], "'iprof attach PID help' prints the agent's options"),
        ]
        for arguments, message in cases:
            with self.subTest(arguments=arguments):
                error = self.err(*arguments, expect=2)
                self.assertIn(message, error)
                self.assertEqual(error.count("\n"), 1, error)

    def test_options_end_at_two_dashes(self):
        self.write("-odd.iprof", profile())
        self.assertIn("-odd.iprof", self.out("show", "--", "-odd.iprof"))
        self.assertEqual(self.out("--", "version"), self.out("version"))

    def test_bad_input_and_io(self):
        bad = self.write("bad.iprof", "{")
        old = self.write("old.iprof", profile(version="0.2.0"))
        a = self.write("a.iprof", profile())
        one = {"show": [], "convert": ["--to", "csv"], "check": []}
        for command, options in one.items():
            self.assertIn("bad.iprof", self.err(command, bad, *options, expect=3))
            self.assertIn("No such file", self.err(command, "none.iprof", *options, expect=4))
            self.assertIn("is a folder: name a profile in it; 'iprof merge -o all.iprof --input-dir ", self.err(command, self.folder, *options, expect=4))
        self.assertIn("is a folder: name a profile in it", self.err("merge", "-o", "x", self.folder, expect=4))
        for command in ["diff", "overlap"]:
            self.run_tool(command, a, bad, expect=3)
            self.run_tool(command, "none.iprof", a, expect=4)
        self.assertIn("0.2.0", self.err("show", old, expect=3))
        self.not_a_profile()
        # What may have been meant for a process.
        self.assertIn("none: No such file or directory; 'iprof list' shows the process ids of JVMs",
                      self.err("harvest", "none", "-o", "x.iprof", expect=4))
        self.assertIn(f"{self.folder} is a folder: give a core file, or a process id",
                      self.err("harvest", self.folder, "-o", "x.iprof", expect=4))
        self.assertIn("/dev/null is not a file, so it is no core", self.err("harvest", "/dev/null", "-o", "x.iprof", expect=4))
        # Before anything is asked of a JVM, the output is known to be writable.
        for command in ["stop", "dump", "profile"]:
            self.assertIn("No such file", self.err(command, "1", "-o", "none/x.iprof", expect=4))
        self.assertIn("control socket none.sock: cannot find it: No such file", self.err("status", "--control", "none.sock", expect=4))

    def test_an_input_is_not_replaced_by_another_format(self):
        for name in ("a.iprof", "b.iprof"):
            self.write(name, profile())
        for name in ("core", "libjvm.so", "app.jar", "app-sources.jar"):
            self.write(name, name)
        cases = [(["convert", "a.iprof", "--to", "csv"], "a.iprof", "output"),
                 (["convert", "-", "--to", "pprof"], None, "output"),
                 (["report", "a.iprof"], "a.iprof", "page"),
                 (["report", "--diff", "a.iprof", "b.iprof"], "b.iprof", "page"),
                 (["report", "a.iprof", "--classes", "app.jar", "--sources", "app-sources.jar"], "app-sources.jar", "page"),
                 (["harvest", "core"], "core", "profile"),
                 (["harvest", "core", "--libjvm", "libjvm.so"], "libjvm.so", "profile")]
        for arguments, file, made in cases:
            with self.subTest(arguments=arguments):
                link = self.path("link")
                os.symlink(file or "a.iprof", link)
                rest = f", which the {made} would replace: give the {made} another name\n"
                with open(self.path("a.iprof"), "rb") as f:
                    done = subprocess.run([IPROF, *arguments, "-o", "link"], stdin=f, capture_output=True, cwd=self.folder, check=False)
                self.assertEqual((done.returncode, done.stderr.decode()),
                                 (2, f"iprof: error: link is the same file as {file or 'standard input'}{rest}"))
                if file:
                    self.assertEqual(self.err(*arguments, "-o", file, expect=2), f"iprof: error: {file} is an input{rest}")
                os.remove(link)
        for name, content in self.written.items():
            with open(name, "rb") as f:
                self.assertEqual(f.read(), content)
        # In its own format, a profile is replaced.
        self.run_tool("convert", "a.iprof", "--to", "pretty", "-o", "a.iprof")
        self.assertGreater(len(self.load("a.iprof")["methods"]), 0)

    def not_a_profile(self):
        """Every command that reads profiles says it in the same words, with the same status."""
        a = self.write("a.iprof", profile())
        commands = (["show"], ["show", "--format", "json"], ["top"], ["check"], ["check", "--format", "json"], ["diff", a],
                    ["overlap", a], ["convert", "--to", "csv"], ["convert", "--to", "pprof", "-o", "x"], ["merge", "-o", "x"])
        for name, content, why in (("other.json", {"a": 1}, "it is a JSON object without types, methods and tables"),
                                   ("package.json", {"name": "x", "version": "1.0.2"}, "it is a JSON object without"),
                                   ("text", "hello\n", "it is no JSON object"), ("empty", "", "it is empty. Record it again; if a raw file"),
                                   ("zip.gz", "PK\x03\x04", "it is no JSON object")):
            path = self.write(name, content)
            for command in commands:
                with self.subTest(command=command, name=name):
                    said = self.err(*command, path, expect=3)
                    self.assertIn(f"{path}: not an iprof profile: {why}", said)
                    self.assertEqual(said.count("\n"), 1, said)
        self.assertFalse(os.path.exists(self.path("x")))

    def test_help_about_one_of_the_agents_options(self):
        said = self.out("attach", "1", "help=interval")
        self.assertTrue(said.startswith("interval=auto|N{us|ms|s|m|h}\ndefault: auto\n\nTime between two samples"), said)

    def test_help_about_the_usual_ones_and_about_all(self):
        usual, every = self.out("attach", "1", "help"), self.out("attach", "1", "help=all")
        for text in (usual, every):
            self.assertIn("\nout ", text)
        self.assertNotIn("\nstripes ", usual)
        self.assertIn("\nstripes ", every)

    def test_the_home_folder_in_a_long_option(self):
        a = self.write("a.iprof", profile())
        self.run_tool("convert", "--to", "csv", a, "--output=~/made.csv", env={"HOME": self.folder})
        self.assertTrue(os.path.exists(self.path("made.csv")))

    def test_a_profile_alone_is_shown(self):
        a = self.write("a.iprof", profile())
        other = self.write("made", profile())
        self.assertEqual(self.out(a), self.out("show", a))
        self.assertEqual(self.out(other, "--app", "-n", "1"), self.out("show", "--app", "-n", "1", other))
        self.assertEqual(self.err("none.iprof", expect=4), self.err("show", "none.iprof", expect=4))

    def test_a_file_named_like_a_command(self):
        self.write("check", profile())
        self.assertIn("file:           check", self.out("show", "check"))

    def test_numbers_are_decimal(self):
        many = profile()
        many["callCountProfiles"] = [{"ctx": f"1:0<2:{i}", "records": [i + 1]} for i in range(20)]
        a = self.write("a.iprof", many)
        for given, shown in [("08", 8), ("010", 10), ("10", 10)]:
            hottest = self.json("show", "--table", "calls", "-n", given, a)["tables"][0]["hottest"]
            self.assertEqual(len(hottest), shown, given)

    def test_a_file_named_in_brackets(self):
        self.write("[a,b]", profile())
        self.write("[c]", profile(10))
        self.assertEqual(len(self.out("check", "-q", "[a,b]", "--", "[c]").splitlines()), 2)
        self.run_tool("merge", "-o", "[sum]", "[a,b]", "[c]", "--input-list", "-", stdin=b"[c]\n")
        self.assertEqual(sorted(e["records"][0] for e in self.load("[sum]")["callCountProfiles"]), [21, 189, 1890])
        for command in (["show"], ["diff", "[c]"], ["convert", "--to", "csv"]):
            self.run_tool(*command, "[a,b]")
        self.assertIn("'[I]'", self.err("show", "--method", "[I]", "[a,b]", expect=1))

    def run_with_memory(self, megabytes, *arguments, expect=0):
        """Runs the tool with a limit on its memory."""
        if with_sanitizer():
            self.skipTest("the sanitizer needs more memory than the limit")
        limit = megabytes << 20
        done = subprocess.run([IPROF, *arguments], capture_output=True, cwd=self.folder, check=False, timeout=120,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(done.returncode, expect, (arguments, done.stdout[-500:], done.stderr[-500:]))
        return done

    def test_out_of_memory(self):
        large = json.dumps(profile())[:-1] + ',"x":[' + "0," * (40 << 20) + "0]}"
        self.write("a.iprof", large)
        self.write("b.iprof", profile())
        self.write("out.iprof", "kept")
        for arguments in (["show", "a.iprof"], ["merge", "-j", "1", "-o", "out.iprof", "b.iprof", "a.iprof"],
                          ["merge", "-j", "3", "--failure-mode", "warn", "-o", "out.iprof", "b.iprof", "a.iprof", "b.iprof"]):
            done = self.run_with_memory(100, *arguments, expect=4)
            self.assertEqual(done.stderr, b"iprof: error: out of memory\n", arguments)
        with open(self.path("out.iprof"), encoding="utf-8") as f:
            self.assertEqual(f.read(), "kept")
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".tmp")], [])

    def test_long_names_in_long_contexts_take_little_memory(self):
        long = profile()
        long["types"].append({"id": 20, "name": "x" * 30000})
        for i in range(20):
            long["methods"].append({"id": 100 + i, "name": f"m{i}", "signature": [20, 20] + [20] * 255})
            ctx = f"{100 + i}:0" + "".join(f"<{100 + i}:{k % 10}" for k in range(300))
            long["callCountProfiles"].append({"ctx": ctx, "records": [1]})
            long["samplingProfiles"].append({"ctx": ctx, "records": [1]})
        a = self.write("a.iprof", long)
        b = self.write("b.iprof", profile())
        for arguments in (["show", "--all", a], ["show", "--all", "--format", "json", a], ["show", "--method", "*", a],
                          ["diff", "--topn", "0", a, b], ["top", a], ["overlap", "--method", "*", a, b],
                          ["convert", "--to", "csv", a, "-o", "a.csv"]):
            self.run_with_memory(100, *arguments)

    def test_standard_input_and_gzip(self):
        text = json.dumps(profile()).encode()
        for stdin in [text, gzip.compress(text)]:
            self.assertIn("Main.main", self.out("show", "-", stdin=stdin))
            self.assertIn("0 errors", self.out("check", "-", stdin=stdin))
        a = self.write("a.iprof.gz", profile())
        self.assertIn("no differences", self.out("diff", a, "-", stdin=text))

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        a = self.write("a.iprof", profile())
        with open("/dev/full", "wb") as full:
            done = subprocess.run([IPROF, "show", a], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"No space left", done.stderr)

    def test_closed_pipe_ends_quietly(self):
        many = profile()
        many["callCountProfiles"] = [{"ctx": f"1:0<2:{i}", "records": [i + 1]} for i in range(20000)]
        a = self.write("a.iprof", many)
        for arguments in [["show", "--all"], ["convert", "--to", "csv"], ["convert", "--to", "pretty"]]:
            with subprocess.Popen([IPROF, *arguments, a], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tool:
                tool.stdout.read(10)
                tool.stdout.close()
                self.assertEqual(tool.stderr.read(), b"")
            self.assertEqual(tool.returncode, 0)

    def on_terminal(self, *arguments, env=None):
        """Runs the tool on a pseudo-terminal and returns what it printed."""
        main, other = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        environment.update({"TERM": "xterm", **(env or {})})
        with subprocess.Popen([IPROF, *arguments], stdin=subprocess.DEVNULL, stdout=other, stderr=other,
                              cwd=self.folder, env=environment) as tool:
            os.close(other)
            output = b""
            while True:
                try:
                    piece = os.read(main, 65536)
                except OSError:
                    break
                if not piece:
                    break
                output += piece
        os.close(main)
        return output

    def test_messages_fit_a_terminal_and_are_one_line_elsewhere(self):
        long_name = self.write(f"{'x' * 40}.iprof", profile(100, iprofagent=section(image={"target": 21, "filtered": True})))
        printed = self.on_terminal("check", long_name, env={"COLUMNS": "70", "NO_COLOR": "1"}).decode().replace("\r\n", "\n")
        lines = printed.splitlines()
        self.assertLessEqual(max(len(line) for line in lines if " " in line.strip()), 70, printed)
        self.assertTrue(any(line.startswith("  ") for line in lines), printed)
        piped = self.out("check", long_name, env={"COLUMNS": "70"})
        self.assertEqual(" ".join(printed.split()), " ".join(piped.split()))
        self.assertGreater(max(map(len, piped.splitlines())), 70)
        as_json = ["check", "--format", "json", long_name]
        self.assertEqual(self.on_terminal(*as_json, env={"COLUMNS": "70"}).decode().replace("\r\n", "\n"), self.out(*as_json))
        wrong = ["check", "--classpath", "nowhere.jar", long_name]
        said = self.on_terminal(*wrong, env={"COLUMNS": "70", "NO_COLOR": "1"}).decode().replace("\r\n", "\n")
        self.assertEqual(sorted(said.split()), sorted((self.out(*wrong, expect=4) + self.err(*wrong, expect=4)).split()))

    def test_colour(self):
        a = self.write("a.iprof", profile())
        self.assertIn(b"\x1b[1m", self.on_terminal("show", a))
        self.assertNotIn(b"\x1b", self.on_terminal("show", a, env={"NO_COLOR": "1"}))
        self.assertIn(b"\x1b[1m", self.on_terminal("show", a, env={"NO_COLOR": ""}))
        self.assertNotIn(b"\x1b", self.on_terminal("show", a, env={"TERM": "dumb"}))
        self.assertNotIn(b"\x1b", self.on_terminal("show", a, "--color", "never"))
        self.assertNotIn("\x1b", self.out("show", a))
        self.assertIn("\x1b[1m", self.out("show", a, "--color", "always", env={"NO_COLOR": "1"}))

    def test_progress_on_a_terminal_only(self):
        fifo = self.path("slow.iprof")
        os.mkfifo(fifo)
        text = json.dumps(profile()).encode()

        def feed(run):
            # The reader has to wait more than a second for the second half.
            pid = os.fork()
            if pid == 0:
                try:
                    with open(fifo, "wb", buffering=0) as out:
                        out.write(text[:1000])
                        time.sleep(1.5)
                        out.write(text[1000:])
                finally:
                    os._exit(0)
            try:
                return run()
            finally:
                os.waitpid(pid, 0)

        drawn = feed(lambda: self.on_terminal("check", fifo))
        self.assertIn(b"bytes", drawn)
        self.assertIn(b"\r\x1b[K", drawn)
        silent = feed(lambda: self.run_tool("check", fifo))
        self.assertEqual(silent.stderr, b"")

    def test_hostile_names(self):
        hostile = profile()
        hostile["types"][10]["name"] = "a.\x1b[2JMain\n\u202e"
        hostile["vm\x07"] = 1
        a = self.write("a.iprof", hostile)
        b = self.write("b.iprof", profile(3))
        for arguments in [["show", a], ["show", "--method", "loop", a], ["diff", a, b], ["check", "--strict", a],
                          ["overlap", "--method", "loop", a, b], ["show", self.path("no\x1b[2Jfile")]]:
            done = subprocess.run([IPROF, *arguments], capture_output=True, check=False)
            for text in [done.stdout, done.stderr]:
                bad = [c for c in text.decode() if (ord(c) < 32 and c != "\n") or c == "\u202e"]
                self.assertEqual(bad, [], f"{arguments}: {text!r}")
        for form in ["csv", "collapsed"]:
            on_terminal = self.on_terminal("convert", "--to", form, a)
            self.assertNotIn(b"\x1b[2J", on_terminal)
            self.assertNotIn("\u202e".encode(), on_terminal)
        names = [m["method"] for m in self.json("show", "--method", "loop", a)["methods"]]
        self.assertEqual(names, ["a.\x1b[2JMain\n\u202e.loop(int)void"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
