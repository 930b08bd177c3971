"""A Java program that answers lines of its input."""

import subprocess

from iprofdev import processes
from runner.running import Failed

END_S = 120


class Program:
    """Prints a line that begins with "ready", and then one line for each line that it reads; it ends with its input."""

    def __init__(self, command, folder):
        self._said = folder / "stderr"
        with open(self._said, "w", encoding="utf-8") as said:
            self._process = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True,
                                             env=processes.java_environment(), cwd=folder)
        self.pid = self._process.pid
        self.ready = ""
        while not self.ready.startswith("ready"):  # the JVM may print warnings before it
            self.ready = self._line()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def said(self):
        """Its lines of standard error."""
        return self._said.read_text(errors="replace").splitlines()

    def _line(self):
        line = self._process.stdout.readline()
        if not line:
            raise Failed("the program ended:\n" + "\n".join(self.said()[-40:]))
        return line.strip()

    def ask(self, line):
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._line()
