"""Jars from Maven Central, through scripts/maven-get, which keeps them in the cache."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

ASM = "org.ow2.asm:asm:9.9"
JACOCO_AGENT = "org.jacoco:org.jacoco.agent:0.8.14:runtime"


class Missing(Exception):
    """Not in the cache, and the network is forbidden or does not answer."""


def fetch(coordinates):
    done = subprocess.run([ROOT / "scripts" / "maven-get", coordinates], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(done.stderr.strip() or f"cannot fetch {coordinates}")
    return pathlib.Path(done.stdout.split("\n")[0])
