#!/usr/bin/env python3
"""The agent exports only its three entry points, and needs only glibc's libraries, in the version that
README.md names."""

import re
import subprocess
import sys

library = sys.argv[1]
EXPORTS = {"Agent_OnLoad", "Agent_OnAttach", "Agent_OnUnload"}
ALLOWED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2",
           "ld-linux-aarch64.so.1"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


failures = []
exports = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--defined-only", library).splitlines()}
if exports != EXPORTS:
    failures.append(f"exports too many: {sorted(exports - EXPORTS)}, too few: {sorted(EXPORTS - exports)}")
dynamic = output("readelf", "-dW", library)
needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
if needed - ALLOWED:
    failures.append(f"needs {sorted(needed - ALLOWED)}, which is not glibc's")
if re.search(r"\((RPATH|RUNPATH)\)", dynamic):
    failures.append("carries a search path for libraries")
if "BIND_NOW" not in dynamic and "NOW" not in dynamic:
    failures.append("is not bound at load (-z now)")
if "NODELETE" not in dynamic:
    failures.append("can be unloaded after a failed attach, while callbacks of it may come (-z nodelete)")
segments = output("readelf", "-lW", library)
if "GNU_RELRO" not in segments:
    failures.append("has no read-only relocations (-z relro)")
if re.search(r"GNU_STACK.*RWE", segments):
    failures.append("asks for an executable stack")
# A third of the library, which each program that starts with the agent pays for: std::locale comes with streams, and with fmt's
# formatter for times (writer/base/utc_time.h).
if "_ZTVSt5ctypeIcE" in output("nm", library):
    failures.append("has the locales of the C++ library")
# The oldest glibc on which the library loads is that of its newest symbol. glibc 2.34 absorbed libpthread and libdl, so
# a library that is built on Debian 12 needs at least 2.34.
NEWEST_GLIBC = (2, 34)
imported = {}
for version, symbol in re.findall(r"\*UND\*.*GLIBC_([0-9.]+)\)? +(\S+)", output("objdump", "-T", library)):
    imported.setdefault(tuple(map(int, version.split("."))), []).append(symbol)
if (2, 2, 5) not in imported and (2, 17) not in imported:
    failures.append("imports nothing of glibc: this test does not understand its symbols")
for version, symbols in sorted(imported.items()):
    if version > NEWEST_GLIBC:
        failures.append(f"needs glibc {'.'.join(map(str, version))} for {', '.join(sorted(symbols))}; README.md says "
                        f"{'.'.join(map(str, NEWEST_GLIBC))}")
print("\n".join(f"{library} {failure}" for failure in failures) or "ok")
sys.exit(1 if failures else 0)
