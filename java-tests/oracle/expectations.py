"""Checks counts against those that a program prints: the EXPECT lines of java-tests/counting/Expect.java.

Markers are comments "// @name" in the sources. Line numbers lead to their branches in the compiled classes, which are
read with a class-file reader that is independent of the agent's.
"""

import collections
import dataclasses
import pathlib
import re

from oracle import classfile, counts


@dataclasses.dataclass
class Outcome:
    checked: int = 0
    exact: int = 0
    missing: int = 0
    left_out: int = 0  # branches whose counts exceptions may have changed too much
    unnamed: int = 0  # lambdas, with an agent that has no names for them
    within_k: int = 0
    wrong: list = dataclasses.field(default_factory=list)

    def summary(self):
        return (f"{self.checked} expectations: {self.exact} exact, {self.within_k} within k, "
                f"{self.left_out} left out because of exceptions, {self.missing} not recorded, {len(self.wrong)} wrong" +
                (f", {self.unnamed} skipped (lambdas have no names here)" if self.unnamed else ""))


# The end of the stable name of a lambda's class, after the outer class's name, for JDK 17 to 21 and from 23 on.
_STABLE = re.compile(r"\$\$Lambda(\$[0-9a-f]{40}(_\d+)?|/0x[0-9a-f]{32}\d+)$")


def _without_lambda_names(counts):
    """Class names -> counts, with all lambdas of one class as one entry: the sorted list of their counts."""
    made, lambdas = {}, collections.defaultdict(list)
    for name, n in counts.items():
        outer, lambda_, rest = name.partition("$$Lambda")
        if lambda_ and (rest.startswith("*") or _STABLE.search(name)):
            lambdas[outer + "$$Lambda..."].append(n)
        else:
            made[name] = n
    made.update((name, tuple(sorted(numbers))) for name, numbers in lambdas.items())
    return made


class Program:
    """Finds the markers in the sources and classes of the programs."""

    def __init__(self, sources, classes):
        self.lines = {}  # "File.java" -> marker -> line
        self.methods = collections.defaultdict(list)  # source file -> methods
        self.by_key = {}
        for path in sorted(pathlib.Path(sources).rglob("*.java")):
            markers = {}
            for number, text in enumerate(path.read_text().splitlines(), 1):
                found = re.search(r"// @(\S+)\s*$", text)
                if found:
                    if found[1] in markers:
                        raise ValueError(f"{path}:{number}: marker {found[1]} is there twice")
                    markers[found[1]] = number
            self.lines[path.name] = markers
        for path in sorted(pathlib.Path(classes).rglob("*.class")):
            read = classfile.read(path.read_bytes())
            for method in read.methods:
                self.methods[read.source_file].append(method)
                self.by_key[counts.key(method.owner, method.name, method.descriptor)] = method

    def _line(self, place):
        source, _, marker = place.partition("@")
        try:
            return source, self.lines[source][marker]
        except KeyError:
            raise ValueError(f"no marker {place}") from None

    def branch(self, place):
        """(method, branch) for "File.java@marker#k"."""
        place, _, k = place.partition("#")
        source, line = self._line(place)
        found = [(method, branch) for method in self.methods[source] for branch in method.branches
                 if method.line_at(branch.bci) == line]
        if int(k) >= len(found):
            raise ValueError(f"line {line} of {source} has {len(found)} branches, {place}#{k} is not among them")
        return found[int(k)]

    def site(self, place, sites_of):
        """(method, bci) for "File.java@marker#K", among the positions that sites_of returns for a method."""
        place, _, k = place.partition("#")
        source, line = self._line(place)
        found = [(method, bci) for method in self.methods[source] for bci in sites_of(method)
                 if method.line_at(bci) == line]
        if int(k) >= len(found):
            raise ValueError(f"line {line} of {source} has {len(found)} such sites, {place}#{k} is not among them")
        return found[int(k)]

    def method_of_line(self, place):
        source, line = self._line(place)
        found = [method for method in self.methods[source] if any(at == line for _, at in method.lines)]
        if len(found) != 1:
            raise ValueError(f"line {line} of {source} belongs to {len(found)} methods")
        return found[0]


def parse(output):
    """The words of each EXPECT line; fails if the list is incomplete."""
    lines = [line.split()[1:] for line in output.splitlines() if line.startswith("EXPECT ")]
    if not lines or lines[-1] != ["done"]:
        raise ValueError("the program's expectations end early")
    return lines[:-1]


