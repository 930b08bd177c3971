"""What a library or program says of itself: its symbols, what it needs, its segments. readelf reads the files of every
processor."""

import dataclasses
import functools
import re
import subprocess


@dataclasses.dataclass(frozen=True)
class Symbol:
    name: str
    version: str  # such as "GLIBC_2.17"; "" if it has none
    is_defined: bool
    is_weak: bool


class Elf:
    def __init__(self, path):
        self.path = path

    def _readelf(self, *options):
        return subprocess.run(["readelf", "-W", *options, self.path], check=True, capture_output=True, text=True).stdout

    @functools.cached_property
    def symbols(self):
        """The dynamic ones."""
        row = re.compile(r"^ *\d+: +[0-9a-f]+ +\S+ +\S+ +(\S+) +\S+ +(\S+) +([^\s@]+)(?:@@?(\S+))?", re.M)
        return [Symbol(name, version or "", index != "UND", bind == "WEAK")
                for bind, index, name, version in row.findall(self._readelf("--dyn-syms"))]

    def has_symbol(self, name):
        """Also one that is not dynamic, unless the file is stripped."""
        return re.search(rf"\s{re.escape(name)}$", self._readelf("--symbols"), re.M) is not None

    @property
    def exports(self):
        return {symbol.name for symbol in self.symbols if symbol.is_defined}

    def imports_of(self, library):
        """version -> names: what is imported of a library whose versions are named LIBRARY_1.2.3; versions are tuples."""
        found = {}
        for symbol in self.symbols:
            if not symbol.is_defined and (version := re.fullmatch(library + r"_([0-9.]+)", symbol.version)):
                found.setdefault(tuple(map(int, version[1].split("."))), []).append(symbol.name)
        return found

    @functools.cached_property
    def dynamic(self):
        return self._readelf("-d")

    @property
    def needed(self):
        return set(re.findall(r"\(NEEDED\).*\[(.*)\]", self.dynamic))

    @functools.cached_property
    def segments(self):
        return self._readelf("-l")

    @property
    def machine(self):
        return re.search(r"Machine: +(.*)", self._readelf("-h"))[1]

    def uses_static_tls(self):
        """Whether its thread-locals need room that a loader may not have for a library that is loaded late."""
        return "STATIC_TLS" in self.dynamic or re.search(r"_TPOFF|_TLS_TPREL", self._readelf("-r")) is not None
