"""apt with lists of its own, in a folder: it changes nothing on the machine, and needs no root."""

import pathlib
import re
import shutil

from iprofdev import processes
from iprofdev.messages import Unavailable
from iprofdev.places import CACHE, offline

SETTINGS = pathlib.Path("/etc/apt")
# Only the indexes of packages.
FEW_INDEXES = {"Acquire::Languages": "none", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false"}


def machine_lists():
    """file name -> text of the machine's lists, of either form."""
    paths = (SETTINGS / "sources.list", *(SETTINGS / "sources.list.d").glob("*.sources"), *(SETTINGS / "sources.list.d").glob("*.list"))
    return {path.name: path.read_text() for path in paths if path.exists()}


def mirror(lists):
    """The address of Debian's packages in such lists, or None."""
    for text in lists.values():
        if found := re.search(r"^(?:deb\s+(?:\[.*\]\s+)?|URIs:\s*)(\S+/debian)/?(?=\s|$)", text, re.M):
            return found[1]
    return None


class Apt:
    def __init__(self, folder, lists, options=None):
        """folder: an empty one. lists: file name -> text. options: settings of apt."""
        if shutil.which("apt-get") is None:
            raise Unavailable("there is no apt-get.")
        if offline():
            raise Unavailable("IPROF_OFFLINE is set.")
        for made in ("sources", "lists/partial", "cache/archives/partial", "downloaded"):
            (folder / made).mkdir(parents=True)
        for name, text in lists.items():
            (folder / "sources" / name).write_text(text)
        self.downloaded = folder / "downloaded"  # where its commands run
        settings = {"Dir::Etc::SourceList": "/dev/null", "Dir::Etc::SourceParts": folder / "sources", "Dir::State::Lists": folder / "lists",
                    "Dir::Cache": folder / "cache", "APT::Sandbox::User": "root", "APT::Get::List-Cleanup": "0", **(options or {})}
        self.command = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in settings.items())]
        self.run("update")

    def run(self, *words):
        done = processes.run([*self.command, *words], cwd=self.downloaded)
        if done.returncode:
            raise Unavailable(f"apt-get {' '.join(words)} failed: is there a network? {processes.end_of(done.stderr, 3)}".strip())


def unavailable(what, folder, reason):
    return Unavailable(f"{what} is not in {CACHE} and cannot be fetched: {reason} To do without, unpack it as {folder}.")
