"""Several threads run one branch at the same time: prints the share of lost increments for each number of stripes."""

import sys

from harness.case import AgentCase, Settings
from oracle import classfile, counts

EACH = 1_000_000
RUNS = 3
# (threads, stripes); None is the default
PAIRS = [(2, 1), (2, None), (4, 1), (4, 4), (4, 16), (4, None)]


class Contention(AgentCase):
    def lost(self, threads, stripes):
        """(lost share of the branch's executions, error of the taken share)."""
        agent = f"placement=direct,include=counting.*" + (f",stripes={stripes}" if stripes else "")
        self.run_java("counting.Contended", threads, EACH, agent=agent)
        self.profile()
        found = counts.from_profile(self.folder / "default.iprof")
        work = counts.key("counting.Contended", "work", "(I)I")
        read = classfile.read((Settings.classes / "counting" / "Contended.class").read_bytes())
        branch = next(m for m in read.methods if m.name == "work").branches[0]
        taken, not_taken = found.records(work, branch.bci)
        total = threads * EACH
        return 1 - (taken + not_taken) / total, abs(taken / (taken + not_taken) - 0.75)

    def test_lost_increments(self):
        for threads, stripes in PAIRS:
            # A thread that is suspended inside an increment overwrites the increments of others when it resumes. On
            # a busy machine, single runs can be far off; the median is not.
            runs = sorted((self.lost(threads, stripes) for _ in range(RUNS)), key=lambda run: run[1])
            lost, off = runs[RUNS // 2]
            print(f"{self.jvm.id}: {threads} threads, stripes={stripes or 'default'}: {100 * lost:.2f} % of the "
                  f"increments lost, the branch's share is {100 * off:.2f} points off", file=sys.stderr)
            self.assertGreaterEqual(lost, 0, "more was counted than happened")
            self.assertLess(lost, 0.9)
            self.assertLess(off, 0.15)
