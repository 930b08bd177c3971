"""Tests of the options that benchmarks share, and of a program that answers lines."""

import contextlib
import io
import sys
from unittest import mock

from iprofdev import jvms
from runner.folder_case import FolderCase
from runner.options import Options
from runner.program import Program
from runner.running import Failed

ANSWERS = """
import sys
print("a warning"); print("ready 7", flush=True)
for line in sys.stdin:
    if line == "fail\\n":
        print("the reason", file=sys.stderr); sys.exit(3)
    print("heard", line, end="", flush=True)
"""


class Shared(FolderCase):
    def parsed(self, *words):
        options = Options("test", "text")
        options.names("--programs", ["a", "b", "c"], among=["a", "b"])
        options.names("--ways", ["x=1,y", "z"], separator=";")
        options.value("--times", 1.5, "of 5 %")
        options.built("agent")
        options.jvm("java")
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said):
                return options.parsed([*words, "--build", str(self.folder)])
        except SystemExit as ended:
            return f"{ended.code}: {said.getvalue()}"

    def test_names_are_known_ones_in_the_known_order_and_what_there_is_not_is_said(self):
        self.assertIn("libiprofagent.so: build it with scripts/build, or name another one with --agent", self.parsed())
        (self.folder / "libiprofagent.so").touch()
        usual = self.parsed()
        self.assertEqual((usual.programs, usual.ways, usual.times), (["a", "b"], ["x=1,y", "z"], 1.5))
        self.assertEqual(usual.agent, (self.folder / "libiprofagent.so").resolve())
        some = self.parsed("--programs", "c,a", "--ways", "x=1,y", "--times", "3")
        self.assertEqual((some.programs, some.ways, some.times), (["a", "c"], ["x=1,y"], 3.0))
        self.assertRegex(self.parsed("--programs", "d"), "(?s)^2: .*there is no program d; there are: a, b, c")
        with mock.patch.object(jvms, "all_jvms", lambda: [jvms.Jvm("jdk17", self.folder, "jdk")]):
            self.assertIn("there is no JVM jdk0; there are: jdk17", self.parsed("--jvm", "jdk0"))

    def test_each_line_gets_an_answer_and_an_early_end_its_reason(self):
        with Program([sys.executable, "-c", ANSWERS], self.folder) as program:
            self.assertEqual((program.ready, program.ask("this"), program.ask(5)), ("ready 7", "heard this", "heard 5"))
            with self.assertRaisesRegex(Failed, "(?s)the program ended:.*the reason"):
                program.ask("fail")
