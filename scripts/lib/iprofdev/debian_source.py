"""Sources of other projects, from Debian's source packages: fetched by apt, checked against scripts/pins, unpacked in
the cache.

apt gets a configuration of its own: the sources of this machine's packages, read as those of source packages, and
lists in a folder of ours. So this changes nothing on the machine, and needs no root.
"""

import os
import pathlib
import re
import shutil
import tarfile
import tempfile

from iprofdev import pins, processes
from iprofdev.messages import Unavailable, note
from iprofdev.places import CACHE, locked_cache, offline

APT = pathlib.Path("/etc/apt")


def unpacked(name):
    """The folder of the sources, which is the only one in the archive. Raises Unavailable if they cannot be fetched, and
    WrongBytes."""
    pin = pins.pin(name)
    folder = CACHE / "sources" / pin.what
    with locked_cache():
        if not folder.exists():
            _fetch(pin, folder)
    (top,) = folder.iterdir()
    return top


def as_sources(text):
    """The text of a list of apt (of either form), for source packages."""
    return re.sub(r"^deb(?=\s)", "deb-src", re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.M), flags=re.M)


def _lists(folder):
    """Writes the machine's lists for source packages."""
    folder.mkdir(parents=True)
    for path in (APT / "sources.list", *(APT / "sources.list.d").glob("*.sources"), *(APT / "sources.list.d").glob("*.list")):
        if path.exists():
            (folder / f"{path.stem}-source{'.list' if path.suffix == '.list' else '.sources'}").write_text(as_sources(path.read_text()))


def _fetch(pin, folder):
    if offline():
        raise Unavailable(f"{pin.what} is not in {CACHE} and IPROF_OFFLINE is set.")
    if shutil.which("apt-get") is None:
        raise Unavailable(f"{pin.what} is fetched by apt-get, which is not here: unpack it as {folder}.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    note(f"fetching the sources {pin.what}")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetch.") as staging:
        staging = pathlib.Path(staging)
        _lists(staging / "sources")
        for made in ("lists/partial", "cache/archives/partial", "downloaded"):
            (staging / made).mkdir(parents=True)
        apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in {
            "Dir::Etc::SourceList": "/dev/null", "Dir::Etc::SourceParts": staging / "sources", "Dir::State::Lists": staging / "lists",
            "Dir::Cache": staging / "cache", "APT::Sandbox::User": "root", "APT::Get::List-Cleanup": "0"}.items())]
        for command in ([*apt, "update"], [*apt, "source", "--download-only", pin.what.partition("_")[0]]):
            done = processes.run(command, cwd=staging / "downloaded")
            if done.returncode:
                raise Unavailable(f"cannot fetch {pin.what} with apt: is there a network? {processes.end_of(done.stderr, 3)}".strip())
        archive = staging / "downloaded" / pin.what
        if not archive.exists():
            raise Unavailable(f"Debian's sources are not {pin.what} but {', '.join(p.name for p in archive.parent.iterdir())}: change "
                              "scripts/pins.")
        with tarfile.open(pins.verified(archive, pin)) as opened:
            opened.extractall(staging / "files")
        os.replace(staging / "files", folder)
