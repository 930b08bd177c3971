"""The programs that load and unload classes (java-tests/programs/soak), with heaps that are just large enough."""

import dataclasses
import zipfile

MODES = ("loaders", "unique", "hidden", "lambdas", "proxies", "refusing", "redefinition")
SMALL_HEAPS_MB = (4, 8, 12, 16, 24)


@dataclasses.dataclass(frozen=True)
class Churn:
    mode: str

    @property
    def name(self):
        return f"churn-{self.mode}"

    def command(self, java, agent, classes, folder, seconds):
        """A heap of fixed size, touched at the start, so that growing memory is not the heap."""
        heap = ["-XX:+UseSerialGC", "-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch", "-XX:MaxMetaspaceSize=96m"]
        helper = [f"-javaagent:{helper_jar(folder)}"] if self.mode == "redefinition" else []
        return [java, *agent, *heap, *helper, "-cp", classes, "soak.Churn", self.mode, seconds]


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
