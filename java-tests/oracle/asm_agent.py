"""Builds the oracles that are Java agents (asm/CountingOracle.java, asm/ContextOracle.java) and what is compared with the agent
(asm/EntryConstants.java) with a given JDK, and returns the options that run them."""

import pathlib
import shutil
import subprocess

from iprofdev import maven

SOURCES = pathlib.Path(__file__).resolve().parent / "asm"


class AsmAgent:
    def __init__(self, jvm, folder, name="CountingOracle"):
        """Raises Unavailable without ASM; the JVM must be a full JDK."""
        self.folder = pathlib.Path(folder)
        asm = maven.jar("asm")
        self.hits = self.folder / "hits.jar"
        self.jar = self.folder / "oracle.jar"
        javac, jar = jvm.tool("javac"), jvm.tool("jar")
        for part in ("hits", "agent"):
            (self.folder / part).mkdir(parents=True)
        shutil.copy(asm, self.folder / "asm.jar")
        (self.folder / "manifest").write_text(
            f"Premain-Class: oracle.{name}\nClass-Path: asm.jar\nCan-Retransform-Classes: true\n")
        for command in (
                [javac, "-d", self.folder / "hits", *sorted((SOURCES / "hits").glob("*.java"))],
                [jar, "cf", self.hits, "-C", self.folder / "hits", "."],
                [javac, "-d", self.folder / "agent", "-cp", f"{self.folder / 'hits'}:{asm}",
                 SOURCES / f"{name}.java"],
                [jar, "cfm", self.jar, self.folder / "manifest", "-C", self.folder / "agent", "."]):
            done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"the oracle does not build: {done.stderr}")

    def options(self, output, *more):
        """JVM options: `more` are internal names' prefixes for the counting oracle, what its head says for that of contexts."""
        return [f"-javaagent:{self.jar}={';'.join([str(output), str(self.hits), *map(str, more)])}"]
