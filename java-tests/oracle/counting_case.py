"""CountingCase: runs a program of counting/ under the agent and compares the profile with the counts that the
program prints."""

import pathlib
import re
import sys

from harness.case import AgentCase, Settings
from oracle import counts, expectations

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "counting"
# How many classes the largest call sites of All and Typed see. To define MANY takes longer than all else that they do, so
# that only scripts/proof does it everywhere.
MANY = 5000
FEW = 500 if Settings.part == "test" else MANY
_PROGRAM = []
_LAMBDAS = {}


def program():
    """The markers and classes of all programs, read once."""
    if not _PROGRAM:
        _PROGRAM.append(expectations.Program(SOURCES, Settings.classes / "counting"))
    return _PROGRAM[0]


class CountingCase(AgentCase):
    agent_defaults = {"image": "n"}

    def check(self, main, *args, agent="placement=tree", jvm_args=(), expect=0, library=True, only_where_counted=False,
              lambdas=True):
        """main: a class of the package, or for example ["-m", ...]. only_where_counted: a method or branch that was
        left out is not an error, but a wrong number is. lambdas: whether each of the program's lambdas has a name of its own."""
        main = f"counting.{main}" if isinstance(main, str) else main
        run = self.run_java(main, *args, agent=agent, jvm_args=jvm_args, expect=expect)
        found = counts.from_document(self.profile().document)
        checker = expectations.Checker(
            program(), found, tree="placement=direct" not in agent, library=library, only_where_counted=only_where_counted,
            receivers="receivers=n" not in agent, monitors="monitors=n" not in agent, checks="instanceofs=y" in agent,
            confined="include=counting.*" in agent, lambdas=lambdas and self.names_lambdas())
        outcome = checker.check(expectations.parse(run.stdout))
        print(f"{self.jvm.id} {self._testMethodName} {agent} {' '.join(map(str, jvm_args))}: {outcome.summary()}",
              file=sys.stderr)
        if outcome.wrong:
            self.fail(f"{' '.join(run.command)}\n" + "\n".join(outcome.wrong[:60]) + f"\n{outcome.summary()}")
        return run, outcome

    def names_lambdas(self):
        """Whether the agent gives hidden classes their stable names."""
        if Settings.agent not in _LAMBDAS:
            said = self.run_java(["-version"], agent="help", expect=None)
            _LAMBDAS[Settings.agent] = re.search(r"^\s*target\b", said.stdout + said.stderr, re.M) is not None
        return _LAMBDAS[Settings.agent]

    def both(self, main, *args, jvm_args=(), expect=0, **more):
        for placement in ("direct", "tree"):
            with self.subTest(placement=placement):
                self.check(main, *args, agent=f"placement={placement}", jvm_args=jvm_args, expect=expect, **more)
