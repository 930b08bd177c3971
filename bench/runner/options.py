"""The options of a benchmark: those that several have are defined here, and checked before anything runs.

Each benchmark's add_options(options) says which ones it takes. Example: after `options.names("--programs", PROGRAMS)`, arguments.programs
is a list of names in the order of PROGRAMS, by default all of them; another name ends the program with the list of those that there are.
"""

import argparse
import os
import pathlib
import shutil

from iprofdev import jvms
from iprofdev.places import BUILD

BUILT = {"agent": "libiprofagent.so", "tool": "iprof"}


class Options(argparse.ArgumentParser):
    def __init__(self, prog, text):
        super().__init__(prog=prog, description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_argument("--quick", action="store_true", help="little work: only checks that it runs; its figures have no meaning")
        self.add_argument("--build", type=pathlib.Path, default=BUILD, help="the build's folder (default: %(default)s)")

    def value(self, name, default, text):
        """An option whose value has the default's type."""
        self.add_argument(name, type=type(default), default=default, help=f"{text} (default: {str(default).replace('%', '%%') or 'none'})")

    def flag(self, name, text):
        self.add_argument(name, action="store_true", help=text)

    def file(self, name, text):
        self.add_argument(name, type=pathlib.Path, help=text)

    def built(self, *names):
        """Of BUILT; they exist, and their paths are absolute."""
        for name in names:
            self.file(f"--{name}", f"default: {BUILT[name]} in the build's folder")

    def names(self, name, known, text="", default="", among=None, separator=","):
        """Some of the known names; the default "" stands for all of them, or for those of `among`."""
        what, usual = name.strip("-").removesuffix("s"), list(among or known)

        def parsed(said):
            wanted = [word.strip() for word in said.split(separator) if word.strip()]
            if unknown := set(wanted) - set(known):
                raise argparse.ArgumentTypeError(f"there is no {what} {min(unknown)}; there are: {', '.join(known)}")
            return [one for one in known if one in wanted] if wanted else usual
        self.add_argument(name, type=parsed, default=default, help=f"{text}of {', '.join(known)}, joined by '{separator}'; default: "
                          .replace("%", "%%") + (default or ("all" if among is None else separator.join(among))).replace("%", "%%"))

    def jvm(self, default="jdk17"):
        self.add_argument("--jvm", type=jvm_of, default=default, help=f"a name of scripts/jvms, a folder, or a java command (default: {default})")

    def jvms(self):
        """arguments.jvms"""
        self.add_argument("--jvm", dest="jvms", type=lambda said: [jvm_of(name) for name in said.split(",")] if said else jvms.all_jvms(), default="",
                          help="like --jvm jdk17,jre25 (default: all)")

    def forks(self, default, text="runs of each pair that is compared"):
        self.value("--forks", default, text)

    def seed(self):
        self.add_argument("--seed", type=int, help="of the order; default: by chance, and printed")

    def csv(self):
        self.file("--csv", "a file for every single figure, written as they come")

    def parsed(self, words):
        arguments = self.parse_args(words)
        for name, place in BUILT.items():
            if hasattr(arguments, name):
                path = getattr(arguments, name) or arguments.build / place
                if not path.exists():
                    self.error(f"there is no {path}: build it with scripts/build, or name another one with --{name}")
                setattr(arguments, name, path.resolve())
        return arguments


def jvm_of(name):
    """The Jvm that the user names."""
    command = pathlib.Path(name) / "bin" / "java"
    found = command if os.access(command, os.X_OK) else shutil.which(name)
    if found:
        home = pathlib.Path(found).resolve().parent.parent
        return jvms.Jvm(pathlib.Path(name).name, home, "jdk" if jvms.is_jdk(home) else "jre")
    jvm = jvms.named(name)
    if jvm is None:
        raise argparse.ArgumentTypeError(f"there is no JVM {name}; there are: {', '.join(known.id for known in jvms.all_jvms())}")
    return jvm
