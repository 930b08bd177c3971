#!/usr/bin/env python3
"""scripts/list-substitutions reads annotations like those of GraalVM and lists the methods that an image replaces.

usage: list_substitutions.py ROOT JAVAC
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

JAVAC, ROOT = sys.argv.pop(2), pathlib.Path(sys.argv.pop(1))

SOURCES = {
    "p/annotate/TargetClass.java": """
        package p.annotate;
        public @interface TargetClass {
          Class<?> value() default TargetClass.class; String className() default ""; String[] innerClass() default {};
          Class<?> classNameProvider() default TargetClass.class; Class<?>[] onlyWith() default {};
        }""",
    "p/annotate/TargetElement.java": """
        package p.annotate;
        public @interface TargetElement { String name() default ""; Class<?>[] onlyWith() default {}; }""",
    **{f"p/annotate/{name}.java": f"package p.annotate; public @interface {name} {{}}"
       for name in ("Substitute", "Delete", "Alias", "KeepOriginal")},
    "p/Package_a_b_helper.java": "package p; class Package_a_b_helper {}",
    "p/JDK21OrLater.java": "package p; class JDK21OrLater {}",
    "p/SomeOption.java": "package p; class SomeOption {}",
    "p/Some.java": """
        package p;
        import p.annotate.*;
        @TargetClass(className = "a.Plain")
        final class Target_a_Plain {
          @Substitute void replaced(int x, Target_a_Plain[] y, String z) {}
          @Delete native void gone();
          @Alias native void original();
          @Substitute @TargetElement(name = "<init>") void constructor(long x) {}
          @Substitute @TargetElement(onlyWith = JDK21OrLater.class) void later() {}
          @Delete @TargetElement(onlyWith = SomeOption.class) void perhaps() {}
          void helper() {}
        }
        @Substitute @TargetClass(value = Some.class, innerClass = {"Inner", "Most"})
        final class Target_Whole {
          @Substitute void replaced(Target_Whole x) {}
          @KeepOriginal native void kept();
          void own() {}
        }
        @Delete @TargetClass(classNameProvider = Package_a_b_helper.class, className = "Moved")
        final class Target_Moved {}
        @Delete @TargetClass(className = "a.Conditional", onlyWith = SomeOption.class)
        final class Target_Conditional {}
        @TargetClass(classNameProvider = SomeOption.class)
        final class Target_Unknown { @Substitute void unknown() {} }
        final class Some {}""",
}

EXPECTED = """\
    {"a.Conditional", "*~abcde"},
    {"a.Plain", "<init>(long)~abcde gone()-abcde later()~bcde perhaps()~abcde replaced(int,[La.Plain;,java.lang.String)~abcde"},
    {"a.b.Moved", "*-abcde"},
    {"p.Some$Inner$Most", "*-abcde kept()=abcde replaced(p.Some$Inner$Most)~abcde"},"""


class ListSubstitutions(unittest.TestCase):
    def run_script(self, *arguments):
        return subprocess.run([ROOT / "scripts" / "list-substitutions", *arguments], capture_output=True, text=True, check=False)

    def test_a_small_release(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path, text in SOURCES.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text)
            subprocess.run([JAVAC, "-d", folder / "classes", *(folder / path for path in SOURCES)], check=True)
            jar = folder / "x.jar"
            with zipfile.ZipFile(jar, "w") as archive:
                for path in sorted((folder / "classes").rglob("*.class")):
                    archive.write(path, path.relative_to(folder / "classes"))
            done = self.run_script(*(f"{jdk}={jar}" for jdk in (17, 21, 23, 24, 25)))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line for line in done.stdout.splitlines() if line.startswith('    {"')]
        self.assertEqual("\n".join(rows), EXPECTED)
        self.assertEqual(done.stderr.count("its target is computed by"), 5, done.stderr)
        self.assertIn("SubstitutionRows() { return kRows; }", done.stdout)

    def test_wrong_arguments(self):
        self.assertIn("usage:", self.run_script("18=x.jar").stderr)
        self.assertIn("name the jars of each of 17, 21", self.run_script("17=x.jar").stderr)


if __name__ == "__main__":
    unittest.main()
