"""The packages that scripts/package makes: their targets, their names, and how an archive is written and read.

An archive depends only on the files in it, their names and permissions, and one time: entries are sorted, have no
owner, and all have that time.
"""

import dataclasses
import gzip
import hashlib
import os
import pathlib
import platform
import re
import tarfile

from iprofdev.places import ROOT
from iprofdev.processes import run

FOLDER = ROOT / "build-package"
CHECKSUMS = "SHA256SUMS"
OLDEST_GLIBC = "2.17"
# A processor that every run emulates alike.
PROCESSORS = {"aarch64": ("qemu-aarch64", "-cpu", "cortex-a72")}
LIBRARIES = {"aarch64": "/usr/aarch64-linux-gnu"}  # of glibc


@dataclasses.dataclass(frozen=True)
class Target:
    processor: str  # as uname -m says
    libc: str  # glibc or musl

    def __str__(self):
        return f"{self.processor}-linux-{self.libc}"

    @property
    def zig(self):
        """The target as zig names it."""
        return f"{self.processor}-linux-" + (f"gnu.{OLDEST_GLIBC}" if self.libc == "glibc" else "musl")

    @property
    def emulator(self):
        """The command that runs this target's programs: empty on the same processor. They see LIBRARIES as the folder "/" when they
        open it, so they write no file at an absolute path."""
        return () if self.processor == platform.machine() else (*PROCESSORS[self.processor], "-L", LIBRARIES[self.processor])

    @property
    def emulated_loader(self):
        """The same for a program that writes files, of glibc. It takes the loader for itself when it asks for its own path."""
        folder = f"{LIBRARIES[self.processor]}/lib"
        return (*PROCESSORS[self.processor], f"{folder}/ld-linux-{self.processor}.so.1", "--library-path", folder)


TARGETS = tuple(Target(processor, libc) for libc in ("glibc", "musl") for processor in ("x86_64", "aarch64"))


def version():
    return re.search(r"^project\(iprofagent VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def name(target):
    return f"iprofagent-{version()}-{target}"


def archive(target):
    return FOLDER / f"{name(target)}.tar.gz"


def source_time():
    """When the sources were last changed, in seconds since 1970: SOURCE_DATE_EPOCH, or the time of the commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or run(["git", "-C", ROOT, "log", "-1", "--format=%ct"]).stdout.strip() or 315532800)


def files_below(folder):
    return sorted(path for path in pathlib.Path(folder).rglob("*") if not path.is_dir())


def write_checksums(folder):
    """Writes a file that `sha256sum -c` reads, into the folder."""
    folder = pathlib.Path(folder)
    (folder / CHECKSUMS).unlink(missing_ok=True)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files_below(folder)]
    (folder / CHECKSUMS).write_text("".join(lines))


def write_archive(folder, path, time_s):
    """Packs a folder, under its own name."""
    folder = pathlib.Path(folder)
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=time_s) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for each in sorted([folder, *folder.rglob("*")]):
            item = tarfile.TarInfo(str(each.relative_to(folder.parent)))
            item.mtime = time_s
            item.mode = 0o755 if each.is_dir() or each.stat().st_mode & 0o100 else 0o644
            if each.is_dir():
                item.type = tarfile.DIRTYPE
                tar.addfile(item)
            else:
                item.size = each.stat().st_size
                with open(each, "rb") as contents:
                    tar.addfile(item, contents)
