"""Everything that tests, benchmarks and scripts fetch, from scripts/pins: one version and one hash for each name."""

import dataclasses
import functools
import hashlib
import pathlib
import re

from iprofdev.messages import WrongBytes
from iprofdev.places import ROOT

FILE = ROOT / "scripts" / "pins"
WITH_AT = ("npm", "go")  # registries whose names end in @VERSION


@dataclasses.dataclass(frozen=True)
class Pin:
    name: str
    registry: str  # maven, maven-plugin, pypi, npm, go, debian or debian-files
    # GROUP:ARTIFACT:VERSION[:CLASSIFIER], PROJECT==VERSION, PROJECT==VERSION@PLATFORM, PACKAGE@VERSION, MODULE@VERSION, the file
    # name of a source package's original sources, or RELEASE/PROCESSOR/PACKAGE,…
    what: str
    # None for PyPI without a platform, because it gives each platform another file; for Maven's plugins, which it fetches
    # itself; and for Debian's packages, which apt checks
    sha256: str

    @property
    def version(self):
        if self.registry in WITH_AT:
            return self.what.rpartition("@")[2]
        return re.split("==|@", self.what)[1] if self.registry == "pypi" else self.what.split(":")[2]


def parse(text):
    """name -> Pin; raises ValueError with the number of a line that is not a pin."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        registry, colon, what = words[1].partition(":") if len(words) == 3 else ("", "", "")
        parts = {"maven": (3, 4), "maven-plugin": (3,), "pypi": (1,), "npm": (1,), "go": (1,), "debian": (1,),
                 "debian-files": (1,)}.get(registry, ())
        named = "@" in what if registry in WITH_AT else what.count("/") == 2 if registry == "debian-files" else True
        has_hash = registry in ("maven", "debian") or "@" in what
        if not colon or not named or len(what.split(":")) not in parts or has_hash != (words[2] != "-"):
            raise ValueError(f"line {number} is not a pin: {line}")
        if words[0] in found:
            raise ValueError(f"line {number} pins {words[0]} again")
        found[words[0]] = Pin(words[0], registry, what, None if words[2] == "-" else words[2])
    versions = {}
    for pin in found.values():
        if versions.setdefault(pin.what, pin) is not pin:
            raise ValueError(f"{pin.what} is pinned as {versions[pin.what].name} and as {pin.name}")
    return found


@functools.lru_cache(maxsize=None)
def all_pins():
    return parse(FILE.read_text())


def pin(name):
    """KeyError for a name that is not in scripts/pins, which is a bug."""
    return all_pins()[name]


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def verified(path, pin):
    """The path, if its bytes are the pinned ones."""
    found = sha256(path)
    if found != pin.sha256:
        raise WrongBytes(f"{pin.what} is not what scripts/pins says: {path} has SHA-256 {found}, not {pin.sha256}")
    return pathlib.Path(path)
