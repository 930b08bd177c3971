"""`iprof advise` and what follows from it, with class files: the verdicts on twelve profiles of which it is known what they are worth; the
repair of a profile for a patched program, compared with what the patched program's own run says; the gate of a build."""

import copy
import json
import re
import subprocess
import zipfile

from iprofdev import jvms

from harness.case import AgentCase
from harness.scope import on_one_jvm

REQUIRES = "jdk"

USABLE, DOUBTS, UNUSABLE = 0, 1, 6

SOURCE = """
package shop;

public class Cart {
  interface Item { int price(int n); }
  static class Book implements Item { public int price(int n) { return n % 3 == 0 ? 3 : 4; } }
  static class Pen implements Item { public int price(int n) { return n % 5 == 0 ? 1 : 2; } }
  static class Gift implements Item { public int price(int n) { return 0; } }
  static class Stamp { static int of(int n) { return n % 7 == 0 ? 1 : 0; } }

  static int total(Item[] items, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
      Item item = items[i % items.length];
      if (i % 10 == 0) {
        sum += 2 * item.price(i) + Stamp.of(i);
      } else {
        sum += item.price(i);
      }
      switch (i % 4) {
        case 0: sum += 7; break;
        case 1: sum += 9; break;
        default: sum -= 3;
      }
    }
    return sum;
  }

  static int tax(int sum) {
    int left = sum < 0 ? -sum : sum;
    int tax = 0;
    while (left > 10) { tax++; left -= 10; }
    return tax;
  }

  public static void main(String[] args) {
    Item[] items = new Item[100];
    for (int i = 0; i < items.length; i++) items[i] = i == 51 ? new Gift() : i % 2 == 0 ? new Book() : new Pen();
    int sum = 0;
    for (int i = 0; i < 300; i++) sum += tax(total(items, 1000));
    System.out.println(sum);
  }
}
"""
# A check at the start of total moves all of its code; Gift becomes an interface; Stamp is gone.
PATCHES = (("    int sum = 0;\n    for (int i = 0; i < n;", "    if (n < 0) throw new IllegalArgumentException();\n    int sum = 0;\n    for (int i = 0; i < n;"),
           ("static class Gift implements Item { public int price(int n) { return 0; } }", "interface Gift extends Item { }"),
           ("i == 51 ? new Gift() : ", ""),
           ("  static class Stamp { static int of(int n) { return n % 7 == 0 ? 1 : 0; } }\n", ""), (" + Stamp.of(i)", " + 1"))
OTHER = "package other; public class Program { public static void main(String[] args) { } }"


class AdviseCase(AgentCase):
    def jar(self, name, source, main="shop.Cart"):
        folder = self.folder / name
        path = folder / (main.replace(".", "/") + ".java")
        path.parent.mkdir(parents=True)
        path.write_text(source)
        subprocess.run([jvms.build_jdk().javac, "-g", "--release", "17", "-d", folder, path], check=True)
        with zipfile.ZipFile(self.folder / f"{name}.jar", "w") as archive:
            archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nMain-Class: {main}\n")
            for each in sorted(folder.rglob("*.class")):
                archive.write(each, str(each.relative_to(folder)))
        return self.folder / f"{name}.jar"

    def recorded(self, name, jar, options=""):
        self.run_java(["-jar", jar], agent=f"out={name}.iprof,{options}".rstrip(","))
        return self.profile(f"{name}.iprof").document

    def write(self, name, document):
        path = self.folder / f"{name}.iprof"
        path.write_text(json.dumps(document))
        return path

    def patched(self):
        source = SOURCE
        for old, new in PATCHES:
            self.assertIn(old, source)
            source = source.replace(old, new)
        return self.jar("new", source)


def long_run(document, times=2000, samples=6000, run="0" * 32):
    """The same profile, as if the program had done the same for a minute, and was sampled in it."""
    made = copy.deepcopy(document)
    for entry in made["callCountProfiles"]:
        entry["records"][0] *= times
    for table, width in (("conditionalProfiles", 3), ("virtualInvokeProfiles", 2)):
        for entry in made[table]:
            entry["records"][width - 1::width] = [count * times for count in entry["records"][width - 1::width]]
    ran = next(entry["ctx"].split(":")[0] for entry in made["conditionalProfiles"])
    made["samplingProfiles"] = [{"ctx": f"{ran}:0", "records": [samples]}] if samples else []
    section = made["iprofagent"]
    for part in ("sampling", "split"):
        section.pop(part, None)
    section["provenance"]["runs"][0].update(recorded_ms=60_000, run=run)
    return made


