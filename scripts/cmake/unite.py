#!/usr/bin/env python3
"""Makes sources that include several sources of a room, for builds that compile these together (IPROF_UNITY):

  unite.py ROOT FOLDER OUT SOURCE ...    SOURCEs in ROOT/FOLDER; writes OUT_0.cc, OUT_1.cc, …

Prints what is to be compiled instead of the SOURCEs, a line each. Two sources stay apart if one uses a word that the other
one defines for itself: in a namespace without a name, as a static function, as a macro, or by `using`. For example, of
a.cc, which has `struct Options` for itself, b.cc, which has a function Write for itself, and c.cc, which uses iprof::Options, a.cc
and b.cc are compiled together, and c.cc alone. Text in comments and strings, and what follows `.`, `->` or `::`, is no use of a word.

Sources are included by their path in ROOT, so that the compiler cache works for every clone; CMake's own unity builds name
absolute paths.
"""
import pathlib
import re
import sys

TOGETHER = 8  # sources; more save little, and a change of one compiles all of them
# But for the comment at the end of a namespace without a name.
NOT_CODE = re.compile(r"""//(?! namespace\n)[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.DOTALL)
USED = re.compile(r"(?<![.\w])(?<!->)(?<!::)[A-Za-z_]\w*")
TYPE = re.compile(r"(?:template\b.*> *)?(?:class|struct|union|enum(?: class)?) (?:\[\[\w+\]\] |alignas\([^)]*\) )?(\w+)")
ALIAS = re.compile(r"(?:template\b.*> *)?using (\w+) =|using [\w:]+::(\w+);|#define (\w+)")
FUNCTION = re.compile(r"[^=;]*?\b(\w+)\(")
ENUM = re.compile(r"\benum (?!class\b|struct\b)[^;{}()]*\{([^}]*)\}")  # its names are also those of the namespace
VARIABLE = re.compile(r".*?\b(\w+)(?:\[[^\]]*\])* *(?:=|\{|;)")


def defined_for_itself(text):
    """The names, of which those in namespaces begin at the start of a line, as clang-format leaves them."""
    names, hidden = set(re.findall(r"(?:^|,)\s*(\w+)", ",".join(ENUM.findall(text)))), False
    for line in text.splitlines():
        if line.startswith("namespace {"):
            hidden = True
        elif line == "}  // namespace":
            hidden = False
        elif re.match(r"[A-Za-z_#]", line):
            alias = ALIAS.match(line)
            if alias:
                names.update(filter(None, alias.groups()))
            elif hidden or line.startswith("static "):
                found = TYPE.match(line) or FUNCTION.match(line) or VARIABLE.match(line)
                names.update(found.groups() if found else ())
    return names - {"TEST_CASE", "TEMPLATE_TEST_CASE"}


class Source:
    def __init__(self, root, path):
        self.path = path
        text = (root / path).read_text(encoding="utf-8")
        code = NOT_CODE.sub('""', text)
        self.own, self.used = defined_for_itself(code), set(USED.findall(code))

    def fits(self, other):
        return not self.own & other.used and not other.own & self.used


def batches(sources, most=TOGETHER):
    """Each source goes into the first batch where it fits, so that a changed one moves few others."""
    made = []
    for source in sources:
        for batch in made:
            if len(batch) < most and all(map(source.fits, batch)):
                batch.append(source)
                break
        else:
            made.append([source])
    return made


def main(root, folder, out, names):
    sources = [Source(root, f"{folder}/{name}") for name in names]
    for number, batch in enumerate(batches(sources)):
        if len(batch) == 1:
            print(root / batch[0].path)
            continue
        path, text = pathlib.Path(f"{out}_{number}.cc"), "".join(f'#include "{source.path}"\n' for source in batch)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
