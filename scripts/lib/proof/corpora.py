"""The corpora of scripts/corpus.pins, as jars."""

import pathlib
import tempfile
from typing import NamedTuple

from . import ground, javabuild, jvms, maven


class Pin(NamedTuple):
    name: str
    set: str  # ci or full
    what: str
    libraries: list

    @property
    def modules(self):
        """(major version, modules wanted) of a corpus that a JVM holds, or None."""
        if not self.what.startswith("jvm:"):
            return None
        _, major, wanted = self.what.split(":")
        return int(major), wanted


class Corpus(NamedTuple):
    name: str
    jars: list
    class_path: str  # of the libraries
    jvm: object  # the JVM whose modules the jars are, or None


def pins():
    found = []
    for line in (ground.ROOT / "scripts" / "corpus.pins").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, which, what, libraries = line.split()
            found.append(Pin(name, which, what, [] if libraries == "-" else libraries.split(",")))
    return found


def fetch(pin):
    """The corpus, fetched or extracted where it is not in the cache yet; raises Unavailable."""
    libraries = maven.class_path(pin.libraries)
    if pin.modules is None:
        return Corpus(pin.name, maven.jars([pin.what]), libraries, None)
    major, wanted = pin.modules
    jvm = jvms.of_major(major)
    if jvm is None:
        raise ground.Unavailable(f"no Java {major} here")
    jars = [jar for jar in _modules(jvm) if wanted == "all" or jar.stem in wanted.split(",")]
    return Corpus(pin.name, jars, libraries, jvm)


def named(name):
    return fetch(next(pin for pin in pins() if pin.name == name))


def _modules(jvm):
    """The modules of a JVM as jars, extracted once."""
    folder = ground.CACHE / "corpus" / f"{jvm.id}-{jvm.full_version}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        harness = javabuild.classes("java-tests/rewriter/verify")
        staging = pathlib.Path(tempfile.mkdtemp(dir=folder.parent))
        done = ground.run([jvm.java, "-cp", harness, "verify.ExtractModules", staging])
        if done.returncode:
            raise ground.Unavailable(f"cannot extract the modules of {jvm.home}: {ground.end_of(done.stderr)}")
        staging.rename(folder)
    return sorted(folder.glob("*.jar"))
