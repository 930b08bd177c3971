"""Raw files as inputs of the tool: `iprof recover`, and all commands that read profiles."""
import fcntl
import itertools
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import unittest

EXAMPLES_TOOL = os.path.abspath(sys.argv.pop(3))

from cli_case import IPROF, CliTest, unknown  # noqa: E402  (it reads the arguments, too)


class RawTest(CliTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="iprof-raw-")
        cls.addClassCleanup(folder.cleanup)
        subprocess.run([EXAMPLES_TOOL, folder.name], check=True)
        cls.examples = {}
        for name in os.listdir(folder.name):
            with open(os.path.join(folder.name, name), "rb") as f:
                cls.examples[name] = f.read()

    def setUp(self):
        super().setUp()
        for name, data in self.examples.items():
            os.chmod(self.write(name, data), 0o644)  # with any umask of who runs the test

    def note(self, name):
        return self.load(name)["iprofagent"]["snapshot"]

    def counts(self, name):
        document = self.load(name)
        return sum(entry["records"][0] for entry in document["callCountProfiles"])

    def truth(self):
        lines = self.examples["app.truth"].decode().splitlines()
        return sum(int(line.split()[-1]) for line in lines if line.startswith("callCountProfiles"))


class Recover(RawTest):
    def test_the_last_snapshot_becomes_a_profile(self):
        out = self.out("recover", "app.iraw", "-o", "app.iprof")
        self.assertIn("app.iraw: snapshot 7 of 2023-11-14T22:13:20.000Z", out)
        self.assertRegex(out, r"its counts may be off in \d+ methods? by an unknown number, because the program ran on while they were read\n")
        shown = " ".join(self.out("show", "app.iprof").split())
        self.assertEqual(shown.count("by an unknown number"), 1, shown)
        self.assertIn("what ran after the snapshot", out)
        self.assertIn("wrote app.iprof:", out)
        self.run_tool("check", "--strict", "app.iprof")
        self.assertEqual(self.counts("app.iprof"), self.truth())
        self.assertEqual(self.note("app.iprof")["generation"], 7)

    def test_without_a_name_the_profile_is_beside_the_file_and_replaces_nothing(self):
        os.mkdir(self.path("d"))
        os.rename(self.path("app.iraw"), self.path("d/app.iraw"))
        self.assertIn("wrote d/app.iprof:", self.out("recover", "d/app.iraw"))
        made = self.load("d/app.iprof")
        self.write("d/app.iprof", "kept")
        self.assertIn("d/app.iprof is there already: '-o d/app.iprof' replaces it", self.err("recover", "d/app.iraw", expect=2))
        with open(self.path("d/app.iprof"), encoding="utf-8") as kept:
            self.assertEqual(kept.read(), "kept")
        self.run_tool("recover", "d/app.iraw", "-o", "d/app.iprof")
        self.assertEqual(self.load("d/app.iprof")["methods"], made["methods"])

    def test_mistakes_about_the_output(self):
        for arguments, said in ((("app.iraw", "new.iprof"), "new.iprof is not there; if it is the profile to write, type '-o new.iprof'"),
                                (("app.iraw", "other.iraw"), "several raw files are merged: say with -o where the profile goes"),
                                (("-",), "standard input has no name: say with -o where the profile goes")):
            self.assertIn(said, self.err("recover", *arguments, expect=2))

    def test_the_age_of_a_snapshot(self):
        report = self.json("recover", "app.iraw", "-o", "x")
        age = time.time() - 1_700_000_000
        self.assertLess(abs(report["files"][0]["age_s"] - age), 600)
        self.assertIn(" days ago, is not in it", self.out("recover", "app.iraw", "-o", "x"))

    def test_several_files_are_added_up(self):
        self.run_tool("recover", "app.iraw", "-o", "a.iprof")
        self.run_tool("recover", "other.iraw", "-o", "b.iprof")
        self.run_tool("recover", "app.iraw", "other.iraw", "-o", "both.iprof")
        self.assertEqual(self.counts("both.iprof"), self.counts("a.iprof") + self.counts("b.iprof"))
        self.assertEqual(self.note("both.iprof")["files"], 2)

    def test_samples_of_different_intervals_are_scaled_as_by_merge(self):
        names = [f"every{interval_ms}" for interval_ms in (1, 4, 20)]
        for name in names:
            self.run_tool("recover", f"{name}.iraw", "-o", f"{name}.iprof")
        self.run_tool("merge", *(f"{name}.iprof" for name in names), "-o", "merged.iprof")
        merged = self.load("merged.iprof")
        for order in itertools.permutations(names):
            self.assertEqual(self.err("recover", *(f"{name}.iraw" for name in order), "-o", "x.iprof"), "")
            self.assertEqual(self.load("x.iprof"), merged)

    def test_a_file_that_is_given_twice_is_taken_once(self):
        os.symlink("app.iraw", self.path("soft.iraw"))
        os.link(self.path("app.iraw"), self.path("hard.iraw"))
        self.run_tool("recover", "app.iraw", "-o", "once.iprof")
        for second, said in (("app.iraw", "app.iraw was given more than once; it is taken once"),
                             ("./app.iraw", "./app.iraw is the same file as app.iraw; it is taken once"),
                             ("soft.iraw", "soft.iraw is the same file as app.iraw; it is taken once"),
                             ("hard.iraw", "hard.iraw is the same file as app.iraw; it is taken once")):
            self.assertEqual(self.err("recover", "app.iraw", second, "-o", "x.iprof"), f"iprof: warning: {said}\n")
            self.assertEqual(self.load("x.iprof"), self.load("once.iprof"))
        run = self.run_tool("recover", "-", "-", "-o", "x.iprof", stdin=self.examples["app.iraw"])
        self.assertEqual(run.stderr.decode(), "iprof: warning: standard input was given more than once; it is taken once\n")
        self.assertTrue(run.stdout.decode().startswith("standard input: snapshot "), run.stdout)
        self.assertEqual(self.load("x.iprof"), self.load("once.iprof"))
        self.err("recover", "app.iraw", "other.iraw", "soft.iraw", "-o", "x.iprof")
        self.assertEqual(self.note("x.iprof")["files"], 2)

    def test_of_copies_the_newest_is_taken(self):
        self.run_tool("recover", "app.iraw", "-o", "once.iprof")
        self.write("copy.iraw", self.examples["app.iraw"])
        self.assertEqual(self.err("recover", "app.iraw", "copy.iraw", "-o", "x.iprof"),
                         "iprof: warning: copy.iraw is left out: app.iraw is of the same run\n")
        self.assertEqual(self.load("x.iprof"), self.load("once.iprof"))
        older = bytearray(self.examples["app.iraw"])
        older[2 * 4096 + 60] ^= 1  # in the commit of snapshot 7
        self.write("older.iraw", bytes(older))
        for inputs in (("app.iraw", "older.iraw"), ("older.iraw", "app.iraw")):
            said = self.err("recover", *inputs, "-o", "x.iprof")
            self.assertIn("older.iraw is left out: app.iraw is of the same run, and newer", said)
            self.assertEqual(self.load("x.iprof"), self.load("once.iprof"))
        report = self.json("recover", "other.iraw", "older.iraw", "app.iraw", "-o", "x.iprof")
        self.assertEqual([file["file"] for file in report["files"]], ["other.iraw", "app.iraw"])
        self.assertEqual(report["left_out"], ["older.iraw: app.iraw is of the same run, and newer"])
        # Of the same snapshot, the whole one.
        damaged = bytearray(self.examples["app.iraw"])
        damaged[4 * 4096 + 40] ^= 1  # in the log
        self.write("damaged.iraw", bytes(damaged))
        (file,) = self.json("recover", "damaged.iraw", "-o", "x.iprof")["files"]
        self.assertEqual((file["generation"], file["damaged_records"], file["newer_damaged"]), (7, 1, 0))
        for inputs in (("app.iraw", "damaged.iraw"), ("damaged.iraw", "app.iraw")):
            self.assertEqual(self.err("recover", *inputs, "-o", "x.iprof"),
                             "iprof: warning: damaged.iraw is left out: app.iraw is of the same run, and has fewer losses\n")
            self.assertEqual(self.load("x.iprof"), self.load("once.iprof"))
        # Newer, and damaged.
        for inputs in (("older.iraw", "damaged.iraw"), ("damaged.iraw", "older.iraw")):
            self.assertEqual(self.err("recover", *inputs, "-o", "x.iprof"),
                             "iprof: warning: older.iraw is left out: damaged.iraw is of the same run, and newer, but has more losses\n")

    def test_what_an_image_build_cannot_use(self):
        """The lines about snapshots count it, and the profile does not have it."""
        self.assertRegex(self.out("recover", "other.iraw", "-o", "x.iprof"),
                         r"wrote x.iprof: .* declared, without what an image build cannot use\n$")
        self.assertRegex(self.out("recover", "app.iraw", "-o", "x.iprof"), r"wrote x.iprof: .* declared\n$")

    def test_a_raw_file_is_not_replaced(self):
        os.symlink("app.iraw", self.path("soft.iraw"))
        for command in ("recover", "merge"):
            for output in ("app.iraw", "./app.iraw", "soft.iraw", "other.iraw"):
                said = self.err(command, "app.iraw", "-o", output, expect=2)
                self.assertEqual(said, f"iprof: error: {output} is a raw file, which the profile would replace: give the profile another name\n")
        for command in (("convert", "--to", "iprof"), ("convert", "--to", "pprof"), ("report",)):
            said = self.err(*command, "app.iraw", "-o", "other.iraw", expect=2)
            self.assertEqual(said, "iprof: error: other.iraw is a raw file, which the profile would replace: give the profile another name\n")
        self.err("merge", "--input-dir", ".", "-o", "app.iraw", expect=2)
        self.err("convert", "app.iraw", "--to", "iprof", "-o", "app.iraw", expect=2)
        for name in ("app.iraw", "other.iraw"):
            with open(self.path(name), "rb") as f:
                self.assertEqual(f.read(), self.examples[name])

    def test_the_name_of_a_running_jvms_profile_is_left_to_the_jvm(self):
        """It would replace the file at its end. Nor is another profile replaced that was not named."""
        lock = os.open(self.path(".live.iprof.lock"), os.O_CREAT | os.O_RDWR, 0o600)  # as the agent holds it
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.write("live.1.iprof", b"another one")
        for command in (("recover",), ("merge",), ("convert", "--to", "iprof")):
            said = self.err(*command, "app.iraw", "-o", "live.iprof")
            self.assertIn("iprof: warning: live.iprof: another running process writes it; the profile goes to live.2.iprof\n", said)
            self.assertFalse(os.path.exists(self.path("live.iprof")))
            self.assertGreater(len(self.load("live.2.iprof")["methods"]), 0)
            os.remove(self.path("live.2.iprof"))
        fcntl.flock(lock, fcntl.LOCK_UN)
        self.assertNotIn("another running process", self.err("recover", "app.iraw", "-o", "live.iprof"))
        self.assertGreater(len(self.load("live.iprof")["methods"]), 0)
        with open(self.path("live.1.iprof"), "rb") as f:
            self.assertEqual(f.read(), b"another one")
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".lock")], [])

    def test_a_limit_for_the_size_of_files(self):
        done = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$0" recover app.iraw -o lim.iprof', IPROF], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("lim.iprof: cannot write: File too large", done.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if "lim" in name], [])

    def test_nothing_to_recover(self):
        for name, data, reason in (
            ("empty.iraw", b"", "is empty"),
            ("new2.iraw", self.examples["new.iraw"], "has no snapshot yet"),
            ("cut.iraw", self.examples["app.iraw"][:100], "is cut within its header"),
            ("json.iraw", b'{"version":"1.0.0","types":[],"methods":[]}', "is not a raw file"),
        ):
            self.write(name, data)
            error = self.err("recover", name, "-o", "x.iprof", expect=3)
            self.assertIn(f"{name}: ", error)
            self.assertIn(reason, error)
            self.assertFalse(os.path.exists(self.path("x.iprof")))
        self.assertIn("cannot open", self.err("recover", "none.iraw", "-o", "x.iprof", expect=4))

    def test_refused_headers(self):
        def changed(at, value):
            data = bytearray(self.examples["app.iraw"])
            data[at:at + len(value)] = value
            return bytes(data)
        order = self.examples["app.iraw"][8:12]
        for data, reason in ((changed(8, order[::-1]), "byte order"),
                             (changed(12, bytes([9])), "version 9 of the raw format"),
                             (changed(40, b"\xff"), "damaged header")):
            self.write("odd.iraw", data)
            self.assertIn(reason, self.err("recover", "odd.iraw", "-o", "x", expect=3))
            self.assertIn(reason, self.err("show", "odd.iraw", expect=3))

    def test_what_cannot_be_recovered_is_left_out(self):
        done = self.run_tool("recover", "new.iraw", "app.iraw", "-o", "x.iprof", expect=1)
        self.assertIn("left out: new.iraw: has no snapshot yet", done.stderr.decode())
        self.assertEqual(self.counts("x.iprof"), self.truth())

    def test_a_newer_snapshot_that_is_damaged(self):
        newest = bytearray(self.examples["app.iraw"])
        newest[2 * 4096 + 60] ^= 1  # in the commit of snapshot 7
        self.write("odd.iraw", bytes(newest))
        out = self.out("recover", "odd.iraw", "-o", "x.iprof")
        self.assertIn("odd.iraw: snapshot 6 of ", out)
        self.assertIn("; lost: 1 snapshot that seems to be newer (damaged or not complete)\n", out)
        self.assertEqual(self.note("x.iprof")["newer_damaged"], 1)
        self.assertEqual(self.json("recover", "odd.iraw", "-o", "x.iprof")["files"][0]["newer_damaged"], 1)
        self.assertEqual(self.json("recover", "app.iraw", "-o", "x.iprof")["files"][0]["newer_damaged"], 0)

    def test_the_profile_is_as_private_as_the_raw_file(self):
        self.addCleanup(os.umask, os.umask(0))
        for name in ("x.iprof", "x.iprof.gz"):
            self.run_tool("recover", "app.iraw", "-o", name)
            self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, 0o600)
            os.chmod(self.path(name), 0o640)  # the owner's own decision
            self.run_tool("recover", "app.iraw", "-o", name)
            self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, 0o640)
        for command, mode in (("merge", 0o666), ("convert", 0o666)):
            inputs = ("app.iraw", "other.iraw") if command == "merge" else ("--to", "iprof", "app.iraw")
            self.run_tool(command, *inputs, "-o", f"{command}.iprof")
            self.assertEqual(os.stat(self.path(f"{command}.iprof")).st_mode & 0o777, mode)

    def test_a_merge_is_as_private_as_an_input(self):
        self.addCleanup(os.umask, os.umask(0))
        os.chmod(self.path("other.iraw"), 0o600)
        self.run_tool("merge", "app.iraw", "other.iraw", "-o", "m.iprof")
        self.assertEqual(os.stat(self.path("m.iprof")).st_mode & 0o777, 0o600)

    def test_a_converted_profile_is_as_private_as_the_input(self):
        self.addCleanup(os.umask, os.umask(0))
        os.chown(self.path("other.iraw"), -1, os.getegid())
        for mode, converted in ((0o600, 0o600), (0o640, 0o640), (0o644, 0o666)):
            os.chmod(self.path("other.iraw"), mode)
            for to in ("iprof", "pretty"):
                self.run_tool("convert", "--to", to, "other.iraw", "-o", "c.iprof")
                self.assertEqual(os.stat(self.path("c.iprof")).st_mode & 0o777, converted, (oct(mode), to))
                os.remove(self.path("c.iprof"))
        self.run_tool("convert", "--to", "iprof", "-", "-o", "c.iprof", stdin=self.examples["app.iraw"])
        self.assertEqual(os.stat(self.path("c.iprof")).st_mode & 0o777, 0o600)

    def test_what_comes_from_a_pipe_is_private(self):
        self.addCleanup(os.umask, os.umask(0))
        self.run_tool("merge", "-", "-o", "m.iprof", stdin=self.examples["app.iraw"])
        self.assertEqual(os.stat(self.path("m.iprof")).st_mode & 0o777, 0o600)
        with open(self.path("app.iraw"), "rb") as file:
            subprocess.run([IPROF, "merge", "-", "-o", "f.iprof"], cwd=self.folder, stdin=file, check=True)
        self.assertEqual(os.stat(self.path("f.iprof")).st_mode & 0o777, 0o666)

    def test_an_access_list_lets_nobody_else_read_a_merge(self):
        """Of the folder, or of an input: the user 4002 may read there."""
        self.addCleanup(os.umask, os.umask(0))
        everybody = 0xffffffff
        entries = ((1, 6, everybody), (2, 4, 4002), (4, 0, everybody), (16, 4, everybody), (32, 0, everybody))
        access_list = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
        for name in ("app.iraw", "other.iraw"):
            os.chown(self.path(name), -1, os.getegid())
            os.chmod(self.path(name), 0o640)
        os.mkdir(self.path("listed"))
        try:
            os.setxattr(self.path("listed"), "system.posix_acl_default", access_list)
        except OSError as error:
            self.skipTest(str(error))
        self.run_tool("merge", "app.iraw", "other.iraw", "-o", "listed/m.iprof")
        self.assertEqual(os.stat(self.path("listed/m.iprof")).st_mode & 0o777, 0o600)
        self.run_tool("merge", "app.iraw", "other.iraw", "-o", "m.iprof")
        self.assertEqual(os.stat(self.path("m.iprof")).st_mode & 0o777, 0o640)
        os.remove(self.path("m.iprof"))
        os.setxattr(self.path("app.iraw"), "system.posix_acl_access", access_list)
        self.assertEqual(os.stat(self.path("app.iraw")).st_mode & 0o777, 0o640)
        self.run_tool("merge", "app.iraw", "other.iraw", "-o", "m.iprof")
        self.assertEqual(os.stat(self.path("m.iprof")).st_mode & 0o777, 0o600)
        os.remove(self.path("m.iprof"))
        # One that denies the user what all others may.
        denies = ((1, 6, everybody), (2, 0, 4002), (4, 4, everybody), (16, 4, everybody), (32, 4, everybody))
        os.setxattr(self.path("app.iraw"), "system.posix_acl_access",
                    struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in denies))
        self.assertEqual(os.stat(self.path("app.iraw")).st_mode & 0o777, 0o644)
        self.run_tool("merge", "app.iraw", "other.iraw", "-o", "m.iprof")
        self.assertEqual(os.stat(self.path("m.iprof")).st_mode & 0o777, 0o600)

    def test_a_merge_can_be_read_by_no_more_than_all_inputs(self):
        self.addCleanup(os.umask, os.umask(0))
        for mode, other_mode, merged in ((0o640, 0o644, 0o640), (0o644, 0o640, 0o640), (0o644, 0o644, 0o666),
                                         (0o640, 0o600, 0o600), (0o604, 0o644, 0o600)):
            for name, its_mode in (("app.iraw", mode), ("other.iraw", other_mode)):
                os.chown(self.path(name), -1, os.getegid())
                os.chmod(self.path(name), its_mode)
            self.run_tool("merge", "app.iraw", "other.iraw", "-o", "m.iprof")
            self.assertEqual(os.stat(self.path("m.iprof")).st_mode & 0o777, merged, (oct(mode), oct(other_mode)))
            os.remove(self.path("m.iprof"))
        others = [group for group in os.getgroups() if group != os.getegid()]
        if os.geteuid() == 0 or others:
            os.chown(self.path("app.iraw"), -1, others[0] if others else 4002)
            os.chmod(self.path("app.iraw"), 0o640)
            self.run_tool("merge", "app.iraw", "other.iraw", "-o", "m.iprof")
            self.assertEqual(os.stat(self.path("m.iprof")).st_mode & 0o777, 0o600)
            # In a folder that gives its group to new files.
            os.mkdir(self.path("shared"))
            os.chown(self.path("shared"), -1, others[0] if others else 4002)
            os.chmod(self.path("shared"), 0o2755)
            os.chown(self.path("app.iraw"), -1, os.getegid())
            os.chmod(self.path("app.iraw"), 0o640)
            self.run_tool("merge", "app.iraw", "other.iraw", "-o", "shared/m.iprof")
            self.assertEqual(os.stat(self.path("shared/m.iprof")).st_mode & 0o777, 0o600)

    def test_a_truncated_file(self):
        whole = self.examples["app.iraw"]
        recovered = 0
        for size in range(len(whole) // 4, len(whole), len(whole) // 16):
            self.write("cut.iraw", whole[:size])
            done = subprocess.run([IPROF, "recover", "cut.iraw", "-o", "cut.iprof"], cwd=self.folder,
                                  capture_output=True, text=True, check=False)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            if done.returncode == 0:
                recovered += 1
                self.run_tool("check", "cut.iprof")
                note = self.note("cut.iprof")
                self.assertTrue(note["generation"] == 7 or note["damaged_records"] > 0 or
                                note["generation"] == 6)
        self.assertGreater(recovered, 0)


class OtherCommands(RawTest):
    def test_show_says_where_it_comes_from(self):
        out = self.out("show", "app.iraw")
        self.assertIn("recovered from: snapshot 7 of 2023-11-14T22:13:20.000Z", out)
        self.run_tool("recover", "app.iraw", "-o", "app.iprof")
        self.assertEqual(self.out("show", "app.iprof").splitlines()[1:], out.splitlines()[1:])

    def test_check_top_convert_diff_overlap(self):
        self.run_tool("recover", "app.iraw", "-o", "app.iprof")
        self.assertIn(": 0 errors", self.out("check", "app.iraw"))
        self.assertEqual(self.out("top", "app.iraw"), self.out("top", "app.iprof"))
        self.assertIn("no differences", self.out("diff", "app.iraw", "app.iprof"))
        self.assertEqual(self.out("overlap", "app.iraw", "app.iprof").count(" 100.000%"), 4)
        self.run_tool("convert", "app.iraw", "--to", "collapsed", "-o", "raw.txt")
        self.run_tool("convert", "app.iprof", "--to", "collapsed", "-o", "profile.txt")
        with open(self.path("raw.txt"), "rb") as a, open(self.path("profile.txt"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_merge_reads_both_kinds(self):
        self.run_tool("recover", "app.iraw", "-o", "a.iprof")
        self.run_tool("recover", "other.iraw", "-o", "b.iprof")
        self.run_tool("merge", "a.iprof", "b.iprof", "-o", "profiles")
        self.run_tool("merge", "app.iraw", "b.iprof", "-o", "mixed")
        self.assertEqual(self.load("profiles"), self.load("mixed"))
        self.run_tool("recover", "app.iraw", "other.iraw", "-o", "recovered")
        self.assertEqual(self.load("profiles"), self.load("recovered"))

    def test_merge_takes_the_raw_files_of_a_folder(self):
        self.run_tool("recover", "app.iraw", "-o", "b.iprof")
        self.write("fleet/x/one.iraw", self.examples["app.iraw"])
        self.run_tool("merge", "-o", "sum", "--input-dir", "fleet", "b.iprof")
        self.run_tool("merge", "-o", "named", "app.iraw", "app.iraw")
        self.assertEqual(self.load("sum"), self.load("named"))
        # Of copies, one counts, also if their profiles do not say of which run they are.
        self.write("fleet/y/two.iraw", self.examples["app.iraw"])
        said = self.err("merge", "-o", "once", "--input-dir", "fleet")
        self.assertEqual(said, "iprof: warning: fleet/y/two.iraw is left out: fleet/x/one.iraw is of the same run. Name it to merge both\n")
        self.assertEqual(self.counts("once"), self.counts("b.iprof"))

    def test_what_does_not_say_of_which_run_it_is_counts(self):
        self.run_tool("recover", "app.iraw", "-o", "b.iprof")
        self.write("fleet/one.iraw", self.examples["app.iraw"])
        self.run_tool("recover", "app.iraw", "-o", "fleet/one.iprof")
        self.assertEqual(self.err("merge", "-o", "twice", "--input-dir", "fleet"), unknown("fleet/one.iprof"))
        self.assertEqual(self.counts("twice"), 2 * self.counts("b.iprof"))

    def test_a_raw_file_and_what_was_recovered_from_it_count_once(self):
        for name in ("fleet/a.iprof", "fleet/b.iprof.gz"):
            os.makedirs(self.path("fleet"), exist_ok=True)
            self.run_tool("recover", "told.iraw", "-o", name)
        self.write("fleet/c.iraw", self.examples["told.iraw"])
        same = "fleet/a.iprof is of the same run"
        run = self.run_tool("merge", "-o", "m.iprof", "--input-dir", "fleet", "--format", "json")
        self.assertEqual(json.loads(run.stdout)["left_out"], [{"file": name, "reason": same} for name in ("fleet/b.iprof.gz", "fleet/c.iraw")])
        self.assertEqual(self.counts("m.iprof"), self.counts("fleet/a.iprof"))
        # So do a merge and its inputs.
        self.run_tool("merge", "-o", "fleet/all.iprof", "fleet/a.iprof", "other.iraw")
        said = self.err("merge", "-o", "all.iprof", "--input-dir", "fleet")
        self.assertEqual(said.count(" is left out: fleet/all.iprof is of the same run, and newer"), 3, said)
        # What is named counts each time, and the user is told.
        said = self.err("merge", "-o", "x.iprof", "m.iprof", "told.iraw")
        self.assertEqual(said, "iprof: warning: m.iprof and told.iraw are of the same run (told.jar of 2023-11-14 22:13:20 UTC), which is counted twice\n")
        self.assertEqual(self.counts("x.iprof"), 2 * self.counts("m.iprof"))

    def test_a_file_of_a_folder_that_has_just_begun_is_left_out(self):
        self.write("fleet/app.iraw", self.examples["app.iraw"])
        self.run_tool("recover", "app.iraw", "-o", "a.iprof")
        for data, reason in ((self.examples["new.iraw"], "has no snapshot yet"), (b"", "is empty")):
            self.write("fleet/new.iraw", data)
            for mode in ("any", "all", "warn"):
                said = self.err("merge", "--input-dir", "fleet", "--failure-mode", mode, "-o", "m.iprof")
                self.assertIn(f"warning: left out: fleet/new.iraw: {reason}", said)
                self.assertEqual(self.counts("m.iprof"), self.counts("a.iprof"))
            report = self.json("merge", "--input-dir", "fleet", "-o", "m.iprof")
            self.assertEqual((report["merged"], [out["file"] for out in report["left_out"]]), (1, ["fleet/new.iraw"]))
            # Named, it is an error; and so it is if there is nothing else.
            self.assertIn(reason, self.err("merge", "app.iraw", "fleet/new.iraw", "-o", "x", expect=3))
            self.write("none/new.iraw", data)
            self.assertIn(reason, self.err("merge", "--input-dir", "none", "-o", "x", expect=3))
        # A file that is damaged is an error.
        self.write("fleet/new.iraw", self.examples["app.iraw"][:100])
        self.assertIn("is cut within its header", self.err("merge", "--input-dir", "fleet", "-o", "x", expect=3))

    def test_an_empty_raw_file_is_called_so(self):
        self.write("empty.iraw", b"")
        self.write("cut.iraw", self.examples["app.iraw"][:5])
        for command in (("merge", "-o", "x"), ("show",), ("recover", "-o", "x")):
            self.assertIn("empty.iraw: is empty: the program has just begun, or ended at once", self.err(*command, "empty.iraw", expect=3))
            self.assertIn("cut.iraw: is cut within its header", self.err(*command, "cut.iraw", expect=3))

    def test_what_is_named_and_found_counts_as_named(self):
        os.mkdir(self.path("fleet"))
        for name in ("a.iprof", "fleet/a.iprof"):
            self.run_tool("recover", "app.iraw", "-o", name)
        os.symlink("fleet/a.iprof", self.path("link.iprof"))
        for name in ("fleet/a.iprof", "./fleet/a.iprof", "link.iprof"):
            run = self.run_tool("merge", "--input-dir", "fleet", name, "-o", "once")
            self.assertEqual(run.stderr.decode(), "")
            self.assertEqual(self.counts("once"), self.counts("a.iprof"))
        self.run_tool("merge", "--input-dir", "fleet", "-w", "3,fleet/a.iprof", "-o", "thrice")
        self.assertEqual(self.counts("thrice"), 3 * self.counts("a.iprof"))

    def test_what_is_found_counts_once(self):
        self.run_tool("recover", "app.iraw", "-o", "a.iprof")
        self.write("fleet/x/b.iprof", pathlib.Path(self.path("a.iprof")).read_bytes())
        os.symlink("x/b.iprof", self.path("fleet/a-link.iprof"))
        os.link(self.path("fleet/x/b.iprof"), self.path("fleet/x/hard.iprof"))
        for folders in (("fleet",), ("fleet", "fleet"), ("fleet", "./fleet/x"), ("fleet/x", "fleet")):
            options = [part for folder in folders for part in ("--input-dir", folder)]
            self.assertEqual(self.err("merge", *options, "-o", "once"), "")
            self.assertEqual(self.counts("once"), self.counts("a.iprof"))
        # Messages name the file, and not a link to it.
        self.write("one/x/b.iraw", self.examples["app.iraw"])
        self.write("one/x/c.iraw", self.examples["app.iraw"])
        os.symlink("b.iraw", self.path("one/x/a.iraw"))
        said = self.err("merge", "--input-dir", "one", "-o", "once")
        self.assertIn("warning: one/x/c.iraw is left out: one/x/b.iraw is of the same run", said)
        self.assertEqual(self.counts("once"), self.counts("a.iprof"))

    def test_standard_input(self):
        out = self.out("show", "-", stdin=self.examples["app.iraw"])
        self.assertIn("recovered from: snapshot 7", out)
        self.run_tool("recover", "-", "-o", "x.iprof", stdin=self.examples["app.iraw"])
        self.assertEqual(self.counts("x.iprof"), self.truth())
        self.run_tool("show", "-", expect=3, stdin=b"\x8fip")


if __name__ == "__main__":
    unittest.main()
