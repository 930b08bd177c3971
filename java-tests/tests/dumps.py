"""Profiles can be requested while the program runs, any number of times, and no count is lost or added twice."""

import signal
import time

from iprofdev.processes import PATIENCE_S

from harness.case import C1_ONLY, AgentCase
from harness.scope import in_proof, on_one_jvm

STEPS = 1000


class Dumps(AgentCase):
    jvm_defaults = C1_ONLY

    def start(self, options):
        self.process = self.start_java("Dumps", agent=options)
        self.rounds = 0
        return self.process

    def wait_for(self, path, wanted, count, what):
        deadline = time.monotonic() + PATIENCE_S
        while sum(wanted in line for line in path.read_text().splitlines()) < count:
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.fail(f"{what}: there are no {count} lines with {wanted!r} in\n{path.read_text()}\n"
                          f"{self.process.err_path.read_text()}")
            time.sleep(0.02)

    def work(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        self.rounds += 1
        self.wait_for(self.process.out_path, f"round {self.rounds}:", 1, "a round of work")

    def request(self, dumps):
        """Requests the dumps-th profile of this JVM and waits until it is written."""
        self.process.send_signal(signal.SIGQUIT)
        self.wait_for(self.process.err_path, "iprofagent: wrote ", dumps, "a dump")

    def end(self):
        self.process.stdin.close()
        self.assertEqual(self.process.wait(PATIENCE_S), 0, self.process.err_path.read_text())

    def written(self):
        return [line for line in self.process.err_path.read_text().splitlines() if line.startswith("iprofagent: wrote ")]

    def check(self, name, rounds):
        profile = self.profile(name)
        round_method = "Dumps.round(java.util.List)int"
        self.assertEqual(profile.calls_of(round_method), rounds)
        self.assertEqual(profile.calls_of("Dumps$Negate.applyAsInt(int)int"), rounds * STEPS // 4)
        self.assertEqual(profile.calls_of("Dumps.main"), 1)
        branches = {c[0]: sorted(v.values()) for c, v in profile.branches().items() if c[0].startswith(round_method)}
        self.assertEqual(sorted(branches.values()),
                         sorted([[rounds, rounds * STEPS], [rounds * STEPS // 4, rounds * STEPS * 3 // 4]]), branches)
        receivers = [v for c, v in profile.receivers().items() if c[0].startswith(round_method) and "Dumps$Negate" in v]
        self.assertEqual(receivers, [{"Dumps$Negate": rounds * STEPS // 4, "Dumps$Twice": rounds * STEPS * 3 // 4}])

    def test_each_dump_holds_all_so_far(self):
        for placement in ("tree", "direct"):
            with self.subTest(placement=placement):
                name = f"{placement}.iprof"
                self.start(f"out={name},placement={placement}")
                for dump in (1, 2):
                    self.work()
                    self.request(dump)
                    self.check(name, dump)
                self.work()
                self.end()
                self.check(name, 3)
                self.assertEqual(len(self.written()), 3)

    @on_one_jvm
    def test_no_overwriting(self):
        self.start("out=n.iprof,force=n")
        self.work()
        self.request(1)
        self.work()
        self.end()
        self.check("n.iprof", 1)
        self.check("n.1.iprof", 2)

    @on_one_jvm
    def test_only_on_request(self):
        self.start("out=r.iprof,doe=n")
        self.work()
        self.request(1)
        self.work()
        self.end()
        self.check("r.iprof", 1)
        self.assertEqual(len(self.written()), 1)

    def test_not_on_request(self):
        self.start("out=e.iprof,dump-on-request=n")
        self.work()
        self.process.send_signal(signal.SIGQUIT)
        self.wait_for(self.process.out_path, "Full thread dump", 1, "the JVM's own answer")
        self.work()
        self.end()
        self.assertEqual(len(self.written()), 1)
        self.check("e.iprof", 2)

    def test_jcmd(self):
        jcmd = self.jvm.tool("jcmd")
        if jcmd is None:
            self.skipTest(f"{self.jvm.id} has no jcmd")
        self.start("out=j.iprof")
        self.work()
        self.run_command([jcmd, str(self.process.pid), "JVMTI.data_dump"])
        self.check("j.iprof", 1)
        self.end()

    def test_requests_up_to_the_end(self):
        for number in range(3):
            self.start(f"out={number}.iprof")
            self.work()
            self.process.stdin.close()
            asked = 0
            while self.process.poll() is None and asked < 500:
                self.process.send_signal(signal.SIGQUIT)
                asked += 1
                time.sleep(0.02)
            self.assertEqual(self.process.wait(PATIENCE_S), 0, self.process.err_path.read_text()[-5000:])
            self.check(f"{number}.iprof", 1)
            self.assertEqual(sorted(p.name for p in self.folder.glob("*.iprof*")), [f"{n}.iprof" for n in range(number + 1)])


@in_proof
class DumpsWithC2(Dumps):
    """Profiles are written while its code counts."""
    jvm_defaults = ()
