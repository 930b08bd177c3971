"""The hash of each method's code, as a profile's part "code" has it, computed from the class file by a second implementation."""

import re
import struct

from oracle import classfile, stable_names

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
BITS = 36
LDC = 0x12
# ldc, ldc_w, ldc2_w; fields, calls; new, anewarray, checkcast, instanceof, multianewarray
NAMES_CONSTANT = {*range(0x12, 0x15), *range(0xb2, 0xbc), 0xbd, 0xc0, 0xc1, 0xc5}
UTF8, CLASS, STRING, METHOD_HANDLE, METHOD_TYPE, NAME_AND_TYPE = 1, 7, 8, 15, 16, 12
DYNAMIC = (17, 18)
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}


class _Pool:
    """The constants of a class file, as bytes: texts stay in Java's modified UTF-8."""

    def __init__(self, data):
        self.constants = {}
        at, index, count = 10, 1, struct.unpack_from(">H", data, 8)[0]
        while index < count:
            tag = data[at]
            if tag == UTF8:
                size = 2 + struct.unpack_from(">H", data, at + 1)[0]
                content = data[at + 3:at + 1 + size]
            else:
                size = SIZES[tag]
                content = data[at + 1:at + 1 + size]
            self.constants[index] = (tag, content)
            at += 1 + size
            index += 2 if tag in (5, 6) else 1
        self.own = self.class_name(struct.unpack_from(">H", data, at + 2)[0])

    def numbers(self, index):
        return struct.unpack(">" + "H" * (len(self.constants[index][1]) // 2), self.constants[index][1])

    def text(self, index):
        return self.constants[index][1]

    def class_name(self, index):
        return self.text(self.numbers(index)[0])

    def renamed(self, name):
        return b"" if name == self.own else name

    def member(self, index):
        """(tag, owner, name, descriptor)"""
        tag = self.constants[index][0]
        first, name_and_type = self.numbers(index)
        name, descriptor = (self.text(i) for i in self.numbers(name_and_type))
        return tag, b"" if tag in DYNAMIC else self.renamed(self.class_name(first)), name, descriptor

    def described(self, index):
        tag, content = self.constants[index]
        owner = name = descriptor = b""
        value = 0
        if tag in (3, 4, 5, 6):
            value = int.from_bytes(content, "big")
        elif tag == CLASS:
            name = self.renamed(self.class_name(index))
        elif tag in (STRING, METHOD_TYPE):
            name = self.text(self.numbers(index)[0])
        elif tag == METHOD_HANDLE:
            value = content[0]
            tag, owner, name, descriptor = self.member(struct.unpack(">H", content[1:])[0])
        else:
            tag, owner, name, descriptor = self.member(index)
        texts = b"".join(struct.pack(">H", len(text)) + text for text in (owner, name, descriptor))
        return bytes([tag]) + texts + struct.pack(">Q", value)


def _symbolic(code, pool):
    changed, described = bytearray(code), []
    for bci, opcode, _ in classfile.instructions(code):
        if opcode not in NAMES_CONSTANT:
            continue
        width = 1 if opcode == LDC else 2
        index = int.from_bytes(code[bci + 1:bci + 1 + width], "big")
        changed[bci + 1:bci + 1 + width] = bytes(width)
        described.append(pool.described(index))
    return bytes(changed) + b"".join(described)


def digits(hash_of_128_bits):
    """The first bits of a hash in hexadecimal, as a profile writes them."""
    number = int(hash_of_128_bits[:BITS // 4], 16) or 1
    return "".join(DIGITS[number >> shift & 63] for shift in range(BITS - 6, -1, -6))


def of_class_file(data):
    """{method's name in a profile: hash}"""
    pool, hashes = _Pool(data), {}
    for method in classfile.read(data).methods:
        if method.bytecode:
            result, *parameters = classfile.signature(method.descriptor)
            hashes[f"{method.owner}.{method.name}({', '.join(parameters)}){result}"] = digits(
                stable_names.murmur3(_symbolic(method.bytecode, pool)))
    return hashes


def of_profile(profile):
    """The same of a profile's recorded methods; without those whose hash is not known."""
    recorded = set()
    for table in ("callCountProfiles", "conditionalProfiles", "virtualInvokeProfiles", "instanceOfProfiles"):
        recorded |= {int(entry["ctx"].split(":")[0]) for entry in profile.document.get(table, [])}
    hashes, names = re.findall("-|[^-]{6}", profile.section["code"]["hashes"]), profile.method_names
    if len(hashes) != len(recorded):
        raise ValueError(f"{len(hashes)} hashes for {len(recorded)} recorded methods")
    return {names[method]: text for method, text in zip(sorted(recorded), hashes) if text != "-"}
