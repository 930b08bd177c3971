"""HotSpot's counts: reads what -XX:+PrintMethodData prints at exit, as Counts.

Class names are as HotSpot prints them; hidden classes are left out. The output may be mixed with that of the program,
which must not look like a header.
"""

import collections
import re

from oracle import counts

# Makes HotSpot's MethodData nearly exact: C1 compiles every method with full profiling at its first call.
NEAR_EXACT = [
    "-XX:TieredStopAtLevel=3", "-XX:TypeProfileWidth=8", "-XX:Tier3InvocationThreshold=1",
    "-XX:Tier3MinInvocationThreshold=1", "-XX:Tier3CompileThreshold=1", "-XX:Tier0InvokeNotifyFreqLog=0",
    "-XX:Tier0BackedgeNotifyFreqLog=0", "-XX:Tier3BackEdgeThreshold=1", "-Xbatch"]
# A second oracle: without C1, the interpreter profiles, from the first executions on, and it never swaps the edges of a
# branch. The threshold keeps C2 from compiling, because its code does not count.
INTERPRETED = [
    "-XX:-TieredCompilation", "-XX:TypeProfileWidth=8", "-XX:InterpreterProfilePercentage=0",
    "-XX:CompileThreshold=100000000"]
PRINT = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintMethodData"]

_HEADER = re.compile(r"^(?:(?:static|final|synchronized|native|abstract) )*(\S+)::(\S+?)(\(\S*\)\S+)$")
_BRANCH = re.compile(r"bci: (\d+) *BranchData .*?taken\((\d+)\)")
_NOT_TAKEN = re.compile(r"^ +not taken\((\d+)\)")
_MULTI = re.compile(r"bci: (\d+) *MultiBranchData .*?default_count\((\d+)\)")
_CALL = re.compile(r"bci: (\d+) *VirtualCall(?:Type)?Data .*?count\((\d+)\)")
_ROW = re.compile(r"^ +'([^']+)'\((\d+) [\d.]+\)")
_COUNT = re.compile(r"^ +count\((\d+)\) displacement")


def parse(lines, wanted=lambda method: True):
    """Counts of the wanted methods, whose branch records are [(0, 0, taken), (0, 1, not taken)], or one for each key with the default last.

    Receivers are those of the rows; counts.UNLISTED stands for what HotSpot counted without a class.
    """
    found = counts.Counts()
    method = branch = switch = rows = None
    for line in lines:
        if "::" in line:
            header = _HEADER.match(line)
            if header:
                method = None if "/" in header[1] or "+0x" in header[1] else counts.key(*header.groups())
                if method is not None and not wanted(method):
                    method = None
                branch = switch = rows = None
                continue
        if method is None:
            continue
        if line.startswith("  invocation_counter:"):
            found.calls[method] += int(line.split()[1])
        elif "Data" in line:
            switch = rows = None
            at = _CALL.search(line)
            if at:
                rows = found.receivers[method][int(at[1])] = collections.Counter()
                if int(at[2]):
                    rows[counts.UNLISTED] = int(at[2])
                continue
            at = _BRANCH.search(line)
            if at:
                branch = int(at[1]), int(at[2])
                continue
            at = _MULTI.search(line)
            if at:
                switch = [int(at[1]), int(at[2])]
                found.branches[method][switch[0]] = [(0, 0, switch[1])]
        elif branch:
            at = _NOT_TAKEN.match(line)
            if at:
                found.branches[method][branch[0]] = [(0, 0, branch[1]), (0, 1, int(at[1]))]
            branch = None
        elif rows is not None:
            at = _ROW.match(line)
            if at:
                rows[at[1].replace("/", ".")] += int(at[2])
        elif switch:
            at = _COUNT.match(line)
            if at:
                records = found.branches[method][switch[0]]
                records.insert(len(records) - 1, (0, 0, int(at[1])))
    return found


def read(path):
    with open(path, errors="replace") as lines:
        return parse(lines)
