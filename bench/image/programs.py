"""The programs whose images are compared: public command-line programs with fixed work.

Each generates no bytecode, so that native-image needs only what GraalVM's tracing agent finds out.

To add one: a row in PROGRAMS, its jar in scripts/pins, and its input in files. Its output must not depend on who runs it: it is either files
in the output folder, or a line `RESULT checksum=N`.
"""

import dataclasses
import hashlib
import pathlib

FILES = pathlib.Path(__file__).resolve().parent / "files"
HEAP = "-Xmx1g"  # so that peak memory and collections do not depend on the machine's memory


def digest(*parts):
    """A hash of texts, numbers and the like."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    pin: str  # in scripts/pins
    main: str
    input: str  # in files
    quick: int  # the amount of work: copies of the input, or rounds
    full: int
    options: object  # (files, output folder, amount) -> the arguments
    copied: bool = True  # whether the amount is that of the input's copies

    def amount(self, quick):
        return self.quick if quick else self.full

    def write_input(self, folder, quick):
        """Copies with numbered names: of Sums.g4, Sums1.g4 with the grammar Sums1, and so on."""
        if not self.copied:
            (folder / self.input).write_bytes((FILES / self.input).read_bytes())
            return
        text, name = (FILES / self.input).read_text(), pathlib.Path(self.input)
        for number in range(1, self.amount(quick) + 1):
            numbered = text.replace(name.stem, f"{name.stem}{number}").replace(name.stem.lower(), f"{name.stem.lower()}{number}")
            (folder / f"{name.stem}{number}{name.suffix}").write_text(numbered)

    def arguments(self, inputs, output, quick):
        """The program's arguments; inputs: the folder of write_input(), output: an empty folder."""
        names = [f"{pathlib.Path(self.input).stem}{number}{pathlib.Path(self.input).suffix}" for number in range(1, self.amount(quick) + 1)]
        files = [inputs / name for name in (names if self.copied else [self.input])]
        return [str(word) for word in self.options(files, output, self.amount(quick))]

    def work(self, quick):
        """What decides what the program does."""
        return digest(self.name, self.main, self.arguments(pathlib.Path("inputs"), pathlib.Path("output"), quick),
                      (FILES / self.input).read_bytes())


def _rhino(files, _, rounds):
    return ["-opt", "-1", *files, rounds]  # -1: interpreted, as an image can define no classes


def _antlr(files, output, _):
    return ["-Xexact-output-dir", "-o", output, *files]


def _closure(files, output, _):
    return ["--compilation_level", "ADVANCED", "--js_output_file", output / "all.js", *(word for file in files for word in ("--js", file))]


PROGRAMS = (
    Program("rhino", "rhino", "org.mozilla.javascript.tools.shell.Main", "work.js", 20, 4000, _rhino, copied=False),
    Program("antlr", "antlr", "org.antlr.v4.Tool", "Language.g4", 1, 80, _antlr),
    Program("closure", "closure-compiler", "com.google.javascript.jscomp.CommandLineRunner", "Library.js", 1, 60, _closure),
)


def checksum_of(folder):
    """One number for all that a program wrote into its output folder; empty if it wrote nothing."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    written = [(str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files]
    return digest(written)[:16] if written else ""
