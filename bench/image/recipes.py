"""How the images of a program are made: each way to profile it, as products that follow from one another.

  no profile      the tracing agent's configuration -> image
  a mode of ours  a run in a JVM with the agent -> profile; with the configuration -> image
  instrumented    the configuration -> instrumented image -> a run of it -> profile; with the configuration -> image
"""

import dataclasses
import pathlib
import re
import shutil

from image.kept import Product
from image.programs import HEAP, checksum_of
from runner import results
from runner.running import Failed

NONE, INSTRUMENTED, JVM = "no profile", "instrumented", "in a JVM"
MODES = {
    "exact": "mode=exact",
    "counts": "mode=exact,samples=n",
    "samples": "calls=n,branches=n,receivers=n,monitors=n",
    "budget": "mode=budget",
    "methoddata": "mode=methoddata",
    "harvest": "mode=methoddata,samples=n",  # what `iprof harvest` writes
}
BUILD_LIMIT_S, RUN_LIMIT_S = 7200, 1800
PROFILE, IMAGE = "profile.iprof", "image"


@dataclasses.dataclass(frozen=True)
class Recorder:
    """The JVM and the agent that record profiles."""

    java: pathlib.Path
    version: str  # of the JVM
    agent: pathlib.Path
    agent_hash: str
    target: str = ""  # the agent option for a GraalVM of another version


@dataclasses.dataclass(frozen=True)
class Work:
    """A program with its files."""

    program: object  # Program
    jar: pathlib.Path
    inputs: pathlib.Path
    scratch: pathlib.Path  # for output
    quick: bool

    def output(self):
        """An empty folder."""
        folder = self.scratch / "output"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def arguments(self, output):
        return self.program.arguments(self.inputs, output, self.quick)


class Recipes:
    def __init__(self, graalvm, recorder, build_arguments, folder):
        """folder: for all products; each GraalVM with each list of arguments has one of its own in it."""
        self._graalvm, self._recorder, self._build_arguments = graalvm, recorder, tuple(build_arguments)
        self._folder = folder / "-".join([*re.findall(r"[\w.+]+", graalvm.name), *re.findall(r"\w+", " ".join(build_arguments))])

    def profile(self, work, way):
        """The product that holds the profile of a way; None if it has none."""
        if way == NONE:
            return None
        return self._instrumented_profile(work) if way == INSTRUMENTED else self._recorded_profile(work, way)

    def image(self, work, way):
        profile = self.profile(work, way)
        options = [f"--pgo={profile.folder / PROFILE}"] if profile else []
        return self._image(work, way, options, (way == NONE,), (profile,) if profile else ())

    def command_in_jvm(self, work, output, *options):
        return [self._recorder.java, HEAP, *options, "-cp", work.jar, work.program.main, *work.arguments(output)]

    def measured(self, command, title, number=0, way="", limit_s=RUN_LIMIT_S):
        return results.measure((number, title, way), command, environment=self._graalvm.environment(), limit_s=limit_s)

    def run(self, work, way, number=0):
        """One run of an image, or in a JVM; with a checksum of what it computed. Raises Failed."""
        output = work.output()
        command = [self.image(work, way).folder / IMAGE, HEAP, *work.arguments(output)] if way != JVM else self.command_in_jvm(work, output)
        measured = self.measured(command, work.program.name, number, way)
        return dataclasses.replace(measured, checksum=measured.checksum or checksum_of(output))

    def _place(self, work, *names):
        return self._folder.joinpath(work.program.name + ("-quick" if work.quick else ""), *(name.replace(" ", "-") for name in names))

    def _title(self, work, what):
        return f"{work.program.name}: {what}"

    def _configuration(self, work):
        """What the tracing agent found, in a folder for the class path."""
        title = self._title(work, "configuration by the tracing agent")

        def trace(folder):
            into = folder / "META-INF" / "native-image" / "bench" / work.program.name
            into.mkdir(parents=True)
            command = [self._graalvm.java, f"-agentlib:native-image-agent=config-output-dir={into}", "-cp", work.jar, work.program.main]
            return self.measured([*command, *work.arguments(work.output())], title)
        return Product(title, self._place(work, "configuration"), (self._graalvm.version, work.jar.name, work.program.work(work.quick)), trace)

    def _image(self, work, name, options, made_from, needs):
        configuration = self._configuration(work)
        title = self._title(work, f"image, {name}")

        def build(folder):
            command = self._graalvm.build(work.program.main, [configuration.folder, work.jar], folder / IMAGE, [*self._build_arguments, *options])
            return _if_written(folder / IMAGE, self.measured(command, title, limit_s=BUILD_LIMIT_S))
        return Product(title, self._place(work, "images", name), ("image", self._graalvm.version, self._build_arguments, *made_from), build,
                       (configuration, *needs), is_image=True)

    def _recorded_profile(self, work, mode):
        title = self._title(work, f"profile, {mode}")
        recorder = self._recorder
        options = ",".join(filter(None, [MODES[mode], recorder.target]))

        def record(folder):
            agent = f"-agentpath:{recorder.agent}=out={folder / PROFILE},{options}"
            return _if_written(folder / PROFILE, self.measured(self.command_in_jvm(work, work.output(), agent), title))
        made_from = (recorder.version, recorder.agent_hash, options, work.jar.name, work.program.work(work.quick))
        return Product(title, self._place(work, "profiles", mode), made_from, record)

    def _instrumented_profile(self, work):
        title = self._title(work, "profile of the instrumented image")
        image = self._image(work, "with counters", ["--pgo-instrument"], ("counters",), ())

        def record(folder):
            command = [image.folder / IMAGE, f"-XX:ProfilesDumpFile={folder / PROFILE}", HEAP, *work.arguments(work.output())]
            return _if_written(folder / PROFILE, self.measured(command, title))
        return Product(title, self._place(work, "profiles", INSTRUMENTED), (work.program.work(work.quick),), record, (image,))


def _if_written(path, measured):
    if not path.exists() or not path.stat().st_size:
        raise Failed(f"{measured.workload}: {path.name} was not written")
    return measured
