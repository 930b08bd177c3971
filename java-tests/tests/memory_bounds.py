"""Memory does not grow while classes are loaded and unloaded: loaders, lambdas, hidden classes, proxies, names that are
used only once."""

import re

from harness.case import C1_ONLY, AgentCase
from harness.scope import in_proof, on_one_jvm

CLASSES = 12000
JVM_ARGS = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:MetaspaceSize=24m",
            "-XX:ReservedCodeCacheSize=48m"]


class Churn(AgentCase):
    jvm_defaults = C1_ONLY

    def churn(self, **options):
        """The program's result, and the growth of the process in MB after the first fifth of the classes."""
        run = self.run_java("ClassChurn", str(CLASSES), jvm_args=JVM_ARGS, **options)
        points = [int(kb) for kb in re.findall(r"rss_kb (\d+)", run.stdout)]
        return run, run.stdout.splitlines()[-1], (points[-1] - points[len(points) // 5]) / 1024

    def test_memory_stays_where_it_is(self):
        _, result, growth = self.churn()
        run, same, grown = self.churn(agent="out=x.iprof,verbose=2")
        self.assertEqual(result, same)
        # Keeping each class forever would cost 5 to 12 KB: 48 MB or more in all.
        self.assertLess(grown - growth, 24, f"without the agent {growth} MB\n{run}")
        # The profile contains every call of unloaded classes.
        scripts = int(re.search(r"scripts (\d+)", result).group(1))
        self.assertEqual(self.profile("x.iprof").calls_of("ClassChurn$Script.run"), scripts)
        self.assertRegex(run.stderr, r"unloaded: \d\d+ with counts")

    def test_a_small_budget_is_kept_to(self):
        run, _, _ = self.churn(agent="out=x.iprof,verbose=2,memory=16m")
        used, limit = re.search(r"memory: (\d+) KiB of (\d+)", run.stderr).groups()
        self.assertLessEqual(int(used), int(limit) * 1.1, run.stderr)
        self.profile("x.iprof")


@in_proof
class ChurnWithC2(Churn):
    """Its code goes with the classes, too."""
    jvm_defaults = ()


class RawFile(AgentCase):
    @on_one_jvm
    def test_it_forgets_what_is_gone(self):
        """Each round loads a class with a name of its own, an object of which comes to the same sites. The sites' tables
        hold 65,000 pairs of a site and a class at most; the raw file once kept all that they had ever held."""
        run = self.run_java("soak.Churn", "unique", "8", agent="out=x.iprof,samples=n,verbose=2,snapshot=100ms",
                            jvm_args=["-XX:+UseSerialGC", "-Xmx96m"])
        kib = int(re.search(r"memory: .* raw file (\d+)", run.stderr).group(1))
        self.assertLess(kib, 18 * 1024, run.stderr)
        self.profile("x.iprof")


class Equal(AgentCase):
    jvm_defaults = C1_ONLY

    def test_a_class_that_comes_again_adds_to_what_it_had(self):
        # One run collects garbage all the time, the other one never. Counts of sites are collected every five seconds,
        # so the counts of a class are complete after ten seconds.
        counts = []
        unloaded = []
        for pause_ms, arguments in (("800", ["-Xmx256m"]),
                                    ("0", ["-Xmx1g", "-XX:MetaspaceSize=512m", "-XX:+DisableExplicitGC"])):
            run = self.run_java("ClassChurn", "1500", "l", pause_ms, agent="out=x.iprof,samples=n,memory=64m,verbose=2",
                                jvm_args=["-XX:+UseSerialGC", *arguments])
            profile = self.profile("x.iprof")
            counts.append({context[0]: count for context, count in profile.calls().items() if "ClassChurn$" in context[0]})
            counts[-1].update({("branch", context[0]): successors for context, successors in profile.branches().items()
                               if "ClassChurn$" in context[0]})
            counts[-1].update({("type", context[0]): types for context, types in profile.receivers().items()
                               if "ClassChurn$" in context[0]})
            unloaded.append(int(re.search(r"unloaded: (\d+) with counts", run.stderr).group(1)))
        self.assertGreater(unloaded[0], 0)
        self.assertEqual(unloaded[1], 0)
        self.assertEqual(counts[0], counts[1])
        self.assertGreater(len(counts[0]), 10)


@in_proof
class EqualWithC2(Equal):
    jvm_defaults = ()
