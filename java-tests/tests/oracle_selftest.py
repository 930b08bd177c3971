"""Tests the oracles' readers with handwritten input; each check of counts must be able to fail."""

import pathlib
import struct
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib")]
sys.dont_write_bytecode = True

from harness.profile import Profile  # noqa: E402
from oracle import (  # noqa: E402
    callers, class_code, classfile, comparison, contexts, counts, expectations, method_data, method_data_comparison)


def class_bytes(code, lines, name=b"p/C", method=b"m", descriptor=b"(I)I", source=b"C.java"):
    """A class with one method, assembled by hand."""
    utf8 = [name, b"java/lang/Object", method, descriptor, b"Code", b"LineNumberTable", b"SourceFile", source]
    pool = b"".join(struct.pack(">BH", 1, len(u)) + u for u in utf8)
    pool += struct.pack(">BH", 7, 1) + struct.pack(">BH", 7, 2)
    table = struct.pack(">HIH", 6, 2 + 4 * len(lines), len(lines)) + b"".join(struct.pack(">HH", *l) for l in lines)
    body = struct.pack(">HHI", 4, 4, len(code)) + code + struct.pack(">HH", 0, 1) + table
    return (struct.pack(">IHHH", 0xcafebabe, 0, 50, len(utf8) + 3) + pool + struct.pack(">HHHHH", 1, 9, 10, 0, 0) +
            struct.pack(">HHHHH", 1, 9, 3, 4, 1) + struct.pack(">HI", 5, len(body)) + body +
            struct.pack(">HHIH", 1, 7, 2, 8))


# 0 iload_0, 1 ifeq 6, 4 iconst_1, 5 ireturn, 6 iload_0, 7 tableswitch 0..2 -> 32 34 32, default 34,
# 32 iconst_2, 33 ireturn, 34 iconst_3, 35 ireturn
CODE = (bytes([0x1a, 0x99, 0, 5, 4, 0xac, 0x1a, 0xaa]) + struct.pack(">iiiiii", 27, 0, 2, 25, 27, 25) +
        bytes([5, 0xac, 6, 0xac]))
KEY = ("p.C", "m", ("int", "int"))


class Code(unittest.TestCase):
    def test_records_follow_from_the_code(self):
        self.assertEqual(class_code.expected_records(CODE), {1: ("branch", 2), 7: ("switch", 4)})
        calls = bytes([0xb6, 0, 1, 0xb8, 0, 1, 0xc0, 0, 1, 0xa7, 0, 3, 0x53, 0xb1])
        self.assertEqual(class_code.expected_records(calls), {0: ("call", None), 3: ("count", None), 6: ("check", None),
                                                              9: ("jump", None), 12: ("check", None)})

    def test_every_other_byte_is_a_difference_but_the_constant_of_an_ldc(self):
        self.assertEqual(class_code.code_differences(CODE, CODE, 1), [])
        for at in range(len(CODE)):
            self.assertEqual(len(class_code.code_differences(CODE[:at] + bytes([CODE[at] ^ 1]) + CODE[at + 1:], CODE, 1)), 1, at)
        self.assertEqual(class_code.code_differences(bytes([0x12, 0]), bytes([0x12, 5]), 1), [])
        self.assertEqual(len(class_code.code_differences(bytes([0x12, 4]), bytes([0x12, 5]), 1)), 1)
        self.assertEqual(len(class_code.code_differences(CODE[:-1], CODE, 1)), 1)
        # A store to local 4 of 8, which the JVM has split, and to another local of the class file.
        self.assertEqual(class_code.code_differences(bytes([0x3a, 8]), bytes([0x3a, 4]), 8), [])
        self.assertEqual(len(class_code.code_differences(bytes([0x3a, 7]), bytes([0x3a, 4]), 8)), 1)


