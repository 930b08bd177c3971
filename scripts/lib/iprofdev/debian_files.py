"""The files of Debian's packages, also of other releases and processors, unpacked in the cache: nothing is installed.

apt checks Debian's signatures, so scripts/pins names only the release, the processor and the packages.
"""

import os
import pathlib
import tempfile

from iprofdev import apt, pins, processes
from iprofdev.messages import Unavailable, note
from iprofdev.places import CACHE, locked_cache

# Releases from 13 on have these as links.
LINKS = ("bin", "lib", "lib64", "sbin")
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


def unpacked(name):
    """The folder with the files of the packages. Raises Unavailable."""
    pin = pins.pin(name)
    folder = CACHE / "debian" / pin.what.replace("/", "-")
    with locked_cache():
        if not folder.exists():
            try:
                _fetch(pin, folder)
            except Unavailable as reason:
                raise apt.unavailable(name, folder, reason) from reason
    return folder


def _fetch(pin, folder):
    suite, processor, names = pin.what.split("/")
    mirror = apt.mirror(apt.machine_lists())
    if mirror is None:
        raise Unavailable("this machine's lists of packages do not name Debian's.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetch.") as staging:
        staging = pathlib.Path(staging)
        options = {"APT::Architecture": processor, "APT::Architectures": processor, "Dir::State::status": "/dev/null", **apt.FEW_INDEXES}
        fetching = apt.Apt(staging / "apt", {"debian.list": f"deb [signed-by={KEYS}] {mirror} {suite} main\n"}, options)
        note(f"fetching packages of Debian {suite} for {processor}")
        fetching.run("download", *names.split(","))
        files = staging / "files"
        for package in sorted(fetching.downloaded.glob("*.deb")):
            done = processes.run(["dpkg-deb", "-x", package, files])
            if done.returncode:
                raise Unavailable(f"{package.name} cannot be unpacked: {processes.end_of(done.stderr, 3)}")
        for link in LINKS:
            if (files / "usr" / link).exists() and not (files / link).exists():
                (files / link).symlink_to(f"usr/{link}")
        os.replace(files, folder)
