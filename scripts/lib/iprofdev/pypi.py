"""Python packages of scripts/pins that tests import, unpacked in the cache, without what they depend on."""

import os
import pathlib
import shutil
import sys
import tempfile

from iprofdev import pins, processes, wheels
from iprofdev.messages import Unavailable, note
from iprofdev.places import CACHE, locked_cache, offline


def importable(*names):
    """Makes these packages importable in this process, and returns their folders. Raises Unavailable if one cannot be fetched."""
    folders = [_folder(pins.pin(name)) for name in names]
    sys.path += [str(folder) for folder in folders if str(folder) not in sys.path]
    return folders


def _folder(pin):
    # A wheel is for one version of Python.
    folder = CACHE / "pypi" / f"{pin.what.replace('==', '-')}-{sys.implementation.cache_tag}"
    with locked_cache():
        if not folder.exists():
            _fetch(pin, folder)
    return folder


def _fetch(pin, folder):
    if offline():
        raise Unavailable(f"{pin.what} is not in {CACHE} and IPROF_OFFLINE is set.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    note(f"fetching {pin.what}")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetch.") as staging:
        target = pathlib.Path(staging) / "installed"
        done = processes.run([wheels.python_with_pip(), "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--prefer-binary",
                              "--target", target, pin.what])
        if done.returncode:
            raise Unavailable(f"cannot fetch {pin.what} with pip: is there a network? {processes.end_of(done.stderr, 3)}".strip())
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(target, folder)