class ClassFiles(unittest.TestCase):
    def test_branches_and_lines(self):
        read = classfile.read(class_bytes(CODE, [(0, 3), (6, 4)]))
        method = read.methods[0]
        self.assertEqual((read.name, read.source_file, method.name), ("p.C", "C.java", "m"))
        self.assertEqual([(b.bci, b.targets, b.keys) for b in method.branches],
                         [(1, (6, 4), ()), (7, (32, 34, 32, 34), (0, 1, 2))])
        self.assertEqual([method.line_at(b.bci) for b in method.branches], [3, 4])

    def test_damage_is_named(self):
        whole = class_bytes(CODE, [(0, 3)])
        for end in range(0, len(whole), 7):
            with self.assertRaises(classfile.DamagedClass):
                classfile.read(whole[:end])

    def test_signatures(self):
        self.assertEqual(classfile.signature("([[ILa/B;J)[La/B;"), ("[La.B;", "[[I", "a.B", "long"))


class Expectations(unittest.TestCase):
    def outcome(self, lines, found, **more):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "C.java").write_text("\n\nif // @if\nswitch // @switch\n")
            (root / "C.class").write_bytes(class_bytes(CODE, [(0, 3), (6, 4)]))
            checker = expectations.Checker(expectations.Program(root, root), found, **more)
            return checker.check(expectations.parse("".join(f"EXPECT {line}\n" for line in (*lines, "done"))))

    def found(self, taken=3, not_taken=4):
        found = counts.Counts()
        found.calls[KEY] = 7
        found.branches[KEY] = {1: [(6, 0, taken), (4, 1, not_taken)],
                               7: [(32, 0, 3), (34, 1, 0)]}
        return found

    LINES = ("calls p.C m(I)I 7", "branch C.java@if#0 taken 3 not 4", "value C.java@if#0 zero 3 nonzero 4",
             "switch C.java@switch#0 1 0 2 default 0")

    def test_equal(self):
        outcome = self.outcome(self.LINES, self.found())
        self.assertEqual((outcome.wrong, outcome.exact), ([], 4))

    def test_one_off_is_wrong(self):
        outcome = self.outcome(self.LINES, self.found(taken=2))
        self.assertEqual(len(outcome.wrong), 2, outcome.wrong)

    def test_within_k_only_where_blocks_were_left_and_never_negative(self):
        lines = (*self.LINES, "abrupt p.C m(I)I 1")
        self.assertEqual(self.outcome(lines, self.found(taken=2)).wrong, [])
        self.assertEqual(len(self.outcome(lines, self.found(taken=2), tree=False).wrong), 2)
        self.assertEqual(len(self.outcome(lines, self.found(taken=5)).wrong), 2)

    def test_wrong_positions(self):
        found = self.found()
        found.branches[KEY][1] = [(7, 0, 3), (4, 1, 4)]
        self.assertTrue(any("successors" in w for w in self.outcome(self.LINES, found).wrong))

    TYPES = ("receivers-at p.C m(I)I 1 a.B:3 a.C:4", "monitors counting.Monitors$A 5", "monitors java.lang.Object 2",
             "receivers-at p.C m(I)I 7 a.B:1 a.X$$Lambda*17:2 a.X$$Lambda*9:3")

    def types(self, b=3, at=1, objects=2, a=5, names=("$" + "0f" * 20, "$" + "1e" * 20 + "_1"), counted=(3, 2)):
        found = self.found()
        found.receivers[KEY] = {at: {"a.B": b, "a.C": 4},
                                7: {"a.B": 1, **{"a.X$$Lambda" + name: n for name, n in zip(names, counted)}}}
        found.monitors.update({"counting.Monitors$A": a, "java.lang.Object": objects})
        return found

    def test_types_equal(self):
        self.assertEqual((self.outcome(self.TYPES, self.types()).wrong, self.outcome(self.TYPES, self.types()).exact), ([], 4))
        # Other code enters monitors of the JDK's classes, too, but only if these classes are counted.
        self.assertEqual(self.outcome(self.TYPES, self.types(objects=3)).wrong, [])
        self.assertEqual(len(self.outcome(self.TYPES, self.types(objects=3), confined=True).wrong), 1)
        self.assertEqual(len(self.outcome(self.TYPES, self.types(objects=1)).wrong), 1)
        self.assertEqual(self.outcome(self.TYPES, self.types(a=1), only_where_counted=True).missing, 1)
        self.assertEqual(len(self.outcome(self.TYPES, self.types(a=6), only_where_counted=True).wrong), 1)

    def test_one_type_off_is_wrong(self):
        for found in (self.types(b=4), self.types(b=2), self.types(at=2), self.types(a=6), self.types(counted=(3, 1)),
                      self.types(names=("/0x00007f12ab", "$" + "1e" * 20))):
            self.assertEqual(len(self.outcome(self.TYPES, found).wrong), 1)
        self.assertTrue(self.outcome(("receivers-at p.C m(I)I 1",), self.types()).wrong, "a record where none is expected")

    def test_lambdas_are_skipped_where_they_have_no_names(self):
        found = self.types(names=())
        outcome = self.outcome(self.TYPES, found, lambdas=False)
        self.assertEqual((outcome.wrong, outcome.unnamed, outcome.exact), ([], 1, 3))
        self.assertEqual(len(self.outcome(self.TYPES, found).wrong), 1)

    def test_a_list_that_ends_early(self):
        with self.assertRaises(ValueError):
            expectations.parse("EXPECT calls p.C m(I)I 7\n")


