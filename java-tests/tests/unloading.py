"""Classes that a program drops can be unloaded immediately: the agent holds none, and needs no more memory
than documented.

Programs report what one full collection left (counting/Freed.java), or run with so little heap and metaspace that they
end with OutOfMemoryError if classes are not unloaded (counting/Tight.java).
"""

import re
import sys

from harness.case import C1_ONLY
from harness.scope import on_newest_jvm, on_one_jvm
from oracle import counts
from oracle.counting_case import CountingCase, program

UNLOCK = "-XX:+UnlockExperimentalVMOptions"


class OneCollection(CountingCase):
    jvm_defaults = C1_ONLY

    def freed(self, *jvm_args, collections=1):
        """Everything is freed without the agent (otherwise the test with this collector proves nothing) and with it;
        receivers are exact."""
        freed = r"(?m)^FREED 200 of 200$" if collections == 1 else r"(?m)^FREED 200 of 200( by [23] collections)?$"
        bare = self.run_java("counting.Freed", 50, agent=None, jvm_args=jvm_args, expect=None)
        if bare.code != 0 and ("not supported" in bare.stderr or "Unrecognized VM option" in bare.stderr):
            self.skipTest(f"{self.jvm.id} has no {jvm_args}")
        self.assertRegex(bare.stdout, freed, bare)
        run, _ = self.check("Freed", 50, agent="placement=tree", jvm_args=jvm_args)
        self.assertRegex(run.stdout, freed, run)
        print(f"{self.jvm.id}: {jvm_args}: {' '.join(re.findall('(?m)^(?:STILL )?HELD.*|^FREED.*', run.stdout))}", file=sys.stderr)

    @on_one_jvm
    def test_serial(self):
        self.freed("-XX:+UseSerialGC")

    @on_newest_jvm
    def test_parallel(self):
        self.freed("-XX:+UseParallelGC")

    def test_g1(self):
        self.freed("-XX:+UseG1GC")

    # These two mark while threads run. A thread that reads a weak reference during the marking keeps its object until the next collection. The
    # agent's threads do so to see which classes are left.
    def test_z(self):
        self.freed("-XX:+UseZGC", collections=3)

    def test_shenandoah(self):
        self.freed("-XX:+UseShenandoahGC", collections=3)

    def test_a_system_loader_of_the_program(self):
        self.freed("-XX:+UseSerialGC", "-Djava.system.class.loader=counting.Freed$AsSystem")

    @on_one_jvm
    def test_application_classes_only(self):
        self.check("Freed", 50, agent="jdk=n", jvm_args=["-XX:+UseSerialGC"], library=False)
        run = self.run_java("counting.Freed", 50, agent="jdk=n", jvm_args=["-XX:+UseSerialGC"])
        self.assertRegex(run.stdout, r"(?m)^FREED 200 of 200$", run)

    @on_one_jvm
    def test_their_names_are_forgotten(self):
        """With the second harvest after the collection."""
        known = {}
        for wait in (0, 13000):
            run = self.run_java("counting.Freed", 500, wait, agent="verbose=2,samples=n", jvm_args=["-XX:+UseSerialGC"])
            said = next(line for line in self.agent_lines(run.stderr) if "classes that may be unloaded" in line)
            known[wait] = int(re.search(r"(\d+) known by hash", said)[1])
        print(f"{self.jvm.id}: known by hash at once and later: {known}", file=sys.stderr)
        self.assertLess(known[13000], known[0] / 2)

    @on_one_jvm
    def test_hashes_that_all_classes_share(self):
        """Such classes cannot be told apart: their objects are of unknown class, never of a wrong one."""
        flags = ["-XX:+UseSerialGC", UNLOCK, "-XX:hashCode=2"]
        run = self.run_java("counting.Freed", 20, agent="receivers-max-lost=100", jvm_args=flags)
        self.assertRegex(run.stdout, r"(?m)^FREED 80 of 80$", run)
        self.profile()
        method, bci = program().site("Freed.java@plugin#0", lambda m: [i[0] for i in m.invokes if i[1] == 0xb9])
        found = counts.from_profile(self.folder / "default.iprof").receivers
        self.assertEqual(found[counts.key(method.owner, method.name, method.descriptor)].get(bci, {}), {})


class TightMemory(CountingCase):
    """The limits suffice without the agent; with it, they suffice plus the heap of memory= and 8 MB of metaspace."""
    jvm_defaults = C1_ONLY
    MEMORY_MB = 8

    def tight(self, what, count, heap_mb, metaspace_mb):
        def flags(heap, metaspace):
            return ["-XX:+UseSerialGC", f"-Xmx{heap}m", f"-XX:MaxMetaspaceSize={metaspace}m"]
        bare = self.run_java("counting.Tight", what, count, agent=None, jvm_args=flags(heap_mb, metaspace_mb))
        run = self.run_java("counting.Tight", what, count, agent=f"memory={self.MEMORY_MB}m",
                            jvm_args=flags(heap_mb + self.MEMORY_MB, metaspace_mb + 8))
        self.assert_same(bare.stdout, run.stdout, run.stderr)
        self.profile()

    @on_one_jvm
    def test_loaders_with_data(self):
        self.tight("fat", 60, 16, 12)

    @on_one_jvm
    def test_loaders(self):
        self.tight("loaders", 2000, 16, 12)

    def test_hidden_classes(self):
        self.tight("hidden", 2000, 16, 12)

    @on_newest_jvm
    def test_unique_names(self):
        self.tight("names", 2000, 16, 12)


@on_one_jvm
class Nameless(CountingCase):
    jvm_defaults = C1_ONLY

    def test_classes_that_no_image_knows_are_of_unknown_class(self):
        run, _ = self.check("Nameless", agent="receivers-max-lost=100,verbose=1")
        left_out = [line for line in self.agent_lines(run.stderr) if "left out: counting.Nameless" in line]
        self.assertTrue(any(".only(" in line and "1000 of 1000 objects" in line for line in left_out), run.stderr)
        self.assertTrue(any(".lambdas(" in line and "1000 of 1000 objects" in line for line in left_out), run.stderr)
        for table in ("virtualInvokeProfiles", "monitorProfiles"):
            self.assertIn(table, self.profile().document)
        names = {name for sites in counts.from_profile(self.folder / "default.iprof").receivers.values()
                 for types in sites.values() for name in types}
        self.assertEqual([name for name in names if re.search(r"Nameless(Hidden|\$\$Lambda\$1)|Generated\w+Accessor\d", name)], [])

    def test_they_count_for_the_share_that_may_be_lost(self):
        run, outcome = self.check("Nameless", agent="verbose=1", only_where_counted=True)
        left_out = [line for line in self.agent_lines(run.stderr) if "left out: counting.Nameless" in line]
        self.assertTrue(any(".half(" in line and "500 of 1000 objects" in line for line in left_out), run.stderr)
        self.assertFalse(any(".few(" in line for line in left_out), run.stderr)
        self.assertEqual(outcome.missing, 1)
