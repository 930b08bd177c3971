"""The programs that load and unload classes (java-tests/programs/soak), with heaps that are just large enough."""

import dataclasses
import zipfile

MODES = ("loaders", "unique", "hidden", "lambdas", "proxies", "refusing", "redefinition")
SMALL_HEAPS_MB = (4, 8, 12, 16, 24)


@dataclasses.dataclass(frozen=True)
class Churn:
    """`helper_first`: the Java agent of the redefinition mode is named before ours. Beside one that is named after it, our agent
    swaps no classes of a recording that begins with the JVM, so count-until= has no effect."""
    mode: str
    helper_first: bool = False

    @property
    def name(self):
        return f"churn-{self.mode}"

    def command(self, java, agent, classes, folder, seconds):
        """A heap of fixed size, touched at the start, so that growing memory is not the heap."""
        heap = ["-XX:+UseSerialGC", "-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch", "-XX:MaxMetaspaceSize=96m"]
        helper = [f"-javaagent:{helper_jar(folder)}"] if self.mode == "redefinition" else []
        agents = [*helper, *agent] if self.helper_first else [*agent, *helper]
        return [java, *agents, *heap, "-cp", classes, "soak.Churn", self.mode, seconds]


def helper_jar(folder):
    """The Java agent of the redefinition mode. Its class is on the class path; the jar only names it."""
    path = folder / "helper.jar"
    if not path.exists():
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: soak.Churn\n"
                             "Can-Retransform-Classes: true\nCan-Redefine-Classes: true\n")
    return path


@dataclasses.dataclass(frozen=True)
class SmallHeap:
    megabytes: int

    @property
    def name(self):
        return f"heap-{self.megabytes}m"

    def command(self, java, agent, classes, folder, seconds):
        del folder, seconds
        return [java, *agent, f"-Xmx{self.megabytes}m", "-cp", classes, "Fib", "20"]
