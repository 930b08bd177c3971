"""Jars from Maven Central, fetched by Maven (with the user's own settings) and kept in the cache.

Only jars in scripts/pins are used, and only if their SHA-256 is the one given there. One run of Maven fetches all
missing jars; those in the cache need no network.
"""

import os
import pathlib
import shutil
import tempfile

from iprofdev import pins, processes
from iprofdev.messages import Unavailable
from iprofdev.places import CACHE, locked_cache, offline

PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin"


def jars(names):
    """The paths of the jars of these pins, in order. Raises Unavailable if one cannot be fetched, and
    WrongBytes."""
    wanted = [pins.pin(name) for name in names]
    if not wanted:
        return []
    with locked_cache():
        missing = [pin.what for pin in wanted if not place(pin.what).exists()]
        if missing:
            _fetch(missing)
    return [pins.verified(place(pin.what), pin) for pin in wanted]


def jar(name):
    return jars([name])[0]


def class_path(names):
    return ":".join(str(path) for path in jars(names))


def fetch_unpinned(coordinates):
    """For a new pin: the path of a jar whose hash is not in scripts/pins yet."""
    with locked_cache():
        if not place(coordinates).exists():
            _fetch([coordinates])
    return place(coordinates)


def place(coordinates):
    """The path of a jar in the cache: maven/GROUP/ARTIFACT-VERSION[-CLASSIFIER].jar."""
    group, *rest = coordinates.split(":")
    return CACHE / "maven" / group / f"{'-'.join(rest)}.jar"


def _item(coordinates):
    group, artifact, version, *classifier = coordinates.split(":")
    extra = f"<classifier>{classifier[0]}</classifier>" if classifier else ""
    return (f"<artifactItem><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
            f"<type>jar</type>{extra}<outputDirectory>${{basedir}}/{group}</outputDirectory></artifactItem>")


def _fetch(missing):
    if offline():
        raise Unavailable(f"{' '.join(missing)} is not in {CACHE} and IPROF_OFFLINE is set.")
    if shutil.which("mvn") is None:
        raise Unavailable("mvn is missing: run scripts/install-deps.")
    version = pins.pin("maven-dependency-plugin").version
    (CACHE / "maven").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE / "maven", prefix="fetch.") as staging:
        staging = pathlib.Path(staging)
        (staging / "pom.xml").write_text(
            "<project><modelVersion>4.0.0</modelVersion><groupId>iprof</groupId><artifactId>fetch</artifactId><version>1</version>"
            "<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>"
            f"<version>{version}</version><configuration><useBaseVersion>true</useBaseVersion>"
            f"<artifactItems>{''.join(map(_item, missing))}</artifactItems></configuration></plugin></plugins></build></project>\n")
        done = processes.run(["mvn", "-B", "-q", "-f", "pom.xml", f"{PLUGIN}:{version}:copy"], cwd=staging)
        for coordinates in missing:
            target = place(coordinates)
            fetched = staging / target.relative_to(CACHE / "maven")
            if not fetched.exists():
                said = next((line for line in (done.stdout + done.stderr).splitlines() if "[ERROR]" in line), "")
                raise Unavailable(f"cannot fetch {coordinates} with Maven: is there a network, and is the name right? {said}".strip())
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(fetched, target)
