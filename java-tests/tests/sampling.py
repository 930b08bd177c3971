"""Samples are right: lines, shares and totals are correct, and few samples fail.

Programs run for a given CPU time, so that a busy machine makes the tests slower but not different. Counting is off in
tests where its cost would distort the measurement.
"""

import json
import math
import pathlib
import re

from harness.case import Settings
from harness.sampling_case import ONLY_SAMPLES, SamplingCase
from harness.scope import on_one_jvm
from oracle import classfile
from oracle.callers import Callers
from oracle.jdk_classes import module


def chi_square_limit(degrees, p=1e-6):
    """The value that chi-square exceeds with probability p, found by bisection of its upper tail."""
    def upper(x):
        # Regularised upper incomplete gamma Q(degrees/2, x/2), by its series.
        a, x = degrees / 2, x / 2
        term = total = 1 / a
        n = a
        while term > total * 1e-17:
            n += 1
            term *= x / n
            total += term
        return 1 - total * math.exp(-x + a * math.log(x) - math.lgamma(a))
    low, high = 1e-6, 500.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if upper(middle) > p else (low, middle)
    return high


class Share:
    """A share of the samples of several runs. A run has some 900 signals, of which three are expected to fail, so a single
    run says little about a limit of nine: tests measure again, up to MOST_RUNS times, until the share of all runs is
    below its limit."""
    MOST_RUNS = 4

    def __init__(self, limit):
        self.limit, self.part, self.whole = limit, 0, 0

    def add(self, part, whole):
        self.part += part
        self.whole += whole

    def is_below(self):
        return self.part < self.limit * self.whole

    def __str__(self):
        return f"{self.part / self.whole:.2%} of {self.whole}"


