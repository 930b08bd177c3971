"""Positions and opcodes of every harvested method are those of its class file, which Python reads on its own: the bytecode as
the reader restores it is that of the class file byte for byte, and a MethodData has exactly the records that follow from it."""

import collections
import pathlib
import re
import zipfile

from iprofdev import maven
from iprofdev.processes import PATIENCE_S

from harness.case import AgentCase, Settings
from harness.harvestable import STEPS
from harness.scope import in_proof
from oracle import class_code, method_data, method_records
from oracle.jdk_classes import module
from rewriter import compilation

# Classes that the JVM or jlink makes, or makes again, when a CDS archive is written: their class files are others.
MADE = re.compile(r"^java/lang/invoke/.*\$Holder$")
C1_PROFILES = ["-XX:TieredStopAtLevel=3", "-Xbatch", "-XX:+UseSerialGC", "-Xmx2g", "-XX:ReservedCodeCacheSize=800m"]
# A jar, and those that it needs.
PROGRAMS = (("lucene-core",), ("lucene-analysis", "lucene-core"), ("jackson-databind", "jackson-core", "jackson-annotations"),
            ("jackson-core",), ("groovy",), ("velocity",), ("hsqldb",))
VERSIONED = re.compile(r"META-INF/versions/(\d+)/(.*)")


class Positions(AgentCase):
    def class_files(self, modules, jars):
        folders = [Settings.classes, *(module(self.jvm, name) for name in modules)]
        for jar in jars:
            folders.append(self.folder / jar.stem)
            self.unpack(jar, folders[-1])
        return class_code.ClassFiles(*folders)

    def unpack(self, jar, folder):
        """As the JVM sees it, if the jar has classes for several versions of Java."""
        with zipfile.ZipFile(jar) as opened:
            chosen = {}  # path: (version, name in the jar)
            for name in opened.namelist():
                versioned = VERSIONED.fullmatch(name)
                version, path = (int(versioned[1]), versioned[2]) if versioned else (0, name)
                if path.endswith(".class") and version <= self.jvm.major:
                    chosen[path] = max(chosen.get(path, (0, path)), (version, name))
            for path, (_, name) in chosen.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(opened.read(name))

    def compare(self, process, modules=("java.base",), jars=()):
        """(methods, methods with a MethodData, records) that are equal."""
        tool = Settings.agent.parent / "java-tests" / "harvest_records"
        harvested = method_records.harvested(self.run_command([tool, str(process.pid)], timeout=PATIENCE_S).stdout.splitlines())
        process.communicate(b"\n", timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, process.err_path.read_text())
        files, different, compared = self.class_files(modules, jars), [], collections.Counter()
        for key, method in harvested.items():
            if not files.has_class(key[0]) or MADE.match(key[0]):
                compared["of other classes"] += 1
                continue
            original = files.find(key)
            if original is None:  # it throws an error: the class inherits conflicting default methods, or none
                compared["made by the JVM"] += 1
                continue
            different += [(key, what) for what in class_code.code_differences(method.code, original.bytecode, original.max_locals)]
            compared["methods"] += 1
            if method.records:
                expected = class_code.expected_records(original.bytecode)
                actual = {bci: (kind, len(numbers[0]) if kind in ("branch", "switch") else None)
                          for bci, (kind, *numbers) in method.records.items()}
                if expected != actual:
                    different.append((key, {bci: (expected.get(bci), actual.get(bci)) for bci in expected.keys() | actual.keys()
                                            if expected.get(bci) != actual.get(bci)}))
                compared["methods with records"] += 1
                compared["records"] += len(expected)
        self.assertEqual(different[:5], [], f"{len(different)} differences")
        self.assertLess(compared["made by the JVM"], 0.05 * compared["methods"])
        print(f"{self.jvm.id}: as in the class files: " + ", ".join(f"{n} {what}" for what, n in compared.items()))
        return compared

    def test_the_program_and_the_classes_of_the_jdk_that_it_loaded(self):
        compared = self.compare(self.start_java("Harvestable", STEPS, agent=None, jvm_args=method_data.NEAR_EXACT))
        self.assertGreater(compared["methods"], 3000)
        self.assertGreater(compared["methods with records"], 300)

    def compile_all(self, *sources):
        """C1 compiles each method for profiling, so that each has a MethodData."""
        boot = self.folder / "boot"
        white_box = pathlib.Path(compilation.WHITE_BOX)
        (boot / white_box).parent.mkdir(parents=True)
        (boot / white_box).write_bytes((Settings.classes / white_box).read_bytes())
        options = [f"-Xbootclasspath/a:{boot}", "-XX:+UnlockDiagnosticVMOptions", "-XX:+WhiteBoxAPI", "-Dcompilation.hold=true",
                   *C1_PROFILES]
        return self.start_java("compilation.CompileAll", self.folder / "result.txt", 3, *sources, agent=None, jvm_args=options)

    @in_proof
    def test_all_of_java_base(self):
        compared = self.compare(self.compile_all("jrt:java.base"))
        self.assertGreater(compared["methods"], 40_000)
        self.assertGreater(compared["methods with records"], 25_000)

    @in_proof
    def test_real_programs(self):
        modules = [name for name in ("java.base", "jdk.compiler") if name in self.run_java("--list-modules", agent=None).stdout]
        paths = [maven.jars(names) for names in PROGRAMS]
        sources = [f"own:{':'.join(map(str, jars))}" for jars in paths]
        compared = self.compare(self.compile_all(*sources, *(f"jrt:{name}" for name in modules[1:])), modules, [jars[0] for jars in paths])
        self.assertGreater(compared["methods"], 40_000)
        self.assertGreater(compared["methods with records"], 25_000)
