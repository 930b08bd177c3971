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

    def shown(self, name, *tables, options=()):
        """The entries of these tables, by the tool."""
        chosen = [word for table in tables for word in ("--table", table)]
        text = self.run_tool("show", "-n", "0", "--format", "json", *chosen, *options, self.folder / name).stdout
        return [entry for table in json.loads(text)["tables"] for entry in table["hottest"]]

    def lines_in(self, name, *tables, options=()):
        """(method, bci) -> line, or None, of all positions."""
        return {(frame["method"], frame["bci"]): frame.get("line") for entry in self.shown(name, *tables, options=options)
                for frame in entry["context"]}

    def truth(self, program):
        """(name, descriptor) -> method of a class file of the test programs."""
        return {method.name: method for method in classfile.read((Settings.classes / f"{program}.class").read_bytes()).methods}

    def check_lines(self, name, program, least, options=()):
        methods = self.truth(program)
        known = 0
        for (method, bci), line in self.lines_in(name, *TABLES, options=options).items():
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

    @on_one_jvm
    def test_lines_of_class_files(self):
        """show, top and diff take the lines that a profile lacks from --classes."""
        self.run_java("Harvestable", 500 * STEPS, "end", agent="out=without.iprof,lines=n")
        classes = ("--classes", Settings.classes)
        bare = self.folder / "without.iprof"
        self.check_lines("without.iprof", "Harvestable", 12, options=classes)
        callees = {entry["context"][0]["method"].split("(")[0]: entry.get("callee")
                   for entry in self.shown("without.iprof", "receivers", options=classes)}
        self.assertEqual(callees["Harvestable.areaOf"], "Harvestable$Shape.area")
        areas = self.truth("Harvestable")["areaOf"].line_at(0)
        place = rf"Harvestable\.areaOf line {areas}\b"
        for command, pattern in ((("show", "--table", "receivers"), place + r" calls Harvestable\$Shape\.area"), (("show", "--method", "*.areaOf"), rf"line {areas} \(bci"),
                                 (("top", "-n", "0", "--by", "line"), r"Harvestable\.\w+ line \d+")):
            self.assertNotRegex(self.run_tool(*command, bare).stdout, pattern)
            self.assertRegex(self.run_tool(*command, *classes, bare).stdout, pattern)
        changed = json.loads(bare.read_text())
        site = next(entry for entry in changed["virtualInvokeProfiles"] if self.describes(changed, entry, "Harvestable", "areaOf"))
        site["records"][1::2] = site["records"][1::2][::-1]  # the counts of both classes
        (self.folder / "changed.iprof").write_text(json.dumps(changed))
        diff = ("diff", "--app", "--table", "receivers", bare, self.folder / "changed.iprof")
        self.assertIn("receivers Harvestable.areaOf bci 2\n", self.run_tool(*diff).stdout)
        self.assertIn(f"receivers Harvestable.areaOf line {areas}\n", self.run_tool(*diff, *classes).stdout)

    @staticmethod
    def describes(profile, entry, type_name, method_name):
        """Whether an entry is of this method."""
        method = next(m for m in profile["methods"] if m["id"] == int(entry["ctx"].split(":")[0]))
        return method["name"] == method_name and next(t for t in profile["types"] if t["id"] == method["signature"][0])["name"] == type_name

    @on_one_jvm
    def test_lines_of_a_harvest(self):
        """A harvest has no lines; --classes has them."""
        process = self.start_java("Harvestable", STEPS, agent=None)
        self.run_tool("harvest", str(process.pid), "-o", self.folder / "harvest.iprof")
        self.assertEqual(set(self.lines_in("harvest.iprof", *TABLES).values()), {None})
        self.check_lines("harvest.iprof", "Harvestable", 8, options=("--classes", Settings.classes))
        shown = self.run_tool("show", "--app", "--classes", Settings.classes, self.folder / "harvest.iprof").stdout
        self.assertRegex(shown, r"Harvestable\.every10th line \d+\n +90\.\d % to line \d+")
