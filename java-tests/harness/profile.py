"""Profiles for tests: names instead of ids, and readable differences.

Uses Python's JSON module, so that a test does not depend on the code that it tests.
"""

import difflib
import gzip
import json
import pathlib
import re

from iprofdev import whole_stacks

TABLES = {
    "callCountProfiles": "count",
    "samplingProfiles": "count",
    "conditionalProfiles": "successors",
    "virtualInvokeProfiles": "types",
    "monitorProfiles": "types",
    "instanceOfProfiles": "types",
}


class Profile:
    def __init__(self, document):
        self.document = document
        self.type_names = {t["id"]: t["name"] for t in whole_stacks.types(document)}
        self._methods = {m["id"]: self._describe(m) for m in whole_stacks.methods(document)}
        self._tables = {}

    def _describe(self, method):
        declaring, result, *parameters = (self.type_names[t] for t in method["signature"])
        return f"{declaring}.{method['name']}({', '.join(parameters)}){result}"

    @property
    def section(self):
        """iprofagent's addition to the format: {"version": 1, "image": ..., "positions": ..., "sampling": ...}."""
        return self.document["iprofagent"]

    @property
    def types(self):
        """Those that the format declares; whole stacks may name others."""
        return {t["name"] for t in self.document["types"]}

    @property
    def method_names(self):
        """Method descriptions by id."""
        return self._methods

    @property
    def methods(self):
        """Method descriptions such as "a.B.run(int, java.lang.String)void"."""
        return {self._methods[m["id"]] for m in self.document["methods"]}

    def context(self, text):
        """"7:0<3:12" -> ("a.B.run()void:0", "a.B.main(...)void:12"), innermost first."""
        frames = []
        for frame in text.split("<"):
            method, bci = frame.split(":")
            frames.append(f"{self._methods.get(int(method), '(none)')}:{bci}")
        return tuple(frames)

    def table(self, key):
        """context -> count, {(bci, index): count} or {type name: count}, depending on the table's kind. Each is made once, from what the
        document has then."""
        if key not in self._tables:
            self._tables[key] = self._made_table(key)
        return dict(self._tables[key])

    def _made_table(self, key):
        kind = TABLES[key]
        entries = {}
        for entry in self.document.get(key, []):
            records = entry["records"]
            if kind == "count":
                value = records[0]
            elif kind == "successors":
                value = {}
                for bci, index, count in zip(*[iter(records)] * 3):
                    value[(bci, index)] = value.get((bci, index), 0) + count
            else:
                value = {self.type_names[t]: n for t, n in zip(*[iter(records)] * 2)}
            entries[self.context(entry["ctx"])] = value
        return entries

    def sureness(self):
        """How sure the numbers of each recorded method are: its mark by its description. Without marks, none."""
        ids = sorted({int(entry["ctx"].split(":")[0]) for key in
                      ("callCountProfiles", "conditionalProfiles", "virtualInvokeProfiles", "instanceOfProfiles")
                      for entry in self.document.get(key, [])})
        text = self.section.get("code", {}).get("sureness", "")
        marks = [mark for mark, times in re.findall(r"([A-Za-z-]\+?)(\d*)", text) for _ in range(int(times or 1))]
        return {self._methods[method]: mark for method, mark in zip(ids, marks, strict=True)} if marks else {}

    def calls(self):
        return self.table("callCountProfiles")

    def calls_of(self, method):
        """The calls of one method, by its description or by "a.B.name", over all contexts."""
        return sum(count for context, count in self.calls().items()
                   if context[0].startswith(method + ("(" if "(" not in method else "")))

    def branches(self):
        return self.table("conditionalProfiles")

    def receivers(self):
        return self.table("virtualInvokeProfiles")

    def monitors(self):
        tables = self.table("monitorProfiles")
        return next(iter(tables.values()), {})

    def samples(self):
        """The samples with their whole stacks."""
        return {self.context(text): weight for text, weight in whole_stacks.of(self.document).items()}


def load_profile(path):
    """Reads a profile, gzipped or not."""
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return Profile(json.loads(data))


def violations(document):
    """The format rules that a profile breaks; an empty list for a valid profile."""
    found = []
    for key in ("version", "types", "methods"):
        if key not in document:
            found.append(f"{key} is missing")
    type_ids = [t["id"] for t in document.get("types", [])]
    type_names = [t["name"] for t in document.get("types", [])]
    method_ids = [m["id"] for m in document.get("methods", [])]
    for name, values in (("type id", type_ids), ("type name", type_names), ("method id", method_ids)):
        seen = set()
        for value in values:
            if value in seen:
                found.append(f"{name} {value} is there twice")
            seen.add(value)
    names = ["boolean", "byte", "short", "char", "int", "float", "long", "double", "void", "java.lang.Object"]
    by_id = dict(zip(type_ids, type_names))
    for number, name in enumerate(names):
        if by_id.get(number) != name:
            found.append(f"type {number} is {by_id.get(number)}, not {name}")
    known_types, known_methods, signatures = set(type_ids), set(method_ids), set()
    for method in document.get("methods", []):
        signature = (method["name"], *method["signature"])
        if signature in signatures:
            found.append(f"method {method['id']} is another's twin: {signature}")
        signatures.add(signature)
        for type_id in method["signature"]:
            if type_id not in known_types:
                found.append(f"method {method['id']} names type {type_id}, which is not declared")
    for key, kind in TABLES.items():
        contexts = set()
        for entry in document.get(key, []):
            context, records = entry["ctx"], entry["records"]
            if context in contexts:
                found.append(f"{key}: {context} is there twice")
            contexts.add(context)
            if key != "monitorProfiles":
                for frame in context.split("<"):
                    if int(frame.split(":")[0]) not in known_methods:
                        found.append(f"{key}: {context} names a method that is not declared")
            width = {"count": 1, "successors": 3, "types": 2}[kind]
            if not records or len(records) % width != 0 or (kind == "count" and len(records) != 1):
                found.append(f"{key}: {context} has {len(records)} integers")
            elif kind == "types":
                found += [f"{key}: {context} names type {t}, which is not declared"
                          for t in records[::2] if t not in known_types]
            if any(n < 0 for n in records[width - 1::width]):
                found.append(f"{key}: {context} has a negative count")
    return found


def difference(expected, actual, expected_name="expected", actual_name="actual"):
    """A unified diff of two values, one entry per line; empty if they are equal."""
    def lines(value):
        if isinstance(value, dict):
            return [f"{key}: {value[key]}" for key in sorted(value, key=str)]
        if isinstance(value, (set, frozenset, list, tuple)):
            return [str(item) for item in (sorted(value, key=str) if isinstance(value, (set, frozenset)) else value)]
        return str(value).splitlines()
    return "\n".join(difflib.unified_diff(lines(expected), lines(actual), expected_name, actual_name, lineterm=""))
