"""The GraalVM that builds the images: whether it can take profiles, and the commands to it."""

import dataclasses
import os
import pathlib
import re

from iprofdev import processes

NEEDED = "this benchmark needs an Oracle GraalVM, because only its native-image takes profiles (--pgo)"
OF_ORACLE = re.compile(r"Oracle GraalVM|GraalVM Enterprise|GraalVM .*\bEE\b")


class Unusable(Exception):
    """Not a GraalVM that takes profiles; the message is one sentence, which says why and what is needed."""


@dataclasses.dataclass(frozen=True)
class GraalVm:
    home: pathlib.Path
    version: str  # what native-image --version prints
    help: str = ""  # what --help prints

    @property
    def name(self):
        """Example: "Oracle GraalVM 25.0.1+8.1", of the line "Substrate VM Oracle GraalVM 25.0.1+8.1 (build 25.0.1+8-LTS, serial gc)"."""
        found = re.search(r"^Substrate VM ([^(]*)", self.version, re.M)
        return found[1].strip() if found else self.version.splitlines()[0]

    @property
    def takes_profiles(self):
        """By its name, or, for other editions, because the help lists the option."""
        return bool(OF_ORACLE.search(self.version) or re.search(r"^\s*--pgo\b", self.help, re.M))

    @property
    def major(self):
        """The version of its Java, as in "native-image 25.0.1 2025-10-21"; None if it says none."""
        found = re.search(r"^native-image (\d+)|Java Version (\d+)", self.version, re.M)
        return int(found[1] or found[2]) if found else None

    @property
    def java(self):
        return self.home / "bin" / "java"

    def build(self, main, class_path, image, options):
        """The command that builds an image."""
        whole = ["--no-fallback"] if "--no-fallback" in self.help else []  # no image that needs a JVM; later GraalVMs make none
        return [self.home / "bin" / "native-image", *whole, *options, "-cp", ":".join(map(str, class_path)), "-o", image, main]

    def environment(self):
        made = processes.java_environment({"JAVA_HOME": str(self.home)})
        made.pop("NATIVE_IMAGE_OPTIONS", None)  # kept images are not known by them
        return made


def find(home):
    """The GraalVM in a folder. Raises Unusable."""
    if not home:
        raise Unusable(f"{NEEDED}: name its folder with --graalvm HOME")
    home = pathlib.Path(home)
    if not home.is_dir():
        raise Unusable(f"{NEEDED}, and there is no folder {home}")
    builder = home / "bin" / "native-image"
    if not os.access(builder, os.X_OK) or not os.access(home / "bin" / "java", os.X_OK):
        raise Unusable(f"{NEEDED}, and {home} is none, because it lacks bin/native-image or bin/java")
    done = processes.run([builder, "--version"], env=processes.java_environment())
    if done.returncode or not done.stdout.strip():
        said = (processes.end_of(done.stdout + done.stderr, 1) or "nothing").rstrip(".")
        raise Unusable(f"{NEEDED}, and {builder} --version failed and printed: {said}")
    found = GraalVm(home.resolve(), done.stdout.strip(), "\n".join(
        processes.run([builder, option], env=processes.java_environment()).stdout for option in ("--help", "--help-extra")))
    if not found.takes_profiles:
        raise Unusable(f"{NEEDED}, and {home} is {found.name}, which has no --pgo")
    return found
