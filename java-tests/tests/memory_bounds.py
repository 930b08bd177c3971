"""Memory stays where it is while classes come and go: loaders, lambdas, hidden classes, proxies, names that never come again."""

import re

from harness.case import AgentCase

CLASSES = 12000
JVM_ARGS = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:MetaspaceSize=24m",
            "-XX:ReservedCodeCacheSize=48m"]


class Churn(AgentCase):
    def churn(self, **options):
        """The program's result, and by how much (MB) the process grew after the first fifth of the classes."""
        run = self.run_java("ClassChurn", str(CLASSES), jvm_args=JVM_ARGS, **options)
        points = [int(kb) for kb in re.findall(r"rss_kb (\d+)", run.stdout)]
        return run, run.stdout.splitlines()[-1], (points[-1] - points[len(points) // 5]) / 1024

    def test_memory_stays_where_it_is(self):
        _, result, growth = self.churn()
        run, same, grown = self.churn(agent="out=x.iprof,verbose=1")
        self.assertEqual(result, same)
        # Each class that was kept for ever cost 5 to 12 KB: 48 MB and more in all.
        self.assertLess(grown - growth, 24, f"without the agent {growth} MB\n{run}")
        # What was counted in classes that are gone is there, to the last call.
        scripts = int(re.search(r"scripts (\d+)", result).group(1))
        self.assertEqual(self.profile("x.iprof").calls_of("ClassChurn$Script.run"), scripts)
        self.assertRegex(run.stderr, r"unloaded: \d\d+ with counts")

    def test_a_small_budget_is_kept_to(self):
        run, _, _ = self.churn(agent="out=x.iprof,verbose=1,memory=16m")
        used, limit = re.search(r"memory: (\d+) KiB of (\d+)", run.stderr).groups()
        self.assertLessEqual(int(used), int(limit) * 1.1, run.stderr)
        self.profile("x.iprof")


class Equal(AgentCase):
    def test_a_class_that_comes_again_adds_to_what_it_had(self):
        # One run collects garbage all the time, the other one never. What sites have met comes in every five seconds, so that
        # it takes ten until a class is done with.
        counts = []
        unloaded = []
        for pause_ms, arguments in (("1200", ["-Xmx256m"]),
                                    ("0", ["-Xmx1g", "-XX:MetaspaceSize=512m", "-XX:+DisableExplicitGC"])):
            run = self.run_java("ClassChurn", "1500", "l", pause_ms, agent="out=x.iprof,samples=n,memory=64m,verbose=1",
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
