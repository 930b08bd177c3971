#!/usr/bin/env python3
"""The agent exports only its entry points, and needs only the C library, in the version that users are told.

usage: exports.py LIBRARY OLDEST_GLIBC|musl
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True
from harness.elf import Elf  # noqa: E402

EXPORTS = {"Agent_OnLoad", "Agent_OnAttach", "Agent_OnUnload", "Java_java_lang_IprofContexts_take",
           "Java_java_lang_IprofLocks_waited"}
GLIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
MUSL = {"libc.so"}


def faults_of_imports(elf, libc):
    """The oldest glibc on which the library loads is that of its newest symbol."""
    if libc == "musl":
        if elf.uses_static_tls():
            yield "has initial-exec thread-locals, and musl has no room for them in a library that is loaded late"
        return
    oldest = tuple(map(int, libc.split(".")))
    imported = elf.imports_of("GLIBC")
    if (2, 2, 5) not in imported and (2, 17) not in imported:
        yield "imports nothing of glibc: this test does not understand its symbols"
    for version, symbols in sorted(imported.items()):
        if version > oldest:
            yield f"needs glibc {'.'.join(map(str, version))} for {', '.join(sorted(symbols))}; users are told {libc}"


def faults(path, libc):
    elf = Elf(path)
    if elf.exports != EXPORTS:
        yield f"exports too many: {sorted(elf.exports - EXPORTS)}, too few: {sorted(EXPORTS - elf.exports)}"
    if foreign := elf.needed - (MUSL if libc == "musl" else GLIBC):
        yield f"needs {sorted(foreign)}, which is not the C library's"
    if re.search(r"\((RPATH|RUNPATH)\)", elf.dynamic):
        yield "carries a search path for libraries"
    if "NOW" not in elf.dynamic:
        yield "is not bound at load (-z now)"
    if "NODELETE" not in elf.dynamic:
        yield "can be unloaded after a failed attach, while callbacks of it may come (-z nodelete)"
    if "GNU_RELRO" not in elf.segments:
        yield "has no read-only relocations (-z relro)"
    if re.search(r"GNU_STACK.*RWE", elf.segments):
        yield "asks for an executable stack"
    # A third of the library, which each program that starts with the agent pays for: std::locale comes with streams, and with
    # fmt's formatter for times (writer/base/utc_time.h).
    if elf.has_symbol("_ZTVSt5ctypeIcE"):
        yield "has the locales of the C++ library"
    yield from faults_of_imports(elf, libc)


def main(library, libc):
    found = list(faults(library, libc))
    print("\n".join(f"{library} {fault}" for fault in found) or "ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
