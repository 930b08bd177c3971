"""The JVMs that tests run on, as scripts/jvms prints them: "id home kind" a line."""

import dataclasses
import pathlib
import re


@dataclasses.dataclass(frozen=True)
class Jvm:
    id: str
    home: pathlib.Path
    kind: str  # "jdk" (has a compiler) or "jre"

    @property
    def java(self):
        return self.home / "bin" / "java"

    @property
    def major(self):
        release = (self.home / "release").read_text()
        return int(re.search(r'^JAVA_VERSION="(\d+)', release, re.M).group(1))

    def tool(self, name):
        """A program of this JVM's bin folder, or None: runtimes lack many."""
        path = self.home / "bin" / name
        return path if path.exists() else None


def read_matrix(path):
    """id -> Jvm from a file with scripts/jvms's lines."""
    jvms = {}
    for line in pathlib.Path(path).read_text().splitlines():
        jvm_id, home, kind = line.split(" ")
        jvms[jvm_id] = Jvm(jvm_id, pathlib.Path(home), kind)
    return jvms
