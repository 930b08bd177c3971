"""`iprof convert --to lcov` and `--to jacoco`: programs whose lines are known, the real genhtml, JaCoCo's DTD, and JaCoCo itself.

The programs (java-tests/programs/coverage) say at the end of a line how often it runs, and which way its branches go.
"""

import re
import shutil
import unittest
import xml.etree.ElementTree

from iprofdev import maven, messages
from iprofdev.places import ROOT

from harness.case import C1_ONLY, AgentCase, Settings

PROGRAMS = ROOT / "java-tests" / "programs"
MARK = re.compile(r"//([=~]) (\d+)(?: \|((?: (?:\d+|-))+))?$")


def expected(name):
    """line -> (executions, the ways of its branches), as the source says."""
    marks = {}
    for number, text in enumerate((PROGRAMS / "coverage" / f"{name}.java").read_text().splitlines(), 1):
        if mark := MARK.search(text):
            marks[number] = (int(mark[2]), (mark[3] or "").split())
    return marks


class Lcov:
    """A tracefile, read by its description: file -> its records."""

    def __init__(self, text):
        self.lines, self.ways, self.calls, self.totals = {}, {}, {}, {}
        name = None
        for record in text.splitlines():
            kind, _, value = record.partition(":")
            if kind == "SF":
                name = value
                self.lines[name], self.ways[name], self.calls[name], self.totals[name] = {}, {}, {}, {}
            elif kind == "DA":
                line, count = map(int, value.split(","))
                assert line not in self.lines[name], record
                self.lines[name][line] = count
            elif kind == "BRDA":
                line, _, _, taken = value.split(",")
                self.ways[name].setdefault(int(line), []).append(taken)
            elif kind == "FNDA":
                count, _, method = value.partition(",")
                self.calls[name][method] = int(count)
            elif kind in ("LF", "LH", "BRF", "BRH", "FNF", "FNH"):
                self.totals[name][kind] = int(value)
            else:
                assert kind in ("TN", "FN", "end_of_record"), record


