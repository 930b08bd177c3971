"""The corpora of the rewriter's tests: jars of scripts/pins, and the modules of the JVMs.

scripts/pins says what each jar is for.
"""

import pathlib
import shutil
import tempfile
from typing import NamedTuple

from iprofdev import javabuild, jvms, maven, processes
from iprofdev.messages import Unavailable
from iprofdev.places import CACHE, locked_cache


class Selection(NamedTuple):
    """The parts of a corpus, before anything is fetched."""
    name: str  # name of the corpus, and of the jar's pin
    short: bool = True  # also in the short set, not only in the full one
    libraries: tuple = ()  # pins of the jars that it needs to verify
    modules: tuple = None  # (major version of a JVM, names of its modules or "all") instead of a jar


class Corpus(NamedTuple):
    name: str
    jars: list
    class_path: str  # of the libraries
    jvm: object  # the JVM that the modules come from, or None


ALL = (
    Selection("asm-test"),
    Selection("xalan"),
    Selection("velocity"),
    Selection("hsqldb-1"),
    Selection("clojure"),
    Selection("groovy"),
    Selection("jython-2.5", short=False),
    Selection("aspectj", short=False),
    Selection("groovy-1", short=False),
    Selection("scala-compiler", short=False, libraries=("scala-library", "scala-reflect")),
    Selection("scala-library", short=False),
    Selection("kotlin-compiler", short=False, libraries=("kotlin-stdlib",)),
    Selection("jdk17-base", short=False, modules=(17, "java.base")),
    Selection("jdk25-base", modules=(25, "java.base")),
    Selection("jdk17", short=False, modules=(17, "all")),
    Selection("jdk25", short=False, modules=(25, "all")),
)


def short():
    return [selection for selection in ALL if selection.short]


def full():
    """Every corpus, but no module twice."""
    whole = {selection.modules[0] for selection in ALL if selection.modules and selection.modules[1] == "all"}
    return [selection for selection in ALL
            if not selection.modules or selection.modules[1] == "all" or selection.modules[0] not in whole]


def fetch(selection):
    """The corpus, fetched or extracted if it is not in the cache yet; raises Unavailable."""
    libraries = maven.class_path(selection.libraries)
    if selection.modules is None:
        return Corpus(selection.name, [maven.jar(selection.name)], libraries, None)
    major, wanted = selection.modules
    jvm = jvms.of_major(major)
    if jvm is None:
        raise Unavailable(f"no Java {major} here")
    jars = [jar for jar in _modules(jvm) if wanted in ("all", jar.stem)]
    return Corpus(selection.name, jars, libraries, jvm)


def named(name):
    return fetch(next(selection for selection in ALL if selection.name == name))


def _modules(jvm):
    """The modules of a JVM as jars, extracted once, also by tests that begin at the same time."""
    folder = CACHE / "corpus" / f"{jvm.id}-{jvm.full_version}"
    harness = javabuild.classes("java-tests/rewriter/verify")
    with locked_cache():
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            staging = pathlib.Path(tempfile.mkdtemp(dir=folder.parent))
            done = processes.run([jvm.java, "-cp", harness, "verify.ExtractModules", staging])
            if done.returncode:
                shutil.rmtree(staging)
                raise Unavailable(f"cannot extract the modules of {jvm.home}: {processes.end_of(done.stderr)}")
            staging.rename(folder)
    return sorted(folder.glob("*.jar"))