class Verdicts(AdviseCase):
    """Twelve profiles."""

    def advise(self, name, document, *options):
        path = self.write(name, document)
        run = self.run_tool("advise", "--format", "json", *options, path, expect=None)
        (advice,) = json.loads(run.stdout)["files"]
        self.assertEqual(run.code, advice["exit_code"])
        return run.code, [reason["rule"] for reason in advice["reasons"]]

    def test_each_profile_gets_its_label(self):
        jar = self.jar("app", SOURCE)
        fits = ("--classpath", jar, "--jdk", self.jvm.home)
        plain = self.recorded("plain", jar)
        good = long_run(plain)
        other = self.jar("other", OTHER, "other.Program")
        only_samples = {key: value for key, value in good.items() if not key.endswith("Profiles") or key == "samplingProfiles"}
        harvest = {"source": "methoddata", "estimator": "flow-9", "cpu_ms": 600_000_000}
        changed = self.jar("changed", SOURCE.replace("left > 10", "left > 11"))
        merged = self.folder / "merged.iprof"
        self.run_tool("merge", "-o", merged, self.write("one", good), self.write("two", long_run(plain, 3000, run="1" * 32)))
        far = 17 if self.jvm.major > 21 else 25
        start = copy.deepcopy(good)
        start["iprofagent"]["provenance"]["runs"][0]["recorded_ms"] = 1500
        estimated, runaway = copy.deepcopy(good), copy.deepcopy(good)
        estimated["iprofagent"]["harvest"] = harvest
        runaway["iprofagent"]["harvest"] = {**harvest, "cpu_ms": 1}
        labelled = {
            "good": (good, fits, USABLE, []),
            "short": (long_run(plain, 1), fits, DOUBTS, ["short-run"]),
            "start-up only": (start, fits, DOUBTS, ["start-up"]),
            "samples only": (only_samples, fits, UNUSABLE, ["no-counts"]),
            "no samples": (long_run(plain, samples=0), fits, DOUBTS, ["no-samples"]),
            "runaway harvest": (runaway, fits, UNUSABLE, ["impossible-counts", "estimated"]),
            "wrong JDK": (good, ("--target", str(far)), DOUBTS, ["other-jdk"]),
            "stale": (good, ("--classpath", changed), DOUBTS, ["stale"]),
            "other program": (good, ("--classpath", other), UNUSABLE, ["other-program"]),
            "merged": (json.loads(merged.read_text()), fits, USABLE, []),
            "estimated": (estimated, fits, DOUBTS, ["estimated"]),
            "contexts": (long_run(self.recorded("contexts", jar, "contexts=calls")), fits, USABLE, []),
        }
        self.assertEqual(len(labelled), 12)
        for label, (document, options, code, rules) in labelled.items():
            with self.subTest(label=label):
                self.assertEqual(self.advise(label.replace(" ", "-"), document, *options), (code, rules))

    @on_one_jvm
    def test_the_last_lines_end_with_it(self):
        jar = self.jar("app", SOURCE)
        run = self.run_java(["-jar", jar], agent="out=app.iprof")
        said = [line for line in run.stderr.splitlines() if "wrote" in line]
        self.assertRegex(said[-1], r"; usable with doubts: .*\d")
        line = self.run_tool("advise", "app.iprof", expect=DOUBTS).stdout.splitlines()[0]
        self.assertEqual(line, "app.iprof: usable with doubts")