class Checker:
    """tree: the branches of a method may be off by k, the number of times that its blocks were left abruptly plus
    its live frames, but their shares by no more than a point. If k is more than 1 % of a branch, the branch may be
    left out.

    library: whether the JDK's classes were counted; if not, nothing is expected of them. only_where_counted: a missing
    record is not an error (there may be a reason not to count a method), but a wrong number is. receivers, monitors,
    checks: whether those tables were counted. confined: only the programs' package was counted, so that monitors of the
    JDK's classes are exact, too. lambdas: whether the agent gives lambdas their stable names.
    """

    def __init__(self, program, found, tree=True, library=True, only_where_counted=False, receivers=True, monitors=True,
                 checks=False, confined=False, lambdas=True):
        self.program, self.found, self.tree, self.library = program, found, tree, library
        self.only_where_counted = only_where_counted
        self.receivers, self.monitors, self.checks, self.confined = receivers, monitors, checks, confined
        self.lambdas = lambdas
        self.outcome = Outcome()
        self.slack = collections.Counter()
        self.thrown = collections.Counter()  # the part of k that is not live frames

    def check(self, expectations):
        for kind, *words in expectations:
            if kind in ("abrupt", "live"):
                owner, method, k = words
                if kind == "live" or self.tree:
                    self.slack[self._key(owner, method)] += int(k)
                if kind == "abrupt" and self.tree:
                    self.thrown[self._key(owner, method)] += int(k)
        for kind, *words in expectations:
            if not self.library and words[0].startswith("java."):
                continue
            getattr(self, "_" + kind.replace("-", "_"))(*words)
        return self.outcome

    @staticmethod
    def _key(owner, method):
        at = method.index("(")
        return counts.key(owner, method[:at], method[at:])

    def _compare(self, what, expected, actual, slack):
        self.outcome.checked += 1
        off = max((abs(expected.get(k, 0) - actual.get(k, 0)) for k in expected.keys() | actual.keys()), default=0)
        if off == 0:
            self.outcome.exact += 1
        elif self.only_where_counted and not any(actual.values()):
            self.outcome.missing += 1
        elif off <= slack and all(n >= 0 for n in actual.values()):
            self.outcome.within_k += 1
        else:
            allowed = f" (up to {slack} off is allowed)" if slack else ""
            self.outcome.wrong.append(f"{what}: expected {expected}, counted {actual or 'nothing'}{allowed}")

    def _compare_branch(self, what, expected, actual, key):
        executions = sum(expected.values())
        if self.tree and not any(actual.values()) and 100 * self.thrown[key] > executions > 0:
            self.outcome.checked += 1
            self.outcome.left_out += 1
            return
        counted = sum(actual.values())
        if executions >= 1000 and counted:
            points = max(100 * abs(expected.get(k, 0) / executions - actual.get(k, 0) / counted)
                         for k in expected.keys() | actual.keys())
            if points > 1:
                self.outcome.wrong.append(f"{what}: expected {expected}, counted {actual}: {points:.1f} points off")
        self._compare(what, expected, actual, self.slack[key])

    def _calls(self, owner, method, n):
        # Entries are exact, except those of intrinsics in the JDK, which may be derived from call sites.
        key = self._key(owner, method)
        slack = self.slack[key] if owner.startswith("java.") else 0
        self._compare(f"calls of {owner}.{method}", {"": int(n)}, {"": self.found.calls[key]}, slack)

    def _calls_at_least(self, owner, method, n):
        self.outcome.checked += 1
        counted = self.found.calls[self._key(owner, method)]
        if counted >= int(n):
            self.outcome.exact += 1
        elif self.only_where_counted and not counted:
            self.outcome.missing += 1
        else:
            self.outcome.wrong.append(f"calls of {owner}.{method}: expected at least {n}, counted {counted}")

    def _entry(self, place, n):
        method = self.program.method_of_line(place)
        self._calls(method.owner, method.name + method.descriptor, n)

    def _abrupt(self, *_):
        pass

    def _types(self, what, words, actual):
        """words: TYPE:N ...; actual: Counter of class names, or None if there is no record."""
        expected = collections.Counter()
        for word in words:
            name, _, n = word.rpartition(":")
            expected[name] += int(n)
        if not self.lambdas and any("$$Lambda*" in name for name in expected):
            self.outcome.unnamed += 1
            return
        expected, actual = _without_lambda_names(expected), _without_lambda_names(actual or {})
        self.outcome.checked += 1
        if expected == actual:
            self.outcome.exact += 1
        elif self.only_where_counted and not actual:
            self.outcome.missing += 1
        else:
            differ = sorted(name for name in expected.keys() | actual.keys() if expected.get(name) != actual.get(name))
            shown = ", ".join(f"{name} expected {expected.get(name, 0)} counted {actual.get(name, 0)}" for name in differ[:12])
            self.outcome.wrong.append(f"{what}: {len(differ)} classes differ: {shown}" if actual else
                                      f"{what}: no record, expected {len(expected)} classes")

    def _sites(self, what, wanted, table, method, bci, words):
        if wanted:
            key = counts.key(method.owner, method.name, method.descriptor)
            self._types(f"{what} ({method.owner}.{method.name} bci {bci})", words, table.get(key, {}).get(bci))

    def _receivers(self, place, *words):
        method, bci = self.program.site(place, lambda m: [i[0] for i in m.invokes if i[1] in (0xb6, 0xb9)])
        self._sites(f"receivers at {place}", self.receivers, self.found.receivers, method, bci, words)

    def _special(self, place):
        method, bci = self.program.site(place, lambda m: [i[0] for i in m.invokes if i[1] == 0xb7])
        self._sites(f"receivers at {place}", self.receivers, self.found.receivers, method, bci, [])

    def _checks(self, place, *words):
        method, bci = self.program.site(place, lambda m: m.type_checks)
        self._sites(f"type checks at {place}", self.checks, self.found.checks, method, bci, words)

    def _receivers_at(self, owner, method, bci, *words):
        if self.receivers:
            self._types(f"receivers at {owner}.{method} bci {bci}", words,
                        self.found.receivers.get(self._key(owner, method), {}).get(int(bci)))

    def _checks_at(self, owner, method, bci, *words):
        if self.checks:
            self._types(f"type checks at {owner}.{method} bci {bci}", words,
                        self.found.checks.get(self._key(owner, method), {}).get(int(bci)))

    def _monitors(self, name, n):
        if not self.monitors:
            return
        # There is one entry for the whole program: omissions make it smaller, never larger.
        if self.only_where_counted and self.found.monitors[name] < int(n):
            self.outcome.checked += 1
            self.outcome.missing += 1
            return
        if "$$Lambda" in name or self.confined or name.lstrip("[L").startswith("counting.Monitors"):
            outer = name.partition("*")[0]
            actual = {t: m for t, m in self.found.monitors.items() if t == name or ("*" in name and t.startswith(outer))}
            self._types(f"monitors of {name}", [f"{name}:{n}"], actual)
            return
        self.outcome.checked += 1
        if self.found.monitors[name] >= int(n):
            self.outcome.exact += 1
        else:
            self.outcome.wrong.append(f"monitors of {name}: expected at least {n}, counted {self.found.monitors[name]}")

    _live = _abrupt

    def _if(self, what, key, bci, taken, not_taken):
        actual = self.found.records(key, bci)
        expected = {"taken": taken, "not": not_taken}
        if actual is not None and len(actual) != 2:
            self.outcome.checked += 1
            self.outcome.wrong.append(f"{what}: {len(actual)} successors recorded for an if")
            return
        if actual is not None and not any(actual):
            self.outcome.wrong.append(f"{what}: an all-zero record")
        self._compare_branch(what, expected, dict(zip(("taken", "not"), actual)) if actual else {}, key)

    def _branch(self, place, _taken, taken, _not, not_taken):
        method, branch = self.program.branch(place)
        key = counts.key(method.owner, method.name, method.descriptor)
        self._positions(place, key, branch)
        self._if(f"{place} ({method.owner}.{method.name} bci {branch.bci})", key, branch.bci, int(taken), int(not_taken))

    def _value(self, place, _zero, zero, _nonzero, nonzero):
        method, branch = self.program.branch(place)
        if branch.opcode not in (0x99, 0x9a):
            raise ValueError(f"{place} is opcode {branch.opcode:#x}, neither ifeq nor ifne")
        taken, not_taken = (zero, nonzero) if branch.opcode == 0x99 else (nonzero, zero)
        self._branch(place, "taken", taken, "not", not_taken)

    def _positions(self, what, key, branch):
        """Checks that the successors of a record are those in the class file."""
        records = self.found.branches.get(key, {}).get(branch.bci)
        if records is None:
            return
        seen = [(target, index) for target, index, _ in counts.one_each((target, 0) for target in branch.targets)]
        actual = [(target, index) for target, index, _ in records]
        if actual != seen:
            self.outcome.wrong.append(f"{what}: successors (bci, index) are {actual}, the class file says {seen}")

    def _switch(self, place, *words):
        method, branch = self.program.branch(place)
        key = counts.key(method.owner, method.name, method.descriptor)
        if words[-2] != "default" or len(words) - 2 != len(branch.keys):
            raise ValueError(f"{place} has {len(branch.keys)} keys, {len(words) - 2} numbers are expected")
        self._positions(place, key, branch)
        expected = collections.Counter()
        per_key = tuple(int(n) for n in (*words[:-2], words[-1]))
        for target, n in zip(branch.targets, per_key):
            expected[target] += n
        what = f"{place} ({method.owner}.{method.name} bci {branch.bci})"
        self._compare_branch(what, dict(+expected), {t: n for t, n in self.found.by_target(key, branch.bci).items() if n}, key)

    def _at(self, owner, method, bci, _taken, taken, _not, not_taken):
        self._if(f"{owner}.{method} bci {bci}", self._key(owner, method), int(bci), int(taken), int(not_taken))

    def _at_switch(self, owner, method, bci, *targets):
        key = self._key(owner, method)
        expected = {int(t): int(n) for t, n in (target.split(":") for target in targets)}
        actual = {t: n for t, n in self.found.by_target(key, int(bci)).items() if n}
        self._compare_branch(f"{owner}.{method} bci {bci}", expected, actual, key)