class Coverage(AgentCase):
    jvm_defaults = C1_ONLY

    def record(self, program):
        self.run_java(f"coverage.{program}", agent="out=app.iprof,jdk=n")

    def lcov(self, *arguments, classes=None):
        done = self.run_tool("convert", "--to", "lcov", "--classpath", classes or Settings.classes, "--sources", PROGRAMS,
                             "--include", "coverage.*", *arguments, "app.iprof", "-o", "app.info")
        return Lcov((self.folder / "app.info").read_text()), done

    def assert_as_marked(self, made, program):
        marks = expected(program)
        file = str(PROGRAMS / "coverage" / f"{program}.java")
        self.assertGreater(len(marks), 2)
        self.assert_same({line: count for line, (count, _) in marks.items()},
                         {line: made.lines[file].get(line) for line in marks})
        self.assert_same({line: ways for line, (_, ways) in marks.items() if ways}, made.ways[file])

    def test_lines_branches_and_methods(self):
        self.record("Covered")
        made, done = self.lcov("--exclude", "coverage.Caught")
        self.assertEqual(done.stderr, "")
        self.assert_as_marked(made, "Covered")
        self.assert_as_marked(made, "NeverLoaded")
        files = {name: str(PROGRAMS / "coverage" / f"{name}.java") for name in ("Covered", "NeverLoaded")}
        self.assertEqual(set(made.lines), set(files.values()))
        calls = made.calls[files["Covered"]]
        self.assertEqual((calls["Covered.choose(int)int"], calls["Covered.never(int)int"], calls["Covered.<init>()void"]), (10, 0, 3))
        self.assertEqual((calls["Covered.lambda$main$0(int)int"], calls["Covered$Kind.of(int)coverage.Covered$Kind"]), (6, 10))
        self.assertFalse([name for name in calls if "values" in name])
        for file in files.values():
            ways = [way for each in made.ways[file].values() for way in each]
            self.assertEqual(made.totals[file], {
                "LF": len(made.lines[file]), "LH": sum(count > 0 for count in made.lines[file].values()),
                "BRF": len(ways), "BRH": sum(way not in "-0" for way in ways),
                "FNF": len(made.calls[file]), "FNH": sum(count > 0 for count in made.calls[file].values())})
        self.assertEqual(made.totals[files["NeverLoaded"]]["LH"], 0)

    def test_exceptions(self):
        self.record("Caught")
        made, done = self.lcov("--include", "coverage.Caught")
        self.assert_as_marked(made, "Caught")
        self.assertRegex(done.stderr, r"lcov: \d+ lines have executions that do not follow from the profile, of [\d,]+; most are in exception")

    def test_which_classes(self):
        self.record("Covered")
        convert = ("convert", "--to", "lcov", "app.iprof", "-o", "app.info", "--classpath", Settings.classes)
        self.run_tool(*convert)
        made = Lcov((self.folder / "app.info").read_text())
        self.assertEqual(set(made.lines), {f"coverage/{name}.java" for name in ("Caught", "Covered", "NeverLoaded")})
        self.run_tool(*convert, "--include", "names.*")
        others = Lcov((self.folder / "app.info").read_text())
        self.assertTrue(others.lines and all(name.startswith("names/") for name in others.lines), others.lines.keys())
        self.assertEqual(sum(sum(counts.values()) for counts in others.lines.values()), 0)
        self.assertIn("need the program's class files", self.run_tool(*convert[:-2], expect=2).stderr)
        self.assertIn("--sources needs --to lcov",
                      self.run_tool("convert", "--to", "jacoco", "--classpath", Settings.classes, "--sources", ".", "app.iprof", expect=2).stderr)

    def test_other_code_than_was_recorded(self):
        self.record("Covered")
        changed = self.folder / "changed" / "coverage"
        changed.mkdir(parents=True)
        source = (PROGRAMS / "coverage" / "Covered.java").read_text().replace("return -1;  //= 0", "return -2 * number;  //= 0")
        (self.folder / "Covered.java").write_text(source)
        javac = self.jvm.tool("javac")
        if javac is None:
            self.skipTest(f"{self.jvm.id} has no javac")
        self.run_command([javac, "-g", "-d", self.folder / "changed", self.folder / "Covered.java"])
        made, done = self.lcov(classes=self.folder / "changed")
        self.assertIn("lcov: 1 method has other code in these class files than in the profile, and no lines", done.stderr)
        self.assertNotIn("Covered.choose(int)int", next(iter(made.calls.values())))

    def test_genhtml(self):
        if shutil.which("genhtml") is None:
            self.skipTest("there is no genhtml: scripts/install-deps --tests installs it")
        self.record("Covered")
        made, _ = self.lcov("--exclude", "coverage.Caught")
        done = self.run_command(["genhtml", "--branch-coverage", "--function-coverage", "--output-directory", "html", "app.info"])
        self.assertNotRegex((done.stdout + done.stderr).lower(), "warning|error|mismatch", done)
        for kind, found, hit in (("lines", "LF", "LH"), ("functions", "FNF", "FNH"), ("branches", "BRF", "BRH")):
            sums = [sum(each.get(key, 0) for each in made.totals.values()) for key in (hit, found)]
            self.assertRegex(done.stdout, rf"{kind}\.+: [\d.]+% \({sums[0]} of {sums[1]} \w+\)")
        page = next((self.folder / "html").rglob("Covered.java.gcov.html")).read_text()
        marks = expected("Covered")
        line = next(number for number, (count, ways) in marks.items() if ways == ["0", "7"])
        self.assertRegex(page, rf'(?s)name="{line}".{{0,400}}Branch 0 was not taken.{{0,200}}Branch 1 was taken 7 times')
        functions = next((self.folder / "html").rglob("Covered.java.func.html")).read_text()
        self.assertIn("Covered.&lt;init&gt;(java.lang.String)void", functions)

    def jacoco_cli(self):
        try:
            return maven.jar("jacoco-cli")
        except messages.Unavailable as reason:
            self.skipTest(str(reason))

    def test_jacoco_agrees(self):
        """Of a program without exceptions, JaCoCo's own report has the same lines, branches and counters."""
        cli = self.jacoco_cli()
        try:
            agent = maven.jar("jacoco-agent")
        except messages.Unavailable as reason:
            self.skipTest(str(reason))
        self.record("Covered")
        self.run_tool("convert", "--to", "jacoco", "--classpath", Settings.classes, "--include", "coverage.*", "--exclude", "coverage.Caught",
                      "app.iprof", "-o", "ours.xml")
        self.run_java("coverage.Covered", agent=None, jvm_args=[f"-javaagent:{agent}=destfile={self.folder / 'jacoco.exec'}"])
        files = [word for file in (Settings.classes / "coverage").glob("[!C]*.class") for word in ("--classfiles", file)]
        files += [word for file in (Settings.classes / "coverage").glob("Cov*.class") for word in ("--classfiles", file)]
        self.run_command([self.jvm.java, "-jar", cli, "report", "jacoco.exec", *files, "--xml", "theirs.xml"])
        ours, theirs = (self.elements(name) for name in ("ours.xml", "theirs.xml"))
        # JaCoCo leaves out a private constructor without parameters and code.
        ours.pop(("coverage/NeverLoaded", "<init>", "()V"))
        self.assertGreater(len(ours), 12)
        self.assert_same(theirs, ours)

    def elements(self, name):
        """What a report says of methods and lines."""
        root = xml.etree.ElementTree.parse(self.folder / name).getroot()
        counters = lambda element: {each.get("type"): (each.get("missed"), each.get("covered")) for each in element.findall("counter")}  # noqa: E731
        found = {}
        for package in root.iter("package"):
            for made in package.findall("class"):
                for method in made.findall("method"):
                    found[made.get("name"), method.get("name"), method.get("desc")] = (method.get("line"), counters(method))
            for source in package.findall("sourcefile"):
                if source.get("name") != "NeverLoaded.java":
                    found[source.get("name")] = ([tuple(line.attrib.items()) for line in source.findall("line")], counters(source))
        return found

    def test_jacoco_follows_the_dtd(self):
        cli = self.jacoco_cli()
        self.record("Covered")
        self.run_tool("convert", "--to", "jacoco", "--classpath", Settings.classes, "--package", "coverage", "app.iprof", "-o", "ours.xml")
        self.assertEqual(self.faults_by_dtd(cli, "ours.xml"), "")
        text = (self.folder / "ours.xml").read_text()
        self.assertIn('<!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">', text)
        (self.folder / "ours.xml").write_text(text.replace(' mi="', ' xx="', 1))
        self.assertIn("xx", self.faults_by_dtd(cli, "ours.xml"))

    def faults_by_dtd(self, cli, name):
        """What the JDK's validating parser says, with the DTD of JaCoCo's own jar."""
        (self.folder / "Validate.java").write_text(VALIDATE)
        if self.jvm.tool("javac") is None:
            self.skipTest(f"{self.jvm.id} cannot run a source file")
        return self.run_command([self.jvm.java, "-cp", cli, "Validate.java", name]).stdout.strip()


VALIDATE = """
import java.io.File;
import javax.xml.parsers.DocumentBuilderFactory;
import org.xml.sax.ErrorHandler;
import org.xml.sax.InputSource;
import org.xml.sax.SAXParseException;

public class Validate {
  public static void main(String[] arguments) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setValidating(true);
    var builder = factory.newDocumentBuilder();
    builder.setEntityResolver((publicId, systemId) -> new InputSource(
        ClassLoader.getSystemResourceAsStream("org/jacoco/cli/internal/report/xml/report.dtd")));
    builder.setErrorHandler(new ErrorHandler() {
      public void warning(SAXParseException e) { System.out.println(e.getMessage()); }
      public void error(SAXParseException e) { System.out.println(e.getMessage()); }
      public void fatalError(SAXParseException e) { System.out.println(e.getMessage()); }
    });
    builder.parse(new File(arguments[0]));
  }
}
"""

if __name__ == "__main__":
    unittest.main()
