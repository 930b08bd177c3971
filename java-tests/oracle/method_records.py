"""HotSpot's MethodData record by record, as -XX:+PrintMethodData prints it and as harvest_records reads it.

Both are {(class, name, descriptor): Method}; class names are HotSpot's symbols, so hidden classes have theirs. A method
that is there twice, because two loaders have its class, is left out. A record is (kind, numbers), or (kind, unlisted,
{class: count}) for receivers and type checks; numbers are those of 32 bits, which HotSpot prints.
"""

import dataclasses
import re

OTHER = {"BitData", "RetData", "ArgInfoData", "SpeculativeTrapData"}  # they hold no counts that are harvested
KINDS = {"BranchData": "branch", "MultiBranchData": "switch", "CounterData": "count", "CallTypeData": "count", "JumpData": "jump",
         "VirtualCallData": "call", "VirtualCallTypeData": "call", "ReceiverTypeData": "check"}

_HEADER = re.compile(r"^(?:(?:static|final|synchronized|native|abstract) )*(\S+)::(\S+?)(\(\S*\)\S+)$")
_RECORD = re.compile(r"^\s*\d+\s*bci: (\d+)\s*([A-Z]\w*?Data)\s*(.*)")
_NUMBER = re.compile(r"\b(?:taken|count|default_count|not taken)\((\d+)\)")
_ROW = re.compile(r"^ +(?:'([^']+)'|\{type array (\w+)\})((?:\[\])*)\((\d+) [^)]*\)")
_PRIMITIVES = {"bool": "Z", "char": "C", "float": "F", "double": "D", "byte": "B", "short": "S", "int": "I", "long": "J"}
_CALLS = re.compile(r"^  invocation_counter: +(\d+)")


@dataclasses.dataclass
class Method:
    calls: int = 0
    records: dict = dataclasses.field(default_factory=dict)  # by bci
    code: bytes = b""  # that of harvest_records only


class _Methods:
    def __init__(self):
        self.all, self._twice = {}, set()

    def start(self, key):
        if key in self.all or key in self._twice:
            self._twice.add(key)
            self.all.pop(key, None)
            return Method()
        return self.all.setdefault(key, Method())


def _symbol(external):
    """a.b.C or a.b.C/0x0123 -> a/b/C or a/b/C+0x0123"""
    return re.sub(r"/(0x[0-9a-f]+)$", r"+\1", external).replace(".", "/") if "/0x" in external else external.replace(".", "/")


def _add(rows, name, n):
    """Threads that race can make two rows of one class."""
    rows[name] = rows.get(name, 0) + n


def _class_of(row):
    """'a/b/C'[] -> [La/b/C;"""
    if row[2]:
        return "[" * (1 + len(row[3]) // 2) + _PRIMITIVES[row[2]]
    return "[" * (len(row[3]) // 2) + f"L{row[1]};" if row[3] else row[1]


def printed(lines):
    """What -XX:+PrintMethodData printed."""
    methods, method, record = _Methods(), None, None
    for line in lines:
        header = _HEADER.match(line)
        if header:
            method, record = methods.start((_symbol(header[1]), header[2], header[3])), None
            continue
        if method is None:
            continue
        calls = _CALLS.match(line)
        if calls:
            method.calls = int(calls[1])
        found = _RECORD.match(line)
        if found:
            kind = KINDS.get(found[2])
            record = None
            if kind in ("call", "check"):
                record = (kind, int(_NUMBER.search(found[3])[1]), {})
            elif kind:
                record = (kind, [int(_NUMBER.search(found[3])[1])])
            elif found[2] not in OTHER:
                raise ValueError(f"a record of an unknown kind: {line}")
            if record:
                method.records[int(found[1])] = record
        elif record and line.startswith(" " * 20):
            row = _ROW.match(line)
            if row and len(record) == 3 and int(row[4]):
                _add(record[2], _class_of(row), int(row[4]))
            elif not row and len(record) == 2 and _NUMBER.search(line):
                record[1].append(int(_NUMBER.search(line)[1]))
        else:
            record = None
    for method in methods.all.values():
        for kind, *values in method.records.values():
            if kind == "switch":  # HotSpot prints the default first
                values[0].append(values[0].pop(0))
    return methods.all


def harvested(lines):
    """What harvest_records printed."""
    methods, method = _Methods(), None
    for line in lines:
        kind, *words = line.split()
        if kind == "method":
            method = methods.start(tuple(words[:3]))
            method.calls = int(words[3])
            method.code = bytes.fromhex(words[4])
        elif kind == "unknown":
            raise ValueError(f"the reader did not understand a method: {line}")
        elif kind in ("call", "check"):
            record = (kind, int(words[1]) % 2**32, {})
            for word in words[2:]:
                name, _, n = word.rpartition("=")
                _add(record[2], name, int(n))
            method.records[int(words[0])] = record
        elif kind != "other":
            method.records[int(words[0])] = (kind, [int(word) % 2**32 for word in words[1:]])
    return methods.all
