"""Compiles a folder of Java sources once, into the cache; the key is a hash of the inputs."""

import hashlib
import os
import pathlib
import shutil
import tempfile

from iprofdev import jvms, processes
from iprofdev.messages import fail
from iprofdev.places import CACHE, ROOT


def classes(folder, class_path="", jdk=None, release=17, options=()):
    """The folder with the classes of all sources in `folder` (relative to the repository)."""
    jdk = jdk or jvms.build_jdk()
    sources = sorted((ROOT / folder).rglob("*.java"))
    key = hashlib.sha256()
    for part in (jdk.full_version, str(release), class_path, *options):
        key.update(str(part).encode() + b"\0")
    for source in sources:
        key.update(str(source.relative_to(ROOT)).encode() + b"\0" + source.read_bytes())
    target = CACHE / "java" / f"{pathlib.Path(folder).name}-{key.hexdigest()[:16]}"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    staging = pathlib.Path(tempfile.mkdtemp(dir=target.parent))
    command = [jdk.javac, "-g", "-Xlint:all", "-Xlint:-options", *options, "-d", staging]
    if release:  # not together with --patch-module
        command += ["--release", release]
    if class_path:
        command += ["-cp", class_path]
    done = processes.run(command + sources)
    if done.returncode or done.stderr.strip():
        shutil.rmtree(staging)
        fail(f"javac failed on {folder}:\n{processes.end_of(done.stdout + done.stderr, 60)}")
    try:
        os.replace(staging, target)
    except OSError:  # another process was faster
        shutil.rmtree(staging)
    return target