class Repair(AdviseCase):
    """A profile of one version, and the class files of the next one."""

    def setUp(self):
        super().setUp()
        self.old, self.new = self.jar("old", SOURCE), self.patched()
        self.recorded("app", self.old, "samples=n")

    def repaired(self, *options):
        run = self.run_tool("convert", "--to", "iprof", "--format", "json", "--classpath", self.new, "--jdk", self.jvm.home, *options,
                            "app.iprof", "-o", "repaired.iprof")
        self.run_tool("check", "--classpath", self.new, "--jdk", self.jvm.home, "repaired.iprof")
        return json.loads(run.stdout)["repair"]

    def branches(self, name):
        """{position: {successor: count}} of total."""
        document = json.loads((self.folder / f"{name}.iprof").read_text())
        types = {entry["id"]: entry["name"] for entry in document["types"]}
        (total,) = (entry["id"] for entry in document["methods"] if entry["name"] == "total" and types[entry["signature"][0]] == "shop.Cart")
        found = {}
        for entry in document["conditionalProfiles"]:
            method, bci = entry["ctx"].split(":")
            if int(method) == total:
                found[int(bci)] = dict(zip(entry["records"][::3], entry["records"][2::3]))
        return found

    def types_of(self, name):
        document = json.loads((self.folder / f"{name}.iprof").read_text())
        return {entry["name"] for entry in document["types"]}

    def receivers(self, name):
        """The program's classes that were receivers."""
        document = json.loads((self.folder / f"{name}.iprof").read_text())
        types = {entry["id"]: entry["name"] for entry in document["types"]}
        return {types[type] for entry in document["virtualInvokeProfiles"] for type in entry["records"][::2] if types[type].startswith("shop.")}

    def test_positions_are_found_again_with_the_old_code(self):
        counts = self.repaired("--old-classpath", self.old)
        self.recorded("truth", self.new, "samples=n")
        truth, repaired, before = self.branches("truth"), self.branches("repaired"), self.branches("app")
        self.assertGreaterEqual(len(repaired), 2, repaired)
        self.assertEqual({position: truth.get(position) for position in repaired}, repaired)
        self.assertTrue(set(repaired) - set(before), "they have moved")
        self.assertGreaterEqual(counts["moved"], len(repaired))
        self.assertGreater(counts["changed_methods"], 0)
        # Gift was one receiver of a hundred, and the class Stamp is gone.
        self.assertEqual(self.types_of("app") - self.types_of("repaired"), {"shop.Cart$Stamp"})
        receivers = [self.receivers(name) for name in ("app", "repaired")]
        self.assertEqual(receivers[0] - receivers[1], {"shop.Cart$Gift"})
        self.assertGreater(counts["dropped_classes"], 0)
        self.assertGreater(counts["dropped_for"]["no-class"], 0)

    def test_nothing_is_found_without_it(self):
        counts = self.repaired()
        self.assertEqual(self.branches("repaired"), {})
        self.assertEqual(counts["moved"], 0)
        self.assertGreater(counts["dropped_for"]["other-code"], 0)
        calls = [self.profile(f"{name}.iprof").calls_of("shop.Cart.total([Lshop.Cart$Item;, int)int") for name in ("app", "repaired")]
        self.assertEqual(calls, [300, 300])

    @on_one_jvm
    def test_class_files_of_another_version_are_no_old_code(self):
        wrong = self.jar("wrong", SOURCE.replace("i % 10 == 0", "i % 11 == 0"))
        self.repaired("--old-classpath", wrong)  # finds positions of other methods, which are the same there
        self.assertEqual(self.branches("repaired"), {})

    @on_one_jvm
    def test_what_fits_stays(self):
        run = self.run_tool("convert", "--to", "iprof", "--classpath", self.old, "--jdk", self.jvm.home, "app.iprof", "-o", "same.iprof")
        self.assertEqual(run.stdout, "app.iprof: everything fits these class files\n")
        self.assertEqual(json.loads((self.folder / "same.iprof").read_text()), self.profile("app.iprof").document)

    @on_one_jvm
    def test_the_gate_goes_by_weight_and_names_the_heaviest_reasons(self):
        run = self.run_tool("check", "-q", "--classpath", self.new, "--min-applicable", "99.5%", "app.iprof", expect=1)
        self.assertRegex(run.stderr, r"app\.iprof: \d\d?\.\d\d % applicable by weight, less than --min-applicable 99\.5 %: ")
        self.assertEqual(len(re.findall(r" \(\d+\.\d %\)", run.stderr)), 3, run.stderr)
        self.assertIn("shop.Cart.total([Lshop.Cart$Item;, int)int: the code differs", run.stderr)
        self.run_tool("check", "-q", "--classpath", self.new, "--min-applicable", "1%", "app.iprof")
        self.run_tool("check", "-q", "--classpath", self.new, "app.iprof", expect=1)
        self.assertIn("--min-applicable needs --classpath", self.run_tool("check", "--min-applicable", "1%", "app.iprof", expect=2).stderr)
