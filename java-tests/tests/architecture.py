#!/usr/bin/env python3
"""Dependencies between rooms point one way, and only agent/vm knows JVMTI and JNI.

A file may include from its own room and from those that scripts/rooms.toml allows it; CMake files may link no more than that, and the
table in CONTRIBUTING.md must say the same. Also, every test and fuzz target must be built: one that no CMake file names would never
run. No two rooms have a type of the same name and namespace: the linker would silently take one for both. And the comment at the top of every header must say which threads may use it and what happens on failure. And the agent and the
tool open files in one way only (writer/base/open_file.h), and no source includes what makes clang slow.
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "scripts" / "lib"))
from iprofdev import room_links, rooms  # noqa: E402

FOLDERS = ("writer", "agent", "cli", "runtime", "bench", "java-tests/native/classfile")
JVM_HEADERS = {"jvmti.h", "jni.h", "jvmticmlr.h", "classfile_constants.h"}
# With these, clang compiles fmt's formatting again for each source, which doubles the time that a package takes. fmt/core.h and
# writer/base/join_text.h take their place.
SLOW_HEADERS = {"fmt/format.h", "fmt/ranges.h", "fmt/chrono.h", "fmt/ostream.h"}

try:
    ROOMS = rooms.read((root / "scripts" / "rooms.toml").read_text())
except rooms.BadMap as bad:
    sys.exit(str(bad))


def room_of(path):
    return rooms.room_of(path, ROOMS)


TYPE = re.compile(r"(?:class|struct) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: :.*)? ?\{?$")


def types_in(text):
    """The types that are defined at the level of a namespace with a name, each with it."""
    spaces = []
    for line in text.splitlines():
        opened, defined = re.match(r"namespace ([\w:]*) ?\{", line), TYPE.match(line)
        if opened:
            spaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif defined and all(spaces):
            yield "::".join([*spaces, defined[1]])


violations = []
files = 0
defined_in = {}

for folder in FOLDERS:
    for path in sorted((root / folder).rglob("*")):
        if path.suffix not in (".h", ".cc", ".cpp", ".hpp", ".c", ".inc"):
            continue
        name = path.relative_to(root).as_posix()
        room = room_of(name)
        files += 1
        if room is None:
            violations.append(f"{name}: stands in no room")
            continue
        for made in types_in(path.read_text()) if path.suffix in (".h", ".cc") else ():
            if defined_in.setdefault(made, name) != name:
                violations.append(f"{name}: {made} is also the name of a type in {defined_in[made]}")
        may_know = ROOMS[room].may_include | (ROOMS[room].tests_may_include if path.stem.endswith(("_test", "_fuzz")) else set())
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if room.startswith("agent/") and re.match(r"\s*#\s*(el)?if.*(x86_64|aarch64|amd64|__arm)", line):
                violations.append(f"{name}:{number}: asks for the processor, which only CMake does (agent/sampling/arch)")
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
            if not match:
                continue
            quoted, included = match.group(1) == '"', match.group(2)
            if included in JVM_HEADERS and not ROOMS[room].jvm:
                violations.append(f"{name}:{number}: {room} must not know {included}")
            if included in SLOW_HEADERS:
                violations.append(f"{name}:{number}: {included} is slow to compile: fmt/core.h and JoinText are enough")
            if not quoted or "/" not in included:
                continue
            other = room_of(included)
            if ".." in included.split("/"):
                violations.append(f"{name}:{number}: {included} is not relative to the project's root")
            elif other is None and included.startswith(("writer/", "agent/", "cli/")):
                violations.append(f"{name}:{number}: {included} stands in no room")
            elif other is not None and other != room and other not in may_know:
                violations.append(f"{name}:{number}: {room} must not know {other} ({included})")


# Whoever opens a file in another way may wait for ever at a pipe that another user made there. A folder that
# std::filesystem reads is opened as a folder, so nothing else is waited for.
OPENS = re.compile(r"\b(?:open|open64|openat|openat64|openat2|creat|fopen|freopen|fdopen|mkstemp|mkostemp|opendir|fdopendir|popen|tmpfile)"
                   r"\s*\(|\b(?:basic_)?[io]?f(?:stream|ilebuf)\b|\bOpenat\s*\(|\bSYS_open|\bOpenPath\s*\(")
MAY_OPEN = {"writer/base/open_file.cc", "writer/base/system_calls.h", "writer/base/system_calls.cc",
            "writer/profile/io/file_place.cc"}  # the last finds folders and links, with O_PATH
FOR_TESTS = re.compile(r"_(test|fuzz|bench)\.cc$|/fake_[a-z_]+\.(h|cc)$|/(testing|browser)/|"
                       r"/(temporary_folder|temporary_log|odd_files|snapshot_world)\.h$|/(fuzz_replay|write_raw_examples)\.cc$")


def without_comments_and_texts(line):
    return re.sub(r"//.*", "", re.sub(r'"(?:[^"\\]|\\.)*"', '""', line))


def opens_elsewhere(name, text):
    """The lines of a file of the product that open a file in their own way."""
    if name in MAY_OPEN or FOR_TESTS.search(name):
        return []
    return [number for number, line in enumerate(text.splitlines(), 1) if OPENS.search(without_comments_and_texts(line))]


for folder in ("writer", "agent", "cli"):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix in (".h", ".cc"):
            name = path.relative_to(root).as_posix()
            for number in opens_elsewhere(name, path.read_text()):
                violations.append(f"{name}:{number}: opens a file in its own way: use OpenFile (writer/base/open_file.h)")

# Words that the check knows, so that it cannot rot unseen.
for line in ("int fd = ::open(path, O_RDONLY);", "std::ifstream in(path);", "DIR* d = opendir(path);", "calls.Openat(folder, name, 0, 0);",
             "std::basic_filebuf<char> b;", "FILE* f = fopen(path, mode);", "std::fstream both;"):
    if not opens_elsewhere("agent/vm/session/example.cc", line):
        violations.append(f"architecture.py does not see that this opens a file: {line}")
for line in ("file.Open(path);", "OpenFile(path, O_RDONLY, FileKind::kRegular);", "// open(2)", 'Say("open(now)");', "is_open()", "reopen(x)"):
    if opens_elsewhere("agent/vm/session/example.cc", line):
        violations.append(f"architecture.py takes this for an opened file: {line}")


# A label begins a line or a sentence: "Threads: any. Failure: none.", "Guarantees, threads and failure: as JsonText."
LABELS = re.compile(r"(?:^|\. |\.\) )([A-Z][a-z]+(?:(?:,\s|\sand\s)[a-z]+)*):\s", re.MULTILINE)


def missing_labels(header):
    """Which of "threads" and "failure" the comment at the top of a header does not speak about."""
    comment = re.match(r"(?://.*\n)*", header.read_text()).group()
    labels = LABELS.findall(re.sub(r"^// ?", "", comment, flags=re.MULTILINE))
    return {"threads", "failure"} - set(re.findall(r"[a-z]+", " ".join(labels).lower()))


def is_built(path):
    """Whether the CMake file of its folder, or of the folder above, names it."""
    return any(path.name in text.read_text() for folder in (path.parent, path.parent.parent)
               for text in (*folder.glob("CMakeLists.txt"), *folder.glob("*.cmake")))


for folder in FOLDERS:
    for path in sorted((root / folder).rglob("*")):
        if re.search(r"_(test|fuzz|bench)\.cc$", path.name) and not is_built(path):
            violations.append(f"{path.relative_to(root)}: no CMake file builds it")
        if path.suffix == ".h":
            for label in sorted(missing_labels(path)):
                violations.append(f"{path.relative_to(root)}: the comment at its top has no \"{label.capitalize()}: ...\"")

violations += room_links.violations({path.parent.relative_to(root).as_posix(): path.read_text() for folder in FOLDERS
                                     for path in sorted((root / folder).rglob("CMakeLists.txt"))}, ROOMS)
violations += [f"scripts/rooms.toml: there is no {room}" for room in ROOMS if not (root / room).exists()]
page = (root / "CONTRIBUTING.md").read_text()
try:
    if rooms.with_table(page, ROOMS) != page:
        violations.append("CONTRIBUTING.md has another table than scripts/rooms.toml: run scripts/rooms.")
except rooms.BadMap as bad:
    violations.append(str(bad))

if files == 0:
    violations.append(f"{root} holds no sources")
print("\n".join(violations) or f"{files} files keep to their rooms")
sys.exit(1 if violations else 0)
