"""In the smallest heaps, the JVM runs as it does without the agent; the agent counts, or reports that it does not."""

from harness.case import C1_ONLY
from harness.scope import in_proof, on_one_jvm
from oracle.counting_case import CountingCase

MB = (2, 3, 4, 6, 8, 12, 15, 16, 20, 24, 32)
FEW_MB = (6, 8, 15, 16, 24)
TOO_SMALL = "is too small for counters"


class SmallHeapsCase(CountingCase):
    jvm_defaults = C1_ONLY

    def heaps(self, sizes_mb, *jvm_args, agent=""):
        ran = 0
        for megabytes in sizes_mb:
            flags = [f"-Xmx{megabytes}m", *jvm_args]
            bare = self.run_java("Fib", agent=None, jvm_args=flags, expect=None)
            if bare.code != 0:
                continue  # the heap is too small even without the agent
            ran += 1
            path = self.folder / f"{megabytes}.iprof"
            with self.subTest(heap=megabytes, flags=jvm_args):
                run = self.run_java("Fib", agent=f"out={path}{agent}", jvm_args=flags, expect=None)
                self.assertEqual((bare.code, bare.stdout), (run.code, run.stdout), run)
                said = [line for line in self.agent_lines(run.stderr) if TOO_SMALL in line]
                self.assertEqual(len(said), 1 if megabytes < 16 else 0, run)
                self.assertEqual(path.exists(), megabytes >= 16, run)
                if megabytes >= 16:
                    self.profile(path)
        self.assertGreater(ran, len(sizes_mb) // 2, "the JVM starts in few of these heaps")


@in_proof
class EverySize(SmallHeapsCase):
    jvm_defaults = ()

    def test_serial(self):
        self.heaps(MB, "-XX:+UseSerialGC")

    def test_the_default_collector(self):
        self.heaps(MB)

    def test_all_tables_and_stripes(self):
        self.heaps(MB, "-XX:+UseSerialGC", agent=",format=1.1.0,instanceofs=y,placement=direct,stripes=4")


class SmallHeaps(SmallHeapsCase):
    def test_serial(self):
        self.heaps(FEW_MB, "-XX:+UseSerialGC")

    def test_the_default_collector(self):
        self.heaps(FEW_MB)

    @on_one_jvm
    def test_all_tables_and_stripes(self):
        self.heaps(FEW_MB, "-XX:+UseSerialGC", agent=",format=1.1.0,instanceofs=y,placement=direct,stripes=4")

    def test_samples_need_no_counters(self):
        run = self.run_java("Fib", agent="calls=n,branches=n,receivers=n,monitors=n,interval=1ms",
                            jvm_args=["-Xmx8m", "-XX:+UseSerialGC"])
        self.assertNotIn(TOO_SMALL, run.stderr)
        self.profile()

    @on_one_jvm
    def test_the_programs_counts_in_a_small_heap(self):
        self.check("Typed", 20, only_where_counted=True, jvm_args=["-Xmx16m", "-XX:+UseSerialGC"])
