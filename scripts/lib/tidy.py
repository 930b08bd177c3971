"""Runs clang-tidy over a compilation database, in parallel. It skips sources that were clean before and have not
changed since.

The checks include clang's warnings, so no build with clang is needed for them. In tests, only these are checked, unless
a test is named on the command line, because the macros of the test framework cause many false alarms.

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


def look_at(entry, arguments, constant):
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
    done = subprocess.run(look, cwd=entry["directory"], capture_output=True, text=True, check=False)
    ok = done.returncode == 0 and "warning:" not in done.stdout
    if ok:
        clean.touch()
    return entry["file"], ok, done.stdout + ("" if ok else done.stderr)


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
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("IPROF_JOBS", os.cpu_count() or 1))) as pool:
        for name, ok, output in pool.map(lambda e: look_at(e, arguments, constant), entries.values()):
            known += ok is None
            if ok is False:
                failed += 1
                print(output, end="")
                print(f"tidy: {os.path.relpath(name, arguments.root)} has findings", flush=True)
    print(f"tidy: {len(entries)} files, {known} unchanged since they were clean, {failed} with findings")
    return 1 if failed else 0


sys.exit(main())
