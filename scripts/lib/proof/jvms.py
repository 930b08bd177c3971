"""The JVMs that tests run on, as scripts/jvms names them."""

import functools
import pathlib
import re
from typing import NamedTuple

from . import ground


class Jvm(NamedTuple):
    id: str
    home: pathlib.Path
    kind: str  # jdk or jre
    major: int

    @property
    def java(self):
        return self.home / "bin" / "java"

    @property
    def javac(self):
        return self.home / "bin" / "javac"

    @property
    def full_version(self):
        release = (self.home / "release").read_text()
        return re.search(r'^JAVA_VERSION="(.*)"', release, re.M).group(1)


@functools.cache
def all_jvms():
    done = ground.run([ground.ROOT / "scripts" / "jvms"])
    if done.returncode:
        raise ground.Unavailable(ground.end_of(done.stderr))
    found = []
    for line in done.stdout.splitlines():
        identifier, home, kind = line.split(" ")
        major = int(re.search(r"\d+", identifier).group())
        found.append(Jvm(identifier, pathlib.Path(home), kind, major))
    return found


def of_major(major):
    """The fullest JVM of that version, or None."""
    same = [jvm for jvm in all_jvms() if jvm.major == major]
    same.sort(key=lambda jvm: jvm.kind != "jdk")
    return same[0] if same else None


def build_jdk():
    """The JDK 17 that compiles the Java tests."""
    return of_major(17)
