"""Builds by Maven, with a local repository in the cache: the user's own one is left alone.

A pom names the versions of its plugins itself. What the repository has needs no network.
"""

import contextlib
import fcntl
import re
import shutil

from iprofdev import processes
from iprofdev.messages import Unavailable
from iprofdev.places import CACHE, ROOT, offline

REPOSITORY = CACHE / "maven-repository"
# Maven itself ends before C2's code pays.
QUICK = {"MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"}


class BuildFailed(Exception):
    """The message is what Maven printed."""


@contextlib.contextmanager
def local_repository():
    """The cache's local repository, for this process alone: other builds wait, because Maven's repositories cannot be shared, and
    an artifact that is installed here is not replaced by another process. Gives a function like build()."""
    REPOSITORY.mkdir(parents=True, exist_ok=True)
    with open(REPOSITORY / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield _build


def build(folder, *arguments, env=None):
    """Runs Maven on the pom of a folder, with the cache's local repository. Needs a network only for what is not there yet.
    Returns what Maven printed. Raises Unavailable if something cannot be fetched, and BuildFailed."""
    with local_repository() as build_here:
        return build_here(folder, *arguments, env=env)


def install_plugins(build_here, folder, agent, tool, modules="core,maven"):
    """Within local_repository(): installs iprof-agent with these products, and plugins of runtime/plugins. Tests of Maven's and Gradle's
    builds get them from there. What Maven builds goes below the folder."""
    build_here(ROOT / "runtime/maven", f"-Diprof.build={folder}/agent", f"-Diprof.library={agent}", f"-Diprof.tool={tool}", "install")
    build_here(ROOT / "runtime/plugins", "-pl", modules, "-am", f"-Diprof.build={folder}/plugins", "install")


def _build(folder, *arguments, env=None, once=False):
    """once: not without a network first; for a build that starts a server, and would leave it behind when it fails."""
    if shutil.which("mvn") is None:
        raise Unavailable("mvn is missing: run scripts/install-deps.")
    command = ["mvn", "-B", "-ntp", f"-Dmaven.repo.local={REPOSITORY}", *arguments]
    environment = processes.java_environment({**QUICK, **(env or {})})
    without_network = offline() or not once
    done = processes.run([*command, *(["-o"] if without_network else [])], cwd=folder, env=environment)
    if done.returncode and "offline mode" in done.stdout and without_network and not offline():
        done = processes.run(command, cwd=folder, env=environment)
    if done.returncode == 0:
        return done.stdout
    printed = processes.end_of(done.stdout + done.stderr, 60)
    if re.search(r"offline mode|Could not transfer|Non-resolvable|could not be resolved", done.stdout):
        raise Unavailable(f"Maven cannot fetch what {folder} needs: is there a network?\n{printed}")
    raise BuildFailed(printed)
