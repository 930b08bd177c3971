"""What a harvest reads may be anything: the memory of a JVM that changes during the read, a damaged core file, another layout than
the tables tell. Here it is the recorded memory of a JVM, changed at random places. A harvest of it must end, within bounds, with
a refusal or with a profile that passes the checks."""

import pathlib
import re

from harness.case import AgentCase, Settings
from harness.harvestable import STEPS
from harness.scope import in_proof

TOOLS = pathlib.Path("java-tests")
FIGURES = re.compile(r"(\d+) mutations of (\d+) pages: (\d+) harvested and checked, (\d+) refused; .*")


class Images(AgentCase):
    def record(self, process):
        """The memory that a harvest of the process reads, as a file."""
        path = self.folder / "image"
        self.run_command([Settings.agent.parent / TOOLS / "harvest_records", str(process.pid), "--image", path])
        return path

    def mutate(self, image, first, count):
        run = self.run_command([Settings.agent.parent / TOOLS / "harvest_mutations", image, first, count], timeout=None)
        print(run.stdout.strip())
        made, pages, harvested, refused = map(int, FIGURES.fullmatch(run.stdout.strip()).groups())
        self.assertEqual((made, harvested + refused), (count, count))
        self.assertGreater(pages, 500)
        # The mutations are neither so small that none matters, nor so large that only the start of the reader is tested.
        self.assertGreater(harvested, count / 20)
        self.assertGreater(refused, count / 20)

    def test_what_is_no_image_is_refused(self):
        path = self.folder / "image"
        path.write_bytes(b"not an image")
        run = self.run_command([Settings.agent.parent / TOOLS / "harvest_mutations", path, 0, 1], expect=1)
        self.assertIn("is not the recorded image of a process", run.stderr)

    def test_some_mutations(self):
        self.mutate(self.record(self.start_java("Harvestable", STEPS, agent=None)), 0, 300)

    @in_proof
    def test_many_mutations(self):
        self.mutate(self.record(self.start_java("Harvestable", STEPS, agent=None)), 1000, 10_000)

    @in_proof
    def test_mutations_of_many_methods(self):
        """Every method is profiled from its first call."""
        flags = ["-XX:TieredStopAtLevel=3", "-XX:Tier3InvocationThreshold=1", "-XX:Tier3MinInvocationThreshold=1",
                 "-XX:Tier3CompileThreshold=1", "-XX:Tier0InvokeNotifyFreqLog=0", "-XX:TypeProfileWidth=8"]
        process = self.start_java("Harvestable", STEPS, agent=None, jvm_args=flags)
        self.mutate(self.record(process), 100_000, 3000)
