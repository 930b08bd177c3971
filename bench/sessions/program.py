"""A Java program that answers lines of its input, and the commands of the tool for it."""

import json
import subprocess
import time


class Failed(Exception):
    """A program or a command failed; the message says how."""


class Program:
    """It prints "ready", then one line for each line that it reads."""

    def __init__(self, command, environment, folder, tool):
        self._tool, self._folder = tool, folder
        with open(folder / "stderr", "w", encoding="utf-8") as said:
            self._process = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
                                             text=True, env=environment, cwd=folder)
        self._expect("ready")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(120)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    @property
    def pid(self):
        return self._process.pid

    def _line(self):
        line = self._process.stdout.readline()
        if not line:
            raise Failed("the program ended:\n" + (self._folder / "stderr").read_text()[-2000:])
        return line.strip()

    def _expect(self, word):
        while self._line() != word:  # the JVM may print warnings before it
            pass

    def ask(self, line):
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._line()

    def command(self, verb, *arguments):
        """Runs a command of the tool; returns how long it took, in seconds."""
        start = time.monotonic()
        done = subprocess.run([str(self._tool), verb, str(self.pid), *map(str, arguments)], capture_output=True, text=True, check=False,
                              cwd=self._folder)
        if done.returncode:
            raise Failed(f"iprof {verb}: {done.stdout}{done.stderr}")
        return time.monotonic() - start

    def status(self):
        shown = subprocess.run([str(self._tool), "status", str(self.pid), "--format", "json"], capture_output=True, text=True, check=True)
        return json.loads(shown.stdout)["status"]