PRINTED = """\
------------------------------------------------------------------------
static p.C::m(I)I
  interpreter_invocation_count:        5000
  invocation_counter:                  5000
  mdo size: 392 bytes

0 iload_0
1 ifeq 6
  0    bci: 1BranchData          taken(2000) displacement(32)
                                    not taken(3000)
7 fast_linearswitch
  32   bci: 7    MultiBranchData     default_count(500) displacement(24)
                                    count(900) displacement(24)
                                    count(600) displacement(48)
------------------------------------------------------------------------
p.D$$Lambda$1/0x01::m(I)I
  invocation_counter:                  9000
"""


class MethodData(unittest.TestCase):
    def test_parse(self):
        found = method_data.parse(PRINTED.splitlines())
        self.assertEqual(dict(found.calls), {KEY: 5000})
        self.assertEqual(found.records(KEY, 1), (2000, 3000))
        self.assertEqual(found.records(KEY, 7), (900, 600, 500))

    def test_compare(self):
        ours = counts.Counts()
        ours.calls[KEY] = 5001
        ours.branches[KEY] = {1: [(6, 0, 3000), (4, 1, 2001)], 7: [(0, 0, 900), (0, 1, 600), (0, 2, 501)]}
        theirs = [method_data.parse(PRINTED.splitlines())]
        result = method_data_comparison.compare(ours, theirs)
        self.assertEqual((result.sites, result.confirmed), (3, 2))
        self.assertEqual([d[-1] for d in result.differing], ["edges swapped"])
        # HotSpot's edges with the same target are one record in a profile.
        ours.branches[KEY] = {1: [(4, 0, 5001)], 7: [(30, 0, 1400), (40, 1, 600)]}
        targets = {1: (4, 4), 7: (30, 40, 30)}
        result = method_data_comparison.compare(ours, theirs, targets=lambda m, bci: targets[bci])
        self.assertEqual((result.sites, result.confirmed), (3, 3))


PRINTED_RECEIVERS = """\
p.C::m(I)I
  0    bci: 4    VirtualCallData     count(0) nonprofiled_count(0) entries(2)
                                    'p/A'(5000 0.99)
                                    'p/C$$Lambda$14+0x00007f'(70 0.01)
                argument types      0: stack(1) 'java/lang/String'
  0    bci: 9    VirtualCallTypeData count(2000) nonprofiled_count(0) entries(0)
                return type         'java/lang/String'
  0    bci: 20   ReceiverTypeData    count(0) entries(1)
                                    'p/B'(9000 1.00)
"""


