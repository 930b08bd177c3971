"""`iprof check --classpath --jdk` says which records of a profile an image build of given classes can use. With the classes
that ran, that is all of them; after a change, exactly the records of what has changed are stale."""

import functools
import json
import re
import subprocess
import zipfile

from iprofdev import jvms
from iprofdev.processes import PATIENCE_S

from harness.case import ROOT, AgentCase, Settings
from harness.harvestable import STEPS
from harness.scope import in_proof, on_one_jvm
from oracle import classfile, code_hashes, jdk_classes

ALL_TABLES = "format=1.1.0,instanceofs=y"
SOURCE = ROOT / "java-tests" / "programs" / "Harvestable.java"
# Classes that a JVM makes without class files, but without the mark of hidden ones.
MADE = re.compile(r"\.invoke\.(BoundMethodHandle\$Species_|SimpleMethodHandle)")


def name_of(method):
    """The name in a profile of a method of a class file."""
    result, *parameters = classfile.signature(method.descriptor)
    return f"{method.owner}.{method.name}({', '.join(parameters)}){result}"


def owner_of(method):
    return method.partition("(")[0].rpartition(".")[0]


class FitnessCase(AgentCase):
    def jar(self, folder=None, name="app.jar", pattern="Harvestable*.class"):
        with zipfile.ZipFile(self.folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted((folder or Settings.classes).glob(pattern)):
                archive.write(path, path.name)
        return name

    def fit(self, name, class_path, home=None, *options, expect=0):
        """What the tool says about a profile."""
        run = self.run_tool("check", "--format", "json", "--classpath", class_path, "--jdk", home or self.jvm.home, *options, name,
                            expect=expect)
        return json.loads(run.stdout)["files"][0]["fit"]

    @staticmethod
    def stale(fit):
        """{method: reason}"""
        return {each["method"]: each["reason"] for each in fit["stale"]}

    def assert_fits(self, fit):
        self.assertEqual(fit["stale"], [])
        self.assertEqual((fit["relevant_weight"], fit["applicable_weight"]), (fit["weight"], fit["weight"]))
        self.assertEqual((fit["relevance"], fit["applicability"]), (1, 1))
        self.assertEqual(fit["misnamed"]["entries"], 0)
        self.assertEqual(fit["not_judged"]["entries"], 0)
        for table in ("callCountProfiles", "conditionalProfiles", "virtualInvokeProfiles", "instanceOfProfiles"):
            self.assertGreater(fit["tables"][table]["weight"], 0, table)


class TheSameClasses(FitnessCase):
    def test_everything_fits(self):
        self.run_java("Harvestable", STEPS, "end", agent=f"samples=n,{ALL_TABLES}")
        fit = self.fit("default.iprof", self.jar())
        self.assert_fits(fit)
        self.assertGreater(fit["generated"]["entries"], 0, "the program has a lambda")
        self.assertEqual(fit["methods_without_hash"], 0, "only methods that are nowhere but in samples have none")
        self.assertEqual(fit["recorded_jdk"], fit["compared_jdk"])
        names = [package["package"] for package in fit["packages"]]
        self.assertIn("", names)
        self.assertIn("java.lang", names)
        self.assertEqual(sum(package["weight"] for package in fit["packages"]), fit["weight"])
        # A folder is as good as a jar.
        self.assertEqual(self.fit("default.iprof", Settings.classes), fit)

    def test_with_everything_that_a_jvm_runs_only_its_own_classes_have_no_file(self):
        self.run_java("Harvestable", STEPS, "end", agent=f"image=n,interval=1ms,{ALL_TABLES}")
        fit = self.fit("default.iprof", self.jar(), expect=None)
        self.assertGreater(fit["tables"]["samplingProfiles"]["entries"], 0)
        self.assertEqual({method: reason for method, reason in self.stale(fit).items()
                          if reason != "no-class" or not MADE.search(method)}, {})
        self.assertEqual(fit["applicable_weight"], fit["relevant_weight"])
        self.assertGreater(fit["entries"], 3000)

    def test_everything_fits_after_an_attach(self):
        process = self.start_java("Harvestable", STEPS, "again", agent=None)
        self.run_tool("attach", process.pid, f"out={self.folder / 'late.iprof'},{ALL_TABLES}")
        process.communicate(b"\n\n", timeout=PATIENCE_S)
        fit = self.fit("late.iprof", self.jar())
        self.assert_fits(fit)
        self.assertIn("Harvestable.step(int)int", self.profile("late.iprof").methods)

    def test_everything_fits_of_a_harvest(self):
        process = self.start_java("Harvestable", STEPS, agent=None)
        self.run_tool("harvest", process.pid, "-o", "harvest.iprof")
        fit = self.fit("harvest.iprof", self.jar())
        self.assertEqual(fit["stale"], [])
        self.assertEqual(fit["applicable_weight"], fit["weight"])

    @on_one_jvm
    def test_only_what_the_class_path_has_is_judged(self):
        self.run_java("Harvestable", STEPS, "end", agent=ALL_TABLES)
        both = self.fit("default.iprof", self.jar())
        program = json.loads(self.run_tool("check", "--format", "json", "--classpath", "app.jar", "default.iprof").stdout)
        jdk = json.loads(self.run_tool("check", "--format", "json", "--jdk", self.jvm.home, "default.iprof").stdout)
        parts = [each["files"][0]["fit"] for each in (program, jdk)]
        self.assertEqual(sum(part["entries"] for part in parts), both["entries"])
        self.assertEqual(parts[0]["not_judged"]["entries"], parts[1]["entries"])
        text = self.run_tool("check", "--classpath", "app.jar", "default.iprof").stdout
        self.assertIn("default.iprof: 100.0 % relevant and 100.0 % applicable by weight", text)
        self.assertRegex(text, r"default.iprof: not judged: [\d,]+ entries of classes of the JDK \(add --jdk\)")


@on_one_jvm
class Changes(FitnessCase):
    def setUp(self):
        super().setUp()
        self.run_java("Harvestable", STEPS, "end", agent=f"samples=n,{ALL_TABLES}")

    def compiled(self, source):
        """The folder of the classes of a changed program."""
        folder = self.folder / "changed"
        folder.mkdir()
        (folder / SOURCE.name).write_text(source, encoding="utf-8")
        subprocess.run([jvms.build_jdk().javac, "-g", "--release", "17", "-d", folder, folder / SOURCE.name], check=True)
        return folder

    def changed(self, *replaced):
        source = SOURCE.read_text(encoding="utf-8")
        for old, new in replaced:
            self.assertIn(old, source)
            source = source.replace(old, new)
        return self.compiled(source)

    def expected(self, folder):
        """The methods of the profile whose code differs from that of the new classes, or is gone; by the oracle's hashes."""
        new = {}
        for path in folder.glob("*.class"):
            new |= code_hashes.of_class_file(path.read_bytes())
        owners = {owner_of(method) for method in new}
        reasons = {}
        for method, text in code_hashes.of_profile(self.profile()).items():
            owner = owner_of(method)
            if not owner.startswith("Harvestable") or "$$Lambda" in owner or new.get(method) == text:
                continue
            reasons[method] = "no-class" if owner not in owners else "other-code" if method in new else "no-method"
        return reasons

    def test_a_changed_method_is_the_only_one(self):
        folder = self.changed(("n % 10 == 0", "n % 10 == 3"))
        fit = self.fit("default.iprof", self.jar(folder), expect=1)
        self.assertEqual(self.stale(fit), {"Harvestable.every10th(int)int": "other-code"})
        self.assertEqual(self.stale(fit), self.expected(folder))
        (stale,) = fit["stale"]
        self.assertEqual((stale["entries"], stale["weight"]), (2, 2 * STEPS), "its calls and its branch")
        self.assertEqual(fit["relevant_weight"], fit["weight"])
        self.assertEqual(fit["applicable_weight"], fit["weight"] - 2 * STEPS)
        (package,) = (each for each in fit["packages"] if each["package"] == "")
        self.assertLess(package["applicability"], 1)
        text = self.run_tool("check", "--classpath", "app.jar", "--jdk", self.jvm.home, "default.iprof", expect=1).stdout
        self.assertRegex(text, r"default.iprof: 100.0 % relevant and \d\d.\d % applicable by weight, [\d,]+ entries compared, 1 stale method")
        self.assertIn(f"  Harvestable.every10th(int)int: the code differs (2 entries, weight {2 * STEPS})\n", text)

    def test_a_renamed_class_is_gone_and_no_receiver(self):
        folder = self.changed(("Square", "Quad"))
        fit = self.fit("default.iprof", self.jar(folder), expect=1)
        stale, expected = self.stale(fit), self.expected(folder)
        self.assertEqual(expected["Harvestable$Square.area(int)int"], "no-class")
        self.assertEqual(expected["Harvestable.step(int)int"], "other-code")
        receivers = "Harvestable.areaOf(Harvestable$Shape, int)int"
        self.assertEqual(stale, expected | {receivers: "other-receivers"})
        (detail,) = (each["detail"] for each in fit["stale"] if each["method"] == receivers)
        self.assertRegex(detail, r"^at \d+: there is no class Harvestable\$Square$")
        self.assertLess(fit["relevant_weight"], fit["weight"])

    def test_a_changed_signature_is_another_method(self):
        folder = self.changed(("static int check(Object o)", "static int check(Object o, int unused)"), ("1));\n", "1), n);\n"))
        fit = self.fit("default.iprof", self.jar(folder), expect=1)
        self.assertEqual(self.stale(fit), self.expected(folder))
        self.assertEqual(self.stale(fit)["Harvestable.check(java.lang.Object)int"], "no-method")

    def test_a_program_without_hashes_is_judged_by_its_positions(self):
        document = self.profile().document
        del document["iprofagent"]["code"]
        (self.folder / "bare.iprof").write_text(json.dumps(document), encoding="utf-8")
        fit = self.fit("bare.iprof", self.jar())
        self.assert_fits(fit)
        self.assertGreater(fit["methods_without_hash"], 100)
        # The same positions, and a branch at another one.
        folder = self.changed(("n % 10 == 0", "(n + n * 2) % 10 == 0"))
        fit = self.fit("bare.iprof", self.jar(folder), expect=1)
        self.assertEqual(self.stale(fit), {"Harvestable.every10th(int)int": "other-instruction"})

    def test_names_of_lambdas_fit_one_target_only(self):
        jar = self.jar()
        self.assertEqual(self.fit("default.iprof", jar)["names_jdk"], self.jvm.major)
        self.run_java("Harvestable", STEPS, "end", agent=f"target=17,{ALL_TABLES}")
        self.assertEqual(self.fit("default.iprof", jar, None, "--target", "21")["misnamed"]["entries"], 0)
        fit = self.fit("default.iprof", jar, None, "--target", "25", expect=1)
        self.assertGreater(fit["misnamed"]["entries"], 0)
        self.assertEqual(fit["misnamed"], {key: fit["generated"][key] for key in ("entries", "weight")})
        self.assertEqual(set(self.stale(fit).values()), {"other-name"})
        self.assertEqual(fit["applicable_weight"], fit["weight"], "lambdas are apart")
        self.run_java("Harvestable", STEPS, "end", agent=f"out=for25.iprof,target=25,{ALL_TABLES}")
        self.assertEqual(self.fit("for25.iprof", jar, None, "--target", "25")["misnamed"]["entries"], 0)
        self.assertGreater(self.fit("for25.iprof", jar, None, "--target", "24", expect=1)["misnamed"]["entries"], 0)

    def test_what_cannot_be_read_is_said(self):
        (self.folder / "bad.jar").write_text("not a jar", encoding="utf-8")
        for class_path, home, code, message in (
                ("missing.jar", self.jvm.home, 4, "cannot open missing.jar: No such file or directory"),
                ("bad.jar", self.jvm.home, 3, "bad.jar is not a sound zip archive: it has no end record"),
                (Settings.classes, self.folder, 4, f"cannot read {self.folder}/release: is {self.folder} a JDK?")):
            run = self.run_tool("check", "--classpath", class_path, "--jdk", home, "default.iprof", expect=code)
            self.assertIn(message, run.stderr)
        run = self.run_tool("check", "--classpath", "bad.jar", "-", expect=2)
        self.assertIn("so it cannot be '-'", run.stderr)


@in_proof
class Images(FitnessCase):
    """The image of a JDK, as jlink can make it: plain, with shared strings, with zlib."""

    def test_compressed_images_have_the_same_classes(self):
        self.jvm = jvms.build_jdk()
        self.run_java("Harvestable", STEPS, "end", agent=ALL_TABLES)
        for compression in (0, 1, 2):
            with self.subTest(compression=compression):
                home = self.folder / f"image{compression}"
                self.run_command([self.jvm.tool("jlink"), "--add-modules", "java.base", f"--compress={compression}", "--output", home])
                self.assert_fits(self.fit("default.iprof", self.jar(), home))


@on_one_jvm
class JdkUpdate(FitnessCase):
    """A profile of JDK 17 and the classes of JDK 25."""

    def test_exactly_the_methods_that_differ_are_stale(self):
        self.jvm, newer = jvms.of_major(17), jvms.of_major(25)
        if None in (self.jvm, newer):
            self.skipTest("needs a JVM 17 and a JVM 25")
        self.run_java("Harvestable", STEPS, "end", agent="image=n,samples=n,receivers=n")
        root = jdk_classes.module(newer, "java.base")

        @functools.lru_cache(maxsize=None)
        def newer_hashes(owner):
            """{method: hash, or None without code}; None: there is no such class"""
            path = root / (owner.replace(".", "/") + ".class")
            if not path.exists():
                return None
            data = path.read_bytes()
            return dict.fromkeys(map(name_of, classfile.read(data).methods)) | code_hashes.of_class_file(data)

        def reason(method, text):
            hashes = newer_hashes(owner_of(method))
            if hashes is None:
                return "no-class"
            return "no-method" if method not in hashes else "other-code" if hashes[method] != text else None

        judged = {method: reason(method, text) for method, text in code_hashes.of_profile(self.profile()).items()
                  if method.startswith("java.") and "/" not in owner_of(method)}
        expected = {method: why for method, why in judged.items() if why}
        same = len(judged) - len(expected)
        self.assertGreater(same, 500)
        self.assertGreater(list(expected.values()).count("other-code"), 50)
        fit = self.fit("default.iprof", self.jar(), newer.home, expect=1)
        self.assert_same(expected, {method: reason for method, reason in self.stale(fit).items()
                                    if method.startswith("java.") and "/" not in owner_of(method)})
        self.assertLess(fit["applicable_weight"], fit["relevant_weight"])
        text = self.run_tool("check", "--classpath", "app.jar", "--jdk", newer.home, "--max-findings", "10", "default.iprof",
                             expect=1).stdout
        self.assertIn(f"  {len(fit['stale']) - 10} more are not shown", text)
        self.assertIn("an image build for JDK 25 does not know the names of", text)
        self.assertIn(f"recorded on JDK {self.jvm.full_version}, compared with JDK {newer.full_version}", text)
