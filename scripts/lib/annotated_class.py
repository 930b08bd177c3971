"""Reads the annotations of a class file, of the class and of its methods, with their values.

It reads only what scripts/list-substitutions needs: no code, no other attributes. A damaged file raises DamagedClass.
"""

import dataclasses
import struct


class DamagedClass(Exception):
    pass


@dataclasses.dataclass
class Method:
    name: str
    descriptor: str
    annotations: dict


@dataclasses.dataclass
class AnnotatedClass:
    """annotations: descriptor of the annotation -> {element: value}. A class constant is its descriptor, an enum constant
    its name, a nested annotation (descriptor, elements); arrays are lists."""
    name: str  # with slashes
    annotations: dict
    methods: list


def read(data):
    try:
        return _Reader(data).read()
    except (struct.error, IndexError, KeyError, TypeError) as damage:
        raise DamagedClass(str(damage)) from damage


class _Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0
        self.pool = []

    def read(self):
        if self._u4() != 0xCAFEBABE:
            raise DamagedClass("no class file")
        self.at += 4
        self._read_pool()
        self.at += 2  # access
        name = self.pool[self.pool[self._u2()]]
        self.at += 2  # super class
        interfaces = self._u2()
        self.at += 2 * interfaces
        for _ in range(self._u2()):  # fields
            self.at += 6
            self._attributes()
        methods = []
        for _ in range(self._u2()):
            self.at += 2
            method_name, descriptor = self.pool[self._u2()], self.pool[self._u2()]
            methods.append(Method(method_name, descriptor, self._attributes()))
        return AnnotatedClass(name, self._attributes(), methods)

    def _u1(self):
        self.at += 1
        return self.data[self.at - 1]

    def _u2(self):
        self.at += 2
        return struct.unpack_from(">H", self.data, self.at - 2)[0]

    def _u4(self):
        self.at += 4
        return struct.unpack_from(">I", self.data, self.at - 4)[0]

    def _read_pool(self):
        count = self._u2()
        self.pool = [None] * count
        index = 1
        while index < count:
            tag = self._u1()
            if tag == 1:
                length = self._u2()
                self.pool[index] = self.data[self.at:self.at + length].decode("utf-8", "replace")
                self.at += length
            elif tag in (5, 6):
                self.at += 8
                index += 1
            elif tag in (7, 8, 16, 19, 20):
                self.pool[index] = self._u2()
            elif tag == 3:
                self.pool[index] = self._u4()
            else:
                self.at += 3 if tag == 15 else 4
            index += 1

    def _attributes(self):
        annotations = {}
        for _ in range(self._u2()):
            name, length = self.pool[self._u2()], self._u4()
            end = self.at + length
            if name in ("RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"):
                annotations.update(self._annotation() for _ in range(self._u2()))
            self.at = end
        return annotations

    def _annotation(self):
        kind = self.pool[self._u2()]
        return kind, {self.pool[self._u2()]: self._value() for _ in range(self._u2())}

    def _value(self):
        tag = chr(self._u1())
        if tag == "e":
            self.at += 2
            return self.pool[self._u2()]
        if tag == "@":
            return self._annotation()
        if tag == "[":
            return [self._value() for _ in range(self._u2())]
        return self.pool[self._u2()]
