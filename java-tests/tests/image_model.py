"""What an image build reads in the profiles of ten programs, in every mode, by models of its rules (oracle/placed.py, oracle/builder.py):
every position is right, samples decide nothing otherwise than exact receivers would, there are as many samples as the kernel's tick or the
handlers' share of CPU time allows, and a harvest has the receivers of skewed sites.

No test asserts times. How often the kernel ticks is measured by a run that asks for a signal every millisecond.
"""

import collections

from iprofdev import maven

from harness.positions_case import MODES, PositionsCase
from harness.sampling_case import ONLY_SAMPLES
from harness.scope import in_proof
from oracle import builder
from soak.real_programs import FILES, PROGRAMS

OWN_PROGRAMS = {"sampling.Positions": 2_000, "sampling.Inlined": 6_000, "sampling.InterfaceCalls": 6_000, "sampling.Loops": 6_000}
REAL_PROGRAMS = ("ecj", "rhino", "h2", "groovy", "beanshell", "antlr")
LEAST_FRAMES = 100
GOAL = 5_000
MOST_COST = 0.005  # of the CPU time, in signal handlers
# A skewed site: more classes than HotSpot keeps (two), and a frequent one. It counts from so many calls on.
KEPT_BY_HOTSPOT = 2
SKEWED = 0.8
LEAST_CALLS = 20_000
LEAST_PRESENT = 0.5  # HotSpot keeps the first two classes, which need not be the most frequent ones


class Kind:
    """What a mode promises."""

    def __init__(self, mode):
        self.has_samples = mode != "methoddata" and "samples=n" not in MODES[mode]
        self.has_exact_receivers = mode in ("exact", "budget", "frozen", "application")


def stacks_of(statistics):
    return sum(statistics["outcomes"].get(name, (0, 0))[0] for name in ("good", "recovered"))


def skewed_sites(profile):
    """{site: its most frequent class} of the sites that HotSpot cannot keep whole."""
    sites = {}
    for context, types in profile.receivers().items():
        total = sum(types.values())
        name, most = max(types.items(), key=lambda item: item[1])
        if len(types) > KEPT_BY_HOTSPOT and total >= LEAST_CALLS and most >= SKEWED * total:
            sites[context[0]] = name
    return sites


class TenPrograms(PositionsCase):
    agent_defaults = {"image": "n"}

    def ticks_per_cpu_second(self):
        self.run_java("sampling.Shares", 1_000, agent=f"out=ticks.iprof,interval=1ms,{ONLY_SAMPLES}")
        statistics = self.profile("ticks.iprof").section["sampling"]
        return stacks_of(statistics) * 1e9 / statistics["watchedCpuNs"]

    def assert_enough_samples(self, name, ticks):
        statistics = self.profile(name).section["sampling"]
        seconds = statistics["watchedCpuNs"] / 1e9
        cost = statistics["handlerNs"] / statistics["watchedCpuNs"]
        expected = min(GOAL, ticks * seconds)
        print(f"{self.jvm.id} {name}: {stacks_of(statistics)} signals with a stack of {expected:.0f}, handlers {cost:.2%}")
        if cost < 0.7 * MOST_COST:
            self.assertGreaterEqual(stacks_of(statistics), 0.5 * expected, statistics)

    def record(self, program, mode):
        """Runs one of the programs. Returns the name of its profile, and its jars."""
        if program in OWN_PROGRAMS:
            return self.run_mode(program, mode, OWN_PROGRAMS[program]), []
        (real,) = (one for one in PROGRAMS if one.name == program)
        jars = [jar for pin in real.pins for jar in maven.jars([pin])]
        work = self.folder / f"{program}.{mode}"
        work.mkdir()
        arguments = [part.format(files=FILES, work=work) for part in real.arguments]
        return self.run_mode(["-cp", ":".join(map(str, jars)), real.main], mode, *arguments, jvm_args=real.jvm_arguments, program_name=program), jars

    def check(self, programs, modes=tuple(MODES)):
        ticks = self.ticks_per_cpu_second()
        frames, skewed, found = collections.Counter(), {}, collections.Counter()
        for mode in modes:
            kind = Kind(mode)
            for program in programs:
                with self.subTest(mode=mode, program=program):
                    name, jars = self.record(program, mode)
                    profile = self.profile(name)
                    if kind.has_samples:
                        frames[mode] += self.assert_placed(name, self.class_files(jars), least=LEAST_FRAMES)
                        self.assert_enough_samples(name, ticks)
                    if kind.has_exact_receivers:
                        self.assertEqual(builder.contradictions(profile.document), {}, name)
                    if mode == "exact":
                        skewed[program] = skewed_sites(profile)
                    if mode == "methoddata":
                        receivers = {context[0]: types for context, types in profile.receivers().items()}
                        for site, common in skewed[program].items():
                            found["all"] += 1
                            found["present"] += common in receivers.get(site, {})
        print(f"{self.jvm.id}: {len(programs)} programs: no position is wrong and no decision at exact receivers is changed; frames: " +
              ", ".join(f"{mode} {count}" for mode, count in frames.items()) +
              f"; {found['present']} of {found['all']} skewed sites in harvests")
        self.assertGreaterEqual(found["present"], LEAST_PRESENT * found["all"], found)

    def test_one_program(self):
        self.check(["sampling.Inlined"], ("exact", "budget", "methoddata"))

    @in_proof
    def test_ten_programs_in_all_modes(self):
        real = set(REAL_PROGRAMS)
        if not (self.jvm.home / "lib" / "ct.sym").exists():  # a JRE, on which Eclipse's compiler finds no classes
            real = real - {"ecj"} | {"saxon"}
        self.check([*OWN_PROGRAMS, *sorted(real)])
