#!/usr/bin/env python3
"""Makes sources that include several sources of a room, for builds that compile these together (IPROF_UNITY):

  unite.py MOST ROOT FOLDER OUT SOURCE ...    at most MOST of the SOURCEs in ROOT/FOLDER together; writes OUT_0.cc, OUT_1.cc, …

Prints what is to be compiled instead of the SOURCEs, a line each. Two sources stay apart if one uses a word that the other
one defines for itself: in a namespace without a name, as a static function, as a macro, as main, or by `using`, unless both have the
same `using`. For example, of a.cc, which has `struct Options` for itself, b.cc, which has a function Write for itself, and c.cc, which
uses iprof::Options, a.cc and b.cc are compiled together, and c.cc alone. Text in comments, strings and includes, and what follows
`.`, `->` or `::`, is no use of a word.

Sources are included by their path in ROOT, so that the compiler cache works for every clone; CMake's own unity builds name
absolute paths.
"""
import pathlib
import re
import sys

# But for the comment at the end of a namespace without a name.
NOT_CODE = re.compile(r"""^#include [^\n]*|//(?! namespace\n)[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.DOTALL | re.MULTILINE)
USED = re.compile(r"(?<![.\w])(?<!->)(?<!::)[A-Za-z_]\w*")
TYPE = re.compile(r"(?:template\b.*> *)?(?:class|struct|union|enum(?: class)?) (?:\[\[\w+\]\] |alignas\([^)]*\) )?(\w+)")
ALIAS = re.compile(r"(?:template\b.*> *)?using (\w+) =|using [\w:]+::(\w+);|namespace (\w+) =|#define (\w+)")
MAY_COME_AGAIN = re.compile(r"(?:using|namespace) [^;]*;$")
FUNCTION = re.compile(r"[^=;]*?\b(\w+)\(")
ENUM = re.compile(r"\benum (?!class\b|struct\b)[^;{}()]*\{([^}]*)\}")  # its names are also those of the namespace
NO_NAMES = {"TEST_CASE", "TEMPLATE_TEST_CASE", "static_assert", "__attribute__"}
VARIABLE = re.compile(r".*?\b(\w+)(?:\[[^\]]*\])* *(?:=|\{|;)")


def defined_for_itself(text):
    """The names, of which those in namespaces begin at the start of a line, as clang-format leaves them, each with the line that may
    come again in another source, or else None."""
    names, hidden = dict.fromkeys(re.findall(r"(?:^|,)\s*(\w+)", ",".join(ENUM.findall(text)))), False
    for line in text.splitlines():
        if line.startswith("namespace {"):
            hidden = True
        elif line == "}  // namespace":
            hidden = False
        elif line.startswith("int main("):
            names["main"] = None
        elif re.match(r"[A-Za-z_#]", line):
            alias = ALIAS.match(line)
            if alias:
                names[next(filter(None, alias.groups()))] = line if MAY_COME_AGAIN.match(line) else None
            elif hidden or line.startswith("static "):
                found = TYPE.match(line) or FUNCTION.match(line) or VARIABLE.match(line)
                if found and found[1] not in NO_NAMES:
                    names[found[1]] = None
    return names


class Source:
    def __init__(self, root, path):
        self.path = path
        text = (root / path).read_text(encoding="utf-8")
        code = NOT_CODE.sub('""', text)
        self.own, self.used = defined_for_itself(code), set(USED.findall(code))

    def fits(self, other):
        """A name that both define is also used by both, where it is defined."""
        return not any(word in used and not (line and line == theirs.get(word))
                       for own, theirs, used in ((self.own, other.own, other.used), (other.own, self.own, self.used))
                       for word, line in own.items())


def batches(sources, most):
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


def main(most, root, folder, out, names):
    sources = [Source(root, f"{folder}/{name}") for name in names]
    for number, batch in enumerate(batches(sources, most)):
        if len(batch) == 1:
            print(root / batch[0].path)
            continue
        path, text = pathlib.Path(f"{out}_{number}.cc"), "".join(f'#include "{source.path}"\n' for source in batch)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(int(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:5], sys.argv[5:])
