"""Checks whether each position of a profile is on an instruction of its method, and of the right kind, by the class files."""

import collections

from oracle import classfile
from oracle.callers import ACC_NATIVE, methods_of

CALLS = range(0xb6, 0xbb)
CHECKS = (0x53, 0xc0, 0xc1)  # aastore, checkcast, instanceof


class Placed:
    """`class_bytes` returns the bytes of a class file, given the name (as in Class.getName()), or None."""

    def __init__(self, class_bytes):
        self._class_bytes, self._classes, self._opcodes = class_bytes, {}, {}

    def _method(self, description):
        owner = description.partition("(")[0].rpartition(".")[0]
        if owner not in self._classes:
            data = self._class_bytes(owner)
            self._classes[owner] = methods_of(data) if data else None
        methods = self._classes[owner]
        if methods is None:
            return None
        return methods.get(description, "lacking")

    def judge(self, frame, is_caller):
        """Of a frame "method:bci": "right", "native", "unknown" (no class file), or what is wrong."""
        description, _, bci = frame.rpartition(":")
        method = self._method(description)
        if method is None:
            return "unknown"
        if method == "lacking":
            return "no such method"
        if method.access & ACC_NATIVE:
            return "native" if int(bci) == 0 else "a position in a native method"
        if description not in self._opcodes:
            self._opcodes[description] = {at: opcode for at, opcode, _ in classfile.instructions(method.bytecode)}
        opcode = self._opcodes[description].get(int(bci))
        if opcode is None:
            return "beyond the end" if int(bci) >= method.code_length else "between instructions"
        return "no call" if is_caller and opcode not in CALLS else "right"

    def check(self, samples):
        """For a profile's samples: ({verdict: frames}, {"frame: verdict": frames that are wrong})."""
        verdicts, wrong = collections.Counter(), collections.Counter()
        for context, weight in samples.items():
            for depth, frame in enumerate(context):
                verdict = self.judge(frame, depth > 0)
                verdicts[verdict] += weight
                if verdict not in ("right", "native", "unknown"):
                    wrong[f"{frame}: {verdict}"] += weight
        return verdicts, wrong
