#!/usr/bin/env python3
"""From the archive to the first profile in another system's files, with the commands of docs/packages.md.

usage: from_archive.py TARGET ARCHIVE LAND CLASSES [JVM]      LAND: a folder with the files of a system; CLASSES: those of the test
programs; JVM: a folder with a JVM that runs there. Without one, the tool shows the profile of docs/format.md.

It runs as root, in a mount namespace, with LAND as the root folder, so that only LAND's C library and programs are seen.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS.parent / "scripts" / "lib"))
sys.dont_write_bytecode = True
from iprofdev import packages  # noqa: E402
from iprofdev.messages import skip  # noqa: E402

PROGRAM = "Fib"
# $1: the new root folder, $2: the JVM's folder or nothing, then the shell there and its commands.
ENTER = """set -e
mount --make-rprivate /
mkdir -p "$1/proc" "$1/dev" "$1/tmp" "$1/jvm"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
[ -z "$2" ] || mount --bind "$2" "$1/jvm"
root=$1
shift 2
exec env -i PATH=/jvm/bin:/usr/bin:/bin HOME=/tmp "$(command -v chroot)" "$root" "$@"
"""


def block(document, language, starts):
    """The first block of a language in a document that starts so."""
    return next(text for kind, text in re.findall(r"^```(\w+)\n(.*?)^```$", document, re.M | re.S) if kind == language and text.startswith(starts))


def commands(target, has_jvm):
    """As docs/packages.md says, for this target and for /app.jar."""
    typed = block((packages.ROOT / "docs/packages.md").read_text(), "text", "tar xzf ").replace("x86_64-linux-glibc", str(target))
    typed = typed.replace("iprofagent-0.1.0", packages.name(target).removesuffix(f"-{target}")).replace("your-app.jar", "/app.jar")
    lines = typed.splitlines()
    if not has_jvm:
        lines = ["cp /sample.json app.iprof" if line.startswith("java ") else line for line in lines]
    return lines


def prepare(land, archive, classes):
    """What the user brings: the archive, the application, and a profile."""
    shutil.copy(archive, land)
    with zipfile.ZipFile(land / "app.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nMain-Class: {PROGRAM}\n")
        jar.write(classes / f"{PROGRAM}.class", f"{PROGRAM}.class")
    (land / "sample.json").write_text(block((packages.ROOT / "docs/format.md").read_text(), "json", "{"))


def run_in(land, jvm, lines):
    shell = ["/bin/bash"] if (land / "bin/bash").exists() else ["/bin/busybox", "sh"]
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--", "sh", "-c", ENTER, "sh", land, jvm or "", *shell, "-exc",
                           "\n".join(["cd /", *lines])], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main(target, archive, land, classes, jvm=None):
    land = pathlib.Path(land)
    probe = run_in(land, jvm, ["true"])
    if probe.returncode:
        skip(f"this machine does not change the root folder: {probe.stdout.strip()}")
    prepare(land, pathlib.Path(archive), pathlib.Path(classes))
    started = time.monotonic()
    typed = commands(target, jvm)
    done = run_in(land, jvm, typed)
    print(done.stdout)
    print(f"from the archive to the profile: {time.monotonic() - started:.0f} s")
    method = "Fib.fibonacci()" if jvm else "Sw.f(int)"
    shown = run_in(land, jvm, [typed[1], f"bin/iprof show --method '{method.partition('(')[0]}' app.iprof"]).stdout
    if done.returncode or method not in shown:
        print(f"FAILED: exit {done.returncode}; the profile shows of {method}:\n{shown}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
