"""Sources of other projects, from Debian's source packages: fetched by apt, checked against scripts/pins, unpacked in
the cache. apt's lists are those of this machine's packages, read as those of source packages."""

import os
import pathlib
import re
import tarfile
import tempfile

from iprofdev import apt, pins
from iprofdev.messages import Unavailable, note
from iprofdev.places import CACHE, locked_cache


def unpacked(name):
    """The folder of the sources, which is the only one in the archive. Raises Unavailable if they cannot be fetched, and
    WrongBytes."""
    pin = pins.pin(name)
    folder = CACHE / "sources" / pin.what
    with locked_cache():
        if not folder.exists():
            try:
                _fetch(pin, folder)
            except Unavailable as reason:
                raise apt.unavailable(pin.what, folder, reason) from reason
    (top,) = folder.iterdir()
    return top


def as_sources(text):
    """The text of a list of apt (of either form), for source packages."""
    return re.sub(r"^deb(?=\s)", "deb-src", re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.M), flags=re.M)


def _fetch(pin, folder):
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetch.") as staging:
        staging = pathlib.Path(staging)
        fetching = apt.Apt(staging / "apt", {name: as_sources(text) for name, text in apt.machine_lists().items()})
        note(f"fetching the sources {pin.what}")
        fetching.run("source", "--download-only", pin.what.partition("_")[0])
        archive = fetching.downloaded / pin.what
        if not archive.exists():
            raise Unavailable(f"Debian's sources are not {pin.what} but {', '.join(p.name for p in archive.parent.iterdir())}: change "
                              "scripts/pins.")
        with tarfile.open(pins.verified(archive, pin)) as opened:
            opened.extractall(staging / "files")
        os.replace(staging / "files", folder)