class Between(unittest.TestCase):
    def test_between_two_runs_that_differ_a_little(self):
        runs = [(7454, 10), (7654, 10)]
        self.assertTrue(method_data_comparison.between((7526, 10), runs))
        for ours, theirs in (((7726, 10), runs), ((7300, 10), runs), ((7526, 200), runs), ((7526, 10), runs[:1]),
                             ((7526, 10), [(3000, 10), (7654, 10)]), ((7460, 10), [(7454, 10), (7455, 10)])):
            self.assertFalse(method_data_comparison.between(ours, theirs), (ours, theirs))


class Receivers(unittest.TestCase):
    def compare(self, at_4, at_9, **more):
        ours = counts.Counts()
        ours.receivers[KEY] = {bci: counts.collections.Counter(types) for bci, types in ((4, at_4), (9, at_9)) if types}
        theirs = [method_data.parse(PRINTED_RECEIVERS.splitlines())]
        return method_data_comparison.compare_receivers(ours, theirs, **more)

    def test_parse(self):
        self.assertEqual({bci: dict(t) for bci, t in method_data.parse(PRINTED_RECEIVERS.splitlines()).receivers[KEY].items()},
                         {4: {"p.A": 5000, "p.C$$Lambda$14+0x00007f": 70}, 9: {counts.UNLISTED: 2000}})

    def test_compare(self):
        good = {"p.A": 5001, "p.C$$Lambda$" + "0" * 40: 70}
        result = self.compare(good, {"p.A": 1000, "p.B": 1000})
        self.assertEqual((result.sites, result.confirmed), (2, 2))
        for bad in ({"p.A": 5001}, {"p.A": 4900, "p.C$$Lambda$0": 170}, {"p.A": 5070, "p.B": 66}, None):
            self.assertEqual(len(self.compare(bad, {"p.A": 2000}).differing), 1, bad)
        self.assertEqual(len(self.compare(good, {"p.A": 1800}).differing), 1)
        self.assertEqual(self.compare(None, {"p.A": 2000}, lambdas=False).sites, 1)
        self.assertEqual(self.compare(good, None, has_one_target=lambda method, bci: bci == 9).sites, 1)


class Comparison(unittest.TestCase):
    def test_differences_are_found(self):
        one, other = counts.Counts(), counts.Counts()
        one.calls[KEY] = other.calls[KEY] = 1
        one.branches[KEY] = {1: [(6, 0, 1), (4, 1, 0)]}
        self.assertEqual(len(comparison.compare(one, other).differing), 1)
        other.branches[KEY] = {1: [(6, 0, 2), (4, 1, 0)]}
        self.assertEqual(len(comparison.compare(one, other).differing), 1)
        self.assertEqual(comparison.compare(one, other, slack=lambda m: 1).differing, [])


class StacksAgainstBytecode(unittest.TestCase):
    def setUp(self):
        def method(owner, name, descriptor, access=0, invokes=(), dynamic=()):
            return classfile.Method(owner, name, descriptor, access, (), (), (), 20, invokes, (), dynamic)
        methods = [method("a.B", "run", "(I)V", invokes=((4, 0xb6, "a.C", "step", "(J)I"),
                                                         (9, 0xb6, "java.lang.invoke.MethodHandle", "invoke", "()V")),
                          dynamic=(14,)),
                   method("a.B", "peer", "()V", access=callers.ACC_NATIVE)]
        self.callers = callers.Callers(lambda owner: None)
        self.callers._methods["a.B"] = {callers.describe(m): m for m in methods}

    def test_verdicts(self):
        for inner, outer, verdict in (
                ("a.D.step(long)int:0", "a.B.run(int)void:4", "called"),
                ("a.D.step(int)int:0", "a.B.run(int)void:4", "wrong"),
                ("a.D.other(long)int:0", "a.B.run(int)void:4", "wrong"),
                ("a.D.step(long)int:0", "a.B.run(int)void:5", "wrong"),
                ("a.D.any()void:0", "a.B.run(int)void:9", "linked"),
                ("a.D.any()void:0", "a.B.run(int)void:14", "linked"),
                ("a.D.<clinit>()void:0", "a.B.run(int)void:5", "by the VM"),
                ("a.D.any()void:0", "a.B.peer()void:0", "by the VM"),
                ("a.D.any()void:0", "a.E.run()void:0", "unknown")):
            self.assertEqual(self.callers.judge(inner, outer), verdict, (inner, outer))

    def test_stacks_are_counted_by_weight(self):
        stack = ("a.D.step(int)int:0", "a.B.run(int)void:4", "a.E.main()void:2")
        untrue, verdicts, wrong = self.callers.check({stack: 7, stack[1:]: 2})
        self.assertEqual((untrue, verdicts), (7, {"wrong": 7, "unknown": 9}))
        self.assertEqual(wrong, {"a.D.step(int)int:0 called from a.B.run(int)void:4": 7})


