"""A small class-file reader: methods, branch instructions, line numbers, exception tables. Raises DamagedClass."""

import dataclasses
import struct


class DamagedClass(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Branch:
    """A conditional jump or a switch in a class file."""
    bci: int
    opcode: int
    targets: tuple  # for an if: (target, next instruction); for a switch: one for each key, the default last
    keys: tuple = ()

    @property
    def is_switch(self):
        return self.opcode in (0xaa, 0xab)


@dataclasses.dataclass(frozen=True)
class Method:
    owner: str  # as Class.getName() returns it
    name: str
    descriptor: str
    access: int
    branches: tuple
    lines: tuple  # (start bci, line), ascending by bci
    handlers: tuple  # (start, end, handler)
    code_length: int
    invokes: tuple  # (bci, opcode, owner, name, descriptor)
    type_checks: tuple = ()  # bci of each instanceof and checkcast
    dynamic_calls: tuple = ()  # bci of each invokedynamic
    has_one_target: bool = False  # it is private or final, or its class is final
    bytecode: bytes = b""
    max_locals: int = 0

    def line_at(self, bci):
        found = None
        for start, line in self.lines:
            if start > bci:
                break
            found = line
        return found

    def branch_at(self, bci):
        return next((branch for branch in self.branches if branch.bci == bci), None)


@dataclasses.dataclass(frozen=True)
class ClassFile:
    name: str
    major: int
    source_file: str
    methods: tuple


# Length of each instruction by opcode; that of the three with variable length is computed.
_LENGTHS = bytearray(256)
for _first, _last, _length in (
        (0x00, 0x0f, 1), (0x10, 0x10, 2), (0x11, 0x11, 3), (0x12, 0x12, 2), (0x13, 0x14, 3), (0x15, 0x19, 2),
        (0x1a, 0x35, 1), (0x36, 0x3a, 2), (0x3b, 0x83, 1), (0x84, 0x84, 3), (0x85, 0x98, 1), (0x99, 0xa8, 3),
        (0xa9, 0xa9, 2), (0xac, 0xb1, 1), (0xb2, 0xb8, 3), (0xb9, 0xba, 5), (0xbb, 0xbb, 3), (0xbc, 0xbc, 2),
        (0xbd, 0xbd, 3), (0xbe, 0xbf, 1), (0xc0, 0xc1, 3), (0xc2, 0xc3, 1), (0xc5, 0xc5, 4), (0xc6, 0xc7, 3),
        (0xc8, 0xc9, 5)):
    _LENGTHS[_first:_last + 1] = bytes([_length]) * (_last - _first + 1)


def _s4(code, at):
    return struct.unpack_from(">i", code, at)[0]


def _u2(code, at):
    return struct.unpack_from(">H", code, at)[0]


def instructions(code):
    """(bci, opcode, length) of every instruction of a Code attribute's bytes."""
    bci = 0
    while bci < len(code):
        opcode = code[bci]
        length = _LENGTHS[opcode]
        if opcode == 0xaa:
            at = (bci + 4) & ~3
            length = at + 12 + 4 * (_s4(code, at + 8) - _s4(code, at + 4) + 1) - bci
        elif opcode == 0xab:
            at = (bci + 4) & ~3
            length = at + 8 + 8 * _s4(code, at + 4) - bci
        elif opcode == 0xc4:
            length = 6 if code[bci + 1] == 0x84 else 4
        if length <= 0 or bci + length > len(code):
            raise DamagedClass(f"opcode {opcode:#x} at bci {bci} does not fit {len(code)} bytes of code")
        yield bci, opcode, length
        bci += length


def _branch(code, bci, opcode, length):
    if 0x99 <= opcode <= 0xa6 or opcode in (0xc6, 0xc7):
        offset = struct.unpack_from(">h", code, bci + 1)[0]
        return Branch(bci, opcode, (bci + offset, bci + length))
    if opcode not in (0xaa, 0xab):
        return None
    at = (bci + 4) & ~3
    default = bci + _s4(code, at)
    if opcode == 0xaa:
        low, high = _s4(code, at + 4), _s4(code, at + 8)
        keys = tuple(range(low, high + 1))
        targets = tuple(bci + _s4(code, at + 12 + 4 * i) for i in range(len(keys)))
    else:
        pairs = range(_s4(code, at + 4))
        keys = tuple(_s4(code, at + 8 + 8 * i) for i in pairs)
        targets = tuple(bci + _s4(code, at + 12 + 8 * i) for i in pairs)
    return Branch(bci, opcode, targets + (default,), keys)


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        try:
            values = struct.unpack_from(">" + form, self.data, self.at)
        except struct.error as error:
            raise DamagedClass(f"ends early: {error}") from None
        self.at += struct.calcsize(">" + form)
        return values if len(values) > 1 else values[0]

    def bytes(self, n):
        if self.at + n > len(self.data):
            raise DamagedClass("ends early")
        self.at += n
        return self.data[self.at - n:self.at]


def _utf8(raw):
    """Decodes Java's modified UTF-8; lone surrogates are kept."""
    return raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode(
        "utf-16", "surrogatepass")


def _constants(reader):
    count = reader.take("H")
    pool = [None] * count
    index = 1
    while index < count:
        tag = reader.take("B")
        if tag == 1:
            pool[index] = _utf8(reader.bytes(reader.take("H")))
        elif tag in (7, 8, 16, 19, 20):
            pool[index] = (reader.take("H"),)
        elif tag in (9, 10, 11, 12, 17, 18):
            pool[index] = reader.take("HH")
        elif tag == 15:
            pool[index] = reader.take("BH")
        elif tag in (3, 4):
            reader.bytes(4)
        elif tag in (5, 6):
            reader.bytes(8)
            index += 1
        else:
            raise DamagedClass(f"constant {index} has tag {tag}")
        index += 1
    return pool


def _invoked(pool, code, bci, opcode):
    owner, name_and_type = pool[_u2(code, bci + 1)]
    name, descriptor = pool[name_and_type]
    return bci, opcode, pool[pool[owner][0]].replace("/", "."), pool[name], pool[descriptor]


def _code(pool, body):
    reader = _Reader(body)
    reader.take("HH")
    code = reader.bytes(reader.take("I"))
    handlers = tuple(reader.take("HHHH")[:3] for _ in range(reader.take("H")))
    lines = []
    for _ in range(reader.take("H")):
        attribute, length = reader.take("HI")
        content = _Reader(reader.bytes(length))
        if pool[attribute] == "LineNumberTable":
            lines += [content.take("HH") for _ in range(content.take("H"))]
    branches, invokes, checks, dynamic = [], [], [], []
    for bci, opcode, length in instructions(code):
        branch = _branch(code, bci, opcode, length) if opcode >= 0x99 else None
        if branch:
            branches.append(branch)
        elif 0xb6 <= opcode <= 0xb9:
            invokes.append(_invoked(pool, code, bci, opcode))
        elif opcode in (0xc0, 0xc1):
            checks.append(bci)
        elif opcode == 0xba:
            dynamic.append(bci)
    return tuple(branches), tuple(sorted(lines)), handlers, len(code), tuple(invokes), tuple(checks), tuple(dynamic), code


def read(data):
    """Reads the bytes of a class file."""
    reader = _Reader(data)
    magic, _, major = reader.take("IHH")
    if magic != 0xcafebabe:
        raise DamagedClass("no class file")
    pool = _constants(reader)
    class_access, this_class, _ = reader.take("HHH")
    name = pool[pool[this_class][0]].replace("/", ".")
    reader.bytes(2 * reader.take("H"))
    for _ in range(reader.take("H")):  # fields
        reader.take("HHH")
        for _ in range(reader.take("H")):
            reader.take("H")
            reader.bytes(reader.take("I"))
    methods = []
    for _ in range(reader.take("H")):
        access, method_name, descriptor = reader.take("HHH")
        *facts, bytecode = (), (), (), 0, (), (), (), b""
        max_locals = 0
        for _ in range(reader.take("H")):
            attribute = pool[reader.take("H")]
            body = reader.bytes(reader.take("I"))
            if attribute == "Code":
                *facts, bytecode = _code(pool, body)
                max_locals = _u2(body, 2)
        methods.append(Method(name, pool[method_name], pool[descriptor], access, *facts,
                              bool(access & 0x0012 or class_access & 0x0010), bytecode, max_locals))
    source = None
    for _ in range(reader.take("H")):
        attribute = pool[reader.take("H")]
        body = reader.bytes(reader.take("I"))
        if attribute == "SourceFile":
            source = pool[_u2(body, 0)]
    return ClassFile(name, major, source, tuple(methods))


def type_name(descriptor):
    """The name that Class.getName() returns for a field descriptor: "I" -> "int", "[I" -> "[I", "La/B;" -> "a.B"."""
    primitive = {"Z": "boolean", "B": "byte", "S": "short", "C": "char", "I": "int", "F": "float", "J": "long",
                 "D": "double", "V": "void"}
    if descriptor in primitive:
        return primitive[descriptor]
    return descriptor.replace("/", ".") if descriptor[0] == "[" else descriptor[1:-1].replace("/", ".")


def descriptor_of(name):
    """The other way round: "int" -> "I", "a.B" -> "La/B;"."""
    primitive = {"boolean": "Z", "byte": "B", "short": "S", "char": "C", "int": "I", "float": "F", "long": "J", "double": "D", "void": "V"}
    internal = name.replace(".", "/")
    return primitive.get(name) or (internal if name[0] == "[" else f"L{internal};")


def signature(descriptor):
    """Method descriptor -> (return type, parameter types ...), with names as in Class.getName()."""
    at, parameters = 1, []
    while descriptor[at] != ")":
        end = at
        while descriptor[end] == "[":
            end += 1
        end = descriptor.index(";", end) + 1 if descriptor[end] == "L" else end + 1
        parameters.append(type_name(descriptor[at:end]))
        at = end
    return (type_name(descriptor[at + 1:]), *parameters)
