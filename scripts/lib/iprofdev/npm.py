"""Files of npm packages, fetched by npm (with the user's own settings) and kept in the cache.

Only packages in scripts/pins are used, and only if the SHA-256 of their tarball is the one given there. Nothing of a
package is run.
"""

import pathlib
import shutil
import tarfile
import tempfile

from iprofdev import pins, processes
from iprofdev.messages import Unavailable
from iprofdev.places import CACHE, locked_cache, offline


def tarball(name):
    """The path of a pinned package's tarball. Raises Unavailable if it cannot be fetched, and WrongBytes."""
    pin = pins.pin(name)
    place = CACHE / "npm" / f"{name}-{pin.version}.tgz"
    with locked_cache():
        if not place.exists():
            _fetch(pin.what, place)
    return pins.verified(place, pin)


def file_of(name, member):
    """The bytes of one file of a pinned package."""
    with tarfile.open(tarball(name)) as package:
        return package.extractfile(f"package/{member}").read()


def _fetch(what, place):
    if offline():
        raise Unavailable(f"{what} is not in {CACHE} and IPROF_OFFLINE is set.")
    if shutil.which("npm") is None:
        raise Unavailable(f"there is no npm, which fetches {what}.")
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        done = processes.run(["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, what],
                             cwd=folder)
        packed = list(pathlib.Path(folder).glob("*.tgz"))
        if done.returncode != 0 or len(packed) != 1:
            raise Unavailable(f"npm cannot fetch {what}: {(done.stdout + done.stderr)[-500:]}")
        packed[0].rename(place)
