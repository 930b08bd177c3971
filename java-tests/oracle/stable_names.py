"""The names that an image build gives to lambdas and proxies: an implementation that is independent of the agent's.

It computes the name of a lambda's class from its bytes (as the JDK dumps them). SHA-1 is that of
hashlib; MurmurHash3 is implemented here from the published description. Run as a program, it prints the
vectors of agent/instrument/names/naming_facts_test.cc.
"""

import hashlib
import struct

_INVOKES = range(0xb6, 0xbb)
_MASK = (1 << 64) - 1


def murmur3(data):
    """MurmurHash3_x64_128 with seed 0, as 32 hexadecimal digits."""
    def rotate(value, by):
        return ((value << by) | (value >> (64 - by))) & _MASK

    def mix(word, first, by, second):
        return rotate(word * first & _MASK, by) * second & _MASK

    def finish(value):
        for factor in (0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53, 1):
            value = (value ^ (value >> 33)) * factor & _MASK
        return value

    one, two = 0x87c37b91114253d5, 0x4cf5ad432745937f
    low = high = 0
    whole = len(data) // 16 * 16
    for k1, k2 in struct.iter_unpack("<QQ", data[:whole]):
        low = (rotate(low ^ mix(k1, one, 31, two), 27) + high) * 5 + 0x52dce729 & _MASK
        high = (rotate(high ^ mix(k2, two, 33, one), 31) + low) * 5 + 0x38495ab5 & _MASK
    k1, k2 = struct.unpack("<QQ", data[whole:].ljust(16, b"\0"))
    low ^= mix(k1, one, 31, two) ^ len(data)
    high ^= mix(k2, two, 33, one) ^ len(data)
    low = low + high & _MASK
    high = high + low & _MASK
    low, high = finish(low), finish(high)
    low = low + high & _MASK
    high = high + low & _MASK
    return f"{low:016x}{high:016x}"


def base_name(outer, text, target):
    """`outer` with dots; the name as Class.getName() spells it, without the number."""
    data = text.encode()
    if target < 23:
        return f"{outer}$$Lambda${hashlib.sha1(data).hexdigest()}"
    return f"{outer}$$Lambda/0x{murmur3(data)}"


def numbered(base, target, number):
    if target >= 23:
        return f"{base}{number}"
    return f"{base}_{number}" if number else base


def java_hash(text):
    """String.hashCode(), as Integer.toHexString prints it."""
    value = 0
    for (unit,) in struct.iter_unpack(">H", text.encode("utf-16-be", "surrogatepass")):
        value = value * 31 + unit & 0xffffffff
    return f"{value:x}"


def proxy_name(package, interfaces, loader, module=None):
    """`module` is part of the text only if the proxy has no module of its own."""
    prefix = f"{package}." if package is not None else ""
    return f"{prefix}$Proxy/s{java_hash(''.join(interfaces) + loader + (module or ''))}"


def _types(descriptor):
    """Names of a method descriptor's parameters and result, as in source code."""
    names, at = [], 0
    primitive = dict(Z="boolean", B="byte", S="short", C="char", I="int", J="long", F="float", D="double", V="void")
    while at < len(descriptor):
        if descriptor[at] in "()":
            at += 1
            continue
        dimensions = 0
        while descriptor[at] == "[":
            dimensions, at = dimensions + 1, at + 1
        if descriptor[at] == "L":
            end = descriptor.index(";", at)
            name, at = descriptor[at + 1:end].replace("/", "."), end
        else:
            name = primitive[descriptor[at]]
        names.append(name + "[]" * dimensions)
        at += 1
    return names[:-1], names[-1]


def method_text(owner, name, descriptor):
    """Names are as in oracle.classfile: the owner has dots."""
    parameters, result = _types(descriptor)
    return f"{owner}.{name}({', '.join(parameters)}){result}"


def lambda_text(read, interfaces, target):
    """`read` is an oracle.classfile.ClassFile; `interfaces` the names of the interfaces that it implements."""
    first = next(m for m in read.methods if m.access & 0x41 == 1 and m.name != "<init>")
    text = "".join(method_text(owner, name, descriptor) for _, opcode, owner, name, descriptor in first.invokes
                   if opcode in _INVOKES)
    if target >= 23:
        text += "".join(", ".join(_types(m.descriptor)[0]) for m in read.methods if m.name == "<init>")
    if target >= 25:
        text += "".join(interfaces)
    return text


def _print_vectors():
    capturing = "a.B.lambda$main$1(int, java.lang.String[], int)int"
    reference = "java.lang.String.length()intjava.lang.Integer.valueOf(int)java.lang.Integer"
    texts = {("C", 17): capturing, ("C", 23): capturing + "int, java.lang.String[]",
             ("C", 25): capturing + "int, java.lang.String[]java.util.function.IntUnaryOperator",
             ("R", 17): reference, ("R", 23): reference,
             ("R", 25): reference + "java.util.function.Functionjava.io.Serializable"}
    for (which, target), text in texts.items():
        print(f"{which}{target}", base_name("a.B", text, target), text)
    for which, text in (("PD", "a.Bjava.lang.Runnableapp"), ("PU", "a.Hiddenappnative-image-unnamed"),
                        ("PB", "a.Bnative-image-null-class-loaderjava.base")):
        print(which, f"$Proxy/s{java_hash(text)}", text)


if __name__ == "__main__":
    _print_vectors()
