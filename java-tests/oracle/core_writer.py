"""Writes a core file of a stopped process as the Linux kernel does: memory of its own, the first page of mapped files, and
the list of mapped files. Pages that a file has unchanged are left out. Zero pages become holes of the file."""

import os
import pathlib
import platform
import signal
import struct
import time

from iprofdev.processes import PATIENCE_S

PAGE = 4096
MACHINES = {"x86_64": 62, "aarch64": 183}
PT_LOAD, PT_NOTE, NT_FILE, ET_CORE = 1, 4, 0x46494C45, 4
EHDR, PHDR = struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQQQ")


class Mapping:
    def __init__(self, line):
        self.range, self.access, offset, _, _, *path = line.split(None, 5)
        self.start, self.end = (int(part, 16) for part in self.range.split("-"))
        self.offset = int(offset, 16)
        self.path = path[0].rstrip("\n") if path else ""
        self.is_file = self.path.startswith("/")
        self.own_kb = 0  # what the process has changed of it

    def dumped(self):
        """How many of its first bytes are in a core."""
        if "r" not in self.access or self.path in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
            return 0
        if not self.is_file or self.own_kb > 0:
            return self.end - self.start
        return PAGE if self.offset == 0 else 0


def mappings_of(pid):
    mappings = []
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if "-" in line.split(" ", 1)[0]:
            mappings.append(Mapping(line))
        elif line.startswith("Anonymous:"):
            mappings[-1].own_kb = int(line.split()[1])
    return mappings


def file_note(mappings):
    files = [m for m in mappings if m.is_file]
    content = struct.pack("<QQ", len(files), PAGE)
    content += b"".join(struct.pack("<QQQ", m.start, m.end, m.offset // PAGE) for m in files)
    content += b"".join(m.path.encode() + b"\0" for m in files)
    padding = bytes(-len(content) % 4)
    return struct.pack("<III", 5, len(content), NT_FILE) + b"CORE\0\0\0\0" + content + padding


def resident_ranges(pid, mapping):
    """The parts of an anonymous mapping that have been touched: the rest is zero."""
    count = (mapping.end - mapping.start) // PAGE
    with open(f"/proc/{pid}/pagemap", "rb") as pagemap:
        pagemap.seek(mapping.start // PAGE * 8)
        entries = pagemap.read(count * 8)
    for i in range(len(entries) // 8):
        if entries[8 * i + 7] & 0xC0:  # present or swapped
            yield mapping.start + i * PAGE


def stop(pid):
    """Returns when every thread has stopped."""
    os.kill(pid, signal.SIGSTOP)
    deadline = time.monotonic() + PATIENCE_S
    states = set()
    while states != {"T"}:
        if time.monotonic() > deadline:
            raise TimeoutError(f"process {pid} does not stop: {states}")
        states = {task.read_text().rpartition(") ")[2][0] for task in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")}


def write_core(pid, path):
    """The process must be stopped."""
    mappings = mappings_of(pid)
    note = file_note(mappings)
    loads = [(m, m.dumped()) for m in mappings]
    headers = EHDR.size + PHDR.size * (len(loads) + 1)
    offset = -(-(headers + len(note)) // PAGE) * PAGE
    with open(path, "wb") as core, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        ident = b"\x7fELF\x02\x01\x01" + bytes(9)
        core.write(EHDR.pack(ident, ET_CORE, MACHINES[platform.machine()], 1, 0, EHDR.size, 0, 0, EHDR.size, PHDR.size,
                             len(loads) + 1, 0, 0, 0))
        core.write(PHDR.pack(PT_NOTE, 0, headers, 0, 0, len(note), 0, 0))
        starts = []
        for mapping, size in loads:
            core.write(PHDR.pack(PT_LOAD, 0, offset, mapping.start, 0, size, mapping.end - mapping.start, PAGE))
            starts.append(offset)
            offset += size
        core.write(note)
        for (mapping, size), start in zip(loads, starts):
            pages = range(mapping.start, mapping.start + size, PAGE) if mapping.is_file else resident_ranges(pid, mapping)
            for page in pages if size else ():
                memory.seek(page)
                core.seek(start + page - mapping.start)
                core.write(memory.read(PAGE))
        core.truncate(offset)
