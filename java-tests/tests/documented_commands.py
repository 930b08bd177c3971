"""Runs the commands of README.md and docs/*.md in a shell, as a reader types them; each must succeed. (Those of
docs/lab are experiments that take minutes to hours; only the marks of their blocks are checked.) All links must have
a target.

A command is a line of a block that is marked "sh" (a line that ends with "\\" continues), an indented line that begins
with a program of this project, or a text in backquotes that begins with one of PROGRAMS. Placeholders (PID, FILE,
/path/to/…) are replaced. All commands run in one folder that contains app.jar, a.iprof and so on. Commands that take
too long or need the network are in NOT_RUN, with the reason. Files of the repository that a command names must exist.
"""

import itertools
import json
import os
import re
import shlex
import shutil
import sys
import time
import zipfile

from iprofdev.processes import PATIENCE_S

from harness.case import ROOT, AgentCase, Settings
from oracle import core_writer

REQUIRES = "jdk"

PROGRAMS = ("java", "jcmd", "iprof", "build/iprof", "kill", "ctest", "cmake")
NOT_RUN = {
    r"scripts/(demo|build|test|fuzz|proof|soak|chaos|package|test-package|release)\b.*": "builds everything, or is a test suite of its own",
    r"scripts/list-substitutions|scripts/install-deps --release": "needs the network",
    r"native-image .*": "needs an Oracle GraalVM",
    r"cmake --install build": "build.install does it in a folder of its own",
    r"iprof attach PID start=n.*": "tests.sessions runs it; it writes no profile by itself",
    r"iprof (start|stop|reset|dump|status|profile) .*": "tests.sessions runs them; they need a program under load, or a state",
    r"kill -9": "not to be typed: what it does is told",
    r"iprof convert --from parquet shop\.parquet .*": "cli_fleet runs it; a database writes its input",
    r"iprof .*\.iraw.*|iprof recover app\.iprof .*": "cli_raw runs them; a JVM that ends normally leaves no raw file",
}
EVENTS = ROOT / "writer" / "profile" / "io" / "event_part_fuzz_seeds" / "example.json"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
KINDS = ("sh", "text", "json", "sql")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")
INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")

# While it waits it works a little: HotSpot may have counted nothing but what --fresh lets it forget.
SOURCE = """
package com.acme;
public class Main extends Thread {
  static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
  public void run() {
    for (;; java.util.concurrent.locks.LockSupport.parkNanos(1_000_000)) fib(15);
  }
  public static void main(String[] args) throws Exception {
    System.out.println(fib(35));  // long enough for samples
    if (args.length == 0) return;
    System.out.println("ready");
    Main work = new Main();
    work.setDaemon(true);
    work.start();
    System.in.read();
  }
}
"""


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def experiments():
    return sorted((ROOT / "docs" / "lab").glob("*.md"))


def anchors(text):
    """The possible texts after '#' in a link: headings, in lower case and with dashes, and named anchors."""
    headings = re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.M)
    names = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return names | set(re.findall(r'<a id="([^"]+)">', text))


def logical_lines(block):
    joined = re.sub(r"\\\n\s*", "", block)
    return [line for line in (re.sub(r"\s+# .*", "", line).strip() for line in joined.splitlines()) if line]


def is_command(text):
    program = text.split(" ")[0]
    if program.startswith(("scripts/", "bench/")):
        return (ROOT / program).is_file()
    return program in PROGRAMS and " " in text and not text.startswith("java.")


def commands_of(document):
    text = document.read_text()
    commands = [line for kind, block in FENCE.findall(text) if kind == "sh" for line in logical_lines(block)]
    prose = FENCE.sub("", text)
    commands += [line.strip() for line in prose.splitlines() if line.startswith("    ") and is_command(line.strip())]
    inline = (" ".join(code.split()) for code in INLINE.findall(prose))
    return commands + [code for code in inline if is_command(code)]


