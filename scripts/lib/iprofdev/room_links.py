"""Which libraries the CMake files of rooms link, and whether the map of the rooms allows it.

A library belongs to the rooms of its sources. A room may link a library if it may include one of these rooms. Tests and
fuzz targets may also link what the map allows to tests. Libraries of no room, such as fmt, are not looked at.

Example: with `iprof_room(iprof_profile SOURCES model.cc LIBS iprof_ops)` in writer/profile, violations() says
"writer/profile/CMakeLists.txt: writer/profile must not link writer/ops (iprof_ops)".
"""

import dataclasses
import re

from iprofdev.rooms import room_of

JVM_LIBRARY = "iprof_jvmti"
BEGIN = r"\b(iprof_room|iprof_test|iprof_fuzz|add_library|target_link_libraries)\s*\("
CALL = re.compile(BEGIN + r"([^()]*)\)")
COMMENT = re.compile(r"#.*")
KEYWORDS = {"SOURCES", "LIBS", "ALONE", "STATIC", "SHARED", "MODULE", "INTERFACE", "EXCLUDE_FROM_ALL", "PUBLIC", "PRIVATE"}


@dataclasses.dataclass
class Target:
    folder: str
    name: str
    kind: str  # the CMake function that makes it, or links to it
    sources: list
    libraries: list

    @property
    def of_tests(self):
        return self.kind in ("iprof_test", "iprof_fuzz") or self.name.endswith(("_test", "_fuzz"))


def targets(folder, text):
    """What a CMake file in this folder makes and links."""
    for kind, words in CALL.findall(COMMENT.sub("", text)):
        name, *words = words.split()
        if kind == "add_library":
            yield Target(folder, name, kind, [word for word in words if word not in KEYWORDS], [])
        elif kind == "target_link_libraries":
            yield Target(folder, name, kind, [], [word for word in words if word not in KEYWORDS])
        else:
            yield Target(folder, name, kind, _after("SOURCES", words), _after("LIBS", words))


def _after(keyword, words):
    """The words between this keyword and the next one."""
    found, taken = [], False
    for word in words:
        if word in KEYWORDS:
            taken = word == keyword
        elif taken:
            found.append(word)
    return found


def violations(files, rooms):
    """files: {folder: text of its CMakeLists.txt}. The sentences about what the map does not allow."""
    made = [target for folder, text in files.items() for target in targets(folder, text)]
    owners = {target.name: _rooms_with(target, rooms) for target in made if target.kind in ("iprof_room", "add_library")}
    return [*_unread(files), *_unlisted(made, rooms), *(sentence for target in made if room_of(target.folder, rooms)
                                                         for sentence in _wrong_links(target, owners, rooms))]


def _rooms_with(target, rooms):
    places = [f"{target.folder}/{source}" for source in target.sources if "$" not in source] or [target.folder]
    return {room_of(place, rooms) for place in places}


def _unread(files):
    """A call with parentheses in it is not understood, and could link anything."""
    return [f"{folder}/CMakeLists.txt: a call that makes or links a library has parentheses in it: write it without them"
            for folder, text in files.items() if len(re.findall(BEGIN, COMMENT.sub("", text))) != len(CALL.findall(COMMENT.sub("", text)))]


def _unlisted(made, rooms):
    """A folder that calls iprof_room must be a room of the map."""
    folders = sorted({target.folder for target in made if target.kind == "iprof_room"} - set(rooms))
    return [f"{folder}/CMakeLists.txt: builds a room that scripts/rooms.toml does not list" for folder in folders]


def _wrong_links(target, owners, rooms):
    room = rooms[room_of(target.folder, rooms)]
    allowed = {room.folder} | room.may_include | (room.tests_may_include if target.of_tests else set())
    for library in target.libraries:
        if library == JVM_LIBRARY and not room.jvm:
            yield f"{target.folder}/CMakeLists.txt: {room.folder} must not link JVMTI ({library})"
        elif library in owners and not owners[library] & allowed:
            yield f"{target.folder}/CMakeLists.txt: {room.folder} must not link {' or '.join(sorted(owners[library]))} ({library})"
