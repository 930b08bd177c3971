"""Runs clang-tidy over a compilation database, in parallel. It skips what was clean before and has not changed since.

The checks include clang's warnings, so no build with clang is needed for them. In tests, only these are checked, unless
a test is named on the command line, because the macros of the test framework cause many false alarms. The framework's
header takes half of the time of a test, so it is precompiled.

Most of the time goes to headers, so sources are looked at together, as one source that includes them, with the definitions and the
folders of headers of all: if one has changed, all of them. Those whose other flags differ stay apart, and those that use one name for
different things, as in a unity build (scripts/cmake/unite.py). For example, base.cc with `-I.` and session.cc with `-I. -DVERSION="1"`
are looked at with `-I. -DVERSION="1"`. If a batch has findings, its halves are looked at, and so on; only what is found in one source counts.
A batch does not see everything: unused using declarations, constants and inline functions of a source that is included are no
finding. Sources that are named on the command line, and all with --all, are looked at alone.

With all checks, a source takes twelve seconds of CPU time on average. CI leaves out SLOW, which takes three quarters of
that; scripts/proof uses --all.

Sources are identified by the hash of their preprocessed text, their compile flags, the checks and clang-tidy's version; not by
where the checkout is.
"""

import argparse
import concurrent.futures
import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cmake"))
import unite  # noqa: E402

# What only --all checks. The static analyzer takes a third of the time; those of the second line look at every declaration of
# every header; each of the others takes a twentieth of the rest.
SLOW = ("clang-analyzer-*",
        "performance-unnecessary-value-param", "bugprone-reserved-identifier", "bugprone-forward-declaration-namespace", "bugprone-stringview-nullptr",
        "bugprone-assert-side-effect", "bugprone-multiple-statement-macro", "bugprone-suspicious-semicolon",
        "bugprone-sizeof-expression", "readability-redundant-control-flow")


def plain_command(entry):
    """The compiler's command without its source and its output."""
    command = shlex.split(entry["command"])
    while "clang" not in pathlib.Path(command[0]).name:  # skips ccache and its environment
        command = command[1:]
    cleaned, skip = [], False
    for part in command:
        if skip:
            skip = False
        elif part == "-o":
            skip = True
        elif part not in ("-c", entry["file"]):
            cleaned.append(part)
    return tuple(cleaned)


def split(command):
    """(its words but for definitions and folders of headers; these, each a tuple of words)."""
    kept, taken, words = [], [], iter(command)
    for word in words:
        if word == "-isystem":
            taken.append((word, next(words)))
        elif word.startswith(("-D", "-I")):
            taken.append((word,))
        else:
            kept.append(word)
    return tuple(kept), taken


def is_test(path):
    return path.stem.endswith(("_test", "_fuzz"))


@dataclasses.dataclass(frozen=True)
class Source:
    path: pathlib.Path
    command: tuple  # of the compiler, without the source
    folder: str  # where the compiler runs

    @classmethod
    def joined(cls, path, sources):
        """That stands for sources that may be looked at together."""
        kept, _ = split(sources[0].command)
        taken = dict.fromkeys(words for source in sources for words in split(source.command)[1])
        return cls(path, (*kept, *itertools.chain(*taken)), sources[0].folder)


class TestHeader:
    """The test framework's header, precompiled when it is first needed. All threads may call it."""
    INCLUDE = "#include <catch2/catch.hpp>\n"

    def __init__(self, folder):
        self._folder, self._options, self._lock = pathlib.Path(folder), None, threading.Lock()

    def options(self, sources):
        """The options that use it; none if one of the sources does not include it."""
        if any(self.INCLUDE not in source.path.read_text(encoding="utf-8") for source in sources):
            return []
        with self._lock:
            if self._options is None:
                self._options = self._precompile(sources[0])
            return self._options

    def _precompile(self, source):
        header, result = self._folder / "test.h", self._folder / "test.pch"
        header.write_text(self.INCLUDE, encoding="utf-8")
        # Definitions differ between tests, and the header needs none.
        flags = [word for word in source.command if not word.startswith("-D")]
        done = subprocess.run([*flags, "-x", "c++-header", header, "-o", result], cwd=source.folder, capture_output=True, check=False)
        return ["-include-pch", str(result)] if done.returncode == 0 else []


