"""The map of the rooms, as scripts/rooms.toml has it, and its table for CONTRIBUTING.md.

A damaged map raises BadMap, whose message names the room and what is wrong.

Example: `rooms.read()["writer/profile"].may_include` is {"writer/base"}.
"""

import dataclasses
import re
import tomllib

from iprofdev.places import ROOT

MAP = ROOT / "scripts" / "rooms.toml"
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN = "<!-- scripts/rooms writes this table from scripts/rooms.toml -->\n"
END = "<!-- end of the table of rooms -->\n"
KEYS = {"is": str, "includes": list, "tests": list, "jvm": bool, "for_tests": bool}


class BadMap(Exception):
    pass


@dataclasses.dataclass
class Room:
    """A row of the map. What it may include is None for a folder that is listed for readers only."""
    folder: str
    sentence: str
    includes: list  # as written, for the table
    may_include: set
    tests_may_include: set
    jvm: bool
    for_tests: bool


def read(text=None):
    """folder -> Room, in the order of the map."""
    try:
        rows = tomllib.loads(MAP.read_text() if text is None else text)
    except tomllib.TOMLDecodeError as error:
        raise BadMap(f"rooms.toml: {error}") from error
    for folder, row in rows.items():
        _check_row(folder, row)
    found = {folder: _room(folder, row, rows) for folder, row in rows.items()}
    if around := circle({folder: room.may_include or set() for folder, room in found.items()}):
        raise BadMap(f"rooms.toml: a circle: {' -> '.join(around)}")
    return found


def room_of(path, rooms):
    """The innermost room that has this file or folder, or None."""
    inside = [folder for folder, room in rooms.items() if room.may_include is not None and f"{path}/".startswith(f"{folder}/")]
    return max(inside, key=len, default=None)


def circle(includes):
    """The first circle of {a: those that it includes}, as [a, b, a], or None."""
    done = set()

    def follow(path):
        for other in sorted(includes[path[-1]] - done):
            if other in path:
                return [*path[path.index(other):], other]
            if found := follow([*path, other]):
                return found
        done.add(path[-1])
        return None

    return next((found for room in sorted(includes) if (found := follow([room]))), None)


def table(rooms):
    """The table of the page, with the lines around it."""
    rows = [f"| `{room.folder}` | {room.sentence} | {_cell(room)} |\n" for room in rooms.values()]
    return f"{BEGIN}| folder | is | may include |\n| --- | --- | --- |\n{''.join(rows)}{END}"


def with_table(page, rooms):
    """The text of the page with the table of these rooms between its markers."""
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise BadMap(f"{PAGE.name}: the lines around the table of rooms are missing: {BEGIN.strip()} and {END.strip()}")
    return page[:page.index(BEGIN)] + table(rooms) + page[page.index(END) + len(END):]


def _check_row(folder, row):
    if not isinstance(row, dict):
        raise BadMap(f"rooms.toml: {folder} stands outside a room")
    for key, value in row.items():
        if not isinstance(value, KEYS.get(key, ())) or (isinstance(value, list) and not all(isinstance(text, str) for text in value)):
            raise BadMap(f"rooms.toml: {folder}: {key} is no key of a room, or has another kind of value")
    if not row.get("is") or "|" in row["is"] or "\n" in row["is"]:
        raise BadMap(f"rooms.toml: {folder} does not say in one line what it `is`")


def _room(folder, row, rows):
    includes = row.get("includes")
    return Room(folder, row["is"], includes or [], None if includes is None else _named(folder, includes, rows),
                _named(folder, row.get("tests", []), rows), row.get("jvm", False), row.get("for_tests", False))


def _named(folder, patterns, rows):
    """The rooms that patterns of `includes` or `tests` stand for."""
    named = set()
    for pattern in patterns:
        for name in _expanded(pattern, rows):
            if "includes" not in rows.get(name, {}):
                raise BadMap(f"rooms.toml: {folder} includes {name}, which is no room")
            named.add(name)
    return named - {folder}


def _expanded(pattern, rows):
    if pattern.endswith("/*"):
        inside = [name for name, row in rows.items() if "includes" in row and not row.get("for_tests") and f"{name}/".startswith(pattern[:-1])]
        return inside or [pattern]
    if several := re.fullmatch(r"(.*)\{(.*)\}", pattern):
        return [several[1] + name for name in several[2].split(",")]
    return [pattern]


def _cell(room):
    if room.may_include is None:
        return ""
    known = [f"`{' '.join(room.includes)}`"] if room.includes else []
    return ", ".join(known + ["JVMTI"] * room.jvm) or "nothing"
