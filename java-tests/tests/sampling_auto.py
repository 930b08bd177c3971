"""interval=auto: as many signals as the kernel's tick allows until there are enough, and samples that add up to them.

No test asserts times. How often the kernel ticks is measured by a run at 1 ms, which takes a signal at each tick.
"""

import collections

from harness.sampling_case import ONLY_SAMPLES, SamplingCase
from harness.scope import in_proof, on_one_jvm
from iprofdev import whole_stacks

GOAL = 5000
MOST_COST = 0.005
FEW = 500


def stacks(statistics):
    """The signals that gave a stack with Java code."""
    return sum(statistics["outcomes"].get(name, (0, 0))[0] for name in ("good", "recovered"))


def per_cpu_second(statistics):
    return stacks(statistics) * 1e9 / statistics["watchedCpuNs"]


def cost(statistics):
    return statistics["handlerNs"] / statistics["watchedCpuNs"]


def is_cheap(statistics):
    """Whether the handlers gave no reason to make the interval longer. On a slow machine they do."""
    return cost(statistics) < 0.7 * MOST_COST


def flat(profile):
    """The share of each method, by the innermost frame."""
    weights = collections.Counter()
    for context, weight in profile.samples().items():
        weights[context[0].rsplit(":", 1)[0]] += weight
    total = sum(weights.values())
    return {method: weight / total for method, weight in weights.items()}


def overlap(one, other):
    return sum(min(share, other.get(method, 0)) for method, share in one.items())


