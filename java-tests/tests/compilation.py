"""HotSpot compiles the same methods with the agent: in some packages of java.base, no method may be refused that is
compiled without the agent. These packages contain code that has caused problems: handlers that cover themselves,
monitors, loops in synchronized blocks. `scripts/proof compile` does the same for all classes.
"""

import sys

from harness.case import AgentCase, Settings
from rewriter import compilation

PACKAGES = ["java/util/concurrent", "java/util/concurrent/locks", "sun/nio/ch"]


class EveryMethod(AgentCase):
    def check(self, compiler, *options):
        sources = [f"jrt:java.base/{package}" for package in PACKAGES]
        runs = compilation.Compilation(self.jvm.java, Settings.classes, self.folder, compiler, sources)
        for option in options:
            with self.subTest(compiler=compiler, options=option):
                found = runs.compare(Settings.agent, option)
                print(f"{compiler} {option}: {found.after}"[:200], file=sys.stderr)
                self.assertGreater(found.before.methods, 2500)
                self.assertLess(len(found.before.refused), 0.01 * found.before.methods)
                if found.faults:
                    self.fail("\n".join(found.faults[:60]))

    def test_c1(self):
        self.check("C1", "placement=tree", "placement=direct,format=1.1.0,instanceofs=y")

    def test_c2(self):
        self.check("C2", "placement=tree")
