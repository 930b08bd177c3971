"""A profile has the source lines of its positions and the names of the methods that virtual calls name: those of the class files, also
when it is recovered from a raw file, and in little space."""

import json

from harness.case import AgentCase, Settings
from harness.scope import on_one_jvm
from oracle import classfile

STEPS = 20_000
TABLES = ("branches", "receivers", "instanceofs", "calls", "samples")


class SourceLines(AgentCase):
    agent_defaults = {"image": "n", "interval": "1ms"}

    def shown(self, name, *tables):
        """The entries of these tables, by the tool."""
        chosen = [word for table in tables for word in ("--table", table)]
        text = self.run_tool("show", "-n", "0", "--format", "json", *chosen, self.folder / name).stdout
        return [entry for table in json.loads(text)["tables"] for entry in table["hottest"]]

    def lines_in(self, name, *tables):
        """(method, bci) -> line, or None, of all positions."""
        return {(frame["method"], frame["bci"]): frame.get("line") for entry in self.shown(name, *tables) for frame in entry["context"]}

    def truth(self, program):
        """(name, descriptor) -> method of a class file of the test programs."""
        return {method.name: method for method in classfile.read((Settings.classes / f"{program}.class").read_bytes()).methods}

    def check_lines(self, name, program, least):
        methods = self.truth(program)
        known = 0
        for (method, bci), line in self.lines_in(name, *TABLES).items():
            if not method.startswith(program + "."):
                continue
            expected = methods[method[len(program) + 1:].split("(")[0]].line_at(bci)
            self.assertEqual(line, expected, f"{name}: {method} bci {bci}")
            known += 1
        self.assertGreaterEqual(known, least)

    def test_lines_are_those_of_the_class_file(self):
        self.run_java("Harvestable", STEPS, "end", agent="out=app.iprof,format=1.1.0,instanceofs=y")
        self.check_lines("app.iprof", "Harvestable", 12)
        if self.jvm.kind == "jdk":  # the classes of the JREs have no line numbers
            every = self.lines_in("app.iprof", "branches", "receivers", "calls")
            self.assertGreater(sum(line is not None for line in every.values()) / len(every), 0.9, "the JDK's classes have lines, too")
        callees = {entry["context"][0]["method"].split("(")[0]: entry.get("callee") for entry in self.shown("app.iprof", "receivers")}
        self.assertEqual(callees["Harvestable.areaOf"], "Harvestable$Shape.area")
        self.assertEqual(callees["Harvestable.twice"], "java.util.function.IntUnaryOperator.applyAsInt")

    def test_a_recovered_profile_has_them_too(self):
        self.run_java("Harvestable", 500 * STEPS, "end", agent="out=app.iprof,snapshot=100ms,keep-raw=y")  # longer than a snapshot takes
        self.run_tool("recover", self.folder / "app.iraw", "-o", self.folder / "recovered.iprof")
        self.check_lines("recovered.iprof", "Harvestable", 12)
        for tables in (("branches", "receivers", "calls"), ("samples",)):
            whole, recovered = self.lines_in("app.iprof", *tables), self.lines_in("recovered.iprof", *tables)
            both = whole.keys() & recovered.keys()
            self.assertGreater(len(both), 20 if tables == ("samples",) else 500)
            self.assert_same({place: whole[place] for place in both}, {place: recovered[place] for place in both})

    @on_one_jvm
    def test_they_take_little_space_and_can_be_left_out(self):
        self.run_java("Harvestable", STEPS, "end", agent="out=with.iprof,image=y")
        part = self.profile("with.iprof").section["positions"]
        size = len(json.dumps(part, separators=(",", ":")))
        self.assertLess(size, 0.05 * (self.folder / "with.iprof").stat().st_size)
        self.run_java("Harvestable", STEPS, "end", agent="out=without.iprof,lines=n")
        self.assertNotIn("positions", self.profile("without.iprof").section)
        self.assertEqual(set(self.lines_in("without.iprof", *TABLES).values()), {None})

    @on_one_jvm
    def test_they_stay_through_merging_and_filtering(self):
        self.run_java("Harvestable", STEPS, "end", agent="out=app.iprof")
        app = self.folder / "app.iprof"
        self.run_tool("merge", "-o", self.folder / "twice.iprof", app, app)
        self.run_tool("convert", "--to", "iprof", "--image", app, "-o", self.folder / "image.iprof")
        self.run_tool("convert", "--to", "iprof", "--include", "Harvestable*", app, "-o", self.folder / "some.iprof")
        for name in ("twice.iprof", "image.iprof", "some.iprof"):
            self.check_lines(name, "Harvestable", 12)
