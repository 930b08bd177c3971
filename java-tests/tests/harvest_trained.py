"""iprof harvest of programs with an AOT cache (JEP 514, 515): what the training run counted is not taken for the program's."""

import zipfile

from iprofdev.processes import PATIENCE_S

from harness.case import Settings
from harness.harvestable import HarvestCase

FIRST_THAT_TRAINS = 25
TRAINING_STEPS, TRAINED_STEPS = 300_000, 20_000


class Trained(HarvestCase):
    def make_aot_cache(self):
        """The jar of a program, and an AOT cache with what it does in training (JEP 514, 515)."""
        if self.jvm.major < FIRST_THAT_TRAINS:
            self.skipTest(f"{self.jvm.id} has no AOT cache with counts")
        jar, conf, cache = (self.folder / name for name in ("app.jar", "app.aotconf", "app.aot"))
        with zipfile.ZipFile(jar, "w") as archive:
            archive.write(Settings.classes / "Trained.class", "Trained.class")
        for flags in (["-XX:AOTMode=record", f"-XX:AOTConfiguration={conf}"],
                      ["-XX:AOTMode=create", f"-XX:AOTConfiguration={conf}", f"-XX:AOTCache={cache}"]):
            self.run_command([self.jvm.java, *flags, "-cp", jar, "Trained", "train", str(TRAINING_STEPS)], expect=None)
        if not cache.exists():
            self.skipTest(f"{self.jvm.id} makes no AOT cache: a full JDK 25 does")
        return jar, cache

    def start_trained(self, jar, cache, mode="on"):
        return self.start_java("Trained", "run", str(TRAINED_STEPS), agent=None,
                               jvm_args=["-cp", jar, f"-XX:AOTCache={cache}", f"-XX:AOTMode={mode}", "-Xlog:disable"])

    def assert_of_this_run(self, profile):
        """No count is of the training. HotSpot compiles a trained method early, and then counts it no more."""
        self.assertEqual(profile.calls_of("Trained.onlyInTraining"), 0)
        for method in ("inBoth", "onlyLater"):
            self.assertLessEqual(profile.calls_of(f"Trained.{method}"), TRAINED_STEPS, method)
        for context, counts in profile.table("conditionalProfiles").items():
            if context[0].startswith("Trained.onlyInTraining"):
                self.fail(f"branches of the training: {context}: {counts}")
            if context[0].startswith("Trained.inBoth"):
                self.assertLessEqual(sum(counts.values()), TRAINED_STEPS, context)

    def test_the_counts_of_a_training_run_are_not_those_of_the_program(self):
        """An AOT cache fills MethodDatas with the counts of the run that made it. The file still has them."""
        jar, cache = self.make_aot_cache()
        damaged = self.folder / "damaged.aot"
        damaged.write_bytes(cache.read_bytes()[:4096])
        text = "the counts of the AOT cache's training run were subtracted in "
        for mode, used, is_used in (("on", cache, True), ("off", cache, False), ("auto", damaged, False)):
            with self.subTest(mode):
                process = self.start_trained(jar, used, mode)
                harvested, said = self.harvest(process, "--no-estimate")
                self.assert_of_this_run(harvested)
                self.assertGreater(harvested.calls_of("Trained.onlyLater"), 0)
                self.assertEqual((said["trained"], said["methods_trained_unknown"]), (False, 0))
                self.assertEqual(said["methods_trained"] > 0, is_used)
                self.assertEqual(harvested.section["harvest"]["methods_trained"], said["methods_trained"])
                self.assertEqual(text in self.run_tool("harvest", str(process.pid), "--list").stdout, is_used)
                self.assertEqual("without those of the AOT cache's training run" in
                                 " ".join(self.run_tool("show", self.folder / "harvest.iprof").stdout.split()), is_used)
                estimated, _ = self.harvest(process)
                self.assertEqual(estimated.calls_of("Trained.onlyInTraining"), 0)
                inside, _ = self.harvest(process, "--no-estimate", "--attach")
                self.assert_of_this_run(inside)
                process.communicate(b"\n", timeout=PATIENCE_S)

    def test_an_aot_cache_that_was_removed(self):
        """Root still reads it by its mapping. Other users do not see what it brought, so these methods are left out."""
        jar, cache = self.make_aot_cache()
        process = self.start_trained(jar, cache)
        cache.unlink()
        harvested, said = self.harvest(process, "--no-estimate")
        self.assert_of_this_run(harvested)
        self.assertGreater(said["methods_trained"] + said["methods_trained_unknown"], 0)
        self.assertGreater(harvested.calls_of("Trained.onlyLater"), 0)
        self.end(process)
