"""Checks whether a stack is possible: whether the bytecode at each frame's position calls the method of the frame
above it.

It needs no knowledge of the program, so it can judge the stacks of any program. If a frame was left out, taken twice,
or read from a stale part of the stack, the caller's instruction calls something else.
"""

import functools

from oracle import classfile

# Methods that the JVM itself calls, at any instruction that links, loads or initialises a class, or throws, without a
# call in the bytecode.
FROM_THE_VM = frozenset((
    "<clinit>", "loadClass", "loadClassInternal", "checkPackageAccess", "addClass", "linkMethod", "linkCallSite",
    "linkMethodHandleConstant", "linkDynamicConstant", "findMethodHandleType", "getSystemClassLoader", "find",
    "defineAnonymousClass", "generatePackageName", "getPlatformClassLoader"))
ACC_NATIVE = 0x100
LINKED_OWNERS = ("java.lang.invoke.MethodHandle", "java.lang.invoke.VarHandle")


def describe(method):
    """A method as profiles describe it: "a.B.run(int, java.lang.String)void"."""
    result, *parameters = classfile.signature(method.descriptor)
    return f"{method.owner}.{method.name}({', '.join(parameters)}){result}"


def _name_and_signature(description):
    """"a.B.run(int)void" -> ("run", "(int)void"), "a.B" apart."""
    owner_and_name, _, signature = description.partition("(")
    owner, _, name = owner_and_name.rpartition(".")
    return owner, name, "(" + signature


@functools.cache
def methods_of(data):
    """The methods in the bytes of a class file by their descriptions. Each class is read once, because tests compare many profiles with
    the same classes."""
    return {describe(method): method for method in classfile.read(data).methods}


class Callers:
    def __init__(self, class_bytes):
        """class_bytes: returns the bytes of a class file, given the name (as in Class.getName()), or None."""
        self._class_bytes = class_bytes
        self._methods = {}

    def _method(self, description):
        owner = _name_and_signature(description)[0]
        if owner not in self._methods:
            data = self._class_bytes(owner)
            self._methods[owner] = methods_of(data) if data else None
        methods = self._methods[owner]
        return None if methods is None else methods.get(description)

    def judge(self, inner, outer):
        """Judges two frames "method:bci": "called", "linked" (through frames that profiles leave out), "by the VM",
        "unknown" (no class file), or "wrong"."""
        inner = inner.rpartition(":")[0]
        outer, _, bci = outer.rpartition(":")
        caller = self._method(outer)
        if caller is None:
            return "unknown"
        if caller.access & ACC_NATIVE:
            return "by the VM"
        owner, name, signature = _name_and_signature(inner)
        if int(bci) in caller.dynamic_calls:
            return "linked"
        call = next((i for i in caller.invokes if i[0] == int(bci)), None)
        if call is not None:
            _, _, called_owner, called, descriptor = call
            if called_owner in LINKED_OWNERS:
                return "linked"
            result, *parameters = classfile.signature(descriptor)
            if called == name and f"({', '.join(parameters)}){result}" == signature:
                return "called"
        if name in FROM_THE_VM or (name == "<init>" and owner.endswith(("Error", "Exception"))):
            return "by the VM"
        return "wrong"

    def check(self, samples):
        """For a profile's samples: (the weight of stacks with a wrong pair, {verdict: weight of pairs}, {wrong
        pair: weight})."""
        untrue, verdicts, wrong = 0, {}, {}
        for context, weight in samples.items():
            found = [(self.judge(inner, outer), inner, outer) for inner, outer in zip(context, context[1:])]
            for verdict, inner, outer in found:
                verdicts[verdict] = verdicts.get(verdict, 0) + weight
                if verdict == "wrong":
                    wrong[f"{inner} called from {outer}"] = wrong.get(f"{inner} called from {outer}", 0) + weight
            untrue += weight * any(verdict == "wrong" for verdict, _, _ in found)
        return untrue, verdicts, wrong
