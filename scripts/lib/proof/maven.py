"""Jars from Maven Central, as scripts/maven-get brings them."""

import pathlib

from . import ground

ASM = ["org.ow2.asm:asm:9.9.1"]
ASM_UTIL = ["org.ow2.asm:asm:9.9.1", "org.ow2.asm:asm-tree:9.9.1", "org.ow2.asm:asm-analysis:9.9.1",
            "org.ow2.asm:asm-util:9.9.1"]


def jars(coordinates):
    """The paths of these group:artifact:version jars, from the cache where they are there."""
    coordinates = list(coordinates)
    if not coordinates:
        return []
    done = ground.run([ground.ROOT / "scripts" / "maven-get", *coordinates])
    if done.returncode:
        raise ground.Unavailable(ground.end_of(done.stderr, 3))
    return [pathlib.Path(line) for line in done.stdout.splitlines()]


def class_path(coordinates):
    return ":".join(str(jar) for jar in jars(coordinates))