class Tidy:
    """All threads may call look_at."""
    TOGETHER = 32  # sources; more save little, and a change of one looks at all of them

    def __init__(self, arguments, folder):
        self._arguments, self._folder, self._test_header = arguments, pathlib.Path(folder), TestHeader(folder)
        version = subprocess.run(["clang-tidy-14", "--version"], capture_output=True, check=True).stdout
        self._constant = version + (arguments.root / ".clang-tidy").read_bytes()
        self._numbers = itertools.count()

    def batches(self, sources):
        """Lists of sources to be looked at together, the longest first, so that none is left for one processor at the end."""
        if self._arguments.all or self._arguments.files:
            return [[source] for source in sources]
        alike, by_path = {}, {source.path: source for source in sources}
        for source in sources:
            # Agents and libraries that tests load define the same entry points.
            alone = source.path if "native" in source.path.parts else None
            alike.setdefault((split(source.command)[0], source.folder, is_test(source.path), alone), []).append(source)
        made = [[by_path[member.path] for member in batch] for group in alike.values()
                for batch in unite.batches([unite.Source(self._arguments.root, source.path) for source in group], self.TOGETHER)]
        return sorted(made, key=len, reverse=True)

    def look_at(self, sources):
        """Of each source: its path, whether it is clean (None: it was clean before), and what was said."""
        if len(sources) == 1:
            return [self._look_at_one(sources[0])]
        kind = "_test" if is_test(sources[0].path) else ""
        together = self._folder / f"together{next(self._numbers)}{kind}.cc"
        together.write_text("".join(f'#include "{source.path}"\n' for source in sources), encoding="utf-8")
        joined = Source.joined(together, sources)
        look = self._look_at_many(joined)
        clean = self._clean_mark(joined, " ".join(look).replace(str(together), "together"))
        if clean.exists():
            os.utime(clean)
            return [(source.path, None, "") for source in sources]
        precompiled = self._test_header.options(sources) if kind else []
        ok, said = found_nothing([*look, *precompiled], joined.folder)
        if not ok:
            half = len(sources) // 2
            outcomes = self.look_at(sources[:half]) + self.look_at(sources[half:])
            if all(half_ok is not False for _, half_ok, _ in outcomes):
                clean.touch()  # so that it is not looked at again: what clashes is no finding
                first = re.search(r".*(?:warning|error): .*", said)
                print(f"tidy: found in {len(sources)} files together, and not in halves of them: {first[0] if first else said}", flush=True)
            return outcomes
        clean.touch()
        return [(source.path, True, "") for source in sources]

    def _look_at_many(self, joined):
        if is_test(joined.path):
            return [*joined.command, "-fsyntax-only", str(joined.path)]
        checks = ",".join(f"-{check}" for check in (*SLOW, "bugprone-suspicious-include"))  # it includes sources on purpose
        # What is included is reported only if its path is one of the filter.
        return ["clang-tidy-14", "--quiet", f"--checks={checks}", f"--config-file={self._arguments.root / '.clang-tidy'}",
                f"--header-filter=^{re.escape(str(self._arguments.root))}/", str(joined.path), "--", *joined.command[1:]]

    def _look_at_one(self, source):
        if is_test(source.path) and not self._arguments.files:
            look = [*source.command, "-fsyntax-only", str(source.path)]
        else:
            checks = [] if self._arguments.all else [f"--checks={','.join(f'-{check}' for check in SLOW)}"]
            look = ["clang-tidy-14", "--quiet", *checks, "-p", str(self._arguments.build), str(source.path)]
        clean = self._clean_mark(source, " ".join(look))
        if clean.exists():
            os.utime(clean)
            return source.path, None, ""
        precompiled = self._test_header.options([source]) if "-fsyntax-only" in look else []
        ok, said = found_nothing([*look, *precompiled], source.folder)
        if not ok and precompiled:
            ok, said = found_nothing(look, source.folder)
        if ok:
            clean.touch()
        return source.path, ok, said

    def _clean_mark(self, source, look):
        """The file that is there if the source was clean when it was looked at in that way."""
        text = subprocess.run([*source.command, "-E", "-P", source.path], cwd=source.folder, capture_output=True, check=False).stdout
        seen = b"\0".join([text, self._constant, *(" ".join(words).encode() for words in (SLOW, source.command, [look]))])
        return self._arguments.cache / hashlib.sha256(seen.replace(bytes(self._arguments.root), b".")).hexdigest()


def found_nothing(look, folder):
    """(whether it found nothing, what it said)"""
    done = subprocess.run(look, cwd=folder, capture_output=True, text=True, check=False)
    ok = done.returncode == 0 and "warning:" not in done.stdout
    return ok, done.stdout + ("" if ok else done.stderr)


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
    sources = {}
    for entry in json.loads((arguments.build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"]).resolve()
        ours = arguments.root in path.parents and arguments.build not in path.parents
        if ours and (not wanted or path in wanted):
            sources.setdefault(path, Source(path, plain_command(entry), entry["directory"]))

    known = failed = 0
    with tempfile.TemporaryDirectory(prefix="iprof-tidy.") as folder, \
            concurrent.futures.ThreadPoolExecutor(int(os.environ.get("IPROF_JOBS", os.cpu_count() or 1))) as pool:
        tidy = Tidy(arguments, folder)
        for outcomes in pool.map(tidy.look_at, tidy.batches(sources.values())):
            for path, ok, output in outcomes:
                known += ok is None
                if ok is False:
                    failed += 1
                    print(output, end="")
                    print(f"tidy: {os.path.relpath(path, arguments.root)} has findings", flush=True)
    print(f"tidy: {len(sources)} files, {known} unchanged since they were clean, {failed} with findings")
    return 1 if failed else 0


sys.exit(main())