class DocumentedCommands(AgentCase):
    def prepare(self):
        if Settings.tool is None or not Settings.tool.exists():
            self.skipTest("the iprof tool is not built")
        (self.folder / "build").mkdir()
        (self.folder / "profiles").mkdir()
        (self.folder / "src" / "main" / "java" / "com" / "acme").mkdir(parents=True)
        (self.folder / "src" / "main" / "java" / "com" / "acme" / "Main.java").write_text(SOURCE)
        for built in (Settings.agent, Settings.tool):
            (self.folder / "build" / built.name).symlink_to(built)
        source = self.folder / "Main.java"
        source.write_text(SOURCE)
        self.run_command([self.jvm.home / "bin" / "javac", "-d", self.folder, source])
        for jar in ("app.jar", "your-app.jar"):
            with zipfile.ZipFile(self.folder / jar, "w") as archive:
                archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: com.acme.Main\n")
                archive.write(self.folder / "com/acme/Main.class", "com/acme/Main.class")
        self.shell("java -agentpath:$PWD/build/libiprofagent.so=out=app.iprof,threads=y -jar app.jar")
        for name in ("a", "b", "full", "threads"):
            shutil.copy(self.folder / "app.iprof", self.folder / f"{name}.iprof")
        # What this program allocates and waits for is chance: the commands that show it have an example.
        events = json.loads((self.folder / "app.iprof").read_text(encoding="utf-8"))
        events["iprofagent"]["events"] = json.loads(EVENTS.read_text(encoding="utf-8"))
        (self.folder / "events.iprof").write_text(json.dumps(events), encoding="utf-8")
        shutil.copy(self.folder / "events.iprof", self.folder / "before.iprof")
        (self.folder / "runs.txt").write_text("a.iprof\n3,b.iprof\n")
        self.shell("java -XX:StartFlightRecording=settings=profile,filename=app.jfr -jar app.jar")
        program = self.start_java(["-jar", self.folder / "app.jar"], "wait", agent=None)
        core_writer.stop(program.pid)
        core_writer.write_core(program.pid, self.folder / "core.4711")
        program.kill()

    def shell(self, command, expect=0):
        path = f"{self.jvm.home / 'bin'}:{self.folder / 'build'}:{os.environ['PATH']}"
        return self.run_command(["bash", "-c", command], env={"PATH": path}, expect=expect)

    def filled_in(self, command):
        for placeholder, value in ((r"(/path/to|/opt)/libiprofagent\.so", str(Settings.agent)),
                                   (r"/path/to/jdk\b", str(self.jvm.home)),
                                   (r"/copied/lib/", f"{self.jvm.home}/lib/"), (r"/profiles/", f"{self.folder}/profiles/"), (r"\bFILE\b", "app.iprof"),
                                   (r"\bPATTERN\b", "'com.acme.*'"), (r"\bCOMMAND\b", "show")):
            command = re.sub(placeholder, value, command)
        if name := re.fullmatch(r"iprof (?!help)([a-z]+)( --[a-z-]+)?", command):  # its help must mention it
            command = f"iprof help {name[1]}"
        return command

    def run_one(self, command):
        filled = self.filled_in(command)
        if re.search(r"\bPID\b", filled):
            return self.run_beside_a_program(filled)
        assignment = re.match(r"(\w+)='.*'$", filled)
        if assignment:  # an environment variable with options for every JVM
            before = set(self.folder.rglob("*.iprof"))
            run = self.shell(f"{filled}; export {assignment[1]}; java -jar app.jar; java -cp . com.acme.Main")
            self.assertNotEqual(set(self.folder.rglob("*.iprof")), before, f"no profile was written by\n{run}")
            return None
        # The program here is too short for anything but doubts.
        self.shell(filled, expect=1 if filled.startswith("iprof advise ") else 0)
        for out in re.findall(r"-agentpath:\S*\bout=([^,\s]+)", filled):
            self.profile(out)
        return None

    def run_beside_a_program(self, command):
        """Runs the command with the process id of a program; the file that it requests must be written, unless it writes none."""
        writes_none = command.startswith(("iprof refresh ", "jcmd PID JFR.start "))
        wanted = re.search(r"(?:\bout=|^iprof harvest .*-o )([^\"',\s]+)", command)
        for old in self.folder.glob("default.iprof"):
            old.unlink()
        process = self.start_java(["-jar", self.folder / "app.jar"], "wait", agent=None if wanted or writes_none else "")
        run = self.shell(command.replace("PID", str(process.pid)))
        written = self.folder / (wanted[1] if wanted else "default.iprof")
        if not wanted and not writes_none:  # immediately, or soon
            deadline = time.monotonic() + PATIENCE_S
            while not written.exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            self.assertTrue(written.exists(), f"no {written.name} after\n{run}")
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.assertEqual(process.wait(PATIENCE_S), 0)
        if not writes_none:
            self.assertTrue(written.exists(), f"no {written.name} after\n{run}")
            self.profile(written.name)

    def test_each_command_works_as_it_is_written(self):
        self.prepare()
        ran, used = [], set()
        for document in documents():
            for command in commands_of(document):
                reason = next((pattern for pattern in NOT_RUN if re.fullmatch(pattern, command)), None)
                if reason:
                    used.add(reason)
                if reason or command in ran:
                    continue
                with self.subTest(document=document.name, command=command):
                    self.run_one(command)
                ran.append(command)
        print("\n".join(ran))
        self.assertEqual(set(NOT_RUN) - used, set(), "no command is left that these stand for")
        for expected in ("JVMTI.agent_load", "JVMTI.data_dump", "kill -QUIT", "iprof show", "iprof merge", "JAVA_TOOL_OPTIONS"):
            self.assertTrue([command for command in ran if expected in command], f"{expected} was not run: {ran}")

    def test_each_benchmark_and_its_options_exist(self):
        helps = {}
        for document in [*documents(), *experiments()]:
            for command in re.findall(r"\bbench/run [^`\n#]+", document.read_text()):
                words = shlex.split(command)
                named = tuple(itertools.takewhile(lambda word: re.fullmatch("[a-z-]+", word) and not word.startswith("-"), words[1:]))
                with self.subTest(document=document.name, command=command):
                    if named and named not in helps:
                        helps[named] = self.run_command([sys.executable, ROOT / "bench" / "run", *named, "--help"]).stdout
                    for option in re.findall(r"(?<= )--[a-z-]+", command):
                        self.assertIn(option, helps[named] if named else ["--list"])

    def test_each_block_says_whether_it_is_a_command(self):
        for document in [*documents(), *experiments()]:
            for kind, block in FENCE.findall(document.read_text()):
                self.assertIn(kind, KINDS, f"{document.name}: mark this block as sh, text or json:\n{block}")

    def test_each_link_leads_to_a_file_and_a_heading(self):
        for document in [*documents(), *experiments(), *sorted(ROOT.glob("*.md"))]:
            for target, anchor in LINK.findall(FENCE.sub("", document.read_text())):
                linked = (document.parent / target).resolve() if target else document
                with self.subTest(document=document.name, link=f"{target}{anchor}"):
                    self.assertTrue(linked.exists(), "no such file")
                    if anchor:
                        self.assertIn(anchor[1:], anchors(linked.read_text()))