class ReceiversAndBranchesByCaller(unittest.TestCase):
    SEEN = ("Lib.f(LShape;)V:4\tSquare\tSquare\t600\tA.run()V:9\n"
            "Lib.f(LShape;)V:4\tCircle\tRound\t400\tB$$Lambda/0x1.get()V:3\tB.run([I)J:7\tMain.main()V:2\n"
            "Lib.g()V:2\t5\t\t3\tA.run()V:9\n"
            "Lib.h()V:2\tB$$Lambda/0x1\t\t3\tA.run()V:9\n")
    LIB, A, B = "Lib.f(Shape)void:4", "A.run()void:9", "B.run([I)long:7"

    def profile(self, entries):
        names = ["Lib", "void", "Shape", "A", "B", "long", "[I", "Square", "Circle"]
        methods = [("f", 0, 1, 2), ("run", 3, 1), ("run", 4, 5, 6)]
        return Profile({"types": [{"id": i, "name": name} for i, name in enumerate(names)],
                        "methods": [{"id": i, "name": name, "signature": types} for i, (name, *types) in enumerate(methods)],
                        "virtualInvokeProfiles": [{"ctx": ctx, "records": records} for ctx, records in entries.items()]})

    def seen(self, **how):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "seen"
            path.write_text(self.SEEN)
            return contexts.read(path, **how)

    def error(self, entries):
        profile = self.profile(entries)
        return contexts.errors(self.seen(), profile, contexts.candidates(profile, "Lib"))[contexts.RECEIVERS]

    def test_what_was_seen(self):
        self.assertEqual(self.seen(), {
            self.LIB: {(self.A,): {"Square": 600}, (self.B, "Main.main()void:2"): {"Circle": 400}}, "Lib.g()void:2": {(self.A,): {"5": 3}}})
        self.assertEqual(self.seen(by_method=True)[self.LIB][(self.B, "Main.main()void:2")], {"Round": 400})

    def test_without_callers_the_example_is_wrong(self):
        error = self.error({"0:4": [7, 600, 8, 400]})
        self.assertEqual((error.wrong, error.all), (480, 1000))

    def test_with_callers_it_is_right_and_one_wrong_caller_counts(self):
        self.assertEqual(self.error({"0:4<1:9": [7, 600], "0:4<2:7": [8, 400]}).wrong, 0)
        # What is not said of a caller is what the position without callers says.
        self.assertEqual(self.error({"0:4<1:9": [7, 600], "0:4": [8, 400]}).wrong, 0)
        self.assertEqual(self.error({"0:4<1:9": [8, 600], "0:4<2:7": [7, 400]}).wrong, 1000)

    def test_sure_sites_are_no_candidates(self):
        self.assertEqual(contexts.candidates(self.profile({"0:4": [7, 900, 8, 100]}), "Lib"), {})
        self.assertEqual(list(contexts.candidates(self.profile({"0:4": [7, 899, 8, 101]}), "Lib")), [self.LIB])
        self.assertEqual(contexts.candidates(self.profile({"0:4": [7, 600, 8, 400]}), "Other"), {})

    def test_sites_are_named_as_class_files_do(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sites"
            contexts.write_sites(self.profile({}), [self.LIB, self.B], path)
            self.assertEqual(path.read_text(), "Lib\tf(LShape;)V\t4\nB\trun([I)J\t7\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
