"""What HotSpot's MethodData of a method must look like, from the method's class file alone: which instructions have a record,
and of which kind. And whether bytecode read from a JVM is that of the class file."""

import pathlib
import struct

from oracle import classfile

AASTORE, CHECKS = 0x53, (0xc0, 0xc1)
GOTOS = (0xa7, 0xa8, 0xc8, 0xc9)  # and jsr
VIRTUAL, OTHER_CALLS = (0xb6, 0xb9), (0xb7, 0xb8, 0xba)
LDC, LDC_W = 0x12, 0x13
WITH_LOCAL = (*range(0x15, 0x1a), *range(0x36, 0x3b))  # loads and stores that name it


class ClassFiles:
    """The methods of class files in folders, by (class, name, descriptor) with HotSpot's symbols; read on demand."""

    def __init__(self, *folders):
        self.folders, self.classes = [pathlib.Path(folder) for folder in folders], {}

    def has_class(self, owner):
        return self._class(owner) is not None

    def find(self, key):
        return (self._class(key[0]) or {}).get(key)

    def _class(self, owner):
        if owner not in self.classes:
            paths = [path for folder in self.folders if (path := folder / f"{owner}.class").exists()]
            self.classes[owner] = {(owner, m.name, m.descriptor): m
                                   for m in classfile.read(paths[0].read_bytes()).methods} if paths else None
        return self.classes[owner]


def expected_records(code):
    """{bci: (kind, numbers)}: kinds as method_records has them; numbers: how many counts, for branches and switches."""
    expected = {}
    for bci, opcode, length in classfile.instructions(code):
        if 0x99 <= opcode <= 0xa6 or opcode in (0xc6, 0xc7):
            expected[bci] = ("branch", 2)
        elif opcode in (0xaa, 0xab):
            operands = (bci + 4) & ~3
            entries = (bci + length - operands - (12 if opcode == 0xaa else 8)) // (4 if opcode == 0xaa else 8)
            expected[bci] = ("switch", entries + 1)
        elif opcode in GOTOS:
            expected[bci] = ("jump", None)
        elif opcode in VIRTUAL:
            expected[bci] = ("call", None)
        elif opcode in OTHER_CALLS:
            expected[bci] = ("count", None)
        elif opcode in CHECKS or opcode == AASTORE:
            expected[bci] = ("check", None)
    return expected


def code_differences(mine, theirs, max_locals):
    """Where bytecode that was read from a JVM differs from that of the class file. The constant of an ldc may be unknown: then it
    is 0. And a collection splits a local that holds a reference at one time and a number at another: then one of them is in a
    local beyond those of the class file."""
    if len(mine) != len(theirs):
        return [f"{len(mine)} bytes instead of {len(theirs)}"]
    found = []
    for bci, opcode, length in classfile.instructions(theirs):
        part, wanted = mine[bci:bci + length], theirs[bci:bci + length]
        unknown = opcode in (LDC, LDC_W) and part == struct.pack(f"B{length - 1}x", opcode)
        split = opcode in WITH_LOCAL and part[0] == opcode and part[1] >= max_locals
        if part != wanted and not unknown and not split:
            found.append(f"at {bci}: {part.hex()} instead of {wanted.hex()}")
    return found