class SamplingAuto(SamplingCase):
    def assert_goal(self, statistics, hz):
        """The goal is reached, or what the tick allows, unless the handlers were about to take more than they may."""
        expected = min(GOAL, hz * statistics["watchedCpuNs"] / 1e9)
        print(f"{self.jvm.id}: {stacks(statistics)} signals of {expected:.0f}, handlers {cost(statistics):.3%}")
        if is_cheap(statistics):
            self.assertGreaterEqual(stacks(statistics), 0.6 * expected, statistics)

    def assert_sum(self, profile, statistics, hz):
        """The samples add up to the signals that they are from, or to fewer, if the interval was longer for a while: to four tenths,
        if half of the time has a signal at each tick and half at each eighth. (Some stacks have no frame that a profile may have.)"""
        ratio = 1 if is_cheap(statistics) else max(8, statistics["lastIntervalNs"] * hz / 1e9)
        total = sum(profile.samples().values())
        self.assertEqual(statistics["writtenWeight"], total)
        with_empty = total + statistics["emptyWeight"]
        self.assertLessEqual(with_empty, 2 + 1.05 * stacks(statistics), statistics)
        self.assertGreaterEqual(with_empty, 0.7 * 4 * ratio / (1 + ratio) ** 2 * stacks(statistics) - 2, statistics)
        self.assertAlmostEqual(with_empty * statistics["intervalNs"],
                               sum(statistics["outcomes"].get(n, (0, 0))[1] for n in ("good", "recovered")) * statistics["intervalNs"],
                               delta=3 * statistics["intervalNs"], msg=statistics)

    @on_one_jvm
    def test_a_short_run_has_a_signal_at_each_tick(self):
        """Of a second; with one thread and with four."""
        for program, *arguments in (("sampling.Shares", 1000), ("sampling.Threads", 4, 4, 300_000)):
            with self.subTest(program=program, arguments=arguments):
                # A busy machine's clock ticks may come more rarely in one run than in another.
                _, _, before = self.sampled(program, *arguments, interval="1ms")
                _, profile, statistics = self.sampled(program, *arguments, interval="auto")
                _, _, after = self.sampled(program, *arguments, interval="1ms")
                hz = min(per_cpu_second(before), per_cpu_second(after))
                self.assert_goal(statistics, hz)
                self.assert_sum(profile, statistics, hz)
                self.assertEqual(statistics["firstIntervalNs"], 1_000_000)
                self.assertGreaterEqual(statistics["lastIntervalNs"], statistics["firstIntervalNs"])

    def test_it_is_the_default(self):
        self.run_java("sampling.Shares", 300, agent=f"out=s.iprof,{ONLY_SAMPLES}")
        statistics = self.profile("s.iprof").section["sampling"]
        self.assertEqual(statistics["firstIntervalNs"], 1_000_000)
        self.assertNotEqual(statistics["intervalNs"], 1_000_000)  # that of a signal is the kernel's tick

    @on_one_jvm
    def test_a_given_interval_stays_and_weights_count_it(self):
        _, profile, statistics = self.sampled("sampling.Shares", 1000, interval="2ms")
        self.assertEqual([statistics[name] for name in ("intervalNs", "firstIntervalNs", "lastIntervalNs")], [2_000_000] * 3)
        self.assertEqual(sum(profile.samples().values()), statistics["writtenWeight"])

    @on_one_jvm
    def test_wall_time_has_a_fixed_interval(self):
        _, _, statistics = self.sampled("sampling.Shares", 300, interval="auto", options=f"{ONLY_SAMPLES},event=wall")
        self.assertEqual([statistics[name] for name in ("intervalNs", "firstIntervalNs", "lastIntervalNs")], [10_000_000] * 3)

    @in_proof
    def test_profiles_are_those_of_a_fixed_interval(self):
        """Six programs: auto and a fixed interval overlap nearly as much as two runs of a fixed interval do."""
        programs = [("sampling.Shares", 1500), ("sampling.Loops", 1500), ("sampling.InterfaceCalls", 1500),
                    ("sampling.Lines", 1500), ("sampling.Inlined", 1500), ("sampling.Threads", 4, 4, 400_000)]
        worst = 1
        for program, *arguments in programs:
            fixed, again, auto = (flat(self.sampled(program, *arguments, interval=interval)[1]) for interval in ("1ms", "1ms", "auto"))
            spread, found = overlap(fixed, again), (overlap(fixed, auto) + overlap(again, auto)) / 2
            print(f"{self.jvm.id} {program}: two fixed runs overlap by {spread:.1%}, auto and fixed by {found:.1%}")
            worst = min(worst, found - spread)
        self.assertGreater(worst, -0.1)

    @on_one_jvm
    def test_a_merge_weighs_by_cpu_time(self):
        inputs = []
        for name, program, interval in (("a", "sampling.Shares", "auto"), ("b", "sampling.Lines", "20ms"), ("c", "sampling.Loops", "1ms")):
            self.sampled(program, 1000, interval=interval)
            (self.folder / "s.iprof").rename(self.folder / f"{name}.iprof")
            inputs.append(self.profile(f"{name}.iprof"))
        self.run_tool("merge", "-o", self.folder / "m.iprof", *(self.folder / f"{name}.iprof" for name in "abc"))
        merged = self.profile("m.iprof")
        unit = merged.section["sampling"]["intervalNs"]
        for profile, program in zip(inputs, ("Shares", "Lines", "Loops")):
            at = f"sampling.{program}.main"
            before = self.weight_of(profile, at) * profile.section["sampling"]["intervalNs"]
            after = self.weight_of(merged, at) * unit
            print(f"{program}: {before / 1e6:.0f} ms became {after / 1e6:.0f} ms")
            self.assertAlmostEqual(before, after, delta=2 * unit + 0.02 * before)
        self.assertAlmostEqual(merged.section["sampling"]["writtenWeight"], sum(merged.samples().values()), delta=3)

    @on_one_jvm
    def test_a_raw_file_gives_the_same_samples(self):
        self.sampled("sampling.Shares", 1500, interval="auto", options=f"{ONLY_SAMPLES},raw=s.iraw,snapshot=200ms,keep-raw=y")
        self.run_tool("recover", self.folder / "s.iraw", "-o", self.folder / "r.iprof")
        written, recovered = self.profile("s.iprof"), self.profile("r.iprof")
        self.assert_same(written.samples(), recovered.samples())
        self.assertEqual(written.section["sampling"]["intervalNs"], recovered.section["sampling"]["intervalNs"])

    @on_one_jvm
    def test_few_signals_are_told(self):
        run, profile, statistics = self.sampled("sampling.Shares", 400, interval="auto")
        self.assertLess(stacks(statistics), FEW)
        total = sum(whole_stacks.followed(profile.document).values())
        self.assertIn(f" {total} samples (some consumers ignore fewer than {FEW})", run.stderr)
        checked = self.run_tool("check", self.folder / "s.iprof")  # its exit status is 0
        self.assertIn(f"s.iprof: {total} samples only, and some consumers ignore fewer than {FEW}\n", checked.stdout)
        # More weight does not make them more signals.
        run, profile, statistics = self.sampled("sampling.Shares", 400, interval="200us")
        self.assertGreater(sum(profile.samples().values()), FEW)
        self.assertIn(f"s.iprof: {stacks(statistics)} samples only", self.run_tool("check", self.folder / "s.iprof").stdout)

    @in_proof
    def test_a_long_run_gets_thinner_and_keeps_its_shares(self):
        _, profile, statistics = self.sampled("sampling.Shares", 100_000, interval="auto")
        self.assertGreater(statistics["lastIntervalNs"], statistics["firstIntervalNs"])
        self.assertGreaterEqual(statistics["writtenWeight"], 0.9 * GOAL)
        _, fixed, _ = self.sampled("sampling.Shares", 20_000, interval="1ms")
        self.assertGreater(overlap(flat(profile), flat(fixed)), 0.9)
