"""Compares our counts with HotSpot's, for javac: the share of sites with more than 1,000 executions that agree, for
calls and branches and for receivers."""

import sys

from harness.case import C1_ONLY
from harness.scope import in_proof
from oracle import counts, java_sources, jdk_classes, method_data, method_data_comparison
from oracle.counting_case import CountingCase

REQUIRES = "jdk"
# docs/lab/truth.md explains every kind of disagreement; unexplained ones may be one site in a thousand.
CONFIRMED_SHARE = 0.999
CONFIRMED_RECEIVERS = 0.999


def javac(method):
    """Methods of the compiler itself. Methods of lambda classes have no stable name in HotSpot's output."""
    return method[0].startswith("com.sun.tools.javac.") and "$$Lambda" not in method[0]


class MethodData(CountingCase):
    jvm_defaults = C1_ONLY  # of the runs with the agent; HotSpot's own choose their compilers
    sources = java_sources.SOME

    def hotspot(self, flags, steady=java_sources.DETERMINISTIC):
        run = self.run_java(*java_sources.javac_command(self.folder / "classes", self.sources), agent=None,
                            jvm_args=[*steady, *flags, *method_data.PRINT])
        return method_data.parse(run.stdout.splitlines(), wanted=javac)

    def receivers(self, found, jdk, profiles):
        """found: the counts of our profile. In these runs, all objects have the same identity hash.
        The agent uses the hash to identify classes that may be unloaded, so it leaves the receivers of lambdas out
        (see test_lambdas)."""
        result = method_data_comparison.compare_receivers(
            found, profiles, wanted=javac, has_one_target=jdk.has_one_target, lambdas=False)
        print(f"receivers: {method_data_comparison.describe(result)}", file=sys.stderr)
        self.assertGreater(result.sites, 500)
        self.assertGreaterEqual(result.share, CONFIRMED_RECEIVERS, method_data_comparison.describe(result, show=60))

    def test_javac(self):
        self.check_javac("direct", most_left_out=0)

    @in_proof
    def test_javac_with_derived_counts(self):
        """Those that exceptions may have changed are left out: javac's overload resolution uses exceptions heavily."""
        self.check_javac("tree", most_left_out=0.02)

    def check_javac(self, placement, most_left_out):
        """most_left_out: which share of the sites may have no record."""
        profiles = [self.hotspot(method_data.NEAR_EXACT), self.hotspot(method_data.INTERPRETED)]
        jdk = jdk_classes.JdkClasses(self.jvm, "jdk.compiler", "java.base")
        self.run_java(*java_sources.javac_command(self.folder / "classes", self.sources), agent=f"placement={placement}",
                      jvm_args=java_sources.DETERMINISTIC)
        found = counts.from_document(self.profile().document)
        result = method_data_comparison.compare(
            found, profiles, wanted=javac, targets=jdk.targets, unprofiled=jdk.nothing_to_profile)
        print(f"{placement}: {method_data_comparison.describe(result)}", file=sys.stderr)
        self.receivers(found, jdk, profiles)
        self.assertGreater(result.sites, 1000)
        shown = method_data_comparison.describe(result, show=60)
        left_out = result.explained[method_data_comparison.NO_RECORD]
        self.assertLessEqual(left_out, most_left_out * result.sites, shown)
        self.assertGreaterEqual((result.confirmed + left_out) / result.sites, CONFIRMED_SHARE, shown)

    @in_proof
    def test_lambdas(self):
        """Like the receivers test, with normal identity hashes, for the calls on which three runs of HotSpot agree."""
        profiles = [self.hotspot(method_data.NEAR_EXACT, java_sources.UNCOLLECTED) for _ in range(3)]
        self.run_java(*java_sources.javac_command(self.folder / "classes", self.sources), agent="placement=direct",
                      jvm_args=java_sources.UNCOLLECTED)
        self.profile()
        result = method_data_comparison.compare_receivers(
            counts.from_profile(self.folder / "default.iprof"), profiles, wanted=javac,
            only=method_data_comparison.steady_lambda_calls(profiles))
        shown = method_data_comparison.describe(result, show=60)
        print(f"lambdas: {shown}", file=sys.stderr)
        self.assertGreater(result.sites, 5)
        self.assertGreaterEqual(result.share, 0.95, shown)


@in_proof
class MethodDataWithC2(MethodData):
    jvm_defaults = ()
    sources = java_sources.ALL