class Sampling(SamplingCase):
    def lines_of(self, profile, program, method):
        """line -> weight of the samples whose innermost frame is this method."""
        parsed = classfile.read((Settings.classes / f"{program.replace('.', '/')}.class").read_bytes())
        table = next(m for m in parsed.methods if m.name == method)
        lines = {}
        for context, weight in profile.samples().items():
            name, bci = context[0].rsplit(":", 1)
            if name.startswith(f"{program}.{method}("):
                line = table.line_at(int(bci))
                lines[line] = lines.get(line, 0) + weight
        return lines

    # --- Lines and inlined methods.

    NO_DEBUG = ("-XX:+UnlockDiagnosticVMOptions", "-XX:-DebugNonSafepoints")

    def test_samples_spread_over_the_lines_of_a_method_without_a_safepoint(self):
        _, profile, _ = self.sampled("sampling.Lines", 1000)
        lines = self.lines_of(profile, "sampling.Lines", "fifty")
        _, control, _ = self.sampled("sampling.Lines", 1000, jvm_args=self.NO_DEBUG)
        biased = self.lines_of(control, "sampling.Lines", "fifty")
        spread = f"with: {sorted(lines.items())}\ncontrol: {sorted(biased.items())}"
        print(spread)
        self.assertGreaterEqual(len(lines), 15, spread)
        self.assertLess(max(lines.values()) / sum(lines.values()), 0.35, spread)
        self.assertLess(len(biased), len(lines) / 2, spread)

    def top_by_line(self, profile):
        """method:line -> weight of the samples whose innermost frame is there, by the tool."""
        text = self.run_tool("top", "--by", "line", "--topn", "0", "--format", "json", self.folder / profile).stdout
        return {row["name"]: row["self"] for row in json.loads(text)["rows"] if row["self"]}

    @on_one_jvm
    def test_the_profile_knows_the_lines_of_its_samples(self):
        for options in (ONLY_SAMPLES, "verbose=0"):  # with the original bytecode, and with counters in it
            with self.subTest(options=options):
                rows = self.lines_are_known("sampling.Lines", options=options)
                self.run_tool("merge", "-o", self.folder / "twice.iprof", self.folder / "s.iprof", self.folder / "s.iprof")
                self.assert_same({name: 2 * weight for name, weight in rows.items()}, self.top_by_line("twice.iprof"))

    @on_one_jvm
    def test_lines_of_a_class_that_may_be_unloaded_are_known_and_in_the_raw_file(self):
        self.lines_are_known("sampling.OwnLoader", "sampling.Lines", options="verbose=0,raw=s.iraw,snapshot=200ms,keep-raw=y")
        self.run_tool("recover", self.folder / "s.iraw", "-o", self.folder / "recovered.iprof")
        self.assert_same(self.lines_of_fifty("s.iprof"), self.lines_of_fifty("recovered.iprof"))

    def lines_are_known(self, *program, options):
        """The tool's lines of samples are those of the class file; returns them."""
        _, profile, _ = self.sampled(*program, 1000, options=options)
        method = next(m for m in profile.methods if m.startswith("sampling.Lines.fifty("))
        expected = {f"{method}:{line}": weight for line, weight in self.lines_of(profile, "sampling.Lines", "fifty").items()}
        self.assertGreater(len(expected), 5)
        self.assert_same(expected, self.lines_of_fifty("s.iprof"))
        return self.top_by_line("s.iprof")

    def lines_of_fifty(self, profile):
        return {name: weight for name, weight in self.top_by_line(profile).items() if name.startswith("sampling.Lines.fifty(")}

    def test_both_kinds_of_loops_get_their_time(self):
        _, profile, _ = self.sampled("sampling.Loops", 1000)
        for method in ("countedInt", "countedLong"):
            lines = self.lines_of(profile, "sampling.Loops", method)
            self.assertGreaterEqual(len(lines), 2, f"{method}: {lines}")

    def test_inlined_methods_are_frames_at_their_call_lines(self):
        def call_bcis(profile):
            bcis = set()
            for context in profile.samples():
                for inner, outer in zip(context, context[1:]):
                    if inner.startswith("sampling.Inlined.outer(") and outer.startswith("sampling.Inlined.calls("):
                        bcis.add(int(outer.rsplit(":", 1)[1]))
            return bcis
        _, profile, _ = self.sampled("sampling.Inlined", 1000)
        _, control, _ = self.sampled("sampling.Inlined", 1000, jvm_args=self.NO_DEBUG)
        seen, without = call_bcis(profile), call_bcis(control)
        self.assertGreaterEqual(len(seen), 10, f"with: {seen}, control: {without}")
        self.assertLess(len(without), len(seen) / 2, f"with: {seen}, control: {without}")

    # --- Shares and totals.

    def check_shares(self, interval, milliseconds):
        run, profile, statistics = self.sampled("sampling.Shares", milliseconds, interval=interval)
        spent = {name: int(ns) for name, ns in re.findall(r"(part\d) (\d+)", run.stdout)}
        weights = dict.fromkeys(spent, 0)
        for context, weight in profile.samples().items():
            part = next((m.group(1) for frame in context if (m := re.match(r"sampling\.Shares\.(part\d)\(", frame))), None)
            if part:
                weights[part] += weight
        # A late signal stands for several intervals, so there are as many independent samples as signals.
        total = sum(weights.values())
        signals = total * statistics["signals"] / sum(w for _, w in statistics["outcomes"].values())
        expected = {name: signals * ns / sum(spent.values()) for name, ns in spent.items()}
        observed = {name: signals * weight / total for name, weight in weights.items()}
        value = sum((observed[n] - expected[n]) ** 2 / expected[n] for n in expected)
        limit = chi_square_limit(len(expected) - 1)
        table = "\n".join(f"{n} expected {expected[n]:.1f} observed {observed[n]:.1f}" for n in sorted(expected))
        print(f"{self.jvm.id} shares at {interval}: chi-square {value:.2f}, limit {limit:.2f}\n{table}")
        self.assertGreater(signals, 200)
        self.assertLess(value, limit, table)

    @on_one_jvm
    def test_shares_at_10ms(self):
        self.check_shares("10ms", 4000)

    def test_shares_at_1ms(self):
        self.check_shares("1ms", 2500)

    # --- Failures.

    def measured(self, limit, program, *args, judge=lambda profile: True):
        """Runs a program until the share of its failed samples is below the limit and the judge has seen enough. Returns
        the share that failed before recovery."""
        failed, raw = Share(limit), Share(1)
        for _ in range(Share.MOST_RUNS):
            _, profile, statistics = self.sampled(program, *args)
            weight = sum(w for _, w in statistics["outcomes"].values())
            failed.add(statistics["failedWeight"], weight)
            raw.add(statistics["rawFailedWeight"], weight)
            print(f"{self.jvm.id} {program}: failed {failed}; before recovery {raw}")
            if judge(profile) and failed.is_below():
                break
        self.assertTrue(failed.is_below(), f"failed: {failed}, limit {limit:.0%}; the last run: {statistics}")
        return raw.part / raw.whole

    def test_a_loop_of_interface_calls_is_recovered(self):
        raw = self.measured(0.01, "sampling.InterfaceCalls", 2000)
        # How many samples hit stubs, prologues and epilogues depends on the JVM and its compilers; some always do.
        self.assertGreater(raw, 0.02, "recovery had nothing to do")

    def test_javac_is_recovered(self):
        """Every frame's bytecode calls the method above it, also in recovered stacks: nothing is guessed."""
        if self.jvm.kind != "jdk":
            self.skipTest(f"{self.jvm.id} has no javac")
        sources = sorted((pathlib.Path(__file__).parent.parent / "programs" / "sampling").glob("*.java"))
        out = self.folder / "classes"
        out.mkdir()
        callers = self.callers_of_jdk()
        untrue, examples = Share(0.02), {}  # HotSpot itself reports a neighbouring position for a few inlined frames

        def judge(profile):
            weight, verdicts, wrong = callers.check(profile.samples())
            untrue.add(weight, sum(profile.samples().values()))
            examples.update(wrong)
            print(f"{self.jvm.id} callers: {verdicts}; stacks with a call that the bytecode does not make: {untrue}")
            self.assertGreater(verdicts["called"], 10 * verdicts.get("unknown", 0), verdicts)
            return untrue.is_below()
        raw = self.measured(0.01, "sampling.Compile", 4000, out, *sources, judge=judge)
        # A fifth of the samples fails before recovery.
        self.assertGreater(raw, 0.05, "recovery had nothing to do")
        self.assertTrue(untrue.is_below(), f"{untrue}, limit {untrue.limit:.0%}\n" + "\n".join(
            f"{n} {pair}" for pair, n in sorted(examples.items(), key=lambda item: -item[1])[:40]))

    def callers_of_jdk(self):
        folders = [Settings.classes, *(module(self.jvm, name) for name in ("java.base", "java.compiler", "jdk.compiler"))]

        def class_bytes(owner):
            paths = (folder / f"{owner.replace('.', '/')}.class" for folder in folders)
            return next((path.read_bytes() for path in paths if path.exists()), None)
        return Callers(class_bytes)

    # --- Other tools.

    @on_one_jvm
    def test_collapsed_stacks_are_what_flame_graph_tools_read(self):
        _, profile, _ = self.sampled("sampling.Inlined", 500)
        collapsed = self.run_tool("convert", "--to", "collapsed", "s.iprof").stdout
        total, stacks = 0, set()
        for line in collapsed.splitlines():
            # Split like flamegraph.pl and speedscope do: the frames, a space, the count.
            stack, count = re.fullmatch(r"(\S.*) (\d+)", line).groups()
            frames = stack.split(";")
            self.assertNotIn("", frames, line)
            self.assertNotIn(stack, stacks, "equal stacks are one line")
            stacks.add(stack)
            total += int(count)
        self.assertEqual(total, sum(profile.samples().values()))
        # The outermost frame comes first.
        self.assertTrue(any("sampling.Inlined.main" in stack.split(";")[0] for stack in stacks), sorted(stacks)[:5])

    # --- Settings.

    @on_one_jvm
    def test_deep_stacks_are_cut_and_counted(self):
        _, profile, statistics = self.sampled("sampling.Shares", 500, options=f"{ONLY_SAMPLES},depth=2")
        self.assertLessEqual(max(len(context) for context in profile.samples()), 2)
        self.assertGreater(statistics["cutSamples"], 0)

    @on_one_jvm
    def test_a_signal_in_use_is_refused_and_the_program_runs(self):
        run = self.run_java("Fib", agent=f"signal=SIGQUIT,{ONLY_SAMPLES}")
        self.assertIn("SIGQUIT", run.stderr)

    @on_one_jvm
    def test_no_samples_when_not_asked_for(self):
        self.run_java("Fib", agent="samples=n,out=s.iprof")
        self.assertNotIn("samplingProfiles", self.profile("s.iprof").document)

    def test_counting_and_sampling_go_together(self):
        _, profile, _ = self.sampled("sampling.Shares", 800, options="verbose=0")
        self.assertTrue(profile.samples())
        self.assertGreater(profile.calls_of("sampling.Shares.part9"), 0)
