"""Runs clang-tidy over a compilation database, in parallel. It skips sources that were clean before and have not
changed since.

The checks include clang's warnings, so no build with clang is needed for them. In tests, only these are checked, unless
a test is named on the command line, because the macros of the test framework cause many false alarms. The framework's
header takes half of the time of a test, so it is precompiled. What has findings with that is compiled again without it,
and only what is then found counts.

With all checks, a source takes twelve seconds of CPU time on average. CI leaves out SLOW, which takes two thirds of
that; scripts/proof uses --all.

A source is identified by the hash of its preprocessed text, its compile flags, the checks and clang-tidy's version; not by
where the checkout is.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import threading

# The static analyzer takes a third of the time; the others look at every declaration of every header.
SLOW = ("clang-analyzer-*", "performance-unnecessary-value-param", "bugprone-reserved-identifier",
        "bugprone-forward-declaration-namespace", "bugprone-stringview-nullptr")


def plain_command(entry):
    """The compiler's command without an output."""
    command = shlex.split(entry["command"])
    while "clang" not in pathlib.Path(command[0]).name:  # skips ccache and its environment
        command = command[1:]
    cleaned, skip = [], False
    for part in command:
        if skip:
            skip = False
        elif part == "-o":
            skip = True
        elif part != "-c":
            cleaned.append(part)
    return cleaned


def is_test(entry):
    return pathlib.Path(entry["file"]).stem.endswith(("_test", "_fuzz"))


class TestHeader:
    """The test framework's header, precompiled when it is first needed. All threads may call it."""
    INCLUDE = "#include <catch2/catch.hpp>\n"

    def __init__(self, folder):
        self._folder, self._options, self._lock = pathlib.Path(folder), None, threading.Lock()

    def options(self, entry, command):
        """The options that use it; none if the source does not include it."""
        if self.INCLUDE not in pathlib.Path(entry["file"]).read_text(encoding="utf-8"):
            return []
        with self._lock:
            if self._options is None:
                self._options = self._precompile(entry, command)
            return self._options

    def _precompile(self, entry, command):
        header, result = self._folder / "test.h", self._folder / "test.pch"
        header.write_text(self.INCLUDE, encoding="utf-8")
        # Definitions differ between tests, and the header needs none.
        flags = [word for word in command if word != entry["file"] and not word.startswith("-D")]
        done = subprocess.run([*flags, "-x", "c++-header", header, "-o", result], cwd=entry["directory"], capture_output=True, check=False)
        return ["-include-pch", str(result)] if done.returncode == 0 else []


def run(look, entry):
    """(whether it found nothing, what it said)"""
    done = subprocess.run(look, cwd=entry["directory"], capture_output=True, text=True, check=False)
    ok = done.returncode == 0 and "warning:" not in done.stdout
    return ok, done.stdout + ("" if ok else done.stderr)


def look_at(entry, arguments, constant, test_header):
    command = plain_command(entry)
    if is_test(entry) and not arguments.files:
        look = [*command, "-fsyntax-only"]
    else:
        checks = [] if arguments.all else [f"--checks={','.join(f'-{check}' for check in SLOW)}"]
        look = ["clang-tidy-14", "--quiet", *checks, "-p", str(arguments.build), entry["file"]]
    text = subprocess.run([*command, "-E", "-P"], cwd=entry["directory"], capture_output=True, check=False).stdout
    seen = b"\0".join([text, constant, *(" ".join(words).encode() for words in (command, look))])
    key = hashlib.sha256(seen.replace(bytes(arguments.root), b".")).hexdigest()
    clean = arguments.cache / key
    if clean.exists():
        os.utime(clean)
        return entry["file"], None, ""
    precompiled = test_header.options(entry, command) if look[-1] == "-fsyntax-only" else []
    ok, said = run([*look, *precompiled], entry)
    if not ok and precompiled:
        ok, said = run(look, entry)
    if ok:
        clean.touch()
    return entry["file"], ok, said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--cache", type=pathlib.Path, required=True)
    parser.add_argument("--all", action="store_true", help="every check, the slow ones too")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    wanted = {path.resolve() for path in arguments.files}
    entries = {}
    for entry in json.loads((arguments.build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"]).resolve()
        ours = arguments.root in path.parents and arguments.build not in path.parents
        if ours and (not wanted or path in wanted):
            entries.setdefault(path, entry)
    version = subprocess.run(["clang-tidy-14", "--version"], capture_output=True, check=True).stdout
    constant = version + (arguments.root / ".clang-tidy").read_bytes()

    known = failed = 0
    with tempfile.TemporaryDirectory(prefix="iprof-tidy.") as folder, \
            concurrent.futures.ThreadPoolExecutor(int(os.environ.get("IPROF_JOBS", os.cpu_count() or 1))) as pool:
        test_header = TestHeader(folder)
        for name, ok, output in pool.map(lambda e: look_at(e, arguments, constant, test_header), entries.values()):
            known += ok is None
            if ok is False:
                failed += 1
                print(output, end="")
                print(f"tidy: {os.path.relpath(name, arguments.root)} has findings", flush=True)
    print(f"tidy: {len(entries)} files, {known} unchanged since they were clean, {failed} with findings")
    return 1 if failed else 0


sys.exit(main())
