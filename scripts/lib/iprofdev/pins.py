"""Everything that tests, benchmarks and scripts fetch, from scripts/pins: one version and one hash for each name."""

import dataclasses
import functools

from iprofdev.places import ROOT

FILE = ROOT / "scripts" / "pins"
WITH_AT = ("npm", "go")  # registries whose names end in @VERSION


@dataclasses.dataclass(frozen=True)
class Pin:
    name: str
    registry: str  # maven, maven-plugin, pypi, npm or go
    what: str  # GROUP:ARTIFACT:VERSION[:CLASSIFIER], PROJECT==VERSION, PACKAGE@VERSION or MODULE@VERSION
    # Of a jar, a package's tarball or a module's zip, else None: PyPI gives each platform another file, and Maven
    # fetches its plugins itself.
    sha256: str

    @property
    def version(self):
        if self.registry in WITH_AT:
            return self.what.rpartition("@")[2]
        return self.what.split("==")[1] if self.registry == "pypi" else self.what.split(":")[2]


def parse(text):
    """name -> Pin; raises ValueError with the number of a line that is not a pin."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        registry, colon, what = words[1].partition(":") if len(words) == 3 else ("", "", "")
        parts = {"maven": (3, 4), "maven-plugin": (3,), "pypi": (1,), "npm": (1,), "go": (1,)}.get(registry, ())
        has_hash = registry in ("maven", *WITH_AT)
        named = "@" in what if registry in WITH_AT else True
        if not colon or not named or len(what.split(":")) not in parts or has_hash == (words[2] == "-"):
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
